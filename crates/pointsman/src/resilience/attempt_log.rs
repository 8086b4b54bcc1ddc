//! [`FailedAttempt`]: one try of a query that failed. [`AttemptLog`]: all of them, in order, and the error when none is left.

use super::retry::FailureClass;
use crate::error::Error;
use std::fmt;
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

/// The failed tries of a query. Takes no memory while there is none.
#[derive(Default)]
pub(crate) struct AttemptLog {
    attempts: Vec<FailedAttempt>,
    last: Option<Error>,
}

impl AttemptLog {
    /// Records a failed attempt.
    pub(crate) fn note(&mut self, device: &str, time: Duration, error: Error) {
        let (class, message) = (FailureClass::of(&error), error.message().to_string());
        self.attempts.push(FailedAttempt { device: device.to_string(), class, message, time });
        self.last = Some(error);
    }

    /// The failed attempts so far, in order.
    pub(crate) fn attempts(&self) -> &[FailedAttempt] {
        &self.attempts
    }

    /// The last error alone, which ends the query whatever else could be tried.
    pub(crate) fn into_last(self) -> Error {
        let AttemptLog { attempts, last } = self;
        last.unwrap_or_else(|| Error::internal("a query failed without an error")).with_attempts(attempts)
    }

    /// The error when every choice failed: the only one, or a list of all, of the last one's kind.
    pub(crate) fn into_error(self) -> Error {
        if self.attempts.len() < 2 {
            return self.into_last();
        }
        let lines = self.attempts.iter().enumerate().map(|(number, one)| format!("({}) {one}", number + 1));
        let text = format!("every attempt failed: {}", lines.collect::<Vec<_>>().join("; "));
        self.into_last().with_message(text)
    }
}

/// Why another device runs what this one was preferred for.
pub(crate) fn instead(name: &str, message: &str) -> String {
    format!("`{name}` is preferred, but {message}")
}
