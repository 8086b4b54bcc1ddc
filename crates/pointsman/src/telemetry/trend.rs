//! [`Trend`]: detects that a device takes longer for a query's kernels than it used to.
//!
//! Runs are compared by their time per row, with runs of about as many rows (within a factor of √2): the median of the
//! last [`RECENT`] runs against the median of up to [`USUAL_MAX`] runs before them. A device that takes more than
//! [`SLOWER`] times as long has turned slow, until it takes less than [`RECOVERED`] times as long; meanwhile the usual
//! times do not change. Medians ignore single outliers. Runs shorter than [`MEASURED_MIN_NS`] measure the call more
//! than the device and are ignored.

use super::device_counters::{DeviceCounters, Slowdown, SlowdownKey};
use crate::cache::Cache;
use crate::sync::Mutex;
use pointsman_ir::kernel::Kernel;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The number of recent runs, and the fewest usual runs to compare them with.
const RECENT: usize = 10;
/// The most runs that define the usual time.
const USUAL_MAX: usize = 50;
/// A device turns slow when it takes more than this many times the usual time.
const SLOWER: f64 = 1.5;
/// A slow device recovers when it takes less than this many times the usual time.
const RECOVERED: f64 = 1.2;
/// The shortest run that counts: 50 µs.
const MEASURED_MIN_NS: u64 = 50_000;
/// The most trends of a session: queries, each on one device.
const TRENDS_MAX: usize = 1024;
/// Slowdowns report times for this many rows.
const REPORTED_ROWS: f64 = 1e6;

/// The trends of a session by device and kernels.
pub(crate) struct Trends {
    trends: Cache<(String, Vec<Kernel>), Trend>,
    next: AtomicU64,
}

/// The run times of a query's kernels on a device.
pub(crate) struct Trend {
    /// Distinguishes the trends of a device.
    number: u64,
    device: String,
    stages: String,
    counters: Arc<DeviceCounters>,
    /// The windows of each size class: half an octave of rows.
    sizes: Mutex<BTreeMap<u32, Windows>>,
}

/// The last times of runs of one size class, in nanoseconds per row.
#[derive(Default)]
struct Windows {
    recent: VecDeque<f64>,
    usual: VecDeque<f64>,
    is_slow: bool,
}

/// How a run changed the trend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TrendChange {
    None,
    TurnedSlow,
    Recovered,
}

impl Trends {
    pub(crate) fn new() -> Trends {
        Trends { trends: Cache::new(TRENDS_MAX), next: AtomicU64::new(0) }
    }

    /// Returns the trend of these kernels on a device.
    pub(crate) fn of(
        &self,
        device: &str,
        kernels: Vec<Kernel>,
        counters: impl FnOnce() -> Arc<DeviceCounters>,
    ) -> Arc<Trend> {
        let key = (device.to_string(), kernels);
        if let Some(trend) = self.trends.get(&key) {
            return trend;
        }
        let names: Vec<&str> = key.1.iter().map(|kernel| kernel.sink.name()).collect();
        let trend = Trend {
            number: self.next.fetch_add(1, Ordering::Relaxed),
            device: key.0.clone(),
            stages: names.join(", "),
            counters: counters(),
            sizes: Mutex::default(),
        };
        self.trends.put(key, Arc::new(trend))
    }
}

impl Trend {
    /// Records a run. If the device is slow, returns the time of the last runs relative to the usual time.
    #[inline]
    pub(crate) fn record(&self, rows: usize, nanoseconds: u64) -> Option<f32> {
        if nanoseconds < MEASURED_MIN_NS || rows == 0 { None } else { self.compare(rows, nanoseconds) }
    }

    fn compare(&self, rows: usize, nanoseconds: u64) -> Option<f32> {
        let size = ((rows as f64).log2() * 2.0) as u32;
        let mut sizes = self.sizes.lock();
        let windows = sizes.entry(size).or_default();
        let change = windows.record(nanoseconds as f64 / rows as f64);
        if change == TrendChange::None && !windows.is_slow {
            return None;
        }
        let (is_slow, usual, recent) = (windows.is_slow, windows.usual()?, median(&windows.recent));
        let reported = |each: f64| Duration::from_nanos((each * REPORTED_ROWS) as u64);
        let slowdown = Slowdown { stages: self.stages.clone(), rows, usual: reported(usual), now: reported(recent) };
        let text = slowdown.to_string();
        // Under the lock, so that of two concurrent runs the later one sets the final state.
        let key = SlowdownKey { trend: self.number, size };
        self.counters.set_slowdown(key, is_slow.then_some(slowdown), change);
        drop(sizes);
        match change {
            TrendChange::None => {}
            TrendChange::TurnedSlow => tracing::warn!(target: "pointsman", device = self.device, "turned slow: {text}"),
            TrendChange::Recovered => {
                tracing::info!(target: "pointsman", device = self.device, "as fast as usual again: {}", self.stages);
            }
        }
        is_slow.then_some((recent / usual) as f32)
    }
}

/// Clears the slowdowns of a forgotten query.
impl Drop for Trend {
    fn drop(&mut self) {
        let sizes = self.sizes.get_mut();
        for (&size, _) in sizes.iter().filter(|(_, windows)| windows.is_slow) {
            let key = SlowdownKey { trend: self.number, size };
            self.counters.set_slowdown(key, None, TrendChange::None);
        }
    }
}

impl Windows {
    /// Records the time of a run.
    fn record(&mut self, each: f64) -> TrendChange {
        self.recent.push_back(each);
        if self.recent.len() > RECENT
            && let Some(older) = self.recent.pop_front()
            && !self.is_slow
        {
            self.usual.push_back(older);
            self.usual.drain(..self.usual.len().saturating_sub(USUAL_MAX));
        }
        let Some(usual) = self.usual() else { return TrendChange::None };
        let recent = median(&self.recent);
        let was_slow = self.is_slow;
        self.is_slow = recent > usual * if was_slow { RECOVERED } else { SLOWER };
        match (was_slow, self.is_slow) {
            (false, true) => TrendChange::TurnedSlow,
            (true, false) => TrendChange::Recovered,
            (false, false) | (true, true) => TrendChange::None,
        }
    }

    /// The usual time, once there are enough runs.
    fn usual(&self) -> Option<f64> {
        (self.usual.len() >= RECENT).then(|| median(&self.usual))
    }
}

/// Returns the median; of an even number of times, the lower of the middle two.
fn median(times: &VecDeque<f64>) -> f64 {
    // On the stack: a repeated run allocates nothing.
    let (mut sorted, count) = ([0.0; USUAL_MAX], times.len().min(USUAL_MAX));
    sorted.iter_mut().zip(times).for_each(|(slot, time)| *slot = *time);
    sorted[..count].sort_unstable_by(f64::total_cmp);
    sorted[count.saturating_sub(1) / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resilience::retry::RandomDraws;
    use crate::telemetry::device_counters::{DeviceCounterSet, MetricsConfig};

    /// Records `runs` runs of about `each` nanoseconds per row; returns every change with the number of its run.
    fn run(
        windows: &mut Windows,
        runs: usize,
        each: f64,
        noise: f64,
        draws: &RandomDraws,
    ) -> Vec<(usize, TrendChange)> {
        let record = |run| (run, windows.record(each * (1.0 + noise * (2.0 * draws.next() - 1.0))));
        (0..runs).map(record).filter(|(_, change)| *change != TrendChange::None).collect()
    }

    #[test]
    fn noise_is_not_a_slowdown() {
        let draws = RandomDraws::new(1);
        for _ in 0..100 {
            assert_eq!(run(&mut Windows::default(), 1000, 5.0, 0.3, &draws), []);
        }
    }

    #[test]
    fn single_outliers_are_not_a_slowdown() {
        let (mut windows, draws) = (Windows::default(), RandomDraws::new(2));
        for _ in 0..100 {
            assert_eq!(run(&mut windows, 7, 5.0, 0.1, &draws), []);
            assert_eq!(windows.record(5000.0), TrendChange::None);
        }
    }

    #[test]
    fn slowdown_and_recovery_are_detected_within_ten_runs() {
        let draws = RandomDraws::new(3);
        for factor in [1.8, 2.0, 10.0, 1000.0] {
            let mut windows = Windows::default();
            assert_eq!(run(&mut windows, 60, 1.0, 0.05, &draws), []);
            let slow = run(&mut windows, 300, factor, 0.05, &draws);
            assert!(matches!(slow[..], [(0..RECENT, TrendChange::TurnedSlow)]), "{factor}: {slow:?}");
            let fast = run(&mut windows, 300, 1.0, 0.05, &draws);
            assert!(matches!(fast[..], [(0..RECENT, TrendChange::Recovered)]), "{factor}: {fast:?}");
        }
    }

    #[test]
    fn forgotten_query_is_no_longer_slow() {
        let (trends, counters) = (Trends::new(), DeviceCounterSet::new(MetricsConfig::default()));
        let trend = trends.of("sim", Vec::new(), || counters.of("sim"));
        let slow = |trend: &Trend, times: u64| (0..30).fold(None, |_, _| trend.record(1000, times * 1_000_000));
        assert_eq!((slow(&trend, 1), counters.health()[0].slow.len()), (None, 0));
        assert_eq!((slow(&trend, 10), counters.health()[0].slow.len()), (Some(10.0), 1));
        drop((trends, trend));
        assert_eq!(counters.health()[0].slow, []);
    }

    #[test]
    fn too_few_runs_detect_nothing() {
        let (mut windows, draws) = (Windows::default(), RandomDraws::new(4));
        assert_eq!(run(&mut windows, RECENT - 1, 1.0, 0.0, &draws), []);
        assert_eq!(run(&mut windows, RECENT, 10.0, 0.0, &draws), [], "nine runs do not define the usual time");
    }
}
