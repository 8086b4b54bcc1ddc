//! The gate: its limits, its order, and who leaves the line.

use crate::CancellationToken;
use crate::resilience::clock::SystemClock;
use crate::resilience::gate::{Gate, GatePermit, WaitError, WaitLimit};
use pointsman_device::sim::SimClock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const THREADS: usize = 64;

/// Waits for ever.
fn enter<'g>(gate: &'g Gate, clock: &SystemClock) -> Result<GatePermit<'g>, WaitError> {
    let bounds = WaitLimit { clock, until: None, token: None };
    gate.try_enter().map_or_else(|| gate.enter(&bounds), Ok)
}

/// Waits until so many stand in line.
fn until_in_line(gate: &Gate, count: usize) {
    while gate.in_line() != count {
        std::thread::yield_now();
    }
}

#[test]
fn first_come_first_served() {
    let (gate, clock, served) = (Gate::new(1, THREADS), SystemClock::start(), Mutex::new(Vec::new()));
    let inside = enter(&gate, &clock).unwrap();
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            let (gate, clock, served) = (&gate, &clock, &served);
            scope.spawn(move || {
                let _place = enter(gate, clock).unwrap();
                served.lock().unwrap().push(number);
            });
            until_in_line(gate, number + 1);
        }
        drop(inside);
    });
    let served = served.into_inner().unwrap();
    assert_eq!(served, (0..THREADS).collect::<Vec<_>>(), "the longest wait is {} turns", THREADS - 1);
}

#[test]
fn many_threads_are_all_served_and_never_too_many_at_once() {
    const ROUNDS: usize = 200;
    let (gate, clock) = (Gate::new(3, THREADS), SystemClock::start());
    let (inside, most, served) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let _place = enter(&gate, &clock).unwrap();
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    served.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!((served.into_inner(), most.into_inner()), (THREADS * ROUNDS, 3));
    assert_eq!((gate.in_line(), gate.try_enter().is_some()), (0, true));
}

#[test]
fn a_full_line_turns_callers_away() {
    let (gate, clock) = (Gate::new(1, 2), SystemClock::start());
    let inside = enter(&gate, &clock).unwrap();
    std::thread::scope(|scope| {
        for count in 1..=2 {
            scope.spawn(|| drop(enter(&gate, &clock).unwrap()));
            until_in_line(&gate, count);
        }
        let now_or_never = WaitLimit { clock: &clock, until: Some(Duration::ZERO), token: None };
        assert_eq!(gate.enter(&now_or_never).map(drop), Err(WaitError::Full { queue: 2 }));
        drop(inside);
    });
    assert!(enter(&gate, &clock).is_ok());
}

#[test]
fn who_leaves_the_line_takes_no_place_along() {
    let (gate, real, virtual_time) = (Gate::new(1, 10), SystemClock::start(), SimClock::new());
    let (token, until) = (CancellationToken::new(), Some(Duration::from_secs(5)));
    let inside = enter(&gate, &real).unwrap();
    std::thread::scope(|scope| {
        let late = scope.spawn(|| gate.enter(&WaitLimit { clock: &virtual_time, until, token: None }).map(drop));
        until_in_line(&gate, 1);
        let stopped =
            scope.spawn(|| gate.enter(&WaitLimit { clock: &real, until: None, token: Some(&token) }).map(drop));
        until_in_line(&gate, 2);
        let patient = scope.spawn(|| enter(&gate, &real).map(drop));
        until_in_line(&gate, 3);
        virtual_time.advance(Duration::from_secs(5));
        assert_eq!(late.join().unwrap(), Err(WaitError::Late));
        token.cancel();
        assert_eq!(stopped.join().unwrap(), Err(WaitError::Cancelled));
        assert_eq!(gate.in_line(), 1);
        drop(inside);
        assert_eq!(patient.join().unwrap(), Ok(()));
    });
    assert!(gate.try_enter().is_some(), "the gate is empty again");
}

#[test]
fn one_who_asks_to_be_alone_is() {
    let (gate, clock) = (Gate::new(3, 0), SystemClock::start());
    let (one, other) = (gate.try_enter().unwrap(), gate.try_enter().unwrap());
    assert!(one.is_shared() && other.is_shared());
    std::thread::scope(|scope| {
        let alone = scope.spawn(|| {
            let alone = gate.enter_alone(&WaitLimit { clock: &clock, until: None, token: None }).unwrap();
            assert!(!alone.is_shared() && gate.try_enter().is_none());
        });
        until_in_line(&gate, 1);
        assert!(gate.try_enter().is_none(), "nobody overtakes it");
        drop((one, other));
        alone.join().unwrap();
    });
    let places: Vec<_> = (0..3).map_while(|_| gate.try_enter()).collect();
    assert!(places.len() == 3 && gate.try_enter().is_none());
}

#[test]
fn one_who_gives_up_being_alone_lets_others_in() {
    let (gate, clock, token) = (Gate::new(2, 4), SystemClock::start(), CancellationToken::new());
    let inside = gate.try_enter().unwrap();
    std::thread::scope(|scope| {
        let alone =
            scope.spawn(|| gate.enter_alone(&WaitLimit { clock: &clock, until: None, token: Some(&token) }).map(drop));
        until_in_line(&gate, 1);
        let other = scope.spawn(|| enter(&gate, &clock).map(drop));
        until_in_line(&gate, 2);
        token.cancel();
        assert_eq!(alone.join().unwrap(), Err(WaitError::Cancelled));
        // There is room for it, although nobody left.
        other.join().unwrap().unwrap();
    });
    drop(inside);
}
