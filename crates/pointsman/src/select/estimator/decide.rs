//! The decision for one kernel, input placement and size: which device comes first, and which other device is tried.
//!
//! The first device is the one with the best estimate; the current one stays while no other is better by more than
//! [`SWITCH_MARGIN`]. Another device is tried if it could be faster and its trial is paid for, at intervals that double
//! up to [`TRIAL_DISTANCE_MAX`] calls:
//! - a device that may well be faster (it never ran here, or its few runs do not exclude it) has a credit of
//!   [`TRIAL_CREDIT`] calls;
//! - any other device is tried if all trials, including this one, should cost at most [`TRIAL_BUDGET`] of the time of
//!   all calls.
//!
//! So the loss per decision is at most that budget, a credit for each other device, and the margin. A device that has
//! become faster is noticed within [`TRIAL_DISTANCE_MAX`] calls if the budget pays for a trial by then, otherwise once
//! it does.

use super::Observation;
use super::decision_table::{Rank, RankReason};
use super::estimate::DeviceEstimate;
use super::features::{ARMS_MAX, Size};
use super::move_accounts::MoveGain;
use super::price::Prices;
use std::cmp::Ordering::Equal;

/// Another device replaces the first one if it should be faster by this fraction. A smaller difference may be noise.
const SWITCH_MARGIN: f64 = 0.05;
/// The maximum cost of a device's early trials beyond the best device, in calls on the best device. Two calls are an
/// eighth of 15 calls.
const TRIAL_CREDIT: f64 = 2.0;
/// The credit of a trial that copies owned columns to the device, in calls. The ski-rental bound allows the loss of one
/// call.
const TRIAL_CREDIT_COPYING: f64 = 1.0;
/// The credit of a device that holds all owned columns, in calls. Their copy was paid for, and a wrong guess must not
/// waste it.
const TRIAL_CREDIT_RESIDENT: f64 = 10.0;
/// A device may well be faster if its time, less this many standard deviations, would win.
const DEVIATIONS: f64 = 2.0;
/// A trial without credit is allowed while all trials, those on credit included, cost at most this part of the time of
/// all calls.
const TRIAL_BUDGET: f64 = 0.02;
/// Calls between the trials of a device: the first distance, which doubles, and the greatest.
const TRIAL_DISTANCE: u64 = 4;
const TRIAL_DISTANCE_MAX: u64 = 200;
/// The first device must have this many runs before another is tried, because the first run is cold.
const FIRST_RUNS_MIN: u32 = 2;
/// From this many runs on, only a sample of the calls is learned from: one in 2^3, and one in 2^5 of calls shorter than
/// `SHORT_CALL` nanoseconds, so that learning costs less than a tenth of their time.
const SETTLED_RUNS: u32 = 9;
const SETTLED_SAMPLING_LOG2: u8 = 3;
const SETTLED_SAMPLING_LOG2_SHORT: u8 = 5;
const SHORT_CALL: f64 = 20_000.0;

/// The state of one decision.
#[derive(Clone, Debug, Default)]
pub(crate) struct BucketChoice {
    /// Calls so far.
    pub(crate) calls: u64,
    /// Nanoseconds that they took.
    pub(crate) time: f64,
    /// Whether the last run was observed because it was unusual.
    pub(crate) was_unusual: bool,
    /// The rows of the last call, for which the decision is made.
    pub(crate) rows: u64,
    /// The device that comes first.
    first: Option<usize>,
    /// The device of the last run.
    last_run: Option<usize>,
    trials: [Trials; ARMS_MAX],
    /// The gain of moving the call's owned columns to each device.
    pub(crate) gains: [MoveGain; ARMS_MAX],
}

/// The trials of a device.
#[derive(Clone, Copy, Debug, Default)]
struct Trials {
    /// Trials that were published; some found no caller, or the device was still compiling.
    published: u32,
    /// The number of the first call at which another trial is allowed.
    next: u64,
    /// Nanoseconds that trials took beyond the best device.
    cost: f64,
}

impl BucketChoice {
    /// Counts a run, where the best device should take `best` nanoseconds. Returns whether it was the first one on its
    /// device after runs on others: such a run pays for cold caches and clocks.
    pub(crate) fn count(&mut self, run: &Observation, nanoseconds: f64, best: f64) -> bool {
        self.calls += u64::from(run.stands_for);
        self.time += nanoseconds * f64::from(run.stands_for);
        if run.reason == RankReason::Trial {
            self.trials[run.arm].cost += (nanoseconds - best).max(0.0);
        }
        self.last_run.replace(run.arm).is_some_and(|last| last != run.arm)
    }

    /// Forgets all runs.
    pub(crate) fn forget(&mut self) {
        *self = BucketChoice { rows: self.rows, ..BucketChoice::default() };
    }

    /// Decides for calls of this size. `waiting_trial`: the published trial that no caller has taken yet.
    pub(crate) fn decide(
        &mut self,
        estimates: &[DeviceEstimate],
        size: Size,
        prices: &Prices,
        explores: bool,
        waiting_trial: Option<usize>,
    ) -> Rank {
        let first = self.choose(estimates, prices);
        self.first = Some(first.device);
        let waiting = waiting_trial.filter(|&device| explores && device != first.device);
        let new = || if explores { self.trial(&first, estimates, size, prices) } else { None };
        let trial = waiting.or_else(new);
        if let (Some(device), None) = (trial, waiting) {
            let trials = &mut self.trials[device];
            trials.next = self.calls + (TRIAL_DISTANCE << trials.published.min(16)).min(TRIAL_DISTANCE_MAX);
            trials.published += 1;
        }
        let sampling_log2 = match first.runs >= SETTLED_RUNS {
            true if first.time < SHORT_CALL => SETTLED_SAMPLING_LOG2_SHORT,
            true => SETTLED_SAMPLING_LOG2,
            false => 0,
        };
        let mut order: Vec<&DeviceEstimate> = estimates.iter().collect();
        let cost = |one: &DeviceEstimate| if one.device == first.device { -1.0 } else { prices.cost(one) };
        order.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
        let may_move = self.gains.iter().any(|gain| gain.gain > 0.0);
        Rank::new(order.iter().map(|one| one.device), trial, sampling_log2, may_move, first.time)
    }

    /// The device that comes first: the current one, unless another is better by more than [`SWITCH_MARGIN`].
    fn choose(&self, estimates: &[DeviceEstimate], prices: &Prices) -> DeviceEstimate {
        let best = prices.best(estimates);
        let last = estimates.iter().find(|one| Some(one.device) == self.first && prices.compares(one.device));
        match (best, last) {
            (Some(best), Some(last)) if prices.cost(last) > (1.0 + SWITCH_MARGIN) * prices.cost(best) => *best,
            (_, Some(last)) => *last,
            (Some(best), None) => *best,
            // A kernel of another selector, whose devices this one does not have.
            (None, None) => DeviceEstimate { time: f64::MAX, ..DeviceEstimate::default() },
        }
    }

    /// The device to try in one of the next calls: of those that are due, the one that was tried least often.
    fn trial(
        &self,
        first: &DeviceEstimate,
        estimates: &[DeviceEstimate],
        size: Size,
        prices: &Prices,
    ) -> Option<usize> {
        if first.runs < FIRST_RUNS_MIN {
            return None;
        }
        let budget = TRIAL_BUDGET * self.time - self.trials.iter().map(|trials| trials.cost).sum::<f64>();
        let is_due = |one: &&DeviceEstimate| {
            let Trials { next, cost, .. } = self.trials[one.device];
            // Where energy counts, times are scaled like the estimate.
            let wins = |time: f64| time / one.time * prices.cost(one) < (1.0 - SWITCH_MARGIN) * prices.cost(first);
            // A guess may be too high as well as too low, and disturbed runs show only an upper bound.
            let (expected, may_win) = match one.has_clean_runs {
                false => (one.next * (-one.spread / 2.0).exp(), true),
                true => (one.next, wins(one.next * (-DEVIATIONS * one.spread).exp())),
            };
            let credit = if may_win { credit(one, size) * first.time - cost } else { 0.0 };
            let is_other = one.device != first.device && self.calls >= next;
            is_other && wins(one.lower_bound) && (expected - first.time).max(0.0) <= credit.max(budget)
        };
        let order = |one: &DeviceEstimate| (self.trials[one.device].published, one.time);
        let due = estimates.iter().filter(is_due).min_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(Equal))?;
        Some(due.device)
    }
}

/// The credit of a device's trials, in calls on the best device.
fn credit(one: &DeviceEstimate, size: Size) -> f64 {
    match size.owned {
        true if size.residency.missing(one.device) == 0.0 => TRIAL_CREDIT_RESIDENT,
        true if one.parts.transfer > 0.0 => TRIAL_CREDIT_COPYING,
        // A device that works in host memory copies nothing.
        true | false => TRIAL_CREDIT,
    }
}
