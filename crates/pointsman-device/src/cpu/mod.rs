//! The CPU as a device: runs machine code or block programs over borrowed host memory, on its own threads.
//!
//! The path of a kernel: `compile` makes steps over slots, `frame` runs them over a block of rows that fits the
//! first-level cache, one file per sink consumes the blocks, and `launch` spreads morsels over threads; `jit` calls
//! machine code in place of the steps. Work on a stream is done when the call returns, so events are reached when they
//! are recorded.

mod block;
#[cfg(feature = "calls")]
mod call;
mod compact;
mod compile;
mod executable_memory;
mod frame;
mod input;
mod isa;
mod jit;
mod launch;
mod lower;
mod memory;
mod morsel_plan;
pub(crate) mod nodes;
mod object_pool;
mod observed;
mod options;
mod ordered_commit;
mod output;
mod program;
mod reduce;
mod relational;
mod scan;
mod sink;
mod slots;
mod store;
mod thread_tuner;

#[cfg(all(test, feature = "testing"))]
mod tests;

pub use isa::Isa;
pub use options::CpuOptions;

use crate::download::staging_fits;
use crate::energy::rapl::{POWERCAP, Rapl};
use crate::environment;
use crate::host_pool::HostPool;
use crate::sync::{Mutex, RwLock};
use crate::thread_pool::ThreadPool;
use crate::{
    BufferId, BufferRange, Capabilities, CopyId, Device, DeviceError, DeviceErrorKind, DeviceInfo, DeviceKind,
    DeviceResult, EnergyReading, EventId, EventStatus, Exactness, HostBuffer, IndexId, IndexInfo, IndexKeys, Launch,
    LaunchId, LaunchStatus, MemoryInfo, Outcome, Priority, ProgramId, ProgramImage, ProgressObserver, StreamId,
};
#[cfg(feature = "calls")]
use call::LoadedCall;
use isa::Level;
use memory::CpuBuffers;
use observed::ObservedLaunch;
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::verify;
use program::Program;
use relational::{KeyIndexes, RelationalProgram, is_relational};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use thread_tuner::ForkCosts;

/// Blocks hold values in the processor's byte order and are read in Arrow's: both must be little-endian.
#[cfg(target_endian = "big")]
compile_error!("the CPU device needs a little-endian processor");

/// The format of this device's program images.
const IMAGE_FORMAT: &str = "pointsman-cpu-1";
/// The sinks of this device.
const SINKS: &[&str] = &[
    "store",
    "compact",
    "reduce",
    "scan",
    "sort",
    "group",
    "build",
    "partition",
    #[cfg(feature = "calls")]
    "call",
];
/// The maximum number of threads of a device.
const THREADS_MAX: usize = 1024;
/// The size of the last-level cache if the system does not report it.
const CACHE_BYTES_DEFAULT: usize = 32 << 20;
/// The size of a thread's private cache if the system does not report it.
const PRIVATE_CACHE_BYTES_DEFAULT: usize = 512 << 10;

/// The processor that this program runs on.
pub struct CpuDevice {
    info: DeviceInfo,
    level: Level,
    jit: bool,
    shared: CpuShared,
    ids: AtomicU64,
    handles: RwLock<Handles>,
    indexes: KeyIndexes,
    events: Mutex<BTreeMap<EventId, Instant>>,
    copies: Mutex<BTreeMap<CopyId, HostBuffer>>,
    /// Opened on the first read.
    rapl: OnceLock<Rapl>,
}

/// The handles that a launch looks up, behind one lock.
#[derive(Default)]
struct Handles {
    programs: BTreeMap<ProgramId, LoadedProgram>,
    streams: BTreeSet<StreamId>,
}

/// A loaded kernel.
#[derive(Clone)]
enum LoadedProgram {
    /// Its rows stream through one program.
    Streaming(Arc<Program>),
    /// It sorts, groups, partitions, builds or probes.
    Relational(Arc<RelationalProgram>),
    /// It calls a library.
    #[cfg(feature = "calls")]
    Call(Arc<LoadedCall>),
}

impl Handles {
    fn check_stream(&self, stream: StreamId) -> DeviceResult<()> {
        let open = self.streams.contains(&stream);
        if open { Ok(()) } else { Err(DeviceError::invalid(format!("there is no stream {}", stream.0))) }
    }
}

/// The state that all launches share.
struct CpuShared {
    options: CpuOptions,
    threads: usize,
    thread_pool: OnceLock<ThreadPool>,
    pool: Arc<HostPool>,
    buffers: CpuBuffers,
    /// The number of launches that ran machine code.
    jit_launches: AtomicU64,
    /// Outputs of more bytes than this are written with non-temporal stores.
    cache_bytes: usize,
    /// The size of a thread's private cache: a morsel stays in it.
    private_cache_bytes: usize,
    /// What waking and joining threads costs.
    fork_costs: ForkCosts,
}

impl CpuShared {
    /// The device's worker threads, started when they are first needed; `None` for a single-threaded device.
    fn thread_pool(&self) -> Option<&ThreadPool> {
        if self.threads == 1 {
            None
        } else {
            Some(self.thread_pool.get_or_init(|| ThreadPool::new(self.threads - 1, "pointsman-cpu")))
        }
    }
}

impl CpuDevice {
    /// Creates the device. Threads start with the first launch that needs them.
    pub fn new(options: CpuOptions) -> CpuDevice {
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = options.threads.unwrap_or_else(available).clamp(1, THREADS_MAX);
        let level = Level::new(options.isa);
        let pool = HostPool::new(options.pool_bytes.unwrap_or_else(memory::system_bytes));
        let pool = Arc::new(if options.poison { pool.poisoned() } else { pool });
        let info = DeviceInfo {
            name: options.name.unwrap_or("cpu").to_string(),
            kind: DeviceKind::Cpu,
            model: format!("{} ({})", processor(), level.isa().name()),
            units: threads,
            is_emulated: false,
            capabilities: Capabilities {
                exactness: Exactness::Exact,
                f64: true,
                host_memory: true,
                unified_memory: true,
                sinks: SINKS.to_vec(),
                refuses: Vec::new(),
                buffer_bytes_max: pool.limit_bytes() as u64,
                range_align: 1,
                // An image is the kernel's text: storing it saves nothing, since `load` generates the code.
                images_worth_storing: false,
            },
        };
        CpuDevice {
            info,
            level,
            jit: level.target().is_some() && options.jit.unwrap_or_else(jit_enabled),
            shared: CpuShared {
                options,
                threads,
                thread_pool: OnceLock::new(),
                pool,
                buffers: CpuBuffers::default(),
                jit_launches: AtomicU64::new(0),
                cache_bytes: cache_bytes(3).unwrap_or(CACHE_BYTES_DEFAULT),
                private_cache_bytes: cache_bytes(2).unwrap_or(PRIVATE_CACHE_BYTES_DEFAULT),
                fork_costs: ForkCosts::default(),
            },
            ids: AtomicU64::new(1),
            handles: RwLock::default(),
            indexes: KeyIndexes::default(),
            events: Mutex::default(),
            copies: Mutex::default(),
            rapl: OnceLock::new(),
        }
    }

    /// The pool of the device's buffers and of its callers' outputs.
    pub fn pool(&self) -> &Arc<HostPool> {
        &self.shared.pool
    }

    /// The number of launches that ran machine code; the others ran block programs.
    pub fn jit_launches(&self) -> u64 {
        self.shared.jit_launches.load(Ordering::Relaxed)
    }

    fn id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// The program of a launch on this stream.
    fn program(&self, stream: StreamId, program: ProgramId) -> DeviceResult<LoadedProgram> {
        let handles = self.handles.read();
        handles.check_stream(stream)?;
        let found = handles.programs.get(&program).cloned();
        found.ok_or_else(|| DeviceError::invalid(format!("there is no program {}", program.0)))
    }

    fn run(
        &self,
        stream: StreamId,
        program: ProgramId,
        launch: &mut Launch<'_, '_>,
        observed: Option<&ObservedLaunch<'_>>,
    ) -> DeviceResult<LaunchStatus> {
        let outcome = match self.program(stream, program)? {
            LoadedProgram::Streaming(program) => launch::execute(&self.shared, &program, launch, observed),
            LoadedProgram::Relational(program) => {
                relational::execute(&self.shared, &self.indexes, &program, launch, observed)
            }
            #[cfg(feature = "calls")]
            LoadedProgram::Call(program) => call::execute(&self.shared, &program, launch, observed),
        };
        outcome.map(LaunchStatus::Done)
    }

    fn event(&self, event: EventId) -> DeviceResult<Instant> {
        let reached = self.events.lock().get(&event).copied();
        reached.ok_or_else(|| DeviceError::invalid(format!("there is no event {}", event.0)))
    }
}

impl Default for CpuDevice {
    fn default() -> CpuDevice {
        CpuDevice::new(CpuOptions::default())
    }
}

/// The processor's name, or its architecture if the system does not report the name.
fn processor() -> String {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_string(), |(_, name)| name.trim().to_string())
}

/// Whether the environment allows machine code. Opening a session reports a value that is not allowed.
fn jit_enabled() -> bool {
    environment::JIT.switch(environment::of_process).ok().flatten().unwrap_or(true)
}

/// The size of the cache of this level, if the system reports it.
fn cache_bytes(level: u32) -> Option<usize> {
    let path = format!("/sys/devices/system/cpu/cpu0/cache/index{level}/size");
    let size = std::fs::read_to_string(path).ok()?;
    let kilobytes: usize = size.trim().strip_suffix('K')?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

impl Device for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn memory(&self) -> MemoryInfo {
        let (total, pool) = (self.shared.pool.limit_bytes(), self.shared.pool.counters());
        let (used, peak) = (pool.outstanding_bytes, pool.peak_bytes as u64);
        let free = Some((total - used.min(total)) as u64);
        MemoryInfo { total: Some(total as u64), free, used: used as u64, peak, zombie: 0, kept: 0 }
    }

    fn energy(&self) -> DeviceResult<EnergyReading> {
        let folder = self.shared.options.powercap.unwrap_or(POWERCAP);
        self.rapl.get_or_init(|| Rapl::open(folder.as_ref())).read()
    }

    fn supports(&self, kernel: &Kernel) -> DeviceResult<()> {
        if cfg!(not(feature = "calls"))
            && let Sink::Call { call, .. } = &kernel.sink
        {
            let what =
                format!("{call} needs the Cargo feature `calls` of `pointsman`, which this program was built without");
            return Err(DeviceError::unsupported(what));
        }
        if is_relational(kernel) { relational::check(kernel) } else { Ok(()) }
    }

    fn compile(&self, kernel: &Kernel) -> DeviceResult<ProgramImage> {
        self.supports(kernel)?;
        // Machine code is memory-safe only for verified kernels, and this is the only way in.
        verify::kernel(kernel).map_err(|error| DeviceError::new(DeviceErrorKind::Compile, error.to_string()))?;
        Ok(ProgramImage::of_kernel(IMAGE_FORMAT, kernel.clone()))
    }

    fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId> {
        image.program(IMAGE_FORMAT)?;
        let stored = || DeviceError::new(DeviceErrorKind::Compile, "the image was stored and has lost its kernel");
        let kernel = image.kernel.clone().ok_or_else(stored)?;
        let program = match &kernel.sink {
            #[cfg(feature = "calls")]
            Sink::Call { .. } => {
                LoadedProgram::Call(Arc::new(LoadedCall::new(kernel, self.level, self.jit, &self.shared.pool)?))
            }
            _ if is_relational(&kernel) => {
                LoadedProgram::Relational(Arc::new(RelationalProgram::new(kernel, self.level, self.jit)?))
            }
            _ => LoadedProgram::Streaming(Arc::new(compile::compile(kernel, self.level, self.jit)?)),
        };
        let id = ProgramId(self.id());
        self.handles.write().programs.insert(id, program);
        Ok(id)
    }

    fn cuts_chunks(&self) -> bool {
        true
    }

    fn describe(&self, program: ProgramId) -> String {
        match self.handles.read().programs.get(&program) {
            Some(LoadedProgram::Streaming(program)) => program.description.clone(),
            Some(LoadedProgram::Relational(program)) => program.description.clone(),
            #[cfg(feature = "calls")]
            Some(LoadedProgram::Call(program)) => program.description.clone(),
            None => String::new(),
        }
    }

    fn describe_launch(&self, program: ProgramId, rows: usize) -> String {
        let program = self.handles.read().programs.get(&program).cloned();
        match program {
            Some(LoadedProgram::Streaming(program)) => self.shared.describe_threads(&program, rows),
            Some(LoadedProgram::Relational(_)) => format!("up to {} threads", self.shared.threads),
            #[cfg(feature = "calls")]
            Some(LoadedProgram::Call(_)) => format!("up to {} threads", self.shared.threads),
            None => String::new(),
        }
    }

    fn unload(&self, program: ProgramId) {
        self.handles.write().programs.remove(&program);
    }

    fn allocate(&self, bytes: usize) -> DeviceResult<BufferId> {
        let id = BufferId(self.id());
        self.shared.buffers.insert(id, &self.shared.pool, bytes)?;
        Ok(id)
    }

    fn free(&self, buffer: BufferId) {
        self.shared.buffers.remove(buffer);
    }

    fn open_stream(&self, _priority: Priority) -> DeviceResult<StreamId> {
        let id = StreamId(self.id());
        self.handles.write().streams.insert(id);
        Ok(id)
    }

    fn close_stream(&self, stream: StreamId) {
        self.handles.write().streams.remove(&stream);
    }

    fn copy_in(&self, stream: StreamId, from: Arc<HostBuffer>, to: BufferRange) -> DeviceResult<()> {
        self.handles.read().check_stream(stream)?;
        self.shared.buffers.write(&from, to)
    }

    fn copy_out_all(
        &self,
        stream: StreamId,
        from: &[BufferRange],
        mut destination: HostBuffer,
    ) -> DeviceResult<CopyId> {
        self.handles.read().check_stream(stream)?;
        staging_fits(&destination, from)?;
        let mut at = 0;
        for range in from {
            self.shared.buffers.read(*range, &mut destination[at..])?;
            at += range.bytes as usize;
        }
        let id = CopyId(self.id());
        self.copies.lock().insert(id, destination);
        Ok(id)
    }

    fn finish_copy(&self, copy: CopyId, _timeout: Duration) -> DeviceResult<HostBuffer> {
        let staging = self.copies.lock().remove(&copy);
        staging.ok_or_else(|| DeviceError::invalid(format!("there is no copy {}", copy.0)))
    }

    fn forget_copy(&self, copy: CopyId) {
        self.copies.lock().remove(&copy);
    }

    fn record(&self, stream: StreamId) -> DeviceResult<EventId> {
        self.handles.read().check_stream(stream)?;
        let id = EventId(self.id());
        self.events.lock().insert(id, Instant::now());
        Ok(id)
    }

    fn wait_for(&self, stream: StreamId, event: EventId) -> DeviceResult<()> {
        self.handles.read().check_stream(stream)?;
        self.event(event).map(drop)
    }

    fn event_status(&self, event: EventId) -> DeviceResult<EventStatus> {
        self.event(event).map(|_| EventStatus::Reached)
    }

    fn elapsed(&self, from: EventId, to: EventId) -> DeviceResult<Duration> {
        let (from, to) = (self.event(from)?, self.event(to)?);
        Ok(to.saturating_duration_since(from))
    }

    fn forget_event(&self, event: EventId) {
        self.events.lock().remove(&event);
    }

    fn build_index(
        &self,
        stream: StreamId,
        keys: &IndexKeys<'_>,
        observer: Option<&dyn ProgressObserver>,
    ) -> DeviceResult<IndexInfo> {
        self.handles.read().check_stream(stream)?;
        let index = relational::build(&self.shared, keys, observer.map(ObservedLaunch::new).as_ref())?;
        let id = IndexId(self.id());
        let (unique, distinct, bytes) = (index.unique(), index.distinct(), index.bytes() as u64);
        self.indexes.write().insert(id, Arc::new(index));
        Ok(IndexInfo { id, unique, distinct, bytes })
    }

    fn free_index(&self, index: IndexId) {
        self.indexes.write().remove(&index);
    }

    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<LaunchStatus> {
        self.run(stream, program, launch, None)
    }

    fn launch_observed(
        &self,
        stream: StreamId,
        program: ProgramId,
        launch: &mut Launch<'_, '_>,
        observer: &dyn ProgressObserver,
    ) -> DeviceResult<LaunchStatus> {
        self.run(stream, program, launch, Some(&ObservedLaunch::new(observer)))
    }

    fn finish(&self, launch: LaunchId, _timeout: Duration) -> DeviceResult<Outcome> {
        Err(DeviceError::invalid(format!(
            "there is no launch {} in flight: launches on this device are done when they return",
            launch.0
        )))
    }

    fn forget_launch(&self, _launch: LaunchId) {
        // Launches are done when they return: there is nothing to forget.
    }

    fn zombies(&self) -> usize {
        0
    }
}
