//! [`PageLocked`]: host memory with locked pages, so that a device copies from and to it without staging.

use crate::fork::Process;
use crate::sync::RwLock;
use crate::{Device, DeviceResult, HostBuffer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The minimum number of bytes that are worth a thread for touching pages.
const THREAD_BYTES: usize = 64 << 20;
const THREADS_MAX: usize = 16;
const PAGE_BYTES: usize = 4096;

/// Owned host memory, page-locked for one device until it is dropped. It is owned because borrowed memory could be
/// freed while it is locked.
pub struct PageLocked {
    device: Arc<dyn Device>,
    memory: HostBuffer,
    process: Process,
}

impl PageLocked {
    /// Allocates `bytes` zeroed, page-locked bytes.
    pub fn new(device: Arc<dyn Device>, bytes: usize) -> DeviceResult<PageLocked> {
        let mut memory = HostBuffer::try_zeroed(bytes)?;
        // The system zeroes pages when they are first touched, which takes one thread long.
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(THREADS_MAX);
        let part = bytes.div_ceil(threads).max(THREAD_BYTES);
        std::thread::scope(|scope| {
            for part in memory.chunks_mut(part) {
                let touch = move || part.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *byte = 0);
                // Pages that no thread touches are zeroed when they are locked.
                let _ = std::thread::Builder::new().spawn_scoped(scope, touch);
            }
        });
        // SAFETY: the memory is unlocked on drop, and freed only after that. If it is never dropped, neither happens.
        unsafe { device.lock_pages(&memory) }?;
        Ok(PageLocked { device, memory, process: Process::current() })
    }
}

impl Drop for PageLocked {
    fn drop(&mut self) {
        // Drivers do not survive a fork: in a child the pages are not locked.
        if !self.process.is_same() {
            return;
        }
        // SAFETY: copies borrow the memory, and no borrow is left.
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

/// The memory that is page-locked for a device: lengths in bytes by start address.
#[derive(Debug, Default)]
pub(crate) struct LockedRanges(RwLock<BTreeMap<usize, usize>>);

impl LockedRanges {
    /// Records that the memory is locked.
    pub(crate) fn insert(&self, memory: &[u8]) {
        self.0.write().insert(memory.as_ptr() as usize, memory.len());
    }

    /// Calls `unlock` if the memory was locked, while no other thread can query it.
    pub(crate) fn remove(&self, memory: &[u8], unlock: impl FnOnce()) {
        let mut ranges = self.0.write();
        if ranges.remove(&(memory.as_ptr() as usize)).is_some() {
            unlock();
        }
    }

    /// Whether all of the memory is locked.
    pub(crate) fn has(&self, memory: &[u8]) -> bool {
        let (ranges, start) = (self.0.read(), memory.as_ptr() as usize);
        ranges.range(..=start).next_back().is_some_and(|(first, len)| start - first + memory.len() <= *len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_locked_memory_are_locked() {
        let (memory, ranges) = (vec![0u8; 64], LockedRanges::default());
        let (front, back) = memory.split_at(32);
        ranges.insert(front);
        assert!(ranges.has(front) && ranges.has(&front[8..16]) && ranges.has(&front[31..]));
        assert!(!ranges.has(back) && !ranges.has(&memory) && !ranges.has(&memory[16..33]));
        let mut unlocked = 0;
        ranges.remove(back, || unlocked += 1);
        ranges.remove(front, || unlocked += 1);
        ranges.remove(front, || unlocked += 1);
        assert!(unlocked == 1 && !ranges.has(front));
    }
}
