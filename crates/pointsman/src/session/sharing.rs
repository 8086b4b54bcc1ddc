//! A query that several devices share: who takes part, what each is told afterwards, and what the receipt says of it.

use super::Session;
use super::attempt::{Attempt, RunRecord, admit, in_stage_of, tell};
use super::choice::{LoadedPrograms, Placement};
use super::turn::Spared;
use crate::devices::residency::MemoryReservation;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::context::QueryContext;
use crate::exec::sharing::pacing::Memory;
use crate::exec::sharing::{Invite, Others, Partner, execute};
use crate::instrument::phase::PhaseTimer;
use crate::instrument::progress::Reporter;
use crate::programs::program::CompiledStage;
use crate::resilience::gate::{GatePermit, WaitLimit};
use crate::resilience::health::{BreakerPermits, Health};
use crate::resilience::retry::FailureClass;
use crate::resilience::time_limit::TimeLimit;
use crate::telemetry::receipt::{LeftOut, Share};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

/// A device that was let in, and what it must be told at the end.
struct Guest<'t> {
    partner: Partner<'t>,
    /// Those of the first are the attempt's.
    pass: Option<(GatePermit<'t>, Option<BreakerPermits<'t>>)>,
}

impl Session {
    /// Runs the programs on a choice's device and on those beside it. Those that cannot take part are left out, and so are
    /// those that do not help.
    pub(super) fn run_shared<'t>(
        &'t self,
        one: &Attempt<'t>,
        ready: &'t LoadedPrograms,
        reply: &mut RunRecord<'_>,
        time: TimeLimit<'_>,
        grant: Option<MemoryReservation<'t>>,
    ) -> Result<()> {
        let station = &*one.choice.station;
        let mut partners = vec![Partner::new(station, &ready.steps, (station.stream()?, grant), time.until)];
        let memory = |step: &CompiledStage| self.0.paces.of(&step.stage.kernel, &one.choice.names(), one.work.rows);
        let memories: Vec<Arc<Memory>> = ready.steps.iter().map(memory).collect();
        let (passes, away) = (RefCell::new(vec![None]), RefCell::new(Vec::new()));
        let (work, pool, options) = (one.work, &self.0.pool, &self.0.options);
        let spill = &self.0.spill;
        let (params, lists, token) = (work.params, &work.captured.lists[..], work.limits.token.as_ref());
        let reporter = work.limits.progress.as_ref().map(|told| Reporter::new(told, ready.steps.len()));
        let (inputs, rows, reporter) = (work.inputs, work.rows, reporter.as_ref());
        let time = TimeLimit { until: one.until, ..time };
        let common = QueryContext { inputs, rows, params, lists, pool, spill, time, token, options, reporter };
        let invite: Invite<'_, 't> = Box::new(|| {
            let (guests, others) = self.invite_all(one, &memories);
            *away.borrow_mut() = others;
            let (partners, own): (Vec<_>, Vec<_>) = guests.into_iter().map(|guest| (guest.partner, guest.pass)).unzip();
            passes.borrow_mut().extend(own);
            partners
        });
        let choices = || std::iter::once(one.choice).chain(&one.choice.beside);
        let names = choices().map(|choice| choice.station.name()).collect();
        let others = Others { names, memories: memories.clone(), invite: RefCell::new(Some(invite)) };
        let (into, watch, counts) = (reply.into.as_deref_mut(), &mut *reply.watch, &mut reply.counts);
        let ran = reply.results.fill(|last| execute((&mut partners, &others), common, into, watch, (last, counts)));
        drop(others);
        for (device, error) in away.into_inner() {
            reply.shared.failed.push((device, Duration::ZERO, error));
        }
        reply.shared.shares = ran.is_ok().then(|| shares(one.choice, &partners, &memories, &reply.shared.failed));
        let alone = |choice: &Placement| {
            let own = partners.iter().find(|partner| partner.station.name() == choice.station.name())?;
            Some(own.alone).filter(|seconds| seconds.is_finite())
        };
        reply.shared.hints = choices().map(alone).collect();
        for (partner, pass) in partners.into_iter().zip(passes.into_inner()) {
            self.part(partner, pass, &ran, reply);
        }
        ran
    }

    /// Lets in those beside a choice's device that can take part now, and may help; what keeps the others away.
    fn invite_all<'t>(&'t self, one: &Attempt<'t>, memories: &[Arc<Memory>]) -> (Vec<Guest<'t>>, Vec<(String, Error)>) {
        let (mut guests, mut away) = (Vec::new(), Vec::new());
        for choice in &one.choice.beside {
            let name = choice.station.name();
            if !may_help(memories, name) {
                continue;
            }
            match self.invite(one, choice, &mut PhaseTimer::start()) {
                Ok(guest) => guests.push(guest),
                Err(error) => {
                    let _ = self.blame(&choice.station, &error);
                    away.push((name.to_string(), error));
                }
            }
        }
        (guests, away)
    }

    /// Lets a device in beside another, if it can take part now.
    fn invite<'t>(&'t self, one: &Attempt<'t>, choice: &'t Placement, watch: &mut PhaseTimer) -> Result<Guest<'t>> {
        let station = &*choice.station;
        if let Some(health) = &station.health {
            health.alive(station.name())?;
        }
        let (ready, _) = match choice.at_hand() {
            Some(ready) => (ready, None),
            None => self.supply(&Attempt { choice, shadow: None, is_last: false, tries: 0, ..*one }, watch)?,
        };
        let busy = || Error::new(ErrorKind::Busy, format!("`{}` has no place for another query", station.name()));
        let place = station.gate.try_enter().ok_or_else(busy)?;
        // It does not wait: who holds memory of one device and waits for another's may wait for one who does the reverse.
        let now = WaitLimit { clock: &*self.0.clock, until: Some(Duration::ZERO), token: None };
        let no_memory = |_| Error::new(ErrorKind::Busy, format!("`{}` has no memory to spare", station.name()));
        let grant = admit(one, choice, ready, &now).map_err(no_memory)?;
        let admit = |health| Health::admit(health, station.name(), &choice.kernels, &*self.0.clock);
        let leave = station.health.as_ref().map(admit).transpose()?;
        let until = [one.until, leave.as_ref().and_then(BreakerPermits::deadline)].into_iter().flatten().min();
        let partner = Partner::new(station, &ready.steps, (station.stream()?, grant), until);
        Ok(Guest { partner, pass: Some((place, leave)) })
    }

    /// Says goodbye to a device: tells its breakers what came of its part, and the receipt if it failed.
    fn part(
        &self,
        mut partner: Partner<'_>,
        pass: Option<(GatePermit<'_>, Option<BreakerPermits<'_>>)>,
        ran: &Result<()>,
        reply: &mut RunRecord<'_>,
    ) {
        let station = partner.station;
        let is_first = pass.is_none();
        let leave = pass.and_then(|(_, leave)| leave);
        let Some((error, took)) = partner.failed.take() else {
            // One that did nothing has not shown that it can.
            if let Some(leave) = leave.filter(|_| ran.is_ok() && partner.batches > 0) {
                leave.succeed();
            }
            return;
        };
        let error = partner.lease.take_trouble().map(|trouble| in_stage_of(trouble, &error)).unwrap_or(error);
        station.residency.iter().for_each(|residency| residency.unsettle());
        if FailureClass::of(&error) == FailureClass::Timeout {
            partner.lease.abandon();
        }
        if let Some(leave) = leave {
            tell(leave, &error, partner.is_over(&*self.0.clock));
        }
        // What the attempt ends with, it tells of its own device.
        let is_told = is_first && ran.as_ref().is_err_and(|end| is_same(end, &error));
        if !is_told {
            let _ = self.blame(station, &error);
            reply.shared.failed.push((station.name().to_string(), took, error.clone()));
        }
        if is_first && !is_told {
            reply.shared.own = Some(error);
        }
    }
}

/// Whether a device makes others faster, for all that is remembered.
pub(super) fn may_help(memories: &[Arc<Memory>], device: &str) -> bool {
    memories.iter().any(|memory| memory.pace(device).is_none_or(|pace| pace.helps))
}

/// What each device did that did not fail before it began, in the order of their names.
fn shares(
    choice: &Placement,
    partners: &[Partner<'_>],
    memories: &[Arc<Memory>],
    failed: &[(String, Duration, Error)],
) -> Arc<[Share]> {
    let share = |choice: &Placement| {
        let device = choice.station.name().to_string();
        if let Some(own) = partners.iter().find(|partner| partner.station.name() == device) {
            return Some(Share { device, rows: own.rows, batches: own.batches, left_out: own.left_out });
        }
        let left_out = if may_help(memories, &device) { LeftOut::TooShort } else { LeftOut::NoGain };
        let is_away = failed.iter().any(|(name, ..)| *name == device);
        (!is_away).then_some(Share { device, rows: 0, batches: 0, left_out: Some(left_out) })
    };
    std::iter::once(choice).chain(&choice.beside).filter_map(share).collect()
}

/// What each of several devices did, of which one did all of it.
pub(super) fn alone(one: &Placement, spared: Spared<'_>, (rows, batches): (usize, usize)) -> Arc<[Share]> {
    let share = |choice: &Placement| {
        let device = choice.station.name().to_string();
        match Arc::ptr_eq(&choice.station, &one.station) {
            true => Share { device, rows, batches, left_out: None },
            false => Share { device, rows: 0, batches: 0, left_out: Some(spared.why) },
        }
    };
    std::iter::once(spared.of).chain(&spared.of.beside).map(share).collect()
}

/// Whether two errors tell the same, in whatever stage.
fn is_same(one: &Error, other: &Error) -> bool {
    one.kind() == other.kind() && one.message() == other.message()
}
