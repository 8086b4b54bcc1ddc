//! Runs the stages of a compiled query on a device that works in the host's memory: finds memory for each, launches it,
//! feeds its output to the next. Devices with memory of their own: `remote.rs`. Stages that memory does not hold at once:
//! `bounded.rs`.
//!
//! Borrowed inputs are read in place by a device that has finished with them when `launch` returns; nothing here outlives
//! the call. A fault in a row is evaluated again by the interpreter, which says what happened.

pub(crate) use super::context::{QueryContext, RunContext, TimeLimit};

use crate::data::memory::{InlineVec, Pool, Pooled};
use crate::data::output::{Output, ResultColumn, cell};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::spilled;
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::instrument::progress::LaunchObserver;
use crate::resilience::retry::FailureClass;
use crate::telemetry;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::launch::{FaultLocation, capacity};
use pointsman_device::{
    ColumnInput, ColumnOutput, Device, DeviceErrorKind, Form, Launch, LaunchId, LaunchStatus, Outcome, ProgramId,
    StreamId,
};
use pointsman_ir::data::ColumnData;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::interpret;
use pointsman_ir::types::{Scalar, Type};
use std::sync::Arc;
use std::time::Duration;

/// A program loaded into a device, unloaded when nobody needs it any more.
pub(crate) struct Program {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) id: ProgramId,
}

impl Drop for Program {
    fn drop(&mut self) {
        self.device.unload(self.id);
    }
}

/// A stage, ready to run.
pub(crate) struct CompiledStage {
    pub(crate) stage: Stage,
    pub(crate) output: Vec<Type>,
    pub(crate) program: Arc<Program>,
}

/// Runs all stages; puts the last one's columns into `last`, and what it counted where it is told. `into` is the caller's memory for the only column's values.
pub(crate) fn execute(
    steps: &[CompiledStage],
    job: &RunContext<'_>,
    mut into: Option<&mut [u8]>,
    watch: &mut PhaseTimer,
    (last, counts): (&mut Output, &mut RunCounters),
) -> Result<()> {
    *counts = RunCounters { rows_in: job.rows, ..RunCounters::default() };
    let (end, before) = steps.split_last().ok_or_else(|| Error::internal("a query without a stage"))?;
    let mut done: Vec<Output> = Vec::new();
    for (number, step) in before.iter().enumerate() {
        job.begin(number, stage_rows(&step.stage, job, &done));
        let mut output = Output::default();
        match run_step(step, (job, &done), None, &mut output, counts, watch) {
            Ok(()) => done.push(output),
            Err(error) if is_refused(&error) => {
                drop(output);
                return spilled::execute(steps, (job, done, &error), into, watch, (last, counts));
            }
            Err(error) => return Err(error.in_stage(number)),
        }
        job.end(number + 1, 0);
        job.may_go_on()?;
    }
    job.begin(before.len(), stage_rows(&end.stage, job, &done));
    match run_step(end, (job, &done), into.as_deref_mut(), last, counts, watch) {
        Ok(()) => {}
        Err(error) if is_refused(&error) => {
            return spilled::execute(steps, (job, done, &error), into, watch, (last, counts));
        }
        Err(error) => return Err(error.in_stage(before.len())),
    }
    counts.rows_out = last.rows;
    counts.batches = steps.len();
    job.end(counts.batches, 0);
    Ok(())
}

/// Whether there was no memory: then the stage may run in batches.
#[cold]
fn is_refused(error: &Error) -> bool {
    FailureClass::of(error) == FailureClass::OutOfMemory
}

/// How many rows a stage reads.
fn stage_rows(stage: &Stage, job: &RunContext<'_>, done: &[Output]) -> usize {
    match stage.input {
        StageInput::Source(_) => job.rows,
        StageInput::Stage(number) => done[number].rows,
    }
}

/// Binds and launches one stage. What is bound is built where it stays: moving it costs more than a small launch.
fn run_step(
    step: &CompiledStage,
    (job, done): (&RunContext<'_>, &[Output]),
    into: Option<&mut [u8]>,
    output: &mut Output,
    counts: &mut RunCounters,
    watch: &mut PhaseTimer,
) -> Result<()> {
    let _span = telemetry::stage_span(step);
    let stage = &step.stage;
    if !stage.tables.is_empty() {
        return Err(Error::unsupported("joins cannot run yet"));
    }
    let mut owned: InlineVec<HostChunk<'_>> = InlineVec::new();
    own_chunks(stage, job, done).for_each(|chunk| owned.push(chunk));
    let mut pieces: InlineVec<&[HostChunk<'_>]> = InlineVec::new();
    bind_columns(stage, job, &owned, &mut pieces);
    let mut list_chunks: InlineVec<HostChunk<'_>> = InlineVec::new();
    list_chunks.extend(stage.lists.iter().map(|id| job.lists[id.index()].values.chunk()));
    let mut columns: InlineVec<ColumnInput<'_>> = InlineVec::new();
    columns.extend(pieces.iter().map(|&pieces| ColumnInput::Host(pieces)));
    let mut lists: InlineVec<ColumnInput<'_>> = InlineVec::new();
    lists.extend(list_chunks.iter().map(|chunk| ColumnInput::Host(std::slice::from_ref(chunk))));
    let mut some_params: InlineVec<Option<Scalar>> = InlineVec::new();
    let params = bind_params(stage, job.params, &mut some_params);
    let rows = stage_rows(stage, job, done);
    let room = capacity(&stage.kernel, Form::Whole, rows).0;
    allocate(&step.output, room, into.is_some(), job.pool, output)?;
    let mut outputs: InlineVec<ColumnOutput<'_>> = InlineVec::new();
    bind_outputs(&mut output.columns, room, into, &mut outputs);
    watch.lap(Phase::Bind);
    let mut launch = Launch {
        first_row: 0,
        rows,
        form: Form::Whole,
        columns: &columns,
        params,
        lists: &lists,
        tables: &[],
        outputs: &mut outputs,
    };
    let outcome = finish(&step.program, job, &mut launch)?;
    watch.lap(Phase::Run);
    drop(outputs);
    if let Some(faulted) = outcome.fault {
        return Err(explain_fault(stage, faulted, (0, &pieces), params, &list_chunks));
    }
    count(counts, stage, &pieces, &list_chunks);
    output.rows = outcome.rows;
    output.columns.iter_mut().for_each(|column| column.rows = outcome.rows);
    counts.bytes_written += output.columns.iter().map(|column| column.bytes() as u64).sum::<u64>();
    Ok(())
}

/// RunCounters the bytes that a stage read.
pub(crate) fn count(counts: &mut RunCounters, stage: &Stage, columns: &[&[HostChunk<'_>]], lists: &[HostChunk<'_>]) {
    let columns = columns.iter().zip(&stage.kernel.columns).map(|(pieces, ty)| bytes_of(pieces, *ty));
    let lists = lists.iter().zip(&stage.kernel.lists);
    let lists = lists.map(|(chunk, dtype)| bytes_of(std::slice::from_ref(chunk), dtype.required()));
    counts.bytes_read += columns.chain(lists).sum::<u64>();
}

/// The pieces of a stage's columns that nobody lends: those of owned columns and of earlier stages, in order.
fn own_chunks<'a>(
    stage: &'a Stage,
    job: &'a RunContext<'a>,
    done: &'a [Output],
) -> impl Iterator<Item = HostChunk<'a>> {
    stage.columns.iter().filter_map(move |&index| match stage.input {
        StageInput::Source(_) => job.inputs[index as usize].owned_chunk(),
        StageInput::Stage(number) => Some(done[number].columns[index as usize].chunk()),
    })
}

/// The pieces of each column of a stage.
fn bind_columns<'a>(
    stage: &Stage,
    job: &'a RunContext<'a>,
    owned: &'a [HostChunk<'a>],
    pieces: &mut InlineVec<&'a [HostChunk<'a>]>,
) {
    let mut owned = owned.iter().map(std::slice::from_ref);
    for &index in &stage.columns {
        let lent = match stage.input {
            StageInput::Source(_) => job.inputs[index as usize].lent_pieces(),
            StageInput::Stage(_) => None,
        };
        pieces.push(lent.or_else(|| owned.next()).unwrap_or(&[]));
    }
}

/// The parameters of a stage: all of the query's where it takes them in order, as most do; else copied together.
fn bind_params<'a>(
    stage: &Stage,
    all: &'a [Option<Scalar>],
    some: &'a mut InlineVec<Option<Scalar>>,
) -> &'a [Option<Scalar>] {
    if stage.params.iter().map(|id| id.index()).eq(0..all.len()) {
        return all;
    }
    stage.params.iter().for_each(|id| some.push(all[id.index()]));
    some
}

/// Takes memory for a stage's columns: values (unless the caller has them) and bitmaps.
pub(crate) fn allocate(
    types: &[Type],
    rows: usize,
    values_given: bool,
    pool: &Pool,
    output: &mut Output,
) -> Result<()> {
    let before = output.columns.len();
    types.iter().for_each(|&ty| output.columns.push(ResultColumn::empty(ty, rows)));
    for column in &mut output.columns[before..] {
        if !values_given {
            // More bytes than there are addresses: the pool says that there is no room for them.
            pool.fill(&mut column.values, rows.saturating_mul(column.ty.dtype.repr().bytes()))?;
        }
        if column.ty.nullable {
            pool.fill(column.valid.insert(Pooled::default()), rows.div_ceil(8))?;
        }
    }
    Ok(())
}

/// The outputs of a launch, in the columns' memory.
fn bind_outputs<'a>(
    columns: &'a mut [ResultColumn],
    rows: usize,
    mut into: Option<&'a mut [u8]>,
    outputs: &mut InlineVec<ColumnOutput<'a>>,
) {
    for column in columns {
        let values = match into.take() {
            Some(given) => given,
            None => &mut column.values[..rows * column.ty.dtype.repr().bytes()],
        };
        let validity = column.valid.as_mut().map(|valid| &mut valid[..rows.div_ceil(8)]);
        outputs.push(ColumnOutput::Host { values, bools: BoolLayout::Bytes, validity });
    }
}

/// Launches a program and waits for it.
fn finish(program: &Program, job: &RunContext<'_>, launch: &mut Launch<'_, '_>) -> Result<Outcome> {
    match queue(program, job.lease.stream, launch, job.lookout().as_ref())? {
        LaunchStatus::Done(outcome) => Ok(outcome),
        pending @ LaunchStatus::Running(_) => PendingLaunch { program, pending }.wait(job.time),
    }
}

/// Queues a launch on a stream, while someone looks on or not.
pub(crate) fn begin<'p>(
    program: &'p Program,
    stream: StreamId,
    launch: &mut Launch<'_, '_>,
    lookout: Option<&LaunchObserver<'_>>,
) -> Result<PendingLaunch<'p>> {
    Ok(PendingLaunch { program, pending: queue(program, stream, launch, lookout)? })
}

/// The same of a launch that somebody else waits for. Nothing else launches anything.
#[inline]
fn queue(
    program: &Program,
    stream: StreamId,
    launch: &mut Launch<'_, '_>,
    lookout: Option<&LaunchObserver<'_>>,
) -> Result<LaunchStatus> {
    let Some(lookout) = lookout else {
        return Ok(program.device.launch(stream, program.id, launch)?);
    };
    let launched = program.device.launch_observed(stream, program.id, launch, lookout);
    if launched.as_ref().is_err_and(|error| error.kind == DeviceErrorKind::Stopped) {
        // Says what stopped it.
        lookout.check_limits()?;
    }
    Ok(launched?)
}

/// A launch that somebody should wait for; one that nobody waits for is forgotten.
pub(crate) struct PendingLaunch<'p> {
    program: &'p Program,
    pending: LaunchStatus,
}

impl PendingLaunch<'_> {
    /// Waits for the launch. One that is not done in time is forgotten.
    pub(crate) fn wait(mut self, time: TimeLimit<'_>) -> Result<Outcome> {
        let id = match self.pending {
            LaunchStatus::Done(outcome) => return Ok(outcome),
            LaunchStatus::Running(id) => id,
        };
        self.finish(id, time.left())
    }

    /// Waits so long for the launch. After a timeout it can be waited for again; after another error it must not be.
    pub(crate) fn glance(&mut self, patience: Duration) -> Result<()> {
        match self.pending {
            LaunchStatus::Done(_) => Ok(()),
            LaunchStatus::Running(id) => self.finish(id, patience).map(|_| ()),
        }
    }

    fn finish(&mut self, id: LaunchId, patience: Duration) -> Result<Outcome> {
        let outcome = self.program.device.finish(id, patience);
        if !outcome.as_ref().is_err_and(|error| error.kind == DeviceErrorKind::Timeout) {
            self.pending = LaunchStatus::Done(outcome.as_ref().copied().unwrap_or_default());
        }
        Ok(outcome?)
    }
}

impl Drop for PendingLaunch<'_> {
    fn drop(&mut self) {
        match self.pending {
            LaunchStatus::Done(_) => {}
            LaunchStatus::Running(id) => self.program.device.forget_launch(id),
        }
    }
}

/// ColumnBytes of a column's values and bitmap.
fn bytes_of(pieces: &[HostChunk<'_>], ty: Type) -> u64 {
    let one = |piece: &HostChunk<'_>| {
        let is_bits = ty.dtype.repr() == pointsman_ir::types::Repr::Bool && piece.bools == BoolLayout::Bits;
        let values = if is_bits { piece.rows.div_ceil(8) } else { piece.rows * ty.dtype.repr().bytes() };
        values + if piece.validity.is_some() { piece.rows.div_ceil(8) } else { 0 }
    };
    pieces.iter().map(|piece| one(piece) as u64).sum()
}

/// What happened in a faulty row: the interpreter evaluates it again. The columns start at this row.
pub(crate) fn explain_fault(
    stage: &Stage,
    faulted: FaultLocation,
    (first, columns): (usize, &[&[HostChunk<'_>]]),
    params: &[Option<Scalar>],
    lists: &[HostChunk<'_>],
) -> Error {
    let row = match faulted {
        FaultLocation::Row(row) => row,
        FaultLocation::Fold(fold) => return sum_out_of_range(stage, Some(fold)),
    };
    let kernel = &stage.kernel;
    let one_row = |(pieces, &ty): (&&[HostChunk<'_>], &Type)| {
        ColumnData::from_scalars(ty, [cell(pieces, row as usize - first, ty)])
    };
    let columns: Vec<ColumnData> = columns.iter().zip(&kernel.columns).map(one_row).collect();
    let whole = |(chunk, dtype): (&HostChunk<'_>, &pointsman_ir::types::DType)| {
        let ty = dtype.required();
        ColumnData::from_scalars(ty, (0..chunk.rows).map(|row| cell(std::slice::from_ref(chunk), row, ty)))
    };
    let lists: Vec<ColumnData> = lists.iter().zip(&kernel.lists).map(whole).collect();
    let inputs = interpret::Inputs { columns: &columns, params, lists: &lists, tables: &[], first_row: row, rows: 1 };
    let error = match interpret::run(kernel, &inputs) {
        Err(fault) => Error::from(fault),
        Ok(_) => Error::new(ErrorKind::Arithmetic, "an operation failed"),
    };
    match stage.input {
        StageInput::Source(_) => error.in_row(row),
        StageInput::Stage(number) => error.behind_stage(row, number),
    }
}

/// The error of a sum that does not fit; of this fold, where that is known.
pub(crate) fn sum_out_of_range(stage: &Stage, fold: Option<usize>) -> Error {
    let columns = stage.kernel.sink.columns_before_folds();
    let types = stage.kernel.output();
    let ty = fold.and_then(|fold| types.get(columns + fold)).map_or(String::new(), |ty| format!(" {}", ty.dtype));
    let what = format!("a sum does not fit its type{ty}: cast the values to a wider type before the sum");
    Error::new(ErrorKind::Arithmetic, what)
}
