//! The gate: its limits, its order, and callers that leave the queue.

use crate::CancellationToken;
use crate::resilience::clock::SystemClock;
use crate::resilience::gate::{Gate, GatePermit, WaitError, WaitLimit};
use pointsman_device::sim::SimClock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const THREADS: usize = 64;

/// Enters without a time limit.
fn enter<'g>(gate: &'g Gate, clock: &SystemClock) -> Result<GatePermit<'g>, WaitError> {
    let bounds = WaitLimit { clock, until: None, token: None };
    gate.try_enter().map_or_else(|| gate.enter(&bounds), Ok)
}

/// Waits until this many callers are queued.
fn wait_for_queued(gate: &Gate, count: usize) {
    while gate.queued() != count {
        std::thread::yield_now();
    }
}

#[test]
fn callers_enter_in_order_of_arrival() {
    let (gate, clock, served) = (Gate::new(1, THREADS), SystemClock::start(), Mutex::new(Vec::new()));
    let inside = enter(&gate, &clock).unwrap();
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            let (gate, clock, served) = (&gate, &clock, &served);
            scope.spawn(move || {
                let _permit = enter(gate, clock).unwrap();
                served.lock().unwrap().push(number);
            });
            wait_for_queued(gate, number + 1);
        }
        drop(inside);
    });
    let served = served.into_inner().unwrap();
    assert_eq!(served, (0..THREADS).collect::<Vec<_>>(), "the longest wait is {} turns", THREADS - 1);
}

#[test]
fn all_threads_enter_and_the_concurrency_limit_holds() {
    const ROUNDS: usize = 200;
    let (gate, clock) = (Gate::new(3, THREADS), SystemClock::start());
    let (inside, most, served) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let _permit = enter(&gate, &clock).unwrap();
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    served.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!((served.into_inner(), most.into_inner()), (THREADS * ROUNDS, 3));
    assert_eq!((gate.queued(), gate.try_enter().is_some()), (0, true));
}

#[test]
fn full_queue_rejects_callers() {
    let (gate, clock) = (Gate::new(1, 2), SystemClock::start());
    let inside = enter(&gate, &clock).unwrap();
    std::thread::scope(|scope| {
        for count in 1..=2 {
            scope.spawn(|| drop(enter(&gate, &clock).unwrap()));
            wait_for_queued(&gate, count);
        }
        let now_or_never = WaitLimit { clock: &clock, until: Some(Duration::ZERO), token: None };
        assert_eq!(gate.enter(&now_or_never).map(drop), Err(WaitError::Full { queue: 2 }));
        drop(inside);
    });
    assert!(enter(&gate, &clock).is_ok());
}

#[test]
fn leaving_the_queue_loses_no_permit() {
    let (gate, real, virtual_time) = (Gate::new(1, 10), SystemClock::start(), SimClock::new());
    let (token, until) = (CancellationToken::new(), Some(Duration::from_secs(5)));
    let inside = enter(&gate, &real).unwrap();
    std::thread::scope(|scope| {
        let late = scope.spawn(|| gate.enter(&WaitLimit { clock: &virtual_time, until, token: None }).map(drop));
        wait_for_queued(&gate, 1);
        let stopped =
            scope.spawn(|| gate.enter(&WaitLimit { clock: &real, until: None, token: Some(&token) }).map(drop));
        wait_for_queued(&gate, 2);
        let patient = scope.spawn(|| enter(&gate, &real).map(drop));
        wait_for_queued(&gate, 3);
        virtual_time.advance(Duration::from_secs(5));
        assert_eq!(late.join().unwrap(), Err(WaitError::TimedOut));
        token.cancel();
        assert_eq!(stopped.join().unwrap(), Err(WaitError::Cancelled));
        assert_eq!(gate.queued(), 1);
        drop(inside);
        assert_eq!(patient.join().unwrap(), Ok(()));
    });
    assert!(gate.try_enter().is_some(), "the gate is empty again");
}

#[test]
fn exclusive_entry_admits_no_second_caller() {
    let (gate, clock) = (Gate::new(3, 0), SystemClock::start());
    let (one, other) = (gate.try_enter().unwrap(), gate.try_enter().unwrap());
    assert!(one.is_contended() && other.is_contended());
    std::thread::scope(|scope| {
        let exclusive = scope.spawn(|| {
            let exclusive = gate.enter_exclusive(&WaitLimit { clock: &clock, until: None, token: None }).unwrap();
            assert!(!exclusive.is_contended() && gate.try_enter().is_none());
        });
        wait_for_queued(&gate, 1);
        assert!(gate.try_enter().is_none(), "a later caller overtook the exclusive one");
        drop((one, other));
        exclusive.join().unwrap();
    });
    let permits: Vec<_> = (0..3).map_while(|_| gate.try_enter()).collect();
    assert!(permits.len() == 3 && gate.try_enter().is_none());
}

#[test]
fn cancelled_exclusive_entry_admits_later_callers() {
    let (gate, clock, token) = (Gate::new(2, 4), SystemClock::start(), CancellationToken::new());
    let inside = gate.try_enter().unwrap();
    std::thread::scope(|scope| {
        let exclusive = scope
            .spawn(|| gate.enter_exclusive(&WaitLimit { clock: &clock, until: None, token: Some(&token) }).map(drop));
        wait_for_queued(&gate, 1);
        let other = scope.spawn(|| enter(&gate, &clock).map(drop));
        wait_for_queued(&gate, 2);
        token.cancel();
        assert_eq!(exclusive.join().unwrap(), Err(WaitError::Cancelled));
        // There was room for this caller although no caller left.
        other.join().unwrap().unwrap();
    });
    drop(inside);
}
