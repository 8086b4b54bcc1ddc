//! Runs the stages of a compiled query on a device with memory of its own: copies columns in, launches, copies results
//! out. What one stage gives stays on the device for the next; a column that two stages read is copied once. A stage
//! that the device's memory does not hold at once runs in batches, which overlap, and its result lies in the host's memory.
//! What that does not hold either goes by way of the disk (`bounded.rs`).

pub(in crate::exec) mod batch_download;
pub(in crate::exec) mod batches;
pub(in crate::exec) mod device_tables;
pub(in crate::exec) mod footprint;
mod forecast;
mod in_flight;
mod single_batch;

pub(crate) use footprint::output_types;
pub(crate) use forecast::{column_bytes, forecast};
pub(crate) use single_batch::run_there;

use crate::data::memory::InlineVec;
use crate::data::output::Output;
use crate::devices::residency::Retention;
use crate::devices::transfer::TransferStream;
use crate::error::{Error, Result};
use crate::exec::in_place::{CompiledStage, RunContext, explain_fault};
use crate::exec::spilled;
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::resilience::retry::FailureClass;
use crate::telemetry;
use device_tables::{DeviceTables, StageOutput};
use pointsman_device::Form;
use pointsman_device::host::HostChunk;
use pointsman_device::launch::FaultLocation;
use pointsman_ir::types::Scalar;

/// Runs all stages; puts the last one's columns into `last`, and what it counted where it is told. `into` is the caller's
/// memory for the only column's values.
pub(crate) fn execute(
    steps: &[CompiledStage],
    job: &RunContext<'_>,
    mut into: Option<&mut [u8]>,
    watch: &mut PhaseTimer,
    (last, counts): (&mut Output, &mut RunCounters),
) -> Result<()> {
    let refusals = job.pool.refusals();
    match in_memory(steps, job, into.as_deref_mut(), watch, (last, counts)) {
        // The device's memory is not to blame, or not alone.
        Err(error) if FailureClass::of(&error) == FailureClass::OutOfMemory && job.pool.refusals() > refusals => {
            *counts = RunCounters { rows_in: job.rows, ..RunCounters::default() };
            spilled::execute(steps, (job, Vec::new(), &error), into, watch, (last, counts))
        }
        ran => ran,
    }
}

/// Runs all stages, with what each gives on the device or in the host's memory.
fn in_memory(
    steps: &[CompiledStage],
    job: &RunContext<'_>,
    mut into: Option<&mut [u8]>,
    watch: &mut PhaseTimer,
    (last, counts): (&mut Output, &mut RunCounters),
) -> Result<()> {
    let first = steps.first().ok_or_else(|| Error::internal("a query without a stage"))?;
    let mut port = TransferStream::new(&*first.program.device, job.lease.stream, job.time);
    *counts = RunCounters { rows_in: job.rows, ..RunCounters::default() };
    let mut stock = DeviceTables::new(job, &port)?;
    for (number, step) in steps.iter().enumerate() {
        let steps = &steps[number..];
        let own = if steps.len() == 1 { into.as_deref_mut() } else { None };
        let run = DeviceStage { steps, step, job, port: &mut port, stock: &mut stock, counts, watch };
        job.begin(number, run.stock.rows_of(&step.stage, job));
        let given = run.stage(own).map_err(|error| error.in_stage(number))?;
        job.end(counts.batches, port.bytes_in + port.bytes_out);
        stock.push(given);
    }
    stock.leave(job, &port)?;
    *last = stock.into_last(&mut port, job.pool, into)?;
    counts.pressure = job.grant.map(|grant| grant.pressure()).unwrap_or_default();
    counts.rows_out = last.rows;
    (counts.bytes_moved_in, counts.bytes_moved_out) = (port.bytes_in, port.bytes_out);
    watch.lap(Phase::CopyOut);
    Ok(())
}

fn is_no_room(error: &Error) -> bool {
    FailureClass::of(error) == FailureClass::OutOfMemory
}

/// A stage under way.
pub(in crate::exec) struct DeviceStage<'r, 'd> {
    /// This stage and those after it.
    pub(in crate::exec) steps: &'d [CompiledStage],
    pub(in crate::exec) step: &'d CompiledStage,
    pub(in crate::exec) job: &'r RunContext<'r>,
    pub(in crate::exec) port: &'r mut TransferStream<'d>,
    pub(in crate::exec) stock: &'r mut DeviceTables<'d>,
    pub(in crate::exec) counts: &'r mut RunCounters,
    pub(in crate::exec) watch: &'r mut PhaseTimer,
}

impl<'d> DeviceStage<'_, 'd> {
    /// Runs the stage, whole if the device's memory holds it and that takes no longer.
    fn stage(mut self, mut into: Option<&mut [u8]>) -> Result<StageOutput<'d>> {
        let _span = telemetry::stage_span(self.step);
        if !self.step.stage.tables.is_empty() {
            return Err(Error::unsupported("joins cannot run yet"));
        }
        self.job.may_go_on()?;
        self.watch.lap(Phase::Bind);
        let mut rows_max = self.job.batch_rows.unwrap_or(usize::MAX);
        let is_cut = self.stock.rows_of(&self.step.stage, self.job) > rows_max
            || footprint::is_worth_cutting(self.steps, self.step, self.job, self.port, self.stock);
        if !is_cut && (self.fits() || (self.evict(Retention::Cached) && self.fits())) {
            match self.whole_or_evict() {
                Err(error) if is_no_room(&error) => {
                    let rows = self.stock.rows_of(&self.step.stage, self.job);
                    let half = batches::halved(rows);
                    rows_max = half.ok_or_else(|| batches::out_of_memory(&self, Form::Whole, rows, &error))?;
                }
                done => return done,
            }
        }
        let refusals = self.job.pool.refusals();
        let mut ran = batches::run(&mut self, rows_max, into.as_deref_mut());
        // By now its own resident columns can go too, unless it is the host that has no memory.
        for which in [Retention::Cached, Retention::Pinned] {
            let is_devices = self.job.pool.refusals() == refusals;
            if ran.as_ref().is_err_and(is_no_room) && is_devices && self.evict(which) {
                self.job.begin_again();
                ran = batches::run(&mut self, rows_max, into.as_deref_mut());
            }
        }
        Ok(StageOutput::on_host(ran?))
    }

    /// Whether the whole stage fits into what is left of the device's memory.
    fn fits(&self) -> bool {
        footprint::fits(self.step, self.job, self.port, self.stock)
    }

    /// Runs the stage whole; once more if there was no memory and resident columns could go.
    fn whole_or_evict(&mut self) -> Result<StageOutput<'d>> {
        let ran = self.whole();
        if !ran.as_ref().is_err_and(is_no_room) {
            return ran;
        }
        self.port.drain();
        if !self.evict(Retention::Cached) {
            return ran;
        }
        let again = self.whole();
        if again.as_ref().is_err_and(is_no_room) {
            self.port.drain();
        }
        again
    }

    /// Frees the memory of resident columns that nobody reads; whether there were any.
    fn evict(&self, which: Retention) -> bool {
        self.job.grant.is_some_and(|grant| grant.evict(which))
    }

    /// Copies in all that the stage reads, and runs it; what it gave stays on the device.
    fn whole(&mut self) -> Result<StageOutput<'d>> {
        let (step, job) = (self.step, self.job);
        self.stock.send_columns(&step.stage, job, self.port)?;
        self.stock.send_lists(&step.stage, job, self.port)?;
        self.watch.lap(Phase::CopyIn);
        let rows = self.stock.rows_of(&step.stage, job);
        let flight = self.depart(Form::Whole, 0..rows, None)?;
        let is_last = self.steps.len() == 1;
        let early = if is_last { self.port.fetch_early(&step.stage.kernel, &flight.output) } else { None };
        let read = flight.read;
        let (columns, outcome) = self.arrive(flight)?;
        self.count(read, &columns);
        self.counts.batches += 1;
        Ok(StageOutput::on_device(columns, outcome.rows, early))
    }

    /// What happened in a faulty row: the rows come to the host, and the interpreter evaluates that one again.
    fn explain(&mut self, faulted: FaultLocation) -> Error {
        let (stage, job) = (&self.step.stage, self.job);
        let params: InlineVec<Option<Scalar>> = stage.params.iter().map(|id| job.params[id.index()]).collect();
        if let Err(error) = self.stock.fetch_inputs(stage, self.port, job.pool) {
            return error;
        }
        let owned: Vec<InlineVec<HostChunk<'_>>> =
            stage.columns.iter().map(|&index| self.stock.pieces(stage, index, job)).collect();
        let pieces: InlineVec<&[HostChunk<'_>]> = owned.iter().map(|pieces| &pieces[..]).collect();
        let lists: InlineVec<HostChunk<'_>> =
            stage.lists.iter().map(|id| job.lists[id.index()].values.chunk()).collect();
        explain_fault(stage, faulted, (0, &pieces), &params, &lists)
    }
}
