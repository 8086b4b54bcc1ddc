//! A lost device: the next one answers, and the lost one is not used again.

use super::{ask, assert_right, classes, numbers, simulated};
use pointsman::{ErrorKind, FailureClass, SessionOptions};
use pointsman_device::sim::SimFault;

#[test]
fn next_device_answers_and_the_lost_one_stays_closed() {
    let fault = SimFault::Lost { launch: 0 };
    let (device, session) = simulated(vec![fault], SessionOptions::new());
    let answer = ask(&session, 1).unwrap();
    assert_right(&answer, 1);
    let receipt = answer.receipt();
    assert_eq!((device.fired(), receipt.device()), (vec![fault], "cpu"));
    assert_eq!(classes(receipt), [FailureClass::Lost]);
    assert_eq!(receipt.why(), "`sim` is preferred, but the simulated device is gone");
    assert!(format!("{receipt:#}").contains("tried    sim (lost, "), "{receipt}");
    assert!(
        receipt.to_json().contains("\"attempts\":[{\"device\":\"sim\",\"class\":\"lost\""),
        "{}",
        receipt.to_json()
    );
    device.plan_faults(Vec::new());
    let again = ask(&session, 2).unwrap();
    assert_right(&again, 2);
    assert_eq!((again.receipt().device(), classes(again.receipt())), ("cpu", vec![FailureClass::Refused]));
    assert!(again.receipt().why().contains("gone for this process"), "{}", again.receipt());
}

#[test]
fn device_lost_between_two_stages() {
    let fault = SimFault::Lost { launch: 1 };
    let (device, session) = simulated(vec![fault], SessionOptions::new());
    let n = numbers();
    let answer = session.from(&n).scan(|n| n.running_sum()).filter(|n| n.gt(0)).run().unwrap();
    let mut sum = 0;
    let running = n.iter().map(|n| {
        sum += n;
        sum
    });
    assert!(answer.iter().copied().eq(running.filter(|n| *n > 0)));
    assert_eq!((device.fired(), answer.receipt().device()), (vec![fault], "cpu"));
    assert_eq!(answer.receipt().stages(), ["scan", "compact"]);
    drop(answer);
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

#[test]
fn loss_of_a_required_device_is_an_error() {
    let fault = SimFault::Lost { launch: 0 };
    let (device, session) = simulated(vec![fault], SessionOptions::new());
    for message in ["the simulated device is gone", "`sim` is gone for this process"] {
        let error = session.from(&[1i64]).map(|n| n + 1).require("sim").run().unwrap_err();
        assert_eq!((error.kind(), error.attempts().len()), (ErrorKind::DeviceLost, 1));
        assert!(error.message().contains(message), "{error}");
    }
    assert_eq!(device.fired(), [fault]);
}
