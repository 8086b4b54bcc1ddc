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
mod copies;
mod events;
mod gpu;
mod kept;
mod launch;
mod open;
mod outcome;
mod pace;
mod program;
mod reading;
mod scratch;
mod start;
mod times;
mod tree;
mod unified;
mod writing;

pub use adapters::{Adapter, Discovery, discover};
pub use open::WgpuOptions;

use crate::energy::nvml::CardEnergy;
use crate::{
    BufferId, BufferRange, ColumnInput, ColumnOutput, CopyId, Device, DeviceError, DeviceErrorKind, DeviceInfo,
    DeviceResult, EnergyReading, EventId, EventStatus, Fetch, HostBuffer, Launch, LaunchId, MemoryInfo, Outcome,
    Pending, Priority, ProgramId, ProgramImage, StreamId,
};
use buffers::Buffers;
use events::Events;
use gpu::{Gpu, lock};
use kept::Kept;
use launch::Limits;
use outcome::Running;
use pointsman_ir::kernel::{Kernel, parse};
use pointsman_ir::render::wgsl::{self, Target};
use pointsman_ir::verify;
use program::{Fresh, Program};
use scratch::Scratch;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The form of this device's program images.
const IMAGE_FORMAT: &str = "pointsman-wgsl-2";
/// How long the host waits for a launch that something else needs.
const SETTLE_PATIENCE: Duration = Duration::from_secs(600);

/// A GPU.
pub struct WgpuDevice {
    info: DeviceInfo,
    gpu: Gpu,
    target: Target,
    limits: Limits,
    options: WgpuOptions,
    /// Whether images hold what the driver keeps of its code.
    keeps_code: bool,
    ids: AtomicU64,
    buffers: Buffers,
    scratch: Scratch,
    events: Events,
    programs: Mutex<BTreeMap<ProgramId, Arc<Program>>>,
    fresh: Fresh,
    streams: Mutex<BTreeSet<StreamId>>,
    copies: Mutex<BTreeMap<CopyId, (reading::Copy, HostBuffer)>>,
    launches: Mutex<BTreeMap<LaunchId, Arc<Mutex<State>>>>,
    /// Launches that nobody will ask about, until they are done.
    zombies: Mutex<Vec<Arc<Mutex<State>>>>,
    /// One launch or copy is encoded at a time: the order of the queue is that of the calls.
    order: Mutex<()>,
    energy: CardEnergy,
}

/// How a launch stands.
enum State {
    Running(Box<Running>),
    Done(DeviceResult<Outcome>),
}

impl WgpuDevice {
    /// Queues a copy from one buffer into another, of multiples of 4 bytes, by the driver's own means.
    pub fn copy_across(&self, stream: StreamId, from: BufferRange, to: BufferRange) -> DeviceResult<()> {
        self.check_stream(stream)?;
        let (source, target) = (self.buffers.get(from)?, self.buffers.get(to)?);
        let _order = lock(&self.order);
        self.settle_for(&[source.clone(), target.clone()])?;
        buffers::copy(&self.gpu, (&source, from), (&target, to))
    }

    /// How many copies between the host and buffers went through staging so far.
    pub fn staged_copies(&self) -> u64 {
        self.gpu.staged()
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
        self.settle_those(Running::needs_host)
    }

    /// The same for those alone that write to these buffers: others need not be waited for.
    fn settle_for(&self, buffers: &[wgpu::Buffer]) -> DeviceResult<()> {
        self.settle_those(|running| running.writes_to(buffers))
    }

    fn settle_those(&self, which: impl Fn(&Running) -> bool) -> DeviceResult<()> {
        let running: Vec<_> = lock(&self.launches).values().cloned().collect();
        for state in running {
            let mut state = lock(&state);
            if let State::Running(running) = &*state
                && which(running)
            {
                let outcome = running.finish(&self.gpu, SETTLE_PATIENCE);
                *state = State::Done(outcome);
            }
        }
        self.sweep();
        self.gpu.alive()
    }

    /// The buffers that a launch names.
    fn buffers_of(&self, launch: &Launch<'_, '_>) -> Vec<wgpu::Buffer> {
        let tables = launch.tables.iter().flat_map(|table| table.keys.iter().chain(table.columns));
        let inputs = launch.columns.iter().chain(launch.lists).chain(tables).filter_map(|input| match input {
            ColumnInput::Device { values, validity, .. } => Some((*values, *validity)),
            ColumnInput::Host(_) => None,
        });
        let outputs = launch.outputs.iter().filter_map(|output| match output {
            ColumnOutput::Device { values, validity } => Some((*values, *validity)),
            ColumnOutput::Host { .. } => None,
        });
        let ranges = inputs.chain(outputs).flat_map(|(values, validity)| std::iter::once(values).chain(validity));
        // What there is not, the launch itself refuses.
        ranges.filter_map(|range| self.buffers.get(range).ok()).collect()
    }

    /// Lets go of those forgotten launches that are done; how many are left.
    fn sweep(&self) -> usize {
        let mut zombies = lock(&self.zombies);
        zombies.retain(|state| match &*lock(state) {
            State::Running(running) => running.is_under_way(&self.gpu),
            State::Done(_) => false,
        });
        zombies.len()
    }
}

impl Device for WgpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn energy(&self) -> DeviceResult<EnergyReading> {
        self.energy.read()
    }

    fn memory(&self) -> MemoryInfo {
        // None of the three interfaces tells how much there is.
        let (used, peak, kept) = (self.buffers.used(), self.buffers.peak(), self.buffers.kept_bytes());
        MemoryInfo { used, peak, kept, ..MemoryInfo::default() }
    }

    fn trim(&self, kept_max: u64) {
        self.buffers.trim(&self.gpu, kept_max);
    }

    fn supports(&self, kernel: &Kernel) -> DeviceResult<()> {
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
        let packed =
            |code: Option<&[u8]>| ProgramImage::new(IMAGE_FORMAT, &kept::pack(&kernel.print(), &self.info.model, code));
        if !self.keeps_code {
            return Ok(packed(None));
        }
        let program = Program::new(&self.gpu, kernel.clone(), self.target, Kept::new(&self.gpu, None))?;
        let image = packed(program.kept.data().as_deref());
        self.fresh.keep(&image, program);
        Ok(image)
    }

    fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId> {
        let refuse = |message: String| DeviceError::new(DeviceErrorKind::Compile, message);
        let unpacked = kept::unpack(image.program(IMAGE_FORMAT)?, &self.info.model);
        let (text, code) = unpacked.ok_or_else(|| refuse("an image of another form".to_string()))?;
        let program = match self.fresh.take(image) {
            Some(program) => program,
            None => {
                let kernel = parse::parse(&text).map_err(|error| refuse(error.to_string()))?;
                verify::kernel(&kernel).map_err(|error| refuse(error.to_string()))?;
                let kept = if self.keeps_code { Kept::new(&self.gpu, code.as_deref()) } else { Kept::default() };
                Program::new(&self.gpu, kernel, self.target, kept)?
            }
        };
        let id = ProgramId(self.id());
        lock(&self.programs).insert(id, Arc::new(program));
        Ok(id)
    }

    fn describe(&self, program: ProgramId) -> String {
        let Some(program) = lock(&self.programs).get(&program).cloned() else { return String::new() };
        let pace = program.pace.seen().map(|pace| format!(", {pace:.0} rows a millisecond"));
        let kept = if program.kept.is_old { ", from kept code" } else { "" };
        format!("WGSL{kept}{}", pace.unwrap_or_default())
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
        self.settle_for(std::slice::from_ref(&buffer))?;
        writing::write(&self.gpu, &self.scratch.outgoing, &buffer, to.offset, &from[..to.bytes as usize])
    }

    fn copy_out_all(&self, stream: StreamId, from: &[BufferRange], into: HostBuffer) -> DeviceResult<CopyId> {
        let copy = self.queue_copy(stream, from, &into)?;
        let id = CopyId(self.id());
        lock(&self.copies).insert(id, (copy, into));
        Ok(id)
    }

    fn finish_copy(&self, copy: CopyId, patience: Duration) -> DeviceResult<HostBuffer> {
        let taken = lock(&self.copies).remove(&copy);
        let (mut own, mut into) = taken.ok_or_else(|| DeviceError::invalid(format!("there is no copy {}", copy.0)))?;
        let Err(error) = own.fill(&self.gpu, patience, &mut into) else { return Ok(into) };
        if error.kind == DeviceErrorKind::Timeout {
            lock(&self.copies).insert(copy, (own, into));
        }
        Err(error)
    }

    fn forget_copy(&self, copy: CopyId) {
        lock(&self.copies).remove(&copy);
    }

    fn upload(&self, stream: StreamId, from: &[u8], to: BufferRange) -> DeviceResult<()> {
        self.check_stream(stream)?;
        let buffer = self.buffers.get(to)?;
        copies::check(to, from.len())?;
        let _order = lock(&self.order);
        self.settle_for(std::slice::from_ref(&buffer))?;
        match self.gpu.is_unified() {
            true => unified::write(&self.gpu, &buffer, to.offset, from, SETTLE_PATIENCE),
            false => writing::write(&self.gpu, &self.scratch.outgoing, &buffer, to.offset, from),
        }
    }

    fn download_all(&self, stream: StreamId, parts: &mut [Fetch<'_>], patience: Duration) -> DeviceResult<()> {
        self.read_all(stream, parts, patience)
    }

    fn download_beside(
        &self,
        stream: StreamId,
        parts: &mut [Fetch<'_>],
        patience: Duration,
        beside: &mut dyn FnMut(),
    ) -> DeviceResult<()> {
        if !self.gpu.is_unified() {
            return crate::crew::beside(|| self.read_all(stream, parts, patience), beside);
        }
        // Mapping a buffer waits for all that is queued: nothing is under way meanwhile.
        beside();
        self.read_all(stream, parts, patience)
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
        self.settle_for(&self.buffers_of(launch))?;
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

    fn forget_launch(&self, launch: LaunchId) {
        let state = lock(&self.launches).remove(&launch);
        lock(&self.zombies).extend(state);
        self.sweep();
    }

    fn zombies(&self) -> usize {
        self.sweep()
    }
}
