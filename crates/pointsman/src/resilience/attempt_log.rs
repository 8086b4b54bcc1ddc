//! [`FailedAttempt`]: an attempt of a query that failed. [`AttemptLog`]: all failed attempts of a query in order, and
//! the error when no device is left.

use super::retry::FailureClass;
use crate::error::Error;
use crate::telemetry::receipt::PlacementInfo;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A try of a query that failed, or a device that was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedAttempt {
    /// The device.
    pub device: String,
    /// What kind of failure it was.
    pub class: FailureClass,
    /// What happened, for people.
    pub message: String,
    /// How long it took.
    pub time: Duration,
}

impl fmt::Display for FailedAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {:.1?}): {}", self.device, self.class.name(), self.time, self.message)
    }
}

/// The failed attempts of a query. Allocates nothing while there are none.
#[derive(Default)]
pub(crate) struct AttemptLog {
    attempts: Vec<FailedAttempt>,
    last: Option<Error>,
}

impl AttemptLog {
    /// Records a failed attempt.
    pub(crate) fn record(&mut self, device: &str, time: Duration, error: Error) {
        let (class, message) = (FailureClass::of(&error), error.message().to_string());
        self.attempts.push(FailedAttempt { device: device.to_string(), class, message, time });
        self.last = Some(error);
    }

    /// Records several failed attempts.
    pub(crate) fn record_all(&mut self, failed: impl Iterator<Item = (String, Duration, Error)>) {
        failed.for_each(|(device, time, error)| self.record(&device, time, error));
    }

    /// Returns the placement and the failed attempts for the receipt. The placement's reason says why the query ran on
    /// this device: `before` is the preferred device whose failure moved the query, `passed` says why a device was
    /// skipped without an attempt.
    #[inline]
    pub(crate) fn placement_and_attempts(
        &self,
        placement: &Arc<PlacementInfo>,
        before: Option<&str>,
        passed: Option<String>,
    ) -> (Arc<PlacementInfo>, Option<Arc<[FailedAttempt]>>) {
        match (self.attempts.is_empty(), passed) {
            (true, None) => (placement.clone(), None),
            (true, Some(why)) => (Arc::new(PlacementInfo { why, ..placement.as_ref().clone() }), None),
            (false, _) => self.after_failures(placement, before),
        }
    }

    fn after_failures(
        &self,
        placement: &Arc<PlacementInfo>,
        before: Option<&str>,
    ) -> (Arc<PlacementInfo>, Option<Arc<[FailedAttempt]>>) {
        let failed = before.and_then(|name| self.attempts.iter().rev().find(|attempt| attempt.device == name));
        let why =
            failed.map_or_else(|| placement.why.clone(), |attempt| fallback_reason(&attempt.device, &attempt.message));
        (Arc::new(PlacementInfo { why, ..placement.as_ref().clone() }), Some(self.attempts.as_slice().into()))
    }

    /// Returns the last error with all attempts: it ends the query although other devices are left.
    pub(crate) fn into_last(self) -> Error {
        let AttemptLog { attempts, last } = self;
        last.unwrap_or_else(|| Error::internal("a query failed without an error")).with_attempts(attempts)
    }

    /// Returns the error when every device failed: the only error, or a list of all of them with the kind of the last.
    pub(crate) fn into_error(self) -> Error {
        if self.attempts.len() < 2 {
            return self.into_last();
        }
        let lines = self.attempts.iter().enumerate().map(|(number, attempt)| format!("({}) {attempt}", number + 1));
        let text = format!("every attempt failed: {}", lines.collect::<Vec<_>>().join("; "));
        self.into_last().with_message(text)
    }
}

/// Explains why another device runs a query that prefers this one.
pub(crate) fn fallback_reason(name: &str, message: &str) -> String {
    format!("`{name}` is preferred, but {message}")
}
