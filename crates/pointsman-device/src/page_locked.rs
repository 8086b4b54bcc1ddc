//! [`PageLocked`]: host memory that stays where it is, so that a device copies from it and to it without staging.

use crate::{Device, DeviceResult, HostBuffer};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

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

/// The memory that is locked for a device: how many bytes, by the first address.
#[derive(Debug, Default)]
pub(crate) struct LockedRanges(RwLock<BTreeMap<usize, usize>>);

impl LockedRanges {
    /// This memory is locked now.
    pub(crate) fn insert(&self, memory: &[u8]) {
        self.write().insert(memory.as_ptr() as usize, memory.len());
    }

    /// Calls this if the memory was locked, while nobody can ask about it.
    pub(crate) fn remove(&self, memory: &[u8], unlock: impl FnOnce()) {
        let mut ranges = self.write();
        if ranges.remove(&(memory.as_ptr() as usize)).is_some() {
            unlock();
        }
    }

    /// Whether all of this memory is locked.
    pub(crate) fn has(&self, memory: &[u8]) -> bool {
        let (ranges, start) = (self.read(), memory.as_ptr() as usize);
        ranges.range(..=start).next_back().is_some_and(|(first, len)| start - first + memory.len() <= *len)
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<usize, usize>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<usize, usize>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
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
