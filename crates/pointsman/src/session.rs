//! [`Session`]: devices, caches, options; and the whole path of a query, one line a step.
//!
//! The path has two halves. [`Session::compile`] goes from the plan to programs and does not look at the inputs, so a
//! prepared query and the plan cache keep what it made. [`Session::execute`] goes from inputs to results.

mod choice;
mod diagnose;
mod options;
mod supply;

pub(crate) use choice::Target;
use supply::Standing;

use crate::error::{Error, ErrorKind, Result};
use crate::query::Query;
use crate::query::build::Builder;
use crate::query::explain::Notes;
use crate::query::prepared::{Outcome, Prepared, Shape};
use crate::query::source::Source;
use crate::runtime::cache::Cache;
use crate::runtime::clock::Clock;
use crate::runtime::devices::{DeviceOptions, DeviceReport, Roster, Station};
use crate::runtime::executor::{Job, Step, execute};
use crate::runtime::inputs::Input;
use crate::runtime::memory::Pool;
use crate::runtime::programs::{Programs, StoreOptions};
use crate::runtime::receipt::{Cached, Decided, Phase, Receipt, Watch};
use crate::runtime::remote;
use crate::runtime::results::Results;
use crate::telemetry::Telemetry;
use choice::{Placed, instead};
use pointsman_device::cpu::CpuOptions;
use pointsman_device::{Device, Exactness, PoolCounters};
use pointsman_ir::fuse::{Stage, fuse, print_stages};
use pointsman_ir::kernel::Estimate;
use pointsman_ir::passes::{self, PassOptions};
use pointsman_ir::plan::Plan;
use pointsman_ir::verify;
use std::panic::Location;
use std::sync::Arc;

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
    devices: Roster,
    /// The device for queries that name none.
    preferred: Option<String>,
    exactness: Exactness,
    passes: PassOptions,
    plans: Cache<(Plan, Wish), Compiled>,
    programs: Arc<Programs>,
    compile_in_background: bool,
    clock: Clock,
    telemetry: Telemetry,
    pool: Pool,
}

/// How a session is opened.
#[derive(Clone, Debug, Default)]
pub struct SessionBuilder {
    cpu: CpuOptions,
    devices: DeviceOptions,
    preferred: Option<String>,
    exactness: Option<Exactness>,
    passes: PassOptions,
    stored: StoreOptions,
    compile_in_background: bool,
    clock: Clock,
    receipts_kept: usize,
    metrics: Option<bool>,
}

impl SessionBuilder {
    /// How many threads the CPU uses, 1 to 1,024; all there are unless told.
    pub fn threads(mut self, threads: usize) -> SessionBuilder {
        self.cpu.threads = Some(threads.max(1));
        self
    }

    /// How many rows a thread of the CPU takes at a time, rounded up to whole leaves of 4,096. Never changes a result.
    pub fn morsel_rows(mut self, rows: usize) -> SessionBuilder {
        self.cpu.morsel_rows = Some(rows.max(1));
        self
    }

    /// The most bytes of memory for results and intermediate columns; all of the system's unless told.
    pub fn memory_bytes(mut self, bytes: usize) -> SessionBuilder {
        self.cpu.pool_bytes = Some(bytes);
        self
    }

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
    /// (`POINTSMAN_DEVICE=cuda:0`), or else the CPU.
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

    /// Switches a pass off, by its name.
    pub fn without_pass(mut self, name: &str) -> SessionBuilder {
        self.passes.disabled.insert(name.to_string());
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
        let mut devices = self.devices;
        devices.only = devices.only.or_else(|| {
            let names = std::env::var("POINTSMAN_DEVICES").ok()?;
            Some(names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_string).collect())
        });
        let (devices, pool) = Roster::open(self.cpu, devices)?;
        Ok(Session(Arc::new(Inner {
            devices,
            preferred: self
                .preferred
                .or_else(|| std::env::var("POINTSMAN_DEVICE").ok().filter(|name| !name.is_empty())),
            exactness: self.exactness.unwrap_or(Exactness::Exact),
            passes: self.passes,
            plans: Cache::new(PLANS_MAX),
            programs: Arc::new(Programs::new(self.stored)),
            compile_in_background: self.compile_in_background,
            clock: self.clock,
            telemetry: Telemetry::new(self.receipts_kept, self.metrics),
            pool,
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

/// A plan as far as it can be prepared without its inputs.
pub(crate) struct Compiled {
    steps: Vec<Step>,
    station: Arc<Station>,
    decided: Arc<Decided>,
    /// How long the choice of the device holds.
    standing: Standing,
}

impl Compiled {
    /// Whether it holds for good.
    pub(crate) fn is_final(&self) -> bool {
        self.standing.is_final()
    }

    /// Whether it still holds.
    pub(crate) fn holds(&self, session: &Session) -> bool {
        self.standing.holds(session)
    }
}

impl Session {
    /// A session with the usual options: queries run on the CPU unless they prefer or require another device. Devices are
    /// looked for when they are first named or listed.
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

    /// How the memory for results and intermediate columns stands: what was taken from the system, what is in use, what
    /// is kept for the next query.
    pub fn memory(&self) -> PoolCounters {
        self.0.pool.counters()
    }

    /// The whole path of a query up to its programs, one line a step. What it decides does not depend on the inputs.
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
        check(&stages, notes)?;
        let Placed { station, why, steps, sources, standing } = self.place(&stages, wish)?;
        notes.note("choice", || format!("{}: {why}", station.name()));
        let describe = |step: &Step| station.device.describe(step.program.id);
        let programs_are: Vec<String> = steps.iter().map(describe).collect();
        notes.note("program", || {
            let lines = programs_are.iter().enumerate().map(|(number, text)| format!("stage {number}: {text}"));
            lines.collect::<Vec<_>>().join("\n")
        });
        watch.lap(Phase::Compile);
        let stages = steps.iter().map(|step| step.stage.kernel.sink.name()).collect();
        let (device, tally) = (station.name().to_string(), self.0.telemetry.tallies.of(station.name()));
        let decided = Decided { device, why, stages, programs: programs_are, sources, tally };
        Ok(Compiled { steps, station, decided: Arc::new(decided), standing })
    }

    /// The rest of the path: memory for the inputs, launches, results, the receipt. The results are filled where they
    /// stay.
    fn execute(
        &self,
        compiled: &Compiled,
        cached: Cached,
        work: Work<'_>,
        into: Option<&mut [u8]>,
        watch: &mut Watch,
        results: &mut Results,
    ) -> Result<Receipt> {
        let station = &compiled.station;
        let job = Job {
            inputs: work.inputs,
            rows: work.rows,
            params: work.params,
            lists: &work.captured.lists,
            stream: station.stream,
            pool: &self.0.pool,
        };
        let counts = results.fill(|last| {
            if station.host_memory {
                execute(&compiled.steps, &job, into, watch, last)
            } else {
                remote::execute(&compiled.steps, &job, into, watch, last)
            }
        })?;
        Ok(Receipt::new(compiled.decided.clone(), counts, cached, watch))
    }

    /// Executes a query. If a device that is only preferred fails, the CPU answers, and the receipt says why.
    pub(crate) fn answer(
        &self,
        (compiled, cached): (&Compiled, Cached),
        wish: &Wish,
        work: Work<'_>,
        mut into: Option<&mut [u8]>,
        watch: &mut Watch,
        results: &mut Results,
    ) -> Result<Receipt> {
        let error = match self.execute(compiled, cached, work, into.as_deref_mut(), watch, results) {
            Err(error) if !compiled.station.host_memory && is_devices(&error) => error,
            receipt => return receipt,
        };
        self.0.telemetry.failed(compiled.station.name(), &error);
        if matches!(wish.place, Target::Require(_)) {
            return Err(error);
        }
        results.clear();
        let why = instead(compiled.station.name(), &error);
        let wish = Wish { place: Target::Instead(why), exactness: wish.exactness };
        let compiled = self.compile(work.captured.plan.clone(), &wish, watch, &mut Notes::none())?;
        self.execute(&compiled, Cached::Miss, work, into, watch, results)
    }

    /// The compiled form of a plan, from the cache if it is there.
    pub(crate) fn compiled(&self, plan: &Plan, wish: &Wish, watch: &mut Watch) -> Result<(Arc<Compiled>, Cached)> {
        let key = (plan.clone(), wish.clone());
        if let Some(compiled) = self.0.plans.get(&key) {
            if compiled.holds(self) {
                watch.lap(Phase::Plan);
                return Ok((compiled, Cached::Hit));
            }
            self.0.plans.forget(&key, &compiled);
        }
        let compiled = Arc::new(self.compile(plan.clone(), wish, watch, &mut Notes::none())?);
        // If another thread was quicker, its plan is kept, but this receipt tells what happened here.
        self.0.plans.put(key, compiled.clone());
        Ok((compiled, Cached::Miss))
    }
}

/// Whether an error is the device's, not the query's: another device may do better.
fn is_devices(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::OutOfMemory | ErrorKind::DeviceLost | ErrorKind::Timeout | ErrorKind::Unsupported => true,
        ErrorKind::InvalidQuery
        | ErrorKind::Arithmetic
        | ErrorKind::Cancelled
        | ErrorKind::Io
        | ErrorKind::Internal => false,
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
fn check(stages: &[Stage], notes: &mut Notes<'_>) -> Result<()> {
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
pub(crate) struct Work<'a> {
    pub(crate) captured: &'a Builder,
    pub(crate) inputs: &'a [Input<'a>],
    pub(crate) params: &'a [Option<pointsman_ir::types::Scalar>],
    pub(crate) rows: usize,
}
