//! Downloads of results: all columns in one round trip, and small ones together with the launch that writes them, by a
//! copy that is queued behind it.

use crate::data::memory::{InlineVec, Pool};
use crate::data::output::ResultColumn;
use crate::devices::transfer::{DeviceColumn, TransferStream, spread_bits};
use crate::error::{Error, Result};
use pointsman_device::convert::value_bytes;
use pointsman_device::host::BoolLayout;
use pointsman_device::{BufferRange, CopyId, Device, Download, HostBuffer};
use pointsman_ir::types::{Repr, Type};
use std::ops::Range;

/// The largest result that is downloaded before its launch is done, in bytes: copying more takes longer than waiting.
const EARLY_BYTES_MAX: usize = 64 << 10;
/// The same limit where the number of rows is not known: the copy may be for nothing.
const GUESSED_BYTES_MAX: usize = 4 << 10;

/// Gaps up to this many bytes between two ranges of a buffer are copied with them: another copy takes longer.
const GAP_BYTES_MAX: u64 = 256;

/// How many rows a launch writes, by the capacity of its outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowCount {
    Exact,
    AtMost,
}

/// A queued download of the first rows of a result's columns. Dropping it makes the device forget the copy.
pub(crate) struct EarlyDownload<'d> {
    device: &'d dyn Device,
    copy: Option<CopyId>,
    /// How many rows are downloaded.
    pub(crate) rows: usize,
    /// The offsets of each column's values and bitmap in the copy.
    places: InlineVec<usize>,
}

impl Drop for EarlyDownload<'_> {
    fn drop(&mut self) {
        if let Some(copy) = self.copy {
            self.device.forget_copy(copy);
        }
    }
}

impl EarlyDownload<'_> {
    /// Waits for the columns, which have no more rows than were downloaded. `caller_values` is the caller's memory for
    /// the first column's values.
    pub(crate) fn finish(
        mut self,
        transfer: &TransferStream<'_>,
        columns: &[&DeviceColumn<'_>],
        pool: &Pool,
        mut caller_values: Option<&mut [u8]>,
    ) -> Result<Vec<ResultColumn>> {
        let copy = self.copy.ok_or_else(|| Error::internal("an early download was finished twice"))?;
        let staging = self.device.finish_copy(copy, transfer.time.left())?;
        self.copy = None;
        let mut places = self.places.iter().map(|place| &staging[*place..]);
        columns.iter().map(|column| copy_column(column, &mut places, pool, caller_values.take())).collect()
    }
}

/// Copies a column from the places of its values and its bitmap.
fn copy_column<'s>(
    column: &DeviceColumn<'_>,
    places: &mut impl Iterator<Item = &'s [u8]>,
    pool: &Pool,
    caller_values: Option<&mut [u8]>,
) -> Result<ResultColumn> {
    let mut next = || places.next().ok_or_else(|| Error::internal("a column that was not downloaded"));
    let mut result = ResultColumn::empty(column.ty, column.rows);
    result.allocate(caller_values.as_deref(), pool)?;
    let (bytes, values) =
        (next()?, place(&mut result.values, caller_values, column.rows * column.ty.dtype.repr().bytes())?);
    match is_bits(column.ty) {
        true => spread_bits(bytes, values),
        false => values.copy_from_slice(&bytes[..values.len()]),
    }
    if let Some(valid) = &mut result.valid {
        let bytes = column.bitmap_bytes();
        valid[..bytes].copy_from_slice(&next()?[..bytes]);
    }
    Ok(result)
}

impl<'d> TransferStream<'d> {
    /// Queues the download of a result behind the launch that will write it into these columns, at their full capacity;
    /// `None` where the result is too large for that.
    pub(crate) fn download_early(
        &mut self,
        columns: &[DeviceColumn<'_>],
        count: RowCount,
    ) -> Option<EarlyDownload<'d>> {
        // Unified memory is read in place, which takes less time than a copy.
        if self.device.info().capabilities.unified_memory {
            return None;
        }
        let rows = early_rows(columns, count)?;
        let (ranges, places) = joined(columns.iter().flat_map(|column| column.front(rows)));
        let bytes = ranges.iter().map(|range| range.bytes).sum::<u64>();
        if bytes as usize > EARLY_BYTES_MAX {
            return None;
        }
        // An error of the device shows again when the launch or the result is waited for.
        let staging = HostBuffer::try_zeroed(bytes as usize).ok()?;
        let copy = self.device.copy_out_all(self.stream, &ranges, staging).ok()?;
        self.bytes_out += bytes;
        Some(EarlyDownload { device: self.device, copy: Some(copy), rows, places })
    }

    /// Downloads some rows of columns in one round trip, the first a multiple of `LEAF_ROWS`. `caller_values` is the
    /// caller's memory for the first column's values.
    pub(crate) fn download(
        &mut self,
        columns: &[&DeviceColumn<'_>],
        rows: Range<usize>,
        pool: &Pool,
        mut caller_values: Option<&mut [u8]>,
    ) -> Result<Vec<ResultColumn>> {
        let mut results: Vec<ResultColumn> = Vec::with_capacity(columns.len());
        for (number, column) in columns.iter().enumerate() {
            let mut result = ResultColumn::empty(column.ty, rows.len());
            result.allocate(caller_values.as_deref().filter(|_| number == 0), pool)?;
            results.push(result);
        }
        let bytes = |column: &DeviceColumn<'_>| value_bytes(column.ty, BoolLayout::Bits, rows.len());
        let bits = columns.iter().map(|column| if is_bits(column.ty) { bytes(column) } else { 0 });
        let mut bits: Vec<HostBuffer> = bits.map(HostBuffer::try_zeroed).collect::<std::result::Result<_, _>>()?;
        let mut parts: Vec<Download<'_>> = Vec::with_capacity(2 * columns.len());
        let mut given = caller_values.as_deref_mut();
        for ((column, result), bits) in columns.iter().zip(&mut results).zip(&mut bits) {
            let (given, ResultColumn { values, valid, .. }) = (given.take(), result);
            let values = if is_bits(column.ty) { bits } else { place(values, given, bytes(column))? };
            let valid = valid.as_mut().map(|valid| &mut valid[..rows.len().div_ceil(8)]);
            parts.extend(column.downloads(rows.start, values, valid));
        }
        self.bytes_out += parts.iter().map(|part| part.destination.len() as u64).sum::<u64>();
        if !parts.is_empty() {
            self.device.download_all(self.stream, &mut parts, self.time.left())?;
        }
        for ((column, result), bits) in columns.iter().zip(&mut results).zip(&bits) {
            let given = caller_values.take();
            if is_bits(column.ty) {
                spread_bits(bits, place(&mut result.values, given, rows.len())?);
            }
        }
        Ok(results)
    }
}

fn is_bits(ty: Type) -> bool {
    ty.dtype.repr() == Repr::Bool
}

/// The first bytes of a column's values, in its own memory or the caller's.
fn place<'a>(own: &'a mut [u8], given: Option<&'a mut [u8]>, bytes: usize) -> Result<&'a mut [u8]> {
    given.unwrap_or(own).get_mut(..bytes).ok_or_else(|| Error::internal("no room for a result's values"))
}

/// Joins ranges that are close to each other. Also returns the offset of each given range in the copy of the joined
/// ones.
fn joined(ranges: impl Iterator<Item = BufferRange>) -> (InlineVec<BufferRange>, InlineVec<usize>) {
    let (mut joined, mut places, mut end): (InlineVec<BufferRange>, InlineVec<usize>, u64) =
        (InlineVec::new(), InlineVec::new(), 0);
    for range in ranges {
        let near = joined.last_mut().filter(|last| last.buffer == range.buffer && last.offset <= range.offset);
        let near = near.and_then(|last| Some((range.offset.checked_sub(last.offset + last.bytes)?, last)));
        let gap = match near.filter(|(gap, _)| *gap <= GAP_BYTES_MAX) {
            Some((gap, last)) => {
                last.bytes += gap + range.bytes;
                gap
            }
            None => {
                joined.push(range);
                0
            }
        };
        places.push((end + gap) as usize);
        end += gap + range.bytes;
    }
    (joined, places)
}

/// How many rows are downloaded before the launch is done, if any: all where their number is known, else the first.
fn early_rows(columns: &[DeviceColumn<'_>], count: RowCount) -> Option<usize> {
    let room = columns.iter().map(|column| column.rows).max()?;
    let value_bits = |ty: Type| if is_bits(ty) { 1 } else { 8 * ty.dtype.repr().bytes() };
    let row_bits: usize = columns.iter().map(|column| value_bits(column.ty) + usize::from(column.ty.nullable)).sum();
    let bytes = match count {
        RowCount::Exact => EARLY_BYTES_MAX,
        RowCount::AtMost => GUESSED_BYTES_MAX,
    };
    let rows = room.min(8 * bytes / row_bits.max(1));
    (rows > 0 && (rows == room || count == RowCount::AtMost)).then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_device::BufferId;

    #[test]
    fn close_ranges_of_a_buffer_are_joined() {
        let range = |buffer, offset, bytes| BufferRange { buffer: BufferId(buffer), offset, bytes };
        let check = |given: &[BufferRange], expected: &[BufferRange], places: &[usize]| {
            let (ranges, got) = joined(given.iter().copied());
            assert_eq!((&ranges[..], &got[..]), (expected, places), "{given:?}");
        };
        check(&[], &[], &[]);
        check(&[range(1, 0, 8), range(1, 16, 1), range(1, 32, 8)], &[range(1, 0, 40)], &[0, 16, 32]);
        check(&[range(1, 0, 8), range(2, 0, 1)], &[range(1, 0, 8), range(2, 0, 1)], &[0, 8]);
        check(&[range(1, 0, 8), range(1, 8 + 256, 4)], &[range(1, 0, 268)], &[0, 264]);
        check(&[range(1, 0, 8), range(1, 9 + 256, 4)], &[range(1, 0, 8), range(1, 265, 4)], &[0, 8]);
        check(&[range(1, 4, 8), range(1, 8, 8)], &[range(1, 4, 8), range(1, 8, 8)], &[0, 8]);
        check(&[range(1, 64, 8), range(1, 0, 8), range(1, 8, 0)], &[range(1, 64, 8), range(1, 0, 8)], &[0, 8, 16]);
    }
}
