//! [`Ledger`]: the cost of choices: the time of all learned calls, against the best device of each as far as it is known.

use super::features::ARMS_MAX;

/// Sums over all calls that were learned from, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Calls.
    pub calls: u64,
    /// Their time.
    pub time: f64,
    /// Their time on the best device of each, as far as it is known.
    pub best: f64,
    /// The highest time of a call relative to its best device. Trials, moves and contended calls do not count.
    pub worst_ratio: f64,
    /// Trials of devices.
    pub trials: u64,
    /// The time of trials beyond the best device.
    pub trial_cost: f64,
    /// Calls that moved columns to a device.
    pub moves: u64,
    /// Calls beside other work: queries on the same device, compilers, calibration.
    pub contended: u64,
    /// Failed calls.
    pub failures: u64,
    /// Times that cannot be: not a number, negative, zero, or longer than eleven days.
    pub rejected: u64,
    /// Calls and time of each device.
    pub arms: [(u64, f64); ARMS_MAX],
}

impl Ledger {
    /// Counts a call on a device.
    pub(super) fn count(&mut self, arm: usize, time: f64, best: f64) {
        self.calls += 1;
        self.time += time;
        self.best += best.min(time);
        let (calls, total) = &mut self.arms[arm];
        (*calls, *total) = (*calls + 1, *total + time);
    }

    /// The time lost by choices, in nanoseconds.
    pub fn lost(&self) -> f64 {
        self.time - self.best
    }

    /// Σ best / Σ time; 1 if no call was learned from.
    pub fn share_of_best(&self) -> f64 {
        if self.time > 0.0 { self.best / self.time } else { 1.0 }
    }
}
