//! One stage in batches: how large they are, how they run, where their rows go.

use super::behind;
use super::stored_output::{RowTarget, StoredOutput, writer};
use crate::data::chunks::slice;
use crate::data::memory::InlineVec;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::in_place::{CompiledStage, RunContext};
use crate::exec::in_place_batches::run_here;
use crate::exec::merge::{HostBatch, Merger, batch_form, gives_as_many_as_there_is_room_for};
use crate::exec::on_device::{output_types, run_there};
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::resilience::retry::FailureClass;
use pointsman_device::Form;
use pointsman_device::host::HostChunk;
use pointsman_device::launch::capacity;
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::Type;
use std::ops::Range;

/// A batch takes at most this part of the memory that is left: the device takes some for its threads, and sizes are
/// rounded up.
const BATCH_PART: usize = 2;
/// Rows that need not be in memory are there if they take at most this part of what is left.
const MEMORY_PART: usize = 4;
/// How often a batch's rows are in memory: as they come, and where they go.
const ROW_COPIES: usize = 2;
/// How often those of a partial state are, which the interpreter may have to finish.
const STATE_COPIES: usize = 4;

/// A stage under way.
pub(super) struct SpilledStage<'r, 'j> {
    /// Retention one.
    pub(super) number: usize,
    pub(super) step: &'r CompiledStage,
    pub(super) job: &'r RunContext<'j>,
    /// Why it does not run whole.
    pub(super) refused: &'r Error,
    pub(super) counts: &'r mut RunCounters,
    pub(super) watch: &'r mut PhaseTimer,
}

impl<'r> SpilledStage<'r, '_> {
    /// Runs the stage over what an earlier one gave, or over the source.
    pub(super) fn stage(
        &mut self,
        given: &mut [StoredOutput],
        is_last: bool,
        into: Option<&mut [u8]>,
    ) -> Result<StoredOutput> {
        let (step, job) = (self.step, self.job);
        let mut source = match step.stage.input {
            StageInput::Source(_) => None,
            StageInput::Stage(number) => given.get_mut(number),
        };
        let rows = source.as_ref().map_or(job.rows, |given| given.rows());
        let unit = source.as_ref().map_or(LEAF_ROWS, |given| given.unit());
        job.begin(self.number, rows);
        let form = batch_form(&step.stage.kernel);
        let mut target = self.target(rows, is_last, into, source.as_deref())?;
        let mut size = self.batch_rows(rows, form, source.as_deref()).min(target.rows_max);
        let mut first = 0;
        loop {
            job.may_go_on()?;
            let end = rows.min(first + size);
            match self.batch(form, first..end, source.as_deref_mut()) {
                Ok(parcel) => target.take(&parcel)?,
                Err(error) if FailureClass::of(&error) == FailureClass::OutOfMemory => {
                    let units = (end - first).div_ceil(unit);
                    if units <= 1 {
                        return Err(self.no_room(form, end - first, &error));
                    }
                    size = units.div_ceil(2) * unit;
                    continue;
                }
                Err(error) => return Err(error),
            }
            self.watch.lap(Phase::CopyOut);
            self.counts.batches += 1;
            job.did_batch(end - first, 0);
            first = end;
            if first == rows {
                break;
            }
        }
        job.end(self.counts.batches, 0);
        target.finish(self.counts)
    }

    /// Where the rows go. Those of the last stage are in memory in the end: the room for them is taken now if it is known
    /// how many there are, or if the caller has it.
    fn target<'t>(
        &self,
        rows: usize,
        is_last: bool,
        into: Option<&'t mut [u8]>,
        source: Option<&StoredOutput>,
    ) -> Result<RowTarget<'t>>
    where
        'r: 't,
    {
        let (step, job) = (self.step, self.job);
        let room = capacity(&step.stage.kernel, Form::Whole, rows).0;
        let is_sure = into.is_some() || (is_last && gives_as_many_as_there_is_room_for(&step.stage.kernel));
        let bytes = step.output.iter().map(|&ty| column_bytes(ty, room)).fold(0, usize::saturating_add);
        if is_sure || bytes <= job.pool.left() / MEMORY_PART {
            match RowTarget::in_memory(step, rows, job.pool, into) {
                Ok(target) => return Ok(target),
                Err(error) if is_sure => return Err(error),
                // Another query took it meanwhile.
                Err(_) => {}
            }
        }
        let writer = writer(&step.output, job).map_err(|error| behind(self.refused, error))?;
        let unit = source.map_or(LEAF_ROWS, StoredOutput::unit);
        let mut batch = self.batch_rows(rows, batch_form(&step.stage.kernel), source);
        let merger = loop {
            match Merger::with_room(step, batch, job.pool, None) {
                // Another query took it meanwhile.
                Err(error) if batch > unit && FailureClass::of(&error) == FailureClass::OutOfMemory => {
                    batch = (batch / unit).div_ceil(2) * unit;
                }
                merger => break merger?,
            }
        };
        Ok(RowTarget::on_disk(merger, writer, batch))
    }

    /// The rows of the largest batch that fits, whole units of what is read; one unit if none does.
    fn batch_rows(&self, rows: usize, form: Form, source: Option<&StoredOutput>) -> usize {
        let (unit, room) = (source.map_or(LEAF_ROWS, StoredOutput::unit), self.job.pool.left() / BATCH_PART);
        // So many units fit, and so many do not.
        let (mut fit, mut too_many) = (1, rows.div_ceil(unit).max(1) + 1);
        while too_many - fit > 1 {
            let middle = fit + (too_many - fit) / 2;
            if self.batch_bytes(form, middle * unit, source) <= room { fit = middle } else { too_many = middle }
        }
        fit * unit
    }

    /// The memory that a batch takes.
    fn batch_bytes(&self, form: Form, rows: usize, source: Option<&StoredOutput>) -> usize {
        let columns = output_types(self.step, form, rows).map(|(ty, room)| column_bytes(ty, room));
        let written = columns.fold(0, usize::saturating_add);
        let copies = match form {
            Form::Whole => ROW_COPIES,
            Form::Partial => STATE_COPIES,
        };
        written.saturating_mul(copies).saturating_add(source.map_or(0, |given| given.read_bytes(rows)))
    }

    /// Brings in the rows of a batch and runs it.
    fn batch(&mut self, form: Form, rows: Range<usize>, source: Option<&mut StoredOutput>) -> Result<HostBatch> {
        let (job, stage) = (self.job, &self.step.stage);
        let brought = source.map(|given| given.bring(rows.clone(), job.pool)).transpose()?;
        self.watch.lap(Phase::CopyIn);
        let pieces = |(&index, ty): (&u32, &Type)| match &brought {
            Some(brought) => brought.pieces(index as usize, ty.dtype),
            None => slice(&job.inputs[index as usize].pieces(), ty.dtype, rows.clone()),
        };
        let pieces: Vec<InlineVec<HostChunk<'_>>> =
            stage.columns.iter().zip(&stage.kernel.columns).map(pieces).collect();
        let is_here = self.step.program.device.info().capabilities.host_memory;
        let run = if is_here { run_here } else { run_there };
        let parcel = run((self.step, job), form, rows, &pieces, self.counts)?;
        self.watch.lap(Phase::Run);
        Ok(parcel)
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

/// ColumnBytes of a column with its bitmap.
fn column_bytes(ty: Type, rows: usize) -> usize {
    let bitmap = if ty.nullable { rows.div_ceil(8) } else { 0 };
    rows.saturating_mul(ty.dtype.repr().bytes()).saturating_add(bitmap)
}
