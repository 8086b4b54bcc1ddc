//! How a query is answered although devices fail: its choices in order, each tried as its failures allow.
//!
//! | failure | then |
//! | --- | --- |
//! | transient | the same device after a wait, at most three times, within the device's budget; then the next choice |
//! | lost, mismatch | the device is closed for this session; the next choice |
//! | compile | the kernel is not compiled for this device for a minute; the next choice |
//! | timeout | the device is left alone until its breaker lets a probe through; the next choice |
//! | out of memory | resident columns go, then smaller batches, on the same device (`runtime/remote.rs`); the CPU also by way of the disk (`runtime/bounded.rs`), and once more when no other query runs there; then the next choice |
//! | unsupported, not tried | the next choice |
//! | the query's, ours | returned at once |
//!
//! What a device failed at is told to its breakers also where the run ends otherwise: cancelled, with a faulty row, or with
//! the answer of those that shared it.
//!
//! An attempt that failed leaves nothing in the results, so every row is answered once. Memory that a hung device may
//! still touch stays with it: buffers are given back through `Device::free`, which waits for queued work, and staging
//! belongs to the device until it is done.

mod outcome;

pub(super) use outcome::{in_stage_of, tell};

use super::bid::{DeviceRanking, Timing};
use super::choice::{LoadedPrograms, Placement};
use super::turn::{Spared, Turn};
use super::{CallInputs, CompiledPlan, Session};
use crate::data::output::Results;
use crate::devices::handle::DeviceHandle;
use crate::devices::residency::MemoryReservation;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::forecast;
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::instrument::progress::Callback;
use crate::resilience::attempt_log::AttemptLog;
use crate::resilience::cancel::CancellationToken;
use crate::resilience::gate::{GatePermit, WaitError, WaitLimit};
use crate::resilience::retry::FailureClass;
use crate::resilience::time_limit::TimeLimit;
use crate::telemetry::receipt::{Cached, ProgramSources, Receipt, Share};
use outcome::{After, is_counted, is_crowded, late, slow, turned_away};
use pointsman_ir::fuse::Stage;
use std::sync::Arc;
use std::time::Duration;

/// When a query should be given up.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunLimits {
    /// How long it may take.
    pub(crate) deadline: Option<Duration>,
    pub(crate) token: Option<CancellationToken>,
    /// Who is told how far it is.
    pub(crate) progress: Option<Callback>,
    /// The most rows of a batch, on devices that take batches.
    pub(crate) batch_rows: Option<usize>,
}

impl RunLimits {
    /// A token of this query's own, cancelled with the one it had.
    pub(crate) fn divert(&mut self) -> CancellationToken {
        let token = self.token.as_ref().map_or_else(CancellationToken::new, CancellationToken::child);
        self.token = Some(token.clone());
        token
    }
}

/// A query that was called: its times, and the end of the time that it has.
pub(crate) struct StartedCall {
    pub(crate) watch: PhaseTimer,
    pub(crate) deadline: Option<Duration>,
}

/// Where a query's results and times go.
pub(crate) struct RunRecord<'r> {
    /// The caller's memory for the only column's values.
    pub(crate) into: Option<&'r mut [u8]>,
    pub(crate) watch: &'r mut PhaseTimer,
    pub(crate) results: &'r mut Results,
    pub(crate) counts: RunCounters,
    /// How long the run took that gave the results, in nanoseconds.
    pub(crate) took: u64,
    /// Whether other queries ran on the same device.
    pub(crate) contended: bool,
    pub(crate) shared: SharedRun,
}

impl RunRecord<'_> {
    /// What the selector is told of the run.
    fn told(&self) -> Timing {
        Timing { took: self.took, rows_out: self.counts.rows_out, contended: self.contended }
    }
}

/// What came of a run that several devices shared.
#[derive(Default)]
pub(crate) struct SharedRun {
    /// What each did.
    pub(super) shares: Option<Arc<[Share]>>,
    /// Those that did not take part to the end, how long they did, and why not.
    pub(super) failed: Vec<(String, Duration, Error)>,
    /// What the first of them failed at, where the run did not end with that.
    pub(super) own: Option<Error>,
    /// How long the run took that gave the results.
    pub(super) took: Duration,
    /// The seconds that all of it should take each alone, as far as they showed that.
    pub(super) hints: Vec<Option<f64>>,
}

impl SharedRun {
    /// Whether others did all of it.
    fn is_idle(&self) -> bool {
        self.shares.as_ref().and_then(|shares| shares.first()).is_some_and(|share| share.batches == 0)
    }
}

/// What an attempt has to go by.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'t> {
    pub(super) choice: &'t Placement,
    /// Where its answer may be checked.
    pub(super) shadow: Option<&'t Placement>,
    pub(super) stages: &'t [Stage],
    pub(super) work: &'t CallInputs<'t>,
    /// The end of the time that this choice has.
    pub(super) until: Option<Duration>,
    pub(super) is_last: bool,
    /// How often this choice was tried before.
    pub(super) tries: u32,
    /// Whether those beside its device take part.
    pub(super) is_shared: bool,
    /// Those that could, where its device does all of it.
    pub(super) spared: Option<Spared<'t>>,
    /// What the selector says of the call, where it was asked.
    pub(super) bid: Option<&'t DeviceRanking>,
}

/// The devices that a query is tried on, in order.
struct CandidateOrder<'c> {
    compiled: &'c CompiledPlan,
    /// The selector's order, where it is asked.
    bid: Option<DeviceRanking>,
}

impl CandidateOrder<'_> {
    #[inline]
    fn choice(&self, number: usize) -> Option<&Placement> {
        self.bid.as_ref().map_or_else(|| self.compiled.choices.get(number), |bid| bid.choice(number))
    }
}

/// What ran, and where its programs came from.
pub(super) type Ran<'t> = (&'t LoadedPrograms, ProgramSources);

impl Session {
    /// A query is called now.
    pub(crate) fn begin(&self, limits: &RunLimits) -> StartedCall {
        let deadline = limits.deadline.map(|time| self.0.clock.now().saturating_add(time));
        StartedCall { watch: PhaseTimer::start(), deadline }
    }

    /// Executes a query on the first of its choices that can.
    pub(crate) fn answer(
        &self,
        (compiled, cached): (&CompiledPlan, Cached),
        work: CallInputs<'_>,
        mut reply: RunRecord<'_>,
    ) -> Result<Receipt> {
        let mut journal = AttemptLog::default();
        let route = CandidateOrder { compiled, bid: self.bid_for(compiled, work.inputs, work.rows) };
        let (mut number, mut is_fallen) = (0, false);
        while let Some(choice) = route.choice(number) {
            let is_last = route.choice(number + 1).is_none();
            let until = work.deadline.map(|deadline| self.share(deadline, is_last));
            let (shadow, stages) = (compiled.shadow.as_ref(), &compiled.stages[..]);
            let turn = self.turn(choice, stages, &work, is_fallen);
            let Turn { choice, is_shared, spared, .. } = turn;
            for tries in 0.. {
                let bid = route.bid.as_ref();
                let one =
                    Attempt { choice, shadow, stages, work: &work, until, is_last, tries, is_shared, spared, bid };
                let (mark, start) = (reply.watch.mark(), choice.station.health.as_ref().map(|_| self.0.clock.now()));
                let error = match self.attempt(&one, &mut reply) {
                    Ok((ready, sources)) => {
                        // Who shares a query names its devices.
                        if !compiled.auto.is_open {
                            self.note(&turn, stages, &reply, &work);
                        }
                        if !reply.shared.failed.is_empty() {
                            journal.note_all(reply.shared.failed.drain(..));
                        }
                        let before = number.checked_sub(1).and_then(|before| route.choice(before));
                        let why = route.bid.as_ref().and_then(DeviceRanking::passed_over);
                        let told = journal.told(&ready.decided, before.map(|choice| choice.station.name()), why);
                        let slowdown = ready.decided.trend.note(work.rows, reply.took);
                        // One whose programs were just made says more about that than about the device.
                        if sources.is_none() {
                            self.teach(&route, (number, &turn), &reply, &work);
                        }
                        let counted = (&reply.counts, reply.shared.shares.take());
                        let (made, chosen) = ((cached, sources), (slowdown, route.bid));
                        return Ok(Receipt::new(told, counted, made, reply.watch, chosen));
                    }
                    Err(error) => error,
                };
                reply.results.clear();
                let failed = std::mem::take(&mut reply.shared).failed.into_iter();
                failed.for_each(|(device, took, error)| journal.note(&device, took, error));
                reply.watch.lap(Phase::Run);
                let real = || Duration::from_nanos(reply.watch.mark().since(mark));
                let took = start.map_or_else(real, |start| self.0.clock.now().saturating_sub(start));
                match self.after(&one, error, took, &mut journal) {
                    After::Again => reply.watch.lap(Phase::Queue),
                    After::Next => break,
                    After::Return => return Err(journal.into_last()),
                }
            }
            // One of those beside the first failed alone: all of them are next.
            is_fallen = turn.is_of_another() && !is_fallen;
            turn.failed();
            number += usize::from(!is_fallen);
        }
        Err(journal.into_error())
    }

    /// Tells the selector what a run took.
    #[inline]
    fn teach(
        &self,
        route: &CandidateOrder<'_>,
        (number, turn): (usize, &Turn<'_>),
        reply: &RunRecord<'_>,
        work: &CallInputs<'_>,
    ) {
        let noise = reply.watch.mark().noise();
        match &route.bid {
            Some(bid) => bid.tell(number, reply.told(), noise),
            // There was nothing to choose from.
            None if route.compiled.auto.is_open => {}
            None if turn.is_shared => {}
            None => self.teach_of(route, turn.choice, (reply, noise), work),
        }
    }

    /// The same of a run on a device that was asked for.
    fn teach_of(
        &self,
        route: &CandidateOrder<'_>,
        choice: &Placement,
        (reply, noise): (&RunRecord<'_>, u64),
        work: &CallInputs<'_>,
    ) {
        let Some(entry) = self.entry_of(route.compiled, work.rows) else { return };
        // What was spent on batches of a size that was asked for is not what the device takes.
        if work.limits.batch_rows.is_none() {
            entry.tell_asked(&choice.station, work, reply.told(), noise);
        }
    }

    /// One attempt: the programs, a place at the device, the leave of its breakers, and the run. What ran, and where its
    /// programs came from. Nobody holds a place or is a probe while it compiles.
    fn attempt<'t>(&self, one: &Attempt<'t>, reply: &mut RunRecord<'_>) -> Result<Ran<'t>> {
        self.may_go_on(one)?;
        let station = &*one.choice.station;
        if let Some(health) = &station.health {
            health.alive(station.name())?;
        }
        let (ready, sources) = match one.choice.at_hand() {
            Some(ready) => (ready, None),
            None => self.supply(one, reply.watch)?,
        };
        let place = self.enter(one, reply.watch)?;
        reply.contended = place.is_shared();
        let Some(health) = &station.health else {
            let ran = self.run_on_cpu(one, ready, (reply, place)).map(|()| (ready, sources));
            return if one.choice.beside.is_empty() { ran } else { self.verified(one, reply, ran) };
        };
        let grant = self.reserve(one, ready, reply.watch)?;
        let leave = health.admit(station.name(), &one.choice.kernels, &*self.0.clock)?;
        if one.tries == 0 {
            health.budget.call();
        }
        let until = [one.until, leave.deadline()].into_iter().flatten().min();
        let start = self.0.clock.now();
        let ran = self.run(one, ready, reply, until, grant);
        let took = self.0.clock.now().saturating_sub(start).as_nanos();
        reply.took = u64::try_from(took).unwrap_or(u64::MAX);
        match (&ran, reply.shared.own.take()) {
            (_, Some(error)) => tell(leave, &error, self.allowed(until).is_over()),
            (Err(error), None) => tell(leave, error, self.allowed(until).is_over()),
            (Ok(()), None) if one.is_shared && reply.shared.is_idle() => drop(leave),
            (Ok(()), None) => leave.succeed(),
        }
        drop(place);
        self.verified(one, reply, ran.map(|()| (ready, sources)))
    }

    /// Runs the programs on the CPU, and on those beside it.
    fn run_on_cpu<'t>(
        &self,
        one: &Attempt<'t>,
        ready: &LoadedPrograms,
        (reply, place): (&mut RunRecord<'_>, GatePermit<'t>),
    ) -> Result<()> {
        let before = reply.watch.time(Phase::Run);
        let ran = match self.run(one, ready, reply, one.until, None) {
            Err(error) if is_crowded(&error, &place) => {
                // Two who wait for each other to leave would wait for ever.
                drop(place);
                reply.results.clear();
                let alone = self.enter_alone(one, reply.watch);
                alone.and_then(|_alone| self.run(one, ready, reply, one.until, None))
            }
            ran => ran,
        };
        reply.took = reply.watch.time(Phase::Run) - before;
        // The CPU does not hang: what ended it was the query's own deadline, or its part of that.
        ran.map_err(|error| match error.kind() == ErrorKind::Timeout {
            true if one.is_last => late(one),
            true => slow(&one.choice.station, "ran"),
            false => error,
        })
    }

    /// The programs of a choice that was not tried before, unless its breakers would keep the query away from it.
    #[cold]
    pub(super) fn supply<'t>(&self, one: &Attempt<'t>, watch: &mut PhaseTimer) -> Result<Ran<'t>> {
        let (station, clock) = (&*one.choice.station, &*self.0.clock);
        if let Some(health) = &station.health {
            health.look(station.name(), &one.choice.kernels, clock)?;
        }
        let got = self.ready_or_waited_for(one);
        watch.lap(Phase::Compile);
        match got {
            Err(error) if FailureClass::of(&error).is_devices() => {
                self.note_refusal(one.choice, one.stages, &error);
                if let (true, Some(health)) = (is_counted(&error), &station.health) {
                    health.failed(clock);
                }
                Err(error)
            }
            Ok(_) | Err(_) => {
                self.may_go_on(one)?;
                if one.until.is_some_and(|until| clock.now() >= until) {
                    return Err(slow(station, "compiled"));
                }
                got
            }
        }
    }

    pub(super) fn bounds<'t>(&'t self, one: &Attempt<'t>) -> WaitLimit<'t> {
        WaitLimit { clock: &*self.0.clock, until: one.until, token: one.work.limits.token.as_ref() }
    }

    /// An error if the query was cancelled or its time is over.
    fn may_go_on(&self, one: &Attempt<'_>) -> Result<()> {
        if one.work.limits.token.as_ref().is_some_and(CancellationToken::is_cancelled) {
            return Err(Error::cancelled());
        }
        match one.work.deadline {
            Some(deadline) if self.0.clock.now() >= deadline => Err(late(one)),
            Some(_) | None => Ok(()),
        }
    }

    /// The moment by which an attempt must be done: half of the time that is left is for the next choice.
    fn share(&self, deadline: Duration, is_last: bool) -> Duration {
        let left = deadline.saturating_sub(self.0.clock.now());
        if is_last { deadline } else { deadline.saturating_sub(left / 2) }
    }

    /// A place at the device, waiting for it if there must be.
    pub(super) fn enter<'t>(&self, one: &Attempt<'t>, watch: &mut PhaseTimer) -> Result<GatePermit<'t>> {
        let station = &*one.choice.station;
        match station.gate.try_enter() {
            Some(place) => Ok(place),
            None => self.wait_for_place(one, station, watch),
        }
    }

    #[cold]
    fn wait_for_place<'t>(
        &self,
        one: &Attempt<'t>,
        station: &'t DeviceHandle,
        watch: &mut PhaseTimer,
    ) -> Result<GatePermit<'t>> {
        let entered = station.gate.enter(&self.bounds(one));
        watch.lap(Phase::Queue);
        entered.map_err(|away| turned_away(one, away, "was busy"))
    }

    /// What the query takes of the device's own memory, reserved; waits for it if there must be.
    fn reserve<'t>(
        &self,
        one: &Attempt<'t>,
        ready: &LoadedPrograms,
        watch: &mut PhaseTimer,
    ) -> Result<Option<MemoryReservation<'t>>> {
        let reserved = admit(one, one.choice, ready, &self.bounds(one));
        watch.lap(Phase::Queue);
        reserved.map_err(|away| turned_away(one, away, "had no memory to spare"))
    }

    /// How long a run may take that must be done by then.
    pub(super) fn allowed(&self, until: Option<Duration>) -> TimeLimit<'_> {
        TimeLimit { clock: &*self.0.clock, timeout: self.0.options.patience, until }
    }

    /// A place at the device when no other query runs there: the memory that others had is free then.
    #[cold]
    fn enter_alone<'t>(&self, one: &Attempt<'t>, watch: &mut PhaseTimer) -> Result<GatePermit<'t>> {
        let alone = one.choice.station.gate.enter_alone(&self.bounds(one));
        watch.lap(Phase::Queue);
        alone.map_err(|away| turned_away(one, away, "was busy"))
    }
}

/// What a query takes of a device's own memory, reserved within the bounds.
pub(super) fn admit<'t>(
    one: &Attempt<'t>,
    choice: &'t Placement,
    ready: &LoadedPrograms,
    bounds: &WaitLimit<'_>,
) -> std::result::Result<Option<MemoryReservation<'t>>, WaitError> {
    let Some(residency) = &choice.station.residency else { return Ok(None) };
    let CallInputs { inputs, captured, rows, .. } = *one.work;
    let mut forecast = forecast::forecast(&*choice.station.device, &ready.steps, inputs, &captured.lists, rows);
    if one.is_shared || one.work.limits.batch_rows.is_some() {
        forecast.in_batches();
    }
    residency.admit(&forecast, bounds).map(Some)
}
