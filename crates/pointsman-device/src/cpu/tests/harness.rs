//! Takes kernels through the CPU device: borrowed memory in every layout, poisoned outputs, the interpreter's word.

use super::super::{CpuDevice, CpuOptions, Isa};
use crate::convert::{Layout, OwnedChunk, OwnedOutput};
use crate::host::{BoolLayout, HostChunk};
use crate::launch::{ColumnInput, ColumnOutput, Faulted, Form, Launch, Outcome, Pending, TableInput, capacity};
use crate::{Device, DeviceResult, Priority};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, BuiltTable, Fault};
use pointsman_ir::kernel::Kernel;
use pointsman_ir::random::{OwnedInputs, Rng};
use pointsman_ir::types::{DType, Scalar, Type};

/// What a run gives: the rows and the nodes, or where it faulted.
pub(super) type Ran = Result<(TableData, TableData), Faulted>;

/// Devices of other thread counts, morsels and instruction sets.
pub(super) fn devices() -> Vec<CpuDevice> {
    let device = |threads, morsel_rows, isa| {
        CpuDevice::new(CpuOptions { threads: Some(threads), morsel_rows, isa, pool_bytes: None })
    };
    vec![
        device(1, None, None),
        device(2, Some(4096), Some(Isa::Baseline)),
        device(7, Some(8192), Some(Isa::Avx2)),
        device(2, None, Some(Isa::Avx512)),
        device(1, Some(1), Some(Isa::Baseline)),
    ]
}

/// Runs a kernel on a device and in the interpreter: the same bits, or the same fault.
pub(super) fn check(device: &CpuDevice, kernel: &Kernel, mut inputs: OwnedInputs, form: Form, seed: u64) -> Ran {
    number_opaque(&mut inputs);
    let expected = oracle(kernel, &inputs, form);
    let got = run(device, kernel, &inputs, form, &mut Rng::new(seed)).unwrap();
    let shown = || format!("seed {seed}, {} rows, {form:?}\n{}", inputs.rows, kernel.print());
    match (&expected, &got) {
        (Ok(expected), Ok(got)) => {
            let difference = difference(&expected.0, &got.0).or_else(|| difference(&expected.1, &got.1));
            assert_eq!(difference, None, "{}", shown());
        }
        // The interpreter does not say which fold it was.
        (Err(Faulted::Fold(_)), Err(Faulted::Fold(_))) => {}
        (expected, got) => {
            let (expected, got) = (expected.as_ref().err(), got.as_ref().err());
            assert_eq!(expected, got, "faults; {}", shown());
        }
    }
    assert_eq!(device.pool().counters().outstanding_bytes, 0, "a launch gives its memory back");
    got
}

/// Opaque columns hold the numbers of their rows.
fn number_opaque(inputs: &mut OwnedInputs) {
    for column in inputs.columns.iter_mut().filter(|column| column.dtype == DType::Opaque) {
        let numbers = column.iter().zip(inputs.first_row..).map(|(value, row)| value.map(|_| Scalar::U64(row)));
        *column = ColumnData::from_scalars(column.ty(), numbers.collect::<Vec<_>>());
    }
}

fn oracle(kernel: &Kernel, inputs: &OwnedInputs, form: Form) -> Ran {
    let built = |(side, table): (&pointsman_ir::kernel::SideTable, &TableData)| match side.keys.is_empty() {
        true => BuiltTable::plain(table.columns.clone()),
        false => BuiltTable::new(side, table.clone()),
    };
    let tables: Vec<BuiltTable> = kernel.tables.iter().zip(&inputs.tables).map(built).collect();
    let OwnedInputs { columns, params, lists, first_row, rows, .. } = inputs;
    let given = interpret::Inputs { columns, params, lists, tables: &tables, first_row: *first_row, rows: *rows };
    let fault = |fault: Fault| fault.row.map_or(Faulted::Fold(0), Faulted::Row);
    let partial = interpret::partial(kernel, &given).map_err(fault)?;
    match form {
        Form::Partial => Ok((partial.rows, partial.nodes)),
        Form::Whole => Ok((interpret::finish(kernel, partial).map_err(fault)?, TableData::default())),
    }
}

/// Columns in pieces of random size, offset and alignment.
struct Pieces(Vec<Vec<OwnedChunk>>);

impl Pieces {
    fn new<'a>(rng: &mut Rng, columns: impl IntoIterator<Item = &'a ColumnData>) -> Pieces {
        Pieces(columns.into_iter().map(|column| cut(rng, column)).collect())
    }

    fn chunks(&self) -> Vec<Vec<HostChunk<'_>>> {
        self.0.iter().map(|chunks| chunks.iter().map(OwnedChunk::chunk).collect()).collect()
    }
}

fn cut(rng: &mut Rng, column: &ColumnData) -> Vec<OwnedChunk> {
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

fn host<'a>(chunks: &'a [Vec<HostChunk<'a>>]) -> Vec<ColumnInput<'a>> {
    chunks.iter().map(|chunks| ColumnInput::Host(chunks)).collect()
}

/// Runs a kernel over pieces of its inputs, into poisoned memory.
pub(super) fn run(
    device: &CpuDevice,
    kernel: &Kernel,
    inputs: &OwnedInputs,
    form: Form,
    rng: &mut Rng,
) -> DeviceResult<Ran> {
    let columns = Pieces::new(rng, &inputs.columns);
    let lists = Pieces::new(rng, &inputs.lists);
    let tables: Vec<Pieces> = (kernel.tables.iter().zip(&inputs.tables))
        .map(|(side, table)| Pieces::new(rng, &table.columns[table.columns.len() - side.columns.len()..]))
        .collect();
    let (row_types, node_types) = match form {
        Form::Whole => (kernel.output(), Vec::new()),
        Form::Partial => (kernel.partial().rows, kernel.partial().nodes),
    };
    let (rows, nodes) = capacity(kernel, form, inputs.rows);
    let mut room = |ty: &Type, rows: usize| {
        OwnedOutput::new(*ty, rows, rng.pick(&[BoolLayout::Bits, BoolLayout::Bytes]), rng.pick(&[0, 0, 1, 16]))
    };
    let mut results: Vec<OwnedOutput> = row_types.iter().map(|ty| room(ty, rows)).collect();
    results.extend(node_types.iter().map(|ty| room(ty, nodes)));
    let table_chunks: Vec<_> = tables.iter().map(Pieces::chunks).collect();
    let table_columns: Vec<_> = table_chunks.iter().map(|chunks| host(chunks)).collect();
    let tables: Vec<TableInput<'_>> = (table_columns.iter().zip(&inputs.tables))
        .map(|(columns, table)| TableInput { keys: &[], columns, rows: table.rows })
        .collect();
    let (columns, lists) = (columns.chunks(), lists.chunks());
    let outcome = launch(device, kernel, inputs, form, [&host(&columns), &host(&lists)], &tables, &mut results)?;
    if let Some(fault) = outcome.fault {
        return Ok(Err(fault));
    }
    let (row_results, node_results) = results.split_at(row_types.len());
    Ok(Ok((read(row_results, outcome.rows), read(node_results, outcome.nodes))))
}

fn launch(
    device: &CpuDevice,
    kernel: &Kernel,
    inputs: &OwnedInputs,
    form: Form,
    [columns, lists]: [&[ColumnInput<'_>]; 2],
    tables: &[TableInput<'_>],
    results: &mut [OwnedOutput],
) -> DeviceResult<Outcome> {
    let stream = device.open_stream(Priority::Normal)?;
    let program = device.load(&device.compile(kernel)?)?;
    let mut outputs: Vec<ColumnOutput<'_>> = results.iter_mut().map(OwnedOutput::output).collect();
    let (first_row, rows, params) = (inputs.first_row, inputs.rows, &inputs.params[..]);
    let mut launch = Launch { first_row, rows, form, columns, params, lists, tables, outputs: &mut outputs };
    let pending = device.launch(stream, program, &mut launch)?;
    device.unload(program);
    device.close_stream(stream);
    match pending {
        Pending::Done(outcome) => Ok(outcome),
        Pending::Running(_) => panic!("the CPU's launches are done at once"),
    }
}

fn read(results: &[OwnedOutput], rows: usize) -> TableData {
    for result in results {
        assert_eq!(result.undefined_byte(rows), None);
    }
    TableData { columns: results.iter().map(|result| result.column(rows)).collect(), rows }
}

fn difference(expected: &TableData, got: &TableData) -> Option<String> {
    if expected.rows != got.rows {
        return Some(format!("{} rows, not {}", got.rows, expected.rows));
    }
    if expected.types() != got.types() {
        return Some(format!("types {:?}, not {:?}", got.types(), expected.types()));
    }
    for (number, (a, b)) in expected.columns.iter().zip(&got.columns).enumerate() {
        if let Some(row) = (0..expected.rows).find(|&row| a.get(row) != b.get(row)) {
            return Some(format!("column {number} row {row}: {:?}, not {:?}", b.get(row), a.get(row)));
        }
    }
    None
}
