//! [`Session`]: devices, caches, options; and the whole path of a query, one line a step.
//!
//! The path has two halves. [`Session::compile`] goes from the plan to the devices that take it and does not look at the
//! inputs, so a prepared query and the plan cache keep what it made. [`Session::answer`] (`session/attempt.rs`) tries those
//! devices: it compiles for the first that works, and goes from inputs to results.

pub(crate) mod advise;
mod attempt;
pub(crate) mod bid;
pub(crate) mod calibrate;
mod choice;
mod diagnose;
mod guide;
mod keep;
mod metering;
mod options;
pub(crate) mod policy;
pub(crate) mod profile;
mod scout;
pub(crate) mod shadow;
mod sharing;
mod shut;
mod supply;
mod survey;
mod turn;
mod watts;

pub(crate) use attempt::{Begun, Limits, Reply, Shared};
pub(crate) use choice::{Call, Target};

use crate::error::{Error, Result};
use crate::query::Query;
use crate::query::build::Builder;
use crate::query::explain::{Explain, Notes};
use crate::query::prepared::{Outcome, Prepared, Shape};
use crate::query::source::Source;
use crate::runtime::cache::Cache;
use crate::runtime::devices::{DeviceOptions, DeviceReport, Roster};
use crate::runtime::inputs::Input;
use crate::runtime::memory::Pool;
use crate::runtime::office::{Office, Task, Ticket};
use crate::runtime::programs::{Keeper, Programs, StoreOptions};
use crate::runtime::receipt::{Cached, Phase, Watch};
use crate::runtime::remote::pacing::Paces;
use crate::runtime::remote::ways::Ways;
use crate::runtime::resilience::clock::{Clock, SystemClock};
use crate::runtime::resilience::journal::instead;
use crate::runtime::resilience::options::Options;
use crate::runtime::resilience::retry::Jitter;
use crate::runtime::spill::{Spill, SpillOptions};
use crate::telemetry::Telemetry;
use crate::telemetry::tally::{Tallies, Told};
use choice::{Auto, Choice};
use guide::Guide;
use pointsman_device::cpu::CpuOptions;
use pointsman_device::{Device, Exactness};
use pointsman_ir::fuse::{Stage, fuse, print_stages};
use pointsman_ir::kernel::Estimate;
use pointsman_ir::passes::{self, PassOptions};
use pointsman_ir::plan::Plan;
use pointsman_ir::verify;
use policy::Policy;
use shadow::Shadow;
use std::hash::{BuildHasher, RandomState};
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;
use watts::Stated;

/// The most plans a session keeps compiled.
const PLANS_MAX: usize = 512;

/// The most threads a session asks for.
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
pub struct Session(Arc<Inner>);

struct Inner {
    devices: Arc<Roster>,
    guide: Guide,
    /// The device for queries that name none.
    preferred: Option<String>,
    exactness: Exactness,
    passes: PassOptions,
    plans: Cache<(Plan, Wish), Compiled>,
    programs: Keeper,
    compile_in_background: bool,
    telemetry: Telemetry,
    pool: Pool,
    spill: Spill,
    options: Options,
    clock: Arc<dyn Clock>,
    jitter: Jitter,
    shadow: Shadow,
    office: Office,
    /// How fast devices are that share queries, and what whole queries take them.
    paces: Paces,
    ways: Ways,
}

/// How a session is opened.
#[derive(Clone, Debug, Default)]
pub struct SessionBuilder {
    cpu: CpuOptions,
    devices: DeviceOptions,
    preferred: Option<String>,
    exactness: Option<Exactness>,
    policy: Option<Policy>,
    among: Option<Vec<String>>,
    watts: Stated,
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
    pub(crate) fn spill_to(mut self, create: crate::runtime::spill::Create) -> SessionBuilder {
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
        let rules = self.rules()?;
        let mut devices = self.devices;
        devices.limits = self.options.clone();
        devices.only = devices.only.or_else(|| policy::names("POINTSMAN_DEVICES"));
        devices.without = policy::names("POINTSMAN_DISABLE").unwrap_or_default();
        let (devices, pool) = Roster::open(self.cpu, devices)?;
        rules.check_energy(&devices)?;
        let told = Told::of(self.metrics, rules.goal);
        let tallies = Arc::new(Tallies::new(told));
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock::start()));
        let guide =
            Guide::new(rules, self.stored.clone(), clock.clone(), (tallies.clone(), self.options.drop_patience));
        let (directory, bytes_max) = (self.options.spill_directory.clone(), self.options.spill_bytes_max);
        let spill = SpillOptions { directory, bytes_max, ..self.spill };
        Ok(Session(Arc::new(Inner {
            devices: Arc::new(devices),
            guide,
            preferred: self.preferred.or_else(|| policy::variable("POINTSMAN_DEVICE")),
            exactness: self.exactness.unwrap_or(Exactness::Exact),
            passes: self.passes,
            plans: Cache::new(PLANS_MAX),
            programs: Programs::open(self.stored, clock.clone(), self.options.drop_patience),
            compile_in_background: self.compile_in_background,
            telemetry: Telemetry::new(self.receipts_kept, tallies),
            pool,
            spill: Spill::new(spill),
            shadow: Shadow::new(self.options.shadow_share)?,
            office: Office::new(self.options.async_threads, self.options.async_queue),
            options: self.options,
            paces: Paces::new(),
            ways: Ways::new(),
            clock,
            // Processes that start together must not try again together.
            jitter: Jitter::new(RandomState::new().hash_one(0)),
        })))
    }
}

/// Where a query may run, and how exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Wish {
    pub(crate) place: Target,
    /// `None`: as the session says.
    pub(crate) exactness: Option<Exactness>,
}

/// A plan as far as it can be prepared without its inputs: its stages, and the devices that take them.
pub(crate) struct Compiled {
    stages: Vec<Stage>,
    /// The devices in order; for queries that name none, those until others are known.
    choices: Vec<Choice>,
    /// For queries that name none, and for what runs of the others teach.
    auto: Auto,
    /// The CPU, where other devices' answers are checked.
    shadow: Option<Choice>,
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
        self.0.devices.report()
    }

    /// A device by its name, for those who drive it by hand; an error that says why it is not here.
    pub fn device(&self, name: &str) -> Result<Arc<dyn Device>> {
        self.station(name).map(|station| station.device.clone())
    }

    /// Bytes of columns that are on the disk now, because memory does not hold them.
    pub fn spilled_bytes(&self) -> u64 {
        self.0.spill.used_bytes()
    }

    /// Has a task run by a thread of the session.
    pub(crate) fn submit(&self, task: Task) -> Result<Ticket> {
        self.0.office.submit(task)
    }

    /// The path of a query up to the devices that take it, one line a step. What it decides does not depend on the inputs.
    pub(crate) fn compile(
        &self,
        plan: Plan,
        wish: &Wish,
        watch: &mut Watch,
        notes: &mut Notes<'_>,
    ) -> Result<Compiled> {
        notes.plan(&plan);
        verify::plan(&plan)?;
        watch.lap(Phase::Plan);
        let plan = passes::run(plan, &self.0.passes, notes)?;
        watch.lap(Phase::Passes);
        let stages = fuse(&plan)?;
        notes.note("fuse", || wiring(&stages));
        watch.lap(Phase::Fuse);
        note_kernels(&stages, notes);
        let choices = self.choices(&stages, wish)?;
        let auto = Auto::new(&stages, wish.exactness, self.is_open(wish));
        let shadow = self.shadow_of(&stages, &choices, auto.is_open);
        watch.lap(Phase::Compile);
        Ok(Compiled { stages, choices, auto, shadow })
    }

    /// The step behind it, ahead of the first run: programs for the first device that has them, and how they run over the
    /// rows of a call.
    pub(crate) fn program(&self, compiled: &Compiled, call: Call<'_>, notes: &mut Notes<'_>) -> Result<()> {
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
    pub(crate) fn explain(&self, plan: Plan, wish: &Wish, call: Call<'_>, explain: &mut Explain) {
        let notes = &mut Notes::of(explain);
        let compiled = self.compile(plan, wish, &mut Watch::start(), notes);
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
    pub(crate) fn compiled(&self, plan: &Plan, wish: &Wish, watch: &mut Watch) -> Result<(Arc<Compiled>, Cached)> {
        let key = (plan.clone(), wish.clone());
        if let Some(compiled) = self.0.plans.get(&key) {
            watch.lap(Phase::Plan);
            return Ok((compiled, Cached::Hit));
        }
        let compiled = Arc::new(self.compile(plan.clone(), wish, watch, &mut Notes::none())?);
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

/// Tells each kernel and what it is estimated to take.
fn note_kernels(stages: &[Stage], notes: &mut Notes<'_>) {
    for (number, stage) in stages.iter().enumerate() {
        notes.note("kernel", || stage.kernel.print());
        notes.note("estimate", || format!("stage {number}: {}", Estimate::of(&stage.kernel)));
    }
}

/// What a run needs beside the compiled plan.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub(crate) captured: &'a Builder,
    pub(crate) inputs: &'a [Input<'a>],
    pub(crate) params: &'a [Option<pointsman_ir::types::Scalar>],
    pub(crate) rows: usize,
    pub(crate) limits: &'a Limits,
    /// The end of its time, counted from the call on.
    pub(crate) deadline: Option<Duration>,
}
