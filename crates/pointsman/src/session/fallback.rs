//! Tries the placements of a query in order until one answers. Only this loop tries another placement or retries a
//! failed device. Within an attempt, a run that is out of memory may be repeated once alone (`session/attempt.rs`) or
//! through the disk (`exec/`).
//!
//! | failure | reaction |
//! | --- | --- |
//! | transient | retry on the same device after a wait, at most `retry_limit` times and within its budget; then next |
//! | lost, mismatch | close the device for this session; next |
//! | compile | do not compile the kernel for this device for a minute; next |
//! | timeout | open the device's breaker, unless the attempt itself ran out of time; next |
//! | out of memory | next: the run itself has already evicted resident columns, made smaller batches and spilled |
//! | unsupported, refused (not tried) | next |
//! | user, internal, disk | return the error at once |
//!
//! "Next" tries the next placement. A failed attempt leaves nothing in the results, so every row is answered once.
//! Memory that a hung device may still touch stays with the device: `Device::free` releases memory only after the
//! queued work that uses it has ended, and staging buffers belong to the device until then.

use super::attempt::{Attempt, QueryRun};
use super::call::RunRecord;
use crate::error::{Error, FailureClass, Result};
use crate::instrument::phase::Phase;
use crate::resilience::gate::WaitLimit;
use crate::resilience::parker::Parker;
use crate::resilience::retry::Reaction;
use crate::select::{LoadedPrograms, PlannedRun};
use std::sync::Arc;
use std::time::Duration;

/// The limits of one attempt.
#[derive(Clone, Copy)]
pub(super) struct AttemptLimits {
    /// When the attempt must be done. Unless no placement is left, half of the remaining time is kept for the next.
    pub(super) until: Option<Duration>,
    /// Whether no other placement is left.
    pub(super) is_last: bool,
    /// How often this placement was tried before.
    pub(super) retries: u32,
}

impl<'q> QueryRun<'q> {
    /// Tries placements in order until one answers; returns that run and its programs, or an error that lists all
    /// attempts.
    #[inline(always)]
    pub(super) fn first_success(&'q self, record: &mut RunRecord<'_>) -> Result<(PlannedRun<'q>, &'q LoadedPrograms)> {
        while let Some(run) = self.ranking.next() {
            let is_last = self.ranking.is_last();
            let until = self.call.deadline.map(|deadline| self.share_of(deadline, is_last));
            let mut failure = FailureClass::Internal;
            for retries in 0.. {
                let limits = AttemptLimits { until, is_last, retries };
                let error = match self.attempt(&run, &limits, record) {
                    Ok(loaded) => return Ok((run, loaded)),
                    Err(error) => error,
                };
                failure = FailureClass::of(&error);
                match self.record_failed(&run, error, record) {
                    Reaction::Retry if self.may_retry(&run, &limits) => {}
                    // The failure would repeat on every device.
                    Reaction::Return => return Err(std::mem::take(&mut record.log).into_last()),
                    Reaction::Retry | Reaction::Next | Reaction::CloseDevice | Reaction::TripBreaker => break,
                }
            }
            self.ranking.advance(failure);
        }
        Err(std::mem::take(&mut record.log).into_error())
    }

    /// When an attempt must be done so that the query can keep this deadline.
    fn share_of(&self, deadline: Duration, is_last: bool) -> Duration {
        let left = deadline.saturating_sub(self.session.clock.now());
        if is_last { deadline } else { deadline.saturating_sub(left / 2) }
    }

    /// Makes one attempt at a placement. One that fails leaves only its time in the record.
    #[inline(always)]
    fn attempt(
        &'q self,
        run: &PlannedRun<'q>,
        limits: &AttemptLimits,
        record: &mut RunRecord<'_>,
    ) -> Result<&'q LoadedPrograms> {
        if limits.retries > 0 {
            record.timer.lap(Phase::Queue);
        }
        // Runs on the CPU, which has no health records, are timed by the phase timer alone.
        let start = run.placement.handle.health.as_ref().map(|_| self.session.clock.now());
        let mark = record.timer.last_lap;
        Attempt { query: self, run, limits }.run(run.placement, record).inspect_err(|_| {
            record.results.clear();
            record.sources = None;
            record.timer.lap(Phase::Run);
            let real = || Duration::from_nanos(record.timer.last_lap.since(mark));
            let time = start.map_or_else(real, |start| self.session.clock.now().saturating_sub(start));
            record.nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        })
    }

    /// Records a failed attempt, and returns the reaction to it.
    #[cold]
    fn record_failed(&self, run: &PlannedRun<'_>, error: Error, record: &mut RunRecord<'_>) -> Reaction {
        let (placement, time) = (run.placement, Duration::from_nanos(record.nanoseconds));
        record.shared = None;
        let reaction = self.session.record_failure(&placement.handle, &error);
        if FailureClass::of(&error) == FailureClass::Mismatch {
            // Any of the sharing devices may have been wrong.
            for other in run.partners {
                let _ = self.session.record_failure(&other.handle, &error);
            }
        }
        record.log.record(placement.device(), time, error);
        reaction
    }

    /// Waits before a retry at the same placement; returns `false` without waiting if it may not be retried.
    #[cold]
    fn may_retry(&self, run: &PlannedRun<'_>, limits: &AttemptLimits) -> bool {
        let Some(health) = &run.placement.handle.health else { return false };
        let (options, clock) = (&self.session.options, &*self.session.clock);
        let wait = self.session.jitter.delay(options.retry_backoff, limits.retries);
        let until = clock.now().saturating_add(wait);
        let is_too_late = limits.until.is_some_and(|end| until >= end);
        if limits.retries >= options.retry_limit || is_too_late || !health.budget.try_withdraw() {
            return false;
        }
        match self.call.limits.token.as_ref() {
            None => clock.sleep(wait),
            // The next attempt notices a cancellation.
            token => {
                let limit = WaitLimit { clock, until: Some(until), token };
                let _ = limit.wait(&Arc::new(Parker::new()));
            }
        }
        true
    }
}
