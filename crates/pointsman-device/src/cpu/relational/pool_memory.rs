//! Memory of the device's pool: bytes, arrays of numbers, and memory that is allocated elsewhere but counts in the
//! pool. An allocation that the pool cannot serve is an error. All memory returns to the pool when it is dropped.

use crate::host::{HOST_ALIGN, HostBuffer};
use crate::host_pool::HostPool;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Bytes of the pool.
pub(in crate::cpu) struct PoolBuffer {
    bytes: HostBuffer,
    pool: Arc<HostPool>,
}

impl PoolBuffer {
    /// Takes at least `bytes` bytes with arbitrary contents.
    pub(in crate::cpu) fn take(pool: &Arc<HostPool>, bytes: usize) -> DeviceResult<PoolBuffer> {
        Ok(PoolBuffer { bytes: pool.take(bytes)?, pool: pool.clone() })
    }
}

impl Deref for PoolBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for PoolBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Drop for PoolBuffer {
    fn drop(&mut self) {
        self.pool.give(std::mem::take(&mut self.bytes));
    }
}

/// An array of a fixed length.
pub(super) struct PoolVec<T> {
    bytes: PoolBuffer,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Pod> PoolVec<T> {
    /// Creates an array of `len` elements with arbitrary values; write each element before reading it.
    pub(super) fn new(pool: &Arc<HostPool>, len: usize) -> DeviceResult<PoolVec<T>> {
        const { assert!(align_of::<T>() <= HOST_ALIGN, "a buffer is aligned for its elements") };
        let bytes = PoolBuffer::take(pool, len.saturating_mul(size_of::<T>()))?;
        assert!(bytes.len() / size_of::<T>() >= len, "the pool gives as much as it was asked for");
        Ok(PoolVec { bytes, len, elements: PhantomData })
    }

    /// The memory that it takes, as the pool counts it.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

impl<T: Pod> Deref for PoolVec<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `new` checked that the buffer holds `len` elements and is aligned for them. The bytes of a pool's
        // buffer are always initialised, and any bytes are a valid `T: Pod`.
        unsafe { std::slice::from_raw_parts(self.bytes.bytes.as_ptr().cast(), self.len) }
    }
}

impl<T: Pod> DerefMut for PoolVec<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and `&mut self` makes the access unique.
        unsafe { std::slice::from_raw_parts_mut(self.bytes.bytes.as_mut_ptr().cast(), self.len) }
    }
}

/// Memory that counts in a pool and is allocated elsewhere.
pub(in crate::cpu) struct Reserved {
    pool: Arc<HostPool>,
    bytes: usize,
}

impl Reserved {
    /// Reserves some bytes.
    pub(in crate::cpu) fn new(pool: &Arc<HostPool>, bytes: usize) -> DeviceResult<Reserved> {
        pool.reserve(bytes)?;
        Ok(Reserved { pool: pool.clone(), bytes })
    }

    /// Reserves more.
    pub(super) fn add(&mut self, bytes: usize) -> DeviceResult<()> {
        self.pool.reserve(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.pool.release(self.bytes);
    }
}

/// Reserves memory for `len` elements in total; an error if the system has none.
pub(super) fn reserve_to<T>(vec: &mut Vec<T>, len: usize) -> DeviceResult<()> {
    let no_memory = |_| {
        let bytes = len.saturating_mul(size_of::<T>());
        DeviceError::new(DeviceErrorKind::OutOfMemory, format!("the system has no {bytes} bytes"))
    };
    vec.try_reserve_exact(len.saturating_sub(vec.len())).map_err(no_memory)
}
