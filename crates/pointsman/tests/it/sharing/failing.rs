//! One of several devices fails on the way: the others do what it did not, once.

use super::{LEAF_ROWS, column, cpu, nothing_is_left, pair, rows_of};
use pointsman::{CancellationToken, ErrorKind, FailureClass, Session, SessionOptions};
use pointsman_device::sim::SimFault;
use std::time::Duration;

fn bits(session: &Session, x: &[f64], place: &str) -> (Vec<u64>, pointsman::Receipt) {
    let answer = session.from(x).filter(|x| x.gt(0.0)).prefer(place).run().unwrap();
    let (column, receipt) = answer.into_parts();
    (column.options().map(|value| value.map_or(1, f64::to_bits)).collect(), receipt)
}

#[test]
fn rows_of_a_failed_device_are_computed_once_by_another() {
    let x = column(60);
    let (expected, _) = bits(&cpu(), &x, "cpu");
    for launch in [0, 1, 2, 5] {
        for (fault, class) in [
            (SimFault::Lost { launch }, FailureClass::Lost),
            (SimFault::Transient { launch }, FailureClass::Transient),
            (SimFault::Hang { launch }, FailureClass::Timeout),
        ] {
            for who in [0, 1] {
                let what = format!("{fault:?} of {who}");
                let mut faults = [Vec::new(), Vec::new()];
                faults[who] = vec![fault];
                let options = SessionOptions::new().launch_timeout(Duration::from_secs(5));
                let (devices, session) = pair(faults, options);
                let (got, receipt) = bits(&session, &x, "fast+slow");
                assert!(got == expected, "{what}: other bits");
                assert_eq!((devices[who].fired(), receipt.device()), (vec![fault], "fast+slow"), "{what}: {receipt}");
                assert_eq!(rows_of(&receipt, x.len()).len(), 2, "{what}");
                let name = ["fast", "slow"][who];
                let attempt = &receipt.attempts()[0];
                assert_eq!((receipt.attempts().len(), &attempt.device[..], attempt.class), (1, name, class), "{what}");
                assert!(receipt.to_string().contains(&format!(" · without {name}: ")), "{receipt}");
                if class == FailureClass::Transient {
                    nothing_is_left(&devices, &session, &what);
                }
                // A device that is gone is not asked again; the other is enough.
                let (again, receipt) = bits(&session, &x, "fast+slow");
                assert!(again == expected, "{what}: other bits afterwards");
                let other = ["slow", "fast"][who];
                assert!(receipt.device().contains(other), "{what}: {receipt}");
            }
        }
    }
}

#[test]
fn cpu_answers_if_all_devices_fail() {
    let x = column(20);
    let lost = SimFault::Lost { launch: 1 };
    let (devices, session) = pair([vec![lost], vec![lost]], SessionOptions::new());
    let (got, receipt) = bits(&session, &x, "fast+slow");
    assert!(got == bits(&cpu(), &x, "cpu").0);
    assert_eq!((devices[0].fired(), devices[1].fired(), receipt.device()), (vec![lost], vec![lost], "cpu"));
    assert!(receipt.shares().is_empty() && receipt.attempts().len() >= 2, "{receipt:#}");
    let (_, session) = pair([vec![lost], vec![lost]], SessionOptions::new());
    let error = session.from(&x).filter(|x| x.gt(0.0)).require("fast+slow").run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeviceLost, "{error}");
}

/// Of two faulty rows the first counts, whoever meets the other before it.
#[test]
fn shared_row_errors_equal_unshared_row_errors() {
    let n: Vec<i64> = (0..60 * LEAF_ROWS as i64).map(|i| i % 1000).collect();
    for (first, behind) in (0..20).map(|step| (2 * step * LEAF_ROWS + 5, (1 + step % 5) * LEAF_ROWS)) {
        let mut n = n.clone();
        (n[first], n[first + behind]) = (7777, 7777);
        for place in ["fast+slow", "slow+fast", "fast+cpu"] {
            let (devices, session) = pair([Vec::new(), Vec::new()], SessionOptions::new());
            let error = session.from(&n).map(|n| 1 / (n - 7777)).require(place).run().unwrap_err();
            assert_eq!((error.kind(), error.row()), (ErrorKind::Arithmetic, Some(first as u64)), "{place}: {error}");
            nothing_is_left(&devices, &session, place);
        }
    }
}

#[test]
fn cancelling_in_any_batch_stops_all_devices() {
    let x = column(60);
    for last in 0..8 {
        let (devices, session) = pair([Vec::new(), Vec::new()], SessionOptions::new());
        let token = CancellationToken::new();
        let stop = token.clone();
        devices[1].on_launch(move |launch| {
            if launch == last {
                stop.cancel();
            }
        });
        let error = session.from(&x).map(|x| x + 1.0).cancelled_by(&token).prefer("fast+slow").run().unwrap_err();
        assert_eq!((error.kind(), token.is_cancelled()), (ErrorKind::Cancelled, true), "batch {last}");
        nothing_is_left(&devices, &session, "cancelled");
    }
}

/// The host runs out of memory while it merges batches. No device can mend that, and the batch that found no room may be
/// another device's.
#[test]
fn shared_run_without_host_memory_for_its_result_reports_that() {
    // More and more rows are kept, so the room for the result has to grow again and again.
    let x: Vec<f64> = (0..60 * LEAF_ROWS).map(|i| if i * 7919 % 61 <= i / LEAF_ROWS { 1.0 } else { -1.0 }).collect();
    let (expected, _) = bits(&cpu(), &x, "cpu");
    let mut refused = 0;
    for bytes in (0..100).map(|step| (step + 1) * LEAF_ROWS * 6) {
        let options = SessionOptions::new().memory_bytes(bytes);
        let (_, session) = pair([Vec::new(), Vec::new()], options);
        match session.from(&x).filter(|x| x.gt(0.0)).require("fast+slow").run() {
            Ok(answer) => {
                assert!(answer.options().map(|value| value.map_or(1, f64::to_bits)).eq(expected.iter().copied()))
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{bytes} bytes: {error}");
                refused += 1;
            }
        }
        assert_eq!(session.memory().host.outstanding_bytes, 0, "{bytes} bytes");
    }
    assert!(refused > 0, "the host had room for every result");
}
