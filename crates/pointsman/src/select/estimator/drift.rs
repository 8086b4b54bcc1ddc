//! Whether a device is still what it was: residuals ln(measured / predicted) go in, and, if they stay on one side, what moved
//! comes out.

use std::collections::VecDeque;

/// Residuals below this are no drift.
const DRIFT_IGNORED: f64 = 0.08;
/// One residual counts as at most this.
const DRIFT_STEP_MAX: f64 = 0.4;
/// The sum at which it is one.
const DRIFT_SUM: f64 = 2.5;
/// A residual beyond this is an outlier, or a drift.
const FAR: f64 = 0.7;
/// The part of a drift's residuals that are beyond it, at least; and the part that are otherwise, before that is known and at
/// the least.
const FAR_PART: f64 = 0.5;
const OUTLIERS_START: f64 = 0.03;
const OUTLIERS_MIN: f64 = 0.01;
/// The weight of a residual beside all before it that tell how many are outliers.
const OUTLIERS_WEIGHT: f64 = 0.01;
/// The sum of what those beyond say for a drift, and those within against it (logarithms of likelihoods; Wald 1945, Page 1954)
/// at which it is one: three on end where outliers are rare, more where they are not.
const FAR_SUM: f64 = 9.5;
/// Beyond this more is to be said, so many times as much: hardly anything is so much slower all at once.
const VERY_FAR: f64 = 3.0;
const VERY_FAR_TIMES: f64 = 1.4;
/// What is said already for one that was found in another kernel on the same device: one beyond is enough where outliers are rare.
const SUSPECTED: f64 = 5.7;
/// How many of the last residuals tell how large it is.
const DRIFT_RECENT: usize = 5;
/// Both runs and copies are taken to be slower only if that explains residuals so much better than one of them.
const BOTH_BETTER: f64 = 0.7;
/// Residuals that a drift leaves unexplained by more than this, on average, tell of none.
const DISAGREE_MAX: f64 = 0.35;
/// A part of a prediction below this tells nothing about what that part takes.
const PART_MIN: f64 = 0.05;

/// How far one prediction was off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Residual {
    /// The kernel's key.
    pub(crate) key: u128,
    /// ln(measured / predicted).
    pub(crate) apart: f64,
    /// How many calls it stands for: less than one if it was told because it was far off, where others were not.
    pub(crate) weight: f64,
    /// The part of the prediction that is copies.
    pub(crate) copies: f64,
}

impl Residual {
    /// Whether it is so far off that it is an outlier, or a drift.
    pub(crate) fn is_far(&self) -> bool {
        self.apart.abs() > FAR
    }

    /// Whether it may come of this change: one as large, about.
    pub(crate) fn is_like(&self, by: f64) -> bool {
        (self.apart - by).abs() <= FAR
    }

    /// How much it says, 1 at most: where usual calls are told seldom, outliers are less of a surprise.
    fn evidence(&self) -> f64 {
        (1.0 + 99.0 * self.weight).ln() / 100f64.ln()
    }
}

/// How much longer a device takes than it did, as logarithms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Move {
    /// For launches and runs.
    pub(crate) runs: f64,
    /// For copies.
    pub(crate) copies: f64,
}

/// How often residuals are far off although nothing changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outliers(f64);

impl Default for Outliers {
    fn default() -> Outliers {
        Outliers(OUTLIERS_START)
    }
}

impl Outliers {
    /// Takes in a residual.
    pub(crate) fn take(&mut self, residual: &Residual) {
        let far = f64::from(u8::from(residual.is_far()));
        self.0 = (self.0 + OUTLIERS_WEIGHT * residual.weight * (far - self.0)).clamp(OUTLIERS_MIN, FAR_PART);
    }

    /// These were none: something changed.
    pub(crate) fn forgive(&mut self, residuals: &Residuals) {
        self.0 = (self.0 - OUTLIERS_WEIGHT * residuals.0.len() as f64).max(OUTLIERS_MIN);
    }

    /// The part of all residuals.
    pub(crate) fn part(self) -> f64 {
        self.0
    }

    /// What a residual beyond says for a drift.
    fn far_says(self) -> f64 {
        (FAR_PART / self.0).ln()
    }

    /// What one within says for it: something below zero.
    fn near_says(self) -> f64 {
        ((1.0 - FAR_PART) / (1.0 - self.0)).ln()
    }
}

/// Whether others on the same device drifted a short while ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suspicion {
    None,
    /// In the way of this residual.
    Alike,
}

/// A sum of residuals on each side, and the last of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drift {
    up: f64,
    down: f64,
    /// What those that were far off say for a drift.
    far_up: f64,
    far_down: f64,
    recent: VecDeque<Residual>,
}

impl Drift {
    /// Takes in a residual; gives those that show a drift.
    pub(crate) fn take(&mut self, residual: Residual, outliers: Outliers, suspicion: Suspicion) -> Option<Residuals> {
        let evidence = residual.evidence();
        let step = evidence * residual.apart.clamp(-DRIFT_STEP_MAX, DRIFT_STEP_MAX);
        self.up = (self.up + step - DRIFT_IGNORED).max(0.0);
        self.down = (self.down - step - DRIFT_IGNORED).max(0.0);
        let says = |is_far: bool| if is_far { outliers.far_says() * evidence } else { outliers.near_says() };
        self.far_up = (self.far_up + says(residual.apart > FAR)).max(0.0);
        self.far_down = (self.far_down + says(residual.apart < -FAR)).max(0.0);
        if self.recent.len() == DRIFT_RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(residual);
        let said_before = match suspicion {
            Suspicion::None => 0.0,
            Suspicion::Alike => SUSPECTED,
        };
        let needed = if residual.apart.abs() > VERY_FAR { VERY_FAR_TIMES * FAR_SUM } else { FAR_SUM };
        let is_far = residual.is_far() && self.far_up.max(self.far_down) + said_before >= needed;
        let is_steady = self.up.max(self.down) >= DRIFT_SUM && self.recent.len() == DRIFT_RECENT;
        if !is_far && !is_steady {
            return None;
        }
        // A few outliers are no drift, wherever they lie; and what came before the first of those far off is of no matter.
        let before = |one: &&Residual| is_far && !(one.is_far() && (one.apart > 0.0) == (self.far_up > self.far_down));
        let found = Residuals(self.recent.iter().skip_while(before).copied().collect());
        found.agree().then(|| {
            *self = Drift::default();
            found
        })
    }
}

/// Residuals that show a drift.
pub(crate) struct Residuals(Vec<Residual>);

impl Residuals {
    /// Whether they tell of one and the same change.
    fn agree(&self) -> bool {
        self.left(self.explained()) <= DISAGREE_MAX * self.0.len() as f64
    }

    /// Whether it is not one kernel that changed.
    pub(crate) fn are_of_several_kernels(&self) -> bool {
        self.0.iter().any(|one| one.key != self.0[0].key)
    }

    /// How far they are off, in the middle.
    pub(crate) fn middle(&self) -> f64 {
        median(self.0.iter().map(|one| one.apart)).unwrap_or(0.0)
    }

    /// What moved: runs, copies, or both by the same. What is not seen to move does not.
    pub(crate) fn explained(&self) -> Move {
        let both = self.middle();
        let one = |part: fn(&Residual) -> f64| {
            // (1 − part) + part · e^m = e^apart
            let alone = |one: &Residual| {
                let factor = (one.apart.exp() - (1.0 - part(one))) / part(one);
                (part(one) > PART_MIN && factor > 0.0).then(|| factor.ln())
            };
            median(self.0.iter().filter_map(alone))
        };
        let runs = one(|one| 1.0 - one.copies).map(|runs| Move { runs, copies: 0.0 });
        let copies = one(|one| one.copies).map(|copies| Move { runs: 0.0, copies });
        let alone = [runs, copies].into_iter().flatten();
        let best = alone.min_by(|a, b| self.left(*a).total_cmp(&self.left(*b)));
        let both = Move { runs: both, copies: both };
        best.filter(|best| self.left(*best) * BOTH_BETTER <= self.left(both)).unwrap_or(both)
    }

    /// What a move leaves unexplained.
    fn left(&self, by: Move) -> f64 {
        let unexplained = |one: &Residual| {
            let explained = (1.0 - one.copies) * by.runs.exp() + one.copies * by.copies.exp();
            (one.apart - explained.ln()).abs()
        };
        self.0.iter().map(unexplained).sum()
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drift(residuals: &[(u128, f64, f64)]) -> Option<Residuals> {
        let mut drift = Drift::default();
        residuals.iter().fold(None, |found, &(key, apart, copies)| {
            found.or(drift.take(Residual { key, apart, weight: 1.0, copies }, Outliers(OUTLIERS_MIN), Suspicion::None))
        })
    }

    #[test]
    fn outliers_are_no_drift() {
        let mut calls = vec![(1, 0.0, 0.0); 50];
        for at in [3, 10, 11, 17, 30] {
            calls[at].1 = 3.0;
        }
        assert!(drift(&calls).is_none());
        assert!(drift(&[(1, 3.0, 0.0), (2, 3.0, 0.0)]).is_none());
        assert!(drift(&[(1, 3.0, 0.0), (2, 3.0, 0.0), (3, 3.0, 0.0), (3, 3.0, 0.0)]).is_some());
        assert!(drift(&[(1, -3.0, 0.0), (2, 3.0, 0.0), (3, -3.0, 0.0)]).is_none());
    }

    #[test]
    fn the_unlikely_needs_more_of_them() {
        let three = |apart: f64| drift(&[(1, apart, 0.0), (2, apart, 0.0), (3, apart, 0.0)]).is_some();
        assert!(three(2.3) && !three(6.9) && !three(-6.9));
        assert!(drift(&[(1, 6.9, 0.0), (2, 6.9, 0.0), (3, 6.9, 0.0), (4, 6.9, 0.0)]).is_some());
    }

    #[test]
    fn where_outliers_are_frequent_more_of_them_are_needed() {
        let needed = |outliers: Outliers, suspicion: Suspicion| {
            let mut drift = Drift::default();
            let far = Residual { key: 1, apart: 3.0, weight: 1.0, copies: 0.0 };
            (1..50).find(|_| drift.take(far, outliers, suspicion).is_some())
        };
        let mut outliers = Outliers::default();
        assert_eq!(needed(outliers, Suspicion::None), Some(4), "nobody knows yet");
        let calls = |outliers: &mut Outliers, every: usize| {
            for call in 0..1000 {
                let apart = if call % every == 0 { 3.0 } else { 0.0 };
                outliers.take(&Residual { key: 1, apart, weight: 1.0, copies: 0.0 });
            }
        };
        calls(&mut outliers, 200);
        assert_eq!((needed(outliers, Suspicion::None), needed(outliers, Suspicion::Alike)), (Some(3), Some(1)));
        calls(&mut outliers, 10);
        assert_eq!((needed(outliers, Suspicion::None), needed(outliers, Suspicion::Alike)), (Some(6), Some(3)));
    }

    #[test]
    fn small_ones_add_up() {
        assert!(drift(&[(1, 0.3, 0.0); 10]).is_none());
        let found = drift(&[(1, 0.3, 0.0); 14]).expect("fourteen times a third slower");
        assert!(!found.are_of_several_kernels() && (found.middle() - 0.3).abs() < 1e-9);
    }

    #[test]
    fn the_part_that_moved_is_found() {
        let check = |calls: [(f64, f64); 3], runs: f64, copies: f64| {
            let residuals = calls.map(|(apart, copies)| Residual { key: 0, apart, weight: 1.0, copies });
            let found = Residuals(residuals.to_vec()).explained();
            assert!((found.runs - runs).abs() < 0.01 && (found.copies - copies).abs() < 0.01, "{found:?}");
        };
        let ten = 10f64.ln();
        // Runs alone: the more of a call is copies, the less it changed.
        check([(ten, 0.0), (5.5f64.ln(), 0.5), (1.9f64.ln(), 0.9)], ten, 0.0);
        check([(ten, 1.0), (5.5f64.ln(), 0.5), (1.9f64.ln(), 0.1)], 0.0, ten);
        check([(ten, 0.0), (ten, 0.5), (ten, 0.9)], ten, ten);
        // Nothing is known of copies.
        check([(ten, 0.0); 3], ten, 0.0);
    }
}
