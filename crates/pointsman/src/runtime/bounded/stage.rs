//! One stage in batches: how large they are, how they run, where their rows go.

use super::behind;
use super::given::{Given, Target};
use crate::error::{Error, ErrorKind, Result};
use crate::runtime::executor::{Job, Step, allocate, count, explain_fault, finish};
use crate::runtime::memory::Few;
use crate::runtime::merging::{Gathered, States};
use crate::runtime::pieces::slice;
use crate::runtime::receipt::{Counts, Phase, Watch};
use crate::runtime::remote::output_types;
use crate::runtime::resilience::retry::FailureClass;
use crate::runtime::results::{Output, ResultColumn};
use pointsman_device::convert::from_buffers;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::launch::capacity;
use pointsman_device::{ColumnInput, ColumnOutput, Form, Launch, Outcome};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::fuse::StageInput;
use pointsman_ir::interpret::Partial;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS, Sink};
use pointsman_ir::types::{Scalar, Type};
use std::ops::Range;

/// A batch takes at most this part of the memory that is left: the device takes some for its threads, and sizes are
/// rounded up.
const BATCH_PART: usize = 2;
/// Rows that need not be in memory are there if they take at most this part of what is left.
const MEMORY_PART: usize = 4;
/// How often the rows of a partial state are in memory while it is finished.
const STATE_COPIES: usize = 3;

/// A stage under way.
pub(super) struct Run<'r, 'j> {
    pub(super) step: &'r Step,
    pub(super) job: &'r Job<'j>,
    /// Why it does not run whole.
    pub(super) refused: &'r Error,
    pub(super) counts: &'r mut Counts,
    pub(super) watch: &'r mut Watch,
}

impl Run<'_, '_> {
    /// Runs the stage over what an earlier one gave, or over the source.
    pub(super) fn stage(&mut self, given: &mut [Given], is_last: bool, into: Option<&mut [u8]>) -> Result<Given> {
        let (step, job) = (self.step, self.job);
        let mut source = match step.stage.input {
            StageInput::Source(_) => None,
            StageInput::Stage(number) => given.get_mut(number),
        };
        let rows = source.as_ref().map_or(job.rows, |given| given.rows());
        let mut states = States::new(&step.stage);
        let mut target = self.target(rows, is_last, into)?;
        let unit = source.as_ref().map_or(LEAF_ROWS, |given| given.unit());
        let mut size = self.batch_rows(rows, states.form(), source.as_deref());
        let mut first = 0;
        loop {
            job.may_go_on()?;
            let end = rows.min(first + size);
            match self.batch(states.form(), first..end, source.as_deref_mut()) {
                Ok(gave) => self.take(gave, &mut states, &mut target)?,
                Err(error) if FailureClass::of(&error) == FailureClass::OutOfMemory => {
                    let units = (end - first).div_ceil(unit);
                    if units <= 1 {
                        return Err(self.no_room(states.form(), end - first, &error));
                    }
                    size = units.div_ceil(2) * unit;
                    continue;
                }
                Err(error) => return Err(error),
            }
            self.counts.batches += 1;
            first = end;
            if first == rows {
                break;
            }
        }
        if let Some(table) = states.finish()? {
            target.append_table(&table)?;
        }
        target.finish(self.counts)
    }

    /// Where the rows go. Those of the last stage are in memory in the end: the room for them is taken now if it is known
    /// how many there are, or if the caller has it.
    fn target<'t>(&self, rows: usize, is_last: bool, into: Option<&'t mut [u8]>) -> Result<Target<'t>> {
        let (kernel, types, job) = (&self.step.stage.kernel, &self.step.output, self.job);
        let room = capacity(kernel, Form::Whole, rows).0;
        let is_sure = into.is_some() || (is_last && gives_as_many_as_there_is_room_for(kernel));
        let bytes = types.iter().map(|&ty| column_bytes(ty, room)).fold(0, usize::saturating_add);
        if is_sure || bytes <= job.pool.left() / MEMORY_PART {
            match Gathered::new(types, room, job.pool, into) {
                Ok(gathered) => return Ok(Target::Memory(Box::new(gathered))),
                Err(error) if is_sure => return Err(error),
                // Another query took it meanwhile.
                Err(_) => {}
            }
        }
        Target::on_disk(types, job).map_err(|error| behind(self.refused, error))
    }

    /// The rows of the largest batch that fits, whole units of what is read; one unit if none does.
    fn batch_rows(&self, rows: usize, form: Form, source: Option<&Given>) -> usize {
        let (unit, room) = (source.map_or(LEAF_ROWS, Given::unit), self.job.pool.left() / BATCH_PART);
        // So many units fit, and so many do not.
        let (mut fit, mut too_many) = (1, rows.div_ceil(unit).max(1) + 1);
        while too_many - fit > 1 {
            let middle = fit + (too_many - fit) / 2;
            if self.batch_bytes(form, middle * unit, source) <= room { fit = middle } else { too_many = middle }
        }
        fit * unit
    }

    /// The memory that a batch takes.
    fn batch_bytes(&self, form: Form, rows: usize, source: Option<&Given>) -> usize {
        let columns = output_types(self.step, form, rows).map(|(ty, room)| column_bytes(ty, room));
        let written = columns.fold(0, usize::saturating_add);
        let copies = match form {
            Form::Whole => 0,
            Form::Partial => STATE_COPIES,
        };
        written.saturating_mul(1 + copies).saturating_add(source.map_or(0, |given| given.read_bytes(rows)))
    }

    /// Brings in the rows of a batch and runs it.
    fn batch(
        &mut self,
        form: Form,
        rows: Range<usize>,
        source: Option<&mut Given>,
    ) -> Result<(Vec<ResultColumn>, Outcome)> {
        let (step, job, stage) = (self.step, self.job, &self.step.stage);
        let brought = source.map(|given| given.bring(rows.clone(), job.pool)).transpose()?;
        self.watch.lap(Phase::CopyIn);
        let pieces = |(&index, ty): (&u32, &Type)| match &brought {
            Some(brought) => brought.pieces(index as usize, ty.dtype),
            None => slice(&job.inputs[index as usize].pieces(), ty.dtype, rows.clone()),
        };
        let pieces: Vec<Few<HostChunk<'_>>> = stage.columns.iter().zip(&stage.kernel.columns).map(pieces).collect();
        let pieces: Few<&[HostChunk<'_>]> = pieces.iter().map(|pieces| &pieces[..]).collect();
        let lists: Few<HostChunk<'_>> = stage.lists.iter().map(|id| job.lists[id.index()].values.chunk()).collect();
        let params: Few<Option<Scalar>> = stage.params.iter().map(|id| job.params[id.index()]).collect();
        let mut output = Output::default();
        for (ty, room) in output_types(step, form, rows.len()) {
            allocate(&[ty], room, false, job.pool, &mut output)?;
        }
        let outcome = self.launch(form, &rows, (&pieces, &lists, &params), &mut output)?;
        if let Some(faulted) = outcome.fault {
            return Err(explain_fault(stage, faulted, (rows.start, &pieces), &params, &lists));
        }
        // Captured tables are read in every batch, and counted once.
        count(self.counts, stage, &pieces, if rows.start == 0 { &lists } else { &[] });
        let row_columns = match form {
            Form::Whole => output.columns.len(),
            Form::Partial => stage.kernel.partial().rows.len(),
        };
        for (number, column) in output.columns.iter_mut().enumerate() {
            column.rows = if number < row_columns { outcome.rows } else { outcome.nodes };
            self.counts.bytes_written += column.bytes() as u64;
        }
        Ok((output.columns.into_vec(), outcome))
    }

    /// Launches the stage over some rows.
    fn launch(
        &mut self,
        form: Form,
        rows: &Range<usize>,
        (pieces, lists, params): (&[&[HostChunk<'_>]], &[HostChunk<'_>], &[Option<Scalar>]),
        output: &mut Output,
    ) -> Result<Outcome> {
        let columns: Few<ColumnInput<'_>> = pieces.iter().map(|&pieces| ColumnInput::Host(pieces)).collect();
        let lists = lists.iter().map(std::slice::from_ref).map(ColumnInput::Host);
        let lists: Few<ColumnInput<'_>> = lists.collect();
        let outputs = output.columns.iter_mut().map(|column| {
            let (rows, size) = (column.rows, column.ty.dtype.repr().bytes());
            let validity = column.valid.as_mut().map(|valid| &mut valid[..rows.div_ceil(8)]);
            ColumnOutput::Host { values: &mut column.values[..rows * size], bools: BoolLayout::Bytes, validity }
        });
        let mut outputs: Few<ColumnOutput<'_>> = outputs.collect();
        self.watch.lap(Phase::Bind);
        let (first_row, rows, tables) = (rows.start as u64, rows.len(), &[][..]);
        let (columns, lists, outputs) = (&columns[..], &lists[..], &mut outputs[..]);
        let mut launch = Launch { first_row, rows, form, columns, params, lists, tables, outputs };
        let outcome = finish(&self.step.program, self.job, &mut launch);
        self.watch.lap(Phase::Run);
        outcome
    }

    /// Takes in what a batch gave.
    fn take(
        &mut self,
        (columns, outcome): (Vec<ResultColumn>, Outcome),
        states: &mut States<'_>,
        target: &mut Target<'_>,
    ) -> Result<()> {
        match states.form() {
            Form::Whole => {
                let chunks: Few<HostChunk<'_>> = columns.iter().map(ResultColumn::chunk).collect();
                target.append(&chunks, outcome.rows)?;
            }
            Form::Partial => {
                let row_columns = self.step.stage.kernel.partial().rows.len();
                let mut data = columns.iter().map(data_of);
                let rows = TableData { columns: data.by_ref().take(row_columns).collect(), rows: outcome.rows };
                let nodes = TableData { columns: data.collect(), rows: outcome.nodes };
                drop(columns);
                if let Some(table) = states.take(Partial { rows, nodes }) {
                    target.append_table(&table)?;
                }
            }
        }
        self.watch.lap(Phase::CopyOut);
        Ok(())
    }

    /// The error of a batch that cannot be halved.
    fn no_room(&self, form: Form, rows: usize, error: &Error) -> Error {
        let (sink, left) = (self.step.stage.kernel.sink.name(), self.job.pool.left());
        let bytes = self.batch_bytes(form, rows, None);
        let what = format!("out of memory: `{sink}` over {rows} rows, the smallest batch, needs {bytes} bytes");
        Error::new(
            ErrorKind::OutOfMemory,
            format!("{what}, and {left} of the session's are left ({})", error.message()),
        )
    }
}

/// Whether a kernel gives as many rows as there must be room for, whatever the values are.
fn gives_as_many_as_there_is_room_for(kernel: &Kernel) -> bool {
    match &kernel.sink {
        Sink::Store { .. } | Sink::Reduce { .. } => true,
        Sink::Scan { .. } => kernel.mask.is_none(),
        Sink::Compact { .. } | Sink::Sort { .. } | Sink::Group { .. } => false,
        Sink::Build { .. } | Sink::Partition { .. } => false,
    }
}

/// Bytes of a column with its bitmap.
fn column_bytes(ty: Type, rows: usize) -> usize {
    let bitmap = if ty.nullable { rows.div_ceil(8) } else { 0 };
    rows.saturating_mul(ty.dtype.repr().bytes()).saturating_add(bitmap)
}

fn data_of(column: &ResultColumn) -> ColumnData {
    let chunk = column.chunk();
    from_buffers(column.ty, BoolLayout::Bytes, chunk.values, chunk.validity.map(|bits| bits.bytes), column.rows)
}
