//! Verification: the CPU repeats a fraction of the runs on other devices and compares the results before the caller
//! gets the answer. A device whose answer differs is closed for this session, and the CPU answers.

use super::attempt::Attempt;
use super::call::{CallInputs, RunLimits, RunRecord};
use crate::data::output::Results;
use crate::error::{Error, ErrorKind, Result};
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::programs::CompileMode;
use crate::resilience::agreement::{Agreement, DeviceAnswer, difference, largest_magnitude, source_magnitude};
use crate::resilience::retry::RandomDraws;
use crate::select::{Placement, names};
use crate::sync::Mutex;
use crate::telemetry::snapshot::VerificationReport;
use pointsman_device::Exactness;

/// Every session checks the same runs, so that a difference can be found again.
const SEED: u64 = 0;

/// Chooses the runs to check, and counts the results.
pub(super) struct Verifier {
    share: f64,
    draws: RandomDraws,
    report: Mutex<VerificationReport>,
}

impl Verifier {
    pub(super) fn new(share: f64) -> Result<Verifier> {
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::invalid(format!("a verify share of {share}: it is a part of all runs, 0 to 1")));
        }
        Ok(Verifier { share, draws: RandomDraws::new(SEED), report: Mutex::default() })
    }

    /// Whether any run is checked.
    pub(super) fn is_on(&self) -> bool {
        self.share > 0.0
    }

    /// Whether the next run is checked.
    fn is_due(&self) -> bool {
        self.is_on() && self.draws.next() < self.share
    }

    pub(super) fn report(&self) -> VerificationReport {
        *self.report.lock()
    }
}

impl Attempt<'_> {
    /// The outcome of a run on another device, or an error if it was checked and differs from the CPU's.
    pub(super) fn verified(&self, record: &mut RunRecord<'_>, ran: Result<()>) -> Result<()> {
        let verifier = &self.query.session.verifier;
        let is_answer = ran.as_ref().map_or_else(|error| error.kind() == ErrorKind::Arithmetic, |_| true);
        if !is_answer || !verifier.is_due() {
            return ran;
        }
        let comparison = self.compare(record, ran.as_ref().err());
        record.timer.lap(Phase::Verify);
        let mut report = verifier.report.lock();
        let Some(difference) = comparison else {
            report.skipped += 1;
            return ran;
        };
        report.checked += 1;
        let Some(what) = difference else { return ran };
        report.differed += 1;
        let name = names(self.run.devices());
        Err(Error::new(ErrorKind::Mismatch, format!("`{name}` gave another answer than the CPU: {what}")))
    }

    /// Describes where the answer, or the fault, differs from the CPU's. `None` if the CPU cannot run the query, or if
    /// the contract does not determine the answer.
    fn compare(&self, record: &RunRecord<'_>, fault: Option<&Error>) -> Option<Option<String>> {
        let is_bounded = |one: &Placement| one.handle.device.info().capabilities.exactness == Exactness::Bounded;
        let is_bounded = self.run.devices().any(is_bounded);
        let exactness = if is_bounded { Exactness::Bounded } else { Exactness::Exact };
        let stages = &self.query.compiled.candidates.stages[..];
        let agreement = Agreement::of(stages, exactness)?;
        let mut results = Results::new();
        Some(match (fault, self.run_again_on_cpu(&mut results)?) {
            (None, Ok(())) => {
                let is_near = agreement == Agreement::Near;
                let scale = match self.query.call.stage {
                    _ if !is_near => 0.0,
                    Some(stage) => largest_magnitude(stage.tables.float_columns()),
                    None => source_magnitude(stages, self.query.call.sources),
                };
                let answer =
                    DeviceAnswer { output: &record.results.output, caller_values: record.caller_values.as_deref() };
                difference(&answer, &results.output, agreement, scale)
            }
            (Some(theirs), Ok(())) => Some(format!("{}, but no error on the CPU", theirs.message())),
            (None, Err(ours)) => Some(format!("no error, and on the CPU {}", ours.message())),
            (Some(theirs), Err(ours)) if theirs.row() == ours.row() => None,
            (Some(theirs), Err(ours)) => Some(format!("{}, and on the CPU {}", theirs.message(), ours.message())),
        })
    }

    /// Runs the query on the CPU; `None` if the CPU cannot answer it.
    fn run_again_on_cpu(&self, results: &mut Results) -> Option<Result<()>> {
        let (session, compiled, call) = (self.query.session, self.query.compiled, self.query.call);
        let cpu = compiled.verifier_placement.as_ref()?;
        // The progress callback has already reported the end of the query.
        let limits = RunLimits { progress: None, ..call.limits.clone() };
        let call = CallInputs { limits: &limits, ..*call };
        let mut timer = PhaseTimer::start();
        let (loaded, _) = session.load(cpu, &compiled.candidates.stages, CompileMode::Wait, None).ok()?;
        let _permit = self.enter_gate_until(cpu, call.deadline, &mut timer).ok()?;
        let mut record = RunRecord::new(None, &mut timer, results);
        match session.execute(cpu, loaded, &call, call.deadline, None, &mut record) {
            Ok(()) => Some(Ok(())),
            Err(error) if error.kind() == ErrorKind::Arithmetic => Some(Err(error)),
            Err(_) => None,
        }
    }
}
