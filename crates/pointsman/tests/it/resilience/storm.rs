//! Many callers of a device that is down: all are answered, and few of them retry.

use super::{SECOND, ask, assert_right, classes, simulated};
use pointsman::{FailureClass, SessionOptions};
use pointsman_device::sim::SimFault;
use std::time::Duration;

const CALLERS: i64 = 1000;

#[test]
fn thousand_callers_of_a_failing_device_are_answered_with_few_retries() {
    let faults = (0..2000).map(|launch| SimFault::Transient { launch }).collect();
    let (device, session) = simulated(faults, SessionOptions::new());
    let (mut calls, mut retries, mut refused) = (0, 0, 0);
    while device.clock().now() < 10 * SECOND {
        let answer = ask(&session, calls % CALLERS).unwrap();
        if calls % 100 == 0 {
            assert_right(&answer, calls % CALLERS);
        }
        assert_eq!(answer.receipt().device(), "cpu");
        let failed = classes(answer.receipt());
        refused += i64::from(failed.last() == Some(&FailureClass::Refused));
        retries += failed.iter().filter(|class| **class == FailureClass::Transient).count().saturating_sub(1) as i64;
        calls += 1;
        device.clock().advance(Duration::from_millis(10));
    }
    assert!(calls >= 950, "{calls} calls");
    assert!(!device.fired().is_empty() && retries > 0 && retries <= calls / 5, "{retries} retries of {calls} calls");
    assert!(device.fired().len() < 20, "the breaker let {} launches through", device.fired().len());
    assert!(refused > calls * 9 / 10, "{refused} of {calls} did not try");
    device.plan_faults(Vec::new());
    device.clock().advance(60 * SECOND);
    assert_eq!(ask(&session, 1).unwrap().receipt().device(), "sim", "it is back");
}
