//! Reactions, the budget of tries, and the waits between them.

use crate::resilience::retry::{FailureClass, Jitter, Reaction, RetryBudget, reaction};
use crate::{Error, ErrorKind};
use pointsman_device::sim::SimClock;
use pointsman_device::{DeviceError, DeviceErrorKind};
use std::time::Duration;

fn check(kind: DeviceErrorKind, class: FailureClass, expected: Reaction) {
    let error = Error::from(DeviceError::new(kind, "text that nobody reads"));
    assert_eq!((FailureClass::of(&error), reaction(FailureClass::of(&error))), (class, expected), "{kind:?}");
}

#[test]
fn every_kind_of_failure_has_its_reaction() {
    check(DeviceErrorKind::OutOfMemory, FailureClass::OutOfMemory, Reaction::Next);
    check(DeviceErrorKind::Transient, FailureClass::Transient, Reaction::Retry);
    check(DeviceErrorKind::Lost, FailureClass::Lost, Reaction::Close);
    check(DeviceErrorKind::Compile, FailureClass::Compile, Reaction::Ban);
    check(DeviceErrorKind::Timeout, FailureClass::Timeout, Reaction::Quarantine);
    check(DeviceErrorKind::Unsupported, FailureClass::Unsupported, Reaction::Next);
    check(DeviceErrorKind::InvalidArgument, FailureClass::Internal, Reaction::Return);
    check(DeviceErrorKind::Internal, FailureClass::Internal, Reaction::Return);
    assert_eq!(reaction(FailureClass::of(&Error::new(ErrorKind::Mismatch, ""))), Reaction::Close);
    for kind in [ErrorKind::Arithmetic, ErrorKind::InvalidQuery, ErrorKind::Cancelled, ErrorKind::Timeout] {
        assert_eq!(reaction(FailureClass::of(&Error::new(kind, ""))), Reaction::Return, "{kind:?}");
    }
    let disk = FailureClass::of(&Error::new(ErrorKind::Io, ""));
    assert!(disk == FailureClass::Disk && !disk.is_devices() && reaction(disk) == Reaction::Return);
}

#[test]
fn a_storm_of_callers_stays_within_the_budget() {
    const CALLERS: u64 = 1000;
    let (budget, jitter, clock) = (RetryBudget::new(), Jitter::new(1), SimClock::new());
    let (mut calls, mut retries) = (0u64, 0u64);
    // The device is down for 10 s; each caller asks ten times a second, and would like to try thrice more.
    while clock.now() < Duration::from_secs(10) {
        for _ in 0..CALLERS {
            calls += 1;
            budget.call();
            for tries in 0..3 {
                let wait = jitter.wait(Duration::from_millis(10), tries);
                assert!(wait < Duration::from_millis(10 << tries), "{wait:?}");
                retries += u64::from(budget.take());
            }
        }
        clock.advance(Duration::from_millis(100));
    }
    assert_eq!(calls, 100 * CALLERS);
    assert!(retries <= calls / 5 + 10 && retries >= calls / 5, "{retries} retries of {calls} calls");
}

#[test]
fn quiet_times_do_not_pay_for_a_storm() {
    let budget = RetryBudget::new();
    (0..1_000_000).for_each(|_| budget.call());
    assert_eq!((0..1000).filter(|_| budget.take()).count(), 100);
}

#[test]
fn waits_are_spread_over_the_whole_span() {
    let jitter = Jitter::new(7);
    let waits: Vec<u128> = (0..1000).map(|_| jitter.wait(Duration::from_millis(10), 1).as_millis()).collect();
    for tenth in 0..10 {
        let count = waits.iter().filter(|wait| **wait / 2 == tenth).count();
        assert!((50..200).contains(&count), "{count} waits in tenth {tenth}");
    }
}
