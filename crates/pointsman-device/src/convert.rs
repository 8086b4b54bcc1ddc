//! Converts between the interpreter's [`ColumnData`] and the bytes and bitmaps of devices, in both directions.
//!
//! The simulated device and tests use all of it; other devices and the runtime use the sizes and the conversion of
//! small columns. Chunks may start in the middle of a byte and at any alignment, and poison surrounds them, so that a
//! reader that strays is detected.

use crate::host::{Bits, BoolLayout, HostChunk};
use crate::launch::ColumnOutput;
use pointsman_ir::data::ColumnData;
use pointsman_ir::types::{DType, Repr, Scalar, Type};
use std::ops::Range;

/// The byte that surrounds values and fills memory before it is written.
pub const POISON: u8 = 0xAB;

/// The layout of a chunk in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Bytes before the values.
    pub byte_offset: usize,
    /// Bits before the first bit of bools and of the validity bitmap.
    pub bit_offset: usize,
    /// The layout of bools.
    pub bools: BoolLayout,
    /// The content of null slots.
    pub null_slots: NullSlots,
}

/// The content of null slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NullSlots {
    /// Zero, as devices write them.
    #[default]
    Zero,
    /// Arbitrary values, as users may pass them.
    Junk,
}

/// A chunk of a column that owns its memory.
#[derive(Clone, Debug)]
pub struct OwnedChunk {
    values: Vec<u8>,
    validity: Option<Vec<u8>>,
    layout: Layout,
    /// Whether the values are bits.
    packed: bool,
    rows: usize,
}

impl OwnedChunk {
    /// Copies rows of a column into a chunk of the given layout.
    pub fn new(column: &ColumnData, rows: Range<usize>, layout: Layout) -> OwnedChunk {
        let packed = column.dtype == DType::Bool && layout.bools == BoolLayout::Bits;
        let value = |row: usize| match layout.null_slots {
            NullSlots::Zero => column.values.get(row),
            NullSlots::Junk => column.get(row).unwrap_or_else(|| junk(column.dtype.repr(), row)),
        };
        let values = if packed {
            pack(rows.clone().map(|row| value(row) == Scalar::Bool(true)), layout.bit_offset)
        } else {
            let mut bytes = vec![POISON; layout.byte_offset];
            rows.clone().for_each(|row| push(&mut bytes, value(row)));
            bytes
        };
        let validity = column.valid.as_ref().map(|valid| pack(valid[rows.clone()].iter().copied(), layout.bit_offset));
        OwnedChunk { values, validity, layout, packed, rows: rows.len() }
    }

    /// Removes the validity bitmap, which means that no value is null.
    pub fn without_bitmap(self) -> OwnedChunk {
        OwnedChunk { validity: None, ..self }
    }

    /// Borrows the chunk.
    pub fn chunk(&self) -> HostChunk<'_> {
        HostChunk {
            values: if self.packed { &self.values } else { &self.values[self.layout.byte_offset..] },
            bools: self.layout.bools,
            bit_offset: self.layout.bit_offset,
            validity: self.validity.as_deref().map(|bytes| Bits { bytes, offset: self.layout.bit_offset }),
            rows: self.rows,
        }
    }
}

/// A value that a wrong read of a null slot makes visible.
fn junk(repr: Repr, row: usize) -> Scalar {
    if repr == Repr::Bool {
        return Scalar::Bool(row.is_multiple_of(2));
    }
    Scalar::from_bits(repr, u128::from_le_bytes([POISON; 16]))
}

/// Packs bits, lowest first, after `offset` other bits, which are not all zero.
pub fn pack(bits: impl Iterator<Item = bool>, offset: usize) -> Vec<u8> {
    let mut bytes = vec![POISON; offset.div_ceil(8)];
    if !offset.is_multiple_of(8) {
        let last = bytes.len() - 1;
        bytes[last] &= (1 << (offset % 8)) - 1;
    }
    for (i, bit) in bits.enumerate() {
        let at = offset + i;
        if at / 8 == bytes.len() {
            bytes.push(0);
        }
        bytes[at / 8] |= u8::from(bit) << (at % 8);
    }
    bytes
}

/// Appends the bytes of a value.
fn push(bytes: &mut Vec<u8>, value: Scalar) {
    bytes.extend_from_slice(&value.bits().to_le_bytes()[..value.repr().bytes()]);
}

/// The size of `rows` values of a type in bytes; saturates if no memory holds them.
pub fn value_bytes(ty: Type, bools: BoolLayout, rows: usize) -> usize {
    if ty.dtype == DType::Bool && bools == BoolLayout::Bits {
        rows.div_ceil(8)
    } else {
        rows.saturating_mul(ty.dtype.repr().bytes())
    }
}

/// The values and the bitmap of a column as device buffers hold them: bools as bits, at offset 0.
pub fn to_buffers(column: &ColumnData) -> (Vec<u8>, Option<Vec<u8>>) {
    let chunk = OwnedChunk::new(column, 0..column.len(), Layout::default());
    (chunk.values, chunk.validity)
}

/// Reads a column from values and a bitmap. The bitmap is ignored if the type is not nullable.
pub fn from_buffers(ty: Type, bools: BoolLayout, values: &[u8], validity: Option<&[u8]>, rows: usize) -> ColumnData {
    let mut column = ColumnData::empty(ty, rows);
    let bit = |bits: &[u8], row: usize| bits[row / 8] >> (row % 8) & 1 == 1;
    let repr = ty.dtype.repr();
    for row in 0..rows {
        let present = !ty.nullable || validity.is_none_or(|bits| bit(bits, row));
        let value = if repr == Repr::Bool && bools == BoolLayout::Bits {
            Scalar::Bool(bit(values, row))
        } else {
            let mut wide = [0; 16];
            wide[..repr.bytes()].copy_from_slice(&values[row * repr.bytes()..(row + 1) * repr.bytes()]);
            Scalar::from_bits(repr, u128::from_le_bytes(wide))
        };
        column.push(present.then_some(value));
    }
    column
}

/// Memory for an output column, filled with poison.
#[derive(Clone, Debug)]
pub struct OwnedOutput {
    values: Vec<u8>,
    validity: Vec<u8>,
    ty: Type,
    bools: BoolLayout,
    byte_offset: usize,
}

impl OwnedOutput {
    /// Allocates room for `rows` rows, after `byte_offset` other bytes.
    pub fn new(ty: Type, rows: usize, bools: BoolLayout, byte_offset: usize) -> OwnedOutput {
        let values = vec![POISON; byte_offset + value_bytes(ty, bools, rows)];
        OwnedOutput { values, validity: vec![POISON; rows.div_ceil(8)], ty, bools, byte_offset }
    }

    /// Borrows the memory as an output.
    pub fn output(&mut self) -> ColumnOutput<'_> {
        ColumnOutput::Host {
            values: &mut self.values[self.byte_offset..],
            bools: self.bools,
            validity: self.ty.nullable.then_some(&mut self.validity[..]),
        }
    }

    /// Reads the first `rows` rows back.
    pub fn column(&self, rows: usize) -> ColumnData {
        from_buffers(self.ty, self.bools, &self.values[self.byte_offset..], Some(&self.validity), rows)
    }

    /// Describes the first byte within `rows` rows that breaks the rule that null slots and bitmap tails are zero.
    pub fn undefined_byte(&self, rows: usize) -> Option<String> {
        let mut clean = OwnedOutput::new(self.ty, rows, self.bools, 0);
        let column = self.column(rows);
        let chunk = OwnedChunk::new(&column, 0..rows, Layout { bools: self.bools, ..Layout::default() });
        clean.values.clone_from(&chunk.values);
        let values = &self.values[self.byte_offset..self.byte_offset + value_bytes(self.ty, self.bools, rows)];
        let differs = |a: &[u8], b: &[u8]| a.iter().zip(b).position(|(a, b)| a != b);
        if let Some(at) = differs(values, &clean.values) {
            return Some(format!("byte {at} of the values of {} is {:#x}", self.ty, values[at]));
        }
        let bits = chunk.validity.filter(|_| self.ty.nullable)?;
        differs(&self.validity, &bits).map(|at| format!("byte {at} of the bitmap is {:#x}", self.validity[at]))
    }
}
