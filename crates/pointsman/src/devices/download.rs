//! Downloads: the columns of a result or a batch in one round trip, and small results together with the launch that
//! writes them, by a copy that is queued after it.

use crate::data::memory::{InlineVec, Pool, Pooled};
use crate::data::output::ResultColumn;
use crate::devices::transfer::{DeviceColumn, TransferStream, spread_bits};
use crate::error::{Error, Result};
use crate::resilience::time_limit::TimeLimit;
use pointsman_device::{BufferRange, CopyId, Device, Download, HostBuffer, StreamId};
use pointsman_ir::types::{Repr, Type};

/// The largest result that is downloaded before its launch is done, in bytes: copying more takes longer than waiting.
const EARLY_BYTES_MAX: usize = 64 << 10;
/// The same limit if the number of rows is unknown, because the copy may be useless.
const GUESSED_BYTES_MAX: usize = 4 << 10;

/// Gaps up to this many bytes between two ranges of a buffer are copied with them: another copy takes longer.
const GAP_BYTES_MAX: u64 = 256;

/// How many rows a launch writes, by the capacity of its outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowCount {
    Exact,
    AtMost,
}

/// Called while a copy is in progress.
pub(crate) type WhileCopying<'b> = &'b mut dyn FnMut();

/// A downloaded column: its values, truth values as bits, and its bitmap; perhaps with spare room.
pub(crate) type ColumnBytes = (Pooled, Pooled);

/// The place of a column's rows in a result. Truth values take a byte each there.
pub(crate) struct ColumnSlice<'t> {
    pub(crate) ty: Type,
    pub(crate) values: &'t mut [u8],
    pub(crate) valid: Option<&'t mut [u8]>,
}

impl<'t> ColumnSlice<'t> {
    /// The places of the first rows of columns; `caller_values` is the caller's memory for the first column's values.
    pub(crate) fn of(
        columns: &'t mut [ResultColumn],
        rows: usize,
        mut caller_values: Option<&'t mut [u8]>,
    ) -> Result<Vec<ColumnSlice<'t>>> {
        let slice = |column: &'t mut ResultColumn| {
            let values = caller_values.take().unwrap_or(&mut column.values);
            let values = values.get_mut(..rows * column.ty.dtype.repr().bytes());
            let values = values.ok_or_else(|| Error::internal("no room for a result's values"))?;
            let valid = column.valid.as_mut().map(|valid| &mut valid[..rows.div_ceil(8)]);
            Ok(ColumnSlice { ty: column.ty, values, valid })
        };
        columns.iter_mut().map(slice).collect()
    }
}

/// The destination of a column's bytes, in the session's memory, so that the session's limit also covers batches. Empty
/// by default.
#[derive(Default)]
pub(crate) struct HostDestination<'m> {
    /// The place in the result that the values go to directly.
    direct: Option<&'m mut [u8]>,
    values: Pooled,
    bitmap: Pooled,
    /// How many bytes of `values` and `bitmap` are downloaded.
    bytes: [usize; 2],
}

impl<'m> HostDestination<'m> {
    /// Memory for a column whose values go directly into the result; truth values do not: they take a byte each there.
    pub(crate) fn for_result(column: &DeviceColumn, direct: &'m mut [u8], pool: &Pool) -> Result<HostDestination<'m>> {
        if is_bits(column.ty) {
            return HostDestination::new(column, pool);
        }
        Ok(HostDestination { direct: Some(direct), ..HostDestination::with_room([0, column.bitmap_bytes()], pool)? })
    }

    /// Memory for a column.
    pub(crate) fn new(column: &DeviceColumn, pool: &Pool) -> Result<HostDestination<'m>> {
        HostDestination::with_room([column.value_bytes(), column.bitmap_bytes()], pool)
    }

    fn with_room(bytes: [usize; 2], pool: &Pool) -> Result<HostDestination<'m>> {
        Ok(HostDestination { direct: None, values: pool.take(bytes[0])?, bitmap: pool.take(bytes[1])?, bytes })
    }
}

/// The ranges that columns are downloaded from, and their destinations.
#[derive(Clone, Copy)]
pub(crate) struct BatchDownload<'d> {
    pub(crate) device: &'d dyn Device,
    /// The stream that the launch was on.
    pub(crate) stream: StreamId,
    pub(crate) time: TimeLimit<'d>,
    pub(crate) pool: &'d Pool,
}

impl BatchDownload<'_> {
    /// Copies columns to their destinations: their bytes, except values that went directly to the result, and how many
    /// bytes were copied.
    pub(crate) fn run(
        &self,
        columns: &[DeviceColumn],
        mut destinations: Vec<HostDestination<'_>>,
        while_copying: Option<WhileCopying<'_>>,
    ) -> Result<(Vec<ColumnBytes>, u64)> {
        let parts = columns.iter().zip(&mut destinations).flat_map(|(column, destination)| {
            let [values, bitmap] = destination.bytes;
            let values = destination.direct.as_deref_mut().unwrap_or(&mut destination.values[..values]);
            column.downloads(values, Some(&mut destination.bitmap[..bitmap]))
        });
        let bytes = self.copy(parts.collect(), while_copying)?;
        let columns = destinations.into_iter().map(|destination| (destination.values, destination.bitmap));
        Ok((columns.collect(), bytes))
    }

    /// Copies columns to their places in a result; how many bytes were copied.
    pub(crate) fn run_into(
        &self,
        columns: &[DeviceColumn],
        slices: &mut [ColumnSlice<'_>],
        while_copying: Option<WhileCopying<'_>>,
    ) -> Result<u64> {
        let bytes = |column: &DeviceColumn| if is_bits(column.ty) { column.value_bytes() } else { 0 };
        let bits = columns.iter().map(|column| self.pool.take(bytes(column)));
        let mut bits: Vec<Pooled> = bits.collect::<Result<_>>()?;
        let parts = columns.iter().zip(&mut *slices).zip(&mut bits).flat_map(|((column, slice), bits)| {
            let values = if is_bits(column.ty) { &mut bits[..bytes(column)] } else { &mut *slice.values };
            column.downloads(values, slice.valid.as_deref_mut())
        });
        let bytes = self.copy(parts.collect(), while_copying)?;
        for (slice, bits) in slices.iter_mut().zip(&bits).filter(|(slice, _)| is_bits(slice.ty)) {
            spread_bits(bits, slice.values);
        }
        Ok(bytes)
    }

    fn copy(&self, mut parts: Vec<Download<'_>>, while_copying: Option<WhileCopying<'_>>) -> Result<u64> {
        let bytes = parts.iter().map(|part| part.destination.len() as u64).sum();
        match while_copying {
            Some(f) => self.device.download_while(self.stream, &mut parts, self.time.left(), f)?,
            None if parts.is_empty() => {}
            None => self.device.download_all(self.stream, &mut parts, self.time.left())?,
        }
        Ok(bytes)
    }
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
    /// Waits for the columns, of no more rows than were downloaded; `caller_values` is for the first column's values.
    pub(crate) fn finish(
        mut self,
        transfer: &TransferStream<'_>,
        columns: &[DeviceColumn],
        pool: &Pool,
        caller_values: Option<&mut [u8]>,
    ) -> Result<Vec<ResultColumn>> {
        let copy = self.copy.ok_or_else(|| Error::internal("an early download was finished twice"))?;
        let staging = self.device.finish_copy(copy, transfer.time.left())?;
        self.copy = None;
        let mut places = self.places.iter().map(|place| &staging[*place..]);
        let mut next = || places.next().ok_or_else(|| Error::internal("a column that was not downloaded"));
        let (mut results, rows) = allocate(columns, pool, caller_values.as_deref())?;
        for slice in ColumnSlice::of(&mut results, rows, caller_values)? {
            let bytes = next()?;
            match is_bits(slice.ty) {
                true => spread_bits(bytes, slice.values),
                false => slice.values.copy_from_slice(&bytes[..slice.values.len()]),
            }
            if let Some(valid) = slice.valid {
                valid.copy_from_slice(&next()?[..valid.len()]);
            }
        }
        Ok(results)
    }
}

/// Memory for columns of a result, which have equally many rows, and the number of these.
fn allocate(columns: &[DeviceColumn], pool: &Pool, caller_values: Option<&[u8]>) -> Result<(Vec<ResultColumn>, usize)> {
    let mut results: Vec<ResultColumn> = Vec::with_capacity(columns.len());
    for (number, column) in columns.iter().enumerate() {
        let mut result = ResultColumn::empty(column.ty, column.rows);
        result.allocate(caller_values.filter(|_| number == 0), pool)?;
        results.push(result);
    }
    Ok((results, columns.first().map_or(0, |column| column.rows)))
}

impl<'d> TransferStream<'d> {
    /// Queues the download of a result after the launch that will write it into these columns, at their full capacity;
    /// `None` where the result is too large for that.
    pub(crate) fn download_early(&mut self, columns: &[DeviceColumn], count: RowCount) -> Option<EarlyDownload<'d>> {
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
        Some(EarlyDownload { device: &**self.device, copy: Some(copy), rows, places })
    }

    /// Downloads columns of a result in one round trip; `caller_values` is memory for the first one's values.
    pub(crate) fn download(
        &mut self,
        columns: &[DeviceColumn],
        pool: &Pool,
        caller_values: Option<&mut [u8]>,
    ) -> Result<Vec<ResultColumn>> {
        let (mut results, rows) = allocate(columns, pool, caller_values.as_deref())?;
        let mut slices = ColumnSlice::of(&mut results, rows, caller_values)?;
        let download = BatchDownload { device: &**self.device, stream: self.stream, time: self.time, pool };
        self.bytes_out += download.run_into(columns, &mut slices, None)?;
        Ok(results)
    }
}

fn is_bits(ty: Type) -> bool {
    ty.dtype.repr() == Repr::Bool
}

/// Joins ranges that are close to each other. Also returns the offset of each given range in the copy of the joined.
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
fn early_rows(columns: &[DeviceColumn], count: RowCount) -> Option<usize> {
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
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::error::ErrorKind;
    use pointsman_device::sim::{SimDevice, SimOptions};
    use pointsman_device::{BufferId, HostPool, Priority};
    use pointsman_ir::types::DType;
    use std::sync::Arc;
    use std::time::Duration;

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

    #[test]
    fn column_larger_than_the_address_space_is_out_of_memory() {
        let sim = Arc::new(SimDevice::new(SimOptions::default()));
        let device: Arc<dyn Device> = sim.clone();
        let time = TimeLimit { clock: sim.clock(), timeout: Duration::MAX, until: None };
        let transfer = TransferStream::new(&device, device.open_stream(Priority::Normal).unwrap(), time);
        for (dtype, bytes) in [(DType::I64, 8u64 << 58), (DType::Bool, 1 << 55)] {
            let mut column = transfer.allocate(Type { dtype, nullable: true }, 8).unwrap();
            column.rows = 1 << 58;
            let mut direct = [0; 8];
            let pool = Pool::new(Arc::new(HostPool::new(usize::MAX)));
            let kept = [
                HostDestination::new(&column, &pool).map(drop),
                HostDestination::for_result(&column, &mut direct, &pool).map(drop),
            ];
            for error in kept.map(|destination| destination.unwrap_err()) {
                assert_eq!(error.kind(), ErrorKind::OutOfMemory);
            }
            let message = HostDestination::new(&column, &pool).map(drop).unwrap_err().to_string();
            assert!(message.contains(&format!("{bytes} bytes")), "{message}");
        }
    }
}
