//! The same query again and again: it ends up where it is fastest, on all devices or on one, and finds out when that changes.

use super::conflicts::{MILLISECOND, ask, copiers};
use super::{column, cpu, nothing_is_left, rows_of};
use pointsman::report::SkipReason;
use pointsman::selector::Profile;
use pointsman::{Column, FailureClass, Policy, Receipt, Session, SessionOptions};
use pointsman_device::sim::{SimDevice, SimFault, SimHost};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const LEAVES: usize = 128;

/// Asks so often: the times, and the receipts. All answers are the CPU's, to the bit.
fn ask_often(
    (devices, session): (&[Arc<SimDevice>; 2], &Session),
    x: &[f64],
    place: &str,
    runs: usize,
) -> (Vec<Duration>, Vec<Receipt>) {
    let expected = cpu().from(x).folds(|x| x.sum()).run().unwrap().to_bits();
    let one = |run| {
        let (time, bits, receipt) = ask((devices, session), x, place);
        assert_eq!(bits, expected, "run {run} on {place}: {receipt:#}");
        assert_eq!(receipt.device(), place, "{receipt:#}");
        rows_of(&receipt, x.len());
        nothing_is_left(devices, session, place);
        (time, receipt)
    };
    (0..runs).map(one).unzip()
}

/// How long it takes one of such devices, to which all of it was given.
fn alone(leaves: [Duration; 2], x: &[f64], name: &str) -> (Duration, Receipt) {
    let (devices, session) = copiers(leaves, Some(SimHost::new()));
    let (time, _, receipt) = ask((&devices, &session), x, name);
    (time, receipt)
}

/// The device that did all of it.
fn sole(receipt: &Receipt) -> Option<&str> {
    let mut working = receipt.shares().iter().filter(|share| share.rows > 0);
    working.next().filter(|_| working.next().is_none()).map(|share| &share.device[..])
}

/// What a device is held up by at each launch.
fn drag(device: &SimDevice) -> Arc<AtomicU64> {
    let (drag, clock) = (Arc::new(AtomicU64::new(0)), device.clock().clone());
    let own = drag.clone();
    device.on_launch(move |_| clock.advance(Duration::from_millis(own.load(Ordering::Relaxed))));
    drag
}

#[test]
fn fastest_single_device_runs_alone() {
    let x = column(LEAVES);
    for leaves in [[1, 3], [3, 1], [1, 20]].map(|leaves| leaves.map(|leaf| leaf * MILLISECOND)) {
        let better = if leaves[0] < leaves[1] { "one" } else { "other" };
        let (time, own) = alone(leaves, &x, better);
        for place in ["one+other", "other+one"] {
            let (devices, session) = copiers(leaves, Some(SimHost::new()));
            let (times, receipts) = ask_often((&devices, &session), &x, place, 24);
            let slow = times.iter().filter(|took| **took != time).count();
            assert!(slow <= 5, "{leaves:?} on {place}: {time:?} alone, {times:?}");
            let receipt = &receipts[23];
            assert_eq!((times[23], sole(receipt)), (time, Some(better)), "{receipt:#}");
            assert_eq!(receipt.batches(), own.batches(), "the way it goes where it alone is asked for: {receipt:#}");
            assert_eq!(receipt.programs(), own.programs());
            let out = receipt.shares().iter().find(|share| share.device != better).unwrap();
            assert_eq!((out.batches, out.left_out), (0, Some(SkipReason::NoGain)), "{receipt:#}");
        }
    }
}

#[test]
fn devices_keep_sharing_if_that_is_faster() {
    let x = column(LEAVES);
    for leaves in [[1, 1], [1, 3], [2, 3]] {
        let (devices, session) = copiers(leaves.map(|leaf| leaf * MILLISECOND), None);
        let [one, other] = leaves.map(f64::from);
        let ideal = MILLISECOND.mul_f64(LEAVES as f64 / (1.0 / one + 1.0 / other));
        let (times, receipts) = ask_often((&devices, &session), &x, "one+other", 40);
        let slow: Vec<usize> = (0..40).filter(|run| times[*run] > ideal.mul_f64(1.08)).collect();
        assert!(slow.len() <= 5, "{leaves:?}: {slow:?} of {times:?}");
        for (run, receipt) in receipts.iter().enumerate() {
            assert_eq!(sole(receipt).is_some(), slow.contains(&run), "{receipt:#}");
            // Each device runs alone once because its profile is a guess, the first one because the query should be short.
            let why = receipt.shares().iter().find_map(|share| share.left_out);
            let expected = [Some(SkipReason::TooShort), None, Some(SkipReason::NoGain)];
            let trial = slow.contains(&run).then_some(SkipReason::Trial);
            assert_eq!(why, expected.get(run).copied().unwrap_or(trial), "run {run}: {receipt:#}");
        }
    }
}

/// The faster of two devices is delayed in the first runs, alone and beside the other.
#[test]
fn wrong_first_measurement_is_corrected() {
    let (x, leaves) = (column(LEAVES), [MILLISECOND, 2 * MILLISECOND]);
    let (time, _) = alone(leaves, &x, "one");
    for place in ["one+other", "other+one"] {
        let (devices, session) = copiers(leaves, Some(SimHost::new()));
        let held_up = drag(&devices[0]);
        held_up.store(200, Ordering::Relaxed);
        let (first, receipts) = ask_often((&devices, &session), &x, place, 3);
        let alone = receipts.iter().position(|receipt| sole(receipt) == Some("one")).unwrap();
        assert!(first[alone] >= time + 60 * MILLISECOND, "{place}: {first:?}");
        held_up.store(0, Ordering::Relaxed);
        let (times, _) = ask_often((&devices, &session), &x, place, 16);
        assert!(times.iter().filter(|took| **took == time).count() >= 9, "{place}: {time:?}, {first:?}, {times:?}");
        assert_eq!(times[15], time, "{place}: {times:?}");
    }
}

#[test]
fn changed_speed_changes_the_strategy() {
    let (x, leaves) = (column(LEAVES), [MILLISECOND, 3 * MILLISECOND]);
    let [one, other] = ["one", "other"].map(|name| alone(leaves, &x, name).0);
    let (devices, session) = copiers(leaves, Some(SimHost::new()));
    let held_up = drag(&devices[0]);
    let go = |runs| ask_often((&devices, &session), &x, "one+other", runs).0;
    assert_eq!(go(24)[23], one);
    held_up.store(450, Ordering::Relaxed);
    let times = go(24);
    assert!(times[12..].iter().filter(|took| **took == other).count() >= 8, "{other:?}, {times:?}");
    held_up.store(0, Ordering::Relaxed);
    // A trial at the old time costs half a call, and trials may take two in a hundred.
    let times = go(150);
    assert!(times[126..].iter().filter(|took| **took == one).count() >= 20, "{one:?}, {times:?}");
}

/// A device that fails alone is followed by all of them.
#[test]
fn failed_single_device_run_is_retried_shared() {
    let (x, leaves) = (column(LEAVES), [3 * MILLISECOND, MILLISECOND]);
    let expected = cpu().from(&x).folds(|x| x.sum()).run().unwrap().to_bits();
    const BEFORE: usize = 3;
    let (devices, session) = copiers(leaves, Some(SimHost::new()));
    let (_, receipts) = ask_often((&devices, &session), &x, "one+other", BEFORE + 1);
    assert_eq!(sole(&receipts[BEFORE]), Some("other"), "{:#}", receipts[BEFORE]);
    let launch = devices[1].launches() - receipts[BEFORE].batches() as u64;
    for fault in [SimFault::Transient { launch }, SimFault::Lost { launch }] {
        let options = SessionOptions::new().retry_limit(0);
        let (devices, session) = super::conflicts::copiers_with(leaves, Some(SimHost::new()), vec![fault], options);
        ask_often((&devices, &session), &x, "one+other", BEFORE);
        let (_, bits, receipt) = ask((&devices, &session), &x, "one+other");
        assert_eq!((bits, devices[1].fired()), (expected, vec![fault]), "{receipt:#}");
        rows_of(&receipt, x.len());
        assert_eq!(receipt.attempts()[0].device, "other", "{receipt:#}");
        assert!(receipt.shares().iter().any(|share| share.device == "one" && share.rows > 0), "{receipt:#}");
        let class = receipt.attempts()[0].class;
        assert!(matches!(class, FailureClass::Transient | FailureClass::Lost), "{receipt:#}");
        let (_, bits, receipt) = ask((&devices, &session), &x, "one+other");
        assert_eq!((bits, receipt.device()), (expected, "one+other"), "{receipt:#}");
    }
}

#[test]
fn explain_shows_the_statistics_of_each_strategy() {
    let x = column(LEAVES);
    let (devices, session) = copiers([MILLISECOND, 3 * MILLISECOND], Some(SimHost::new()));
    let explain = || session.from(&x).folds(|x| x.sum()).require("one+other").explain().to_string();
    let lines = |text: String| ["all devices: ", "one alone: ", "other alone: "].map(|arm| line(&text, arm));
    assert!(lines(explain()).iter().all(|line| line.contains("; never measured at this size)")), "{}", explain());
    let (times, _) = ask_often((&devices, &session), &x, "one+other", 2);
    let [together, one, other] = lines(explain());
    for (line, took) in [(one, times[0]), (together, times[1])] {
        let time = format!("{:.2} s (", took.as_secs_f64());
        assert!(line.starts_with(&time) && line.contains("; 1 run)"), "{line}, {times:?}");
    }
    assert!(other.contains("; never measured at this size)"), "{other}");
    assert!(explain().contains(" predicted, "), "{}", explain());
}

#[test]
fn columns_that_a_device_may_keep_are_measured_apart() {
    let (x, kept) = (column(LEAVES), Column::from(column(LEAVES)));
    let (devices, session) = copiers([MILLISECOND, 3 * MILLISECOND], None);
    ask_often((&devices, &session), &x, "one+other", 4);
    let borrowed = session.from(&x).folds(|x| x.sum()).require("one+other").explain().to_string();
    let owned = session.from(&kept).folds(|x| x.sum()).require("one+other").explain().to_string();
    for arm in ["all devices: ", "one alone: ", "other alone: "] {
        assert!(!line(&borrowed, arm).contains("never measured"), "{borrowed}");
        assert!(line(&owned, arm).contains("; never measured at this size)"), "{owned}");
    }
}

#[test]
fn deterministic_sessions_learn_nothing_about_sharing() {
    let options = SessionOptions::new().policy(Policy::Deterministic);
    let (x, leaves) = (column(LEAVES), [MILLISECOND, 3 * MILLISECOND]);
    let (devices, session) = super::conflicts::copiers_with(leaves, None, Vec::new(), options);
    let (_, receipts) = ask_often((&devices, &session), &x, "one+other", 6);
    assert!(receipts.iter().all(|receipt| sole(receipt) == Some("one")), "{:#}", receipts[5]);
    let explain = session.from(&x).folds(|x| x.sum()).require("one+other").explain().to_string();
    assert!(line(&explain, "one alone: ").contains("; never measured at this size)"), "{explain}");
}

#[test]
fn profiles_of_the_session_predict_shared_runs() {
    let options = SessionOptions::new().background_calibration(false).choose_among(["one", "other"]);
    let (x, leaves) = (column(LEAVES), [3 * MILLISECOND, MILLISECOND]);
    let (devices, session) = super::conflicts::copiers_with(leaves, None, Vec::new(), options);
    let selector = session.selector().unwrap();
    let one = selector.names().iter().position(|name| name == "one").unwrap();
    let guess = selector.profile(one).unwrap();
    selector.set_profile(one, Profile { launch: 1e9, ..guess });
    let (_, receipts) = ask_often((&devices, &session), &x, "one+other", 1);
    assert_eq!(sole(&receipts[0]), Some("other"), "the first device should take a second: {:#}", receipts[0]);
    assert_eq!(receipts[0].shares()[0].left_out, Some(SkipReason::NoGain), "{:#}", receipts[0]);
}

/// What a text says after the name of an arm.
fn line(text: &str, arm: &str) -> String {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(arm));
    line.unwrap_or_else(|| panic!("no line of `{arm}` in {text}")).to_string()
}
