//! [`DeviceCounters`]: the answers, failures and slowdowns of a device in a session, also for a metrics recorder.

use crate::error::{Error, ErrorKind};
use crate::instrument::phase::Phase;
use crate::sync::Mutex;
use crate::telemetry::receipt::Receipt;
use crate::telemetry::trend::Trend;
use metrics::{Counter, Histogram, counter, histogram};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The counters of a session's devices by device name.
pub(crate) struct DeviceCounterSet {
    by_device: Mutex<BTreeMap<String, Arc<DeviceCounters>>>,
    config: MetricsConfig,
}

/// The measurements made in addition to the session's own counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MetricsConfig {
    /// Report to the recorder of the `metrics` crate.
    pub(crate) use_recorder: bool,
}

/// Whether a metrics recorder is installed: only the no-op recorder of the `metrics` crate has size 0.
fn has_recorder() -> bool {
    metrics::with_recorder(|recorder| size_of_val(recorder) > 0)
}

impl MetricsConfig {
    /// Uses the recorder if `metrics` says so, or by default if one is installed.
    pub(crate) fn of(metrics: Option<bool>) -> MetricsConfig {
        MetricsConfig { use_recorder: metrics.unwrap_or_else(has_recorder) }
    }
}

impl DeviceCounterSet {
    pub(crate) fn new(config: MetricsConfig) -> DeviceCounterSet {
        DeviceCounterSet { by_device: Mutex::default(), config }
    }

    /// Returns the counters of a device.
    pub(crate) fn of(&self, device: &str) -> Arc<DeviceCounters> {
        let mut by_device = self.by_device.lock();
        let metrics = || self.config.use_recorder.then(|| Box::new(MetricHandles::new(device)));
        let new = || Arc::new(DeviceCounters { metrics: metrics(), ..DeviceCounters::default() });
        by_device.entry(device.to_string()).or_insert_with(new).clone()
    }

    /// Counts a query that ended in an error of this kind.
    pub(crate) fn record_failed_query(&self, kind: ErrorKind) {
        if self.config.use_recorder {
            counter!("pointsman_failed_queries_total", "kind" => kind.name()).increment(1);
        }
    }

    /// Returns the health of every device that has been used so far, by name.
    pub(crate) fn health(&self) -> Vec<DeviceHealth> {
        self.by_device.lock().iter().map(|(name, counters)| counters.health(name)).collect()
    }
}

/// The health of a device in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceHealth {
    /// The name of the device.
    pub device: String,
    /// The number of queries that the device answered.
    pub answers: u64,
    /// The number of failures.
    pub failures: u64,
    /// The message of the last failure.
    pub last_error: Option<String>,
    /// Queries for which the device takes longer than it used to.
    pub slow: Vec<Slowdown>,
}

/// A query for which a device takes longer than it used to: the median time of the last 10 runs is more than 1.5 times
/// the median of up to 50 runs before them, all of about as many rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slowdown {
    /// The sinks of the query's stages.
    pub stages: String,
    /// The source rows of the last run.
    pub rows: usize,
    /// The usual time for a million rows.
    pub usual: Duration,
    /// The time for a million rows now.
    pub now: Duration,
}

impl Slowdown {
    /// Returns the time now relative to the usual time.
    pub fn factor(&self) -> f64 {
        self.now.as_secs_f64() / self.usual.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

impl fmt::Display for Slowdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Slowdown { stages, rows, usual, now } = self;
        let factor = self.factor();
        write!(
            f,
            "{stages} over {rows} rows, {factor:.1} times as long as usual ({now:.1?} a million rows, not {usual:.1?})"
        )
    }
}

/// The counters of a device.
#[derive(Default)]
pub(crate) struct DeviceCounters {
    answers: AtomicU64,
    failures: AtomicU64,
    last_error: Mutex<Option<String>>,
    /// The trends of the queries that ran on the device; those of forgotten queries are dropped.
    trends: Mutex<Vec<Weak<Trend>>>,
    /// `None` if there is no recorder; checked with every answer.
    metrics: Option<Box<MetricHandles>>,
}

/// The handles of a metrics recorder.
struct MetricHandles {
    queries: Counter,
    failures: Counter,
    slowdowns: Counter,
    recoveries: Counter,
    rows: Counter,
    moved_in: Counter,
    moved_out: Counter,
    seconds: Histogram,
    phases: [Histogram; Phase::ALL.len()],
}

impl MetricHandles {
    fn new(device: &str) -> MetricHandles {
        let name = || device.to_string();
        let moved = |direction| counter!("pointsman_bytes_moved_total", "device" => name(), "direction" => direction);
        let phase = |phase: Phase| histogram!("pointsman_phase_seconds", "device" => name(), "phase" => phase.name());
        MetricHandles {
            queries: counter!("pointsman_queries_total", "device" => name()),
            failures: counter!("pointsman_failures_total", "device" => name()),
            slowdowns: counter!("pointsman_slowdowns_total", "device" => name()),
            recoveries: counter!("pointsman_recoveries_total", "device" => name()),
            rows: counter!("pointsman_rows_total", "device" => name()),
            moved_in: moved("in"),
            moved_out: moved("out"),
            seconds: histogram!("pointsman_query_seconds", "device" => name()),
            phases: Phase::ALL.map(phase),
        }
    }

    #[cold]
    fn record_answer(&self, receipt: &Receipt) {
        self.queries.increment(1);
        self.rows.increment(receipt.rows_in() as u64);
        self.moved_in.increment(receipt.bytes_moved_in());
        self.moved_out.increment(receipt.bytes_moved_out());
        self.seconds.record(receipt.total());
        if let Some(name) = receipt.name() {
            let (query, device) = (name.to_string(), receipt.device().to_string());
            histogram!("pointsman_named_query_seconds", "query" => query, "device" => device).record(receipt.total());
        }
        for (phase, histogram) in Phase::ALL.into_iter().zip(&self.phases) {
            if !receipt.time(phase).is_zero() {
                histogram.record(receipt.time(phase));
            }
        }
    }
}

impl DeviceCounters {
    /// Returns the number of runs that have ended, with an answer or a failure.
    pub(crate) fn runs(&self) -> u64 {
        self.answers.load(Ordering::Relaxed).wrapping_add(self.failures.load(Ordering::Relaxed))
    }

    /// Counts an answer.
    #[inline]
    pub(crate) fn record_answer(&self, receipt: &Receipt) {
        self.answers.fetch_add(1, Ordering::Relaxed);
        if let Some(metrics) = &self.metrics {
            metrics.record_answer(receipt);
        }
    }

    /// Counts a failure of the device.
    #[cold]
    pub(crate) fn record_failure(&self, error: &Error) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        if let Some(metrics) = &self.metrics {
            metrics.failures.increment(1);
        }
        *self.last_error.lock() = Some(error.message().to_string());
    }

    /// Reports the slowdowns of a trend from now on.
    pub(super) fn watch(&self, trend: &Arc<Trend>) {
        let mut trends = self.trends.lock();
        trends.retain(|trend| trend.strong_count() > 0);
        trends.push(Arc::downgrade(trend));
    }

    /// Counts that the device turned slow at a query, or recovered.
    #[cold]
    pub(super) fn record_change(&self, is_slow: bool) {
        if let Some(metrics) = &self.metrics {
            if is_slow { metrics.slowdowns.increment(1) } else { metrics.recoveries.increment(1) }
        }
    }

    fn health(&self, device: &str) -> DeviceHealth {
        DeviceHealth {
            device: device.to_string(),
            answers: self.answers.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            last_error: self.last_error.lock().clone(),
            slow: self.trends.lock().iter().filter_map(Weak::upgrade).flat_map(|trend| trend.slowdowns()).collect(),
        }
    }
}
