//! Pinned host memory that the card reads and writes directly: chunks of one size, reused once their copy is done.
//!
//! The host owns an `Idle` chunk. The card owns an `InFlight` chunk until its event is reached, and a `Stuck` one until
//! the process ends. The host never touches memory that the card owns; dropping such a chunk leaks it.

use super::context::Context;
use super::driver_calls::DriverHandle;
use super::stream::{CudaEvent, Stream, Timing};
use crate::sync::Mutex;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use cudarc::driver::sys;
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

/// How long a copy waits for the card.
pub(super) const CHUNK_TIMEOUT: Duration = Duration::from_secs(60);

/// The state of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChunkState {
    /// The host owns it.
    Idle,
    /// The card owns it until the event is reached.
    InFlight,
    /// The card owns it for good: the event could not be recorded.
    Stuck,
}

/// A span of card memory to be copied to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CopySource {
    pub(super) address: u64,
    pub(super) bytes: usize,
}

/// A chunk of pinned host memory.
pub(super) struct Chunk {
    context: Arc<Context>,
    start: NonNull<u8>,
    len: usize,
    ready: CudaEvent,
    state: ChunkState,
}

// SAFETY: the memory is owned, and pinned memory is the same in every thread.
unsafe impl Send for Chunk {}
// SAFETY: shared access only reads, and only while the chunk is idle.
unsafe impl Sync for Chunk {}

impl Chunk {
    fn new(context: &Arc<Context>, len: usize) -> DeviceResult<Chunk> {
        let _driver = context.queue()?;
        let ready = CudaEvent::new(context, Timing::Untimed)?;
        let mut start = std::ptr::null_mut();
        // Flags 0: not write-combined, so the processor reads it at full speed.
        // SAFETY: `start` is valid for writes, and the context is current.
        context.check(unsafe { sys::cuMemHostAlloc(&mut start, len, 0) }, "taking pinned memory")?;
        let none = || DeviceError::new(DeviceErrorKind::OutOfMemory, "no pinned memory");
        let start = NonNull::new(start.cast::<u8>()).ok_or_else(none)?;
        // SAFETY: nothing else refers to these bytes; once written, they may be read.
        unsafe { start.write_bytes(0, len) };
        Ok(Chunk { context: context.clone(), start, len, ready, state: ChunkState::Idle })
    }

    /// Waits until the chunk is idle.
    pub(super) fn wait(&mut self, timeout: Duration) -> DeviceResult<()> {
        match self.state {
            ChunkState::Idle => return Ok(()),
            ChunkState::InFlight => self.ready.wait(timeout)?,
            ChunkState::Stuck => return Err(DeviceError::new(DeviceErrorKind::Transient, "pinned memory is stuck")),
        }
        self.state = ChunkState::Idle;
        Ok(())
    }

    /// Whether the card is done with the chunk.
    fn is_ready(&self) -> bool {
        match self.state {
            ChunkState::Idle => true,
            ChunkState::InFlight => self.ready.is_reached().unwrap_or(false),
            ChunkState::Stuck => false,
        }
    }

    /// The bytes of an idle chunk.
    pub(super) fn bytes(&self) -> &[u8] {
        assert_eq!(self.state, ChunkState::Idle, "a chunk that the card writes must not be read");
        // SAFETY: the bytes are owned and initialised, and the card is done with them.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The bytes of an idle chunk, to be written.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        assert_eq!(self.state, ChunkState::Idle, "a chunk that the card reads must not be written");
        // SAFETY: as in `bytes`, and `&mut self` makes the access unique.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// Queues a copy of the first `bytes` bytes to an address on the card, which must have room for them.
    pub(super) fn send(&mut self, bytes: usize, to: u64, stream: &Stream) -> DeviceResult<()> {
        self.check_idle(bytes);
        let _driver = stream.queue()?;
        // SAFETY: the chunk has `bytes` bytes and stays unchanged until the event; the caller guarantees the address.
        let code = unsafe { sys::cuMemcpyHtoDAsync_v2(to, self.start.as_ptr().cast(), bytes, stream.raw()) };
        self.mark_in_flight(self.context.check(code, "copying"), stream)
    }

    /// Queues a copy from the card into the first bytes.
    pub(super) fn fetch(&mut self, bytes: usize, from: u64, stream: &Stream) -> DeviceResult<()> {
        self.fetch_all(&[CopySource { address: from, bytes }], stream)
    }

    /// Queues copies of the sources to the start of the chunk, back to back.
    pub(super) fn fetch_all(&mut self, sources: &[CopySource], stream: &Stream) -> DeviceResult<()> {
        self.check_idle(sources.iter().map(|source| source.bytes).sum());
        let _driver = stream.queue()?;
        let mut at = 0;
        let queued = sources.iter().try_for_each(|source| {
            // SAFETY: all sources together fit in the chunk, so this one starts inside it.
            let place = unsafe { self.start.add(at) };
            at += source.bytes;
            // SAFETY: as in `send`, the bytes lie in the chunk, and nothing reads them until the event.
            let code =
                unsafe { sys::cuMemcpyDtoHAsync_v2(place.as_ptr().cast(), source.address, source.bytes, stream.raw()) };
            self.context.check(code, "copying")
        });
        self.mark_in_flight(queued, stream)
    }

    fn check_idle(&self, bytes: usize) {
        assert!(self.state == ChunkState::Idle && bytes <= self.len, "a copy needs an idle chunk that is large enough");
    }

    /// Records the event after the queued copies. The card owns the chunk until then, even if queueing failed half-way.
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
        if self.is_ready() {
            self.context.release(DriverHandle::Pinned(self.start));
        }
    }
}

/// A pool of chunks of one size.
pub(super) struct PinnedPool {
    context: Arc<Context>,
    chunk_bytes: usize,
    /// The number of chunks to keep. More are allocated only while callers hold all of them.
    chunks_max: usize,
    state: Mutex<PinnedPoolState>,
}

#[derive(Default)]
struct PinnedPoolState {
    /// Chunks that no caller holds, longest returned first; some are still in flight.
    free: VecDeque<Chunk>,
    /// The chunks of the pool: free ones, and those that callers hold.
    allocated: usize,
}

impl PinnedPool {
    /// Creates a pool; chunks are allocated on demand.
    pub(super) fn new(context: &Arc<Context>, chunk_bytes: usize, chunks_max: usize) -> PinnedPool {
        PinnedPool { context: context.clone(), chunk_bytes, chunks_max, state: Mutex::default() }
    }

    /// The size of a chunk.
    pub(super) fn chunk_bytes(&self) -> usize {
        self.chunk_bytes
    }

    /// Takes an idle chunk. Waits for the card if all chunks are in flight and no more may be allocated.
    pub(super) fn take(&self) -> DeviceResult<Chunk> {
        let mut state = self.state.lock();
        // The first may belong to an abandoned copy and still be in flight, while later ones are done.
        let ready = state.free.iter().position(Chunk::is_ready);
        let may_allocate = state.allocated < self.chunks_max || state.free.is_empty();
        if ready.is_none() && may_allocate {
            state.allocated += 1;
            drop(state);
            let made = Chunk::new(&self.context, self.chunk_bytes);
            if made.is_err() {
                self.state.lock().allocated -= 1;
            }
            return made;
        }
        let Some(mut chunk) = state.free.remove(ready.unwrap_or(0)) else {
            return Err(DeviceError::new(DeviceErrorKind::Internal, "no chunk although the pool is not empty"));
        };
        drop(state);
        let waited = chunk.wait(CHUNK_TIMEOUT);
        if let Err(error) = waited {
            self.give(chunk);
            return Err(error);
        }
        Ok(chunk)
    }

    /// Gives a chunk back, in flight or not.
    pub(super) fn give(&self, chunk: Chunk) {
        let mut state = self.state.lock();
        let is_extra = state.allocated > self.chunks_max && chunk.is_ready();
        if is_extra || chunk.state == ChunkState::Stuck {
            state.allocated -= 1;
        } else {
            state.free.push_back(chunk);
        }
    }

    /// Drops a chunk whose copy failed. It is leaked if the card may still use it.
    pub(super) fn discard(&self, chunk: Chunk) {
        self.state.lock().allocated -= 1;
        drop(chunk);
    }
}
