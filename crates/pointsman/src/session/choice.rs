//! Where a query may run, in order: where it is preferred or required, or else where it should be done first (`guide.rs`).
//!
//! A device takes a query if it runs every stage, and to the bit or within bounds as the query allows. What a required
//! device does not take is an error; what a preferred one does not take runs on the CPU, and the receipt says why.

use super::bid::{DeviceRanking, QueryCandidates, size_of};
use super::{CompiledPlan, PlacementRequest, Session};
use crate::data::input::Input;
use crate::devices::handle::DeviceHandle;
use crate::devices::registry::is_device_name;
use crate::error::{Error, ErrorKind, Result};
use crate::programs::program::CompiledStage;
use crate::query::explain::StepRecorder;
use crate::resilience::attempt_log::instead;
use crate::resilience::gate::WaitLimit;
use crate::resilience::health::Kernels;
use crate::select::{ArmSet, Goal, Profile, Size, Workload};
use crate::telemetry::receipt::{PlacementInfo, ProgramSources};
use crate::telemetry::trend::Trend;
use pointsman_device::{DeviceErrorKind, DeviceKind, Exactness};
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::kernel::{Estimate, float_arithmetic};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// What stands between the names of devices that share a query.
const SHARED: &str = "+";

/// The device a query should run on, or several that share it (`cuda:0+cpu`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum DeviceRequest {
    /// The session's default.
    #[default]
    Any,
    /// There if it is possible.
    Prefer(String),
    /// There or nowhere.
    Require(String),
}

/// What a query is called with, and its rows; `None` before it is called.
pub(crate) type Call<'c> = Option<(&'c [Input<'c>], usize)>;

/// A device that takes a query, and why it is asked.
pub(super) struct Placement {
    pub(super) station: Arc<DeviceHandle>,
    pub(super) why: String,
    /// What is known about the stages' kernels there; nothing where nothing is remembered.
    pub(super) kernels: Kernels,
    /// Those that share its work.
    pub(super) beside: Vec<Placement>,
    /// This device and those, each to do all of it; none where nobody shares its work.
    pub(super) alone: Vec<Placement>,
    /// The names of those of which it does all of the work, if there are such.
    instead_of: Option<String>,
    /// Whether another device answers while this one compiles.
    compiles_behind: bool,
    /// Whether a call waited for its device to compile, and it was not done in time.
    pub(super) is_late: AtomicBool,
    /// CompiledPlan when the device is first tried.
    ready: OnceLock<LoadedPrograms>,
}

/// A query compiled for a device.
pub(super) struct LoadedPrograms {
    pub(super) steps: Vec<CompiledStage>,
    pub(super) decided: Arc<PlacementInfo>,
}

impl Placement {
    fn new(station: &Arc<DeviceHandle>, why: String, stages: &[Stage]) -> Placement {
        let kernels = || stages.iter().map(|stage| &stage.kernel);
        let kernels = station.health.as_ref().map(|health| health.kernels(kernels())).unwrap_or_default();
        let (beside, alone, instead_of, compiles_behind) = (Vec::new(), Vec::new(), None, false);
        let (station, ready, is_late) = (station.clone(), OnceLock::new(), AtomicBool::new(false));
        Placement { station, why, kernels, beside, alone, instead_of, compiles_behind, is_late, ready }
    }

    /// The names of its device and of those that share its work.
    pub(super) fn names(&self) -> String {
        let names = std::iter::once(self).chain(&self.beside).map(|choice| choice.station.name());
        names.collect::<Vec<_>>().join(SHARED)
    }

    /// What each stage runs as, a line a stage; and how, where it reads the rows of a call.
    pub(super) fn describe(&self, ready: &LoadedPrograms, rows: Option<usize>) -> String {
        let how = |step: &CompiledStage| {
            let rows = rows.filter(|_| reads_source(&step.stage))?;
            Some(self.station.device.describe_launch(step.program.id, rows)).filter(|how| !how.is_empty())
        };
        let line = |(number, (text, step)): (usize, (&String, &CompiledStage))| match how(step) {
            Some(how) => format!("stage {number}: {text}, on {how}"),
            None => format!("stage {number}: {text}"),
        };
        ready.decided.programs.iter().zip(&ready.steps).enumerate().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The programs, if they were compiled before.
    pub(super) fn at_hand(&self) -> Option<&LoadedPrograms> {
        self.ready.get()
    }
}

/// All devices that take a query, once they are known.
pub(super) struct AutomaticChoice {
    /// Whether the query names none.
    pub(super) is_open: bool,
    exactness: Option<Exactness>,
    workload: Workload,
    /// What a row should take the CPU, in nanoseconds.
    each: f64,
    /// `None` inside where there is nothing to choose from.
    entry: OnceLock<Option<Arc<QueryCandidates>>>,
}

impl AutomaticChoice {
    pub(super) fn new(stages: &[Stage], exactness: Option<Exactness>, is_open: bool) -> AutomaticChoice {
        let workload = Workload::of(stages);
        let each = workload.nanoseconds_per_row(&Profile::guess(DeviceKind::Cpu, 1));
        AutomaticChoice { is_open, exactness, workload, each, entry: OnceLock::new() }
    }
}

impl Session {
    /// Whether the device of a query is chosen.
    pub(super) fn is_open(&self, wish: &PlacementRequest) -> bool {
        wish.place == DeviceRequest::Any && self.0.preferred.is_none()
    }

    /// The devices for a call of a query that names none, if there are several.
    #[inline]
    pub(super) fn bid_for(&self, compiled: &CompiledPlan, inputs: &[Input<'_>], rows: usize) -> Option<DeviceRanking> {
        if !compiled.auto.is_open {
            return None;
        }
        let entry = self.entry_of(compiled, rows)?;
        Some(entry.bid(size_of(entry, inputs, rows)))
    }

    /// The devices that take a query, if there are several.
    #[inline]
    pub(super) fn entry_of<'c>(&self, compiled: &'c CompiledPlan, rows: usize) -> Option<&'c Arc<QueryCandidates>> {
        match compiled.auto.entry.get() {
            Some(entry) => entry.as_ref(),
            None => self.enter_contest(&compiled.auto, compiled, rows),
        }
    }

    /// The devices that take a query, if it is known by now what there is.
    #[cold]
    fn enter_contest<'c>(
        &self,
        auto: &'c AutomaticChoice,
        compiled: &CompiledPlan,
        rows: usize,
    ) -> Option<&'c Arc<QueryCandidates>> {
        if auto.is_open && !self.0.guide.is_settled() {
            self.0.guide.consider(&self.0.devices, auto.each * rows as f64);
        }
        if !self.0.guide.is_settled() {
            return None;
        }
        auto.entry.get_or_init(|| self.entry(auto, &compiled.stages)).as_ref()
    }

    fn entry(&self, auto: &AutomaticChoice, stages: &[Stage]) -> Option<Arc<QueryCandidates>> {
        let contest = self.0.guide.contest()?;
        let why = match self.0.guide.goal() {
            Goal::Time => "chosen: it should be done first",
            Goal::Energy => "chosen: it should take the least energy, as far as that is known",
        };
        let choice = |(number, station): (usize, &Arc<DeviceHandle>)| {
            stages.iter().try_for_each(|stage| self.takes(station, stage, auto.exactness)).ok()?;
            Some(Placement { compiles_behind: number > 0, ..Placement::new(station, why.to_string(), stages) })
        };
        let choices: Vec<Option<Placement>> = contest.stations.iter().enumerate().map(choice).collect();
        let taken = (0..choices.len()).filter(|&arm| choices[arm].is_some());
        let takes = taken.fold(ArmSet::NONE, ArmSet::with);
        // With the CPU alone there is nothing to choose.
        if takes.0.count_ones() < 2 || !takes.has(0) {
            return None;
        }
        let known = contest.selector.know(&auto.workload, takes);
        let (selector, clock) = (contest.selector.clone(), self.0.clock.clone());
        let (is_measured, metering) = (contest.is_measured.clone(), contest.metering.clone());
        let kernels = stages.iter().map(|stage| stage.kernel.clone()).collect();
        let programs = Arc::downgrade(&self.0.programs);
        Some(Arc::new(QueryCandidates { selector, clock, is_measured, metering, known, choices, kernels, programs }))
    }

    /// Writes down what devices should take for a query that names none.
    pub(super) fn explain_ranking(&self, compiled: &CompiledPlan, call: Call<'_>, notes: &mut StepRecorder<'_>) {
        let auto = &compiled.auto;
        if !auto.is_open {
            return;
        }
        self.0.guide.look_now(&self.0.devices);
        let Some(entry) = auto.entry.get_or_init(|| self.entry(auto, &compiled.stages)) else { return };
        notes.note("features", || auto.workload.to_string());
        let sizes = match call {
            Some((inputs, rows)) => vec![size_of(entry, inputs, rows)],
            None => [1_000, 100_000, 10_000_000].map(Size::host).to_vec(),
        };
        for size in sizes {
            let ranking = entry.ranking(size);
            let lies = if size.locked { " in page-locked memory" } else { "" };
            notes.note("ranking", || format!("{} rows{lies}\n{ranking}", size.rows));
        }
    }

    /// The devices for all stages, the first choice first.
    pub(super) fn choices(&self, stages: &[Stage], wish: &PlacementRequest) -> Result<Vec<Placement>> {
        let default = self.0.preferred.as_ref().map_or(DeviceRequest::Any, |name| DeviceRequest::Prefer(name.clone()));
        let place = if wish.place == DeviceRequest::Any { &default } else { &wish.place };
        let usual = "the default: no device was asked for".to_string();
        match place {
            DeviceRequest::Any if self.0.guide.goal() == Goal::Energy => {
                Ok(vec![self.on_cpu(stages, "the default: no other device was compared by energy".to_string())?])
            }
            DeviceRequest::Any => Ok(vec![self.on_cpu(stages, usual)?]),
            DeviceRequest::Prefer(names) | DeviceRequest::Require(names) if names.contains(SHARED) => {
                self.shared(stages, names, wish.exactness, matches!(place, DeviceRequest::Require(_)))
            }
            DeviceRequest::Require(name) => Ok(vec![self.on(stages, name, wish.exactness, "required")?]),
            DeviceRequest::Prefer(name) => match self.on(stages, name, wish.exactness, "preferred") {
                Err(error) if error.kind() == ErrorKind::InvalidQuery => Err(error),
                Err(error) => Ok(vec![self.on_cpu(stages, instead(name, error.message()))?]),
                Ok(choice) if Arc::ptr_eq(&choice.station, &self.0.devices.cpu) => Ok(vec![choice]),
                Ok(choice) => Ok([Ok(choice), self.on_cpu(stages, usual)].into_iter().flatten().collect()),
            },
        }
    }

    /// Devices that share a query: all of them, all but the first, and so on; then the CPU, unless they are required. Of
    /// preferred ones those that do not take it are left out.
    fn shared(
        &self,
        stages: &[Stage],
        names: &str,
        exactness: Option<Exactness>,
        is_required: bool,
    ) -> Result<Vec<Placement>> {
        let why = if is_required { "required" } else { "preferred" };
        let (mut taken, mut refused) = (Vec::new(), None);
        for name in names.split(SHARED).map(str::trim) {
            match self.on(stages, name, exactness, why) {
                Err(error) if is_required || error.kind() == ErrorKind::InvalidQuery => return Err(error),
                Err(error) => refused = Some(instead(name, error.message())),
                Ok(choice) if taken.iter().any(|one: &Placement| Arc::ptr_eq(&one.station, &choice.station)) => {}
                Ok(choice) => taken.push(choice),
            }
        }
        let ends_on_cpu = taken.last().is_some_and(|choice| Arc::ptr_eq(&choice.station, &self.0.devices.cpu));
        let mut choices = Vec::new();
        for first in 0..taken.len() {
            let again = |choice: &Placement| Placement::new(&choice.station, choice.why.clone(), stages);
            let mut choice = again(&taken[first]);
            choice.beside = taken[first + 1..].iter().map(again).collect();
            if !choice.beside.is_empty() {
                let instead_of = Some(choice.names());
                let alone = |choice: &Placement| Placement { instead_of: instead_of.clone(), ..again(choice) };
                choice.alone = taken[first..].iter().map(alone).collect();
            }
            choices.push(choice);
        }
        if !is_required && !ends_on_cpu {
            let usual = refused.unwrap_or_else(|| "the default: no device was asked for".to_string());
            choices.extend(self.on_cpu(stages, usual));
        }
        if choices.is_empty() { Err(Error::internal("a shared query without a device")) } else { Ok(choices) }
    }

    /// A device by its name.
    pub(super) fn station(&self, name: &str) -> Result<&Arc<DeviceHandle>> {
        self.0.devices.find(name).map_err(|reason| unknown(name, &reason))
    }

    pub(super) fn on_cpu(&self, stages: &[Stage], why: String) -> Result<Placement> {
        let station = &self.0.devices.cpu;
        for stage in stages {
            station.device.supports(&stage.kernel)?;
        }
        Ok(Placement::new(station, why, stages))
    }

    /// A device of this name, or why it does not take the stages.
    fn on(&self, stages: &[Stage], name: &str, exactness: Option<Exactness>, why: &str) -> Result<Placement> {
        let station = self.station(name)?;
        for stage in stages {
            self.takes(station, stage, exactness)?;
        }
        Ok(Placement::new(station, why.to_string(), stages))
    }

    /// Checks that a device takes a stage; the error says what it lacks and what to do.
    fn takes(&self, station: &DeviceHandle, stage: &Stage, exactness: Option<Exactness>) -> Result<()> {
        let (name, sink) = (station.name(), stage.kernel.sink.name());
        station.device.supports(&stage.kernel).map_err(|error| match error.kind {
            DeviceErrorKind::Unsupported => Error::unsupported(format!(
                "`{name}` cannot run the query's {sink} stage: {error}; run it on the CPU, or write it without that"
            )),
            DeviceErrorKind::Compile
            | DeviceErrorKind::OutOfMemory
            | DeviceErrorKind::Transient
            | DeviceErrorKind::Lost
            | DeviceErrorKind::Timeout
            | DeviceErrorKind::Stopped
            | DeviceErrorKind::InvalidArgument
            | DeviceErrorKind::Internal => Error::from(error),
        })?;
        let is_bounded = station.device.info().capabilities.exactness == Exactness::Bounded;
        if !is_bounded || exactness.unwrap_or(self.0.exactness) == Exactness::Bounded {
            return Ok(());
        }
        match float_arithmetic(&stage.kernel) {
            None => Ok(()),
            Some(what) => Err(Error::unsupported(format!(
                "`{name}` computes floats within bounds, not to the bit, and the query has {what}: \
                 allow it with `exactness(Exactness::Bounded)` on the query or the session"
            ))),
        }
    }

    /// The programs of a choice, and where they came from; compiled the first time, if need be behind the caller's back
    /// where another choice is left. Others' compilations are waited for within the bounds.
    pub(super) fn ready<'c>(
        &self,
        choice: &'c Placement,
        stages: &[Stage],
        is_last: bool,
        bounds: Option<&WaitLimit<'_>>,
    ) -> Result<(&'c LoadedPrograms, ProgramSources)> {
        if let Some(ready) = choice.at_hand() {
            return Ok((ready, None));
        }
        let waits = is_last || !(choice.compiles_behind || self.0.compile_in_background);
        let (steps, sources) = match waits {
            true => self.programs(stages, &choice.station, bounds)?,
            false => self.programs_at_hand(stages, &choice.station)?,
        };
        let ready = self.make_ready(choice, steps, stages);
        Ok((choice.ready.get_or_init(|| ready), Some(sources.into())))
    }

    /// How long these stages take the devices of a choice.
    pub(super) fn trend(&self, choice: &Placement, stages: &[Stage]) -> Arc<Trend> {
        self.0.telemetry.trend(&choice.names(), choice.station.name(), stages)
    }

    /// The stages of a query, compiled for a device.
    fn make_ready(&self, choice: &Placement, steps: Vec<CompiledStage>, stages: &[Stage]) -> LoadedPrograms {
        let station = &choice.station;
        let describe = |step: &CompiledStage| station.device.describe(step.program.id);
        let decided = PlacementInfo {
            device: choice.instead_of.clone().unwrap_or_else(|| choice.names()),
            why: choice.why.clone(),
            stages: steps.iter().map(|step| step.stage.kernel.sink.name()).collect(),
            programs: steps.iter().map(describe).collect(),
            tally: self.0.telemetry.tallies.of(station.name()),
            trend: self.trend(choice, stages),
            operations_per_row: stages.iter().filter(|stage| reads_source(stage)).map(operations).sum(),
        };
        LoadedPrograms { steps, decided: Arc::new(decided) }
    }
}

fn reads_source(stage: &Stage) -> bool {
    matches!(stage.input, StageInput::Source(_))
}

/// Operations for each row that a stage reads.
fn operations(stage: &Stage) -> f64 {
    Estimate::of(&stage.kernel).ops_per_row.values().sum()
}

/// A device that is not here.
fn unknown(name: &str, reason: &str) -> Error {
    if is_device_name(name) {
        let text = format!("there is no device `{name}` here: {reason}; `Session::devices` lists those that are");
        return Error::unsupported(text);
    }
    let text = format!("there is no device `{name}`: devices are named like `cpu`, `cuda:0`, `vulkan:0`");
    Error::invalid(format!("{text}; `Session::devices` lists those of this machine"))
}
