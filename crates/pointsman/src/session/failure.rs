//! The consequences of a failed attempt for the device and its breakers, and the errors that report them.

use super::SessionInner;
use super::attempt::Attempt;
use crate::devices::handle::{DeviceHandle, StreamLease};
use crate::error::FailureClass;
use crate::error::{Error, ErrorKind};
use crate::resilience::gate::WaitError;
use crate::resilience::health::BreakerPermits;
use crate::resilience::retry::{Reaction, reaction};

impl SessionInner {
    /// Counts a failure of a device, closes the device if the failure demands it, and returns the reaction.
    pub(super) fn record_failure(&self, handle: &DeviceHandle, error: &Error) -> Reaction {
        let class = FailureClass::of(error);
        if class.is_device_failure() {
            self.telemetry.record_failure(handle.name(), error);
        }
        let reaction = reaction(class);
        if let (Reaction::CloseDevice, Some(health)) = (reaction, &handle.health) {
            health.close(handle.name(), class, error.message());
            handle.residency.iter().for_each(|residency| residency.close());
        }
        reaction
    }

    /// Cleans up after a run that failed on a device. Returns the device's own failure if `error` is a different one.
    #[cold]
    pub(super) fn settle_failed_run(
        handle: &DeviceHandle,
        lease: &mut StreamLease<'_>,
        error: &Error,
    ) -> Option<Error> {
        handle.residency.iter().for_each(|residency| residency.mark_unsettled());
        let own = lease.masked_error.take().map(|own| in_stage_of(own, error));
        if FailureClass::of(own.as_ref().unwrap_or(error)) == FailureClass::Timeout {
            lease.is_hung = true;
        }
        own
    }
}

/// Reports a failure to the breakers of a device and its kernels. `is_over`: the attempt used up its time.
pub(super) fn report_to_breakers(breakers: BreakerPermits<'_>, error: &Error, is_over: bool) {
    match reaction(FailureClass::of(error)) {
        // A device that had too little time for this query does not necessarily hang. The breaker itself times probes.
        Reaction::TripBreaker if is_over => drop(breakers),
        Reaction::TripBreaker => breakers.trip(error.stage()),
        Reaction::Retry | Reaction::CloseDevice | Reaction::Return if is_counted(error) => breakers.fail(error.stage()),
        Reaction::Retry | Reaction::CloseDevice | Reaction::Return | Reaction::Next => drop(breakers),
    }
}

/// Whether breakers count an error as the device's failure.
pub(super) fn is_counted(error: &Error) -> bool {
    let class = FailureClass::of(error);
    match reaction(class) {
        Reaction::Retry | Reaction::CloseDevice | Reaction::TripBreaker => true,
        Reaction::Return => class == FailureClass::Internal,
        Reaction::Next => false,
    }
}

impl Attempt<'_> {
    /// The error of an attempt that gave up waiting for its device. `what` says why it had to wait: "was busy".
    pub(super) fn wait_error(&self, error: WaitError, what: &str) -> Error {
        let handle = &self.run.placement.handle;
        match error {
            WaitError::Cancelled => Error::cancelled(),
            WaitError::TimedOut => self.out_of_time(handle, what),
            WaitError::Full { queue } => Error::new(
                ErrorKind::Busy,
                format!(
                    "{queue} queries wait for `{}` already, the limit of the session: ask again later, from fewer \
                     threads, or raise `SessionOptions::queue_limit`",
                    handle.name()
                ),
            ),
        }
    }

    /// The error of an attempt whose time is over: of the query if no placement is left, else of the device, which used
    /// up its part of the time. `what` says on what: "ran".
    pub(super) fn out_of_time(&self, handle: &DeviceHandle, what: &str) -> Error {
        if self.limits.is_last {
            return self.deadline_error();
        }
        let name = handle.name();
        Error::new(ErrorKind::Busy, format!("`{name}` {what} for half of the time that the query had left"))
    }

    /// The error of a query that was not done within its deadline.
    pub(super) fn deadline_error(&self) -> Error {
        let allowed = self.query.call.limits.deadline.unwrap_or_default();
        Error::new(ErrorKind::Timeout, format!("the query was not done within its {allowed:.1?}: give it more time"))
    }
}

/// Assigns `error` to the stage of `other`, if that has one.
fn in_stage_of(error: Error, other: &Error) -> Error {
    match other.stage() {
        Some(stage) => error.in_stage(stage),
        None => error,
    }
}
