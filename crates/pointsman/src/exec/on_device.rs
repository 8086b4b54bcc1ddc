//! Runs a stage on a device with memory of its own: whole if it fits in that memory, otherwise in batches. The output
//! of a whole stage stays on the device for the next one; a column that two stages read is uploaded once.

use crate::data::memory::InlineVec;
use crate::devices::residency::Retention;
use crate::devices::transfer::DeviceColumn;
use crate::error::{Error, Result};
use crate::exec::device_tables::DeviceTables;
use crate::exec::launch::{InFlightLaunch, StageLaunch, cut_rows};
use crate::exec::merge::{batch_form, row_count};
use crate::exec::stage_output::StageOutput;
use crate::exec::{SingleDeviceRun, batches, chunks, footprint, is_out_of_memory, is_read};
use crate::instrument::phase::Phase;
use crate::programs::program::CompiledStage;
use pointsman_device::host::HostChunk;
use pointsman_device::launch::FaultLocation;
use pointsman_device::{Form, Outcome};
use pointsman_ir::fuse::StageInput;
use std::ops::Range;

/// Runs a stage and keeps its output.
pub(super) fn run<'d>(
    run: &mut SingleDeviceRun<'d>,
    tables: &mut DeviceTables<'d>,
    number: usize,
    caller_values: Option<&mut [u8]>,
) -> Result<()> {
    run.timer.lap(Phase::Bind);
    let output = DeviceStage { run, tables, number }.whole_or_batches(caller_values)?;
    run.outputs.push(output);
    Ok(())
}

/// A stage on a device with memory of its own.
pub(super) struct DeviceStage<'r, 'd> {
    pub(super) run: &'r mut SingleDeviceRun<'d>,
    pub(super) tables: &'r mut DeviceTables<'d>,
    pub(super) number: usize,
}

impl<'d> DeviceStage<'_, 'd> {
    pub(super) fn stage(&self) -> &'d CompiledStage {
        &self.run.stages[self.number]
    }

    /// The form of each batch's output.
    pub(super) fn batch_form(&self) -> Form {
        batch_form(&self.stage().kernel)
    }

    /// How many rows the stage reads.
    pub(super) fn rows(&self) -> usize {
        self.run.rows_read(self.stage())
    }

    /// Runs the stage whole if the device's memory holds it and batches are not faster, else in batches. Evicts
    /// resident columns if memory is short.
    fn whole_or_batches(mut self, mut caller_values: Option<&mut [u8]>) -> Result<StageOutput<'d>> {
        let context = self.run.context;
        let unit = cut_rows(self.stage());
        let mut rows_max = context.batch_rows.map_or(usize::MAX, |rows| (rows / unit).max(1) * unit);
        let is_cut = self.rows() > rows_max || footprint::is_worth_cutting(&self);
        if !is_cut && (footprint::fits(&self) || (self.evict(Retention::Cached) && footprint::fits(&self))) {
            match self.whole_or_evict() {
                Err(error) if is_out_of_memory(&error) => {
                    let rows = self.rows();
                    let half = batches::halved(rows, unit);
                    rows_max = half.ok_or_else(|| batches::out_of_memory(&self, Form::Whole, rows, &error))?;
                }
                ran => return ran,
            }
        }
        let refusals = context.pool.refusals();
        let mut ran = batches::run(&mut self, rows_max, caller_values.as_deref_mut());
        // In batches the stage does not read resident columns, so its own can go too, unless the host has no memory.
        for which in [Retention::Cached, Retention::Pinned] {
            let is_devices = context.pool.refusals() == refusals;
            if ran.as_ref().is_err_and(is_out_of_memory) && is_devices && self.evict(which) {
                context.report(|reporter| reporter.restart_stage());
                ran = batches::run(&mut self, rows_max, caller_values.as_deref_mut());
            }
        }
        Ok(StageOutput::in_memory(Box::new(ran?)))
    }

    /// Runs the stage whole. If memory ran out and resident columns could be evicted, tries once more.
    fn whole_or_evict(&mut self) -> Result<StageOutput<'d>> {
        let mut may_evict = true;
        loop {
            let ran = self.whole();
            if !ran.as_ref().is_err_and(is_out_of_memory) {
                return ran;
            }
            self.tables.transfer.drain();
            if !std::mem::take(&mut may_evict) || !self.evict(Retention::Cached) {
                return ran;
            }
        }
    }

    /// Evicts resident columns that no query reads; returns whether there were any.
    pub(super) fn evict(&self, which: Retention) -> bool {
        self.run.context.reservation.is_some_and(|reservation| reservation.evict(which))
    }

    /// Uploads all that the stage reads, and runs it; its output stays on the device.
    fn whole(&mut self) -> Result<StageOutput<'d>> {
        let stage = self.stage();
        self.upload_columns()?;
        self.tables.upload_lists(stage, self.run.context, None)?;
        self.run.timer.lap(Phase::CopyIn);
        let launch = self.submit(0..self.rows(), None)?;
        let is_last = self.number + 1 == self.run.stages.len();
        let early =
            if is_last { self.tables.transfer.download_early(&launch.output, row_count(&stage.kernel)) } else { None };
        let bytes_read = launch.bytes_read;
        let (columns, outcome) = self.wait(launch)?;
        self.count(bytes_read, &columns);
        self.run.counters.batches += 1;
        Ok(StageOutput::on_device(columns, outcome.rows, early))
    }

    /// Uploads the columns that the stage reads and that are not on the device.
    fn upload_columns(&mut self) -> Result<()> {
        let stage = self.stage();
        for (&column, ty) in stage.columns().iter().zip(&stage.kernel.columns) {
            if !self.is_missing(column) {
                continue;
            }
            match stage.input() {
                StageInput::Source(_) => self.tables.upload_column(column, ty.dtype, self.run.context)?,
                StageInput::Stage(number) => {
                    self.run.outputs[number].upload(column, ty.dtype, &mut self.tables.transfer)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a column that the stage reads must still be uploaded.
    pub(super) fn is_missing(&self, column: u32) -> bool {
        self.tables.input(self.stage(), &self.run.outputs, column).is_none()
    }

    /// The chunks in host memory of a column that the stage reads; none if the column is elsewhere.
    pub(super) fn chunks(&self, column: u32) -> InlineVec<HostChunk<'_>> {
        chunks(self.run.context, &self.run.outputs, self.stage(), column)
    }

    /// Bytes of the run's reservation that are in use.
    pub(super) fn held_bytes(&self) -> u64 {
        self.tables.held_bytes() + self.run.outputs.iter().map(StageOutput::device_bytes).sum::<u64>()
    }

    /// Frees the device's memory. Outputs of earlier stages that this stage or a later one reads move to the host.
    pub(super) fn move_to_host(&mut self) -> Result<()> {
        let later = &self.run.stages[self.number..];
        for (number, output) in self.run.outputs.iter_mut().enumerate() {
            if is_read(later, number) {
                output.download(&mut self.tables.transfer, self.run.context.pool, None)?;
                output.free_device_memory();
            } else {
                output.drop_rows();
            }
        }
        self.tables.clear();
        Ok(())
    }

    /// Queues a launch over some rows on the current stream. It reads the columns of `batch`, or those of the whole
    /// stage.
    pub(super) fn submit(
        &mut self,
        rows: Range<usize>,
        batch: Option<Vec<DeviceColumn>>,
    ) -> Result<InFlightLaunch<'d>> {
        let stage = self.stage();
        let form = if batch.is_some() { self.batch_form() } else { Form::Whole };
        let SingleDeviceRun { context, outputs, timer, .. } = &mut *self.run;
        let count = stage.columns().len();
        let columns: InlineVec<&DeviceColumn> = match &batch {
            Some(batch) => batch.iter().take(count).collect(),
            None => stage.columns().iter().filter_map(|&column| self.tables.input(stage, outputs, column)).collect(),
        };
        // A batch has its own part of a list behind its columns.
        let own_part = batch.iter().flatten().nth(count);
        let own_list = own_part.and_then(|_| footprint::batch_list(stage));
        let list = |list: usize| if own_list == Some(list) { own_part } else { self.tables.list(list) };
        let lists: InlineVec<&DeviceColumn> = stage.lists.iter().filter_map(|id| list(id.index())).collect();
        let launch = StageLaunch { stage, context, form, rows, relational: None };
        let mut launch = launch.submit_on_device(&self.tables.transfer, &columns, &lists, timer)?;
        drop((columns, lists));
        launch.columns = batch.unwrap_or_default();
        Ok(launch)
    }

    /// Waits for a launch, and returns the columns that it wrote. A fault is an error.
    pub(super) fn wait(&mut self, launch: InFlightLaunch<'d>) -> Result<(Vec<DeviceColumn>, Outcome)> {
        let (columns, outcome) = launch.wait(self.run.context.time)?;
        self.run.timer.lap(Phase::Run);
        match outcome.fault {
            Some(faulted) => Err(self.explain(faulted)),
            None => Ok((columns, outcome)),
        }
    }

    /// Counts the bytes that a launch read and wrote. Call it only for a launch whose result is used.
    pub(super) fn count(&mut self, bytes_read: u64, written: &[DeviceColumn]) {
        self.run.counters.bytes_read += bytes_read;
        self.run.counters.bytes_written += written.iter().map(DeviceColumn::bytes).sum::<u64>();
    }

    /// The error of a fault. Downloads the rows, so that the interpreter can evaluate the faulty one again.
    fn explain(&mut self, faulted: FaultLocation) -> Error {
        let stage = self.stage();
        let (context, rows) = (self.run.context, 0..self.rows());
        if let StageInput::Stage(number) = stage.input()
            && let Err(error) = self.run.outputs[number].download(&mut self.tables.transfer, context.pool, None)
        {
            return error;
        }
        let chunks: Vec<InlineVec<HostChunk<'_>>> = stage.columns().iter().map(|&column| self.chunks(column)).collect();
        let columns = chunks.iter().map(|chunks| &chunks[..]);
        StageLaunch { stage, context, form: Form::Whole, rows, relational: None }.explain(faulted, columns)
    }
}
