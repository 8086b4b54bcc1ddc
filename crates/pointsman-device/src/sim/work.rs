//! Queued work: copies and launches, and their effect on the device's memory when they are due.

use super::fault::{LaunchFaults, SimFault};
use super::index::{self, SimIndex};
use crate::convert::{from_buffers, to_buffers, value_bytes};
use crate::host::{BoolLayout, HostBuffer};
use crate::launch::{ColumnInput, ColumnOutput, FaultLocation, Form, Launch, may_stop_early, output_room, room_min};
use crate::{BufferId, BufferRange, CopyId, DeviceError, DeviceResult, IndexId, LaunchId, Outcome};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, BuiltTable, CoveredRows, Fault, Inputs, Room};
use pointsman_ir::kernel::{Estimate, Kernel, Sink};
use pointsman_ir::types::{DType, Scalar, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of rows of a launch and of a table: columns of row numbers take no memory, so nothing else bounds
/// it.
const ROWS_MAX: usize = 1 << 32;

/// The device's memory.
pub(super) type SimMemory = BTreeMap<BufferId, Vec<u8>>;

/// A loaded program.
#[derive(Debug)]
pub(super) struct SimProgram {
    pub(super) kernel: Kernel,
    pub(super) estimate: Estimate,
}

/// Queued work.
#[derive(Debug)]
pub(super) enum Work {
    /// A copy to the device.
    CopyIn { from: Arc<HostBuffer>, to: BufferRange },
    /// A copy to the host.
    CopyOut { id: CopyId, from: Vec<BufferRange>, destination: HostBuffer },
    /// A launch.
    Launch(Box<QueuedLaunch>),
}

/// A queued launch.
#[derive(Debug)]
pub(super) struct QueuedLaunch {
    pub(super) id: LaunchId,
    program: Arc<SimProgram>,
    first_row: u64,
    rows: usize,
    first_match: u64,
    /// The maximum number of rows that the outputs hold, if the kernel may stop there.
    room: usize,
    form: Form,
    columns: Vec<DeviceColumn>,
    params: Vec<Option<Scalar>>,
    lists: Vec<DeviceColumn>,
    tables: Vec<SimTable>,
    outputs: Vec<DeviceColumn>,
    launch_faults: LaunchFaults,
    /// Bytes of scratch memory, which it gives back when it is done.
    pub(super) scratch: u64,
}

/// Another table of a launch.
#[derive(Debug)]
struct SimTable {
    index: Option<Arc<SimIndex>>,
    columns: Vec<DeviceColumn>,
    rows: usize,
}

/// A column in the device's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceColumn {
    values: BufferRange,
    validity: Option<BufferRange>,
    /// The number of rows of an input; `None` for outputs.
    rows: Option<usize>,
}

impl QueuedLaunch {
    /// Queues a launch; an error if it names host memory, or ranges that do not fit.
    pub(super) fn new(
        id: LaunchId,
        program: Arc<SimProgram>,
        launch: &Launch<'_, '_>,
        memory: &SimMemory,
        indexes: &BTreeMap<IndexId, Arc<SimIndex>>,
    ) -> DeviceResult<QueuedLaunch> {
        let kernel = &program.kernel;
        launch.check(kernel)?;
        let columns = |inputs: &[ColumnInput<'_>]| inputs.iter().map(input).collect::<DeviceResult<Vec<_>>>();
        let tables = launch.tables.iter().zip(&kernel.tables).map(|(table, side)| {
            let index = table.index.map(|id| index::find(indexes, id, &side.keys)).transpose()?;
            Ok(SimTable { index, columns: columns(table.columns)?, rows: table.rows })
        });
        let row_types = match launch.form {
            Form::Whole => kernel.output(),
            Form::Partial => kernel.partial().rows,
        };
        let queued = QueuedLaunch {
            id,
            first_row: launch.first_row,
            rows: launch.rows,
            first_match: launch.first_match,
            room: if may_stop_early(kernel) { output_room(launch.outputs, &row_types) } else { usize::MAX },
            form: launch.form,
            columns: columns(launch.columns)?,
            params: launch.params.to_vec(),
            lists: columns(launch.lists)?,
            tables: tables.collect::<DeviceResult<_>>()?,
            outputs: launch.outputs.iter().map(output).collect::<DeviceResult<_>>()?,
            launch_faults: LaunchFaults::default(),
            scratch: 0,
            program,
        };
        queued.check(memory)?;
        Ok(queued)
    }

    /// Adds faults to the launch.
    pub(super) fn with_faults(self, launch_faults: LaunchFaults) -> QueuedLaunch {
        QueuedLaunch { launch_faults, ..self }
    }

    /// Adds scratch memory, which was taken for the launch.
    pub(super) fn with_scratch(self, scratch: u64) -> QueuedLaunch {
        QueuedLaunch { scratch, ..self }
    }

    /// The types of the outputs, each with the number of rows that it must have room for.
    fn output_types(&self) -> Vec<(Type, usize)> {
        let kernel = &self.program.kernel;
        let (rows, nodes) = room_min(kernel, self.form, self.rows);
        let (row_types, node_types) = match self.form {
            Form::Whole => (kernel.output(), Vec::new()),
            Form::Partial => (kernel.partial().rows, kernel.partial().nodes),
        };
        let row_types = row_types.into_iter().map(|ty| (ty, rows));
        row_types.chain(node_types.into_iter().map(|ty| (ty, nodes))).collect()
    }

    fn check(&self, memory: &SimMemory) -> DeviceResult<()> {
        let kernel = &self.program.kernel;
        let most = self.tables.iter().map(|table| table.rows).fold(self.rows, usize::max);
        if most > ROWS_MAX {
            return Err(DeviceError::invalid(format!("{most} rows: the simulated device takes at most {ROWS_MAX}")));
        }
        for (column, ty) in self.columns.iter().zip(&kernel.columns) {
            column.check(memory, *ty, self.rows)?;
        }
        for (table, side) in self.tables.iter().zip(&kernel.tables) {
            let columns = table.columns.iter().zip(&side.columns);
            columns.into_iter().try_for_each(|(column, ty)| column.check(memory, *ty, table.rows))?;
        }
        for (list, dtype) in self.lists.iter().zip(&kernel.lists) {
            list.check(memory, dtype.required(), list.rows.unwrap_or(0))?;
        }
        for (output, (ty, rows)) in self.outputs.iter().zip(self.output_types()) {
            output.check(memory, ty, rows)?;
            if ty.nullable && output.validity.is_none() {
                return Err(DeviceError::invalid(format!("an output of {ty} without a bitmap")));
            }
            if value_bytes(ty, BoolLayout::Bits, rows) as u64 > output.values.bytes {
                return Err(DeviceError::invalid(format!("{} bytes for {rows} values of {ty}", output.values.bytes)));
            }
        }
        Ok(())
    }

    fn ranges(&self) -> impl Iterator<Item = BufferRange> + '_ {
        let tables = self.tables.iter().flat_map(|table| &table.columns);
        let columns = self.columns.iter().chain(&self.lists).chain(tables).chain(&self.outputs);
        columns.flat_map(|column| std::iter::once(column.values).chain(column.validity))
    }

    /// Runs the kernel through the interpreter, into the device's memory. Only probes that multiply rows can return
    /// more than there is room for.
    pub(super) fn run(&self, memory: &mut SimMemory) -> DeviceResult<Outcome> {
        let (rows, nodes, covered) = match self.compute(memory) {
            Ok(results) => results,
            Err(fault) => return Ok(Outcome { fault: Some(fault), ..Outcome::default() }),
        };
        for (output, column) in self.outputs.iter().zip(rows.columns.iter().chain(&nodes.columns)) {
            let needed = value_bytes(column.ty(), BoolLayout::Bits, column.len()) as u64;
            let bitmap = output.validity.filter(|_| column.valid.is_some());
            if needed > output.values.bytes || bitmap.is_some_and(|bits| (column.len().div_ceil(8) as u64) > bits.bytes)
            {
                return Err(DeviceError::invalid(format!("{} rows need {needed} bytes, and their bits", column.len())));
            }
        }
        for (output, column) in self.outputs.iter().zip(rows.columns.iter().chain(&nodes.columns)) {
            let (values, validity) = to_buffers(column);
            write(memory, output.values, &values);
            if let (Some(range), Some(bits)) = (output.validity, validity) {
                write(memory, range, &bits);
            }
        }
        let (rows, nodes) = (rows.rows, nodes.rows);
        Ok(Outcome { rows, nodes, consumed: covered.rows, next_match: covered.matches, ..Outcome::default() })
    }

    /// Flips the bits that the launch's faults name; returns the faults that found a bit.
    fn flip_all(&self, memory: &mut SimMemory, outcome: &Outcome) -> Vec<SimFault> {
        let flips = self.launch_faults.flips.iter().filter(|_| outcome.fault.is_none()).copied();
        flips.filter(|flip| self.flip(memory, *flip, outcome).is_some()).collect()
    }

    fn compute(&self, memory: &SimMemory) -> Result<(TableData, TableData, CoveredRows), FaultLocation> {
        let kernel = &self.program.kernel;
        let columns = (self.columns.iter().zip(&kernel.columns))
            .map(|(column, ty)| column.read(memory, *ty, self.rows, self.first_row))
            .collect::<Vec<_>>();
        let lists = (self.lists.iter().zip(&kernel.lists))
            .map(|(list, dtype)| list.read(memory, dtype.required(), list.rows.unwrap_or(0), 0))
            .collect::<Vec<_>>();
        let tables = self.tables.iter().zip(&kernel.tables).map(|(table, side)| {
            let columns = table.columns.iter().zip(&side.columns);
            let columns = columns.map(|(column, ty)| column.read(memory, *ty, table.rows, 0)).collect();
            match &table.index {
                Some(index) => index.table.with_columns(columns),
                None => BuiltTable::plain(columns),
            }
        });
        let tables: Vec<BuiltTable> = tables.collect();
        let (params, first_row, rows) = (&self.params[..], self.first_row, self.rows);
        let inputs = Inputs { columns: &columns, params, lists: &lists, tables: &tables, first_row, rows };
        let fault = |fault: Fault| {
            fault.row.map_or_else(|| FaultLocation::Fold(faulty_fold(kernel, &inputs)), FaultLocation::Row)
        };
        let room = Room { first_match: self.first_match, rows: self.room };
        let (partial, covered) = interpret::partial_within(kernel, &inputs, room).map_err(fault)?;
        match self.form {
            Form::Partial => Ok((partial.rows, partial.nodes, covered)),
            Form::Whole => Ok((interpret::finish(kernel, partial).map_err(fault)?, TableData::default(), covered)),
        }
    }

    /// Flips a bit of the written values of an output; `None` if it has none.
    fn flip(&self, memory: &mut SimMemory, flip: SimFault, outcome: &Outcome) -> Option<()> {
        let SimFault::FlipBit { output: number, bit, .. } = flip else { return None };
        let (output, (ty, _)) = (self.outputs.get(number)?, *self.output_types().get(number)?);
        let in_rows = self.form == Form::Whole || number < self.program.kernel.partial().rows.len();
        let rows = if in_rows { outcome.rows } else { outcome.nodes } as u64;
        let bits = if ty.dtype == DType::Bool { rows } else { rows * ty.dtype.repr().bytes() as u64 * 8 };
        let bit = bit.checked_rem(bits)?;
        let bytes = memory.get_mut(&output.values.buffer)?;
        *bytes.get_mut((output.values.offset + bit / 8) as usize)? ^= 1 << (bit % 8);
        Some(())
    }
}

/// The first fold whose sum does not fit, found by finishing each one alone.
pub(crate) fn faulty_fold(kernel: &Kernel, inputs: &Inputs<'_>) -> usize {
    let alone = |number: usize| kernel.sink.with_only_fold(number);
    let faults = |sink: Sink| interpret::run(&Kernel { sink, ..kernel.clone() }, inputs).is_err();
    (0..).map_while(alone).position(faults).unwrap_or(0)
}

impl DeviceColumn {
    /// Checks that the ranges lie in their buffers and hold `rows` rows.
    pub(super) fn check(&self, memory: &SimMemory, ty: Type, rows: usize) -> DeviceResult<()> {
        check_range(memory, self.values)?;
        if let Some(own) = self.rows.filter(|own| *own != rows) {
            return Err(DeviceError::invalid(format!("a column of {own} rows, not {rows}")));
        }
        if !self.is_numbered(ty) && (value_bytes(ty, BoolLayout::Bits, rows) as u64) > self.values.bytes {
            return Err(DeviceError::invalid(format!("{} bytes for {rows} values of {ty}", self.values.bytes)));
        }
        let Some(validity) = self.validity.filter(|_| ty.nullable) else { return Ok(()) };
        check_range(memory, validity)?;
        if (rows.div_ceil(8) as u64) > validity.bytes {
            return Err(DeviceError::invalid(format!("a bitmap of {} bytes for {rows} rows", validity.bytes)));
        }
        Ok(())
    }

    /// Whether the values are opaque and take no memory: then they are their row numbers.
    fn is_numbered(&self, ty: Type) -> bool {
        ty.dtype == DType::Opaque && self.values.bytes == 0 && self.rows.is_some()
    }

    /// Reads the column's rows.
    pub(super) fn read(&self, memory: &SimMemory, ty: Type, rows: usize, first_row: u64) -> ColumnData {
        let bytes = |range: BufferRange| {
            let (start, end) = (range.offset as usize, (range.offset + range.bytes) as usize);
            memory.get(&range.buffer).map_or(&[][..], |bytes| &bytes[start..end])
        };
        let validity = self.validity.filter(|_| ty.nullable).map(bytes);
        if !self.is_numbered(ty) {
            return from_buffers(ty, BoolLayout::Bits, bytes(self.values), validity, rows);
        }
        let mut numbers = Vec::with_capacity(rows * 8);
        (first_row..).take(rows).for_each(|row| numbers.extend_from_slice(&row.to_le_bytes()));
        from_buffers(ty, BoolLayout::Bits, &numbers, validity, rows)
    }
}

pub(super) fn input(column: &ColumnInput<'_>) -> DeviceResult<DeviceColumn> {
    match column {
        ColumnInput::Device { values, validity, rows } => {
            Ok(DeviceColumn { values: *values, validity: *validity, rows: Some(*rows) })
        }
        ColumnInput::Host(_) => Err(DeviceError::invalid("the simulated device does not read the host's memory")),
    }
}

fn output(column: &ColumnOutput<'_>) -> DeviceResult<DeviceColumn> {
    match column {
        ColumnOutput::Device { values, validity } => {
            Ok(DeviceColumn { values: *values, validity: *validity, rows: None })
        }
        ColumnOutput::Host { .. } => Err(DeviceError::invalid("the simulated device does not write the host's memory")),
    }
}

/// Checks that a range lies in its buffer.
pub(super) fn check_range(memory: &SimMemory, range: BufferRange) -> DeviceResult<()> {
    let buffer = memory.get(&range.buffer);
    let buffer = buffer.ok_or_else(|| DeviceError::invalid(format!("there is no buffer {}", range.buffer.0)))?;
    match range.offset.checked_add(range.bytes) {
        Some(end) if end <= buffer.len() as u64 => Ok(()),
        Some(_) | None => Err(DeviceError::invalid(format!(
            "{} bytes from byte {} do not lie in a buffer of {}",
            range.bytes,
            range.offset,
            buffer.len()
        ))),
    }
}

/// Writes to the front of a range.
fn write(memory: &mut SimMemory, range: BufferRange, bytes: &[u8]) {
    if let Some(buffer) = memory.get_mut(&range.buffer) {
        let start = range.offset as usize;
        let length = bytes.len().min(range.bytes as usize);
        buffer[start..start + length].copy_from_slice(&bytes[..length]);
    }
}

/// The result of work.
pub(super) enum Finished {
    /// A copy to the device is done.
    CopyIn,
    /// A copy to the host is done.
    CopyOut(CopyId, HostBuffer),
    /// A launch is done, these faults happened to its result, and this much scratch memory is free again.
    Launch { id: LaunchId, outcome: DeviceResult<Outcome>, happened: Vec<SimFault>, scratch: u64 },
}

impl Work {
    /// Whether the work needs a buffer.
    pub(super) fn uses(&self, buffer: BufferId) -> bool {
        match self {
            Work::CopyIn { to, .. } => to.buffer == buffer,
            Work::CopyOut { from, .. } => from.iter().any(|range| range.buffer == buffer),
            Work::Launch(launch) => launch.ranges().any(|range| range.buffer == buffer),
        }
    }

    /// Executes the work.
    pub(super) fn run(self, memory: &mut SimMemory) -> Finished {
        match self {
            Work::CopyIn { from, to } => {
                write(memory, to, &from);
                Finished::CopyIn
            }
            Work::CopyOut { id, from, mut destination } => {
                let mut at = 0;
                for range in from {
                    let (start, length) = (range.offset as usize, range.bytes as usize);
                    if let Some(buffer) = memory.get(&range.buffer) {
                        destination[at..at + length].copy_from_slice(&buffer[start..start + length]);
                    }
                    at += length;
                }
                Finished::CopyOut(id, destination)
            }
            Work::Launch(launch) => {
                let outcome = launch.run(memory);
                let happened = outcome.as_ref().map_or_else(|_| Vec::new(), |outcome| launch.flip_all(memory, outcome));
                Finished::Launch { id: launch.id, outcome, happened, scratch: launch.scratch }
            }
        }
    }
}
