//! Folds of any number of rows of a leaf: the interpreter's bits, with accumulators in registers and in memory.
#![allow(clippy::unwrap_used)]

use pointsman_device::Device;
use pointsman_device::conformance::differential::compare_case_on_all;
use pointsman_device::cpu::{CpuDevice, CpuOptions, Isa};
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS};
use pointsman_ir::random::{Case, OwnedInputs, Rng, values};
use pointsman_ir::types::{DType, Scalar};

/// Columns of every width, with and without nulls, and the values that folds use.
const BODY: &str = "kernel
columns c0: f32?, c1: f64, c2: i64?, c3: i32, c4: u8?, c5: bool?, c6: u64, c7: f32
  v0: f32? = column c0
  v1: f64 = column c1
  v2: i64? = column c2
  v3: i32 = column c3
  v4: u8? = column c4
  v5: bool? = column c5
  v6: u64 = column c6
  v7: f32 = column c7
  v8: f32 = abs v7
  v9: f64 = cast v7
  v10: f64 = abs v1
  v11: f32? = abs v0
";

/// From one fold to more than there are registers; with and without a mask.
const SINKS: [&str; 14] = [
    "sink reduce sum(v7)",
    "sink reduce max(v7), min(v7)",
    "sink reduce max(v1), min(v1), max(v10), min(v10)",
    "mask v5\nsink reduce sum(v7)",
    "mask v5\nsink reduce max(v0), min(v0), count(v0)",
    "sink reduce total(v2), total(v6)",
    "mask v5\nsink reduce total(v2), count(v2), total(v6), max(v6), min(v2)",
    "sink reduce sum(v0), sum(v1), sum(v9)",
    "sink reduce max(v8), sum(v9), count(v9), sum(v1), count(v7)",
    "sink reduce count(), count(v0), count(v2), max(v5), min(v5), count(v5), max(v4)",
    "mask v5\nsink reduce count(), count(v0), count(v2), count(v4), max(v11), min(v11)",
    "sink reduce sum(v0), sum(v1), total(v2), total(v3), total(v4), max(v5), total(v6), sum(v7), min(v8), sum(v9)",
    "mask v5\nsink reduce sum(v9), sum(v7), total(v6), max(v0), total(v2), min(v3), total(v4), sum(v1), count(v2), max(v1)",
    "mask v5\nsink reduce",
];

fn kernel(sink: &str) -> Kernel {
    let text = format!("{BODY}{sink}\n");
    parse(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

/// A device with machine code, where the processor supports it, and one without.
fn devices() -> [CpuDevice; 2] {
    [None, Some(false)].map(|jit| CpuDevice::new(CpuOptions { jit, ..CpuOptions::default() }))
}

fn check(devices: &[CpuDevice], kernel: &Kernel, columns: Vec<ColumnData>, rows: usize) -> bool {
    let inputs = OwnedInputs { columns, params: Vec::new(), lists: Vec::new(), tables: Vec::new(), first_row: 0, rows };
    let case = Case { seed: rows as u64, kernel: kernel.clone(), inputs };
    let devices: Vec<&dyn Device> = devices.iter().map(|device| device as &dyn Device).collect();
    compare_case_on_all(&devices, &case).unwrap_or_else(|what| panic!("{rows} rows: {what}\n{}", kernel.print()))
}

fn check_random(devices: &[CpuDevice], kernel: &Kernel, rows: usize) {
    let mut rng = Rng::new(rows as u64);
    let columns = kernel.columns.iter().map(|&ty| values::column(&mut rng, ty, rows)).collect();
    check(devices, kernel, columns, rows);
}

#[test]
fn any_number_of_rows_is_folded() {
    let devices = devices();
    for (number, sink) in SINKS.into_iter().enumerate() {
        let kernel = kernel(sink);
        (0..=300).for_each(|rows| check_random(&devices, &kernel, rows));
        let around = LEAF_ROWS - 130..=LEAF_ROWS + 130;
        around.skip(number).step_by(SINKS.len()).for_each(|rows| check_random(&devices, &kernel, rows));
    }
    let emitted = devices[0].jit_launches();
    assert!(Isa::detect() != Isa::Avx512 || emitted > 10_000, "{emitted} launches ran code");
}

/// Sums of the largest and the smallest integers, which do not fit 64 bits.
#[test]
fn totals_are_exact() {
    let devices = devices();
    let kernel = kernel("sink reduce total(v2), total(v6), total(v3), total(v4), max(v6), min(v2)");
    for rows in [1, 16, 127, 128, 129, 4096, 9_000] {
        for (whole, natural) in [(i64::MAX, u64::MAX), (i64::MIN, u64::MAX), (-1, 1), (i64::MIN, 0)] {
            let columns = kernel.columns.iter().map(|ty| {
                let value = match ty.dtype {
                    DType::I64 => Scalar::I64(whole),
                    DType::U64 => Scalar::U64(natural),
                    DType::I32 => Scalar::I32(i32::MIN),
                    DType::U8 => Scalar::U8(u8::MAX),
                    other => other.repr().zero(),
                };
                ColumnData::from_scalars(*ty, vec![Some(value); rows])
            });
            check(&devices, &kernel, columns.collect(), rows);
        }
    }
}

/// Kernels that fault where their column is 0: the smallest such row is reported, in whichever lane it lies.
#[test]
fn the_smallest_faulting_row_is_reported() {
    let devices = devices();
    let sums = "sink reduce sum(v3), max(v3), total(v2), sum(v4), count()";
    let text = format!(
        "kernel\ncolumns c0: i64\n  v0: i64 = column c0\n  v1: i64 = const 7\n  v2: i64 = rem v1 v0\n  \
         v3: f32 = cast v2\n  v4: f64 = cast v0\n{sums}\n"
    );
    let kernel = parse(&text).unwrap();
    for rows in [130, 300, 4000, 4096, 5000] {
        for zeros in [vec![], vec![127], vec![128, 112], vec![129, 127, 15], vec![rows - 1], vec![rows - 1, rows - 20]]
        {
            let value = |row: usize| if zeros.contains(&row) { 0 } else { row as i64 + 1 };
            let column = (0..rows).map(|row| Some(Scalar::I64(value(row))));
            let column = ColumnData::from_scalars(DType::I64.required(), column.collect::<Vec<_>>());
            assert_eq!(check(&devices, &kernel, vec![column], rows), !zeros.is_empty(), "{rows} rows, {zeros:?}");
        }
    }
}
