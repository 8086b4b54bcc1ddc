//! What runs taught beyond the profiles: for each kernel, device, size and residency the mean of ln(measured / model), and
//! what follows from it where nothing was measured.
//!
//! A prediction is the model's times e^c. Where a cell (kernel, device, half-octave, class of residency) was measured, c is
//! its mean (`cell.rs`), drawn a little towards what its neighbours say. Elsewhere it is what they say (`outline.rs`); and
//! for kernels that were never seen on a device it is what all of them together say.
//!
//! **Drift** (`drift.rs`): three residuals on end that are far off on one side, or many that are a little. One outlier is
//! neither. If it is true of one kernel, its cells on that
//! device are moved; if of several, the device's profile is: its runs, its copies or both, whatever explains the residuals
//! best. Cells that were measured before count as one sample from then on.

use super::cell::{Belief, CUT_DEVIATIONS, CUT_MIN, Cell, Correction, SPREAD_MIN};
use super::cells::{At, Cells};
use super::drift::{Drift, Move, Outliers, Residual, Residuals, Suspicion};
use super::fit::{Fit, Shares};
use super::outline::Outline;

/// The weight of the model beside the samples of a device's cell.
const MODEL_WEIGHT: f64 = 2.0;
/// A kernel moves what others are expected to take by no more than this.
const ODD_MAX: f64 = 0.5;
/// How many calls of a device after an unusual one are all told.
const WATCHED_CALLS: u32 = 8;
/// How much a first sample changes what is thought of predictions, how far off one counts at most, and the most that all do.
const DOUBT_STEP: f64 = 0.05;
const DOUBT_SAMPLE_MAX: f64 = 9.0;
pub(crate) const DOUBT_MAX: f64 = 9.0;
/// A device that was not measured for so many seconds is tried where that is cheap. After it was found to be another, sooner,
/// and then after twice as long each time: that may have been chance.
const UNSEEN_SECONDS: f64 = 60.0;
const UNSEEN_SECONDS_MOVED: f64 = 1.0;
/// For how many of its calls a device is suspected after a kernel was found to take longer there than it did, or less long.
const SUSPECTED_CALLS: u32 = 64;

/// What was learned of a device, whatever the kernel.
#[derive(Clone, Debug)]
pub(crate) struct ArmLessons {
    /// By class and half-octave, over all kernels.
    pub(crate) cells: Cells<Cell>,
    /// How far kernels are from what all of them together say.
    pub(crate) spread: f64,
    /// The deviation of one sample in a cell.
    pub(crate) noise: f64,
    /// How many times as far as was thought first samples are from what was expected, squared. Predictions that were never
    /// tried are as uncertain as those turned out to be.
    pub(crate) doubt: f64,
    /// How much longer runs take while others run there too, as a logarithm.
    pub(crate) load: f64,
    drift: Drift,
    outliers: Outliers,
    /// So many calls more all are told, to see whether an unusual one was alone.
    watched: u32,
    /// By how much a kernel was found to have moved there, and for how many calls more others may have, too.
    suspected: (f64, u32),
    /// When it was last measured, in seconds, and for how long that is enough.
    pub(crate) last: f64,
    seen_for: f64,
    /// How often its profile was found to be another.
    pub(crate) moves: u32,
}

/// The deviation of a sample until some are known.
const NOISE_START: f64 = 0.1;

impl ArmLessons {
    pub(crate) fn new(spread: f64) -> ArmLessons {
        let (cells, drift) = (Cells::default(), Drift::default());
        let (watched, suspected, outliers) = (0, (0.0, 0), Outliers::default());
        let (noise, doubt, load, moves) = (NOISE_START, 1.0, 0.0, 0);
        let (last, seen_for) = (0.0, UNSEEN_SECONDS);
        ArmLessons { cells, spread, noise, doubt, load, drift, outliers, watched, suspected, last, seen_for, moves }
    }

    /// What all kernels together say of a place: its cell, or else the nearest, drawn to the model.
    pub(crate) fn level(&self, at: At) -> f64 {
        let drawn = |cell: &Cell| (cell.count > 0.0).then(|| cell.mean * cell.count / (cell.count + MODEL_WEIGHT));
        let own = self.cells.get(at).and_then(drawn);
        own.unwrap_or_else(|| self.cells.beside(at, drawn).map_or(0.0, |beside| beside.value))
    }

    /// Whether it was not measured for so long that nobody knows what it is like now.
    pub(crate) fn is_unseen(&self, now: f64) -> bool {
        now - self.last > self.seen_for
    }

    /// It was measured now.
    fn see(&mut self, now: f64) {
        if self.is_unseen(now) {
            self.seen_for = (2.0 * self.seen_for).min(UNSEEN_SECONDS);
        }
        self.last = now;
    }

    /// A sample while others ran there too.
    pub(crate) fn crowded(&mut self, apart: f64) {
        self.load += 0.1 * (apart.clamp(-1.0, 3.0) - self.load);
    }

    /// Whether usual calls are to be told, too.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched > 0
    }

    /// Whether this is what a suspected device would give.
    fn suspicion(&self, residual: &Residual) -> Suspicion {
        let (by, calls) = self.suspected;
        if calls > 0 && residual.is_like(by) { Suspicion::Alike } else { Suspicion::None }
    }

    /// Another call there.
    fn watch(&mut self, residual: &Residual) {
        self.watched = match residual.is_far() {
            true if residual.weight < 1.0 => WATCHED_CALLS,
            true | false => self.watched.saturating_sub(1),
        };
        self.suspected.1 = self.suspected.1.saturating_sub(1);
        self.outliers.take(residual);
    }

    /// How far a sample was from what was expected, in a cell that was known, or at a place that was not.
    fn note(&mut self, apart: f64, is_known: bool) {
        if is_known {
            // A slow mean of squares, outliers cut.
            let square = apart.clamp(-CUT_MIN, CUT_MIN).powi(2);
            self.noise = (self.noise * self.noise + 0.02 * (square - self.noise * self.noise)).sqrt().max(SPREAD_MIN);
        } else {
            let (square, old) = (apart.clamp(-2.0, 2.0).powi(2), self.spread * self.spread);
            self.spread = (old + 0.05 * (square - old)).sqrt().clamp(0.05, 1.5);
        }
    }

    /// How far a first sample was from what was expected, and how far off that was thought to be; without the doubt that
    /// others had made.
    fn note_first(&mut self, apart: f64, thought: f64) -> f64 {
        let times = (apart / thought).powi(2);
        let before = self.doubt;
        if !times.is_nan() {
            let times = times.min(DOUBT_SAMPLE_MAX);
            self.doubt = (before * (1.0 + DOUBT_STEP * (times - 1.0))).clamp(1.0, DOUBT_MAX);
        }
        thought / before.sqrt()
    }

    /// Forgets how residuals stand, after the profile moved.
    fn settle(&mut self) {
        (self.drift, self.suspected) = (Drift::default(), (0.0, 0));
        self.moves += 1;
        self.seen_for = UNSEEN_SECONDS_MOVED;
        self.cells.iter_mut().for_each(|(_, cell)| cell.shift(0.0));
    }
}

/// What was learned of a kernel on a device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lessons {
    pub(crate) cells: Cells<Cell>,
    /// What they say of other sizes; `None` until that is asked.
    outline: Option<Outline>,
    /// Whether the cells are not what they were when that was found out.
    is_outdated: bool,
    /// Changes with what is to be expected where no sample was taken.
    version: u32,
    drift: Drift,
    /// The device's moves that these cells went along with.
    moves: u32,
}

/// A call that was learned from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) at: At,
    /// The kernel's key.
    pub(crate) key: u128,
    /// ln(measured / model).
    pub(crate) x: f64,
    /// What it was expected to be, and how uncertain that was.
    pub(crate) expected: (f64, f64),
    /// How many calls it stands for.
    pub(crate) weight: f64,
    /// The part of the model's time that is copies.
    pub(crate) copies: f64,
    /// Seconds of the selector's time.
    pub(crate) now: f64,
}

/// Whether a sample showed that a device is not what it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    None,
    /// This kernel's cells moved.
    Kernel,
    /// The device takes longer by this, for all kernels.
    Arm(Move),
}

impl Lessons {
    /// What was stored of a kernel on a device as it is now.
    pub(crate) fn stored(arm: &ArmLessons) -> Lessons {
        Lessons { moves: arm.moves, ..Lessons::default() }
    }

    /// Changes with what is to be expected where no sample was taken.
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// Whether the cells are to be fitted again.
    pub(crate) fn is_outdated(&self) -> bool {
        self.outline.is_none() || self.is_outdated
    }

    /// Goes along with the device's moves.
    pub(crate) fn follow(&mut self, arm: &ArmLessons) {
        if self.moves != arm.moves {
            self.moves = arm.moves;
            self.shift(0.0);
        }
    }

    fn shift(&mut self, by: f64) {
        self.drift = Drift::default();
        self.cells.iter_mut().for_each(|(_, cell)| cell.shift(by));
        self.unfit();
    }

    /// Neither the cells nor the model are what they were.
    pub(crate) fn unfit(&mut self) {
        self.outline = None;
        self.version += 1;
    }

    /// Forgets all of it.
    pub(crate) fn forget(&mut self) {
        *self = Lessons { version: self.version + 1, ..Lessons::default() };
    }

    /// Fits the cells again if they are not what they were; `shares` are the model's, by place. Whether they were not.
    pub(crate) fn refit(&mut self, arm: &ArmLessons, shares: impl Fn(At) -> Shares) -> bool {
        self.follow(arm);
        if self.cells.is_empty() || !self.is_outdated() {
            return false;
        }
        self.outline = Some(Outline::of(arm, &self.cells, self.outline.as_ref(), shares));
        self.is_outdated = false;
        self.version += 1;
        true
    }

    /// The correction at a place whose parts have these shares.
    pub(crate) fn correction(&self, arm: &ArmLessons, at: At, shares: Shares, now: f64) -> Correction {
        let (prior, spread) = match &self.outline {
            Some(outline) => outline.expect(arm, at, shares),
            None => {
                let (fitted, spread) = Fit::prior(arm.spread).expect(shares);
                (arm.level(at) + fitted, spread)
            }
        };
        let unmeasured = Correction { c: prior, spread: spread * arm.doubt.sqrt(), samples: 0.0, prior };
        self.measured(arm, at, prior, now).unwrap_or(unmeasured)
    }

    /// The same at a place that was measured, where this was expected but for that.
    pub(crate) fn measured(&self, arm: &ArmLessons, at: At, prior: f64, now: f64) -> Option<Correction> {
        let cell = self.cells.get(at).filter(|cell| cell.count > 0.0)?;
        Some(cell.correction(prior, arm.noise, now))
    }

    /// Takes in a sample.
    pub(crate) fn take(&mut self, arm: &mut ArmLessons, sample: Sample) -> Change {
        let Sample { at, key, x, weight, copies, now, .. } = sample;
        self.follow(arm);
        let cell = self.cells.at_or_new(at);
        // A cell that is known is told from its own mean: what its neighbours say is no drift.
        let is_known = cell.count >= 2.0;
        let (expected, mut uncertain) = if is_known { (cell.mean, 0.0) } else { sample.expected };
        let apart = x - expected;
        if is_known || cell.count == 0.0 {
            arm.note(apart, is_known);
        }
        if cell.count == 0.0 {
            uncertain = arm.note_first(apart, uncertain);
        }
        let belief = Belief::around(expected, CUT_DEVIATIONS * uncertain.hypot(arm.noise), arm.outliers.part());
        cell.take(x, (weight, belief), now);
        self.is_outdated |= self.outline.as_ref().is_none_or(|outline| !outline.has(at, cell));
        arm.see(now);
        if cell.count == 2.0 {
            // A kernel that is called often says no more about others, and an odd one says little.
            let (mean, level) = (cell.mean, arm.level(at));
            let odd = mean.clamp(level - ODD_MAX, level + ODD_MAX);
            arm.cells.at_or_new(at).take(odd, (1.0, Belief::ALL), now);
        }
        if is_known { self.drifted(arm, Residual { key, apart, weight, copies }) } else { Change::None }
    }

    /// What a residual shows, with those before it.
    fn drifted(&mut self, arm: &mut ArmLessons, residual: Residual) -> Change {
        let (suspicion, outliers) = (arm.suspicion(&residual), arm.outliers);
        arm.watch(&residual);
        let of_all = arm.drift.take(residual, outliers, Suspicion::None).filter(Residuals::are_of_several_kernels);
        let of_this = self.drift.take(residual, outliers, suspicion);
        of_all.iter().chain(&of_this).take(1).for_each(|residuals| arm.outliers.forgive(residuals));
        match (of_all, of_this) {
            (Some(residuals), _) => {
                arm.settle();
                self.follow(arm);
                Change::Arm(residuals.explained())
            }
            (None, Some(residuals)) => {
                let by = residuals.middle();
                self.shift(by);
                arm.suspected = (by, SUSPECTED_CALLS);
                Change::Kernel
            }
            (None, None) => Change::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Parts;
    use super::*;
    use crate::select::estimator::features::Class;

    /// What a device of a measured profile is expected to take that never ran a kernel, and first samples of as many kernels
    /// that were each so many deviations off.
    fn spread_after(deviations: &[f64]) -> f64 {
        let (mut arm, shares) = (ArmLessons::new(0.3), Shares::of(&Parts { run: 1.0, ..Parts::default() }));
        let at = (Class::Pageable, 40);
        for (key, off) in (1..).zip(deviations) {
            let thought = Lessons::default().correction(&arm, at, shares, 0.0);
            let expected = (thought.c, thought.spread);
            let x = thought.c + off * thought.spread;
            let sample = Sample { at, key, x, expected, weight: 1.0, copies: 0.0, now: 0.0 };
            // Each is the kernel's first; how far kernels are from each other is another matter.
            Lessons::default().take(&mut arm, sample);
            arm.spread = 0.3;
        }
        Lessons::default().correction(&arm, at, shares, 0.0).spread
    }

    #[test]
    fn predictions_are_as_uncertain_as_they_turned_out_to_be() {
        let thought = spread_after(&[]);
        assert_eq!(spread_after(&[0.5; 20]), thought, "they are no better than was thought");
        let after = spread_after(&[2.0; 20]);
        assert!(after > 2.0 * thought && after <= 3.0 * thought, "{after} of {thought}");
        let back = spread_after(&[[2.0; 20], [0.1; 20]].concat());
        assert!(back < 0.8 * after, "{back} after {after}");
        assert!(spread_after(&[1e6; 99]) <= 3.001 * thought);
        assert_eq!(spread_after(&[f64::NAN]), thought, "what is no number says nothing");
    }

    #[test]
    fn a_device_that_moved_is_looked_at_again_soon_and_then_less_often() {
        let mut arm = ArmLessons::new(0.3);
        assert!(!arm.is_unseen(59.0) && arm.is_unseen(61.0));
        arm.settle();
        let mut now = 0.0;
        for wait in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0] {
            assert!(!arm.is_unseen(now + wait) && arm.is_unseen(now + wait + 0.1), "{wait} s");
            now += wait + 0.1;
            arm.see(now);
        }
    }
}
