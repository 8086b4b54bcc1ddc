//! Chunks of columns, and a range of rows of a column that consists of several.

use crate::data::memory::InlineVec;
use pointsman_device::host::{Bits, BoolLayout, HostChunk};
use pointsman_ir::types::{DType, Repr};
use std::ops::Range;

/// The chunks of a range of rows.
pub(crate) fn slice<'a>(pieces: &[HostChunk<'a>], dtype: DType, rows: Range<usize>) -> InlineVec<HostChunk<'a>> {
    let (mut before, mut some) = (0, InlineVec::new());
    for piece in pieces {
        let from = rows.start.saturating_sub(before).min(piece.rows);
        let to = rows.end.saturating_sub(before).min(piece.rows);
        before += piece.rows;
        if from < to {
            some.push(part(piece, dtype, from..to));
        }
    }
    some
}

fn part<'a>(piece: &HostChunk<'a>, dtype: DType, rows: Range<usize>) -> HostChunk<'a> {
    let is_bits = dtype.repr() == Repr::Bool && piece.bools == BoolLayout::Bits;
    let (values, bit_offset) = match is_bits {
        true => (piece.values, piece.bit_offset + rows.start),
        false => (&piece.values[rows.start * dtype.repr().bytes()..], piece.bit_offset),
    };
    let validity = piece.validity.map(|bits| Bits { offset: bits.offset + rows.start, ..bits });
    HostChunk { values, bools: piece.bools, bit_offset, validity, rows: rows.len() }
}

/// A chunk of values of whole bytes.
#[inline]
pub(crate) fn host_chunk<'a>(values: &'a [u8], validity: Option<Bits<'a>>, rows: usize) -> HostChunk<'a> {
    HostChunk { values, bools: BoolLayout::Bytes, bit_offset: 0, validity, rows }
}
