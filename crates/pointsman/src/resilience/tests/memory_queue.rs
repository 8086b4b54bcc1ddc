//! The ledger: its limit, its order, and who leaves the line.

use super::Noise;
use crate::CancellationToken;
use crate::resilience::clock::SystemClock;
use crate::resilience::gate::{WaitError, WaitLimit};
use crate::resilience::memory_queue::{MemoryQueue, QueueStanding, Reservation};
use pointsman_device::sim::SimClock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const LIMIT: u64 = 100;
const THREADS: usize = 64;

/// So many bytes if they fit, or less if nobody is there to wait for.
fn fits(want: u64) -> impl FnMut(QueueStanding) -> Option<(u64, ())> {
    move |standing| {
        let free = LIMIT - standing.reserved;
        (want <= free || standing.reservations == 0).then_some((want.min(free), ()))
    }
}

/// Waits for ever.
fn reserve(ledger: &MemoryQueue, want: u64) -> Reservation<'_> {
    let bounds = WaitLimit { clock: &SystemClock::start(), until: None, token: None };
    ledger.reserve(&bounds, fits(want)).unwrap().0
}

/// Waits until so many stand in line.
fn until_waiting(ledger: &MemoryQueue, count: usize) {
    while ledger.standing().waiting != count {
        std::thread::yield_now();
    }
}

#[test]
fn first_come_first_served_however_little_they_want() {
    let (ledger, served, clock) = (MemoryQueue::default(), Mutex::new(Vec::new()), SystemClock::start());
    let held = reserve(&ledger, 1);
    let mut noise = Noise(7);
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            // The first does not fit, the others might.
            let want = if number == 0 { LIMIT } else { 1 + noise.below(LIMIT) };
            let (ledger, served, clock) = (&ledger, &served, &clock);
            scope.spawn(move || {
                let bounds = WaitLimit { clock, until: None, token: None };
                let ask = |standing: QueueStanding| {
                    let got = fits(want)(standing)?;
                    served.lock().unwrap().push(number);
                    Some(got)
                };
                ledger.reserve(&bounds, ask).unwrap()
            });
            until_waiting(ledger, number + 1);
        }
        assert!(served.lock().unwrap().is_empty(), "somebody passed the first");
        drop(held);
    });
    assert_eq!(served.into_inner().unwrap(), (0..THREADS).collect::<Vec<_>>());
    let expected = QueueStanding { waits: THREADS as u64, ..QueueStanding::default() };
    assert_eq!(ledger.standing(), expected, "nobody was passed, and all was given back");
}

#[test]
fn many_threads_are_all_served_and_never_beyond_the_limit() {
    const ROUNDS: usize = 200;
    let (ledger, held, most) = (MemoryQueue::default(), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (ledger, held, most) = (&ledger, &held, &most);
            scope.spawn(move || {
                let mut noise = Noise(thread as u64 + 1);
                for _ in 0..ROUNDS {
                    let one = reserve(ledger, noise.below(LIMIT + 20));
                    most.fetch_max(held.fetch_add(one.bytes(), Ordering::SeqCst) + one.bytes(), Ordering::SeqCst);
                    std::thread::yield_now();
                    held.fetch_sub(one.bytes(), Ordering::SeqCst);
                }
            });
        }
    });
    let (most, standing) = (most.into_inner(), ledger.standing());
    assert!(most <= LIMIT && most > LIMIT / 2, "{most} bytes at once");
    assert!(standing.waits > 0);
    assert_eq!(standing, QueueStanding { waits: standing.waits, ..QueueStanding::default() });
}

#[test]
fn who_leaves_the_line_lets_the_next_try() {
    let (ledger, real, virtual_time) = (MemoryQueue::default(), SystemClock::start(), SimClock::new());
    let (token, until) = (CancellationToken::new(), Some(Duration::from_secs(5)));
    let held = reserve(&ledger, 60);
    std::thread::scope(|scope| {
        let late = scope.spawn(|| {
            let bounds = WaitLimit { clock: &virtual_time, until, token: None };
            ledger.reserve(&bounds, fits(LIMIT)).map(drop)
        });
        until_waiting(&ledger, 1);
        let stopped = scope.spawn(|| {
            let bounds = WaitLimit { clock: &real, until: None, token: Some(&token) };
            ledger.reserve(&bounds, fits(LIMIT)).map(drop)
        });
        until_waiting(&ledger, 2);
        let small = scope.spawn(|| reserve(&ledger, 40).waited());
        until_waiting(&ledger, 3);
        virtual_time.advance(Duration::from_secs(5));
        assert_eq!(late.join().unwrap(), Err(WaitError::Late));
        token.cancel();
        assert_eq!(stopped.join().unwrap(), Err(WaitError::Cancelled));
        assert!(small.join().unwrap(), "it fitted beside the first, once nobody was before it");
    });
    assert_eq!((held.waited(), ledger.standing().reserved), (false, 60));
}
