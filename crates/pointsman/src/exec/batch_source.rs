//! Where batches come from ([`BatchSource`]) and where what they give goes ([`BatchSink`]).

use crate::devices::transfer::DeviceColumn;
use crate::error::{Error, Result};
use crate::exec::merge::Merger;
use crate::exec::on_device::batch_download::BatchDownload;
use pointsman_device::Outcome;
use std::ops::Range;
use std::time::Duration;

/// What comes of asking for a batch.
pub(in crate::exec) enum NextBatch {
    /// These rows.
    Rows(Range<usize>),
    /// It is others' turn now.
    Later,
    /// There is none.
    Nothing,
}

/// Where batches come from.
pub(in crate::exec) trait BatchSource {
    /// The rows of the next batch, at most so many.
    fn next(&mut self, most: usize) -> NextBatch;

    /// Waits until it is not others' turn any more; to be called by who has no batch under way.
    fn wait(&mut self);

    /// Takes back the rows of a batch that came to nothing.
    fn take_back(&mut self, rows: Range<usize>);

    /// What a batch's failure means: an error, unless there may be others to do.
    fn failed(&mut self, rows: &Range<usize>, error: Error) -> Result<()>;

    /// How long a batch of so many rows may take before others should do it, as far as is known by now; `None` where
    /// there are no others.
    fn patience(&self, rows: usize) -> Option<Duration>;

    /// How long to wait for a batch before asking that again.
    fn glance(&self) -> Duration;
}

/// What a batch gave, still on its device.
pub(in crate::exec) struct DeviceBatch<'c, 'd> {
    /// The rows that it read.
    pub(in crate::exec) rows: &'c Range<usize>,
    pub(in crate::exec) columns: &'c [DeviceColumn<'d>],
    pub(in crate::exec) outcome: Outcome,
    /// Where it comes to the host.
    pub(in crate::exec) quay: BatchDownload<'d>,
}

/// What is done while something is on its way.
pub(in crate::exec) type Beside<'b> = &'b mut dyn FnMut();

/// Where what batches give goes.
pub(in crate::exec) trait BatchSink {
    /// Takes in what a batch gave, and calls `beside` while that is on its way; how many bytes that were.
    fn take(&mut self, cargo: DeviceBatch<'_, '_>, beside: Beside<'_>) -> Result<u64>;
}

/// All rows of a stage, one batch behind the other.
pub(in crate::exec) struct SequentialBatches {
    /// The first row of the next batch, until there is none.
    next: Option<usize>,
    rows: usize,
}

impl SequentialBatches {
    /// Of so many.
    pub(in crate::exec) fn of(rows: usize) -> SequentialBatches {
        SequentialBatches { next: Some(0), rows }
    }
}

impl BatchSource for SequentialBatches {
    fn next(&mut self, most: usize) -> NextBatch {
        let Some(first) = self.next else { return NextBatch::Nothing };
        let end = self.rows.min(first + most);
        self.next = (end < self.rows).then_some(end);
        NextBatch::Rows(first..end)
    }

    fn wait(&mut self) {}

    fn take_back(&mut self, rows: Range<usize>) {
        self.next = Some(self.next.map_or(rows.start, |next| next.min(rows.start)));
    }

    fn failed(&mut self, _: &Range<usize>, error: Error) -> Result<()> {
        Err(error)
    }

    fn patience(&self, _: usize) -> Option<Duration> {
        None
    }

    fn glance(&self) -> Duration {
        Duration::MAX
    }
}

impl BatchSink for Merger<'_> {
    fn take(&mut self, cargo: DeviceBatch<'_, '_>, beside: Beside<'_>) -> Result<u64> {
        Merger::unload(self, cargo, beside)
    }
}
