//! [`PageLocked`]: host memory that stays where it is, so that a device copies from it and to it without staging.

use crate::{Device, DeviceResult, HostBuffer};
use std::sync::Arc;

/// Pages that one thread makes ready, at least: fewer are not worth it.
const THREAD_BYTES: usize = 64 << 20;
const THREADS_MAX: usize = 16;
const PAGE_BYTES: usize = 4096;

/// Owned host memory, locked for one device until it is dropped. It is owned because memory that was only borrowed could
/// be given back while it is locked.
pub struct PageLocked {
    device: Arc<dyn Device>,
    memory: HostBuffer,
}

impl PageLocked {
    /// So many zeros, locked.
    pub fn new(device: Arc<dyn Device>, bytes: usize) -> DeviceResult<PageLocked> {
        let mut memory = HostBuffer::try_zeroed(bytes)?;
        // The system clears pages when they are first used, which one thread alone would take long for.
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(THREADS_MAX);
        let part = bytes.div_ceil(threads).max(THREAD_BYTES);
        std::thread::scope(|scope| {
            for part in memory.chunks_mut(part) {
                let touch = move || part.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *byte = 0);
                // What no thread touches is made ready when it is locked.
                let _ = std::thread::Builder::new().spawn_scoped(scope, touch);
            }
        });
        // SAFETY: it is unlocked when it is dropped, and only then given back; if it never is, neither happens.
        unsafe { device.lock_pages(&memory) }?;
        Ok(PageLocked { device, memory })
    }
}

impl Drop for PageLocked {
    fn drop(&mut self) {
        // SAFETY: whoever copies borrows it, and nobody does any more.
        unsafe { self.device.unlock_pages(&self.memory) };
    }
}

impl std::ops::Deref for PageLocked {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory
    }
}

impl std::ops::DerefMut for PageLocked {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory
    }
}

impl std::fmt::Debug for PageLocked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PageLocked({} bytes for {})", self.memory.len(), self.device.info().name)
    }
}
