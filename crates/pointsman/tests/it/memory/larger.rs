//! Queries over a column of 200 MiB on a device with 4 MiB of memory.

use super::{assert_no_leftovers, cpu, simulated};
use pointsman::{Answer, Column, F64, Receipt, Result, Session, SessionOptions};

const MEMORY: u64 = 4 << 20;
const COLUMN_BYTES: usize = 200 << 20;
/// For sinks that take long in the interpreter, unless it is compiled with optimizations.
const FEWER_BYTES: usize = if cfg!(debug_assertions) { 40 << 20 } else { COLUMN_BYTES };

fn check(what: &str, bytes: usize, ask: impl Fn(&Session, &[f64]) -> (Vec<u64>, Receipt)) {
    let column: Vec<f64> = (0..bytes / 8).map(|i| (i * 7919 % 20_011) as f64 / 7.0 - 1000.0).collect();
    let (device, session) = simulated(MEMORY, SessionOptions::new());
    let (got, receipt) = ask(&session, &column);
    let (expected, _) = ask(&cpu(), &column);
    assert!(got == expected, "{what}: other bits than the CPU's");
    let least = bytes.div_ceil(MEMORY as usize);
    assert!(receipt.device() == "sim" && receipt.batches() > least, "{what}: {receipt:#}");
    assert!(device.peak_bytes() <= MEMORY, "{what}: {} bytes", device.peak_bytes());
    assert_no_leftovers(&device, &session, what);
}

fn bits(answer: Result<Answer<Column<f64>>>) -> (Vec<u64>, Receipt) {
    let (column, receipt) = answer.unwrap().into_parts();
    (column.options().map(|value| value.map_or(1, f64::to_bits)).collect(), receipt)
}

#[test]
fn reduce_larger_than_device_memory_runs_in_batches() {
    check("reduce", COLUMN_BYTES, |s, x| {
        let (sums, receipt) = s.from(x).folds(|x: F64| (x.sum(), x.max())).run().unwrap().into_parts();
        (vec![sums.0.to_bits(), sums.1.map_or(1, f64::to_bits)], receipt)
    });
}

#[test]
fn filter_larger_than_device_memory_runs_in_batches() {
    check("filter", FEWER_BYTES, |s, x| bits(s.from(x).filter(|x| x.gt(0.0)).run()));
}

#[test]
fn store_larger_than_device_memory_runs_in_batches() {
    check("store", FEWER_BYTES, |s, x| bits(s.from(x).map(|x| x * 3.0).run()));
}

#[test]
fn scan_larger_than_device_memory_runs_in_batches() {
    check("scan", FEWER_BYTES, |s, x| bits(s.from(x).scan(|x| x.running_sum()).run()));
}
