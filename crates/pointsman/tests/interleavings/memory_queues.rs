//! Nobody is forgotten who waits for memory, nobody is passed, and no byte is lost, whoever leaves when.

use crate::cancel::CancellationToken;
use crate::check;
use crate::clock::SystemClock;
use crate::gate::{WaitError, WaitLimit};
use crate::memory_queue::{MemoryQueue, QueueStanding};
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const LIMIT: u64 = 10;

/// Reserves so much, or all if it is more than there is, and holds it for a while.
fn hold(ledger: &MemoryQueue, want: u64, token: &CancellationToken, held: &AtomicU64) -> Result<(), WaitError> {
    let bounds = WaitLimit { clock: &SystemClock::start(), until: None, token: Some(token) };
    let ask = |standing: QueueStanding| {
        let free = LIMIT - standing.reserved;
        (want <= free || standing.reservations == 0).then_some((want.min(free), ()))
    };
    let (reservation, ()) = ledger.reserve(&bounds, ask)?;
    let bytes = reservation.bytes();
    assert!(bytes == want.min(LIMIT), "less than there was");
    assert!(held.fetch_add(bytes, Ordering::SeqCst) + bytes <= LIMIT, "more than there is");
    thread::yield_now();
    held.fetch_sub(bytes, Ordering::SeqCst);
    Ok(())
}

/// Lets threads reserve so much each, the first so many of which are cancelled meanwhile. One that is forgotten in line
/// would never end, which the scheduler reports.
fn share(wants: &'static [u64], cancelled: usize) -> Vec<Result<(), WaitError>> {
    let (ledger, held) = (Arc::new(MemoryQueue::default()), Arc::new(AtomicU64::new(0)));
    let tokens: Vec<CancellationToken> = wants.iter().map(|_| CancellationToken::new()).collect();
    let callers = tokens.iter().cloned().zip(wants).map(|(token, &want)| {
        let (ledger, held) = (ledger.clone(), held.clone());
        thread::spawn(move || hold(&ledger, want, &token, &held))
    });
    let callers: Vec<_> = callers.collect();
    tokens[..cancelled].iter().for_each(CancellationToken::cancel);
    let results = callers.into_iter().map(|caller| caller.join().unwrap()).collect();
    let standing = ledger.standing();
    assert_eq!(
        standing,
        QueueStanding { waits: standing.waits, ..QueueStanding::default() },
        "all given back, nobody passed"
    );
    results
}

#[test]
fn all_get_what_they_want() {
    check(|| assert!(share(&[10, 4, 4, 10], 0).iter().all(Result::is_ok)));
    check(|| assert!(share(&[6, 25, 6, 1, 3], 0).iter().all(Result::is_ok)));
}

#[test]
fn who_is_cancelled_blocks_nobody() {
    check(|| {
        for (number, result) in share(&[10, 9, 4, 10, 2], 2).into_iter().enumerate() {
            assert!(result.is_ok() || (number < 2 && result == Err(WaitError::Cancelled)), "{number}: {result:?}");
        }
    });
}

#[test]
fn whether_one_waited_is_told() {
    check(|| {
        let (ledger, clock) = (Arc::new(MemoryQueue::default()), SystemClock::start());
        let bounds = WaitLimit { clock: &clock, until: None, token: None };
        let all = |standing: QueueStanding| (standing.reservations == 0).then_some((LIMIT, ()));
        let (first, ()) = ledger.reserve(&bounds, all).unwrap();
        assert!(!first.waited());
        let other = ledger.clone();
        let second = thread::spawn(move || {
            let clock = SystemClock::start();
            other.reserve(&WaitLimit { clock: &clock, until: None, token: None }, all).unwrap().0.waited()
        });
        while ledger.standing().waiting == 0 {
            thread::yield_now();
        }
        drop(first);
        assert!(second.join().unwrap());
    });
}
