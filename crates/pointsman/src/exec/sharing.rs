//! Runs the stages of a compiled query on several devices at once, with one thread for each device. The outputs of stages
//! are in the host's memory.
//!
//! The other devices start when the stage is known to be worth sharing: by a prediction, or once the first device has
//! measured it. A device that fails or hangs leaves the stage, and the others run its rows. The run fails only if all
//! devices failed.

mod in_place;
mod scheduler;
mod shared_stage;

use crate::data::output::Output;
use crate::devices::handle::{DeviceHandle, StreamLease};
use crate::devices::residency::MemoryReservation;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::context::{QueryContext, RunContext};
use crate::exec::device_tables::DeviceTables;
use crate::exec::launch::output_types;
use crate::exec::merge::Merger;
use crate::exec::on_device::DeviceStage;
use crate::exec::output_slices::OutputSlices;
use crate::exec::sharing::in_place::InPlaceStage;
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
use crate::sync::Mutex;
use pointsman_device::Form;
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::Sink;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

/// A device that shares a query.
pub(crate) struct SharingDevice<'p> {
    pub(crate) handle: &'p DeviceHandle,
    pub(crate) stages: &'p [CompiledStage],
    pub(crate) lease: StreamLease<'p>,
    /// The reserved memory; `None` if it works in the host's memory.
    pub(crate) reservation: Option<MemoryReservation<'p>>,
    /// The permits of a device other than the first, whose permits the attempt holds.
    pub(crate) permits: Option<(GatePermit<'p>, Option<BreakerPermits<'p>>)>,
    /// Its deadline.
    pub(crate) until: Option<Duration>,
    /// The predicted rows per second.
    pub(crate) rate: Option<f64>,
    pub(crate) work: DeviceWork,
}

/// What a device did of a shared query.
#[derive(Default)]
pub(crate) struct DeviceWork {
    /// Why it stopped, and after what time.
    pub(crate) failed: Option<(Error, Duration)>,
    /// The rows and batches of all stages.
    pub(crate) rows: usize,
    pub(crate) batches: usize,
    /// Why it took no part in the last stage.
    pub(crate) left_out: Option<SkipReason>,
    counters: RunCounters,
}

/// Admits the other devices, once; those that can take part now.
pub(crate) type AdmitOthers<'o, 'p> = Box<dyn FnOnce() -> Vec<SharingDevice<'p>> + 'o>;

/// The devices that share a query.
pub(crate) struct SharingDevices<'o, 'p> {
    devices: RefCell<Vec<Arc<Mutex<SharingDevice<'p>>>>>,
    admit_others: RefCell<Option<AdmitOthers<'o, 'p>>>,
}

impl<'o, 'p> SharingDevices<'o, 'p> {
    /// Starts with the first device; `admit_others` admits the others when sharing pays.
    pub(crate) fn new(first: SharingDevice<'p>, admit_others: AdmitOthers<'o, 'p>) -> SharingDevices<'o, 'p> {
        let devices = RefCell::new(vec![Arc::new(Mutex::new(first))]);
        SharingDevices { devices, admit_others: RefCell::new(Some(admit_others)) }
    }

    /// All devices that took part.
    pub(crate) fn into_devices(self) -> Vec<SharingDevice<'p>> {
        // No thread holds a device after a run.
        let devices = self.devices.into_inner().into_iter().filter_map(Arc::into_inner);
        devices.map(Mutex::into_inner).collect()
    }

    /// Admits the other devices unless they were admitted before; the predicted rates of the new ones.
    fn admit(&self) -> Vec<Option<f64>> {
        let admit_others = self.admit_others.borrow_mut().take();
        let admitted = admit_others.map(|admit_others| admit_others()).unwrap_or_default();
        let rates = admitted.iter().map(|device| device.rate).collect();
        self.devices.borrow_mut().extend(admitted.into_iter().map(|device| Arc::new(Mutex::new(device))));
        rates
    }

    fn map<T>(&self, each: impl FnMut(&Arc<Mutex<SharingDevice<'p>>>) -> T) -> Vec<T> {
        self.devices.borrow().iter().map(each).collect()
    }
}

/// Runs all stages, and writes the columns of the last one to the result.
pub(crate) fn run(devices: &SharingDevices<'_, '_>, context: QueryContext<'_>, result: RunResult<'_>) -> Result<()> {
    let RunResult { mut caller_values, output, timer, counters } = result;
    let stages = devices.devices.borrow()[0].lock().stages;
    let mut outputs: Vec<Output> = Vec::new();
    for number in 0..stages.len() {
        let is_last = number + 1 == stages.len();
        let caller_values = if is_last { caller_values.as_deref_mut() } else { None };
        let ran = run_stage(devices, context, (&stages[number], number), &outputs, caller_values);
        outputs.push(ran.map_err(|error| fault::in_source_row(error.in_stage(number), stages))?);
        if let Some(reporter) = context.reporter {
            let batches = devices.map(|device| device.lock().work.batches).iter().sum();
            let moved = devices.map(|device| device.lock().work.counters.bytes_moved()).iter().sum();
            reporter.end_stage(batches, moved);
        }
        timer.lap(Phase::Run);
    }
    *output = outputs.pop().ok_or_else(|| Error::internal("a query without a stage"))?;
    *counters = RunCounters { rows_in: context.rows, rows_out: output.rows, ..RunCounters::default() };
    devices.map(|device| {
        let SharingDevice { work, reservation, .. } = &*device.lock();
        counters.bytes_read += work.counters.bytes_read;
        counters.bytes_written += work.counters.bytes_written;
        counters.bytes_moved_in += work.counters.bytes_moved_in;
        counters.bytes_moved_out += work.counters.bytes_moved_out;
        counters.batches += work.batches;
        counters.pressure += reservation.as_ref().map(MemoryReservation::pressure).unwrap_or_default();
    });
    Ok(())
}

/// Runs a stage on all devices that have not failed.
fn run_stage(
    devices: &SharingDevices<'_, '_>,
    context: QueryContext<'_>,
    (stage, number): (&CompiledStage, usize),
    outputs: &[Output],
    caller_values: Option<&mut [u8]>,
) -> Result<Output> {
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
    let rates = devices.map(|device| device.lock().rate);
    let work = (rows, ShareScheduler::new(rows, &rates, context.options.share_time_min));
    let clock = context.time.clock;
    if let Sink::Store { .. } = &stage.kernel.sink {
        let mut output = Output::default();
        output.allocate(&stage.output, rows, caller_values.as_deref(), context.pool)?;
        let shared = SharedStage::placed(Some(OutputSlices::of(&mut output, rows, caller_values)?), work, clock);
        StageRun { context, number, outputs, form: Form::Whole, shared: &shared }.run(devices)?;
        count_work(devices, &shared.finish()?.0);
        output.set_rows(rows);
        return Ok(output);
    }
    let merger = Merger::new(stage, rows, context.pool, caller_values)?;
    let form = merger.form();
    let shared = SharedStage::merged(merger, output_types(stage, form, 0).count(), work, clock);
    StageRun { context, number, outputs, form, shared: &shared }.run(devices)?;
    let (progress, output) = shared.finish()?;
    count_work(devices, &progress);
    output.ok_or_else(|| Error::internal("a shared stage without a result"))
}

/// Adds each device's part of a stage.
fn count_work(devices: &SharingDevices<'_, '_>, progress: &[DeviceProgress]) {
    for (device, progress) in devices.devices.borrow().iter().zip(progress) {
        let work = &mut device.lock().work;
        work.rows += progress.rows;
        work.batches += progress.batches;
        work.left_out = (progress.batches == 0 && work.failed.is_none()).then_some(SkipReason::TooShort);
    }
}

/// The run of a shared stage.
#[derive(Clone, Copy)]
struct StageRun<'a, 't> {
    context: QueryContext<'a>,
    number: usize,
    /// The outputs of earlier stages.
    outputs: &'a [Output],
    form: Form,
    shared: &'a SharedStage<'t>,
}

impl StageRun<'_, '_> {
    /// Lets the devices work until all rows are done. If a device failed after others had stopped, those start again.
    fn run(&self, devices: &SharingDevices<'_, '_>) -> Result<()> {
        let failures = || devices.map(|device| usize::from(device.lock().work.failed.is_some())).iter().sum::<usize>();
        loop {
            let failures_before = failures();
            if !self.shared.schedule(|scheduler| scheduler.is_measuring()) {
                self.admit(devices);
            }
            self.run_threads(devices, &self.working(devices)?);
            if self.shared.is_done() {
                return Ok(());
            }
            if failures() == failures_before {
                return Err(Error::internal("a shared stage that no device continues"));
            }
            self.shared.schedule(ShareScheduler::restart);
        }
    }

    /// Admits the other devices, and lets all devices work.
    fn admit(&self, devices: &SharingDevices<'_, '_>) {
        let rates = devices.admit();
        self.shared.schedule(|scheduler| scheduler.share_with(&rates));
    }

    /// The devices that have not failed; an error if there is none, or if the query was cancelled.
    fn working(&self, devices: &SharingDevices<'_, '_>) -> Result<Vec<usize>> {
        let (mut working, mut errors) = (Vec::new(), Vec::new());
        for (number, device) in devices.devices.borrow().iter().enumerate() {
            match &device.lock().work.failed {
                None => working.push(number),
                Some((error, _)) => {
                    self.shared.schedule(|scheduler| scheduler.fail(number));
                    errors.push(error.clone());
                }
            }
        }
        let cancelled = errors.iter().position(|error| error.kind() == ErrorKind::Cancelled);
        match cancelled.or_else(|| working.is_empty().then_some(0)) {
            Some(number) if number < errors.len() => Err(errors.swap_remove(number)),
            Some(_) | None => Ok(working),
        }
    }

    /// Runs the first of these devices on this thread, and the others on threads of their own once that is worthwhile.
    fn run_threads(&self, devices: &SharingDevices<'_, '_>, working: &[usize]) {
        let (clock, has_started) = (self.context.time.clock, Cell::new(false));
        let present = devices.devices.borrow().len();
        clock.gather(1);
        std::thread::scope(|scope| {
            let start_others = || {
                if has_started.replace(true) {
                    return;
                }
                self.admit(devices);
                let all = devices.devices.borrow();
                let others: Vec<usize> = working[1..].iter().copied().chain(present..all.len()).collect();
                clock.gather(others.len());
                for (turn, number) in (1..).zip(others) {
                    let device = all[number].clone();
                    let work = move || self.work((turn, number), &mut device.lock(), None);
                    // Without a thread for it, the other devices run its rows.
                    if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                        clock.end(turn);
                    }
                }
            };
            if !self.shared.schedule(|scheduler| scheduler.is_measuring()) {
                start_others();
            }
            let first = devices.devices.borrow()[working[0]].clone();
            self.work((0, working[0]), &mut first.lock(), Some(&start_others));
        });
    }

    /// Runs a device's batches.
    fn work(&self, (turn, number): (usize, usize), device: &mut SharingDevice<'_>, start_others: Option<&dyn Fn()>) {
        let clock = self.context.time.clock;
        let (_turn, start) = (ClockTurn::begin(clock, turn), clock.now());
        let worker = WorkerHandle { stage: self.shared, device: number, start_others };
        let mut counters = std::mem::take(&mut device.work.counters);
        let ran = match device.handle.host_memory {
            true => self.run_in_place(worker, device, &mut counters),
            false => self.run_by_copies(worker, device, &mut counters),
        };
        device.work.counters = counters;
        if let Err(error) = ran {
            self.shared.schedule(|scheduler| scheduler.fail(number));
            device.work.failed = Some((error.in_stage(self.number), clock.now().saturating_sub(start)));
        }
    }

    fn context<'j>(&'j self, device: &'j SharingDevice<'_>) -> RunContext<'j> {
        let time = TimeLimit { until: device.until, ..self.context.time };
        QueryContext { time, ..self.context }.on(&device.lease, device.reservation.as_ref())
    }

    fn run_in_place(
        &self,
        mut worker: WorkerHandle<'_, '_>,
        device: &SharingDevice<'_>,
        counters: &mut RunCounters,
    ) -> Result<()> {
        let (stage, context) = (&device.stages[self.number], &self.context(device));
        InPlaceStage { stage, context, outputs: self.outputs, form: self.form }.run(&mut worker, counters)
    }

    fn run_by_copies(
        &self,
        worker: WorkerHandle<'_, '_>,
        device: &SharingDevice<'_>,
        counters: &mut RunCounters,
    ) -> Result<()> {
        let (context, mut timer) = (self.context(device), PhaseTimer::start());
        let mut tables = DeviceTables::new(&device.handle.device, &context)?;
        let outputs = self.outputs.iter().map(StageOutput::borrowed).collect();
        let mut run =
            SingleDeviceRun { stages: device.stages, context: &context, outputs, counters, timer: &mut timer };
        let mut stage = DeviceStage { run: &mut run, tables: &mut tables, number: self.number };
        let (mut source, mut sink) = (worker, worker);
        let ran = batches::run_from(&mut stage, usize::MAX, self.form, &mut source, &mut sink);
        tables.count_moved(run.counters);
        ran
    }
}

/// A thread's registration with the clock, which ends when this is dropped.
struct ClockTurn<'c> {
    clock: &'c dyn Clock,
    number: usize,
}

impl<'c> ClockTurn<'c> {
    fn begin(clock: &'c dyn Clock, number: usize) -> ClockTurn<'c> {
        clock.begin(number);
        ClockTurn { clock, number }
    }
}

impl Drop for ClockTurn<'_> {
    fn drop(&mut self) {
        self.clock.end(self.number);
    }
}
