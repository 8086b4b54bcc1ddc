//! Expands rows into their matches: in go the rows that searched, out come row sets of a bounded number of pairs, in order.

use super::columns::{Batch, PoolColumn};
use super::context::RunContext;
use super::index::{KeyIndex, NONE};
use super::program::{RelationalProgram, StepProgram};
use super::row_set::{Places, RowSet, StepColumns};
use crate::DeviceResult;
use pointsman_ir::split::SplitColumn;
use pointsman_ir::types::DType;

/// The most pairs of a row set.
const PAIRS_MAX: usize = 1 << 16;

/// The pairs of a step that are still to come.
pub(super) struct Expansion<'a> {
    step: &'a StepProgram,
    index: &'a KeyIndex,
    batch: &'a Batch,
    found: &'a [u32],
    /// The first row number of the part.
    first_row: u64,
    row: usize,
    entry: Option<u32>,
}

impl<'a> Expansion<'a> {
    /// All pairs of a batch.
    pub(super) fn new(
        step: &'a StepProgram,
        index: &'a KeyIndex,
        batch: &'a Batch,
        found: &'a [u32],
        first_row: u64,
    ) -> Expansion<'a> {
        Expansion { step, index, batch, found, first_row, row: 0, entry: None }
    }

    /// Up to [`PAIRS_MAX`] pairs: the parent's row of each, and the number of the matching row.
    fn pairs(&mut self) -> (Vec<usize>, Vec<u64>, Vec<bool>) {
        let (mut parents, mut numbers, mut matched) = (Vec::new(), Vec::new(), Vec::new());
        while self.row < self.found.len() && parents.len() < PAIRS_MAX {
            let parent = (self.batch.columns[0].word(self.row) - self.first_row) as usize;
            let mut entry = self.entry.take().unwrap_or(self.found[self.row]);
            if entry == NONE && self.step.kind.keeps_unmatched() {
                parents.push(parent);
                numbers.push(0);
                matched.push(false);
            }
            while entry != NONE && parents.len() < PAIRS_MAX {
                parents.push(parent);
                numbers.push(self.index.number(entry));
                matched.push(true);
                entry = self.index.next(entry);
            }
            if entry == NONE {
                self.row += 1;
            } else {
                self.entry = Some(entry);
            }
        }
        (parents, numbers, matched)
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
        let (parents, numbers, matched) = self.pairs();
        if parents.is_empty() {
            return Ok(None);
        }
        let rows: Vec<usize> = parents.iter().map(|&at| parent.row(at)).collect();
        let mut columns: Vec<Option<PoolColumn>> = parent.source.iter().map(|_| None).collect();
        let mut row_numbers = None;
        let mut steps: Vec<StepColumns> = Vec::new();
        steps.resize_with(program.steps.len(), StepColumns::default);
        for column in read_behind(program, number) {
            match column {
                SplitColumn::Source(source) => {
                    columns[source.index()] =
                        Some(parent.source[source.index()].gather(context, &rows, parent.first_row)?);
                }
                SplitColumn::RowNumber => {
                    let source_rows: Vec<u64> = rows.iter().map(|&row| parent.first_row + row as u64).collect();
                    let ty = DType::U64.required();
                    row_numbers = Some(PoolColumn::of_words(context, ty, &source_rows, |_| true)?);
                }
                SplitColumn::Match(step) if step < number => {
                    let Some(found) = &parent.steps[step].found else { continue };
                    let words: Vec<u64> = parents.iter().map(|&at| found.word(at)).collect();
                    let valid = |row: usize| found.is_valid(parents[row]);
                    steps[step].found = Some(PoolColumn::of_words(context, found.ty, &words, valid)?);
                }
                SplitColumn::Match(_) | SplitColumn::Selected(_) => {}
            }
        }
        let ty = self.step.kind.output();
        steps[number].found = Some(PoolColumn::of_words(context, ty, &numbers, |row| matched[row])?);
        let places = Places::Pairs { rows, columns, numbers: row_numbers };
        Ok(Some(RowSet { source: parent.source, first_row: parent.first_row, places, steps }))
    }
}

/// The columns that the parts behind a step read, each once.
fn read_behind(program: &RelationalProgram, step: usize) -> Vec<SplitColumn> {
    let behind = program.steps[step + 1..].iter().map(|step| &step.part).chain([&program.last]);
    let mut columns: Vec<SplitColumn> = behind.flat_map(|part| part.columns.iter().copied()).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}
