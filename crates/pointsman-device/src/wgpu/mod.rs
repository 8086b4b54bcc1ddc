//! GPUs through Vulkan, Metal and DirectX 12, by wgpu: kernels become dispatches of generated WGSL. Everything is exact
//! except for float arithmetic, whose rounding is the driver's.
//!
//! There is one queue, which runs in order, so streams are only names, and waiting for an event of the same device is a
//! no-op. The GPU computes the final result of a whole fold. The host writes the nodes of a partial result and submits
//! the later pieces of a long launch: in `finish`, or before the first command that depends on them.

mod adapters;
mod bindings;
mod buffers;
#[cfg(feature = "calls")]
mod call;
mod code_cache;
mod command_batch;
mod copies;
mod dispatch_tuner;
mod download;
mod encode;
mod events;
mod gpu;
mod launch;
mod launch_timestamps;
mod leaf_tree;
mod open;
mod outcome;
mod pieces;
mod program;
mod running;
mod scratch;
mod submission;
mod unified_memory;
mod upload;

pub use adapters::{Adapter, Discovery, discover};
pub use open::WgpuOptions;

use crate::call_limit::{self, LIMIT_INTERVAL};
use crate::driver_lock::DriverLock;
use crate::energy::nvml::CardEnergy;
use crate::sync::{Condvar, Mutex};
use crate::{
    BufferId, BufferRange, ColumnInput, ColumnOutput, CopyId, Device, DeviceError, DeviceErrorKind, DeviceInfo,
    DeviceResult, Download, EnergyReading, EventId, EventStatus, HostBuffer, Launch, LaunchId, LaunchStatus,
    MemoryInfo, Outcome, Priority, ProgramId, ProgramImage, StreamId,
};
use buffers::BufferTable;
use code_cache::CodeCache;
use command_batch::Context;
use encode::Limits;
use events::Events;
use gpu::Gpu;
use pointsman_ir::kernel::{Kernel, parse};
use pointsman_ir::render::wgsl::{self, Target};
use pointsman_ir::verify;
use running::{CompiledPrograms, LoadedProgram, RunningLaunch};
use scratch::Scratch;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The format of this device's program images.
const IMAGE_FORMAT: &str = "pointsman-wgsl-2";
/// How long the host waits for a launch that another call depends on.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(600);

/// A GPU.
pub struct WgpuDevice {
    info: DeviceInfo,
    gpu: Arc<Gpu>,
    target: Target,
    limits: Limits,
    options: WgpuOptions,
    /// Whether images include the driver's pipeline cache.
    keeps_code: bool,
    ids: AtomicU64,
    buffers: Arc<BufferTable>,
    scratch: Arc<Scratch>,
    events: Events,
    programs: Mutex<BTreeMap<ProgramId, LoadedProgram>>,
    compiled: CompiledPrograms,
    streams: Mutex<BTreeSet<StreamId>>,
    copies: Mutex<BTreeMap<CopyId, (download::StagedDownload, HostBuffer)>>,
    launches: Mutex<BTreeMap<LaunchId, Arc<StartedLaunch>>>,
    /// Abandoned launches that are still running.
    zombies: Mutex<Vec<Arc<StartedLaunch>>>,
    /// Held while a launch or copy is encoded, so that commands are queued in the order of the calls. Later pieces of
    /// long launches are the exception.
    order: DriverLock,
    submitters: Arc<AtomicUsize>,
    energy: CardEnergy,
}

/// A launch and its dependencies.
struct StartedLaunch {
    /// Whether the host must still write outputs, or submit more pieces, before commands on the same buffers.
    is_incomplete: bool,
    stream: StreamId,
    buffers: UsedBuffers,
    /// Set when the launch is forgotten: nothing more is submitted.
    is_forgotten: Arc<AtomicBool>,
    state: Mutex<LaunchState>,
    /// Signalled when another thread has submitted the launch.
    submitted: Condvar,
}

/// The state of a launch.
enum LaunchState {
    /// Nothing is submitted yet.
    Encoded(RunningLaunch),
    /// Another thread submits the first commands.
    Submitting,
    Running(RunningLaunch),
    Done(DeviceResult<Outcome>),
}

/// The maximum number of threads that submit launches.
const SUBMITTERS_MAX: usize = 8;

/// One of the threads that submit launches.
struct SubmitterSlot(Arc<AtomicUsize>);

impl SubmitterSlot {
    /// Waits for a free slot; an error if the limit of this thread is over first.
    fn acquire(submitters: &Arc<AtomicUsize>) -> DeviceResult<SubmitterSlot> {
        let more = |count: usize| (count < SUBMITTERS_MAX).then_some(count + 1);
        while submitters.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
            if call_limit::is_over() {
                let text = format!("the driver has not returned from {SUBMITTERS_MAX} submissions");
                return Err(DeviceError::new(DeviceErrorKind::Expired, text));
            }
            std::thread::sleep(LIMIT_INTERVAL);
        }
        Ok(SubmitterSlot(Arc::clone(submitters)))
    }
}

impl Drop for SubmitterSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The buffers that a command reads and writes.
#[derive(Default)]
struct UsedBuffers {
    read: Vec<wgpu::Buffer>,
    written: Vec<wgpu::Buffer>,
}

impl UsedBuffers {
    /// Whether the commands must run in their order: one of them writes what the other one uses.
    fn conflicts_with(&self, other: &UsedBuffers) -> bool {
        let shares = |one: &[wgpu::Buffer], other: &[wgpu::Buffer]| one.iter().any(|buffer| other.contains(buffer));
        shares(&self.written, &other.written)
            || shares(&self.written, &other.read)
            || shares(&self.read, &other.written)
    }

    fn reading(read: Vec<wgpu::Buffer>) -> UsedBuffers {
        UsedBuffers { read, written: Vec::new() }
    }

    fn writing(buffer: &wgpu::Buffer) -> UsedBuffers {
        UsedBuffers { read: Vec::new(), written: vec![buffer.clone()] }
    }
}

impl WgpuDevice {
    /// Queues a copy from one buffer to another, in multiples of 4 bytes, on the device.
    pub fn copy_across(&self, stream: StreamId, from: BufferRange, to: BufferRange) -> DeviceResult<()> {
        self.check_stream(stream)?;
        let (source, target) = (self.buffers.get(from)?, self.buffers.get(to)?);
        let _order = self.order.acquire()?;
        self.settle_for(&UsedBuffers { read: vec![source.clone()], written: vec![target.clone()] })?;
        buffers::copy(&self.gpu, &source, from, &target, to)
    }

    /// The number of copies between the host and buffers that went through staging so far.
    pub fn staged_copies(&self) -> u64 {
        self.gpu.staged()
    }

    /// Destroys the device, like a driver that loses it: every later call reports a loss.
    pub fn destroy(&self) {
        self.gpu.destroy();
    }

    fn id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    fn check_stream(&self, stream: StreamId) -> DeviceResult<()> {
        let open = self.streams.lock().contains(&stream);
        if open { Ok(()) } else { Err(DeviceError::invalid(format!("there is no stream {}", stream.0))) }
    }

    /// The objects that submissions need.
    fn context(&self) -> Context<'_> {
        Context { gpu: &self.gpu, scratch: &self.scratch }
    }

    /// Checks and starts a launch of a loaded program.
    fn start(&self, program: LoadedProgram, launch: &Launch<'_, '_>) -> DeviceResult<LaunchState> {
        match program {
            LoadedProgram::Kernel(program) => self.start_kernel(program, launch),
            #[cfg(feature = "calls")]
            LoadedProgram::Call(program) => self.start_call(program, launch),
        }
    }

    /// Completes all launches of a stream: later commands see their outputs.
    fn settle(&self, stream: StreamId) -> DeviceResult<()> {
        self.settle_matching(|launch| launch.stream == stream)
    }

    /// Completes the launches that must run before a command that uses these buffers; other launches are not waited
    /// for.
    fn settle_for(&self, buffers: &UsedBuffers) -> DeviceResult<()> {
        self.settle_matching(|launch| launch.buffers.conflicts_with(buffers))
    }

    fn settle_matching(&self, which: impl Fn(&StartedLaunch) -> bool) -> DeviceResult<()> {
        let is_meant = |launch: &&Arc<StartedLaunch>| launch.is_incomplete && which(launch);
        let running: Vec<_> = self.launches.lock().values().filter(is_meant).cloned().collect();
        for launch in running {
            self.complete(&launch)?;
        }
        self.sweep();
        self.gpu.alive()
    }

    /// Waits for a launch and keeps its outcome for `finish`.
    fn complete(&self, launch: &StartedLaunch) -> DeviceResult<()> {
        let start = Instant::now();
        loop {
            match self.finish_within(launch, LIMIT_INTERVAL) {
                // Its queued commands run before any later one, and it queues no more.
                Err(_) if launch.is_forgotten.load(Ordering::Relaxed) => return Ok(()),
                Err(error) if error.kind == DeviceErrorKind::Expired => return Err(error),
                Err(error) if error.kind == DeviceErrorKind::Timeout => {
                    if call_limit::is_over() {
                        return Err(self.gpu.expired());
                    }
                    if start.elapsed() > SETTLE_TIMEOUT {
                        return Err(error);
                    }
                }
                outcome => {
                    *launch.state.lock() = LaunchState::Done(outcome);
                    return Ok(());
                }
            }
        }
    }

    fn finish_within(&self, launch: &StartedLaunch, timeout: Duration) -> DeviceResult<Outcome> {
        let start = Instant::now();
        let state = launch.state.lock();
        let is_submitting = |state: &mut LaunchState| matches!(state, LaunchState::Submitting);
        let mut state = launch.submitted.wait_timeout_while(state, timeout, is_submitting);
        match &mut *state {
            LaunchState::Running(running) => running.finish(self.context(), timeout.saturating_sub(start.elapsed())),
            LaunchState::Done(outcome) => outcome.clone(),
            LaunchState::Submitting | LaunchState::Encoded(_) => Err(self.gpu.timed_out()),
        }
    }

    /// Submits a launch on a separate thread, because the driver may take seconds for a kernel's first submission.
    fn submit_on_thread(&self, launch: &Arc<StartedLaunch>) -> DeviceResult<()> {
        let LaunchState::Encoded(mut encoded) = std::mem::replace(&mut *launch.state.lock(), LaunchState::Submitting)
        else {
            return Err(DeviceError::new(DeviceErrorKind::Internal, "the launch was already submitted"));
        };
        let (gpu, scratch, launch) = (Arc::clone(&self.gpu), Arc::clone(&self.scratch), Arc::clone(launch));
        let submit = move || {
            let context = Context { gpu: &gpu, scratch: &scratch };
            let submitted = catch_unwind(AssertUnwindSafe(|| encoded.submit_first(context)));
            let panicked = |_| Err(DeviceError::new(DeviceErrorKind::Internal, "the driver's interface panicked"));
            *launch.state.lock() = match submitted.unwrap_or_else(panicked) {
                Ok(()) => LaunchState::Running(encoded),
                Err(error) => LaunchState::Done(Err(error)),
            };
            launch.submitted.notify_all();
        };
        let slot = SubmitterSlot::acquire(&self.submitters)?;
        let thread = std::thread::Builder::new().name("pointsman-submit".to_string());
        let spawned = thread.spawn(move || {
            let _slot = slot;
            let _inside = crate::exit::in_driver();
            submit();
        });
        let failed = |error| DeviceError::new(DeviceErrorKind::Transient, format!("no thread could start: {error}"));
        spawned.map(drop).map_err(failed)
    }

    /// The buffers that a launch uses.
    fn buffers_of(&self, launch: &Launch<'_, '_>) -> UsedBuffers {
        let tables = launch.tables.iter().flat_map(|table| table.columns);
        let inputs = launch.columns.iter().chain(launch.lists).chain(tables).filter_map(|input| match input {
            ColumnInput::Device { values, validity, .. } => Some((*values, *validity)),
            ColumnInput::Host(_) => None,
        });
        let outputs = launch.outputs.iter().filter_map(|output| match output {
            ColumnOutput::Device { values, validity } => Some((*values, *validity)),
            ColumnOutput::Host { .. } => None,
        });
        // The launch itself refuses buffers that do not exist.
        let buffers = |columns: &mut dyn Iterator<Item = (BufferRange, Option<BufferRange>)>| {
            let ranges = columns.flat_map(|(values, validity)| std::iter::once(values).chain(validity));
            ranges.filter_map(|range| self.buffers.get(range).ok()).collect()
        };
        UsedBuffers { read: buffers(&mut { inputs }), written: buffers(&mut { outputs }) }
    }

    /// Frees abandoned launches that are done; returns how many are left.
    fn sweep(&self) -> usize {
        let mut zombies = self.zombies.lock();
        zombies.retain(|launch| match launch.state.try_lock().as_deref() {
            Some(LaunchState::Running(running)) => running.is_under_way(&self.gpu),
            // Another thread works on it.
            None | Some(LaunchState::Submitting) => true,
            Some(LaunchState::Done(_) | LaunchState::Encoded(_)) => false,
        });
        zombies.len()
    }
}

/// Whether an adapter of this kind runs a kernel, for `docs/devices.md`.
#[doc(hidden)]
pub fn check(kernel: &Kernel, target: Target, binding_bytes: u64) -> DeviceResult<()> {
    let limits = Limits { binding_bytes, groups: u16::MAX.into(), operations: open::GPU_OPERATIONS };
    program::check(kernel, target, limits, "the portable GPU")
}

impl Device for WgpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn energy(&self) -> DeviceResult<EnergyReading> {
        self.energy.read()
    }

    fn memory(&self) -> MemoryInfo {
        // None of the three interfaces reports the size of the memory.
        let (used, peak, kept) = (self.buffers.used(), self.buffers.peak(), self.buffers.kept_bytes());
        MemoryInfo { used, peak, kept, ..MemoryInfo::default() }
    }

    fn trim(&self, kept_max: u64) {
        self.buffers.trim(&self.gpu, kept_max);
    }

    fn supports(&self, kernel: &Kernel) -> DeviceResult<()> {
        let name = format!("{} ({})", self.info.name, self.info.model);
        program::check(kernel, self.target, self.limits, &name)
    }

    fn compile(&self, kernel: &Kernel) -> DeviceResult<ProgramImage> {
        self.supports(kernel)?;
        let kernel = wgsl::lowered(kernel).map_err(|error| DeviceError::unsupported(error.to_string()))?;
        let packed = |code: Option<&[u8]>| {
            ProgramImage::new(IMAGE_FORMAT, &code_cache::pack(&kernel.print(), &self.info.model, code))
        };
        if !self.keeps_code {
            return Ok(packed(None));
        }
        let code_cache = CodeCache::new(&self.gpu, None);
        let program = LoadedProgram::new(&self.gpu, kernel.clone(), self.target, self.limits, code_cache)?;
        let image = packed(program.code_cache().data().as_deref());
        self.compiled.keep(&image, program);
        Ok(image)
    }

    fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId> {
        let refuse = |message: String| DeviceError::new(DeviceErrorKind::Compile, message);
        let unpacked = code_cache::unpack(image.program(IMAGE_FORMAT)?, &self.info.model);
        let (text, code) = unpacked.ok_or_else(|| refuse("an image of another form".to_string()))?;
        let program = match self.compiled.take(image) {
            Some(program) => program,
            None => {
                let kernel = parse::parse(&text).map_err(|error| refuse(error.to_string()))?;
                verify::kernel(&kernel).map_err(|error| refuse(error.to_string()))?;
                let code_cache =
                    if self.keeps_code { CodeCache::new(&self.gpu, code.as_deref()) } else { CodeCache::default() };
                LoadedProgram::new(&self.gpu, kernel, self.target, self.limits, code_cache)?
            }
        };
        #[cfg(feature = "calls")]
        if let LoadedProgram::Call(program) = &program {
            self.load_constants(program)?;
        }
        let id = ProgramId(self.id());
        self.programs.lock().insert(id, program);
        Ok(id)
    }

    fn describe(&self, program: ProgramId) -> String {
        let Some(program) = self.programs.lock().get(&program).cloned() else { return String::new() };
        program.description()
    }

    fn unload(&self, program: ProgramId) {
        self.programs.lock().remove(&program);
    }

    #[cfg(feature = "calls")]
    fn scratch_bytes(&self, program: ProgramId, rows: usize) -> u64 {
        match self.programs.lock().get(&program) {
            Some(LoadedProgram::Call(program)) => program.scratch_bytes(rows),
            Some(LoadedProgram::Kernel(_)) | None => 0,
        }
    }

    fn allocate(&self, bytes: usize) -> DeviceResult<BufferId> {
        let id = BufferId(self.id());
        self.buffers.allocate(&self.gpu, id, bytes as u64)?;
        Ok(id)
    }

    fn free(&self, buffer: BufferId) {
        if let Some(buffer) = self.buffers.free(buffer) {
            self.scratch.forget(&buffer);
        }
    }

    fn open_stream(&self, _priority: Priority) -> DeviceResult<StreamId> {
        self.gpu.alive()?;
        let id = StreamId(self.id());
        self.streams.lock().insert(id);
        Ok(id)
    }

    fn close_stream(&self, stream: StreamId) {
        self.streams.lock().remove(&stream);
    }

    fn copy_in(&self, stream: StreamId, from: Arc<HostBuffer>, to: BufferRange) -> DeviceResult<()> {
        self.check_stream(stream)?;
        let buffer = self.buffers.get(to)?;
        if (from.len() as u64) < to.bytes {
            return Err(DeviceError::invalid(format!("{} bytes of staging for {}", from.len(), to.bytes)));
        }
        let _order = self.order.acquire()?;
        self.settle_for(&UsedBuffers::writing(&buffer))?;
        upload::write(&self.gpu, &self.scratch.upload_staging, &buffer, to.offset, &from[..to.bytes as usize])
    }

    fn copy_out_all(&self, stream: StreamId, from: &[BufferRange], destination: HostBuffer) -> DeviceResult<CopyId> {
        let copy = self.queue_copy(stream, from, &destination)?;
        let id = CopyId(self.id());
        self.copies.lock().insert(id, (copy, destination));
        Ok(id)
    }

    fn finish_copy(&self, copy: CopyId, timeout: Duration) -> DeviceResult<HostBuffer> {
        let taken = self.copies.lock().remove(&copy);
        let (mut own, mut destination) =
            taken.ok_or_else(|| DeviceError::invalid(format!("there is no copy {}", copy.0)))?;
        let Err(error) = own.fill(&self.gpu, timeout, &mut destination) else { return Ok(destination) };
        if matches!(error.kind, DeviceErrorKind::Timeout | DeviceErrorKind::Expired) {
            self.copies.lock().insert(copy, (own, destination));
        }
        Err(error)
    }

    fn forget_copy(&self, copy: CopyId) {
        self.copies.lock().remove(&copy);
    }

    fn upload(&self, stream: StreamId, from: &[u8], to: BufferRange) -> DeviceResult<()> {
        self.check_stream(stream)?;
        let buffer = self.buffers.get(to)?;
        copies::check(to, from.len())?;
        let _order = self.order.acquire()?;
        self.settle_for(&UsedBuffers::writing(&buffer))?;
        match self.gpu.is_unified() {
            true => unified_memory::write(&self.gpu, &buffer, to.offset, from, SETTLE_TIMEOUT),
            false => upload::write(&self.gpu, &self.scratch.upload_staging, &buffer, to.offset, from),
        }
    }

    fn download_all(&self, stream: StreamId, parts: &mut [Download<'_>], timeout: Duration) -> DeviceResult<()> {
        self.read_all(stream, parts, timeout)
    }

    fn download_while(
        &self,
        stream: StreamId,
        parts: &mut [Download<'_>],
        timeout: Duration,
        while_copying: &mut dyn FnMut(),
    ) -> DeviceResult<()> {
        if !self.gpu.is_unified() {
            return crate::thread_pool::run_while_copying(|| self.read_all(stream, parts, timeout), while_copying);
        }
        // Mapping a buffer waits for all queued work, so nothing is in flight meanwhile.
        while_copying();
        self.read_all(stream, parts, timeout)
    }

    fn record(&self, stream: StreamId) -> DeviceResult<EventId> {
        self.check_stream(stream)?;
        let _order = self.order.acquire()?;
        self.settle(stream)?;
        let id = EventId(self.id());
        self.events.record(&self.gpu, id)?;
        Ok(id)
    }

    fn wait_for(&self, stream: StreamId, event: EventId) -> DeviceResult<()> {
        self.check_stream(stream)?;
        self.events.check(event)
    }

    fn event_status(&self, event: EventId) -> DeviceResult<EventStatus> {
        self.events.status(&self.gpu, event)
    }

    fn elapsed(&self, from: EventId, to: EventId) -> DeviceResult<Duration> {
        self.events.elapsed(&self.gpu, from, to)
    }

    fn forget_event(&self, event: EventId) {
        self.events.forget(event);
    }

    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<LaunchStatus> {
        self.check_stream(stream)?;
        let program = self.programs.lock().get(&program).cloned();
        let program = program.ok_or_else(|| DeviceError::invalid("there is no such program"))?;
        let _order = self.order.acquire()?;
        let buffers = self.buffers_of(launch);
        self.settle_for(&buffers)?;
        let state = self.start(program, launch)?;
        let (is_forgotten, is_incomplete) = match &state {
            LaunchState::Done(outcome) => return outcome.clone().map(LaunchStatus::Done),
            LaunchState::Running(launch) => (launch.is_forgotten(), launch.is_incomplete()),
            LaunchState::Encoded(launch) => (launch.is_forgotten(), true),
            LaunchState::Submitting => (Arc::default(), true),
        };
        let is_encoded = matches!(state, LaunchState::Encoded(_));
        let (state, submitted) = (Mutex::new(state), Condvar::new());
        let started = Arc::new(StartedLaunch { is_incomplete, stream, buffers, is_forgotten, state, submitted });
        if is_encoded {
            self.submit_on_thread(&started)?;
        }
        let id = LaunchId(self.id());
        self.launches.lock().insert(id, started);
        Ok(LaunchStatus::Running(id))
    }

    fn finish(&self, launch: LaunchId, timeout: Duration) -> DeviceResult<Outcome> {
        let started = self.launches.lock().get(&launch).cloned();
        let started = started.ok_or_else(|| DeviceError::invalid(format!("there is no launch {}", launch.0)))?;
        let outcome = self.finish_within(&started, timeout);
        let is_pending =
            |error: &DeviceError| matches!(error.kind, DeviceErrorKind::Timeout | DeviceErrorKind::Expired);
        let timed_out = matches!(&outcome, Err(error) if is_pending(error));
        if !timed_out {
            self.launches.lock().remove(&launch);
        }
        outcome
    }

    fn forget_launch(&self, launch: LaunchId) {
        let Some(launch) = self.launches.lock().remove(&launch) else { return };
        launch.is_forgotten.store(true, Ordering::Relaxed);
        self.zombies.lock().push(launch);
        self.sweep();
    }

    fn zombies(&self) -> usize {
        self.sweep()
    }
}
