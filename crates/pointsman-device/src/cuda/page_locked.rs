//! Page-locked host memory: the card copies from and to it directly, without chunks.

use super::context::{Context, wait_until};
use super::stream::{CudaEvent, Stream, Timing};
use crate::DeviceResult;
use crate::page_locked::LockedRanges;
use cudarc::driver::sys;
use std::sync::Arc;
use std::time::Duration;

/// The minimum size of a direct copy. Smaller copies are faster through a staging chunk, because the caller need not
/// wait for them.
const DIRECT_BYTES_MIN: usize = 1 << 20;
/// The minimum size of memory that is locked. Smaller memory may share its pages with other memory.
const LOCKED_BYTES_MIN: usize = 2 << 20;

/// The host memory that is page-locked for a card.
pub(super) struct PageLockedMemory {
    context: Arc<Context>,
    ranges: LockedRanges,
}

impl PageLockedMemory {
    /// Creates an empty set.
    pub(super) fn new(context: &Arc<Context>) -> PageLockedMemory {
        PageLockedMemory { context: context.clone(), ranges: LockedRanges::default() }
    }

    /// Locks the pages of memory until [`PageLockedMemory::unlock`].
    pub(super) fn lock(&self, memory: &[u8]) -> DeviceResult<()> {
        if memory.len() < LOCKED_BYTES_MIN {
            return Ok(());
        }
        let _driver = self.context.queue()?;
        let start = memory.as_ptr().cast_mut().cast();
        // SAFETY: the caller owns the memory; registering does not change it.
        let code = unsafe { sys::cuMemHostRegister_v2(start, memory.len(), sys::CU_MEMHOSTREGISTER_PORTABLE) };
        self.context.check(code, "locking the pages of host memory")?;
        self.ranges.insert(memory);
        Ok(())
    }

    /// Unlocks memory if it was locked. No copy of it may be in flight.
    pub(super) fn unlock(&self, memory: &[u8]) {
        self.ranges.remove(memory, || {
            if self.context.enter_to_release() {
                // An error is ignored, because the owner is about to free the memory.
                let _driver = self.context.queue();
                // SAFETY: the memory was registered by this address, and the caller guarantees that no copy is in
                // flight.
                let _ = unsafe { sys::cuMemHostUnregister(memory.as_ptr().cast_mut().cast()) };
            }
        });
    }

    /// Whether memory is locked, and large enough for a direct copy.
    pub(super) fn is_locked(&self, memory: &[u8]) -> bool {
        memory.len() >= DIRECT_BYTES_MIN && self.ranges.has(memory)
    }

    /// Copies to an address, followed by `zeros` zero bytes, ordered after the stream's work; false if the memory is
    /// not locked.
    pub(super) fn copy_in(
        &self,
        stream: &Stream,
        from: &[u8],
        to: u64,
        zeros: usize,
        timeout: Duration,
    ) -> DeviceResult<bool> {
        if !self.is_locked(from) {
            return Ok(false);
        }
        self.copy_alone(stream, timeout, || {
            // SAFETY: the bytes are borrowed until the copy is done, which is waited for; the caller guarantees the
            // address.
            let code = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), stream.raw()) };
            self.context.check(code, "copying")
        })?;
        if zeros > 0 {
            let _driver = stream.queue()?;
            // This waits only for the copy, not for the zeroing after it, which is ordered before later kernels.
            // SAFETY: the caller guarantees that there are `zeros` bytes after the copied ones.
            let code = unsafe { sys::cuMemsetD8Async(to + from.len() as u64, 0, zeros, stream.raw()) };
            self.context.check(code, "clearing")?;
            stream.note_work();
        }
        Ok(true)
    }

    /// Copies from an address, ordered after the stream's work; false if the memory is not locked.
    pub(super) fn copy_out(
        &self,
        stream: &Stream,
        from: u64,
        destination: &mut [u8],
        timeout: Duration,
    ) -> DeviceResult<bool> {
        if !self.is_locked(destination) {
            return Ok(false);
        }
        self.copy_alone(stream, timeout, || {
            // SAFETY: the bytes are borrowed for writing until the copy is done, which is waited for; the caller
            // guarantees the address.
            let code = unsafe {
                sys::cuMemcpyDtoHAsync_v2(destination.as_mut_ptr().cast(), from, destination.len(), stream.raw())
            };
            self.context.check(code, "copying")
        })?;
        Ok(true)
    }

    /// Queues a copy once the stream is idle, and waits for it without a timeout, since the memory is only borrowed.
    /// The timeout applies to the work before the copy; a copy alone always ends, if only because the card is lost.
    fn copy_alone(
        &self,
        stream: &Stream,
        timeout: Duration,
        queue: impl FnOnce() -> DeviceResult<()>,
    ) -> DeviceResult<()> {
        let done = CudaEvent::new(&self.context, Timing::Untimed)?;
        wait_until(timeout, || stream.is_idle())?;
        let driver = stream.queue()?;
        let queued = queue();
        stream.note_work();
        let recorded = done.record(stream);
        drop(driver);
        let waited = match recorded {
            Ok(()) => done.wait(Duration::MAX),
            Err(_) => wait_until(Duration::MAX, || stream.is_idle()),
        };
        queued.and(recorded).and(waited)
    }
}
