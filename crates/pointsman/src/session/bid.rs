//! [`DeviceRanking`]: the devices for one call of a query that names none, from the selector, and what it is told afterwards.

use super::CallInputs;
use super::choice::Placement;
use super::metering::PowerMeters;
use crate::data::input::Input;
use crate::devices::handle::DeviceHandle;
use crate::programs::Programs;
use crate::resilience::clock::Clock;
use crate::select::{ArmSet, Goal, Known, Observation, Prediction, Rank, Ranking, Residency, Selector, Size};
use pointsman_device::host::HostChunk;
use pointsman_ir::kernel::Kernel;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Columns of fewer rows are not looked at for locked memory: no device copies so few without staging.
const LOCKED_ROWS_MIN: usize = 1 << 16;

/// A call waits for a device to compile if others would take so many times as long as that and the run there, and at most
/// for this part of their time.
const WAIT_GAIN: f64 = 2.0;

/// What a call took.
#[derive(Clone, Copy)]
pub(super) struct Timing {
    /// Nanoseconds.
    pub(super) took: u64,
    pub(super) rows_out: usize,
    /// Whether others ran on the same device.
    pub(super) contended: bool,
}

/// A query as the selector knows it, with a choice for each device that takes it.
pub(crate) struct QueryCandidates {
    pub(super) selector: Selector,
    pub(super) clock: Arc<dyn Clock>,
    /// Whether devices are measured at the moment: what runs take then is not what they take.
    pub(super) is_measured: Arc<AtomicBool>,
    pub(super) metering: Arc<PowerMeters>,
    pub(super) known: Arc<Known>,
    /// By the device's number.
    pub(super) choices: Vec<Option<Placement>>,
    /// Its kernels, and where their programs are as long as the session lasts.
    pub(super) kernels: Vec<Kernel>,
    pub(super) programs: Weak<Programs>,
}

impl QueryCandidates {
    /// Tells what a call took on a device that it asked for, if that is worth learning from.
    pub(super) fn tell_asked(&self, station: &Arc<DeviceHandle>, work: &CallInputs<'_>, told: Timing, noise: u64) {
        let is_own = |choice: &Option<Placement>| choice.as_ref().is_some_and(|own| Arc::ptr_eq(&own.station, station));
        let Some(arm) = self.choices.iter().position(is_own) else { return };
        let size = size_of(self, work.inputs, work.rows);
        let rank = self.selector.settled(&self.known, size, ArmSet::NONE);
        if rank.first() != arm || told.contended || rank.is_worth_learning(told.took, noise) {
            let weight = if rank.first() == arm { rank.weight(told.took) } else { 1.0 };
            self.observe(size, arm, told, (false, weight));
        }
    }

    /// A ranking by when each would be done, of devices for some of which one has to wait.
    #[cold]
    fn with_queues(&self, size: Size, rank: Rank) -> Rank {
        // Waiting draws nothing.
        if self.selector.goal() == Goal::Energy {
            return rank;
        }
        let done = |arm: usize| {
            let ahead =
                self.choices.get(arm).and_then(Option::as_ref).map_or(0.0, |choice| choice.station.gate.runs_ahead());
            self.selector.predicted_in_company(&self.known, size, arm) * (1.0 + ahead)
        };
        let first = rank.arms().min_by(|&a, &b| done(a).total_cmp(&done(b)));
        first.map_or(rank, |first| rank.led_by(first))
    }

    /// The devices for a call, from the selector. Those that are shut come last.
    pub(super) fn bid(self: &Arc<QueryCandidates>, size: Size) -> DeviceRanking {
        let mut passed = ArmSet::NONE;
        loop {
            let rank = self.selector.rank(&self.known, size, passed);
            let arm = rank.first();
            if arm == 0 || passed.has(arm) || !self.is_shut(arm) {
                let ahead = self.choices[arm].as_ref().map_or(0.0, |choice| choice.station.gate.runs_ahead());
                let rank = if ahead > 0.0 { self.with_queues(size, rank) } else { rank };
                return DeviceRanking { entry: self.clone(), size, rank, passed };
            }
            passed = passed.with(arm);
        }
    }

    fn is_shut(&self, arm: usize) -> bool {
        self.choices[arm].as_ref().is_none_or(|choice| choice.is_shut(&*self.clock))
    }

    /// What each device should take for a call, as things are known now, and why some are passed over.
    pub(super) fn ranking(&self, size: Size) -> Ranking {
        let taken = || self.choices.iter().enumerate().filter_map(|(arm, choice)| Some((arm, choice.as_ref()?)));
        let shut = taken().filter(|(_, choice)| choice.is_shut(&*self.clock)).map(|(arm, _)| arm);
        let mut ranking = self.selector.explain(&self.known, size, shut.fold(ArmSet::NONE, ArmSet::with));
        for one in &mut ranking.predictions {
            let Some((arm, choice)) = taken().find(|(_, choice)| choice.station.name() == one.device) else { continue };
            one.compile = self.compile_time(arm, choice);
            one.why_closed = if one.is_closed { choice.why_shut(&*self.clock) } else { None };
            let is_unknown = ranking.goal == Goal::Energy && one.watts.is_none();
            one.why_unknown = is_unknown.then(|| self.metering.why_unknown(arm));
        }
        ranking
    }

    /// What compiling the query for a device should take, in nanoseconds; nothing where that is done.
    fn compile_time(&self, arm: usize, choice: &Placement) -> f64 {
        if choice.at_hand().is_some() {
            return 0.0;
        }
        let programs = self.programs.upgrade();
        let is_loaded =
            |kernel: &&Kernel| programs.as_ref().is_some_and(|all| all.has(kernel, &*choice.station.device));
        let missing = self.kernels.iter().filter(|kernel| !is_loaded(kernel)).count();
        self.selector.profile(arm).map_or(0.0, |profile| profile.compile * missing as f64)
    }

    /// How long a call should wait for a device that compiles, while others could answer; not at all unless each of them
    /// would take at least twice as long as compiling and running there together, even where both are off by a deviation.
    /// Guesses are not enough.
    pub(super) fn worth_waiting(&self, size: Size, choice: &Placement) -> Option<Duration> {
        let is_own = |other: &Option<Placement>| other.as_ref().is_some_and(|other| std::ptr::eq(other, choice));
        let arm = self.choices.iter().position(is_own)?;
        let is_measured = |arm| self.selector.profile(arm).is_some_and(|profile| profile.measured);
        if !is_measured(0) || !is_measured(arm) {
            return None;
        }
        let (ranking, names) = (self.ranking(size), self.selector.names());
        let own = ranking.predictions.iter().find(|one| one.device == names[arm])?;
        let answers = |one: &&Prediction| one.device == names[0] || one.compile == 0.0 && !one.is_closed;
        let others = ranking.predictions.iter().filter(answers).map(|one| one.time() * (-one.spread).exp());
        let least = others.reduce(f64::min)?;
        let most = own.compile + own.time() * own.spread.exp();
        (least >= WAIT_GAIN * most).then(|| Duration::from_nanos((least / WAIT_GAIN).min(1e18) as u64))
    }

    fn observe(&self, size: Size, arm: usize, told: Timing, (explored, weight): (bool, f64)) {
        if self.is_measured.load(Ordering::Relaxed) {
            return;
        }
        let known = self.known.clone();
        let output = Some((told.rows_out as f64 * known.workload().output_per_row) as u64);
        let (took, contended) = (Some(told.took as f64), told.contended);
        self.selector.advance_to(self.clock.now());
        self.selector.observe(Observation { known, size, arm, took, weight, output, explored, contended });
    }
}

/// The devices for one call of a query.
#[derive(Clone)]
pub(crate) struct DeviceRanking {
    pub(super) entry: Arc<QueryCandidates>,
    pub(super) size: Size,
    pub(super) rank: Rank,
    /// Those that would have come first, but are shut.
    passed: ArmSet,
}

impl DeviceRanking {
    /// The choice at a place of the ranking.
    #[inline]
    pub(super) fn choice(&self, place: usize) -> Option<&Placement> {
        self.entry.choices.get(self.rank.nth(place)?)?.as_ref()
    }

    /// Tells what the call took on the device at a place of the ranking, if that is worth learning from.
    #[inline]
    pub(super) fn tell(&self, place: usize, told: Timing, noise: u64) {
        if place > 0 || told.contended || self.rank.is_worth_learning(told.took, noise) {
            self.observe(place, told);
        }
    }

    #[cold]
    fn observe(&self, place: usize, told: Timing) {
        let Some(arm) = self.rank.nth(place) else { return };
        let weight = if place == 0 { self.rank.weight(told.took) } else { 1.0 };
        self.entry.observe(self.size, arm, told, (self.rank.explores() && place == 0, weight));
    }

    /// What each device should take, as things are known now.
    pub(crate) fn ranking(&self) -> Ranking {
        self.entry.ranking(self.size)
    }

    /// Why the device that should have been done first is not asked; `None` if it is.
    #[inline]
    pub(super) fn passed_over(&self) -> Option<String> {
        if self.passed == ArmSet::NONE { None } else { self.why_passed() }
    }

    #[cold]
    fn why_passed(&self) -> Option<String> {
        let (choices, clock) = (&self.entry.choices, &*self.entry.clock);
        let passed = (0..choices.len()).filter(|&arm| self.passed.has(arm)).filter_map(|arm| choices[arm].as_ref());
        let why = |choice: &Placement| {
            let name = choice.station.name();
            let should = match self.entry.selector.goal() {
                Goal::Time => "be done first",
                Goal::Energy => "take the least energy",
            };
            Some(format!("`{name}` should {should}, but {}", choice.why_shut(clock)?))
        };
        passed.filter_map(why).next()
    }
}

/// How large a call is, and how its columns lie.
#[inline]
pub(super) fn size_of(entry: &QueryCandidates, inputs: &[Input<'_>], rows: usize) -> Size {
    let size = Size::host(rows as u64);
    if rows >= LOCKED_ROWS_MIN || inputs.iter().any(|input| input.identity().is_some()) {
        as_it_lies(entry, inputs, size)
    } else {
        size
    }
}

/// The same where devices have columns, or copy them without staging.
#[cold]
fn as_it_lies(entry: &QueryCandidates, inputs: &[Input<'_>], size: Size) -> Size {
    let bytes = |input: &Input<'_>| input.pieces().iter().map(|piece| piece.values.len()).sum::<usize>() as f64;
    let all: f64 = inputs.iter().map(bytes).sum();
    let (mut residency, mut locked) = (Residency::HOST, false);
    for (arm, choice) in entry.choices.iter().enumerate() {
        let Some(station) = choice.as_ref().map(|choice| &*choice.station) else { continue };
        let Some(own) = &station.residency else { continue };
        let is_there = |input: &&Input<'_>| input.identity().is_some_and(|identity| own.has(identity));
        let there: f64 = inputs.iter().filter(is_there).map(bytes).sum();
        residency = residency.with(arm, 1.0 - there / all.max(1.0));
        let mut missing = inputs.iter().filter(|input| !is_there(input)).peekable();
        locked |= missing.peek().is_some() && missing.all(|input| is_direct(station, input));
    }
    Size { residency, locked, ..size }
}

/// Whether a device copies all of a column without staging. Bitmaps are put together first, wherever they lie.
fn is_direct(station: &DeviceHandle, input: &Input<'_>) -> bool {
    let is_direct = |piece: &HostChunk<'_>| piece.validity.is_none() && station.device.copies_directly(piece.values);
    input.pieces().iter().all(is_direct)
}
