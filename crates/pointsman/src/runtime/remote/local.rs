//! Batches on a device that works in the host's memory: its columns are read where they are.

use super::batches::Deal;
use super::footprint::output_types;
use super::merging::Parcel;
use super::scans::Bytes;
use super::table::Seat;
use crate::error::Result;
use crate::runtime::executor::{Job, Step, begin, explain_fault};
use crate::runtime::memory::Few;
use crate::runtime::pieces::slice;
use crate::runtime::receipt::Counts;
use crate::runtime::results::Output;
use pointsman_device::convert::value_bytes;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::{ColumnInput, ColumnOutput, Form, Launch};
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
            let ran = self.job.may_go_on().and_then(|()| self.batch(rows.clone(), counts));
            match ran {
                Ok(parcel) => seat.put(&rows, parcel)?,
                Err(error) => {
                    seat.take_back(rows.clone());
                    seat.failed(&rows, error)?;
                }
            }
            counts.batches += 1;
        }
        Ok(())
    }

    fn pieces(&self, index: u32) -> Few<HostChunk<'_>> {
        match self.step.stage.input {
            StageInput::Source(_) => self.job.inputs[index as usize].pieces(),
            StageInput::Stage(number) => [self.done[number].columns[index as usize].chunk()].into_iter().collect(),
        }
    }

    fn batch(&self, rows: Range<usize>, counts: &mut Counts) -> Result<Parcel> {
        let columns = self.step.stage.columns.iter().zip(&self.step.stage.kernel.columns);
        let some = columns.map(|(&index, ty)| slice(&self.pieces(index), ty.dtype, rows.clone()));
        let some: Vec<Few<HostChunk<'_>>> = some.collect();
        run_here((self.step, self.job), self.form, rows, &some, counts)
    }
}

/// Runs a stage over some rows, on a device that reads them where they are.
pub(crate) fn run_here(
    (step, job): (&Step, &Job<'_>),
    form: Form,
    rows: Range<usize>,
    pieces: &[Few<HostChunk<'_>>],
    counts: &mut Counts,
) -> Result<Parcel> {
    let stage = &step.stage;
    let columns: Few<ColumnInput<'_>> = pieces.iter().map(|pieces| ColumnInput::Host(pieces)).collect();
    let list_chunks: Few<HostChunk<'_>> = stage.lists.iter().map(|id| job.lists[id.index()].values.chunk()).collect();
    let lists: Few<ColumnInput<'_>> =
        list_chunks.iter().map(|chunk| ColumnInput::Host(std::slice::from_ref(chunk))).collect();
    let params: Few<Option<Scalar>> = stage.params.iter().map(|id| job.params[id.index()]).collect();
    let types: Vec<(Type, usize)> = output_types(step, form, rows.len()).collect();
    let mut room: Vec<Bytes> = types.iter().map(memory).collect();
    let mut outputs: Few<ColumnOutput<'_>> = Few::new();
    for ((values, bitmap), (ty, _)) in room.iter_mut().zip(&types) {
        let validity = ty.nullable.then_some(&mut bitmap[..]);
        outputs.push(ColumnOutput::Host { values, bools: BoolLayout::Bits, validity });
    }
    let (first_row, count, tables) = (rows.start as u64, rows.len(), &[][..]);
    let (columns, lists, params) = (&columns[..], &lists[..], &params[..]);
    let mut launch = Launch { first_row, rows: count, form, columns, params, lists, tables, outputs: &mut outputs };
    let outcome = begin(&step.program, job.lease.stream, &mut launch)?.wait(job.time)?;
    drop(outputs);
    if let Some(faulted) = outcome.fault {
        let pieces: Few<&[HostChunk<'_>]> = pieces.iter().map(|pieces| &pieces[..]).collect();
        return Err(explain_fault(stage, faulted, (rows.start, &pieces), params, &list_chunks));
    }
    counts.bytes_written += room.iter().map(|(values, bitmap)| (values.len() + bitmap.len()) as u64).sum::<u64>();
    Ok(Parcel { columns: room, outcome })
}

fn memory(&(ty, room): &(Type, usize)) -> Bytes {
    (vec![0; value_bytes(ty, BoolLayout::Bits, room)], vec![0; if ty.nullable { room.div_ceil(8) } else { 0 }])
}
