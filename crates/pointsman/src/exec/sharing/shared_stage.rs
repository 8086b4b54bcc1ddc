//! [`SharedStage`]: a stage that several devices run at once. It hands batches to devices, and takes in their outputs in
//! the order of the rows; rows whose place in the result is known go there directly. Rows that a device gives back go to
//! another one.

use crate::data::output::Output;
use crate::devices::download::{HostDestination, WhileCopying};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::batch_source::{BatchSink, BatchSource, DeviceBatch, NextBatch};
use crate::exec::merge::{HostBatch, Merger, SCAN_HEAD};
use crate::exec::output_slices::OutputSlices;
use crate::exec::sharing::scheduler::ShareScheduler;
use crate::resilience::clock::Clock;
use crate::sync::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

/// A stage on several devices.
pub(super) struct SharedStage<'t> {
    queue: Mutex<WorkQueue<'t>>,
    /// `None` if every row's place in the result is known.
    merge: Option<Mutex<OrderedMerge<'t>>>,
    clock: &'t dyn Clock,
    /// The output columns of batches that nobody reads.
    unused: [bool; SCAN_HEAD],
}

/// The rows that are still to be done.
struct WorkQueue<'t> {
    /// The places in the result, by the first row of each batch that has not ended.
    slices: BTreeMap<usize, OutputSlices<'t>>,
    /// How many rows are in their places.
    placed: usize,
    /// The first row that was never handed out, until there is none.
    next: Option<usize>,
    /// The rows that devices gave back.
    returned: Vec<Range<usize>>,
    /// The first row of the first batch with a faulty row, and its error: later rows need not be done. Row 0 if the result
    /// cannot be merged: then no row need be done.
    fault: Option<(usize, Error)>,
    scheduler: ShareScheduler,
}

/// The outputs of batches, merged in the order of their rows.
struct OrderedMerge<'t> {
    merger: Merger<'t>,
    /// By the first row: the row after the last, and the output.
    waiting: BTreeMap<usize, (usize, HostBatch)>,
    /// The first row that was not merged.
    next: usize,
}

impl<'t> WorkQueue<'t> {
    /// How many rows are left to hand out; `None` if there is no batch left. A stage without rows has one batch.
    fn left(&mut self) -> Option<usize> {
        let rows = self.scheduler.rows;
        // Later rows than a faulty one need not be done.
        let end = self.fault.as_ref().map_or(rows, |(row, _)| rows.min(*row));
        self.returned.retain(|rows| rows.start < end);
        let has_more = !self.returned.is_empty() || self.next.is_some_and(|next| next < end || rows == 0);
        let rest = self.next.map_or(0, |next| end.saturating_sub(next));
        has_more.then(|| self.returned.iter().map(ExactSizeIterator::len).sum::<usize>() + rest)
    }

    /// The next batch of a device, at most `most` rows.
    fn next(&mut self, device: usize, most: usize, now: Duration) -> NextBatch {
        let turn = match self.left() {
            Some(left) => self.scheduler.next(device, left),
            None => self.scheduler.stop(device),
        };
        let most = match turn {
            NextBatch::Rows(rows) => most.min(rows),
            NextBatch::Later => return NextBatch::Later,
            NextBatch::Nothing => return NextBatch::Nothing,
        };
        let rows = self.cut(most);
        self.scheduler.start_batch(device, rows.len(), now);
        NextBatch::Rows(rows)
    }

    /// Takes up to `most` rows from the queue, together with their slices of the output.
    fn cut(&mut self, most: usize) -> Range<usize> {
        let rows = match self.returned.pop() {
            Some(rows) => {
                let end = rows.end.min(rows.start.saturating_add(most));
                self.returned.extend((end < rows.end).then_some(end..rows.end));
                rows.start..end
            }
            None => {
                let start = self.next.unwrap_or(self.scheduler.rows);
                let end = self.scheduler.rows.min(start.saturating_add(most));
                self.next = (end < self.scheduler.rows).then_some(end);
                start..end
            }
        };
        if let Some(slices) = self.slices.remove(&rows.start) {
            if slices.rows > rows.len() {
                let (own, others) = slices.split(rows.len());
                self.slices.extend([(rows.start, own), (rows.end, others)]);
            } else {
                self.slices.insert(rows.start, slices);
            }
        }
        rows
    }
}

impl<'t> SharedStage<'t> {
    /// A stage whose outputs go directly to these places, or are merged.
    pub(super) fn new(
        slices: Option<OutputSlices<'t>>,
        merger: Option<Merger<'t>>,
        scheduler: ShareScheduler,
        clock: &'t dyn Clock,
    ) -> SharedStage<'t> {
        let unused = std::array::from_fn(|number| merger.as_ref().is_some_and(|merger| merger.is_unused(number)));
        let merge = merger.map(|merger| Mutex::new(OrderedMerge { merger, waiting: BTreeMap::new(), next: 0 }));
        let slices = slices.into_iter().map(|slices| (0, slices)).collect();
        let queue = WorkQueue { slices, placed: 0, next: Some(0), returned: Vec::new(), fault: None, scheduler };
        SharedStage { queue: Mutex::new(queue), merge, clock, unused }
    }

    /// Changes the schedule.
    pub(super) fn schedule<T>(&self, change: impl FnOnce(&mut ShareScheduler) -> T) -> T {
        change(&mut self.queue.lock().scheduler)
    }

    /// Whether no row is left to hand out. Once no device has a batch, all rows are done.
    pub(super) fn is_done(&self) -> bool {
        self.queue.lock().left().is_none()
    }

    /// Ends the stage; the output, unless it is in its places.
    pub(super) fn finish(self) -> Result<Option<Output>> {
        let queue = self.queue.into_inner();
        if let Some((_, error)) = queue.fault {
            return Err(error);
        }
        let merge = self.merge.map(|merge| merge.into_inner());
        if merge.as_ref().map_or(queue.placed, |merge| merge.next) != queue.scheduler.rows {
            return Err(Error::internal("a shared stage of which a part is missing"));
        }
        merge.map(|merge| merge.merger.finish()).transpose()
    }
}

/// A device's access to a shared stage.
#[derive(Clone, Copy)]
pub(super) struct WorkerHandle<'s, 't> {
    pub(super) stage: &'s SharedStage<'t>,
    pub(super) device: usize,
}

impl<'t> WorkerHandle<'_, 't> {
    /// How many rows the stage has.
    pub(super) fn stage_rows(&self) -> usize {
        self.stage.queue.lock().scheduler.rows
    }

    fn end_batch(&self, rows: usize) {
        let now = self.stage.clock.now();
        self.stage.schedule(|scheduler| scheduler.end_batch(self.device, rows, now));
    }

    /// Takes in the output of a batch.
    pub(super) fn merge(&self, rows: &Range<usize>, batch: HostBatch) -> Result<()> {
        self.end_batch(rows.len());
        let Some(merge) = &self.stage.merge else {
            return Err(Error::internal("rows that have places were not put there"));
        };
        let mut merge = merge.lock();
        let merge = &mut *merge;
        merge.waiting.insert(rows.start, (rows.end, batch));
        while let Some((end, batch)) = merge.waiting.remove(&merge.next) {
            if let Err(error) = merge.merger.absorb(&batch) {
                // The host has no room for the result, and the batch may be another device's: no device can go on.
                self.stage.queue.lock().fault = Some((0, error));
                return Ok(());
            }
            merge.next = end;
        }
        Ok(())
    }

    /// Lets `write` fill the places of a batch's rows; `None` if those are not known. The places of a batch that failed
    /// stay for the next device.
    pub(super) fn fill<T>(
        &self,
        rows: &Range<usize>,
        write: impl FnOnce(&mut OutputSlices<'t>) -> Result<T>,
    ) -> Option<Result<T>> {
        let mut slices = self.stage.queue.lock().slices.remove(&rows.start)?;
        let written = write(&mut slices);
        match &written {
            Ok(_) => {
                self.stage.queue.lock().placed += rows.len();
                self.end_batch(rows.len());
            }
            Err(_) => drop(self.stage.queue.lock().slices.insert(rows.start, slices)),
        }
        Some(written)
    }
}

impl BatchSource for WorkerHandle<'_, '_> {
    fn next(&mut self, most: usize) -> NextBatch {
        let now = self.stage.clock.now();
        self.stage.queue.lock().next(self.device, most, now)
    }

    fn take_back(&mut self, rows: Range<usize>) {
        let mut queue = self.stage.queue.lock();
        queue.scheduler.cancel_batch(self.device, rows.len());
        queue.returned.push(rows);
    }

    fn failed(&mut self, rows: &Range<usize>, error: Error) -> Result<()> {
        if error.kind() != ErrorKind::Arithmetic {
            return Err(error);
        }
        let mut queue = self.stage.queue.lock();
        if queue.fault.as_ref().is_none_or(|(row, _)| rows.start < *row) {
            queue.fault = Some((rows.start, error));
        }
        Ok(())
    }

    fn timeout(&self, rows: usize) -> Option<Duration> {
        Some(self.stage.schedule(|scheduler| scheduler.timeout(self.device, rows)))
    }
}

impl BatchSink for WorkerHandle<'_, '_> {
    fn take(
        &mut self,
        DeviceBatch { rows, columns, outcome, download }: DeviceBatch<'_, '_>,
        while_copying: WhileCopying<'_>,
    ) -> Result<u64> {
        let write = |slices: &mut OutputSlices<'_>| {
            slices.check(outcome)?;
            download.run_into(columns, &mut slices.columns, Some(&mut *while_copying))
        };
        if let Some(filled) = self.fill(rows, write) {
            return filled;
        }
        let destination = |(number, column)| match self.stage.unused.get(number) {
            Some(true) => Ok(HostDestination::default()),
            Some(false) | None => HostDestination::new(column, download.pool),
        };
        let destinations = columns.iter().enumerate().map(destination).collect::<Result<_>>()?;
        let (columns, bytes) = download.run(columns, destinations, Some(while_copying))?;
        self.merge(rows, HostBatch { columns, outcome, read: rows.len() })?;
        Ok(bytes)
    }
}
