//! Runs the stages of a compiled query: finds memory for each, launches it, feeds its output to the next.
//!
//! Borrowed inputs are read in place by a device that has finished with them when `launch` returns; nothing here outlives
//! the call. A fault in a row is evaluated again by the interpreter, which says what happened.

use crate::error::{Error, ErrorKind, Result};
use crate::query::build::List;
use crate::runtime::inputs::Input;
use crate::runtime::memory::{Pool, Pooled};
use crate::runtime::receipt::{Counts, Phase, Watch};
use crate::runtime::results::{ResultColumn, cell};
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::launch::{Faulted, capacity};
use pointsman_device::{ColumnInput, ColumnOutput, Device, Form, Launch, Outcome, Pending, ProgramId, StreamId};
use pointsman_ir::data::ColumnData;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::interpret;
use pointsman_ir::types::{Scalar, Type};
use std::sync::Arc;
use std::time::Duration;

/// How long a launch may take.
const LAUNCH_PATIENCE: Duration = Duration::from_secs(3600);

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
pub(crate) struct Step {
    pub(crate) stage: Stage,
    pub(crate) output: Vec<Type>,
    pub(crate) program: Arc<Program>,
}

/// What a run needs beside the stages.
pub(crate) struct Job<'a> {
    pub(crate) inputs: &'a [Input<'a>],
    pub(crate) rows: usize,
    pub(crate) params: &'a [Option<Scalar>],
    pub(crate) lists: &'a [List],
    pub(crate) stream: StreamId,
    pub(crate) pool: &'a Pool,
}

/// The output of a stage.
struct Output {
    columns: Vec<ResultColumn>,
    rows: usize,
}

/// Runs all stages; gives the last one's columns. `into` is the caller's memory for the only column's values.
pub(crate) fn execute(
    steps: &[Step],
    job: &Job<'_>,
    mut into: Option<&mut [u8]>,
    watch: &mut Watch,
) -> Result<(Vec<ResultColumn>, Counts)> {
    let mut counts = Counts { rows_in: job.rows, ..Counts::default() };
    let mut done: Vec<Output> = Vec::with_capacity(steps.len());
    for (number, step) in steps.iter().enumerate() {
        let into = if number + 1 == steps.len() { into.take() } else { None };
        let output = run_step(step, job, &done, into, &mut counts, watch)?;
        done.push(output);
    }
    let last = done.pop().ok_or_else(|| Error::internal("a query without a stage"))?;
    counts.rows_out = last.rows;
    Ok((last.columns, counts))
}

/// Binds and launches one stage.
fn run_step(
    step: &Step,
    job: &Job<'_>,
    done: &[Output],
    into: Option<&mut [u8]>,
    counts: &mut Counts,
    watch: &mut Watch,
) -> Result<Output> {
    let stage = &step.stage;
    let (rows, inputs) = stage_inputs(stage, job, done)?;
    let chunks: Vec<Option<HostChunk<'_>>> = inputs.iter().map(Pieces::owned).collect();
    let pieces: Vec<&[HostChunk<'_>]> = inputs.iter().zip(&chunks).map(|(input, owned)| input.pieces(owned)).collect();
    let list_chunks: Vec<HostChunk<'_>> = stage.lists.iter().map(|id| job.lists[id.index()].values.chunk()).collect();
    let columns: Vec<ColumnInput<'_>> = pieces.iter().map(|&pieces| ColumnInput::Host(pieces)).collect();
    let lists: Vec<_> = list_chunks.iter().map(|chunk| ColumnInput::Host(std::slice::from_ref(chunk))).collect();
    let params: Vec<Option<Scalar>> = stage.params.iter().map(|id| job.params[id.index()]).collect();
    let room = capacity(&stage.kernel, Form::Whole, rows).0;
    let mut memory = allocate(&step.output, room, into.is_some(), job.pool)?;
    let mut outputs = column_outputs(&step.output, &mut memory, room, into);
    watch.lap(Phase::Bind);
    let mut launch = Launch {
        first_row: 0,
        rows,
        form: Form::Whole,
        columns: &columns,
        params: &params,
        lists: &lists,
        tables: &[],
        outputs: &mut outputs,
    };
    let outcome = finish(&step.program, job.stream, &mut launch)?;
    watch.lap(Phase::Run);
    if let Some(faulted) = outcome.fault {
        return Err(explain_fault(stage, faulted, &pieces, &params, &list_chunks));
    }
    counts.bytes_read +=
        pieces.iter().zip(&stage.kernel.columns).map(|(pieces, ty)| bytes_of(pieces, *ty)).sum::<u64>();
    let tables = list_chunks.iter().zip(&stage.kernel.lists);
    counts.bytes_read +=
        tables.map(|(chunk, dtype)| bytes_of(std::slice::from_ref(chunk), dtype.required())).sum::<u64>();
    let output = output(&step.output, memory, outcome.rows);
    counts.bytes_written += output.columns.iter().map(|column| column.bytes() as u64).sum::<u64>();
    Ok(output)
}

/// Where a stage's column comes from.
enum Pieces<'a> {
    Input(&'a Input<'a>),
    Stage(&'a ResultColumn),
}

impl Pieces<'_> {
    fn owned(&self) -> Option<HostChunk<'_>> {
        match self {
            Pieces::Input(input) => input.owned_chunk(),
            Pieces::Stage(column) => Some(column.chunk()),
        }
    }

    fn pieces<'b>(&'b self, owned: &'b Option<HostChunk<'b>>) -> &'b [HostChunk<'b>] {
        match self {
            Pieces::Input(input) => input.pieces(owned),
            Pieces::Stage(_) => owned.as_slice(),
        }
    }
}

/// The rows and columns a stage reads.
fn stage_inputs<'a>(stage: &Stage, job: &'a Job<'a>, done: &'a [Output]) -> Result<(usize, Vec<Pieces<'a>>)> {
    if !stage.tables.is_empty() {
        return Err(Error::unsupported("joins cannot run yet"));
    }
    let columns = stage.columns.iter().map(|&index| index as usize);
    Ok(match stage.input {
        StageInput::Source(_) => (job.rows, columns.map(|index| Pieces::Input(&job.inputs[index])).collect()),
        StageInput::Stage(number) => {
            let output = &done[number];
            (output.rows, columns.map(|index| Pieces::Stage(&output.columns[index])).collect())
        }
    })
}

/// Memory of an output column: values (unless the caller has them) and bitmap.
struct OutputMemory {
    values: Pooled,
    valid: Option<Pooled>,
}

fn allocate(types: &[Type], rows: usize, values_given: bool, pool: &Pool) -> Result<Vec<OutputMemory>> {
    let one = |ty: &Type| {
        // More bytes than there are addresses: the pool says that there is no room for them.
        let values = if values_given { 0 } else { rows.saturating_mul(ty.dtype.repr().bytes()) };
        let valid = if ty.nullable { Some(pool.take(rows.div_ceil(8))?) } else { None };
        Ok(OutputMemory { values: pool.take(values)?, valid })
    };
    types.iter().map(one).collect()
}

fn column_outputs<'a>(
    types: &[Type],
    memory: &'a mut [OutputMemory],
    rows: usize,
    mut into: Option<&'a mut [u8]>,
) -> Vec<ColumnOutput<'a>> {
    let one = |(ty, memory): (&Type, &'a mut OutputMemory)| ColumnOutput::Host {
        values: match into.take() {
            Some(given) => given,
            None => &mut memory.values[..rows * ty.dtype.repr().bytes()],
        },
        bools: BoolLayout::Bytes,
        validity: memory.valid.as_mut().map(|valid| &mut valid[..rows.div_ceil(8)]),
    };
    types.iter().zip(memory).map(one).collect()
}

fn output(types: &[Type], memory: Vec<OutputMemory>, rows: usize) -> Output {
    let columns = types.iter().zip(memory);
    let columns = columns.map(|(&ty, memory)| ResultColumn { ty, rows, values: memory.values, valid: memory.valid });
    Output { columns: columns.collect(), rows }
}

fn finish(program: &Program, stream: StreamId, launch: &mut Launch<'_, '_>) -> Result<Outcome> {
    Ok(match program.device.launch(stream, program.id, launch)? {
        Pending::Done(outcome) => outcome,
        Pending::Running(id) => program.device.finish(id, LAUNCH_PATIENCE)?,
    })
}

/// Bytes of a column's values and bitmap.
fn bytes_of(pieces: &[HostChunk<'_>], ty: Type) -> u64 {
    let one = |piece: &HostChunk<'_>| {
        let is_bits = ty.dtype.repr() == pointsman_ir::types::Repr::Bool && piece.bools == BoolLayout::Bits;
        let values = if is_bits { piece.rows.div_ceil(8) } else { piece.rows * ty.dtype.repr().bytes() };
        values + if piece.validity.is_some() { piece.rows.div_ceil(8) } else { 0 }
    };
    pieces.iter().map(|piece| one(piece) as u64).sum()
}

/// What happened in a faulty row: the interpreter evaluates it again.
fn explain_fault(
    stage: &Stage,
    faulted: Faulted,
    columns: &[&[HostChunk<'_>]],
    params: &[Option<Scalar>],
    lists: &[HostChunk<'_>],
) -> Error {
    let row = match faulted {
        Faulted::Row(row) => row,
        Faulted::Fold(fold) => return sum_out_of_range(stage, fold),
    };
    let kernel = &stage.kernel;
    let one_row =
        |(pieces, &ty): (&&[HostChunk<'_>], &Type)| ColumnData::from_scalars(ty, [cell(pieces, row as usize, ty)]);
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

fn sum_out_of_range(stage: &Stage, fold: usize) -> Error {
    let ty = stage.kernel.output().get(fold).map_or(String::new(), |ty| format!(" {}", ty.dtype));
    let what = format!("a sum does not fit its type{ty}: cast the values to a wider type before the sum");
    Error::new(ErrorKind::Arithmetic, what)
}
