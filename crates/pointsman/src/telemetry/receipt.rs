//! [`Receipt`]: what really happened when a query ran. [`Answer`]: a result with its receipt. How a receipt is written:
//! `telemetry/`.

pub use crate::instrument::left_out::LeftOut;

use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::programs::ProgramSource;
use crate::resilience::attempt_log::FailedAttempt;
use crate::select::{Goal, Ranking};
use crate::session::bid::DeviceRanking;
use crate::telemetry::device_counters::DeviceCounters;
use crate::telemetry::trend::Trend;
use pointsman_device::clock::Moment;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

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
pub(crate) struct PlacementInfo {
    /// The device.
    pub(crate) device: String,
    /// Why this one.
    pub(crate) why: String,
    /// The sink of each stage.
    pub(crate) stages: Vec<&'static str>,
    /// What each stage runs as.
    pub(crate) programs: Vec<String>,
    /// Where the device's answers are counted.
    pub(crate) tally: Arc<DeviceCounters>,
    /// How long its runs take.
    pub(crate) trend: Arc<Trend>,
    /// Operations for each row of the source.
    pub(crate) operations_per_row: f64,
}

/// Where the program of each stage came from; `None`: all of them were loaded, and compiled into the query.
pub(crate) type ProgramSources = Option<Arc<[ProgramSource]>>;

/// What really happened when a query ran.
#[derive(Clone)]
pub struct Receipt {
    decided: Arc<PlacementInfo>,
    counts: RunCounters,
    plan: Cached,
    sources: ProgramSources,
    start: Moment,
    /// In nanoseconds.
    times: [u64; Phase::ALL.len()],
    attempts: Option<Arc<[FailedAttempt]>>,
    /// How many times as long as usual its device takes, if it has turned slow.
    slowdown: Option<f32>,
    shares: Option<Arc<[Share]>>,
    /// `None` where nothing was chosen.
    bid: Option<DeviceRanking>,
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
    /// Why it was left out of the last stage, where it was, although it could have taken part.
    pub left_out: Option<LeftOut>,
}

impl Receipt {
    pub(crate) fn new(
        (decided, attempts): (Arc<PlacementInfo>, Option<Arc<[FailedAttempt]>>),
        (counts, shares): (&RunCounters, Option<Arc<[Share]>>),
        (plan, sources): (Cached, ProgramSources),
        watch: &PhaseTimer,
        (slowdown, bid): (Option<f32>, Option<DeviceRanking>),
    ) -> Receipt {
        let (start, times) = (watch.start, watch.times);
        Receipt { decided, counts: *counts, plan, sources, start, times, attempts, slowdown, shares, bid }
    }

    /// What each device should take for a call like this, by what is known now, the first choice first; `None` where
    /// nothing was chosen: a device was preferred or required, or there was no other.
    pub fn ranking(&self) -> Option<Ranking> {
        self.bid.as_ref().map(DeviceRanking::ranking)
    }

    /// What was lost by the choice of the device: what the run took more than the fastest of the others should have, by
    /// what is known now. `None` where nothing was chosen, or not by time.
    pub fn lost(&self) -> Option<Duration> {
        let ranking = self.ranking().filter(|ranking| ranking.goal == Goal::Time)?;
        let best = ranking.fastest_but(self.device())?.time();
        Some(self.worked().saturating_sub(Duration::from_nanos(best.clamp(0.0, 1e18) as u64)))
    }

    /// The energy of the run in joules, as the device draws watts beyond those it draws idle. `None` where devices are not
    /// chosen by energy ([`Policy::LeastEnergy`](crate::Policy::LeastEnergy)), or nobody knows what this one draws.
    pub fn joules(&self) -> Option<f64> {
        let ranking = self.ranking()?;
        let own = ranking.predictions.iter().find(|one| one.device == self.device())?;
        own.watts.map(|watts| watts * self.worked().as_secs_f64())
    }

    /// How long the device worked.
    pub(crate) fn worked(&self) -> Duration {
        self.time(Phase::Run) + self.time(Phase::CopyIn) + self.time(Phase::CopyOut)
    }

    /// How many times as long as usual the last runs took, if the device has turned slow at this query. See
    /// [`Slowdown`](crate::Slowdown).
    pub fn slowdown(&self) -> Option<f32> {
        self.slowdown
    }

    /// What the compiler decided.
    pub(crate) fn decided(&self) -> &PlacementInfo {
        &self.decided
    }

    /// The device that ran it.
    pub fn device(&self) -> &str {
        &self.decided.device
    }

    /// Where the device's answers are counted.
    pub(crate) fn tally(&self) -> &DeviceCounters {
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
    pub fn attempts(&self) -> &[FailedAttempt] {
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
        self.counts.rows_in
    }

    /// Rows of the result.
    pub fn rows_out(&self) -> usize {
        self.counts.rows_out
    }

    /// Bytes that kernels read: every input column and captured table of every stage, once.
    pub fn bytes_read(&self) -> u64 {
        self.counts.bytes_read
    }

    /// Bytes that kernels wrote.
    pub fn bytes_written(&self) -> u64 {
        self.counts.bytes_written
    }

    /// Bytes that were copied into the device's memory: none where it works in the host's.
    pub fn bytes_moved_in(&self) -> u64 {
        self.counts.bytes_moved_in
    }

    /// Bytes that were copied out of the device's memory.
    pub fn bytes_moved_out(&self) -> u64 {
        self.counts.bytes_moved_out
    }

    /// Batches that ran: one a stage, and more of a stage that memory, the device's or the session's, does not hold at
    /// once, or that is so large that copying some rows while others run takes less time.
    pub fn batches(&self) -> usize {
        self.counts.batches
    }

    /// Whether the query waited for memory that others had reserved on its device.
    pub fn waited_for_memory(&self) -> bool {
        self.counts.pressure.waited
    }

    /// How many resident columns made room for it on its device.
    pub fn columns_evicted(&self) -> u32 {
        self.counts.pressure.evicted
    }

    /// Those of them that [`Session::keep`](crate::Session::keep) had been asked for: the query could not run otherwise.
    pub fn pins_evicted(&self) -> u32 {
        self.counts.pressure.unpinned
    }

    /// Bytes of columns that went to the disk, because the session's memory did not hold them.
    pub fn bytes_spilled(&self) -> u64 {
        self.counts.bytes_spilled
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
