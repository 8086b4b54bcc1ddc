//! Runs the stages of a compiled query on several devices at once, with one thread for each device. The outputs of stages
//! are in the host's memory.
//!
//! A device that fails or hangs leaves the query, and the others run its rows. The run fails only if all devices failed.

mod in_place;
mod scheduler;
mod shared_stage;

use crate::data::output::Output;
use crate::devices::handle::{DeviceHandle, StreamLease};
use crate::devices::residency::MemoryReservation;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::context::{QueryContext, RunContext};
use crate::exec::device_tables::DeviceTables;
use crate::exec::merge::Merger;
use crate::exec::on_device::DeviceStage;
use crate::exec::output_slices::OutputSlices;
use crate::exec::sharing::scheduler::{DeviceProgress, ShareScheduler};
use crate::exec::sharing::shared_stage::{SharedStage, WorkerHandle};
use crate::exec::stage_output::StageOutput;
use crate::exec::{RunResult, SingleDeviceRun, batches, fault};
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::instrument::skip_reason::SkipReason;
use crate::instrument::spans;
use crate::programs::program::CompiledStage;
use crate::resilience::clock::Clock;
use crate::resilience::gate::GatePermit;
use crate::resilience::health::BreakerPermits;
use crate::resilience::time_limit::TimeLimit;
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::Sink;
use std::time::Duration;

/// A device that shares a query.
pub(crate) struct SharingDevice<'p> {
    pub(crate) handle: &'p DeviceHandle,
    pub(crate) stages: &'p [CompiledStage],
    pub(crate) lease: StreamLease<'p>,
    /// The reserved memory; `None` if it works in the host's memory.
    pub(crate) reservation: Option<MemoryReservation<'p>>,
    /// The permits of a device other than the first, whose permits the attempt holds.
    pub(crate) gate: Option<GatePermit<'p>>,
    pub(crate) breakers: Option<BreakerPermits<'p>>,
    /// Its deadline.
    pub(crate) until: Option<Duration>,
    /// The predicted rows per second.
    pub(crate) rate: Option<f64>,
    pub(crate) work: DeviceWork,
}

/// What a device did of a shared query.
#[derive(Default)]
pub(crate) struct DeviceWork {
    pub(crate) failure: Option<FailedDevice>,
    /// The rows and batches of all stages.
    pub(crate) rows: usize,
    pub(crate) batches: usize,
    /// Why it took no part in the last stage.
    pub(crate) left_out: Option<SkipReason>,
    counters: RunCounters,
}

/// A device that left a shared query.
pub(crate) struct FailedDevice {
    pub(crate) device: String,
    pub(crate) error: Error,
    /// How long it took part.
    pub(crate) time: Duration,
}

/// Runs all stages, and writes the columns of the last one to the result.
pub(crate) fn run(devices: &mut [SharingDevice<'_>], context: QueryContext<'_>, result: RunResult<'_>) -> Result<()> {
    let RunResult { mut caller_values, output, timer, counters } = result;
    let stages = devices[0].stages;
    let mut outputs: Vec<Output> = Vec::new();
    for number in 0..stages.len() {
        let is_last = number + 1 == stages.len();
        let caller_values = if is_last { caller_values.as_deref_mut() } else { None };
        let ran = run_stage(devices, context, number, &outputs, caller_values);
        outputs.push(ran.map_err(|error| fault::in_source_row(error.in_stage(number), stages))?);
        if let Some(reporter) = context.reporter {
            let batches = devices.iter().map(|device| device.work.batches).sum();
            let moved = devices.iter().map(|device| device.work.counters.bytes_moved()).sum();
            reporter.end_stage(batches, moved);
        }
        timer.lap(Phase::Run);
    }
    *output = outputs.pop().ok_or_else(|| Error::internal("a query without a stage"))?;
    *counters = RunCounters { rows_in: context.rows, rows_out: output.rows, ..RunCounters::default() };
    for SharingDevice { work, reservation, .. } in devices {
        counters.bytes_read += work.counters.bytes_read;
        counters.bytes_written += work.counters.bytes_written;
        counters.bytes_moved_in += work.counters.bytes_moved_in;
        counters.bytes_moved_out += work.counters.bytes_moved_out;
        counters.batches += work.batches;
        counters.pressure += reservation.as_ref().map(MemoryReservation::pressure).unwrap_or_default();
    }
    Ok(())
}

/// Runs a stage on all devices that have not failed.
fn run_stage(
    devices: &mut [SharingDevice<'_>],
    context: QueryContext<'_>,
    number: usize,
    outputs: &[Output],
    caller_values: Option<&mut [u8]>,
) -> Result<Output> {
    let stage = &devices[0].stages[number];
    let _span = spans::stage(stage.device(), &stage.kernel);
    if !stage.tables.is_empty() {
        return Err(Error::unsupported("joins cannot run yet"));
    }
    let rows = match stage.input {
        StageInput::Source(_) => context.rows,
        StageInput::Stage(number) => outputs[number].rows,
    };
    if let Some(reporter) = context.reporter {
        reporter.begin_stage(number, rows);
    }
    let clock = context.time.clock;
    let mut scheduler = ShareScheduler::new(rows, devices.iter().map(|device| device.rate));
    let failed = devices.iter().enumerate().filter(|(_, device)| device.work.failure.is_some());
    failed.for_each(|(number, _)| scheduler.fail(number));
    if let Sink::Store { .. } = &stage.kernel.sink {
        let mut output = Output::default();
        output.allocate(&stage.output, rows, caller_values.as_deref(), context.pool)?;
        let slices = OutputSlices::of(&mut output, rows, caller_values)?;
        let shared = SharedStage::new(Some(slices), None, scheduler, clock);
        StageRun { context, number, outputs, shared: &shared }.run(devices)?;
        shared.finish()?;
        output.set_rows(rows);
        return Ok(output);
    }
    let merger = Merger::new(stage, rows, context.pool, caller_values)?;
    let shared = SharedStage::new(None, Some(merger), scheduler, clock);
    StageRun { context, number, outputs, shared: &shared }.run(devices)?;
    shared.finish()?.ok_or_else(|| Error::internal("a shared stage without a result"))
}

/// Adds each device's part of a stage.
fn count_work(devices: &mut [SharingDevice<'_>], progress: &[DeviceProgress]) {
    for (device, progress) in devices.iter_mut().zip(progress) {
        let work = &mut device.work;
        work.rows += progress.rows;
        work.batches += progress.batches;
        work.left_out = (progress.batches == 0 && work.failure.is_none()).then_some(SkipReason::TooShort);
    }
}

/// The run of a shared stage.
#[derive(Clone, Copy)]
struct StageRun<'a, 't> {
    context: QueryContext<'a>,
    number: usize,
    /// The outputs of earlier stages.
    outputs: &'a [Output],
    shared: &'a SharedStage<'t>,
}

impl StageRun<'_, '_> {
    /// Lets the devices work until all rows are done. If a device failed after others had stopped, those start again.
    fn run(&self, devices: &mut [SharingDevice<'_>]) -> Result<()> {
        loop {
            let working = check_working(devices)?;
            self.run_threads(devices);
            if self.shared.is_done() {
                self.shared.schedule(|scheduler| count_work(devices, &scheduler.devices));
                return Ok(());
            }
            if check_working(devices)? == working {
                return Err(Error::internal("a shared stage that no device continues"));
            }
            self.shared.schedule(ShareScheduler::restart);
        }
    }

    /// Runs the first working device on this thread, and the others on threads of their own.
    fn run_threads(&self, devices: &mut [SharingDevice<'_>]) {
        let clock = self.context.time.clock;
        let working = devices.iter_mut().enumerate().filter(|(_, device)| device.work.failure.is_none());
        let mut working: Vec<(usize, &mut SharingDevice<'_>)> = working.collect();
        clock.gather(working.len());
        std::thread::scope(|scope| {
            let mut turns = working.drain(..).enumerate();
            let first = turns.next();
            for (turn, (number, device)) in turns {
                let work = move || self.work(turn, number, device);
                // Without a thread for it, the other devices run its rows.
                if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    clock.end(turn);
                }
            }
            first.into_iter().for_each(|(turn, (number, device))| self.work(turn, number, device));
        });
    }

    /// Runs the batches of the device of this number. `turn` is its thread's number for the clock.
    fn work(&self, turn: usize, number: usize, device: &mut SharingDevice<'_>) {
        let clock = self.context.time.clock;
        clock.begin(turn);
        let (_turn, start) = (ClockTurn { clock, number: turn }, clock.now());
        let worker = WorkerHandle { stage: self.shared, device: number };
        let mut counters = std::mem::take(&mut device.work.counters);
        let ran = self.run_batches(worker, device, &mut counters);
        device.work.counters = counters;
        if let Err(error) = ran {
            self.shared.schedule(|scheduler| scheduler.fail(number));
            let (name, time) = (device.handle.name().to_string(), clock.now().saturating_sub(start));
            device.work.failure = Some(FailedDevice { device: name, error: error.in_stage(self.number), time });
        }
    }

    /// Runs batches on a device until none is left for it.
    fn run_batches(
        &self,
        worker: WorkerHandle<'_, '_>,
        device: &SharingDevice<'_>,
        counters: &mut RunCounters,
    ) -> Result<()> {
        let time = TimeLimit { until: device.until, ..self.context.time };
        let (common, reservation) = (QueryContext { time, ..self.context }, device.reservation.as_ref());
        let context = &RunContext { common, lease: &device.lease, batch_rows: None, reservation };
        let outputs = self.outputs.iter().map(StageOutput::borrowed).collect();
        let timer = &mut PhaseTimer::start();
        let mut run = SingleDeviceRun { stages: device.stages, context, outputs, counters, timer };
        if device.handle.host_memory {
            return in_place::run(&mut run, self.number, worker);
        }
        let mut tables = DeviceTables::new(&device.handle.device, context)?;
        let mut stage = DeviceStage { run: &mut run, tables: &mut tables, number: self.number };
        let (mut source, mut sink) = (worker, worker);
        let ran = batches::run_from(&mut stage, usize::MAX, &mut source, &mut sink);
        tables.count_moved(run.counters);
        ran
    }
}

/// How many devices have not failed; an error if there is none, or if the query was cancelled.
fn check_working(devices: &[SharingDevice<'_>]) -> Result<usize> {
    let errors = || devices.iter().filter_map(|device| device.work.failure.as_ref()).map(|failure| &failure.error);
    let is_over = errors().count() == devices.len();
    let cancelled = errors().find(|error| error.kind() == ErrorKind::Cancelled);
    match cancelled.or_else(|| errors().next().filter(|_| is_over)) {
        Some(error) => Err(error.clone()),
        None => Ok(devices.len() - errors().count()),
    }
}

/// Ends the turn of a thread with the clock, also if the thread panics.
struct ClockTurn<'c> {
    clock: &'c dyn Clock,
    number: usize,
}

impl Drop for ClockTurn<'_> {
    fn drop(&mut self) {
        self.clock.end(self.number);
    }
}
