//! [`Receipt`]: what happened when a query ran. [`Answer`]: a result with its receipt. `line.rs` and `receipt_json.rs`
//! print receipts.

use crate::data::column::Column;
use crate::data::element::Element;
use crate::error::{CallSite, FailedAttempt};
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::Phase;
use crate::instrument::skip_reason::SkipReason;
use crate::programs::ProgramSource;
use crate::select::estimator::{Goal, RankReason, Ranking, Size};
use crate::telemetry::device_counters::DeviceCounters;
use crate::telemetry::trend::Trend;
use pointsman_device::clock::FastInstant;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

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
    /// The device of each stage of a plan of tables; empty if all stages ran together.
    pub(crate) stage_devices: Vec<String>,
    /// The description of each stage's program.
    pub(crate) programs: Vec<String>,
    /// The counters of the device.
    pub(crate) counters: Arc<DeviceCounters>,
    /// The trend of the query's run times.
    pub(crate) trend: Arc<Trend>,
    /// Operations per source row.
    pub(crate) operations_per_row: f64,
}

impl PlacementInfo {
    /// The device of each stage.
    pub(crate) fn stage_devices(&self) -> impl Iterator<Item = &String> {
        (0..self.stages.len()).map(|stage| self.stage_devices.get(stage).unwrap_or(&self.device))
    }
}

/// Where the program of each stage came from; `None` if all of them were loaded before.
pub(crate) type ProgramSources = Option<Arc<[ProgramSource]>>;

/// A report on the run of a query: the device and why it was chosen, the time of each phase, rows and bytes, caches,
/// retries. `Display` prints one line, `{:#}` prints everything.
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
    pub(crate) info: Arc<PlacementInfo>,
    pub(crate) counts: RunCounters,
    pub(crate) plan: Cached,
    pub(crate) start: FastInstant,
    /// The time of each phase, in nanoseconds.
    pub(crate) times: [u64; Phase::ALL.len()],
    /// `None` if all of them are empty.
    pub(crate) rare: Option<Arc<RareFacts>>,
    /// The predictions behind the choice; `None` if the selector did not choose.
    pub(crate) ranked: Option<PredictionHandle>,
    /// Where the program made the query; `None` until the run is recorded.
    pub(crate) home: Option<CallSite>,
}

const _: () = assert!(size_of::<Answer<usize>>() <= 256, "moving a larger answer takes a loop");

/// Facts that few receipts have, behind one pointer, because every call moves its receipt.
pub(crate) struct RareFacts {
    /// The name of the query.
    pub(crate) name: Option<Arc<str>>,
    pub(crate) sources: ProgramSources,
    pub(crate) attempts: Vec<FailedAttempt>,
    /// The time relative to the usual time, if the device has turned slow.
    pub(crate) slowdown: Option<f32>,
    pub(crate) shares: Option<Arc<[Share]>>,
}

impl RareFacts {
    /// The facts as a receipt holds them; `None` if all of them are empty.
    #[inline]
    pub(crate) fn into_shared(self) -> Option<Arc<RareFacts>> {
        let RareFacts { name, sources, attempts, slowdown, shares } = &self;
        let has_text = name.is_some() || !attempts.is_empty();
        let is_empty = !has_text && sources.is_none() && slowdown.is_none() && shares.is_none();
        (!is_empty).then(|| Arc::new(self))
    }
}

/// Predicts the time of each device for a call.
pub(crate) trait PredictionSource: Send + Sync {
    /// The predicted time of each device for a call of this size over these columns, as of now.
    fn predict(&self, size: Size, columns: u64) -> Ranking;
}

/// A call whose device the selector chose. Predictions are computed on demand.
#[derive(Clone)]
pub(crate) struct PredictionHandle {
    pub(crate) predictions: Arc<dyn PredictionSource>,
    pub(crate) size: Size,
    /// Identifies the call's owned columns; 0 if some are borrowed.
    pub(crate) columns: u64,
    /// Why its device was chosen.
    pub(crate) reason: RankReason,
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
    /// Why it took no part although it could have; `None` if it took part.
    pub left_out: Option<SkipReason>,
}

impl Receipt {
    /// The predicted cost of the call on each device, the best first, from what the session knows now. `None` if no
    /// device was selected: the query named one, or there is only one.
    pub fn ranking(&self) -> Option<Ranking> {
        let ranked = self.ranked.as_ref()?;
        let ranking = ranked.predictions.predict(ranked.size, ranked.columns);
        Some(match ranked.reason {
            // After a failed attempt another device ran the query.
            RankReason::Trial | RankReason::Move if self.attempts().is_empty() => {
                ranking.led_by(self.device(), ranked.reason)
            }
            RankReason::Best | RankReason::Trial | RankReason::Move => ranking,
        })
    }

    /// The time that the selection of the device cost: the time of the run beyond the predicted time of the fastest
    /// other device. `None` if no device was selected, or not by time.
    #[doc(alias = "regret")]
    pub fn lost(&self) -> Option<Duration> {
        let ranking = self.ranking().filter(|ranking| ranking.goal == Goal::Time)?;
        let best = ranking.best_but(self.device())?.time();
        Some(self.busy_time().saturating_sub(Duration::from_nanos(best.clamp(0.0, 1e18) as u64)))
    }

    /// The energy of the run in joules, beyond what the device draws idle. `None` if devices are not selected by energy
    /// ([`Policy::LeastEnergy`](crate::Policy::LeastEnergy)), or the power of the device is unknown.
    pub fn joules(&self) -> Option<f64> {
        let ranking = self.ranking()?;
        let own = ranking.predictions.iter().find(|prediction| prediction.device == self.device())?;
        own.watts.map(|watts| watts * self.busy_time().as_secs_f64())
    }

    /// The time that the device worked.
    pub(crate) fn busy_time(&self) -> Duration {
        self.time(Phase::Run) + self.time(Phase::CopyIn) + self.time(Phase::CopyOut)
    }

    /// The factor by which the last runs took longer than usual, if the device has become slow for this query. See
    /// [`Slowdown`](crate::report::Slowdown).
    pub fn slowdown(&self) -> Option<f32> {
        self.rare.as_ref()?.slowdown
    }

    /// The name that the program gave the query: [`Query::named`](crate::Query::named).
    pub fn name(&self) -> Option<&str> {
        self.rare.as_ref()?.name.as_deref()
    }

    /// The line of the program that made the query.
    pub fn location(&self) -> Option<&'static Location<'static>> {
        self.home
    }

    /// The time of the call, by the system's clock.
    pub fn started(&self) -> SystemTime {
        let since = Duration::from_nanos(FastInstant::now().since(self.start));
        SystemTime::now().checked_sub(since).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// The name of the device that ran the query. Stages of a plan of tables may run on different devices; then the
    /// names are joined by `, `, and [`Receipt::stage_devices`] has that of each stage.
    pub fn device(&self) -> &str {
        &self.info.device
    }

    /// Why this device ran the query.
    pub fn why(&self) -> &str {
        &self.info.why
    }

    /// Every failed attempt before the answer, in order, on other devices and on this one.
    pub fn attempts(&self) -> &[FailedAttempt] {
        self.rare.as_ref().map_or(&[], |rare| &rare.attempts)
    }

    /// The sink of each stage (`store`, `compact`, `reduce`, `scan`, `sort`, `group`, `build`); each stage is one
    /// kernel.
    pub fn stages(&self) -> &[&'static str] {
        &self.info.stages
    }

    /// The device of each stage, in order. Devices that may share a stage are joined by `+`;
    /// [`Receipt::shares`] says what each did.
    pub fn stage_devices(&self) -> impl Iterator<Item = &str> {
        self.info.stage_devices().map(String::as_str)
    }

    /// How each stage ran: as machine code, or why not.
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

    /// Bytes that were copied to the device's memory. Devices that work in host memory copy none.
    pub fn bytes_moved_in(&self) -> u64 {
        self.counts.bytes_moved_in
    }

    /// Returns the bytes copied out of device memory.
    pub fn bytes_moved_out(&self) -> u64 {
        self.counts.bytes_moved_out
    }

    /// The number of batches: one for each stage, and more for a stage that exceeds the memory of the device or the
    /// session, or that is large enough for copies to overlap with computation.
    pub fn batches(&self) -> usize {
        self.counts.batches()
    }

    /// The number of launches that continued at the first row that the launch before had no room for. Groups and joins
    /// whose number of rows is not known beforehand run in such launches.
    pub fn resumes(&self) -> usize {
        self.counts.resumes as usize
    }

    /// The number of launches that merged partial results of sorts and groups.
    pub fn merges(&self) -> usize {
        self.counts.merges as usize
    }

    /// Whether the query waited for memory of its device that other queries had reserved.
    pub fn waited_for_memory(&self) -> bool {
        self.counts.pressure.waited
    }

    /// The number of resident columns that were evicted from the device for this query.
    pub fn columns_evicted(&self) -> u32 {
        self.counts.pressure.evicted
    }

    /// The number of evicted columns that [`Session::keep`](crate::Session::keep) had placed there; the query could not
    /// run otherwise.
    pub fn pins_evicted(&self) -> u32 {
        self.counts.pressure.pins_evicted
    }

    /// Bytes of columns that were spilled to disk.
    pub fn bytes_spilled(&self) -> u64 {
        self.counts.bytes_spilled
    }

    /// The part of each device, if several shared the query; otherwise empty.
    pub fn shares(&self) -> &[Share] {
        self.rare.as_ref().and_then(|rare| rare.shares.as_deref()).unwrap_or(&[])
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

    /// The origin of each stage's program: loaded already, read from disk, compiled, or compiled by another query
    /// meanwhile.
    pub fn program_sources(&self) -> impl Iterator<Item = ProgramSource> {
        let sources = self.rare.as_ref().and_then(|rare| rare.sources.as_deref());
        let source = move |stage| sources.map_or(ProgramSource::Memory, |sources| sources[stage]);
        (0..self.stages().len()).map(source)
    }

    /// The duration of a phase.
    pub fn time(&self, phase: Phase) -> Duration {
        Duration::from_nanos(self.times[phase as usize])
    }

    /// Returns the time from the call to the result.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.times.iter().sum())
    }
}

/// The result of a run, with its [`Receipt`]. Derefs to the result; a loop over `&answer` runs over its values.
///
/// ```
/// # fn main() -> pointsman::Result<()> {
/// let s = pointsman::Session::open()?;
/// let answer = s.from(&[1, 2, 3]).map(|x| x * 10).run()?;
/// for value in &answer {
///     assert_eq!(value % 10, 0);
/// }
/// assert_eq!(answer.iter().max(), Some(&30));
/// let values: Vec<i32> = answer.into();
/// assert_eq!(values, [10, 20, 30]);
/// # Ok(())
/// # }
/// ```
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

    /// Returns the result and the receipt.
    pub fn into_parts(self) -> (T, Receipt) {
        (self.value, self.receipt)
    }
}

impl<'a, T> IntoIterator for &'a Answer<T>
where
    &'a T: IntoIterator,
{
    type Item = <&'a T as IntoIterator>::Item;
    type IntoIter = <&'a T as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.value.into_iter()
    }
}

impl<T: Element> From<Answer<Column<T>>> for Vec<T> {
    /// The values; null slots are zero.
    fn from(answer: Answer<Column<T>>) -> Vec<T> {
        answer.value.into()
    }
}

impl<T: Element> From<Answer<Column<T>>> for Vec<Option<T>> {
    fn from(answer: Answer<Column<T>>) -> Vec<Option<T>> {
        answer.value.into()
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
