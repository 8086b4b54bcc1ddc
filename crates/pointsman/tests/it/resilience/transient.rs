//! Transient failures are retried a few times.

use super::observable_clock::ObservableClock;
use super::{ask, assert_right, classes, simulated};
use pointsman::{CancellationToken, ErrorKind, FailureClass, Phase, SessionOptions};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::Arc;
use std::time::Duration;

fn faults(count: u64) -> Vec<SimFault> {
    (0..count).map(|launch| SimFault::Transient { launch }).collect()
}

#[test]
fn two_transient_failures_then_success() {
    let (device, session) = simulated(faults(2), SessionOptions::new());
    let answer = ask(&session, 1).unwrap();
    assert_right(&answer, 1);
    assert_eq!((device.fired(), answer.receipt().device(), answer.receipt().why()), (faults(2), "sim", "preferred"));
    assert_eq!(classes(answer.receipt()), [FailureClass::Transient; 2]);
    let (waited, most) = (device.clock().now(), Duration::from_millis(50 + 10 + 20 + 1));
    assert!(waited < most, "compiling, two waits and three runs took {waited:?}");
    assert!(!answer.receipt().time(Phase::Queue).is_zero());
}

#[test]
fn cpu_answers_after_three_retries() {
    let (device, session) = simulated(faults(4), SessionOptions::new());
    let answer = ask(&session, 1).unwrap();
    assert_right(&answer, 1);
    assert_eq!((device.fired(), answer.receipt().device()), (faults(4), "cpu"));
    assert_eq!(classes(answer.receipt()), [FailureClass::Transient; 4]);
    drop(answer);
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

#[test]
fn error_lists_every_failed_attempt() {
    let (device, session) = simulated(faults(4), SessionOptions::new());
    let error = session.from(&[1i64]).map(|n| n + 1).require("sim").run().unwrap_err();
    assert_eq!((error.kind(), error.attempts().len()), (ErrorKind::Unavailable, 4));
    for number in 0..4 {
        let part = format!("({}) sim (transient, ", number + 1);
        assert!(error.message().contains(&part), "{error}");
        assert_eq!(error.attempts()[number].message, format!("launch {number} was told to fail"));
    }
    assert_eq!(device.fired(), faults(4));
}

#[test]
fn no_retry_past_the_deadline() {
    let (device, session) = simulated(faults(4), SessionOptions::new().retry_backoff(Duration::from_secs(1000)));
    let answer = session.from(&[1i64]).map(|n| n + 1).deadline(Duration::from_millis(200)).run().unwrap();
    assert_eq!((device.fired(), answer.receipt().device()), (faults(1), "cpu"));
    assert!(device.clock().now() < Duration::from_millis(200));
}

#[test]
fn no_retry_in_the_time_reserved_for_the_next_device() {
    // Any wait between 0 and 100 s: of those between 20 and 39 s, the first try is within the deadline, not within its half.
    let options = SessionOptions::new().retry_backoff(Duration::from_secs(100)).retry_limit(1);
    for _ in 0..64 {
        let (device, session) = simulated(faults(1), options.clone());
        let answer = session.from(&[1i64]).map(|n| n + 1).deadline(Duration::from_secs(40)).run().unwrap();
        let took = device.clock().now();
        assert!(took < Duration::from_secs(20), "{took:?}: {}", answer.receipt());
        assert_eq!(device.fired(), faults(1));
    }
}

#[test]
fn cancellation_ends_the_delay_before_a_retry() {
    let sim = Arc::new(SimDevice::new(SimOptions { faults: faults(1), ..SimOptions::default() }));
    let (clock, token) = (Arc::new(ObservableClock::default()), CancellationToken::new());
    let options = SessionOptions::new().retry_backoff(Duration::from_secs(1_000_000));
    let builder = options.threads(1).add_device(sim.clone()).clock(clock.clone());
    let session = builder.open().unwrap();
    // Loads the program, so that the query waits for nothing but its retry.
    drop(session.from(&[1i64]).map(|n| n + 1).require("sim").explain());
    std::thread::scope(|scope| {
        let waits = || session.from(&[1i64]).map(|n| n + 1).require("sim").cancelled_by(&token).run();
        let waits = scope.spawn(waits);
        clock.wait_for_waiter();
        token.cancel();
        let error = waits.join().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.attempts().len()), (ErrorKind::Cancelled, 2));
    });
    assert_eq!((sim.fired(), clock.time.now()), (faults(1), Duration::ZERO));
}
