//! [`FailedQuery`]: a query that ended in an error. [`SessionHealth`]: how often queries failed, and how devices did.

use crate::error::{Error, ErrorKind};
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::json::{JsonObject, array, quoted};
use crate::telemetry::device_counters::DeviceHealth;
use crate::telemetry::receipt_json;
use crate::text::time;
use pointsman_device::clock::FastInstant;
use std::fmt;
use std::ops::Deref;
use std::time::Duration;

/// A query that ended in an error: the error with its attempts, and the time of each phase until then.
#[derive(Clone, Debug)]
pub struct FailedQuery {
    error: Error,
    total: Duration,
    /// The time of each phase, in nanoseconds.
    times: [u64; Phase::ALL.len()],
}

impl FailedQuery {
    pub(crate) fn new(error: &Error, timer: &PhaseTimer) -> FailedQuery {
        let total = Duration::from_nanos(FastInstant::now().since(timer.start));
        FailedQuery { error: error.clone(), total, times: timer.times }
    }

    /// The error: its kind and message, the step and the row that caused it, and every failed attempt.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// How long the query took until it failed.
    pub fn total(&self) -> Duration {
        self.total
    }

    /// The time of a phase.
    pub fn time(&self, phase: Phase) -> Duration {
        Duration::from_nanos(self.times[phase as usize])
    }

    /// Returns the failed query as one JSON object: `name`, `location`, `kind`, `message`, `row`, `attempts` as in
    /// [`Receipt::to_json`](crate::Receipt::to_json), and the nanoseconds of each phase and of all.
    pub fn to_json(&self) -> String {
        let mut json = JsonObject::new();
        json.optional("name", self.error.query().map(quoted));
        json.optional("location", self.error.location().map(|at| quoted(&at.to_string())));
        json.text("kind", self.error.kind().name()).text("message", self.error.message());
        json.optional("row", self.error.row());
        json.raw("attempts", array(self.error.attempts().iter().map(receipt_json::attempt)));
        for phase in Phase::ALL {
            json.raw(&format!("{}_ns", phase.name()), self.time(phase).as_nanos());
        }
        json.raw("total_ns", self.total.as_nanos()).end()
    }
}

/// One line: the time, the error, and the failed attempts.
impl fmt::Display for FailedQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed after {}: {:?}", time(self.total), self.error)?;
        self.error.attempts().iter().try_for_each(|attempt| write!(f, " · tried {attempt}"))
    }
}

/// How often queries of a session failed with an error of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedQueryCount {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The number of queries.
    pub queries: u64,
}

/// The health of a session: its devices (this type derefs to them) and its failed queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionHealth {
    /// The health of each device that has been used so far.
    pub devices: Vec<DeviceHealth>,
    /// The number of failed queries for each kind of error that occurred. A query that another device answered did not
    /// fail.
    pub failed_queries: Vec<FailedQueryCount>,
}

impl SessionHealth {
    /// The number of queries that failed with an error of this kind.
    pub fn failed(&self, kind: ErrorKind) -> u64 {
        self.failed_queries.iter().find(|count| count.kind == kind).map_or(0, |count| count.queries)
    }
}

impl Deref for SessionHealth {
    type Target = [DeviceHealth];

    fn deref(&self) -> &[DeviceHealth] {
        &self.devices
    }
}
