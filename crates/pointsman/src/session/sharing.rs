//! A query that several devices share: who takes part, what each is told afterwards, and what the receipt says of it.

use super::Session;
use super::attempt::{Reply, Try, admit, in_stage_of, tell};
use super::choice::{Choice, Ready};
use crate::error::{Error, ErrorKind, Result};
use crate::runtime::executor::{Allowed, Common};
use crate::runtime::progress::Reporter;
use crate::runtime::receipt::{Share, Watch};
use crate::runtime::remote::sharing::{Partner, execute};
use crate::runtime::residency::Grant;
use crate::runtime::resilience::gate::{Bounds, Place};
use crate::runtime::resilience::health::{Health, Leave};
use crate::runtime::resilience::retry::FailureClass;
use std::time::Duration;

/// A device that was let in, and what it must be told at the end.
struct Guest<'t> {
    partner: Partner<'t>,
    /// Those of the first are the attempt's.
    pass: Option<(Place<'t>, Option<Leave<'t>>)>,
}

impl Session {
    /// Runs the programs on a choice's device and on those beside it. Those that cannot take part are left out.
    pub(super) fn run_shared<'t>(
        &'t self,
        one: &Try<'t>,
        ready: &'t Ready,
        reply: &mut Reply<'_>,
        time: Allowed<'_>,
        grant: Option<Grant<'t>>,
    ) -> Result<()> {
        let station = &*one.choice.station;
        let mut partners = vec![Partner::new(station, &ready.steps, (station.stream()?, grant), time.until)];
        let mut passes = vec![None];
        for Guest { partner, pass } in self.invite_all(one, reply) {
            partners.push(partner);
            passes.push(pass);
        }
        let (work, pool, options) = (one.work, &self.0.pool, &self.0.options);
        let spill = &self.0.spill;
        let (params, lists, token) = (work.params, &work.captured.lists[..], work.limits.token.as_ref());
        let reporter = work.limits.progress.as_ref().map(|told| Reporter::new(told, ready.steps.len()));
        let (inputs, rows, reporter) = (work.inputs, work.rows, reporter.as_ref());
        let time = Allowed { until: one.until, ..time };
        let common = Common { inputs, rows, params, lists, pool, spill, time, token, options, reporter };
        let (into, watch, counts) = (reply.into.as_deref_mut(), &mut *reply.watch, &mut reply.counts);
        let ran = reply.results.fill(|last| execute(&mut partners, common, into, watch, (last, counts)));
        let share = |partner: &Partner<'_>| {
            let (device, rows, batches) = (partner.station.name().to_string(), partner.rows, partner.batches);
            Share { device, rows, batches }
        };
        reply.shared.shares = ran.is_ok().then(|| partners.iter().map(share).collect());
        for (partner, pass) in partners.into_iter().zip(passes) {
            self.part(partner, pass, &ran, reply);
        }
        ran
    }

    /// Lets in those beside a choice's device that can take part now; what keeps the others away is told.
    fn invite_all<'t>(&'t self, one: &Try<'t>, reply: &mut Reply<'_>) -> Vec<Guest<'t>> {
        let mut guests = Vec::new();
        for choice in &one.choice.beside {
            match self.invite(one, choice, reply.watch) {
                Ok(guest) => guests.push(guest),
                Err(error) => {
                    let _ = self.blame(&choice.station, &error);
                    reply.shared.failed.push((choice.station.name().to_string(), Duration::ZERO, error));
                }
            }
        }
        guests
    }

    /// Lets a device in beside another, if it can take part now.
    fn invite<'t>(&'t self, one: &Try<'t>, choice: &'t Choice, watch: &mut Watch) -> Result<Guest<'t>> {
        let station = &*choice.station;
        if let Some(health) = &station.health {
            health.alive(station.name())?;
        }
        let (ready, _) = match choice.at_hand() {
            Some(ready) => (ready, None),
            None => self.supply(&Try { choice, shadow: None, is_last: false, tries: 0, ..*one }, watch)?,
        };
        let busy = || Error::new(ErrorKind::Busy, format!("`{}` has no place for another query", station.name()));
        let place = station.gate.try_enter().ok_or_else(busy)?;
        // It does not wait: who holds memory of one device and waits for another's may wait for one who does the reverse.
        let now = Bounds { clock: &*self.0.clock, until: Some(Duration::ZERO), token: None };
        let no_memory = |_| Error::new(ErrorKind::Busy, format!("`{}` has no memory to spare", station.name()));
        let grant = admit(one, choice, ready, &now).map_err(no_memory)?;
        let admit = |health| Health::admit(health, station.name(), &choice.kernels, &*self.0.clock);
        let leave = station.health.as_ref().map(admit).transpose()?;
        let until = [one.until, leave.as_ref().and_then(Leave::deadline)].into_iter().flatten().min();
        let partner = Partner::new(station, &ready.steps, (station.stream()?, grant), until);
        Ok(Guest { partner, pass: Some((place, leave)) })
    }

    /// Says goodbye to a device: tells its breakers what came of its part, and the receipt if it failed.
    fn part(
        &self,
        mut partner: Partner<'_>,
        pass: Option<(Place<'_>, Option<Leave<'_>>)>,
        ran: &Result<()>,
        reply: &mut Reply<'_>,
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

/// Whether two errors tell the same, in whatever stage.
fn is_same(one: &Error, other: &Error) -> bool {
    one.kind() == other.kind() && one.message() == other.message()
}
