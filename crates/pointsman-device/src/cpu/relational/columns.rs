//! Columns in memory of the device's pool: what a part of a kernel wrote, for the next one to read. Null slots are
//! zero, bools are bytes, and the memory goes back to the pool when the column is dropped.

use super::context::RunContext;
use super::pool_memory::PoolBuffer;
use crate::DeviceResult;
use crate::cpu::block::bitmap;
use crate::cpu::output::ColumnWriter;
use crate::host::{Bits, BoolLayout, HostChunk};
use crate::host_pool::HostPool;
use crate::launch::ColumnOutput;
use pointsman_ir::types::{Repr, Scalar, Type};
use std::ops::Range;
use std::sync::Arc;

/// The number of rows that are copied at a time.
const COPY_ROWS: usize = 1024;

/// A column.
pub(super) struct PoolColumn {
    /// Its type.
    pub(super) ty: Type,
    values: PoolBuffer,
    validity: Option<PoolBuffer>,
}

impl PoolColumn {
    /// A column with room for `rows` rows, undefined.
    pub(super) fn new(pool: &Arc<HostPool>, ty: Type, rows: usize) -> DeviceResult<PoolColumn> {
        let values = PoolBuffer::take(pool, rows.saturating_mul(ty.dtype.repr().bytes()))?;
        let validity = if ty.nullable { Some(PoolBuffer::take(pool, rows.div_ceil(8))?) } else { None };
        Ok(PoolColumn { ty, values, validity })
    }

    /// The column's memory for `rows` rows.
    pub(super) fn part_mut(&mut self, rows: usize) -> ColumnPart<'_> {
        let values = &mut self.values[..rows * self.ty.dtype.repr().bytes()];
        let validity = self.validity.as_mut().map(|bits| &mut bits[..rows.div_ceil(8)]);
        ColumnPart { rows, values, validity }
    }

    /// The column's memory for `rows` rows, in parts of `step` rows, a multiple of 8.
    pub(super) fn parts_mut(&mut self, rows: usize, step: usize) -> Vec<ColumnPart<'_>> {
        let mut all = self.part_mut(rows);
        let parts = std::iter::from_fn(|| (all.rows > 0).then(|| all.split_front(step.min(all.rows))));
        parts.collect()
    }

    /// The rows of a column of words with these numbers.
    pub(super) fn gathered(&self, context: RunContext<'_>, rows: &[u32]) -> DeviceResult<PoolColumn> {
        let mut column = PoolColumn::new(context.pool(), self.ty, rows.len())?;
        let values = self.words();
        context.fill_column(&mut column, rows.len(), |range, part| {
            let rows = &rows[range];
            for (to, &row) in part.values.as_chunks_mut::<8>().0.iter_mut().zip(rows) {
                *to = values[row as usize].to_le_bytes();
            }
            part.set_validity(|at| self.is_valid(rows[at] as usize));
            Ok(())
        })?;
        Ok(column)
    }

    /// The column as a launch writes it.
    pub(super) fn output(&mut self) -> ColumnOutput<'_> {
        let validity = self.validity.as_deref_mut();
        ColumnOutput::Host { values: &mut self.values, bools: BoolLayout::Bytes, validity }
    }

    /// The values of a column of 64-bit numbers, as many as there is room for.
    pub(super) fn words(&self) -> &[u64] {
        debug_assert_eq!(self.ty.dtype.repr().bytes(), 8);
        bytemuck::cast_slice(&self.values[..self.values.len() / 8 * 8])
    }

    /// Some of the rows, as a launch reads them.
    pub(super) fn chunk(&self, rows: Range<usize>) -> HostChunk<'_> {
        let width = self.ty.dtype.repr().bytes();
        let validity = self.validity.as_deref().map(|bytes| Bits { bytes, offset: rows.start });
        HostChunk {
            values: &self.values[rows.start * width..rows.end * width],
            bools: BoolLayout::Bytes,
            bit_offset: 0,
            validity,
            rows: rows.len(),
        }
    }

    /// Whether a row is not null.
    pub(super) fn is_valid(&self, row: usize) -> bool {
        self.validity.as_deref().is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1)
    }

    /// Whether the column can hold nulls.
    pub(super) fn is_nullable(&self) -> bool {
        self.validity.is_some()
    }

    /// A value that fits a word.
    pub(super) fn word(&self, row: usize) -> u64 {
        let width = self.ty.dtype.repr().bytes().min(8);
        let mut word = [0; 8];
        word[..width].copy_from_slice(&self.values[row * width..(row + 1) * width]);
        u64::from_le_bytes(word)
    }

    /// A row's value; `None` is null.
    pub(super) fn get(&self, row: usize) -> Option<Scalar> {
        let repr = self.ty.dtype.repr();
        let width = repr.bytes();
        let mut bits = [0; 16];
        bits[..width].copy_from_slice(&self.values[row * width..(row + 1) * width]);
        self.is_valid(row).then(|| Scalar::from_bits(repr, u128::from_le_bytes(bits)))
    }

    /// Calls `f` with the number of each row, and the low and the high word of its value.
    #[inline(always)]
    pub(super) fn each_value(&self, rows: Range<usize>, mut f: impl FnMut(usize, u64, u64)) {
        macro_rules! each {
            ($ty:ty) => {{
                let width = size_of::<$ty>();
                let values = self.values[rows.start * width..rows.end * width].as_chunks::<{ size_of::<$ty>() }>().0;
                for (row, value) in rows.zip(values) {
                    f(row, u64::from(<$ty>::from_le_bytes(*value)), 0);
                }
            }};
        }
        match self.ty.dtype.repr().bytes() {
            1 => each!(u8),
            2 => each!(u16),
            4 => each!(u32),
            8 => each!(u64),
            _ => {
                let values = self.values[rows.start * 16..rows.end * 16].as_chunks::<16>().0;
                for (row, value) in rows.zip(values) {
                    let value = u128::from_le_bytes(*value);
                    f(row, value as u64, (value >> 64) as u64);
                }
            }
        }
    }
}

/// The memory of some rows of a column; the first one starts a byte of the bitmap.
pub(super) struct ColumnPart<'a> {
    /// The number of rows.
    pub(super) rows: usize,
    /// The values.
    pub(super) values: &'a mut [u8],
    /// The bitmap, if the column can hold nulls.
    pub(super) validity: Option<&'a mut [u8]>,
}

impl<'a> ColumnPart<'a> {
    /// Writes the bitmap: the `i`-th row is null unless `valid(i)`.
    pub(super) fn set_validity(&mut self, valid: impl Fn(usize) -> bool) {
        let Some(validity) = &mut self.validity else { return };
        let rows = self.rows;
        for (start, byte) in validity.iter_mut().enumerate() {
            let rows = start * 8..rows.min(start * 8 + 8);
            *byte = rows.fold(0, |byte, row| byte | u8::from(valid(row)) << (row % 8));
        }
    }

    /// Splits off the first `rows` rows, a multiple of 8 or all.
    pub(super) fn split_front(&mut self, rows: usize) -> ColumnPart<'a> {
        let width = self.values.len() / self.rows.max(1);
        let (values, rest) = std::mem::take(&mut self.values).split_at_mut(rows * width);
        self.values = rest;
        let validity = self.validity.take().map(|validity| {
            let (front, rest) = validity.split_at_mut(rows.div_ceil(8));
            self.validity = Some(rest);
            front
        });
        self.rows -= rows;
        ColumnPart { rows, values, validity }
    }
}

/// Columns of one length.
pub(super) struct Batch {
    /// The columns.
    pub(super) columns: Vec<PoolColumn>,
    /// The number of rows.
    pub(super) rows: usize,
}

/// Appends the first rows of a column to an output.
pub(super) fn append(out: &mut ColumnWriter<'_>, column: &PoolColumn, rows: usize) {
    let (repr, width) = (column.ty.dtype.repr(), column.ty.dtype.repr().bytes());
    let mut bits = [0u8; COPY_ROWS / 8];
    for start in (0..rows).step_by(COPY_ROWS) {
        let n = (rows - start).min(COPY_ROWS);
        let values = &column.values[start * width..(start + n) * width];
        if repr == Repr::Bool {
            bits.fill(0);
            bitmap::append(&mut bits, 0, values);
            out.put_bools(&bits, n);
        } else {
            out.next_values()[..values.len()].copy_from_slice(values);
        }
        if out.is_nullable() {
            let bytes = n.div_ceil(8);
            match &column.validity {
                Some(validity) => bits[..bytes].copy_from_slice(&validity[start / 8..][..bytes]),
                None => bits[..bytes].fill(u8::MAX),
            }
            // Bits after the last row are zero.
            bits[bytes - 1] &= u8::MAX >> (bytes * 8 - n);
            bits[bytes..].fill(0);
            out.put_validity(&bits, n);
        }
        out.advance(n);
    }
}

/// Appends rows of several columns of one type to an output.
pub(super) fn append_from<'c>(
    out: &mut ColumnWriter<'_>,
    repr: Repr,
    mut rows: impl Iterator<Item = (&'c PoolColumn, usize)>,
) {
    let width = repr.bytes();
    let (mut flags, mut bits) = ([0u8; COPY_ROWS], [0u8; COPY_ROWS / 8]);
    let mut bools = [0u8; COPY_ROWS];
    loop {
        let mut n = 0;
        {
            // Bools are packed behind; other values are copied in place.
            let values = if repr == Repr::Bool { &mut bools[..] } else { out.next_values() };
            for (column, row) in rows.by_ref().take(COPY_ROWS) {
                values[n * width..(n + 1) * width].copy_from_slice(&column.values[row * width..(row + 1) * width]);
                flags[n] = column.is_valid(row).into();
                n += 1;
            }
        }
        if n == 0 {
            return;
        }
        if repr == Repr::Bool {
            bits.fill(0);
            bitmap::append(&mut bits, 0, &bools[..n]);
            out.put_bools(&bits, n);
        }
        if out.is_nullable() {
            bits.fill(0);
            bitmap::append(&mut bits, 0, &flags[..n]);
            out.put_validity(&bits, n);
        }
        out.advance(n);
    }
}
