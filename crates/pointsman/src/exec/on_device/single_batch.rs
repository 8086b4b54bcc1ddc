//! One batch by itself on a device with memory of its own: what it reads is copied in, what it gives is copied out, and
//! nothing stays there.

use crate::data::memory::InlineVec;
use crate::devices::transfer::{DeviceColumn, TransferStream};
use crate::error::Result;
use crate::exec::in_place::{CompiledStage, RunContext, begin, count, explain_fault};
use crate::exec::merge::HostBatch;
use crate::exec::on_device::batch_download::{BatchDownload, HostDestination};
use crate::exec::on_device::footprint::{Footprint, Limit, no_room, room_for_outputs};
use crate::instrument::counters::RunCounters;
use pointsman_device::host::HostChunk;
use pointsman_device::{ColumnInput, ColumnOutput, Form, Launch, Outcome};
use pointsman_ir::types::Scalar;
use std::ops::Range;

/// Runs a stage over some rows, which lie in these pieces.
pub(crate) fn run_there(
    (step, job): (&CompiledStage, &RunContext<'_>),
    form: Form,
    rows: Range<usize>,
    pieces: &[InlineVec<HostChunk<'_>>],
    counts: &mut RunCounters,
) -> Result<HostBatch> {
    let mut port = TransferStream::new(&*step.program.device, job.lease.stream, job.time);
    let (need, limit) = (Footprint::of_pieces(step, job, pieces, form, rows.len()), Limit::of(job, &port, 0));
    if !limit.holds(&need) {
        return Err(no_room(step, rows.len(), need, &port, &limit.to_string()));
    }
    let read = rows.len();
    let ran = run(&mut port, (step, job), form, rows, pieces, counts);
    if ran.is_err() {
        // What is queued may still use what is given back now.
        port.drain();
    }
    counts.bytes_moved_in += port.bytes_in;
    let (columns, outcome) = ran?;
    let mut berths: Vec<HostDestination<'_>> =
        columns.iter().map(|column| HostDestination::new(column, job.pool)).collect::<Result<_>>()?;
    let quay = BatchDownload { device: port.device, stream: port.stream, time: job.time, pool: job.pool };
    counts.bytes_moved_out += quay.land(&columns, &mut berths, None)?;
    Ok(HostBatch { columns: berths.into_iter().map(HostDestination::into_bytes).collect(), outcome, read })
}

/// Copies in and launches; the columns that were written.
fn run<'d>(
    port: &mut TransferStream<'d>,
    (step, job): (&CompiledStage, &RunContext<'_>),
    form: Form,
    rows: Range<usize>,
    pieces: &[InlineVec<HostChunk<'_>>],
    counts: &mut RunCounters,
) -> Result<(Vec<DeviceColumn<'d>>, Outcome)> {
    let (stage, kernel) = (&step.stage, &step.stage.kernel);
    let columns = pieces.iter().zip(&kernel.columns).map(|(pieces, ty)| port.send(pieces, ty.dtype));
    let columns: Vec<DeviceColumn<'d>> = columns.collect::<Result<_>>()?;
    let list_chunks: InlineVec<HostChunk<'_>> =
        stage.lists.iter().map(|id| job.lists[id.index()].values.chunk()).collect();
    let lists = list_chunks.iter().zip(&kernel.lists).map(|(chunk, dtype)| port.send(&[*chunk], *dtype));
    let lists: Vec<DeviceColumn<'d>> = lists.collect::<Result<_>>()?;
    let mut output = room_for_outputs(port, step, form, rows.len())?;
    let pieces: InlineVec<&[HostChunk<'_>]> = pieces.iter().map(|pieces| &pieces[..]).collect();
    let params: InlineVec<Option<Scalar>> = stage.params.iter().map(|id| job.params[id.index()]).collect();
    let inputs = columns.iter().zip(&kernel.columns).map(|(column, ty)| column.input(ty.nullable));
    let inputs: InlineVec<ColumnInput<'_>> = inputs.collect();
    let lists: InlineVec<ColumnInput<'_>> = lists.iter().map(|list| list.input(false)).collect();
    let mut outputs: InlineVec<ColumnOutput<'_>> = output.iter().map(DeviceColumn::output).collect();
    let (first_row, tables, outputs) = (rows.start as u64, &[][..], &mut outputs[..]);
    let (columns, lists, params) = (&inputs[..], &lists[..], &params[..]);
    let mut launch = Launch { first_row, rows: rows.len(), form, columns, params, lists, tables, outputs };
    let outcome = begin(&step.program, port.stream, &mut launch, None)?.wait(job.time)?;
    if let Some(faulted) = outcome.fault {
        return Err(explain_fault(stage, faulted, (rows.start, &pieces), params, &list_chunks));
    }
    let row_columns = match form {
        Form::Whole => output.len(),
        Form::Partial => kernel.partial().rows.len(),
    };
    for (number, column) in output.iter_mut().enumerate() {
        column.rows = if number < row_columns { outcome.rows } else { outcome.nodes };
    }
    // Captured tables are read in every batch, and counted once.
    count(counts, stage, &pieces, if rows.start == 0 { &list_chunks } else { &[] });
    counts.bytes_written += output.iter().map(DeviceColumn::bytes).sum::<u64>();
    Ok((output, outcome))
}
