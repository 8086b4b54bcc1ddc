//! Transient failures are retried a few times.

use super::noticing::WaitNoticingClock;
use super::{ask, assert_right, classes, simulated};
use pointsman::{CancellationToken, ErrorKind, FailureClass, Options, Phase, Session};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::Arc;
use std::time::Duration;

fn faults(count: u64) -> Vec<SimFault> {
    (0..count).map(|launch| SimFault::Transient { launch }).collect()
}

#[test]
fn two_transient_failures_then_success() {
    let (device, session) = simulated(faults(2), Options::default());
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
    let (device, session) = simulated(faults(4), Options::default());
    let answer = ask(&session, 1).unwrap();
    assert_right(&answer, 1);
    assert_eq!((device.fired(), answer.receipt().device()), (faults(4), "cpu"));
    assert_eq!(classes(answer.receipt()), [FailureClass::Transient; 4]);
    drop(answer);
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

#[test]
fn error_lists_every_failed_attempt() {
    let (device, session) = simulated(faults(4), Options::default());
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
    let (device, session) = simulated(faults(4), Options { backoff: Duration::from_secs(1000), ..Options::default() });
    let answer = session.from(&[1i64]).map(|n| n + 1).deadline(Duration::from_millis(200)).run().unwrap();
    assert_eq!((device.fired(), answer.receipt().device()), (faults(1), "cpu"));
    assert!(device.clock().now() < Duration::from_millis(200));
}

#[test]
fn no_retry_in_the_time_reserved_for_the_next_device() {
    // The delay is between 0 and 100 s. After 20 to 39 s the retry would be within the deadline but past its half,
    // which is reserved for the next device.
    let options = Options { backoff: Duration::from_secs(100), retries: 1, ..Options::default() };
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
    let (clock, token) = (Arc::new(WaitNoticingClock::default()), CancellationToken::new());
    let builder = Session::builder().threads(1).device(sim.clone()).clock(clock.clone());
    let options = Options { backoff: Duration::from_secs(1_000_000), ..Options::default() };
    let session = builder.options(options).open().unwrap();
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
