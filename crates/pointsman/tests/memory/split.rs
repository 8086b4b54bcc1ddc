//! Split and unsplit give the same bits, whatever the sink and however the columns lie.

use crate::{Data, LEAF_ROWS, PLENTY, cpu, nothing_is_left, queries, simulated};
use pointsman::{Session, SessionOptions};
use pointsman_device::sim::SimDevice;

/// Asks the CPU, a device with plenty of memory, and this one.
fn check(rows: usize, memory: u64, (device, small): (&SimDevice, &Session)) {
    let data = Data::new(rows);
    let (here, (_, whole)) = (cpu(), simulated(PLENTY, SessionOptions::new()));
    for (what, ask) in queries(&data) {
        let what = format!("{what} over {rows} rows");
        let (expected, _) = ask(&here).unwrap();
        let (unsplit, receipt) = ask(&whole).unwrap();
        assert_eq!((receipt.device(), receipt.batches()), ("sim", receipt.stages().len()), "{what}: {receipt}");
        let (split, receipt) = ask(small).unwrap();
        assert_eq!(receipt.device(), "sim", "{what}: {receipt}");
        assert!(unsplit == expected && split == expected, "{what}: other bits");
        let is_split = receipt.batches() > receipt.stages().len();
        assert!(is_split || rows < 20 * LEAF_ROWS, "{what}: {} batches", receipt.batches());
        assert_eq!(format!("{receipt:#}").contains(&format!("\nbatches  {}: ", receipt.batches())), is_split);
        let json: serde_json::Value = serde_json::from_str(&receipt.to_json()).unwrap();
        assert_eq!(json["batches"].as_u64(), Some(receipt.batches() as u64));
        nothing_is_left(device, small, &what);
        assert!(device.peak_bytes() <= memory, "{what}: {} bytes", device.peak_bytes());
    }
}

#[test]
fn a_small_memory() {
    const MEMORY: u64 = 500 << 10;
    let (device, session) = simulated(MEMORY, SessionOptions::new());
    for rows in [0, 1, LEAF_ROWS, LEAF_ROWS + 1, 5 * LEAF_ROWS - 1, 20 * LEAF_ROWS + 77] {
        check(rows, MEMORY, (&device, &session));
    }
}

#[test]
fn a_limit_below_the_memory() {
    const LIMIT: u64 = 500 << 10;
    let options = SessionOptions::new().device_memory_bytes(LIMIT);
    let (device, session) = simulated(PLENTY, options);
    check(20 * LEAF_ROWS + 77, LIMIT, (&device, &session));
}

#[test]
fn results_go_into_the_callers_memory() {
    let (device, session) = simulated(400 << 10, SessionOptions::new());
    let n = crate::integers(30 * LEAF_ROWS + 5);
    let mut out = vec![0; n.len()];
    let query = session.prepare(|n: pointsman::I64| n + 1).unwrap();
    let answer = query.run_into(&n, &mut out).unwrap();
    assert!(answer.receipt().batches() > 1 && out.iter().zip(&n).all(|(out, n)| *out == n + 1));
    drop(answer);
    nothing_is_left(&device, &session, "into a slice");
}

#[test]
fn errors_are_those_of_the_whole() {
    let (device, session) = simulated(400 << 10, SessionOptions::new());
    let mut n = crate::integers(30 * LEAF_ROWS);
    let (first, second) = (17 * LEAF_ROWS + 5, 29 * LEAF_ROWS);
    (n[first], n[second]) = (7777, 7777);
    let faulty = session.from(&n).map(|n| 1 / (n - 7777)).require("sim").run().unwrap_err();
    assert_eq!(faulty.row(), Some(first as u64), "{faulty}");
    let behind = session.from(&n).scan(|n| n.kept()).map(|n| 1 / (n - 7777)).require("sim").run().unwrap_err();
    assert!(behind.message().contains("of what stage 0 gave") || behind.row() == Some(first as u64), "{behind}");
    // A sum that is too large early on, and a faulty row later: the row counts, as it does without batches.
    (n[0], n[1]) = (i64::MAX, 1);
    for ask in [
        |s: &Session, n: &Vec<i64>| s.from(n).map(|n| n + 1 / (n - 7777)).scan(|n| n.running_sum()).run().map(drop),
        |s: &Session, n: &Vec<i64>| s.from(n).map(|n| n + 1 / (n - 7777)).sum().map(drop),
    ] {
        assert_eq!(ask(&session, &n).unwrap_err().row(), Some(first as u64));
        let large = ask(&session, &n[..first / LEAF_ROWS * LEAF_ROWS].to_vec()).unwrap_err();
        let same = ask(&cpu(), &n[..first / LEAF_ROWS * LEAF_ROWS].to_vec()).unwrap_err();
        assert!(large.message().contains("a sum does not fit"), "{large}");
        assert_eq!((large.kind(), large.message()), (same.kind(), same.message()));
    }
    nothing_is_left(&device, &session, "errors");
}
