//! Batches on a device that works in the host's memory: its columns are read where they are.

use crate::data::chunks::slice;
use crate::data::memory::InlineVec;
use crate::data::output::Output;
use crate::error::Result;
use crate::exec::batch_source::{BatchSource, NextBatch};
use crate::exec::context::RunContext;
use crate::exec::launch::StageLaunch;
use crate::exec::sharing::table::Seat;
use crate::exec::single_batch::SingleBatch;
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::PhaseTimer;
use crate::programs::program::CompiledStage;
use pointsman_device::Form;
use pointsman_device::host::HostChunk;
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::{LEAF_ROWS, Sink};
use std::ops::Range;

/// The most rows of a batch beside others', and where there are none. Where its result takes memory of its own only for
/// folds, or none, it is one of so many parts of the stage if that is more: all threads come together at its end.
const BATCH_ROWS_MAX: usize = 1 << 22;
const BATCH_ROWS_MAX_ALONE: usize = 1 << 24;
const BATCHES_MIN: usize = 64;
const BATCHES_MIN_ALONE: usize = 8;

/// A stage as a device in the host's memory does it.
pub(in crate::exec) struct InPlaceStage<'l> {
    pub(in crate::exec) step: &'l CompiledStage,
    pub(in crate::exec) job: &'l RunContext<'l>,
    /// What earlier stages gave.
    pub(in crate::exec) done: &'l [Output],
    pub(in crate::exec) form: Form,
}

impl InPlaceStage<'_> {
    /// Runs the batches that are dealt.
    pub(in crate::exec) fn work(&self, seat: &mut Seat<'_, '_>, counts: &mut RunCounters) -> Result<()> {
        loop {
            let rows = match seat.next(most(&self.step.stage.kernel.sink, seat.outlook())) {
                NextBatch::Rows(rows) => rows,
                NextBatch::Later => {
                    seat.wait();
                    continue;
                }
                NextBatch::Nothing => return Ok(()),
            };
            match self.job.check_limits().and_then(|()| self.batch(&rows, seat, counts)) {
                Ok(()) => self.job.did_batch(rows.len(), 0),
                Err(error) => {
                    seat.take_back(rows.clone());
                    seat.failed(&rows, error)?;
                }
            }
        }
    }

    /// Runs a batch into its places in the result, or into memory of its own.
    fn batch(&self, rows: &Range<usize>, seat: &Seat<'_, '_>, counts: &mut RunCounters) -> Result<()> {
        let launch = StageLaunch { stage: self.step, context: self.job, form: self.form, rows: rows.clone() };
        let (batch, timer) = (SingleBatch { launch, columns: self.slices(rows) }, &mut PhaseTimer::start());
        if let Some(mut places) = seat.places(rows) {
            let ran = batch.run_into(&mut places.outputs(), timer, counts);
            let ran = ran.and_then(|outcome| places.check(outcome));
            return seat.fill(rows, places, ran);
        }
        seat.put(rows, batch.run(timer, counts)?)
    }

    /// Some rows of the stage's columns.
    fn slices(&self, rows: &Range<usize>) -> Vec<InlineVec<HostChunk<'_>>> {
        let columns = self.step.stage.columns.iter().zip(&self.step.stage.kernel.columns);
        columns.map(|(&index, ty)| slice(&self.pieces(index), ty.dtype, rows.clone())).collect()
    }

    fn pieces(&self, index: u32) -> InlineVec<HostChunk<'_>> {
        match self.step.stage.input {
            StageInput::Source(_) => self.job.inputs[index as usize].pieces(),
            StageInput::Stage(number) => [self.done[number].columns[index as usize].chunk()].into_iter().collect(),
        }
    }
}

/// The most rows of a batch, of so many rows of a stage; whether nobody else works.
fn most(sink: &Sink, (rows, is_alone): (usize, bool)) -> usize {
    let (usual, parts) = match is_alone {
        true => (BATCH_ROWS_MAX_ALONE, BATCHES_MIN_ALONE),
        false => (BATCH_ROWS_MAX, BATCHES_MIN),
    };
    match sink.batches_are_cheap() {
        true => usual.max((rows / parts).next_multiple_of(LEAF_ROWS)),
        false => usual,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results that need memory of their own come in small batches, others in few.
    #[test]
    fn batches_are_as_large_as_possible() {
        let (fold, kept) = (Sink::Reduce { folds: Vec::new() }, Sink::Compact { columns: Vec::new() });
        let leaves = |count| count * LEAF_ROWS;
        let odd = (1_000_000_007, leaves(3815), leaves(30518));
        for (rows, beside, alone) in [(1 << 20, 1 << 22, 1 << 24), (2 << 30, 1 << 25, 1 << 28), odd] {
            assert_eq!((most(&fold, (rows, false)), most(&fold, (rows, true))), (beside, alone), "{rows} rows");
            assert_eq!((most(&kept, (rows, false)), most(&kept, (rows, true))), (1 << 22, 1 << 24), "{rows} rows");
        }
    }
}
