//! How a query is answered although devices fail: its choices in order, each tried as its failures allow.
//!
//! | failure | then |
//! | --- | --- |
//! | transient | the same device after a wait, at most three times, within the device's budget; then the next choice |
//! | lost | the device is closed for this session; the next choice |
//! | compile | the kernel is not compiled for this device for a minute; the next choice |
//! | timeout | the device is left alone until its breaker lets a probe through; the next choice |
//! | out of memory | smaller batches on the same device (`runtime/remote/batches.rs`); then the next choice |
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
use crate::runtime::receipt::{Cached, Counts, Phase, Receipt, Sources, Watch};
use crate::runtime::remote;
use crate::runtime::resilience::cancel::CancellationToken;
use crate::runtime::resilience::gate::{Bounds, Place, TurnedAway};
use crate::runtime::resilience::health::Leave;
use crate::runtime::resilience::journal::Journal;
use crate::runtime::resilience::retry::{FailureClass, Reaction, reaction};
use crate::runtime::results::Results;
use crate::runtime::station::Station;
use pointsman_ir::fuse::Stage;
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
}

/// What an attempt has to go by.
struct Try<'t> {
    choice: &'t Choice,
    stages: &'t [Stage],
    work: &'t Work<'t>,
    /// The end of the query's time.
    deadline: Option<Duration>,
    is_last: bool,
    /// How often this choice was tried before.
    tries: u32,
}

/// What to do after a failure.
enum After {
    Again,
    Next,
    Return,
}

impl Session {
    /// Executes a query on the first of its choices that can.
    pub(crate) fn answer(
        &self,
        (compiled, cached): (&Compiled, Cached),
        work: Work<'_>,
        mut reply: Reply<'_>,
    ) -> Result<Receipt> {
        let deadline = work.limits.deadline.map(|time| self.0.clock.now().saturating_add(time));
        let mut journal = Journal::default();
        for (number, choice) in compiled.choices.iter().enumerate() {
            let is_last = number + 1 == compiled.choices.len();
            for tries in 0.. {
                let one = Try { choice, stages: &compiled.stages, work: &work, deadline, is_last, tries };
                let (mark, start) = (reply.watch.mark(), choice.station.health.as_ref().map(|_| self.0.clock.now()));
                let error = match self.attempt(&one, &mut reply) {
                    Ok((ready, sources)) => {
                        let before = compiled.choices[..number].last();
                        let told = journal.told(&ready.decided, before.map(|choice| choice.station.name()));
                        return Ok(Receipt::new(told, reply.counts, (cached, sources), reply.watch));
                    }
                    Err(error) => error,
                };
                reply.results.clear();
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

    /// One attempt: a place at the device, the leave of its breakers, its programs, and the run. What ran, and where
    /// its programs came from.
    fn attempt<'t>(&self, one: &Try<'t>, reply: &mut Reply<'_>) -> Result<(&'t Ready, Sources)> {
        self.may_go_on(one)?;
        let station = &*one.choice.station;
        let mut time = Allowed { clock: &*self.0.clock, patience: self.0.options.patience, until: one.deadline };
        let Some(health) = &station.health else {
            let _place = self.enter(one, reply.watch)?;
            return self.run(one, reply, time);
        };
        health.alive(station.name())?;
        let _place = self.enter(one, reply.watch)?;
        let leave = health.admit(station.name(), &one.choice.kernels, &*self.0.clock)?;
        if one.tries == 0 {
            health.budget.call();
        }
        let share = one.deadline.map(|deadline| self.share(deadline, one.is_last));
        time.until = [share, leave.deadline()].into_iter().flatten().min();
        let ran = self.run(one, reply, time);
        match &ran {
            Ok(_) => leave.succeed(),
            Err(error) => tell(leave, error, time.is_over()),
        }
        ran
    }

    /// An error if the query was cancelled or its time is over.
    fn may_go_on(&self, one: &Try<'_>) -> Result<()> {
        if one.work.limits.token.as_ref().is_some_and(CancellationToken::is_cancelled) {
            return Err(Error::cancelled());
        }
        match one.deadline {
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
    fn enter<'t>(&self, one: &Try<'t>, watch: &mut Watch) -> Result<Place<'t>> {
        let station = &*one.choice.station;
        match station.gate.try_enter() {
            Some(place) => Ok(place),
            None => self.wait_for_place(one, station, watch),
        }
    }

    #[cold]
    fn wait_for_place<'t>(&self, one: &Try<'t>, station: &'t Station, watch: &mut Watch) -> Result<Place<'t>> {
        let until = one.deadline.map(|deadline| self.share(deadline, one.is_last));
        let bounds = Bounds { clock: &*self.0.clock, until, token: one.work.limits.token.as_ref() };
        let entered = station.gate.enter(&bounds);
        watch.lap(Phase::Queue);
        entered.map_err(|away| match away {
            TurnedAway::Cancelled => Error::cancelled(),
            TurnedAway::Late if one.is_last => late(one),
            TurnedAway::Late => Error::new(
                ErrorKind::Busy,
                format!("`{}` was busy for half of the time that the query had left", station.name()),
            ),
            TurnedAway::Full { queue } => Error::new(
                ErrorKind::Busy,
                format!(
                    "{queue} queries wait for `{}` already, the limit of the session: ask again later, from fewer \
                     threads, or raise `Options::queue`",
                    station.name()
                ),
            ),
        })
    }

    /// Compiles if need be, and runs.
    fn run<'t>(&self, one: &Try<'t>, reply: &mut Reply<'_>, time: Allowed<'_>) -> Result<(&'t Ready, Sources)> {
        let (station, work) = (&*one.choice.station, one.work);
        let (ready, sources) = self.ready(one.choice, one.stages, one.is_last)?;
        if sources.is_some() {
            reply.watch.lap(Phase::Compile);
        }
        let mut lease = station.stream()?;
        let (inputs, rows, params, lists) = (work.inputs, work.rows, work.params, &work.captured.lists[..]);
        let (stream, pool, token) = (lease.stream, &self.0.pool, work.limits.token.as_ref());
        let memory_limit = self.0.options.device_memory_limit;
        let job = Job { inputs, rows, params, lists, stream, pool, time, token, memory_limit };
        let (into, watch, counts) = (reply.into.as_deref_mut(), &mut *reply.watch, &mut reply.counts);
        let ran = reply.results.fill(|last| {
            if station.host_memory {
                execute(&ready.steps, &job, into, watch, (last, counts))
            } else {
                remote::execute(&ready.steps, &job, into, watch, (last, counts))
            }
        });
        match ran {
            Ok(()) => Ok((ready, sources)),
            Err(error) => {
                if FailureClass::of(&error) == FailureClass::Timeout {
                    lease.abandon();
                }
                Err(error)
            }
        }
    }

    /// Notes a failure, and decides what follows from it.
    #[cold]
    fn after(&self, one: &Try<'_>, error: Error, took: Duration, journal: &mut Journal) -> After {
        let station = &*one.choice.station;
        let class = FailureClass::of(&error);
        if class.is_devices() {
            self.0.telemetry.failed(station.name(), &error);
        }
        let reaction = reaction(class);
        if let (Reaction::Close, Some(health)) = (reaction, &station.health) {
            health.close(error.message());
        }
        journal.note(station.name(), took, error);
        match reaction {
            Reaction::Retry if self.may_retry(one) => After::Again,
            Reaction::Retry | Reaction::Next | Reaction::Close | Reaction::Ban | Reaction::Quarantine => After::Next,
            Reaction::Return => After::Return,
        }
    }

    /// Waits before another try, if there may be one.
    fn may_retry(&self, one: &Try<'_>) -> bool {
        let Some(health) = &one.choice.station.health else { return false };
        let wait = self.0.jitter.wait(self.0.options.backoff, one.tries);
        let is_too_late = one.deadline.is_some_and(|deadline| self.0.clock.now().saturating_add(wait) >= deadline);
        if one.tries >= self.0.options.retries || is_too_late || !health.budget.take() {
            return false;
        }
        self.0.clock.sleep(wait);
        true
    }
}

/// Tells the breakers what came of an attempt.
fn tell(leave: Leave<'_>, error: &Error, time_is_over: bool) {
    let class = FailureClass::of(error);
    match reaction(class) {
        Reaction::Retry | Reaction::Close => leave.fail(error.stage()),
        // A device that only had no time for this query is not hung.
        Reaction::Quarantine if time_is_over => leave.fail(error.stage()),
        Reaction::Quarantine => leave.trip(error.stage()),
        Reaction::Return if class == FailureClass::Internal => leave.fail(error.stage()),
        Reaction::Next | Reaction::Ban | Reaction::Return => drop(leave),
    }
}

fn late(one: &Try<'_>) -> Error {
    let allowed = one.work.limits.deadline.unwrap_or_default();
    Error::new(ErrorKind::Timeout, format!("the query was not done within its {allowed:.1?}: give it more time"))
}
