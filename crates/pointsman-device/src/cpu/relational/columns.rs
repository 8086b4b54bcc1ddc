//! Columns in memory of the device's pool: what a part of a kernel wrote, for the next one to read. Null slots are zero,
//! bools are bytes, and the memory goes back to the pool when the column is dropped.

use super::context::RunContext;
use crate::DeviceResult;
use crate::cpu::block::bitmap;
use crate::cpu::output::ColumnWriter;
use crate::host::{Bits, BoolLayout, HostBuffer, HostChunk};
use crate::host_pool::HostPool;
use crate::launch::ColumnOutput;
use pointsman_ir::types::{Repr, Scalar, Type};
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

/// The number of rows that are copied at a time.
const COPY_ROWS: usize = 1024;

/// Bytes of the pool.
pub(super) struct PoolBuffer {
    bytes: HostBuffer,
    pool: Arc<HostPool>,
}

impl PoolBuffer {
    /// At least `bytes` bytes, undefined.
    pub(super) fn take(pool: &Arc<HostPool>, bytes: usize) -> DeviceResult<PoolBuffer> {
        Ok(PoolBuffer { bytes: pool.take(bytes)?, pool: pool.clone() })
    }
}

impl Deref for PoolBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for PoolBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Drop for PoolBuffer {
    fn drop(&mut self) {
        self.pool.give(std::mem::take(&mut self.bytes));
    }
}

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

    /// A column of these words, null where `valid` says so.
    pub(super) fn of_words(
        context: RunContext<'_>,
        ty: Type,
        words: &[u64],
        valid: impl Fn(usize) -> bool + Sync,
    ) -> DeviceResult<PoolColumn> {
        let mut column = PoolColumn::new(context.pool(), ty, words.len())?;
        let width = ty.dtype.repr().bytes().min(8);
        context.fill(words.len(), width, &mut column.values, |range, values| {
            for (at, word) in values.chunks_exact_mut(width).zip(&words[range]) {
                at.copy_from_slice(&word.to_le_bytes()[..width]);
            }
            Ok(())
        })?;
        if let Some(validity) = &mut column.validity {
            context.fill(words.len().div_ceil(8), 1, validity, |range, bytes| {
                for (start, byte) in range.zip(bytes) {
                    let rows = start * 8..words.len().min(start * 8 + 8);
                    let bits = rows.filter(|&row| valid(row)).map(|row| 1 << (row - start * 8));
                    *byte = bits.fold(0, |byte, bit: u8| byte | bit);
                }
                Ok(())
            })?;
        }
        Ok(column)
    }

    /// The column as a launch writes it.
    pub(super) fn output(&mut self) -> ColumnOutput<'_> {
        let validity = self.validity.as_deref_mut();
        ColumnOutput::Host { values: &mut self.values, bools: BoolLayout::Bytes, validity }
    }

    /// The memory of the values and of the bitmap.
    pub(super) fn bytes_mut(&mut self) -> (&mut [u8], Option<&mut [u8]>) {
        (&mut self.values, self.validity.as_deref_mut())
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

/// Columns of one length.
pub(super) struct Batch {
    /// The columns.
    pub(super) columns: Vec<PoolColumn>,
    /// The number of rows.
    pub(super) rows: usize,
}

/// Appends rows of a column to an output: `rows` names them.
pub(super) fn append(out: &mut ColumnWriter<'_>, column: &PoolColumn, rows: impl Iterator<Item = usize>) {
    append_from(out, column.ty.dtype.repr(), rows.map(|row| (column, row)));
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
