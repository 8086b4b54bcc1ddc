//! `Session::advise`: suggests changes that would make a query faster, from the receipts of its runs, each with the
//! time that it would have saved.

use super::{CompiledPlan, Session};
use crate::data::input::Input;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::query::values::{Folds, Values};
use crate::query::{Query, Reduction};
use crate::select::{MoveAccount, PlacementRequest, SelectionInput};
use crate::telemetry::receipt::Receipt;
use crate::text::{bytes, time};
use pointsman_ir::fuse::{Stage, StageInput, StagePart};
use pointsman_ir::kernel::Estimate;
use pointsman_ir::plan::Plan;
use pointsman_ir::types::Scalar;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The minimum number of runs that count as repeated copying.
const RUNS_MIN: usize = 2;
/// The minimum number of calls before joining them is suggested.
const CALLS_MIN: usize = 10;

/// The minimum number of equal scalars before sharing them is suggested.
const EQUAL_SCALARS_MIN: usize = 3;

/// The kind of an [`Advice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdviceKind {
    /// Keep the query's columns in the device's memory ([`Session::keep`]): every run copies them there, or runs
    /// elsewhere because they are not there.
    KeepResident,
    /// Process more rows in each call: most of the time is spent on the calls themselves.
    JoinCalls,
    /// Rewrite the query as one stage: the result of a stage is written to memory and read again.
    FuseStages,
    /// Make a scalar one parameter ([`val`](crate::val)): each of its uses is a parameter of its own, so the compiler
    /// computes what depends on it again and again.
    ShareScalar,
}

/// A piece of advice, and what following it would save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The kind of change.
    pub kind: AdviceKind,
    /// The advice in words, with the figures that it rests on.
    pub text: String,
    /// An upper bound of the time that it would have saved in a typical run; zero if it is not known.
    pub gain: Duration,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if self.gain.is_zero() { Ok(()) } else { write!(f, " (saves up to {} a run)", time(self.gain)) }
    }
}

/// A query that advice can be asked for: a [`Query`], a [`Reduction`] or a [`Prepared`](crate::Prepared).
pub trait Advisable {
    /// The facts that advice rests on.
    #[doc(hidden)]
    fn facts(&self) -> QueryFacts<'_>;
}

/// The facts about a query that advice needs.
pub struct QueryFacts<'a> {
    pub(crate) plan: &'a Plan,
    /// Its scalars.
    pub(crate) params: &'a [Option<Scalar>],
    pub(crate) request: &'a PlacementRequest,
    /// Its inputs, if it has some.
    pub(crate) call: Option<SelectionInput<'a>>,
}

impl<R: Values> Advisable for Query<'_, R> {
    fn facts(&self) -> QueryFacts<'_> {
        self.bound.facts()
    }
}

impl<F: Folds> Advisable for Reduction<'_, F> {
    fn facts(&self) -> QueryFacts<'_> {
        self.bound.facts()
    }
}

impl Session {
    /// Advice that makes a query faster, the greatest gain first. It rests on the receipts of earlier runs that the
    /// session remembers ([`SessionOptions::keep_receipts`](crate::SessionOptions::keep_receipts)); without them there
    /// is none, except about owned columns that a faster device lacks and about scalars that are used several times.
    pub fn advise(&self, query: &impl Advisable) -> Vec<Advice> {
        let facts = query.facts();
        let scalar = share_scalar(facts.params);
        let Ok((compiled, _)) = self.compile_cached(facts.plan, facts.request, &mut PhaseTimer::start()) else {
            return Vec::new();
        };
        let runs = self.runs_of(&compiled);
        let keep = compiled
            .call_of_fragments(facts.call)
            .and_then(|call| keep_resident(&call, &runs).or_else(|| self.move_columns(&compiled, &call)));
        let advice = [keep, join_calls(&runs), fuse_stages(&compiled, &runs), scalar];
        let mut advice: Vec<Advice> = advice.into_iter().flatten().collect();
        advice.sort_by_key(|one| std::cmp::Reverse(one.gain));
        advice
    }

    /// The receipts of a query's runs on all devices that it may run on, whatever their inputs.
    fn runs_of(&self, compiled: &CompiledPlan) -> Vec<Receipt> {
        let stages = || compiled.fragments().iter().flat_map(|fragment| &fragment.candidates.stages);
        let placements = compiled.fragments().iter().flat_map(|fragment| fragment.candidates.all());
        let trends: Vec<_> = placements.map(|placement| self.0.trend(placement, stages())).collect();
        let is_one = |receipt: &Receipt| trends.iter().any(|trend| Arc::ptr_eq(trend, &receipt.info.trend));
        self.0.telemetry.receipts.all().into_iter().filter(is_one).collect()
    }

    /// Advises to keep columns on a device that would be faster if it had them.
    fn move_columns(&self, compiled: &CompiledPlan, call: &SelectionInput<'_>) -> Option<Advice> {
        let CompiledPlan::Whole(fragment) = compiled else { return None };
        let (device, account) = fragment.candidates.move_account(call)?;
        let MoveAccount { price, calls_left, gain, .. } = account;
        let [price, gain] = [price, gain].map(|time| Duration::from_nanos(time as u64));
        let uses =
            if calls_left == 1 { "the next use pays".to_string() } else { format!("{calls_left} more uses pay") };
        let text = format!(
            "move its owned columns ({}) to `{device}` now (`Session::keep`): {uses} for the copy ({}), and then they move there",
            bytes(call.inputs.iter().map(Input::bytes).sum()),
            time(price),
        );
        Some(Advice { kind: AdviceKind::KeepResident, text, gain })
    }
}

/// Advises to keep columns on a device if runs copied them there repeatedly.
fn keep_resident(call: &SelectionInput<'_>, runs: &[Receipt]) -> Option<Advice> {
    let is_copied = |one: &&Receipt| one.bytes_moved_in() > 0 && one.rows_in() == call.rows;
    let copied: Vec<&Receipt> = runs.iter().filter(is_copied).collect();
    let owned: u64 = call.inputs.iter().filter(|input| input.owned_chunk().is_some()).map(Input::bytes).sum();
    if copied.len() < RUNS_MIN || owned == 0 {
        return None;
    }
    let device = copied.last()?.device();
    let copying = median(copied.iter().map(|one| one.time(Phase::CopyIn)));
    let all = call.inputs.iter().map(Input::bytes).sum::<u64>();
    let text = format!(
        "keep its owned columns ({}) in the memory of `{device}` (`Session::keep`, or a larger `SessionOptions::resident_bytes`): {} recorded runs copied them there",
        bytes(owned),
        copied.len(),
    );
    Some(Advice { kind: AdviceKind::KeepResident, text, gain: copying.mul_f64(owned as f64 / all.max(1) as f64) })
}

/// Advises larger calls if at least half of the time of a typical call does not depend on its rows.
fn join_calls(runs: &[Receipt]) -> Option<Advice> {
    // The first run compiles.
    let is_warm = |one: &&Receipt| one.time(Phase::Compile).is_zero() && one.attempts().is_empty();
    let warm: Vec<&Receipt> = runs.iter().filter(is_warm).collect();
    if warm.len() < CALLS_MIN {
        return None;
    }
    let total = median(warm.iter().map(|one| one.total()));
    let fixed = overhead(&warm);
    if fixed * 2 < total {
        return None;
    }
    let rows = warm.iter().map(|one| one.rows_in()).sum::<usize>() / warm.len();
    let text = format!(
        "process more rows in each call: in the last {} calls (on average {rows} rows each), {} of the median time of {} did \
         not depend on the number of rows",
        warm.len(),
        time(fixed),
        time(total),
    );
    // All calls but one would be saved.
    let gain = fixed.mul_f64((warm.len() - 1) as f64 / warm.len() as f64);
    Some(Advice { kind: AdviceKind::JoinCalls, text, gain })
}

/// The time of a call that does not depend on its rows: the intercept of a line fitted to time over rows. If all calls
/// have about the same size, the time outside the phases run and copy. Medians keep delayed calls from mattering.
fn overhead(runs: &[&Receipt]) -> Duration {
    let mut runs = runs.to_vec();
    runs.sort_by_key(|one| one.rows_in());
    let (least, most) = (runs[0].rows_in(), runs[runs.len() - 1].rows_in());
    if most < 2 * least.max(1) {
        let on_rows = |one: &Receipt| one.time(Phase::Run) + one.time(Phase::CopyIn) + one.time(Phase::CopyOut);
        return median(runs.iter().map(|one| one.total().saturating_sub(on_rows(one))));
    }
    let point = |one: &Receipt| (one.rows_in() as f64, one.total().as_secs_f64());
    // The slope of the line (Theil 1950): each of the smaller runs is joined to one of the larger.
    let (small, large) = runs.split_at(runs.len() / 2);
    let pairs = small.iter().zip(large).map(|(a, b)| (point(a), point(b))).filter(|(a, b)| a.0 < b.0);
    let slope = median(pairs.map(|(a, b)| (b.1 - a.1) / (b.0 - a.0))).max(0.0);
    let start = median(runs.iter().map(|one| point(one).1 - slope * point(one).0));
    Duration::try_from_secs_f64(start).unwrap_or_default()
}

/// Advises one parameter for a scalar that is several.
fn share_scalar(params: &[Option<Scalar>]) -> Option<Advice> {
    let uses = |scalar: &Scalar| params.iter().filter(|one| one.as_ref() == Some(scalar)).count();
    let (scalar, uses) = params.iter().flatten().map(|scalar| (scalar, uses(scalar))).max_by_key(|(_, uses)| *uses)?;
    let text = format!(
        "make the scalar {scalar} one parameter, `let k = val(k)`: the query uses it {uses} times, each time as a parameter \
         of its own, so what is computed from it is computed several times"
    );
    (uses >= EQUAL_SCALARS_MIN).then_some(Advice { kind: AdviceKind::ShareScalar, text, gain: Duration::ZERO })
}

/// Advises fusing stages if intermediate results are written and read again.
fn fuse_stages(compiled: &CompiledPlan, runs: &[Receipt]) -> Option<Advice> {
    let stages = compiled.fragments().iter().flat_map(|fragment| &fragment.candidates.stages);
    let stages: Vec<&Stage> = stages.collect();
    let read_again = |part: &StagePart| match part.input {
        StageInput::Stage(number) => Some(number),
        StageInput::Source(_) => None,
    };
    let between: Vec<usize> = stages.iter().flat_map(|stage| stage.parts.iter().filter_map(read_again)).collect();
    let (&first, last) = (between.first()?, runs.last()?);
    let row_bytes = |number: &usize| Estimate::of(&stages[*number].kernel).write_bytes_per_row;
    let again = 2.0 * between.iter().map(row_bytes).sum::<f64>() * last.rows_in() as f64;
    let all = (last.bytes_read() + last.bytes_written()) as f64;
    let running = median(runs.iter().map(|one| one.time(Phase::Run)));
    let share = if all > 0.0 { (again / all).min(1.0) } else { return None };
    let text = format!(
        "rewrite the query as one stage: it has {} stages, because the steps after `{}` need its complete result; intermediate \
         results are {} of the {} that it reads and writes",
        stages.len(),
        stages[first].kernel.sink.name(),
        bytes((share * all) as u64),
        bytes(all as u64),
    );
    Some(Advice { kind: AdviceKind::FuseStages, text, gain: running.mul_f64(share) })
}

/// The median of the times or numbers, or 0 if there are none.
fn median<T: Copy + Default + PartialOrd>(values: impl Iterator<Item = T>) -> T {
    let mut sorted: Vec<T> = values.collect();
    sorted.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
