//! Shadow verification: a share of the runs on other devices is run again on the CPU before the caller gets the answer,
//! and compared. A device whose answer differs is not used any more, and the CPU answers.

use super::attempt::{Attempt, Ran, RunLimits, RunRecord, SharedRun};
use super::choice::Placement;
use super::{CallInputs, Session};
use crate::data::output::Results;
use crate::error::{Error, ErrorKind, Result};
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::resilience::agreement::{Agreement, Claim, difference, source_magnitude};
use crate::resilience::retry::RandomDraws;
use pointsman_device::Exactness;
use pointsman_ir::fuse::Stage;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sessions check the same runs, so that what one found can be found again.
const SEED: u64 = 0;

/// Retention runs are checked, and what came of it.
pub(super) struct Shadow {
    share: f64,
    draws: RandomDraws,
    checked: AtomicU64,
    differed: AtomicU64,
    passed_over: AtomicU64,
}

/// The results of runs that the CPU repeated to verify other devices. See
/// [`SessionOptions::verify_share`](crate::SessionOptions::verify_share).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerificationReport {
    /// Runs that were verified.
    pub checked: u64,
    /// Verified runs whose answers differed from the CPU's.
    pub differed: u64,
    /// Runs that should have been checked but could not be: the CPU does not run the query or had no time or memory for
    /// it, or the contract does not fix the answer (floats decide something on a device that keeps bounds).
    pub passed_over: u64,
}

impl Shadow {
    pub(super) fn new(share: f64) -> Result<Shadow> {
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::invalid(format!("a verify share of {share}: it is a part of all runs, 0 to 1")));
        }
        let zero = || AtomicU64::new(0);
        Ok(Shadow { share, draws: RandomDraws::new(SEED), checked: zero(), differed: zero(), passed_over: zero() })
    }

    /// Whether the next run is checked.
    fn is_due(&self) -> bool {
        self.share > 0.0 && self.draws.next() < self.share
    }
}

impl Session {
    /// The results of verified runs so far. See [`SessionOptions::verify_share`](crate::SessionOptions::verify_share).
    pub fn verification(&self) -> VerificationReport {
        let Shadow { checked, differed, passed_over, .. } = &self.0.shadow;
        let [checked, differed, passed_over] =
            [checked, differed, passed_over].map(|count| count.load(Ordering::Relaxed));
        VerificationReport { checked, differed, passed_over }
    }

    /// Where answers of these choices are checked, if any may be.
    pub(super) fn shadow_of(&self, stages: &[Stage], choices: &[Placement], is_open: bool) -> Option<Placement> {
        let may_be_wrong = |choice: &Placement| choice.station.health.is_some() || !choice.beside.is_empty();
        let is_checked = self.0.shadow.share > 0.0 && (is_open || choices.iter().any(may_be_wrong));
        if is_checked { self.on_cpu(stages, "checks another device".to_string()).ok() } else { None }
    }

    /// What a run on another device gave, or an error if it was checked and is not what the CPU gives.
    pub(super) fn verified<'t>(
        &self,
        one: &Attempt<'t>,
        reply: &mut RunRecord<'_>,
        ran: Result<Ran<'t>>,
    ) -> Result<Ran<'t>> {
        let is_answer = ran.as_ref().map_or_else(|error| error.kind() == ErrorKind::Arithmetic, |_| true);
        if !is_answer || !self.0.shadow.is_due() {
            return ran;
        }
        let fault = ran.as_ref().err();
        let differs = self.differs(one, reply, fault);
        reply.watch.lap(Phase::Verify);
        let count = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
        let Some(differs) = differs else {
            count(&self.0.shadow.passed_over);
            return ran;
        };
        count(&self.0.shadow.checked);
        let Some(what) = differs else { return ran };
        count(&self.0.shadow.differed);
        let name = one.choice.names();
        Err(Error::new(ErrorKind::Mismatch, format!("`{name}` gave another answer than the CPU: {what}")))
    }

    /// Where the answer differs from the CPU's, if it does; `None` if they could not be compared.
    fn differs(&self, one: &Attempt<'_>, reply: &RunRecord<'_>, fault: Option<&Error>) -> Option<Option<String>> {
        let stations = std::iter::once(one.choice).chain(&one.choice.beside).map(|choice| &choice.station);
        let mut exactness = stations.map(|station| station.device.info().capabilities.exactness);
        let is_bounded = exactness.any(|exactness| exactness == Exactness::Bounded);
        let exactness = if is_bounded { Exactness::Bounded } else { Exactness::Exact };
        let agreement = Agreement::of(one.stages, exactness)?;
        let mut results = Results::new();
        let ours = self.run_shadow(one, &mut results)?;
        match (fault, ours) {
            (None, Ok(())) => {
                let CallInputs { inputs, .. } = one.work;
                let scale = if agreement == Agreement::Near { source_magnitude(one.stages, inputs) } else { 0.0 };
                let claim = Claim { output: reply.results.output(), into: reply.into.as_deref() };
                Some(difference(&claim, results.output(), agreement, scale))
            }
            (Some(theirs), Ok(())) => Some(Some(format!("{}, and no error on the CPU", theirs.message()))),
            (None, Err(ours)) => Some(Some(format!("no error, and on the CPU {}", ours.message()))),
            (Some(theirs), Err(ours)) if theirs.row() == ours.row() => Some(None),
            (Some(theirs), Err(ours)) => Some(Some(format!("{}, and on the CPU {}", theirs.message(), ours.message()))),
        }
    }

    /// Runs the query on the CPU: whether its numbers make sense there; `None` if the CPU cannot tell.
    fn run_shadow(&self, one: &Attempt<'_>, results: &mut Results) -> Option<Result<()>> {
        let choice = one.shadow?;
        let until = one.work.deadline;
        // Who asked how far the query is has been told that it is done.
        let limits = RunLimits { progress: None, ..one.work.limits.clone() };
        let work = CallInputs { limits: &limits, ..*one.work };
        let cpu = Attempt {
            choice,
            shadow: None,
            work: &work,
            is_last: true,
            until,
            tries: 0,
            is_shared: false,
            spared: None,
            ..*one
        };
        let mut watch = PhaseTimer::start();
        let (ready, _) = self.ready(choice, one.stages, true, None).ok()?;
        let _place = self.enter(&cpu, &mut watch).ok()?;
        let (counts, shared) = (RunCounters::default(), SharedRun::default());
        let mut reply = RunRecord { into: None, watch: &mut watch, results, counts, took: 0, contended: false, shared };
        match self.run(&cpu, ready, &mut reply, until, None) {
            Ok(()) => Some(Ok(())),
            Err(error) if error.kind() == ErrorKind::Arithmetic => Some(Err(error)),
            Err(_) => None,
        }
    }
}
