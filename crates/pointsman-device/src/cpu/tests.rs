//! The CPU device against the interpreter: sizes, layouts, threads, instruction sets, faults and bad arguments.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::convert::{Layout, OwnedChunk, OwnedOutput};
use crate::host::BoolLayout;
use crate::launch::{ColumnInput, ColumnOutput, Faulted, Form, TableInput, capacity};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, BuiltTable, Fault};
use pointsman_ir::random::{self, Case, OwnedInputs, Profile, Rng, SideTables};
use pointsman_ir::types::{DType, Scalar, Type};

/// What a run gives: the rows and the nodes, or where it faulted.
type Result = std::result::Result<(TableData, TableData), Faulted>;

/// Opaque columns hold the numbers of their rows.
fn number_opaque(inputs: &mut OwnedInputs) {
    for column in inputs.columns.iter_mut().filter(|column| column.dtype == DType::Opaque) {
        let ty = column.ty();
        let numbers = column.iter().zip(inputs.first_row..).map(|(value, row)| value.map(|_| Scalar::U64(row)));
        *column = ColumnData::from_scalars(ty, numbers.collect::<Vec<_>>());
    }
}

fn oracle(kernel: &Kernel, inputs: &OwnedInputs, form: Form) -> Result {
    let tables: Vec<BuiltTable> = (kernel.tables.iter().zip(&inputs.tables))
        .map(|(side, table)| match side.keys.is_empty() {
            true => BuiltTable::plain(table.columns.clone()),
            false => BuiltTable::new(side, table.clone()),
        })
        .collect();
    let OwnedInputs { columns, params, lists, first_row, rows, .. } = inputs;
    let given = interpret::Inputs { columns, params, lists, tables: &tables, first_row: *first_row, rows: *rows };
    let fault = |fault: Fault| fault.row.map_or(Faulted::Fold(usize::MAX), Faulted::Row);
    let partial = interpret::partial(kernel, &given).map_err(fault)?;
    match form {
        Form::Partial => Ok((partial.rows, partial.nodes)),
        Form::Whole => Ok((interpret::finish(kernel, partial).map_err(fault)?, TableData::default())),
    }
}

/// Cuts a column into pieces.
fn pieces(rng: &mut Rng, column: &ColumnData) -> Vec<OwnedChunk> {
    let rows = column.len();
    let most = rng.pick(&[rows.max(1), rows.max(1), 1000, 7.max(rows / 50)]);
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < rows || chunks.is_empty() {
        let end = rows.min(start + 1 + rng.below(most));
        let layout = Layout {
            byte_offset: rng.pick(&[0, 0, 1, 3, 16]),
            bit_offset: rng.pick(&[0, 1, 5, 8, 13]),
            bools: rng.pick(&[BoolLayout::Bits, BoolLayout::Bytes]),
        };
        chunks.push(OwnedChunk::new(column, start..end, layout));
        start = end;
    }
    chunks
}

fn run(device: &CpuDevice, kernel: &Kernel, inputs: &OwnedInputs, form: Form, rng: &mut Rng) -> DeviceResult<Result> {
    let stream = device.open_stream(Priority::Normal)?;
    let program = device.load(&device.compile(kernel)?)?;
    let owned: Vec<Vec<OwnedChunk>> = inputs.columns.iter().map(|column| pieces(rng, column)).collect();
    let lists: Vec<Vec<OwnedChunk>> = inputs.lists.iter().map(|column| pieces(rng, column)).collect();
    let tables: Vec<Vec<Vec<OwnedChunk>>> = (kernel.tables.iter().zip(&inputs.tables))
        .map(|(side, table)| {
            let skip = table.columns.len() - side.columns.len();
            table.columns[skip..].iter().map(|column| pieces(rng, column)).collect()
        })
        .collect();
    let chunks = |owned: &[Vec<OwnedChunk>]| -> Vec<Vec<crate::HostChunk<'static>>> {
        owned.iter().map(|chunks| chunks.iter().map(|chunk| leak(chunk)).collect()).collect()
    };
    let (columns, lists) = (chunks(&owned), chunks(&lists));
    let tables: Vec<Vec<Vec<crate::HostChunk<'_>>>> = tables.iter().map(|columns| chunks(columns)).collect();
    let host = |chunks: &'_ [Vec<crate::HostChunk<'static>>]| -> Vec<ColumnInput<'static>> {
        chunks.iter().map(|chunks| ColumnInput::Host(Box::leak(chunks.clone().into_boxed_slice()))).collect()
    };
    let table_columns: Vec<Vec<ColumnInput<'_>>> = tables.iter().map(|columns| host(columns)).collect();
    let table_inputs: Vec<TableInput<'_>> = (table_columns.iter().zip(&inputs.tables))
        .map(|(columns, table)| TableInput { keys: &[], columns, rows: table.rows })
        .collect();
    let (row_types, node_types) = match form {
        Form::Whole => (kernel.output(), Vec::new()),
        Form::Partial => (kernel.partial().rows, kernel.partial().nodes),
    };
    let (rows, nodes) = capacity(kernel, form, inputs.rows);
    let mut owned_output = |ty: &Type, rows: usize| {
        OwnedOutput::new(*ty, rows, rng.pick(&[BoolLayout::Bits, BoolLayout::Bytes]), rng.pick(&[0, 0, 1, 16]))
    };
    let mut results: Vec<OwnedOutput> = row_types.iter().map(|ty| owned_output(ty, rows)).collect();
    results.extend(node_types.iter().map(|ty| owned_output(ty, nodes)));
    let (columns, lists) = (host(&columns), host(&lists));
    let pending = {
        let mut outputs: Vec<ColumnOutput<'_>> = results.iter_mut().map(OwnedOutput::output).collect();
        device.launch(
            stream,
            program,
            &mut Launch {
                first_row: inputs.first_row,
                rows: inputs.rows,
                form,
                columns: &columns,
                params: &inputs.params,
                lists: &lists,
                tables: &table_inputs,
                outputs: &mut outputs,
            },
        )?
    };
    device.unload(program);
    let Pending::Done(outcome) = pending else { panic!("the CPU's launches are done at once") };
    if let Some(fault) = outcome.fault {
        return Ok(Err(fault));
    }
    let (row_results, node_results) = results.split_at(row_types.len());
    let read = |results: &[OwnedOutput], rows: usize| {
        for result in results {
            assert_eq!(result.undefined_byte(rows), None);
        }
        TableData { columns: results.iter().map(|result| result.column(rows)).collect(), rows }
    };
    Ok(Ok((read(row_results, outcome.rows), read(node_results, outcome.nodes))))
}

/// A piece that lives as long as the test.
fn leak(chunk: &OwnedChunk) -> crate::HostChunk<'static> {
    Box::leak(Box::new(chunk.clone())).chunk()
}

fn check_case(device: &CpuDevice, case: &mut Case, form: Form) {
    number_opaque(&mut case.inputs);
    let expected = oracle(&case.kernel, &case.inputs, form);
    let mut rng = Rng::new(case.seed);
    let got = run(device, &case.kernel, &case.inputs, form, &mut rng).unwrap();
    let same = match (&expected, &got) {
        (Err(Faulted::Fold(_)), Err(Faulted::Fold(_))) => true,
        (expected, got) => expected == got,
    };
    let shown = |result: &Result| result.as_ref().map(|_| "a table").map_err(|fault| *fault);
    if !same {
        let mut detail = String::new();
        if let (Ok(expected), Ok(got)) = (&expected, &got) {
            detail = first_difference(&expected.0, &got.0).or_else(|| first_difference(&expected.1, &got.1)).unwrap();
        }
        panic!(
            "seed {} {form:?}: expected {:?}, got {:?}: {detail}\n{}",
            case.seed,
            shown(&expected),
            shown(&got),
            case.kernel.print()
        );
    }
}

fn first_difference(expected: &TableData, got: &TableData) -> Option<String> {
    if expected.rows != got.rows {
        return Some(format!("{} rows, not {}", got.rows, expected.rows));
    }
    for (number, (a, b)) in expected.columns.iter().zip(&got.columns).enumerate() {
        if a.ty() != b.ty() {
            return Some(format!("column {number} is {}, not {}", b.ty(), a.ty()));
        }
        if let Some(row) = (0..expected.rows).find(|&row| a.get(row) != b.get(row)) {
            return Some(format!("column {number} row {row}: {:?}, not {:?}", b.get(row), a.get(row)));
        }
    }
    None
}

fn devices() -> Vec<CpuDevice> {
    let mut devices = Vec::new();
    for (threads, morsel_rows, isa) in [
        (1, None, None),
        (2, Some(4096), Some(Isa::Baseline)),
        (7, Some(8192), Some(Isa::Avx2)),
        (2, None, Some(Isa::Avx512)),
    ] {
        devices.push(CpuDevice::new(CpuOptions { threads: Some(threads), morsel_rows, isa, pool_bytes: None }));
    }
    devices
}

#[test]
fn random_kernels_give_the_bits_of_the_interpreter() {
    let mut profile = Profile::streaming();
    profile.side_tables = SideTables::Gather;
    let devices = devices();
    let from = std::env::var("POINTSMAN_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0u64);
    let count = std::env::var("POINTSMAN_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(600);
    for seed in from..from + count {
        let mut case = random::case(seed, &profile);
        let device = &devices[seed as usize % devices.len()];
        check_case(device, &mut case, if seed % 3 == 0 { Form::Partial } else { Form::Whole });
    }
}
