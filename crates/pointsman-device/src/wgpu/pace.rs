//! How fast a program runs, as its launches told: in go rows and times, out comes how many rows a dispatch may take, so
//! that it ends soon enough for others to have their turn. Until the first time is known a slow device is assumed.

use super::gpu::lock;
use std::sync::Mutex;
use std::time::Duration;

/// A dispatch should take no longer than this.
pub(super) const DISPATCH_MS: f64 = 100.0;
/// Rows may take so many times longer than those that were seen.
const SAFETY: f64 = 2.0;
/// A dispatch takes at most so many times the rows that are assumed to be right, and at least one part of as many: a clock
/// may be wrong, and other rows may take longer.
const TRUST: f64 = 64.0;
/// Launches of fewer rows take the time of a launch, not of their rows.
const TELLING_ROWS: u64 = 1 << 16;
/// Launches that should take so long are timed again: that costs them nothing.
const TIMED_AGAIN_MS: f64 = 10.0;

/// Whose time it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// The device's, between a launch's first and last command.
    Device,
    /// The host's, from the submission until it heard of the end: the device was at least so fast.
    Host,
}

/// How fast a program runs.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Rows a millisecond.
    seen: Mutex<Option<f64>>,
}

impl Pace {
    /// Rows a millisecond, once a launch told.
    pub(super) fn seen(&self) -> Option<f64> {
        *lock(&self.seen)
    }

    /// Whether a launch of so many rows should be timed.
    pub(super) fn asks(&self, rows: u64) -> bool {
        let long = |pace: f64| rows as f64 / pace >= TIMED_AGAIN_MS;
        rows >= TELLING_ROWS && self.seen().is_none_or(long)
    }

    /// Takes note of a launch.
    pub(super) fn saw(&self, rows: u64, took: Duration, clock: Clock) {
        let ms = took.as_secs_f64() * 1e3;
        // A clock that stands still tells nothing.
        if ms <= 0.0 {
            return;
        }
        let (mut seen, pace) = (lock(&self.seen), rows as f64 / ms);
        *seen = match (clock, *seen) {
            (Clock::Host, Some(before)) => Some(before.max(pace)),
            (Clock::Device, _) | (Clock::Host, None) => Some(pace),
        };
    }

    /// Rows that a dispatch may take, where so many a millisecond are assumed.
    pub(super) fn rows_max(&self, assumed: f64) -> u64 {
        let most = DISPATCH_MS * assumed;
        let Some(pace) = self.seen() else { return most as u64 };
        (DISPATCH_MS / SAFETY * pace).clamp(most / TRUST, most * TRUST) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a dispatch after launches of these rows and milliseconds.
    fn check(launches: &[(u64, u64, Clock)], expected: u64) {
        let pace = Pace::default();
        for &(rows, ms, clock) in launches {
            pace.saw(rows, Duration::from_millis(ms), clock);
        }
        assert_eq!(pace.rows_max(1000.0), expected, "{launches:?}");
    }

    #[test]
    fn rows_of_a_dispatch_follow_what_was_seen() {
        use Clock::{Device, Host};
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
        let pace = Pace::default();
        assert!(!pace.asks(TELLING_ROWS - 1) && pace.asks(TELLING_ROWS));
        pace.saw(1_000_000, Duration::from_millis(1), Clock::Device);
        assert!(!pace.asks(9_000_000) && pace.asks(10_000_000));
    }
}
