//! Host memory whose pages the system keeps where they are: the card copies from it and to it by itself, without chunks.

use super::context::{Context, wait_until};
use super::stream::{CudaEvent, Stream, Timing};
use crate::DeviceResult;
use crate::page_locked::LockedRanges;
use cudarc::driver::sys;
use std::sync::Arc;
use std::time::Duration;

/// The smallest copy that goes directly: smaller ones are quicker through a chunk, which nobody waits for.
const DIRECT_BYTES_MIN: usize = 1 << 20;
/// The least memory that is locked: less may share its pages with other memory.
const LOCKED_BYTES_MIN: usize = 2 << 20;

/// What of the host's memory is locked for a card.
pub(super) struct PageLockedMemory {
    context: Arc<Context>,
    ranges: LockedRanges,
}

impl PageLockedMemory {
    /// Nothing yet.
    pub(super) fn new(context: &Arc<Context>) -> PageLockedMemory {
        PageLockedMemory { context: context.clone(), ranges: LockedRanges::default() }
    }

    /// Locks memory, which stays where it is until it is unlocked.
    pub(super) fn lock(&self, memory: &[u8]) -> DeviceResult<()> {
        if memory.len() < LOCKED_BYTES_MIN {
            return Ok(());
        }
        self.context.enter()?;
        let start = memory.as_ptr().cast_mut().cast();
        // SAFETY: the caller has this memory; registering changes nothing in it.
        let code = unsafe { sys::cuMemHostRegister_v2(start, memory.len(), sys::CU_MEMHOSTREGISTER_PORTABLE) };
        self.context.check(code, "locking the pages of host memory")?;
        self.ranges.insert(memory);
        Ok(())
    }

    /// Unlocks memory, if it was locked. No copy of it is under way.
    pub(super) fn unlock(&self, memory: &[u8]) {
        self.ranges.remove(memory, || {
            if self.context.enter_to_release() {
                // SAFETY: it was registered, by this address, and the caller says that no copy is under way.
                let _ = unsafe { sys::cuMemHostUnregister(memory.as_ptr().cast_mut().cast()) };
            }
        });
    }

    /// Whether memory is locked, and worth a copy of its own.
    pub(super) fn is_locked(&self, memory: &[u8]) -> bool {
        memory.len() >= DIRECT_BYTES_MIN && self.ranges.has(memory)
    }

    /// CopyEngine to an address, followed by so many zeros, behind what the stream has; false if the memory is not locked.
    pub(super) fn copy_in(
        &self,
        stream: &Stream,
        from: &[u8],
        (to, zeros): (u64, usize),
        timeout: Duration,
    ) -> DeviceResult<bool> {
        if !self.is_locked(from) {
            return Ok(false);
        }
        self.copy_alone(stream, timeout, || {
            // SAFETY: the bytes stay where they are and as they are until the copy is done, which is waited for; the
            // caller answers for the address.
            let code = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), stream.raw()) };
            self.context.check(code, "copying")
        })?;
        if zeros > 0 {
            // Behind the copy, which alone is waited for: clearing takes its turn with kernels.
            // SAFETY: the caller answers for the room behind the bytes.
            let code = unsafe { sys::cuMemsetD8Async(to + from.len() as u64, 0, zeros, stream.raw()) };
            self.context.check(code, "clearing")?;
            stream.note_work();
        }
        Ok(true)
    }

    /// CopyEngine from an address, behind what the stream has; false if the memory is not locked.
    pub(super) fn copy_out(
        &self,
        stream: &Stream,
        from: u64,
        into: &mut [u8],
        timeout: Duration,
    ) -> DeviceResult<bool> {
        if !self.is_locked(into) {
            return Ok(false);
        }
        self.copy_alone(stream, timeout, || {
            // SAFETY: the bytes are borrowed for writing until the copy is done, which is waited for; the caller answers
            // for the address.
            let code = unsafe { sys::cuMemcpyDtoHAsync_v2(into.as_mut_ptr().cast(), from, into.len(), stream.raw()) };
            self.context.check(code, "copying")
        })?;
        Ok(true)
    }

    /// Queues a copy once the stream has nothing else to do, and waits for it however long that takes: the memory is
    /// only borrowed. Patience is for what comes before it; a copy alone ends, if only because the card is lost.
    fn copy_alone(
        &self,
        stream: &Stream,
        timeout: Duration,
        queue: impl FnOnce() -> DeviceResult<()>,
    ) -> DeviceResult<()> {
        let done = CudaEvent::new(&self.context, Timing::Untimed)?;
        wait_until(timeout, || stream.is_idle())?;
        let queued = queue();
        stream.note_work();
        let recorded = done.record(stream);
        let waited = match recorded {
            Ok(()) => done.wait(Duration::MAX),
            Err(_) => wait_until(Duration::MAX, || stream.is_idle()),
        };
        queued.and(recorded).and(waited)
    }
}
