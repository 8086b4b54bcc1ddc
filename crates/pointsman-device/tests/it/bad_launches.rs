//! Invalid launches, at random and by hand: every one is an error or a result, none a panic.
#![allow(clippy::unwrap_used)]

use pointsman_device::convert::{Layout, OwnedChunk, OwnedOutput};
use pointsman_device::cpu::{CpuDevice, CpuOptions};
use pointsman_device::launch::{FaultLocation, capacity};
use pointsman_device::sim::{SimDevice, SimOptions};
use pointsman_device::*;
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS};
use pointsman_ir::random::{Profile, Rng, SideTables, case};
use pointsman_ir::types::{DType, Scalar};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Values that replace sizes and offsets.
const SIZES: [usize; 9] = [0, 1, 7, 4097, 1 << 33, usize::MAX / 16 + 1, usize::MAX / 8 + 1, usize::MAX - 7, usize::MAX];

fn load(device: &dyn Device, kernel: &Kernel) -> (StreamId, ProgramId) {
    let program = device.load(&device.compile(kernel).unwrap()).unwrap();
    (device.open_stream(Priority::Normal).unwrap(), program)
}

/// The columns of a case, each in one chunk that may have been damaged.
fn damaged<'a>(rng: &mut Rng, owned: &'a [OwnedChunk], often: u32) -> Vec<[HostChunk<'a>; 1]> {
    let mut damage = |chunk: &'a OwnedChunk| {
        let mut chunk = chunk.chunk();
        if rng.chance(often) {
            match rng.below(6) {
                0 => chunk.rows = rng.pick(&SIZES),
                1 => chunk.values = &chunk.values[..rng.below(chunk.values.len() + 1)],
                2 => chunk.values = &[],
                3 => chunk.bit_offset = rng.pick(&SIZES),
                4 => chunk.validity = chunk.validity.map(|bits| Bits { offset: rng.pick(&SIZES), ..bits }),
                _ => chunk.validity = Some(Bits { bytes: &[], offset: 0 }),
            }
        }
        [chunk]
    };
    owned.iter().map(&mut damage).collect()
}

/// The number of rows of a launch: mostly right. Numbers that would take years to count to are left out.
fn rows_of(rng: &mut Rng, kernel: &Kernel, rows: usize) -> usize {
    let bounded = kernel.columns.iter().any(|ty| ty.dtype != DType::Opaque);
    let other = rng.pick(&SIZES);
    let wanted = if rng.chance(80) { rows } else { rng.pick(&[rows + 1, rows.saturating_sub(1), other]) };
    if bounded { wanted } else { wanted.min(100_000) }
}

fn attempt(device: &CpuDevice, seed: u64, profile: &Profile) {
    let case = case(seed, profile);
    let (kernel, inputs) = (&case.kernel, &case.inputs);
    let rng = &mut Rng::new(seed ^ 0x5eed);
    let chunk = |column: &ColumnData| OwnedChunk::new(column, 0..column.len(), Layout::default());
    let whole = |columns: &[ColumnData]| columns.iter().map(chunk).collect::<Vec<_>>();
    let (columns, lists) = (whole(&inputs.columns), whole(&inputs.lists));
    let tables: Vec<Vec<OwnedChunk>> = inputs.tables.iter().map(|table| whole(&table.columns)).collect();
    let often = rng.pick(&[0, 10, 50]);
    let columns = damaged(rng, &columns, often);
    let lists = damaged(rng, &lists, often);
    let tables: Vec<_> = tables.iter().map(|table| damaged(rng, table, often)).collect();
    let host = |chunks: &'_ [[HostChunk<'_>; 1]]| -> Vec<ColumnInput<'static>> {
        chunks.iter().map(|chunk| ColumnInput::Host(leaked(chunk))).collect()
    };
    let (mut columns, mut lists) = (host(&columns), host(&lists));
    let table_columns: Vec<_> = tables.iter().map(|table| host(table)).collect();
    let mut tables = Vec::new();
    for (columns, table) in table_columns.iter().zip(&inputs.tables) {
        let rows = if rng.chance(90) { table.rows } else { rng.pick(&SIZES) };
        let columns = if rng.chance(90) { &columns[..] } else { &columns[..columns.len() / 2] };
        tables.push(TableInput { index: None, columns, rows });
    }
    let form = rng.pick(&[Form::Whole, Form::Partial]);
    let rows = rows_of(rng, kernel, inputs.rows);
    let (row_room, node_room) = capacity(kernel, form, inputs.rows);
    let (row_types, node_types) = match form {
        Form::Whole => (kernel.output(), Vec::new()),
        Form::Partial => (kernel.partial().rows, kernel.partial().nodes),
    };
    let rooms = row_types.iter().map(|ty| (ty, row_room)).chain(node_types.iter().map(|ty| (ty, node_room)));
    let mut owned: Vec<OwnedOutput> =
        rooms.map(|(ty, room)| OwnedOutput::new(*ty, room, BoolLayout::Bits, 0)).collect();
    let mut outputs: Vec<ColumnOutput<'_>> = owned.iter_mut().map(OwnedOutput::output).collect();
    let mut params = inputs.params.clone();
    if rng.chance(often) {
        match rng.below(6) {
            0 => drop(columns.pop()),
            1 => drop(lists.pop()),
            2 => drop(outputs.pop()),
            3 => drop(params.pop()),
            4 => params.iter_mut().for_each(|param| *param = None),
            _ => {
                if let Some(ColumnOutput::Host { values, validity, .. }) = outputs.last_mut() {
                    *values = &mut [];
                    *validity = None;
                }
            }
        }
    }
    let nowhere = BufferRange { buffer: BufferId(rng.below(4) as u64), offset: u64::MAX, bytes: 9 };
    if rng.chance(often / 10) && !columns.is_empty() {
        columns[0] = ColumnInput::Device { values: nowhere, validity: None, rows };
    }
    let first_row = rng.pick(&[inputs.first_row, inputs.first_row, 1, 1 << 63, u64::MAX - u64::MAX % 4096, u64::MAX]);
    let (stream, program) = load(device, kernel);
    let mut launch = Launch {
        first_row,
        rows,
        first_match: 0,
        form,
        columns: &columns,
        params: &params,
        lists: &lists,
        tables: &tables,
        outputs: &mut outputs,
    };
    let _ = device.launch(stream, program, &mut launch);
    device.unload(program);
    device.close_stream(stream);
}

/// A chunk that lives as long as the test.
fn leaked(chunk: &[HostChunk<'_>; 1]) -> &'static [HostChunk<'static>] {
    let bytes = |bytes: &[u8]| -> &'static [u8] { Box::leak(bytes.to_vec().into_boxed_slice()) };
    let chunk = HostChunk {
        values: bytes(chunk[0].values),
        bools: chunk[0].bools,
        bit_offset: chunk[0].bit_offset,
        validity: chunk[0].validity.map(|bits| Bits { bytes: bytes(bits.bytes), offset: bits.offset }),
        rows: chunk[0].rows,
    };
    Box::leak(Box::new([chunk]))
}

#[test]
fn randomly_damaged_launches_never_panic() {
    let sizes = [(0, 1), (1, 1), (65, 4), (4097, 1), (9_000, 1)];
    let mut profile = Profile::streaming().with_rows(&sizes);
    profile.side_tables = SideTables::Gather;
    let options = |threads| CpuOptions { threads: Some(threads), morsel_rows: Some(4096), ..CpuOptions::default() };
    let devices = [CpuDevice::new(options(1)), CpuDevice::new(options(3))];
    let mut panicked = Vec::new();
    for seed in 0..4_000 {
        let device = &devices[seed as usize % 2];
        if catch_unwind(AssertUnwindSafe(|| attempt(device, seed, &profile))).is_err() {
            panicked.push(seed);
        }
    }
    assert!(panicked.is_empty(), "these seeds panic: {panicked:?}");
}

const LOOKUP: &str = "kernel
columns c0: u32
lists l0: TYPE
  v0: u32 = column c0
  v1: TYPE = lookup l0 v0
sink store v1
";

#[test]
fn a_lookup_into_an_empty_table_faults() {
    for (ty, bytes) in [("i8", 1), ("i16", 2), ("f32", 4), ("i64", 8), ("decimal(38,0)", 16)] {
        let device = CpuDevice::default();
        let (stream, program) = load(&device, &parse(&LOOKUP.replace("TYPE", ty)).unwrap());
        let chunk = |values, rows| HostChunk { values, bools: BoolLayout::Bits, bit_offset: 0, validity: None, rows };
        let (column, list) = ([chunk(&[0; 12], 3)], [chunk(&[], 0)]);
        for list in [&list[..], &[]] {
            let mut room = vec![0; 3 * bytes];
            let mut outputs = [ColumnOutput::Host { values: &mut room, bools: BoolLayout::Bits, validity: None }];
            let mut launch = Launch {
                first_row: 0,
                rows: 3,
                first_match: 0,
                form: Form::Whole,
                columns: &[ColumnInput::Host(&column)],
                params: &[],
                lists: &[ColumnInput::Host(list)],
                tables: &[],
                outputs: &mut outputs,
            };
            let Ok(LaunchStatus::Done(outcome)) = device.launch(stream, program, &mut launch) else { panic!("{ty}") };
            assert_eq!(outcome.fault, Some(FaultLocation::Row(0)), "{ty}");
        }
    }
}

const GATHER: &str = "kernel
columns c0: u64
tables t0: keys() columns(opaque)
  v0: u64 = column c0
  v1: opaque = gather t0.0 v0
sink store v1
";

/// Opaque values that equal their row numbers take no memory, however many rows their table reports.
#[test]
fn a_table_of_row_numbers_may_have_any_size() {
    let text = GATHER;
    let device = CpuDevice::default();
    let (stream, program) = load(&device, &parse(text).unwrap());
    for rows in [1 << 45, usize::MAX / 8 + 1, usize::MAX] {
        let chunk = |values, rows| HostChunk { values, bools: BoolLayout::Bits, bit_offset: 0, validity: None, rows };
        let index = 5u64.to_le_bytes();
        let (column, table) = ([chunk(&index, 1)], [chunk(&[], rows)]);
        let mut room = [0; 8];
        let mut outputs = [ColumnOutput::Host { values: &mut room, bools: BoolLayout::Bits, validity: None }];
        let columns = [ColumnInput::Host(&table)];
        let mut launch = Launch {
            first_row: 0,
            rows: 1,
            first_match: 0,
            form: Form::Whole,
            columns: &[ColumnInput::Host(&column)],
            params: &[],
            lists: &[],
            tables: &[TableInput { index: None, columns: &columns, rows }],
            outputs: &mut outputs,
        };
        let got = device.launch(stream, program, &mut launch).map_err(|error| error.kind);
        assert_eq!(got, Err(DeviceErrorKind::OutOfMemory), "{rows}");
    }
}

const FAULT_AT_ONCE: &str = "kernel
params p0: u64
  v0: u64 = row_index
  v1: u64 = param p0
  v2: u64 = div v0 v1
sink reduce max(v2)
";

/// More rows than the address space has bytes: the fault of the first row ends the launch, and nothing overflows.
#[test]
fn the_maximum_number_of_rows_does_not_overflow() {
    for threads in [1, 2] {
        let device = CpuDevice::new(CpuOptions { threads: Some(threads), ..CpuOptions::default() });
        let (stream, program) = load(&device, &parse(FAULT_AT_ONCE).unwrap());
        for rows in [1 << 40, usize::MAX - 4096, usize::MAX] {
            let (mut room, mut bits) = ([0; 8], [0; 1]);
            let output = ColumnOutput::Host { values: &mut room, bools: BoolLayout::Bits, validity: Some(&mut bits) };
            let mut launch = Launch {
                first_row: 0,
                rows,
                first_match: 0,
                form: Form::Whole,
                columns: &[],
                params: &[Some(Scalar::U64(0))],
                lists: &[],
                tables: &[],
                outputs: &mut [output],
            };
            let Ok(LaunchStatus::Done(outcome)) = device.launch(stream, program, &mut launch) else { panic!("{rows}") };
            assert_eq!(outcome.fault, Some(FaultLocation::Row(0)), "{rows}");
        }
    }
}

/// The last possible rows have numbers too.
#[test]
fn rows_up_to_the_largest_row_number_run() {
    let text = "kernel\n  v0: u64 = row_index\nsink store v0\n";
    let device = CpuDevice::default();
    let (stream, program) = load(&device, &parse(text).unwrap());
    let rows = 3 * LEAF_ROWS;
    let first_row = u64::MAX - rows as u64;
    let mut room = vec![0; rows * 8];
    let mut outputs = [ColumnOutput::Host { values: &mut room, bools: BoolLayout::Bits, validity: None }];
    let mut launch = Launch {
        first_row,
        rows,
        first_match: 0,
        form: Form::Whole,
        columns: &[],
        params: &[],
        lists: &[],
        tables: &[],
        outputs: &mut outputs,
    };
    device.launch(stream, program, &mut launch).unwrap();
    assert_eq!(room[rows * 8 - 8..], (u64::MAX - 1).to_le_bytes());
}

/// The simulated device refuses sizes that no memory holds.
#[test]
fn the_simulated_device_refuses_impossible_sizes() {
    let text = "kernel\ncolumns c0: i64\n  v0: i64 = column c0\nsink reduce sum(v0)\n";
    let device = SimDevice::new(SimOptions::default());
    let (stream, program) = load(&device, &parse(text).unwrap());
    let buffer = device.allocate(64).unwrap();
    let values = BufferRange { buffer, offset: 0, bytes: 64 };
    for (rows, column_rows) in [(1 << 61, 1 << 61), (usize::MAX, usize::MAX), (4, usize::MAX), (usize::MAX, 8)] {
        let mut outputs = [ColumnOutput::Device { values, validity: None }];
        let mut launch = Launch {
            first_row: 0,
            rows,
            first_match: 0,
            form: Form::Whole,
            columns: &[ColumnInput::Device { values, validity: None, rows: column_rows }],
            params: &[],
            lists: &[],
            tables: &[],
            outputs: &mut outputs,
        };
        let got = device.launch(stream, program, &mut launch).map_err(|error| error.kind);
        assert_eq!(got, Err(DeviceErrorKind::InvalidArgument), "{rows} rows, a column of {column_rows}");
    }
}

/// A pool without a limit returns an error if there is no memory; it does not abort the process.
#[test]
fn memory_that_is_not_there() {
    let device = CpuDevice::new(CpuOptions { pool_bytes: Some(usize::MAX), ..CpuOptions::default() });
    for bytes in [1 << 46, isize::MAX as usize - 4096, usize::MAX] {
        let got = device.allocate(bytes).map_err(|error| error.kind);
        assert_eq!(got, Err(DeviceErrorKind::OutOfMemory), "{bytes}");
    }
    assert_eq!(device.memory().used, 0);
}
