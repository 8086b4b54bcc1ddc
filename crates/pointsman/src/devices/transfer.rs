//! Columns in a device's memory ([`DeviceColumn`]), and the stream that uploads them ([`TransferStream`]). An upload
//! joins chunks to one column, whose bits start at bit 0. `download.rs` has the downloads.
//!
//! Dropping a [`HeldBuffer`] frees its buffer, so no path leaks one. The device reuses the memory once the queued work
//! no longer needs it.

use crate::data::bitmap::{append_bits, append_eights};
use crate::data::memory::InlineVec;
use crate::error::Result;
use crate::resilience::time_limit::TimeLimit;
use pointsman_device::convert::value_bytes;
use pointsman_device::host::{Bits, BoolLayout, HostChunk};
use pointsman_device::{BufferId, BufferRange, ColumnInput, ColumnOutput, Device, DeviceResult, Download, StreamId};
use pointsman_ir::types::{DType, Repr, Type};
use std::ops::Range;
use std::sync::Arc;

/// The minimum size of a buffer, in bytes. Empty columns have a buffer too, because launches refer to it.
pub(crate) const BUFFER_BYTES_MIN: usize = 16;
/// Copies start at multiples of this many bytes.
const COPY_ALIGN: usize = 4;

/// A device's buffer, freed when this is dropped. It may outlive the run that allocated it, in a resident column.
pub(crate) struct HeldBuffer {
    device: Arc<dyn Device>,
    id: BufferId,
}

impl HeldBuffer {
    pub(crate) fn new(device: &Arc<dyn Device>, bytes: usize) -> DeviceResult<HeldBuffer> {
        Ok(HeldBuffer { id: device.allocate(bytes)?, device: device.clone() })
    }

    pub(crate) fn range(&self, at: Range<usize>) -> BufferRange {
        BufferRange { buffer: self.id, offset: at.start as u64, bytes: at.len() as u64 }
    }
}

impl Drop for HeldBuffer {
    fn drop(&mut self) {
        self.device.free(self.id);
    }
}

/// A column's part of a buffer, which other columns may share.
struct Slot {
    memory: Arc<HeldBuffer>,
    offset: u64,
    /// The bytes of the buffer that count as the column's.
    bytes: u64,
}

impl Slot {
    /// The slot that starts this many bytes later.
    fn from(&self, bytes: usize) -> Slot {
        Slot { memory: self.memory.clone(), offset: self.offset + bytes as u64, bytes: self.bytes }
    }

    /// The range of the first `bytes` bytes.
    fn front(&self, bytes: usize) -> BufferRange {
        self.range(0, bytes)
    }

    fn range(&self, offset: usize, bytes: usize) -> BufferRange {
        BufferRange { buffer: self.memory.id, offset: self.offset + offset as u64, bytes: bytes as u64 }
    }
}

/// A stream of a device for copies of columns, and the number of bytes copied.
pub(crate) struct TransferStream<'d> {
    pub(crate) device: &'d Arc<dyn Device>,
    pub(crate) stream: StreamId,
    pub(crate) time: TimeLimit<'d>,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
}

/// A column in a device's memory.
pub(crate) struct DeviceColumn {
    pub(crate) ty: Type,
    /// The number of rows.
    pub(crate) rows: usize,
    values: Slot,
    validity: Option<Slot>,
}

impl DeviceColumn {
    /// The device that holds the column.
    pub(crate) fn device(&self) -> &dyn Device {
        &*self.values.memory.device
    }

    /// A range of the column's rows. The first row is a multiple of `LEAF_ROWS`, or the column has no bitmap and values of
    /// whole bytes.
    pub(crate) fn slice(&self, rows: Range<usize>) -> DeviceColumn {
        let values = self.values.from(value_bytes(self.ty, BoolLayout::Bits, rows.start));
        let validity = self.validity.as_ref().map(|held| held.from(rows.start / 8));
        DeviceColumn { ty: self.ty, rows: rows.len(), values, validity }
    }

    /// The bytes of the values; truth values take a bit each.
    pub(crate) fn value_bytes(&self) -> usize {
        value_bytes(self.ty, BoolLayout::Bits, self.rows)
    }

    /// The bytes of the validity bitmap.
    pub(crate) fn bitmap_bytes(&self) -> usize {
        if self.validity.is_some() { self.rows.div_ceil(8) } else { 0 }
    }

    /// The bytes of the values and the bitmap.
    pub(crate) fn bytes(&self) -> u64 {
        (self.value_bytes() + self.bitmap_bytes()) as u64
    }

    /// The bytes of device memory that the column takes.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.values.bytes + self.validity.as_ref().map_or(0, |held| held.bytes)
    }

    /// The column as an input of a launch; without its bitmap if the kernel's column is not nullable.
    pub(crate) fn input(&self, nullable: bool) -> ColumnInput<'static> {
        let bitmap = self.validity.as_ref().filter(|_| nullable).map(|held| held.front(self.bitmap_bytes()));
        ColumnInput::Device { values: self.values.front(self.value_bytes()), validity: bitmap, rows: self.rows }
    }

    /// The downloads of the values and the bitmap, without empty ones. Truth values are bits.
    pub(crate) fn downloads<'a>(
        &self,
        values: &'a mut [u8],
        bitmap: Option<&'a mut [u8]>,
    ) -> impl Iterator<Item = Download<'a>> {
        let download =
            |held: &Slot, destination: &'a mut [u8]| Download { from: held.front(destination.len()), destination };
        let bitmap = self.validity.as_ref().zip(bitmap).map(|(held, destination)| download(held, destination));
        let values = download(&self.values, values);
        [Some(values), bitmap].into_iter().flatten().filter(|fetch| !fetch.destination.is_empty())
    }

    /// The ranges of the values and the bitmap of the first `rows` rows.
    pub(crate) fn front(&self, rows: usize) -> impl Iterator<Item = BufferRange> {
        let values = self.values.front(value_bytes(self.ty, BoolLayout::Bits, rows));
        std::iter::once(values).chain(self.validity.as_ref().map(|held| held.front(rows.div_ceil(8))))
    }

    /// The column as an output of a launch.
    pub(crate) fn output(&self) -> ColumnOutput<'static> {
        let validity = self.validity.as_ref().map(|held| held.front(self.bitmap_bytes()));
        ColumnOutput::Device { values: self.values.front(self.value_bytes()), validity }
    }
}

impl<'d> TransferStream<'d> {
    pub(crate) fn new(device: &'d Arc<dyn Device>, stream: StreamId, time: TimeLimit<'d>) -> TransferStream<'d> {
        TransferStream { device, stream, time, bytes_in: 0, bytes_out: 0 }
    }

    /// Bytes moved in either direction.
    pub(crate) fn bytes_moved(&self) -> u64 {
        self.bytes_in + self.bytes_out
    }

    fn buffer(&self, bytes: usize) -> Result<Slot> {
        let bytes = bytes.max(BUFFER_BYTES_MIN);
        let memory = Arc::new(HeldBuffer::new(self.device, bytes)?);
        Ok(Slot { memory, offset: 0, bytes: self.device.allocation_bytes(bytes as u64) })
    }

    /// Allocates a column of `rows` rows that a launch will write.
    pub(crate) fn allocate(&self, ty: Type, rows: usize) -> Result<DeviceColumn> {
        let values = self.buffer(value_bytes(ty, BoolLayout::Bits, rows))?;
        let validity = if ty.nullable { Some(self.buffer(rows.div_ceil(8))?) } else { None };
        Ok(DeviceColumn { ty, rows, values, validity })
    }

    /// Allocates columns in one buffer, so that one copy downloads them all.
    pub(crate) fn allocate_together(&self, columns: &[(Type, usize)]) -> Result<Vec<DeviceColumn>> {
        let (places, bytes) = places_together(&**self.device, columns);
        let Slot { memory, mut bytes, .. } = self.buffer(bytes)?;
        // The first slot counts all bytes of the buffer.
        let mut slot = |offset: u64| Slot { memory: memory.clone(), offset, bytes: std::mem::take(&mut bytes) };
        let columns = columns.iter().zip(places).map(|(&(ty, rows), (values, validity))| {
            let (values, validity) = (slot(values), validity.map(&mut slot));
            DeviceColumn { ty, rows, values, validity }
        });
        Ok(columns.collect())
    }

    /// Uploads a column.
    pub(crate) fn upload(&mut self, chunks: &[HostChunk<'_>], dtype: DType) -> Result<DeviceColumn> {
        let rows = chunks.iter().map(|chunk| chunk.rows).sum();
        let ty = dtype.required();
        let values = self.buffer(value_bytes(ty, BoolLayout::Bits, rows))?;
        self.upload_values(chunks, ty, &values)?;
        let validity = if chunks.iter().any(|chunk| chunk.validity.is_some()) {
            let held = self.buffer(rows.div_ceil(8))?;
            self.upload_bytes(&validity_bits(chunks), &held, 0)?;
            Some(held)
        } else {
            None
        };
        Ok(DeviceColumn { ty, rows, values, validity })
    }

    fn upload_values(&mut self, chunks: &[HostChunk<'_>], ty: Type, to: &Slot) -> Result<()> {
        let size = ty.dtype.repr().bytes();
        if ty.dtype.repr() == Repr::Bool {
            return self.upload_bytes(&value_bits(chunks), to, 0);
        }
        if chunks.len() > 1 && !size.is_multiple_of(COPY_ALIGN) {
            let joined: Vec<u8> = chunks.iter().flat_map(|chunk| &chunk.values[..chunk.rows * size]).copied().collect();
            return self.upload_bytes(&joined, to, 0);
        }
        let mut offset = 0;
        for chunk in chunks {
            let bytes = &chunk.values[..chunk.rows * size];
            self.upload_bytes(bytes, to, offset)?;
            offset += bytes.len();
        }
        Ok(())
    }

    fn upload_bytes(&mut self, bytes: &[u8], to: &Slot, offset: usize) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let range = to.range(offset, bytes.len());
        self.bytes_in += range.bytes;
        Ok(self.device.upload(self.stream, bytes, range)?)
    }

    /// Makes other streams wait for the work queued on this one.
    pub(crate) fn fence(&self, streams: &[StreamId]) -> Result<()> {
        let others = || streams.iter().filter(|stream| **stream != self.stream);
        if others().next().is_none() {
            return Ok(());
        }
        let event = self.device.record(self.stream)?;
        let waits = others().try_for_each(|stream| self.device.wait_for(*stream, event));
        self.device.forget_event(event);
        Ok(waits?)
    }

    /// Waits for the work queued on the stream, so that freed buffers can be reused. Ignores errors.
    pub(crate) fn drain(&mut self) {
        // A device that fails here fails again at its next use.
        let _ = self.settle();
    }

    /// Waits for the work queued on the stream; an error if it hangs.
    pub(crate) fn settle(&mut self) -> Result<()> {
        let held = self.buffer(BUFFER_BYTES_MIN)?;
        let mut bytes = [0; COPY_ALIGN];
        Ok(self.device.download(self.stream, held.front(COPY_ALIGN), &mut bytes, self.time.left())?)
    }
}

/// The offsets of each column's values and bitmap in a buffer that they share, and the size of the buffer.
pub(crate) fn places_together(
    device: &dyn Device,
    columns: &[(Type, usize)],
) -> (InlineVec<(u64, Option<u64>)>, usize) {
    let align = (device.info().capabilities.range_align as usize).max(COPY_ALIGN);
    let mut end: usize = 0;
    let mut place = |bytes: usize| {
        let start = end.next_multiple_of(align);
        end = start + bytes;
        start as u64
    };
    let places = columns.iter().map(|&(ty, rows)| {
        let values = place(value_bytes(ty, BoolLayout::Bits, rows));
        (values, ty.nullable.then(|| place(rows.div_ceil(8))))
    });
    (places.collect(), end)
}

/// Expands bits to truth values of one byte each.
pub(crate) fn spread_bits(bits: &[u8], target: &mut [u8]) {
    for (eight, byte) in target.chunks_mut(8).zip(bits) {
        eight.iter_mut().enumerate().for_each(|(bit, value)| *value = byte >> bit & 1);
    }
}

/// The truth values of chunks, in either layout, as bits.
fn value_bits(chunks: &[HostChunk<'_>]) -> Vec<u8> {
    packed(chunks, |target, at, chunk| match chunk.bools {
        BoolLayout::Bits => append_bits(target, at, Bits { bytes: chunk.values, offset: chunk.bit_offset }, chunk.rows),
        BoolLayout::Bytes => append_eights(target, at, chunk.rows, |first| {
            let eight = &chunk.values[first..chunk.rows.min(first + 8)];
            eight.iter().rev().fold(0, |byte, &value| byte << 1 | u8::from(value != 0))
        }),
    })
}

/// The validity of the values of chunks, as bits.
fn validity_bits(chunks: &[HostChunk<'_>]) -> Vec<u8> {
    packed(chunks, |target, at, chunk| match chunk.validity {
        Some(bits) => append_bits(target, at, bits, chunk.rows),
        None => append_eights(target, at, chunk.rows, |_| 0xFF),
    })
}

/// Packs the bits of all chunks, starting at bit 0, with zeros after the last one. `append` writes the bits of a chunk
/// at bit `at`.
fn packed(chunks: &[HostChunk<'_>], append: impl Fn(&mut [u8], usize, &HostChunk<'_>)) -> Vec<u8> {
    let rows = chunks.iter().map(|chunk| chunk.rows).sum::<usize>();
    let (mut bits, mut at) = (vec![0; rows.div_ceil(8)], 0);
    for chunk in chunks {
        append(&mut bits, at, chunk);
        at += chunk.rows;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_any_offset_and_layout_are_contiguous() {
        let noise: Vec<u8> = (0..64u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for (first, second) in [(0, 0), (1, 7), (3, 20), (8, 8), (9, 1), (15, 33), (64, 5)] {
            for offset in 0..17 {
                let bits = Bits { bytes: &noise, offset };
                let bytes: Vec<u8> = (0..second).map(|i| u8::from(i % 3 == 0)).collect();
                let (values, bools, validity) = (&noise[..], BoolLayout::Bits, Some(bits));
                let one = HostChunk { values, bools, bit_offset: offset, validity, rows: first };
                let (values, bools) = (&bytes[..], BoolLayout::Bytes);
                let other = HostChunk { values, bools, bit_offset: 0, validity: None, rows: second };
                let check = |got: Vec<u8>, others: &dyn Fn(usize) -> bool| {
                    let expected = (0..first).map(|i| bits.get(i)).chain((0..second).map(others));
                    let expected: Vec<bool> = expected.chain(std::iter::repeat(false)).take(got.len() * 8).collect();
                    assert_eq!(got.len(), (first + second).div_ceil(8));
                    let got: Vec<bool> = (0..got.len() * 8).map(|i| Bits { bytes: &got, offset: 0 }.get(i)).collect();
                    assert_eq!(got, expected, "{first} bits from {offset}, then {second}");
                };
                check(value_bits(&[one, other]), &|i| i % 3 == 0);
                check(validity_bits(&[one, other]), &|_| true);
            }
        }
    }
}
