//! Verification: the CPU repeats a share of a device's queries and detects silent wrong answers.

use super::{SECOND, ask, assert_right, classes, simulated};
use pointsman::report::VerificationReport;
use pointsman::{Device, ErrorKind, Exactness, FailureClass, I64, Phase, Session, SessionOptions};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::Arc;

fn checking(share: f64) -> SessionOptions {
    SessionOptions::new().verify_share(share)
}

/// Flips a bit of a launch's first output.
fn flip(launch: u64, bit: u64) -> SimFault {
    SimFault::FlipBit { launch, output: 0, bit }
}

#[test]
fn one_wrong_bit_in_a_thousand_runs_is_detected() {
    const WRONG: u64 = 617;
    let fault = flip(WRONG, 77);
    let (device, session) = simulated(vec![fault], checking(1.0));
    let mut then = None;
    for run in 0..1000 {
        let answer = ask(&session, run as i64).unwrap();
        assert_right(&answer, run as i64);
        let receipt = answer.receipt();
        match run.cmp(&WRONG) {
            std::cmp::Ordering::Less => {
                assert_eq!((receipt.device(), classes(receipt)), ("sim", vec![]), "{receipt}");
                assert!(!receipt.time(Phase::Verify).is_zero());
            }
            std::cmp::Ordering::Equal => {
                assert_eq!((receipt.device(), classes(receipt)), ("cpu", vec![FailureClass::Mismatch]), "{receipt}");
                let text = "`sim` gave another answer than the CPU: column 0, row 1: ";
                assert!(receipt.attempts()[0].message.contains(text), "{receipt}");
                assert!(receipt.to_json().contains("\"class\":\"mismatch\""), "{}", receipt.to_json());
                then = Some(device.clock().now());
            }
            std::cmp::Ordering::Greater => {
                assert_eq!((receipt.device(), classes(receipt)), ("cpu", vec![FailureClass::Refused]), "{receipt}");
                assert!(receipt.why().contains("not used any more in this session, because it was wrong"), "{receipt}");
                device.clock().advance(SECOND);
            }
        }
    }
    assert_eq!(device.fired(), [fault]);
    assert_eq!(device.clock().now(), then.unwrap() + 382 * SECOND, "nothing ran on it since");
    assert_eq!(session.verification(), VerificationReport { checked: WRONG + 1, differed: 1, skipped: 0 });
    assert_eq!((session.memory().host.outstanding_bytes, device.memory().used), (0, 0));
    let (text, json) = (session.snapshot().to_string(), session.snapshot().to_json());
    assert!(text.contains("verified 618 runs checked on the CPU, 1 differed, 0 skipped"), "{text}");
    assert!(json.contains("\"verification\":{\"checked\":618,\"differed\":1,\"skipped\":0}"), "{json}");
}

#[test]
fn verification_is_off_by_default() {
    let fault = flip(0, 77);
    let (device, session) = simulated(vec![fault], SessionOptions::new());
    let answer = ask(&session, 0).unwrap();
    assert!(
        !answer.iter().copied().eq(super::numbers().into_iter().filter(|n| *n > 0)),
        "the answer is wrong and undetected"
    );
    assert_eq!((device.fired(), answer.receipt().device()), (vec![fault], "sim"));
    assert!(answer.receipt().time(Phase::Verify).is_zero());
    assert_eq!(session.verification(), VerificationReport::default());
}

#[test]
fn verified_runs_are_sampled_deterministically() {
    let checked = || {
        let (_, session) = simulated(Vec::new(), checking(0.25));
        let run = |k| !session.from(&[1i64]).map(|n| n + k).run().unwrap().receipt().time(Phase::Verify).is_zero();
        let which: Vec<bool> = (0..1000).map(run).collect();
        assert_eq!(session.verification().checked, which.iter().filter(|one| **one).count() as u64);
        which
    };
    let (one, other) = (checked(), checked());
    assert!((200..300).contains(&one.iter().filter(|one| **one).count()));
    assert_eq!(one, other);
    for share in [f64::NAN, -0.1, 1.1] {
        let error = checking(share).open().err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidQuery);
    }
}

#[test]
fn mismatch_of_a_required_device_is_an_error_and_closes_it() {
    let fault = flip(0, 3);
    let (device, session) = simulated(vec![fault], checking(1.0));
    for kind in [ErrorKind::Mismatch, ErrorKind::Unavailable] {
        let error = session.from(&[1i64]).map(|n| n + 1).require("sim").run().unwrap_err();
        assert_eq!((error.kind(), error.attempts().len()), (kind, 1), "{error}");
    }
    assert_eq!((device.fired(), session.verification().differed), (vec![fault], 1));
}

/// Asks a device with a wrong bit; whether the CPU had to answer, and what the session counted.
fn check(exactness: Exactness, fault: SimFault, expected: VerificationReport, ask: impl Fn(&Session) -> String) {
    let options = SimOptions { faults: vec![fault], exactness, ..SimOptions::default() };
    let device = Arc::new(SimDevice::new(options));
    let builder = checking(1.0).threads(1).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    let session = builder.exactness(exactness).prefer("sim").open().unwrap();
    let answered = ask(&session);
    assert_eq!(device.fired(), [fault]);
    assert_eq!(session.verification(), expected, "{fault:?}");
    assert_eq!(answered, if expected.differed > 0 { "cpu" } else { "sim" });
}

const FOUND: VerificationReport = VerificationReport { checked: 1, differed: 1, skipped: 0 };
const PASSED: VerificationReport = VerificationReport { checked: 1, differed: 0, skipped: 0 };
const SKIPPED: VerificationReport = VerificationReport { checked: 0, differed: 0, skipped: 1 };

#[test]
fn results_of_every_sink_are_compared() {
    let x: Vec<f64> = (0..10_000).map(|i| f64::from(i) / 3.0).collect();
    let device = |answer: &pointsman::Receipt| answer.device().to_string();
    check(Exactness::Exact, flip(0, 0), FOUND, |s| device(s.from(&x).folds(|x| x.sum()).run().unwrap().receipt()));
    check(Exactness::Exact, flip(0, 9), FOUND, |s| device(s.from(&x).map(|x| x.gt(5.0)).run().unwrap().receipt()));
    check(Exactness::Exact, flip(1, 64 * 9_999), FOUND, |s| {
        device(s.from(&x).scan(|x| x.running_sum()).map(|x| x + 1.0).run().unwrap().receipt())
    });
    let second = SimFault::FlipBit { launch: 0, output: 1, bit: 5 };
    check(Exactness::Exact, second, FOUND, |s| device(s.from(&x).map(|x| (x, x + 1.0)).run().unwrap().receipt()));
}

#[test]
fn null_slots_and_the_callers_slice_are_compared() {
    let nullable: Vec<Option<i64>> = (0..100).map(|i| (i % 3 > 0).then_some(i)).collect();
    let array = arrow_array::Int64Array::from(nullable);
    // The slot of a null, which only a reader of the raw memory sees.
    check(Exactness::Exact, flip(0, 64 * 3), FOUND, |s| {
        s.from(&array).map(|x| x * 2).run().unwrap().receipt().device().to_string()
    });
    let x: Vec<i64> = (0..100).collect();
    check(Exactness::Exact, flip(0, 64 * 7 + 3), FOUND, |s| {
        let (mut out, double) = (vec![0i64; 100], s.prepare(|x: I64| x * 2).unwrap());
        let answer = double.run_into(&x, &mut out).unwrap();
        assert!(out.iter().zip(&x).all(|(out, x)| *out == 2 * x));
        answer.receipt().device().to_string()
    });
}

#[test]
fn errors_are_compared() {
    // Two stages: a wrong result of the first makes the second divide by zero, or not.
    let ask = |session: &Session, x: &[i64]| session.from(x).scan(|x| x.running_sum()).map(|x| 10 / x).run();
    for (x, expected) in [([1i64, 1], Ok(vec![10i64, 5])), ([0, 1], Err(ErrorKind::Arithmetic))] {
        let (device, session) = simulated(vec![flip(0, 0)], checking(1.0));
        let got = ask(&session, &x);
        let classes = got.as_ref().map_or_else(|error| error.attempts().to_vec(), |a| a.receipt().attempts().to_vec());
        assert_eq!((classes[0].class, device.fired()), (FailureClass::Mismatch, vec![flip(0, 0)]));
        assert_eq!(got.map(|answer| answer.to_vec()).map_err(|error| error.kind()), expected);
        assert_eq!(session.verification(), FOUND);
    }
    let (_, session) = simulated(Vec::new(), checking(1.0));
    assert_eq!(ask(&session, &[0, 1]).unwrap_err().kind(), ErrorKind::Arithmetic);
    assert_eq!(session.verification(), PASSED, "a mistake of the query is one on both");
}

#[test]
fn bounded_devices_are_compared_within_a_tolerance() {
    let x: Vec<f32> = (1..1000).map(|i| i as f32).collect();
    let device = |answer: &pointsman::Receipt| answer.device().to_string();
    let (low, high) = (flip(0, 32 * 500), flip(0, 32 * 500 + 30));
    let map = |s: &Session| device(s.from(&x).map(|x| x * 1.5 - 2.0).run().unwrap().receipt());
    check(Exactness::Bounded, low, PASSED, map);
    check(Exactness::Bounded, high, FOUND, map);
    // Without float arithmetic every bit must be equal.
    check(Exactness::Bounded, low, FOUND, |s| device(s.from(&x).filter(|x| x.gt(0.0)).run().unwrap().receipt()));
    // A float that decides which rows stay may legitimately decide otherwise, so the run is not compared.
    check(Exactness::Bounded, high, SKIPPED, |s| {
        device(s.from(&x).filter(|x| (x * 1.5).gt(1.0)).run().unwrap().receipt())
    });
}
