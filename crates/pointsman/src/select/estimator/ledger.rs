//! [`Ledger`]: what choices cost. For each call what it took, what the best device known would have taken, and what was spent
//! on learning.

use super::features::ARMS_MAX;

/// The part of all time that calls may take which explore.
const EXPLORING_PART: f64 = 0.009;
/// One exploration may take this part of what is left of that.
const EXPLORING_STEP: f64 = 0.25;

/// A call that takes more than so many times as long as it should met with an accident, which is no price of exploring and
/// buys none.
const ACCIDENT: f64 = 100.0;

/// Sums over all calls that were learned from, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Calls.
    pub calls: u64,
    /// What they took.
    pub time: f64,
    /// What they would have taken on the fastest device each, as far as that is known.
    pub best: f64,
    /// The most that a call took, as a multiple of that; explorations and contended calls are not counted.
    pub worst_ratio: f64,
    /// Explorations.
    pub explorations: u64,
    /// What they took, accidents cut.
    pub explored: f64,
    /// What they took more than the first choice would have.
    pub exploring: f64,
    /// What all calls took, accidents cut: exploring may take a part of that.
    pub undisturbed: f64,
    /// Calls while others ran on the same device.
    pub contended: u64,
    /// Failed calls.
    pub failures: u64,
    /// Times that could not be: no numbers, negative, zero, or longer than eleven days.
    pub rejected: u64,
    /// How often a device was found to be faster or slower than it was.
    pub drifts: u64,
    /// Calls and time of each device.
    pub arms: [(u64, f64); ARMS_MAX],
}

impl Ledger {
    /// Takes in a call on a device; `best` is what the fastest should take.
    pub(crate) fn take(&mut self, arm: usize, took: f64, best: f64, explored: bool) {
        self.calls += 1;
        self.time += took;
        self.best += best.min(took);
        let undisturbed = took.min(ACCIDENT * best);
        self.undisturbed += undisturbed;
        let (calls, time) = &mut self.arms[arm];
        *calls += 1;
        *time += took;
        if explored {
            self.explorations += 1;
            self.explored += undisturbed;
            self.exploring += (undisturbed - best).max(0.0);
        } else {
            self.worst_ratio = self.worst_ratio.max(took / best.max(f64::MIN_POSITIVE));
        }
    }

    /// Takes in an exploration that others were in the way of: it says nothing, but it was made.
    pub(crate) fn explored_in_company(&mut self, took: f64, best: f64) {
        self.explored += took.min(ACCIDENT * best);
    }

    /// Whether an exploration that should take so long may be made.
    pub(crate) fn may_explore(&self, time: f64) -> bool {
        time <= EXPLORING_STEP * self.left_to_explore()
    }

    /// How long explorations may take altogether that are still to be made.
    pub(crate) fn left_to_explore(&self) -> f64 {
        EXPLORING_PART * self.undisturbed - self.explored
    }

    /// What was lost by choices, in nanoseconds.
    pub fn lost(&self) -> f64 {
        self.time - self.best
    }

    /// Σ best / Σ taken, 1 if nothing was.
    pub fn share_of_best(&self) -> f64 {
        if self.time > 0.0 { self.best / self.time } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exploring_is_bought_with_what_other_calls_took() {
        let mut ledger = Ledger::default();
        assert!(!ledger.may_explore(1.0), "nothing ran yet");
        (0..1000).for_each(|_| ledger.take(0, 1e6, 1e6, false));
        assert!(ledger.may_explore(1e6) && !ledger.may_explore(1e7), "a call of a thousandth, and one of a hundredth");
        while ledger.may_explore(1e5) {
            ledger.take(1, 1e5, 1e4, true);
        }
        assert!(ledger.explored > 0.005 * ledger.time && ledger.explored < 0.01 * ledger.time, "{ledger:?}");
        let explored = ledger.explorations as f64;
        assert!((ledger.exploring - explored * 9e4).abs() < 1.0, "what they took more than the best: {ledger:?}");
    }
}
