//! Passes the source rows of a launch through its probes, segment by segment, and yields the row sets after the last
//! probe, in order.

use super::columns::PoolColumn;
use super::expand::Expansion;
use super::index::KeyIndex;
use super::part::PartResult;
use super::probe;
use super::progress::{LaunchProgress, MatchSkip, TakenRows};
use super::row_set::{Places, RowSet, StepColumns};
use super::run::RelationalRun;
use crate::{DeviceError, DeviceResult};
use pointsman_ir::split::SplitColumn;
use std::ops::Range;

/// The number of source rows of a segment: enough for all threads, and little memory.
pub(super) const SEGMENT_ROWS: usize = 1 << 18;

/// A callback that receives the rows after the last probe.
type TakeRows<'t> = &'t mut dyn FnMut(&TakenRows<'_, '_, '_>) -> DeviceResult<LaunchProgress>;

impl<'a> RelationalRun<'a> {
    /// Some source rows of the launch.
    pub(super) fn segment(&self, rows: Range<usize>) -> RowSet<'a, 'a> {
        let mut steps: Vec<StepColumns> = Vec::new();
        steps.resize_with(self.program.steps.len(), StepColumns::default);
        RowSet { source: self.source, first_row: self.first_row, places: Places::Range(rows), steps }
    }

    /// Brings the first `rows` rows through the probes to `take`, `segment_rows` of them at a time.
    pub(super) fn segments(
        &self,
        rows: usize,
        segment_rows: usize,
        take: TakeRows<'_>,
    ) -> DeviceResult<LaunchProgress> {
        let mut skip = MatchSkip { left: self.first_match };
        for start in (0..rows).step_by(segment_rows) {
            let segment = self.segment(start..rows.min(start + segment_rows));
            match self.advance(segment, 0, &mut skip, take)? {
                LaunchProgress::Continue => {}
                progress @ (LaunchProgress::Full(_) | LaunchProgress::Fault(_)) => return Ok(progress),
            }
        }
        Ok(LaunchProgress::Continue)
    }

    /// Runs a row set through the steps from step `from` on.
    fn advance(
        &self,
        mut set: RowSet<'_, '_>,
        from: usize,
        skip: &mut MatchSkip,
        take: TakeRows<'_>,
    ) -> DeviceResult<LaunchProgress> {
        for number in from..self.program.steps.len() {
            if self.program.steps[number].kind.multiplies() {
                return self.advance_pairs(&set, number, skip, take);
            }
            if let Some(fault) = self.search_in_place(&mut set, number)? {
                return Ok(LaunchProgress::Fault(fault));
            }
        }
        let selected = self.selected_of(&set);
        let first = skip.first_row_of(&set, selected);
        match first < set.len() {
            true => take(&TakenRows { set: &set, range: first..set.len(), selected }),
            false => Ok(LaunchProgress::Continue),
        }
    }

    /// Brings the pairs that a step makes through the steps after it.
    fn advance_pairs(
        &self,
        set: &RowSet<'_, '_>,
        number: usize,
        skip: &mut MatchSkip,
        take: TakeRows<'_>,
    ) -> DeviceResult<LaunchProgress> {
        let (step, index) = (&self.program.steps[number], self.index(number)?);
        let batch = match self.part(number, set, 0..set.len())? {
            PartResult::Rows(batch) => batch,
            PartResult::Fault(at) => return Ok(LaunchProgress::Fault(set.row(at))),
        };
        let (context, first_row) = (self.context, set.part_first_row());
        let matches = probe::matches(context, step, index, &batch)?;
        let mut expansion = Expansion::new(context, step, index, &batch, matches, first_row)?;
        // Without steps after this one, each pair is a match, and those of row 0 need not be made to be counted.
        if skip.left > 0 && number + 1 == self.program.steps.len() {
            let is_of_row_0 = |&at: &u64| set.row((at - first_row) as usize) == 0;
            let rows = batch.columns[0].words()[..batch.rows].partition_point(is_of_row_0);
            let pairs = expansion.pairs_before(rows).min(skip.left);
            expansion.skip(pairs);
            skip.left -= pairs;
            if rows < batch.rows {
                skip.left = 0;
            }
        }
        while let Some(pairs) = expansion.next(context, self.program, set, number)? {
            match self.advance(pairs, number + 1, skip, take)? {
                LaunchProgress::Continue => {}
                progress @ (LaunchProgress::Full(_) | LaunchProgress::Fault(_)) => return Ok(progress),
            }
        }
        Ok(LaunchProgress::Continue)
    }

    /// Searches the index of a step that multiplies no rows. Returns the launch's row that faulted, if any.
    pub(super) fn search_in_place(&self, set: &mut RowSet<'_, '_>, number: usize) -> DeviceResult<Option<usize>> {
        let (step, index, rows) = (&self.program.steps[number], self.index(number)?, set.len());
        let mut columns = StepColumns::in_place(self.context, step, rows)?;
        let mut rest = columns.part_mut(rows);
        // Keys take more memory than matches, so they are computed for one segment at a time.
        for start in (0..rows).step_by(SEGMENT_ROWS) {
            let range = start..rows.min(start + SEGMENT_ROWS);
            let batch = match self.part(number, set, range.clone())? {
                PartResult::Rows(batch) => batch,
                PartResult::Fault(at) => return Ok(Some(set.row(at))),
            };
            let first_row = set.part_first_row() + start as u64;
            probe::in_place(self.context, step, index, &batch, first_row, rest.split_front(range.len()))?;
        }
        set.steps[number] = columns;
        Ok(None)
    }

    fn index(&self, step: usize) -> DeviceResult<&'a KeyIndex> {
        let table = self.program.steps[step].table;
        self.indexes[table].as_deref().ok_or_else(|| DeviceError::invalid(format!("table {table} has no index")))
    }

    /// The rows of a set that the last program may select; `None` if all.
    fn selected_of<'s>(&self, set: &'s RowSet<'_, '_>) -> Option<&'s PoolColumn> {
        let selected = self.program.last.columns.iter().find_map(|column| match column {
            SplitColumn::Selected(step) => Some(*step),
            SplitColumn::Source(_) | SplitColumn::RowNumber | SplitColumn::Match(_) => None,
        })?;
        set.steps[selected].selected.as_ref()
    }
}
