//! Searches an index for the keys of the rows of a step.

use super::columns::{Batch, ColumnPart, PoolColumn};
use super::context::RunContext;
use super::index::{KeyIndex, Matches, NONE};
use super::keys::KeyLayout;
use super::pool_memory::PoolVec;
use super::program::StepProgram;
use super::row_set::StepColumns;
use crate::DeviceResult;
use crate::sync::Mutex;
use pointsman_ir::body::ProbeKind;
use pointsman_ir::types::DType;
use std::ops::Range;

/// The buffers of a thread that searches, for one task of rows at a time.
struct SearchScratch {
    words: Vec<u64>,
    hashes: Vec<u64>,
    found: Vec<u32>,
}

impl SearchScratch {
    fn new(context: RunContext<'_>, layout: &KeyLayout) -> SearchScratch {
        let rows = context.task_rows();
        SearchScratch { words: vec![0; rows * layout.stride], hashes: vec![0; rows], found: vec![NONE; rows] }
    }

    /// Returns the index entry of each row, or [`NONE`]. `batch` has the columns position and keys; `rows` has at most
    /// the rows of a task.
    fn search(&mut self, step: &StepProgram, index: &KeyIndex, batch: &Batch, rows: Range<usize>) -> &[u32] {
        let (layout, columns) = (&step.keys, &batch.columns[1..]);
        let (words, hashes) = (&mut self.words[..rows.len() * layout.stride], &mut self.hashes[..rows.len()]);
        let found = &mut self.found[..rows.len()];
        layout.encode(columns, rows.clone(), words, hashes);
        // The words of an index have no null bits; those of `words` come after the keys.
        index.find(words, layout.stride, hashes, found);
        for column in columns.iter().take(layout.len()).filter(|column| column.is_nullable()) {
            for (row, found) in rows.clone().zip(&mut *found) {
                if !column.is_valid(row) {
                    *found = NONE;
                }
            }
        }
        found
    }
}

/// Returns the matches of each row of a batch.
pub(super) fn matches(
    context: RunContext<'_>,
    step: &StepProgram,
    index: &KeyIndex,
    batch: &Batch,
) -> DeviceResult<PoolVec<Matches>> {
    let mut matches = PoolVec::new(context.pool(), batch.rows)?;
    let ranges = context.ranges(batch.rows);
    let parts: Vec<Mutex<&mut [Matches]>> = matches.chunks_mut(context.task_rows()).map(Mutex::new).collect();
    let start = || SearchScratch::new(context, &step.keys);
    let search = |scratch: &mut SearchScratch, task: usize| {
        let found = scratch.search(step, index, batch, ranges[task].clone());
        for (matches, &entry) in parts[task].lock().iter_mut().zip(found) {
            *matches = index.matches(entry);
        }
        Ok(())
    };
    context.tasks_with(ranges.len(), start, search, drop)?;
    drop(parts);
    Ok(matches)
}

impl StepColumns {
    /// Allocates the result of a step that multiplies no rows.
    pub(super) fn in_place(context: RunContext<'_>, step: &StepProgram, rows: usize) -> DeviceResult<StepColumns> {
        let column = |ty| PoolColumn::new(context.pool(), ty, rows).map(Some);
        let selected = if step.kind == ProbeKind::Exists { None } else { column(DType::Bool.required())? };
        Ok(StepColumns { selected, found: column(step.kind.output())? })
    }

    /// The result columns of all rows, for writing.
    pub(super) fn part_mut(&mut self, rows: usize) -> StepPart<'_> {
        let selected = self.selected.as_mut().map(|column| column.part_mut(rows));
        StepPart { rows, selected, found: self.found.as_mut().map(|column| column.part_mut(rows)) }
    }
}

/// The result columns of a step, for a range of rows.
pub(super) struct StepPart<'a> {
    rows: usize,
    selected: Option<ColumnPart<'a>>,
    found: Option<ColumnPart<'a>>,
}

impl<'a> StepPart<'a> {
    /// Splits off the first `rows` rows, a multiple of 8 or all.
    pub(super) fn split_front(&mut self, rows: usize) -> StepPart<'a> {
        self.rows -= rows;
        let front = |part: &mut Option<ColumnPart<'a>>| part.as_mut().map(|part| part.split_front(rows));
        StepPart { rows, selected: front(&mut self.selected), found: front(&mut self.found) }
    }

    /// Splits all rows into parts of up to `step` rows.
    fn split(mut self, step: usize) -> Vec<Mutex<StepPart<'a>>> {
        let part = || (self.rows > 0).then(|| Mutex::new(self.split_front(step.min(self.rows))));
        std::iter::from_fn(part).collect()
    }

    /// Writes the results of the rows that searched, at their positions in the part; the other rows have no match.
    fn write(&mut self, kind: ProbeKind, index: &KeyIndex, positions: impl Iterator<Item = usize>, entries: &[u32]) {
        let Some(found) = &mut self.found else { return };
        found.values.fill(0);
        found.validity.iter_mut().for_each(|bits| bits.fill(0));
        if let Some(selected) = &mut self.selected {
            selected.values.fill(0);
        }
        for (at, &entry) in positions.zip(entries) {
            if let Some(selected) = &mut self.selected {
                selected.values[at] = (entry != NONE || kind.keeps_unmatched()).into();
            }
            if entry == NONE {
                continue;
            }
            if kind == ProbeKind::Exists {
                found.values[at] = 1;
                continue;
            }
            found.values[at * 8..at * 8 + 8].copy_from_slice(&index.first_number(entry).to_le_bytes());
            if let Some(bits) = &mut found.validity {
                bits[at / 8] |= 1 << (at % 8);
            }
        }
    }
}

/// Runs a step that multiplies no rows, and writes its results to `part`. The batch has the rows of the part that
/// search; `first_row` is the row number of the part's first row.
pub(super) fn in_place(
    context: RunContext<'_>,
    step: &StepProgram,
    index: &KeyIndex,
    batch: &Batch,
    first_row: u64,
    part: StepPart<'_>,
) -> DeviceResult<()> {
    let positions = &batch.columns[0].words()[..batch.rows];
    let ranges = context.ranges(part.rows);
    let parts = part.split(context.task_rows());
    let start = || SearchScratch::new(context, &step.keys);
    let search = |scratch: &mut SearchScratch, task: usize| {
        let range = &ranges[task];
        let batch_position = |row: usize| positions.partition_point(|&at| at < first_row + row as u64);
        let rows = batch_position(range.start)..batch_position(range.end);
        let entries = scratch.search(step, index, batch, rows.clone());
        let positions = positions[rows].iter().map(|&at| (at - first_row) as usize - range.start);
        parts[task].lock().write(step.kind, index, positions, entries);
        Ok(())
    };
    context.tasks_with(ranges.len(), start, search, drop)
}
