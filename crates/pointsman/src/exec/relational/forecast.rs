//! What the stages of a relational plan take of a device's memory. In go the stages and the sources; out comes what to
//! reserve. Stages run one at a time and keep nothing on the device but indexes, so the largest stage decides.

use crate::data::input::{CapturedList, SourceTable};
use crate::devices::residency::MemoryForecast;
use crate::devices::transfer::BUFFER_BYTES_MIN;
use crate::exec::footprint::{Footprint, smallest_batch_bytes};
use crate::exec::relational::rows::part_rows;
use crate::programs::program::CompiledStage;
use pointsman_device::Device;
use pointsman_device::Form;
use pointsman_device::launch::{capacity, may_stop_early};
use pointsman_ir::body::KeyUniqueness;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::kernel::MergeRule;

/// An index takes about this many bytes for each row, besides the keys.
const INDEX_ROW_BYTES: u64 = 24;
/// More than any device has: a query whose size nobody knows waits until it is alone, and gets all there is.
const EVERYTHING: u64 = u64::MAX >> 8;

/// The most that a query is expected to take of a device's memory.
pub(crate) fn forecast<'a>(
    device: &dyn Device,
    stages: &[CompiledStage],
    sources: &[SourceTable<'a>],
    lists: &'a [CapturedList],
) -> MemoryForecast<'a> {
    let small = device.allocation_bytes(BUFFER_BYTES_MIN as u64);
    let smallest_batch_bytes = smallest_batch_bytes(device, stages, lists).saturating_add(small);
    let mut rows_out: Vec<usize> = Vec::new();
    let (mut largest, mut indexes) = (0u64, 0u64);
    for stage in stages {
        let rows_of = |input: StageInput| match input {
            StageInput::Source(source) => sources.get(source.0 as usize).map_or(0, |source| source.rows),
            StageInput::Stage(number) => rows_out.get(number).copied().unwrap_or(0),
        };
        let rows = stage.parts.iter().map(|part| part_rows(part, rows_of(part.input)).len()).sum();
        largest = largest.max(stage_bytes(device, stage, lists, rows, rows_of));
        indexes = indexes.saturating_add(index_bytes(stage, rows_of));
        rows_out.push(capacity(&stage.kernel, Form::Whole, rows).0);
    }
    let is_unknown = |stage: &CompiledStage| {
        let kernel = stage.for_keys(|_| KeyUniqueness::Repeated);
        !stage.tables.is_empty() && may_stop_early(&kernel) && kernel.body.multiplies_rows()
    };
    let bytes = small.saturating_add(largest).saturating_add(indexes);
    let other_bytes = if stages.iter().any(is_unknown) { EVERYTHING } else { bytes };
    MemoryForecast { other_bytes, smallest_batch_bytes, ..MemoryForecast::default() }
}

/// What a stage over `rows` rows takes, the merge of its partial results included.
fn stage_bytes(
    device: &dyn Device,
    stage: &CompiledStage,
    lists: &[CapturedList],
    rows: usize,
    rows_of: impl Fn(StageInput) -> usize,
) -> u64 {
    let kernel = &stage.kernel;
    let empty = Footprint::on(device);
    let add = |all: Footprint<'_>, types: &[pointsman_ir::types::Type], rows| {
        // A column may have a bitmap although the stage takes no nulls.
        types.iter().fold(all, |all, ty| all.column(ty.dtype.nullable(), rows)).bytes
    };
    let read = add(empty, &kernel.columns, rows).saturating_add(empty.lists(stage, lists, |_| true).bytes);
    let tables = stage.tables.iter().zip(&kernel.tables);
    let tables = tables.map(|(table, side)| add(empty, &side.columns, rows_of(table.rows)));
    let tables = tables.fold(0, u64::saturating_add);
    let [whole, partial] = [Form::Whole, Form::Partial].map(|form| empty.outputs(stage, form, rows).bytes);
    let merge = match kernel.sink.merge_rule() {
        MergeRule::MergeStates => partial.saturating_mul(2),
        MergeRule::Append | MergeRule::Carry { .. } | MergeRule::ByPartition => 0,
    };
    read.saturating_add(tables).saturating_add(whole.max(partial)).max(merge)
}

/// What the indexes take that a stage probes.
fn index_bytes(stage: &Stage, rows_of: impl Fn(StageInput) -> usize) -> u64 {
    let probed = stage.tables.iter().zip(&stage.kernel.tables).filter_map(|(table, side)| Some((table.index?, side)));
    let bytes = probed.map(|(index, side)| {
        let key = side.keys.iter().map(|key| key.repr().bytes() as u64).sum::<u64>() + INDEX_ROW_BYTES;
        // Its keys are uploaded beside it.
        (rows_of(StageInput::Stage(index.stage)) as u64).saturating_mul(2 * key).saturating_add(1 << 10)
    });
    bytes.fold(0, u64::saturating_add)
}
