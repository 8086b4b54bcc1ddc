//! [`Download`]: a range of device memory with its destination in host memory, and the default implementations of
//! downloads.

use crate::{BufferRange, CopyId, Device, DeviceError, DeviceResult, HostBuffer, StreamId};
use smallvec::SmallVec;
use std::time::Duration;

/// A short vector that is stored inline.
pub(crate) type InlineVec<T> = SmallVec<[T; 8]>;

/// A range of device memory to be copied to host memory.
#[derive(Debug)]
pub struct Download<'a> {
    /// The source. Starts at a multiple of 4 bytes.
    pub from: BufferRange,
    /// The destination, of the same length.
    pub destination: &'a mut [u8],
}

impl Download<'_> {
    /// Checks that the destination has the length of the source: the bytes beyond belong to others.
    pub(crate) fn check(&self) -> DeviceResult<()> {
        if self.from.bytes != self.destination.len() as u64 {
            return Err(DeviceError::invalid(format!(
                "{} bytes of memory for {}",
                self.destination.len(),
                self.from.bytes
            )));
        }
        Ok(())
    }
}

/// Checks that the staging memory has room for all ranges.
pub(crate) fn staging_fits(staging: &[u8], ranges: &[BufferRange]) -> DeviceResult<()> {
    let bytes = ranges.iter().try_fold(0u64, |sum, range| sum.checked_add(range.bytes));
    if bytes.is_none_or(|bytes| bytes > staging.len() as u64) {
        let asked: InlineVec<u64> = ranges.iter().map(|range| range.bytes).collect();
        return Err(DeviceError::invalid(format!("{} bytes of staging for {asked:?}", staging.len())));
    }
    Ok(())
}

/// Downloads all parts through one staging buffer and waits. If the copy fails, no destination changes.
pub(crate) fn download_through_staging<D: Device + ?Sized>(
    device: &D,
    stream: StreamId,
    parts: &mut [Download<'_>],
    timeout: Duration,
) -> DeviceResult<()> {
    parts.iter().try_for_each(Download::check)?;
    let ranges: InlineVec<BufferRange> = parts.iter().map(|part| part.from).collect();
    let staging = HostBuffer::try_zeroed(parts.iter().map(|part| part.destination.len()).sum())?;
    let copy = device.copy_out_all(stream, &ranges, staging)?;
    let staging = device.finish_copy(copy, timeout).inspect_err(|_| device.forget_copy(copy))?;
    scatter(&staging, parts.iter_mut().map(|part| &mut *part.destination));
    Ok(())
}

/// Copies consecutive parts of the staging memory to their destinations.
pub(crate) fn scatter<'a>(mut staging: &[u8], places: impl Iterator<Item = &'a mut [u8]>) {
    for place in places {
        let (own, behind) = staging.split_at(place.len());
        place.copy_from_slice(own);
        staging = behind;
    }
}

/// Queues one copy per part, calls `while_copying`, and waits for the copies.
pub(crate) fn download_each<D: Device + ?Sized>(
    device: &D,
    stream: StreamId,
    parts: &mut [Download<'_>],
    timeout: Duration,
    while_copying: &mut dyn FnMut(),
) -> DeviceResult<()> {
    parts.iter().try_for_each(Download::check)?;
    let mut copies: InlineVec<CopyId> = InlineVec::with_capacity(parts.len());
    let queued = parts.iter().try_for_each(|part| {
        let staging = HostBuffer::try_zeroed(part.destination.len())?;
        copies.push(device.copy_out(stream, part.from, staging)?);
        Ok(())
    });
    if queued.is_ok() {
        while_copying();
    }
    let mut copies = copies.into_iter();
    let landed = parts.iter_mut().zip(&mut copies).try_for_each(|(part, copy)| {
        let staging = device.finish_copy(copy, timeout).inspect_err(|_| device.forget_copy(copy))?;
        part.destination.copy_from_slice(&staging[..part.destination.len()]);
        Ok(())
    });
    // The copies after one that failed.
    copies.for_each(|copy| device.forget_copy(copy));
    queued.and(landed)
}
