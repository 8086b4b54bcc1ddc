//! Breaker: under every schedule there is exactly one probe at a time, and no permit is lost.

use crate::breaker::{Breaker, OPEN_MIN, Permit, Verdict, WINDOW};
use crate::check;
use pointsman_device::sim::SimClock;
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CALLERS: usize = 4;

/// Returns a breaker whose open period is over: the next caller is the probe.
fn half_open() -> (Arc<Breaker>, SimClock) {
    let (breaker, clock) = (Arc::new(Breaker::new()), SimClock::new());
    breaker.try_acquire(&clock).unwrap().end(Verdict::Trip);
    clock.advance(OPEN_MIN);
    (breaker, clock)
}

/// Lets all callers try to acquire a permit at once and end it with `end`; returns how many got one.
fn acquire_all(breaker: &Arc<Breaker>, clock: &SimClock, end: impl Fn(Permit<'_>) + Copy + Send + 'static) -> usize {
    let acquired = Arc::new(AtomicUsize::new(0));
    let callers = (0..CALLERS).map(|_| {
        let (breaker, clock, acquired) = (breaker.clone(), clock.clone(), acquired.clone());
        thread::spawn(move || {
            if let Ok(permit) = breaker.try_acquire(&clock) {
                acquired.fetch_add(1, Ordering::SeqCst);
                end(permit);
            }
        })
    });
    let callers: Vec<_> = callers.collect();
    callers.into_iter().for_each(|caller| caller.join().unwrap());
    acquired.load(Ordering::SeqCst)
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
                    if let Ok(probe) = breaker.try_acquire(&clock) {
                        assert!(probe.deadline.is_some(), "only the probe gets a permit");
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
        assert!(breaker.try_acquire(&clock).is_ok_and(|probe| probe.deadline.is_some()), "a permit was lost");
    });
}

#[test]
fn failed_probe_keeps_the_breaker_open() {
    check(|| {
        let (breaker, clock) = half_open();
        assert_eq!(acquire_all(&breaker, &clock, |permit| permit.end(Verdict::Failure)), 1);
        let until = breaker.try_acquire(&clock).map(drop).unwrap_err();
        assert_eq!(until, OPEN_MIN + 2 * OPEN_MIN);
    });
}

#[test]
fn check_never_becomes_the_probe() {
    check(|| {
        let (breaker, clock) = half_open();
        let checking = {
            let (breaker, clock) = (breaker.clone(), clock.clone());
            thread::spawn(move || breaker.check(&clock))
        };
        assert!(breaker.try_acquire(&clock).is_ok_and(|probe| probe.deadline.is_some()), "the check took the probe");
        // The check may run before the probe or during it; both results are valid.
        let _ = checking.join().unwrap();
        assert!(breaker.check(&clock).is_ok(), "after a cancelled probe the next caller is the probe");
    });
}

#[test]
fn successful_probe_closes_the_breaker() {
    check(|| {
        let (breaker, clock) = half_open();
        assert!(acquire_all(&breaker, &clock, |permit| permit.end(Verdict::Success)) >= 1);
        assert_eq!(acquire_all(&breaker, &clock, |permit| permit.end(Verdict::Success)), CALLERS);
    });
}

#[test]
fn every_failure_is_counted() {
    check(|| {
        let (breaker, clock) = (Arc::new(Breaker::new()), SimClock::new());
        assert_eq!(acquire_all(&breaker, &clock, |permit| permit.end(Verdict::Failure)), CALLERS);
        breaker.try_acquire(&clock).expect("four failures are too few").end(Verdict::Failure);
        assert!(breaker.try_acquire(&clock).is_err(), "five are not");
    });
}

#[test]
fn calls_that_change_nothing_take_no_lock() {
    check(|| {
        let (breaker, clock) = (Arc::new(Breaker::new()), SimClock::new());
        (0..WINDOW).for_each(|_| breaker.try_acquire(&clock).unwrap().end(Verdict::Success));
        let _held = breaker.hold_lock();
        assert_eq!(acquire_all(&breaker, &clock, |permit| permit.end(Verdict::Success)), CALLERS);
    });
}
