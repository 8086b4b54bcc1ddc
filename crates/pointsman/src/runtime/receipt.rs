//! [`Receipt`]: what really happened when a query ran. [`Answer`]: a result with its receipt. How a receipt is written:
//! `telemetry/`.

use crate::runtime::programs::ProgramSource;
use crate::runtime::residency::Pressure;
use crate::runtime::resilience::journal::Attempt;
use crate::telemetry::tally::Tally;
use pointsman_device::clock::Moment;
use std::fmt;
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
    /// Running it again on the CPU, and comparing.
    Verify,
}

impl Phase {
    /// Every phase, in order.
    pub const ALL: [Phase; 10] = [
        Phase::Plan,
        Phase::Passes,
        Phase::Fuse,
        Phase::Compile,
        Phase::Queue,
        Phase::Bind,
        Phase::CopyIn,
        Phase::Run,
        Phase::CopyOut,
        Phase::Verify,
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
            Phase::Verify => "verify",
        }
    }
}

/// Takes the time of phases.
pub(crate) struct Watch {
    start: Moment,
    last: Moment,
    /// In nanoseconds.
    times: [u64; Phase::ALL.len()],
}

impl Watch {
    pub(crate) fn start() -> Watch {
        let now = Moment::now();
        Watch { start: now, last: now, times: Default::default() }
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

impl Cached {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Cached::Hit => "hit",
            Cached::Miss => "miss",
        }
    }
}

impl fmt::Display for Cached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the compiler decided about a query, the same for all its runs.
#[derive(Clone)]
pub(crate) struct Decided {
    /// The device.
    pub(crate) device: String,
    /// Why this one.
    pub(crate) why: String,
    /// The sink of each stage.
    pub(crate) stages: Vec<&'static str>,
    /// What each stage runs as.
    pub(crate) programs: Vec<String>,
    /// Where the device's answers are counted.
    pub(crate) tally: Arc<Tally>,
}

/// Where the program of each stage came from; `None`: all of them were loaded, and compiled into the query.
pub(crate) type Sources = Option<Arc<[ProgramSource]>>;

/// What really happened when a query ran.
#[derive(Clone)]
pub struct Receipt {
    decided: Arc<Decided>,
    rows_in: usize,
    rows_out: usize,
    bytes_read: u64,
    bytes_written: u64,
    bytes_moved_in: u64,
    bytes_moved_out: u64,
    batches: usize,
    pressure: Pressure,
    plan: Cached,
    sources: Sources,
    start: Moment,
    /// In nanoseconds.
    times: [u64; Phase::ALL.len()],
    attempts: Option<Arc<[Attempt]>>,
    shares: Option<Arc<[Share]>>,
}

/// What one of several devices did of a query that they shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The device.
    pub device: String,
    /// The rows that its kernels read, of all stages.
    pub rows: usize,
    /// The batches that they came in.
    pub batches: usize,
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
    pub(crate) batches: usize,
    pub(crate) pressure: Pressure,
}

impl Receipt {
    pub(crate) fn new(
        (decided, attempts): (Arc<Decided>, Option<Arc<[Attempt]>>),
        (counts, shares): (Counts, Option<Arc<[Share]>>),
        (plan, sources): (Cached, Sources),
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
            batches: counts.batches,
            pressure: counts.pressure,
            plan,
            sources,
            start: watch.start,
            times: watch.times,
            attempts,
            shares,
        }
    }

    /// The device that ran it.
    pub fn device(&self) -> &str {
        &self.decided.device
    }

    /// Where the device's answers are counted.
    pub(crate) fn tally(&self) -> &Tally {
        &self.decided.tally
    }

    /// When the query was asked.
    pub(crate) fn start(&self) -> Moment {
        self.start
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

    /// Batches that ran: one a stage, and more of a stage that the device's memory does not hold at once, or that is so
    /// large that copying some rows while others run takes less time.
    pub fn batches(&self) -> usize {
        self.batches
    }

    /// Whether the query waited for memory that others had reserved on its device.
    pub fn waited_for_memory(&self) -> bool {
        self.pressure.waited
    }

    /// How many resident columns made room for it on its device.
    pub fn columns_evicted(&self) -> u32 {
        self.pressure.evicted
    }

    /// Those of them that [`Session::keep`](crate::Session::keep) had been asked for: the query could not run otherwise.
    pub fn pins_evicted(&self) -> u32 {
        self.pressure.unpinned
    }

    /// What each device did, where several shared the query; else nothing.
    pub fn shares(&self) -> &[Share] {
        self.shares.as_deref().unwrap_or(&[])
    }

    /// Whether the plan had been compiled before.
    pub fn plan_cache(&self) -> Cached {
        self.plan
    }

    /// Whether all programs had been loaded before.
    pub fn program_cache(&self) -> Cached {
        let loaded = self.program_sources().all(|source| source == ProgramSource::Memory);
        if loaded { Cached::Hit } else { Cached::Miss }
    }

    /// Where the program of each stage came from: whether it was loaded, stored, compiled, or being compiled by another.
    pub fn program_sources(&self) -> impl Iterator<Item = ProgramSource> {
        let source = |stage| self.sources.as_ref().map_or(ProgramSource::Memory, |sources| sources[stage]);
        (0..self.stages().len()).map(source)
    }

    /// The time a phase took.
    pub fn time(&self, phase: Phase) -> Duration {
        Duration::from_nanos(self.times[phase as usize])
    }

    /// The time from the call to the result.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.times.iter().sum())
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

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Receipt({self})")
    }
}
