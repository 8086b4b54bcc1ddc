//! The scratch memory of calls on a card is at most what is forecast. Skipped without a card.
#![allow(clippy::unwrap_used)]

use crate::Device;
use crate::conformance::layout::Shape;
use crate::conformance::run::{Run, load};
use crate::cuda::devices;
use crate::launch::Form;
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::Call;
use pointsman_ir::kernel::call::{Convolve, Fft, Matmul, Method, Transform};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::OwnedInputs;
use pointsman_ir::types::{DType, Scalar};

/// The scratch memory of the kernels that store rows, and of status blocks.
const OTHER_BYTES: u64 = 1 << 20;

/// Calls with their number of chunks: of every provider, of lengths with small and with large factors.
fn calls() -> Vec<(Call, u64)> {
    let lengths = [1, 2, 37, 127, 128, 131, 1000, 1009, 4096, 65_536, 65_537, 1 << 20, 1_000_003, 1 << 22];
    let mut calls: Vec<(Call, u64)> = vec![(Matmul::real(65, 300, 33).into(), 4)];
    for length in lengths {
        let chunks = ((1 << 20) / length).clamp(1, 1000);
        for transform in [Transform::Forward, Transform::RealForward, Transform::RealInverse] {
            let whole = Fft::plane(transform, 1, length);
            calls.push((whole.into(), chunks));
            calls.push((Fft { given: whole.given.div_ceil(2), kept: whole.kept.div_ceil(3), ..whole }.into(), chunks));
        }
    }
    for transform in [Transform::Forward, Transform::Inverse, Transform::RealForward, Transform::RealInverse] {
        calls.extend(
            [(64, 1000, 7), (1009, 64, 3), (1021, 2053, 1)]
                .map(|(outer, length, chunks)| (Fft::plane(transform, outer, length).into(), chunks)),
        );
    }
    for method in [Method::Sum, Method::Transform] {
        calls.push((Convolve { method, ..Convolve::line(100_000, 65) }.into(), 3));
        let planes = Convolve { channels_in: 4, channels_out: 3, method, ..Convolve::plane([130, 129], [3, 5]) };
        calls.push((planes.into(), 5));
        calls.push((Convolve { channels_in: 3, channels_out: 70, ..planes }.into(), 2));
    }
    calls
}

fn check(call: Call, chunks: u64, dtype: DType, is_stored: bool) {
    let card = devices().devices.into_iter().next().unwrap();
    let what = format!("{chunks} x {call}, {dtype}, stored: {is_stored}");
    let (lists, table) = if call.has_table() { (format!("lists l0: {dtype}\n"), " l0") } else { Default::default() };
    let (sum, value) = if is_stored { (format!("  v1: {dtype} = add v0 v0\n"), "v1") } else { Default::default() };
    let value = if is_stored { value } else { "v0" };
    let text = format!(
        "kernel\ncolumns c0: {dtype}\n{lists}  v0: {dtype} = column c0\n{sum}sink call {call} of {value}{table}\n"
    );
    let kernel = parse(&text).unwrap();
    let one = if dtype == DType::F64 { Scalar::F64(1.0) } else { Scalar::F32(1.0) };
    let ones = |rows: u64| ColumnData::from_scalars(dtype.required(), vec![Some(one); rows as usize]);
    let rows = call.rows_in() * chunks;
    let lists = call.has_table().then(|| ones(call.table_rows(chunks))).into_iter().collect();
    let inputs = OwnedInputs {
        columns: vec![ones(rows)],
        params: vec![],
        lists,
        tables: vec![],
        first_row: 0,
        rows: rows as usize,
    };
    let program = load(&card, &kernel).unwrap();
    let loaded = card.shared.memory.taken_peak();
    let forecast = card.scratch_bytes(program, rows as usize);
    for _ in 0..2 {
        let (device, form, shape) = (&card as &dyn Device, Form::Whole, Shape::Copied);
        Run { device, program, kernel: &kernel, inputs: &inputs, form, shape }.run().unwrap();
        let (taken, buffers) = (card.shared.memory.taken_peak(), card.memory().peak);
        let scratch = taken.saturating_sub(loaded + buffers);
        assert!(scratch <= forecast + OTHER_BYTES, "{what}: {scratch} bytes, {forecast} forecast");
    }
    // Now that the plans are known, the forecast is no larger.
    assert!(card.scratch_bytes(program, rows as usize) <= forecast, "{what}");
    eprintln!("{what}: {} of {forecast} bytes", card.scratch_bytes(program, rows as usize));
}

/// Prints what each call takes, and its forecast before the first launch.
#[test]
fn scratch_memory_is_at_most_what_is_forecast() {
    if devices().devices.is_empty() {
        return eprintln!("skipped: no card");
    }
    for (number, (call, chunks)) in calls().into_iter().enumerate() {
        for dtype in [DType::F32, DType::F64] {
            check(call, chunks, dtype, number % 3 == 0);
        }
    }
}
