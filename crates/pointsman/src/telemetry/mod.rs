//! The reports of a session about its work: receipts, spans, metrics, device health and snapshots, made from the
//! results and counters of runs. Telemetry never fails or blocks a query.
//!
//! | file | contains |
//! | --- | --- |
//! | `receipt` | [`Receipt`] of a run, and `Answer`: a result with its receipt |
//! | `line`, `receipt_json` | a receipt as text; as JSON and as a Chrome trace |
//! | `device_counters` | answers and failures of each device, and the handles of its metrics |
//! | `trend` | detects a device that takes longer for a query than it used to |
//! | `failed_query` | the number of failed queries by kind, and the last ones |
//! | `profile` | statistics over repeated runs of a query |
//! | `snapshot` | the state of a whole session, for a bug report |
//!
//! Spans go to the subscriber of the `tracing` crate (target `pointsman`, level debug): one for each query and one for
//! each of its stages. Counters and histograms go to the recorder of the `metrics` crate that was installed before the
//! session was opened. Without a subscriber, a span costs one comparison; without a recorder, all counters together
//! cost one comparison.
//!
//! | metric | labels | meaning |
//! | --- | --- | --- |
//! | `pointsman_queries_total` | device | queries that the device answered |
//! | `pointsman_failed_queries_total` | kind | queries that ended in an error, by its kind |
//! | `pointsman_failures_total` | device | failures of the device |
//! | `pointsman_slowdowns_total` | device | how often a query became slow on the device (`trend.rs`) |
//! | `pointsman_recoveries_total` | device | how often such a query was as fast as usual again |
//! | `pointsman_rows_total` | device | source rows of the answered queries |
//! | `pointsman_bytes_moved_total` | device, direction | bytes copied to (`in`) and from (`out`) the device |
//! | `pointsman_query_seconds` | device | a histogram of whole queries |
//! | `pointsman_phase_seconds` | device, phase | a histogram of each phase that took time |
//! | `pointsman_named_query_seconds` | query, device | a histogram of the queries of a name, if they have one |

pub(crate) mod device_counters;
pub(crate) mod failed_query;
pub(crate) mod line;
pub(crate) mod profile;
pub(crate) mod receipt;
pub(crate) mod receipt_json;
pub(crate) mod snapshot;
pub(crate) mod trend;

use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::instrument::phase::PhaseTimer;
use crate::instrument::spans::has_subscriber;
use crate::sync::Mutex;
use crate::telemetry::receipt::Receipt;
use device_counters::DeviceCounterSet;
use failed_query::{FailedQuery, FailedQueryCount, SessionHealth};
use pointsman_device::clock::FastInstant;
use pointsman_ir::kernel::Kernel;
use std::collections::VecDeque;
use std::sync::Arc;
use tracing::field::Empty;
use tracing::span::EnteredSpan;
use trend::Trend;

/// The number of device failures that a session remembers, and the minimum number of failed queries.
const FAILURES_MAX: usize = 16;

/// The maximum number of trends of a session, each of one query on one device.
const TRENDS_MAX: usize = 1024;

/// The telemetry of a session: its last receipts and failures, device counters and trends.
pub(crate) struct Telemetry {
    /// The zero of the time axis of traces.
    epoch: FastInstant,
    pub(crate) receipts: RecentEvents<Receipt>,
    /// The last device errors, as text.
    pub(crate) failures: RecentEvents<String>,
    pub(crate) failed_queries: RecentEvents<FailedQuery>,
    /// The number of failed queries by kind, in the order in which the kinds occurred.
    failed_counts: Mutex<Vec<FailedQueryCount>>,
    pub(crate) counters: Arc<DeviceCounterSet>,
    /// The trends, by device and kernels.
    trends: Cache<(String, Vec<Kernel>), Trend>,
}

/// The last events of a kind.
pub(crate) struct RecentEvents<T> {
    max: usize,
    events: Mutex<VecDeque<T>>,
}

impl<T: Clone> RecentEvents<T> {
    fn new(max: usize) -> RecentEvents<T> {
        RecentEvents { max, events: Mutex::default() }
    }

    /// Remembers an event, and forgets the oldest if there are too many.
    fn record(&self, event: T) {
        let mut events = self.events.lock();
        if events.len() == self.max {
            events.pop_front();
        }
        events.push_back(event);
    }

    /// Returns the events, the oldest first.
    pub(crate) fn all(&self) -> Vec<T> {
        self.events.lock().iter().cloned().collect()
    }
}

impl Telemetry {
    /// Creates telemetry that remembers the last `receipts_max` receipts, and at least as many failed queries.
    pub(crate) fn new(receipts_max: usize, counters: Arc<DeviceCounterSet>) -> Telemetry {
        Telemetry {
            epoch: FastInstant::now(),
            receipts: RecentEvents::new(receipts_max),
            failures: RecentEvents::new(FAILURES_MAX),
            failed_queries: RecentEvents::new(receipts_max.max(FAILURES_MAX)),
            failed_counts: Mutex::default(),
            counters,
            trends: Cache::new(TRENDS_MAX),
        }
    }

    /// Records the result of a query and ends its span.
    #[inline]
    pub(crate) fn record(&self, result: &Result<Receipt>, timer: &PhaseTimer, span: QuerySpan) {
        match result {
            Ok(receipt) => {
                receipt.info.counters.record_answer(receipt);
                if self.receipts.max > 0 {
                    self.receipts.record(receipt.clone());
                }
            }
            Err(error) => self.record_failed_query(error, timer),
        }
        if let Some(span) = span {
            set_fields(&span, result);
        }
    }

    /// Counts and remembers a query that ended in an error.
    #[cold]
    pub(crate) fn record_failed_query(&self, error: &Error, timer: &PhaseTimer) {
        self.counters.record_failed_query(error.kind());
        self.failed_queries.record(FailedQuery::new(error, timer));
        let (kind, mut counts) = (error.kind(), self.failed_counts.lock());
        match counts.iter_mut().find(|count| count.kind == kind) {
            Some(count) => count.queries += 1,
            None => counts.push(FailedQueryCount { kind, queries: 1 }),
        }
    }

    /// Returns the health of devices and queries.
    pub(crate) fn health(&self) -> SessionHealth {
        SessionHealth { devices: self.counters.health(), failed_queries: self.failed_counts.lock().clone() }
    }

    /// Returns the trend of these kernels on a device.
    pub(crate) fn trend(&self, device: &str, kernels: Vec<Kernel>) -> Arc<Trend> {
        let key = (device.to_string(), kernels);
        self.trends.get(&key).unwrap_or_else(|| {
            let trend = Arc::new(Trend::new(device, &key.1, self.counters.of(device)));
            trend.counters.watch(&trend);
            self.trends.put(key, trend)
        })
    }

    /// Records a failure of a device. Another device may still answer the query.
    #[cold]
    pub(crate) fn record_failure(&self, device: &str, error: &Error) {
        self.counters.of(device).record_failure(error);
        tracing::warn!(target: "pointsman", device, kind = ?error.kind(), "{}", error.message());
        self.failures.record(format!("{device}: {error:?}"));
    }

    /// Returns the remembered receipts as one trace.
    pub(crate) fn chrome_trace(&self) -> String {
        receipt_json::chrome_trace(&self.receipts.all(), self.epoch)
    }
}

/// The span of a query; `None` without a subscriber.
pub(crate) type QuerySpan = Option<EnteredSpan>;

/// Returns the caller's current span, as the parent for a query that another thread runs.
pub(crate) fn current_span() -> tracing::Span {
    if has_subscriber() { tracing::Span::current() } else { tracing::Span::none() }
}

/// Begins the span of a query. Its fields are set when it ends.
#[inline]
pub(crate) fn query_span() -> QuerySpan {
    if has_subscriber() { Some(enter_query_span()) } else { None }
}

#[cold]
fn enter_query_span() -> EnteredSpan {
    tracing::debug_span!(
        target: "pointsman",
        "query",
        name = Empty,
        location = Empty,
        device = Empty,
        rows_in = Empty,
        rows_out = Empty,
        receipt = Empty,
        error = Empty,
    )
    .entered()
}

#[cold]
fn set_fields(span: &EnteredSpan, result: &Result<Receipt>) {
    match result {
        Ok(receipt) => {
            span.record("device", receipt.device());
            span.record("rows_in", receipt.rows_in()).record("rows_out", receipt.rows_out());
            span.record("receipt", tracing::field::display(receipt));
            if let Some(name) = receipt.name() {
                span.record("name", name);
            }
            if let Some(at) = receipt.location() {
                span.record("location", tracing::field::display(at));
            }
        }
        Err(error) => {
            if let Some(name) = error.query() {
                span.record("name", name);
            }
            span.record("error", error.message());
        }
    }
}
