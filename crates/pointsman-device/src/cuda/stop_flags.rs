//! [`StopFlags`]: tells launches to stop while they run.
//!
//! A program whose rows may take long reads a flag periodically, and stops once the flag holds the number of its
//! launch. The flags are in host memory that the card reads, so that setting one calls no driver: a driver that loads a
//! program may hold its locks until the launch has ended. Numbers are never used twice: a flag that is set late, after
//! its launch has ended, stops no other launch. Launches share flags. If another launch overwrites a flag, the next
//! sweep of abandoned launches sets it again.

use super::context::Context;
use super::driver_calls::DriverHandle;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use cudarc::driver::sys;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of flags: far more than the launches usually abandoned at once. A collision only delays a stop.
const FLAGS: usize = 512;

/// The stop flags of a card.
pub(super) struct StopFlags {
    context: Arc<Context>,
    /// The flags, as the host writes them.
    flags: NonNull<[AtomicU64; FLAGS]>,
    /// Their address on the card.
    address: u64,
    /// The next number; 0 is never used, since flags are zero at first.
    next: AtomicU64,
}

// SAFETY: the memory is owned, and pinned memory is the same in every thread.
unsafe impl Send for StopFlags {}
// SAFETY: the flags are atomic.
unsafe impl Sync for StopFlags {}

impl StopFlags {
    /// Allocates the flags, none of them set.
    pub(super) fn new(context: &Arc<Context>) -> DeviceResult<StopFlags> {
        let _driver = context.queue()?;
        let mut start = std::ptr::null_mut();
        // SAFETY: `start` is valid for writes, and the context is current.
        let code = unsafe { sys::cuMemHostAlloc(&mut start, FLAGS * 8, sys::CU_MEMHOSTALLOC_DEVICEMAP) };
        context.check(code, "taking pinned memory for the stop flags")?;
        let none = || DeviceError::new(DeviceErrorKind::OutOfMemory, "no pinned memory");
        let flags = NonNull::new(start.cast::<[AtomicU64; FLAGS]>()).ok_or_else(none)?;
        // SAFETY: nothing else refers to these bytes, and zero bytes are valid flags.
        unsafe { flags.write_bytes(0, 1) };
        let mut this = StopFlags { context: context.clone(), flags, address: 0, next: AtomicU64::new(1) };
        // SAFETY: `address` is valid for writes, and the memory was taken for the card to read.
        let code = unsafe { sys::cuMemHostGetDevicePointer_v2(&mut this.address, start, 0) };
        context.check(code, "mapping the stop flags")?;
        Ok(this)
    }

    /// The number of a new launch.
    pub(super) fn next_number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The address of a launch's flag, on the card.
    pub(super) fn address(&self, number: u64) -> u64 {
        self.address + number % FLAGS as u64 * 8
    }

    /// Tells a launch to stop.
    pub(super) fn set(&self, number: u64) {
        // SAFETY: the flags live as long as `self`.
        let flags = unsafe { self.flags.as_ref() };
        flags[(number % FLAGS as u64) as usize].store(number, Ordering::Release);
    }
}

impl Drop for StopFlags {
    fn drop(&mut self) {
        // No thread waits for the device's launches any more. The driver frees the memory only when the launches that
        // read it have ended.
        let next = self.next.load(Ordering::Relaxed);
        (next.saturating_sub(FLAGS as u64)..next).for_each(|number| self.set(number));
        self.context.release(DriverHandle::Pinned(self.flags.cast()));
    }
}
