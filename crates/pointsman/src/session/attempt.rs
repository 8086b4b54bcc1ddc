//! One attempt at a placement: load the programs, enter the device's gate, reserve its memory, ask its breakers, run,
//! and compare the result with the CPU's if this run is to be verified. `fallback.rs` reacts to a failure.

use super::call::{CallInputs, RunLimits, RunRecord};
use super::failure::report_to_breakers;
use super::fallback::AttemptLimits;
use super::{CompiledFragment, SessionInner};
use crate::devices::handle::DeviceHandle;
use crate::devices::residency::MemoryReservation;
use crate::error::{Error, ErrorKind, FailureClass, Result};
use crate::exec::context::{QueryContext, RunContext};
use crate::exec::{self, RunResult, footprint, relational};
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::instrument::progress::Reporter;
use crate::resilience::cancel::CancellationToken;
use crate::resilience::gate::{GatePermit, WaitError, WaitLimit};
use crate::resilience::health::Health;
use crate::resilience::time_limit::TimeLimit;
use crate::select::{LoadedPrograms, Placement, PlacementCursor, PlannedRun};
use crate::telemetry::receipt::ProgramSources;
use pointsman_device::call_limit::{self, CallLimit, LimitScope};
use pointsman_device::{DeviceError, DeviceErrorKind, DeviceKind};
use std::time::{Duration, Instant};

/// The run of one call: its ranking, and everything that attempts need.
pub(super) struct QueryRun<'q> {
    pub(super) session: &'q SessionInner,
    pub(super) compiled: &'q CompiledFragment,
    pub(super) ranking: &'q PlacementCursor<'q>,
    pub(super) call: &'q CallInputs<'q>,
}

/// One attempt at a placement.
pub(super) struct Attempt<'t> {
    pub(super) query: &'t QueryRun<'t>,
    pub(super) run: &'t PlannedRun<'t>,
    pub(super) limits: &'t AttemptLimits,
}

/// Loaded programs, and where they came from if they were loaded just now.
pub(super) type Loaded<'t> = (&'t LoadedPrograms, ProgramSources);

impl<'t> Attempt<'t> {
    /// Runs the programs. Compiles before it takes a gate permit or a breaker probe, so that neither is held meanwhile.
    #[inline]
    pub(super) fn run<'q>(&self, placement: &'q Placement, record: &mut RunRecord<'_>) -> Result<&'q LoadedPrograms> {
        self.check_limits()?;
        let handle = &*placement.handle;
        handle.health.as_ref().map_or(Ok(()), Health::check_open)?;
        let loaded = match placement.loaded() {
            Some(loaded) => loaded,
            None => {
                let (loaded, sources) = self.load(placement, record.timer)?;
                record.sources = sources;
                loaded
            }
        };
        let permit = self.enter_gate_until(placement, self.limits.until, record.timer)?;
        record.contended = permit.is_contended();
        let ran = match &handle.health {
            None => self.run_on_cpu(loaded, permit, record),
            Some(health) => self.run_guarded(loaded, health, permit, record),
        };
        let is_checked = handle.health.is_some() || self.run.is_shared();
        let ran = if is_checked { self.verified(record, ran) } else { ran };
        ran.map(|()| loaded)
    }

    /// Runs on the CPU, which has no breaker: queries go there when other devices fail.
    #[inline]
    fn run_on_cpu(&self, loaded: &LoadedPrograms, permit: GatePermit<'_>, record: &mut RunRecord<'_>) -> Result<()> {
        let before = record.timer.time(Phase::Run);
        let ran = match self.execute(loaded, self.limits.until, None, record) {
            Ok(()) => Ok(()),
            Err(error) => self.after_failure_on_cpu(error, loaded, permit, record),
        };
        record.nanoseconds = record.timer.time(Phase::Run) - before;
        ran
    }

    /// Runs again on the CPU without other queries, if the run failed for lack of memory that they may have held.
    #[cold]
    fn after_failure_on_cpu(
        &self,
        error: Error,
        loaded: &LoadedPrograms,
        permit: GatePermit<'_>,
        record: &mut RunRecord<'_>,
    ) -> Result<()> {
        let ran = if FailureClass::of(&error) == FailureClass::OutOfMemory && permit.is_contended() {
            // Release the permit first: two queries that each wait for the other's permit would deadlock.
            drop(permit);
            record.results.clear();
            // With all permits, no other query runs here or holds memory.
            let permit = self.run.placement.handle.gate.enter_exclusive(&self.wait_limit());
            let permit = self.end_wait(permit, "was busy", record.timer);
            permit.and_then(|_permit| self.execute(loaded, self.limits.until, None, record))
        } else {
            Err(error)
        };
        // The CPU does not hang: the deadline of the query, or of this attempt, ended the run.
        ran.map_err(|error| match error.kind() == ErrorKind::Timeout {
            true => self.out_of_time(&self.run.placement.handle, "ran"),
            false => error,
        })
    }

    /// Runs on a device that may fail: reserves memory, takes breaker permits, and reports the outcome to the breakers.
    fn run_guarded(
        &self,
        loaded: &LoadedPrograms,
        health: &Health,
        permit: GatePermit<'_>,
        record: &mut RunRecord<'_>,
    ) -> Result<()> {
        let (placement, clock) = (self.run.placement, &*self.query.session.clock);
        let reservation = self.reserve(placement, loaded, &self.wait_limit());
        let reservation = self.end_wait(reservation, "had no memory to spare", record.timer)?;
        let breakers = health.acquire_permits(placement.device(), &placement.kernels, clock)?;
        if self.limits.retries == 0 {
            health.budget.deposit();
        }
        let until = [self.limits.until, breakers.deadline()].into_iter().flatten().min();
        let start = clock.now();
        let ran = self.execute(loaded, until, reservation, record);
        let time = clock.now().saturating_sub(start).as_nanos();
        record.nanoseconds = u64::try_from(time).unwrap_or(u64::MAX);
        let is_over = self.query.session.time_limit(until).is_over();
        let shared = record.shared.as_deref_mut();
        let is_idle = self.run.is_shared() && shared.as_ref().is_some_and(|shared| shared.is_first_idle());
        match (&ran, shared.and_then(|shared| shared.own_failure.take())) {
            (_, Some(error)) => report_to_breakers(breakers, &error, is_over),
            (Err(error), None) => report_to_breakers(breakers, error, is_over),
            (Ok(()), None) if is_idle => drop(breakers),
            (Ok(()), None) => breakers.succeed(),
        }
        drop(permit);
        ran
    }

    /// Runs the programs, on one device or shared by several.
    #[inline]
    fn execute(
        &self,
        loaded: &LoadedPrograms,
        until: Option<Duration>,
        reservation: Option<MemoryReservation<'_>>,
        record: &mut RunRecord<'_>,
    ) -> Result<()> {
        let QueryRun { session, call, .. } = self.query;
        if self.run.is_shared() {
            return self.execute_shared(loaded, session.time_limit(until), reservation, record);
        }
        let start = self.query.ranking.may_be_shared().then(|| session.clock.now());
        session.execute(self.run.placement, loaded, call, until, reservation.as_ref(), record)?;
        if let Some(start) = start {
            let shared = record.shared.get_or_insert_default();
            shared.time = session.clock.now().saturating_sub(start);
            shared.shares = self.query.ranking.single_device_shares(call.rows(), record.counters.batches());
        }
        Ok(())
    }

    /// The limit for waits of this attempt: its deadline, and the query's cancellation.
    pub(super) fn wait_limit(&self) -> WaitLimit<'t> {
        let token = self.query.call.limits.token.as_ref();
        WaitLimit { clock: &*self.query.session.clock, until: self.limits.until, token }
    }

    /// An error if the query was cancelled or its deadline has passed.
    #[inline]
    pub(super) fn check_limits(&self) -> Result<()> {
        if self.query.call.limits.token.as_ref().is_some_and(CancellationToken::is_cancelled) {
            return Err(Error::cancelled());
        }
        match self.query.call.deadline {
            Some(deadline) if self.query.session.clock.now() >= deadline => Err(self.deadline_error()),
            Some(_) | None => Ok(()),
        }
    }

    /// Takes a permit of the device's gate; waits in its queue, at most until `until`.
    #[inline]
    pub(super) fn enter_gate_until<'p>(
        &self,
        placement: &'p Placement,
        until: Option<Duration>,
        timer: &mut PhaseTimer,
    ) -> Result<GatePermit<'p>> {
        match placement.handle.gate.try_enter() {
            Some(permit) => Ok(permit),
            None => {
                let entered = placement.handle.gate.enter(&WaitLimit { until, ..self.wait_limit() });
                self.end_wait(entered, "was busy", timer)
            }
        }
    }

    /// Reserves the memory that the query needs on a placement's device; `None` if the device uses host memory.
    pub(super) fn reserve<'p>(
        &self,
        placement: &'p Placement,
        loaded: &LoadedPrograms,
        limit: &WaitLimit<'_>,
    ) -> std::result::Result<Option<MemoryReservation<'p>>, WaitError> {
        let Some(residency) = &placement.handle.residency else { return Ok(None) };
        let CallInputs { sources, lists, limits, .. } = *self.query.call;
        let (device, stages) = (&*placement.handle.device, &loaded.stages[..]);
        let mut forecast = match (self.query.call.stage, stages) {
            (Some(call), [stage]) => relational::forecast(device, stage, call, lists),
            _ => footprint::forecast(device, stages, &sources[0], lists),
        };
        if self.run.is_shared() || limits.batch_rows.is_some() {
            forecast.use_batches();
        }
        residency.reserve(&forecast, limit).map(Some)
    }

    /// Adds the time of a wait to the queue's. `what` says why the query had to wait: "was busy".
    fn end_wait<T>(&self, waited: std::result::Result<T, WaitError>, what: &str, timer: &mut PhaseTimer) -> Result<T> {
        timer.lap(Phase::Queue);
        waited.map_err(|error| self.wait_error(error, what))
    }
}

impl SessionInner {
    /// The time limit of a run: the launch timeout of the session, and the deadline `until`.
    #[inline]
    pub(super) fn time_limit(&self, until: Option<Duration>) -> TimeLimit<'_> {
        TimeLimit { clock: &*self.clock, timeout: self.options.launch_timeout, until }
    }

    /// The part of a run's context that does not depend on the device.
    #[inline]
    pub(super) fn query_context<'c>(
        &'c self,
        call: &CallInputs<'c>,
        time: TimeLimit<'c>,
        reporter: Option<&'c Reporter<'c>>,
    ) -> QueryContext<'c> {
        QueryContext {
            source: call.source(),
            params: call.params,
            lists: call.lists,
            pool: &self.pool,
            programs: &self.programs,
            spill: &self.spill,
            time,
            token: call.limits.token.as_ref(),
            batches_in_flight: self.options.batches_in_flight,
            reporter,
        }
    }

    /// Limits how long this thread's calls into the driver of a device wait for calls of other threads.
    #[inline]
    fn limit_driver_calls(
        &self,
        handle: &DeviceHandle,
        until: Option<Duration>,
        limits: &RunLimits,
    ) -> Option<LimitScope> {
        let is_limited = until.is_some() || limits.token.is_some();
        if !is_limited || handle.device.info().kind == DeviceKind::Cpu {
            return None;
        }
        let left = until.map(|until| until.saturating_sub(self.clock.now()));
        let until = left.and_then(|left| Instant::now().checked_add(left));
        let token = limits.token.clone();
        let is_cancelled = token.map(|token| Box::new(move || token.is_cancelled()) as Box<dyn Fn() -> bool>);
        Some(call_limit::set(CallLimit { until, is_cancelled }))
    }

    /// Runs loaded programs on the device of a placement.
    #[inline]
    pub(super) fn execute(
        &self,
        placement: &Placement,
        loaded: &LoadedPrograms,
        call: &CallInputs<'_>,
        until: Option<Duration>,
        reservation: Option<&MemoryReservation<'_>>,
        record: &mut RunRecord<'_>,
    ) -> Result<()> {
        let handle = &*placement.handle;
        let _limit = self.limit_driver_calls(handle, until, call.limits);
        let mut lease = handle.lease_stream()?;
        let own = call.own_reporter(loaded.stages.len());
        let reporter = own.as_ref().or_else(|| call.stage_reporter());
        let common = self.query_context(call, self.time_limit(until), reporter);
        let context = RunContext { common, lease: &lease, batch_rows: call.limits.batch_rows, reservation };
        let (caller_values, output) = (record.caller_values.as_deref_mut(), &mut record.results.output);
        let (timer, counters) = (&mut *record.timer, &mut record.counters);
        let result = RunResult { caller_values, output, timer, counters };
        let ran = match call.stage {
            Some(stage) => relational::run(stage, &loaded.stages[0], &context, result, &mut record.sources),
            None => exec::run(&loaded.stages, &context, result),
        };
        let is_cancelled = || call.limits.token.as_ref().is_some_and(CancellationToken::is_cancelled);
        let ran = ran.inspect_err(|error| {
            let own = SessionInner::settle_failed_run(handle, &mut lease, error);
            if let Some(own) = &own {
                let _ = self.record_failure(handle, own);
            }
            record.shared.get_or_insert_default().own_failure = own;
        });
        ran.map_err(|error| match error.device_kind() {
            Some(DeviceErrorKind::Expired) if is_cancelled() => Error::cancelled(),
            // The attempt used up its time: another device may still answer.
            Some(DeviceErrorKind::Expired) => DeviceError::new(DeviceErrorKind::Timeout, error.message()).into(),
            _ => error,
        })
    }
}
