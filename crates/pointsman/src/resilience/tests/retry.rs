//! Reactions, the retry budget, and the delays between retries.

use crate::error::FailureClass;
use crate::resilience::retry::{RandomDraws, Reaction, RetryBudget, reaction};
use crate::{Error, ErrorKind};
use pointsman_device::sim::SimClock;
use pointsman_device::{DeviceError, DeviceErrorKind};
use std::time::Duration;

fn check(kind: DeviceErrorKind, class: FailureClass, expected: Reaction) {
    let error = Error::from(DeviceError::new(kind, "any text"));
    assert_eq!((FailureClass::of(&error), reaction(FailureClass::of(&error))), (class, expected), "{kind:?}");
}

#[test]
fn reaction_to_each_failure_class() {
    check(DeviceErrorKind::OutOfMemory, FailureClass::OutOfMemory, Reaction::Next);
    check(DeviceErrorKind::Transient, FailureClass::Transient, Reaction::Retry);
    check(DeviceErrorKind::Lost, FailureClass::Lost, Reaction::CloseDevice);
    check(DeviceErrorKind::Compile, FailureClass::Compile, Reaction::Next);
    check(DeviceErrorKind::Timeout, FailureClass::Timeout, Reaction::TripBreaker);
    check(DeviceErrorKind::Unsupported, FailureClass::Unsupported, Reaction::Next);
    check(DeviceErrorKind::InvalidArgument, FailureClass::Internal, Reaction::Return);
    check(DeviceErrorKind::Internal, FailureClass::Internal, Reaction::Return);
    assert_eq!(reaction(FailureClass::of(&Error::new(ErrorKind::Mismatch, ""))), Reaction::CloseDevice);
    for kind in [ErrorKind::Arithmetic, ErrorKind::InvalidQuery, ErrorKind::Cancelled, ErrorKind::Timeout] {
        assert_eq!(reaction(FailureClass::of(&Error::new(kind, ""))), Reaction::Return, "{kind:?}");
    }
    let disk = FailureClass::of(&Error::new(ErrorKind::Io, ""));
    assert!(disk == FailureClass::Disk && !disk.is_device_failure() && reaction(disk) == Reaction::Return);
}

#[test]
fn retry_storm_stays_within_the_budget() {
    const CALLERS: u64 = 1000;
    let (budget, jitter, clock) = (RetryBudget::new(), RandomDraws::new(1), SimClock::new());
    let (mut calls, mut retries) = (0u64, 0u64);
    // The device is down for 10 s; each caller calls ten times a second and attempts three retries each time.
    while clock.now() < Duration::from_secs(10) {
        for _ in 0..CALLERS {
            calls += 1;
            budget.deposit();
            for tries in 0..3 {
                let delay = jitter.delay(Duration::from_millis(10), tries);
                assert!(delay < Duration::from_millis(10 << tries), "{delay:?}");
                retries += u64::from(budget.try_withdraw());
            }
        }
        clock.advance(Duration::from_millis(100));
    }
    assert_eq!(calls, 100 * CALLERS);
    assert!(retries <= calls / 5 + 10 && retries >= calls / 5, "{retries} retries of {calls} calls");
}

#[test]
fn balance_is_capped() {
    let budget = RetryBudget::new();
    (0..1_000_000).for_each(|_| budget.deposit());
    assert_eq!((0..1000).filter(|_| budget.try_withdraw()).count(), 100);
}

#[test]
fn delays_spread_over_the_whole_span() {
    let jitter = RandomDraws::new(7);
    let delays: Vec<u128> = (0..1000).map(|_| jitter.delay(Duration::from_millis(10), 1).as_millis()).collect();
    for tenth in 0..10 {
        let count = delays.iter().filter(|delay| **delay / 2 == tenth).count();
        assert!((50..200).contains(&count), "{count} delays in tenth {tenth}");
    }
}
