//! Runs the stages of a compiled query on a device with memory of its own: copies columns in, launches, copies results
//! out. What one stage gives stays on the device for the next; a column that two stages read is copied once.

use crate::error::{Error, Result};
use crate::query::build::List;
use crate::runtime::executor::{Job, Step, explain_fault, finish};
use crate::runtime::memory::Few;
use crate::runtime::receipt::{Counts, Phase, Watch};
use crate::runtime::results::{Output, ResultColumn};
use crate::runtime::transfer::{Port, Resident};
use pointsman_device::host::HostChunk;
use pointsman_device::launch::{Faulted, capacity};
use pointsman_device::{ColumnInput, ColumnOutput, Form, Launch};
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::types::{DType, Scalar};

/// What is on the device: the source's columns and captured tables that stages read, and what stages gave.
struct Stock<'d> {
    columns: Vec<Option<Resident<'d>>>,
    lists: Vec<Option<Resident<'d>>>,
    done: Vec<Given<'d>>,
}

/// What a stage gave.
struct Given<'d> {
    columns: Vec<Resident<'d>>,
    rows: usize,
}

/// Runs all stages; puts the last one's columns into `last`, and what it counted where it is told. `into` is the caller's memory for the only column's values.
pub(crate) fn execute(
    steps: &[Step],
    job: &Job<'_>,
    into: Option<&mut [u8]>,
    watch: &mut Watch,
    (last, counts): (&mut Output, &mut Counts),
) -> Result<()> {
    let first = steps.first().ok_or_else(|| Error::internal("a query without a stage"))?;
    let mut port = Port::new(&*first.program.device, job.stream, job.time);
    *counts = Counts { rows_in: job.rows, ..Counts::default() };
    let none = |count: usize| (0..count).map(|_| None).collect();
    let mut stock = Stock { columns: none(job.inputs.len()), lists: none(job.lists.len()), done: Vec::new() };
    for (number, step) in steps.iter().enumerate() {
        let given = run_step(step, job, &mut port, &mut stock, counts, watch);
        stock.done.push(given.map_err(|error| error.in_stage(number))?);
    }
    let mut into = into;
    for column in stock.done.last().into_iter().flat_map(|given| &given.columns) {
        last.columns.push(port.fetch(column, job.pool, into.take())?);
    }
    last.rows = stock.done.last().map_or(0, |given| given.rows);
    counts.rows_out = last.rows;
    (counts.bytes_moved_in, counts.bytes_moved_out) = (port.bytes_in, port.bytes_out);
    watch.lap(Phase::CopyOut);
    Ok(())
}

/// Copies in what a stage reads, makes room for what it gives, launches it and waits for it.
fn run_step<'d>(
    step: &Step,
    job: &Job<'_>,
    port: &mut Port<'d>,
    stock: &mut Stock<'d>,
    counts: &mut Counts,
    watch: &mut Watch,
) -> Result<Given<'d>> {
    let stage = &step.stage;
    if !stage.tables.is_empty() {
        return Err(Error::unsupported("joins cannot run yet"));
    }
    watch.lap(Phase::Bind);
    stock_up(stage, job, port, stock)?;
    watch.lap(Phase::CopyIn);
    let (columns, lists) = (stock.columns_of(stage), stock.lists_of(stage));
    counts.bytes_read += columns.iter().chain(&lists).map(|column| column.bytes()).sum::<u64>();
    let nullable = stage.kernel.columns.iter().map(|ty| ty.nullable);
    let columns: Few<ColumnInput<'_>> = columns.iter().zip(nullable).map(|(one, nulls)| one.input(nulls)).collect();
    let lists: Few<ColumnInput<'_>> = lists.iter().map(|list| list.input(false)).collect();
    let params: Few<Option<Scalar>> = stage.params.iter().map(|id| job.params[id.index()]).collect();
    let rows = stock.rows_of(stage, job);
    let room = capacity(&stage.kernel, Form::Whole, rows).0;
    let mut output = step.output.iter().map(|ty| port.room_for(*ty, room)).collect::<Result<Vec<_>>>()?;
    let mut outputs: Few<ColumnOutput<'_>> = output.iter().map(Resident::output).collect();
    watch.lap(Phase::Bind);
    let (columns, lists, outputs) = (&columns[..], &lists[..], &mut outputs[..]);
    let (first_row, form, tables) = (0, Form::Whole, &[][..]);
    let mut launch = Launch { first_row, rows, form, columns, params: &params, lists, tables, outputs };
    let outcome = finish(&step.program, job, &mut launch)?;
    watch.lap(Phase::Run);
    if let Some(faulted) = outcome.fault {
        return Err(explain(stage, faulted, job, port, &stock.done, &params));
    }
    output.iter_mut().for_each(|column| column.rows = outcome.rows);
    counts.bytes_written += output.iter().map(Resident::bytes).sum::<u64>();
    Ok(Given { columns: output, rows: outcome.rows })
}

impl<'d> Stock<'d> {
    /// The columns that a stage reads.
    fn columns_of(&self, stage: &Stage) -> Vec<&Resident<'d>> {
        let column = |&index: &u32| match stage.input {
            StageInput::Source(_) => self.columns[index as usize].as_ref(),
            StageInput::Stage(number) => self.done[number].columns.get(index as usize),
        };
        stage.columns.iter().filter_map(column).collect()
    }

    /// The captured tables that a stage reads.
    fn lists_of(&self, stage: &Stage) -> Vec<&Resident<'d>> {
        stage.lists.iter().filter_map(|id| self.lists[id.index()].as_ref()).collect()
    }

    /// How many rows a stage reads.
    fn rows_of(&self, stage: &Stage, job: &Job<'_>) -> usize {
        match stage.input {
            StageInput::Source(_) => job.rows,
            StageInput::Stage(number) => self.done[number].rows,
        }
    }
}

/// Copies in what a stage reads and is not there yet.
fn stock_up<'d>(stage: &Stage, job: &Job<'_>, port: &mut Port<'d>, stock: &mut Stock<'d>) -> Result<()> {
    if let StageInput::Source(_) = stage.input {
        for (&index, ty) in stage.columns.iter().zip(&stage.kernel.columns) {
            let (input, slot) = (&job.inputs[index as usize], &mut stock.columns[index as usize]);
            if slot.is_none() {
                let owned = input.owned_chunk();
                let pieces = input.lent_pieces().or(owned.as_ref().map(std::slice::from_ref)).unwrap_or(&[]);
                *slot = Some(port.send(pieces, ty.dtype)?);
            }
        }
    }
    for (id, dtype) in stage.lists.iter().zip(&stage.kernel.lists) {
        if stock.lists[id.index()].is_none() {
            stock.lists[id.index()] = Some(send_list(&job.lists[id.index()], *dtype, port)?);
        }
    }
    Ok(())
}

fn send_list<'d>(list: &List, dtype: DType, port: &mut Port<'d>) -> Result<Resident<'d>> {
    port.send(&[list.values.chunk()], dtype)
}

/// What happened in a faulty row: the rows come to the host, and the interpreter evaluates that one again.
fn explain(
    stage: &Stage,
    faulted: Faulted,
    job: &Job<'_>,
    port: &mut Port<'_>,
    done: &[Given<'_>],
    params: &[Option<Scalar>],
) -> Error {
    let fetched = match stage.input {
        StageInput::Source(_) => Ok(Vec::new()),
        StageInput::Stage(number) => {
            done[number].columns.iter().map(|column| port.fetch(column, job.pool, None)).collect()
        }
    };
    let fetched: Vec<ResultColumn> = match fetched {
        Ok(fetched) => fetched,
        Err(error) => return error,
    };
    let owned: Vec<HostChunk<'_>> = match stage.input {
        StageInput::Source(_) => stage.columns.iter().filter_map(|&i| job.inputs[i as usize].owned_chunk()).collect(),
        StageInput::Stage(_) => stage.columns.iter().map(|&index| fetched[index as usize].chunk()).collect(),
    };
    let mut pieces: Few<&[HostChunk<'_>]> = Few::new();
    crate::runtime::executor::bind_columns(stage, job, &owned, &mut pieces);
    let lists: Few<HostChunk<'_>> = stage.lists.iter().map(|id| job.lists[id.index()].values.chunk()).collect();
    explain_fault(stage, faulted, &pieces, params, &lists)
}
