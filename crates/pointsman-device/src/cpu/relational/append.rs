//! Appends rows to the outputs, in order, until they are full.

use super::columns::append;
use super::row_set::RowSet;
use super::run::{LaunchProgress, RelationalRun, Stop};
use crate::DeviceResult;
use crate::cpu::output::ColumnWriter;
use std::ops::Range;

/// The rows appended so far.
pub(super) struct AppendSink {
    room: usize,
    rows: usize,
    counter: MatchCounter,
}

impl AppendSink {
    /// A sink with room for so many rows.
    pub(super) fn new(room: usize, first_match: u64) -> AppendSink {
        AppendSink { room, rows: 0, counter: MatchCounter::new(first_match) }
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Appends the rows that the last program yields for a range of a row set.
    pub(super) fn take(
        &mut self,
        run: &RelationalRun<'_>,
        set: &RowSet<'_, '_>,
        range: Range<usize>,
        outs: &mut [ColumnWriter<'_>],
    ) -> DeviceResult<LaunchProgress> {
        run.rows_of(set, range.clone(), |batch| {
            let fits = batch.rows.min(self.room - self.rows);
            for (out, column) in outs.iter_mut().zip(&batch.columns[1..]) {
                append(out, column, 0..fits);
            }
            self.rows += fits;
            if fits == batch.rows {
                self.counter.pass(run, set, range.clone());
                return Ok(LaunchProgress::Continue);
            }
            let at = (batch.columns[0].word(fits) - set.part_first_row()) as usize;
            Ok(LaunchProgress::Full(self.counter.stop_before(run, set, range.clone(), at)))
        })
    }
}

/// Counts the matches of the row that a launch is at, across row sets.
pub(super) struct MatchCounter {
    row: usize,
    matches: u64,
}

impl MatchCounter {
    /// A launch before its first row.
    pub(super) fn new(first_match: u64) -> MatchCounter {
        MatchCounter { row: 0, matches: first_match }
    }

    /// Counts the rows of a range of a set.
    pub(super) fn pass(&mut self, run: &RelationalRun<'_>, set: &RowSet<'_, '_>, range: Range<usize>) {
        // Only the matches of the last source row may go on in the next set.
        if let Some(last) = range.end.checked_sub(1) {
            let stop = self.at(run, set, range.start, last, range.end);
            (self.row, self.matches) = (stop.row, stop.matches);
        }
    }

    /// Where a launch stops that consumed the rows of a range before `at`.
    pub(super) fn stop_before(
        &self,
        run: &RelationalRun<'_>,
        set: &RowSet<'_, '_>,
        range: Range<usize>,
        at: usize,
    ) -> Stop {
        self.at(run, set, range.start, at, at)
    }

    /// The source row of row `at`, and how many of its matches come before `end`.
    fn at(&self, run: &RelationalRun<'_>, set: &RowSet<'_, '_>, first: usize, at: usize, end: usize) -> Stop {
        let row = set.row(at);
        let start = (first..at).rev().take_while(|&at| set.row(at) == row).last().unwrap_or(at);
        let before = if start == first && self.row == row { self.matches } else { 0 };
        Stop { row, matches: before + run.selected_count(set, start..end) }
    }
}
