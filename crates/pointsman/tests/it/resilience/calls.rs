//! Library calls on a device that fails: the answer comes from the next device, or again from the same one, within the bounds
//! of the call, and the receipt says why.

use super::{classes, simulated};
use pointsman::plan::{Fft, Matmul};
use pointsman::{Answer, Column, ErrorKind, FailureClass, Result, Session, SessionOptions, lookup};
use pointsman_device::sim::{SimClock, SimDevice, SimFault, SimOptions};
use pointsman_device::{Device, DeviceErrorKind};
use std::sync::Arc;
use std::time::Duration;

const ROWS: u64 = 6000;

fn numbers() -> Vec<f64> {
    super::numbers().iter().chain(&super::numbers()).take(ROWS as usize).map(|&n| n as f64 / 64.0).collect()
}

/// Three stages, all of them calls: a transform of shifted numbers and back, then a product.
fn ask(session: &Session) -> Result<Answer<Column<f64>>> {
    let (x, weights) = (numbers(), lookup(&[0.5, 0.25, 1.0, -1.0]));
    let shifted = session.from(&x).map(|x| x + 1.0).call(Fft::real_forward(ROWS), None);
    let back = shifted.map(|x| x * 2.0).call(Fft::real_inverse(ROWS), None);
    back.call(Matmul::real(ROWS / 2, 2, 2), &weights).run()
}

#[track_caller]
fn assert_right(answer: &Answer<Column<f64>>) {
    let x = numbers();
    let expected = x.chunks(2).flat_map(|pair| {
        let [x, y] = [2.0 * (pair[0] + 1.0), 2.0 * (pair[1] + 1.0)];
        [0.5 * x + y, 0.25 * x - y]
    });
    let expected: Vec<f64> = expected.collect();
    assert_eq!(answer.len(), expected.len(), "{}", answer.receipt());
    for (row, (found, expected)) in answer.iter().copied().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-9, "row {row}: {found}, not {expected}; {}", answer.receipt());
    }
}

/// Runs the query with each fault of a sequence, until one does not fire.
fn sweep(what: &str, fault: impl Fn(u64) -> SimFault) {
    let mut fired = 0;
    for number in 0.. {
        let (device, session) = simulated(vec![fault(number)], SessionOptions::new().retry_backoff(Duration::ZERO));
        assert_right(&ask(&session).unwrap_or_else(|error| panic!("{what} {number}: {error}")));
        if device.fired().is_empty() {
            break;
        }
        fired += 1;
    }
    assert!(fired >= 3, "{what}: only {fired} fired");
}

#[test]
fn no_memory_at_any_allocation() {
    sweep("allocation", |allocation| SimFault::OutOfMemory { allocation });
}

#[test]
fn lost_at_any_launch() {
    sweep("lost at launch", |launch| SimFault::Lost { launch });
}

#[test]
fn transient_at_any_launch() {
    sweep("transient at launch", |launch| SimFault::Transient { launch });
}

#[test]
fn the_receipt_names_the_lost_device() {
    let (device, session) = simulated(vec![SimFault::Lost { launch: 1 }], SessionOptions::new());
    let answer = ask(&session).unwrap();
    assert_right(&answer);
    assert_eq!((device.fired().len(), answer.receipt().device()), (1, "cpu"));
    assert_eq!(classes(answer.receipt()), [FailureClass::Lost]);
}

#[test]
fn what_does_not_fit_a_device_runs_on_the_cpu() {
    let device = Arc::new(SimDevice::new(SimOptions { memory_bytes: 64 << 10, ..SimOptions::default() }));
    let session = SessionOptions::new().threads(2).add_device(device.clone()).prefer("sim").open().unwrap();
    let answer = ask(&session).unwrap();
    assert_right(&answer);
    assert_eq!(answer.receipt().device(), "cpu");
    assert_eq!(device.memory().used, 0);
}

#[test]
fn calls_are_not_shared() {
    let clock = SimClock::new();
    let device = |name: &str| {
        let options = SimOptions { name: name.to_string(), clock: clock.clone(), ..SimOptions::default() };
        Arc::new(SimDevice::new(options))
    };
    let (first, second) = (device("first"), device("second"));
    let options = SessionOptions::new().threads(2).share_time_min(Duration::ZERO).batch_rows(4096);
    let options = options.add_device(first).add_device(second).clock(Arc::new(clock));
    let session = options.prefer("first+second").open().unwrap();
    let answer = ask(&session).unwrap();
    assert_right(&answer);
    assert_eq!((answer.receipt().device(), answer.receipt().shares().len()), ("first", 0));
}

/// The refusals of a call by a device without the library, or with one that is too old: while it compiles or loads the
/// call, of any of the query's stages.
fn refusals(stages: u64) -> Vec<(SimFault, FailureClass)> {
    let kinds =
        [(DeviceErrorKind::Unsupported, FailureClass::Unsupported), (DeviceErrorKind::Compile, FailureClass::Compile)];
    let faults = |(kind, class): (DeviceErrorKind, FailureClass)| {
        (0..stages).flat_map(move |stage| {
            let [compile, load] =
                [SimFault::CompileFails { compilation: stage, kind }, SimFault::LoadFails { load: stage, kind }];
            [(compile, class), (load, class)]
        })
    };
    kinds.into_iter().flat_map(faults).collect()
}

#[test]
fn call_that_a_device_refuses_runs_on_the_next_and_the_receipt_says_why() {
    for (fault, class) in refusals(3) {
        let (device, session) = simulated(vec![fault], SessionOptions::new());
        let answer = ask(&session).unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        assert_right(&answer);
        let receipt = answer.receipt();
        assert_eq!((device.fired(), receipt.device()), (vec![fault], "cpu"), "{receipt:#}");
        assert_eq!(classes(receipt), [class], "{fault:?}");
        assert!(format!("{receipt:#}").contains("was told to fail"), "{fault:?}: {receipt:#}");
        assert_eq!(device.memory().used, 0);
    }
}

#[test]
fn call_that_a_required_device_refuses_is_an_error() {
    for (fault, class) in refusals(4) {
        let (device, session) = simulated(vec![fault], SessionOptions::new());
        let (x, weights) = (numbers(), lookup(&[0.5, 0.25, 1.0, -1.0]));
        let spectrum = session.from(&x).map(|x| x + 1.0).call(Fft::real_forward(ROWS), None);
        let back = spectrum.map(|x| x * 2.0).call(Fft::real_inverse(ROWS), None).map(|x| x - 1.0);
        let error =
            back.call(Matmul::real(ROWS / 2, 2, 2), &weights).map(|x| x * 3.0).require("sim").run().unwrap_err();
        assert_eq!(device.fired(), [fault]);
        let class_of = |error: &pointsman::Error| error.attempts().iter().map(|one| one.class).collect::<Vec<_>>();
        assert_eq!(class_of(&error), [class], "{fault:?}: {error}");
        assert!(error.message().contains("was told to fail"), "{error}");
    }
    // A device that says from the start that it runs no calls.
    let sinks = SimOptions::default().sinks.into_iter().filter(|sink| *sink != "call").collect();
    let device = Arc::new(SimDevice::new(SimOptions { sinks, ..SimOptions::default() }));
    let session = SessionOptions::new().threads(2).add_device(device).prefer("sim").open().unwrap();
    let answer = ask(&session).unwrap();
    assert_right(&answer);
    assert_eq!(answer.receipt().device(), "cpu");
    assert!(answer.receipt().why().contains("it does not run `call`"), "{}", answer.receipt());
    let x = numbers();
    let error = session.from(&x).call(Fft::real_forward(ROWS), None).require("sim").run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("it does not run `call`"), "{error}");
}
