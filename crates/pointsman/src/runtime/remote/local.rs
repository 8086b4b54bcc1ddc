//! Batches of a shared stage on a device that works in the host's memory: its columns are read where they are.

use super::batches::{Deal, slice};
use super::footprint::output_types;
use super::merging::Parcel;
use super::scans::Bytes;
use super::table::Seat;
use crate::error::Result;
use crate::runtime::executor::{Job, Step, begin, count, explain_fault};
use crate::runtime::memory::Few;
use crate::runtime::receipt::Counts;
use crate::runtime::results::Output;
use pointsman_device::convert::value_bytes;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::{ColumnInput, ColumnOutput, Form, Launch, Outcome};
use pointsman_ir::fuse::StageInput;
use pointsman_ir::types::{Scalar, Type};
use std::ops::Range;

/// The most rows of a batch.
const BATCH_ROWS_MAX: usize = 1 << 22;

/// A stage as a device in the host's memory does it.
pub(super) struct Local<'l> {
    pub(super) step: &'l Step,
    pub(super) job: &'l Job<'l>,
    /// What earlier stages gave.
    pub(super) done: &'l [Output],
    pub(super) form: Form,
}

impl Local<'_> {
    /// Runs the batches that are dealt.
    pub(super) fn work(&self, seat: &mut Seat<'_, '_>, counts: &mut Counts) -> Result<()> {
        while let Some(rows) = seat.next(BATCH_ROWS_MAX) {
            let ran = self.job.may_go_on().and_then(|()| self.batch(&rows, seat, counts));
            if let Err(error) = ran {
                seat.take_back(rows.clone());
                seat.failed(&rows, error)?;
            }
        }
        Ok(())
    }

    /// Runs a batch into its places in the result, or into memory of its own.
    fn batch(&self, rows: &Range<usize>, seat: &Seat<'_, '_>, counts: &mut Counts) -> Result<()> {
        if let Some(mut places) = seat.places(rows) {
            let ran = self.launch(rows.clone(), &mut places.outputs(), counts);
            let ran = ran.and_then(|outcome| places.check(outcome));
            return seat.fill(rows, places, ran);
        }
        let types: Vec<(Type, usize)> = output_types(self.step, self.form, rows.len()).collect();
        let memory = |&(ty, room): &(Type, usize)| {
            (vec![0; value_bytes(ty, BoolLayout::Bits, room)], vec![0; if ty.nullable { room.div_ceil(8) } else { 0 }])
        };
        let mut columns: Vec<Bytes> = types.iter().map(memory).collect();
        let mut outputs: Few<ColumnOutput<'_>> = Few::new();
        for ((values, bitmap), (ty, _)) in columns.iter_mut().zip(&types) {
            let validity = ty.nullable.then_some(&mut bitmap[..]);
            outputs.push(ColumnOutput::Host { values, bools: BoolLayout::Bits, validity });
        }
        let outcome = self.launch(rows.clone(), &mut outputs, counts)?;
        drop(outputs);
        seat.put(rows, Parcel { columns, outcome })
    }

    fn pieces(&self, index: u32) -> Few<HostChunk<'_>> {
        match self.step.stage.input {
            StageInput::Source(_) => self.job.inputs[index as usize].pieces(),
            StageInput::Stage(number) => [self.done[number].columns[index as usize].chunk()].into_iter().collect(),
        }
    }

    /// Launches the stage over some rows and waits for it.
    fn launch(&self, rows: Range<usize>, outputs: &mut [ColumnOutput<'_>], counts: &mut Counts) -> Result<Outcome> {
        let (stage, job) = (&self.step.stage, self.job);
        let whole: Vec<Few<HostChunk<'_>>> = stage.columns.iter().map(|&index| self.pieces(index)).collect();
        let whole: Few<&[HostChunk<'_>]> = whole.iter().map(|pieces| &pieces[..]).collect();
        let types = stage.kernel.columns.iter();
        let some: Vec<Few<HostChunk<'_>>> =
            whole.iter().zip(types).map(|(pieces, ty)| slice(pieces, ty.dtype, rows.clone())).collect();
        let columns: Few<ColumnInput<'_>> = some.iter().map(|pieces| ColumnInput::Host(pieces)).collect();
        let list_chunks = stage.lists.iter().map(|id| job.lists[id.index()].values.chunk());
        let list_chunks: Few<HostChunk<'_>> = list_chunks.collect();
        let lists = list_chunks.iter().map(|chunk| ColumnInput::Host(std::slice::from_ref(chunk)));
        let lists: Few<ColumnInput<'_>> = lists.collect();
        let params: Few<Option<Scalar>> = stage.params.iter().map(|id| job.params[id.index()]).collect();
        let some: Few<&[HostChunk<'_>]> = some.iter().map(|pieces| &pieces[..]).collect();
        count(counts, stage, &some, if rows.start == 0 { &list_chunks } else { &[] });
        let (first_row, rows, form) = (rows.start as u64, rows.len(), self.form);
        let (columns, lists, tables) = (&columns[..], &lists[..], &[][..]);
        let mut launch = Launch { first_row, rows, form, columns, params: &params, lists, tables, outputs };
        let outcome = begin(&self.step.program, job.lease.stream, &mut launch)?.wait(job.time)?;
        if let Some(faulted) = outcome.fault {
            return Err(explain_fault(stage, faulted, &whole, &params, &list_chunks));
        }
        counts.bytes_written += self.written(outcome);
        Ok(outcome)
    }

    /// The bytes that a launch wrote.
    fn written(&self, outcome: Outcome) -> u64 {
        let row_columns = match self.form {
            Form::Whole => usize::MAX,
            Form::Partial => self.step.stage.kernel.partial().rows.len(),
        };
        let bytes = |(number, (ty, _)): (usize, (Type, usize))| {
            let rows = if number < row_columns { outcome.rows } else { outcome.nodes };
            value_bytes(ty, BoolLayout::Bits, rows) + if ty.nullable { rows.div_ceil(8) } else { 0 }
        };
        output_types(self.step, self.form, 0).enumerate().map(|column| bytes(column) as u64).sum()
    }
}
