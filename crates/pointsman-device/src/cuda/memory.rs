//! The memory of a card: blocks from a pool, freed once the work that uses them is done.
//!
//! The pool is ordered by a stream of its own that never waits: a block goes back to the pool only when the events
//! after all work on it were reached, so any stream may use a block from the pool at once. Blocks with unfinished work
//! wait in a list that every call polls. Blocks of moderate size are kept here by size class and reused without a
//! driver call.

use super::context::{Context, wait_until};
use super::driver_calls::DriverHandle;
use super::stream::{Stream, StreamUses, WorkEnds};
use crate::sync::Mutex;
use crate::{DeviceError, DeviceErrorKind, DeviceResult, MemoryInfo, Priority};
use cudarc::driver::sys;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Blocks are multiples of this size, so that whole bitmap words and whole vectors can be read and written.
pub(super) const BLOCK_ALIGN: u64 = 16;
/// Bytes after every block that hold no data.
const BLOCK_SLACK: u64 = 16;
/// The smallest size class, and the number of classes between one power of two and the next.
const CLASS_BYTES_MIN: u64 = 256;
const CLASS_STEPS: u64 = 4;
/// The largest block that is kept here, and the limit of all of them; the driver's pool keeps the others.
const KEPT_BLOCK_BYTES_MAX: u64 = 64 << 20;
const KEPT_BYTES_MAX: u64 = 1 << 30;
/// The number of retired resources that a call polls if it does not need all of them.
const RETIRED_CHECKS: usize = 16;
/// How long an allocation waits for memory that was freed and is still in use.
const RECLAIM_TIMEOUT: Duration = Duration::from_secs(10);

/// The memory of a card.
pub(super) struct Memory {
    context: Arc<Context>,
    pool: sys::CUmemoryPool,
    order: Stream,
    state: Mutex<MemoryState>,
}

// SAFETY: the driver's pools may be used from any thread.
unsafe impl Send for Memory {}
// SAFETY: as above; the driver locks.
unsafe impl Sync for Memory {}

#[derive(Default)]
struct MemoryState {
    /// Resources that wait for the work that uses them, least recently polled first.
    retired: VecDeque<Retired>,
    /// Addresses of free blocks by size.
    kept: BTreeMap<u64, Vec<u64>>,
    kept_bytes: u64,
    /// Bytes of buffers that were not freed.
    used: u64,
    /// The maximum of `used` so far.
    peak: u64,
    /// Bytes of all blocks that were not freed: buffers and scratch memory.
    taken: u64,
    /// The maximum of `taken` so far.
    taken_peak: u64,
}

struct Retired {
    what: Resource,
    ends: WorkEnds,
}

/// A resource that goes back to the driver when the work that uses it is done.
pub(super) enum Resource {
    /// Memory.
    Bytes {
        /// The first address.
        address: u64,
        /// The size in bytes.
        taken: u64,
        /// Whether the bytes count as used.
        is_buffer: bool,
    },
    /// A handle of the driver or of a library.
    Handle(DriverHandle),
}

// SAFETY: an address and a module handle mean the same in every thread.
unsafe impl Send for Resource {}

impl Memory {
    /// Creates the memory pool of a card. The pool keeps freed memory.
    pub(super) fn new(context: &Arc<Context>, card: sys::CUdevice) -> DeviceResult<Memory> {
        let order = Stream::open(context, Priority::Urgent)?;
        let location = sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: card };
        let wanted = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location,
            win32SecurityAttributes: std::ptr::null_mut(),
            maxSize: 0,
            usage: 0,
            reserved: [0; 54],
        };
        context.enter()?;
        let mut pool = std::ptr::null_mut();
        // SAFETY: `pool` is valid for writes, and `wanted` lives until the call returns.
        context.check(unsafe { sys::cuMemPoolCreate(&mut pool, &wanted) }, "making a memory pool")?;
        let memory = Memory { context: context.clone(), pool, order, state: Mutex::default() };
        let mut keep = u64::MAX;
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the pool is owned and alive, and this attribute is a 64-bit number.
        let code = unsafe { sys::cuMemPoolSetAttribute(pool, threshold, (&raw mut keep).cast()) };
        context.check(code, "raising the pool's threshold")?;
        Ok(memory)
    }

    /// Allocates a buffer of at least `bytes` bytes.
    pub(super) fn buffer(self: &Arc<Memory>, bytes: u64) -> DeviceResult<Block> {
        self.block(bytes, true)
    }

    /// Allocates a block that is not counted as a buffer.
    pub(super) fn scratch(self: &Arc<Memory>, bytes: u64) -> DeviceResult<Block> {
        self.block(bytes, false)
    }

    fn block(self: &Arc<Memory>, bytes: u64, is_buffer: bool) -> DeviceResult<Block> {
        self.release_finished(RETIRED_CHECKS);
        let no_memory = || DeviceError::new(DeviceErrorKind::OutOfMemory, format!("{bytes} bytes on a card"));
        let taken = taken_bytes(bytes).ok_or_else(no_memory)?;
        let address = match self.take(taken) {
            Err(error) if error.kind == DeviceErrorKind::OutOfMemory => {
                self.reclaim();
                self.take(taken).map_err(|error| DeviceError { message: format!("{bytes} bytes: {error}"), ..error })?
            }
            result => result?,
        };
        let mut state = self.state.lock();
        state.taken += taken;
        state.taken_peak = state.taken_peak.max(state.taken);
        if is_buffer {
            state.used += taken;
            state.peak = state.peak.max(state.used);
        }
        drop(state);
        Ok(Block { memory: self.clone(), address, bytes, taken, is_buffer, uses: StreamUses::default() })
    }

    fn take(&self, bytes: u64) -> DeviceResult<u64> {
        self.context.enter()?;
        if let Some(address) = self.state.lock().take_kept(bytes) {
            return Ok(address);
        }
        let too_much = |_| DeviceError::new(DeviceErrorKind::OutOfMemory, "more than there are addresses");
        let size = usize::try_from(bytes).map_err(too_much)?;
        let mut address = 0;
        // SAFETY: `address` is valid for writes, and pool and stream are owned and alive.
        let code = unsafe { sys::cuMemAllocFromPoolAsync(&mut address, size, self.pool, self.order.raw()) };
        self.context.check(code, "taking memory")?;
        // Other streams may use the memory only after this point. The stream is empty, so this does not wait.
        // SAFETY: the stream is owned and alive.
        self.context.check(unsafe { sys::cuStreamSynchronize(self.order.raw()) }, "taking memory")?;
        Ok(address)
    }

    /// Waits for freed memory that is still in use, and returns all memory that the pool keeps to the driver.
    pub(super) fn reclaim(&self) {
        let ends: Vec<WorkEnds> = self.state.lock().retired.iter().map(|one| one.ends.clone()).collect();
        let _ = ends.iter().try_for_each(|ends| wait_until(RECLAIM_TIMEOUT, || Ok(ends.is_over())));
        self.release_finished(usize::MAX);
        self.trim_to(0);
    }

    /// Returns kept memory beyond `kept_max` bytes to the driver.
    pub(super) fn trim(&self, kept_max: u64) {
        // The pool keeps at most the peak of all blocks. Checking that first matters, because a driver query takes as long as a
        // small launch.
        if self.state.lock().taken_peak > kept_max && self.info().is_ok_and(|info| info.kept > kept_max) {
            self.trim_to(kept_max);
        }
    }

    /// Returns unused memory to the driver, except for `kept_max` bytes.
    fn trim_to(&self, kept_max: u64) {
        let kept = self.state.lock().forget_kept();
        kept.into_iter().for_each(|address| self.give_back(Resource::Bytes { address, taken: 0, is_buffer: false }));
        if self.context.enter_to_release() {
            // SAFETY: the stream is owned and alive.
            let _ = unsafe { sys::cuStreamSynchronize(self.order.raw()) };
            let taken = self.attribute(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT).unwrap_or(0);
            let left = usize::try_from(taken.saturating_add(kept_max)).unwrap_or(usize::MAX);
            // SAFETY: the pool is owned and alive.
            let _ = unsafe { sys::cuMemPoolTrimTo(self.pool, left) };
        }
    }

    /// Frees a resource as soon as the work that uses it is done. If the driver cannot say when that is, the card is
    /// lost, and the resource with it.
    pub(super) fn retire(&self, what: Resource, uses: &mut StreamUses) {
        match uses.ends() {
            Ok(ends) if ends.is_empty() => self.release(what),
            Ok(ends) => self.state.lock().retired.push_back(Retired { what, ends }),
            Err(_) => self.state.lock().forget(&what),
        }
        self.release_finished(RETIRED_CHECKS);
    }

    /// Frees resources whose work is done, among the first `checks` retired ones.
    fn release_finished(&self, checks: usize) {
        // Dropped without the lock: the last handle of a stream frees its scratch memory, which takes the lock.
        let finished = self.state.lock().take_finished(checks);
        finished.into_iter().for_each(|Retired { what, ends: _ends }| self.release(what));
    }

    /// Keeps a resource that no work uses, or returns it to the driver.
    fn release(&self, what: Resource) {
        let is_kept = {
            let mut state = self.state.lock();
            state.forget(&what);
            state.keep(&what)
        };
        if !is_kept {
            self.give_back(what);
        }
    }

    /// Returns a resource to the driver, unless the card is lost.
    fn give_back(&self, what: Resource) {
        match what {
            Resource::Bytes { address, .. } if self.context.enter_to_release() => {
                // SAFETY: the pool returned this address, nothing refers to it any more, and no work uses it.
                let _ = unsafe { sys::cuMemFreeAsync(address, self.order.raw()) };
            }
            Resource::Bytes { .. } => {}
            Resource::Handle(handle) => self.context.release(handle),
        }
    }

    /// The current usage; memory that the pool keeps is free.
    pub(super) fn info(&self) -> DeviceResult<MemoryInfo> {
        self.release_finished(usize::MAX);
        self.context.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both are valid for writes, and the context is current.
        self.context.check(unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) }, "asking for memory")?;
        let reserved = self.attribute(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
        let taken = self.attribute(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?;
        let kept = reserved.saturating_sub(taken) + self.state.lock().kept_bytes;
        Ok(MemoryInfo { total: Some(total as u64), free: Some(free as u64 + kept), kept, ..self.counted() })
    }

    /// The counters kept here: bytes of buffers that the driver has not got back, their peak, and the bytes that only
    /// wait for work to end.
    pub(super) fn counted(&self) -> MemoryInfo {
        let state = self.state.lock();
        let zombie = state.retired.iter().map(|one| one.what.counted()).sum();
        MemoryInfo { used: state.used, peak: state.peak, zombie, ..MemoryInfo::default() }
    }

    /// The maximum of the bytes that buffers and scratch memory took at once.
    #[cfg(all(test, feature = "calls", feature = "testing"))]
    pub(super) fn taken_peak(&self) -> u64 {
        self.state.lock().taken_peak
    }

    fn attribute(&self, which: sys::CUmemPool_attribute) -> DeviceResult<u64> {
        let mut value = 0u64;
        // SAFETY: the pool is owned and alive, and the queried attributes are 64-bit numbers.
        let code = unsafe { sys::cuMemPoolGetAttribute(self.pool, which, (&raw mut value).cast()) };
        self.context.check(code, "asking the memory pool")?;
        Ok(value)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.reclaim();
        if self.context.enter_to_release() {
            // SAFETY: every block keeps the pool alive, so no block is left; memory that work still uses stays until
            // the work is done.
            let _ = unsafe { sys::cuMemPoolDestroy(self.pool) };
        }
    }
}

impl MemoryState {
    /// Removes resources whose work is done, among the first `checks` retired ones.
    fn take_finished(&mut self, checks: usize) -> Vec<Retired> {
        let mut finished = Vec::new();
        for _ in 0..checks.min(self.retired.len()) {
            let Some(one) = self.retired.pop_front() else { break };
            if one.ends.is_over() {
                finished.push(one);
            } else {
                self.retired.push_back(one);
            }
        }
        finished
    }

    /// Subtracts a resource from what is in use.
    fn forget(&mut self, what: &Resource) {
        self.used -= what.counted();
        self.taken -= match what {
            Resource::Bytes { taken, .. } => *taken,
            Resource::Handle(_) => 0,
        };
    }

    /// Takes a kept block of exactly this size.
    fn take_kept(&mut self, taken: u64) -> Option<u64> {
        let address = self.kept.get_mut(&taken)?.pop()?;
        self.kept_bytes -= taken;
        Some(address)
    }

    /// Keeps a block, if there is room for it.
    fn keep(&mut self, what: &Resource) -> bool {
        match *what {
            Resource::Bytes { address, taken, .. }
                if taken <= KEPT_BLOCK_BYTES_MAX && self.kept_bytes + taken <= KEPT_BYTES_MAX =>
            {
                self.kept_bytes += taken;
                self.kept.entry(taken).or_default().push(address);
                true
            }
            Resource::Bytes { .. } | Resource::Handle(_) => false,
        }
    }

    /// Removes all kept blocks and returns their addresses.
    fn forget_kept(&mut self) -> Vec<u64> {
        self.kept_bytes = 0;
        std::mem::take(&mut self.kept).into_values().flatten().collect()
    }
}

impl Resource {
    fn counted(&self) -> u64 {
        match self {
            Resource::Bytes { taken, is_buffer: true, .. } => *taken,
            Resource::Bytes { is_buffer: false, .. } | Resource::Handle(_) => 0,
        }
    }
}

/// A block of card memory. On drop, it is freed once the work that uses it is done.
pub(super) struct Block {
    memory: Arc<Memory>,
    address: u64,
    bytes: u64,
    taken: u64,
    is_buffer: bool,
    uses: StreamUses,
}

impl Block {
    /// The first address.
    pub(super) fn address(&self) -> u64 {
        self.address
    }

    /// The requested size.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Records that a stream's work uses the block; to be called before the work is queued and again after that (see
    /// [`StreamUses::add`]).
    pub(super) fn used_by(&self, stream: &Arc<Stream>) {
        self.uses.add(stream);
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let &mut Block { address, taken, is_buffer, .. } = self;
        self.memory.retire(Resource::Bytes { address, taken, is_buffer }, &mut self.uses);
    }
}

/// The size of the block for `bytes` bytes: with its slack, and rounded up to its size class if it may be kept; `None`
/// on overflow.
pub(super) fn taken_bytes(bytes: u64) -> Option<u64> {
    let needed = bytes.checked_next_multiple_of(BLOCK_ALIGN)?.checked_add(BLOCK_SLACK)?;
    if needed > KEPT_BLOCK_BYTES_MAX {
        return Some(needed);
    }
    let step = needed.next_power_of_two() / 2 / CLASS_STEPS;
    Some(needed.max(CLASS_BYTES_MIN).next_multiple_of(step.max(CLASS_BYTES_MIN)))
}

/// The end of a copy into the last bytes of a block: rounded up to whole vectors, so that reads of whole words see
/// initialized slack.
pub(super) fn padded_bytes(bytes: u64) -> u64 {
    bytes.next_multiple_of(BLOCK_ALIGN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_slack() {
        for (bytes, taken) in
            [(0, 256), (1, 256), (240, 256), (241, 512), (1 << 20, 5 << 18), (5 << 30, (5 << 30) + 16)]
        {
            assert_eq!(taken_bytes(bytes), Some(taken), "{bytes}");
            assert!(padded_bytes(bytes) <= taken, "{bytes}");
        }
        assert_eq!(taken_bytes(u64::MAX - 3), None);
    }

    #[test]
    fn freed_blocks_are_reused() {
        let mut state = MemoryState::default();
        let bytes = |address, taken| Resource::Bytes { address, taken, is_buffer: true };
        assert!(state.keep(&bytes(1, 256)) && state.keep(&bytes(2, 512)) && state.keep(&bytes(3, 256)));
        assert!(!state.keep(&bytes(4, KEPT_BLOCK_BYTES_MAX + 1)), "the driver keeps the large ones");
        assert_eq!((state.take_kept(512), state.take_kept(512), state.kept_bytes), (Some(2), None, 512));
        assert_eq!((state.forget_kept(), state.kept_bytes), (vec![1, 3], 0));
        state.kept_bytes = KEPT_BYTES_MAX - 255;
        assert!(!state.keep(&bytes(5, 256)), "no more than the limit is kept");
    }
}
