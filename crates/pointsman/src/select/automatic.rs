//! Queries that name no device: every eligible device ([`AutomaticCandidates`]), and the selector's order of them for
//! one call ([`DeviceRanking`]).

use super::calibration::ThreadControl;
use super::candidates::{PlacementCursor, SelectionInput, Timing};
use super::estimator::{
    ArmSet, Goal, KernelStats, Observation, Parts, Prediction, Rank, RankReason, Ranking, Residency, Selector, Size,
    column_set,
};
use super::placement::Placement;
use crate::data::input::Input;
use crate::devices::handle::{DeviceHandle, PendingRuns, RunCost};
use crate::programs::Programs;
use crate::resilience::clock::Clock;
use crate::telemetry::receipt::{PredictionHandle, PredictionSource};
use pointsman_device::host::HostChunk;
use pointsman_ir::kernel::Kernel;
use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Columns of fewer rows are not checked for page-locked memory: devices stage copies of that size anyway.
const LOCKED_ROWS_MIN: usize = 1 << 16;

/// The first calls of a size that take at least this many nanoseconds are learned from before they return: the next
/// call may come before the background thread has learned, and may move columns or change the device.
const LEARNED_AT_ONCE_MIN: u64 = 50_000;

/// While a device compiles a query in the background, one in this many calls asks whether it is done. Longer calls than
/// `ASKED_TIME` nanoseconds always ask: it costs them nothing.
const ASKED_CALLS: u32 = 16;
const ASKED_TIME: f64 = 1e6;

/// A call waits for a device to compile if every other device would take at least `WAIT_GAIN` times as long as
/// compiling and running there. It waits at most `1 / WAIT_GAIN` of the fastest other device's time.
const WAIT_GAIN: f64 = 2.0;

/// A query as the selector knows it, with a placement for each device. The selector ranks only eligible ones.
pub(super) struct AutomaticCandidates {
    pub(super) selector: Selector,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) kernel: Arc<KernelStats>,
    /// Indexed by the selector's number of the device (its arm).
    pub(super) placements: Vec<Placement>,
    pub(super) kernels: Vec<Kernel>,
    /// The predicted time of a row on the CPU, in nanoseconds.
    pub(super) cpu_row_time: f64,
    pub(super) calibration: Arc<ThreadControl>,
    /// The session's programs. Weak: they live as long as the session.
    pub(super) programs: Weak<Programs>,
}

impl AutomaticCandidates {
    /// The selector's ranking of devices for a call. Excluded devices that would come first come last.
    #[inline]
    pub(super) fn rank(self: &Arc<Self>, call: &SelectionInput<'_>) -> DeviceRanking {
        let size = self.size_of(call);
        let mut passed_over = ArmSet::NONE;
        let best = loop {
            let rank = self.selector.rank(&self.kernel, size, passed_over);
            let arm = rank.first();
            if passed_over.has(arm) || !self.is_unready(arm, size) {
                break rank;
            }
            passed_over = passed_over.with(arm);
        };
        let is_busy = !self.placements[best.first()].handle.pending.is_empty();
        let rank =
            if is_busy && self.selector.learns() { self.rank_with_queues(size, best, passed_over) } else { best };
        let (devices, pending) = (self.clone(), Cell::new(None));
        let mut ranking = DeviceRanking { devices, size, rank, passed_over, columns: 0, copies: false, pending };
        if size.owned {
            self.consider_moving(&mut ranking, call);
        }
        if rank.is_long() && self.selector.learns() {
            ranking.pending.set(Some(self.pending_run(size, ranking.rank.first())));
        }
        ranking
    }

    /// Counts a run on a device as pending there.
    fn pending_run(&self, size: Size, arm: usize) -> Box<PendingRun> {
        let (pending, time) = (self.placements[arm].handle.pending.clone(), self.predicted_time(size, arm));
        pending.add(time);
        Box::new(PendingRun { pending, time })
    }

    fn predicted_time(&self, size: Size, arm: usize) -> RunCost {
        let Parts { launch, transfer, run } = self.selector.predicted(&self.kernel, size, arm);
        let [transfer, compute] = [transfer, launch + run].map(|part| part.min(1e15) as u64);
        RunCost { transfer, compute }
    }

    /// Whether a device other than the CPU is excluded, or still compiles the query.
    #[inline]
    fn is_unready(&self, arm: usize, size: Size) -> bool {
        arm != 0 && (self.is_excluded(arm) || self.is_compiling(arm, size))
    }

    fn is_excluded(&self, arm: usize) -> bool {
        self.placements[arm].is_excluded(&*self.clock)
    }

    /// Whether a device was found compiling the query in the background, and it is too early to ask again.
    #[inline]
    fn is_compiling(&self, arm: usize, size: Size) -> bool {
        let passed = &self.placements[arm].passed_while_compiling;
        let is_short = self.cpu_row_time * (size.rows as f64) < ASKED_TIME;
        self.placements[arm].loaded().is_none()
            && is_short
            && passed.load(Ordering::Relaxed) > 0
            && !passed.fetch_add(1, Ordering::Relaxed).is_multiple_of(ASKED_CALLS)
    }

    /// Starts to compile the query for a device in the background. If too many compilations run, the next call tries
    /// again.
    fn compile_ahead(&self, arm: usize) {
        let placement = &self.placements[arm];
        if placement.passed_while_compiling.load(Ordering::Relaxed) == 0
            && self.compile_time(arm) > 0.0
            && let Some(programs) = self.programs.upgrade()
            && self.kernels.iter().all(|kernel| programs.start(kernel, &placement.handle.device))
        {
            placement.passed_while_compiling.fetch_max(1, Ordering::Relaxed);
        }
    }

    /// Charges a call over owned columns to the accounts of the devices that lack them; the call moves the columns if
    /// an account pays for it.
    fn consider_moving(&self, ranking: &mut DeviceRanking, call: &SelectionInput<'_>) {
        let (size, rank) = (ranking.size, ranking.rank);
        ranking.columns = columns_of(call.inputs);
        self.kernel.reuse.count(ranking.columns);
        if rank.may_move() && rank.reason() == RankReason::Best {
            let missing = |arm: usize| {
                let columns = self.missing_columns(arm, call).filter(|_| !self.is_excluded(arm))?;
                self.compile_ahead(arm);
                Some(columns)
            };
            let moving = self.selector.rank_with_moves(&self.kernel, size, rank, missing);
            if moving.reason() == RankReason::Move && self.compile_time(moving.first()) == 0.0 {
                ranking.rank = moving;
            }
        }
        let first = ranking.rank.first();
        ranking.copies = size.residency.missing(first) > 0.0 && self.missing_columns(first, call).is_some();
    }

    /// The owned columns of a call that a device lacks; `None` if it has all of them, or cannot keep them.
    fn missing_columns(&self, arm: usize, call: &SelectionInput<'_>) -> Option<Vec<u64>> {
        let residency = self.placements.get(arm)?.handle.residency.as_ref()?;
        let is_missing = |input: &&Input<'_>| input.identity().is_some_and(|identity| !residency.has(identity));
        if call.inputs.iter().any(|input| is_missing(&input) && !input.may_stay()) {
            return None;
        }
        let missing = || call.inputs.iter().filter(is_missing);
        let bytes: u64 = missing().map(Input::bytes).sum();
        (bytes > 0 && residency.may_keep(bytes)).then(|| missing().filter_map(column_id).collect())
    }

    /// Puts the device first that would finish first, after the runs in progress on each.
    #[cold]
    fn rank_with_queues(&self, size: Size, rank: Rank, passed_over: ArmSet) -> Rank {
        // Waiting draws no power, and a trial measures one device.
        if self.selector.goal() == Goal::Energy || rank.reason() != RankReason::Best {
            return rank;
        }
        let time = |arm: usize| {
            let alone = self.predicted_time(size, arm);
            alone.transfer + alone.compute + self.placements[arm].handle.delay(alone)
        };
        let open = rank.arms().filter(|&arm| !passed_over.has(arm) && !self.is_unready(arm, size));
        let first = open.min_by_key(|&arm| time(arm));
        first.filter(|&first| first != rank.first()).map_or(rank, |first| rank.led_by(first, RankReason::Best))
    }

    /// The predicted time to compile the query for a device, in nanoseconds; 0 once its programs are loaded.
    fn compile_time(&self, arm: usize) -> f64 {
        let placement = &self.placements[arm];
        if placement.loaded().is_some() {
            return 0.0;
        }
        let programs = self.programs.upgrade();
        let is_loaded =
            |kernel: &&Kernel| programs.as_ref().is_some_and(|all| all.has(kernel, &*placement.handle.device));
        let missing = self.kernels.iter().filter(|kernel| !is_loaded(kernel)).count();
        self.selector.profile(arm).map_or(0.0, |profile| profile.compile * missing as f64)
    }

    /// Records a run on a device that the query asked for, if the selector can learn from it.
    pub(super) fn observe_requested(&self, handle: &Arc<DeviceHandle>, call: &SelectionInput<'_>, timing: Timing) {
        let own = self.placements.iter().position(|own| Arc::ptr_eq(&own.handle, handle));
        let Some(arm) = own.filter(|arm| self.kernel.devices().has(*arm)) else { return };
        let size = self.size_of(call);
        let rank = self.selector.settled(&self.kernel, size, ArmSet::NONE);
        let is_first = rank.first() == arm;
        if !timing.is_first && (!is_first || rank.is_sampled(timing.random_bits)) {
            let stands_for = if is_first { rank.stands_for() } else { 1 };
            self.observe(size, arm, RankReason::Best, stands_for, timing);
        }
    }

    #[cold]
    fn observe(&self, size: Size, arm: usize, reason: RankReason, stands_for: u32, timing: Timing) {
        // Compilers and calibration take processor time, which makes runs slower.
        let is_compiling = self.programs.upgrade().is_some_and(|programs| programs.is_compiling());
        let is_disturbed = is_compiling || self.calibration.is_slice_running.load(Ordering::Relaxed);
        self.selector.set_disturbed(is_disturbed);
        let observation = Observation {
            kernel: self.kernel.clone(),
            size,
            arm,
            nanoseconds: Some(timing.nanoseconds as f64),
            stands_for,
            output: Some((timing.rows_out as f64 * self.kernel.workload().output_row_bytes) as u64),
            reason,
            is_contended: timing.contended || is_disturbed,
            is_first: timing.is_first,
        };
        match stands_for == 1 && timing.nanoseconds >= LEARNED_AT_ONCE_MIN {
            true => self.selector.observe_at_once(&observation),
            false => self.selector.observe(observation),
        }
    }

    /// The rows of a call, and where its columns are.
    #[inline]
    pub(super) fn size_of(&self, call: &SelectionInput<'_>) -> Size {
        let size = Size::host(call.rows as u64);
        let size = call.expected.map_or(size, |expected| self.kernel.workload().expecting(size, expected));
        if call.rows >= LOCKED_ROWS_MIN || call.inputs.iter().any(|input| input.identity().is_some()) {
            self.with_residency(call.inputs, size)
        } else {
            size
        }
    }

    /// Adds to a size the part of the columns that each device lacks, and where they lie in host memory.
    #[cold]
    fn with_residency(&self, inputs: &[Input<'_>], size: Size) -> Size {
        let all = inputs.iter().map(Input::bytes).sum::<u64>() as f64;
        let (mut residency, mut locked) = (Residency::HOST, false);
        for (arm, Placement { handle, .. }) in self.placements.iter().enumerate() {
            let Some(own) = handle.residency.as_ref().filter(|_| self.kernel.devices().has(arm)) else { continue };
            let is_resident = |input: &&Input<'_>| input.identity().is_some_and(|identity| own.has(identity));
            let resident = inputs.iter().filter(is_resident).map(Input::bytes).sum::<u64>() as f64;
            residency = residency.with(arm, 1.0 - resident / all.max(1.0));
            let mut missing = inputs.iter().filter(|input| !is_resident(input)).peekable();
            locked |= missing.peek().is_some() && missing.all(|input| copies_directly(handle, input));
        }
        let owned = !inputs.is_empty() && inputs.iter().all(Input::may_stay);
        Size { residency, locked, owned, ..size }
    }
}

impl PredictionSource for AutomaticCandidates {
    /// The current prediction of each device's time for a call, and why some devices are excluded.
    fn predict(&self, size: Size, columns: u64) -> Ranking {
        let excluded = (0..self.placements.len()).filter(|&arm| self.is_excluded(arm)).fold(ArmSet::NONE, ArmSet::with);
        let mut ranking = self.selector.explain_with_accounts(&self.kernel, size, excluded, columns);
        for one in &mut ranking.predictions {
            let found = self.placements.iter().position(|placement| placement.device() == one.device);
            let Some(arm) = found else { continue };
            one.compile = self.compile_time(arm);
            one.why_closed = if one.is_closed { self.placements[arm].why_excluded(&*self.clock) } else { None };
        }
        ranking
    }
}

/// A run in progress, counted until it is dropped.
struct PendingRun {
    pending: Arc<PendingRuns>,
    time: RunCost,
}

impl Drop for PendingRun {
    fn drop(&mut self) {
        self.pending.remove(self.time);
    }
}

/// The selector's order of devices for one call of a query that names none.
pub(super) struct DeviceRanking {
    devices: Arc<AutomaticCandidates>,
    size: Size,
    rank: Rank,
    /// Devices that would have come first but are excluded.
    passed_over: ArmSet,
    /// Identifies the call's columns, if all of them are owned.
    columns: u64,
    /// Whether the run on the first device copies owned columns and keeps them there.
    copies: bool,
    /// The current run, if it is long enough for other callers to avoid. Boxed, because every call moves this struct.
    pending: Cell<Option<Box<PendingRun>>>,
}

impl DeviceRanking {
    #[inline]
    pub(super) fn placement(&self, position: usize) -> Option<&Placement> {
        self.devices.placements.get(self.rank.nth(position)?)
    }

    /// Counts the run of the device at a position as pending, in place of the one before it.
    pub(super) fn move_pending(&self, position: usize) {
        let counted = self.pending.take().and(self.rank.nth(position));
        self.pending.set(counted.map(|arm| self.devices.pending_run(self.size, arm)));
    }

    /// Records the run of the device at a position, if the selector learns from it.
    #[inline]
    pub(super) fn observe(&self, position: usize, timing: Timing) {
        let (reason, stands_for) = match position {
            0 if self.rank.is_sampled(timing.random_bits) => (self.rank.reason(), self.rank.stands_for()),
            0 if self.rank.is_unusual(timing.nanoseconds) => (self.rank.reason(), 0),
            0 => return,
            _ => (RankReason::Best, 1),
        };
        if let Some(arm) = self.rank.nth(position) {
            self.devices.observe(self.size, arm, reason, stands_for, timing);
        }
    }

    /// Why the device with the best prediction was passed over.
    #[cold]
    fn why_passed_over(&self) -> Option<String> {
        let should = match self.devices.selector.goal() {
            Goal::Time => "finish first",
            Goal::Energy => "take the least energy",
        };
        self.passed_over.arms().find_map(|arm| {
            let placement = &self.devices.placements[arm];
            let why = placement.why_excluded(&*self.devices.clock)?;
            Some(format!("`{}` should {should}, but {why}", placement.device()))
        })
    }
}

impl PlacementCursor<'_> {
    /// Why the device with the best prediction was not tried; `None` if it was.
    #[inline]
    pub(crate) fn why_passed_over(&self) -> Option<String> {
        self.automatic.as_ref().filter(|one| one.passed_over != ArmSet::NONE)?.why_passed_over()
    }

    /// Closes the accounts of the columns that the current placement has copied.
    #[inline]
    pub(crate) fn close_accounts(&self) {
        if let Some(automatic) = self.automatic.as_ref().filter(|one| one.copies && self.position.get() == 0) {
            let columns: Vec<u64> = self.call.inputs.iter().filter_map(column_id).collect();
            automatic.devices.selector.close_accounts(automatic.rank.first(), &columns);
        }
    }

    /// How long a call should wait for a device to compile although other devices could answer. `None`, unless each of
    /// the others would take at least [`WAIT_GAIN`] times as long as compiling and running there, even if both
    /// predictions are off by one standard deviation. `None` also if the device or the CPU was not measured.
    pub(crate) fn worth_waiting(&self, placement: &Placement) -> Option<Duration> {
        let DeviceRanking { devices, size, .. } = self.automatic.as_ref()?;
        let arm = devices.placements.iter().position(|own| std::ptr::eq(own, placement))?;
        let is_measured = |arm| devices.selector.profile(arm).is_some_and(|profile| profile.measured);
        if !is_measured(0) || !is_measured(arm) {
            return None;
        }
        let (ranking, names) = (devices.predict(*size, 0), devices.selector.names());
        let own = ranking.predictions.iter().find(|one| one.device == names[arm])?;
        let answers = |one: &&Prediction| one.device == names[0] || one.compile == 0.0 && !one.is_closed;
        let others = ranking.predictions.iter().filter(answers).map(|one| one.time() * (-one.spread).exp());
        let least = others.reduce(f64::min)?;
        let most = own.compile + own.time() * own.spread.exp();
        (least >= WAIT_GAIN * most).then(|| Duration::from_nanos((least / WAIT_GAIN).min(1e18) as u64))
    }

    /// The predictions for this ranking, for the receipt; `None` if the selector did not choose.
    #[inline]
    pub(crate) fn into_prediction_handle(self) -> Option<PredictionHandle> {
        let DeviceRanking { devices, size, columns, rank, .. } = self.automatic?;
        Some(PredictionHandle { predictions: devices, size, columns, reason: rank.reason() })
    }
}

/// The number of an owned column.
fn column_id(input: &Input<'_>) -> Option<u64> {
    input.identity().map(|identity| identity.shared().id)
}

/// A number that identifies the columns of a call; 0 if some of them are borrowed.
pub(super) fn columns_of(inputs: &[Input<'_>]) -> u64 {
    let is_owned = inputs.iter().all(Input::may_stay);
    if is_owned { column_set(inputs.iter().filter_map(column_id)) } else { 0 }
}

/// Whether a device copies a whole column without staging. Never for a column with a bitmap, which is assembled first.
fn copies_directly(handle: &DeviceHandle, input: &Input<'_>) -> bool {
    let is_direct = |piece: &HostChunk<'_>| piece.validity.is_none() && handle.device.copies_directly(piece.values);
    input.pieces().iter().all(is_direct)
}
