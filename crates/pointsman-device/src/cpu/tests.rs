//! The CPU device against the interpreter: sizes, layouts, threads, instruction sets, faults and bad arguments.
#![allow(clippy::unwrap_used)]

mod arguments;
mod faults;
mod guard_pages;
mod min_max;
mod relational;
mod relational_limits;
mod scans;
mod sizes;

use super::{CpuDevice, CpuOptions, Isa};
use crate::conformance::differential::{compare_case, compare_parts};
use crate::conformance::layout::Shape;
use crate::conformance::run::{Ran, Run, load};
use crate::host::{BoolLayout, HostChunk};
use crate::launch::{ColumnInput, ColumnOutput, Form, Launch};
use crate::{Device, Priority};
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::{Kernel, parse};
use pointsman_ir::random::{Case, OwnedInputs, Rng, values};
use pointsman_ir::types::{DType, Scalar};

/// Devices with different thread counts, morsel sizes and instruction sets.
fn devices() -> Vec<CpuDevice> {
    let device = |threads, morsel_rows, isa| {
        CpuDevice::new(CpuOptions { threads: Some(threads), morsel_rows, isa, ..CpuOptions::default() })
    };
    vec![
        device(1, None, None),
        device(2, Some(4096), Some(Isa::Baseline)),
        device(7, Some(8192), Some(Isa::Avx2)),
        device(2, None, Some(Isa::Avx512)),
        device(1, Some(1), Some(Isa::Baseline)),
    ]
}

/// Inputs with columns only.
fn over(columns: Vec<ColumnData>, first_row: u64) -> OwnedInputs {
    let rows = columns[0].len();
    OwnedInputs { columns, params: Vec::new(), lists: Vec::new(), tables: Vec::new(), first_row, rows }
}

/// Runs a kernel on a device and in the interpreter, whole and in parts; checks that the bits are the same and that
/// nothing faults.
fn check(device: &CpuDevice, kernel: &Kernel, inputs: OwnedInputs) {
    let case = Case { seed: inputs.rows as u64, kernel: kernel.clone(), inputs };
    assert_eq!(compare_case(device, &case), Ok(false), "{} rows\n{}", case.inputs.rows, kernel.print());
    assert_eq!(
        compare_parts(&[device], &case, &mut Rng::new(1)),
        Ok(false),
        "{} rows\n{}",
        case.inputs.rows,
        kernel.print()
    );
    assert_eq!(device.pool().counters().outstanding_bytes, 0, "a launch gives its memory back");
}

/// Runs a kernel on a device.
fn run(device: &CpuDevice, kernel: &Kernel, inputs: &OwnedInputs) -> Ran {
    let program = load(device, kernel).unwrap();
    Run { device, program, kernel, inputs, form: Form::Whole, shape: Shape::Random(3) }.run().unwrap()
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
    check(&CpuDevice::default(), &kernel, over(columns, 0));
}

#[test]
fn rows_that_the_mask_drops_do_not_iterate() {
    // The loop ends only at its bound, in rows that are dropped: at a microsecond per iteration this would take a
    // minute.
    let text = "kernel\ncolumns c0: i32\n  v0: i32 = column c0\n  v1: i32 = const 0\n  v2: bool = lt v0 v1\n  \
                v3 = loop 16777216 (i32 = v0) {\n    v4: i32 = carried v3.0\n    v5: i32 = const 0\n    \
                v6: bool = ge v4 v5\n    while v6\n    next v4\n  }\n  v7: i32 = result v3.0\nmask v2\nsink compact v7\n";
    let kernel = parse::parse(text).unwrap();
    let values = (-500..500).map(|value| Some(Scalar::I32(value)));
    let columns = vec![ColumnData::from_scalars(DType::I32.required(), values)];
    let inputs = over(columns, 0);
    assert_eq!(run(&CpuDevice::default(), &kernel, &inputs).outcome.rows, 500);
    check(&CpuDevice::default(), &kernel, inputs);
}

#[test]
fn a_level_is_never_above_the_processor() {
    for isa in [Isa::Baseline, Isa::Avx2, Isa::Avx512] {
        let device = CpuDevice::new(CpuOptions { isa: Some(isa), ..CpuOptions::default() });
        assert!(device.level.isa() <= isa.min(Isa::detect()));
    }
}

#[test]
fn missing_opaque_values_are_row_numbers() {
    let kernel = parse::parse("kernel\ncolumns c0: opaque\n  v0: opaque = column c0\nsink store v0\n").unwrap();
    let device = CpuDevice::default();
    let program = load(&device, &kernel).unwrap();
    let piece = |rows| HostChunk { values: &[], bools: BoolLayout::Bits, bit_offset: 0, validity: None, rows };
    let (chunks, mut values) = ([piece(3), piece(2000)], vec![0; 2003 * 8]);
    let (columns, first_row, rows) = ([ColumnInput::Host(&chunks)], 4096, 2003);
    let mut outputs = [ColumnOutput::Host { values: &mut values, bools: BoolLayout::Bits, validity: None }];
    let (form, params, lists, tables) = (Form::Whole, &[], &[], &[]);
    let mut launch = Launch {
        first_row,
        rows,
        first_match: 0,
        form,
        columns: &columns,
        params,
        lists,
        tables,
        outputs: &mut outputs,
    };
    device.launch(device.open_stream(Priority::Normal).unwrap(), program, &mut launch).unwrap();
    let numbers = values.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()));
    assert!(numbers.eq(4096..4096 + 2003));
}
