//! Runs the stages of a compiled query on several devices at once, with one thread for each device. The outputs of
//! stages are in the host's memory.
//!
//! A device that fails or hangs leaves the query, and the others run its rows. The run fails if all devices failed, if
//! a row is faulty, if the result cannot be merged, or if the query is cancelled.

mod scheduler;
mod shared_stage;

use crate::data::chunks::slice;
use crate::data::output::Output;
use crate::devices::handle::{DeviceHandle, StreamLease};
use crate::devices::residency::MemoryReservation;
use crate::error::{Error, ErrorKind, FailureClass, Result};
use crate::exec::batch_source::BatchSource;
use crate::exec::context::{QueryContext, RunContext};
use crate::exec::device_tables::DeviceTables;
use crate::exec::launch::StageLaunch;
use crate::exec::merge::{HostBatch, Merger, batch_form};
use crate::exec::on_device::DeviceStage;
use crate::exec::relational::StageCall;
use crate::exec::relational::collect::Collector;
use crate::exec::relational::launches::{launch_rows, reads_other_rows};
use crate::exec::relational::rows::check_call;
use crate::exec::relational::stage_run::{Meters, StageRun};
use crate::exec::sharing::scheduler::ShareScheduler;
use crate::exec::sharing::shared_stage::{SharedInput, SharedStage, StageProgress, WorkerHandle};
use crate::exec::single_batch::SingleBatch;
use crate::exec::stage_output::StageOutput;
use crate::exec::{RunResult, SingleDeviceRun, batches, chunks, fault};
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::instrument::spans;
use crate::programs::ProgramSource;
use crate::programs::program::CompiledStage;
use crate::resilience::clock::Clock;
use crate::resilience::gate::GatePermit;
use crate::resilience::health::BreakerPermits;
use crate::resilience::time_limit::TimeLimit;
use crate::sync::Mutex;
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::LEAF_ROWS;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// A batch on a device that works in the host's memory has at most this many rows, because its output waits there to be
/// merged; or this fraction of the stage if that is more, because the device's threads wait for each other after each
/// batch.
const BATCH_ROWS_MAX: usize = 1 << 22;
const BATCH_FRACTION: usize = 64;

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
    /// Its rows, batches and bytes in all stages.
    pub(crate) counters: RunCounters,
    /// The origins of programs that were loaded during the run.
    pub(crate) loads: Vec<ProgramSource>,
    /// Why it left the query, and how long it had taken part.
    pub(crate) failure: Option<(Error, Duration)>,
}

impl<'p> SharingDevice<'p> {
    /// A device without permits, before the first stage.
    pub(crate) fn new(
        handle: &'p DeviceHandle,
        stages: &'p [CompiledStage],
        reservation: Option<MemoryReservation<'p>>,
        until: Option<Duration>,
    ) -> Result<SharingDevice<'p>> {
        let (lease, counters, gate, breakers) = (handle.lease_stream()?, RunCounters::default(), None, None);
        let (rate, loads, failure) = (None, Vec::new(), None);
        Ok(SharingDevice { handle, stages, lease, reservation, gate, breakers, until, rate, counters, loads, failure })
    }
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
        *counters = total(devices, context.source.rows);
        context.reporter.iter().for_each(|reporter| reporter.end_stage(counters.batches(), counters.bytes_moved()));
        timer.lap(Phase::Run);
    }
    *output = outputs.pop().ok_or_else(|| Error::internal("a query without a stage"))?;
    counters.rows_out = output.rows;
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
    let rows = match stage.input() {
        StageInput::Source(_) => context.source.rows,
        StageInput::Stage(number) => outputs[number].rows,
    };
    context.reporter.iter().for_each(|reporter| reporter.begin_stage(number, rows));
    let merger = Merger::new(stage, rows, context.pool, caller_values)?;
    let scheduler = ShareScheduler::new(rows, devices.iter().map(|device| device.rate));
    let progress = Mutex::new(StageProgress::new(scheduler, Some(merger)));
    let shared = SharedStage { context, number, input: SharedInput::Outputs(outputs), progress };
    shared.run(devices)?;
    let finished = shared.progress.into_inner().finish()?;
    finished.merger.ok_or_else(|| Error::internal("a shared stage without a merger"))?.finish()
}

/// Runs a stage of a plan of tables, and writes its rows to the result. Each device builds the indexes that it probes.
/// The outputs of all batches wait for the end, when a device merges them.
pub(crate) fn run_table_stage(
    devices: &mut [SharingDevice<'_>],
    context: QueryContext<'_>,
    call: &StageCall<'_>,
    result: RunResult<'_>,
) -> Result<()> {
    let RunResult { output, timer, counters, .. } = result;
    let _span = spans::stage(devices[0].stages[0].device(), &devices[0].stages[0].kernel);
    if reads_other_rows(&devices[0].stages[0].kernel) {
        return Err(Error::unsupported("folds over frames cannot run in batches"));
    }
    call.begin(&context);
    // A mistake of the caller is none of the devices'.
    check_call(call).map_err(|error| error.in_stage(0))?;
    let scheduler = ShareScheduler::new(call.size.rows, devices.iter().map(|device| device.rate));
    let progress = Mutex::new(StageProgress::new(scheduler, None));
    let shared = SharedStage { context, number: 0, input: SharedInput::Tables(call), progress };
    shared.run(devices).map_err(|error| error.in_stage(0))?;
    let finished = shared.progress.into_inner().finish().map_err(|error| error.in_stage(0))?;
    timer.lap(Phase::Run);
    let batches: Vec<Arc<HostBatch>> = finished.batches.into_iter().map(Arc::new).collect();
    *output = merge_on_any(devices, context, call, &batches, timer)?;
    for device in &*devices {
        device.stages[0].history.record(call.size.rows, output.rows);
    }
    *counters = total(devices, call.size.rows);
    counters.rows_out = output.rows;
    call.end(&context, counters);
    Ok(())
}

/// Merges the outputs of all batches of a stage of a plan of tables on one device; on another one if it fails.
fn merge_on_any(
    devices: &mut [SharingDevice<'_>],
    context: QueryContext<'_>,
    call: &StageCall<'_>,
    batches: &[Arc<HostBatch>],
    timer: &mut PhaseTimer,
) -> Result<Output> {
    loop {
        // A device that works in the host's memory has nothing to copy, and one that ran rows has the programs.
        let cost = |device: &SharingDevice<'_>| (device.counters.batches == 0, !device.handle.host_memory);
        let working = devices.iter_mut().filter(|device| device.failure.is_none());
        let Some(device) = working.min_by_key(|device| cost(device)) else {
            check_working(devices)?;
            return Err(Error::internal("a shared stage without a device"));
        };
        let start = context.time.clock.now();
        match merge_table_batches(device, context, call, batches, timer) {
            Ok(output) => return Ok(output),
            Err(error) if FailureClass::of(&error).is_device_failure() => {
                device.failure = Some((error.in_stage(0), context.time.clock.now().saturating_sub(start)));
            }
            Err(error) => return Err(error.in_stage(0)),
        }
    }
}

/// Merges the outputs of all batches of a stage of a plan of tables on one device.
fn merge_table_batches(
    device: &mut SharingDevice<'_>,
    common: QueryContext<'_>,
    call: &StageCall<'_>,
    batches: &[Arc<HostBatch>],
    timer: &mut PhaseTimer,
) -> Result<Output> {
    let time = TimeLimit { until: device.until, ..common.time };
    let (common, reservation) = (QueryContext { time, ..common }, device.reservation.as_ref());
    let context = RunContext { common, lease: &device.lease, batch_rows: None, reservation };
    let mut meters = Meters { timer, counters: &mut device.counters, loads: std::mem::take(&mut device.loads) };
    let merged = merge_batches(call, &device.stages[0], &context, batches, &mut meters);
    device.loads = meters.loads;
    merged
}

fn merge_batches(
    call: &StageCall<'_>,
    compiled: &CompiledStage,
    context: &RunContext<'_>,
    batches: &[Arc<HostBatch>],
    meters: &mut Meters<'_>,
) -> Result<Output> {
    let stage = StageRun::prepare(call, compiled, context, meters)?;
    let mut collector = Collector::new(&stage)?;
    batches.iter().try_for_each(|batch| collector.take(batch.clone()))?;
    collector.finish(&stage, meters)
}

/// The totals of all devices.
fn total(devices: &[SharingDevice<'_>], rows_in: usize) -> RunCounters {
    let mut all = RunCounters { rows_in, ..RunCounters::default() };
    for SharingDevice { counters, reservation, .. } in devices {
        all.add_stage(counters);
        all.pressure += reservation.as_ref().map(MemoryReservation::pressure).unwrap_or_default();
    }
    all
}

impl SharedStage<'_> {
    /// Lets the devices work until all rows are done. If a device failed after others had stopped, those start again.
    fn run(&self, devices: &mut [SharingDevice<'_>]) -> Result<()> {
        // Each further round has lost a device.
        for _ in 0..devices.len() {
            check_working(devices)?;
            self.progress.lock().scheduler.start(devices.iter().map(|device| device.failure.is_some()));
            self.run_threads(devices);
            let scheduler = &self.progress.lock().scheduler;
            if scheduler.is_done() {
                let rows = scheduler.devices.iter().map(|progress| progress.rows);
                devices.iter_mut().zip(rows).for_each(|(device, rows)| device.counters.rows_in += rows);
                return Ok(());
            }
        }
        check_working(devices)?;
        Err(Error::internal("a shared stage that no device continues"))
    }

    /// Runs the first working device on this thread, and each other one on a thread of its own. Without a thread for
    /// it, the other devices run its rows.
    fn run_threads(&self, devices: &mut [SharingDevice<'_>]) {
        let clock = self.context.time.clock;
        clock.gather(devices.len());
        std::thread::scope(|scope| {
            let mut first = None;
            for (number, device) in devices.iter_mut().enumerate() {
                match (device.failure.is_none(), &first) {
                    (true, None) => first = Some((number, device)),
                    (true, Some(_)) => {
                        let work = move || self.work(number, device);
                        if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                            self.progress.lock().scheduler.stop(number);
                            clock.end(number);
                        }
                    }
                    (false, _) => clock.end(number),
                }
            }
            first.into_iter().for_each(|(number, device)| self.work(number, device));
        });
    }

    /// Runs the batches of the device of this number.
    fn work(&self, number: usize, device: &mut SharingDevice<'_>) {
        let clock = self.context.time.clock;
        clock.begin(number);
        let (_turn, start) = (ClockTurn { clock, number }, clock.now());
        let mut counters = std::mem::take(&mut device.counters);
        let ran = self.run_batches(number, device, &mut counters);
        device.counters = counters;
        match ran {
            Ok(loads) => device.loads.extend(loads),
            Err(error) => {
                self.progress.lock().scheduler.fail(number);
                device.failure = Some((error.in_stage(self.number), clock.now().saturating_sub(start)));
            }
        }
    }

    /// Runs batches on a device until none is left for it. Returns where programs came from that were loaded on the
    /// way.
    fn run_batches(
        &self,
        number: usize,
        device: &SharingDevice<'_>,
        counters: &mut RunCounters,
    ) -> Result<Vec<ProgramSource>> {
        let time = TimeLimit { until: device.until, ..self.context.time };
        let (common, reservation) = (QueryContext { time, ..self.context }, device.reservation.as_ref());
        let context = &RunContext { common, lease: &device.lease, batch_rows: None, reservation };
        let timer = &mut PhaseTimer::start();
        let worker = WorkerHandle { stage: self, device: number };
        let outputs = match self.input {
            SharedInput::Outputs(outputs) => outputs.iter().map(StageOutput::borrowed).collect(),
            SharedInput::Tables(call) => {
                let mut meters = Meters { timer, counters, loads: Vec::new() };
                let ran = run_tables(call, &device.stages[0], context, worker, &mut meters);
                return ran.map(|()| meters.loads);
            }
        };
        let mut run = SingleDeviceRun { stages: device.stages, context, outputs, counters, timer };
        if device.handle.host_memory {
            return run_in_place(&mut run, self.number, worker).map(|()| Vec::new());
        }
        let mut tables = DeviceTables::new(&device.handle.device, context)?;
        let mut stage = DeviceStage { run: &mut run, tables: &mut tables, number: self.number };
        let (mut source, mut sink) = (worker, worker);
        let ran = batches::run_from(&mut stage, usize::MAX, &mut source, &mut sink);
        tables.count_moved(run.counters);
        ran.map(|()| Vec::new())
    }
}

/// Runs batches of a stage of a plan of tables on a device.
fn run_tables(
    call: &StageCall<'_>,
    compiled: &CompiledStage,
    context: &RunContext<'_>,
    mut worker: WorkerHandle<'_, '_>,
    meters: &mut Meters<'_>,
) -> Result<()> {
    let rows_max = BATCH_ROWS_MAX.max((call.size.rows / BATCH_FRACTION).next_multiple_of(LEAF_ROWS));
    let launch_rows = launch_rows(call.batch_rows);
    // Nothing is built or copied for a device that gets no rows.
    let mut stage: Option<StageRun<'_>> = None;
    while let Some(rows) = worker.next(rows_max) {
        let mut batches = Vec::new();
        let before = *meters.counters;
        let timeout = || BatchSource::timeout(&worker, rows.len()).unwrap_or(Duration::MAX);
        let ran = match stage.take().map_or_else(|| prepare_shared(call, compiled, context, meters), Ok) {
            Ok(own) => {
                let own = stage.insert(own);
                own.run_rows(rows.clone(), launch_rows, Some(&timeout), meters, &mut |batch, _| {
                    batches.push(own.trimmed(batch));
                    Ok(())
                })
            }
            Err(error) => Err(error),
        };
        match ran {
            Ok(()) => {
                worker.merge(&rows, batches);
                context.report(|reporter| reporter.end_batch(rows.len(), 0));
            }
            Err(error) => {
                // Only what was moved counts of rows that are run again.
                let RunCounters { bytes_moved_in, bytes_moved_out, .. } = *meters.counters;
                *meters.counters = RunCounters { bytes_moved_in, bytes_moved_out, ..before };
                // First: rows that fault are not handed out again.
                let failed = worker.failed(&rows, error);
                worker.take_back(rows);
                failed?;
            }
        }
    }
    Ok(())
}

/// A stage of a plan of tables on a device that runs some of its rows.
fn prepare_shared<'a>(
    call: &'a StageCall<'a>,
    compiled: &'a CompiledStage,
    context: &'a RunContext<'a>,
    meters: &mut Meters<'_>,
) -> Result<StageRun<'a>> {
    let mut stage = StageRun::prepare(call, compiled, context, meters)?;
    stage.upload(meters)?;
    Ok(stage)
}

/// Runs batches on a device that reads the host's memory in place.
fn run_in_place(run: &mut SingleDeviceRun<'_>, number: usize, mut worker: WorkerHandle<'_, '_>) -> Result<()> {
    let rows = run.rows_read(&run.stages[number]);
    let rows_max = BATCH_ROWS_MAX.max((rows / BATCH_FRACTION).next_multiple_of(LEAF_ROWS));
    while let Some(rows) = worker.next(rows_max) {
        match run.context.check_limits().and_then(|()| run_batch(run, number, &rows)) {
            Ok(batch) => {
                worker.merge(&rows, vec![batch]);
                run.counters.batches += 1;
                run.context.report(|reporter| reporter.end_batch(rows.len(), 0));
            }
            Err(error) => {
                // First: rows that fault are not handed out again.
                let failed = worker.failed(&rows, error);
                worker.take_back(rows);
                failed?;
            }
        }
    }
    Ok(())
}

fn run_batch(run: &mut SingleDeviceRun<'_>, number: usize, rows: &Range<usize>) -> Result<HostBatch> {
    let SingleDeviceRun { stages, context, outputs, counters, timer } = run;
    let stage = &stages[number];
    let columns = stage.columns().iter().zip(&stage.kernel.columns);
    let columns = columns.map(|(&column, ty)| slice(&chunks(context, outputs, stage, column), ty.dtype, rows.clone()));
    let launch = StageLaunch { stage, context, form: batch_form(&stage.kernel), rows: rows.clone(), relational: None };
    SingleBatch { launch, columns: columns.collect() }.run(timer, counters)
}

/// An error if all devices failed, or if the query was cancelled.
fn check_working(devices: &[SharingDevice<'_>]) -> Result<()> {
    let errors = || devices.iter().filter_map(|device| device.failure.as_ref()).map(|(error, _)| error);
    let is_over = errors().count() == devices.len();
    let cancelled = errors().find(|error| error.kind() == ErrorKind::Cancelled);
    match cancelled.or_else(|| errors().next().filter(|_| is_over)) {
        Some(error) => Err(error.clone()),
        None => Ok(()),
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
