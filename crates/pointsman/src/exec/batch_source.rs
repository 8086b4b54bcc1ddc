//! The source of batches ([`BatchSource`]) and the destination of their outputs ([`BatchSink`]).

use crate::devices::download::{BatchDownload, WhileCopying};
use crate::devices::transfer::DeviceColumn;
use crate::error::{Error, Result};
use pointsman_device::Outcome;
use std::ops::Range;
use std::time::Duration;

/// Where batches come from.
pub(super) trait BatchSource {
    /// The rows of the next batch, at most `most`; `None` if there is no batch left.
    fn next(&mut self, most: usize) -> Option<Range<usize>>;

    /// Takes back the rows of a batch that gave no output.
    fn take_back(&mut self, rows: Range<usize>);

    /// Handles a batch that failed: returns the error, unless other batches may still run.
    fn failed(&mut self, _rows: &Range<usize>, error: Error) -> Result<()> {
        Err(error)
    }

    /// How long a batch of `rows` rows may take before other devices should run it, by what is known now; `None` where
    /// there are no others.
    fn timeout(&self, _rows: usize) -> Option<Duration> {
        None
    }
}

/// The output of a batch, still on its device.
pub(super) struct DeviceBatch<'c, 'd> {
    /// The rows that it read.
    pub(super) rows: &'c Range<usize>,
    pub(super) columns: &'c [DeviceColumn],
    pub(super) outcome: Outcome,
    /// Copies it to the host.
    pub(super) download: BatchDownload<'d>,
}

/// Where the outputs of batches go.
pub(super) trait BatchSink {
    /// Downloads and takes the output of a batch; how many bytes were downloaded.
    fn take(&mut self, batch: DeviceBatch<'_, '_>, while_copying: WhileCopying<'_>) -> Result<u64>;
}

/// All rows of a stage, in order.
pub(super) struct SequentialBatches {
    /// The first row of the next batch, until there is none.
    next: Option<usize>,
    rows: usize,
}

impl SequentialBatches {
    /// A stage of `rows` rows.
    pub(super) fn of(rows: usize) -> SequentialBatches {
        SequentialBatches { next: Some(0), rows }
    }
}

impl BatchSource for SequentialBatches {
    fn next(&mut self, most: usize) -> Option<Range<usize>> {
        let first = self.next?;
        let end = self.rows.min(first + most);
        self.next = (end < self.rows).then_some(end);
        Some(first..end)
    }

    fn take_back(&mut self, rows: Range<usize>) {
        self.next = Some(self.next.map_or(rows.start, |next| next.min(rows.start)));
    }
}
