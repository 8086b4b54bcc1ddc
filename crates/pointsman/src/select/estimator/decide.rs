//! The decision for one kernel, input placement and size: which device comes first, and which other device is tried.
//!
//! The first device is the one with the best estimate; the last one stays while no other is better by more than
//! [`SWITCH_MARGIN`]. Another device is tried only if its lower bound allows it to win, and
//! - up to [`TRIALS`] times early, if a trial should cost no more than [`TRIAL_COST`] calls (one call if it copies columns
//!   that then stay, [`TRIAL_COST_RESIDENT`] if they are there), again at growing distances;
//! - at any time, if all trials so far have cost less than [`TRIAL_BUDGET`] of the time of all calls.
//!
//! So the loss per decision is at most that budget plus the early trials, and a device that has become faster is noticed
//! within [`TRIAL_DISTANCE_MAX`] calls, or as soon as the budget pays for a trial. If the first device's time changes by
//! more than [`CHANGED`], the early trials begin again: whatever changed it may have changed the others.

use super::Observation;
use super::decision_table::{Rank, RankReason};
use super::estimate::DeviceEstimate;
use super::features::{ARMS_MAX, Size};
use super::price::Prices;

/// Another device takes over if it should be faster by this part: less is noise.
const SWITCH_MARGIN: f64 = 0.05;
/// The early trials of a device: one cold run says little, and the median of three ignores one outlier.
const TRIALS: u32 = 3;
/// The early trials of a device with as many runs: they may be old, and memory and caches may have been cold.
const TRIALS_OF_KNOWN: u32 = 2;
/// The most that an early trial may cost beyond the best device, in calls on that device.
const TRIAL_COST: f64 = 3.0;
/// The same for a trial that copies owned columns: ski rental allows one call of loss.
const TRIAL_COST_COPYING: f64 = 1.0;
/// The same for a trial on a device that holds all owned columns: a copy was paid for, so a wrong guess must not waste it.
const TRIAL_COST_RESIDENT: f64 = 10.0;
/// A second and third trial need runs that took at most this many times the best device's time.
const TRIAL_AGAIN: [f64; 2] = [3.0, 1.5];
/// Trials beyond the early ones may take this part of the time of all calls.
const TRIAL_BUDGET: f64 = 0.02;
/// Calls between the trials of a device: the first distance, which doubles, and the greatest.
const TRIAL_DISTANCE: u64 = 4;
const TRIAL_DISTANCE_MAX: u64 = 200;
/// The early trials begin again when the first device takes this many times as long as when they last began, relative to
/// the model, or less than the inverse; but only after this many calls, which double each time, so that noise does not cause
/// trials.
const CHANGED: f64 = 1.3;
const CHANGED_CALLS_MIN: u64 = 16;
/// The first device must have this many runs before another is tried: the first run is cold.
const FIRST_RUNS_MIN: u32 = 2;
/// From this many runs on, only a sample of the calls is learned from: one in 2^3, and one in 2^5 of calls shorter than
/// `SHORT_CALL` nanoseconds, so that learning costs less than a tenth of their time.
const SETTLED_RUNS: u32 = 9;
const SETTLED_SHARE: u8 = 3;
const SETTLED_SHARE_SHORT: u8 = 5;
const SHORT_CALL: f64 = 20_000.0;

/// The state of one decision.
#[derive(Clone, Debug, Default)]
pub(crate) struct BucketChoice {
    /// Calls so far.
    pub(crate) calls: u64,
    /// Nanoseconds that they took.
    pub(crate) time: f64,
    /// Nanoseconds that trials took beyond the best device.
    pub(crate) trial_cost: f64,
    /// Whether the last run was observed because it was unusual.
    pub(crate) was_unusual: bool,
    /// The rows of the last call, for which the decision is made.
    pub(crate) rows: u64,
    /// The device that comes first.
    first: Option<usize>,
    /// The device of the last run.
    last_run: Option<usize>,
    trials: [Trials; ARMS_MAX],
    /// When the early trials last began.
    trials_began: Option<TrialsBegan>,
    /// What moving the call's owned columns to each device would gain.
    pub(crate) gains: [MoveGain; ARMS_MAX],
}

/// The state in which early trials began.
#[derive(Clone, Copy, Debug)]
struct TrialsBegan {
    /// The first device, and its time relative to the model.
    device: usize,
    factor: f64,
    call: u64,
    restarts: u32,
}

/// The trials of a device.
#[derive(Clone, Copy, Debug, Default)]
struct Trials {
    /// Trials that ran.
    count: u32,
    /// Trials that were published since they last began; some found no caller, or the device still compiled.
    published: u32,
    /// Trials that did not count, because other work ran beside them.
    contended: u32,
    /// The call from which on the next trial is allowed.
    next: u64,
}

/// What moving a call's owned columns to a device would gain, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MoveGain {
    /// Per call; 0 if the device would not be faster.
    pub(crate) gain: f64,
    /// The cost of the copy.
    pub(crate) price: f64,
}

impl BucketChoice {
    /// Counts a run, where the best device should take `best` nanoseconds. Returns whether it was the first one on its device
    /// after runs on others: such a run pays for cold caches and clocks.
    pub(crate) fn count(&mut self, run: &Observation, nanoseconds: f64, best: f64) -> bool {
        self.calls += u64::from(run.stands_for);
        self.time += nanoseconds * f64::from(run.stands_for);
        if run.reason == RankReason::Trial {
            self.trial_cost += (nanoseconds - best).max(0.0);
            let trials = &mut self.trials[run.arm];
            match run.is_contended && trials.contended < TRIALS {
                true => trials.contended += 1,
                false => trials.count += 1,
            }
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
        self.restart_trials(&first);
        let waiting = waiting_trial.filter(|&device| explores && device != first.device);
        let new = || if explores { self.trial(&first, estimates, size, prices) } else { None };
        let trial = waiting.or_else(new);
        if let (Some(device), None) = (trial, waiting) {
            let trials = &mut self.trials[device];
            trials.next = self.calls + (TRIAL_DISTANCE << trials.published.min(16)).min(TRIAL_DISTANCE_MAX);
            trials.published += 1;
        }
        let share = match first.runs >= SETTLED_RUNS {
            true if first.time < SHORT_CALL => SETTLED_SHARE_SHORT,
            true => SETTLED_SHARE,
            false => 0,
        };
        let mut order: Vec<&DeviceEstimate> = estimates.iter().collect();
        let cost = |one: &DeviceEstimate| if one.device == first.device { -1.0 } else { prices.cost(one) };
        order.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
        let may_move = self.gains.iter().any(|gain| gain.gain > 0.0);
        Rank::new(order.iter().map(|one| one.device), trial, share, may_move, first.time)
    }

    /// Lets the early trials begin again if the first device's time has changed.
    fn restart_trials(&mut self, first: &DeviceEstimate) {
        if first.runs < FIRST_RUNS_MIN {
            return;
        }
        let now = TrialsBegan { factor: first.factor, device: first.device, call: self.calls, restarts: 0 };
        let before = *self.trials_began.get_or_insert(now);
        let ratio = first.factor / before.factor;
        let has_changed = before.device == first.device && ratio.max(1.0 / ratio) > CHANGED;
        let is_late = self.calls >= before.call + (CHANGED_CALLS_MIN << before.restarts.min(16));
        if has_changed && is_late {
            self.trials = Default::default();
            self.trials_began = Some(TrialsBegan { restarts: before.restarts + 1, ..now });
        } else if before.device != first.device {
            self.trials_began = Some(TrialsBegan { restarts: before.restarts, ..now });
        }
    }

    /// The device that comes first: the last one, unless another is better by more than noise.
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

    /// The device to try in one of the next calls.
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
        let can_win = |one: &&DeviceEstimate| {
            // The lower bound is a time; where energy counts it is scaled like the estimate.
            let bound = one.lower_bound / one.time * prices.cost(one);
            one.device != first.device && bound < (1.0 - SWITCH_MARGIN) * prices.cost(first)
        };
        let others: Vec<&DeviceEstimate> = estimates.iter().filter(can_win).collect();
        // A device that never ran here is tried before others are tried again, or their trials would use up the budget.
        let has_unmeasured = others.iter().any(|one| one.runs == 0 && self.trials[one.device].published < 2 * TRIALS);
        let is_due = |one: &&&DeviceEstimate| {
            let budget = TRIAL_BUDGET * self.time - self.trial_cost;
            let is_paid = (one.time - first.time).max(0.0) <= budget && (one.runs == 0 || !has_unmeasured);
            self.calls >= self.trials[one.device].next && (is_paid || self.is_early_trial(first, one, size))
        };
        let hope = |one: &DeviceEstimate| prices.cost(one) * (-one.spread).exp();
        others.iter().filter(is_due).min_by(|a, b| hope(a).total_cmp(&hope(b))).map(|one| one.device)
    }

    /// Whether a device may be tried whatever the budget.
    fn is_early_trial(&self, first: &DeviceEstimate, other: &DeviceEstimate, size: Size) -> bool {
        let trials = self.trials[other.device].count;
        let has_columns = size.residency.missing(other.device) == 0.0;
        let most = match size.owned {
            true if has_columns => TRIAL_COST_RESIDENT,
            true => TRIAL_COST_COPYING,
            false => TRIAL_COST,
        };
        // Runs beside other work may have been slow because of it.
        let runs = if other.is_contended { other.runs.min(1) } else { other.runs };
        let time = match runs {
            // A guess may be too high as well as too low.
            0 => other.time * (-other.spread / 2.0).exp(),
            // A single run is not trusted if it is far slower than the model: it may have been disturbed.
            1 => other.time.min(other.unmeasured * other.unmeasured_spread.exp()),
            _ => other.time,
        };
        trials < TRIALS
            && match runs {
                0 => time - first.time <= most * first.time,
                runs @ 1..TRIALS => time <= TRIAL_AGAIN[runs as usize - 1] * first.time,
                _ => trials < TRIALS_OF_KNOWN && time <= TRIAL_AGAIN[0] * first.time,
            }
    }
}
