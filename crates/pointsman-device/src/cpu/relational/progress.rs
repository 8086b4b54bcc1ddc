//! Tracks the row sets that a sink has consumed, to determine the row at which the next launch starts.

use super::columns::PoolColumn;
use super::row_set::RowSet;
use std::ops::Range;

/// How far a launch got with a row set.
pub(super) enum LaunchProgress {
    /// To its end.
    Continue,
    /// The outputs are full; the next launch resumes here.
    Full(Stop),
    /// A row of the launch faulted.
    Fault(usize),
}

/// The position at which a launch stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    /// The first source row of the launch that is not fully consumed.
    pub(super) row: usize,
    /// The number of consumed matches of that row.
    pub(super) matches: u64,
}

/// The rows of a set that a sink consumes.
#[derive(Clone)]
pub(super) struct TakenRows<'s, 'a, 'c> {
    /// The set.
    pub(super) set: &'s RowSet<'a, 'c>,
    /// Its rows.
    pub(super) range: Range<usize>,
    /// The rows of the set that the last program may select; `None` if all.
    pub(super) selected: Option<&'s PoolColumn>,
}

impl TakenRows<'_, '_, '_> {
    /// The number of rows among these of the set that the last program may select.
    fn selected_count(&self, rows: Range<usize>) -> u64 {
        match self.selected {
            Some(selected) => rows.map(|at| selected.word(at)).sum(),
            None => rows.len() as u64,
        }
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

    /// Counts rows.
    pub(super) fn pass(&mut self, rows: &TakenRows<'_, '_, '_>) {
        // Only the matches of the last source row may continue in the next set.
        if let Some(last) = rows.range.end.checked_sub(1) {
            let stop = self.at(rows, last, rows.range.end);
            (self.row, self.matches) = (stop.row, stop.matches);
        }
    }

    /// The stop position of a launch that consumed the rows before `at`.
    pub(super) fn stop_before(&self, rows: &TakenRows<'_, '_, '_>, at: usize) -> Stop {
        self.at(rows, at, at)
    }

    /// The source row of row `at`, and how many of its matches come before `end`.
    fn at(&self, rows: &TakenRows<'_, '_, '_>, at: usize, end: usize) -> Stop {
        let (row, first) = (rows.set.row(at), rows.range.start);
        let start = (first..at).rev().take_while(|&at| rows.set.row(at) == row).last().unwrap_or(at);
        let before = if start == first && self.row == row { self.matches } else { 0 };
        Stop { row, matches: before + rows.selected_count(start..end) }
    }
}

/// Skips the matches of row 0 that an earlier launch consumed.
pub(super) struct MatchSkip {
    /// The number of matches that are still to be skipped.
    pub(super) left: u64,
}

impl MatchSkip {
    /// The first row of a set that was not consumed.
    pub(super) fn first_row_of(&mut self, set: &RowSet<'_, '_>, selected: Option<&PoolColumn>) -> usize {
        let mut at = 0;
        while self.left > 0 && at < set.len() {
            if set.row(at) > 0 {
                self.left = 0;
                break;
            }
            self.left -= u64::from(selected.is_none_or(|selected| selected.word(at) == 1));
            at += 1;
        }
        at
    }
}
