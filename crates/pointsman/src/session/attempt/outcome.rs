//! What follows from an attempt: for the query, for the device and its breakers, and in words.

use super::Attempt;
use crate::devices::handle::{DeviceHandle, StreamLease};
use crate::error::{Error, ErrorKind};
use crate::resilience::attempt_log::AttemptLog;
use crate::resilience::gate::{GatePermit, WaitError, WaitLimit};
use crate::resilience::health::BreakerPermits;
use crate::resilience::parker::Parker;
use crate::resilience::retry::{FailureClass, Reaction, reaction};
use crate::session::Session;
use std::sync::Arc;
use std::time::Duration;

/// What to do after a failure.
pub(super) enum After {
    Again,
    Next,
    Return,
}

impl Session {
    /// StepRecorder a failure, and decides what follows from it.
    #[cold]
    pub(super) fn after(&self, one: &Attempt<'_>, error: Error, took: Duration, journal: &mut AttemptLog) -> After {
        let station = &*one.choice.station;
        let reaction = self.blame(station, &error);
        if FailureClass::of(&error) == FailureClass::Mismatch {
            // Nobody knows which of those that shared the work was wrong.
            for choice in &one.choice.beside {
                let _ = self.blame(&choice.station, &error);
            }
        }
        journal.note(station.name(), took, error);
        match reaction {
            Reaction::Retry if self.may_retry(one) => After::Again,
            Reaction::Retry | Reaction::Next | Reaction::Close | Reaction::Ban | Reaction::Quarantine => After::Next,
            Reaction::Return => After::Return,
        }
    }

    /// A run failed on a device. How the device itself failed, if the run ended otherwise.
    #[cold]
    pub(in crate::session) fn failed_on(
        &self,
        station: &DeviceHandle,
        lease: &mut StreamLease<'_>,
        error: &Error,
    ) -> Option<Error> {
        station.residency.iter().for_each(|residency| residency.unsettle());
        let trouble = lease.take_trouble().map(|trouble| in_stage_of(trouble, error));
        if let Some(trouble) = &trouble {
            let _ = self.blame(station, trouble);
        }
        if FailureClass::of(trouble.as_ref().unwrap_or(error)) == FailureClass::Timeout {
            lease.abandon();
        }
        trouble
    }

    /// RunCounters a failure of a device, and closes it if it must be; what follows from it.
    pub(in crate::session) fn blame(&self, station: &DeviceHandle, error: &Error) -> Reaction {
        let class = FailureClass::of(error);
        if class.is_devices() {
            self.0.telemetry.failed(station.name(), error);
        }
        let reaction = reaction(class);
        if let (Reaction::Close, Some(health)) = (reaction, &station.health) {
            health.close(class, error.message());
            station.residency.iter().for_each(|residency| residency.close());
        }
        reaction
    }

    /// Waits before another try, if there may be one.
    fn may_retry(&self, one: &Attempt<'_>) -> bool {
        let Some(health) = &one.choice.station.health else { return false };
        let wait = self.0.jitter.wait(self.0.options.retry_backoff, one.tries);
        let again = self.0.clock.now().saturating_add(wait);
        let is_too_late = one.until.is_some_and(|until| again >= until);
        if one.tries >= self.0.options.retry_limit || is_too_late || !health.budget.take() {
            return false;
        }
        match &one.work.limits.token {
            None => self.0.clock.sleep(wait),
            // The next attempt notices whether it was cancelled.
            Some(_) => drop(WaitLimit { until: Some(again), ..self.bounds(one) }.wait(&Arc::new(Parker::new()))),
        }
        true
    }
}

/// Tells the breakers what came of an attempt.
pub(in crate::session) fn tell(leave: BreakerPermits<'_>, error: &Error, time_is_over: bool) {
    match reaction(FailureClass::of(error)) {
        // Nobody knows whether a device hangs that only had no time for this query; a probe's time its breaker keeps.
        Reaction::Quarantine if time_is_over => drop(leave),
        Reaction::Quarantine => leave.trip(error.stage()),
        Reaction::Retry | Reaction::Close | Reaction::Return if is_counted(error) => leave.fail(error.stage()),
        Reaction::Retry | Reaction::Close | Reaction::Return | Reaction::Next | Reaction::Ban => drop(leave),
    }
}

/// Whether breakers count an error as the device's failure.
pub(super) fn is_counted(error: &Error) -> bool {
    let class = FailureClass::of(error);
    match reaction(class) {
        Reaction::Retry | Reaction::Close | Reaction::Quarantine => true,
        Reaction::Return => class == FailureClass::Internal,
        Reaction::Next | Reaction::Ban => false,
    }
}

/// Whether there was no memory while other queries had some.
#[cold]
pub(super) fn is_crowded(error: &Error, place: &GatePermit<'_>) -> bool {
    FailureClass::of(error) == FailureClass::OutOfMemory && place.is_shared()
}

/// Why a query does not wait any longer at a device.
pub(super) fn turned_away(one: &Attempt<'_>, away: WaitError, what: &str) -> Error {
    let station = &*one.choice.station;
    match away {
        WaitError::Cancelled => Error::cancelled(),
        WaitError::Late if one.is_last => late(one),
        WaitError::Late => slow(station, what),
        WaitError::Full { queue } => Error::new(
            ErrorKind::Busy,
            format!(
                "{queue} queries wait for `{}` already, the limit of the session: ask again later, from fewer threads, \
                 or raise `SessionOptions::queue_limit`",
                station.name()
            ),
        ),
    }
}

/// A device that took the time which it had, while the next one has some left.
pub(super) fn slow(station: &DeviceHandle, what: &str) -> Error {
    let name = station.name();
    Error::new(ErrorKind::Busy, format!("`{name}` {what} for half of the time that the query had left"))
}

pub(super) fn late(one: &Attempt<'_>) -> Error {
    let allowed = one.work.limits.deadline.unwrap_or_default();
    Error::new(ErrorKind::Timeout, format!("the query was not done within its {allowed:.1?}: give it more time"))
}

/// An error in the stage of another.
pub(in crate::session) fn in_stage_of(error: Error, other: &Error) -> Error {
    match other.stage() {
        Some(stage) => error.in_stage(stage),
        None => error,
    }
}
