//! Running folds at the sizes where groups, leaves and morsels end, over numbers that reveal every rounding.

use super::super::{CpuDevice, CpuOptions, Isa};
use super::{check, over, run};
use crate::conformance::layout::Shape;
use crate::conformance::run::{Run, load};
use crate::launch::{FaultLocation, Form};
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS};
use pointsman_ir::random::{OwnedInputs, Rng};
use pointsman_ir::types::{DType, Scalar};

const SIZES: [usize; 13] = [1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 65_535, 65_536, 65_537];

/// Devices with different thread counts, morsel sizes and instruction sets, with and without machine code.
pub(super) fn devices() -> Vec<CpuDevice> {
    let device = |threads, morsel_rows, isa, jit| {
        let options = CpuOptions { threads: Some(threads), morsel_rows, isa, jit, ..CpuOptions::default() };
        CpuDevice::new(options)
    };
    vec![
        device(1, None, None, None),
        device(2, Some(LEAF_ROWS), None, None),
        device(7, Some(2 * LEAF_ROWS), None, Some(false)),
        device(3, Some(LEAF_ROWS), Some(Isa::Avx2), None),
        device(5, Some(3 * LEAF_ROWS), Some(Isa::Baseline), None),
    ]
}

/// A scan of `x`, with `m` a mask and `s` segment starts that some sinks use.
fn kernel(dtype: &str, nullable: bool, rest: &str) -> Kernel {
    let null = if nullable { "?" } else { "" };
    let text = format!(
        "kernel\ncolumns c0: {dtype}{null}, c1: bool?, c2: bool\n  v0: {dtype}{null} = column c0\n  \
         v1: bool? = column c1\n  v2: bool = column c2\n{rest}\n"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

/// The rest of the kernel: unmasked, masked, in segments, both, and with columns and frames.
const SINKS: [&str; 5] = [
    "sink scan columns() running(sum(v0))",
    "sink scan columns(v0, v1) running(sum(v0), count(v0), min(v0), max(v0), max(v1))",
    "mask v1\nsink scan columns(v2) running(sum(v0), max(v0), count(), min(v2))",
    "sink scan columns() running(sum(v0), min(v0), count(v0)) segment v2",
    "mask v1\nsink scan columns(v0) running(max(v0), sum(v0), sum(v0) preceding 2) segment v2",
];

/// A value that reveals the order of additions: of any magnitude and sign, now and then special.
pub(super) fn value(rng: &mut Rng, dtype: DType) -> Scalar {
    let float = match rng.below(1000) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => f64::NEG_INFINITY,
        3..60 => -0.0,
        60..100 => 0.0,
        n => (rng.below(1 << 20) as f64 - 500_000.0) * [1.0, 1e-3, 1e9][n % 3],
    };
    let whole = rng.below(2001) as i128 - 1000;
    match Scalar::from_integer(dtype.repr(), whole << if dtype == DType::I64 { 30 } else { 0 }) {
        Some(whole) => whole,
        None if dtype == DType::F32 => Scalar::F32(float as f32),
        None => Scalar::F64(float),
    }
}

fn inputs(dtype: DType, nullable: bool, rows: usize) -> OwnedInputs {
    let mut rng = Rng::new(rows as u64 + 7);
    let x: Vec<_> = (0..rows).map(|_| (!nullable || rng.below(10) > 0).then(|| value(&mut rng, dtype))).collect();
    let flags: Vec<_> = (0..rows).map(|_| (rng.below(9) > 0).then(|| Scalar::Bool(rng.below(5) > 0))).collect();
    let starts: Vec<_> = (0..rows).map(|_| Some(Scalar::Bool(rng.below(3000) == 0))).collect();
    let ty = if nullable { dtype.nullable() } else { dtype.required() };
    let columns = vec![
        ColumnData::from_scalars(ty, x),
        ColumnData::from_scalars(DType::Bool.nullable(), flags),
        ColumnData::from_scalars(DType::Bool.required(), starts),
    ];
    over(columns, 0)
}

const TYPES: [(&str, DType); 4] = [("f32", DType::F32), ("f64", DType::F64), ("i32", DType::I32), ("i64", DType::I64)];

#[test]
fn every_size_gives_the_bits_of_the_interpreter() {
    let devices = devices();
    for (at, (name, dtype)) in TYPES.into_iter().enumerate() {
        for (number, sink) in SINKS.into_iter().enumerate() {
            for rows in SIZES {
                let nullable = (rows + number) % 2 == 0;
                let kernel = kernel(name, nullable, sink);
                // The interpreter is slow for many rows: one device, and not every sink for every type.
                let few = (at + number + rows) % devices.len();
                match rows > LEAF_ROWS + 1 {
                    true if (at + number) % 3 == 0 => check(&devices[few], &kernel, inputs(dtype, nullable, rows)),
                    true => {}
                    false => devices.iter().for_each(|one| check(one, &kernel, inputs(dtype, nullable, rows))),
                }
            }
        }
    }
}

#[test]
fn a_million_rows_give_the_same_bits_on_every_device() {
    for (at, (name, dtype)) in TYPES.into_iter().enumerate() {
        for sink in SINKS.into_iter().skip(at % 3).step_by(3) {
            let kernel = kernel(name, true, sink);
            let inputs = inputs(dtype, true, 1_000_001);
            let results: Vec<_> = devices().iter().map(|device| run(device, &kernel, &inputs).result.rows).collect();
            assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{name}: {sink}");
        }
    }
}

#[test]
fn totals_have_the_width_that_they_need() {
    for (name, dtype) in &TYPES[2..] {
        let kernel = kernel(name, true, "mask v1\nsink scan columns() running(total(v0), total(v0) preceding 3)");
        devices().iter().for_each(|device| check(device, &kernel, inputs(*dtype, true, 9000)));
    }
}

#[test]
fn scans_run_machine_code() {
    if Isa::detect() != Isa::Avx512 {
        return;
    }
    let device = CpuDevice::new(CpuOptions { jit: Some(true), ..CpuOptions::default() });
    for (launches, sink) in SINKS.into_iter().enumerate() {
        run(&device, &kernel("f32", true, sink), &inputs(DType::F32, true, 5000));
        assert_eq!(device.jit_launches(), launches as u64 + 1, "{sink}");
    }
}

/// Runs a running sum of these values on every device and checks which fold overflows.
fn check_range(name: &str, dtype: DType, values: &[i128], expected: Option<FaultLocation>) {
    let text = format!(
        "kernel\ncolumns c0: {name}\n  v0: {name} = column c0\nsink scan columns() running(count(), sum(v0))\n"
    );
    let kernel = parse(&text).unwrap();
    let scalars = values.iter().map(|&value| Scalar::from_integer(dtype.repr(), value));
    let inputs = over(vec![ColumnData::from_scalars(dtype.required(), scalars.collect::<Vec<_>>())], 0);
    for device in devices() {
        let program = load(&device, &kernel).unwrap();
        for shape in [Shape::Plain, Shape::Random(5)] {
            let (form, inputs) = (Form::Whole, &inputs);
            let ran = Run { device: &device, program, kernel: &kernel, inputs, form, shape }.run().unwrap();
            assert_eq!(ran.outcome.fault, expected, "{name}");
        }
        if expected.is_none() {
            check(&device, &kernel, inputs.clone());
        }
    }
}

#[test]
fn sums_at_the_ends_of_their_types() {
    let fault = Some(FaultLocation::Fold(1));
    let with = |rows: usize, at: &[(usize, i128)]| {
        let mut values = vec![0; rows];
        at.iter().for_each(|&(row, value)| values[row] = value);
        values
    };
    for (name, dtype, least, greatest) in [
        ("i8", DType::I8, i8::MIN.into(), i8::MAX.into()),
        ("u16", DType::U16, 0, u16::MAX.into()),
        ("i32", DType::I32, i32::MIN.into(), i32::MAX.into()),
        ("i64", DType::I64, i64::MIN.into(), i64::MAX.into()),
        ("u64", DType::U64, 0, i128::from(u64::MAX)),
    ] {
        check_range(name, dtype, &with(9000, &[(5, greatest), (8999, 0)]), None);
        check_range(name, dtype, &with(9000, &[(5, greatest), (8999, 1)]), fault);
        check_range(name, dtype, &with(9000, &[(5, greatest), (6, 1)]), fault);
        if least < 0 {
            check_range(name, dtype, &with(9000, &[(5, greatest), (6, least), (7, 1), (4097, greatest)]), None);
            check_range(name, dtype, &with(9000, &[(5, least), (4097, -1)]), fault);
            // Past the end inside a leaf and back again: that row has no sum.
            check_range(name, dtype, &with(9000, &[(5, greatest), (6, 1), (7, -1)]), fault);
        }
    }
}
