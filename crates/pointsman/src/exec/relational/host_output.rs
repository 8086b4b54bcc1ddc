//! Converts the output of one launch to rows of its stage: from columns in a device's layout, with unused capacity, to
//! columns as stages read them, where truth values take a byte each. Other values are not copied unless half of the
//! capacity is unused.

use crate::data::memory::{Pool, Pooled};
use crate::data::output::{Output, ResultColumn, column_bytes};
use crate::devices::download::ColumnBytes;
use crate::devices::transfer::spread_bits;
use crate::error::Result;
use crate::exec::merge::HostBatch;
use pointsman_device::convert::value_bytes;
use pointsman_device::host::{Bits, BoolLayout, HostChunk};
use pointsman_ir::types::{Repr, Type};

/// The rows of a batch whose columns have room for `room` rows.
pub(super) fn of_batch(batch: HostBatch, types: &[Type], room: usize, pool: &Pool) -> Result<Output> {
    let rows = batch.outcome.rows;
    let columns = types.iter().zip(batch.columns).map(|(&ty, bytes)| column(ty, bytes, rows, room, pool));
    Ok(Output { columns: columns.collect::<Result<_>>()?, rows })
}

fn column(ty: Type, (values, bitmap): ColumnBytes, rows: usize, room: usize, pool: &Pool) -> Result<ResultColumn> {
    let is_bits = ty.dtype.repr() == Repr::Bool;
    let values = if is_bits {
        let mut bytes = pool.take(rows)?;
        spread_bits(&values, &mut bytes[..rows]);
        bytes
    } else {
        values
    };
    let valid = ty.nullable.then_some(bitmap);
    let column = ResultColumn { ty, rows, values, valid, identity: None };
    if is_bits || column_bytes(ty, room) <= 2 * column_bytes(ty, rows) {
        return Ok(column);
    }
    // Without memory for the copy, the larger one does as well.
    Ok(trimmed(&column, pool).unwrap_or(column))
}

/// A batch without most of its spare room, for one that waits while others run.
pub(in crate::exec) fn trimmed_batch(mut batch: HostBatch, types: &[Type], pool: &Pool) -> HostBatch {
    for ((values, bitmap), &ty) in batch.columns.iter_mut().zip(types) {
        let rows = batch.outcome.rows;
        shrink(values, value_bytes(ty, BoolLayout::Bits, rows), pool);
        shrink(bitmap, if ty.nullable { rows.div_ceil(8) } else { 0 }, pool);
    }
    batch
}

/// Moves the bytes that are used to memory of their size, if half of the room is spare. Without memory for it they
/// stay.
fn shrink(bytes: &mut Pooled, used: usize, pool: &Pool) {
    if bytes.len() <= 2 * used {
        return;
    }
    if let Ok(mut copy) = pool.take(used) {
        copy[..used].copy_from_slice(&bytes[..used]);
        *bytes = copy;
    }
}

/// A copy of a column without spare room.
fn trimmed(column: &ResultColumn, pool: &Pool) -> Result<ResultColumn> {
    let mut copy = ResultColumn::empty(column.ty, column.rows);
    copy.allocate(None, pool)?;
    copy.put(0, column.chunk());
    Ok(copy)
}

/// The rows of a column in a device's layout, as launches read them.
pub(super) fn chunk<'b>(ty: Type, (values, bitmap): &'b ColumnBytes, rows: usize) -> HostChunk<'b> {
    let validity = ty.nullable.then(|| Bits { bytes: &bitmap[..rows.div_ceil(8)], offset: 0 });
    let values = &values[..value_bytes(ty, BoolLayout::Bits, rows)];
    HostChunk { values, bools: BoolLayout::Bits, bit_offset: 0, validity, rows }
}

/// Appends some rows of a chunk in a device's layout to a column.
pub(super) fn append(column: &mut ResultColumn, at: usize, chunk: &HostChunk<'_>, rows: std::ops::Range<usize>) {
    let size = column.ty.dtype.repr().bytes();
    let target = &mut column.values[at * size..(at + rows.len()) * size];
    if column.ty.dtype.repr() == Repr::Bool {
        let bits = Bits { bytes: chunk.values, offset: chunk.bit_offset };
        target.iter_mut().zip(rows.clone()).for_each(|(byte, row)| *byte = u8::from(bits.get(row)));
    } else {
        target.copy_from_slice(&chunk.values[rows.start * size..rows.end * size]);
    }
    if let (Some(valid), Some(bits)) = (&mut column.valid, chunk.validity) {
        let bits = Bits { offset: bits.offset + rows.start, ..bits };
        crate::data::bitmap::append_bits(valid, at, bits, rows.len());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::data::output::cell;
    use pointsman_device::HostPool;
    use pointsman_ir::types::{DType, Scalar};
    use std::sync::Arc;

    /// Rows of one chunk in a device's layout, appended in pieces at any place, are the rows of the column.
    #[test]
    fn pieces_are_appended_at_any_row() {
        let pool = Pool::new(Arc::new(HostPool::new(1 << 20)));
        for dtype in [DType::Bool, DType::I16] {
            let ty = dtype.nullable();
            let values: Vec<u8> = (0..40u8).map(|byte| byte.wrapping_mul(37) ^ 11).collect();
            let bits = [0b1011_0110, 0b0101_1101, 0b1110_0011];
            let chunk = HostChunk {
                values: &values,
                bools: BoolLayout::Bits,
                bit_offset: 0,
                validity: Some(Bits { bytes: &bits, offset: 0 }),
                rows: 20,
            };
            let mut column = ResultColumn::empty(ty, 20);
            column.allocate(None, &pool).unwrap();
            let (mut at, pieces) = (0, [5..9, 0..5, 9..9, 9..20]);
            for rows in pieces.clone() {
                append(&mut column, at, &chunk, rows.clone());
                at += rows.len();
            }
            let order: Vec<usize> = pieces.into_iter().flatten().collect();
            let expected: Vec<Option<Scalar>> = order.iter().map(|&row| cell(&[chunk], row, ty)).collect();
            let found: Vec<Option<Scalar>> = (0..20).map(|row| cell(&[column.chunk()], row, ty)).collect();
            assert_eq!(found, expected, "{dtype}");
        }
    }
}
