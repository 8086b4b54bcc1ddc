//! A run that several devices share: the participating devices, the outcomes for their breakers, and the shares in the
//! receipt.

use super::SessionInner;
use super::attempt::Attempt;
use super::call::RunRecord;
use super::failure::report_to_breakers;
use super::fallback::AttemptLimits;
use crate::devices::residency::MemoryReservation;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::RunResult;
use crate::exec::sharing::{self, SharingDevice};
use crate::instrument::phase::PhaseTimer;
use crate::instrument::skip_reason::SkipReason;
use crate::resilience::gate::WaitLimit;
use crate::resilience::health::{BreakerPermits, Health};
use crate::resilience::time_limit::TimeLimit;
use crate::select::{LoadedPrograms, Placement};
use crate::telemetry::receipt::Share;
use std::time::Duration;

impl<'t> Attempt<'t> {
    /// Runs the programs on all devices of the placement that can take part now.
    #[cold]
    pub(super) fn execute_shared(
        &self,
        loaded: &LoadedPrograms,
        time: TimeLimit<'_>,
        reservation: Option<MemoryReservation<'_>>,
        record: &mut RunRecord<'_>,
    ) -> Result<()> {
        let (session, placement, call) = (self.query.session, self.run.placement, self.query.call);
        let handle = &*placement.handle;
        let mut devices = vec![SharingDevice::new(handle, &loaded.stages, reservation, time.until)?];
        let rates = self.query.ranking.expected_rates();
        devices[0].rate = rates.first().copied().flatten();
        let mut is_incomplete = false;
        for (partner, rate) in self.run.partners.iter().zip(rates.into_iter().skip(1)) {
            match self.admit(partner) {
                Ok(device) => devices.push(SharingDevice { rate, ..device }),
                Err(error) => {
                    is_incomplete = true;
                    let _ = session.record_failure(&partner.handle, &error);
                    record.log.record(partner.device(), Duration::ZERO, error);
                }
            }
        }
        let own = call.own_reporter(loaded.stages.len());
        let reporter = own.as_ref().or_else(|| call.stage_reporter());
        let context = session.query_context(call, TimeLimit { until: self.limits.until, ..time }, reporter);
        let (caller_values, output) = (record.caller_values.as_deref_mut(), &mut record.results.output);
        let (timer, counters) = (&mut *record.timer, &mut record.counters);
        let start = session.clock.now();
        let result = RunResult { caller_values, output, timer, counters };
        let ran = match call.stage {
            Some(stage) => sharing::run_table_stage(&mut devices, context, stage, result),
            None => sharing::run(&mut devices, context, result),
        };
        let loads = devices.iter().flat_map(|device| &device.loads).copied();
        if let Some(longest) = loads.max_by_key(|source| source.took()) {
            record.sources = Some([longest].into());
            // The time has a compilation in it.
            is_incomplete = true;
        }
        let shared = record.shared.get_or_insert_default();
        shared.time = session.clock.now().saturating_sub(start);
        shared.is_incomplete = is_incomplete || devices.iter().any(|device| device.failure.is_some());
        shared.shares = ran.is_ok().then(|| devices.iter().map(share).collect());
        for (number, device) in devices.into_iter().enumerate() {
            self.finish_device(number == 0, device, &ran, record);
        }
        ran
    }

    /// Admits a device beside the first, if it can take part now.
    fn admit(&self, placement: &'t Placement) -> Result<SharingDevice<'t>> {
        let (handle, session) = (&*placement.handle, self.query.session);
        handle.health.as_ref().map_or(Ok(()), Health::check_open)?;
        let loaded = match placement.loaded() {
            Some(loaded) => loaded,
            None => {
                // Other devices can replace this one.
                let limits = AttemptLimits { is_last: false, retries: 0, ..*self.limits };
                let attempt = Attempt { query: self.query, run: self.run, limits: &limits };
                attempt.load(placement, &mut PhaseTimer::start())?.0
            }
        };
        let busy = || Error::new(ErrorKind::Busy, format!("`{}` has no place for another query", handle.name()));
        let gate = handle.gate.try_enter().ok_or_else(busy)?;
        // It never waits: a query that holds the memory of one device and waits for another's may wait for a query that
        // does the reverse.
        let now = WaitLimit { clock: &*session.clock, until: Some(Duration::ZERO), token: None };
        let no_memory = |_| Error::new(ErrorKind::Busy, format!("`{}` has no memory to spare", handle.name()));
        let reservation = self.reserve(placement, loaded, &now).map_err(no_memory)?;
        let permits = |health| Health::acquire_permits(health, handle.name(), &placement.kernels, &*session.clock);
        let breakers = handle.health.as_ref().map(permits).transpose()?;
        let until = [self.limits.until, breakers.as_ref().and_then(BreakerPermits::deadline)];
        let until = until.into_iter().flatten().min();
        let device = SharingDevice::new(handle, &loaded.stages, reservation, until)?;
        Ok(SharingDevice { gate: Some(gate), breakers, ..device })
    }

    /// Reports a device's part of the run to its breakers, and its failure to the receipt.
    fn finish_device(&self, is_first: bool, device: SharingDevice<'_>, ran: &Result<()>, record: &mut RunRecord<'_>) {
        let SharingDevice { handle, mut lease, gate: _gate, breakers, until, counters, failure, .. } = device;
        let session = self.query.session;
        let Some((error, time)) = failure else {
            // A device that did nothing has not shown that it works.
            if let Some(breakers) = breakers.filter(|_| ran.is_ok() && counters.batches > 0) {
                breakers.succeed();
            }
            return;
        };
        let error = SessionInner::settle_failed_run(handle, &mut lease, &error).unwrap_or(error);
        if let Some(breakers) = breakers {
            report_to_breakers(breakers, &error, session.time_limit(until).is_over());
        }
        // The attempt itself reports the error that it ends with.
        let is_same = |end: &Error| end.kind() == error.kind() && end.message() == error.message();
        if is_first && ran.as_ref().is_err_and(is_same) {
            return;
        }
        let _ = session.record_failure(handle, &error);
        record.log.record(handle.name(), time, error.clone());
        if is_first {
            record.shared.get_or_insert_default().own_failure = Some(error);
        }
    }
}

/// A device's part of a shared run.
fn share(device: &SharingDevice<'_>) -> Share {
    let (name, rows, batches) = (device.handle.name(), device.counters.rows_in, device.counters.batches());
    let left_out = (batches == 0 && device.failure.is_none()).then_some(SkipReason::TooShort);
    Share { device: name.to_string(), rows, batches, left_out }
}
