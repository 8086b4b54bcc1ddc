//! [`RunContext`]: what a run needs beside its stages, how long it may take, and whether it should go on.

use crate::data::input::Input;
use crate::data::memory::Pool;
use crate::devices::handle::StreamLease;
use crate::devices::residency::MemoryReservation;
use crate::error::Result;
use crate::exec::spill::Spill;
use crate::instrument::progress::{LaunchObserver, Reporter};
use crate::query::build::CapturedList;
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use pointsman_ir::types::Scalar;
use std::ops::Deref;
use std::time::Duration;

/// What a run on one device needs beside the stages: what it would need on any, and what is that device's.
pub(crate) struct RunContext<'a> {
    pub(crate) common: QueryContext<'a>,
    pub(crate) lease: &'a StreamLease<'a>,
    /// The most rows of a batch.
    pub(crate) batch_rows: Option<usize>,
    /// What of the device's own memory is reserved for the run; `None` where that is the host's.
    pub(crate) grant: Option<&'a MemoryReservation<'a>>,
}

impl<'a> Deref for RunContext<'a> {
    type Target = QueryContext<'a>;

    fn deref(&self) -> &QueryContext<'a> {
        &self.common
    }
}

/// What a run needs beside the stages on whichever device.
#[derive(Clone, Copy)]
pub(crate) struct QueryContext<'a> {
    pub(crate) inputs: &'a [Input<'a>],
    pub(crate) rows: usize,
    pub(crate) params: &'a [Option<Scalar>],
    pub(crate) lists: &'a [CapturedList],
    pub(crate) pool: &'a Pool,
    /// Where what the pool does not hold goes.
    pub(crate) spill: &'a Spill,
    pub(crate) time: TimeLimit<'a>,
    pub(crate) token: Option<&'a CancellationToken>,
    pub(crate) options: ExecOptions,
    /// Who is told how far it is.
    pub(crate) reporter: Option<&'a Reporter<'a>>,
}

impl<'a> QueryContext<'a> {
    /// What a device needs that has these streams, and that much memory.
    pub(crate) fn on(&self, lease: &'a StreamLease<'a>, grant: Option<&'a MemoryReservation<'a>>) -> RunContext<'a> {
        RunContext { common: *self, lease, batch_rows: None, grant }
    }
}

impl RunContext<'_> {
    /// The most bytes of a device's own memory that the run takes; `None`: nobody knows.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
        self.grant.and_then(MemoryReservation::limit)
    }

    /// An error if the query was cancelled, or if its time on this device is over.
    pub(crate) fn may_go_on(&self) -> Result<()> {
        LaunchObserver { time: self.time, token: self.token, reporter: None }.check_limits()
    }

    /// A stage of so many rows begins.
    pub(crate) fn begin(&self, stage: usize, rows: usize) {
        if let Some(reporter) = self.reporter {
            reporter.begin_stage(stage, rows);
        }
    }

    /// The stage under way begins anew.
    pub(crate) fn begin_again(&self) {
        if let Some(reporter) = self.reporter {
            reporter.restart_stage();
        }
    }

    /// A batch of so many rows is done, for which so many bytes were copied.
    pub(crate) fn did_batch(&self, rows: usize, bytes_moved: u64) {
        if let Some(reporter) = self.reporter {
            reporter.end_batch(rows, bytes_moved);
        }
    }

    /// The stage under way is done, after so many batches and bytes copied.
    pub(crate) fn end(&self, batches: usize, bytes_moved: u64) {
        if let Some(reporter) = self.reporter {
            reporter.end_stage(batches, bytes_moved);
        }
    }

    /// Who looks on at launches; nobody where nothing could end them and nobody asks how far they are.
    pub(crate) fn lookout(&self) -> Option<LaunchObserver<'_>> {
        let is_wanted = self.token.is_some() || self.time.until.is_some() || self.reporter.is_some();
        if !is_wanted {
            return None;
        }
        Some(LaunchObserver { time: self.time, token: self.token, reporter: self.reporter })
    }
}

/// The options of a session that runs read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExecOptions {
    /// Batches of a stage that a device holds at once.
    pub(crate) batches_in_flight: usize,
    /// The shortest time on one device that makes sharing a query worthwhile.
    pub(crate) share_time_min: Duration,
}

/// How long a run may take.
#[derive(Clone, Copy)]
pub(crate) struct TimeLimit<'a> {
    pub(crate) clock: &'a dyn Clock,
    /// For a launch or a copy.
    pub(crate) patience: Duration,
    /// For all of it.
    pub(crate) until: Option<Duration>,
}

impl TimeLimit<'_> {
    /// How long the next launch or copy may take.
    pub(crate) fn left(&self) -> Duration {
        self.until.map_or(self.patience, |until| self.patience.min(until.saturating_sub(self.clock.now())))
    }

    /// Whether the time for all of it is over.
    pub(crate) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| self.clock.now() >= until)
    }
}
