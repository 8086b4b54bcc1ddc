//! Runs the stages of a compiled query on several devices at once: each stage is a [`Table`] at which all of them sit,
//! a thread each, and its result lies in the host's memory.
//!
//! Others than the first come when it is known that it is worth the trouble: from an earlier run, or once the first has
//! shown how long it would take alone. A device that fails leaves, and so does one that hangs by what the table knows
//! of its pace and the others'; what it was dealt and did not do is dealt to the others, once. Only when all have
//! failed has the run.

mod course;
mod in_place;
pub(crate) mod pacing;
mod runner;
pub(in crate::exec) mod table;

use crate::data::output::Output;
use crate::devices::handle::{DeviceHandle, MemoryAccess, StreamLease};
use crate::devices::residency::MemoryReservation;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::SingleDeviceRun;
use crate::exec::batches;
use crate::exec::context::{QueryContext, RunContext};
use crate::exec::device_tables::DeviceTables;
use crate::exec::fault;
use crate::exec::launch::output_types;
use crate::exec::merge::Merger;
use crate::exec::on_device::DeviceStage;
use crate::exec::output_slices::OutputSlices;
use crate::exec::sharing::course::Course;
use crate::exec::sharing::in_place::InPlaceStage;
use crate::exec::sharing::pacing::{Memory, Pace};
use crate::exec::sharing::runner::Role;
use crate::exec::sharing::table::{Seat, Table};
use crate::exec::stage_output::StageOutput;
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::instrument::skip_reason::SkipReason;
use crate::instrument::spans;
use crate::programs::program::CompiledStage;
use crate::resilience::clock::Clock;
use crate::resilience::time_limit::TimeLimit;
use crate::sync::Mutex;
use pointsman_device::Form;
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::Sink;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};
use std::thread::Scope;
use std::time::Duration;

/// A device that takes part.
pub(crate) struct Partner<'p> {
    pub(crate) station: &'p DeviceHandle,
    pub(crate) steps: &'p [CompiledStage],
    pub(crate) lease: StreamLease<'p>,
    /// What of its own memory is reserved.
    grant: Option<MemoryReservation<'p>>,
    /// The end of the time that it has.
    until: Option<Duration>,
    /// Why it left, and when.
    pub(crate) failed: Option<(Error, Duration)>,
    /// The rows and batches of all stages that it did.
    pub(crate) rows: usize,
    pub(crate) batches: usize,
    /// How many seconds all stages should take it alone, as far as that is known.
    pub(crate) alone: f64,
    /// Why it did little or nothing of the last stage, if it could have.
    pub(crate) left_out: Option<SkipReason>,
    counts: RunCounters,
}

/// Those beside the first device.
pub(crate) struct Others<'o, 'p> {
    /// The names of all devices, the first one's included.
    pub(crate) names: Vec<&'p str>,
    /// What is remembered of each stage.
    pub(crate) memories: Vec<Arc<Memory>>,
    /// Asks them to come, once; those that do.
    pub(crate) invite: RefCell<Option<Invite<'o, 'p>>>,
}

/// Asks devices to come.
pub(crate) type Invite<'o, 'p> = Box<dyn FnOnce() -> Vec<Partner<'p>> + 'o>;

impl<'p> Others<'_, 'p> {
    /// Those that come, if they were not asked before.
    fn call(&self) -> Vec<Partner<'p>> {
        let invite = self.invite.borrow_mut().take();
        invite.map(|invite| invite()).unwrap_or_default()
    }

    /// How a stage is shared: by what is remembered of all devices, or else as it turns out.
    fn course(
        &self,
        number: usize,
        rows: usize,
        partners: &mut Vec<Partner<'p>>,
        job: QueryContext<'_>,
    ) -> (Course, bool) {
        let memory = &self.memories[number];
        let is_known = self.names.iter().all(|name| memory.pace(name).is_some());
        let helps = |name: &&str| memory.pace(name).is_some_and(|pace| pace.helps);
        if is_known && self.names[1..].iter().any(helps) {
            partners.extend(self.call());
        }
        let pace = |partner: &Partner<'_>| memory.pace(partner.station.name()).filter(|_| is_known);
        let known = |partner: &Partner<'_>| (pace(partner), partner.station.memory_access());
        let known: Vec<(Option<Pace>, MemoryAccess)> = partners.iter().map(known).collect();
        let may_call = !is_known && self.invite.borrow().is_some();
        let worth = (job.options.share_time_min, may_call);
        (Course::new(rows, &known, worth, job.time.clock.now()), is_known)
    }
}

impl<'p> Partner<'p> {
    /// A device with these programs.
    pub(crate) fn new(
        station: &'p DeviceHandle,
        steps: &'p [CompiledStage],
        (lease, grant): (StreamLease<'p>, Option<MemoryReservation<'p>>),
        until: Option<Duration>,
    ) -> Partner<'p> {
        let (failed, left_out, counts) = (None, None, RunCounters::default());
        Partner { station, steps, lease, grant, until, failed, rows: 0, batches: 0, alone: 0.0, left_out, counts }
    }

    /// Whether its time is over.
    pub(crate) fn is_over(&self, clock: &dyn Clock) -> bool {
        self.until.is_some_and(|until| clock.now() >= until)
    }
}

/// Runs all stages; puts the last one's columns into `last`, and what was counted where it is told. `caller_values` is
/// the caller's memory for the only column's values.
pub(crate) fn execute<'p>(
    (partners, others): (&mut Vec<Partner<'p>>, &Others<'_, 'p>),
    common: QueryContext<'_>,
    mut caller_values: Option<&mut [u8]>,
    watch: &mut PhaseTimer,
    (last, counts): (&mut Output, &mut RunCounters),
) -> Result<()> {
    let stages = partners.first().map_or(0, |partner| partner.steps.len());
    let mut done: Vec<Output> = Vec::new();
    for number in 0..stages {
        let own = if number + 1 == stages { caller_values.as_deref_mut() } else { None };
        let ran = stage((partners, others), common, (number, &done), own);
        let steps = partners.first().map_or(&[][..], |partner| partner.steps);
        let output = ran.map_err(|error| fault::in_source_row(error.in_stage(number), steps))?;
        if let Some(reporter) = common.reporter {
            let moved = partners.iter().map(|one| one.counts.bytes_moved_in + one.counts.bytes_moved_out).sum();
            reporter.end_stage(partners.iter().map(|one| one.batches).sum(), moved);
        }
        watch.lap(Phase::Run);
        done.push(output);
    }
    *last = done.pop().ok_or_else(|| Error::internal("a query without a stage"))?;
    *counts = RunCounters { rows_in: common.rows, rows_out: last.rows, ..RunCounters::default() };
    for partner in partners {
        counts.bytes_read += partner.counts.bytes_read;
        counts.bytes_written += partner.counts.bytes_written;
        counts.bytes_moved_in += partner.counts.bytes_moved_in;
        counts.bytes_moved_out += partner.counts.bytes_moved_out;
        counts.batches += partner.batches;
        counts.pressure += partner.grant.as_ref().map(MemoryReservation::pressure).unwrap_or_default();
    }
    Ok(())
}

/// Runs a stage on all devices that are left.
fn stage<'p>(
    (partners, others): (&mut Vec<Partner<'p>>, &Others<'_, 'p>),
    common: QueryContext<'_>,
    (number, done): (usize, &[Output]),
    caller_values: Option<&mut [u8]>,
) -> Result<Output> {
    let step = &partners[0].steps[number];
    let _span = spans::stage(step.device(), &step.kernel);
    if !step.stage.tables.is_empty() {
        return Err(Error::unsupported("joins cannot run yet"));
    }
    let rows = match step.stage.input {
        StageInput::Source(_) => common.rows,
        StageInput::Stage(number) => done[number].rows,
    };
    let clock = common.time.clock;
    let (course, is_known) = others.course(number, rows, partners, common);
    let seats = (rows, course);
    if let Some(reporter) = common.reporter {
        reporter.begin_stage(number, rows);
    }
    if let Sink::Store { .. } = &step.stage.kernel.sink {
        let mut output = Output::default();
        output.allocate(&step.output, rows, caller_values.as_deref(), common.pool)?;
        let table = Table::placing(Some(OutputSlices::of(&mut output, rows, caller_values)), seats, clock);
        Part { common, number, done, form: Form::Whole, table: &table }.all_rounds(partners, others)?;
        record_shares(partners, rows, table.finish()?.0, (&others.memories[number], is_known));
        output.set_rows(rows);
        return Ok(output);
    }
    let merger = Merger::new(step, rows, common.pool, caller_values)?;
    let form = merger.form();
    let table = Table::merging(merger, seats, output_types(step, form, 0).count(), clock);
    Part { common, number, done, form, table: &table }.all_rounds(partners, others)?;
    let (course, output) = table.finish()?;
    record_shares(partners, rows, course, (&others.memories[number], is_known));
    output.ok_or_else(|| Error::internal("a shared stage without a result"))
}

/// Adds up what each device did of a stage of so many rows, and remembers how fast they were.
fn record_shares(partners: &mut [Partner<'_>], rows: usize, course: Course, (memory, was_known): (&Memory, bool)) {
    let (runners, is_sure) = course.into_runners();
    for (partner, runner) in partners.iter_mut().zip(&runners) {
        partner.rows += runner.rows;
        partner.batches += runner.batches;
        partner.alone += rows as f64 / runner.solo();
        partner.left_out = (runner.role == Role::Out).then_some(SkipReason::NoGain);
    }
    if partners.iter().any(|partner| partner.failed.is_some()) {
        return;
    }
    let names = partners.iter().map(|partner| partner.station.name().to_string());
    let learned = names.zip(&runners).filter_map(|(name, runner)| Some((name, runner.learned()?)));
    if was_known {
        let working = learned.filter(|(_, pace)| pace.helps).map(|(name, pace)| (name, pace.at_work));
        memory.confirm(&working.collect::<Vec<_>>());
    } else if is_sure || runners.len() == 1 {
        memory.learn(learned);
    }
}

fn reaches<'a, 'p: 'a>(partners: impl Iterator<Item = &'a Partner<'p>>) -> Vec<MemoryAccess> {
    partners.map(|partner| partner.station.memory_access()).collect()
}

/// What devices do of a stage.
#[derive(Clone, Copy)]
struct Part<'a, 't> {
    common: QueryContext<'a>,
    number: usize,
    /// What earlier stages gave.
    done: &'a [Output],
    form: Form,
    table: &'a Table<'t>,
}

impl Part<'_, '_> {
    /// Lets devices work until all is done: again where one of them failed, and others had nothing to do any more, or
    /// were not there.
    fn all_rounds<'p>(&self, partners: &mut Vec<Partner<'p>>, others: &Others<'_, 'p>) -> Result<()> {
        let failures = |partners: &[Partner<'_>]| partners.iter().filter(|partner| partner.failed.is_some()).count();
        loop {
            let before = failures(partners);
            self.round(partners, others)?;
            if self.table.is_done() {
                return Ok(());
            }
            if before == failures(partners) {
                return Err(Error::internal("a shared stage that nobody goes on with"));
            }
            let came = others.call();
            self.table.join(&reaches(came.iter()));
            partners.extend(came);
        }
    }

    /// Lets all devices that are left work until nothing is left to be dealt; an error if none is left, or nobody
    /// should go on.
    fn round<'p>(&self, partners: &mut Vec<Partner<'p>>, others: &Others<'_, 'p>) -> Result<()> {
        let count = partners.len();
        let mut present = self.present(partners)?;
        let Some(((seat, first), beside)) = present.split_first_mut() else {
            return Err(Error::internal("a shared stage without a device"));
        };
        let (clock, turns, came) = (self.common.time.clock, 1 + beside.len(), OnceLock::new());
        clock.gather(turns);
        std::thread::scope(|scope| {
            for (number, (seat, partner)) in beside.iter_mut().enumerate() {
                let seat = *seat;
                spawn((scope, clock), 1 + number, move |turn| self.work(turn, seat, partner, None));
            }
            let call = || {
                let guests = others.call();
                let reach_of = reaches(guests.iter());
                let guests: &Vec<Mutex<Partner<'p>>> =
                    came.get_or_init(|| guests.into_iter().map(Mutex::new).collect());
                self.table.join(&reach_of);
                clock.gather(guests.len());
                for (number, guest) in guests.iter().enumerate() {
                    let own = || guest.lock();
                    spawn((scope, clock), turns + number, move |turn| {
                        self.work(turn, count + number, &mut own(), None)
                    });
                }
            };
            self.work(0, *seat, first, Some(&call));
        });
        let came = came.into_inner().unwrap_or_default().into_iter();
        partners.extend(came.map(|guest| guest.into_inner()));
        Ok(())
    }

    /// The devices that have not failed, with their seats; an error if there is none, or if the query was cancelled.
    fn present<'a, 'p>(&self, partners: &'a mut [Partner<'p>]) -> Result<Vec<(usize, &'a mut Partner<'p>)>> {
        let (mut present, mut why) = (Vec::new(), None);
        for (seat, partner) in partners.iter_mut().enumerate() {
            match &partner.failed {
                None => present.push((seat, partner)),
                Some((error, _)) => {
                    self.table.leave(seat);
                    let is_final = error.kind() == ErrorKind::Cancelled;
                    if is_final || why.is_none() {
                        why = Some(error.clone());
                    }
                }
            }
        }
        match why {
            Some(error) if present.is_empty() || error.kind() == ErrorKind::Cancelled => Err(error),
            Some(_) | None => Ok(present),
        }
    }

    /// Does a device's part; `call` asks the others to come.
    fn work(&self, turn: usize, seat: usize, partner: &mut Partner<'_>, call: Option<&dyn Fn()>) {
        let _turn = Turn::begin(self.common.time.clock, turn);
        let start = self.common.time.clock.now();
        let mut counts = partner.counts;
        let leaving = Leaving { table: self.table, seat };
        let seat = self.table.seat(seat, call);
        let worked = match partner.station.host_memory {
            true => self.in_place(seat, partner, &mut counts),
            false => self.through_copies(seat, partner, &mut counts),
        };
        partner.counts = counts;
        let took = self.common.time.clock.now().saturating_sub(start);
        if worked.is_ok() {
            std::mem::forget(leaving);
        }
        partner.failed = worked.err().map(|error| (error.in_stage(self.number), took));
    }

    /// What it needs, within its own time.
    fn job<'j>(&'j self, partner: &'j Partner<'_>) -> RunContext<'j> {
        let time = TimeLimit { until: partner.until, ..self.common.time };
        QueryContext { time, ..self.common }.on(&partner.lease, partner.grant.as_ref())
    }

    fn in_place(&self, mut seat: Seat<'_, '_>, partner: &Partner<'_>, counts: &mut RunCounters) -> Result<()> {
        let job = self.job(partner);
        let local = InPlaceStage { step: &partner.steps[self.number], job: &job, done: self.done, form: self.form };
        local.work(&mut seat, counts)
    }

    fn through_copies(&self, seat: Seat<'_, '_>, partner: &Partner<'_>, counts: &mut RunCounters) -> Result<()> {
        let job = self.job(partner);
        let mut timer = PhaseTimer::start();
        let mut tables = DeviceTables::new(&*partner.station.device, &job)?;
        let outputs = self.done.iter().map(StageOutput::borrowed).collect();
        let mut run =
            SingleDeviceRun { stages: partner.steps, context: &job, outputs, counters: counts, timer: &mut timer };
        let mut stage = DeviceStage { run: &mut run, tables: &mut tables, number: self.number };
        let (mut source, mut sink) = (seat, seat);
        let worked = batches::run_from(&mut stage, usize::MAX, self.form, &mut source, &mut sink);
        tables.count_moved(run.counters);
        worked
    }
}

/// Lets another thread work, as the one of this number. Where there is none to be had, the others do its part.
fn spawn<'scope>(
    (scope, clock): (&'scope Scope<'scope, '_>, &dyn Clock),
    turn: usize,
    work: impl FnOnce(usize) + Send + 'scope,
) {
    if std::thread::Builder::new().spawn_scoped(scope, move || work(turn)).is_err() {
        clock.end(turn);
    }
}

/// A device that does not go on, unless this is forgotten: those that wait for it must not.
struct Leaving<'l, 't> {
    table: &'l Table<'t>,
    seat: usize,
}

impl Drop for Leaving<'_, '_> {
    fn drop(&mut self) {
        self.table.leave(self.seat);
    }
}

/// A thread's time among those that work at once.
struct Turn<'c> {
    clock: &'c dyn Clock,
    number: usize,
}

impl<'c> Turn<'c> {
    fn begin(clock: &'c dyn Clock, number: usize) -> Turn<'c> {
        clock.begin(number);
        Turn { clock, number }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.clock.end(self.number);
    }
}
