//! [`Trend`]: whether a device takes longer for a query's kernels than it used to.
//!
//! Runs are compared by their time a row, with runs of about as many rows (within a factor of √2): the median of the last
//! [`RECENT`] against the median of up to [`USUAL_MAX`] before them. A device that takes more than [`SLOWER`] times as
//! long has turned slow, until it takes less than [`RECOVERED`] times as long again; meanwhile what is usual stays what it
//! was. Medians do not mind single outliers. Runs shorter than [`MEASURED_MIN_NS`] say more about the call than about the
//! device, and are not looked at.

use super::device_counters::{DeviceCounters, Slowdown};
use crate::cache::Cache;
use pointsman_ir::kernel::Kernel;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many of the last runs are compared with those before them, and how many there must be of each.
const RECENT: usize = 10;
/// The most runs that say what is usual.
const USUAL_MAX: usize = 50;
/// A device that takes more than so many times as long as usual has turned slow.
const SLOWER: f64 = 1.5;
/// It has recovered when it takes less than so many times as long.
const RECOVERED: f64 = 1.2;
/// The shortest run that counts: 50 µs.
const MEASURED_MIN_NS: u64 = 50_000;
/// The most queries, each on one device, whose times are remembered.
const TRENDS_MAX: usize = 1024;
/// Times are told for so many rows.
const TOLD_ROWS: f64 = 1e6;

/// The trends of a session, by device and kernels.
pub(crate) struct Trends {
    trends: Cache<(String, Vec<Kernel>), Trend>,
    next: AtomicU64,
}

/// The times of a query's kernels on a device.
pub(crate) struct Trend {
    /// Tells it from others of the same device.
    number: u64,
    device: String,
    stages: String,
    tally: Arc<DeviceCounters>,
    /// By the size of the run.
    sizes: Mutex<BTreeMap<u32, Windows>>,
}

/// The last times of runs of one size, in nanoseconds a row.
#[derive(Default)]
struct Windows {
    recent: VecDeque<f64>,
    usual: VecDeque<f64>,
    is_slow: bool,
}

/// What a run changed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    None,
    TurnedSlow,
    Recovered,
}

impl Trends {
    pub(crate) fn new() -> Trends {
        Trends { trends: Cache::new(TRENDS_MAX), next: AtomicU64::new(0) }
    }

    /// The trend of these kernels on a device.
    pub(crate) fn of(
        &self,
        device: &str,
        kernels: Vec<Kernel>,
        tally: impl FnOnce() -> Arc<DeviceCounters>,
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
            tally: tally(),
            sizes: Mutex::default(),
        };
        self.trends.put(key, Arc::new(trend))
    }
}

impl Trend {
    /// Takes in a run of so many rows; how many times as long as usual the last ones took, if the device is slow.
    #[inline]
    pub(crate) fn note(&self, rows: usize, nanoseconds: u64) -> Option<f32> {
        if nanoseconds < MEASURED_MIN_NS || rows == 0 { None } else { self.compare(rows, nanoseconds) }
    }

    fn compare(&self, rows: usize, nanoseconds: u64) -> Option<f32> {
        // Half an octave.
        let size = ((rows as f64).log2() * 2.0) as u32;
        let mut sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        let windows = sizes.entry(size).or_default();
        let change = windows.note(nanoseconds as f64 / rows as f64);
        if change == Change::None && !windows.is_slow {
            return None;
        }
        let (is_slow, usual, recent) = (windows.is_slow, windows.usual()?, median(&windows.recent));
        let told = |each: f64| Duration::from_nanos((each * TOLD_ROWS) as u64);
        let slowdown = Slowdown { stages: self.stages.clone(), rows, usual: told(usual), now: told(recent) };
        let text = slowdown.to_string();
        // Under the lock: of two runs that end at once, the tally hears of the later one last.
        self.tally.pace((self.number, size), is_slow.then_some(slowdown), change != Change::None);
        drop(sizes);
        match change {
            Change::None => {}
            Change::TurnedSlow => tracing::warn!(target: "pointsman", device = self.device, "turned slow: {text}"),
            Change::Recovered => {
                tracing::info!(target: "pointsman", device = self.device, "as fast as usual again: {}", self.stages);
            }
        }
        is_slow.then_some((recent / usual) as f32)
    }
}

/// A device is not slow at what nobody asks of it any more.
impl Drop for Trend {
    fn drop(&mut self) {
        let sizes = self.sizes.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (&size, _) in sizes.iter().filter(|(_, windows)| windows.is_slow) {
            self.tally.pace((self.number, size), None, false);
        }
    }
}

impl Windows {
    /// Takes in the time of a run.
    fn note(&mut self, each: f64) -> Change {
        self.recent.push_back(each);
        if self.recent.len() > RECENT
            && let Some(older) = self.recent.pop_front()
            && !self.is_slow
        {
            self.usual.push_back(older);
            self.usual.drain(..self.usual.len().saturating_sub(USUAL_MAX));
        }
        let Some(usual) = self.usual() else { return Change::None };
        let recent = median(&self.recent);
        let was_slow = self.is_slow;
        self.is_slow = recent > usual * if was_slow { RECOVERED } else { SLOWER };
        match (was_slow, self.is_slow) {
            (false, true) => Change::TurnedSlow,
            (true, false) => Change::Recovered,
            (false, false) | (true, true) => Change::None,
        }
    }

    /// What is usual, once enough is known.
    fn usual(&self) -> Option<f64> {
        (self.usual.len() >= RECENT).then(|| median(&self.usual))
    }
}

/// The middle of some times; of an even number, the lower of the two.
fn median(times: &VecDeque<f64>) -> f64 {
    // On the stack: runs that ran before allocate nothing.
    let (mut room, count) = ([0.0; USUAL_MAX], times.len().min(USUAL_MAX));
    room.iter_mut().zip(times).for_each(|(place, time)| *place = *time);
    room[..count].sort_unstable_by(f64::total_cmp);
    room[count.saturating_sub(1) / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resilience::retry::RandomDraws;
    use crate::telemetry::device_counters::{DeviceCounterSet, MetricsConfig};

    /// StepRecorder so many runs that take about so long; every change, with the number of the run.
    fn run(windows: &mut Windows, runs: usize, each: f64, noise: f64, draws: &RandomDraws) -> Vec<(usize, Change)> {
        let one = |run| (run, windows.note(each * (1.0 + noise * (2.0 * draws.next() - 1.0))));
        (0..runs).map(one).filter(|(_, change)| *change != Change::None).collect()
    }

    #[test]
    fn noise_is_no_alarm() {
        let draws = RandomDraws::new(1);
        for _ in 0..100 {
            assert_eq!(run(&mut Windows::default(), 1000, 5.0, 0.3, &draws), []);
        }
    }

    #[test]
    fn outliers_are_no_alarm() {
        let (mut windows, draws) = (Windows::default(), RandomDraws::new(2));
        for _ in 0..100 {
            assert_eq!(run(&mut windows, 7, 5.0, 0.1, &draws), []);
            assert_eq!(windows.note(5000.0), Change::None);
        }
    }

    #[test]
    fn slow_and_recovered_within_ten_runs() {
        let draws = RandomDraws::new(3);
        for factor in [1.8, 2.0, 10.0, 1000.0] {
            let mut windows = Windows::default();
            assert_eq!(run(&mut windows, 60, 1.0, 0.05, &draws), []);
            let slow = run(&mut windows, 300, factor, 0.05, &draws);
            assert!(matches!(slow[..], [(0..RECENT, Change::TurnedSlow)]), "{factor}: {slow:?}");
            let fast = run(&mut windows, 300, 1.0, 0.05, &draws);
            assert!(matches!(fast[..], [(0..RECENT, Change::Recovered)]), "{factor}: {fast:?}");
        }
    }

    #[test]
    fn what_is_forgotten_is_not_slow() {
        let (trends, tallies) = (Trends::new(), DeviceCounterSet::new(MetricsConfig::default()));
        let trend = trends.of("sim", Vec::new(), || tallies.of("sim"));
        let slow = |trend: &Trend, times: u64| (0..30).fold(None, |_, _| trend.note(1000, times * 1_000_000));
        assert_eq!((slow(&trend, 1), tallies.health()[0].slow.len()), (None, 0));
        assert_eq!((slow(&trend, 10), tallies.health()[0].slow.len()), (Some(10.0), 1));
        drop((trends, trend));
        assert_eq!(tallies.health()[0].slow, []);
    }

    #[test]
    fn nothing_is_said_before_enough_is_known() {
        let (mut windows, draws) = (Windows::default(), RandomDraws::new(4));
        assert_eq!(run(&mut windows, RECENT - 1, 1.0, 0.0, &draws), []);
        assert_eq!(run(&mut windows, RECENT, 10.0, 0.0, &draws), [], "nine runs are not what is usual");
    }
}
