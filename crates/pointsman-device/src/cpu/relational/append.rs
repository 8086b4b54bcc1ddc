//! Appends rows to the outputs, in order, until they are full.

use super::columns::append;
use super::progress::{LaunchProgress, MatchCounter, TakenRows};
use super::run::RelationalRun;
use crate::DeviceResult;
use crate::cpu::output::ColumnWriter;
use crate::sync::Mutex;

/// Appends rows to the outputs of a launch.
pub(super) struct AppendSink {
    room: usize,
    rows: usize,
    counter: MatchCounter,
}

impl AppendSink {
    /// Creates a sink with room for `room` rows.
    pub(super) fn new(room: usize, first_match: u64) -> AppendSink {
        AppendSink { room, rows: 0, counter: MatchCounter::new(first_match) }
    }

    /// The number of rows appended so far.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Runs the last program over `rows` and appends its result.
    pub(super) fn take(
        &mut self,
        run: &RelationalRun<'_>,
        rows: &TakenRows<'_, '_, '_>,
        outs: &mut [ColumnWriter<'_>],
    ) -> DeviceResult<LaunchProgress> {
        run.rows_of(rows, |batch| {
            let fits = batch.rows.min(self.room - self.rows);
            let columns: Vec<_> = outs.iter_mut().zip(&batch.columns[1..]).map(Mutex::new).collect();
            run.context.tasks(columns.len(), |task| {
                let (out, column) = &mut *columns[task].lock();
                append(out, column, fits);
                Ok(())
            })?;
            drop(columns);
            self.rows += fits;
            if fits == batch.rows {
                self.counter.pass(rows);
                return Ok(LaunchProgress::Continue);
            }
            let at = (batch.columns[0].word(fits) - rows.set.part_first_row()) as usize;
            Ok(LaunchProgress::Full(self.counter.stop_before(rows, at)))
        })
    }
}
