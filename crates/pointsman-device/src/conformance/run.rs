//! Runs a kernel on a device like the runtime does: with borrowed host memory where the device supports it, otherwise
//! with buffers and copies. Returns the outcome and the written table, after a check of the bytes that must be zero.

use super::layout::{Laid, Shape};
use crate::convert::{OwnedOutput, POISON, to_buffers, value_bytes};
use crate::host::{BoolLayout, HostBuffer, HostChunk};
use crate::launch::{
    ColumnInput, ColumnOutput, FaultLocation, Form, IndexKeys, Launch, LaunchStatus, Outcome, TableInput, capacity,
    may_stop_early,
};
use crate::sim::faulty_fold;
use crate::{
    BufferId, BufferRange, Device, DeviceError, DeviceErrorKind, DeviceResult, IndexId, Priority, ProgramId, StreamId,
};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, Partial};
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::random::{OwnedInputs, Rng};
use pointsman_ir::types::Type;
use std::sync::Arc;
use std::time::Duration;

/// The timeout of a launch or copy.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The minimum offset of a column in a device buffer: a range need not be a whole buffer.
const BUFFER_OFFSET: u64 = 64;

/// The result of a launch: rows and, in partial form, nodes.
#[derive(Debug)]
pub struct Ran {
    /// The device's outcome.
    pub outcome: Outcome,
    /// The written tables; empty if the launch faulted.
    pub result: Partial,
}

/// One launch of a loaded kernel.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The device.
    pub device: &'a dyn Device,
    /// The loaded kernel.
    pub program: ProgramId,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The inputs.
    pub inputs: &'a OwnedInputs,
    /// Final or partial result.
    pub form: Form,
    /// The layout of the inputs.
    pub shape: Shape,
}

/// Compiles and loads a kernel, through the image's bytes.
pub fn load(device: &dyn Device, kernel: &Kernel) -> DeviceResult<ProgramId> {
    device.supports(kernel)?;
    let image = device.compile(kernel)?;
    device.load(&image)
}

impl Run<'_> {
    /// Runs the kernel over all rows: as many launches as the room of a result of [`capacity`] takes.
    pub fn run(&self) -> DeviceResult<Ran> {
        self.run_with_room(usize::MAX)
    }

    /// Runs the kernel over all rows, in launches whose outputs have room for at most so many rows if the kernel may stop
    /// there. Several partial results are merged, and finished if the form is the final one.
    pub fn run_with_room(&self, room: usize) -> DeviceResult<Ran> {
        let first = self.part(self.inputs, self.form, 0, room).run()?;
        let rows = self.inputs.rows;
        if first.outcome.fault.is_some() || first.outcome.consumed == rows {
            return Ok(first);
        }
        if self.form == Form::Whole && matches!(self.kernel.sink, Sink::Group { .. }) {
            let ran = Run { form: Form::Partial, ..*self }.run_with_room(room)?;
            if ran.outcome.fault.is_some() {
                return Ok(ran);
            }
            let fold = |_| {
                let tables = self.inputs.built_tables(self.kernel);
                let fold = faulty_fold(self.kernel, &self.inputs.borrow(&tables));
                Outcome { fault: Some(FaultLocation::Fold(fold)), ..Outcome::default() }
            };
            let empty = || Partial { rows: TableData::default(), nodes: TableData::default() };
            return Ok(match interpret::finish(self.kernel, ran.result).map_err(fold) {
                Ok(rows) => Ran { outcome: ran.outcome, result: Partial { rows, nodes: TableData::default() } },
                Err(outcome) => Ran { outcome, result: empty() },
            });
        }
        self.resume(first, room)
    }

    /// Launches from where a launch stopped, until there are no rows left.
    fn resume(&self, first: Ran, room: usize) -> DeviceResult<Ran> {
        let mut start = first.outcome.consumed;
        let mut ran = first;
        while start < self.inputs.rows {
            let inputs = self.inputs.slice(start..self.inputs.rows);
            let first_match = ran.outcome.next_match;
            let next = self.part(&inputs, self.form, first_match, room).run()?;
            if next.outcome.fault.is_some() {
                return Ok(next);
            }
            if next.outcome.consumed == 0 && next.outcome.next_match <= first_match {
                return Err(DeviceError::new(DeviceErrorKind::Internal, "a launch made no progress"));
            }
            start += next.outcome.consumed;
            ran = Ran { outcome: next.outcome, result: interpret::merge(self.kernel, ran.result, next.result) };
        }
        Ok(ran)
    }

    fn part<'p>(&'p self, inputs: &'p OwnedInputs, form: Form, first_match: u64, room: usize) -> PartRun<'p> {
        let Run { device, program, kernel, shape, .. } = *self;
        PartRun { device, program, kernel, inputs, form, shape, first_match, room }
    }
}

/// One launch of a [`Run`].
struct PartRun<'a> {
    device: &'a dyn Device,
    program: ProgramId,
    kernel: &'a Kernel,
    inputs: &'a OwnedInputs,
    form: Form,
    shape: Shape,
    first_match: u64,
    room: usize,
}

impl PartRun<'_> {
    /// Runs the launch, in host memory or in device buffers.
    fn run(&self) -> DeviceResult<Ran> {
        let stream = self.device.open_stream(Priority::Normal)?;
        let ran = match self.shape {
            Shape::Plain => self.borrowed(stream, 0, None),
            Shape::Sliced(rows) => self.borrowed(stream, rows, None),
            Shape::Random(seed) => self.borrowed(stream, 0, Some(Rng::new(seed))),
            Shape::Copied => self.copied(stream),
        };
        self.device.close_stream(stream);
        ran
    }

    /// The types of the outputs, each with its capacity, and the number of row columns.
    fn outputs(&self) -> (Vec<(Type, usize)>, usize) {
        let (rows, nodes) = capacity(self.kernel, self.form, self.inputs.rows);
        let rows = if may_stop_early(self.kernel) { rows.min(self.room).max(1) } else { rows };
        let with_room = |types: Vec<Type>, room: usize| types.into_iter().map(move |ty| (ty, room));
        match self.form {
            Form::Whole => {
                let types = self.kernel.output();
                let count = types.len();
                (with_room(types, rows).collect(), count)
            }
            Form::Partial => {
                let schema = self.kernel.partial();
                let count = schema.rows.len();
                (with_room(schema.rows, rows).chain(with_room(schema.nodes, nodes)).collect(), count)
            }
        }
    }

    /// Runs the launch in host memory: in one chunk after `before` foreign rows, or in random layouts.
    fn borrowed(&self, stream: StreamId, before: usize, mut rng: Option<Rng>) -> DeviceResult<Ran> {
        let mut lay = |column: &ColumnData| match &mut rng {
            None if before == 0 => Laid::plain(column),
            None => Laid::sliced(column, before),
            Some(rng) => Laid::random(column, rng),
        };
        let columns: Vec<Laid> = self.inputs.columns.iter().map(&mut lay).collect();
        let lists: Vec<Laid> = self.inputs.lists.iter().map(&mut lay).collect();
        let tables: Vec<Vec<Laid>> =
            self.inputs.tables.iter().map(|table| table.columns.iter().map(&mut lay).collect()).collect();
        let (types, row_columns) = self.outputs();
        let mut results: Vec<OwnedOutput> = Vec::new();
        for (ty, room) in types {
            let layout = |rng: &mut Rng| (rng.pick(&[BoolLayout::Bits, BoolLayout::Bytes]), rng.pick(&[0, 0, 1, 16]));
            let (bools, byte_offset) = rng.as_mut().map_or((BoolLayout::Bits, 0), layout);
            results.push(OwnedOutput::new(ty, room, bools, byte_offset));
        }
        let (columns, lists) = (all_chunks(&columns), all_chunks(&lists));
        let tables: Vec<_> = tables.iter().map(|columns| all_chunks(columns)).collect();
        let tables: Vec<_> = tables.iter().map(|columns| in_place(columns)).collect();
        let mut outputs: Vec<ColumnOutput<'_>> = results.iter_mut().map(OwnedOutput::output).collect();
        let outcome = self.launch(stream, &in_place(&columns), &in_place(&lists), &tables, &mut outputs)?;
        drop(outputs);
        collect(outcome, row_columns, results.len(), |i, rows| read(&results[i], rows))
    }

    fn copied(&self, stream: StreamId) -> DeviceResult<Ran> {
        let mut buffers = Buffers { device: self.device, stream, taken: Vec::new() };
        let columns = buffers.columns(&self.inputs.columns)?;
        let lists = buffers.columns(&self.inputs.lists)?;
        let tables = self.inputs.tables.iter().map(|table| buffers.columns(&table.columns));
        let tables = tables.collect::<DeviceResult<Vec<_>>>()?;
        let (types, row_columns) = self.outputs();
        let mut ranges = Vec::new();
        for &(ty, room) in &types {
            let values = buffers.put(&vec![POISON; value_bytes(ty, BoolLayout::Bits, room)])?;
            let validity = if ty.nullable { Some(buffers.put(&vec![POISON; room.div_ceil(8)])?) } else { None };
            ranges.push((values, validity));
        }
        let output =
            |&(values, validity): &(BufferRange, Option<BufferRange>)| ColumnOutput::Device { values, validity };
        let mut outputs: Vec<ColumnOutput<'_>> = ranges.iter().map(output).collect();
        let outcome = self.launch(stream, &columns, &lists, &tables, &mut outputs)?;
        collect(outcome, row_columns, ranges.len(), |i, rows| {
            let mut result = OwnedOutput::new(types[i].0, types[i].1, BoolLayout::Bits, 0);
            if let ColumnOutput::Host { values, validity, .. } = result.output() {
                values.copy_from_slice(&buffers.get(ranges[i].0)?);
                if let (Some(validity), Some(range)) = (validity, ranges[i].1) {
                    validity.copy_from_slice(&buffers.get(range)?);
                }
            }
            read(&result, rows)
        })
    }

    fn launch(
        &self,
        stream: StreamId,
        columns: &[ColumnInput<'_>],
        lists: &[ColumnInput<'_>],
        tables: &[Vec<ColumnInput<'_>>],
        outputs: &mut [ColumnOutput<'_>],
    ) -> DeviceResult<Outcome> {
        let mut indexes = Indexes { device: self.device, built: Vec::new() };
        let mut sides: Vec<TableInput<'_>> = Vec::new();
        for ((side, table), columns) in self.kernel.tables.iter().zip(&self.inputs.tables).zip(tables) {
            let (keys, columns) = columns.split_at(side.keys.len());
            let keys = IndexKeys { keys, types: &side.keys, numbers: None, rows: table.rows };
            let index = if side.keys.is_empty() { None } else { Some(indexes.build(stream, &keys)?) };
            sides.push(TableInput { index, columns, rows: table.rows });
        }
        let OwnedInputs { params, first_row, rows, .. } = self.inputs;
        let (first_row, rows, form) = (*first_row, *rows, self.form);
        let mut launch = Launch {
            first_row,
            rows,
            first_match: self.first_match,
            form,
            columns,
            params,
            lists,
            tables: &sides,
            outputs,
        };
        match self.device.launch(stream, self.program, &mut launch)? {
            LaunchStatus::Done(outcome) => Ok(outcome),
            LaunchStatus::Running(launch) => self.device.finish(launch, TIMEOUT),
        }
    }
}

/// The indexes of a launch, freed together.
struct Indexes<'a> {
    device: &'a dyn Device,
    built: Vec<IndexId>,
}

impl Indexes<'_> {
    fn build(&mut self, stream: StreamId, keys: &IndexKeys<'_>) -> DeviceResult<IndexId> {
        let index = self.device.build_index(stream, keys, None)?.id;
        self.built.push(index);
        Ok(index)
    }
}

impl Drop for Indexes<'_> {
    fn drop(&mut self) {
        self.built.iter().for_each(|&index| self.device.free_index(index));
    }
}

fn all_chunks(columns: &[Laid]) -> Vec<Vec<HostChunk<'_>>> {
    columns.iter().map(Laid::chunks).collect()
}

fn in_place<'a>(columns: &'a [Vec<HostChunk<'a>>]) -> Vec<ColumnInput<'a>> {
    columns.iter().map(|chunks| ColumnInput::Host(chunks)).collect()
}

/// A written column, after a check of the bytes that must be zero.
fn read(result: &OwnedOutput, rows: usize) -> DeviceResult<ColumnData> {
    match result.undefined_byte(rows) {
        Some(what) => Err(DeviceError::new(DeviceErrorKind::Internal, what)),
        None => Ok(result.column(rows)),
    }
}

/// Collects the written columns, unless the launch faulted.
fn collect(
    outcome: Outcome,
    row_columns: usize,
    all_columns: usize,
    mut read: impl FnMut(usize, usize) -> DeviceResult<ColumnData>,
) -> DeviceResult<Ran> {
    if outcome.fault.is_some() {
        return Ok(Ran { outcome, result: Partial { rows: TableData::default(), nodes: TableData::default() } });
    }
    let mut columns = Vec::new();
    for i in 0..all_columns {
        columns.push(read(i, if i < row_columns { outcome.rows } else { outcome.nodes })?);
    }
    let nodes = TableData { rows: outcome.nodes, columns: columns.split_off(row_columns) };
    Ok(Ran { outcome, result: Partial { rows: TableData { columns, rows: outcome.rows }, nodes } })
}

/// The buffers of a run, freed together.
struct Buffers<'a> {
    device: &'a dyn Device,
    stream: StreamId,
    taken: Vec<BufferId>,
}

impl Buffers<'_> {
    fn take(&mut self, bytes: usize) -> DeviceResult<BufferRange> {
        let offset = BUFFER_OFFSET.max(self.device.info().capabilities.range_align);
        let buffer = self.device.allocate(offset as usize + bytes)?;
        self.taken.push(buffer);
        Ok(BufferRange { buffer, offset, bytes: bytes as u64 })
    }

    fn put(&mut self, bytes: &[u8]) -> DeviceResult<BufferRange> {
        let range = self.take(bytes.len())?;
        let mut staging = HostBuffer::zeroed(bytes.len());
        staging.copy_from_slice(bytes);
        self.device.copy_in(self.stream, Arc::new(staging), range)?;
        Ok(range)
    }

    fn get(&self, range: BufferRange) -> DeviceResult<HostBuffer> {
        let copy = self.device.copy_out(self.stream, range, HostBuffer::zeroed(range.bytes as usize))?;
        self.device.finish_copy(copy, TIMEOUT)
    }

    fn columns(&mut self, columns: &[ColumnData]) -> DeviceResult<Vec<ColumnInput<'static>>> {
        columns.iter().map(|column| self.column(column)).collect()
    }

    fn column(&mut self, column: &ColumnData) -> DeviceResult<ColumnInput<'static>> {
        let (values, validity) = to_buffers(column);
        let values = self.put(&values)?;
        let validity = validity.map(|bits| self.put(&bits)).transpose()?;
        Ok(ColumnInput::Device { values, validity, rows: column.len() })
    }
}

impl Drop for Buffers<'_> {
    fn drop(&mut self) {
        for buffer in self.taken.drain(..) {
            self.device.free(buffer);
        }
    }
}
