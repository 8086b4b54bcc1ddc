//! Every sink at the sizes where blocks, leaves and morsels begin and end.

use super::super::{CpuDevice, CpuOptions, Isa};
use super::{check, devices, over, run};
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::Kernel;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{OwnedInputs, Rng, values};
use pointsman_ir::types::{DType, Scalar};

const SIZES: [usize; 15] = [0, 1, 7, 63, 64, 65, 255, 256, 257, 1023, 1025, 4095, 4096, 4097, 65_537];
/// Sizes that reveal whether morsels are assembled in order; the interpreter is slow for them.
const LARGE_SIZES: [usize; 3] = [65_535, 65_536, 1_000_000];

/// Columns, body and sink of a kernel for each sink, with nulls, a mask and every width.
const KERNELS: [&str; 14] = [
    "sink store v0, v1, v2, v3, v4",
    "mask v5\nsink store v0, v1, v2, v3, v4",
    "mask v5\nsink compact v0, v1, v2, v3, v4",
    "mask v5\nsink reduce sum(v0), count(), count(v2), min(v2), max(v0), sum(v6), sum(v3)",
    "mask v5\nsink scan columns(v4, v1) running(sum(v0), count(), max(v2), sum(v6), sum(v3) preceding 5)",
    "mask v5\nsink scan columns(v1) running(sum(v0), min(v0), sum(v0) preceding 3, count(v2) preceding 9) segment v8",
    "sink scan columns() running(sum(v0), sum(v3), max(v3), count(v1), sum(v2)) segment v13",
    "mask v5\nsink sort keys(v2 desc nulls_first, v0 asc nulls_last) columns(v0, v1, v2, v3, v4)",
    "mask v5\nsink sort keys(v3 asc nulls_first) columns(v0, v4) limit 1000",
    "mask v5\nsink group keys(v2) folds(sum(v0), count(), min(v3), max(v0), sum(v2)) order hash",
    "mask v5\nsink group keys(v1, v4) folds(sum(v3), count(v0)) order hash",
    "sink group keys() folds(sum(v3), count(), max(v0)) order hash",
    "mask v5\nsink build keys(v0, v2) columns(v1, v3)",
    "mask v5\nsink partition hash(v2, v0) bits 4 columns(v0, v1, v3)",
];

fn kernel(sink: &str) -> Kernel {
    let text = format!(
        "kernel\ncolumns c0: f32?, c1: bool?, c2: i64?, c3: f64, c4: decimal(30,2)?\n  \
         v0: f32? = column c0\n  v1: bool? = column c1\n  v2: i64? = column c2\n  v3: f64 = column c3\n  \
         v4: decimal(30,2)? = column c4\n  v5: bool? = not v1\n  v6: i16? = cast_saturating v2\n  \
         v7: i64 = const 0\n  v8: bool? = gt v2 v7\n  v9: u64 = row_index\n  v10: u64 = const 2047\n  \
         v11: u64 = rem v9 v10\n  v12: u64 = const 5\n  v13: bool = eq v11 v12\n{sink}\n"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

fn inputs(kernel: &Kernel, rows: usize) -> OwnedInputs {
    let mut rng = Rng::new(rows as u64);
    let mut columns: Vec<ColumnData> = kernel.columns.iter().map(|&ty| values::column(&mut rng, ty, rows)).collect();
    // Sums of these values stay in range, so that the scans over them have a result.
    let small = columns[2].iter().map(|value| {
        let Some(Scalar::I64(value)) = value else { return None };
        Some(Scalar::I64(value % 2))
    });
    columns[2] = ColumnData::from_scalars(DType::I64.nullable(), small.collect::<Vec<_>>());
    over(columns, 0)
}

#[test]
fn every_size_and_device_gives_the_same_bits() {
    let devices = devices();
    for sink in KERNELS {
        let kernel = kernel(sink);
        for rows in SIZES {
            for device in &devices {
                check(device, &kernel, inputs(&kernel, rows));
            }
        }
    }
}

#[test]
fn many_rows_give_the_same_bits() {
    let device = CpuDevice::new(CpuOptions { threads: Some(3), ..CpuOptions::default() });
    for sink in &KERNELS[2..] {
        let kernel = kernel(sink);
        for rows in LARGE_SIZES {
            check(&device, &kernel, inputs(&kernel, rows));
        }
    }
}

#[test]
fn streamed_outputs_have_the_same_bits() {
    let kernel = kernel("mask v5\nsink store v0, v1, v2, v3, v6");
    for isa in [Isa::Avx2, Isa::Avx512] {
        let mut device = CpuDevice::new(CpuOptions { isa: Some(isa), ..CpuOptions::default() });
        device.shared.cache_bytes = 0;
        // The layouts of every fourth seed include the device's own buffers, which are aligned.
        for rows in [1, 17, 65, 257, 4097, 9001] {
            check(&device, &kernel, inputs(&kernel, rows));
        }
    }
}

#[test]
fn float_sums_do_not_depend_on_threads_and_morsels() {
    let kernel = kernel("mask v5\nsink reduce sum(v3), sum(v0)");
    let inputs = inputs(&kernel, 700_001);
    let results: Vec<_> = devices().iter().map(|device| run(device, &kernel, &inputs).result.rows).collect();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}
