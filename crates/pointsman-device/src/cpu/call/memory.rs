//! Memory of calls: tables whose allocation can fail, scratch memory of the caller, and slices that threads fill together.

use bytemuck::Pod;
use std::marker::PhantomData;

/// The system has no memory for a call, or its caller gave too little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoMemory;

/// Zeros. The system zeroes large allocations when they are first touched, so this takes no time.
pub(super) fn zeros<T: Pod>(count: usize) -> Result<Vec<T>, NoMemory> {
    // The layout computation of `try_zeroed_vec` panics beyond the address space.
    if count.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
        return Err(NoMemory);
    }
    bytemuck::try_zeroed_vec(count).map_err(|()| NoMemory)
}

/// The bytes of a table of this many values.
pub(super) fn table_bytes<T>(count: usize) -> u64 {
    (count as u64).saturating_mul(size_of::<T>() as u64)
}

/// ScratchMemory memory that the caller gave, from which parts are taken.
pub(super) struct ScratchMemory<'a>(&'a mut [u8]);

impl<'a> ScratchMemory<'a> {
    /// The alignment of parts: two lines of the cache.
    const ALIGN: usize = 128;

    pub(super) fn new(bytes: &'a mut [u8]) -> ScratchMemory<'a> {
        ScratchMemory(bytes)
    }

    /// The bytes that a part of this many values takes, whatever its alignment.
    pub(super) fn bytes<T>(count: usize) -> u64 {
        table_bytes::<T>(count).saturating_add(ScratchMemory::ALIGN as u64)
    }

    /// Takes a part for this many values. Their contents are arbitrary.
    pub(super) fn take<T: Pod>(&mut self, count: usize) -> Result<&'a mut [T], NoMemory> {
        const { assert!(align_of::<T>() <= ScratchMemory::ALIGN) };
        let skipped = self.0.as_ptr().align_offset(ScratchMemory::ALIGN);
        let end = count.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(skipped)).ok_or(NoMemory)?;
        if end > self.0.len() {
            return Err(NoMemory);
        }
        let (part, rest) = std::mem::take(&mut self.0).split_at_mut(end);
        self.0 = rest;
        Ok(bytemuck::cast_slice_mut(&mut part[skipped..]))
    }
}

/// A mutable slice that several threads use at the same time, each in its own parts.
pub(super) struct SharedSlice<'a, T> {
    values: *mut T,
    length: usize,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: the slice is borrowed mutably, and the callers of its methods keep the parts of threads separate.
unsafe impl<T: Send> Send for SharedSlice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}

impl<'a, T: Pod> SharedSlice<'a, T> {
    pub(super) fn new(values: &'a mut [T]) -> SharedSlice<'a, T> {
        SharedSlice { values: values.as_mut_ptr(), length: values.len(), borrow: PhantomData }
    }

    /// The address of the value at a place of the slice. Who uses it keeps the parts of threads separate.
    pub(super) fn address(&self, place: usize) -> *mut T {
        assert!(place < self.length, "a place is within its slice");
        self.values.wrapping_add(place)
    }

    /// Part of the slice.
    ///
    /// # Safety
    /// No other reference to a value of this part is in use while the returned one is.
    #[allow(clippy::mut_from_ref, reason = "the caller keeps parts separate")]
    #[inline(always)]
    pub(super) unsafe fn part(&self, start: usize, count: usize) -> &mut [T] {
        assert!(start <= self.length && count <= self.length - start, "a part is within its slice");
        // SAFETY: the assertion keeps the pointer within the slice.
        let first = unsafe { self.values.add(start) };
        // SAFETY: the values are initialised and borrowed mutably for 'a; the caller keeps parts separate.
        unsafe { std::slice::from_raw_parts_mut(first, count) }
    }

    /// Writes values to the places from `start` on; those beyond the end of the slice are dropped.
    ///
    /// # Safety
    /// No reference to one of these places is in use.
    #[inline(always)]
    pub(super) unsafe fn write(&self, start: usize, values: &[T]) {
        // The usual case by itself: where the length is a constant, no function is called.
        if start <= self.length && values.len() <= self.length - start {
            // SAFETY: no reference to these places is in use, as the caller promises.
            unsafe { self.part(start, values.len()) }.copy_from_slice(values);
        } else if start < self.length {
            // SAFETY: as above.
            let part = unsafe { self.part(start, self.length - start) };
            part.copy_from_slice(&values[..part.len()]);
        }
    }
}

/// Reads the values from `start` on; zeros beyond the end.
#[inline(always)]
pub(super) fn read_padded<T: Pod>(values: &[T], start: usize, into: &mut [T]) {
    let there = values.get(start..).unwrap_or(&[]);
    // The usual case by itself: where the length is a constant, no function is called.
    if let Some(there) = there.get(..into.len()) {
        into.copy_from_slice(there);
        return;
    }
    let (copied, zeros) = into.split_at_mut(there.len());
    copied.copy_from_slice(there);
    zeros.fill(T::zeroed());
}
