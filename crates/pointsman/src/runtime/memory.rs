//! Memory for results: taken from a pool, given back when the last column that holds it goes.

use crate::error::Result;
use pointsman_device::{HostBuffer, HostPool};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Memory that goes back to its pool when it is dropped. What it holds at first is undefined.
pub(crate) struct Pooled {
    buffer: HostBuffer,
    pool: Arc<HostPool>,
}

/// The memory results come from.
pub(crate) struct Pool(Arc<HostPool>);

impl Pool {
    pub(crate) fn new(pool: Arc<HostPool>) -> Pool {
        Pool(pool)
    }

    /// At least this many bytes.
    pub(crate) fn take(&self, bytes: usize) -> Result<Pooled> {
        Ok(Pooled { buffer: self.0.take(bytes)?, pool: self.0.clone() })
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        self.pool.give(std::mem::replace(&mut self.buffer, HostBuffer::zeroed(0)));
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
