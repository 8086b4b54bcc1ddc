//! Expands the rows that searched into their matches: row sets of a bounded number of pairs, in order.

use super::columns::{Batch, ColumnPart, PoolColumn};
use super::context::RunContext;
use super::index::{KeyIndex, Matches};
use super::pool_memory::PoolVec;
use super::program::{RelationalProgram, StepProgram};
use super::row_set::{Places, RowSet, StepColumns};
use crate::DeviceResult;
use crate::sync::Mutex;
use pointsman_ir::split::SplitColumn;
use pointsman_ir::types::DType;
use std::ops::Range;

/// The most pairs of a row set.
const PAIRS_MAX: u64 = 1 << 16;

/// The pairs of a step that are still to come.
pub(super) struct Expansion<'a> {
    step: &'a StepProgram,
    index: &'a KeyIndex,
    /// The first row number of the part.
    first_row: u64,
    /// The rows that searched.
    batch: &'a Batch,
    matches: PoolVec<Matches>,
    /// The number of pairs before each row, and of all.
    before: PoolVec<u64>,
    next: u64,
}

/// Some pairs, in progress.
struct PairPart<'a> {
    parents: &'a mut [u32],
    rows: &'a mut [usize],
    found: ColumnPart<'a>,
}

impl<'a> Expansion<'a> {
    /// All pairs of a batch.
    pub(super) fn new(
        context: RunContext<'_>,
        step: &'a StepProgram,
        index: &'a KeyIndex,
        batch: &'a Batch,
        matches: PoolVec<Matches>,
        first_row: u64,
    ) -> DeviceResult<Expansion<'a>> {
        let mut before = PoolVec::new(context.pool(), batch.rows + 1)?;
        let least = u32::from(step.kind.keeps_unmatched());
        let mut pairs = 0;
        before[0] = 0;
        for (row, (matches, before)) in matches.iter().zip(&mut before[1..]).enumerate() {
            context.poll_at(row)?;
            pairs += u64::from(matches.count.max(least));
            *before = pairs;
        }
        Ok(Expansion { step, index, first_row, batch, matches, before, next: 0 })
    }

    /// The number of pairs of the rows of the batch before this one.
    pub(super) fn pairs_before(&self, row: usize) -> u64 {
        self.before[row]
    }

    /// Leaves out the first pairs.
    pub(super) fn skip(&mut self, pairs: u64) {
        self.next = pairs.min(self.before[self.batch.rows]);
    }

    /// Writes pairs: the parent's row of each, the launch's row, and the number of the matching row.
    fn fill(&self, parent: &RowSet<'_, '_>, pairs: Range<u64>, part: &mut PairPart<'_>) {
        // The last row that begins at the first pair or before it; rows without pairs begin where the next one does.
        let mut row = self.before.partition_point(|&before| before <= pairs.start) - 1;
        let (mut pair, mut at) = (pairs.start, 0);
        while pair < pairs.end {
            let Matches { start, count } = self.matches[row];
            let (skipped, end) = ((pair - self.before[row]) as usize, self.before[row + 1].min(pairs.end));
            let count_here = (end - pair) as usize;
            let parent_row = (self.batch.columns[0].word(row) - self.first_row) as usize;
            part.parents[at..at + count_here].fill(parent_row as u32);
            part.rows[at..at + count_here].fill(parent.row(parent_row));
            let values = &mut part.found.values[at * 8..(at + count_here) * 8];
            if count == 0 {
                values.fill(0);
            } else {
                let numbers = &self.index.numbers()[start as usize + skipped..][..count_here];
                values.copy_from_slice(bytemuck::cast_slice(numbers));
            }
            if let Some(bits) = &mut part.found.validity {
                for bit in at..at + count_here {
                    if bit % 8 == 0 {
                        bits[bit / 8] = 0;
                    }
                    bits[bit / 8] |= u8::from(count > 0) << (bit % 8);
                }
            }
            (pair, at, row) = (end, at + count_here, row + 1);
        }
    }

    /// The next row set; `None` if there are no pairs left. `number` is the step's.
    pub(super) fn next<'s, 'c>(
        &mut self,
        context: RunContext<'_>,
        program: &RelationalProgram,
        parent: &RowSet<'s, 'c>,
        number: usize,
    ) -> DeviceResult<Option<RowSet<'s, 'c>>> {
        context.poll()?;
        let first = self.next;
        let pairs = (self.before[self.batch.rows] - first).min(PAIRS_MAX) as usize;
        if pairs == 0 {
            return Ok(None);
        }
        self.next += pairs as u64;
        let pool = context.pool();
        let (mut parents, mut rows) = (PoolVec::new(pool, pairs)?, PoolVec::new(pool, pairs)?);
        let mut found = PoolColumn::new(pool, self.step.kind.output(), pairs)?;
        {
            let step = context.task_rows();
            let slices = parents.chunks_mut(step).zip(rows.chunks_mut(step)).zip(found.parts_mut(pairs, step));
            let parts: Vec<_> =
                slices.map(|((parents, rows), found)| Mutex::new(PairPart { parents, rows, found })).collect();
            context.tasks(parts.len(), |task| {
                let range = task * step..pairs.min((task + 1) * step);
                let range = first + range.start as u64..first + range.end as u64;
                self.fill(parent, range, &mut parts[task].lock());
                Ok(())
            })?;
        }
        let mut columns: Vec<Option<PoolColumn>> = parent.source.iter().map(|_| None).collect();
        let mut numbers = None;
        let mut steps: Vec<StepColumns> = Vec::new();
        steps.resize_with(program.steps.len(), StepColumns::default);
        for column in read_behind(program, number) {
            match column {
                SplitColumn::Source(source) => {
                    columns[source.index()] =
                        Some(parent.source[source.index()].gather(context, &rows, parent.first_row)?);
                }
                SplitColumn::RowNumber => numbers = Some(row_numbers(context, &rows, parent.first_row)?),
                SplitColumn::Match(step) if step < number => {
                    let Some(found) = &parent.steps[step].found else { continue };
                    steps[step].found = Some(found.gathered(context, &parents)?);
                }
                SplitColumn::Match(_) | SplitColumn::Selected(_) => {}
            }
        }
        steps[number].found = Some(found);
        let places = Places::Pairs { rows, columns, numbers };
        Ok(Some(RowSet { source: parent.source, first_row: parent.first_row, places, steps }))
    }
}

/// The source row numbers of rows of a launch.
fn row_numbers(context: RunContext<'_>, rows: &[usize], first_row: u64) -> DeviceResult<PoolColumn> {
    let mut column = PoolColumn::new(context.pool(), DType::U64.required(), rows.len())?;
    context.fill_column(&mut column, rows.len(), |range, part| {
        for (to, &row) in part.values.as_chunks_mut::<8>().0.iter_mut().zip(&rows[range]) {
            *to = (first_row + row as u64).to_le_bytes();
        }
        Ok(())
    })?;
    Ok(column)
}

/// The columns that the parts after a step read, each once.
fn read_behind(program: &RelationalProgram, step: usize) -> Vec<SplitColumn> {
    let behind = program.steps[step + 1..].iter().map(|step| &step.part).chain([&program.last]);
    let mut columns: Vec<SplitColumn> = behind.flat_map(|part| part.columns.iter().copied()).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}
