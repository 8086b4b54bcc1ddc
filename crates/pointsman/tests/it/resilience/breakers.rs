//! The circuit breakers of devices and kernels, seen from queries.

use super::{SECOND, ask, classes, numbers, simulated};
use pointsman::{ErrorKind, FailureClass, SessionOptions};
use pointsman_device::sim::SimFault;

const NO_RETRIES: u32 = 0;

#[test]
fn query_errors_are_returned_at_once_and_never_open_a_breaker() {
    let (device, session) = simulated(Vec::new(), SessionOptions::new());
    let n = numbers();
    for _ in 0..100 {
        let error = session.from(&n).map(|n| 100 / (n - n)).run().unwrap_err();
        assert_eq!((error.kind(), error.row(), error.attempts().len()), (ErrorKind::Arithmetic, Some(0), 1));
        assert_eq!(error.attempts()[0].device, "sim", "the CPU is not tried as well");
    }
    assert_eq!(ask(&session, 1).unwrap().receipt().device(), "sim");
    assert!(device.fired().is_empty());
}

#[test]
fn five_failures_open_the_breaker_of_the_device() {
    let faults: Vec<SimFault> = (0..5).map(|launch| SimFault::Transient { launch }).collect();
    let (device, session) = simulated(faults.clone(), SessionOptions::new().retry_limit(NO_RETRIES));
    for plus in 0..5 {
        assert_eq!(classes(ask(&session, plus).unwrap().receipt()), [FailureClass::Transient]);
    }
    assert_eq!(device.fired(), faults);
    let other = session.from(&[1i64]).map(|n| n * 2).run().unwrap();
    assert_eq!((other.receipt().device(), classes(other.receipt())), ("cpu", vec![FailureClass::Refused]));
    assert!(other.receipt().why().contains("`sim` failed too often and is left alone for 5"), "{}", other.receipt());
    device.clock().advance(5 * SECOND);
    assert_eq!(ask(&session, 1).unwrap().receipt().device(), "sim");
}

#[test]
fn failing_kernel_opens_only_its_own_breaker() {
    // Every third launch is of the bad kernel and fails.
    let faults: Vec<SimFault> = (0..5).map(|round| SimFault::Transient { launch: 3 * round + 2 }).collect();
    let (device, session) = simulated(faults.clone(), SessionOptions::new().retry_limit(NO_RETRIES));
    let good = || session.from(&[1i64]).map(|n| n * 2).run().unwrap().receipt().device().to_string();
    for plus in 0..5 {
        assert_eq!([good(), good()], ["sim", "sim"]);
        assert_eq!(classes(ask(&session, plus).unwrap().receipt()), [FailureClass::Transient]);
    }
    assert_eq!(device.fired(), faults);
    let bad = ask(&session, 1).unwrap();
    assert_eq!((bad.receipt().device(), classes(bad.receipt())), ("cpu", vec![FailureClass::Refused]));
    assert!(bad.receipt().why().contains("a kernel of this query on `sim` failed too often"), "{}", bad.receipt());
    assert_eq!(good(), "sim");
}

#[test]
fn query_that_runs_a_kernel_twice_can_be_the_probe() {
    let faults: Vec<SimFault> = (0..5).map(|launch| SimFault::Transient { launch }).collect();
    let (device, session) = simulated(faults.clone(), SessionOptions::new().retry_limit(NO_RETRIES));
    let n = numbers();
    let twice = || session.from(&n).scan(|n| n.running_sum()).scan(|n| n.running_sum()).run().unwrap();
    for _ in 0..5 {
        let answer = twice();
        assert_eq!(answer.receipt().stages(), ["scan", "scan"]);
        assert_eq!(classes(answer.receipt()), [FailureClass::Transient]);
    }
    assert_eq!(device.fired(), faults);
    assert_eq!(classes(twice().receipt()), [FailureClass::Refused]);
    device.clock().advance(5 * SECOND);
    assert_eq!(twice().receipt().device(), "sim");
}
