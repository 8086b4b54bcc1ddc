//! Runs the stages of a compiled query on a device with memory of its own: copies columns in, launches, copies results
//! out. What one stage gives stays on the device for the next; a column that two stages read is copied once. A stage
//! that the device's memory does not hold at once runs in batches, which overlap, and its result lies in the host's memory.

mod batches;
mod flight;
mod footprint;
mod landing;
mod local;
mod merging;
mod places;
mod scans;
pub(crate) mod sharing;
mod stock;
mod table;

use crate::error::{Error, Result};
use crate::runtime::executor::{Job, Step, explain_fault};
use crate::runtime::memory::Few;
use crate::runtime::receipt::{Counts, Phase, Watch};
use crate::runtime::resilience::retry::FailureClass;
use crate::runtime::results::Output;
use crate::runtime::transfer::Port;
use crate::telemetry;
use pointsman_device::Form;
use pointsman_device::host::HostChunk;
use pointsman_device::launch::Faulted;
use pointsman_ir::types::Scalar;
use stock::{Given, Stock};

/// Runs all stages; puts the last one's columns into `last`, and what it counted where it is told. `into` is the caller's
/// memory for the only column's values.
pub(crate) fn execute(
    steps: &[Step],
    job: &Job<'_>,
    mut into: Option<&mut [u8]>,
    watch: &mut Watch,
    (last, counts): (&mut Output, &mut Counts),
) -> Result<()> {
    let first = steps.first().ok_or_else(|| Error::internal("a query without a stage"))?;
    let mut port = Port::new(&*first.program.device, job.lease.stream, job.time);
    *counts = Counts { rows_in: job.rows, ..Counts::default() };
    let mut stock = Stock::new(job);
    for (number, step) in steps.iter().enumerate() {
        let steps = &steps[number..];
        let own = if steps.len() == 1 { into.as_deref_mut() } else { None };
        let run = Run { steps, step, job, port: &mut port, stock: &mut stock, counts, watch };
        job.begin(number, run.stock.rows_of(&step.stage, job));
        let given = run.stage(own).map_err(|error| error.in_stage(number))?;
        job.end(counts.batches, port.bytes_in + port.bytes_out);
        stock.push(given);
    }
    *last = stock.into_last(&mut port, job.pool, into)?;
    counts.rows_out = last.rows;
    (counts.bytes_moved_in, counts.bytes_moved_out) = (port.bytes_in, port.bytes_out);
    watch.lap(Phase::CopyOut);
    Ok(())
}

/// A stage under way.
struct Run<'r, 'd> {
    /// This stage and those after it.
    steps: &'d [Step],
    step: &'d Step,
    job: &'r Job<'r>,
    port: &'r mut Port<'d>,
    stock: &'r mut Stock<'d>,
    counts: &'r mut Counts,
    watch: &'r mut Watch,
}

impl<'d> Run<'_, 'd> {
    /// Runs the stage, whole if the device's memory holds it and that takes no longer.
    fn stage(mut self, into: Option<&mut [u8]>) -> Result<Given<'d>> {
        let _span = telemetry::stage(self.step);
        if !self.step.stage.tables.is_empty() {
            return Err(Error::unsupported("joins cannot run yet"));
        }
        self.job.may_go_on()?;
        self.watch.lap(Phase::Bind);
        let mut rows_max = self.job.batch_rows.unwrap_or(usize::MAX);
        let is_cut = self.stock.rows_of(&self.step.stage, self.job) > rows_max
            || footprint::is_worth_cutting(self.steps, self.step, self.job, self.port, self.stock);
        if !is_cut && footprint::fits(self.step, self.job, self.port, self.stock) {
            match self.whole() {
                Err(error) if FailureClass::of(&error) == FailureClass::OutOfMemory => {
                    let rows = self.stock.rows_of(&self.step.stage, self.job);
                    self.port.drain();
                    let half = batches::halved(rows);
                    rows_max = half.ok_or_else(|| batches::out_of_memory(&self, Form::Whole, rows, &error))?;
                }
                done => return done,
            }
        }
        Ok(Given::on_host(batches::run(&mut self, rows_max, into)?))
    }

    /// Copies in all that the stage reads, and runs it; what it gave stays on the device.
    fn whole(&mut self) -> Result<Given<'d>> {
        let (step, job) = (self.step, self.job);
        self.stock.send_columns(&step.stage, job, self.port)?;
        self.stock.send_lists(&step.stage, job, self.port)?;
        self.watch.lap(Phase::CopyIn);
        let rows = self.stock.rows_of(&step.stage, job);
        let flight = self.depart(Form::Whole, 0..rows, None)?;
        let (columns, outcome) = self.arrive(flight)?;
        self.counts.batches += 1;
        Ok(Given::on_device(columns, outcome.rows))
    }

    /// What happened in a faulty row: the rows come to the host, and the interpreter evaluates that one again.
    fn explain(&mut self, faulted: Faulted) -> Error {
        let (stage, job) = (&self.step.stage, self.job);
        let params: Few<Option<Scalar>> = stage.params.iter().map(|id| job.params[id.index()]).collect();
        if let Err(error) = self.stock.fetch_inputs(stage, self.port, job.pool) {
            return error;
        }
        let owned: Vec<Few<HostChunk<'_>>> =
            stage.columns.iter().map(|&index| self.stock.pieces(stage, index, job)).collect();
        let pieces: Few<&[HostChunk<'_>]> = owned.iter().map(|pieces| &pieces[..]).collect();
        let lists: Few<HostChunk<'_>> = stage.lists.iter().map(|id| job.lists[id.index()].values.chunk()).collect();
        explain_fault(stage, faulted, &pieces, &params, &lists)
    }
}
