//! Memory queue: under every schedule no waiter is forgotten or overtaken and no byte is lost, whichever callers give
//! up.

use crate::cancel::CancellationToken;
use crate::check;
use crate::clock::SystemClock;
use crate::gate::{WaitError, WaitLimit};
use crate::memory_queue::{MemoryQueue, QueueCounters};
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const LIMIT: u64 = 10;

/// Reserves `want` bytes, or all bytes if that is more than there are, and holds them for a while.
fn reserve_and_hold(
    queue: &MemoryQueue,
    want: u64,
    token: &CancellationToken,
    held: &AtomicU64,
) -> Result<(), WaitError> {
    let bounds = WaitLimit { clock: &SystemClock::start(), until: None, token: Some(token) };
    let request = |counters: QueueCounters| {
        let free = LIMIT - counters.reserved;
        (want <= free || counters.reservations == 0).then_some((want.min(free), ()))
    };
    let (reservation, ()) = queue.reserve(&bounds, request)?;
    let bytes = reservation.bytes;
    assert!(bytes == want.min(LIMIT), "fewer bytes than were free");
    assert!(held.fetch_add(bytes, Ordering::SeqCst) + bytes <= LIMIT, "more bytes than there are");
    thread::yield_now();
    held.fetch_sub(bytes, Ordering::SeqCst);
    Ok(())
}

/// Lets one thread per entry of `wants` reserve that many bytes while the first `cancelled` of them are cancelled. A
/// forgotten caller would wait forever, which the scheduler reports as a deadlock.
fn run_callers(wants: &'static [u64], cancelled: usize) -> Vec<Result<(), WaitError>> {
    let (queue, held) = (Arc::new(MemoryQueue::default()), Arc::new(AtomicU64::new(0)));
    let tokens: Vec<CancellationToken> = wants.iter().map(|_| CancellationToken::new()).collect();
    let callers = tokens.iter().cloned().zip(wants).map(|(token, &want)| {
        let (queue, held) = (queue.clone(), held.clone());
        thread::spawn(move || reserve_and_hold(&queue, want, &token, &held))
    });
    let callers: Vec<_> = callers.collect();
    tokens[..cancelled].iter().for_each(CancellationToken::cancel);
    let results = callers.into_iter().map(|caller| caller.join().unwrap()).collect();
    let counters = queue.counters();
    assert_eq!(
        counters,
        QueueCounters { waits: counters.waits, ..QueueCounters::default() },
        "all bytes are released and no caller was overtaken"
    );
    results
}

#[test]
fn every_caller_gets_its_bytes() {
    check(|| assert!(run_callers(&[10, 4, 4, 10], 0).iter().all(Result::is_ok)));
    check(|| assert!(run_callers(&[6, 25, 6, 1, 3], 0).iter().all(Result::is_ok)));
}

#[test]
fn cancelled_caller_blocks_no_other() {
    check(|| {
        for (number, result) in run_callers(&[10, 9, 4, 10, 2], 2).into_iter().enumerate() {
            assert!(result.is_ok() || (number < 2 && result == Err(WaitError::Cancelled)), "{number}: {result:?}");
        }
    });
}

#[test]
fn reservation_says_whether_its_caller_waited() {
    check(|| {
        let (queue, clock) = (Arc::new(MemoryQueue::default()), SystemClock::start());
        let bounds = WaitLimit { clock: &clock, until: None, token: None };
        let all = |counters: QueueCounters| (counters.reservations == 0).then_some((LIMIT, ()));
        let (first, ()) = queue.reserve(&bounds, all).unwrap();
        assert!(!first.waited);
        let other = queue.clone();
        let second = thread::spawn(move || {
            let clock = SystemClock::start();
            other.reserve(&WaitLimit { clock: &clock, until: None, token: None }, all).unwrap().0.waited
        });
        while queue.counters().waiting == 0 {
            thread::yield_now();
        }
        drop(first);
        assert!(second.join().unwrap());
    });
}
