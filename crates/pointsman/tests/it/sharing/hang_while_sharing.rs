//! A device hangs or is lost while the query ends for another reason: it is closed or paused anyway, and no caller
//! waits for it twice.

use super::{LEAF_ROWS, column, cpu, device, pair, rows_of};
use pointsman::{CancellationToken, Device, Error, ErrorKind, FailureClass, Session, SessionOptions};
use pointsman_device::DeviceErrorKind;
use pointsman_device::sim::{SimClock, SimDevice, SimFault};
use std::sync::Arc;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const LAUNCH_TIMEOUT: Duration = Duration::from_secs(60);

/// So little memory that queries run in batches.
fn patient() -> SessionOptions {
    let device_memory_bytes = 60 * 8 * LEAF_ROWS as u64;
    let options = SessionOptions::new().launch_timeout(LAUNCH_TIMEOUT).retry_limit(0);
    options.device_memory_bytes(device_memory_bytes).resident_bytes(0)
}

/// Numbers, and a zero to divide by in this row.
fn divisors(rows: usize, zero: usize) -> Vec<i64> {
    (0..rows).map(|row| if row == zero { 0 } else { 1 + row as i64 % 1000 }).collect()
}

/// What a small query gives that only this device may answer.
fn ask(session: &Session, name: &str) -> Result<i64, Error> {
    session.from(&[1i64, 2]).folds(|n| n.sum()).require(name).run().map(|answer| *answer)
}

/// Checks that a device that hung is left alone, and that nothing is queued behind what hangs afterwards.
fn is_left_alone(device: &SimDevice, session: &Session, what: &str) {
    let name = &device.info().name;
    assert_eq!(device.streams(), 0, "{what}: its streams are given up");
    let error = ask(session, name).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{what}: {error}");
    device.clock().advance(5 * SECOND);
    assert_eq!(ask(session, name).unwrap(), 3, "{what}: the probe");
}

#[test]
fn cancellation_does_not_wait_for_a_hung_partner() {
    let x = column(60);
    for (place, who) in [("fast", 0), ("fast+slow", 0), ("slow+fast", 0), ("fast+slow", 1)] {
        for launch in [0, 1, 3] {
            let what = format!("{launch} of {who} on {place}");
            let (hang, mut faults) = (SimFault::Hang { launch }, [Vec::new(), Vec::new()]);
            faults[who] = vec![hang];
            let (devices, session) = pair(faults, patient());
            let (token, start) = (CancellationToken::new(), devices[0].clock().now());
            let stop = token.clone();
            devices[who].on_launch(move |number| {
                if number == launch {
                    stop.cancel()
                }
            });
            let query = session.from(&x).map(|x| x + 1.0).cancelled_by(&token);
            let error = query.require(place).run().unwrap_err();
            assert_eq!((error.kind(), devices[who].fired()), (ErrorKind::Cancelled, vec![hang]), "{what}: {error}");
            let took = devices[0].clock().now() - start;
            assert!(took < LAUNCH_TIMEOUT + SECOND, "{what}: {took:?}");
            is_left_alone(&devices[who], &session, &what);
        }
    }
}

#[test]
fn row_error_does_not_wait_for_a_hung_partner() {
    // Devices that share a query begin with a leaf each.
    for (place, launch, row) in [("fast", 1, 5), ("fast+slow", 2, 2 * LEAF_ROWS + 5)] {
        let n = divisors(60 * LEAF_ROWS, row);
        let hang = SimFault::Hang { launch };
        let (devices, session) = pair([vec![hang], Vec::new()], patient());
        let query = session.from(&n).map(|n| 1000 / n);
        let error = query.require(place).run().unwrap_err();
        assert_eq!((error.kind(), error.row()), (ErrorKind::Arithmetic, Some(row as u64)), "{place}: {error}");
        let took = devices[0].clock().now();
        assert!(devices[0].fired() == [hang] && took < LAUNCH_TIMEOUT + SECOND, "{place}: {took:?}");
        is_left_alone(&devices[0], &session, place);
    }
}

/// Lost, it is not asked again; hung, it is left alone; whatever the others found.
#[test]
fn failed_device_is_reported_despite_a_row_error_on_another() {
    for place in ["fast+slow", "slow+fast"] {
        for launch in [0, 1, 2] {
            let n = divisors(60 * LEAF_ROWS, 50 * LEAF_ROWS);
            let run = |fault| {
                let (devices, session) = pair([vec![fault], Vec::new()], patient());
                let error = session.from(&n).map(|n| 1000 / n).prefer(place).run().unwrap_err();
                assert_eq!(
                    (error.kind(), devices[0].fired()),
                    (ErrorKind::Arithmetic, vec![fault]),
                    "{place}: {error}"
                );
                let left = error.attempts().iter().find(|attempt| attempt.device == "fast").map(|one| one.class);
                (devices, session, left)
            };
            let (_, session, left) = run(SimFault::Lost { launch });
            assert_eq!(left, Some(FailureClass::Lost), "{place}");
            let error = ask(&session, "fast").unwrap_err();
            assert!(error.message().contains("is gone for this process"), "{place}: {error}");
            let (devices, session, left) = run(SimFault::Hang { launch });
            assert_eq!(left, Some(FailureClass::Timeout), "{place}");
            is_left_alone(&devices[0], &session, place);
        }
    }
}

#[test]
fn device_lost_before_sharing_is_not_used_again() {
    let lost = SimFault::LoadFails { load: 0, kind: DeviceErrorKind::Lost };
    let (devices, session) = pair([Vec::new(), vec![lost]], SessionOptions::new());
    let x = column(20);
    let answer = session.from(&x).folds(|x| x.max()).require("fast+slow").run().unwrap();
    assert_eq!((devices[1].fired(), answer.receipt().shares().len()), (vec![lost], 1), "{}", answer.receipt());
    let error = ask(&session, "slow").unwrap_err();
    assert!(error.message().contains("is gone for this process"), "{error}");
}

/// One that was given nothing to do has not shown that it is well again.
#[test]
fn idle_partner_keeps_its_probe_state() {
    let (hang, transient) = (SimFault::Hang { launch: 0 }, SimFault::Transient { launch: 1 });
    let (devices, session) = pair([vec![hang, transient], Vec::new()], patient());
    assert_eq!(ask(&session, "fast").unwrap_err().kind(), ErrorKind::Timeout);
    devices[0].clock().advance(5 * SECOND);
    let answer = session.from(&[1i64, 2]).folds(|n| n.sum()).require("slow+fast").run().unwrap();
    assert_eq!(answer.receipt().shares()[1].batches, 0, "{:#}", answer.receipt());
    assert_eq!(devices[0].fired(), [hang]);
    assert!(ask(&session, "fast").is_err() && devices[0].fired() == [hang, transient]);
    let error = ask(&session, "fast").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "one failure of a probe is enough: {error}");
}

/// Devices on which a leaf takes a second; `first` has hung, and is on probation.
fn on_probation(faults: Vec<SimFault>) -> (Arc<SimDevice>, Session) {
    let clock = SimClock::new();
    let faults = [vec![SimFault::Hang { launch: 0 }], faults].concat();
    let (one, other) = (device("first", &clock, SECOND, faults), device("second", &clock, SECOND, Vec::new()));
    let session = SessionOptions::new().threads(2).share_time_min(Duration::ZERO).clock(Arc::new(clock));
    let session = session.add_device(one.clone()).add_device(other).open().unwrap();
    assert_eq!(ask(&session, "first").unwrap_err().kind(), ErrorKind::Timeout);
    one.clock().advance(5 * SECOND);
    (one, session)
}

#[test]
fn probe_keeps_its_own_deadline_while_sharing() {
    let x = column(60);
    let expected = cpu().from(&x).folds(|x| x.sum()).run().unwrap().to_bits();
    let hang = SimFault::Hang { launch: 1 };
    for (place, faults) in
        [("second+first", vec![hang]), ("first+second", vec![hang]), ("second+first", vec![]), ("first+second", vec![])]
    {
        let (first, session) = on_probation(faults.clone());
        let start = first.clock().now();
        let answer = session.from(&x).folds(|x| x.sum()).require(place).run().unwrap();
        let (receipt, took) = (answer.receipt(), first.clock().now() - start);
        assert_eq!((answer.to_bits(), receipt.device()), (expected, place), "{faults:?}");
        assert!((30 * SECOND..75 * SECOND).contains(&took), "{place}: {took:?}, {faults:?}");
        rows_of(receipt, x.len());
        assert_eq!(first.fired().len(), 1 + faults.len());
        let left: Vec<_> = receipt.attempts().iter().map(|one| (&one.device[..], one.class)).collect();
        assert_eq!(left, [("first", FailureClass::Timeout)], "{place}: {receipt:#}");
        assert!(receipt.attempts()[0].time <= 12 * SECOND, "{place}: {receipt:#}");
    }
}

/// Who hangs is left out as soon as the others could have done its batch many times over.
#[test]
fn partners_take_over_from_a_hung_device() {
    let x = column(60);
    let expected = cpu().from(&x).folds(|x| x.sum()).run().unwrap().to_bits();
    for (who, launch) in (0..2).flat_map(|who| [0, 1, 3].map(|launch| (who, launch))) {
        for deadline in [None, Some(4 * SECOND)] {
            let what = format!("{launch} of {who} within {deadline:?}");
            let (hang, mut faults) = (SimFault::Hang { launch }, [Vec::new(), Vec::new()]);
            faults[who] = vec![hang];
            let (devices, session) = pair(faults, SessionOptions::new());
            let query = session.from(&x).folds(|x| x.sum()).prefer("fast+slow");
            let query = if let Some(time) = deadline { query.deadline(time) } else { query };
            let answer = query.run().unwrap();
            let (receipt, took) = (answer.receipt(), devices[0].clock().now());
            assert_eq!((answer.to_bits(), receipt.device()), (expected, "fast+slow"), "{what}: {receipt:#}");
            assert_eq!((devices[who].fired(), rows_of(receipt, x.len()).len()), (vec![hang], 2), "{what}");
            assert!(took < 2 * SECOND, "{what}: {took:?}");
            is_left_alone(&devices[who], &session, &what);
        }
    }
}

/// A device that is much slower than another does not hang.
#[test]
fn slow_partner_is_not_replaced() {
    let clock = SimClock::new();
    let fast = device("fast", &clock, SECOND / 1000, Vec::new());
    let slow = device("slow", &clock, 50 * SECOND / 1000, Vec::new());
    let session = SessionOptions::new().threads(2).share_time_min(Duration::ZERO).clock(Arc::new(clock));
    let session = session.add_device(fast).add_device(slow).open().unwrap();
    let x = column(400);
    for place in ["fast+slow", "slow+fast"] {
        let answer = session.from(&x).folds(|x| x.max()).require(place).run().unwrap();
        assert!(answer.receipt().attempts().is_empty(), "{}", answer.receipt());
        assert!(answer.receipt().shares().iter().all(|share| share.rows > 0), "{:#}", answer.receipt());
    }
}
