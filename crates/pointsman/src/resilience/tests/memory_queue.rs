//! The memory queue: its limit, its order, and callers that leave it.

use super::below;
use crate::CancellationToken;
use crate::resilience::clock::SystemClock;
use crate::resilience::gate::{WaitError, WaitLimit};
use crate::resilience::memory_queue::{MemoryQueue, QueueCounters, Reservation};
use crate::resilience::retry::RandomDraws;
use pointsman_device::sim::SimClock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const LIMIT: u64 = 100;
const THREADS: usize = 64;

/// Requests `want` bytes if they fit, or fewer if there is no reservation to wait for.
fn fits(want: u64) -> impl FnMut(QueueCounters) -> Option<(u64, ())> {
    move |counters| {
        let free = LIMIT - counters.reserved;
        (want <= free || counters.reservations == 0).then_some((want.min(free), ()))
    }
}

/// Reserves without a time limit.
fn reserve(queue: &MemoryQueue, want: u64) -> Reservation<'_> {
    let bounds = WaitLimit { clock: &SystemClock::start(), until: None, token: None };
    queue.reserve(&bounds, fits(want)).unwrap().0
}

/// Waits until this many callers are queued.
fn wait_for_waiting(queue: &MemoryQueue, count: usize) {
    while queue.counters().waiting != count {
        std::thread::yield_now();
    }
}

#[test]
fn small_requests_do_not_overtake_earlier_large_ones() {
    let (queue, served, clock) = (MemoryQueue::default(), Mutex::new(Vec::new()), SystemClock::start());
    let held = reserve(&queue, 1);
    let random = RandomDraws::new(7);
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            // The first does not fit, the others might.
            let want = if number == 0 { LIMIT } else { 1 + below(&random, LIMIT) };
            let (queue, served, clock) = (&queue, &served, &clock);
            scope.spawn(move || {
                let bounds = WaitLimit { clock, until: None, token: None };
                let request = |counters: QueueCounters| {
                    let got = fits(want)(counters)?;
                    served.lock().unwrap().push(number);
                    Some(got)
                };
                queue.reserve(&bounds, request).unwrap()
            });
            wait_for_waiting(queue, number + 1);
        }
        assert!(served.lock().unwrap().is_empty(), "a caller overtook the first");
        drop(held);
    });
    assert_eq!(served.into_inner().unwrap(), (0..THREADS).collect::<Vec<_>>());
    let expected = QueueCounters { waits: THREADS as u64, ..QueueCounters::default() };
    assert_eq!(queue.counters(), expected, "no caller was overtaken, and all bytes were released");
}

#[test]
fn all_threads_are_served_and_the_limit_holds() {
    const ROUNDS: usize = 200;
    let (queue, held, most) = (MemoryQueue::default(), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (queue, held, most) = (&queue, &held, &most);
            scope.spawn(move || {
                let random = RandomDraws::new(thread as u64 + 1);
                for _ in 0..ROUNDS {
                    let held_now = reserve(queue, below(&random, LIMIT + 20));
                    most.fetch_max(held.fetch_add(held_now.bytes, Ordering::SeqCst) + held_now.bytes, Ordering::SeqCst);
                    std::thread::yield_now();
                    held.fetch_sub(held_now.bytes, Ordering::SeqCst);
                }
            });
        }
    });
    let (most, counters) = (most.into_inner(), queue.counters());
    assert!(most <= LIMIT && most > LIMIT / 2, "{most} bytes at once");
    assert!(counters.waits > 0);
    assert_eq!(counters, QueueCounters { waits: counters.waits, ..QueueCounters::default() });
}

#[test]
fn leaving_the_queue_wakes_the_next() {
    let (queue, real, virtual_time) = (MemoryQueue::default(), SystemClock::start(), SimClock::new());
    let (token, until) = (CancellationToken::new(), Some(Duration::from_secs(5)));
    let held = reserve(&queue, 60);
    std::thread::scope(|scope| {
        let late = scope.spawn(|| {
            let bounds = WaitLimit { clock: &virtual_time, until, token: None };
            queue.reserve(&bounds, fits(LIMIT)).map(drop)
        });
        wait_for_waiting(&queue, 1);
        let stopped = scope.spawn(|| {
            let bounds = WaitLimit { clock: &real, until: None, token: Some(&token) };
            queue.reserve(&bounds, fits(LIMIT)).map(drop)
        });
        wait_for_waiting(&queue, 2);
        let small = scope.spawn(|| reserve(&queue, 40).waited);
        wait_for_waiting(&queue, 3);
        virtual_time.advance(Duration::from_secs(5));
        assert_eq!(late.join().unwrap(), Err(WaitError::TimedOut));
        token.cancel();
        assert_eq!(stopped.join().unwrap(), Err(WaitError::Cancelled));
        assert!(small.join().unwrap(), "40 bytes fit beside the first 60 once no caller is queued before");
    });
    assert_eq!((held.waited, queue.counters().reserved), (false, 60));
}
