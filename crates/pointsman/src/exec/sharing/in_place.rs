//! Runs batches of a shared stage on a device that reads the host's memory in place.

use crate::data::chunks::slice;
use crate::error::Result;
use crate::exec::SingleDeviceRun;
use crate::exec::batch_source::{BatchSource, NextBatch};
use crate::exec::launch::StageLaunch;
use crate::exec::merge::batch_form;
use crate::exec::sharing::shared_stage::WorkerHandle;
use crate::exec::single_batch::SingleBatch;
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::{LEAF_ROWS, Sink};
use std::ops::Range;

/// The most rows of a batch. If batches are cheap to merge, a batch may have this fraction of the stage instead: all threads
/// wait for each other at its end.
const BATCH_ROWS_MAX: usize = 1 << 22;
const BATCH_FRACTION: usize = 64;

/// Runs batches until none is left for this device.
pub(super) fn run(run: &mut SingleDeviceRun<'_>, number: usize, mut worker: WorkerHandle<'_, '_>) -> Result<()> {
    let most = rows_max(&run.stages[number].kernel.sink, worker.stage_rows());
    loop {
        let rows = match worker.next(most) {
            NextBatch::Rows(rows) => rows,
            // The scheduler defers only devices that have a batch in flight.
            NextBatch::Later | NextBatch::Nothing => return Ok(()),
        };
        match run.context.check_limits().and_then(|()| run_batch(run, number, &rows, worker)) {
            Ok(()) => run.context.report(|reporter| reporter.end_batch(rows.len(), 0)),
            Err(error) => {
                worker.take_back(rows.clone());
                worker.failed(&rows, error)?;
            }
        }
    }
}

/// Runs a batch into its places in the result, or into memory of its own.
fn run_batch(
    run: &mut SingleDeviceRun<'_>,
    number: usize,
    rows: &Range<usize>,
    worker: WorkerHandle<'_, '_>,
) -> Result<()> {
    let SingleDeviceRun { stages, context, outputs, counters, timer } = run;
    let stage = &stages[number];
    let chunks = |column: u32| match stage.input {
        StageInput::Source(_) => context.inputs[column as usize].pieces(),
        StageInput::Stage(number) => outputs[number].chunk(column).into_iter().collect(),
    };
    let columns = stage.columns.iter().zip(&stage.kernel.columns);
    let columns = columns.map(|(&column, ty)| slice(&chunks(column), ty.dtype, rows.clone())).collect();
    let launch = StageLaunch { stage, context, form: batch_form(&stage.kernel), rows: rows.clone() };
    let batch = SingleBatch { launch, columns };
    let filled = worker.fill(rows, |slices| {
        let outcome = batch.run_into(&mut slices.outputs(), timer, counters)?;
        slices.check(outcome)
    });
    match filled {
        Some(filled) => filled,
        None => worker.merge(rows, batch.run(timer, counters)?),
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
