//! Devices that slow each other down, and queries that are not worth sharing: only devices that help take part.

use super::{LEAF_ROWS, column, cpu, device, nothing_is_left, pair, rows_of};
use pointsman::report::SkipReason;
use pointsman::{Device, Receipt, Session, SessionOptions};
use pointsman_device::sim::{SimClock, SimDevice, SimFault, SimHost, SimOptions, SimSpeed};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const MILLISECOND: Duration = Duration::from_millis(1);

/// A device that takes so long to copy a leaf in, through a host that others may have too, and next to nothing to run it.
fn copier(
    name: &str,
    clock: &SimClock,
    leaf: Duration,
    host: Option<SimHost>,
    faults: Vec<SimFault>,
) -> Arc<SimDevice> {
    let link_bytes_per_second = (8 * LEAF_ROWS) as f64 / leaf.as_secs_f64();
    let (compile, copy) = (Duration::ZERO, Duration::from_micros(10));
    let speed = SimSpeed { compile, copy, link_bytes_per_second, ..SimSpeed::default() };
    Arc::new(SimDevice::new(SimOptions {
        name: name.to_string(),
        clock: clock.clone(),
        speed,
        host,
        faults,
        ..SimOptions::default()
    }))
}

/// Two of them, and a session with both.
pub(crate) fn copiers(leaves: [Duration; 2], host: Option<SimHost>) -> ([Arc<SimDevice>; 2], Session) {
    copiers_with(leaves, host, Vec::new(), SessionOptions::new())
}

/// The same, of which the second has these faults.
pub(crate) fn copiers_with(
    leaves: [Duration; 2],
    host: Option<SimHost>,
    faults: Vec<SimFault>,
    options: SessionOptions,
) -> ([Arc<SimDevice>; 2], Session) {
    let clock = SimClock::new();
    // Nobody's time begins with the session.
    clock.advance(Duration::from_secs(1000));
    let [one, other] = leaves;
    let one = copier("one", &clock, one, host.clone(), Vec::new());
    let devices = [one, copier("other", &clock, other, host, faults)];
    let session = options.threads(2).add_device(devices[0].clone()).add_device(devices[1].clone());
    (devices, session.clock(Arc::new(clock)).open().unwrap())
}

/// How long a sum takes somewhere, its bits, and the receipt.
pub(crate) fn ask(
    (devices, session): (&[Arc<SimDevice>; 2], &Session),
    x: &[f64],
    place: &str,
) -> (Duration, u64, Receipt) {
    let start = devices[0].clock().now();
    let (sum, receipt) = session.from(x).folds(|x| x.sum()).require(place).run().unwrap().into_parts();
    (devices[0].clock().now() - start, sum.to_bits(), receipt)
}

#[test]
fn conflicting_devices_are_no_slower_than_the_fastest_alone() {
    let x = column(400);
    let expected = cpu().from(&x).folds(|x| x.sum()).run().unwrap().to_bits();
    for (leaves, better) in [([1, 1], "one"), ([1, 3], "one"), ([3, 1], "other"), ([10, 9], "other"), ([1, 20], "one")]
    {
        let leaves = leaves.map(|leaf| leaf * MILLISECOND);
        let (alone, ..) = ask_fresh(leaves, &x, better);
        let slowest = ["one", "other"].map(|name| ask_fresh(leaves, &x, name).0).into_iter().max().unwrap();
        for place in ["one+other", "other+one"] {
            let (devices, session) = copiers(leaves, Some(SimHost::new()));
            for run in 0..8 {
                let (time, bits, receipt) = ask((&devices, &session), &x, place);
                assert_eq!(bits, expected);
                assert!(time <= slowest.mul_f64(1.05), "{leaves:?} on {place}, run {run}: {time:?}, {slowest:?} alone");
                rows_of(&receipt, x.len());
                nothing_is_left(&devices, &session, place);
            }
            // By now only one device is used, and the other is not even set up.
            let launches = devices.each_ref().map(|device| device.launches());
            let (time, bits, receipt) = ask((&devices, &session), &x, place);
            let out: Vec<_> = receipt.shares().iter().filter(|share| share.rows == 0).collect();
            assert_eq!((bits, out.len(), out[0].batches), (expected, 1, 0), "{receipt:#}");
            assert_eq!(out[0].left_out, Some(SkipReason::NoGain), "{receipt:#}");
            assert!(out[0].device != better || leaves[0] == leaves[1], "{receipt:#}");
            assert!(format!("{receipt:#}").contains("batches, then left out: no gain\n"), "{receipt:#}");
            assert!(receipt.to_json().contains("\"left_out\":\"no gain\""), "{}", receipt.to_json());
            let idle = if out[0].device == "one" { 0 } else { 1 };
            assert_eq!(devices[idle].launches(), launches[idle], "{place}");
            assert!(time <= alone.mul_f64(1.02), "{leaves:?} on {place}: {time:?}, and {alone:?} alone");
        }
    }
}

/// The same of devices that were never asked before.
fn ask_fresh(leaves: [Duration; 2], x: &[f64], place: &str) -> (Duration, u64, Receipt) {
    let (devices, session) = copiers(leaves, Some(SimHost::new()));
    ask((&devices, &session), x, place)
}

/// The same copies, which do not wait for each other.
#[test]
fn independent_devices_are_all_used() {
    let x = column(400);
    for leaves in [[1, 1], [1, 3], [2, 3]] {
        let (devices, session) = copiers(leaves.map(|leaf| leaf * MILLISECOND), None);
        let [one, other] = leaves.map(f64::from);
        let ideal = MILLISECOND.mul_f64(400.0 / (1.0 / one + 1.0 / other));
        let mut shared = 0;
        for run in 0..16 {
            let (time, _, receipt) = ask((&devices, &session), &x, "one+other");
            rows_of(&receipt, x.len());
            if receipt.shares().iter().any(|share| share.left_out.is_some()) {
                continue;
            }
            let most = if shared == 0 { 1.05 } else { 1.03 };
            assert!(time <= ideal.mul_f64(most), "{leaves:?}, run {run}: {time:?}, where {ideal:?} would be ideal");
            shared += 1;
        }
        // The first device runs alone twice, and the other at most twice.
        assert!(shared >= 11, "{leaves:?}: {shared} of 16 runs");
    }
}

/// What does not take long the first device does alone, and the others are not even set up.
#[test]
fn short_queries_are_not_shared() {
    let clock = SimClock::new();
    let broken = SimFault::LoadFails { load: 0, kind: pointsman_device::DeviceErrorKind::Lost };
    let quick = device("quick", &clock, MILLISECOND / 100, Vec::new());
    let other = device("other", &clock, MILLISECOND / 100, vec![broken]);
    let session =
        SessionOptions::new().threads(2).add_device(quick.clone()).add_device(other.clone()).clock(Arc::new(clock));
    let session = session.open().unwrap();
    for (leaves, why) in
        [1, 4, 60].iter().flat_map(|leaves| [(*leaves, SkipReason::Trial), (*leaves, SkipReason::TooShort)])
    {
        let x = column(leaves);
        let answer = session.from(&x).map(|x| x + 1.0).require("quick+other").run().unwrap();
        let receipt = answer.receipt();
        assert_eq!(receipt.shares().len(), 2, "{leaves} leaves: {receipt:#}");
        assert_eq!((receipt.shares()[0].rows, receipt.shares()[1].rows), (x.len(), 0), "{receipt:#}");
        assert_eq!(receipt.shares()[1].left_out, Some(why), "{receipt:#}");
        assert_eq!((receipt.batches(), receipt.shares()[0].batches), (1, 1), "{receipt:#}");
        assert!(other.fired().is_empty() && receipt.attempts().is_empty(), "{receipt:#}");
    }
    let (_, session) = pair([Vec::new(), Vec::new()], SessionOptions::new());
    let answer = session.from(&column(20)).map(|x| x + 1.0).require("fast+slow").run().unwrap();
    assert!(answer.receipt().shares().iter().all(|share| share.rows > 0), "{:#}", answer.receipt());
}

/// Threads that wait for their turn wait for each other, not for a clock.
#[test]
fn no_deadlock_in_real_time() {
    let named = |name: &str| {
        Arc::new(SimDevice::new(SimOptions { name: name.to_string(), ..SimOptions::default() })) as Arc<dyn Device>
    };
    let options = SessionOptions::new().share_time_min(Duration::ZERO);
    let session = options.threads(2).add_device(named("a")).add_device(named("b")).open().unwrap();
    let sums = [1, 9, 40].map(|leaves| (column(leaves), cpu().from(&column(leaves)).sum().unwrap().to_bits()));
    std::thread::scope(|scope| {
        for place in ["a+b+cpu", "cpu+b+a", "b+cpu"] {
            let (session, sums) = (&session, &sums);
            scope.spawn(move || {
                for (x, expected) in sums.iter().cycle().take(12) {
                    let answer = session.from(x).folds(|x| x.sum()).prefer(place).run().unwrap();
                    assert_eq!(answer.to_bits(), *expected, "{place}: {:#}", answer.receipt());
                }
            });
        }
    });
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}
