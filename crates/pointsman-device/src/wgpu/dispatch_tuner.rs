//! How fast a program runs, as its launches told: in go rows and times, out comes how many rows a dispatch may take, so
//! that it ends soon enough for others to have their turn. Until the first time is known a slow device is assumed.

use super::gpu::lock;
use std::sync::Mutex;
use std::time::Duration;

/// A dispatch should take no longer than this.
pub(super) const DISPATCH_MS: f64 = 100.0;
/// Rows may take so many times longer than those that were seen.
const SAFETY_FACTOR: f64 = 2.0;
/// A dispatch takes at most so many times the rows that are assumed to be right, and at least one part of as many: a clock
/// may be wrong, and other rows may take longer.
const CORRECTION_MAX: f64 = 64.0;
/// Launches of fewer rows take the time of a launch, not of their rows.
const TIMED_ROWS_MIN: u64 = 1 << 16;
/// Launches that should take so long are timed again: that costs them nothing.
const TIMED_AGAIN_MS: f64 = 10.0;

/// Whose time it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeSource {
    /// The device's, between a launch's first and last command.
    Device,
    /// The host's, from the submission until it heard of the end: the device was at least so fast.
    Host,
}

/// How fast a program runs.
#[derive(Debug, Default)]
pub(super) struct DispatchTuner {
    /// Rows a millisecond.
    rows_per_ms: Mutex<Option<f64>>,
}

impl DispatchTuner {
    /// Rows a millisecond, once a launch told.
    pub(super) fn rows_per_ms(&self) -> Option<f64> {
        *lock(&self.rows_per_ms)
    }

    /// Whether a launch of so many rows should be timed.
    pub(super) fn should_time(&self, rows: u64) -> bool {
        let long = |tuner: f64| rows as f64 / tuner >= TIMED_AGAIN_MS;
        rows >= TIMED_ROWS_MIN && self.rows_per_ms().is_none_or(long)
    }

    /// Takes note of a launch.
    pub(super) fn record(&self, rows: u64, took: Duration, clock: TimeSource) {
        let ms = took.as_secs_f64() * 1e3;
        // A clock that stands still tells nothing.
        if ms <= 0.0 {
            return;
        }
        let (mut rows_per_ms, tuner) = (lock(&self.rows_per_ms), rows as f64 / ms);
        *rows_per_ms = match (clock, *rows_per_ms) {
            (TimeSource::Host, Some(before)) => Some(before.max(tuner)),
            (TimeSource::Device, _) | (TimeSource::Host, None) => Some(tuner),
        };
    }

    /// Rows that a dispatch may take, where so many a millisecond are assumed.
    pub(super) fn rows_max(&self, assumed: f64) -> u64 {
        let most = DISPATCH_MS * assumed;
        let Some(tuner) = self.rows_per_ms() else { return most as u64 };
        (DISPATCH_MS / SAFETY_FACTOR * tuner).clamp(most / CORRECTION_MAX, most * CORRECTION_MAX) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a dispatch after launches of these rows and milliseconds.
    fn check(launches: &[(u64, u64, TimeSource)], expected: u64) {
        let tuner = DispatchTuner::default();
        for &(rows, ms, clock) in launches {
            tuner.record(rows, Duration::from_millis(ms), clock);
        }
        assert_eq!(tuner.rows_max(1000.0), expected, "{launches:?}");
    }

    #[test]
    fn rows_of_a_dispatch_follow_what_was_seen() {
        use TimeSource::{Device, Host};
        check(&[], 100_000);
        check(&[(1_000_000, 100, Device)], 500_000);
        check(&[(1_000_000, 0, Device)], 100_000);
        // The device's last word counts, the host's fastest.
        check(&[(1_000_000, 100, Device), (1_000_000, 500, Device)], 100_000);
        check(&[(1_000_000, 100, Host), (1_000_000, 500, Host)], 500_000);
        check(&[(1_000_000, 500, Host), (1_000_000, 100, Host)], 500_000);
        check(&[(1_000_000, 100, Host), (1_000_000, 500, Device)], 100_000);
        // Neither a slow nor a fast launch is believed without bounds.
        check(&[(100_000, 1_000_000, Device)], 100_000 / 64);
        check(&[(1 << 40, 1, Device)], 64 * 100_000);
    }

    #[test]
    fn launches_are_timed_that_tell_something_new() {
        let tuner = DispatchTuner::default();
        assert!(!tuner.should_time(TIMED_ROWS_MIN - 1) && tuner.should_time(TIMED_ROWS_MIN));
        tuner.record(1_000_000, Duration::from_millis(1), TimeSource::Device);
        assert!(!tuner.should_time(9_000_000) && tuner.should_time(10_000_000));
    }
}
