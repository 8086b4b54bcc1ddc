//! [`SharedStage`]: a stage that several devices run at once. It assigns batches to devices, and merges their outputs
//! in the order of the rows. Rows that a device returns are assigned to another one.

use crate::data::output::Output;
use crate::devices::download::{HostDestination, WhileCopying};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::batch_source::{BatchSink, BatchSource, DeviceBatch};
use crate::exec::context::QueryContext;
use crate::exec::merge::{HostBatch, Merger};
use crate::exec::relational::StageCall;
use crate::exec::sharing::scheduler::ShareScheduler;
use crate::sync::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

/// A stage on several devices.
pub(super) struct SharedStage<'t> {
    pub(super) context: QueryContext<'t>,
    pub(super) number: usize,
    pub(super) input: SharedInput<'t>,
    pub(super) progress: Mutex<StageProgress<'t>>,
}

/// The inputs of a shared stage.
#[derive(Clone, Copy)]
pub(super) enum SharedInput<'t> {
    /// The query's source, and the outputs of earlier stages.
    Outputs(&'t [Output]),
    /// The tables of a plan.
    Tables(&'t StageCall<'t>),
}

/// How much of a shared stage is done.
pub(super) struct StageProgress<'t> {
    pub(super) scheduler: ShareScheduler,
    /// The error of the first batch with a faulty row, or why the result cannot be merged.
    error: Option<Error>,
    /// Consumes the outputs in order; `None` if they are merged at the end.
    pub(super) merger: Option<Merger<'t>>,
    /// The outputs in order, if nothing takes them.
    pub(super) batches: Vec<HostBatch>,
    /// Outputs that came too early. By the first row: the row after the last, and the outputs of the rows between.
    waiting: BTreeMap<usize, (usize, Vec<HostBatch>)>,
    /// The first row whose output did not come.
    merged: usize,
}

impl<'t> StageProgress<'t> {
    /// No row is done.
    pub(super) fn new(scheduler: ShareScheduler, merger: Option<Merger<'t>>) -> StageProgress<'t> {
        StageProgress { scheduler, error: None, merger, batches: Vec::new(), waiting: BTreeMap::new(), merged: 0 }
    }

    /// Takes the outputs of the next rows.
    fn take(&mut self, batches: Vec<HostBatch>) -> Result<()> {
        match &mut self.merger {
            Some(merger) => batches.iter().try_for_each(|batch| merger.absorb(batch)),
            None => {
                self.batches.extend(batches);
                Ok(())
            }
        }
    }

    /// Rows from this one on need not be done, because of this error.
    fn stop_at(&mut self, row: usize, error: Error) {
        if row < self.scheduler.end {
            self.scheduler.stop_at(row);
            self.error = Some(error);
        }
    }

    /// All outputs; an error if a row faulted or some are missing.
    pub(super) fn finish(mut self) -> Result<StageProgress<'t>> {
        match self.error.take() {
            Some(error) => Err(error),
            None if self.merged == self.scheduler.rows => Ok(self),
            None => Err(Error::internal("a shared stage of which a part is missing")),
        }
    }
}

/// A device's access to a shared stage.
#[derive(Clone, Copy)]
pub(super) struct WorkerHandle<'s, 't> {
    pub(super) stage: &'s SharedStage<'t>,
    pub(super) device: usize,
}

impl WorkerHandle<'_, '_> {
    /// Takes in the outputs of a batch: one, or several if launches were resumed.
    pub(super) fn merge(&self, rows: &Range<usize>, batches: Vec<HostBatch>) {
        let now = self.stage.context.time.clock.now();
        let progress = &mut *self.stage.progress.lock();
        progress.scheduler.end_batch(self.device, rows.len(), now);
        progress.waiting.insert(rows.start, (rows.end, batches));
        while let Some((end, batches)) = progress.waiting.remove(&progress.merged) {
            if let Err(error) = progress.take(batches) {
                // The host has no room for the result, and the batch may be another device's: no device can go on.
                return progress.stop_at(0, error);
            }
            progress.merged = end;
        }
    }
}

impl BatchSource for WorkerHandle<'_, '_> {
    fn next(&mut self, most: usize) -> Option<Range<usize>> {
        let now = self.stage.context.time.clock.now();
        self.stage.progress.lock().scheduler.next(self.device, most, now)
    }

    fn take_back(&mut self, rows: Range<usize>) {
        self.stage.progress.lock().scheduler.take_back(self.device, rows);
    }

    fn failed(&mut self, rows: &Range<usize>, error: Error) -> Result<()> {
        if error.kind() != ErrorKind::Arithmetic {
            return Err(error);
        }
        self.stage.progress.lock().stop_at(rows.start, error);
        Ok(())
    }

    fn timeout(&self, rows: usize) -> Option<Duration> {
        Some(self.stage.progress.lock().scheduler.timeout(self.device, rows))
    }
}

impl BatchSink for WorkerHandle<'_, '_> {
    fn take(&mut self, batch: DeviceBatch<'_, '_>, while_copying: WhileCopying<'_>) -> Result<u64> {
        let DeviceBatch { rows, columns, outcome, download } = batch;
        let destinations = columns.iter().map(|column| HostDestination::new(column, download.pool));
        let (columns, bytes) = download.run(columns, destinations.collect::<Result<_>>()?, Some(while_copying))?;
        self.merge(rows, vec![HostBatch { columns, outcome, read: rows.len() }]);
        Ok(bytes)
    }
}
