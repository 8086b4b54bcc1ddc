//! Runs batches of a shared stage on a device that reads the host's memory in place.

use crate::data::chunks::slice;
use crate::data::memory::InlineVec;
use crate::data::output::Output;
use crate::error::Result;
use crate::exec::batch_source::{BatchSource, NextBatch};
use crate::exec::context::RunContext;
use crate::exec::launch::StageLaunch;
use crate::exec::sharing::shared_stage::WorkerHandle;
use crate::exec::single_batch::SingleBatch;
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::PhaseTimer;
use crate::programs::program::CompiledStage;
use pointsman_device::Form;
use pointsman_device::host::HostChunk;
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::{LEAF_ROWS, Sink};
use std::ops::Range;

/// The most rows of a batch. If batches are cheap to merge, a batch may have this fraction of the stage instead: all threads
/// wait for each other at its end.
const BATCH_ROWS_MAX: usize = 1 << 22;
const BATCH_FRACTION: usize = 64;

/// A stage on a device that reads the host's memory.
pub(super) struct InPlaceStage<'l> {
    pub(super) stage: &'l CompiledStage,
    pub(super) context: &'l RunContext<'l>,
    /// The outputs of earlier stages.
    pub(super) outputs: &'l [Output],
    pub(super) form: Form,
}

impl InPlaceStage<'_> {
    /// Runs batches until none is left for this device.
    pub(super) fn run(&self, mut worker: WorkerHandle<'_, '_>, counters: &mut RunCounters) -> Result<()> {
        loop {
            let rows = match worker.next(rows_max(&self.stage.kernel.sink, worker.stage_rows())) {
                NextBatch::Rows(rows) => rows,
                // The scheduler defers only devices that have a batch in flight.
                NextBatch::Later | NextBatch::Nothing => return Ok(()),
            };
            match self.context.check_limits().and_then(|()| self.batch(&rows, &worker, counters)) {
                Ok(()) => self.context.report(|reporter| reporter.end_batch(rows.len(), 0)),
                Err(error) => {
                    worker.take_back(rows.clone());
                    worker.failed(&rows, error)?;
                }
            }
        }
    }

    /// Runs a batch into its places in the result, or into memory of its own.
    fn batch(&self, rows: &Range<usize>, worker: &WorkerHandle<'_, '_>, counters: &mut RunCounters) -> Result<()> {
        let launch = StageLaunch { stage: self.stage, context: self.context, form: self.form, rows: rows.clone() };
        let (batch, timer) = (SingleBatch { launch, columns: self.slices(rows) }, &mut PhaseTimer::start());
        let filled = worker.fill(rows, |slices| {
            let outcome = batch.run_into(&mut slices.outputs(), timer, counters)?;
            slices.check(outcome)
        });
        match filled {
            Some(filled) => filled,
            None => worker.merge(rows, batch.run(timer, counters)?),
        }
    }

    /// These rows of the stage's columns.
    fn slices(&self, rows: &Range<usize>) -> Vec<InlineVec<HostChunk<'_>>> {
        let columns = self.stage.columns.iter().zip(&self.stage.kernel.columns);
        columns.map(|(&index, ty)| slice(&self.chunks(index), ty.dtype, rows.clone())).collect()
    }

    fn chunks(&self, index: u32) -> InlineVec<HostChunk<'_>> {
        match self.stage.input {
            StageInput::Source(_) => self.context.inputs[index as usize].pieces(),
            StageInput::Stage(number) => [self.outputs[number].columns[index as usize].chunk()].into_iter().collect(),
        }
    }
}

/// The most rows of a batch of a stage with `rows` rows.
fn rows_max(sink: &Sink, rows: usize) -> usize {
    match sink.batches_are_cheap() {
        true => BATCH_ROWS_MAX.max((rows / BATCH_FRACTION).next_multiple_of(LEAF_ROWS)),
        false => BATCH_ROWS_MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results that need memory of their own come in small batches, others in few.
    #[test]
    fn batches_are_as_large_as_possible() {
        let (fold, kept) = (Sink::Reduce { folds: Vec::new() }, Sink::Compact { columns: Vec::new() });
        for (rows, most) in [(1 << 20, 1 << 22), (2 << 30, 1 << 25), (1_000_000_007, 3815 * LEAF_ROWS)] {
            assert_eq!((rows_max(&fold, rows), rows_max(&kept, rows)), (most, 1 << 22), "{rows} rows");
        }
    }
}
