//! [`Session`]: devices, caches, options; and the path of a query, one call a step.
//!
//! [`Session::compile`] goes from a plan to the placements that can run it. It does not look at inputs, so prepared queries
//! and the plan cache keep its result. [`Session::answer`] runs a compiled plan on the inputs of one call:
//!
//! 1. rank: the placements for this call, best first (`select/`);
//! 2. prepare: load the programs of the first placement, wait for its device (`attempt.rs`, `prepare.rs`);
//! 3. run: all stages (`exec/`);
//! 4. on a failure: retry, or the next placement (`resilience/fallback.rs`);
//! 5. observe: the selector learns what the run took;
//! 6. the receipt says what happened (`telemetry/receipt.rs`).

pub(crate) mod advise;
mod async_pool;
mod attempt;
mod calibration_queries;
mod call;
mod diagnostics;
mod failure;
mod keep;
mod options;
mod prepare;
pub(crate) mod profile;
pub(crate) mod promise;
mod sharing;
pub(crate) mod verification;

pub(crate) use call::{CallInputs, RunLimits, RunRecord, StartedCall};

use crate::cache::Cache;
use crate::data::memory::Pool;
use crate::devices::registry::{DeviceOptions, DeviceRegistry, DeviceReport};
use crate::error::{Error, Result};
use crate::exec::spill::{Spill, SpillOptions};
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::programs::{Programs, ProgramsOwner, StoreOptions};
use crate::query::Query;
use crate::query::explain::{Explain, StepRecorder};
use crate::query::prepared::{Outcome, Prepared, Shape};
use crate::query::source::Source;
use crate::resilience::attempt_log::fallback_reason;
use crate::resilience::clock::{Clock, SystemClock};
use crate::resilience::fallback::{GaveUp, RetryPolicy, first_success};
use crate::resilience::options::Options;
use crate::resilience::retry::Jitter;
use crate::select::{
    Call, Placement, PlacementRequest, PlannedRun, Policy, QueryCandidates, SelectionRules, SelectorService,
    ServiceOptions, StatedWatts, StrategyTiming, Timing, environment_names, environment_variable, resolve_watts,
};
use crate::telemetry::Telemetry;
use crate::telemetry::device_counters::{DeviceCounterSet, MetricsConfig};
use crate::telemetry::receipt::{Cached, PlacementInfo, Receipt, ReceiptParts};
use async_pool::{AsyncPool, Task, TaskHandle};
use attempt::{Loaded, QueryRun};
use pointsman_device::cpu::CpuOptions;
use pointsman_device::{Device, Exactness};
use pointsman_ir::fuse::{Stage, fuse, print_stages};
use pointsman_ir::kernel::Estimate;
use pointsman_ir::passes::{self, PassOptions};
use pointsman_ir::plan::Plan;
use pointsman_ir::verify;
use prepare::CompileMode;
use std::hash::{BuildHasher, RandomState};
use std::panic::Location;
use std::sync::Arc;
use verification::Verifier;

/// The most plans that a session keeps compiled.
const PLANS_MAX: usize = 512;

/// The most threads that a session asks for.
const THREADS_MAX: usize = 1024;

/// The user's handle: devices, caches, options. Cheap to clone; clones share everything.
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
    compile_in_background: bool,
    pub(crate) telemetry: Telemetry,
    pool: Pool,
    spill: Spill,
    options: Options,
    clock: Arc<dyn Clock>,
    jitter: Jitter,
    verifier: Verifier,
    async_pool: AsyncPool,
}

/// A plan compiled as far as possible without inputs: its stages, and the placements that can run them.
pub(crate) struct CompiledPlan {
    stages: Vec<Stage>,
    candidates: QueryCandidates,
    /// The CPU, where answers of other devices are checked.
    shadow: Option<Placement>,
}

/// How a session is opened.
#[derive(Clone, Debug, Default)]
pub struct SessionBuilder {
    pub(crate) cpu: CpuOptions,
    devices: DeviceOptions,
    preferred: Option<String>,
    exactness: Option<Exactness>,
    policy: Option<Policy>,
    among: Option<Vec<String>>,
    watts: StatedWatts,
    passes: PassOptions,
    stored: StoreOptions,
    compile_in_background: bool,
    receipts_kept: usize,
    metrics: Option<bool>,
    options: Options,
    spill: SpillOptions,
    clock: Option<Arc<dyn Clock>>,
}

impl SessionBuilder {
    /// The devices the session may use beside the CPU: names (`cuda:0`) or kinds (`vulkan`). Without it, those that the
    /// environment names (`POINTSMAN_DEVICES=cpu,cuda:0`), or else all of this machine.
    pub fn devices<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> SessionBuilder {
        self.devices.only = Some(names.into_iter().map(str::to_string).collect());
        self
    }

    /// Adds a device of one's own, by the name it has.
    pub fn device(mut self, device: Arc<dyn Device>) -> SessionBuilder {
        self.devices.own.push(device);
        self
    }

    /// The device for queries that name none: as if each said `prefer`. Without it, the one that the environment names
    /// (`POINTSMAN_DEVICE=cuda:0`), or else the CPU. Several that share each query are joined by `+`: `cuda:0+cpu`.
    pub fn prefer(mut self, device: &str) -> SessionBuilder {
        self.preferred = Some(device.to_string());
        self
    }

    /// Whether float arithmetic may run on devices that keep bounds instead of bits (Vulkan, Metal, DirectX 12); exact
    /// unless told. A query can say otherwise.
    pub fn exactness(mut self, exactness: Exactness) -> SessionBuilder {
        self.exactness = Some(exactness);
        self
    }

    /// How the session treats devices that are busy or fail. See [`Options`].
    pub fn options(mut self, options: Options) -> SessionBuilder {
        self.options = options;
        self
    }

    /// The clock that deadlines, breakers and waits go by; the system's unless told.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> SessionBuilder {
        self.clock = Some(clock);
        self
    }

    /// The disk that columns are spilled to, for tests.
    #[cfg(test)]
    pub(crate) fn spill_to(mut self, create: crate::exec::spill::Create) -> SessionBuilder {
        self.spill.create = create;
        self
    }

    /// Opens the session.
    pub fn open(self) -> Result<Session> {
        if let Some(unknown) = self.passes.disabled.iter().find(|name| !passes::NAMES.contains(&name.as_str())) {
            let names = passes::NAMES.join(", ");
            return Err(Error::invalid(format!("there is no pass `{unknown}`; the passes are {names}")));
        }
        if let Some(threads) = self.cpu.threads.filter(|&threads| threads > THREADS_MAX) {
            return Err(Error::invalid(format!("{threads} threads are too many: ask for 1 to {THREADS_MAX}")));
        }
        let mut rules = SelectionRules::new(self.policy, self.among)?;
        let owned: Vec<&str> = self.devices.own.iter().map(|device| device.info().name.as_str()).collect();
        rules.watts = resolve_watts(&self.watts, &owned, rules.goal)?;
        let mut devices = self.devices;
        devices.limits = self.options.clone();
        devices.only = devices.only.or_else(|| environment_names("POINTSMAN_DEVICES"));
        devices.without = environment_names("POINTSMAN_DISABLE").unwrap_or_default();
        let (registry, pool) = DeviceRegistry::open(self.cpu, devices)?;
        rules.check_energy(&registry)?;
        let registry = Arc::new(registry);
        let counters = Arc::new(DeviceCounterSet::new(MetricsConfig::of(self.metrics, rules.goal)));
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock::start()));
        let programs = Programs::open(self.stored.clone(), clock.clone(), self.options.drop_patience);
        let selector = SelectorService::new(
            ServiceOptions {
                rules,
                preferred: self.preferred.or_else(|| environment_variable("POINTSMAN_DEVICE")),
                exactness: self.exactness.unwrap_or(Exactness::Exact),
                share_time_min: self.options.share_time_min,
                store: self.stored,
                drop_timeout: self.options.drop_patience,
                open_small_queries: calibration_queries::open_small_queries,
            },
            registry.clone(),
            Arc::downgrade(&programs),
            clock.clone(),
            counters.clone(),
        );
        let (directory, bytes_max) = (self.options.spill_directory.clone(), self.options.spill_bytes_max);
        Ok(Session(Arc::new(SessionInner {
            registry,
            selector,
            passes: self.passes,
            plans: Cache::new(PLANS_MAX),
            programs,
            compile_in_background: self.compile_in_background,
            telemetry: Telemetry::new(self.receipts_kept, counters),
            pool,
            spill: Spill::new(SpillOptions { directory, bytes_max, ..self.spill }),
            verifier: Verifier::new(self.options.shadow_share)?,
            async_pool: AsyncPool::new(self.options.async_threads, self.options.async_queue),
            options: self.options,
            clock,
            // Processes that start together must not retry together.
            jitter: Jitter::new(RandomState::new().hash_one(0)),
        })))
    }
}

impl Session {
    /// A session with the usual options: queries run on the device that should be done first, unless they prefer or
    /// require one. Devices are looked for when they are first named or listed, or when a query takes the CPU longer than
    /// a millisecond; until they are found the CPU answers.
    pub fn open() -> Result<Session> {
        Session::builder().open()
    }

    /// A session with options of its own.
    pub fn builder() -> SessionBuilder {
        SessionBuilder::default()
    }

    /// Starts a query over a source.
    #[track_caller]
    pub fn from<'a, S: Source<'a>>(&self, source: S) -> Query<'a, S::Row> {
        Query::open(self, source, Location::caller())
    }

    /// Compiles a query once, to be run on many inputs. See [`Prepared`].
    #[track_caller]
    pub fn prepare<A, F: Shape<A>>(&self, f: F) -> Result<Prepared<A, <F::Output as Outcome>::Yield>> {
        Prepared::new(self, &f, Location::caller())
    }

    /// The devices of this session, and why others are not there. The first call looks for all of them.
    pub fn devices(&self) -> DeviceReport {
        self.0.registry.report()
    }

    /// A device by its name, for those who drive it by hand; an error that says why it is not here.
    pub fn device(&self, name: &str) -> Result<Arc<dyn Device>> {
        self.0.selector.handle(name).map(|handle| handle.device.clone())
    }

    /// Bytes of columns that are on the disk now, because memory does not hold them.
    pub fn spilled_bytes(&self) -> u64 {
        self.0.spill.used_bytes()
    }

    /// Has a task run by a thread of the session.
    pub(crate) fn submit(&self, task: Task) -> Result<TaskHandle> {
        self.0.async_pool.submit(task)
    }

    /// Starts the clock of a call.
    pub(crate) fn start(&self, limits: &RunLimits) -> StartedCall {
        let deadline = limits.deadline.map(|time| self.0.clock.now().saturating_add(time));
        StartedCall { timer: PhaseTimer::start(), deadline }
    }

    /// The compiled form of a plan, from the cache if it is there.
    pub(crate) fn compiled(
        &self,
        plan: &Plan,
        request: &PlacementRequest,
        timer: &mut PhaseTimer,
    ) -> Result<(Arc<CompiledPlan>, Cached)> {
        let key = (plan.clone(), request.clone());
        if let Some(compiled) = self.0.plans.get(&key) {
            timer.lap(Phase::Plan);
            return Ok((compiled, Cached::Hit));
        }
        let compiled = Arc::new(self.compile(plan.clone(), request, timer, &mut StepRecorder::none())?);
        Ok((self.0.plans.put(key, compiled), Cached::Miss))
    }

    /// From a plan to its stages and the placements that can run them. Does not depend on inputs.
    pub(crate) fn compile(
        &self,
        plan: Plan,
        request: &PlacementRequest,
        timer: &mut PhaseTimer,
        steps: &mut StepRecorder<'_>,
    ) -> Result<CompiledPlan> {
        steps.plan(&plan);
        verify::plan(&plan)?;
        timer.lap(Phase::Plan);
        let plan = passes::run(plan, &self.0.passes, steps)?;
        timer.lap(Phase::Passes);
        let stages = fuse(&plan)?;
        steps.note("fuse", || describe_wiring(&stages));
        timer.lap(Phase::Fuse);
        record_kernels(&stages, steps);
        let candidates = self.0.selector.candidates(&stages, request)?;
        let shadow = self.shadow_placement(&stages, &candidates);
        timer.lap(Phase::Compile);
        Ok(CompiledPlan { stages, candidates, shadow })
    }

    /// Answers one call of a compiled plan. This is the whole path from inputs to the receipt.
    pub(crate) fn answer(
        &self,
        compiled: &CompiledPlan,
        plan: Cached,
        call: CallInputs<'_>,
        mut record: RunRecord<'_>,
    ) -> Result<Receipt> {
        let session = &*self.0;
        let ranking = session.selector.rank(&compiled.candidates, &compiled.stages, call.call());
        let query = QueryRun { session, compiled, ranking, call };
        let (run, loaded) = match first_success(&query, &self.retry_policy(&call), &mut record) {
            Ok(success) => success,
            Err(GaveUp::Final) => return Err(record.log.into_last()),
            Err(GaveUp::Exhausted) => return Err(record.log.into_error()),
        };
        let parts = self.observe(&query, &run, loaded, &mut record);
        Ok(Receipt::new(ReceiptParts { plan, ranked: query.ranking.into_ranked_call(), ..parts }))
    }

    fn retry_policy<'c>(&'c self, call: &CallInputs<'c>) -> RetryPolicy<'c> {
        let Options { retries, backoff, .. } = self.0.options;
        let (clock, token) = (&*self.0.clock, call.limits.token.as_ref());
        RetryPolicy { clock, jitter: &self.0.jitter, retries, backoff, deadline: call.deadline, token }
    }

    /// Records what a run took, for later choices; everything that its receipt says.
    #[inline]
    fn observe<'r>(
        &self,
        query: &QueryRun<'_>,
        run: &PlannedRun<'_>,
        (loaded, sources): Loaded<'_>,
        record: &'r mut RunRecord<'_>,
    ) -> ReceiptParts<'r> {
        let RunRecord { contended, nanoseconds, .. } = *record;
        self.0.selector.observe_strategy(
            run,
            &query.ranking,
            StrategyTiming {
                shared_time: record.shared.time,
                nanoseconds,
                was_disturbed: contended || !record.shared.failed.is_empty(),
                alone_seconds: &record.shared.alone_seconds,
            },
        );
        for failed in record.shared.failed.drain(..) {
            record.log.record(&failed.device, failed.time, failed.error);
        }
        let slowdown = loaded.info.trend.record(query.call.rows, nanoseconds);
        // A run whose programs were just loaded says more about loading than about the device.
        if sources.is_none() {
            let (rows_out, random_bits) = (record.counters.rows_out, record.timer.last_lap().pseudo_random());
            query.ranking.observe(run, Timing { nanoseconds, rows_out, contended, random_bits });
        }
        let info = placement_info(&loaded.info, &query.ranking, &record.log);
        let attempts = record.log.attempts();
        ReceiptParts {
            info,
            attempts: (!attempts.is_empty()).then(|| attempts.into()),
            counters: &record.counters,
            shares: record.shared.shares.take(),
            plan: Cached::Hit,
            sources,
            timer: record.timer,
            slowdown,
            ranked: None,
        }
    }

    /// Loads the programs of the first placement that has them, ahead of the first run; describes them.
    pub(crate) fn load_programs(
        &self,
        compiled: &CompiledPlan,
        call: Option<Call<'_>>,
        steps: &mut StepRecorder<'_>,
    ) -> Result<()> {
        let placements = &compiled.candidates.requested;
        let mut failed: Option<(&str, Error)> = None;
        for (number, placement) in placements.iter().enumerate() {
            let is_last = number + 1 == placements.len();
            let mode = if is_last { CompileMode::Wait } else { CompileMode::MayReturn };
            let loaded = match self.0.load(placement, &compiled.stages, mode, None) {
                Ok((loaded, _)) => loaded,
                Err(error) => {
                    failed = Some((placement.device(), error));
                    continue;
                }
            };
            let why = failed.map_or(placement.why.clone(), |(name, error)| fallback_reason(name, error.message()));
            steps.note("choice", || format!("{}: {why}", loaded.info.device));
            steps.note("program", || placement.describe(loaded, call.map(|call| call.rows)));
            return Ok(());
        }
        Err(failed.map_or_else(|| Error::internal("a query without a device"), |(_, error)| error))
    }

    /// Describes every step of the path up to the programs, or the error that ends it. Predictions are made for this call,
    /// or for several sizes.
    pub(crate) fn explain(
        &self,
        plan: Plan,
        request: &PlacementRequest,
        call: Option<Call<'_>>,
        explain: &mut Explain,
    ) {
        let steps = &mut StepRecorder::of(explain);
        let compiled = self.compile(plan, request, &mut PhaseTimer::start(), steps);
        let explained = compiled.and_then(|CompiledPlan { stages, candidates, shadow }| {
            for (step, text) in self.0.selector.explain(&candidates, &stages, call) {
                steps.note(step, || text);
            }
            let compiled = CompiledPlan { stages, candidates, shadow };
            self.load_programs(&compiled, call, steps)?;
            let rows = call.map(|call| call.rows);
            let sharing = |rows| self.0.selector.explain_sharing(&compiled.candidates, &compiled.stages, rows);
            if let Some(text) = rows.and_then(sharing) {
                steps.note("ways", || text);
            }
            Ok(())
        });
        if let Err(error) = explained {
            explain.error(&error);
        }
    }

    /// The CPU as the device that checks answers of others, if any are checked.
    fn shadow_placement(&self, stages: &[Stage], candidates: &QueryCandidates) -> Option<Placement> {
        let may_be_wrong = |one: &Placement| one.handle.health.is_some() || !one.beside.is_empty();
        let is_checked = candidates.is_automatic || candidates.requested.iter().any(may_be_wrong);
        if !self.0.verifier.is_on() || !is_checked {
            return None;
        }
        self.0.selector.on_cpu(stages, "checks another device".to_string()).ok()
    }
}

/// What a receipt says about the placement: why this one, after the failure of the one before, or why that was passed over.
#[inline]
fn placement_info(
    info: &Arc<PlacementInfo>,
    ranking: &crate::select::CallRanking<'_>,
    log: &crate::resilience::attempt_log::AttemptLog,
) -> Arc<PlacementInfo> {
    let why = match log.attempts() {
        [] => match ranking.why_passed_over() {
            None => return info.clone(),
            Some(why) => why,
        },
        attempts => {
            let before = ranking.previous_device();
            let failed = before.and_then(|name| attempts.iter().rev().find(|attempt| attempt.device == name));
            failed.map_or_else(|| info.why.clone(), |one| fallback_reason(&one.device, &one.message))
        }
    };
    Arc::new(PlacementInfo { why, ..info.as_ref().clone() })
}

/// Where the inputs of each stage come from, and its sink.
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
