//! The CPU device against the interpreter: sizes, layouts, threads, instruction sets, faults and bad arguments.
#![allow(clippy::unwrap_used)]

mod arguments;
mod faults;
mod harness;
mod sizes;

use super::{CpuDevice, CpuOptions, Isa};
use crate::launch::Form;
use harness::{check, devices};
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::parse;
use pointsman_ir::random::{self, OwnedInputs, Profile, Rng, SideTables, values};
use pointsman_ir::types::{DType, Scalar};

/// How many random kernels each test run takes; the conformance suite takes more.
const KERNELS: u64 = 400;

#[test]
fn random_kernels_give_the_bits_of_the_interpreter() {
    let mut profile = Profile::streaming();
    profile.side_tables = SideTables::Gather;
    let devices = devices();
    let mut faulted = 0;
    for seed in 0..KERNELS {
        let case = random::case(seed, &profile);
        let device = &devices[seed as usize % devices.len()];
        let form = if seed % 3 == 0 { Form::Partial } else { Form::Whole };
        faulted += usize::from(check(device, &case.kernel, case.inputs, form, seed).is_err());
    }
    assert!(faulted > 0 && faulted < KERNELS as usize / 2, "{faulted} kernels faulted");
}

#[test]
fn long_bodies_compile_and_run() {
    let mut text = "kernel\ncolumns c0: i64\n  v0: i64 = column c0\n".to_string();
    for i in 1..10_000 {
        text += &match i % 3 {
            0 => format!("  v{i}: i64 = const {i}\n"),
            1 => format!("  v{i}: i64 = add v{} v{}\n", i - 1, i.max(2) - 2),
            _ => format!("  v{i}: i64 = bit_xor v{} v{}\n", i - 1, i - 2),
        };
    }
    let kernel = parse::parse(&(text + "sink store v9999\n")).unwrap();
    let mut rng = Rng::new(1);
    let columns = vec![values::column(&mut rng, kernel.columns[0], 100)];
    let (params, lists, tables) = (Vec::new(), Vec::new(), Vec::new());
    let inputs = OwnedInputs { columns, params, lists, tables, first_row: 0, rows: 100 };
    check(&CpuDevice::default(), &kernel, inputs, Form::Whole, 1).unwrap();
}

#[test]
fn rows_that_the_mask_drops_do_not_iterate() {
    // An endless loop but for its bound, in rows that are dropped: at a microsecond an iteration this would take a minute.
    let text = "kernel\ncolumns c0: i32\n  v0: i32 = column c0\n  v1: i32 = const 0\n  v2: bool = lt v0 v1\n  \
                v3 = loop 16777216 (i32 = v0) {\n    v4: i32 = carried v3.0\n    v5: i32 = const 0\n    \
                v6: bool = ge v4 v5\n    while v6\n    next v4\n  }\n  v7: i32 = result v3.0\nmask v2\nsink compact v7\n";
    let kernel = parse::parse(text).unwrap();
    let values = (-500..500).map(|value| Some(Scalar::I32(value)));
    let columns = vec![ColumnData::from_scalars(DType::I32.required(), values)];
    let (params, lists, tables) = (Vec::new(), Vec::new(), Vec::new());
    let inputs = OwnedInputs { columns, params, lists, tables, first_row: 0, rows: 1000 };
    let (rows, _) = check(&CpuDevice::default(), &kernel, inputs, Form::Whole, 1).unwrap();
    assert_eq!(rows.rows, 500);
}

#[test]
fn a_level_is_never_above_the_processor() {
    for isa in [Isa::Baseline, Isa::Avx2, Isa::Avx512] {
        let device = CpuDevice::new(CpuOptions { isa: Some(isa), ..CpuOptions::default() });
        assert!(device.level.isa() <= isa.min(Isa::detect()));
    }
}
