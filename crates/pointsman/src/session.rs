//! [`Session`]: devices, caches, options; and the whole path of a query, one line a step.
//!
//! The path has two halves. [`Session::compile`] goes from the plan to the devices that take it and does not look at the
//! inputs, so a prepared query and the plan cache keep what it made. [`Session::answer`] (`session/attempt.rs`) tries those
//! devices: it compiles for the first that works, and goes from inputs to results.

pub(crate) mod advise;
mod async_pool;
mod attempt;
pub(crate) mod bid;
pub(crate) mod calibrate;
mod choice;
mod diagnostics;
mod guide;
mod keep;
mod metering;
pub(crate) mod options;
pub(crate) mod policy;
pub(crate) mod profile;
pub(crate) mod promise;
mod scout;
pub(crate) mod shadow;
mod sharing;
mod shut;
mod supply;
mod survey;
mod turn;
mod watts;

pub(crate) use attempt::{RunLimits, RunRecord, SharedRun, StartedCall};
pub(crate) use choice::{Call, DeviceRequest};

use crate::cache::Cache;
use crate::data::input::Input;
use crate::data::memory::Pool;
use crate::devices::registry::{DeviceRegistry, DeviceReport};
use crate::error::{Error, Result};
use crate::exec::sharing::pacing::Paces;
use crate::exec::spill::Spill;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::programs::ProgramsOwner;
use crate::query::Query;
use crate::query::build::PlanBuilder;
use crate::query::explain::{Explain, StepRecorder};
use crate::query::prepared::{Prepared, PreparedClosure, PreparedResult};
use crate::query::source::Source;
use crate::resilience::attempt_log::instead;
use crate::resilience::clock::Clock;
use crate::resilience::retry::Jitter;
use crate::select::sharing::ways::Ways;
use crate::session::async_pool::{AsyncPool, Task, TaskHandle};
use crate::telemetry::Telemetry;
use crate::telemetry::receipt::Cached;
use choice::{AutomaticChoice, Placement};
use guide::SelectorService;
use options::SessionOptions;
use pointsman_device::{Device, Exactness};
use pointsman_ir::fuse::{Stage, fuse, print_stages};
use pointsman_ir::kernel::Estimate;
use pointsman_ir::passes::{self, PassOptions};
use pointsman_ir::plan::Plan;
use pointsman_ir::verify;
use shadow::Shadow;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

/// The entry point: devices, compiled queries, memory and options. Clones are cheap and share everything.
///
/// ```
/// # fn main() -> pointsman::Result<()> {
/// let s = pointsman::Session::open()?;
/// let prices = vec![12.0f32, 8.0, 31.5];
/// let total = s.from(&prices).filter(|p| p.gt(10.0)).map(|p| 2.0 * p).sum()?;
/// assert_eq!(total, 87.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Session(Arc<SessionInner>);

struct SessionInner {
    devices: Arc<DeviceRegistry>,
    guide: SelectorService,
    passes: PassOptions,
    plans: Cache<(Plan, PlacementRequest), CompiledPlan>,
    programs: ProgramsOwner,
    telemetry: Telemetry,
    pool: Pool,
    spill: Spill,
    options: SessionOptions,
    clock: Arc<dyn Clock>,
    jitter: Jitter,
    shadow: Shadow,
    office: AsyncPool,
    /// How fast devices are that share queries, and what whole queries take them.
    paces: Paces,
    ways: Ways,
}

/// Where a query may run, and how exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PlacementRequest {
    pub(crate) place: DeviceRequest,
    /// `None`: as the session says.
    pub(crate) exactness: Option<Exactness>,
}

/// A plan as far as it can be prepared without its inputs: its stages, and the devices that take them.
pub(crate) struct CompiledPlan {
    stages: Vec<Stage>,
    /// The devices in order; for queries that name none, those until others are known.
    choices: Vec<Placement>,
    /// For queries that name none, and for what runs of the others teach.
    auto: AutomaticChoice,
    /// The CPU, where other devices' answers are checked.
    shadow: Option<Placement>,
}

impl Session {
    /// Opens a session with the default options; [`SessionOptions`] changes them. Queries run on the device that is expected to
    /// finish first, unless they prefer or require one. Device discovery never blocks a query: it starts in the background with
    /// the first query that takes longer than 1 ms, and until it finishes the CPU answers. Naming or listing devices starts it
    /// at once.
    pub fn open() -> Result<Session> {
        SessionOptions::new().open()
    }

    /// The options that the session was opened with. Where the environment supplied the devices, the preferred device or
    /// the watts, these are filled in.
    pub fn options(&self) -> &SessionOptions {
        &self.0.options
    }

    /// Starts a query over a source. See [`Source`] for the types that it reads.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[1.5f64, 2.5]).map(|x| x * x).sum()?, 8.5);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn from<'a, S: Source<'a>>(&self, source: S) -> Query<'a, S::Row> {
        Query::open(self, source, Location::caller())
    }

    /// Compiles a query once, to run it on many inputs. The closure takes columns and scalar parameters and returns rows, folds
    /// or running folds. See [`Prepared`].
    #[track_caller]
    pub fn prepare<A, F: PreparedClosure<A>>(
        &self,
        f: F,
    ) -> Result<Prepared<A, <F::Output as PreparedResult>::Unfiltered>> {
        Prepared::new(self, &f, Location::caller())
    }

    /// The devices of this session, and for each missing kind the reason. The first call waits for device discovery.
    pub fn devices(&self) -> DeviceReport {
        self.0.devices.report()
    }

    /// The device of this name, for programs that use its low-level interface. A missing device is an error that says why.
    pub fn device(&self, name: &str) -> Result<Arc<dyn Device>> {
        self.station(name).map(|station| station.device.clone())
    }

    /// The bytes of columns that are spilled to disk now.
    pub fn spilled_bytes(&self) -> u64 {
        self.0.spill.used_bytes()
    }

    /// Has a task run by a thread of the session.
    pub(crate) fn submit(&self, task: Task) -> Result<TaskHandle> {
        self.0.office.submit(task)
    }

    /// The path of a query up to the devices that take it, one line a step. What it decides does not depend on the inputs.
    pub(crate) fn compile(
        &self,
        plan: Plan,
        wish: &PlacementRequest,
        watch: &mut PhaseTimer,
        notes: &mut StepRecorder<'_>,
    ) -> Result<CompiledPlan> {
        notes.plan(&plan);
        verify::plan(&plan)?;
        watch.lap(Phase::Plan);
        let plan = passes::run(plan, &self.0.passes, notes)?;
        watch.lap(Phase::Passes);
        let stages = fuse(&plan)?;
        notes.note("fuse", || wiring(&stages));
        watch.lap(Phase::Fuse);
        check(&stages, notes)?;
        let choices = self.choices(&stages, wish)?;
        let auto = AutomaticChoice::new(&stages, wish.exactness, self.is_open(wish));
        let shadow = self.shadow_of(&stages, &choices, auto.is_open);
        watch.lap(Phase::Compile);
        Ok(CompiledPlan { stages, choices, auto, shadow })
    }

    /// The step behind it, ahead of the first run: programs for the first device that has them, and how they run over the
    /// rows of a call.
    pub(crate) fn program(&self, compiled: &CompiledPlan, call: Call<'_>, notes: &mut StepRecorder<'_>) -> Result<()> {
        let mut failed: Option<(&str, Error)> = None;
        for (number, choice) in compiled.choices.iter().enumerate() {
            let is_last = number + 1 == compiled.choices.len();
            let ready = match self.ready(choice, &compiled.stages, is_last, None) {
                Ok((ready, _)) => ready,
                Err(error) => {
                    failed = Some((choice.station.name(), error));
                    continue;
                }
            };
            let why = failed.map_or(choice.why.clone(), |(name, error)| instead(name, error.message()));
            notes.note("choice", || format!("{}: {why}", ready.decided.device));
            notes.note("program", || choice.describe(ready, call.map(|(_, rows)| rows)));
            return Ok(());
        }
        Err(failed.map_or_else(|| Error::internal("a query without a device"), |(_, error)| error))
    }

    /// Writes down every step of the path up to the programs, or the error that ends it. What devices should take is told
    /// for this call, or for several sizes.
    pub(crate) fn explain(&self, plan: Plan, wish: &PlacementRequest, call: Call<'_>, explain: &mut Explain) {
        let notes = &mut StepRecorder::of(explain);
        let compiled = self.compile(plan, wish, &mut PhaseTimer::start(), notes);
        let explained = compiled.and_then(|compiled| {
            self.explain_ranking(&compiled, call, notes);
            self.program(&compiled, call, notes)?;
            self.explain_ways(&compiled, call.map(|(_, rows)| rows), notes);
            Ok(())
        });
        if let Err(error) = explained {
            explain.error(&error);
        }
    }

    /// The compiled form of a plan, from the cache if it is there.
    pub(crate) fn compiled(
        &self,
        plan: &Plan,
        wish: &PlacementRequest,
        watch: &mut PhaseTimer,
    ) -> Result<(Arc<CompiledPlan>, Cached)> {
        let key = (plan.clone(), wish.clone());
        if let Some(compiled) = self.0.plans.get(&key) {
            watch.lap(Phase::Plan);
            return Ok((compiled, Cached::Hit));
        }
        let compiled = Arc::new(self.compile(plan.clone(), wish, watch, &mut StepRecorder::none())?);
        Ok((self.0.plans.put(key, compiled), Cached::Miss))
    }
}

/// Where each stage's inputs come from, and its sink.
fn wiring(stages: &[Stage]) -> String {
    let text = print_stages(stages);
    let heads = text.lines().filter_map(|line| line.strip_prefix("# "));
    let lines = heads.zip(stages).map(|(head, stage)| format!("{head} → {}", stage.kernel.sink.name()));
    lines.collect::<Vec<_>>().join("\n")
}

/// Every kernel keeps the invariants and has code for every operation.
fn check(stages: &[Stage], notes: &mut StepRecorder<'_>) -> Result<()> {
    for (number, stage) in stages.iter().enumerate() {
        verify::kernel(&stage.kernel).map_err(|error| Error::internal(error.message))?;
        notes.note("kernel", || stage.kernel.print());
        notes.note("estimate", || format!("stage {number}: {}", Estimate::of(&stage.kernel)));
        verify::runnable(&stage.kernel)?;
    }
    Ok(())
}

/// What a run needs beside the compiled plan.
#[derive(Clone, Copy)]
pub(crate) struct CallInputs<'a> {
    pub(crate) captured: &'a PlanBuilder,
    pub(crate) inputs: &'a [Input<'a>],
    pub(crate) params: &'a [Option<pointsman_ir::types::Scalar>],
    pub(crate) rows: usize,
    pub(crate) limits: &'a RunLimits,
    /// The end of its time, counted from the call on.
    pub(crate) deadline: Option<Duration>,
}
