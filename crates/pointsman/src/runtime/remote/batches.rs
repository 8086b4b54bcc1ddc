//! A stage that a device's memory does not hold at once, in batches of whole leaves: each copies in its rows, runs, and
//! hands its result to the [`Merger`]; then its buffers are given back.
//!
//! A batch for which there is no memory after all is halved, down to one leaf: at most as often as the rows can be
//! halved. Between batches the query may be cancelled.

use super::Run;
use super::footprint::{Footprint, Limit, batch_rows, no_room, output_types};
use super::merging::Merger;
use crate::error::{Error, Result};
use crate::runtime::memory::Few;
use crate::runtime::receipt::Phase;
use crate::runtime::resilience::retry::FailureClass;
use crate::runtime::results::Output;
use crate::runtime::transfer::Resident;
use pointsman_device::host::{Bits, BoolLayout, HostChunk};
use pointsman_device::{Form, Outcome};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::{DType, Repr};
use std::ops::Range;

/// Runs a stage in batches of at most so many rows. Its result is in the host's memory; `into` is the caller's for the
/// only column's values.
pub(super) fn run(run: &mut Run<'_, '_>, rows_max: usize, into: Option<&mut [u8]>) -> Result<Output> {
    let (step, job) = (run.step, run.job);
    run.stock.move_out(run.steps, run.port, job.pool)?;
    let rows = run.stock.rows_of(&step.stage, job);
    let mut merger = Merger::new(step, rows, job.pool, into)?;
    let form = merger.form();
    let mut size = batch_rows(step, job, run.port, run.stock, form)?.min(rows_max);
    let mut first = 0;
    loop {
        job.may_go_on()?;
        let end = rows.min(first + size);
        match run_batch(run, form, first..end) {
            Ok((columns, outcome)) => {
                merger.take(&columns, outcome, run.port)?;
                run.counts.batches += 1;
                job.reached(end, run.counts.batches, run.port.bytes_in + run.port.bytes_out);
                run.watch.lap(Phase::CopyOut);
            }
            Err(error) if FailureClass::of(&error) == FailureClass::OutOfMemory => {
                run.port.drain();
                size = halved(end - first).ok_or_else(|| out_of_memory(run, form, end - first, &error))?;
                continue;
            }
            Err(error) => return Err(error),
        }
        first = end;
        if first == rows {
            return merger.finish();
        }
    }
}

/// Half of a batch, in whole leaves; `None` if it has only one.
pub(super) fn halved(rows: usize) -> Option<usize> {
    let leaves = rows.div_ceil(LEAF_ROWS);
    (leaves > 1).then(|| leaves.div_ceil(2) * LEAF_ROWS)
}

/// The error of a batch that cannot be halved.
pub(super) fn out_of_memory(run: &Run<'_, '_>, form: Form, rows: usize, error: &Error) -> Error {
    let need = Footprint::of_batch(run.step, run.job, run.stock, form, rows);
    let limit = Limit::of(run.job, run.port, run.stock.held_bytes());
    no_room(run.step, rows, need, run.port, &format!("{limit} ({})", error.message()))
}

/// Copies in the rows of a batch and runs it; what it gave, on the device.
fn run_batch<'d>(run: &mut Run<'_, 'd>, form: Form, rows: Range<usize>) -> Result<(Vec<Resident<'d>>, Outcome)> {
    let (step, job) = (run.step, run.job);
    let stage = &step.stage;
    run.stock.send_lists(stage, job, run.port)?;
    let mut columns = Vec::with_capacity(stage.columns.len());
    for (&index, ty) in stage.columns.iter().zip(&stage.kernel.columns) {
        let pieces = slice(&run.stock.pieces(stage, index, job), ty.dtype, rows.clone());
        columns.push(run.port.send(&pieces, ty.dtype)?);
    }
    run.watch.lap(Phase::CopyIn);
    let types = output_types(step, form, rows.len());
    let output = types.map(|(ty, room)| run.port.room_for(ty, room)).collect::<Result<Vec<_>>>()?;
    run.launch(form, rows, Some(&columns), output)
}

/// Some rows of pieces.
fn slice<'a>(pieces: &[HostChunk<'a>], dtype: DType, rows: Range<usize>) -> Few<HostChunk<'a>> {
    let (mut before, mut some) = (0, Few::new());
    for piece in pieces {
        let from = rows.start.saturating_sub(before).min(piece.rows);
        let to = rows.end.saturating_sub(before).min(piece.rows);
        before += piece.rows;
        if from < to {
            some.push(part(piece, dtype, from..to));
        }
    }
    some
}

fn part<'a>(piece: &HostChunk<'a>, dtype: DType, rows: Range<usize>) -> HostChunk<'a> {
    let is_bits = dtype.repr() == Repr::Bool && piece.bools == BoolLayout::Bits;
    let (values, bit_offset) = match is_bits {
        true => (piece.values, piece.bit_offset + rows.start),
        // Numbers of rows are left out.
        false if piece.values.is_empty() => (piece.values, piece.bit_offset),
        false => (&piece.values[rows.start * dtype.repr().bytes()..], piece.bit_offset),
    };
    let validity = piece.validity.map(|bits| Bits { offset: bits.offset + rows.start, ..bits });
    HostChunk { values, bools: piece.bools, bit_offset, validity, rows: rows.len() }
}
