//! [`TimeLimit`]: how long a run, and each of its launches and copies, may take.

use crate::resilience::clock::Clock;
use std::time::Duration;

/// How long a run may take.
#[derive(Clone, Copy)]
pub(crate) struct TimeLimit<'a> {
    pub(crate) clock: &'a dyn Clock,
    /// The timeout of one launch or copy.
    pub(crate) timeout: Duration,
    /// The deadline of the whole run.
    pub(crate) until: Option<Duration>,
}

impl TimeLimit<'_> {
    /// How long the next launch or copy may take.
    pub(crate) fn left(&self) -> Duration {
        self.until.map_or(self.timeout, |until| self.timeout.min(until.saturating_sub(self.clock.now())))
    }

    /// Whether the deadline has passed.
    pub(crate) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| self.clock.now() >= until)
    }
}
