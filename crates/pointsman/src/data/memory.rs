//! Pooled memory for results. It returns to its pool when the last column that holds it is dropped.

use crate::error::Result;
use pointsman_device::{DeviceError, HostBuffer, HostPool, PoolCounters, SharedBuffer};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A vector that stores up to eight items without allocating.
pub(crate) type InlineVec<T> = SmallVec<[T; 8]>;

/// Memory that returns to its pool when it is dropped. Its initial content is undefined.
#[derive(Default)]
pub(crate) struct Pooled {
    buffer: HostBuffer,
    /// `None` if there is no memory to give back.
    pool: Option<Arc<HostPool>>,
}

/// The pool that results are allocated from.
pub(crate) struct Pool {
    pool: Arc<HostPool>,
    refusals: AtomicU64,
}

impl Pool {
    pub(crate) fn new(pool: Arc<HostPool>) -> Pool {
        Pool { pool, refusals: AtomicU64::new(0) }
    }

    /// The counters of the pool.
    pub(crate) fn counters(&self) -> PoolCounters {
        self.pool.counters()
    }

    /// The number of allocations that failed.
    pub(crate) fn refusals(&self) -> u64 {
        self.refusals.load(Ordering::Relaxed)
    }

    /// The bytes that are left below the limit.
    pub(crate) fn left(&self) -> usize {
        self.pool.limit_bytes().saturating_sub(self.pool.counters().outstanding_bytes)
    }

    /// Allocates at least this many bytes.
    pub(crate) fn take(&self, bytes: usize) -> Result<Pooled> {
        let mut memory = Pooled::default();
        self.fill(&mut memory, bytes)?;
        Ok(memory)
    }

    /// Allocates at least this many bytes into `memory`, which must be empty. Filling in place avoids a move.
    pub(crate) fn fill(&self, memory: &mut Pooled, bytes: usize) -> Result<()> {
        debug_assert!(memory.pool.is_none(), "memory that was taken is given back to its pool");
        let refused = |_: &DeviceError| {
            self.refusals.fetch_add(1, Ordering::Relaxed);
        };
        if bytes > 0 {
            memory.buffer = self.pool.take(bytes).inspect_err(refused)?;
            memory.pool = Some(self.pool.clone());
        }
        Ok(())
    }
}

impl Pooled {
    /// Converts into memory with several owners.
    #[inline]
    pub(crate) fn into_shared(mut self) -> SharedPooled {
        SharedPooled { buffer: Some(std::mem::take(&mut self.buffer).into_shared()), pool: self.pool.take() }
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            pool.give(std::mem::take(&mut self.buffer));
        }
    }
}

/// Memory with several owners; the last returns it to its pool.
#[derive(Clone)]
pub(crate) struct SharedPooled {
    /// Present until this owner is dropped.
    buffer: Option<SharedBuffer>,
    /// `None` if there is no memory to give back.
    pool: Option<Arc<HostPool>>,
}

impl Drop for SharedPooled {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take().and_then(SharedBuffer::into_unique)
            && let Some(pool) = &self.pool
        {
            pool.give(buffer);
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
