//! [`FailedAttempt`]: an attempt of a query that failed. [`AttemptLog`]: all failed attempts of a query in order, and
//! the error when no device is left.

use crate::error::{Error, FailedAttempt, FailureClass};
use std::time::Duration;

/// The failed attempts of a query. Allocates nothing while there are none.
#[derive(Default)]
pub(crate) struct AttemptLog {
    /// In order.
    pub(crate) attempts: Vec<FailedAttempt>,
    last: Option<Error>,
}

impl AttemptLog {
    /// Records a failed attempt.
    pub(crate) fn record(&mut self, device: &str, time: Duration, error: Error) {
        let (class, message) = (FailureClass::of(&error), error.message().to_string());
        self.attempts.push(FailedAttempt { device: device.to_string(), class, message, time });
        self.last = Some(error);
    }

    /// Returns the last error with all attempts, for an error that ends the query although other devices are left.
    pub(crate) fn into_last(self) -> Error {
        let AttemptLog { attempts, last } = self;
        last.unwrap_or_else(|| Error::internal("a query failed without an error")).with_attempts(attempts)
    }

    /// Returns the error of a query for which every device failed: the only error, or a list of all errors with the
    /// kind of the last one.
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
