//! Forecasts the device memory that a stage of a plan of tables needs, which is reserved before it runs. Earlier stages
//! leave nothing in a device's own memory: their outputs are in host memory, and their indexes are freed.

use crate::data::input::CapturedList;
use crate::devices::residency::MemoryForecast;
use crate::devices::transfer::BUFFER_BYTES_MIN;
use crate::exec::footprint::{Footprint, smallest_batch_bytes};
use crate::exec::relational::plan_tables::StageCall;
use crate::programs::program::CompiledStage;
use pointsman_device::launch::may_stop_early;
use pointsman_device::{Device, Form};
use pointsman_ir::body::KeyUniqueness;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::kernel::MergeRule;
use pointsman_ir::types::Type;

/// An index takes about this many bytes for each row, besides the keys.
const INDEX_ROW_BYTES: u64 = 24;
/// More than any device has, so that a stage of unknown size waits until it is alone and gets all memory.
const EVERYTHING: u64 = u64::MAX >> 8;

/// The maximum device memory that a stage is expected to take.
pub(crate) fn forecast<'a>(
    device: &dyn Device,
    stage: &CompiledStage,
    call: &StageCall<'_>,
    lists: &'a [CapturedList],
) -> MemoryForecast<'a> {
    let small = device.allocation_bytes(BUFFER_BYTES_MIN as u64);
    let smallest = smallest_batch_bytes(device, std::slice::from_ref(stage), lists).saturating_add(small);
    let rows_of = |table| call.tables.table_rows(table).unwrap_or(0);
    let repeated = || stage.for_keys(|_| KeyUniqueness::Repeated);
    let is_unknown = !stage.tables.is_empty() && {
        let kernel = repeated();
        may_stop_early(&kernel) && kernel.body.multiplies_rows()
    };
    let bytes = small.saturating_add(stage_bytes(device, stage, lists, call.size.rows, rows_of));
    let bytes = bytes.saturating_add(index_bytes(stage, rows_of));
    let other_bytes = if is_unknown { EVERYTHING } else { bytes };
    MemoryForecast { other_bytes, smallest_batch_bytes: smallest, ..MemoryForecast::default() }
}

/// The memory of a stage over `rows` rows, including the merge of its partial results.
fn stage_bytes(
    device: &dyn Device,
    stage: &CompiledStage,
    lists: &[CapturedList],
    rows: usize,
    rows_of: impl Fn(StageInput) -> usize,
) -> u64 {
    let kernel = &stage.kernel;
    let empty = Footprint::on(device);
    let add = |all: Footprint<'_>, types: &[Type], rows| {
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

/// The memory of the indexes that a stage probes.
fn index_bytes(stage: &Stage, rows_of: impl Fn(StageInput) -> usize) -> u64 {
    let probed = stage.tables.iter().zip(&stage.kernel.tables).filter_map(|(table, side)| Some((table.index?, side)));
    let bytes = probed.map(|(index, side)| {
        let key = side.keys.iter().map(|key| key.repr().bytes() as u64).sum::<u64>() + INDEX_ROW_BYTES;
        // Its keys are uploaded as well.
        (rows_of(StageInput::Stage(index.stage)) as u64).saturating_mul(2 * key).saturating_add(1 << 10)
    });
    bytes.fold(0, u64::saturating_add)
}
