//! Sorts rows: in go batches, out come their rows in order of the keys, equal ones in source order.
//!
//! A row's keys become words that sort as the keys do; an entry holds the first of them, and the rest is compared only
//! where that one is equal. With a limit, no more than `limit` rows are kept between two batches.

use super::columns::{Batch, PoolColumn, append_from};
use super::context::RunContext;
use super::group_table::Reserved;
use super::keys::sortable;
use crate::DeviceResult;
use crate::cpu::launch::OutputSplitter;
use crate::cpu::output::{ColumnWriter, ColumnWriters};
use crate::sync::Mutex;
use pointsman_ir::kernel::{NullOrder, SortKey, SortOrder};
use pointsman_ir::types::Repr;
use std::cmp::Ordering;

/// The number of rows that are written at a time: a multiple of 8, so that bitmaps split at bytes.
const WRITE_ROWS: usize = 1 << 14;

/// The rows so far.
pub(super) struct SortSink<'p> {
    context: RunContext<'p>,
    keys: &'p [(SortKey, usize)],
    limit: Option<usize>,
    kept: Option<Batch>,
    /// The rows of `kept` in order.
    order: Vec<usize>,
}

/// A row under sort.
#[derive(Clone, Copy)]
struct SortEntry {
    /// The first word of its keys.
    first: u64,
    row: usize,
}

/// The keys of a batch as words.
struct SortWords {
    words: Vec<u64>,
    stride: usize,
}

impl SortWords {
    fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.stride..(row + 1) * self.stride]
    }

    fn compare(&self, a: &SortEntry, b: &SortEntry) -> Ordering {
        let rest = || self.row(a.row)[1..].cmp(&self.row(b.row)[1..]);
        a.first.cmp(&b.first).then_with(rest).then(a.row.cmp(&b.row))
    }
}

impl<'p> SortSink<'p> {
    /// No rows yet; `keys` come with their columns.
    pub(super) fn new(context: RunContext<'p>, keys: &'p [(SortKey, usize)], limit: Option<usize>) -> SortSink<'p> {
        SortSink { context, keys, limit, kept: None, order: Vec::new() }
    }

    /// The number of source rows to take in at a time, so that sorting the kept rows again costs little.
    pub(super) fn segment_rows(&self, usual: usize) -> usize {
        self.limit.map_or(usize::MAX, |limit| usual.max(limit.saturating_mul(2)))
    }

    /// Takes in the rows of a batch, which come behind all others.
    pub(super) fn take(&mut self, batch: Batch) -> DeviceResult<()> {
        let batch = match self.kept.take() {
            Some(kept) => self.joined(&kept, &batch)?,
            None => batch,
        };
        self.order = self.sorted(&batch)?;
        self.order.truncate(self.limit.unwrap_or(usize::MAX));
        self.kept = Some(batch);
        Ok(())
    }

    /// The rows kept so far, in order, followed by the rows of a batch.
    fn joined(&self, kept: &Batch, batch: &Batch) -> DeviceResult<Batch> {
        let rows = self.order.len() + batch.rows;
        let pool = self.context.pool();
        let mut columns = Vec::with_capacity(batch.columns.len());
        for (one, other) in kept.columns.iter().zip(&batch.columns) {
            let mut column = PoolColumn::new(pool, one.ty, rows)?;
            {
                let crate::launch::ColumnOutput::Host { values, bools, validity } = column.output() else { continue };
                let mut out = ColumnWriter::new(values, bools, validity, one.ty, rows)?;
                let kept = self.order.iter().map(|&row| (one, row));
                let repr = one.ty.dtype.repr();
                append_from(&mut out, repr, kept.chain((0..batch.rows).map(|row| (other, row))));
            }
            columns.push(column);
        }
        Ok(Batch { columns, rows })
    }

    /// The rows of a batch in order.
    fn sorted(&self, batch: &Batch) -> DeviceResult<Vec<usize>> {
        let stride = self.keys.iter().map(|(_, column)| words_of(&batch.columns[*column])).sum::<usize>().max(1);
        let entry_bytes = stride * 8 + 2 * size_of::<SortEntry>() + 8;
        let _memory = Reserved::new(self.context.pool(), batch.rows.saturating_mul(entry_bytes))?;
        let mut words = vec![0; batch.rows * stride];
        self.context.fill(batch.rows, stride, &mut words, |range, words| {
            let mut at = 0;
            for (key, column) in self.keys {
                let column = &batch.columns[*column];
                encode(key, column, range.clone(), &mut words[at..], stride);
                at += words_of(column);
            }
            Ok(())
        })?;
        let words = SortWords { words, stride };
        let mut entries: Vec<SortEntry> =
            (0..batch.rows).map(|row| SortEntry { first: words.words[row * stride], row }).collect();
        self.sort(&mut entries, &words)?;
        Ok(entries.into_iter().map(|entry| entry.row).collect())
    }

    /// Sorts runs on several threads, then merges pairs of them until one is left.
    fn sort(&self, entries: &mut Vec<SortEntry>, words: &SortWords) -> DeviceResult<()> {
        let mut run = self.context.task_rows();
        {
            let runs: Vec<_> = entries.chunks_mut(run).map(Mutex::new).collect();
            self.context.tasks(runs.len(), |task| {
                runs[task].lock().sort_unstable_by(|a, b| words.compare(a, b));
                Ok(())
            })?;
        }
        let mut spare = entries.clone();
        while run < entries.len() {
            {
                let pairs: Vec<_> = entries.chunks(run * 2).zip(spare.chunks_mut(run * 2)).map(Mutex::new).collect();
                self.context.tasks(pairs.len(), |task| {
                    let mut pair = pairs[task].lock();
                    let (from, to) = &mut *pair;
                    let (left, right) = from.split_at(run.min(from.len()));
                    self.merge(left, right, to, words)
                })?;
            }
            std::mem::swap(entries, &mut spare);
            run *= 2;
        }
        Ok(())
    }

    fn merge<'e>(
        &self,
        mut left: &'e [SortEntry],
        mut right: &'e [SortEntry],
        to: &mut [SortEntry],
        words: &SortWords,
    ) -> DeviceResult<()> {
        for to in to.chunks_mut(1 << 14) {
            self.context.poll()?;
            for to in to {
                let from_left = match (left.first(), right.first()) {
                    (Some(a), Some(b)) => words.compare(a, b).is_le(),
                    (one, _) => one.is_some(),
                };
                let side = if from_left { &mut left } else { &mut right };
                if let Some((first, rest)) = side.split_first() {
                    (*to, *side) = (*first, rest);
                }
            }
        }
        Ok(())
    }

    /// Writes the rows in order, as many columns as there are outputs; how many rows there are.
    pub(super) fn write(self, outs: &mut ColumnWriters<'_>) -> DeviceResult<usize> {
        let Some(kept) = &self.kept else { return Ok(0) };
        write_rows(self.context, kept, &self.order, outs)?;
        Ok(self.order.len())
    }
}

/// Writes rows of a batch in this order, as many columns as there are outputs.
pub(super) fn write_rows(
    context: RunContext<'_>,
    batch: &Batch,
    order: &[usize],
    outs: &mut [ColumnWriter<'_>],
) -> DeviceResult<()> {
    let splitter = OutputSplitter { rest: outs.iter_mut().map(ColumnWriter::reborrow).collect(), start: 0 };
    let splitter = Mutex::new(splitter);
    context.tasks(order.len().div_ceil(WRITE_ROWS), |_| {
        let mut parts = ColumnWriters::new();
        let Some(rows) = splitter.lock().next(order.len(), WRITE_ROWS, &mut parts) else { return Ok(()) };
        for (out, column) in parts.iter_mut().zip(&batch.columns) {
            let rows = order[rows.clone()].iter().map(|&row| (column, row));
            append_from(out, column.ty.dtype.repr(), rows);
        }
        Ok(())
    })
}

/// Words of a key.
fn words_of(column: &PoolColumn) -> usize {
    usize::from(column.is_nullable()) + if column.ty.dtype.repr() == Repr::I128 { 2 } else { 1 }
}

/// Writes the words of a key of some rows, each `stride` words behind the one before.
fn encode(key: &SortKey, column: &PoolColumn, rows: std::ops::Range<usize>, words: &mut [u64], stride: usize) {
    let repr = column.ty.dtype.repr();
    let (start, nullable, wide) = (rows.start, column.is_nullable(), repr == Repr::I128);
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
