//! Host memory that the card reads and writes by itself: chunks of one size, reused once the copy they serve is done.
//!
//! A chunk is `Idle`, and then ours, or `Flying`, and then the card's until its event is reached. Nobody touches or
//! frees a flying chunk: what is still flying when it is dropped is left behind.

use super::context::Context;
use super::lock;
use super::stream::{CudaEvent, Stream, Timing};
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use cudarc::driver::sys;
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a copy waits for a chunk that another copy uses.
pub(super) const CHUNK_TIMEOUT: Duration = Duration::from_secs(60);

/// ChunkState a chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChunkState {
    /// Ours.
    Idle,
    /// The card's, until the event is reached.
    InFlight,
    /// The card's for good: the event could not be recorded.
    Stuck,
}

/// Bytes of the card's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CopySource {
    pub(super) address: u64,
    pub(super) bytes: usize,
}

/// Pinned host memory.
pub(super) struct Chunk {
    context: Arc<Context>,
    start: NonNull<u8>,
    len: usize,
    ready: CudaEvent,
    state: ChunkState,
}

// SAFETY: the memory is owned, and pinned memory is the same in every thread.
unsafe impl Send for Chunk {}
// SAFETY: shared access only reads, and only while it is idle.
unsafe impl Sync for Chunk {}

impl Chunk {
    fn new(context: &Arc<Context>, len: usize) -> DeviceResult<Chunk> {
        let ready = CudaEvent::new(context, Timing::Untimed)?;
        let mut start = std::ptr::null_mut();
        // Flags 0: memory that the processor reads as fast as any other.
        // SAFETY: `start` is a place to write to, and the context is current.
        context.check(unsafe { sys::cuMemHostAlloc(&mut start, len, 0) }, "taking pinned memory")?;
        let none = || DeviceError::new(DeviceErrorKind::OutOfMemory, "no pinned memory");
        let start = NonNull::new(start.cast::<u8>()).ok_or_else(none)?;
        // SAFETY: these bytes are ours alone; written once, they may be read.
        unsafe { start.write_bytes(0, len) };
        Ok(Chunk { context: context.clone(), start, len, ready, state: ChunkState::Idle })
    }

    /// Waits until it is ours.
    pub(super) fn wait(&mut self, timeout: Duration) -> DeviceResult<()> {
        match self.state {
            ChunkState::Idle => return Ok(()),
            ChunkState::InFlight => self.ready.wait(timeout)?,
            ChunkState::Stuck => return Err(DeviceError::new(DeviceErrorKind::Transient, "pinned memory is stuck")),
        }
        self.state = ChunkState::Idle;
        Ok(())
    }

    /// Whether it is ours, or could be without waiting.
    fn is_ready(&self) -> bool {
        match self.state {
            ChunkState::Idle => true,
            ChunkState::InFlight => self.ready.is_reached().unwrap_or(false),
            ChunkState::Stuck => false,
        }
    }

    /// Its bytes, which must have landed.
    pub(super) fn bytes(&self) -> &[u8] {
        assert_eq!(self.state, ChunkState::Idle, "nobody looks into a chunk that the card writes");
        // SAFETY: the bytes are owned and initialised, and the card is done with them.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// Its bytes, which must have landed.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        assert_eq!(self.state, ChunkState::Idle, "nobody writes to a chunk that the card reads");
        // SAFETY: as in `bytes`, and `&mut self` makes the access unique.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// Queues a copy of its first bytes to the card, at an address that has room for them.
    pub(super) fn send(&mut self, bytes: usize, to: u64, stream: &Stream) -> DeviceResult<()> {
        self.check_idle(bytes)?;
        // SAFETY: the chunk has so many bytes and stays as it is until the event; the caller answers for the address.
        let code = unsafe { sys::cuMemcpyHtoDAsync_v2(to, self.start.as_ptr().cast(), bytes, stream.raw()) };
        self.mark_in_flight(self.context.check(code, "copying"), stream)
    }

    /// Queues a copy from the card into its first bytes.
    pub(super) fn fetch(&mut self, bytes: usize, from: u64, stream: &Stream) -> DeviceResult<()> {
        self.fetch_all(&[CopySource { address: from, bytes }], stream)
    }

    /// Queues copies from the card into its first bytes, one behind the other.
    pub(super) fn fetch_all(&mut self, sources: &[CopySource], stream: &Stream) -> DeviceResult<()> {
        self.check_idle(sources.iter().map(|source| source.bytes).sum())?;
        let mut at = 0;
        let queued = sources.iter().try_for_each(|source| {
            // SAFETY: all sources together fit the chunk, so this one starts inside it.
            let place = unsafe { self.start.add(at) };
            at += source.bytes;
            // SAFETY: as in `send`, its bytes lie in the chunk, and nobody reads that until the event.
            let code =
                unsafe { sys::cuMemcpyDtoHAsync_v2(place.as_ptr().cast(), source.address, source.bytes, stream.raw()) };
            self.context.check(code, "copying")
        });
        self.mark_in_flight(queued, stream)
    }

    fn check_idle(&mut self, bytes: usize) -> DeviceResult<()> {
        assert!(self.state == ChunkState::Idle && bytes <= self.len, "a copy takes an idle chunk of its size");
        self.context.enter()
    }

    /// The chunk is the card's until what was queued is done; also where not all of it was.
    fn mark_in_flight(&mut self, queued: DeviceResult<()>, stream: &Stream) -> DeviceResult<()> {
        self.state = ChunkState::Stuck;
        stream.note_work();
        let recorded = self.ready.record(stream);
        if recorded.is_ok() {
            self.state = ChunkState::InFlight;
        }
        queued.and(recorded)
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if self.is_ready() && self.context.enter_to_release() {
            // SAFETY: the driver gave this memory, nobody has it any more, and the card is done with it.
            let _ = unsafe { sys::cuMemFreeHost(self.start.as_ptr().cast()) };
        }
    }
}

/// Chunks of one size.
pub(super) struct PinnedPool {
    context: Arc<Context>,
    chunk_bytes: usize,
    /// How many are kept. More are made only where those in use wait for their owners, not for the card.
    chunks_max: usize,
    state: Mutex<PinnedPoolState>,
}

#[derive(Default)]
struct PinnedPoolState {
    /// Those not in use, the longest unused first.
    free: VecDeque<Chunk>,
    made: usize,
}

impl PinnedPool {
    /// Chunks of so many bytes, made when they are needed.
    pub(super) fn new(context: &Arc<Context>, chunk_bytes: usize, chunks_max: usize) -> PinnedPool {
        PinnedPool { context: context.clone(), chunk_bytes, chunks_max, state: Mutex::default() }
    }

    /// The size of a chunk.
    pub(super) fn chunk_bytes(&self) -> usize {
        self.chunk_bytes
    }

    /// A chunk that is ours. Waits for the card where all are flying and no more may be made.
    pub(super) fn take(&self) -> DeviceResult<Chunk> {
        let mut state = lock(&self.state);
        // Behind one that an abandoned copy flies, others may have landed.
        let ready = state.free.iter().position(Chunk::is_ready);
        let may_make = state.made < self.chunks_max || state.free.is_empty();
        if ready.is_none() && may_make {
            state.made += 1;
            drop(state);
            let made = Chunk::new(&self.context, self.chunk_bytes);
            if made.is_err() {
                lock(&self.state).made -= 1;
            }
            return made;
        }
        let Some(mut chunk) = state.free.remove(ready.unwrap_or(0)) else {
            return Err(DeviceError::new(DeviceErrorKind::Internal, "a queue of chunks that is empty and is not"));
        };
        drop(state);
        let waited = chunk.wait(CHUNK_TIMEOUT);
        if let Err(error) = waited {
            self.give(chunk);
            return Err(error);
        }
        Ok(chunk)
    }

    /// Takes a chunk back, flying or not.
    pub(super) fn give(&self, chunk: Chunk) {
        let mut state = lock(&self.state);
        let is_extra = state.made > self.chunks_max && chunk.is_ready();
        if is_extra || chunk.state == ChunkState::Stuck {
            state.made -= 1;
        } else {
            state.free.push_back(chunk);
        }
    }
}
