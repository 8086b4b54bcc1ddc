//! NVIDIA cards through the CUDA driver: one device a card, found at run time, with nothing needed at build time.
//!
//! In order of use: [`devices`] (`probe`) finds cards; `context` is entered by every call and remembers a lost card;
//! `stream`, `memory`, `pinned`, `locked`, `copies` hold and move bytes; `nvrtc` and `program` make and load code; `arguments`,
//! `scratch`, `launch`, `nodes` run it. Handles of the driver are owned by types that give them back when dropped, and
//! what work uses is kept until that work is done. Once a card is lost, every call says so at once.

mod arguments;
mod context;
mod copies;
mod errors;
mod launch;
mod locked;
mod memory;
mod nodes;
mod nvrtc;
mod pinned;
mod probe;
mod program;
mod scratch;
mod stream;
mod table;

pub use probe::{CudaFound, devices};

use crate::energy::nvml::CardEnergy;
use crate::fetch::{self, Few, staging_fits};
use crate::{
    BufferId, BufferRange, CopyId, Device, DeviceError, DeviceInfo, DeviceResult, EnergyReading, EventId, EventStatus,
    Fetch, HostBuffer, Launch, LaunchId, MemoryInfo, Outcome, Pending, Priority, ProgramId, ProgramImage, StreamId,
};
use arguments::{Span, address_of};
use context::Context;
use copies::{Copies, CopyOut, QUEUED_BYTES, too_late};
use launch::{Queued, Running, Shared};
use memory::{Block, Memory};
use pinned::{Source, Staging};
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::guard;
use pointsman_ir::kernel::Kernel;
use pointsman_ir::render::cuda::{self as render, CudaSource, REFUSES};
use probe::Card;
use program::{Program, image, open_image};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stream::{Event, Stream, Timing};
use table::Table;

/// The sinks it runs.
const SINKS: [&str; 4] = ["store", "compact", "reduce", "scan"];
/// Bytes of pinned memory for a status block (a page: the system gives no less), and how many are kept.
const STATUS_CHUNK_BYTES: usize = 4096;
const STATUS_CHUNKS: usize = 64;

/// An NVIDIA card.
pub struct CudaDevice {
    info: DeviceInfo,
    card: Card,
    /// The format of its images: the architecture is part of it.
    format: String,
    ids: AtomicU64,
    buffers: Table<Arc<Block>>,
    programs: Table<Arc<Program>>,
    streams: Table<Arc<Stream>>,
    events: Table<Arc<Event>>,
    launches: Table<Box<Running>>,
    /// Launches that nobody will ask about, until they are done.
    zombies: Mutex<Vec<Running>>,
    copies: Table<CopyOut>,
    shared: Shared,
    energy: CardEnergy,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CudaDevice {
    /// A card as a device.
    fn open(card: Card) -> DeviceResult<CudaDevice> {
        let context = Arc::new(Context::retain(card.handle)?);
        let memory = Arc::new(Memory::new(&context, card.handle)?);
        let aside = Stream::open(&context, Priority::Normal)?;
        let statuses = Staging::new(&context, STATUS_CHUNK_BYTES, STATUS_CHUNKS);
        let copies = Copies::new(&context);
        Ok(CudaDevice {
            info: probe::info(&card),
            energy: CardEnergy::at(probe::bus(&card)),
            format: format!("pointsman-cuda-1 {}", card.architecture()),
            card,
            ids: AtomicU64::new(1),
            buffers: Table::new("buffer"),
            programs: Table::new("program"),
            streams: Table::new("stream"),
            events: Table::new("event"),
            launches: Table::new("launch"),
            zombies: Mutex::default(),
            copies: Table::new("copy"),
            shared: Shared { context, memory, copies, statuses, aside },
        })
    }

    fn id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// The kernel's source; an error that says what the device lacks.
    fn render(&self, kernel: &Kernel) -> DeviceResult<CudaSource> {
        self.supports(kernel)?;
        render::render(&guard(&decompose(kernel))).map_err(|reason| DeviceError::unsupported(reason.message))
    }

    fn compile_source(&self, kernel: &Kernel, source: &CudaSource) -> DeviceResult<ProgramImage> {
        let code = nvrtc::compile(&source.text, &self.card.architecture())?;
        Ok(image(&self.format, kernel, &source.needs, &code))
    }

    /// Loads a program that runs this source for the kernel, instead of what the kernel means: for tests of what
    /// happens when code on the card goes wrong.
    #[cfg(feature = "testing")]
    pub fn load_source(&self, kernel: &Kernel, text: &str) -> DeviceResult<ProgramId> {
        let rendered = self.render(kernel)?;
        let image = self.compile_source(kernel, &CudaSource { text: text.to_string(), ..rendered })?;
        self.load(&image)
    }

    /// Copies between the host's memory and ranges, which are the stream's until the copy is done; `copy` is told where
    /// they start.
    fn moving<R>(
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
        let places = ranges.iter().map(place).collect::<DeviceResult<Few<_>>>()?;
        self.shared.context.enter()?;
        let take_down = || places.iter().for_each(|(block, _)| block.used_by(&stream));
        take_down();
        let copied = copy(&stream, &places);
        take_down();
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
        render::supports(kernel).map_err(|reason| DeviceError::unsupported(reason.message))
    }

    fn fingerprint(&self) -> String {
        let build = probe::driver_build().unwrap_or_default();
        format!("{}, driver {} {build}, {}", self.format, self.card.driver, nvrtc::fingerprint())
    }

    fn compile(&self, kernel: &Kernel) -> DeviceResult<ProgramImage> {
        self.compile_source(kernel, &self.render(kernel)?)
    }

    fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId> {
        let opened = open_image(&self.format, image)?;
        let units = self.card.multiprocessors;
        let program = Program::load(&self.shared.context, &self.shared.memory, units, opened)?;
        let id = self.id();
        self.programs.insert(id, Arc::new(program));
        Ok(ProgramId(id))
    }

    fn describe(&self, program: ProgramId) -> String {
        let architecture = self.card.architecture();
        self.programs.get(program.0).map_or_else(|_| String::new(), |program| program.describe(&architecture))
    }

    fn unload(&self, program: ProgramId) {
        drop(self.programs.remove(program.0));
    }

    fn allocation_bytes(&self, bytes: u64) -> u64 {
        memory::taken_bytes(bytes).unwrap_or(u64::MAX)
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
        self.moving(stream, &[to], |stream, places| places.iter().try_for_each(|place| copy(stream, place)))
    }

    fn download_all(&self, stream: StreamId, parts: &mut [Fetch<'_>], patience: Duration) -> DeviceResult<()> {
        parts.iter().try_for_each(Fetch::check)?;
        let ranges: Few<BufferRange> = parts.iter().map(|part| part.from).collect();
        self.moving(stream, &ranges, |stream, places| {
            let ways = places.iter().zip(parts).map(|((_, address), part)| (*address, &mut *part.into));
            self.shared.copies.read_all(stream, &mut ways.collect::<Few<_>>(), patience)
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

    fn download_beside(
        &self,
        stream: StreamId,
        parts: &mut [Fetch<'_>],
        patience: Duration,
        beside: &mut dyn FnMut(),
    ) -> DeviceResult<()> {
        if parts.iter().map(|part| part.into.len()).sum::<usize>() <= QUEUED_BYTES {
            return fetch::download_queued(self, stream, parts, patience, beside);
        }
        crate::crew::beside(|| self.download_all(stream, parts, patience), beside)
    }

    fn copy_out_all(&self, stream: StreamId, from: &[BufferRange], into: HostBuffer) -> DeviceResult<CopyId> {
        staging_fits(&into, from)?;
        let copy = self.moving(stream, from, |stream, places| {
            let sources = places.iter().zip(from);
            let sources =
                sources.map(|((_, address), range)| Source { address: *address, bytes: range.bytes as usize });
            self.shared.copies.copy_out(stream, &sources.collect::<Few<_>>(), into)
        })?;
        let id = self.id();
        self.copies.insert(id, copy);
        Ok(CopyId(id))
    }

    fn finish_copy(&self, copy: CopyId, patience: Duration) -> DeviceResult<HostBuffer> {
        let mut under_way = self.copies.remove(copy.0)?;
        match self.shared.copies.finish(&mut under_way, patience) {
            Ok(true) => Ok(under_way.into_buffer()),
            Ok(false) => {
                self.copies.insert(copy.0, under_way);
                Err(too_late(patience))
            }
            Err(error) => {
                self.shared.copies.abandon(under_way);
                Err(error)
            }
        }
    }

    fn forget_copy(&self, copy: CopyId) {
        if let Ok(under_way) = self.copies.remove(copy.0) {
            self.shared.copies.abandon(under_way);
        }
    }

    fn record(&self, stream: StreamId) -> DeviceResult<EventId> {
        let stream = self.streams.get(stream.0)?;
        let event = Event::new(&self.shared.context, Timing::Timed)?;
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

    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<Pending> {
        let (stream, program) = (self.streams.get(stream.0)?, self.programs.get(program.0)?);
        launch::sweep(&self.shared, &mut lock(&self.zombies));
        match launch::queue(&self.shared, &stream, &program, launch, |buffer| self.buffers.get(buffer.0))? {
            Queued::Known(outcome) => Ok(Pending::Done(outcome)),
            Queued::Running(running) => {
                let id = self.id();
                self.launches.insert(id, running);
                Ok(Pending::Running(LaunchId(id)))
            }
        }
    }

    fn finish(&self, launch: LaunchId, patience: Duration) -> DeviceResult<Outcome> {
        let running = self.launches.remove(launch.0)?;
        match launch::finish(&self.shared, running, patience) {
            Ok(outcome) => outcome,
            Err((running, error)) => {
                self.launches.insert(launch.0, running);
                Err(error)
            }
        }
    }

    fn forget_launch(&self, launch: LaunchId) {
        let mut zombies = lock(&self.zombies);
        zombies.extend(self.launches.remove(launch.0).map(|running| *running));
        launch::sweep(&self.shared, &mut zombies);
    }

    fn zombies(&self) -> usize {
        let mut zombies = lock(&self.zombies);
        launch::sweep(&self.shared, &mut zombies);
        zombies.len()
    }
}
