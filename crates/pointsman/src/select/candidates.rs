//! The placements of a query ([`QueryCandidates`]), and their order for one call ([`PlacementCursor`]).
//!
//! A query that names a device tries its placements in the order of its request. For a query that names none, the
//! selector ranks every eligible device for each call, and learns from the time of the run.

use super::energy::PowerMeters;
use super::estimator::{
    ArmSet, Goal, KernelStats, MoveAccount, Observation, Parts, Prediction, Profile, Rank, RankReason, Ranking,
    Residency, Selector, Size, Workload, column_set,
};
use super::placement::{DeviceRequest, Placement, PlacementRequest};
use super::service::SelectorService;
use super::sharing::PlannedRun;
use crate::data::input::Input;
use crate::devices::handle::{DeviceHandle, PendingRuns, RunCost};
use crate::error::Result;
use crate::programs::Programs;
use crate::resilience::clock::Clock;
use crate::telemetry::receipt::{PredictionHandle, PredictionSource};
use pointsman_device::host::HostChunk;
use pointsman_device::{DeviceKind, Exactness};
use pointsman_ir::fuse::Stage;
use pointsman_ir::kernel::Kernel;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// Columns of fewer rows are not checked for page-locked memory: devices stage copies of that size anyway.
const LOCKED_ROWS_MIN: usize = 1 << 16;

/// Runs that should take less than this, in nanoseconds, are not counted as pending: other callers need not avoid them, and
/// counting costs about half a microsecond.
const PENDING_TIME_MIN: u64 = 50_000;

/// While a device compiles a query in the background, one in this many calls asks whether it is done. Longer calls than
/// `ASKED_TIME` nanoseconds always ask: it costs them nothing.
const ASKED_CALLS: u32 = 16;
const ASKED_TIME: f64 = 1e6;

/// A call waits for a device to compile if every other device would take at least `WAIT_GAIN` times as long as
/// compiling and running there. It waits at most `1 / WAIT_GAIN` of the fastest other device's time.
const WAIT_GAIN: f64 = 2.0;

/// A call of a query, as the selector sees it.
#[derive(Clone, Copy)]
pub(crate) struct SelectionInput<'c> {
    pub(crate) inputs: &'c [Input<'c>],
    pub(crate) rows: usize,
    /// The batch size that the caller asked for, if any.
    pub(crate) batch_rows: Option<usize>,
}

/// The time of a run, and what the selector needs to learn from it.
#[derive(Clone, Copy)]
pub(crate) struct Timing {
    pub(crate) nanoseconds: u64,
    pub(crate) rows_out: usize,
    /// Whether other queries ran on the same device.
    pub(crate) contended: bool,
    /// Random bits, with which the selector samples the runs that it learns from.
    pub(crate) random_bits: u64,
}

/// The placements that can run a query.
pub(crate) struct QueryCandidates {
    /// The placements of the request, in order. If the query names no device: the CPU, used until discovery ends.
    pub(crate) requested: Vec<Placement>,
    /// Whether the selector chooses the device: neither the query nor the session names one.
    pub(crate) is_automatic: bool,
    exactness: Option<Exactness>,
    workload: Workload,
    /// The predicted time of a row on the CPU, in nanoseconds.
    cpu_row_time: f64,
    /// Every eligible device, set after device discovery. `None` inside if there is only one.
    automatic: OnceLock<Option<Arc<AutomaticCandidates>>>,
}

/// A query as the selector knows it, with a placement for each device. The selector ranks only eligible ones.
pub(super) struct AutomaticCandidates {
    selector: Selector,
    clock: Arc<dyn Clock>,
    meters: Arc<PowerMeters>,
    kernel: Arc<KernelStats>,
    /// Indexed by the selector's number of the device (its arm).
    placements: Vec<Placement>,
    kernels: Vec<Kernel>,
    /// The predicted time of a row on the CPU, in nanoseconds.
    cpu_row_time: f64,
    /// Whether calibration is measuring devices now.
    is_measuring: Arc<AtomicBool>,
    /// The session's programs. Weak: they live as long as the session.
    programs: Weak<Programs>,
}

impl QueryCandidates {
    /// All placements that calls may have run on so far.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Placement> {
        let automatic = self.automatic.get().into_iter().flatten().flat_map(|devices| &devices.placements);
        self.requested.iter().chain(automatic)
    }
}

impl SelectorService {
    /// The placements that can run these stages under a request. Independent of inputs.
    pub(crate) fn candidates(&self, stages: &[Stage], request: &PlacementRequest) -> Result<QueryCandidates> {
        let workload = Workload::of(stages);
        Ok(QueryCandidates {
            requested: self.requested(stages, request)?,
            is_automatic: request.device == DeviceRequest::Any && self.options.preferred.is_none(),
            exactness: request.exactness,
            cpu_row_time: workload.nanoseconds_per_row(&Profile::guess(DeviceKind::Cpu, 1)),
            workload,
            automatic: OnceLock::new(),
        })
    }

    /// Orders the placements for a call, best first. Reads one published decision, unless devices are busy or owned columns
    /// may move.
    #[inline]
    pub(crate) fn rank<'c>(
        &'c self,
        candidates: &'c QueryCandidates,
        stages: &'c [Stage],
        call: SelectionInput<'c>,
    ) -> PlacementCursor<'c> {
        let automatic = match candidates.is_automatic {
            true => self.automatic(candidates, stages, call.rows).map(|devices| devices.rank(&call)),
            false => None,
        };
        PlacementCursor {
            service: self,
            candidates,
            stages,
            call,
            automatic,
            position: Cell::new(0),
            retry_shared: Cell::new(false),
        }
    }

    /// Every device that can run a query; `None` before device discovery has finished, or if there is only one.
    #[inline]
    fn automatic<'c>(
        &self,
        candidates: &'c QueryCandidates,
        stages: &[Stage],
        rows: usize,
    ) -> Option<&'c Arc<AutomaticCandidates>> {
        match candidates.automatic.get() {
            Some(devices) => devices.as_ref(),
            None => self.find_eligible(candidates, stages, rows),
        }
    }

    #[cold]
    fn find_eligible<'c>(
        &self,
        candidates: &'c QueryCandidates,
        stages: &[Stage],
        rows: usize,
    ) -> Option<&'c Arc<AutomaticCandidates>> {
        if candidates.is_automatic && !self.has_thread() {
            self.discover_if_worthwhile(candidates.cpu_row_time * rows as f64);
        }
        // Explanations may have ended discovery; that alone must not change what a query does.
        if !self.has_thread() || !self.is_discovered() {
            return None;
        }
        candidates.automatic.get_or_init(|| self.automatic_candidates(candidates, stages)).as_ref()
    }

    fn automatic_candidates(&self, candidates: &QueryCandidates, stages: &[Stage]) -> Option<Arc<AutomaticCandidates>> {
        let devices = self.devices()?;
        let why = match self.goal() {
            Goal::Time => "chosen: it should be done first",
            Goal::Energy => "chosen: it should take the least energy, as far as that is known",
        };
        let is_eligible = |handle: &Arc<DeviceHandle>| {
            stages.iter().all(|stage| self.check_eligible(handle, stage, candidates.exactness).is_ok())
        };
        let handles = || devices.handles.iter().enumerate();
        let arms = handles().filter(|(_, handle)| is_eligible(handle)).map(|(arm, _)| arm);
        let arms = arms.fold(ArmSet::NONE, ArmSet::with);
        // A single device, or a set without the CPU, leaves nothing to choose.
        if arms.0.count_ones() < 2 || !arms.has(0) {
            return None;
        }
        let placement = |(arm, handle): (usize, &Arc<DeviceHandle>)| {
            let mut placement = Placement::new(handle, why.to_string(), stages);
            placement.compiles_in_background = arm > 0;
            placement
        };
        Some(Arc::new(AutomaticCandidates {
            selector: devices.selector.clone(),
            clock: self.clock.clone(),
            meters: devices.meters.clone(),
            kernel: devices.selector.register(&candidates.workload, arms),
            placements: handles().map(placement).collect(),
            kernels: stages.iter().map(|stage| stage.kernel.clone()).collect(),
            cpu_row_time: candidates.cpu_row_time,
            is_measuring: devices.is_measuring.clone(),
            programs: self.programs.clone(),
        }))
    }

    /// Describes the features of a query and the predicted time of each device, for one call or for typical sizes, or
    /// says that devices were not looked for yet. Empty for a query that names a device.
    pub(crate) fn explain(
        &self,
        candidates: &QueryCandidates,
        stages: &[Stage],
        call: Option<SelectionInput<'_>>,
    ) -> Vec<(&'static str, String)> {
        if !candidates.is_automatic {
            return Vec::new();
        }
        if !self.use_known_devices() {
            let text = "the CPU, until devices are looked for: by `Session::discover`, or by a query that takes longer than 1 ms";
            return vec![("ranking", text.to_string())];
        }
        let automatic = candidates.automatic.get_or_init(|| self.automatic_candidates(candidates, stages));
        let Some(devices) = automatic else { return Vec::new() };
        let sizes = match &call {
            Some(call) => vec![(devices.size_of(call), columns_of(call.inputs))],
            None => [1_000, 100_000, 10_000_000].map(|rows| (Size::host(rows), 0)).to_vec(),
        };
        let ranking = |(size, columns): (Size, u64)| {
            let memory = if size.locked { " in page-locked memory" } else { "" };
            ("ranking", format!("{} rows{memory}\n{}", size.rows, devices.predict(size, columns)))
        };
        let features = ("features", candidates.workload.to_string());
        std::iter::once(features).chain(sizes.into_iter().map(ranking)).collect()
    }
}

impl SelectorService {
    /// A device that would be faster if it had the owned columns of a call, and the account of moving them there.
    pub(crate) fn move_account(
        &self,
        candidates: &QueryCandidates,
        call: &SelectionInput<'_>,
    ) -> Option<(String, MoveAccount)> {
        let devices = candidates.automatic.get()?.as_ref()?;
        let ranking = devices.predict(devices.size_of(call), columns_of(call.inputs));
        ranking.predictions.into_iter().find_map(|one| Some((one.device, one.account?)))
    }
}

impl AutomaticCandidates {
    /// The selector's ranking of devices for a call. Excluded devices that would come first come last.
    #[inline]
    fn rank(self: &Arc<Self>, call: &SelectionInput<'_>) -> DeviceRanking {
        let size = self.size_of(call);
        let mut passed_over = ArmSet::NONE;
        let best = loop {
            let rank = self.selector.rank(&self.kernel, size, passed_over);
            let arm = rank.first();
            if arm == 0 || passed_over.has(arm) || !(self.is_excluded(arm) || self.is_compiling(arm, size)) {
                break rank;
            }
            passed_over = passed_over.with(arm);
        };
        let is_busy = !self.placements[best.first()].handle.pending.is_empty();
        let rank =
            if is_busy && self.selector.learns() { self.rank_with_queues(size, best, passed_over) } else { best };
        let (devices, pending) = (self.clone(), Cell::new(None));
        let ranking = DeviceRanking { devices, size, rank, passed_over, columns: 0, copies: false, pending };
        let ranking = if size.owned { self.consider_moving(ranking, call) } else { ranking };
        if rank.expected() >= PENDING_TIME_MIN && self.selector.learns() {
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

    /// Starts to compile the query for a device in the background, once.
    fn compile_ahead(&self, arm: usize) {
        let placement = &self.placements[arm];
        if placement.loaded().is_none() && placement.passed_while_compiling.fetch_max(1, Ordering::Relaxed) == 0 {
            let start = |programs: Arc<Programs>| {
                self.kernels.iter().for_each(|kernel| programs.start(kernel, &placement.handle.device));
            };
            self.programs.upgrade().into_iter().for_each(start);
        }
    }

    /// Charges a call over owned columns to the accounts of the devices that lack them; the call moves the columns if an
    /// account pays for it.
    fn consider_moving(&self, ranking: DeviceRanking, call: &SelectionInput<'_>) -> DeviceRanking {
        let (size, mut rank, columns) = (ranking.size, ranking.rank, columns_of(call.inputs));
        self.kernel.reuse.count(columns);
        if rank.may_move() && rank.reason() == RankReason::Best {
            let missing = |arm: usize| {
                let columns = self.missing_columns(arm, call).filter(|_| !self.is_excluded(arm))?;
                self.compile_ahead(arm);
                Some(columns)
            };
            let moving = self.selector.rank_with_moves(&self.kernel, size, rank, missing);
            if moving.reason() == RankReason::Move && !self.is_compiling(moving.first(), size) {
                rank = moving;
            }
        }
        let first = rank.first();
        let copies = size.residency.missing(first) > 0.0 && self.missing_columns(first, call).is_some();
        DeviceRanking { rank, columns, copies, ..ranking }
    }

    /// The owned columns of a call that a device lacks; `None` if it has all of them, or cannot keep them.
    fn missing_columns(&self, arm: usize, call: &SelectionInput<'_>) -> Option<Vec<u64>> {
        let residency = self.placements.get(arm)?.handle.residency.as_ref()?;
        let is_missing = |input: &&Input<'_>| input.identity().is_some_and(|identity| !residency.has(identity));
        let missing = || call.inputs.iter().filter(is_missing);
        let bytes: u64 = missing().map(Input::bytes).sum();
        (bytes > 0 && residency.may_keep(bytes)).then(|| missing().filter_map(column_id).collect())
    }

    /// Puts the device first that would finish first, after the runs under way on each.
    #[cold]
    fn rank_with_queues(&self, size: Size, rank: Rank, passed_over: ArmSet) -> Rank {
        // Waiting draws no power, and a trial measures one device.
        if self.selector.goal() == Goal::Energy || rank.reason() != RankReason::Best {
            return rank;
        }
        let is_open =
            |arm: usize| arm == 0 || !passed_over.has(arm) && !self.is_excluded(arm) && !self.is_compiling(arm, size);
        let time = |arm: usize| {
            let alone = self.predicted_time(size, arm);
            alone.transfer + alone.compute + self.placements[arm].handle.delay(alone)
        };
        let open = rank.arms().filter(|&arm| is_open(arm)).map(|arm| (arm, time(arm)));
        let first = open.min_by_key(|(_, time)| *time).map(|(arm, _)| arm);
        first.filter(|&first| first != rank.first()).map_or(rank, |first| rank.led_by(first, RankReason::Best))
    }

    fn is_excluded(&self, arm: usize) -> bool {
        self.placements[arm].is_excluded(&*self.clock)
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

    /// How long a call should wait for a device to compile although other devices could answer. `None`, unless each of
    /// the others would take at least [`WAIT_GAIN`] times as long as compiling and running there, even if both
    /// predictions are off by one standard deviation. `None` also if the device or the CPU was not measured.
    fn worth_waiting(&self, size: Size, placement: &Placement) -> Option<Duration> {
        let arm = self.placements.iter().position(|own| std::ptr::eq(own, placement))?;
        let is_measured = |arm| self.selector.profile(arm).is_some_and(|profile| profile.measured);
        if !is_measured(0) || !is_measured(arm) {
            return None;
        }
        let (ranking, names) = (self.predict(size, 0), self.selector.names());
        let own = ranking.predictions.iter().find(|one| one.device == names[arm])?;
        let answers = |one: &&Prediction| one.device == names[0] || one.compile == 0.0 && !one.is_closed;
        let others = ranking.predictions.iter().filter(answers).map(|one| one.time() * (-one.spread).exp());
        let least = others.reduce(f64::min)?;
        let most = own.compile + own.time() * own.spread.exp();
        (least >= WAIT_GAIN * most).then(|| Duration::from_nanos((least / WAIT_GAIN).min(1e18) as u64))
    }

    /// Records a run on a device that the query asked for, if the selector can learn from it.
    fn observe_requested(&self, handle: &Arc<DeviceHandle>, call: &SelectionInput<'_>, timing: Timing) {
        let own = self.placements.iter().position(|own| Arc::ptr_eq(&own.handle, handle));
        let Some(arm) = own.filter(|arm| self.kernel.devices().has(*arm)) else { return };
        let size = self.size_of(call);
        let rank = self.selector.settled(&self.kernel, size, ArmSet::NONE);
        let is_first = rank.first() == arm;
        if !is_first || rank.is_sampled(timing.random_bits) {
            let stands_for = if is_first { rank.stands_for() } else { 1 };
            self.observe(size, arm, RankReason::Best, stands_for, timing);
        }
    }

    #[cold]
    fn observe(&self, size: Size, arm: usize, reason: RankReason, stands_for: u32, timing: Timing) {
        // Compilers and calibration take processor time, which makes runs slower.
        let is_compiling = self.programs.upgrade().is_some_and(|programs| programs.is_compiling());
        let is_disturbed = is_compiling || self.is_measuring.load(Ordering::Relaxed);
        self.selector.set_disturbed(is_disturbed);
        self.selector.observe(Observation {
            kernel: self.kernel.clone(),
            size,
            arm,
            nanoseconds: Some(timing.nanoseconds as f64),
            stands_for,
            output: Some((timing.rows_out as f64 * self.kernel.workload().output_row_bytes) as u64),
            reason,
            is_contended: timing.contended || is_disturbed,
        });
    }

    /// The rows of a call, and where its columns are.
    #[inline]
    fn size_of(&self, call: &SelectionInput<'_>) -> Size {
        let size = Size::host(call.rows as u64);
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
        let owned = !inputs.is_empty() && inputs.iter().all(|input| input.identity().is_some());
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
            let is_unknown = ranking.goal == Goal::Energy && one.watts.is_none();
            one.why_unknown = is_unknown.then(|| self.meters.why_unknown(arm));
        }
        ranking
    }
}

/// A run under way, counted until it is dropped.
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
pub(crate) struct DeviceRanking {
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
    /// Counts the run of the device at a position as pending, in place of the one before it.
    fn move_pending(&self, position: usize) {
        let counted = self.pending.take().and(self.rank.nth(position));
        self.pending.set(counted.map(|arm| self.devices.pending_run(self.size, arm)));
    }

    /// Records the run of the device at a position, if the selector learns from it.
    #[inline]
    fn observe(&self, position: usize, timing: Timing) {
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
        let (placements, clock) = (&self.devices.placements, &*self.devices.clock);
        let should = match self.devices.selector.goal() {
            Goal::Time => "be done first",
            Goal::Energy => "take the least energy",
        };
        let why = |placement: &Placement| {
            Some(format!("`{}` should {should}, but {}", placement.device(), placement.why_excluded(clock)?))
        };
        (0..placements.len()).filter(|&arm| self.passed_over.has(arm)).find_map(|arm| why(&placements[arm]))
    }
}

/// The placements for one call, best first, and the position of the one being tried.
pub(crate) struct PlacementCursor<'c> {
    service: &'c SelectorService,
    candidates: &'c QueryCandidates,
    stages: &'c [Stage],
    call: SelectionInput<'c>,
    /// The selector's order, for a query that names no device.
    automatic: Option<DeviceRanking>,
    position: Cell<usize>,
    /// Whether the current placement is retried with all its devices, after one of them failed alone.
    retry_shared: Cell<bool>,
}

impl PlacementCursor<'_> {
    #[inline]
    fn placement(&self, position: usize) -> Option<&Placement> {
        match &self.automatic {
            Some(automatic) => automatic.devices.placements.get(automatic.rank.nth(position)?),
            None => self.candidates.requested.get(position),
        }
    }

    /// The next placement to try, and how its devices run the query.
    #[inline]
    pub(crate) fn next(&self) -> Option<PlannedRun<'_>> {
        let placement = self.placement(self.position.get())?;
        Some(self.service.plan_run(placement, &self.call, self.retry_shared.get()))
    }

    /// Whether no placement is left after the current one.
    #[inline]
    pub(crate) fn is_last(&self) -> bool {
        self.placement(self.position.get() + 1).is_none()
    }

    /// Moves on after every attempt at the current placement failed. If one device of a shared placement ran alone and
    /// failed, all its devices share the query next.
    #[cold]
    pub(crate) fn advance(&self, run: &PlannedRun<'_>) {
        run.observe_sharing(None, false);
        if run.is_trial_of_another() && !self.retry_shared.get() {
            self.retry_shared.set(true);
        } else {
            let position = self.position.get() + 1;
            self.retry_shared.set(false);
            self.position.set(position);
            self.automatic.iter().for_each(|automatic| automatic.move_pending(position));
        }
    }

    /// The device that was tried before the current one.
    pub(crate) fn previous_device(&self) -> Option<&str> {
        self.placement(self.position.get().checked_sub(1)?).map(Placement::device)
    }

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

    /// Records that a device was found compiling the query in the background.
    pub(crate) fn record_compiling(&self, placement: &Placement) {
        placement.passed_while_compiling.fetch_max(1, Ordering::Relaxed);
    }

    /// How long a call should wait for a device to compile; `None`: not at all.
    pub(crate) fn worth_waiting(&self, placement: &Placement) -> Option<Duration> {
        let automatic = self.automatic.as_ref()?;
        automatic.devices.worth_waiting(automatic.size, placement)
    }

    /// Tells the selector the time of a run at the current placement.
    #[inline]
    pub(crate) fn observe(&self, run: &PlannedRun<'_>, timing: impl FnOnce() -> Timing) {
        match &self.automatic {
            Some(automatic) => automatic.observe(self.position.get(), timing()),
            // Nothing to learn: no device to choose from, or several shared the rows.
            None if self.candidates.is_automatic || run.is_shared() => {}
            // A batch size from the caller costs time that says nothing about the device.
            None if self.call.batch_rows.is_some() => {}
            None => {
                if let Some(devices) = self.service.automatic(self.candidates, self.stages, self.call.rows) {
                    devices.observe_requested(&run.placement.handle, &self.call, timing());
                }
            }
        }
    }

    /// The predictions behind this ranking, for the receipt; `None` if the selector did not choose.
    #[inline]
    pub(crate) fn into_prediction_handle(self) -> Option<PredictionHandle> {
        self.automatic.map(|automatic| PredictionHandle {
            predictions: automatic.devices,
            size: automatic.size,
            columns: automatic.columns,
            reason: automatic.rank.reason(),
        })
    }
}

/// The number of an owned column.
fn column_id(input: &Input<'_>) -> Option<u64> {
    input.identity().map(|identity| identity.shared().id)
}

/// A number that identifies the columns of a call; 0 if some of them are borrowed.
fn columns_of(inputs: &[Input<'_>]) -> u64 {
    let is_owned = inputs.iter().all(|input| input.identity().is_some());
    if is_owned { column_set(inputs.iter().filter_map(column_id)) } else { 0 }
}

/// Whether a device copies a whole column without staging. Never for a column with a bitmap, which is assembled first.
fn copies_directly(handle: &DeviceHandle, input: &Input<'_>) -> bool {
    let is_direct = |piece: &HostChunk<'_>| piece.validity.is_none() && handle.device.copies_directly(piece.values);
    input.pieces().iter().all(is_direct)
}
