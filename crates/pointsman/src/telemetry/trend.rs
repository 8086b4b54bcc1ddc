//! [`Trend`]: detects that a device takes longer for a query's kernels than it used to.
//!
//! Runs are compared by their time per row, with runs of about as many rows (within a factor of √2): the median of the
//! last [`RECENT`] runs against the median of up to [`USUAL_MAX`] runs before them. A device that takes more than
//! [`SLOWER`] times as long has turned slow, until it takes less than [`RECOVERED`] times as long; meanwhile the usual
//! times do not change. Medians ignore single outliers. Runs shorter than [`MEASURED_MIN_NS`] measure the call more
//! than the device and are ignored.

use super::device_counters::{DeviceCounters, Slowdown};
use crate::sync::Mutex;
use pointsman_ir::kernel::Kernel;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// The number of recent runs, and the fewest usual runs to compare them with.
const RECENT: usize = 10;
/// The maximum number of runs that define the usual time.
const USUAL_MAX: usize = 50;
/// A device turns slow when it takes more than this many times the usual time.
const SLOWER: f64 = 1.5;
/// A slow device recovers when it takes less than this many times the usual time.
const RECOVERED: f64 = 1.2;
/// The shortest run that counts: 50 µs.
const MEASURED_MIN_NS: u64 = 50_000;
/// Slowdowns report times for this many rows.
const REPORTED_ROWS: f64 = 1e6;

/// The run times of a query's kernels on a device.
pub(crate) struct Trend {
    device: String,
    stages: String,
    pub(super) counters: Arc<DeviceCounters>,
    /// The windows of each size class: half an octave of rows.
    sizes: Mutex<BTreeMap<u32, Windows>>,
}

/// The last times of runs of one size class, in nanoseconds per row.
#[derive(Default)]
struct Windows {
    recent: VecDeque<f64>,
    usual: VecDeque<f64>,
    is_slow: bool,
    /// The rows of the last run.
    rows: usize,
}

impl Trend {
    /// A trend of these kernels without runs; slowdowns count in `counters`.
    pub(super) fn new(device: &str, kernels: &[Kernel], counters: Arc<DeviceCounters>) -> Trend {
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.sink.name()).collect();
        Trend { device: device.to_string(), stages: names.join(", "), counters, sizes: Mutex::default() }
    }

    /// Records a run. If the device is slow, returns the time of the last runs relative to the usual time.
    #[inline]
    pub(crate) fn record(&self, rows: usize, nanoseconds: u64) -> Option<f32> {
        if nanoseconds < MEASURED_MIN_NS || rows == 0 { None } else { self.compare(rows, nanoseconds) }
    }

    fn compare(&self, rows: usize, nanoseconds: u64) -> Option<f32> {
        let size = ((rows as f64).log2() * 2.0) as u32;
        let mut sizes = self.sizes.lock();
        let windows = sizes.entry(size).or_default();
        windows.rows = rows;
        let has_changed = windows.record(nanoseconds as f64 / rows as f64);
        let (usual, recent) = if windows.is_slow || has_changed { windows.medians()? } else { return None };
        let slowdown = windows.slowdown(&self.stages);
        drop(sizes);
        if has_changed {
            self.counters.record_change(slowdown.is_some());
            match &slowdown {
                Some(slowdown) => tracing::warn!(target: "pointsman", device = self.device, "turned slow: {slowdown}"),
                None => {
                    let stages = &self.stages;
                    tracing::info!(target: "pointsman", device = self.device, "as fast as usual again: {stages}");
                }
            }
        }
        slowdown.map(|_| (recent / usual) as f32)
    }

    /// The slowdowns of all sizes at which the device is slow now.
    pub(super) fn slowdowns(&self) -> Vec<Slowdown> {
        self.sizes.lock().values().filter_map(|windows| windows.slowdown(&self.stages)).collect()
    }
}

impl Windows {
    /// Records the time of a run; returns whether the device turned slow or recovered.
    fn record(&mut self, each: f64) -> bool {
        self.recent.push_back(each);
        if self.recent.len() > RECENT
            && let Some(older) = self.recent.pop_front()
            && !self.is_slow
        {
            self.usual.push_back(older);
            self.usual.drain(..self.usual.len().saturating_sub(USUAL_MAX));
        }
        let Some((usual, recent)) = self.medians() else { return false };
        let was_slow = self.is_slow;
        self.is_slow = recent > usual * if was_slow { RECOVERED } else { SLOWER };
        self.is_slow != was_slow
    }

    /// The usual time and the time of the last runs, once there are enough runs.
    fn medians(&self) -> Option<(f64, f64)> {
        (self.usual.len() >= RECENT).then(|| (median(&self.usual), median(&self.recent)))
    }

    /// The slowdown that health reports, if the device is slow.
    fn slowdown(&self, stages: &str) -> Option<Slowdown> {
        let (usual, now) = self.medians().filter(|_| self.is_slow)?;
        let reported = |each: f64| Duration::from_nanos((each * REPORTED_ROWS) as u64);
        Some(Slowdown { stages: stages.to_string(), rows: self.rows, usual: reported(usual), now: reported(now) })
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
    use crate::telemetry::Telemetry;
    use crate::telemetry::device_counters::{DeviceCounterSet, MetricsConfig};

    /// Records `runs` runs of about `each` nanoseconds per row; returns the number of every run that changed `is_slow`,
    /// and its new value.
    fn run(windows: &mut Windows, runs: usize, each: f64, noise: f64, draws: &RandomDraws) -> Vec<(usize, bool)> {
        let time = || each * (1.0 + noise * (2.0 * draws.next() - 1.0));
        (0..runs).filter_map(|run| windows.record(time()).then_some((run, windows.is_slow))).collect()
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
            assert!(!windows.record(5000.0));
        }
    }

    #[test]
    fn slowdown_and_recovery_are_detected_within_ten_runs() {
        let draws = RandomDraws::new(3);
        for factor in [1.8, 2.0, 10.0, 1000.0] {
            let mut windows = Windows::default();
            assert_eq!(run(&mut windows, 60, 1.0, 0.05, &draws), []);
            let slow = run(&mut windows, 300, factor, 0.05, &draws);
            assert!(matches!(slow[..], [(0..RECENT, true)]), "{factor}: {slow:?}");
            let fast = run(&mut windows, 300, 1.0, 0.05, &draws);
            assert!(matches!(fast[..], [(0..RECENT, false)]), "{factor}: {fast:?}");
        }
    }

    #[test]
    fn forgotten_query_is_no_longer_slow() {
        let counters = Arc::new(DeviceCounterSet::new(MetricsConfig::default()));
        let telemetry = Telemetry::new(0, counters.clone());
        let trend = telemetry.trend("sim", Vec::new());
        let slow = |trend: &Trend, times: u64| (0..30).fold(None, |_, _| trend.record(1000, times * 1_000_000));
        assert_eq!((slow(&trend, 1), counters.health()[0].slow.len()), (None, 0));
        assert_eq!((slow(&trend, 10), counters.health()[0].slow.len()), (Some(10.0), 1));
        drop((telemetry, trend));
        assert_eq!(counters.health()[0].slow, []);
    }

    #[test]
    fn too_few_runs_detect_nothing() {
        let (mut windows, draws) = (Windows::default(), RandomDraws::new(4));
        assert_eq!(run(&mut windows, RECENT - 1, 1.0, 0.0, &draws), []);
        assert_eq!(run(&mut windows, RECENT, 10.0, 0.0, &draws), [], "nine runs do not define the usual time");
    }
}
