//! [`Receipt`]: what really happened when a query ran. [`Answer`]: a result with its receipt. How a receipt is written:
//! `telemetry/`.

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

/// Whether something came from a cache or had to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cached {
    /// It came from the cache.
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

/// What happened when a query ran: the device and why it was chosen, the time of each phase, rows and bytes, caches, retries.
/// `Display` prints one line, `{:#}` prints everything.
///
/// ```
/// # fn main() -> pointsman::Result<()> {
/// let s = pointsman::Session::open()?;
/// let answer = s.from(&[1.0f32, 2.0]).filter(|x| x.gt(1.0)).run()?;
/// let receipt = answer.receipt();
/// assert_eq!((receipt.device(), receipt.rows_in(), receipt.rows_out()), ("cpu", 2, 1));
/// assert!(receipt.time(pointsman::Phase::Run) <= receipt.total());
/// # Ok(())
/// # }
/// ```
#[doc(alias = "metrics")]
#[doc(alias = "statistics")]
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

/// The part of a shared query that one device did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The device.
    pub device: String,
    /// The rows that its kernels read, in all stages.
    pub rows: usize,
    /// The batches of these rows.
    pub batches: usize,
    /// Why the device was left out of the last stage, if it was.
    pub left_out: Option<SkipReason>,
}

/// Why a device was left out of a query that it could have shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// The query is too short to share. See [`SessionOptions::share_time_min`](crate::SessionOptions::share_time_min).
    TooShort,
    /// The device does not make the others faster.
    NoGain,
    /// The run measures how fast another device is alone.
    Trial,
}

impl SkipReason {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            SkipReason::TooShort => "too short to share",
            SkipReason::NoGain => "no gain",
            SkipReason::Trial => "another is measured alone",
        }
    }
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

    /// The predicted cost of the call on each device, the best first, from what the session knows now. `None` if no device was
    /// selected: the query named one, or there is only one.
    pub fn ranking(&self) -> Option<Ranking> {
        self.bid.as_ref().map(DeviceRanking::ranking)
    }

    /// The time that the selection of the device cost: the time of the run beyond the predicted time of the fastest other
    /// device. `None` if no device was selected, or not by time.
    #[doc(alias = "regret")]
    pub fn lost(&self) -> Option<Duration> {
        let ranking = self.ranking().filter(|ranking| ranking.goal == Goal::Time)?;
        let best = ranking.fastest_but(self.device())?.time();
        Some(self.worked().saturating_sub(Duration::from_nanos(best.clamp(0.0, 1e18) as u64)))
    }

    /// The energy of the run in joules, beyond what the device draws idle. `None` if devices are not selected by energy
    /// ([`Policy::LeastEnergy`](crate::Policy::LeastEnergy)), or the power of the device is unknown.
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
    /// [`Slowdown`](crate::report::Slowdown).
    pub fn slowdown(&self) -> Option<f32> {
        self.slowdown
    }

    /// What the compiler decided.
    pub(crate) fn decided(&self) -> &PlacementInfo {
        &self.decided
    }

    /// The name of the device that ran the query.
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

    /// Why this device ran the query.
    pub fn why(&self) -> &str {
        &self.decided.why
    }

    /// Every failed attempt before the answer, in order, on other devices and on this one.
    pub fn attempts(&self) -> &[FailedAttempt] {
        self.attempts.as_deref().unwrap_or(&[])
    }

    /// The sink of each stage (`store`, `compact`, `reduce`, `scan`); each stage is one kernel.
    pub fn stages(&self) -> &[&'static str] {
        &self.decided.stages
    }

    /// How each stage ran: as machine code, or why not.
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

    /// Bytes that were copied to the device's memory. Devices that work in host memory copy none.
    pub fn bytes_moved_in(&self) -> u64 {
        self.counts.bytes_moved_in
    }

    /// Bytes that were copied out of the device's memory.
    pub fn bytes_moved_out(&self) -> u64 {
        self.counts.bytes_moved_out
    }

    /// The number of batches: one for each stage, and more for a stage that exceeds the memory of the device or the session,
    /// or that is large enough for copies to overlap with computation.
    pub fn batches(&self) -> usize {
        self.counts.batches
    }

    /// Whether the query waited for memory of its device that other queries had reserved.
    pub fn waited_for_memory(&self) -> bool {
        self.counts.pressure.waited
    }

    /// The number of resident columns that were evicted from the device for this query.
    pub fn columns_evicted(&self) -> u32 {
        self.counts.pressure.evicted
    }

    /// The number of evicted columns that [`Session::keep`](crate::Session::keep) had placed there; the query could not run
    /// otherwise.
    pub fn pins_evicted(&self) -> u32 {
        self.counts.pressure.unpinned
    }

    /// Bytes of columns that were spilled to disk.
    pub fn bytes_spilled(&self) -> u64 {
        self.counts.bytes_spilled
    }

    /// The part of each device, if several shared the query; otherwise empty.
    pub fn shares(&self) -> &[Share] {
        self.shares.as_deref().unwrap_or(&[])
    }

    /// Whether the compiled plan came from the cache.
    pub fn plan_cache(&self) -> Cached {
        self.plan
    }

    /// Whether all programs were loaded already.
    pub fn program_cache(&self) -> Cached {
        let loaded = self.program_sources().all(|source| source == ProgramSource::Memory);
        if loaded { Cached::Hit } else { Cached::Miss }
    }

    /// The origin of each stage's program: loaded already, read from disk, compiled, or compiled by another query meanwhile.
    pub fn program_sources(&self) -> impl Iterator<Item = ProgramSource> {
        let source = |stage| self.sources.as_ref().map_or(ProgramSource::Memory, |sources| sources[stage]);
        (0..self.stages().len()).map(source)
    }

    /// The duration of a phase.
    pub fn time(&self, phase: Phase) -> Duration {
        Duration::from_nanos(self.times[phase as usize])
    }

    /// The time from the call to the result.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.times.iter().sum())
    }
}

/// The result of a run, with its [`Receipt`]. Derefs to the result.
#[derive(Clone)]
pub struct Answer<T> {
    value: T,
    receipt: Receipt,
}

impl<T> Answer<T> {
    pub(crate) fn new(value: T, receipt: Receipt) -> Answer<T> {
        Answer { value, receipt }
    }

    /// What happened when the query ran.
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// The result without the receipt.
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
