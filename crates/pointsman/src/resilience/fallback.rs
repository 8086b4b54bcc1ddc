//! Tries the candidates of a query in order until one answers. Only this loop tries another placement or retries a failed
//! device. Within an attempt, a run that is out of memory may be repeated once alone (`session/attempt.rs`) or through the
//! disk (`exec/`).
//!
//! | failure | reaction |
//! | --- | --- |
//! | transient | retry on the same device after a wait, at most `retries` times and within its budget; then next |
//! | lost, mismatch | close the device for this session; next |
//! | compile | do not compile the kernel for this device for a minute; next |
//! | timeout | open the device's breaker, unless the attempt itself ran out of time; next |
//! | out of memory | next: the run itself has already evicted resident columns, made smaller batches and spilled |
//! | unsupported, refused (not tried) | next |
//! | user, internal, disk | return the error at once |
//!
//! "Next" tries the next candidate. A failed attempt leaves nothing in the results, so every row is answered once.
//! Memory that a hung device may still touch stays with the device: `Device::free` releases memory only after the
//! queued work that uses it has ended, and staging buffers belong to the device until then.

use super::cancel::CancellationToken;
use super::clock::Clock;
use super::gate::WaitLimit;
use super::parker::Parker;
use super::retry::{RandomDraws, Reaction, RetryBudget};
use crate::error::{Error, Result};
use std::sync::Arc;
use std::time::Duration;

/// The candidates of a query, and one attempt at each. Attempts write results, times and failures to a record `R`.
pub(crate) trait Attempts<R>: Copy {
    type Candidate;
    type Outcome;

    /// The next candidate, best first.
    fn next(self) -> Option<Self::Candidate>;

    /// Whether no candidate is left after the current one.
    fn is_last(self) -> bool;

    /// Makes one attempt at a candidate.
    fn attempt(self, candidate: &Self::Candidate, limits: &AttemptLimits, record: &mut R) -> Result<Self::Outcome>;

    /// Records a failed attempt, and returns the reaction to it.
    fn failed(self, candidate: &Self::Candidate, error: Error, record: &mut R) -> Reaction;

    /// The retries that a candidate's device may still make; `None` if it is never retried.
    fn retry_budget(self, candidate: &Self::Candidate) -> Option<&RetryBudget>;

    /// Moves on to the next candidate.
    fn advance(self, candidate: &Self::Candidate);
}

/// The limits of one attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttemptLimits {
    /// When the attempt must be done. Unless no candidate is left, half of the remaining time is kept for the next.
    pub(crate) until: Option<Duration>,
    /// Whether no other candidate is left.
    pub(crate) is_last: bool,
    /// How often this candidate was tried before.
    pub(crate) retries: u32,
}

/// Why the loop ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GaveUp {
    /// The last failure would repeat on every device.
    Final,
    /// Every candidate failed.
    Exhausted,
}

/// When and how often attempts are repeated.
pub(crate) struct RetryPolicy<'p> {
    pub(crate) clock: &'p dyn Clock,
    pub(crate) jitter: &'p RandomDraws,
    /// How often a candidate is retried.
    pub(crate) retries: u32,
    /// The longest wait before the first retry; it doubles with each retry.
    pub(crate) backoff: Duration,
    /// When the query must be done.
    pub(crate) deadline: Option<Duration>,
    pub(crate) token: Option<&'p CancellationToken>,
}

/// Tries candidates in order until one answers, and returns that candidate and its outcome.
#[inline]
pub(crate) fn first_success<R, A: Attempts<R>>(
    attempts: A,
    policy: &RetryPolicy<'_>,
    record: &mut R,
) -> std::result::Result<(A::Candidate, A::Outcome), GaveUp> {
    while let Some(candidate) = attempts.next() {
        let is_last = attempts.is_last();
        let until = policy.deadline.map(|deadline| policy.share_of(deadline, is_last));
        for retries in 0.. {
            let limits = AttemptLimits { until, is_last, retries };
            let error = match attempts.attempt(&candidate, &limits, record) {
                Ok(outcome) => return Ok((candidate, outcome)),
                Err(error) => error,
            };
            match attempts.failed(&candidate, error, record) {
                Reaction::Retry if policy.may_retry(attempts.retry_budget(&candidate), &limits) => {}
                Reaction::Return => return Err(GaveUp::Final),
                Reaction::Retry | Reaction::Next | Reaction::CloseDevice | Reaction::TripBreaker => break,
            }
        }
        attempts.advance(&candidate);
    }
    Err(GaveUp::Exhausted)
}

impl RetryPolicy<'_> {
    /// When an attempt must be done so that the query can keep this deadline.
    fn share_of(&self, deadline: Duration, is_last: bool) -> Duration {
        let left = deadline.saturating_sub(self.clock.now());
        if is_last { deadline } else { deadline.saturating_sub(left / 2) }
    }

    /// Waits before a retry of the same candidate; returns `false` without waiting if it may not be retried.
    #[cold]
    fn may_retry(&self, budget: Option<&RetryBudget>, limits: &AttemptLimits) -> bool {
        let Some(budget) = budget else { return false };
        let wait = self.jitter.delay(self.backoff, limits.retries);
        let until = self.clock.now().saturating_add(wait);
        let is_too_late = limits.until.is_some_and(|end| until >= end);
        if limits.retries >= self.retries || is_too_late || !budget.try_withdraw() {
            return false;
        }
        match self.token {
            None => self.clock.sleep(wait),
            // The next attempt notices a cancellation.
            Some(_) => {
                let limit = WaitLimit { clock: self.clock, until: Some(until), token: self.token };
                let _ = limit.wait(&Arc::new(Parker::new()));
            }
        }
        true
    }
}
