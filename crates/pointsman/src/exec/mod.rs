//! Runs the stages of a compiled query on one device: finds the rows of each stage, launches the stage over them, and
//! keeps its output for the stages that read it. [`sharing`] runs the stages on several devices.
//!
//! | a stage runs | when | file |
//! | --- | --- | --- |
//! | whole, in place | the device works in the host's memory | `in_place` |
//! | whole, on the device | the device's memory holds it | `on_device` |
//! | in overlapping batches through the device | the device's memory does not hold it, or copies should overlap runs | `batches` |
//! | in batches through the disk | the host had no memory for it, or for a stage before it | `disk_batches` |
//!
//! All four launch through `launch`, keep rows as `StageOutput`s, and merge batches with `merge`, so all four give the
//! same bits.

mod batch_source;
mod batches;
pub(crate) mod context;
mod device_tables;
mod disk_batches;
mod fault;
pub(crate) mod footprint;
mod in_place;
mod launch;
mod merge;
mod on_device;
pub(crate) mod relational;
pub(crate) mod sharing;
mod single_batch;
pub(crate) mod spill;
mod stage_output;

use crate::data::memory::{InlineVec, Pool};
use crate::data::output::Output;
use crate::devices::residency::MemoryReservation;
use crate::error::{Error, FailureClass, Result};
use crate::exec::context::RunContext;
use crate::exec::device_tables::DeviceTables;
use crate::exec::launch::check_call;
use crate::exec::stage_output::StageOutput;
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::instrument::spans;
use crate::programs::program::CompiledStage;
use pointsman_device::host::HostChunk;
use pointsman_ir::fuse::StageInput;

/// Where a run writes its result and its measurements.
pub(crate) struct RunResult<'r> {
    /// The caller's memory for the values of the only output column.
    pub(crate) caller_values: Option<&'r mut [u8]>,
    pub(crate) output: &'r mut Output,
    pub(crate) timer: &'r mut PhaseTimer,
    pub(crate) counters: &'r mut RunCounters,
}

/// Runs all stages on one device and writes the columns of the last stage to the result.
#[inline]
pub(crate) fn run(stages: &[CompiledStage], context: &RunContext<'_>, result: RunResult<'_>) -> Result<()> {
    let RunResult { mut caller_values, output, timer, counters } = result;
    let first = stages.first().ok_or_else(|| Error::internal("a query without a stage"))?;
    *counters = RunCounters { rows_in: context.source.rows, ..RunCounters::default() };
    let mut rows = match first.device().info().capabilities.host_memory {
        true => RowsIn::HostMemory,
        false => RowsIn::DeviceMemory(DeviceTables::new(&first.program.device, context)?),
    };
    let mut run = SingleDeviceRun { stages, context, outputs: Vec::new(), counters, timer };
    for (number, stage) in stages.iter().enumerate() {
        let is_last = number + 1 == stages.len();
        let caller_values = if is_last { caller_values.as_deref_mut() } else { None };
        context.report(|reporter| reporter.begin_stage(number, run.rows_read(stage)));
        run.stage(number, &mut rows, caller_values, output)
            .map_err(|error| fault::in_source_row(error.in_stage(number), stages))?;
        rows.count_moved(run.counters);
        context.report(|reporter| reporter.end_stage(run.counters.batches(), run.counters.bytes_moved()));
    }
    if run.outputs.len() == stages.len() {
        run.finish(&mut rows, caller_values, output)?;
    }
    run.counters.rows_out = output.rows;
    Ok(())
}

/// A run on one device.
struct SingleDeviceRun<'d> {
    stages: &'d [CompiledStage],
    context: &'d RunContext<'d>,
    /// The outputs of the stages so far. A last stage that runs in place writes into the result instead.
    outputs: Vec<StageOutput<'d>>,
    counters: &'d mut RunCounters,
    timer: &'d mut PhaseTimer,
}

/// Where the next stage finds its rows.
enum RowsIn<'d> {
    HostMemory,
    DeviceMemory(DeviceTables<'d>),
    /// On the disk, because an allocation of host memory failed with this error.
    Disk(Error),
}

impl RowsIn<'_> {
    /// Whether a stage ran out of host memory, not device memory. `refusals` is the pool's count before the stage.
    #[cold]
    fn refused_by_host(&self, pool: &Pool, refusals: u64) -> bool {
        match self {
            RowsIn::HostMemory => true,
            RowsIn::DeviceMemory(_) => pool.refusals() > refusals,
            RowsIn::Disk(_) => false,
        }
    }

    /// Counts the bytes that were moved to and from the device since the last call.
    #[inline]
    fn count_moved(&mut self, counters: &mut RunCounters) {
        match self {
            RowsIn::DeviceMemory(tables) => tables.count_moved(counters),
            RowsIn::HostMemory | RowsIn::Disk(_) => {}
        }
    }
}

impl<'d> SingleDeviceRun<'d> {
    /// Runs a stage where its rows are, and keeps its output. A stage that runs out of host memory runs again
    /// through the disk, and all stages after it run through the disk, too.
    #[inline]
    fn stage(
        &mut self,
        number: usize,
        rows: &mut RowsIn<'d>,
        mut caller_values: Option<&mut [u8]>,
        output: &mut Output,
    ) -> Result<()> {
        let stage = &self.stages[number];
        let _span = spans::stage(stage.device(), &stage.kernel);
        // The attempt checked its limits just before the first stage.
        if number > 0 {
            self.context.check_limits()?;
        }
        check_call(stage, self.context.lists, self.rows_read(stage))?;
        let refusals = self.context.pool.refusals();
        let RunCounters { batches, bytes_read, bytes_written, .. } = *self.counters;
        let ran = match rows {
            RowsIn::HostMemory => in_place::run(self, number, caller_values.as_deref_mut(), output),
            RowsIn::DeviceMemory(tables) => on_device::run(self, tables, number, caller_values.as_deref_mut()),
            RowsIn::Disk(refused) => return disk_batches::run(self, refused, number, caller_values),
        };
        match ran {
            Ok(()) => Ok(()),
            Err(error) if is_out_of_memory(&error) && rows.refused_by_host(self.context.pool, refusals) => {
                *output = Output::default();
                // Only the work whose result is used counts, but every byte that was moved.
                *self.counters = RunCounters { batches, bytes_read, bytes_written, ..*self.counters };
                disk_batches::begin(self, rows, number, &error)?;
                disk_batches::run(self, &error, number, caller_values)
            }
            Err(error) => Err(error),
        }
    }

    /// Moves the last stage's rows into the result.
    #[cold]
    fn finish(&mut self, rows: &mut RowsIn<'d>, caller_values: Option<&mut [u8]>, output: &mut Output) -> Result<()> {
        let context = self.context;
        let last = self.outputs.pop().zip(self.stages.last());
        let (mut last, stage) = last.ok_or_else(|| Error::internal("a query without a result"))?;
        self.outputs.clear();
        if let RowsIn::DeviceMemory(tables) = rows {
            tables.offer_columns(context)?;
            let becomes_columns = caller_values.is_none();
            last.download(&mut tables.transfer, context.pool, caller_values)?;
            if let Some(residency) = context.caching_residency().filter(|_| becomes_columns) {
                last.offer_columns(residency);
            }
            tables.count_moved(self.counters);
        }
        *output = last.into_output(&stage.output, context.pool)?;
        self.timer.lap(Phase::CopyOut);
        self.counters.pressure = context.reservation.map(MemoryReservation::pressure).unwrap_or_default();
        Ok(())
    }

    /// How many rows a stage reads.
    #[inline]
    fn rows_read(&self, stage: &CompiledStage) -> usize {
        match stage.input() {
            StageInput::Source(_) => self.context.source.rows,
            StageInput::Stage(number) => self.outputs[number].rows,
        }
    }
}

/// The chunks in host memory of a column that a stage reads; none if the column is elsewhere.
fn chunks<'c>(
    context: &'c RunContext<'_>,
    outputs: &'c [StageOutput<'_>],
    stage: &CompiledStage,
    column: u32,
) -> InlineVec<HostChunk<'c>> {
    match stage.input() {
        StageInput::Source(_) => context.source.columns[column as usize].pieces(),
        StageInput::Stage(number) => outputs[number].chunk(column).into_iter().collect(),
    }
}

/// Whether any of these stages reads the output of stage number `output`.
fn is_read(stages: &[CompiledStage], output: usize) -> bool {
    stages.iter().any(|stage| stage.input() == StageInput::Stage(output))
}

#[cold]
fn is_out_of_memory(error: &Error) -> bool {
    FailureClass::of(error) == FailureClass::OutOfMemory
}
