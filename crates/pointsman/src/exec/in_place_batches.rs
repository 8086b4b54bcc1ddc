//! Batches on a device that works in the host's memory: its columns are read where they are.

use crate::data::chunks::slice;
use crate::data::memory::{InlineVec, Pool};
use crate::data::output::Output;
use crate::error::Result;
use crate::exec::batch_source::{BatchSource, NextBatch};
use crate::exec::in_place::{CompiledStage, RunContext, begin, count, explain_fault};
use crate::exec::merge::HostBatch;
use crate::exec::merge::scans::ColumnBytes;
use crate::exec::on_device::footprint::output_types;
use crate::exec::sharing::table::Seat;
use crate::instrument::counters::RunCounters;
use crate::instrument::progress::LaunchObserver;
use pointsman_device::convert::value_bytes;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::{ColumnInput, ColumnOutput, Form, Launch, Outcome};
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::{LEAF_ROWS, Sink};
use pointsman_ir::types::{Scalar, Type};
use std::ops::Range;

/// The most rows of a batch beside others', and where there are none. Where its result takes memory of its own only for
/// folds, or none, it is one of so many parts of the stage if that is more: all threads come together at its end.
const BATCH_ROWS_MAX: usize = 1 << 22;
const BATCH_ROWS_MAX_ALONE: usize = 1 << 24;
const BATCHES_MIN: usize = 64;
const BATCHES_MIN_ALONE: usize = 8;

/// A stage as a device in the host's memory does it.
pub(in crate::exec) struct InPlaceStage<'l> {
    pub(in crate::exec) step: &'l CompiledStage,
    pub(in crate::exec) job: &'l RunContext<'l>,
    /// What earlier stages gave.
    pub(in crate::exec) done: &'l [Output],
    pub(in crate::exec) form: Form,
}

impl InPlaceStage<'_> {
    /// Runs the batches that are dealt.
    pub(in crate::exec) fn work(&self, seat: &mut Seat<'_, '_>, counts: &mut RunCounters) -> Result<()> {
        loop {
            let rows = match seat.next(most(&self.step.stage.kernel.sink, seat.outlook())) {
                NextBatch::Rows(rows) => rows,
                NextBatch::Later => {
                    seat.wait();
                    continue;
                }
                NextBatch::Nothing => return Ok(()),
            };
            match self.job.may_go_on().and_then(|()| self.batch(&rows, seat, counts)) {
                Ok(()) => self.job.did_batch(rows.len(), 0),
                Err(error) => {
                    seat.take_back(rows.clone());
                    seat.failed(&rows, error)?;
                }
            }
        }
    }

    /// Runs a batch into its places in the result, or into memory of its own.
    fn batch(&self, rows: &Range<usize>, seat: &Seat<'_, '_>, counts: &mut RunCounters) -> Result<()> {
        if let Some(mut places) = seat.places(rows) {
            let of = (self.step, self.job);
            let ran = launch(of, self.form, rows.clone(), &self.slices(rows), &mut places.outputs(), counts);
            let ran = ran.and_then(|outcome| places.check(outcome));
            return seat.fill(rows, places, ran);
        }
        let parcel = run_here((self.step, self.job), self.form, rows.clone(), &self.slices(rows), counts)?;
        seat.put(rows, parcel)
    }

    /// Some rows of the stage's columns.
    fn slices(&self, rows: &Range<usize>) -> Vec<InlineVec<HostChunk<'_>>> {
        let columns = self.step.stage.columns.iter().zip(&self.step.stage.kernel.columns);
        columns.map(|(&index, ty)| slice(&self.pieces(index), ty.dtype, rows.clone())).collect()
    }

    fn pieces(&self, index: u32) -> InlineVec<HostChunk<'_>> {
        match self.step.stage.input {
            StageInput::Source(_) => self.job.inputs[index as usize].pieces(),
            StageInput::Stage(number) => [self.done[number].columns[index as usize].chunk()].into_iter().collect(),
        }
    }
}

/// The most rows of a batch, of so many rows of a stage; whether nobody else works.
fn most(sink: &Sink, (rows, is_alone): (usize, bool)) -> usize {
    let (usual, parts) = match is_alone {
        true => (BATCH_ROWS_MAX_ALONE, BATCHES_MIN_ALONE),
        false => (BATCH_ROWS_MAX, BATCHES_MIN),
    };
    if sink.batches_are_cheap() { usual.max((rows / parts).next_multiple_of(LEAF_ROWS)) } else { usual }
}

/// Runs a stage over some rows, which lie in these pieces, on a device that reads them where they are.
pub(crate) fn run_here(
    of: (&CompiledStage, &RunContext<'_>),
    form: Form,
    rows: Range<usize>,
    pieces: &[InlineVec<HostChunk<'_>>],
    counts: &mut RunCounters,
) -> Result<HostBatch> {
    let types: Vec<(Type, usize)> = output_types(of.0, form, rows.len()).collect();
    let memory = types.iter().map(|&(ty, room)| memory_for(ty, room, of.1.pool));
    let mut columns = memory.collect::<Result<Vec<ColumnBytes>>>()?;
    let mut outputs: InlineVec<ColumnOutput<'_>> = InlineVec::new();
    for ((values, bitmap), &(ty, room)) in columns.iter_mut().zip(&types) {
        let values = &mut values[..value_bytes(ty, BoolLayout::Bits, room)];
        let validity = ty.nullable.then(|| &mut bitmap[..room.div_ceil(8)]);
        outputs.push(ColumnOutput::Host { values, bools: BoolLayout::Bits, validity });
    }
    let read = rows.len();
    let outcome = launch(of, form, rows, pieces, &mut outputs, counts)?;
    drop(outputs);
    Ok(HostBatch { columns, outcome, read })
}

/// The session's memory for so many rows of a type, with room behind.
fn memory_for(ty: Type, rows: usize, pool: &Pool) -> Result<ColumnBytes> {
    let bitmap = if ty.nullable { rows.div_ceil(8) } else { 0 };
    Ok((pool.take(value_bytes(ty, BoolLayout::Bits, rows))?, pool.take(bitmap)?))
}

/// RunCounters the bytes that a launch wrote.
fn count_written(
    counts: &mut RunCounters,
    step: &CompiledStage,
    form: Form,
    outputs: &[ColumnOutput<'_>],
    outcome: Outcome,
) {
    let row_columns = match form {
        Form::Whole => usize::MAX,
        Form::Partial => step.stage.kernel.partial().rows.len(),
    };
    for (number, ((ty, _), output)) in output_types(step, form, 0).zip(outputs).enumerate() {
        let rows = if number < row_columns { outcome.rows } else { outcome.nodes };
        let bools = match output {
            ColumnOutput::Host { bools, .. } => *bools,
            ColumnOutput::Device { .. } => BoolLayout::Bits,
        };
        let bitmap = if ty.nullable { rows.div_ceil(8) } else { 0 };
        counts.bytes_written += (value_bytes(ty, bools, rows) + bitmap) as u64;
    }
}

/// Launches a stage over some rows, which lie in these pieces, and waits for it.
fn launch(
    (step, job): (&CompiledStage, &RunContext<'_>),
    form: Form,
    rows: Range<usize>,
    pieces: &[InlineVec<HostChunk<'_>>],
    outputs: &mut [ColumnOutput<'_>],
    counts: &mut RunCounters,
) -> Result<Outcome> {
    let stage = &step.stage;
    let columns: InlineVec<ColumnInput<'_>> = pieces.iter().map(|pieces| ColumnInput::Host(pieces)).collect();
    let list_chunks = stage.lists.iter().map(|id| job.lists[id.index()].values.chunk());
    let list_chunks: InlineVec<HostChunk<'_>> = list_chunks.collect();
    let lists = list_chunks.iter().map(|chunk| ColumnInput::Host(std::slice::from_ref(chunk)));
    let lists: InlineVec<ColumnInput<'_>> = lists.collect();
    let params: InlineVec<Option<Scalar>> = stage.params.iter().map(|id| job.params[id.index()]).collect();
    let pieces: InlineVec<&[HostChunk<'_>]> = pieces.iter().map(|pieces| &pieces[..]).collect();
    let (first_row, tables) = (rows.start as u64, &[][..]);
    let (columns, lists, params) = (&columns[..], &lists[..], &params[..]);
    let mut launch = Launch { first_row, rows: rows.len(), form, columns, params, lists, tables, outputs };
    // The batch tells its rows when it is done.
    let lookout = job.lookout().map(|lookout| LaunchObserver { reporter: None, ..lookout });
    let outcome = begin(&step.program, job.lease.stream, &mut launch, lookout.as_ref())?.wait(job.time)?;
    if let Some(faulted) = outcome.fault {
        return Err(explain_fault(stage, faulted, (rows.start, &pieces), params, &list_chunks));
    }
    // Captured tables are read in every batch, and counted once.
    count(counts, stage, &pieces, if rows.start == 0 { &list_chunks } else { &[] });
    count_written(counts, step, form, outputs, outcome);
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::error::ErrorKind;
    use pointsman_device::HostPool;
    use pointsman_ir::types::DType;
    use std::sync::Arc;

    /// Results that need memory of their own come in small batches, others in few.
    #[test]
    fn batches_are_few_where_nothing_speaks_against_it() {
        let (fold, kept) = (Sink::Reduce { folds: Vec::new() }, Sink::Compact { columns: Vec::new() });
        let leaves = |count| count * LEAF_ROWS;
        let odd = (1_000_000_007, leaves(3815), leaves(30518));
        for (rows, beside, alone) in [(1 << 20, 1 << 22, 1 << 24), (2 << 30, 1 << 25, 1 << 28), odd] {
            assert_eq!((most(&fold, (rows, false)), most(&fold, (rows, true))), (beside, alone), "{rows} rows");
            assert_eq!((most(&kept, (rows, false)), most(&kept, (rows, true))), (1 << 22, 1 << 24), "{rows} rows");
        }
    }

    #[test]
    fn memory_is_the_sessions() {
        let pool = Pool::new(Arc::new(HostPool::new(1 << 20)));
        for nullable in [false, true] {
            let error = memory_for(Type { dtype: DType::I64, nullable }, 1 << 58, &pool).map(drop).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfMemory);
            assert!(error.to_string().contains(&format!("{} bytes", 8u64 << 58)), "{error}");
        }
        let memory = memory_for(Type { dtype: DType::I64, nullable: true }, 1 << 15, &pool).unwrap();
        assert!(memory.1.len() >= 1 << 12 && pool.counters().outstanding_bytes >= 65 << 12, "{:?}", pool.counters());
        assert!(memory_for(Type { dtype: DType::I64, nullable: false }, 1 << 17, &pool).is_err(), "beyond the limit");
        drop(memory);
        assert_eq!(pool.counters().outstanding_bytes, 0);
    }
}
