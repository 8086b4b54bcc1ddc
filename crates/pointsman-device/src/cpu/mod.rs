//! The processor as a device: block programs over borrowed host memory, on its own threads.
//!
//! A kernel's way: `compile` makes steps over slots, `frame` runs them over a block of rows that fits the first-level
//! cache, a file a sink takes the blocks in, and `launch` spreads morsels over threads. Work on a stream is done when
//! the call returns, so events are reached when they are recorded.

mod block;
mod calls;
mod code;
mod compact;
mod compile;
mod cut;
mod emitted;
mod frame;
mod input;
mod isa;
mod launch;
mod memory;
pub(crate) mod nodes;
mod options;
mod output;
mod pace;
mod program;
mod reduce;
mod scan;
mod shelf;
mod sink;
mod slots;
mod store;
mod turns;
mod watched;

#[cfg(all(test, feature = "testing"))]
mod tests;

pub use isa::Isa;
pub use options::CpuOptions;

use crate::crew::Crew;
use crate::energy::rapl::{POWERCAP, Rapl};
use crate::fetch::staging_fits;
use crate::host_pool::HostPool;
use crate::{
    BufferId, BufferRange, Capabilities, CopyId, Device, DeviceError, DeviceErrorKind, DeviceInfo, DeviceKind,
    DeviceResult, EnergyReading, EventId, EventStatus, Exactness, HostBuffer, Launch, LaunchId, MemoryInfo, Onlooker,
    Outcome, Pending, Priority, ProgramId, ProgramImage, StreamId,
};
use isa::Level;
use memory::Buffers;
use pointsman_ir::body::Inst;
use pointsman_ir::kernel::Kernel;
use pointsman_ir::verify;
use program::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};
use watched::Watched;

/// Blocks hold values as the processor does, and are read as Arrow has them: lowest byte first.
#[cfg(target_endian = "big")]
compile_error!("the CPU device needs a little-endian processor");

/// The form of this device's program images.
const IMAGE_FORMAT: &str = "pointsman-cpu-1";
/// The most threads a device starts.
const THREADS_MAX: usize = 1024;
/// The last-level cache where the system does not tell its size.
const CACHE_BYTES_DEFAULT: usize = 32 << 20;
/// A thread's own cache where the system does not tell its size.
const NEAR_BYTES_DEFAULT: usize = 512 << 10;

/// The processor this program runs on.
pub struct CpuDevice {
    info: DeviceInfo,
    level: Level,
    jit: bool,
    shared: Shared,
    ids: AtomicU64,
    known: RwLock<Known>,
    events: Mutex<BTreeMap<EventId, Instant>>,
    copies: Mutex<BTreeMap<CopyId, HostBuffer>>,
    /// Opened when it is first read.
    rapl: OnceLock<Rapl>,
}

/// What handles stand for: all that a launch looks up, behind one lock.
#[derive(Default)]
struct Known {
    programs: BTreeMap<ProgramId, Arc<Program>>,
    streams: BTreeSet<StreamId>,
}

impl Known {
    fn check_stream(&self, stream: StreamId) -> DeviceResult<()> {
        let open = self.streams.contains(&stream);
        if open { Ok(()) } else { Err(DeviceError::invalid(format!("there is no stream {}", stream.0))) }
    }
}

/// What launches share.
struct Shared {
    options: CpuOptions,
    threads: usize,
    crew: OnceLock<Crew>,
    pool: Arc<HostPool>,
    buffers: Buffers,
    /// Launches that ran machine code.
    emitted: AtomicU64,
    /// Outputs of more bytes than this are written past the caches.
    cache_bytes: usize,
    /// The cache that a thread has for itself: a morsel stays in it.
    near_bytes: usize,
}

impl Shared {
    /// The device's other threads, started when they are first needed; `None` if there are none.
    fn crew(&self) -> Option<&Crew> {
        if self.threads == 1 {
            None
        } else {
            Some(self.crew.get_or_init(|| Crew::new(self.threads - 1, "pointsman-cpu")))
        }
    }
}

impl CpuDevice {
    /// The device, set up as these say. Threads start with the first launch that needs them.
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
                sinks: vec!["store", "compact", "reduce", "scan"],
                refuses: Vec::new(),
                buffer_bytes_max: pool.limit_bytes() as u64,
                range_align: 1,
                // An image is the kernel itself, and its code is made by `load`: there is nothing to store.
                images_pay: false,
            },
        };
        CpuDevice {
            info,
            level,
            jit: level.target().is_some() && options.jit.unwrap_or_else(jit_wanted),
            shared: Shared {
                options,
                threads,
                crew: OnceLock::new(),
                pool,
                buffers: Buffers::default(),
                emitted: AtomicU64::new(0),
                cache_bytes: cache_bytes(3).unwrap_or(CACHE_BYTES_DEFAULT),
                near_bytes: cache_bytes(2).unwrap_or(NEAR_BYTES_DEFAULT),
            },
            ids: AtomicU64::new(1),
            known: RwLock::default(),
            events: Mutex::default(),
            copies: Mutex::default(),
            rapl: OnceLock::new(),
        }
    }

    /// The pool its buffers and its callers' outputs come from.
    pub fn pool(&self) -> &Arc<HostPool> {
        &self.shared.pool
    }

    /// How many launches ran machine code made for their kernel; the others ran block programs.
    pub fn emitted_launches(&self) -> u64 {
        self.shared.emitted.load(Ordering::Relaxed)
    }

    fn id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    fn known(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change_known(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a launch on this stream runs.
    fn program(&self, stream: StreamId, program: ProgramId) -> DeviceResult<Arc<Program>> {
        let known = self.known();
        known.check_stream(stream)?;
        let found = known.programs.get(&program).cloned();
        found.ok_or_else(|| DeviceError::invalid(format!("there is no program {}", program.0)))
    }

    fn event(&self, event: EventId) -> DeviceResult<Instant> {
        let reached = lock(&self.events).get(&event).copied();
        reached.ok_or_else(|| DeviceError::invalid(format!("there is no event {}", event.0)))
    }
}

impl Default for CpuDevice {
    fn default() -> CpuDevice {
        CpuDevice::new(CpuOptions::default())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The processor's name, where the system tells.
fn processor() -> String {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_string(), |(_, name)| name.trim().to_string())
}

/// Whether the environment lets kernels become machine code.
fn jit_wanted() -> bool {
    std::env::var_os("POINTSMAN_JIT").is_none_or(|wish| wish != "off")
}

/// The size of the cache of this level, where the system tells.
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
        if kernel.body.iter().any(|(_, inst, _)| matches!(inst, Inst::Probe { .. })) {
            return Err(DeviceError::unsupported("the CPU device does not probe tables yet"));
        }
        kernel.sink.streaming().map(drop).ok_or_else(|| compile::no_sink(&kernel.sink))
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
        let program = compile::compile(kernel, self.level, self.jit)?;
        let id = ProgramId(self.id());
        self.change_known().programs.insert(id, Arc::new(program));
        Ok(id)
    }

    fn describe(&self, program: ProgramId) -> String {
        self.known().programs.get(&program).map_or_else(String::new, |program| program.description.clone())
    }

    fn describe_launch(&self, program: ProgramId, rows: usize) -> String {
        let program = self.known().programs.get(&program).cloned();
        program.map_or_else(String::new, |program| self.shared.describe_threads(&program, rows))
    }

    fn unload(&self, program: ProgramId) {
        self.change_known().programs.remove(&program);
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
        self.change_known().streams.insert(id);
        Ok(id)
    }

    fn close_stream(&self, stream: StreamId) {
        self.change_known().streams.remove(&stream);
    }

    fn copy_in(&self, stream: StreamId, from: Arc<HostBuffer>, to: BufferRange) -> DeviceResult<()> {
        self.known().check_stream(stream)?;
        self.shared.buffers.write(&from, to)
    }

    fn copy_out_all(&self, stream: StreamId, from: &[BufferRange], mut into: HostBuffer) -> DeviceResult<CopyId> {
        self.known().check_stream(stream)?;
        staging_fits(&into, from)?;
        let mut at = 0;
        for range in from {
            self.shared.buffers.read(*range, &mut into[at..])?;
            at += range.bytes as usize;
        }
        let id = CopyId(self.id());
        lock(&self.copies).insert(id, into);
        Ok(id)
    }

    fn finish_copy(&self, copy: CopyId, _patience: Duration) -> DeviceResult<HostBuffer> {
        let staging = lock(&self.copies).remove(&copy);
        staging.ok_or_else(|| DeviceError::invalid(format!("there is no copy {}", copy.0)))
    }

    fn forget_copy(&self, copy: CopyId) {
        lock(&self.copies).remove(&copy);
    }

    fn record(&self, stream: StreamId) -> DeviceResult<EventId> {
        self.known().check_stream(stream)?;
        let id = EventId(self.id());
        lock(&self.events).insert(id, Instant::now());
        Ok(id)
    }

    fn wait_for(&self, stream: StreamId, event: EventId) -> DeviceResult<()> {
        self.known().check_stream(stream)?;
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
        lock(&self.events).remove(&event);
    }

    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<Pending> {
        let program = self.program(stream, program)?;
        launch::execute(&self.shared, &program, launch, None).map(Pending::Done)
    }

    fn launch_watched(
        &self,
        stream: StreamId,
        program: ProgramId,
        launch: &mut Launch<'_, '_>,
        onlooker: &dyn Onlooker,
    ) -> DeviceResult<Pending> {
        let program = self.program(stream, program)?;
        launch::execute(&self.shared, &program, launch, Some(&Watched::new(onlooker))).map(Pending::Done)
    }

    fn finish(&self, launch: LaunchId, _patience: Duration) -> DeviceResult<Outcome> {
        Err(DeviceError::invalid(format!("there is no launch {} under way: launches here are done at once", launch.0)))
    }

    fn forget_launch(&self, _launch: LaunchId) {
        // Launches are done when they return: there is none to forget.
    }

    fn zombies(&self) -> usize {
        0
    }
}
