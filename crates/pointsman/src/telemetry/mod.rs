//! What a session tells about its work: receipts for people and machines, spans, metrics, the health of its devices, and a
//! snapshot of all that for a report.
//!
//! Spans go to whoever subscribed with `tracing` (target `pointsman`, level debug): one for a query, one for each of its
//! stages. Counters and histograms go to the recorder that was installed with `metrics` before the session was opened.
//! Without a subscriber spans are one comparison, and without a recorder all counters together are one.
//!
//! | metric | labels | is |
//! | --- | --- | --- |
//! | `pointsman_queries_total` | device | queries that the device answered |
//! | `pointsman_failures_total` | device | failures of the device |
//! | `pointsman_slowdowns_total` | device | how often the device turned slow at a query (`trend.rs`) |
//! | `pointsman_recoveries_total` | device | how often it was as fast as usual again |
//! | `pointsman_rows_total` | device | rows of their sources |
//! | `pointsman_bytes_moved_total` | device, direction | bytes copied to (`in`) and from (`out`) the device |
//! | `pointsman_query_seconds` | device | a histogram of whole queries |
//! | `pointsman_phase_seconds` | device, phase | a histogram of each phase that took time |

pub(crate) mod device_counters;
pub(crate) mod json;
pub(crate) mod line;
pub(crate) mod machine;
pub(crate) mod profile;
pub(crate) mod receipt;
pub(crate) mod snapshot;
pub(crate) mod trend;

use crate::error::{Error, Result};
use crate::instrument::spans::is_enabled;
use crate::telemetry::receipt::Receipt;
use device_counters::DeviceCounterSet;
use pointsman_device::clock::Moment;
use pointsman_ir::fuse::Stage;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::field::Empty;
use tracing::span::EnteredSpan;
use trend::{Trend, Trends};

/// The most failures that a session remembers.
const FAILURES_MAX: usize = 16;

/// What a session remembers of its work.
pub(crate) struct Telemetry {
    /// Where traces begin.
    epoch: Moment,
    receipts_max: usize,
    receipts: Mutex<VecDeque<Receipt>>,
    /// The last errors, with their devices.
    failures: Mutex<VecDeque<String>>,
    pub(crate) tallies: Arc<DeviceCounterSet>,
    trends: Trends,
}

impl Telemetry {
    /// Remembers so many receipts from now on, and counts in these tallies.
    pub(crate) fn new(receipts_max: usize, tallies: Arc<DeviceCounterSet>) -> Telemetry {
        Telemetry {
            epoch: Moment::now(),
            receipts_max,
            receipts: Mutex::default(),
            failures: Mutex::default(),
            tallies,
            trends: Trends::new(),
        }
    }

    /// Tells what came of a query, and ends its span.
    #[inline]
    pub(crate) fn tell(&self, result: &Result<Receipt>, span: QuerySpan) {
        if let Ok(receipt) = result {
            receipt.tally().answered(receipt);
            if self.receipts_max > 0 {
                self.keep(receipt.clone());
            }
        }
        if let Some(span) = span {
            fill(&span, result);
        }
    }

    fn keep(&self, receipt: Receipt) {
        let mut receipts = lock(&self.receipts);
        if receipts.len() == self.receipts_max {
            receipts.pop_front();
        }
        receipts.push_back(receipt);
    }

    /// The trend of these stages on these devices, counted with one of them.
    pub(crate) fn trend(&self, devices: &str, counted: &str, stages: &[Stage]) -> Arc<Trend> {
        let kernels = stages.iter().map(|stage| stage.kernel.clone()).collect();
        self.trends.of(devices, kernels, || self.tallies.of(counted))
    }

    /// A device failed a query, which another one may still answer.
    #[cold]
    pub(crate) fn failed(&self, device: &str, error: &Error) {
        self.tallies.of(device).failed(error);
        tracing::warn!(target: "pointsman", device, kind = ?error.kind(), "{}", error.message());
        let mut failures = lock(&self.failures);
        if failures.len() == FAILURES_MAX {
            failures.pop_front();
        }
        failures.push_back(format!("{device}: {error:?}"));
    }

    /// The receipts that are remembered, the oldest first.
    pub(crate) fn receipts(&self) -> Vec<Receipt> {
        lock(&self.receipts).iter().cloned().collect()
    }

    /// They as one trace.
    pub(crate) fn chrome_trace(&self) -> String {
        machine::chrome_trace(&self.receipts(), self.epoch)
    }
}

/// The span of a query, if someone listens.
pub(crate) type QuerySpan = Option<EnteredSpan>;

/// The span that a query is asked in, for the thread that runs it.
pub(crate) fn current() -> tracing::Span {
    if is_enabled() { tracing::Span::current() } else { tracing::Span::none() }
}

/// Begins the span of a query. Its fields are filled when it ends.
#[inline]
pub(crate) fn query() -> QuerySpan {
    if is_enabled() { Some(query_span()) } else { None }
}

#[cold]
fn query_span() -> EnteredSpan {
    tracing::debug_span!(
        target: "pointsman",
        "query",
        device = Empty,
        rows_in = Empty,
        rows_out = Empty,
        receipt = Empty,
        error = Empty,
    )
    .entered()
}

#[cold]
fn fill(span: &EnteredSpan, result: &Result<Receipt>) {
    match result {
        Ok(receipt) => {
            span.record("device", receipt.device());
            span.record("rows_in", receipt.rows_in()).record("rows_out", receipt.rows_out());
            span.record("receipt", tracing::field::display(receipt));
        }
        Err(error) => drop(span.record("error", error.message())),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
