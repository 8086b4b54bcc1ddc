//! [`Receipt`]: what happened when a query ran. [`Answer`]: a result with its receipt. `line.rs` and `machine.rs` print
//! receipts.

use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::programs::ProgramSource;
use crate::resilience::attempt_log::FailedAttempt;
use crate::select::{Goal, Ranking, Size};
use crate::telemetry::device_counters::DeviceCounters;
use crate::telemetry::trend::Trend;
use pointsman_device::clock::FastInstant;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

/// Whether a cache had an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cached {
    /// The cache had the entry.
    Hit,
    /// The entry had to be created.
    Miss,
}

impl Cached {
    /// The name, as it appears in text and JSON.
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

/// The placement of a compiled query; the same for all its runs.
#[derive(Clone)]
pub(crate) struct PlacementInfo {
    /// The name of the device.
    pub(crate) device: String,
    /// Why this device was chosen.
    pub(crate) why: String,
    /// The sink of each stage.
    pub(crate) stages: Vec<&'static str>,
    /// The description of each stage's program.
    pub(crate) programs: Vec<String>,
    /// The counters of the device.
    pub(crate) counters: Arc<DeviceCounters>,
    /// The trend of the query's run times.
    pub(crate) trend: Arc<Trend>,
    /// Operations per source row.
    pub(crate) operations_per_row: f64,
}

/// Where the program of each stage came from; `None` if all of them were loaded before.
pub(crate) type ProgramSources = Option<Arc<[ProgramSource]>>;

/// What happened when a query ran: device, times, bytes, batches, cache hits, failed attempts. `Display` prints it as
/// text (`{}` one line, `{:#}` everything), [`Receipt::to_json`] returns JSON.
#[derive(Clone)]
pub struct Receipt {
    info: Arc<PlacementInfo>,
    counts: RunCounters,
    plan: Cached,
    sources: ProgramSources,
    start: FastInstant,
    /// The time of each phase, in nanoseconds.
    times: [u64; Phase::ALL.len()],
    attempts: Option<Arc<[FailedAttempt]>>,
    /// The time relative to the usual time, if the device has turned slow.
    slowdown: Option<f32>,
    shares: Option<Arc<[Share]>>,
    /// The predictions behind the choice; `None` if the selector did not choose.
    ranked: Option<RankedCall>,
}

/// Predicts the time of each device for a call.
pub(crate) trait PredictionSource: Send + Sync {
    /// The predicted time of each device for a call of this size, as of now.
    fn predict(&self, size: Size) -> Ranking;
}

/// A call whose device the selector chose. Predictions are made when they are asked for.
#[derive(Clone)]
pub(crate) struct RankedCall {
    pub(crate) predictions: Arc<dyn PredictionSource>,
    pub(crate) size: Size,
}

/// Everything that a receipt is made of.
pub(crate) struct ReceiptParts<'p> {
    pub(crate) info: Arc<PlacementInfo>,
    pub(crate) attempts: Option<Arc<[FailedAttempt]>>,
    pub(crate) counters: &'p RunCounters,
    pub(crate) shares: Option<Arc<[Share]>>,
    pub(crate) plan: Cached,
    pub(crate) sources: ProgramSources,
    pub(crate) timer: &'p PhaseTimer,
    pub(crate) slowdown: Option<f32>,
    pub(crate) ranked: Option<RankedCall>,
}

/// The work of one device of a query that several devices shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The name of the device.
    pub device: String,
    /// The rows that its kernels read in all stages.
    pub rows: usize,
    /// The number of batches that it ran.
    pub batches: usize,
    /// Why it took no part in the last stage although it could have; `None` if it took part.
    pub left_out: Option<LeftOut>,
}

/// Why a device that could share a query was left out of it, or of its last stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeftOut {
    /// The query takes too little time to share it: see [`Options::share_time_min`](crate::Options::share_time_min).
    TooShort,
    /// The query is not faster with this device than without it.
    NoGain,
    /// This run measures the speed of another device alone.
    Trial,
}

impl LeftOut {
    /// The name, as it appears in text and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            LeftOut::TooShort => "too short to share",
            LeftOut::NoGain => "no gain",
            LeftOut::Trial => "another is measured alone",
        }
    }
}

impl Receipt {
    pub(crate) fn new(parts: ReceiptParts<'_>) -> Receipt {
        let ReceiptParts { info, attempts, counters, shares, plan, sources, timer, slowdown, ranked } = parts;
        let (start, times) = (timer.start, timer.times);
        Receipt { info, counts: *counters, plan, sources, start, times, attempts, slowdown, shares, ranked }
    }

    /// Returns the predicted time of each device for a call like this, by the current knowledge, the first choice
    /// first; `None` if there was no choice: a device was preferred or required, or there is no other.
    pub fn ranking(&self) -> Option<Ranking> {
        self.ranked.as_ref().map(|ranked| ranked.predictions.predict(ranked.size))
    }

    /// Returns the time lost by the choice of the device: how much longer the run took than the prediction for the
    /// fastest other device, by the current knowledge. `None` if there was no choice, or devices are not chosen by
    /// time.
    pub fn lost(&self) -> Option<Duration> {
        let ranking = self.ranking().filter(|ranking| ranking.goal == Goal::Time)?;
        let best = ranking.fastest_but(self.device())?.time();
        Some(self.busy_time().saturating_sub(Duration::from_nanos(best.clamp(0.0, 1e18) as u64)))
    }

    /// Returns the energy of the run in joules, beyond what the device draws idle. `None` if devices are not chosen by
    /// energy ([`Policy::LeastEnergy`](crate::Policy::LeastEnergy)), or the power of this device is unknown.
    pub fn joules(&self) -> Option<f64> {
        let ranking = self.ranking()?;
        let own = ranking.predictions.iter().find(|prediction| prediction.device == self.device())?;
        own.watts.map(|watts| watts * self.busy_time().as_secs_f64())
    }

    /// The time that the device worked.
    pub(crate) fn busy_time(&self) -> Duration {
        self.time(Phase::Run) + self.time(Phase::CopyIn) + self.time(Phase::CopyOut)
    }

    /// If the device has turned slow at this query, returns the time of the last runs relative to the usual time. See
    /// [`Slowdown`](crate::Slowdown).
    pub fn slowdown(&self) -> Option<f32> {
        self.slowdown
    }

    /// The placement of the compiled query.
    pub(crate) fn info(&self) -> &PlacementInfo {
        &self.info
    }

    /// Returns the name of the device that ran the query; names of several devices are joined by `+`.
    pub fn device(&self) -> &str {
        &self.info.device
    }

    /// The counters of the device.
    pub(crate) fn counters(&self) -> &DeviceCounters {
        &self.info.counters
    }

    /// The moment of the call.
    pub(crate) fn start(&self) -> FastInstant {
        self.start
    }

    /// Returns why this device ran the query.
    pub fn why(&self) -> &str {
        &self.info.why
    }

    /// Returns the attempts that failed before the answer, in order, on other devices and on this one.
    pub fn attempts(&self) -> &[FailedAttempt] {
        self.attempts.as_deref().unwrap_or(&[])
    }

    /// Returns the sink of each stage; each stage ran as one kernel.
    pub fn stages(&self) -> &[&'static str] {
        &self.info.stages
    }

    /// Describes the program of each stage: machine code, or why there is none.
    pub fn programs(&self) -> &[String] {
        &self.info.programs
    }

    /// Returns the number of source rows.
    pub fn rows_in(&self) -> usize {
        self.counts.rows_in
    }

    /// Returns the number of result rows.
    pub fn rows_out(&self) -> usize {
        self.counts.rows_out
    }

    /// Returns the bytes that kernels read: every input column and captured table of every stage, once.
    pub fn bytes_read(&self) -> u64 {
        self.counts.bytes_read
    }

    /// Returns the bytes that kernels wrote.
    pub fn bytes_written(&self) -> u64 {
        self.counts.bytes_written
    }

    /// Returns the bytes copied into device memory; 0 if the device works in host memory.
    pub fn bytes_moved_in(&self) -> u64 {
        self.counts.bytes_moved_in
    }

    /// Returns the bytes copied out of device memory.
    pub fn bytes_moved_out(&self) -> u64 {
        self.counts.bytes_moved_out
    }

    /// Returns the number of batches that ran: one per stage, and more for a stage that does not fit into the memory of
    /// the device or the session, or that is so large that copying some rows while others run saves time.
    pub fn batches(&self) -> usize {
        self.counts.batches
    }

    /// Whether the query waited for device memory that other queries had reserved.
    pub fn waited_for_memory(&self) -> bool {
        self.counts.pressure.waited
    }

    /// Returns the number of resident columns that were evicted from the device for this query.
    pub fn columns_evicted(&self) -> u32 {
        self.counts.pressure.evicted
    }

    /// Returns how many of the evicted columns were pinned by [`Session::keep`](crate::Session::keep): the query could
    /// not run otherwise.
    pub fn pins_evicted(&self) -> u32 {
        self.counts.pressure.unpinned
    }

    /// Returns the bytes of columns written to disk because they did not fit into the session's memory.
    pub fn bytes_spilled(&self) -> u64 {
        self.counts.bytes_spilled
    }

    /// Returns the work of each device if several shared the query; otherwise an empty slice.
    pub fn shares(&self) -> &[Share] {
        self.shares.as_deref().unwrap_or(&[])
    }

    /// Whether the session had compiled this plan before.
    pub fn plan_cache(&self) -> Cached {
        self.plan
    }

    /// Whether all programs were loaded before.
    pub fn program_cache(&self) -> Cached {
        let loaded = self.program_sources().all(|source| source == ProgramSource::Memory);
        if loaded { Cached::Hit } else { Cached::Miss }
    }

    /// Returns where the program of each stage came from: memory, disk, the compiler, or another query's compilation.
    pub fn program_sources(&self) -> impl Iterator<Item = ProgramSource> {
        let source = |stage| self.sources.as_ref().map_or(ProgramSource::Memory, |sources| sources[stage]);
        (0..self.stages().len()).map(source)
    }

    /// Returns the time of a phase.
    pub fn time(&self, phase: Phase) -> Duration {
        Duration::from_nanos(self.times[phase as usize])
    }

    /// Returns the time from the call to the result.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.times.iter().sum())
    }
}

/// A result with the receipt of its run. Derefs to the result.
#[derive(Clone)]
pub struct Answer<T> {
    value: T,
    receipt: Receipt,
}

impl<T> Answer<T> {
    pub(crate) fn new(value: T, receipt: Receipt) -> Answer<T> {
        Answer { value, receipt }
    }

    /// Returns the receipt.
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// Returns the result without the receipt.
    pub fn into_value(self) -> T {
        self.value
    }

    /// Returns the result and the receipt.
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
