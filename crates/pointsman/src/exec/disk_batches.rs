//! Runs a stage in batches that read and write spilled columns, after an allocation of host memory failed. A batch has
//! whole leaves, as many as fit in memory; rows that later stages read are spilled. The device may work in the host's
//! memory or have its own.
//!
//! No batch starts before its output has memory. If the number of output rows is known, their memory is allocated
//! first. If it depends on the data (a filter), the rows are written to disk, counted there, and read back into exactly
//! as much memory as they need.

use crate::data::chunks::slice;
use crate::data::memory::InlineVec;
use crate::data::output::{column_bytes, output_bytes};
use crate::devices::download::RowCount;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::batches::halved;
use crate::exec::context::RunContext;
use crate::exec::footprint::largest;
use crate::exec::launch::{StageLaunch, cut_rows, output_types};
use crate::exec::merge::{HostBatch, Merger, batch_form, row_count};
use crate::exec::single_batch::SingleBatch;
use crate::exec::spill::SpillWriter;
use crate::exec::stage_output::{StageOutput, append, spill_writer, spilled};
use crate::exec::{RowsIn, SingleDeviceRun, is_out_of_memory, is_read};
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::programs::program::CompiledStage;
use pointsman_device::Form;
use pointsman_device::host::HostChunk;
use pointsman_device::launch::capacity;
use pointsman_ir::fuse::StageInput;
use pointsman_ir::types::Type;
use std::ops::Range;

/// A batch takes at most this part of the memory that is left: the device takes some for its threads, and sizes are
/// rounded up.
const BATCH_PART: usize = 2;
/// Rows that need not be in memory stay there if they take at most this fraction of the free memory.
const MEMORY_PART: usize = 4;
/// Copies of a batch's rows in memory: one that the batch reads, one that it writes.
const ROW_COPIES: usize = 2;
/// Copies of a partial state's rows in memory: the interpreter may have to finish the state.
const STATE_COPIES: usize = 4;

/// Switches the run to disk from stage `number` on, after an allocation of host memory failed. Outputs that later
/// stages read are spilled; small ones of a device with its own memory are downloaded instead. Everything else is
/// freed.
#[cold]
pub(super) fn begin<'d>(
    run: &mut SingleDeviceRun<'d>,
    rows: &mut RowsIn<'d>,
    number: usize,
    refused: &Error,
) -> Result<()> {
    drop_unread(run, number);
    for (earlier, output) in
        run.outputs.iter_mut().enumerate().filter(|(earlier, _)| is_read(&run.stages[number..], *earlier))
    {
        let types = &run.stages[earlier].output;
        if let RowsIn::DeviceMemory(tables) = rows
            && output_bytes(types, output.rows) <= run.context.pool.left() / MEMORY_PART
            && output.download(&mut tables.transfer, run.context.pool, None).is_ok()
        {
            output.free_device_memory();
            continue;
        }
        let writer = spill_writer(types, run.context).map_err(|error| after_refusal(refused, error))?;
        let transfer = match rows {
            RowsIn::DeviceMemory(tables) => Some(&mut tables.transfer),
            RowsIn::HostMemory | RowsIn::Disk(_) => None,
        };
        output.spill(writer, transfer, run.context, run.counters)?;
    }
    rows.count_moved(run.counters);
    *rows = RowsIn::Disk(refused.clone());
    run.context.report(|reporter| reporter.restart_stage());
    Ok(())
}

/// Runs a stage and keeps its output; drops the outputs that no later stage reads. `refused` is the error of the
/// allocation that failed.
pub(super) fn run(
    run: &mut SingleDeviceRun<'_>,
    refused: &Error,
    number: usize,
    caller_values: Option<&mut [u8]>,
) -> Result<()> {
    let SingleDeviceRun { stages, context, outputs, counters, timer } = run;
    let stage = &stages[number];
    let source = match stage.input() {
        StageInput::Source(_) => None,
        StageInput::Stage(number) => outputs.get_mut(number),
    };
    let rows = source.as_ref().map_or(context.source.rows, |source| source.rows);
    let is_last = number + 1 == stages.len();
    let output = SpilledStage { stage, context, source, rows, refused, counters, timer }.run(is_last, caller_values)?;
    outputs.push(output);
    drop_unread(run, number + 1);
    Ok(())
}

/// Drops the outputs that no stage from this one on reads. That of the last stage stays.
fn drop_unread(run: &mut SingleDeviceRun<'_>, from: usize) {
    let end = run.stages.len() - 1;
    for (number, output) in run.outputs.iter_mut().enumerate().take(end) {
        if !is_read(&run.stages[from..], number) {
            output.drop_rows();
        }
    }
}

/// A stage that runs in batches through the disk.
struct SpilledStage<'r, 'd> {
    stage: &'r CompiledStage,
    context: &'r RunContext<'r>,
    /// The output of the stage that it reads; `None` if it reads the source.
    source: Option<&'r mut StageOutput<'d>>,
    /// How many rows it reads.
    rows: usize,
    refused: &'r Error,
    counters: &'r mut RunCounters,
    timer: &'r mut PhaseTimer,
}

impl<'r, 'd> SpilledStage<'r, 'd> {
    fn run<'o>(mut self, is_last: bool, caller_values: Option<&mut [u8]>) -> Result<StageOutput<'o>> {
        let (context, rows, unit) = (self.context, self.rows, self.unit());
        let form = batch_form(&self.stage.kernel);
        let mut target = self.target(is_last, caller_values)?;
        let mut size = self.batch_rows(form).min(target.rows_max);
        let mut first = 0;
        loop {
            context.check_limits()?;
            let end = rows.min(first + size);
            match self.batch(form, first..end) {
                Ok(batch) => target.take(&batch)?,
                Err(error) if is_out_of_memory(&error) => {
                    let half = halved(end - first, unit);
                    size = half.ok_or_else(|| self.no_room(form, end - first, &error))?;
                    continue;
                }
                Err(error) => return Err(error),
            }
            self.timer.lap(Phase::CopyOut);
            self.counters.batches += 1;
            context.report(|reporter| reporter.end_batch(end - first, 0));
            first = end;
            if first == rows {
                return target.finish(self.counters);
            }
        }
    }

    /// Batches are multiples of this many rows: whole blocks of what is on the disk, unless a call is cut elsewhere.
    fn unit(&self) -> usize {
        let sink = &self.stage.kernel.sink;
        let blocks = self.source.as_ref().filter(|_| sink.is_cut_by_leaf()).map(|source| source.unit());
        blocks.unwrap_or_else(|| cut_rows(self.stage))
    }

    /// Where the rows go. Those of the last stage end in memory: room for them is taken now if their number is known,
    /// or if the caller has it.
    fn target<'t>(&self, is_last: bool, caller_values: Option<&'t mut [u8]>) -> Result<RowTarget<'t>>
    where
        'r: 't,
    {
        let (stage, context, unit) = (self.stage, self.context, self.unit());
        let room = capacity(&stage.kernel, Form::Whole, self.rows).0;
        let is_sure = caller_values.is_some() || (is_last && row_count(&stage.kernel) == RowCount::Exact);
        let bytes = output_bytes(&stage.output, room);
        if is_sure || bytes <= context.pool.left() / MEMORY_PART {
            match Merger::with_room(stage, self.rows, context.pool, caller_values) {
                Ok(merger) => return Ok(RowTarget { merger, writer: None, rows_max: usize::MAX }),
                Err(error) if is_sure => return Err(error),
                // Another query took the memory meanwhile.
                Err(_) => {}
            }
        }
        let writer = spill_writer(&stage.output, context).map_err(|error| after_refusal(self.refused, error))?;
        let mut batch = self.batch_rows(batch_form(&stage.kernel));
        let merger = loop {
            match Merger::with_room(stage, batch, context.pool, None) {
                // Another query took the memory meanwhile.
                Err(error) if batch > unit && is_out_of_memory(&error) => batch = (batch / unit).div_ceil(2) * unit,
                merger => break merger?,
            }
        };
        Ok(RowTarget { merger, writer: Some(writer), rows_max: batch })
    }

    /// The rows of the largest batch that fits, whole units of the source; one unit if none does.
    fn batch_rows(&self, form: Form) -> usize {
        let (unit, room) = (self.unit(), self.context.pool.left() / BATCH_PART);
        let all = self.rows.div_ceil(unit).max(1);
        let loaded = |rows| self.source.as_ref().map_or(0, |source| source.load_bytes(rows));
        let bytes = |rows: usize| self.batch_bytes(form, rows).saturating_add(loaded(rows));
        largest(all, |units| bytes(units * unit) <= room).max(1) * unit
    }

    /// The memory that a batch's output takes.
    fn batch_bytes(&self, form: Form, rows: usize) -> usize {
        let columns = output_types(self.stage, form, rows).map(|(ty, room)| column_bytes(ty, room));
        let copies = match form {
            Form::Whole => ROW_COPIES,
            Form::Partial => STATE_COPIES,
        };
        columns.fold(0, usize::saturating_add).saturating_mul(copies)
    }

    /// Loads the rows of a batch and runs it.
    fn batch(&mut self, form: Form, rows: Range<usize>) -> Result<HostBatch> {
        let (stage, context) = (self.stage, self.context);
        let loaded = self.source.as_mut().map(|source| source.load(rows.clone(), context.pool)).transpose()?;
        self.timer.lap(Phase::CopyIn);
        let chunks = |(&column, ty): (&u32, &Type)| -> InlineVec<HostChunk<'_>> {
            match &loaded {
                Some(loaded) => loaded.chunks(column, ty.dtype),
                None => slice(&context.source.columns[column as usize].pieces(), ty.dtype, rows.clone()),
            }
        };
        let columns = stage.columns().iter().zip(&stage.kernel.columns).map(chunks).collect();
        let launch = StageLaunch { stage, context, form, rows: rows.clone(), relational: None };
        SingleBatch { launch, columns }.run(self.timer, self.counters)
    }

    /// The error of a batch that cannot be halved.
    fn no_room(&self, form: Form, rows: usize, error: &Error) -> Error {
        let (sink, left) = (self.stage.kernel.sink.name(), self.context.pool.left());
        let bytes = self.batch_bytes(form, rows);
        let what = format!("out of memory: `{sink}` over {rows} rows, the smallest batch, needs {bytes} bytes");
        Error::new(
            ErrorKind::OutOfMemory,
            format!("{what}, and {left} of the session's are left ({})", error.message()),
        )
    }
}

/// Where the rows of a stage's batches go as they come, into memory or to the disk.
struct RowTarget<'t> {
    /// Makes rows of the batches' outputs, and keeps them if they stay in memory.
    merger: Merger<'t>,
    /// Takes the rows if they go to the disk.
    writer: Option<SpillWriter>,
    /// The maximum number of rows in a batch: the merger has memory for their output.
    rows_max: usize,
}

impl RowTarget<'_> {
    /// Takes the output of the next batch.
    fn take(&mut self, batch: &HostBatch) -> Result<()> {
        self.merger.absorb(batch)?;
        match &mut self.writer {
            Some(writer) => self.merger.drain(|columns, rows| writer.append(columns, rows)),
            None => Ok(()),
        }
    }

    /// All rows.
    fn finish<'d>(self, counters: &mut RunCounters) -> Result<StageOutput<'d>> {
        let rest = self.merger.finish()?;
        match self.writer {
            Some(mut writer) => {
                append(&mut writer, &rest)?;
                spilled(writer, counters)
            }
            None => Ok(StageOutput::in_memory(Box::new(rest))),
        }
    }
}

/// An error that the disk has no room either, after the refusal that made it necessary.
fn after_refusal(refused: &Error, error: Error) -> Error {
    if error.kind() != ErrorKind::OutOfMemory {
        return error;
    }
    let message = format!("{}; {}", refused.message(), error.message());
    error.with_message(message)
}
