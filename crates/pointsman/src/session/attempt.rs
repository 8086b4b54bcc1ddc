//! How a query is answered although devices fail: its choices in order, each tried as its failures allow.
//!
//! | failure | then |
//! | --- | --- |
//! | transient | the same device after a wait, at most three times, within the device's budget; then the next choice |
//! | lost, mismatch | the device is closed for this session; the next choice |
//! | compile | the kernel is not compiled for this device for a minute; the next choice |
//! | timeout | the device is left alone until its breaker lets a probe through; the next choice |
//! | out of memory | resident columns go, then smaller batches, on the same device (`runtime/remote.rs`); then the next choice |
//! | unsupported, not tried | the next choice |
//! | the query's, ours | returned at once |
//!
//! An attempt that failed leaves nothing in the results, so every row is answered once. Memory that a hung device may
//! still touch stays with it: buffers are given back through `Device::free`, which waits for queued work, and staging
//! belongs to the device until it is done.

use super::choice::{Choice, Ready};
use super::{Compiled, Session, Work};
use crate::error::{Error, ErrorKind, Result};
use crate::runtime::executor::{Allowed, Job, execute};
use crate::runtime::receipt::{Cached, Counts, Phase, Receipt, Share, Sources, Watch};
use crate::runtime::remote;
use crate::runtime::residency::Grant;
use crate::runtime::resilience::bell::Bell;
use crate::runtime::resilience::cancel::CancellationToken;
use crate::runtime::resilience::gate::{Bounds, Place, TurnedAway};
use crate::runtime::resilience::health::Leave;
use crate::runtime::resilience::journal::Journal;
use crate::runtime::resilience::retry::{FailureClass, Reaction, reaction};
use crate::runtime::results::Results;
use crate::runtime::station::Station;
use pointsman_ir::fuse::Stage;
use std::sync::Arc;
use std::time::Duration;

/// When a query should be given up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// How long it may take.
    pub(crate) deadline: Option<Duration>,
    pub(crate) token: Option<CancellationToken>,
}

/// Where a query's results and times go.
pub(crate) struct Reply<'r> {
    /// The caller's memory for the only column's values.
    pub(crate) into: Option<&'r mut [u8]>,
    pub(crate) watch: &'r mut Watch,
    pub(crate) results: &'r mut Results,
    pub(crate) counts: Counts,
    pub(crate) shared: Shared,
}

/// What came of a run that several devices shared.
#[derive(Default)]
pub(crate) struct Shared {
    /// What each did.
    pub(super) shares: Option<Arc<[Share]>>,
    /// Those that did not take part to the end, how long they did, and why not.
    pub(super) failed: Vec<(String, Duration, Error)>,
    /// What the first of them failed at.
    pub(super) own: Option<Error>,
}

/// What an attempt has to go by.
#[derive(Clone, Copy)]
pub(super) struct Try<'t> {
    pub(super) choice: &'t Choice,
    /// Where its answer may be checked.
    pub(super) shadow: Option<&'t Choice>,
    pub(super) stages: &'t [Stage],
    pub(super) work: &'t Work<'t>,
    /// The end of the time that this choice has.
    pub(super) until: Option<Duration>,
    pub(super) is_last: bool,
    /// How often this choice was tried before.
    pub(super) tries: u32,
}

/// What ran, and where its programs came from.
pub(super) type Ran<'t> = (&'t Ready, Sources);

/// What to do after a failure.
enum After {
    Again,
    Next,
    Return,
}

impl Session {
    /// The end of the time that a query has which is called now.
    pub(crate) fn deadline(&self, limits: &Limits) -> Option<Duration> {
        limits.deadline.map(|time| self.0.clock.now().saturating_add(time))
    }

    /// Executes a query on the first of its choices that can.
    pub(crate) fn answer(
        &self,
        (compiled, cached): (&Compiled, Cached),
        work: Work<'_>,
        mut reply: Reply<'_>,
    ) -> Result<Receipt> {
        let mut journal = Journal::default();
        for (number, choice) in compiled.choices.iter().enumerate() {
            let is_last = number + 1 == compiled.choices.len();
            let until = work.deadline.map(|deadline| self.share(deadline, is_last));
            for tries in 0.. {
                let (shadow, stages) = (compiled.shadow.as_ref(), &compiled.stages[..]);
                let one = Try { choice, shadow, stages, work: &work, until, is_last, tries };
                let (mark, start) = (reply.watch.mark(), choice.station.health.as_ref().map(|_| self.0.clock.now()));
                let error = match self.attempt(&one, &mut reply) {
                    Ok((ready, sources)) => {
                        let failed = reply.shared.failed.drain(..);
                        failed.for_each(|(device, took, error)| journal.note(&device, took, error));
                        let before = compiled.choices[..number].last();
                        let told = journal.told(&ready.decided, before.map(|choice| choice.station.name()));
                        let (counts, shares) = (reply.counts, reply.shared.shares.take());
                        return Ok(Receipt::new(told, (counts, shares), (cached, sources), reply.watch));
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
        }
        Err(journal.into_error())
    }

    /// One attempt: the programs, a place at the device, the leave of its breakers, and the run. What ran, and where its
    /// programs came from. Nobody holds a place or is a probe while it compiles.
    fn attempt<'t>(&self, one: &Try<'t>, reply: &mut Reply<'_>) -> Result<Ran<'t>> {
        self.may_go_on(one)?;
        let station = &*one.choice.station;
        if let Some(health) = &station.health {
            health.alive(station.name())?;
        }
        let (ready, sources) = match one.choice.at_hand() {
            Some(ready) => (ready, None),
            None => self.supply(one, reply.watch)?,
        };
        let mut time = Allowed { clock: &*self.0.clock, patience: self.0.options.patience, until: one.until };
        let place = self.enter(one, reply.watch)?;
        let Some(health) = &station.health else {
            return self.run(one, ready, reply, time, None).map(|()| (ready, sources));
        };
        let grant = self.reserve(one, ready, reply.watch)?;
        let leave = health.admit(station.name(), &one.choice.kernels, &*self.0.clock)?;
        if one.tries == 0 {
            health.budget.call();
        }
        time.until = [one.until, leave.deadline()].into_iter().flatten().min();
        let ran = self.run(one, ready, reply, time, grant);
        match &ran {
            Ok(_) => match reply.shared.own.take() {
                None => leave.succeed(),
                Some(error) => tell(leave, &error, time.is_over()),
            },
            Err(error) => tell(leave, error, time.is_over()),
        }
        drop(place);
        self.verified(one, reply, ran.map(|()| (ready, sources)))
    }

    /// The programs of a choice that was not tried before, unless its breakers would keep the query away from it.
    #[cold]
    pub(super) fn supply<'t>(&self, one: &Try<'t>, watch: &mut Watch) -> Result<Ran<'t>> {
        let (station, clock) = (&*one.choice.station, &*self.0.clock);
        if let Some(health) = &station.health {
            health.look(station.name(), &one.choice.kernels, clock)?;
        }
        let got = self.ready(one.choice, one.stages, one.is_last, Some(&self.bounds(one)));
        watch.lap(Phase::Compile);
        match got {
            Err(error) if FailureClass::of(&error).is_devices() => {
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

    fn bounds<'t>(&'t self, one: &Try<'t>) -> Bounds<'t> {
        Bounds { clock: &*self.0.clock, until: one.until, token: one.work.limits.token.as_ref() }
    }

    /// An error if the query was cancelled or its time is over.
    fn may_go_on(&self, one: &Try<'_>) -> Result<()> {
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
    pub(super) fn enter<'t>(&self, one: &Try<'t>, watch: &mut Watch) -> Result<Place<'t>> {
        let station = &*one.choice.station;
        match station.gate.try_enter() {
            Some(place) => Ok(place),
            None => self.wait_for_place(one, station, watch),
        }
    }

    #[cold]
    fn wait_for_place<'t>(&self, one: &Try<'t>, station: &'t Station, watch: &mut Watch) -> Result<Place<'t>> {
        let entered = station.gate.enter(&self.bounds(one));
        watch.lap(Phase::Queue);
        entered.map_err(|away| turned_away(one, away, "was busy"))
    }

    /// What the query takes of the device's own memory, reserved; waits for it if there must be.
    fn reserve<'t>(&self, one: &Try<'t>, ready: &Ready, watch: &mut Watch) -> Result<Option<Grant<'t>>> {
        let reserved = admit(one, one.choice, ready, &self.bounds(one));
        watch.lap(Phase::Queue);
        reserved.map_err(|away| turned_away(one, away, "had no memory to spare"))
    }

    /// Runs the programs.
    pub(super) fn run(
        &self,
        one: &Try<'_>,
        ready: &Ready,
        reply: &mut Reply<'_>,
        time: Allowed<'_>,
        grant: Option<Grant<'_>>,
    ) -> Result<()> {
        if !one.choice.beside.is_empty() {
            return self.run_shared(one, ready, reply, time, grant);
        }
        let (station, work) = (&*one.choice.station, one.work);
        let mut lease = station.stream()?;
        let (inputs, rows, params, lists) = (work.inputs, work.rows, work.params, &work.captured.lists[..]);
        let (pool, token, options) = (&self.0.pool, work.limits.token.as_ref(), &self.0.options);
        let grant = grant.as_ref();
        let job = Job { inputs, rows, params, lists, lease: &lease, pool, time, token, options, grant };
        let (into, watch, counts) = (reply.into.as_deref_mut(), &mut *reply.watch, &mut reply.counts);
        let ran = reply.results.fill(|last| {
            if station.host_memory {
                execute(&ready.steps, &job, into, watch, (last, counts))
            } else {
                remote::execute(&ready.steps, &job, into, watch, (last, counts))
            }
        });
        if let (Err(_), Some(residency)) = (&ran, &station.residency) {
            residency.unsettle();
        }
        if ran.as_ref().is_err_and(|error| FailureClass::of(error) == FailureClass::Timeout) {
            lease.abandon();
        }
        ran
    }

    /// Notes a failure, and decides what follows from it.
    #[cold]
    fn after(&self, one: &Try<'_>, error: Error, took: Duration, journal: &mut Journal) -> After {
        let station = &*one.choice.station;
        let reaction = self.blame(station, &error);
        if FailureClass::of(&error) == FailureClass::Mismatch {
            // Nobody knows which of those that shared the work was wrong.
            for choice in &one.choice.beside {
                let _ = self.blame(&choice.station, &error);
            }
        }
        journal.note(station.name(), took, error);
        match reaction {
            Reaction::Retry if self.may_retry(one) => After::Again,
            Reaction::Retry | Reaction::Next | Reaction::Close | Reaction::Ban | Reaction::Quarantine => After::Next,
            Reaction::Return => After::Return,
        }
    }

    /// Counts a failure of a device, and closes it if it must be; what follows from it.
    pub(super) fn blame(&self, station: &Station, error: &Error) -> Reaction {
        let class = FailureClass::of(error);
        if class.is_devices() {
            self.0.telemetry.failed(station.name(), error);
        }
        let reaction = reaction(class);
        if let (Reaction::Close, Some(health)) = (reaction, &station.health) {
            health.close(class, error.message());
            station.residency.iter().for_each(|residency| residency.close());
        }
        reaction
    }

    /// Waits before another try, if there may be one.
    fn may_retry(&self, one: &Try<'_>) -> bool {
        let Some(health) = &one.choice.station.health else { return false };
        let wait = self.0.jitter.wait(self.0.options.backoff, one.tries);
        let again = self.0.clock.now().saturating_add(wait);
        let is_too_late = one.until.is_some_and(|until| again >= until);
        if one.tries >= self.0.options.retries || is_too_late || !health.budget.take() {
            return false;
        }
        match &one.work.limits.token {
            None => self.0.clock.sleep(wait),
            // The next attempt notices whether it was cancelled.
            Some(_) => drop(Bounds { until: Some(again), ..self.bounds(one) }.wait(&Arc::new(Bell::new()))),
        }
        true
    }
}

/// Tells the breakers what came of an attempt.
pub(super) fn tell(leave: Leave<'_>, error: &Error, time_is_over: bool) {
    match reaction(FailureClass::of(error)) {
        // Nobody knows whether a device hangs that only had no time for this query; a probe's time its breaker keeps.
        Reaction::Quarantine if time_is_over => drop(leave),
        Reaction::Quarantine => leave.trip(error.stage()),
        Reaction::Retry | Reaction::Close | Reaction::Return if is_counted(error) => leave.fail(error.stage()),
        Reaction::Retry | Reaction::Close | Reaction::Return | Reaction::Next | Reaction::Ban => drop(leave),
    }
}

/// Whether breakers count an error as the device's failure.
fn is_counted(error: &Error) -> bool {
    let class = FailureClass::of(error);
    match reaction(class) {
        Reaction::Retry | Reaction::Close | Reaction::Quarantine => true,
        Reaction::Return => class == FailureClass::Internal,
        Reaction::Next | Reaction::Ban => false,
    }
}

/// What a query takes of a device's own memory, reserved within the bounds.
pub(super) fn admit<'t>(
    one: &Try<'t>,
    choice: &'t Choice,
    ready: &Ready,
    bounds: &Bounds<'_>,
) -> std::result::Result<Option<Grant<'t>>, TurnedAway> {
    let Some(residency) = &choice.station.residency else { return Ok(None) };
    let Work { inputs, captured, rows, .. } = *one.work;
    let mut forecast = remote::forecast(&ready.steps, inputs, &captured.lists, rows);
    if !one.choice.beside.is_empty() {
        forecast.in_batches();
    }
    residency.admit(&forecast, bounds).map(Some)
}

/// Why a query does not wait any longer at a device.
fn turned_away(one: &Try<'_>, away: TurnedAway, what: &str) -> Error {
    let station = &*one.choice.station;
    match away {
        TurnedAway::Cancelled => Error::cancelled(),
        TurnedAway::Late if one.is_last => late(one),
        TurnedAway::Late => slow(station, what),
        TurnedAway::Full { queue } => Error::new(
            ErrorKind::Busy,
            format!(
                "{queue} queries wait for `{}` already, the limit of the session: ask again later, from fewer threads, \
                 or raise `Options::queue`",
                station.name()
            ),
        ),
    }
}

/// A device that took the time which it had, while the next one has some left.
fn slow(station: &Station, what: &str) -> Error {
    let name = station.name();
    Error::new(ErrorKind::Busy, format!("`{name}` {what} for half of the time that the query had left"))
}

fn late(one: &Try<'_>) -> Error {
    let allowed = one.work.limits.deadline.unwrap_or_default();
    Error::new(ErrorKind::Timeout, format!("the query was not done within its {allowed:.1?}: give it more time"))
}
