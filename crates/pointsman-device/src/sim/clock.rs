//! Virtual time: a clock that stands still until someone moves it, and what things cost on it.

use pointsman_ir::kernel::Estimate;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A clock that its owners move. Clones show the same time.
#[derive(Clone, Debug, Default)]
pub struct SimClock(Arc<AtomicU64>);

impl SimClock {
    /// A clock at zero.
    pub fn new() -> SimClock {
        SimClock::default()
    }

    /// The time since zero.
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Acquire))
    }

    /// Moves the time on.
    pub fn advance(&self, by: Duration) {
        let later = |now: u64| Some(now.saturating_add(nanoseconds(by)));
        // The closure always gives a time, so this never fails.
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, later);
    }

    /// Moves the time to this one, unless it is past it.
    pub fn advance_to(&self, to: Duration) {
        self.0.fetch_max(nanoseconds(to), Ordering::AcqRel);
    }
}

/// Whole nanoseconds; what does not fit is the end of time.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// How fast a simulated device is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimSpeed {
    /// What a compilation takes.
    pub compile: Duration,
    /// What a launch takes before its first row.
    pub launch: Duration,
    /// What a copy takes before its first byte.
    pub copy: Duration,
    /// Bytes a second between the host and the device.
    pub link_bytes_per_second: f64,
    /// Bytes a second between the device and its memory.
    pub memory_bytes_per_second: f64,
    /// Operations a second.
    pub ops_per_second: f64,
}

impl Default for SimSpeed {
    /// A middling card.
    fn default() -> SimSpeed {
        SimSpeed {
            compile: Duration::from_millis(50),
            launch: Duration::from_micros(5),
            copy: Duration::from_micros(10),
            link_bytes_per_second: 25e9,
            memory_bytes_per_second: 1e12,
            ops_per_second: 1e13,
        }
    }
}

impl SimSpeed {
    /// What a copy of so many bytes takes.
    pub fn copy_time(&self, bytes: u64) -> Duration {
        self.copy + seconds(bytes as f64 / self.link_bytes_per_second)
    }

    /// What a launch over so many rows takes.
    pub fn launch_time(&self, estimate: &Estimate, rows: usize) -> Duration {
        let rows = rows as f64;
        let bytes = estimate.fixed_bytes + rows * (estimate.read_bytes_per_row + estimate.write_bytes_per_row);
        let ops: f64 = estimate.ops_per_row.values().sum();
        self.launch + seconds(bytes / self.memory_bytes_per_second) + seconds(rows * ops / self.ops_per_second)
    }
}

/// A time in seconds; nonsense is no time at all.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO)
}
