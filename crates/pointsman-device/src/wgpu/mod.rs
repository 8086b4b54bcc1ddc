//! GPUs behind Vulkan, Metal and DirectX 12, through one interface: in go kernels and buffers, out come dispatches of
//! generated WGSL. Everything is exact but float arithmetic, whose rounding is the driver's.
//!
//! There is one queue, which runs in order: streams are names, and waiting for an event of the same device is waiting for
//! nothing. A whole fold's result is finished on the GPU; the nodes of a partial result are written by the host, at
//! `finish` or before anything else could see them.

mod adapters;
mod batch;
mod bound;
mod buffers;
mod events;
mod gpu;
mod launch;
mod outcome;
mod program;
mod scratch;
mod start;
mod tree;

pub use adapters::{Adapter, Discovery, discover};

use crate::{
    BufferId, BufferRange, Capabilities, CopyId, Device, DeviceError, DeviceErrorKind, DeviceInfo, DeviceResult,
    EventId, EventStatus, Exactness, HostBuffer, Launch, LaunchId, MemoryInfo, Outcome, Pending, Priority, ProgramId,
    ProgramImage, StreamId,
};
use buffers::{Buffers, Reading};
use events::Events;
use gpu::{Gpu, lock};
use launch::Limits;
use outcome::Running;
use pointsman_ir::kernel::{Kernel, parse};
use pointsman_ir::render::wgsl::{self, ArgumentMemory, Fma, Target, TileOrder};
use pointsman_ir::verify;
use program::Program;
use scratch::Scratch;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The form of this device's program images.
const IMAGE_FORMAT: &str = "pointsman-wgsl-1";
/// How long the host waits for a launch that something else needs.
const SETTLE_PATIENCE: Duration = Duration::from_secs(600);
/// A dispatch is cut so that it should take no longer than this.
const DISPATCH_SECONDS: f64 = 0.1;
/// Simple operations a second that are assumed of a GPU, and of one that the processor simulates: conservative.
const GPU_OPERATIONS: f64 = 5e10;
const SOFTWARE_OPERATIONS: f64 = 3e8;
/// Iterations of an invocation's loops after which a simulated GPU stops them silently, with room for its own.
const SOFTWARE_ITERATIONS: u64 = 60_000;

/// How a device is opened.
#[derive(Clone, Debug, Default)]
pub struct WgpuOptions {
    /// The most bytes of a binding, if fewer than the adapter allows: for tests of splits.
    pub binding_bytes_max: Option<u64>,
    /// The most workgroups a dimension of a dispatch, if fewer than the adapter allows: for tests of grids.
    pub groups_max: Option<u32>,
    /// Whether compactions take one pass over memory; as the adapter is, if not said.
    pub single_pass: Option<bool>,
    /// Whether workgroups take rows from the last on where they can: for tests of orders.
    pub backward: bool,
    /// The most rows of a dispatch, if fewer than its time allows: for tests of splits.
    pub dispatch_rows_max: Option<u64>,
}

/// A GPU.
pub struct WgpuDevice {
    info: DeviceInfo,
    gpu: Gpu,
    target: Target,
    limits: Limits,
    options: WgpuOptions,
    ids: AtomicU64,
    buffers: Buffers,
    scratch: Scratch,
    events: Events,
    programs: Mutex<BTreeMap<ProgramId, Arc<Program>>>,
    streams: Mutex<BTreeSet<StreamId>>,
    copies: Mutex<BTreeMap<CopyId, (Reading, HostBuffer)>>,
    launches: Mutex<BTreeMap<LaunchId, Arc<Mutex<State>>>>,
    /// One launch or copy is encoded at a time: the order of the queue is that of the calls.
    order: Mutex<()>,
}

/// How a launch stands.
enum State {
    Running(Box<Running>),
    Done(DeviceResult<Outcome>),
}

impl WgpuDevice {
    /// Opens an adapter.
    pub fn open(adapter: &Adapter, options: WgpuOptions) -> DeviceResult<WgpuDevice> {
        let gpu = Gpu::open(adapter)?;
        let (limits, features) = (gpu.device.limits(), gpu.device.features());
        let target = Target {
            f64: features.contains(wgpu::Features::SHADER_F64),
            i64: features.contains(wgpu::Features::SHADER_INT64),
            fma: if adapter.is_software { Fma::Emulated } else { Fma::Fused },
            storage_buffers: limits.max_storage_buffers_per_shader_stage.min(limits.max_bindings_per_bind_group - 1),
            arguments: if adapter.is_software { ArgumentMemory::Storage } else { ArgumentMemory::Uniform },
            single_pass: options.single_pass.unwrap_or(!adapter.is_software),
            order: if options.backward { TileOrder::Backward } else { TileOrder::Forward },
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            iterations: adapter.is_software.then_some(SOFTWARE_ITERATIONS),
        };
        let operations = if adapter.is_software { SOFTWARE_OPERATIONS } else { GPU_OPERATIONS };
        let binding_bytes = options.binding_bytes_max.unwrap_or(u64::MAX).min(limits.max_storage_buffer_binding_size);
        let allowed = Limits {
            binding_bytes,
            groups: limits.max_compute_workgroups_per_dimension.min(options.groups_max.unwrap_or(u32::MAX)),
            operations: operations * DISPATCH_SECONDS,
        };
        let align = u64::from(limits.min_storage_buffer_offset_alignment).max(buffers::VECTOR_BYTES);
        let info = info(adapter, target, limits.max_buffer_size, align);
        let events = Events::new(&gpu)?;
        Ok(WgpuDevice {
            info,
            gpu,
            target,
            limits: allowed,
            options,
            ids: AtomicU64::new(1),
            buffers: Buffers::default(),
            scratch: Scratch::default(),
            events,
            programs: Mutex::default(),
            streams: Mutex::default(),
            copies: Mutex::default(),
            launches: Mutex::default(),
            order: Mutex::default(),
        })
    }

    /// Queues a copy from one buffer into another, of multiples of 4 bytes, by the driver's own means.
    pub fn copy_across(&self, stream: StreamId, from: BufferRange, to: BufferRange) -> DeviceResult<()> {
        self.check_stream(stream)?;
        let (source, target) = (self.buffers.get(from)?, self.buffers.get(to)?);
        let _order = lock(&self.order);
        self.settle()?;
        buffers::copy(&self.gpu, (&source, from), (&target, to))
    }

    /// Destroys the device, as a driver does that loses it: every call from now on is a loss.
    pub fn destroy(&self) {
        self.gpu.destroy();
    }

    fn id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    fn check_stream(&self, stream: StreamId) -> DeviceResult<()> {
        let open = lock(&self.streams).contains(&stream);
        if open { Ok(()) } else { Err(DeviceError::invalid(format!("there is no stream {}", stream.0))) }
    }

    /// Finishes launches whose outputs the host writes, before anything looks at them.
    fn settle(&self) -> DeviceResult<()> {
        let running: Vec<_> = lock(&self.launches).values().cloned().collect();
        for state in running {
            let mut state = lock(&state);
            if let State::Running(running) = &*state
                && running.needs_host()
            {
                let outcome = running.finish(&self.gpu, SETTLE_PATIENCE);
                *state = State::Done(outcome);
            }
        }
        self.gpu.alive()
    }
}

fn info(adapter: &Adapter, target: Target, buffer_bytes_max: u64, range_align: u64) -> DeviceInfo {
    let mut refuses = vec![
        "decimals of more than 18 digits",
        "folds over frames of preceding rows",
        "a probe",
        "more buffers at once than can be bound",
        "launches of 2^32 rows",
    ];
    refuses.extend((!target.f64).then_some("f64"));
    refuses.extend((!target.i64).then_some("64-bit integers"));
    refuses.extend(target.iterations.map(|_| "loops of many iterations"));
    DeviceInfo {
        name: adapter.name.clone(),
        kind: adapter.kind,
        model: adapter.model.clone(),
        units: 1,
        capabilities: Capabilities {
            exactness: Exactness::Bounded,
            f64: target.f64,
            host_memory: false,
            unified_memory: false,
            sinks: vec!["store", "compact", "reduce", "scan"],
            refuses,
            buffer_bytes_max,
            range_align,
        },
    }
}

impl Device for WgpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn memory(&self) -> MemoryInfo {
        // None of the three interfaces tells how much there is.
        MemoryInfo { total: None, free: None, used: self.buffers.used() }
    }

    fn supports(&self, kernel: &Kernel) -> DeviceResult<()> {
        verify::runnable(kernel).map_err(|error| DeviceError::unsupported(error.to_string()))?;
        let guarded = program::guarded(kernel);
        let refused = |error: pointsman_ir::render::NotRendered| {
            DeviceError::unsupported(format!("{error}: {} ({}) does not have that", self.info.name, self.info.model))
        };
        for form in [wgsl::Form::Whole, wgsl::Form::Partial] {
            wgsl::render(&guarded, form, self.target).map_err(refused)?;
        }
        Ok(())
    }

    fn compile(&self, kernel: &Kernel) -> DeviceResult<ProgramImage> {
        self.supports(kernel)?;
        Ok(ProgramImage::new(IMAGE_FORMAT, kernel.print().as_bytes()))
    }

    fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId> {
        let refuse = |message: String| DeviceError::new(DeviceErrorKind::Compile, message);
        let text = std::str::from_utf8(image.program(IMAGE_FORMAT)?).map_err(|error| refuse(error.to_string()))?;
        let kernel = parse::parse(text).map_err(|error| refuse(error.to_string()))?;
        verify::kernel(&kernel).map_err(|error| refuse(error.to_string()))?;
        verify::runnable(&kernel).map_err(|error| DeviceError::unsupported(error.to_string()))?;
        let program = Program::new(&self.gpu, kernel, self.target)?;
        let id = ProgramId(self.id());
        lock(&self.programs).insert(id, Arc::new(program));
        Ok(id)
    }

    fn describe(&self, program: ProgramId) -> String {
        let loaded = lock(&self.programs).contains_key(&program);
        if loaded { "WGSL".to_string() } else { String::new() }
    }

    fn unload(&self, program: ProgramId) {
        lock(&self.programs).remove(&program);
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
        lock(&self.streams).insert(id);
        Ok(id)
    }

    fn close_stream(&self, stream: StreamId) {
        lock(&self.streams).remove(&stream);
    }

    fn copy_in(&self, stream: StreamId, from: Arc<HostBuffer>, to: BufferRange) -> DeviceResult<()> {
        self.check_stream(stream)?;
        let buffer = self.buffers.get(to)?;
        if (from.len() as u64) < to.bytes {
            return Err(DeviceError::invalid(format!("{} bytes of staging for {}", from.len(), to.bytes)));
        }
        let _order = lock(&self.order);
        self.settle()?;
        buffers::write(&self.gpu, &buffer, to.offset, &from[..to.bytes as usize])
    }

    fn copy_out(&self, stream: StreamId, from: BufferRange, into: HostBuffer) -> DeviceResult<CopyId> {
        self.check_stream(stream)?;
        let buffer = self.buffers.get(from)?;
        if (into.len() as u64) < from.bytes {
            return Err(DeviceError::invalid(format!("{} bytes of staging for {}", into.len(), from.bytes)));
        }
        let _order = lock(&self.order);
        self.settle()?;
        let reading = buffers::read(&self.gpu, &buffer, from.offset, from.bytes)?;
        let id = CopyId(self.id());
        lock(&self.copies).insert(id, (reading, into));
        Ok(id)
    }

    fn finish_copy(&self, copy: CopyId, patience: Duration) -> DeviceResult<HostBuffer> {
        let taken = lock(&self.copies).remove(&copy);
        let (reading, mut into) = taken.ok_or_else(|| DeviceError::invalid(format!("there is no copy {}", copy.0)))?;
        match reading.finish(&self.gpu, patience, &mut into) {
            Ok(()) => Ok(into),
            Err(error) => {
                if error.kind == DeviceErrorKind::Timeout {
                    lock(&self.copies).insert(copy, (reading, into));
                }
                Err(error)
            }
        }
    }

    fn record(&self, stream: StreamId) -> DeviceResult<EventId> {
        self.check_stream(stream)?;
        let _order = lock(&self.order);
        self.settle()?;
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

    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<Pending> {
        self.check_stream(stream)?;
        let program = lock(&self.programs).get(&program).cloned();
        let program = program.ok_or_else(|| DeviceError::invalid("there is no such program"))?;
        let _order = lock(&self.order);
        self.settle()?;
        match self.start(program, launch)? {
            State::Done(outcome) => outcome.map(Pending::Done),
            running @ State::Running(_) => {
                let id = LaunchId(self.id());
                lock(&self.launches).insert(id, Arc::new(Mutex::new(running)));
                Ok(Pending::Running(id))
            }
        }
    }

    fn finish(&self, launch: LaunchId, patience: Duration) -> DeviceResult<Outcome> {
        let state = lock(&self.launches).get(&launch).cloned();
        let state = state.ok_or_else(|| DeviceError::invalid(format!("there is no launch {}", launch.0)))?;
        let outcome = match &*lock(&state) {
            State::Running(running) => running.finish(&self.gpu, patience),
            State::Done(outcome) => outcome.clone(),
        };
        let timed_out = matches!(&outcome, Err(error) if error.kind == DeviceErrorKind::Timeout);
        if !timed_out {
            lock(&self.launches).remove(&launch);
        }
        outcome
    }
}
