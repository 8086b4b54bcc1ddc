//! Library calls above one block of any device: the card, or the portable GPU, against the CPU, whose own tests compare it
//! with the sums that define the results.
#![allow(clippy::unwrap_used)]

use pointsman_device::conformance::layout::Shape;
use pointsman_device::conformance::run::{Run, load};
use pointsman_device::cpu::{CpuDevice, CpuOptions};
use pointsman_device::{Device, Form};
use pointsman_ir::data::ColumnData;
use pointsman_ir::interpret::call;
use pointsman_ir::kernel::call::{Convolve, Direction, Fft, Matmul, Method, RightOperand, Storage, Transform};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Call, Kernel};
use pointsman_ir::random::{OwnedInputs, Rng};
use pointsman_ir::types::DType;

/// Calls with their number of chunks.
fn large_calls() -> Vec<(Call, u64)> {
    let mut calls: Vec<(Call, u64)> = Vec::new();
    for (rows, inner, columns, chunks) in [(257, 1025, 63, 3), (1, 4097, 1, 5), (512, 513, 511, 2)] {
        let of_rows = Matmul::real(rows, inner, columns);
        let per_chunk = Matmul { operand: RightOperand::PerChunk, right: Storage::Columns, ..of_rows };
        calls.push((of_rows.into(), chunks));
        calls.push((Matmul { left: Storage::Columns, ..per_chunk }.into(), chunks));
    }
    calls.push((Matmul { left: Storage::Columns, ..Matmul::complex(129, 1000, 65) }.into(), 3));
    for (length, chunks) in [(1 << 16, 3), (65_537, 1), (1 << 20, 1), (1_000_003, 1), (4095, 65), (7, 70_001)] {
        calls.push((Fft { given: length / 2 + 1, kept: length / 3 + 1, ..Fft::forward(length) }.into(), chunks));
        calls.push((Fft::inverse(length).into(), chunks));
        let real = if chunks == 1 { Fft::real_inverse(length) } else { Fft::real_forward(length) };
        calls.push((real.into(), chunks));
    }
    for transform in [Transform::Forward, Transform::Inverse, Transform::RealForward, Transform::RealInverse] {
        calls.extend(
            [(256, 257, 3), (63, 4096, 1)]
                .map(|(outer, length, chunks)| (Fft::plane(transform, outer, length).into(), chunks)),
        );
    }
    for method in [Method::Sum, Method::Transform] {
        let line = Convolve { method, direction: Direction::Convolution, ..Convolve::line(100_000, 65) };
        calls.push((line.into(), 3));
        calls.push((Convolve { padding: [[0, 0], [4096, 0]], ..Convolve { weights: [1, 4097], ..line } }.into(), 1));
        let plane = Convolve { method, padding: [[1, 1], [1, 2]], ..Convolve::plane([130, 129], [3, 5]) };
        calls.push((Convolve { channels_in: 4, channels_out: 3, ..plane }.into(), 5));
        calls.push((Convolve { channels_in: 3, channels_out: 70, stride: [2, 3], ..plane }.into(), 2));
    }
    calls
}

fn floats(dtype: DType, count: u64, rng: &mut Rng) -> ColumnData {
    let mut value = || Some(call::rounded(dtype, (rng.below(20_001) as f64 - 10_000.0) / 8192.0));
    ColumnData::from_scalars(dtype.required(), (0..count).map(|_| value()).collect::<Vec<_>>())
}

fn doubles(column: &ColumnData) -> Vec<f64> {
    column.iter().flatten().map(call::double).collect()
}

/// The kernel of a call: of a plain column, or of a sum of columns.
fn kernel(call: &Call, dtype: DType, is_plain: bool) -> Kernel {
    let lists = if call.has_table() { format!("lists l0: {dtype}\n") } else { String::new() };
    let table = if call.has_table() { " l0" } else { "" };
    let (values, value) = if is_plain { ("", "v1") } else { ("  v2: T = add v0 v1\n", "v2") };
    let text = format!(
        "kernel\ncolumns c0: T, c1: T\n{lists}  v0: T = column c0\n  v1: T = column c1\n{values}\
         sink call {call} of {value}{table}\n"
    );
    parse(&text.replace('T', &dtype.to_string())).unwrap()
}

/// How far two results may be apart: the sum of both bounds of `docs/semantics.md`, of the greatest numbers.
fn tolerance(call: &Call, dtype: DType, rows: &[f64], table: &[f64]) -> f64 {
    let most = |numbers: &[f64]| numbers.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
    let norm = |numbers: &[f64]| numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    let chunk = call.rows_in() as usize;
    let sum = |terms: u64| 8.0 * (terms as f64 + 1.0) * most(rows) * most(table);
    call::unit(dtype)
        * match call {
            Call::Matmul(product) => sum(2 * product.inner),
            Call::Fft(fft) => {
                let count = (fft.outer * fft.length) as f64;
                let whole = rows.chunks(chunk).map(norm).fold(0.0, f64::max);
                let scale = match fft.transform {
                    Transform::Forward | Transform::RealForward => 1.0,
                    // A half spectrum stands for twice as many numbers.
                    Transform::Inverse | Transform::RealInverse => 2.0 / count,
                };
                8.0 * (count.log2() + 2.0) * count.sqrt() * whole * scale
            }
            Call::Convolve(convolve) => {
                let weights = convolve.channels_in * convolve.weights[0] * convolve.weights[1];
                let of_chunk = rows.chunks(chunk).map(norm).fold(0.0, f64::max);
                let spread = match convolve.method {
                    Method::Sum => 0.0,
                    Method::Transform => {
                        24.0 * ((4.0 * (chunk + table.len()) as f64).log2() + 2.0) * of_chunk * norm(table)
                    }
                };
                sum(weights) + spread
            }
        }
}

/// Runs large calls on a device and on the CPU, of every type that the device computes.
pub(crate) fn compare(device: &dyn Device, seed: u64) {
    let compared = compare_calls(device, large_calls(), seed);
    assert!(compared >= 35, "{compared} calls were compared");
}

/// Runs calls on a device and on the CPU; returns how many there were, of all types.
pub(crate) fn compare_calls(device: &dyn Device, calls: Vec<(Call, u64)>, seed: u64) -> usize {
    let cpu = CpuDevice::new(CpuOptions::default());
    let mut rng = Rng::new(seed);
    let types = if device.info().capabilities.f64 { &[DType::F32, DType::F64][..] } else { &[DType::F32][..] };
    let mut compared = 0;
    for (number, (call, chunks)) in calls.into_iter().enumerate() {
        assert_eq!(call.mistake(), None);
        for &dtype in types {
            let kernel = kernel(&call, dtype, number % 2 == 0);
            let rows = call.rows_in() * chunks;
            let lists = if call.has_table() { vec![floats(dtype, call.table_rows(chunks), &mut rng)] } else { vec![] };
            let columns = vec![floats(dtype, rows, &mut rng), floats(dtype, rows, &mut rng)];
            let inputs =
                OwnedInputs { columns, params: vec![], lists, tables: vec![], first_row: 0, rows: rows as usize };
            let run = |device: &dyn Device| {
                let program = load(device, &kernel).unwrap_or_else(|error| panic!("{call}: {error}"));
                let shape = if device.info().capabilities.host_memory { Shape::Plain } else { Shape::Copied };
                let run = Run { device, program, kernel: &kernel, inputs: &inputs, form: Form::Whole, shape };
                let ran = run.run().unwrap_or_else(|error| panic!("{call} {dtype}: {error}"));
                device.unload(program);
                doubles(&ran.result.rows.columns[0])
            };
            let (expected, found) = (run(&cpu), run(device));
            let read = if number % 2 == 0 {
                doubles(&inputs.columns[1])
            } else {
                doubles(&inputs.columns[0]).iter().zip(doubles(&inputs.columns[1])).map(|(a, b)| a + b).collect()
            };
            let table = inputs.lists.first().map_or_else(Vec::new, doubles);
            let tolerance = tolerance(&call, dtype, &read, &table);
            assert_eq!(expected.len(), found.len(), "{call}");
            for (row, (expected, found)) in expected.iter().zip(&found).enumerate() {
                let is_near = (expected - found).abs() <= tolerance;
                assert!(is_near, "{call} {dtype}, row {row}: {found:e}, not {expected:e} ± {tolerance:e}");
            }
            compared += 1;
        }
    }
    compared
}
