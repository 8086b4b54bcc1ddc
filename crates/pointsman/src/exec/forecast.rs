//! What a whole query takes of a device's memory: every column once, and the outputs of all stages, which stay until the
//! end.

use crate::data::captured_list::CapturedList;
use crate::data::identity::ColumnIdentity;
use crate::data::input::Input;
use crate::devices::residency::{InputSlot, MemoryForecast, WantedColumn};
use crate::devices::transfer::BUFFER_BYTES_MIN;
use crate::exec::footprint::Footprint;
use crate::programs::program::CompiledStage;
use pointsman_device::host::HostChunk;
use pointsman_device::launch::capacity;
use pointsman_device::{Device, Form};
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::DType;

/// The most that a query takes of a device's memory.
pub(crate) fn forecast<'a>(
    device: &dyn Device,
    stages: &[CompiledStage],
    inputs: &'a [Input<'a>],
    lists: &'a [CapturedList],
    rows: usize,
) -> MemoryForecast<'a> {
    // One small buffer more, for the download that waits for the others.
    let other_bytes = device.allocation_bytes(BUFFER_BYTES_MIN as u64);
    let mut all = MemoryForecast {
        other_bytes,
        smallest_batch_bytes: smallest_batch_bytes(device, stages, lists).saturating_add(other_bytes),
        ..MemoryForecast::default()
    };
    let (mut seen_columns, mut seen_lists) = (vec![false; inputs.len()], vec![false; lists.len()]);
    let mut rows_out = Vec::new();
    for stage in stages {
        for (index, dtype) in source_columns(stage) {
            if !std::mem::replace(&mut seen_columns[index], true) {
                let bytes = Footprint::of_column(device, &inputs[index].pieces(), dtype, rows).bytes;
                add(&mut all, InputSlot::Column(index), inputs[index].identity(), dtype, bytes);
            }
        }
        for (id, dtype) in stage.lists.iter().zip(&stage.kernel.lists) {
            if !std::mem::replace(&mut seen_lists[id.index()], true) {
                let values = &lists[id.index()].values;
                let bytes = column_bytes(device, &values.chunk(), *dtype);
                add(&mut all, InputSlot::List(id.index()), values.identity(), *dtype, bytes);
            }
        }
        let read = match stage.input {
            StageInput::Source(_) => rows,
            StageInput::Stage(number) => rows_out[number],
        };
        all.other_bytes = all.other_bytes.saturating_add(Footprint::of_outputs(stage, Form::Whole, read).bytes);
        rows_out.push(capacity(&stage.kernel, Form::Whole, read).0);
    }
    all
}

/// What an uploaded column takes of a device's memory.
pub(crate) fn column_bytes(device: &dyn Device, chunk: &HostChunk<'_>, dtype: DType) -> u64 {
    Footprint::of_column(device, std::slice::from_ref(chunk), dtype, chunk.rows).bytes
}

/// Adds a column, which may be resident on the device if it has an identity.
fn add<'a>(
    all: &mut MemoryForecast<'a>,
    slot: InputSlot,
    identity: Option<&'a ColumnIdentity>,
    dtype: DType,
    bytes: u64,
) {
    match identity {
        Some(identity) => all.wanted.push(WantedColumn { slot, identity, dtype, bytes }),
        None => all.other_bytes = all.other_bytes.saturating_add(bytes),
    }
}

/// The columns of the source that a stage reads.
fn source_columns(stage: &Stage) -> impl Iterator<Item = (usize, DType)> {
    let is_source = matches!(stage.input, StageInput::Source(_));
    let columns = stage.columns.iter().zip(&stage.kernel.columns).filter(move |_| is_source);
    columns.map(|(&index, ty)| (index as usize, ty.dtype))
}

/// The most that the smallest batch of any stage takes: one leaf, in either form.
fn smallest_batch_bytes(device: &dyn Device, stages: &[CompiledStage], lists: &[CapturedList]) -> u64 {
    let one = |stage: &CompiledStage| {
        // Columns may have bitmaps that their stage does not read.
        let column = |dtype: DType| Footprint::of_output(device, dtype.nullable(), LEAF_ROWS).bytes;
        let columns = stage.kernel.columns.iter().map(|ty| column(ty.dtype));
        let tables = stage.lists.iter().zip(&stage.kernel.lists);
        let tables = tables.map(|(id, dtype)| column_bytes(device, &lists[id.index()].values.chunk(), *dtype));
        let output = [Form::Whole, Form::Partial].map(|form| Footprint::of_outputs(stage, form, LEAF_ROWS).bytes);
        columns.chain(tables).chain(output.into_iter().max()).fold(0, u64::saturating_add)
    };
    stages.iter().map(one).max().unwrap_or(0)
}
