//! What the stages of a relational plan take of a device's memory. In go the stages and the sources; out comes what to
//! reserve. Stages run one at a time and keep nothing on the device but indexes, so the largest stage decides.

use crate::data::input::{CapturedList, SourceTable};
use crate::devices::residency::MemoryForecast;
use crate::devices::transfer::BUFFER_BYTES_MIN;
use crate::exec::footprint::smallest_batch_bytes;
use crate::exec::relational::rows::part_rows;
use crate::programs::program::CompiledStage;
use pointsman_device::Device;
use pointsman_device::convert::value_bytes;
use pointsman_device::host::BoolLayout;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::types::Type;

/// An index takes about this many bytes for each row, besides the keys.
const INDEX_ROW_BYTES: u64 = 24;

/// The most that a query is expected to take of a device's memory.
pub(crate) fn forecast<'a>(
    device: &dyn Device,
    stages: &[CompiledStage],
    sources: &[SourceTable<'a>],
    lists: &'a [CapturedList],
) -> MemoryForecast<'a> {
    let other_bytes = device.allocation_bytes(BUFFER_BYTES_MIN as u64);
    let smallest_batch_bytes = smallest_batch_bytes(device, stages, lists).saturating_add(other_bytes);
    let mut rows_out: Vec<usize> = Vec::new();
    let (mut largest, mut indexes) = (0u64, 0u64);
    for stage in stages {
        let rows_of = |input: StageInput| match input {
            StageInput::Source(source) => sources.get(source.0 as usize).map_or(0, |source| source.rows),
            StageInput::Stage(number) => rows_out.get(number).copied().unwrap_or(0),
        };
        let rows = stage.parts.iter().map(|part| part_rows(part, rows_of(part.input)).len()).sum();
        let tables = stage.tables.iter().zip(&stage.kernel.tables);
        let tables = tables.map(|(table, side)| columns_bytes(device, &side.columns, rows_of(table.rows)));
        let outputs = columns_bytes(device, &stage.output, stage.kernel.sink.output_rows_max(rows));
        let need = tables.fold(outputs, u64::saturating_add);
        largest = largest.max(need.saturating_add(columns_bytes(device, &stage.kernel.columns, rows)));
        indexes = indexes.saturating_add(index_bytes(&stage.stage, rows_of));
        rows_out.push(stage.kernel.sink.output_rows_max(rows));
    }
    let other_bytes = other_bytes.saturating_add(largest).saturating_add(indexes);
    MemoryForecast { other_bytes, smallest_batch_bytes: smallest_batch_bytes.min(other_bytes), ..MemoryForecast::default() }
}

fn index_bytes(stage: &Stage, rows_of: impl Fn(StageInput) -> usize) -> u64 {
    let probed = stage.tables.iter().zip(&stage.kernel.tables).filter_map(|(table, side)| Some((table.index?, side)));
    let bytes = probed.map(|(index, side)| {
        let key = side.keys.iter().map(|key| key.repr().bytes() as u64).sum::<u64>() + INDEX_ROW_BYTES;
        (rows_of(StageInput::Stage(index.stage)) as u64).saturating_mul(key)
    });
    bytes.fold(0, u64::saturating_add)
}

fn columns_bytes(device: &dyn Device, types: &[Type], rows: usize) -> u64 {
    let bytes = types.iter().map(|&ty| {
        let bitmap = if ty.nullable { device.allocation_bytes(rows.div_ceil(8) as u64) } else { 0 };
        device.allocation_bytes(value_bytes(ty, BoolLayout::Bits, rows) as u64).saturating_add(bitmap)
    });
    bytes.fold(0, u64::saturating_add)
}
