//! Takes a kernel and inputs through a device, as the runtime would: borrowed host memory where the device takes it,
//! else buffers and copies ([`Shape::Copied`]). Out come the outcome and the written table, after a look at bytes that must be zero.

use super::layout::{JUNK, Laid, Shape, append, pack};
use crate::host::{BoolLayout, HostBuffer};
use crate::launch::{ColumnInput, ColumnOutput, Form, Launch, Outcome, Pending, capacity};
use crate::{BufferId, BufferRange, Device, DeviceError, DeviceResult, Priority, ProgramId, StreamId};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::Partial;
use pointsman_ir::kernel::Kernel;
use pointsman_ir::random::{OwnedInputs, Rng};
use pointsman_ir::types::{Repr, Scalar, Type};
use std::sync::Arc;
use std::time::Duration;

/// How long a launch or copy may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where ranges start in their buffers: not at their first byte, so that a device that forgets the offset shows.
const BUFFER_OFFSET: usize = 64;

/// What a launch gave: rows and, in partial form, nodes.
#[derive(Debug)]
pub struct Ran {
    /// The device's word.
    pub outcome: Outcome,
    /// What it wrote; only meaningful without a fault.
    pub result: Partial,
}

/// Compiles and loads a kernel, through the image's bytes.
pub fn load(device: &dyn Device, kernel: &Kernel) -> DeviceResult<ProgramId> {
    device.supports(kernel)?;
    let image = device.compile(kernel)?;
    device.load(&image)
}

/// Runs a loaded kernel over inputs laid out in this shape.
pub fn run(
    device: &dyn Device,
    program: ProgramId,
    kernel: &Kernel,
    inputs: &OwnedInputs,
    form: Form,
    shape: Shape,
) -> DeviceResult<Ran> {
    if !inputs.tables.is_empty() {
        return Err(DeviceError::unsupported("the conformance suite has no side tables yet"));
    }
    let types = output_types(kernel, form);
    let (row_capacity, node_capacity) = capacity(kernel, form, inputs.rows);
    let row_columns = if form == Form::Partial { kernel.partial().rows.len() } else { types.len() };
    let room = |i: usize| if i < row_columns { row_capacity } else { node_capacity };
    let mut slots: Vec<Slot> =
        types.iter().enumerate().map(|(i, &ty)| Slot::new(ty, room(i), inputs.first_row)).collect();
    let stream = device.open_stream(Priority::Normal)?;
    let outcome = if shape != Shape::Copied {
        run_borrowed(device, stream, program, inputs, form, shape, &mut slots)
    } else {
        run_copied(device, stream, program, inputs, form, &mut slots)
    };
    device.close_stream(stream);
    let outcome = outcome?;
    if outcome.fault.is_some() {
        return Ok(Ran { outcome, result: Partial { rows: TableData::default(), nodes: TableData::default() } });
    }
    let mut columns: Vec<ColumnData> = Vec::new();
    for (i, slot) in slots.iter().enumerate() {
        columns.push(slot.read(if i < row_columns { outcome.rows } else { outcome.nodes })?);
    }
    let nodes = TableData { rows: outcome.nodes, columns: columns.split_off(row_columns) };
    Ok(Ran { outcome, result: Partial { rows: TableData { columns, rows: outcome.rows }, nodes } })
}

/// The types of a launch's outputs.
fn output_types(kernel: &Kernel, form: Form) -> Vec<Type> {
    match form {
        Form::Whole => kernel.output(),
        Form::Partial => {
            let schema = kernel.partial();
            schema.rows.into_iter().chain(schema.nodes).collect()
        }
    }
}

fn run_borrowed(
    device: &dyn Device,
    stream: StreamId,
    program: ProgramId,
    inputs: &OwnedInputs,
    form: Form,
    shape: Shape,
    slots: &mut [Slot],
) -> DeviceResult<Outcome> {
    let mut rng = Rng::new(inputs.rows as u64 ^ inputs.first_row << 7 ^ inputs.columns.len() as u64);
    let laid: Vec<Laid> = inputs.columns.iter().map(|column| Laid::new(column, shape, &mut rng)).collect();
    let lists: Vec<Laid> = inputs.lists.iter().map(|list| Laid::new(list, shape, &mut rng)).collect();
    let chunks: Vec<_> = laid.iter().map(Laid::chunks).collect();
    let list_chunks: Vec<_> = lists.iter().map(Laid::chunks).collect();
    let columns: Vec<ColumnInput<'_>> = chunks.iter().map(|chunks| ColumnInput::Host(chunks)).collect();
    let lists: Vec<ColumnInput<'_>> = list_chunks.iter().map(|chunks| ColumnInput::Host(chunks)).collect();
    let mut outputs: Vec<ColumnOutput<'_>> = slots.iter_mut().map(Slot::output).collect();
    let mut launch = Launch {
        first_row: inputs.first_row,
        rows: inputs.rows,
        form,
        columns: &columns,
        params: &inputs.params,
        lists: &lists,
        tables: &[],
        outputs: &mut outputs,
    };
    settle(device, device.launch(stream, program, &mut launch)?)
}

fn settle(device: &dyn Device, pending: Pending) -> DeviceResult<Outcome> {
    match pending {
        Pending::Done(outcome) => Ok(outcome),
        Pending::Running(launch) => device.finish(launch, PATIENCE),
    }
}

/// The buffers of a run, given back together.
struct Buffers<'a> {
    device: &'a dyn Device,
    stream: StreamId,
    taken: Vec<BufferId>,
}

impl Buffers<'_> {
    fn take(&mut self, bytes: usize) -> DeviceResult<BufferRange> {
        let buffer = self.device.allocate(BUFFER_OFFSET + bytes)?;
        self.taken.push(buffer);
        Ok(BufferRange { buffer, offset: BUFFER_OFFSET as u64, bytes: bytes as u64 })
    }

    fn put(&mut self, bytes: &[u8]) -> DeviceResult<BufferRange> {
        let range = self.take(bytes.len())?;
        let mut staging = HostBuffer::zeroed(bytes.len());
        staging.copy_from_slice(bytes);
        self.device.copy_in(self.stream, Arc::new(staging), range)?;
        Ok(range)
    }

    fn get(&mut self, range: BufferRange, into: &mut [u8]) -> DeviceResult<()> {
        let copy = self.device.copy_out(self.stream, range, HostBuffer::zeroed(into.len()))?;
        into.copy_from_slice(&self.device.finish_copy(copy, PATIENCE)?);
        Ok(())
    }

    fn column(&mut self, column: &ColumnData) -> DeviceResult<ColumnInput<'static>> {
        let values = self.put(&device_values(column))?;
        let validity = column.valid.as_ref().map(|valid| self.put(&pack(valid, 0))).transpose()?;
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

/// A column's values as a device's buffer holds them.
fn device_values(column: &ColumnData) -> Vec<u8> {
    let scalars = column.iter().map(|value| value.unwrap_or(column.dtype.repr().zero()));
    if column.dtype.repr() == Repr::Bool {
        return pack(&scalars.map(|value| value == Scalar::Bool(true)).collect::<Vec<_>>(), 0);
    }
    let mut bytes = Vec::new();
    scalars.for_each(|value| append(&mut bytes, value));
    bytes
}

fn run_copied(
    device: &dyn Device,
    stream: StreamId,
    program: ProgramId,
    inputs: &OwnedInputs,
    form: Form,
    slots: &mut [Slot],
) -> DeviceResult<Outcome> {
    let mut buffers = Buffers { device, stream, taken: Vec::new() };
    let columns = inputs.columns.iter().map(|column| buffers.column(column)).collect::<DeviceResult<Vec<_>>>()?;
    let lists = inputs.lists.iter().map(|list| buffers.column(list)).collect::<DeviceResult<Vec<_>>>()?;
    let mut ranges = Vec::new();
    for slot in slots.iter_mut() {
        slot.bools = BoolLayout::Bits;
        slot.start = 0;
        let values = buffers.put(&slot.values)?;
        let validity = slot.validity.as_ref().map(|validity| buffers.put(validity)).transpose()?;
        ranges.push((values, validity));
    }
    let device_output =
        |&(values, validity): &(BufferRange, Option<BufferRange>)| ColumnOutput::Device { values, validity };
    let mut outputs: Vec<ColumnOutput<'_>> = ranges.iter().map(device_output).collect();
    let mut launch = Launch {
        first_row: inputs.first_row,
        rows: inputs.rows,
        form,
        columns: &columns,
        params: &inputs.params,
        lists: &lists,
        tables: &[],
        outputs: &mut outputs,
    };
    let outcome = settle(device, device.launch(stream, program, &mut launch)?)?;
    for (slot, (values, validity)) in slots.iter_mut().zip(ranges) {
        buffers.get(values, &mut slot.values)?;
        if let (Some(bytes), Some(range)) = (&mut slot.validity, validity) {
            buffers.get(range, bytes)?;
        }
    }
    Ok(outcome)
}

/// Where an output column goes: poisoned memory of exactly the room that is promised.
struct Slot {
    ty: Type,
    values: Vec<u8>,
    /// The first value's byte: the device may not assume an alignment.
    start: usize,
    bools: BoolLayout,
    validity: Option<Vec<u8>>,
}

impl Slot {
    fn new(ty: Type, rows: usize, first_row: u64) -> Slot {
        let bools =
            if (first_row / 4096 + rows as u64).is_multiple_of(2) { BoolLayout::Bits } else { BoolLayout::Bytes };
        let start = rows % 2;
        let bits = ty.dtype.repr() == Repr::Bool && bools == BoolLayout::Bits;
        let bytes = if bits { rows.div_ceil(8) } else { rows * ty.dtype.repr().bytes() };
        Slot {
            ty,
            // A device writes bools as bits into its own memory, so there is always room for bytes.
            values: vec![JUNK; start + bytes],
            start,
            bools,
            validity: ty.nullable.then(|| vec![JUNK; rows.div_ceil(8)]),
        }
    }

    fn output(&mut self) -> ColumnOutput<'_> {
        let values = &mut self.values[self.start..];
        ColumnOutput::Host { values, bools: self.bools, validity: self.validity.as_deref_mut() }
    }

    /// The column, once every byte that must be zero is seen to be.
    fn read(&self, rows: usize) -> DeviceResult<ColumnData> {
        let dirty = |what: String| DeviceError::new(crate::DeviceErrorKind::Internal, what);
        let bit = |bytes: &[u8], i: usize| bytes[i / 8] >> (i % 8) & 1 == 1;
        let tail_is_zero = |bytes: &[u8]| (rows..rows.next_multiple_of(8)).all(|i| !bit(bytes, i));
        let mut column = ColumnData::empty(self.ty, rows);
        for row in 0..rows {
            let value = self.value(row)?;
            let valid = self.validity.as_ref().is_none_or(|validity| bit(validity, row));
            if !valid && value.bits() != 0 {
                return Err(dirty(format!("the null in row {row} of a {} column holds {value}", self.ty)));
            }
            column.push(valid.then_some(value));
        }
        if self.validity.as_ref().is_some_and(|validity| !tail_is_zero(validity)) {
            return Err(dirty(format!("bits behind row {rows} of a bitmap are set")));
        }
        if self.is_packed() && !tail_is_zero(&self.values[self.start..]) {
            return Err(dirty(format!("bits behind row {rows} of a bool column are set")));
        }
        Ok(column)
    }

    fn is_packed(&self) -> bool {
        self.ty.dtype.repr() == Repr::Bool && self.bools == BoolLayout::Bits
    }

    fn value(&self, row: usize) -> DeviceResult<Scalar> {
        let values = &self.values[self.start..];
        if self.is_packed() {
            return Ok(Scalar::Bool(values[row / 8] >> (row % 8) & 1 == 1));
        }
        let repr = self.ty.dtype.repr();
        let mut bytes = [0; 16];
        bytes[..repr.bytes()].copy_from_slice(&values[row * repr.bytes()..][..repr.bytes()]);
        if repr == Repr::Bool && bytes[0] > 1 {
            return Err(DeviceError::new(
                crate::DeviceErrorKind::Internal,
                format!("a bool is written as {}", bytes[0]),
            ));
        }
        Ok(Scalar::from_bits(repr, u128::from_le_bytes(bytes)))
    }
}
