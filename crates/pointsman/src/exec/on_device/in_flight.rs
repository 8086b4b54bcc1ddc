//! [`InFlightLaunch`]: a launch of a stage over some rows that is under way, with the memory it reads and writes.

use super::DeviceStage;
use crate::data::memory::InlineVec;
use crate::devices::transfer::DeviceColumn;
use crate::error::Result;
use crate::exec::in_place::{PendingLaunch, begin};
use crate::exec::on_device::footprint::room_for_outputs;
use crate::instrument::phase::Phase;
use pointsman_device::{ColumnInput, ColumnOutput, Form, Launch, Outcome, StreamId};
use pointsman_ir::types::Scalar;
use std::ops::Range;
use std::time::Duration;

/// A launch under way.
pub(in crate::exec) struct InFlightLaunch<'d> {
    /// Goes first: a launch is forgotten before what it uses is given back.
    ticket: PendingLaunch<'d>,
    form: Form,
    /// Its columns, where they are nobody else's.
    _batch: Option<Vec<DeviceColumn<'d>>>,
    /// The columns that it writes, with all the rows that there is room for.
    pub(in crate::exec) output: Vec<DeviceColumn<'d>>,
    pub(in crate::exec) stream: StreamId,
    /// The bytes that it reads.
    pub(in crate::exec) read: u64,
}

impl InFlightLaunch<'_> {
    /// Waits so long for the launch. After a timeout it can be waited for again.
    pub(in crate::exec) fn glance(&mut self, patience: Duration) -> Result<()> {
        self.ticket.glance(patience)
    }
}

impl<'d> DeviceStage<'_, 'd> {
    /// Queues a launch over some rows, on the port's stream: over these columns, or over the stock's.
    pub(in crate::exec) fn depart(
        &mut self,
        form: Form,
        rows: Range<usize>,
        batch: Option<Vec<DeviceColumn<'d>>>,
    ) -> Result<InFlightLaunch<'d>> {
        let (stage, job) = (&self.step.stage, self.job);
        let output = room_for_outputs(self.port, self.step, form, rows.len())?;
        let columns = batch.as_ref().map_or_else(|| self.stock.columns_of(stage), |batch| batch.iter().collect());
        let lists = self.stock.lists_of(stage);
        // Captured tables are read in every batch, and counted once.
        let read_lists = lists.iter().filter(|_| rows.start == 0);
        let read = columns.iter().chain(read_lists).map(|column| column.bytes()).sum::<u64>();
        let nullable = stage.kernel.columns.iter().map(|ty| ty.nullable);
        let columns: InlineVec<ColumnInput<'_>> =
            columns.iter().zip(nullable).map(|(one, nulls)| one.input(nulls)).collect();
        let lists: InlineVec<ColumnInput<'_>> = lists.iter().map(|list| list.input(false)).collect();
        let params: InlineVec<Option<Scalar>> = stage.params.iter().map(|id| job.params[id.index()]).collect();
        let mut outputs: InlineVec<ColumnOutput<'_>> = output.iter().map(DeviceColumn::output).collect();
        self.watch.lap(Phase::Bind);
        let (first_row, rows, tables, stream) = (rows.start as u64, rows.len(), &[][..], self.port.stream);
        let (columns, lists, params, outputs) = (&columns[..], &lists[..], &params[..], &mut outputs[..]);
        let mut launch = Launch { first_row, rows, form, columns, params, lists, tables, outputs };
        let ticket = begin(&self.step.program, stream, &mut launch, None)?;
        Ok(InFlightLaunch { ticket, form, _batch: batch, output, stream, read })
    }

    /// RunCounters the bytes that a launch read and wrote whose result is used.
    pub(in crate::exec) fn count(&mut self, read: u64, written: &[DeviceColumn<'_>]) {
        self.counts.bytes_read += read;
        self.counts.bytes_written += written.iter().map(DeviceColumn::bytes).sum::<u64>();
    }

    /// Waits for a launch: the columns that it wrote.
    pub(in crate::exec) fn arrive(&mut self, flight: InFlightLaunch<'d>) -> Result<(Vec<DeviceColumn<'d>>, Outcome)> {
        let InFlightLaunch { ticket, form, mut output, .. } = flight;
        let outcome = ticket.wait(self.job.time)?;
        self.watch.lap(Phase::Run);
        if let Some(faulted) = outcome.fault {
            return Err(self.explain(faulted));
        }
        let row_columns = match form {
            Form::Whole => output.len(),
            Form::Partial => self.step.stage.kernel.partial().rows.len(),
        };
        for (number, column) in output.iter_mut().enumerate() {
            column.rows = if number < row_columns { outcome.rows } else { outcome.nodes };
        }
        Ok((output, outcome))
    }
}
