//! The float sum of ten million values has the same bits for any number of threads, any morsel size, any split into
//! batches, and sliced input.
#![allow(clippy::unwrap_used)]

use arrow_array::{ArrayRef, Float32Array, RecordBatch};
use pointsman::Session;
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

fn of_batches(session: &Session, values: &Float32Array, rows: usize) -> [u32; 2] {
    let starts = (0..values.len()).step_by(rows);
    let slices = starts.map(|start| values.slice(start, rows.min(values.len() - start)));
    let batch = |slice: Float32Array| RecordBatch::try_from_iter([("x", Arc::new(slice) as ArrayRef)]).unwrap();
    let batches: Vec<RecordBatch> = slices.map(batch).collect();
    let sum = session.from(&batches).map(|row| row.col::<f32>("x")).sum().unwrap();
    let running = session.from(&batches).map(|row| row.col::<f32>("x")).scan(|x| x.running_sum()).run().unwrap();
    bits(sum, running[values.len() - 1])
}

#[test]
fn the_same_bits_however_it_is_run() {
    let values = values();
    let padded: Vec<f32> = std::iter::repeat_n(f32::NAN, OFFSET).chain(values.iter().copied()).collect();
    let sliced = Float32Array::from(padded).slice(OFFSET, ROWS);
    let expected = of_slice(&Session::builder().threads(1).open().unwrap(), &values);
    let plain: f64 = values.iter().map(|&x| f64::from(x)).sum();
    assert!((f64::from(f32::from_bits(expected[0])) - plain).abs() < 1e-3 * plain.abs(), "{plain}");
    for threads in [1, 2, 7] {
        let session = Session::builder().threads(threads).open().unwrap();
        assert_eq!(of_slice(&session, &values), expected, "{threads} threads");
        assert_eq!(of_array(&session, &sliced), expected, "{threads} threads, sliced");
        for rows in [1_000_003, 65_537, 4_096] {
            assert_eq!(of_batches(&session, &sliced, rows), expected, "{threads} threads, batches of {rows}");
        }
    }
    for morsel_rows in [1, 4_096, 12_288, 1 << 20, usize::MAX] {
        let session = Session::builder().threads(2).morsel_rows(morsel_rows).open().unwrap();
        assert_eq!(of_slice(&session, &values), expected, "morsels of {morsel_rows}");
    }
}

#[test]
fn filtered_rows_do_not_move_the_others() {
    let values = &values()[..1_000_000];
    let of = |threads: usize, morsel_rows: usize| {
        let session = Session::builder().threads(threads).morsel_rows(morsel_rows).open().unwrap();
        session.from(values).filter(|x| x.gt(0.0)).sum().unwrap().to_bits()
    };
    let expected = of(1, usize::MAX);
    for (threads, morsel_rows) in [(2, 4_096), (7, 4_096), (2, 100_000), (7, 1)] {
        assert_eq!(of(threads, morsel_rows), expected, "{threads} threads, morsels of {morsel_rows}");
    }
}
