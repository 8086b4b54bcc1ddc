//! Columns between the host's memory and a device's: pieces go in as one column, bits start at bit 0; and back again.
//!
//! Every buffer is given back when its [`HeldBuffer`] is dropped, so no path loses one. The device frees it once the work that
//! is queued no longer needs it.

use crate::data::memory::InlineVec;
use crate::error::{Error, Result};
use crate::exec::in_place::TimeLimit;
use pointsman_device::convert::value_bytes;
use pointsman_device::host::{Bits, BoolLayout, HostChunk};
use pointsman_device::{BufferId, BufferRange, ColumnInput, ColumnOutput, Device, Download, StreamId};
use pointsman_ir::types::{DType, Repr, Type};
use std::sync::Arc;

/// The smallest buffer, in bytes: columns of no bytes have one too, since a launch names it.
pub(crate) const BUFFER_BYTES_MIN: usize = 16;
/// Copies start at multiples of this many bytes.
const COPY_ALIGN: usize = 4;

/// Who gives memory back to its device.
#[derive(Clone)]
enum BufferOwner<'d> {
    /// A run, which has the device for as long as it takes.
    Run(&'d dyn Device),
    /// Nobody: the memory stays when the run is over.
    Itself(Arc<dyn Device>),
}

/// A device's memory, given back when it is dropped.
struct HeldBuffer<'d> {
    owner: BufferOwner<'d>,
    id: BufferId,
    /// How many bytes the device handed out for it.
    bytes: u64,
}

impl Drop for HeldBuffer<'_> {
    fn drop(&mut self) {
        match &self.owner {
            BufferOwner::Run(device) => device.free(self.id),
            BufferOwner::Itself(device) => device.free(self.id),
        }
    }
}

/// Memory of a device that a column has, alone or beside others.
struct Slot<'d> {
    memory: Arc<HeldBuffer<'d>>,
    offset: u64,
    /// How many of the memory's bytes are counted as its own.
    bytes: u64,
}

impl<'d> Slot<'d> {
    /// All of it.
    fn whole(memory: HeldBuffer<'d>) -> Slot<'d> {
        Slot { bytes: memory.bytes, offset: 0, memory: Arc::new(memory) }
    }

    /// Its first bytes.
    fn front(&self, bytes: usize) -> BufferRange {
        BufferRange { buffer: self.memory.id, offset: self.offset, bytes: bytes as u64 }
    }
}

/// Where columns go to and come from: a device, a stream of it, and what was moved.
pub(crate) struct TransferStream<'d> {
    pub(crate) device: &'d dyn Device,
    pub(crate) stream: StreamId,
    pub(crate) time: TimeLimit<'d>,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
}

/// A column in a device's memory.
pub(crate) struct DeviceColumn<'d> {
    pub(crate) ty: Type,
    /// How many rows it has.
    pub(crate) rows: usize,
    values: Slot<'d>,
    /// Whether its values are its rows' numbers, which take no memory.
    numbered: bool,
    validity: Option<Slot<'d>>,
}

impl<'d> DeviceColumn<'d> {
    /// The type of its values.
    pub(crate) fn dtype(&self) -> DType {
        self.ty.dtype
    }

    /// Bytes of its values, truth values as bits.
    pub(crate) fn value_bytes(&self) -> usize {
        if self.numbered { 0 } else { value_bytes(self.ty, BoolLayout::Bits, self.rows) }
    }

    /// Bytes of its bitmap.
    pub(crate) fn bitmap_bytes(&self) -> usize {
        if self.validity.is_some() { self.rows.div_ceil(8) } else { 0 }
    }

    /// Bytes of its values and bitmap.
    pub(crate) fn bytes(&self) -> u64 {
        (self.value_bytes() + self.bitmap_bytes()) as u64
    }

    /// Bytes of the device's memory that it has.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.values.bytes + self.validity.as_ref().map_or(0, |held| held.bytes)
    }

    /// The column as a launch reads it; one that may hold no nulls has no bitmap.
    pub(crate) fn input(&self, nullable: bool) -> ColumnInput<'static> {
        let bitmap = self.validity.as_ref().filter(|_| nullable).map(|held| held.front(self.bitmap_bytes()));
        ColumnInput::Device { values: self.values.front(self.value_bytes()), validity: bitmap, rows: self.rows }
    }

    /// The way of its values and its bitmap to the host; nothing where there are no bytes. Truth values come as bits.
    pub(crate) fn fetches<'a>(
        &self,
        values: &'a mut [u8],
        bitmap: Option<&'a mut [u8]>,
    ) -> impl Iterator<Item = Download<'a>> {
        let way = |held: &Slot<'_>, into: &'a mut [u8]| Download { from: held.front(into.len()), into };
        let bitmap = self.validity.as_ref().zip(bitmap).map(|(held, into)| way(held, into));
        [Some(way(&self.values, values)), bitmap].into_iter().flatten().filter(|fetch| !fetch.into.is_empty())
    }

    /// Where the values and the bitmap of its first rows lie; truth values as bits.
    pub(crate) fn front(&self, rows: usize) -> impl Iterator<Item = BufferRange> {
        let values = self.values.front(value_bytes(self.ty, BoolLayout::Bits, rows));
        std::iter::once(values).chain(self.validity.as_ref().map(|held| held.front(rows.div_ceil(8))))
    }

    /// The column as a launch writes it.
    pub(crate) fn output(&self) -> ColumnOutput<'static> {
        let validity = self.validity.as_ref().map(|held| held.front(self.bitmap_bytes()));
        ColumnOutput::Device { values: self.values.front(self.value_bytes()), validity }
    }
}

impl<'d> TransferStream<'d> {
    pub(crate) fn new(device: &'d dyn Device, stream: StreamId, time: TimeLimit<'d>) -> TransferStream<'d> {
        TransferStream { device, stream, time, bytes_in: 0, bytes_out: 0 }
    }

    /// Memory of the device.
    fn room(&self, bytes: usize) -> Result<Slot<'d>> {
        self.room_of(&BufferOwner::Run(self.device), bytes)
    }

    fn room_of<'o>(&self, owner: &BufferOwner<'o>, bytes: usize) -> Result<Slot<'o>> {
        let bytes = bytes.max(BUFFER_BYTES_MIN);
        let id = self.device.allocate(bytes)?;
        let bytes = self.device.allocation_bytes(bytes as u64);
        Ok(Slot::whole(HeldBuffer { owner: owner.clone(), id, bytes }))
    }

    /// Memory for a column of so many rows, to be written by a launch.
    pub(crate) fn room_for(&self, ty: Type, rows: usize) -> Result<DeviceColumn<'d>> {
        let values = self.room(value_bytes(ty, BoolLayout::Bits, rows))?;
        let validity = if ty.nullable { Some(self.room(rows.div_ceil(8))?) } else { None };
        Ok(DeviceColumn { ty, rows, values, numbered: false, validity })
    }

    /// The same for columns that share a buffer, so that one copy brings them all.
    pub(crate) fn room_together(&self, columns: &[(Type, usize)]) -> Result<Vec<DeviceColumn<'d>>> {
        let (places, bytes) = places_together(self.device, columns);
        let Slot { memory, mut bytes, .. } = self.room(bytes)?;
        // The first has them all.
        let mut slot = |offset: u64| Slot { memory: memory.clone(), offset, bytes: std::mem::take(&mut bytes) };
        let columns = columns.iter().zip(places).map(|(&(ty, rows), (values, validity))| {
            let (values, validity) = (slot(values), validity.map(&mut slot));
            DeviceColumn { ty, rows, values, numbered: false, validity }
        });
        Ok(columns.collect())
    }

    /// Copies a column into the device.
    pub(crate) fn send(&mut self, pieces: &[HostChunk<'_>], dtype: DType) -> Result<DeviceColumn<'d>> {
        self.send_to(&BufferOwner::Run(self.device), pieces, dtype)
    }

    /// Copies a column into the device, the same as this port's, to stay there when the run is over.
    pub(crate) fn send_to_stay(
        &mut self,
        device: &Arc<dyn Device>,
        pieces: &[HostChunk<'_>],
        dtype: DType,
    ) -> Result<DeviceColumn<'static>> {
        self.send_to(&BufferOwner::Itself(device.clone()), pieces, dtype)
    }

    fn send_to<'o>(
        &mut self,
        owner: &BufferOwner<'o>,
        pieces: &[HostChunk<'_>],
        dtype: DType,
    ) -> Result<DeviceColumn<'o>> {
        let rows = pieces.iter().map(|piece| piece.rows).sum();
        let numbered = is_numbered(pieces, dtype);
        if !numbered && pieces.iter().any(|piece| piece.rows > 0 && piece.values.is_empty()) {
            return Err(Error::internal("a column's pieces with and without values"));
        }
        let ty = dtype.required();
        let values = self.room_of(owner, if numbered { 0 } else { value_bytes(ty, BoolLayout::Bits, rows) })?;
        if !numbered {
            self.send_values(pieces, ty, &values)?;
        }
        let validity = if pieces.iter().any(|piece| piece.validity.is_some()) {
            let mut bits = BitList::with_room(rows);
            pieces.iter().for_each(|piece| bits.validity(piece));
            let held = self.room_of(owner, rows.div_ceil(8))?;
            self.send_bytes(&bits.bytes, &held, 0)?;
            Some(held)
        } else {
            None
        };
        Ok(DeviceColumn { ty, rows, values, numbered, validity })
    }

    fn send_values(&mut self, pieces: &[HostChunk<'_>], ty: Type, to: &Slot<'_>) -> Result<()> {
        let size = ty.dtype.repr().bytes();
        if ty.dtype.repr() == Repr::Bool {
            let mut bits = BitList::with_room(pieces.iter().map(|piece| piece.rows).sum());
            pieces.iter().for_each(|piece| bits.values(piece));
            return self.send_bytes(&bits.bytes, to, 0);
        }
        if pieces.len() > 1 && !size.is_multiple_of(COPY_ALIGN) {
            let joined: Vec<u8> = pieces.iter().flat_map(|piece| &piece.values[..piece.rows * size]).copied().collect();
            return self.send_bytes(&joined, to, 0);
        }
        let mut offset = 0;
        for piece in pieces {
            let bytes = &piece.values[..piece.rows * size];
            self.send_bytes(bytes, to, offset)?;
            offset += bytes.len();
        }
        Ok(())
    }

    fn send_bytes(&mut self, bytes: &[u8], to: &Slot<'_>, offset: usize) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let BufferRange { buffer, offset: start, bytes: length } = to.front(bytes.len());
        let range = BufferRange { buffer, offset: start + offset as u64, bytes: length };
        self.bytes_in += range.bytes;
        Ok(self.device.upload(self.stream, bytes, range)?)
    }

    /// Makes these streams wait for what this one has queued.
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

    /// Waits for what the stream has queued, so that buffers which were given back are free.
    pub(crate) fn drain(&mut self) {
        // A device without these few bytes, or one that fails here, says so again when it is next asked for something.
        let _ = self.settle();
    }

    /// The same, for one who must know whether it hangs.
    pub(crate) fn settle(&mut self) -> Result<()> {
        let held = self.room(BUFFER_BYTES_MIN)?;
        let mut bytes = [0; COPY_ALIGN];
        Ok(self.device.download(self.stream, held.front(COPY_ALIGN), &mut bytes, self.time.left())?)
    }
}

/// Where the values and the bitmap of each column lie in a buffer that they share, and how many bytes that takes.
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

/// Writes bits as truth values of a byte each.
pub(crate) fn spread_bits(bits: &[u8], target: &mut [u8]) {
    for (eight, byte) in target.chunks_mut(8).zip(bits) {
        eight.iter_mut().enumerate().for_each(|(bit, value)| *value = byte >> bit & 1);
    }
}

/// Whether a column's values are its rows' numbers, which are left out.
pub(crate) fn is_numbered(pieces: &[HostChunk<'_>], dtype: DType) -> bool {
    dtype == DType::Opaque && pieces.iter().filter(|piece| piece.rows > 0).all(|piece| piece.values.is_empty())
}

/// Bits one after the other, the first at bit 0; what lies behind the last is zero.
#[derive(Debug, Default)]
struct BitList {
    bytes: Vec<u8>,
    len: usize,
}

impl BitList {
    fn with_room(bits: usize) -> BitList {
        BitList { bytes: Vec::with_capacity(bits.div_ceil(8) + 1), len: 0 }
    }

    /// Appends bits; `eight` gives those from a multiple of eight on, and what it gives beyond the last does not matter.
    fn append(&mut self, bits: usize, eight: impl Fn(usize) -> u8) {
        let shift = self.len % 8;
        for first in (0..bits).step_by(8) {
            let left = bits - first;
            let byte = eight(first) & if left < 8 { (1 << left) - 1 } else { 0xFF };
            match self.bytes.last_mut() {
                Some(last) if shift > 0 => {
                    *last |= byte << shift;
                    self.bytes.push(byte >> (8 - shift));
                }
                Some(_) | None => self.bytes.push(byte),
            }
        }
        self.len += bits;
        self.bytes.truncate(self.len.div_ceil(8));
    }

    fn append_bits(&mut self, from: Bits<'_>, bits: usize) {
        self.append(bits, |first| {
            let (at, shift) = ((from.offset + first) / 8, (from.offset + first) % 8);
            let high = if shift == 0 { 0 } else { from.bytes.get(at + 1).map_or(0, |byte| byte << (8 - shift)) };
            from.bytes[at] >> shift | high
        });
    }

    /// Appends truth values, however they lie.
    fn values(&mut self, piece: &HostChunk<'_>) {
        match piece.bools {
            BoolLayout::Bits => self.append_bits(Bits { bytes: piece.values, offset: piece.bit_offset }, piece.rows),
            BoolLayout::Bytes => self.append(piece.rows, |first| {
                let eight = &piece.values[first..piece.rows.min(first + 8)];
                eight.iter().rev().fold(0, |byte, &value| byte << 1 | u8::from(value != 0))
            }),
        }
    }

    /// Appends which values are not null.
    fn validity(&mut self, piece: &HostChunk<'_>) {
        match piece.validity {
            Some(bits) => self.append_bits(bits, piece.rows),
            None => self.append(piece.rows, |_| 0xFF),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_any_offset_and_layout_are_joined() {
        let noise: Vec<u8> = (0..64u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for (first, second) in [(0, 0), (1, 7), (3, 20), (8, 8), (9, 1), (15, 33), (64, 5)] {
            for offset in 0..17 {
                let bits = Bits { bytes: &noise, offset };
                let mut list = BitList::default();
                list.append_bits(bits, first);
                let bytes: Vec<u8> = (0..second).map(|i| u8::from(i % 3 == 0)).collect();
                let (values, validity, rows) = (&bytes[..], None, second);
                let piece = HostChunk { values, bools: BoolLayout::Bytes, bit_offset: 0, validity, rows };
                list.values(&piece);
                list.validity(&piece);
                let expected = (0..first).map(|i| bits.get(i));
                let expected: Vec<bool> =
                    expected.chain((0..second).map(|i| i % 3 == 0)).chain((0..second).map(|_| true)).collect();
                let got: Vec<bool> = (0..list.len).map(|i| Bits { bytes: &list.bytes, offset: 0 }.get(i)).collect();
                assert_eq!(got, expected, "{first} bits from {offset}, then {second}");
                let tail = (list.len..list.bytes.len() * 8).any(|i| Bits { bytes: &list.bytes, offset: 0 }.get(i));
                assert!(!tail && list.bytes.len() == list.len.div_ceil(8), "a tail of {first} and {second}");
            }
        }
    }
}
