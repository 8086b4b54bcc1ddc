//! Sorts the rows of batches by their keys; rows with equal keys stay in source order.
//!
//! The keys of a row are encoded as words that sort like the keys. A sort entry holds the first two words; the others
//! are compared only if these are equal. With a limit, the sink drops all but the first `limit` rows whenever it has
//! many more.

use super::batches::{Batches, RowPlace};
use super::columns::{Batch, PoolColumn};
use super::context::RunContext;
use super::keys::sortable;
use super::merge_sort;
use super::pool_memory::PoolVec;
use crate::DeviceResult;
use crate::cpu::output::ColumnWriters;
use pointsman_ir::kernel::{NullOrder, SortKey, SortOrder};
use pointsman_ir::types::Repr;
use std::cmp::Ordering;

/// The number of rows beyond twice the limit that are worth another sort.
const KEPT_ROWS_MIN: usize = 1 << 18;

/// The rows taken so far.
pub(super) struct SortSink<'p> {
    context: RunContext<'p>,
    keys: &'p [(SortKey, usize)],
    limit: Option<usize>,
    batches: Batches,
}

/// A row to sort: the start of its key, and its position.
#[derive(Clone, Copy)]
#[repr(C)]
struct SortEntry {
    /// The first two words of the keys; the second is 0 if there is only one.
    first: [u64; 2],
    row: u64,
}

// SAFETY: three numbers that may be zero.
unsafe impl bytemuck::Zeroable for SortEntry {}
// SAFETY: three numbers of the same size in the order of `repr(C)`, so there is no padding, and any bytes are valid.
unsafe impl bytemuck::Pod for SortEntry {}

/// The words of all rows' keys.
struct SortWords {
    words: PoolVec<u64>,
    stride: usize,
}

impl SortWords {
    /// The words of a row that its entry does not hold.
    fn rest(&self, entry: &SortEntry) -> &[u64] {
        &self.words[entry.row as usize * self.stride..][..self.stride][2..]
    }

    #[inline(always)]
    fn compare(&self, a: &SortEntry, b: &SortEntry) -> Ordering {
        let first = |entry: &SortEntry| u128::from(entry.first[0]) << 64 | u128::from(entry.first[1]);
        let rest = || if self.stride > 2 { self.rest(a).cmp(self.rest(b)) } else { Ordering::Equal };
        first(a).cmp(&first(b)).then_with(rest).then(a.row.cmp(&b.row))
    }
}

impl<'p> SortSink<'p> {
    /// Creates a sink without rows. `keys` are the sort keys with their columns.
    pub(super) fn new(context: RunContext<'p>, keys: &'p [(SortKey, usize)], limit: Option<usize>) -> SortSink<'p> {
        SortSink { context, keys, limit, batches: Batches::default() }
    }

    /// Appends the rows of a batch.
    pub(super) fn take(&mut self, batch: Batch) -> DeviceResult<()> {
        self.batches.push(batch)?;
        let Some(limit) = self.limit else { return Ok(()) };
        if self.batches.rows() > limit.saturating_mul(2).saturating_add(KEPT_ROWS_MIN) {
            let kept = self.batches.gathered(self.context, &self.sorted()?)?;
            self.batches = Batches::default();
            self.batches.push(kept)?;
        }
        Ok(())
    }

    /// The rows in order, up to the limit.
    fn sorted(&self) -> DeviceResult<PoolVec<RowPlace>> {
        let (context, rows) = (self.context, self.batches.rows());
        let pool = context.pool();
        let words_of_row = |batch: &Batch| self.keys.iter().map(|(_, key)| words_of(&batch.columns[*key])).sum();
        let stride = self.batches.iter().next().map_or(1, |(_, batch)| words_of_row(batch)).max(1);
        let mut words = PoolVec::new(pool, rows.saturating_mul(stride))?;
        for (start, batch) in self.batches.iter() {
            context.fill(batch.rows, stride, &mut words[start * stride..], |range, words| {
                let mut at = 0;
                for (key, column) in self.keys {
                    let column = &batch.columns[*column];
                    encode(key, column, range.clone(), &mut words[at..], stride);
                    at += words_of(column);
                }
                if self.keys.is_empty() {
                    words.fill(0);
                }
                Ok(())
            })?;
        }
        let words = SortWords { words, stride };
        let mut entries = PoolVec::new(pool, rows)?;
        context.fill(rows, 1, &mut entries, |range, entries| {
            for (row, entry) in range.zip(entries) {
                let words = &words.words[row * stride..(row + 1) * stride];
                let first = [words[0], words.get(1).copied().unwrap_or(0)];
                *entry = SortEntry { first, row: row as u64 };
            }
            Ok(())
        })?;
        let entries = merge_sort::sorted(context, entries, |a, b| words.compare(a, b))?;
        drop(words);
        let mut order = PoolVec::new(pool, rows.min(self.limit.unwrap_or(usize::MAX)))?;
        context.fill(order.len(), 1, &mut order, |range, order| {
            for (place, entry) in order.iter_mut().zip(&entries[range]) {
                *place = self.batches.place(entry.row as usize);
            }
            Ok(())
        })?;
        Ok(order)
    }

    /// Writes the rows in order, one column per output; returns the number of rows.
    pub(super) fn write(self, outs: &mut ColumnWriters<'_>) -> DeviceResult<usize> {
        let order = self.sorted()?;
        self.batches.write(self.context, &order, outs)?;
        Ok(order.len())
    }
}

/// The number of words of a key.
fn words_of(column: &PoolColumn) -> usize {
    usize::from(column.is_nullable()) + if column.ty.dtype.repr() == Repr::I128 { 2 } else { 1 }
}

/// Writes the words of a key for a range of rows, `stride` words apart.
fn encode(key: &SortKey, column: &PoolColumn, rows: std::ops::Range<usize>, words: &mut [u64], stride: usize) {
    let repr = column.ty.dtype.repr();
    let (start, nullable, wide) = (rows.start, column.is_nullable(), repr == Repr::I128);
    let values = if wide { 2 } else { 1 };
    let (null, value) = match key.nulls {
        NullOrder::First => (0, 1),
        NullOrder::Last => (1, 0),
    };
    column.each_value(rows, |row, low, high| {
        let mut at = (row - start) * stride;
        if nullable {
            let is_valid = column.is_valid(row);
            words[at] = if is_valid { value } else { null };
            at += 1;
            if !is_valid {
                words[at..at + values].fill(0);
                return;
            }
        }
        let bits = sortable(repr, low, high);
        let bits = if key.order == SortOrder::Descending { !bits } else { bits };
        if wide {
            words[at] = (bits >> 64) as u64;
            words[at + 1] = bits as u64;
        } else {
            words[at] = bits as u64;
        }
    });
}
