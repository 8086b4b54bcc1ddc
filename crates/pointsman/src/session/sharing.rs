//! A run that several devices share: which of them take part, what their breakers are told afterwards, and what the
//! receipt says about each.

use super::attempt::Attempt;
use super::call::{FailedDevice, RunRecord};
use super::failure::{in_stage_of, report_to_breakers};
use crate::devices::residency::MemoryReservation;
use crate::error::FailureClass;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::sharing::pacing::Memory;
use crate::exec::sharing::{Invite, Others, Partner, execute};
use crate::instrument::phase::PhaseTimer;
use crate::instrument::progress::Reporter;
use crate::instrument::skip_reason::SkipReason;
use crate::programs::program::CompiledStage;
use crate::resilience::gate::{GatePermit, WaitLimit};
use crate::resilience::health::{BreakerPermits, Health};
use crate::resilience::time_limit::TimeLimit;
use crate::select::{LoadedPrograms, Placement, Spared, may_help};
use crate::telemetry::receipt::Share;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

/// A device beside the first, and the permits it holds.
struct Guest<'t> {
    partner: Partner<'t>,
    permits: Permits<'t>,
}

/// The permits of a device; `None` for the first device, whose permits the attempt holds.
type Permits<'t> = Option<(GatePermit<'t>, Option<BreakerPermits<'t>>)>;

impl<'t> Attempt<'t> {
    /// Runs the programs on all devices of the placement. Devices that cannot take part now, or do not help, are left
    /// out.
    pub(super) fn execute_shared(
        &self,
        loaded: &LoadedPrograms,
        time: TimeLimit<'_>,
        reservation: Option<MemoryReservation<'_>>,
        record: &mut RunRecord<'_>,
    ) -> Result<()> {
        let (session, placement, call) = (self.query.session, self.run.placement, &self.query.call);
        let handle = &*placement.handle;
        let mut partners =
            vec![Partner::new(handle, &loaded.stages, (handle.lease_stream()?, reservation), time.until)];
        let memory = |stage: &CompiledStage| session.selector.pace_of(&stage.stage.kernel, placement, call.rows);
        let memories: Vec<Arc<Memory>> = loaded.stages.iter().map(memory).collect();
        let (permits, away) = (RefCell::new(vec![None]), RefCell::new(Vec::new()));
        let reporter = call.limits.progress.as_ref().map(|callback| Reporter::new(callback, loaded.stages.len()));
        let common = session.query_context(call, TimeLimit { until: self.limits.until, ..time }, reporter.as_ref());
        let invite: Invite<'_, '_> = Box::new(|| {
            let (guests, failed) = self.invite_all(&memories);
            *away.borrow_mut() = failed;
            let (partners, own): (Vec<_>, Vec<_>) =
                guests.into_iter().map(|guest| (guest.partner, guest.permits)).unzip();
            permits.borrow_mut().extend(own);
            partners
        });
        let names = placement.all().map(Placement::device).collect();
        let others = Others { names, memories: memories.clone(), invite: RefCell::new(Some(invite)) };
        let (caller_values, timer, counters) =
            (record.caller_values.as_deref_mut(), &mut *record.timer, &mut record.counters);
        let ran = record
            .results
            .fill(|last| execute((&mut partners, &others), common, caller_values, timer, (last, counters)));
        drop(others);
        let shared = record.shared.get_or_insert_default();
        shared.failed.extend(away.into_inner());
        shared.shares = ran.is_ok().then(|| shares(placement, &partners, &memories, &shared.failed));
        let alone_seconds = |one: &Placement| {
            let own = partners.iter().find(|partner| partner.station.name() == one.device())?;
            Some(own.alone).filter(|seconds| seconds.is_finite())
        };
        shared.alone_seconds = placement.all().map(alone_seconds).collect();
        for (partner, permits) in partners.into_iter().zip(permits.into_inner()) {
            self.finish_partner(partner, permits, &ran, record);
        }
        ran
    }

    /// Lets the other devices of the placement take part, if they can now and may help; the failures of the rest.
    fn invite_all(&self, memories: &[Arc<Memory>]) -> (Vec<Guest<'t>>, Vec<FailedDevice>) {
        let (mut guests, mut failed) = (Vec::new(), Vec::new());
        for placement in &self.run.placement.partners {
            if !may_help(memories, placement.device()) {
                continue;
            }
            match self.invite(placement) {
                Ok(guest) => guests.push(guest),
                Err(error) => {
                    let _ = self.query.session.record_failure(&placement.handle, &error);
                    let device = placement.device().to_string();
                    failed.push(FailedDevice { device, time: Duration::ZERO, error });
                }
            }
        }
        (guests, failed)
    }

    /// Lets a device take part beside the first, if it can now.
    fn invite(&self, placement: &'t Placement) -> Result<Guest<'t>> {
        let (handle, session) = (&*placement.handle, self.query.session);
        if let Some(health) = &handle.health {
            health.check_open(handle.name())?;
        }
        let loaded = match placement.loaded() {
            Some(loaded) => loaded,
            None => self.as_not_last().load(placement, &mut PhaseTimer::start())?.0,
        };
        let busy = || Error::new(ErrorKind::Busy, format!("`{}` has no place for another query", handle.name()));
        let permit = handle.gate.try_enter().ok_or_else(busy)?;
        // It does not wait: a query that holds the memory of one device and waits for another's may wait for a query
        // that does the reverse.
        let now = WaitLimit { clock: &*session.clock, until: Some(Duration::ZERO), token: None };
        let no_memory = |_| Error::new(ErrorKind::Busy, format!("`{}` has no memory to spare", handle.name()));
        let reservation = self.reserve(placement, loaded, &now).map_err(no_memory)?;
        let admit = |health| Health::acquire_permits(health, handle.name(), &placement.kernels, &*session.clock);
        let breakers = handle.health.as_ref().map(admit).transpose()?;
        let until = [self.limits.until, breakers.as_ref().and_then(BreakerPermits::deadline)];
        let until = until.into_iter().flatten().min();
        let partner = Partner::new(handle, &loaded.stages, (handle.lease_stream()?, reservation), until);
        Ok(Guest { partner, permits: Some((permit, breakers)) })
    }

    /// This attempt for a device that others can replace.
    fn as_not_last(&self) -> Attempt<'t> {
        let limits = crate::resilience::fallback::AttemptLimits { is_last: false, retries: 0, ..self.limits };
        Attempt { query: self.query, run: self.run, limits }
    }

    /// Reports a device's part of the run to its breakers, and its failure to the receipt.
    fn finish_partner(
        &self,
        mut partner: Partner<'_>,
        permits: Permits<'_>,
        ran: &Result<()>,
        record: &mut RunRecord<'_>,
    ) {
        let (handle, session) = (partner.station, self.query.session);
        let is_first = permits.is_none();
        let breakers = permits.and_then(|(_, breakers)| breakers);
        let Some((error, time)) = partner.failed.take() else {
            // A device that did nothing has not shown that it works.
            if let Some(breakers) = breakers.filter(|_| ran.is_ok() && partner.batches > 0) {
                breakers.succeed();
            }
            return;
        };
        let error = partner.lease.take_masked_error().map(|trouble| in_stage_of(trouble, &error)).unwrap_or(error);
        handle.residency.iter().for_each(|residency| residency.mark_unsettled());
        if FailureClass::of(&error) == FailureClass::Timeout {
            partner.lease.abandon();
        }
        if let Some(breakers) = breakers {
            report_to_breakers(breakers, &error, partner.is_over(&*session.clock));
        }
        // The attempt itself reports the error that it ends with.
        let is_reported = is_first && ran.as_ref().is_err_and(|end| is_same(end, &error));
        if !is_reported {
            let _ = session.record_failure(handle, &error);
            let device = handle.name().to_string();
            record.shared.get_or_insert_default().failed.push(FailedDevice { device, time, error: error.clone() });
        }
        if is_first && !is_reported {
            record.shared.get_or_insert_default().own_failure = Some(error);
        }
    }
}

/// The part of each device that did not fail before it began, in the order of the placement.
fn shares(
    placement: &Placement,
    partners: &[Partner<'_>],
    memories: &[Arc<Memory>],
    failed: &[FailedDevice],
) -> Arc<[Share]> {
    let share = |one: &Placement| {
        let device = one.device().to_string();
        if let Some(own) = partners.iter().find(|partner| partner.station.name() == device) {
            return Some(Share { device, rows: own.rows, batches: own.batches, left_out: own.left_out });
        }
        let left_out = if may_help(memories, &device) { SkipReason::TooShort } else { SkipReason::NoGain };
        let has_failed = failed.iter().any(|failed| failed.device == device);
        (!has_failed).then_some(Share { device, rows: 0, batches: 0, left_out: Some(left_out) })
    };
    placement.all().filter_map(share).collect()
}

/// The part of each of several devices, of which one did everything.
pub(super) fn single_device_shares(
    placement: &Placement,
    spared: Spared<'_>,
    rows: usize,
    batches: usize,
) -> Arc<[Share]> {
    let share = |one: &Placement| {
        let device = one.device().to_string();
        match Arc::ptr_eq(&one.handle, &placement.handle) {
            true => Share { device, rows, batches, left_out: None },
            false => Share { device, rows: 0, batches: 0, left_out: Some(spared.why) },
        }
    };
    spared.placement.all().map(share).collect()
}

/// Whether two errors say the same, in whatever stage.
fn is_same(one: &Error, other: &Error) -> bool {
    one.kind() == other.kind() && one.message() == other.message()
}
