//! [`RunCounters`]: the rows, bytes and batches of one run, for its receipt.

use std::ops::AddAssign;

/// The counters of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunCounters {
    pub(crate) rows_in: usize,
    pub(crate) rows_out: usize,
    pub(crate) bytes_read: u64,
    pub(crate) bytes_written: u64,
    pub(crate) bytes_moved_in: u64,
    pub(crate) bytes_moved_out: u64,
    pub(crate) batches: u32,
    /// Launches that went on where the output of the one before was full.
    pub(crate) resumes: u32,
    /// Launches that merged partial results.
    pub(crate) merges: u32,
    pub(crate) pressure: MemoryPressure,
    pub(crate) bytes_spilled: u64,
}

impl RunCounters {
    /// Adds a stage that ran by itself. Its rows are not the query's.
    pub(crate) fn add_stage(&mut self, stage: &RunCounters) {
        let RunCounters { rows_in: _, rows_out: _, bytes_read, bytes_written, bytes_moved_in, bytes_moved_out, .. } =
            *stage;
        let RunCounters { batches, resumes, merges, pressure, bytes_spilled, .. } = *stage;
        self.bytes_read += bytes_read;
        self.bytes_written += bytes_written;
        self.bytes_moved_in += bytes_moved_in;
        self.bytes_moved_out += bytes_moved_out;
        self.batches += batches;
        self.resumes += resumes;
        self.merges += merges;
        self.pressure += pressure;
        self.bytes_spilled += bytes_spilled;
    }

    /// The number of batches.
    pub(crate) fn batches(&self) -> usize {
        self.batches as usize
    }

    /// Bytes that were moved to the device and from it.
    pub(crate) fn bytes_moved(&self) -> u64 {
        self.bytes_moved_in + self.bytes_moved_out
    }
}

/// The waits and evictions for the device memory of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemoryPressure {
    /// Whether the query waited for other queries.
    pub(crate) waited: bool,
    /// The number of resident columns that were evicted for it.
    pub(crate) evicted: u32,
    /// The number of evicted columns that were pinned.
    pub(crate) pins_evicted: u32,
}

impl AddAssign for MemoryPressure {
    fn add_assign(&mut self, other: MemoryPressure) {
        self.waited |= other.waited;
        self.evicted += other.evicted;
        self.pins_evicted += other.pins_evicted;
    }
}
