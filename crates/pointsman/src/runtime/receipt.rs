//! [`Receipt`]: what really happened when a query ran. [`Answer`]: a result with its receipt.

use crate::runtime::resilience::journal::Attempt;
use pointsman_device::clock::Moment;
use std::fmt::{self, Write};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

/// A part of the path of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Checking the plan, and finding it among those already compiled.
    Plan,
    /// Rewriting it.
    Passes,
    /// Making stages of it, each one kernel.
    Fuse,
    /// Choosing a device, and compiling for it.
    Compile,
    /// Waiting: for a place at the device, and before a device is tried again.
    Queue,
    /// Finding memory for inputs and results.
    Bind,
    /// Copying inputs into the device's memory. Devices that work in the host's memory copy nothing.
    CopyIn,
    /// Computing, and waiting for copies still under way.
    Run,
    /// Copying results out of the device's memory.
    CopyOut,
}

impl Phase {
    /// Every phase, in order.
    pub const ALL: [Phase; 9] = [
        Phase::Plan,
        Phase::Passes,
        Phase::Fuse,
        Phase::Compile,
        Phase::Queue,
        Phase::Bind,
        Phase::CopyIn,
        Phase::Run,
        Phase::CopyOut,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Plan => "plan",
            Phase::Passes => "passes",
            Phase::Fuse => "fuse",
            Phase::Compile => "compile",
            Phase::Queue => "queue",
            Phase::Bind => "bind",
            Phase::CopyIn => "copy_in",
            Phase::Run => "run",
            Phase::CopyOut => "copy_out",
        }
    }
}

/// Takes the time of phases.
pub(crate) struct Watch {
    last: Moment,
    /// In nanoseconds.
    times: [u64; Phase::ALL.len()],
}

impl Watch {
    pub(crate) fn start() -> Watch {
        Watch { last: Moment::now(), times: Default::default() }
    }

    /// Counts the time since the last call to this phase.
    pub(crate) fn lap(&mut self, phase: Phase) {
        let now = Moment::now();
        self.times[phase as usize] += now.since(self.last);
        self.last = now;
    }

    /// The moment of the last call.
    pub(crate) fn mark(&self) -> Moment {
        self.last
    }
}

/// Whether something was at hand or had to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cached {
    /// It was at hand.
    Hit,
    /// It had to be made.
    Miss,
}

impl fmt::Display for Cached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cached::Hit => "hit",
            Cached::Miss => "miss",
        })
    }
}

/// What the compiler decided about a query, the same for all its runs.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    /// The device.
    pub(crate) device: String,
    /// Why this one.
    pub(crate) why: String,
    /// The sink of each stage.
    pub(crate) stages: Vec<&'static str>,
    /// What each stage runs as.
    pub(crate) programs: Vec<String>,
}

/// What really happened when a query ran.
#[derive(Clone, Debug)]
pub struct Receipt {
    decided: Arc<Decided>,
    rows_in: usize,
    rows_out: usize,
    bytes_read: u64,
    bytes_written: u64,
    bytes_moved_in: u64,
    bytes_moved_out: u64,
    plan: Cached,
    programs: Cached,
    /// In nanoseconds.
    times: [u64; Phase::ALL.len()],
    attempts: Option<Arc<[Attempt]>>,
}

/// What a run counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) rows_in: usize,
    pub(crate) rows_out: usize,
    pub(crate) bytes_read: u64,
    pub(crate) bytes_written: u64,
    pub(crate) bytes_moved_in: u64,
    pub(crate) bytes_moved_out: u64,
}

impl Receipt {
    pub(crate) fn new(
        decided: Arc<Decided>,
        attempts: Option<Arc<[Attempt]>>,
        counts: Counts,
        cached: (Cached, Cached),
        watch: &Watch,
    ) -> Receipt {
        Receipt {
            decided,
            rows_in: counts.rows_in,
            rows_out: counts.rows_out,
            bytes_read: counts.bytes_read,
            bytes_written: counts.bytes_written,
            bytes_moved_in: counts.bytes_moved_in,
            bytes_moved_out: counts.bytes_moved_out,
            plan: cached.0,
            programs: cached.1,
            times: watch.times,
            attempts,
        }
    }

    /// The device that ran it.
    pub fn device(&self) -> &str {
        &self.decided.device
    }

    /// Why this device ran it.
    pub fn why(&self) -> &str {
        &self.decided.why
    }

    /// Every attempt that failed before the answer, in order: other devices, and earlier tries of this one.
    pub fn attempts(&self) -> &[Attempt] {
        self.attempts.as_deref().unwrap_or(&[])
    }

    /// The sink of each stage: how many kernels ran, and what each did.
    pub fn stages(&self) -> &[&'static str] {
        &self.decided.stages
    }

    /// What each stage ran as: machine code, or what kept it from becoming that.
    pub fn programs(&self) -> &[String] {
        &self.decided.programs
    }

    /// Rows of the source.
    pub fn rows_in(&self) -> usize {
        self.rows_in
    }

    /// Rows of the result.
    pub fn rows_out(&self) -> usize {
        self.rows_out
    }

    /// Bytes that kernels read: every input column and captured table of every stage, once.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Bytes that kernels wrote.
    pub fn bytes_written(&self) -> u64 {
        self.bytes_written
    }

    /// Bytes that were copied into the device's memory: none where it works in the host's.
    pub fn bytes_moved_in(&self) -> u64 {
        self.bytes_moved_in
    }

    /// Bytes that were copied out of the device's memory.
    pub fn bytes_moved_out(&self) -> u64 {
        self.bytes_moved_out
    }

    /// Whether the plan had been compiled before.
    pub fn plan_cache(&self) -> Cached {
        self.plan
    }

    /// Whether all programs had been compiled before.
    pub fn program_cache(&self) -> Cached {
        self.programs
    }

    /// The time a phase took.
    pub fn time(&self, phase: Phase) -> Duration {
        Duration::from_nanos(self.times[phase as usize])
    }

    /// The time from the call to the result.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.times.iter().sum())
    }

    /// The receipt for machines: one JSON object; times are in nanoseconds.
    pub fn to_json(&self) -> String {
        let mut json = String::from("{");
        let quoted = |text: &str| format!("\"{}\"", escaped(text));
        let stages: Vec<String> = self.stages().iter().map(|stage| quoted(stage)).collect();
        let _ = write!(json, "\"device\":{},\"why\":{}", quoted(self.device()), quoted(self.why()));
        let programs: Vec<String> = self.programs().iter().map(|program| quoted(program)).collect();
        let _ = write!(json, ",\"stages\":[{}],\"programs\":[{}]", stages.join(","), programs.join(","));
        let _ = write!(json, ",\"rows_in\":{},\"rows_out\":{}", self.rows_in, self.rows_out);
        let _ = write!(json, ",\"bytes_read\":{},\"bytes_written\":{}", self.bytes_read, self.bytes_written);
        let _ =
            write!(json, ",\"bytes_moved_in\":{},\"bytes_moved_out\":{}", self.bytes_moved_in, self.bytes_moved_out);
        let _ = write!(json, ",\"plan_cache\":\"{}\",\"program_cache\":\"{}\"", self.plan, self.programs);
        let _ =
            write!(json, ",\"attempts\":[{}]", self.attempts().iter().map(attempt_json).collect::<Vec<_>>().join(","));
        for phase in Phase::ALL {
            let _ = write!(json, ",\"{}_ns\":{}", phase.name(), self.time(phase).as_nanos());
        }
        let _ = write!(json, ",\"total_ns\":{}}}", self.total().as_nanos());
        json
    }
}

fn attempt_json(attempt: &Attempt) -> String {
    let Attempt { device, class, message, time } = attempt;
    format!(
        "{{\"device\":\"{}\",\"class\":\"{}\",\"message\":\"{}\",\"ns\":{}}}",
        escaped(device),
        class.name(),
        escaped(message),
        time.as_nanos()
    )
}

/// Text inside a JSON string.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "device   {} ({})", self.device(), self.why())?;
        for attempt in self.attempts() {
            writeln!(f, "tried    {attempt}")?;
        }
        for (stage, program) in self.stages().iter().zip(self.programs()) {
            writeln!(f, "stage    {stage}: {program}")?;
        }
        writeln!(f, "rows     {} in, {} out", self.rows_in, self.rows_out)?;
        writeln!(f, "bytes    {} read, {} written", self.bytes_read, self.bytes_written)?;
        if self.bytes_moved_in + self.bytes_moved_out > 0 {
            writeln!(f, "moved    {} in, {} out", self.bytes_moved_in, self.bytes_moved_out)?;
        }
        writeln!(f, "caches   plan {}, programs {}", self.plan, self.programs)?;
        f.write_str("times   ")?;
        for phase in Phase::ALL.into_iter().filter(|&phase| !self.time(phase).is_zero()) {
            write!(f, " {} {:.1?},", phase.name(), self.time(phase))?;
        }
        write!(f, " total {:.1?}", self.total())
    }
}

/// A result and the receipt of the run that gave it. Derefs to the result.
#[derive(Clone)]
pub struct Answer<T> {
    value: T,
    receipt: Receipt,
}

impl<T> Answer<T> {
    pub(crate) fn new(value: T, receipt: Receipt) -> Answer<T> {
        Answer { value, receipt }
    }

    /// What really happened.
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// The result alone.
    pub fn into_value(self) -> T {
        self.value
    }

    /// The result and the receipt.
    pub fn into_parts(self) -> (T, Receipt) {
        (self.value, self.receipt)
    }
}

impl<T> Deref for Answer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
