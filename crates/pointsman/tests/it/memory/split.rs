//! Split and unsplit stages give the same bits, for every sink and every column layout.

use super::{Data, LEAF_ROWS, PLENTY, assert_no_leftovers, cpu, queries, simulated};
use pointsman::{Session, SessionOptions};
use pointsman_device::sim::SimDevice;

/// Runs all queries on the CPU, on a device with plenty of memory, and on this one, and compares.
fn check(rows: usize, memory: u64, device: &SimDevice, small: &Session) {
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
        assert_no_leftovers(device, small, &what);
        assert!(device.peak_bytes() <= memory, "{what}: {} bytes", device.peak_bytes());
    }
}

#[test]
fn small_device_memory_gives_the_same_bits() {
    const MEMORY: u64 = 500 << 10;
    let (device, session) = simulated(MEMORY, SessionOptions::new());
    for rows in [0, 1, LEAF_ROWS, LEAF_ROWS + 1, 5 * LEAF_ROWS - 1, 20 * LEAF_ROWS + 77] {
        check(rows, MEMORY, &device, &session);
    }
}

#[test]
fn limit_below_device_memory_gives_the_same_bits() {
    const LIMIT: u64 = 500 << 10;
    let options = SessionOptions::new().device_memory_bytes(LIMIT);
    let (device, session) = simulated(PLENTY, options);
    check(20 * LEAF_ROWS + 77, LIMIT, &device, &session);
}

#[test]
fn batches_write_into_the_callers_slice() {
    let (device, session) = simulated(400 << 10, SessionOptions::new());
    let n = super::integers(30 * LEAF_ROWS + 5);
    let mut out = vec![0; n.len()];
    let query = session.prepare(|n: pointsman::I64| n + 1).unwrap();
    let answer = query.run_into(&n, &mut out).unwrap();
    assert!(answer.receipt().batches() > 1 && out.iter().zip(&n).all(|(out, n)| *out == n + 1));
    drop(answer);
    assert_no_leftovers(&device, &session, "into a slice");
}

#[test]
fn batched_errors_equal_unbatched_errors() {
    let (device, session) = simulated(400 << 10, SessionOptions::new());
    let mut n = super::integers(30 * LEAF_ROWS);
    let (first, second) = (17 * LEAF_ROWS + 5, 29 * LEAF_ROWS);
    (n[first], n[second]) = (7777, 7777);
    let faulty = session.from(&n).map(|n| 1 / (n - 7777)).require("sim").run().unwrap_err();
    assert_eq!(faulty.row(), Some(first as u64), "{faulty}");
    let behind = session.from(&n).scan(|n| n.kept()).map(|n| 1 / (n - 7777)).require("sim").run().unwrap_err();
    assert_eq!(behind.row(), Some(first as u64), "{behind}");
    // A sum overflows early and a row fails later: the row's error wins, as it does without batches.
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
    assert_no_leftovers(&device, &session, "errors");
}
