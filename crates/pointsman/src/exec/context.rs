//! [`RunContext`]: the context of a run besides its stages: inputs, memory, limits, and an observer of its progress.

use crate::data::input::{CapturedList, SourceTable};
use crate::data::memory::Pool;
use crate::devices::handle::StreamLease;
use crate::devices::residency::{MemoryReservation, ResidencyManager};
use crate::error::Result;
use crate::exec::spill::Spill;
use crate::instrument::progress::{LaunchObserver, Reporter};
use crate::programs::Programs;
use crate::resilience::cancel::CancellationToken;
use crate::resilience::time_limit::TimeLimit;
use pointsman_ir::types::Scalar;
use std::ops::Deref;
use std::sync::Arc;

/// The context of a run on one device.
pub(crate) struct RunContext<'a> {
    pub(crate) common: QueryContext<'a>,
    pub(crate) lease: &'a StreamLease<'a>,
    /// The maximum number of rows of a batch.
    pub(crate) batch_rows: Option<usize>,
    /// The device memory reserved for the run; `None` if the device works in the host's memory.
    pub(crate) reservation: Option<&'a MemoryReservation<'a>>,
}

impl<'a> Deref for RunContext<'a> {
    type Target = QueryContext<'a>;

    fn deref(&self) -> &QueryContext<'a> {
        &self.common
    }
}

/// The context of a run, on any device.
#[derive(Clone, Copy)]
pub(crate) struct QueryContext<'a> {
    /// The first table that the query reads, and the only one unless it is a plan of tables.
    pub(crate) source: SourceTable<'a>,
    pub(crate) params: &'a [Option<Scalar>],
    pub(crate) lists: &'a [CapturedList],
    pub(crate) pool: &'a Pool,
    /// The session's programs, for kernels that only the run can choose.
    pub(crate) programs: &'a Arc<Programs>,
    /// The spill directory for rows that do not fit in the pool.
    pub(crate) spill: &'a Spill,
    pub(crate) time: TimeLimit<'a>,
    pub(crate) token: Option<&'a CancellationToken>,
    /// Batches of a stage that a device holds at once.
    pub(crate) batches_in_flight: usize,
    /// Reports progress, if the caller asked for it.
    pub(crate) reporter: Option<&'a Reporter<'a>>,
}

impl RunContext<'_> {
    /// The maximum number of bytes of a device's own memory that the run takes; `None` if it is unknown.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
        self.reservation.and_then(MemoryReservation::limit)
    }

    /// The device's resident columns, if the session caches any there.
    pub(crate) fn caching_residency(&self) -> Option<&ResidencyManager> {
        let residency = self.reservation.map(|reservation| reservation.residency);
        residency.filter(|residency| residency.caches_columns())
    }

    /// An error if the query was cancelled, or if its time on this device is over.
    #[inline]
    pub(crate) fn check_limits(&self) -> Result<()> {
        LaunchObserver { time: self.time, token: self.token, reporter: None }.check_limits()
    }

    /// Reports progress, if the caller asked for it.
    #[inline]
    pub(crate) fn report(&self, f: impl FnOnce(&Reporter<'_>)) {
        if let Some(reporter) = self.reporter {
            f(reporter);
        }
    }

    /// The observer of a whole stage's launch; `None` if nothing can stop the launch and the caller did not ask for
    /// progress.
    #[inline]
    pub(crate) fn observer(&self) -> Option<LaunchObserver<'_>> {
        let is_wanted = self.token.is_some() || self.time.until.is_some() || self.reporter.is_some();
        is_wanted.then(|| LaunchObserver { time: self.time, token: self.token, reporter: self.reporter })
    }
}
