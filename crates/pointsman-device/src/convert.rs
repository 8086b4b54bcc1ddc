//! Columns of the interpreter as devices take and give them: in go [`ColumnData`], out come bytes and bitmaps, and back.
//!
//! For the simulated device and for tests. Pieces may start in the middle of a byte and away from any alignment, and what
//! surrounds them is not zero, so that a reader who strays shows.

use crate::host::{Bits, BoolLayout, HostChunk};
use crate::launch::ColumnOutput;
use pointsman_ir::data::ColumnData;
use pointsman_ir::types::{DType, Repr, Scalar, Type};
use std::ops::Range;

/// What surrounds values, and fills memory that is still to be written.
pub const POISON: u8 = 0xAB;

/// How a piece lies in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Bytes before the values.
    pub byte_offset: usize,
    /// Bits before the first bit of bools and of the bitmap.
    pub bit_offset: usize,
    /// How bools lie.
    pub bools: BoolLayout,
    /// What null slots hold.
    pub null_slots: NullSlots,
}

/// What the slots of nulls hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NullSlots {
    /// Zero, as devices write them.
    #[default]
    Zero,
    /// Anything, as users may hand them in.
    Junk,
}

/// A piece of a column in memory of its own.
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
    /// Some rows of a column, laid out so.
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

    /// The same piece without a bitmap, which says that nothing in it is null.
    pub fn without_bitmap(self) -> OwnedChunk {
        OwnedChunk { validity: None, ..self }
    }

    /// The piece, borrowed.
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

/// A value that shows where it is taken for one.
fn junk(repr: Repr, row: usize) -> Scalar {
    if repr == Repr::Bool {
        return Scalar::Bool(row.is_multiple_of(2));
    }
    Scalar::from_bits(repr, u128::from_le_bytes([POISON; 16]))
}

/// Bits behind so many others, lowest first; the others are not zero.
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

/// Appends a value's bytes.
fn push(bytes: &mut Vec<u8>, value: Scalar) {
    bytes.extend_from_slice(&value.bits().to_le_bytes()[..value.repr().bytes()]);
}

/// The bytes that values of a type take; more than there can be, if no memory holds them.
pub fn value_bytes(ty: Type, bools: BoolLayout, rows: usize) -> usize {
    if ty.dtype == DType::Bool && bools == BoolLayout::Bits {
        rows.div_ceil(8)
    } else {
        rows.saturating_mul(ty.dtype.repr().bytes())
    }
}

/// Values and bitmap of a column as device buffers hold them: bools as bits, nothing before the first row.
pub fn to_buffers(column: &ColumnData) -> (Vec<u8>, Option<Vec<u8>>) {
    let chunk = OwnedChunk::new(column, 0..column.len(), Layout::default());
    (chunk.values, chunk.validity)
}

/// The column behind values and a bitmap. The bitmap of a type without nulls is not looked at.
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

/// Memory for a result's column, poisoned.
#[derive(Clone, Debug)]
pub struct OwnedOutput {
    values: Vec<u8>,
    validity: Vec<u8>,
    ty: Type,
    bools: BoolLayout,
    byte_offset: usize,
}

impl OwnedOutput {
    /// Room for so many rows, behind so many bytes.
    pub fn new(ty: Type, rows: usize, bools: BoolLayout, byte_offset: usize) -> OwnedOutput {
        let values = vec![POISON; byte_offset + value_bytes(ty, bools, rows)];
        OwnedOutput { values, validity: vec![POISON; rows.div_ceil(8)], ty, bools, byte_offset }
    }

    /// The room, borrowed.
    pub fn output(&mut self) -> ColumnOutput<'_> {
        ColumnOutput::Host {
            values: &mut self.values[self.byte_offset..],
            bools: self.bools,
            validity: self.ty.nullable.then_some(&mut self.validity[..]),
        }
    }

    /// The column that was written.
    pub fn column(&self, rows: usize) -> ColumnData {
        from_buffers(self.ty, self.bools, &self.values[self.byte_offset..], Some(&self.validity), rows)
    }

    /// Which byte up to the last of so many rows breaks the rule that null slots and bitmap tails are zero.
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
