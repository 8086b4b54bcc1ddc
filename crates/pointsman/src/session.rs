//! [`Session`]: devices, caches and options; and the path of a query, one call per step.
//!
//! [`Session::compile`] turns a plan into stages and the placements that can run them. It does not look at inputs, so
//! prepared queries and the plan cache keep its result. [`Session::answer`] runs a compiled plan on one call's inputs:
//!
//! 1. rank the placements for this call, best first (`select/`);
//! 2. prepare: load the programs of the first placement and wait for its device (`attempt.rs`, `load_programs.rs`);
//! 3. run all stages (`exec/`);
//! 4. after a failure, retry or try the next placement (`fallback.rs`);
//! 5. observe: the selector learns from the time of the run;
//! 6. write the receipt (`telemetry/receipt.rs`).
//!
//! A plan of tables takes these steps for each of its stages (`stages.rs`).

pub(crate) mod advise;
pub(crate) mod async_pool;
mod attempt;
mod calibration_queries;
mod call;
mod diagnostics;
mod failure;
mod fallback;
mod load_programs;
pub(crate) mod options;
mod pinned_columns;
mod process;
pub(crate) mod profile;
pub(crate) mod promise;
mod sharing;
pub(crate) mod stages;
pub(crate) mod verification;

pub(crate) use call::{CallInputs, RunLimits, RunRecord, StartedCall};
pub(crate) use process::inherited;

use crate::cache::Cache;
use crate::data::memory::Pool;
use crate::devices::registry::{DeviceRegistry, DeviceReport};
use crate::error::{Error, Result};
use crate::exec::relational;
use crate::exec::spill::Spill;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::programs::{CompileMode, ProgramsOwner};
use crate::query::Query;
use crate::query::explain::{Explain, StepRecorder};
use crate::query::prepared::{Prepared, PreparedClosure, PreparedResult};
use crate::query::source::Source;
use crate::resilience::attempt_log::{AttemptLog, fallback_reason};
use crate::resilience::clock::Clock;
use crate::resilience::retry::RandomDraws;
use crate::select::{
    LoadedPrograms, Placement, PlacementCursor, PlacementRequest, PlannedRun, QueryCandidates, SelectionInput,
    SelectorService, Timing, names,
};
use crate::telemetry::Telemetry;
use crate::telemetry::receipt::{Cached, PlacementInfo, RareFacts, Receipt};
use advise::QueryFacts;
use arrow_schema::SchemaRef;
use async_pool::AsyncPool;
use attempt::QueryRun;
use options::SessionOptions;
use pointsman_device::fork::Process;
use pointsman_device::{Device, DeviceKind};
use pointsman_ir::expand;
use pointsman_ir::fuse::{Stage, fuse, print_stages};
use pointsman_ir::kernel::Estimate;
use pointsman_ir::passes::{self, Observer, PassOptions};
use pointsman_ir::plan::Plan;
use pointsman_ir::verify;
use stages::CompiledStages;
use std::panic::Location;
use std::sync::Arc;
use verification::Verifier;

/// The entry point: devices, compiled queries, memory and options. Clones are cheap and share everything.
///
/// A session belongs to the process that opened it. In a child that `fork` made, its threads and drivers do not exist:
/// queries fail with [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable), and dropping the session does nothing.
/// Open a session in the child.
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
pub struct Session(pub(crate) Arc<SessionInner>);

pub(crate) struct SessionInner {
    registry: Arc<DeviceRegistry>,
    pub(crate) selector: SelectorService,
    passes: PassOptions,
    plans: Cache<(Plan, PlacementRequest), CompiledPlan>,
    programs: ProgramsOwner,
    pub(crate) telemetry: Telemetry,
    pool: Pool,
    spill: Spill,
    options: SessionOptions,
    clock: Arc<dyn Clock>,
    jitter: RandomDraws,
    verifier: Verifier,
    async_pool: AsyncPool,
    /// The process that opened the session.
    pub(crate) process: Process,
}

/// A plan compiled as far as possible without inputs.
#[expect(clippy::large_enum_variant, reason = "every call of a small query would follow one more pointer")]
pub(crate) enum CompiledPlan {
    /// A plan over one table, all of whose stages run on one placement.
    Whole(CompiledFragment),
    /// A plan of tables, each of whose stages runs on a placement of its own (`stages.rs`).
    Stages(CompiledStages),
}

impl CompiledPlan {
    /// The parts of the plan, in order.
    pub(crate) fn fragments(&self) -> &[CompiledFragment] {
        match self {
            CompiledPlan::Whole(fragment) => std::slice::from_ref(fragment),
            CompiledPlan::Stages(stages) => &stages.fragments,
        }
    }
}

impl CompiledPlan {
    /// The call as each part sees it: how many rows a stage of a plan of tables reads is not known before it runs.
    fn call_of_fragments<'c>(&self, call: Option<SelectionInput<'c>>) -> Option<SelectionInput<'c>> {
        call.filter(|_| matches!(self, CompiledPlan::Whole(_)))
    }
}

/// The part of a plan that one placement runs: its stages, and the placements that can run them.
pub(crate) struct CompiledFragment {
    candidates: QueryCandidates,
    /// The CPU placement that checks the answers of other devices; `None` if none are checked.
    verifier_placement: Option<Placement>,
}

impl Session {
    /// Opens a session with the default options; [`SessionOptions`] changes them. Queries run on the device that is
    /// expected to finish first, unless they prefer or require one. Device discovery never blocks these queries: it
    /// starts in the background with the first query that should take the CPU longer than 1 ms, or when many shorter
    /// ones have run; until it finishes, the CPU answers. A query that names a device, and [`Session::discover`], look
    /// for devices at once and wait for them.
    pub fn open() -> Result<Session> {
        SessionOptions::new().open()
    }

    /// The options that the session was opened with, including the devices, the preferred device and the watts that the
    /// environment supplied.
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

    /// Compiles a query once, to run it on many inputs. The closure takes columns and scalar parameters and returns
    /// rows, folds or running folds. See [`Prepared`].
    #[track_caller]
    pub fn prepare<A, F: PreparedClosure<A>>(
        &self,
        f: F,
    ) -> Result<Prepared<A, <F::Output as PreparedResult>::Unfiltered>> {
        Prepared::new(self, None, &f, Location::caller())
    }

    /// Compiles a query over record batches of this schema once, to run it on many of them. The first argument of the
    /// closure is [`Columns`](crate::Columns); scalars and tables may follow.
    ///
    /// ```
    /// # use pointsman::{Columns, Param, Session};
    /// # use pointsman::arrow::array::{ArrayRef, Float64Array, RecordBatch};
    /// # use std::sync::Arc;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let s = Session::open()?;
    /// let price: ArrayRef = Arc::new(Float64Array::from(vec![1.5, 2.0]));
    /// let trades = RecordBatch::try_from_iter([("price", price)])?;
    /// let total = s.prepare_for(&trades.schema(), |t: Columns, rate: Param<f64>| (t.col::<f64>("price") * rate).sum())?;
    /// assert_eq!(*total.run(&trades, 2.0)?, 7.0);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn prepare_for<A, F: PreparedClosure<A>>(
        &self,
        schema: &SchemaRef,
        f: F,
    ) -> Result<Prepared<A, <F::Output as PreparedResult>::Unfiltered>> {
        Prepared::new(self, Some(schema), &f, Location::caller())
    }

    /// The devices discovered so far, the reasons why other kinds are missing, and the kinds that are still
    /// undiscovered. Loads no driver; [`Session::discover`] does.
    pub fn devices(&self) -> DeviceReport {
        self.0.registry.report()
    }

    /// Looks for every kind of device and returns the report. Loading the drivers takes up to half a second, once per
    /// process. The session then chooses among the devices, and measures them in the background. Without this call, the
    /// first query that should take a CPU core at least 1 ms, or many shorter ones, start the same search in the
    /// background.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// let s = pointsman::SessionOptions::new().devices(["cpu"]).open()?;
    /// assert_eq!(s.discover().names().collect::<Vec<_>>(), ["cpu"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn discover(&self) -> DeviceReport {
        // The drivers of a child that `fork` made belong to its parent.
        if self.0.process.is_same() {
            self.0.registry.discover_all();
            self.0.selector.discover_now();
        }
        self.devices()
    }

    /// The device of this name, for programs that use its low-level interface. A missing device is an error that says
    /// why.
    pub fn device(&self, name: &str) -> Result<Arc<dyn Device>> {
        self.0.selector.handle(name).map(|handle| handle.device.clone())
    }

    /// The bytes of columns that are spilled to disk now.
    pub fn spilled_bytes(&self) -> u64 {
        self.0.spill.used_bytes()
    }

    /// Whether both are one session.
    pub(crate) fn is_same(&self, other: &Session) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Starts the clock of a call.
    pub(crate) fn start(&self, limits: &RunLimits) -> StartedCall {
        let deadline = limits.deadline.map(|time| self.0.clock.now().saturating_add(time));
        StartedCall { timer: PhaseTimer::start(), deadline }
    }

    /// The compiled form of a plan: from the cache, or compiled and cached now.
    pub(crate) fn compile_cached(
        &self,
        plan: &Plan,
        request: &PlacementRequest,
        timer: &mut PhaseTimer,
    ) -> Result<(Arc<CompiledPlan>, Cached)> {
        self.check_process()?;
        let key = (plan.clone(), request.clone());
        if let Some(compiled) = self.0.plans.get(&key) {
            timer.lap(Phase::Plan);
            return Ok((compiled, Cached::Hit));
        }
        let compiled = Arc::new(self.compile(plan.clone(), request, timer, &mut StepRecorder::none())?);
        Ok((self.0.plans.put(key, compiled), Cached::Miss))
    }

    /// Compiles a plan to its stages and the placements that can run them. Independent of inputs.
    pub(crate) fn compile(
        &self,
        plan: Plan,
        request: &PlacementRequest,
        timer: &mut PhaseTimer,
        steps: &mut StepRecorder<'_>,
    ) -> Result<CompiledPlan> {
        self.check_process()?;
        verify::plan(&plan)?;
        steps.after("plan", &plan);
        timer.lap(Phase::Plan);
        let plan = expand::run(&plan)?;
        steps.after("expand", &plan);
        let plan = passes::run(plan, &self.0.passes, steps)?;
        timer.lap(Phase::Passes);
        let stages = fuse(&plan)?;
        steps.note("fuse", || describe_wiring(&stages));
        timer.lap(Phase::Fuse);
        record_kernels(&stages, steps);
        let stages = relational::expect_unique_keys(stages);
        let fragment = |stages| {
            let candidates = self.0.selector.candidates(stages, request)?;
            let verifier_placement = self.verifier_placement(&candidates);
            Ok(CompiledFragment { candidates, verifier_placement })
        };
        let compiled = if relational::is_relational(&stages) {
            let fragments = stages.into_iter().map(|stage| fragment(vec![stage])).collect::<Result<_>>()?;
            CompiledPlan::Stages(CompiledStages::new(fragments))
        } else {
            CompiledPlan::Whole(fragment(stages)?)
        };
        timer.lap(Phase::Compile);
        Ok(compiled)
    }

    /// Answers one call of a compiled plan. This is the whole path from inputs to the receipt.
    pub(crate) fn answer(
        &self,
        compiled: &CompiledPlan,
        plan: Cached,
        call: CallInputs<'_>,
        mut record: RunRecord<'_>,
    ) -> Result<Receipt> {
        self.check_process()?;
        let compiled = match compiled {
            CompiledPlan::Whole(fragment) => fragment,
            CompiledPlan::Stages(stages) => return self.answer_stages(stages, plan, call, record),
        };
        let session = &*self.0;
        let ranking = session.selector.rank(&compiled.candidates, call.selection_input());
        let query = QueryRun { session, compiled, ranking: &ranking, call: &call };
        let (run, loaded) = query.first_success(&mut record)?;
        let slowdown = self.observe(&query, &run, loaded, &mut record);
        let info = placement_info(&loaded.info, &ranking, &record.log);
        let shares = record.shared.as_mut().and_then(|shared| shared.shares.take());
        let (name, attempts) = (call.limits.name.clone(), record.log.attempts);
        let rare = RareFacts { name, sources: record.sources, attempts, slowdown, shares };
        Ok(Receipt {
            info,
            counts: record.counters,
            plan,
            start: record.timer.start,
            times: record.timer.times,
            rare: rare.into_shared(),
            ranked: ranking.into_prediction_handle(),
            home: None,
        })
    }

    /// Records the time of a run for later choices. Returns the time relative to the usual time, if the device has
    /// turned slow.
    #[inline(always)]
    fn observe(
        &self,
        query: &QueryRun<'_>,
        run: &PlannedRun<'_>,
        loaded: &LoadedPrograms,
        record: &mut RunRecord<'_>,
    ) -> Option<f32> {
        let nanoseconds = record.nanoseconds;
        // The time of a run that a device left says nothing about the next one.
        if let Some(shared) = record.shared.as_ref().filter(|shared| !shared.is_incomplete) {
            query.ranking.observe_sharing(Some(shared.time), shared.shares.as_deref().unwrap_or_default());
        }
        query.ranking.close_accounts();
        query.ranking.observe(run, || timing_of(run, record));
        match run.is_shared() {
            // Which devices take part, and how much each does, changes from run to run.
            true => None,
            false => loaded.info.trend.record(query.call.rows_touched(), nanoseconds),
        }
    }

    /// Loads programs before the first run, for the first placement where loading succeeds, and describes them.
    pub(crate) fn load_programs(
        &self,
        compiled: &CompiledPlan,
        call: Option<SelectionInput<'_>>,
        steps: &mut StepRecorder<'_>,
    ) -> Result<()> {
        let call = compiled.call_of_fragments(call);
        let fragments = compiled.fragments();
        let number_of = |number: usize| (fragments.len() > 1).then_some(number);
        let mut numbered = fragments.iter().enumerate();
        numbered.try_for_each(|(number, fragment)| self.load_fragment(fragment, number_of(number), call, steps))
    }

    fn load_fragment(
        &self,
        compiled: &CompiledFragment,
        stage: Option<usize>,
        call: Option<SelectionInput<'_>>,
        steps: &mut StepRecorder<'_>,
    ) -> Result<()> {
        let placements = &compiled.candidates.requested;
        let mut failed: Option<(&str, Error)> = None;
        for (number, placement) in placements.iter().enumerate() {
            let is_last = number + 1 == placements.len();
            let mode = if is_last { CompileMode::Wait } else { CompileMode::MayReturn };
            let loaded = match self.0.load(placement, &compiled.candidates.stages, mode, None) {
                Ok((loaded, _)) => loaded,
                Err(error) => {
                    failed = Some((placement.device(), error));
                    continue;
                }
            };
            let why = failed.map_or(placement.why.clone(), |(name, error)| fallback_reason(name, error.message()));
            let text = stage.map_or(String::new(), |stage| format!("stage {stage}: "));
            steps.note("choice", || format!("{text}{}: {why}", names(compiled.candidates.sharing_from(number))));
            steps.note("program", || placement.describe(loaded, stage.unwrap_or(0), call.map(|call| call.rows)));
            return Ok(());
        }
        Err(failed.map_or_else(|| Error::internal("a query without a device"), |(_, error)| error))
    }

    /// Describes every step of the path up to the programs, or the error that ends it. Predicts times for this call, or
    /// for several sizes if there is none.
    pub(crate) fn explain(&self, QueryFacts { plan, request, call, .. }: QueryFacts<'_>) -> Explain {
        let mut explain = Explain::default();
        let steps = &mut StepRecorder::of(&mut explain);
        let compiled = self.compile(plan.clone(), request, &mut PhaseTimer::start(), steps);
        let explained = compiled.and_then(|compiled| {
            let fragments = compiled.fragments();
            for (number, CompiledFragment { candidates, .. }) in fragments.iter().enumerate() {
                let stage = if fragments.len() > 1 { format!("stage {number}: ") } else { String::new() };
                for (step, text) in self.0.selector.explain(candidates, compiled.call_of_fragments(call)) {
                    steps.note(step, || format!("{stage}{text}"));
                }
            }
            self.load_programs(&compiled, call, steps)?;
            for CompiledFragment { candidates, .. } in compiled.fragments() {
                let call = compiled.call_of_fragments(call);
                if let Some(text) = call.and_then(|call| self.0.selector.explain_sharing(candidates, &call)) {
                    steps.note("sharing", || text);
                }
            }
            Ok(())
        });
        if let Err(error) = explained {
            explain.error(&error);
        }
        explain
    }

    fn verifier_placement(&self, candidates: &QueryCandidates) -> Option<Placement> {
        let may_be_wrong = |one: &Placement| one.handle.health.is_some();
        let is_checked = candidates.is_automatic || candidates.requested.iter().any(may_be_wrong);
        if !self.0.verifier.is_on() || !is_checked {
            return None;
        }
        self.0.selector.on_cpu(&candidates.stages, "checks another device".to_string()).ok()
    }
}

/// The time of a run, as the selector learns it.
fn timing_of(run: &PlannedRun<'_>, record: &RunRecord<'_>) -> Timing {
    let (rows_out, random_bits) = (record.counters.rows_out, record.timer.last_lap.pseudo_random());
    // Waiting for memory, locks and streams is part of what a device costs. Simulated devices have their own clock.
    let is_simulated = run.placement.handle.device.info().kind == DeviceKind::Sim;
    let nanoseconds = match record.log.attempts.is_empty() && !is_simulated {
        true => record.timer.repeated_time().max(record.nanoseconds),
        false => record.nanoseconds,
    };
    // A long wait shows that others were on the device before.
    let contended = record.contended || !is_simulated && record.timer.time(Phase::Queue) > nanoseconds / 4;
    Timing { nanoseconds, rows_out, contended, is_first: record.sources.is_some(), random_bits }
}

/// The text of a receipt about the placement. If another device failed or was skipped before, `why` has the reason.
#[inline(always)]
fn placement_info(info: &Arc<PlacementInfo>, ranking: &PlacementCursor<'_>, log: &AttemptLog) -> Arc<PlacementInfo> {
    let why = match &log.attempts[..] {
        [] => ranking.why_passed_over(),
        attempts => {
            let before = ranking.previous_device();
            let failed = before.and_then(|name| attempts.iter().rev().find(|attempt| attempt.device == name));
            failed.map(|one| fallback_reason(&one.device, &one.message))
        }
    };
    let device = ranking.sharing_names();
    if why.is_none() && device.is_none() {
        return info.clone();
    }
    let mut info = info.as_ref().clone();
    why.into_iter().for_each(|why| info.why = why);
    device.into_iter().for_each(|device| info.device = device);
    Arc::new(info)
}

/// Describes where each stage reads its input, and its sink.
fn describe_wiring(stages: &[Stage]) -> String {
    let text = print_stages(stages);
    let heads = text.lines().filter_map(|line| line.strip_prefix("# "));
    let lines = heads.zip(stages).map(|(head, stage)| format!("{head} → {}", stage.kernel.sink.name()));
    lines.collect::<Vec<_>>().join("\n")
}

/// Records the kernel and the cost estimate of each stage.
fn record_kernels(stages: &[Stage], steps: &mut StepRecorder<'_>) {
    for (number, stage) in stages.iter().enumerate() {
        steps.note("kernel", || stage.kernel.print());
        steps.note("estimate", || format!("stage {number}: {}", Estimate::of(&stage.kernel)));
    }
}
