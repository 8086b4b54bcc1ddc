//! Loads the programs of a placement: from memory, from the disk, or by compiling. Compiles in the background if
//! another device can answer meanwhile.

use super::attempt::{Attempt, Loaded};
use super::failure::is_counted;
use super::{CompiledFragment, CompiledPlan, Session, SessionInner};
use crate::devices::handle::DeviceHandle;
use crate::error::FailureClass;
use crate::error::{Error, ErrorKind, Result};
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::programs::program::CompiledStage;
use crate::programs::{CompileMode, ProgramSource};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::gate::WaitLimit;
use crate::select::{LoadedPrograms, Placement, reads_source};
use crate::telemetry::receipt::PlacementInfo;
use crate::telemetry::trend::Trend;
use pointsman_ir::fuse::Stage;
use pointsman_ir::kernel::Estimate;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long preparing a query waits for programs of devices other than the CPU: several times as long as a card takes
/// to load a stored one.
const PRELOAD_TIME_MAX: Duration = Duration::from_millis(50);

/// Compiled stages, and where each program came from.
type Programs = (Vec<CompiledStage>, Vec<ProgramSource>);

impl Attempt<'_> {
    /// Loads the programs of a placement at its first attempt; an error if an open breaker refuses the query.
    #[cold]
    pub(super) fn load<'p>(&self, placement: &'p Placement, timer: &mut PhaseTimer) -> Result<Loaded<'p>> {
        let (session, handle) = (self.query.session, &*placement.handle);
        if let Some(health) = &handle.health {
            health.check_breakers(handle.name(), &placement.kernels, &*session.clock)?;
        }
        let loaded = self.load_or_wait(placement);
        timer.lap(Phase::Compile);
        match loaded {
            Err(error) if FailureClass::of(&error).is_device_failure() => {
                session.record_refusal(placement, &self.query.compiled.candidates.stages, &error);
                session.close_hung_device(handle);
                if let (true, Some(health)) = (is_counted(&error), &handle.health) {
                    health.record_failure(&*session.clock);
                }
                Err(error)
            }
            Ok(_) | Err(_) => {
                self.check_limits()?;
                if self.limits.until.is_some_and(|until| session.clock.now() >= until) {
                    return Err(self.out_of_time(handle, "compiled"));
                }
                loaded
            }
        }
    }

    /// Loads programs. Waits for a background compilation only if every other device would take much longer. After one
    /// such wait has failed, later queries use other devices until the programs are ready; queries with a deadline then
    /// do not wait for this device at all.
    fn load_or_wait<'p>(&self, placement: &'p Placement) -> Result<Loaded<'p>> {
        let (session, limit) = (self.query.session, self.wait_limit());
        let stages = &self.query.compiled.candidates.stages[..];
        let mode = if self.limits.is_last { CompileMode::Wait } else { CompileMode::MayReturn };
        let loaded = session.load(placement, stages, mode, Some(&limit));
        let has_missed = placement.missed_compile_deadline.load(Ordering::Relaxed);
        if mode == CompileMode::MayReturn && loaded.as_ref().is_err_and(is_busy) && is_late(&limit) {
            placement.missed_compile_deadline.store(true, Ordering::Relaxed);
            return loaded;
        }
        if mode == CompileMode::Wait || has_missed || !loaded.as_ref().is_err_and(is_busy) {
            return loaded;
        }
        placement.passed_while_compiling.fetch_max(1, Ordering::Relaxed);
        let Some(wait) = self.query.ranking.worth_waiting(placement) else { return loaded };
        let latest = limit.clock.now().saturating_add(wait);
        let limit = WaitLimit { until: Some(limit.until.map_or(latest, |until| until.min(latest))), ..limit };
        let waited = session.load(placement, stages, CompileMode::Wait, Some(&limit));
        placement.missed_compile_deadline.store(waited.as_ref().is_err_and(is_busy), Ordering::Relaxed);
        waited
    }
}

impl Session {
    /// Loads the programs of the devices where a query ran before, so that its first calls can go there. Waits no
    /// longer than [`PRELOAD_TIME_MAX`]; the rest is loaded in the background. The placements get their programs with
    /// their first run.
    pub(crate) fn preload(&self, compiled: &CompiledPlan) {
        let until = self.0.clock.now().saturating_add(PRELOAD_TIME_MAX);
        compiled.fragments().iter().for_each(|fragment| self.preload_fragment(fragment, until));
    }

    fn preload_fragment(&self, compiled: &CompiledFragment, until: Duration) {
        let candidates = &compiled.candidates;
        let (known, clock) = (self.0.selector.known_placements(candidates), &*self.0.clock);
        for placement in known {
            // If loading fails, the first calls go elsewhere, and their receipts say why.
            let limit = WaitLimit { clock, until: Some(until), token: None };
            let loaded = self.0.load_stages(&candidates.stages, &placement.handle, CompileMode::Wait, Some(&limit));
            if loaded.is_err_and(|error| is_busy(&error)) {
                // If too many compilations run, a call that wants the device starts this one.
                let start = |stage: &Stage| self.0.programs.start(&stage.kernel, &placement.handle.device);
                let _ = candidates.stages.iter().all(start);
            }
        }
    }
}

impl SessionInner {
    /// The programs of a placement, loaded on the first call. Waits within the limit for programs that others compile.
    pub(super) fn load<'p>(
        &self,
        placement: &'p Placement,
        stages: &[Stage],
        mode: CompileMode,
        limit: Option<&WaitLimit<'_>>,
    ) -> Result<Loaded<'p>> {
        if let Some(loaded) = placement.loaded() {
            return Ok((loaded, None));
        }
        let was_late = limit.is_some_and(|limit| limit.until.is_some())
            && placement.missed_compile_deadline.load(Ordering::Relaxed);
        let is_background = placement.compiles_in_background || self.options.compile_in_background || was_late;
        let mode = if is_background { mode } else { CompileMode::Wait };
        let (compiled, sources) = self.load_stages(stages, &placement.handle, mode, limit)?;
        let info = self.placement_info(placement, &compiled);
        let loaded = placement.keep_loaded(LoadedPrograms { stages: compiled, info: Arc::new(info) });
        Ok((loaded, Some(sources.into())))
    }

    /// Programs for all stages. With `MayReturn`, starts compiling the missing ones and returns a `Busy` error. With
    /// `Wait`, waits for them; once the limit is reached it returns `Busy`, and compilations that have started continue
    /// for later queries.
    fn load_stages(
        &self,
        stages: &[Stage],
        handle: &DeviceHandle,
        mode: CompileMode,
        limit: Option<&WaitLimit<'_>>,
    ) -> Result<Programs> {
        let (mut compiled, mut sources) = (Vec::with_capacity(stages.len()), Vec::with_capacity(stages.len()));
        for stage in stages {
            if mode == CompileMode::Wait && limit.is_some_and(is_reached) {
                break;
            }
            match self.programs.get(&stage.kernel, &handle.device, mode, limit)? {
                Some((program, source)) => {
                    compiled.push(CompiledStage::new(stage.clone(), program));
                    sources.push(source);
                }
                None if mode == CompileMode::Wait => break,
                None => {}
            }
        }
        if compiled.len() == stages.len() {
            return Ok((compiled, sources));
        }
        let text = match mode {
            CompileMode::Wait => "it was still compiling the query when its time was over",
            CompileMode::MayReturn => {
                "it is still compiling the query in the background: run the query again, or wait for it with `require`"
            }
        };
        Err(Error::new(ErrorKind::Busy, text))
    }

    /// Closes a device whose driver has not returned from a compilation within the compile timeout: it may hold locks
    /// that every later call would wait for, even the call that frees a resident column.
    fn close_hung_device(&self, handle: &DeviceHandle) {
        if let (Some(health), Err(hung)) = (&handle.health, self.programs.check_driver(&*handle.device)) {
            health.close(handle.name(), FailureClass::Timeout, &hung.message);
        }
    }

    /// The text of receipts about a placement.
    fn placement_info(&self, placement: &Placement, compiled: &[CompiledStage]) -> PlacementInfo {
        let stages = || compiled.iter().map(|stage| &stage.stage);
        let operations = |stage: &Stage| {
            let estimate = Estimate::of(&stage.kernel);
            estimate.ops_per_row.values().sum::<f64>() + estimate.call_ops_per_row
        };
        PlacementInfo {
            device: placement.device().to_string(),
            why: placement.why.clone(),
            stages: stages().map(|stage| stage.kernel.sink.name()).collect(),
            stage_devices: Vec::new(),
            programs: compiled.iter().map(|stage| placement.handle.device.describe(stage.program.id)).collect(),
            counters: self.telemetry.counters.of(placement.device()),
            trend: self.trend(placement, stages()),
            operations_per_row: stages().filter(|stage| reads_source(stage)).map(operations).sum(),
        }
    }

    /// The trend of the time that the device of a placement takes for these stages.
    pub(super) fn trend<'s>(&self, placement: &Placement, stages: impl Iterator<Item = &'s Stage>) -> Arc<Trend> {
        let kernels = stages.map(|stage| stage.kernel.clone()).collect();
        self.telemetry.trend(placement.device(), kernels)
    }

    /// Remembers that the compiler of a device refused a kernel of the query, until it may be compiled again.
    #[cold]
    fn record_refusal(&self, placement: &Placement, stages: &[Stage], error: &Error) {
        if !matches!(FailureClass::of(error), FailureClass::Compile | FailureClass::Unsupported) {
            return;
        }
        for (number, stage) in stages.iter().enumerate() {
            if let Some(until) = self.programs.refused_until(&stage.kernel, &*placement.handle.device) {
                placement.kernels.record_refusal(number, until, error.message());
            }
        }
    }
}

/// Whether the query was cancelled or the limit has passed.
fn is_reached(limit: &WaitLimit<'_>) -> bool {
    limit.token.is_some_and(CancellationToken::is_cancelled) || is_late(limit)
}

/// Whether the time of the limit has passed.
fn is_late(limit: &WaitLimit<'_>) -> bool {
    limit.until.is_some_and(|until| limit.clock.now() >= until)
}

fn is_busy(error: &Error) -> bool {
    error.kind() == ErrorKind::Busy
}
