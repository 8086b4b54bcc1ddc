//! [`PageLocked`]: values in host memory that a device copies without help of the CPU.

use super::element::Element;
use crate::error::{Error, Result};
use bytemuck::Pod;
use pointsman_device::{Device, PageLocked as ColumnMemory};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Values in page-locked host memory of one device. Copies between them and the device run at the speed of the link,
/// without a staging buffer. [`Session::page_locked`](crate::Session::page_locked) makes one; it derefs to a slice.
/// Locking takes about as long as filling the memory once, so it pays for memory that is used more than once.
#[doc(alias = "pinned")]
pub struct PageLocked<T> {
    memory: ColumnMemory,
    len: usize,
    values: PhantomData<T>,
}

impl<T: Element + Pod> PageLocked<T> {
    pub(crate) fn zeroed(device: Arc<dyn Device>, len: usize) -> Result<PageLocked<T>> {
        let bytes = len.checked_mul(size_of::<T>());
        let bytes = bytes.ok_or_else(|| Error::invalid(format!("{len} values are more than there are addresses")))?;
        Ok(PageLocked { memory: ColumnMemory::new(device, bytes)?, len, values: PhantomData })
    }
}

impl<T: Element + Pod> Deref for PageLocked<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.memory[..self.len * size_of::<T>()])
    }
}

impl<T: Element + Pod> DerefMut for PageLocked<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.memory[..self.len * size_of::<T>()])
    }
}

impl<T> fmt::Debug for PageLocked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PageLocked({} values, {:?})", self.len, self.memory)
    }
}
