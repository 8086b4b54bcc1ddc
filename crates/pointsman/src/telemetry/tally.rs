//! What a device did for a session: how often it was called, how often it failed, and the same for a metrics recorder.

use crate::error::Error;
use crate::runtime::receipt::{Phase, Receipt};
use metrics::{Counter, Histogram, counter, histogram};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The tallies of a session's devices, by name.
#[derive(Default)]
pub(crate) struct Tallies(Mutex<BTreeMap<String, Arc<Tally>>>);

impl Tallies {
    /// The tally of a device.
    pub(crate) fn of(&self, device: &str) -> Arc<Tally> {
        let mut tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tallies.entry(device.to_string()).or_insert_with(|| Arc::new(Tally::new(device))).clone()
    }

    /// How every device stands that was asked so far, by name.
    pub(crate) fn health(&self) -> Vec<DeviceHealth> {
        let tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
}

/// What a device did.
pub(crate) struct Tally {
    answers: AtomicU64,
    failures: AtomicU64,
    last_error: Mutex<Option<String>>,
    meters: Meters,
}

/// The handles of a metrics recorder: those that do nothing if there was none when the device was first asked.
struct Meters {
    queries: Counter,
    failures: Counter,
    rows: Counter,
    moved_in: Counter,
    moved_out: Counter,
    seconds: Histogram,
    phases: [Histogram; Phase::ALL.len()],
}

impl Tally {
    fn new(device: &str) -> Tally {
        let name = || device.to_string();
        let moved = |direction| counter!("pointsman_bytes_moved_total", "device" => name(), "direction" => direction);
        let phase = |phase: Phase| histogram!("pointsman_phase_seconds", "device" => name(), "phase" => phase.name());
        let meters = Meters {
            queries: counter!("pointsman_queries_total", "device" => name()),
            failures: counter!("pointsman_failures_total", "device" => name()),
            rows: counter!("pointsman_rows_total", "device" => name()),
            moved_in: moved("in"),
            moved_out: moved("out"),
            seconds: histogram!("pointsman_query_seconds", "device" => name()),
            phases: Phase::ALL.map(phase),
        };
        Tally { answers: AtomicU64::new(0), failures: AtomicU64::new(0), last_error: Mutex::default(), meters }
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, receipt: &Receipt) {
        self.answers.fetch_add(1, Ordering::Relaxed);
        let meters = &self.meters;
        meters.queries.increment(1);
        meters.rows.increment(receipt.rows_in() as u64);
        meters.moved_in.increment(receipt.bytes_moved_in());
        meters.moved_out.increment(receipt.bytes_moved_out());
        meters.seconds.record(receipt.total());
        for (phase, histogram) in Phase::ALL.into_iter().zip(&meters.phases) {
            if !receipt.time(phase).is_zero() {
                histogram.record(receipt.time(phase));
            }
        }
    }

    /// Counts a failure of the device.
    #[cold]
    pub(crate) fn failed(&self, error: &Error) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.meters.failures.increment(1);
        *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.message().to_string());
    }

    fn health(&self, device: &str) -> DeviceHealth {
        DeviceHealth {
            device: device.to_string(),
            answers: self.answers.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            last_error: self.last_error.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}
