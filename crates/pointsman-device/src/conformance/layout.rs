//! Columns laid out in host memory in the ways users hand them in: sliced, misaligned, in pieces, bits at any offset,
//! junk where nobody may look. In goes a column and a random generator, out come [`HostChunk`]s.

use crate::host::{Bits, BoolLayout, HostChunk};
use pointsman_ir::data::{ColumnData, Values};
use pointsman_ir::random::Rng;
use pointsman_ir::types::{Repr, Scalar};

/// What unwritten memory and unused bits are filled with, so that reading them shows.
pub const JUNK: u8 = 0xab;

/// How a column is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One aligned piece that starts at a byte.
    Plain,
    /// Pieces, offsets and alignments at random.
    Random,
    /// In the device's own buffers.
    Copied,
}

/// A column in memory, in pieces.
#[derive(Debug)]
pub struct Laid {
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    values: Vec<u8>,
    /// The first value's byte.
    start: usize,
    bools: BoolLayout,
    /// The first value's bit, for bools in bits.
    bit_offset: usize,
    validity: Option<(Vec<u8>, usize)>,
    rows: usize,
}

impl Laid {
    /// Lays a column out.
    pub fn new(column: &ColumnData, shape: Shape, rng: &mut Rng) -> Laid {
        let mut ends = match shape {
            Shape::Plain | Shape::Copied => Vec::new(),
            Shape::Random => (0..rng.below(4)).map(|_| rng.below(column.len() + 1)).collect(),
        };
        ends.push(column.len());
        ends.sort_unstable();
        let mut start = 0;
        let mut pieces = Vec::new();
        for end in ends {
            pieces.push(Piece::new(&column.slice(start..end), shape, rng));
            start = end;
        }
        Laid { pieces }
    }

    /// The pieces, borrowed.
    pub fn chunks(&self) -> Vec<HostChunk<'_>> {
        self.pieces.iter().map(Piece::chunk).collect()
    }
}

impl Piece {
    fn new(column: &ColumnData, shape: Shape, rng: &mut Rng) -> Piece {
        let mut offset = |limit| if shape != Shape::Random { 0 } else { rng.below(limit) };
        let bools = if offset(2) == 0 { BoolLayout::Bits } else { BoolLayout::Bytes };
        let width = column.dtype.repr().bytes();
        let (values, start, bit_offset) = match &column.values {
            Values::Bool(values) if bools == BoolLayout::Bits => {
                let bit_offset = offset(70);
                (pack(values, bit_offset), 0, bit_offset)
            }
            _ => {
                // A whole number of values, and sometimes a byte more: the device may not assume an alignment.
                let start = offset(5) * width + offset(2);
                let mut bytes = vec![JUNK; start];
                for row in 0..column.len() {
                    append(&mut bytes, value_or_junk(column, row));
                }
                (bytes, start, 0)
            }
        };
        let all_valid = column.valid.as_ref().is_none_or(|valid| valid.iter().all(|&valid| valid));
        let absent = all_valid && offset(2) == 0;
        let validity = column.valid.as_ref().filter(|_| !absent).map(|valid| {
            let start = offset(70);
            (pack(valid, start), start)
        });
        Piece { values, start, bools, bit_offset, validity, rows: column.len() }
    }

    fn chunk(&self) -> HostChunk<'_> {
        HostChunk {
            values: &self.values[self.start..],
            bools: self.bools,
            bit_offset: self.bit_offset,
            validity: self.validity.as_ref().map(|(bytes, offset)| Bits { bytes, offset: *offset }),
            rows: self.rows,
        }
    }
}

/// Bits from `start` on; every other bit is junk.
pub fn pack(values: &[bool], start: usize) -> Vec<u8> {
    let mut bytes = vec![JUNK; (start + values.len()).div_ceil(8)];
    for (i, &value) in values.iter().enumerate() {
        let bit = start + i;
        bytes[bit / 8] = bytes[bit / 8] & !(1 << (bit % 8)) | u8::from(value) << (bit % 8);
    }
    bytes
}

/// A row's value; where it is null, anything.
fn value_or_junk(column: &ColumnData, row: usize) -> Scalar {
    let junk = || match column.dtype.repr() {
        Repr::Bool => Scalar::Bool(row.is_multiple_of(2)),
        repr => Scalar::from_bits(repr, u128::from_le_bytes([JUNK; 16])),
    };
    column.get(row).unwrap_or_else(junk)
}

/// Appends a value's bytes, lowest first.
pub fn append(bytes: &mut Vec<u8>, value: Scalar) {
    bytes.extend_from_slice(&value.bits().to_le_bytes()[..value.repr().bytes()]);
}
