//! What a device did for a session: how often it was called, how often it failed, and the same for a metrics recorder.

use crate::error::Error;
use crate::instrument::phase::Phase;
use crate::select::Goal;
use crate::telemetry::receipt::Receipt;
use metrics::{Counter, Histogram, counter, histogram};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The tallies of a session's devices, by name.
pub(crate) struct DeviceCounterSet {
    tallies: Mutex<BTreeMap<String, Arc<DeviceCounters>>>,
    told: MetricsConfig,
}

/// Who is told beside the session itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MetricsConfig {
    /// A metrics recorder.
    pub(crate) has_meters: bool,
    /// Someone who wants to know how long devices worked.
    pub(crate) has_watch: bool,
}

/// Whether a metrics recorder was installed. What stands in for one has no size, and every recorder that keeps what it
/// is told has one.
fn has_recorder() -> bool {
    metrics::with_recorder(|recorder| size_of_val(recorder) > 0)
}

impl MetricsConfig {
    /// A recorder if that is wanted or, unless told, there; a watch where devices are compared by energy.
    pub(crate) fn of(metrics: Option<bool>, goal: Goal) -> MetricsConfig {
        MetricsConfig { has_meters: metrics.unwrap_or_else(has_recorder), has_watch: goal == Goal::Energy }
    }
}

impl DeviceCounterSet {
    pub(crate) fn new(told: MetricsConfig) -> DeviceCounterSet {
        DeviceCounterSet { tallies: Mutex::default(), told }
    }

    /// The tally of a device.
    pub(crate) fn of(&self, device: &str) -> Arc<DeviceCounters> {
        let mut tallies = self.tallies.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(DeviceCounters::new(Listeners::new(self.told, device)));
        tallies.entry(device.to_string()).or_insert_with(new).clone()
    }

    /// How every device stands that was asked so far, by name.
    pub(crate) fn health(&self) -> Vec<DeviceHealth> {
        let tallies = self.tallies.lock().unwrap_or_else(PoisonError::into_inner);
        tallies.iter().map(|(name, tally)| tally.health(name)).collect()
    }
}

/// How a device did in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceHealth {
    /// Its name.
    pub device: String,
    /// How many queries it answered.
    pub answers: u64,
    /// How often it failed.
    pub failures: u64,
    /// What it said when it last failed.
    pub last_error: Option<String>,
    /// Queries that it takes longer for than it used to.
    pub slow: Vec<Slowdown>,
}

/// A query that a device takes longer for than it used to: the median of its last 10 runs is more than 1.5 times the
/// median of up to 50 before them, all of about as many rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slowdown {
    /// The sinks of its stages.
    pub stages: String,
    /// The rows of its last run.
    pub rows: usize,
    /// What a million rows usually take.
    pub usual: Duration,
    /// What they take now.
    pub now: Duration,
}

impl Slowdown {
    /// How many times as long as usual it takes.
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

/// What a device did.
pub(crate) struct DeviceCounters {
    answers: AtomicU64,
    failures: AtomicU64,
    last_error: Mutex<Option<String>>,
    /// By the query and the size of its runs.
    slow: Mutex<BTreeMap<(u64, u32), Slowdown>>,
    /// `None` where nobody listens, which is asked with every answer.
    listeners: Option<Box<Listeners>>,
}

/// Who is told of every answer.
struct Listeners {
    meters: Option<Meters>,
    /// Nanoseconds that the device worked.
    worked: AtomicU64,
}

impl Listeners {
    fn new(told: MetricsConfig, device: &str) -> Option<Box<Listeners>> {
        let meters = told.has_meters.then(|| Meters::new(device));
        (told != MetricsConfig::default()).then(|| Box::new(Listeners { meters, worked: AtomicU64::new(0) }))
    }

    #[cold]
    fn answered(&self, receipt: &Receipt) {
        let worked = u64::try_from(receipt.worked().as_nanos()).unwrap_or(u64::MAX);
        self.worked.fetch_add(worked, Ordering::Relaxed);
        self.meters.iter().for_each(|meters| meters.answered(receipt));
    }
}

/// The handles of a metrics recorder.
struct Meters {
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

impl Meters {
    fn new(device: &str) -> Meters {
        let name = || device.to_string();
        let moved = |direction| counter!("pointsman_bytes_moved_total", "device" => name(), "direction" => direction);
        let phase = |phase: Phase| histogram!("pointsman_phase_seconds", "device" => name(), "phase" => phase.name());
        Meters {
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

    fn answered(&self, receipt: &Receipt) {
        self.queries.increment(1);
        self.rows.increment(receipt.rows_in() as u64);
        self.moved_in.increment(receipt.bytes_moved_in());
        self.moved_out.increment(receipt.bytes_moved_out());
        self.seconds.record(receipt.total());
        for (phase, histogram) in Phase::ALL.into_iter().zip(&self.phases) {
            if !receipt.time(phase).is_zero() {
                histogram.record(receipt.time(phase));
            }
        }
    }
}

impl DeviceCounters {
    fn new(listeners: Option<Box<Listeners>>) -> DeviceCounters {
        let (answers, failures) = (AtomicU64::new(0), AtomicU64::new(0));
        DeviceCounters { answers, failures, last_error: Mutex::default(), slow: Mutex::default(), listeners }
    }

    fn meters(&self) -> Option<&Meters> {
        self.listeners.as_ref()?.meters.as_ref()
    }

    /// How long the device worked for queries that it answered; nothing where nobody wanted to know.
    pub(crate) fn worked(&self) -> Duration {
        let worked = self.listeners.as_ref().map_or(0, |listeners| listeners.worked.load(Ordering::Relaxed));
        Duration::from_nanos(worked)
    }

    /// RunCounters an answer.
    #[inline]
    pub(crate) fn answered(&self, receipt: &Receipt) {
        self.answers.fetch_add(1, Ordering::Relaxed);
        if let Some(listeners) = &self.listeners {
            listeners.answered(receipt);
        }
    }

    /// RunCounters a failure of the device.
    #[cold]
    pub(crate) fn failed(&self, error: &Error) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        if let Some(meters) = self.meters() {
            meters.failures.increment(1);
        }
        *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.message().to_string());
    }

    /// Takes down whether the device is slow at a query, and whether that is news.
    #[cold]
    pub(crate) fn pace(&self, query: (u64, u32), slowdown: Option<Slowdown>, is_news: bool) {
        if let (true, Some(meters)) = (is_news, self.meters()) {
            if slowdown.is_some() { &meters.slowdowns } else { &meters.recoveries }.increment(1);
        }
        let mut slow = self.slow.lock().unwrap_or_else(PoisonError::into_inner);
        match slowdown {
            Some(slowdown) => drop(slow.insert(query, slowdown)),
            None => drop(slow.remove(&query)),
        }
    }

    fn health(&self, device: &str) -> DeviceHealth {
        DeviceHealth {
            device: device.to_string(),
            answers: self.answers.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            last_error: self.last_error.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            slow: self.slow.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect(),
        }
    }
}
