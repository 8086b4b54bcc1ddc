//! The float sum of ten million values has the same bits for any number of threads, any morsel size, any split into
//! batches, and sliced input; and all sinks give one result hash over threads, chunks and devices.
#![allow(clippy::unwrap_used)]

use arrow_array::{ArrayRef, Float32Array, RecordBatch};
use pointsman::{Answer, Column, Session, SessionOptions};
use pointsman_device::sim::{SimDevice, SimOptions};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

const ROWS: usize = 10_000_000;
/// Rows in front of the values in the sliced array.
const OFFSET: usize = 13;

/// Values of very different size and both signs: another order of adding them gives other bits.
fn values() -> Vec<f32> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let size = f32::powi(2.0, (state >> 60) as i32 * 3 - 20);
        ((state >> 32) as i32 as f32 / i32::MAX as f32) * size
    };
    (0..ROWS).map(|_| next()).collect()
}

/// The bits of the sum and of the last prefix sum, which need not be the same.
fn bits(sum: f32, last: f32) -> [u32; 2] {
    [sum.to_bits(), last.to_bits()]
}

fn of_slice(session: &Session, values: &[f32]) -> [u32; 2] {
    let sum = session.from(values).sum().unwrap();
    let running = session.from(values).scan(|x| x.running_sum()).run().unwrap();
    bits(sum, running[values.len() - 1])
}

fn of_array(session: &Session, values: &Float32Array) -> [u32; 2] {
    let sum = session.from(values).sum().unwrap();
    let running = session.from(values).scan(|x| x.running_sum()).run().unwrap();
    bits(sum, running[values.len() - 1])
}

/// The values in batches of `rows` rows.
fn batches(values: &Float32Array, rows: usize) -> Vec<RecordBatch> {
    let starts = (0..values.len()).step_by(rows);
    let slices = starts.map(|start| values.slice(start, rows.min(values.len() - start)));
    let batch = |slice: Float32Array| RecordBatch::try_from_iter([("x", Arc::new(slice) as ArrayRef)]).unwrap();
    slices.map(batch).collect()
}

fn of_batches(session: &Session, values: &Float32Array, rows: usize) -> [u32; 2] {
    let batches = batches(values, rows);
    let sum = session.from(&batches).map(|row| row.col::<f32>("x")).sum().unwrap();
    let running = session.from(&batches).map(|row| row.col::<f32>("x")).scan(|x| x.running_sum()).run().unwrap();
    bits(sum, running[values.len() - 1])
}

#[test]
fn every_way_to_run_gives_the_same_bits() {
    let values = values();
    let padded: Vec<f32> = std::iter::repeat_n(f32::NAN, OFFSET).chain(values.iter().copied()).collect();
    let sliced = Float32Array::from(padded).slice(OFFSET, ROWS);
    let expected = of_slice(&SessionOptions::new().threads(1).open().unwrap(), &values);
    let plain: f64 = values.iter().map(|&x| f64::from(x)).sum();
    assert!((f64::from(f32::from_bits(expected[0])) - plain).abs() < 1e-3 * plain.abs(), "{plain}");
    for threads in [1, 2, 7] {
        let session = SessionOptions::new().threads(threads).open().unwrap();
        assert_eq!(of_slice(&session, &values), expected, "{threads} threads");
        assert_eq!(of_array(&session, &sliced), expected, "{threads} threads, sliced");
        for rows in [1_000_003, 65_537, 4_096] {
            assert_eq!(of_batches(&session, &sliced, rows), expected, "{threads} threads, batches of {rows}");
        }
    }
    for morsel_rows in [1, 4_096, 12_288, 1 << 20, usize::MAX] {
        let session = SessionOptions::new().threads(2).morsel_rows(morsel_rows).open().unwrap();
        assert_eq!(of_slice(&session, &values), expected, "morsels of {morsel_rows}");
    }
}

#[test]
fn filtered_rows_do_not_change_other_results() {
    let values = &values()[..1_000_000];
    let of = |threads: usize, morsel_rows: usize| {
        let session = SessionOptions::new().threads(threads).morsel_rows(morsel_rows).open().unwrap();
        session.from(values).filter(|x| x.gt(0.0)).sum().unwrap().to_bits()
    };
    let expected = of(1, usize::MAX);
    for (threads, morsel_rows) in [(2, 4_096), (7, 4_096), (2, 100_000), (7, 1)] {
        assert_eq!(of(threads, morsel_rows), expected, "{threads} threads, morsels of {morsel_rows}");
    }
}

/// The hash of everything that a sum, a running sum, a filter and a map on a device give, to the bit, nulls included.
fn hash_of((session, device): (&Session, &str), batches: &[RecordBatch]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut add = |value: Option<f32>| hasher.write_u64(value.map_or(u64::MAX, |value| value.to_bits().into()));
    let x = || session.from(batches).map(|row| row.col::<f32>("x"));
    let sum = x().folds(|x| x.sum()).run().unwrap();
    add(Some(*sum));
    let columns: [Answer<Column<f32>>; 3] = [
        x().scan(|x| x.running_sum()).run().unwrap(),
        x().filter(|x| (x * 1.1).gt(0.25)).run().unwrap(),
        x().map(|x| (x * 0.7 + 1.0).sqrt() / x).run().unwrap(),
    ];
    let mut ran = columns.iter().map(|column| column.receipt().device()).chain([sum.receipt().device()]);
    assert!(ran.all(|ran| ran == device));
    for column in &columns {
        // Where one column ends and the next begins is a part of the result.
        add(Some(column.len() as f32));
        column.options().for_each(&mut add);
    }
    hasher.finish()
}

#[test]
fn one_result_hash_over_threads_chunks_and_devices() {
    const ROWS: usize = (1 << 17) + 77;
    let with_nulls = |(row, x): (usize, &f32)| (row % 11 != 3).then_some(*x);
    let values: Float32Array = values()[..ROWS].iter().enumerate().map(with_nulls).collect();
    let chunked = [1, 7, 4_096, 65_536, ROWS].map(|rows| (rows, batches(&values, rows)));
    let one = SessionOptions::new().threads(1).open().unwrap();
    let expected = hash_of((&one, "cpu"), &chunked[4].1);
    let reversed: Float32Array = values.iter().rev().collect();
    let other = hash_of((&one, "cpu"), &batches(&reversed, ROWS));
    assert_ne!(other, expected, "other data, another hash");
    for threads in 1..=4 {
        let session = SessionOptions::new().threads(threads).morsel_rows(1).open().unwrap();
        for (rows, batches) in &chunked {
            assert_eq!(hash_of((&session, "cpu"), batches), expected, "{threads} threads, chunks of {rows}");
        }
    }
    let sim = Arc::new(SimDevice::new(SimOptions::default()));
    let session = SessionOptions::new().threads(1).add_device(sim).prefer("sim").open().unwrap();
    for (rows, batches) in &chunked {
        assert_eq!(hash_of((&session, "sim"), batches), expected, "the simulated device, chunks of {rows}");
    }
}
