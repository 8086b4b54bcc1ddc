//! [`HostPool`]: reuses host buffers by size class, within a limit in bytes, with exact counters.
//!
//! A reused buffer holds the bytes of its last user, so its new user must write every byte before reading it. Fresh
//! pages cost more than the arithmetic that fills them, so outputs come from this pool.

use crate::convert::POISON;
use crate::host::HostBuffer;
use crate::sync::Mutex;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::BTreeMap;

/// The smallest size class, in bytes.
const CLASS_BYTES_MIN: usize = 256;
/// The number of size classes between one power of two and the next.
const CLASS_STEPS: usize = 4;

/// The counters of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolCounters {
    /// Buffers allocated from the system so far.
    pub allocated: u64,
    /// Buffers reused so far.
    pub reused: u64,
    /// Bytes taken and not yet given back.
    pub outstanding_bytes: usize,
    /// The maximum of `outstanding_bytes` so far.
    pub peak_bytes: usize,
    /// Bytes kept for reuse.
    pub kept_bytes: usize,
}

/// A pool of host buffers. Any thread may take and give.
#[derive(Debug)]
pub struct HostPool {
    limit_bytes: usize,
    poisons: bool,
    state: Mutex<PoolState>,
}

#[derive(Debug, Default)]
struct PoolState {
    kept: BTreeMap<usize, Vec<HostBuffer>>,
    counters: PoolCounters,
}

impl PoolState {
    fn note_peak(&mut self) {
        self.counters.peak_bytes = self.counters.peak_bytes.max(self.counters.outstanding_bytes);
    }
}

impl HostPool {
    /// Creates a pool that holds at most `limit_bytes` bytes, outstanding and kept together.
    pub fn new(limit_bytes: usize) -> HostPool {
        HostPool { limit_bytes, poisons: false, state: Mutex::default() }
    }

    /// Makes the pool fill buffers with [`POISON`] when they are taken and when they come back, so that tests can
    /// recognise bytes that were never written.
    pub fn poisoned(self) -> HostPool {
        HostPool { poisons: true, ..self }
    }

    /// Takes a buffer of at least `bytes` bytes, rounded up to its size class. Its content is undefined.
    pub fn take(&self, bytes: usize) -> DeviceResult<HostBuffer> {
        let class = class_bytes(bytes).ok_or_else(|| self.too_much(bytes))?;
        let mut buffer = match self.take_kept(class) {
            Some(kept) => kept,
            None => self.take_fresh(class, bytes)?,
        };
        if self.poisons {
            buffer.fill(POISON);
        }
        Ok(buffer)
    }

    /// Takes a kept buffer of a size class, if there is one.
    fn take_kept(&self, class: usize) -> Option<HostBuffer> {
        let mut state = self.state.lock();
        let kept = state.kept.get_mut(&class)?.pop()?;
        state.counters.kept_bytes -= class;
        state.counters.reused += 1;
        state.counters.outstanding_bytes += class;
        state.note_peak();
        Some(kept)
    }

    /// Allocates a buffer of a size class from the system, if the limit allows it.
    fn take_fresh(&self, class: usize, bytes: usize) -> DeviceResult<HostBuffer> {
        let mut state = self.state.lock();
        self.make_room(&mut state, class).ok_or_else(|| self.too_much(bytes))?;
        state.counters.allocated += 1;
        state.counters.outstanding_bytes += class;
        drop(state);
        let fresh = HostBuffer::try_zeroed(class);
        let mut state = self.state.lock();
        match fresh {
            Ok(_) => state.note_peak(),
            Err(_) => {
                state.counters.outstanding_bytes -= class;
                state.counters.allocated -= 1;
            }
        }
        fresh
    }

    /// Gives back a buffer that [`HostPool::take`] returned.
    pub fn give(&self, mut buffer: HostBuffer) {
        if self.poisons {
            buffer.fill(POISON);
        }
        let class = buffer.len();
        let mut state = self.state.lock();
        state.counters.outstanding_bytes = state.counters.outstanding_bytes.saturating_sub(class);
        if class > 0 && state.counters.outstanding_bytes + state.counters.kept_bytes + class <= self.limit_bytes {
            state.counters.kept_bytes += class;
            state.kept.entry(class).or_default().push(buffer);
        }
    }

    /// Counts bytes that the caller allocates elsewhere as outstanding, if the limit allows it, until they are
    /// released.
    pub fn reserve(&self, bytes: usize) -> DeviceResult<()> {
        let mut state = self.state.lock();
        self.make_room(&mut state, bytes).ok_or_else(|| self.too_much(bytes))?;
        state.counters.outstanding_bytes += bytes;
        state.note_peak();
        Ok(())
    }

    /// Ends [`HostPool::reserve`] for some bytes.
    pub fn release(&self, bytes: usize) {
        let mut state = self.state.lock();
        state.counters.outstanding_bytes = state.counters.outstanding_bytes.saturating_sub(bytes);
    }

    /// Removes a buffer from the counters because its user keeps it for good.
    pub fn forget(&self, buffer: &HostBuffer) {
        let mut state = self.state.lock();
        state.counters.outstanding_bytes = state.counters.outstanding_bytes.saturating_sub(buffer.len());
    }

    /// Frees all kept buffers.
    pub fn trim(&self) {
        let mut state = self.state.lock();
        state.kept.clear();
        state.counters.kept_bytes = 0;
    }

    /// The current counters.
    pub fn counters(&self) -> PoolCounters {
        self.state.lock().counters
    }

    /// The maximum number of bytes that the pool may hold.
    pub fn limit_bytes(&self) -> usize {
        self.limit_bytes
    }

    /// Frees kept buffers, largest first, until a new one of this class fits; `None` if it cannot.
    fn make_room(&self, state: &mut PoolState, class: usize) -> Option<()> {
        let outstanding = state.counters.outstanding_bytes.checked_add(class)?;
        if outstanding > self.limit_bytes {
            return None;
        }
        while outstanding + state.counters.kept_bytes > self.limit_bytes {
            let mut largest = state.kept.last_entry()?;
            let bytes = *largest.key();
            if largest.get_mut().pop().is_some() {
                state.counters.kept_bytes -= bytes;
            } else {
                largest.remove();
            }
        }
        Some(())
    }

    fn too_much(&self, bytes: usize) -> DeviceError {
        let limit = self.limit_bytes;
        DeviceError::new(DeviceErrorKind::OutOfMemory, format!("{bytes} bytes of host memory, with a limit of {limit}"))
    }
}

/// The size class for `bytes` bytes. Classes are a quarter of a power of two apart.
fn class_bytes(bytes: usize) -> Option<usize> {
    if bytes == 0 {
        return Some(0);
    }
    let bytes = bytes.max(CLASS_BYTES_MIN);
    let step = bytes.checked_next_power_of_two()? / 2 / CLASS_STEPS;
    let class = bytes.checked_next_multiple_of(step.max(CLASS_BYTES_MIN / CLASS_STEPS))?;
    (class <= isize::MAX as usize - crate::host::HOST_ALIGN).then_some(class)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn classes_are_tight_and_stable() {
        for (bytes, class) in [(0, 0), (1, 256), (256, 256), (257, 320), (1000, 1024), (1025, 1280), (1 << 20, 1 << 20)]
        {
            assert_eq!(class_bytes(bytes), Some(class), "{bytes}");
            assert_eq!(class_bytes(class), Some(class), "{bytes}");
        }
        assert_eq!(class_bytes(usize::MAX), None);
    }

    #[test]
    fn poison_is_in_every_byte_before_and_after_use() {
        let pool = HostPool::new(4096).poisoned();
        let mut fresh = pool.take(300).unwrap();
        assert!(fresh.iter().all(|&byte| byte == POISON));
        fresh.fill(1);
        let start = fresh.as_ptr();
        pool.give(fresh);
        let kept = pool.state.lock().kept[&320][0].iter().all(|&byte| byte == POISON);
        let again = pool.take(300).unwrap();
        assert!(kept && again.as_ptr() == start && again.iter().all(|&byte| byte == POISON));
    }

    #[test]
    fn counters_are_exact() {
        let pool = HostPool::new(2048);
        let (a, b) = (pool.take(1000).unwrap(), pool.take(1024).unwrap());
        assert_eq!(pool.take(1).unwrap_err().kind, DeviceErrorKind::OutOfMemory);
        pool.give(a);
        let again = pool.take(900).unwrap();
        pool.give(again);
        pool.give(b);
        let expected =
            PoolCounters { allocated: 2, reused: 1, outstanding_bytes: 0, peak_bytes: 2048, kept_bytes: 2048 };
        assert_eq!(pool.counters(), expected);
        let other = pool.take(2000).unwrap();
        assert_eq!(pool.counters().kept_bytes, 0, "kept buffers make room");
        pool.forget(&other);
        assert_eq!(pool.counters().outstanding_bytes, 0);
    }
}
