//! [`Session`]: devices, caches, options; and the whole path of a query, one line a step.
//!
//! The path has two halves. [`Session::compile`] goes from the plan to programs and does not look at the inputs, so a
//! prepared query and the plan cache keep what it made. [`Session::execute`] goes from inputs to results.

use crate::error::{Error, Result};
use crate::query::Query;
use crate::query::build::Builder;
use crate::query::explain::Notes;
use crate::query::prepared::{Outcome, Prepared, Shape};
use crate::query::source::Source;
use crate::runtime::cache::Cache;
use crate::runtime::executor::{Job, Program, Step, execute};
use crate::runtime::inputs::Input;
use crate::runtime::memory::Pool;
use crate::runtime::receipt::{Cached, Decided, Phase, Receipt, Watch};
use crate::runtime::results::Results;
use pointsman_device::cpu::CpuOptions;
use pointsman_device::{Device, DeviceInfo, PoolCounters, Priority, StreamId};
use pointsman_ir::fuse::{Stage, fuse, print_stages};
use pointsman_ir::kernel::{Estimate, Kernel};
use pointsman_ir::passes::{self, PassOptions};
use pointsman_ir::plan::Plan;
use pointsman_ir::verify;
use std::panic::Location;
use std::sync::Arc;

/// The most plans a session keeps compiled.
const PLANS_MAX: usize = 512;
/// The most programs a session keeps loaded, beside those that plans and prepared queries hold.
const PROGRAMS_MAX: usize = 1024;

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
    devices: Vec<Station>,
    passes: PassOptions,
    plans: Cache<(Plan, Wish), Compiled>,
    programs: Cache<(Kernel, usize), Program>,
    pool: Pool,
}

/// A device and the stream its work goes to.
struct Station {
    device: Arc<dyn Device>,
    stream: StreamId,
}

/// How a session is opened.
#[derive(Clone, Debug, Default)]
pub struct SessionBuilder {
    cpu: CpuOptions,
    passes: PassOptions,
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
        let open = |device: Arc<dyn Device>| -> Result<Station> {
            let stream = device.open_stream(Priority::Normal)?;
            Ok(Station { device, stream })
        };
        let (devices, pool) = crate::runtime::devices::open(self.cpu);
        Ok(Session(Arc::new(Inner {
            devices: devices.into_iter().map(open).collect::<Result<_>>()?,
            passes: self.passes,
            plans: Cache::new(PLANS_MAX),
            programs: Cache::new(PROGRAMS_MAX),
            pool,
        })))
    }
}

impl Drop for Station {
    fn drop(&mut self) {
        self.device.close_stream(self.stream);
    }
}

/// Where a query may run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Wish {
    /// Anywhere.
    #[default]
    Any,
    /// There if it is possible.
    Prefer(String),
    /// There or nowhere.
    Require(String),
}

/// A plan as far as it can be prepared without its inputs.
pub(crate) struct Compiled {
    steps: Vec<Step>,
    device: usize,
    decided: Arc<Decided>,
    /// Whether all programs were loaded already.
    programs: Cached,
}

impl Session {
    /// A session on all devices of this machine, with the usual options.
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

    /// The devices of this session.
    pub fn devices(&self) -> impl ExactSizeIterator<Item = &DeviceInfo> {
        self.0.devices.iter().map(|place| place.device.info())
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
        let (device, why) = self.choose(&stages, wish)?;
        notes.note("choice", || format!("{}: {why}", self.device(device).info().name));
        let (steps, programs) = self.programs(stages, device)?;
        notes.note("program", || self.describe(&steps, device));
        watch.lap(Phase::Compile);
        let stages = steps.iter().map(|step| step.stage.kernel.sink.name()).collect();
        let programs_are = steps.iter().map(|step| self.device(device).describe(step.program.id)).collect();
        let decided = Decided { device: self.device(device).info().name.clone(), why, stages, programs: programs_are };
        Ok(Compiled { steps, device, decided: Arc::new(decided), programs })
    }

    /// The rest of the path: memory for the inputs, launches, results, the receipt. The results are filled where they
    /// stay.
    pub(crate) fn execute(
        &self,
        compiled: &Compiled,
        cached: Cached,
        job: Work<'_>,
        into: Option<&mut [u8]>,
        watch: &mut Watch,
        results: &mut Results,
    ) -> Result<Receipt> {
        let stream = self.0.devices[compiled.device].stream;
        let job = Job {
            inputs: job.inputs,
            rows: job.rows,
            params: job.params,
            lists: &job.captured.lists,
            stream,
            pool: &self.0.pool,
        };
        let counts = results.fill(|last| execute(&compiled.steps, &job, into, watch, last))?;
        let programs = if cached == Cached::Hit { Cached::Hit } else { compiled.programs };
        Ok(Receipt::new(compiled.decided.clone(), counts, (cached, programs), watch))
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

    /// The device that runs all stages, and why.
    fn choose(&self, stages: &[Stage], wish: &Wish) -> Result<(usize, String)> {
        let find = |name: &str| self.devices().position(|device| device.name == name);
        let (index, why) = match wish {
            Wish::Any => (0, self.only()),
            Wish::Require(name) => match find(name) {
                Some(index) => (index, "required".to_string()),
                None => return Err(self.unknown(name)),
            },
            Wish::Prefer(name) => match find(name) {
                Some(index) => (index, "preferred".to_string()),
                None if is_device_name(name) => (0, format!("`{name}` is preferred, but not here: {}", self.only())),
                None => return Err(self.unknown(name)),
            },
        };
        for stage in stages {
            self.device(index).supports(&stage.kernel)?;
        }
        Ok((index, why))
    }

    fn only(&self) -> String {
        if self.0.devices.len() == 1 { "the only device".to_string() } else { "the first device".to_string() }
    }

    fn unknown(&self, name: &str) -> Error {
        let names: Vec<&str> = self.devices().map(|device| device.name.as_str()).collect();
        Error::invalid(format!("there is no device `{name}`; this session has {}", names.join(", ")))
    }

    /// Programs for all stages, from the cache where they are there.
    fn programs(&self, stages: Vec<Stage>, device: usize) -> Result<(Vec<Step>, Cached)> {
        let mut cached = Cached::Hit;
        let mut steps = Vec::with_capacity(stages.len());
        for stage in stages {
            let key = (stage.kernel.clone(), device);
            let program = match self.0.programs.get(&key) {
                Some(program) => program,
                None => {
                    cached = Cached::Miss;
                    self.0.programs.put(key, Arc::new(self.load(&stage.kernel, device)?))
                }
            };
            steps.push(Step { output: stage.kernel.output(), stage, program });
        }
        Ok((steps, cached))
    }

    fn load(&self, kernel: &Kernel, device: usize) -> Result<Program> {
        let device = self.device(device);
        let image = device.compile(kernel)?;
        Ok(Program { id: device.load(&image)?, device: device.clone() })
    }

    /// What each stage was compiled to.
    fn describe(&self, steps: &[Step], device: usize) -> String {
        let one = |(number, step): (usize, &Step)| {
            format!("stage {number}: {}", self.device(device).describe(step.program.id))
        };
        steps.iter().enumerate().map(one).collect::<Vec<_>>().join("\n")
    }

    fn device(&self, index: usize) -> &Arc<dyn Device> {
        &self.0.devices[index].device
    }
}

/// Whether a name has the form of a device's: `cpu`, `cuda:0`.
fn is_device_name(name: &str) -> bool {
    match name.split_once(':') {
        None => name == "cpu",
        Some((kind, number)) => ["cuda", "vulkan", "metal", "dx12"].contains(&kind) && number.parse::<u32>().is_ok(),
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
pub(crate) struct Work<'a> {
    pub(crate) captured: &'a Builder,
    pub(crate) inputs: &'a [Input<'a>],
    pub(crate) params: &'a [Option<pointsman_ir::types::Scalar>],
    pub(crate) rows: usize,
}
