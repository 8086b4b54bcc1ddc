//! Results on their way to the host: all columns in one round trip, and small ones in that of the launch that writes them,
//! behind which their copy is queued before anyone waits for it.

use crate::data::memory::{InlineVec, Pool, Pooled};
use crate::data::output::ResultColumn;
use crate::devices::transfer::{DeviceColumn, TransferStream, spread_bits};
use crate::error::{Error, Result};
use crate::exec::merge::gives_as_many_as_there_is_room_for;
use pointsman_device::{BufferRange, CopyId, Device, Download, HostBuffer};
use pointsman_ir::kernel::Kernel;
use pointsman_ir::types::{Repr, Type};

/// The most bytes of a result that are asked for before its launch is done: copying more takes longer than waiting.
const EARLY_BYTES_MAX: usize = 64 << 10;
/// The same where nobody knows how many rows there will be: what comes may be for nothing.
const GUESSED_BYTES_MAX: usize = 4 << 10;

/// So many bytes between two ranges of a buffer are copied with them rather than left out: a copy more takes longer.
const GAP_BYTES_MAX: u64 = 256;

/// The first rows of a result's columns, on their way behind the launch that writes them; forgotten where nobody waits.
pub(crate) struct EarlyDownload<'d> {
    device: &'d dyn Device,
    copy: Option<CopyId>,
    /// How many rows come.
    pub(crate) rows: usize,
    /// Where the values and the bitmap of each column lie in what comes.
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
    /// Waits for the columns, which have no more rows than come; `into` is the caller's memory for the first one's values.
    pub(crate) fn finish<'a>(
        mut self,
        port: &TransferStream<'_>,
        columns: impl Iterator<Item = &'a DeviceColumn<'a>>,
        pool: &Pool,
        mut into: Option<&mut [u8]>,
    ) -> Result<Vec<ResultColumn>> {
        let copy = self.copy.ok_or_else(|| Error::internal("a copy that somebody waited for"))?;
        let staging = self.device.finish_copy(copy, port.time.left())?;
        self.copy = None;
        let mut places = self.places.iter().map(|place| &staging[*place..]);
        columns.map(|column| take(column, &mut places, pool, into.take())).collect()
    }
}

/// Takes a column from where its values and its bitmap lie.
fn take<'s>(
    column: &DeviceColumn<'_>,
    places: &mut impl Iterator<Item = &'s [u8]>,
    pool: &Pool,
    into: Option<&mut [u8]>,
) -> Result<ResultColumn> {
    let mut next = || places.next().ok_or_else(|| Error::internal("a column that was not asked for"));
    let mut result = room(column, pool, into.is_some())?;
    let (come, values) = (next()?, place(&mut result.values, into, column.rows * column.ty.dtype.repr().bytes())?);
    match is_bits(column.ty) {
        true => spread_bits(come, values),
        false => values.copy_from_slice(&come[..values.len()]),
    }
    if let Some(valid) = &mut result.valid {
        let bytes = column.bitmap_bytes();
        valid[..bytes].copy_from_slice(&next()?[..bytes]);
    }
    Ok(result)
}

impl<'d> TransferStream<'d> {
    /// Queues the way of a kernel's result behind the launch that will write it into these columns, whose rows are those
    /// that there is room for; `None` where it is too large for that.
    pub(crate) fn fetch_early(&mut self, kernel: &Kernel, columns: &[DeviceColumn<'_>]) -> Option<EarlyDownload<'d>> {
        // Memory that is the host's is read where it lies, which takes less than a copy.
        if self.device.info().capabilities.unified_memory {
            return None;
        }
        let rows = early_rows(columns, gives_as_many_as_there_is_room_for(kernel))?;
        let (ranges, places) = joined(columns.iter().flat_map(|column| column.front(rows)));
        let bytes = ranges.iter().map(|range| range.bytes).sum::<u64>();
        if bytes as usize > EARLY_BYTES_MAX {
            return None;
        }
        // Whatever keeps it from being queued is told when the launch or the result is waited for.
        let staging = HostBuffer::try_zeroed(bytes as usize).ok()?;
        let copy = self.device.copy_out_all(self.stream, &ranges, staging).ok()?;
        self.bytes_out += bytes;
        Some(EarlyDownload { device: self.device, copy: Some(copy), rows, places })
    }

    /// Copies columns out of the device in one round trip, into the caller's memory for the first one's values or into the
    /// pool's.
    pub(crate) fn fetch_all(
        &mut self,
        columns: &[&DeviceColumn<'_>],
        pool: &Pool,
        mut into: Option<&mut [u8]>,
    ) -> Result<Vec<ResultColumn>> {
        let mut results: Vec<ResultColumn> = Vec::with_capacity(columns.len());
        for (number, column) in columns.iter().enumerate() {
            results.push(room(column, pool, number == 0 && into.is_some())?);
        }
        let bits = columns.iter().map(|column| if is_bits(column.ty) { column.value_bytes() } else { 0 });
        let mut bits: Vec<HostBuffer> = bits.map(HostBuffer::try_zeroed).collect::<std::result::Result<_, _>>()?;
        let mut parts: Vec<Download<'_>> = Vec::with_capacity(2 * columns.len());
        let mut given = into.as_deref_mut();
        for ((column, result), bits) in columns.iter().zip(&mut results).zip(&mut bits) {
            let (given, ResultColumn { values, valid, .. }) = (given.take(), result);
            let values = if is_bits(column.ty) { bits } else { place(values, given, column.value_bytes())? };
            parts.extend(column.fetches(values, valid.as_mut().map(|valid| &mut valid[..column.bitmap_bytes()])));
        }
        self.bytes_out += parts.iter().map(|part| part.into.len() as u64).sum::<u64>();
        if !parts.is_empty() {
            self.device.download_all(self.stream, &mut parts, self.time.left())?;
        }
        for ((column, result), bits) in columns.iter().zip(&mut results).zip(&bits) {
            let given = into.take();
            if is_bits(column.ty) {
                spread_bits(bits, place(&mut result.values, given, column.rows)?);
            }
        }
        Ok(results)
    }
}

fn is_bits(ty: Type) -> bool {
    ty.dtype.repr() == Repr::Bool
}

/// A column of the result with memory; that for its values may be the caller's.
fn room(column: &DeviceColumn<'_>, pool: &Pool, values_given: bool) -> Result<ResultColumn> {
    let mut result = ResultColumn::empty(column.ty, column.rows);
    if !values_given {
        pool.fill(&mut result.values, column.rows.saturating_mul(column.ty.dtype.repr().bytes()))?;
    }
    if column.ty.nullable {
        pool.fill(result.valid.insert(Pooled::default()), column.bitmap_bytes())?;
    }
    Ok(result)
}

/// Where so many bytes of values go.
fn place<'a>(own: &'a mut [u8], given: Option<&'a mut [u8]>, bytes: usize) -> Result<&'a mut [u8]> {
    given.unwrap_or(own).get_mut(..bytes).ok_or_else(|| Error::internal("no room for a result's values"))
}

/// Ranges with those joined that lie near each other, and where each of those given starts when they lie one behind the
/// other.
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

/// How many rows of columns are asked for before their launch is done, if any: all that there is room for where so many
/// are written, else the first.
fn early_rows(columns: &[DeviceColumn<'_>], is_known: bool) -> Option<usize> {
    let room = columns.iter().map(|column| column.rows).max()?;
    let value_bits = |ty: Type| if is_bits(ty) { 1 } else { 8 * ty.dtype.repr().bytes() };
    let row_bits: usize = columns.iter().map(|column| value_bits(column.ty) + usize::from(column.ty.nullable)).sum();
    let bytes = if is_known { EARLY_BYTES_MAX } else { GUESSED_BYTES_MAX };
    let rows = room.min(8 * bytes / row_bits.max(1));
    (rows > 0 && (rows == room || !is_known)).then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_device::BufferId;

    #[test]
    fn ranges_that_lie_near_each_other_are_joined() {
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
