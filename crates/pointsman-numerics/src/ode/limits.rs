//! [`Limits`]: when a solver stops before its end.

use super::error::OdeError;
use pointsman::{CancellationToken, Query};
use std::time::{Duration, Instant};

/// A deadline and a token, each optional, as the user sets them.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits {
    pub(super) deadline: Option<Duration>,
    pub(super) token: Option<CancellationToken>,
}

impl Limits {
    /// The limits of a call that starts now.
    pub(super) fn start(&self) -> RunningLimits {
        RunningLimits { end: self.deadline.map(|time| (Instant::now(), time)), token: self.token.clone() }
    }
}

/// The limits of a running call.
pub(super) struct RunningLimits {
    /// The start of the call and how long it may take: their sum may be no instant.
    end: Option<(Instant, Duration)>,
    token: Option<CancellationToken>,
}

impl RunningLimits {
    /// An error if the call must stop; `t` is the time up to which the solution is known.
    pub(super) fn check(&self, t: f64) -> Result<(), OdeError> {
        if self.token.as_ref().is_some_and(CancellationToken::is_cancelled) {
            return Err(OdeError::Cancelled { t });
        }
        if self.remaining().is_some_and(|remaining| remaining.is_zero()) {
            return Err(OdeError::Timeout { t });
        }
        Ok(())
    }

    fn remaining(&self) -> Option<Duration> {
        self.end.map(|(start, time)| time.saturating_sub(start.elapsed()))
    }

    /// The query with the same limits.
    pub(super) fn limited<'a, R>(&self, query: Query<'a, R>) -> Query<'a, R> {
        let query = match self.remaining() {
            Some(remaining) => query.deadline(remaining),
            None => query,
        };
        match &self.token {
            Some(token) => query.cancelled_by(token),
            None => query,
        }
    }
}
