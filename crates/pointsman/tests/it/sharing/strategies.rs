//! The same query again and again: it ends up where it is fastest, on all devices or on one, and finds out when that changes.

use super::conflicts::{MILLISECOND, ask, copiers};
use super::{column, cpu, nothing_is_left, rows_of};
use pointsman::report::SkipReason;
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
            let why = receipt.shares().iter().find_map(|share| share.left_out);
            assert_eq!(why, slow.contains(&run).then_some(SkipReason::Trial), "run {run}: {receipt:#}");
        }
    }
}

/// Two devices of equal speed, one that is 20 times slower, and devices that take the same bandwidth: the first six calls
/// find out how to run the query, and the next six together take no longer than on the best device alone.
#[test]
fn sharing_is_never_slower_than_the_best_device_alone() {
    let x = column(LEAVES);
    for (leaves, best, host) in [
        ([1, 1], "one", None),
        ([1, 20], "one", None),
        ([20, 1], "other", None),
        ([1, 1], "one", Some(SimHost::new())),
        ([1, 20], "one", Some(SimHost::new())),
        ([20, 1], "other", Some(SimHost::new())),
        ([2, 3], "one", Some(SimHost::new())),
    ] {
        let what = format!("{leaves:?} with a common host: {}", host.is_some());
        let leaves = leaves.map(|leaf| leaf * MILLISECOND);
        let (alone, _) = alone(leaves, &x, best);
        let (devices, session) = copiers(leaves, host);
        let (times, _) = ask_often((&devices, &session), &x, "one+other", 12);
        let later: Duration = times[6..].iter().sum();
        assert!(later <= 6 * alone, "{what}: {times:?}, and {alone:?} alone");
        // Where the first device is the best one, finding out costs at most three calls.
        let first: Duration = times[..6].iter().sum();
        assert!(best != "one" || first <= 9 * alone, "{what}: {times:?}, and {alone:?} alone");
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
        let (first, _) = ask_often((&devices, &session), &x, place, 6);
        assert!(first.iter().all(|took| *took >= time + 60 * MILLISECOND), "{place}: {first:?}");
        held_up.store(0, Ordering::Relaxed);
        let (times, _) = ask_often((&devices, &session), &x, place, 80);
        assert!(times[70..].iter().all(|took| *took == time), "{place}: {time:?}, {first:?}, {times:?}");
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
    // A trial at the old time costs half a call, so it is tried after 32 or 64 calls.
    let times = go(150);
    assert!(times[126..].iter().filter(|took| **took == one).count() >= 20, "{one:?}, {times:?}");
}

/// A device that fails alone is followed by all of them.
#[test]
fn failed_single_device_run_is_retried_shared() {
    let (x, leaves) = (column(LEAVES), [3 * MILLISECOND, MILLISECOND]);
    let expected = cpu().from(&x).folds(|x| x.sum()).run().unwrap().to_bits();
    const BEFORE: usize = 6;
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
    assert!(lines(explain()).iter().all(|line| line == "never measured at this size"), "{}", explain());
    let (times, _) = ask_often((&devices, &session), &x, "one+other", 3);
    let [together, one, other] = lines(explain());
    for (line, took, runs) in [(one, times[0], "median of 2 runs"), (together, times[2], "1 run")] {
        let time = format!("{:.2} s ({runs})", took.as_secs_f64());
        assert_eq!(line, time, "{times:?}");
    }
    assert!(other.ends_with(" by its part of a shared run"), "{other}");
    assert!(explain().contains("the next call: "), "{}", explain());
}

#[test]
fn columns_that_a_device_may_keep_are_measured_apart() {
    let (x, kept) = (column(LEAVES), Column::from(column(LEAVES)));
    let (devices, session) = copiers([MILLISECOND, 3 * MILLISECOND], None);
    ask_often((&devices, &session), &x, "one+other", 3);
    let borrowed = session.from(&x).folds(|x| x.sum()).require("one+other").explain().to_string();
    let owned = session.from(&kept).folds(|x| x.sum()).require("one+other").explain().to_string();
    for arm in ["all devices: ", "one alone: ", "other alone: "] {
        assert!(!line(&borrowed, arm).contains("never measured"), "{borrowed}");
        assert_eq!(line(&owned, arm), "never measured at this size", "{owned}");
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
    assert_eq!(line(&explain, "one alone: "), "never measured at this size", "{explain}");
}

/// What a text says after the name of an arm.
fn line(text: &str, arm: &str) -> String {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(arm));
    line.unwrap_or_else(|| panic!("no line of `{arm}` in {text}")).to_string()
}
