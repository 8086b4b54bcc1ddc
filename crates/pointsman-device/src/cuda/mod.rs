//! NVIDIA cards through the CUDA driver: one device per card, found at run time, with nothing needed at build time.
//!
//! In order of use: [`devices`] (`probe`) finds cards; `context` is made current by every call and remembers a lost
//! card; `stream`, `memory`, `pinned`, `page_locked`, `copies` hold and move bytes; `nvrtc`, `module` and `program` compile
//! and load code; `arguments`, `scratch`, `launch`, `nodes` run it, and `call` runs library calls; `stop_flags`
//! stops it. Types that own driver handles free them on drop, and
//! resources that work uses live until that work is done. Once a card is lost, every call reports it at once.

mod arguments;
#[cfg(feature = "calls")]
mod call;
mod context;
mod copies;
mod driver_calls;
mod errors;
mod handle_table;
mod launch;
mod memory;
mod module;
mod nodes;
mod nvrtc;
mod page_locked;
mod pinned;
mod probe;
mod program;
mod scratch;
mod stop_flags;
mod stream;

pub use probe::{CudaDiscovery, devices};

use crate::download::{self, InlineVec, staging_fits};
use crate::energy::nvml::CardEnergy;
use crate::{
    BufferId, BufferRange, CopyId, Device, DeviceError, DeviceInfo, DeviceResult, Download, EnergyReading, EventId,
    EventStatus, HostBuffer, Launch, LaunchId, LaunchStatus, MemoryInfo, Outcome, Priority, ProgramId, ProgramImage,
    StreamId,
};
use arguments::{Span, address_of};
use context::Context;
use copies::{CopyEngine, CopyOut, QUEUED_BYTES, timed_out};
use handle_table::HandleTable;
use launch::{CudaLaunch, CudaShared, Queued, Zombies};
use memory::{Block, Memory};
use pinned::{CopySource, PinnedPool};
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::guard;
use pointsman_ir::kernel::Kernel;
use pointsman_ir::render::cuda::{self as render, CudaSource, REFUSES};
use probe::CudaCard;
use program::{CudaProgram, image, open_image};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use stop_flags::StopFlags;
use stream::{CudaEvent, Stream, Timing};

/// The sinks that the device runs.
const SINKS: &[&str] = &[
    "store",
    "compact",
    "reduce",
    "scan",
    #[cfg(feature = "calls")]
    "call",
];
/// The size of a status block in pinned memory (a page, the smallest unit), and how many are kept.
const STATUS_CHUNK_BYTES: usize = 4096;
const STATUS_CHUNKS: usize = 64;

/// An NVIDIA card.
pub struct CudaDevice {
    info: DeviceInfo,
    card: CudaCard,
    /// The format of its images, which includes the architecture.
    format: String,
    ids: AtomicU64,
    buffers: HandleTable<Arc<Block>>,
    programs: HandleTable<LoadedProgram>,
    streams: HandleTable<Arc<Stream>>,
    events: HandleTable<Arc<CudaEvent>>,
    launches: HandleTable<Box<CudaLaunch>>,
    /// Abandoned launches that are still running.
    zombies: Zombies,
    copies: HandleTable<CopyOut>,
    shared: CudaShared,
    energy: CardEnergy,
}

/// A program that was loaded.
#[derive(Clone)]
enum LoadedProgram {
    /// A kernel.
    Kernel(Arc<CudaProgram>),
    /// A library call.
    #[cfg(feature = "calls")]
    Call(Arc<call::CudaCall>),
}

impl CudaDevice {
    /// Opens a card.
    fn open(card: CudaCard) -> DeviceResult<CudaDevice> {
        let context = Arc::new(Context::retain(card.handle)?);
        let memory = Arc::new(Memory::new(&context, card.handle)?);
        let side_stream = Arc::new(Stream::open(&context, Priority::Normal)?);
        let statuses = PinnedPool::new(&context, STATUS_CHUNK_BYTES, STATUS_CHUNKS);
        let copies = CopyEngine::new(&context);
        let stop_flags = StopFlags::new(&context)?;
        let shared = CudaShared {
            context,
            memory,
            copies,
            statuses,
            side_stream,
            stop_flags,
            #[cfg(feature = "calls")]
            blas: crate::sync::Mutex::default(),
            #[cfg(feature = "calls")]
            multiprocessors: card.multiprocessors,
        };
        Ok(CudaDevice {
            info: probe::info(&card),
            energy: CardEnergy::at(probe::bus(&card)),
            format: format!("pointsman-cuda-3 {}", card.architecture()),
            card,
            ids: AtomicU64::new(1),
            buffers: HandleTable::new("buffer"),
            programs: HandleTable::new("program"),
            streams: HandleTable::new("stream"),
            events: HandleTable::new("event"),
            launches: HandleTable::new("launch"),
            zombies: Zombies::default(),
            copies: HandleTable::new("copy"),
            shared,
        })
    }

    fn id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// Renders the kernel's source; the error says which feature the device lacks.
    fn render(&self, kernel: &Kernel) -> DeviceResult<CudaSource> {
        self.supports(kernel)?;
        render::render(&guard(&decompose(kernel))).map_err(|reason| DeviceError::unsupported(reason.message))
    }

    fn compile_source(&self, kernel: &Kernel, source: &CudaSource) -> DeviceResult<ProgramImage> {
        let code = nvrtc::compile(&source.text, &self.card.architecture())?;
        Ok(image(&self.format, kernel, &source.needs, &code))
    }

    /// Loads a program that runs this source in place of the kernel's own: for tests of code that fails on the card.
    #[cfg(feature = "testing")]
    pub fn load_source(&self, kernel: &Kernel, text: &str) -> DeviceResult<ProgramId> {
        let rendered = self.render(kernel)?;
        let image = self.compile_source(kernel, &CudaSource { text: text.to_string(), ..rendered })?;
        self.load(&image)
    }

    fn load_program(&self, image: &ProgramImage) -> DeviceResult<LoadedProgram> {
        #[cfg(feature = "calls")]
        if call::is_image(&self.format, image) {
            let load_stored = |image: &ProgramImage| self.load_kernel(image);
            let program = call::CudaCall::load(&self.shared, &self.format, image, load_stored)?;
            return Ok(LoadedProgram::Call(Arc::new(program)));
        }
        Ok(LoadedProgram::Kernel(Arc::new(self.load_kernel(image)?)))
    }

    fn load_kernel(&self, image: &ProgramImage) -> DeviceResult<CudaProgram> {
        let opened = open_image(&self.format, image)?;
        CudaProgram::load(&self.shared.context, &self.shared.memory, self.card.multiprocessors, opened)
    }

    /// Calls `copy` with the stream and the addresses of the ranges, and records that the stream uses their blocks.
    fn copy_ranges<R>(
        &self,
        stream: StreamId,
        ranges: &[BufferRange],
        copy: impl FnOnce(&Stream, &[(Arc<Block>, u64)]) -> DeviceResult<R>,
    ) -> DeviceResult<R> {
        let stream = self.streams.get(stream.0)?;
        let place = |range: &BufferRange| {
            let block = self.buffers.get(range.buffer.0)?;
            let address = address_of(Span { address: block.address(), bytes: block.bytes() }, *range)?;
            Ok((block, address))
        };
        let places = ranges.iter().map(place).collect::<DeviceResult<InlineVec<_>>>()?;
        self.shared.context.enter()?;
        let mark_used = || places.iter().for_each(|(block, _)| block.used_by(&stream));
        mark_used();
        let copied = copy(&stream, &places);
        mark_used();
        copied
    }
}

impl Device for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn memory(&self) -> MemoryInfo {
        let lost = MemoryInfo { total: Some(self.card.memory_bytes), free: Some(0), ..self.shared.memory.counted() };
        self.shared.memory.info().unwrap_or(lost)
    }

    fn trim(&self, kept_max: u64) {
        self.shared.memory.trim(kept_max);
    }

    fn energy(&self) -> DeviceResult<EnergyReading> {
        self.energy.read()
    }

    fn supports(&self, kernel: &Kernel) -> DeviceResult<()> {
        #[cfg(feature = "calls")]
        if let Some((call, _, _, dtype)) = call::parts(kernel) {
            call::supports(&call, dtype)?;
            return call::stored_rows(kernel).map_or(Ok(()), |stored| self.supports(&stored));
        }
        render::supports(kernel).map_err(|reason| DeviceError::unsupported(reason.message))
    }

    fn fingerprint(&self) -> String {
        let build = probe::driver_build().unwrap_or_default();
        format!("{}, driver {} {build}, {}", self.format, self.card.driver, nvrtc::fingerprint())
    }

    fn compile(&self, kernel: &Kernel) -> DeviceResult<ProgramImage> {
        #[cfg(feature = "calls")]
        if call::parts(kernel).is_some() {
            let stored = call::stored_rows(kernel).map(|stored| self.compile(&stored)).transpose()?;
            return call::compile(&self.format, &self.card.architecture(), kernel, stored);
        }
        self.compile_source(kernel, &self.render(kernel)?)
    }

    #[cfg(feature = "calls")]
    fn cuts_chunks(&self) -> bool {
        call::cuts_chunks()
    }

    fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId> {
        let program = self.load_program(image)?;
        let id = self.id();
        self.programs.insert(id, program);
        Ok(ProgramId(id))
    }

    fn describe(&self, program: ProgramId) -> String {
        match self.programs.get(program.0) {
            Ok(LoadedProgram::Kernel(program)) => program.describe(&self.card.architecture()),
            #[cfg(feature = "calls")]
            Ok(LoadedProgram::Call(program)) => program.description.clone(),
            Err(_) => String::new(),
        }
    }

    fn unload(&self, program: ProgramId) {
        drop(self.programs.remove(program.0));
    }

    fn allocation_bytes(&self, bytes: u64) -> u64 {
        memory::taken_bytes(bytes).unwrap_or(u64::MAX)
    }

    #[cfg(feature = "calls")]
    fn scratch_bytes(&self, program: ProgramId, rows: usize) -> u64 {
        match self.programs.get(program.0) {
            Ok(LoadedProgram::Call(program)) => program.scratch_bytes(self.shared.multiprocessors, rows as u64),
            Ok(LoadedProgram::Kernel(_)) | Err(_) => 0,
        }
    }

    fn allocate(&self, bytes: usize) -> DeviceResult<BufferId> {
        let block = self.shared.memory.buffer(bytes as u64)?;
        let id = self.id();
        self.buffers.insert(id, Arc::new(block));
        Ok(BufferId(id))
    }

    fn free(&self, buffer: BufferId) {
        drop(self.buffers.remove(buffer.0));
    }

    fn open_stream(&self, priority: Priority) -> DeviceResult<StreamId> {
        let stream = Stream::open(&self.shared.context, priority)?;
        let id = self.id();
        self.streams.insert(id, Arc::new(stream));
        Ok(StreamId(id))
    }

    fn close_stream(&self, stream: StreamId) {
        if let Ok(stream) = self.streams.remove(stream.0)
            && let Some(scratch) = stream.scratch().take()
        {
            scratch.used_by(&stream);
        }
    }

    fn copy_in(&self, stream: StreamId, from: Arc<HostBuffer>, to: BufferRange) -> DeviceResult<()> {
        staging_fits(&from, &[to])?;
        self.upload(stream, &from[..to.bytes as usize], to)
    }

    fn upload(&self, stream: StreamId, from: &[u8], to: BufferRange) -> DeviceResult<()> {
        staging_fits(from, &[to])?;
        let copy = |stream: &Stream, (block, address): &(Arc<Block>, u64)| {
            let ends_block = to.offset + to.bytes == block.bytes();
            let zeros = if ends_block { memory::padded_bytes(block.bytes()) - block.bytes() } else { 0 };
            self.shared.copies.copy_in(stream, &from[..to.bytes as usize], *address, zeros as usize)
        };
        self.copy_ranges(stream, &[to], |stream, places| places.iter().try_for_each(|place| copy(stream, place)))
    }

    fn download_all(&self, stream: StreamId, parts: &mut [Download<'_>], timeout: Duration) -> DeviceResult<()> {
        parts.iter().try_for_each(Download::check)?;
        let ranges: InlineVec<BufferRange> = parts.iter().map(|part| part.from).collect();
        self.copy_ranges(stream, &ranges, |stream, places| {
            let reads = places.iter().zip(parts).map(|((_, address), part)| (*address, &mut *part.destination));
            self.shared.copies.read_all(stream, &mut reads.collect::<InlineVec<_>>(), timeout)
        })
    }

    unsafe fn lock_pages(&self, memory: &[u8]) -> DeviceResult<()> {
        self.shared.copies.locked.lock(memory)
    }

    unsafe fn unlock_pages(&self, memory: &[u8]) {
        self.shared.copies.locked.unlock(memory);
    }

    fn copies_directly(&self, memory: &[u8]) -> bool {
        self.shared.copies.locked.is_locked(memory)
    }

    fn download_while(
        &self,
        stream: StreamId,
        parts: &mut [Download<'_>],
        timeout: Duration,
        while_copying: &mut dyn FnMut(),
    ) -> DeviceResult<()> {
        if parts.iter().map(|part| part.destination.len()).sum::<usize>() <= QUEUED_BYTES {
            return download::download_each(self, stream, parts, timeout, while_copying);
        }
        crate::thread_pool::run_while_copying(|| self.download_all(stream, parts, timeout), while_copying)
    }

    fn copy_out_all(&self, stream: StreamId, from: &[BufferRange], destination: HostBuffer) -> DeviceResult<CopyId> {
        staging_fits(&destination, from)?;
        let copy = self.copy_ranges(stream, from, |stream, places| {
            let sources = places.iter().zip(from);
            let sources =
                sources.map(|((_, address), range)| CopySource { address: *address, bytes: range.bytes as usize });
            self.shared.copies.copy_out(stream, &sources.collect::<InlineVec<_>>(), destination)
        })?;
        let id = self.id();
        self.copies.insert(id, copy);
        Ok(CopyId(id))
    }

    fn finish_copy(&self, copy: CopyId, timeout: Duration) -> DeviceResult<HostBuffer> {
        let mut copy_out = self.copies.remove(copy.0)?;
        match self.shared.copies.finish(&mut copy_out, timeout) {
            Ok(true) => Ok(copy_out.into_buffer()),
            Ok(false) => {
                self.copies.insert(copy.0, copy_out);
                Err(timed_out(timeout))
            }
            Err(error) => {
                self.shared.copies.abandon(copy_out);
                Err(error)
            }
        }
    }

    fn forget_copy(&self, copy: CopyId) {
        if let Ok(copy_out) = self.copies.remove(copy.0) {
            self.shared.copies.abandon(copy_out);
        }
    }

    fn record(&self, stream: StreamId) -> DeviceResult<EventId> {
        let stream = self.streams.get(stream.0)?;
        let event = CudaEvent::new(&self.shared.context, Timing::Timed)?;
        event.record(&stream)?;
        let id = self.id();
        self.events.insert(id, Arc::new(event));
        Ok(EventId(id))
    }

    fn wait_for(&self, stream: StreamId, event: EventId) -> DeviceResult<()> {
        let (stream, event) = (self.streams.get(stream.0)?, self.events.get(event.0)?);
        stream.wait_for(&event)
    }

    fn event_status(&self, event: EventId) -> DeviceResult<EventStatus> {
        let reached = self.events.get(event.0)?.is_reached()?;
        Ok(if reached { EventStatus::Reached } else { EventStatus::Pending })
    }

    fn elapsed(&self, from: EventId, to: EventId) -> DeviceResult<Duration> {
        let (from, to) = (self.events.get(from.0)?, self.events.get(to.0)?);
        if !(from.is_reached()? && to.is_reached()?) {
            return Err(DeviceError::invalid("time between events that are not reached"));
        }
        to.since(&from)
    }

    fn forget_event(&self, event: EventId) {
        drop(self.events.remove(event.0));
    }

    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<LaunchStatus> {
        let (stream, program) = (self.streams.get(stream.0)?, self.programs.get(program.0)?);
        self.zombies.sweep(&self.shared);
        let find = |buffer: BufferId| self.buffers.get(buffer.0);
        let queued = match &program {
            LoadedProgram::Kernel(program) => launch::queue(&self.shared, &stream, program, launch, find)?,
            #[cfg(feature = "calls")]
            LoadedProgram::Call(program) => program.queue(&self.shared, &self.zombies, &stream, launch, find)?,
        };
        match queued {
            Queued::Known(outcome) => Ok(LaunchStatus::Done(outcome)),
            Queued::Running(running) => {
                let id = self.id();
                self.launches.insert(id, running);
                Ok(LaunchStatus::Running(LaunchId(id)))
            }
        }
    }

    fn finish(&self, launch: LaunchId, timeout: Duration) -> DeviceResult<Outcome> {
        let running = self.launches.remove(launch.0)?;
        match launch::finish(&self.shared, running, timeout) {
            Ok(outcome) => outcome,
            Err((running, error)) => {
                self.launches.insert(launch.0, running);
                Err(error)
            }
        }
    }

    fn forget_launch(&self, launch: LaunchId) {
        match self.launches.remove(launch.0) {
            Ok(running) => self.zombies.add(&self.shared, *running),
            Err(_) => drop(self.zombies.sweep(&self.shared)),
        }
    }

    fn zombies(&self) -> usize {
        self.zombies.sweep(&self.shared)
    }
}
