//! Memory for results: taken from a pool, given back when the last column that holds it goes.

use crate::error::Result;
use pointsman_device::{HostBuffer, HostPool, PoolCounters, SharedBuffer};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A few of something, which then take no memory of their own; many do.
pub(crate) type Few<T> = SmallVec<[T; 8]>;

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

    /// How it stands now.
    pub(crate) fn counters(&self) -> PoolCounters {
        self.0.counters()
    }

    /// How many bytes nobody has.
    pub(crate) fn left(&self) -> usize {
        self.0.limit_bytes().saturating_sub(self.0.counters().outstanding_bytes)
    }

    /// At least this many bytes.
    pub(crate) fn take(&self, bytes: usize) -> Result<Pooled> {
        let buffer = if bytes == 0 { HostBuffer::default() } else { self.0.take(bytes)? };
        Ok(Pooled { buffer, pool: self.0.clone() })
    }
}

impl Pooled {
    /// The memory, to be read by several owners.
    pub(crate) fn into_shared(mut self) -> SharedPooled {
        SharedPooled { buffer: Some(std::mem::take(&mut self.buffer).into_shared()), pool: self.pool.clone() }
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if !self.buffer.is_empty() {
            self.pool.give(std::mem::take(&mut self.buffer));
        }
    }
}

/// Memory with several owners; the last gives it back to its pool.
#[derive(Clone)]
pub(crate) struct SharedPooled {
    /// There until this owner goes.
    buffer: Option<SharedBuffer>,
    pool: Arc<HostPool>,
}

impl Drop for SharedPooled {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take().and_then(SharedBuffer::into_unique)
            && !buffer.is_empty()
        {
            self.pool.give(buffer);
        }
    }
}

impl Deref for SharedPooled {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.buffer.as_deref().unwrap_or(&[])
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
