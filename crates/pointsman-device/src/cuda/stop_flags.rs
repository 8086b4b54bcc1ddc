//! [`StopFlags`]: tells launches to stop while they run.
//!
//! A program whose rows may take long reads a flag on the card now and then, and stops once the flag holds the number of
//! its launch. The flags are words of one allocation that lives as long as the device, and numbers are never used twice:
//! a flag that is set late, after its launch has ended, stops no other launch. Launches share flags; one that was
//! overwritten is set again when abandoned launches are swept.

use super::context::Context;
use super::memory::{Block, Memory};
use super::stream::Stream;
use crate::DeviceResult;
use cudarc::driver::sys;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of flags: more than the launches that are abandoned at a time.
const FLAGS: u64 = 512;

/// The stop flags of a card.
pub(super) struct StopFlags {
    context: Arc<Context>,
    flags: Block,
    /// The next number; 0 is never used, since flags are zero at first.
    next: AtomicU64,
}

impl StopFlags {
    /// Allocates the flags, none of them set.
    pub(super) fn new(context: &Arc<Context>, memory: &Arc<Memory>) -> DeviceResult<StopFlags> {
        let flags = memory.scratch(FLAGS * 8)?;
        context.enter()?;
        // SAFETY: the block has room for all flags.
        let code = unsafe { sys::cuMemsetD8_v2(flags.address(), 0, FLAGS as usize * 8) };
        context.check(code, "zeroing the stop flags")?;
        Ok(StopFlags { context: context.clone(), flags, next: AtomicU64::new(1) })
    }

    /// The number of a new launch.
    pub(super) fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The address of a launch's flag.
    pub(super) fn address(&self, number: u64) -> u64 {
        self.flags.address() + number % FLAGS * 8
    }

    /// Tells a launch to stop. The stream must not be one that waits for the launch.
    pub(super) fn set(&self, number: u64, stream: &Stream) {
        if self.context.enter().is_err() {
            return;
        }
        // SAFETY: the address is that of a flag, which is aligned and lives as long as the device. A card that refuses
        // the write lets the launch run to its end, as it would without flags.
        let _ = unsafe { sys::cuStreamWriteValue64_v2(stream.raw(), self.address(number), number, 0) };
        stream.note_work();
    }
}
