//! Exactly one probe at a time, whatever the order, and no permit that is lost.

use crate::breaker::{Breaker, OPEN_MIN, Permit, WINDOW};
use crate::check;
use pointsman_device::sim::SimClock;
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CALLERS: usize = 4;

/// An open breaker whose time is over: the next caller is the probe.
fn half_open() -> (Arc<Breaker>, SimClock) {
    let (breaker, clock) = (Arc::new(Breaker::new()), SimClock::new());
    breaker.admit(&clock).map(Permit::trip).unwrap();
    clock.advance(OPEN_MIN);
    (breaker, clock)
}

/// Lets callers ask at once, each doing this with its permit; how many got one.
fn ask(breaker: &Arc<Breaker>, clock: &SimClock, end: impl Fn(Permit<'_>) + Copy + Send + 'static) -> usize {
    let admitted = Arc::new(AtomicUsize::new(0));
    let callers = (0..CALLERS).map(|_| {
        let (breaker, clock, admitted) = (breaker.clone(), clock.clone(), admitted.clone());
        thread::spawn(move || {
            if let Ok(permit) = breaker.admit(&clock) {
                admitted.fetch_add(1, Ordering::SeqCst);
                end(permit);
            }
        })
    });
    let callers: Vec<_> = callers.collect();
    callers.into_iter().for_each(|caller| caller.join().unwrap());
    admitted.load(Ordering::SeqCst)
}

#[test]
fn one_probe_at_a_time() {
    check(|| {
        let (breaker, clock) = half_open();
        let inside = Arc::new(AtomicUsize::new(0));
        let callers = (0..CALLERS).map(|_| {
            let (breaker, clock, inside) = (breaker.clone(), clock.clone(), inside.clone());
            thread::spawn(move || {
                for _ in 0..2 {
                    if let Ok(probe) = breaker.admit(&clock) {
                        assert!(probe.deadline().is_some(), "only probes are let in");
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two probes at once");
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(probe);
                    }
                }
            })
        });
        let callers: Vec<_> = callers.collect();
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        assert!(breaker.admit(&clock).is_ok_and(|probe| probe.deadline().is_some()), "a permit was lost");
    });
}

#[test]
fn a_probe_that_fails_keeps_all_others_away() {
    check(|| {
        let (breaker, clock) = half_open();
        assert_eq!(ask(&breaker, &clock, |permit| permit.fail()), 1);
        let shut = breaker.admit(&clock).map(drop).unwrap_err();
        assert_eq!(shut.until, OPEN_MIN + 2 * OPEN_MIN);
    });
}

#[test]
fn who_only_looks_is_never_the_probe() {
    check(|| {
        let (breaker, clock) = half_open();
        let looking = {
            let (breaker, clock) = (breaker.clone(), clock.clone());
            thread::spawn(move || breaker.look(&clock))
        };
        assert!(breaker.admit(&clock).is_ok_and(|probe| probe.deadline().is_some()), "the look took the probe");
        // Whether it came before the probe or beside it, both are well.
        let _ = looking.join().unwrap();
        assert!(breaker.look(&clock).is_ok(), "a probe that was cancelled leaves its place to the next");
    });
}

#[test]
fn a_probe_that_succeeds_lets_all_in() {
    check(|| {
        let (breaker, clock) = half_open();
        assert!(ask(&breaker, &clock, |permit| permit.succeed()) >= 1);
        assert_eq!(ask(&breaker, &clock, |permit| permit.succeed()), CALLERS);
    });
}

#[test]
fn no_failure_is_missed() {
    check(|| {
        let (breaker, clock) = (Arc::new(Breaker::new()), SimClock::new());
        assert_eq!(ask(&breaker, &clock, |permit| permit.fail()), CALLERS);
        assert!(breaker.admit(&clock).map(Permit::fail).is_ok(), "four failures are too few");
        assert!(breaker.admit(&clock).is_err(), "five are not");
    });
}

#[test]
fn calls_that_change_nothing_wait_for_nobody() {
    check(|| {
        let (breaker, clock) = (Arc::new(Breaker::new()), SimClock::new());
        (0..WINDOW).for_each(|_| breaker.admit(&clock).map(Permit::succeed).unwrap());
        let _held = breaker.hold_lock();
        assert_eq!(ask(&breaker, &clock, |permit| permit.succeed()), CALLERS);
    });
}
