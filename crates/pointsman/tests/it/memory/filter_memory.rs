//! A filter needs host memory for the rows that it keeps, not for the rows that it reads.

use super::{LEAF_ROWS, PLENTY, assert_no_leftovers, cpu, simulated};
use arrow_array::Int64Array;
use pointsman::{Column, Session, SessionOptions};
use pointsman_device::sim::{SimDevice, SimOptions};
use std::sync::Arc;

/// A device with plenty of memory, and a session with `memory_bytes` of host memory.
fn limited(memory_bytes: usize, options: SessionOptions) -> (Arc<SimDevice>, Session) {
    let device = Arc::new(SimDevice::new(SimOptions { memory_bytes: PLENTY, ..SimOptions::default() }));
    let options = options.resident_bytes(0);
    let session = options.threads(2).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    (device, session.memory_bytes(memory_bytes).prefer("sim").open().unwrap())
}

/// The input is so large that a stage with another sink would be split.
#[test]
fn large_filter_that_fits_is_not_split() {
    let rows: usize = (272 << 20) / 16;
    let x: Vec<f64> = (0..rows).map(|i| f64::from(i as u32 % 100)).collect();
    let (device, session) = limited(16 << 20, SessionOptions::new());
    let answer = session.from(&x).filter(|x| x.lt(1.0)).run().unwrap();
    let receipt = answer.receipt();
    assert_eq!((receipt.device(), receipt.batches(), receipt.bytes_spilled()), ("sim", 1, 0), "{receipt:#}");
    assert_eq!((answer.len(), answer.options().all(|x| x == Some(0.0))), (rows.div_ceil(100), true));
    assert!(session.memory().host.peak_bytes < 4 << 20, "{:?}", session.memory().host);
    drop(answer);
    assert_no_leftovers(&device, &session, "a large filter");
}

/// Decides whether a row is kept.
type Keeps = fn(usize) -> bool;

#[test]
fn filter_batches_allocate_only_for_kept_rows() {
    const ROWS: usize = 200 * LEAF_ROWS + 77;
    let options = SessionOptions::new().device_memory_bytes(1 << 20);
    let keeps: [(&str, Keeps); 5] = [
        ("few", |row| row % 100 == 0),
        ("none", |_| false),
        ("all", |_| true),
        ("the first", |row| row < ROWS / 3),
        ("the last", |row| row > ROWS / 3 * 2),
    ];
    for (what, keeps) in keeps {
        let (device, session) = simulated(PLENTY, options.clone());
        let n: Int64Array = (0..ROWS as i64).map(|n| (n % 7 != 3).then_some(n)).collect();
        let is_kept: Vec<bool> = (0..ROWS).map(keeps).collect();
        let kept = is_kept.iter().filter(|is_kept| **is_kept).count();
        let ask = |session: &Session| session.from((&n, &is_kept)).filter(|(_, k)| k).map(|(n, _)| n + 1).run();
        let answer = ask(&session).unwrap();
        assert!(answer.receipt().device() == "sim" && answer.receipt().batches() > 1, "{what}: {:#}", answer.receipt());
        let (got, expected): (&Column<i64>, _) = (&answer, ask(&cpu()).unwrap());
        assert!(got.len() == kept && got.iter().eq(expected.iter()), "{what}: other rows than the CPU's");
        // Sizes are rounded up twice, each time by at most a quarter.
        let (held, bytes) = (session.memory().host.outstanding_bytes, kept * 8 + kept.div_ceil(8));
        assert!(held <= bytes * 25 / 16 + 1024, "{what}: {held} bytes for {bytes}");
        drop(answer);
        assert_no_leftovers(&device, &session, what);
    }
}

#[test]
fn filter_in_batches_needs_little_host_memory() {
    let x: Vec<f64> = (0..200 * LEAF_ROWS).map(|i| f64::from(i as u32 % 100)).collect();
    let options = SessionOptions::new().device_memory_bytes(1 << 20);
    // All rows would take six times as much.
    let (device, session) = limited(1 << 20, options);
    let answer = session.from(&x).filter(|x| x.lt(1.0)).run().unwrap();
    let receipt = answer.receipt();
    assert_eq!((receipt.device(), receipt.bytes_spilled(), answer.len()), ("sim", 0, x.len() / 100), "{receipt:#}");
    assert!(receipt.batches() > 1);
    drop(answer);
    assert_no_leftovers(&device, &session, "a filter in batches");
}
