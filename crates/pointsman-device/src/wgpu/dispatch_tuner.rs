//! [`DispatchTuner`]: learns the speed of a program from its launches and limits the rows of a dispatch, so that it
//! ends soon enough for other work on the device. Before the first measurement a slow device is assumed.

use crate::sync::Mutex;
use std::time::Duration;

/// The maximum duration of a dispatch, in milliseconds.
pub(super) const DISPATCH_MS: f64 = 100.0;
/// Rows may take this many times longer than the measured ones.
const SAFETY_FACTOR: f64 = 2.0;
/// The measured row limit may differ from the assumed one by at most this factor, up or down: a clock may be wrong, and
/// other rows may take longer.
const CORRECTION_MAX: f64 = 64.0;
/// Launches of fewer rows measure the overhead of a launch, not its rows.
const TIMED_ROWS_MIN: u64 = 1 << 16;
/// Launches that are expected to take this many milliseconds are timed again, at no noticeable cost.
const TIMED_AGAIN_MS: f64 = 10.0;

/// The clock of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeSource {
    /// The device's timestamps, between a launch's first and last command.
    Device,
    /// The host's clock, from the submission until it saw the end: the device was at least this fast.
    Host,
}

/// The measured speed of a program.
#[derive(Debug, Default)]
pub(super) struct DispatchTuner {
    /// Rows per millisecond.
    rows_per_ms: Mutex<Option<f64>>,
}

impl DispatchTuner {
    /// Rows per millisecond, once measured.
    pub(super) fn rows_per_ms(&self) -> Option<f64> {
        *self.rows_per_ms.lock()
    }

    /// Whether a launch of `rows` rows should be timed.
    pub(super) fn should_time(&self, rows: u64) -> bool {
        let long = |tuner: f64| rows as f64 / tuner >= TIMED_AGAIN_MS;
        rows >= TIMED_ROWS_MIN && self.rows_per_ms().is_none_or(long)
    }

    /// Records a launch.
    pub(super) fn record(&self, rows: u64, took: Duration, clock: TimeSource) {
        let ms = took.as_secs_f64() * 1e3;
        // A clock that stands still measures nothing.
        if ms <= 0.0 {
            return;
        }
        let (mut rows_per_ms, tuner) = (self.rows_per_ms.lock(), rows as f64 / ms);
        *rows_per_ms = match (clock, *rows_per_ms) {
            (TimeSource::Host, Some(before)) => Some(before.max(tuner)),
            (TimeSource::Device, _) | (TimeSource::Host, None) => Some(tuner),
        };
    }

    /// The maximum number of rows of a dispatch, where `assumed` rows per millisecond are assumed.
    pub(super) fn rows_max(&self, assumed: f64) -> u64 {
        let most = DISPATCH_MS * assumed;
        let Some(tuner) = self.rows_per_ms() else { return most as u64 };
        (DISPATCH_MS / SAFETY_FACTOR * tuner).clamp(most / CORRECTION_MAX, most * CORRECTION_MAX) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the row limit of a dispatch after launches of these rows and milliseconds.
    fn check(launches: &[(u64, u64, TimeSource)], expected: u64) {
        let tuner = DispatchTuner::default();
        for &(rows, ms, clock) in launches {
            tuner.record(rows, Duration::from_millis(ms), clock);
        }
        assert_eq!(tuner.rows_max(1000.0), expected, "{launches:?}");
    }

    #[test]
    fn dispatch_rows_follow_the_measurements() {
        use TimeSource::{Device, Host};
        check(&[], 100_000);
        check(&[(1_000_000, 100, Device)], 500_000);
        check(&[(1_000_000, 0, Device)], 100_000);
        // The last measurement of the device counts, but the fastest of the host.
        check(&[(1_000_000, 100, Device), (1_000_000, 500, Device)], 100_000);
        check(&[(1_000_000, 100, Host), (1_000_000, 500, Host)], 500_000);
        check(&[(1_000_000, 500, Host), (1_000_000, 100, Host)], 500_000);
        check(&[(1_000_000, 100, Host), (1_000_000, 500, Device)], 100_000);
        // Neither a slow nor a fast launch changes the limit without bounds.
        check(&[(100_000, 1_000_000, Device)], 100_000 / 64);
        check(&[(1 << 40, 1, Device)], 64 * 100_000);
    }

    #[test]
    fn only_informative_launches_are_timed() {
        let tuner = DispatchTuner::default();
        assert!(!tuner.should_time(TIMED_ROWS_MIN - 1) && tuner.should_time(TIMED_ROWS_MIN));
        tuner.record(1_000_000, Duration::from_millis(1), TimeSource::Device);
        assert!(!tuner.should_time(9_000_000) && tuner.should_time(10_000_000));
    }
}
