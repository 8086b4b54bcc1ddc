//! What runs taught beyond the profiles: for each kernel, device, size and residency the mean of ln(measured / model), and
//! what follows from it where nothing was measured.
//!
//! A prediction is the model's times e^c. Where a cell (kernel, device, half-octave, class of residency) was measured, c is
//! its mean, drawn a little towards what its neighbours say. Elsewhere it is what factors of the launch, the copies and the
//! run say that fit the kernel's cells (`fit.rs`), plus what that leaves unexplained in the cells beside it; and for kernels
//! that were never seen on a device it is what all of them together say. Single outliers are cut (winsorised), and a first
//! sample that nobody would have believed is not, until another says the same.
//!
//! **Drift** (`drift.rs`): three residuals on end that are far off on one side, or many that are a little. One outlier is
//! neither. If it is true of one kernel, its cells on that
//! device are moved; if of several, the device's profile is: its runs, its copies or both, whatever explains the residuals
//! best. Cells that were measured before count as one sample from then on.

use super::drift::{Drift, Move, Residual, Residuals};
use super::features::{ARMS_MAX, BUCKETS, Class};
use super::fit::{Fit, Point, Shares};
use std::collections::BTreeMap;

/// Samples of a cell count as at most so many, so that later ones keep their weight.
pub(crate) const COUNT_MAX: f64 = 32.0;
/// The most that a sample may be off, in standard deviations, and at least, as a logarithm.
const CUT_DEVIATIONS: f64 = 3.0;
const CUT_MIN: f64 = 0.3;
/// The most variance that doubt about one sample makes.
const DOUBT_MAX: f64 = 1.0;
const ALL_BELIEVED: (f64, f64) = (f64::MIN, f64::MAX);
/// Two first samples that differ by more than this cannot both be right.
const FIRST_APART: f64 = 0.5;
/// The weight of what neighbours say beside the samples of a cell.
const NEIGHBOUR_WEIGHT: f64 = 0.5;
/// The weight of the model beside the samples of a device's cell.
const MODEL_WEIGHT: f64 = 2.0;
/// A kernel moves what others are expected to take by no more than this.
const ODD_MAX: f64 = 0.5;
/// What a prediction is uncertain by for each half-octave to the next measured cell, and at most.
const SPREAD_PER_STEP: f64 = 0.04;
const SPREAD_FAR: f64 = 0.15;
/// After so many half-octaves half of what the fit leaves unexplained in a cell is still true.
const UNEXPLAINED_HALF: f64 = 4.0;
/// From so many samples on a cell does not change what is expected elsewhere.
const FITTED_SAMPLES: f64 = 8.0;
/// The least uncertainty of a mean.
const SPREAD_MIN: f64 = 0.01;
/// What a minute adds to the variance of a cell that was not measured meanwhile.
const VARIANCE_PER_MINUTE: f64 = 0.01;
/// How many calls after an unusual one are all told.
const WATCHED_CALLS: u32 = 8;

/// Where a sample was taken: how the input lay, and the half-octave of its rows.
pub(crate) type At = (Class, u8);

/// What was measured at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// Samples, at most 32.
    pub count: f64,
    /// Their mean of ln(measured / model), later ones with more weight.
    pub mean: f64,
    /// Their variance.
    pub variance: f64,
    /// Of a single sample what it said, where that was not believed.
    pub other: f64,
    /// Samples since they were last stored.
    pub fresh: f64,
    /// The mean of those, outliers cut.
    pub fresh_mean: f64,
    /// Whether these replace what is stored, and are not added to it: the device is not what it was.
    pub renewed: bool,
    /// When the last one was taken, in seconds of the selector's time.
    pub last: f64,
}

impl Cell {
    /// Takes in a sample of so much weight. A first one outside of what is believable counts as the nearest that is, until
    /// another says the same.
    fn take(&mut self, x: f64, (weight, believable): (f64, (f64, f64)), now: f64) {
        self.last = now;
        if self.count == 0.0 {
            (self.count, self.mean, self.variance) = (1.0, x.clamp(believable.0, believable.1), 0.0);
            (self.other, self.fresh, self.fresh_mean) = (x, 1.0, self.mean);
        } else if self.count == 1.0 && (self.other - self.mean).abs().max((x - self.mean).abs()) > FIRST_APART {
            self.take_second(x);
            (self.fresh, self.fresh_mean, self.renewed) = (self.count, self.mean, true);
        } else {
            self.count = (self.count + if self.count < 2.0 { 1.0 } else { weight }).min(COUNT_MAX);
            let cut = (CUT_DEVIATIONS * self.variance.sqrt()).max(CUT_MIN);
            let apart = (x - self.mean).clamp(-cut, cut);
            self.fresh += weight;
            self.fresh_mean += (self.mean + apart - self.fresh_mean) * weight / self.fresh;
            let weight = weight / self.count;
            self.mean += weight * apart;
            self.variance += weight * (apart * apart * (1.0 - weight) - self.variance);
            self.other = self.mean;
        }
    }

    /// A sample beside one that is doubted: it says the same, or as much as was believed, or else the middle of all three
    /// counts until the next.
    fn take_second(&mut self, x: f64) {
        let near = [self.other, self.mean].into_iter().find(|one| (x - one).abs() <= FIRST_APART);
        if let Some(near) = near {
            (self.count, self.mean, self.variance) = (2.0, (x + near) / 2.0, 0.0);
            self.other = self.mean;
            return;
        }
        let mut all = [self.mean, self.other, x];
        all.sort_by(f64::total_cmp);
        (self.mean, self.other) = (all[1], x);
    }

    /// The same on a device that takes longer by this.
    pub(crate) fn shift(&mut self, by: f64) {
        self.mean += by;
        // Still known, so that what follows can show that this went too far.
        self.count = self.count.min(2.0);
        (self.variance, self.other) = (0.0, self.mean);
        (self.fresh, self.fresh_mean, self.renewed) = (0.0, 0.0, true);
    }

    /// These samples, and so many others with this mean.
    pub(crate) fn with(&self, count: f64, mean: f64) -> Cell {
        let (total, apart) = (self.count + count, mean - self.mean);
        if count <= 0.0 {
            return *self;
        }
        if self.count <= 0.0 {
            return Cell { count: count.min(COUNT_MAX), mean, variance: 0.0, other: mean, ..*self };
        }
        if total <= 2.0 && apart.abs() > FIRST_APART {
            let low = self.mean.min(mean);
            return Cell { count: 1.0, mean: low, variance: 0.0, other: low, ..*self };
        }
        // Chan, Golub, LeVeque 1979, with the variance of the one sample for both.
        let variance = self.variance + apart * apart * self.count * count / (total * total);
        let mean = self.mean + apart * count / total;
        Cell { count: total.min(COUNT_MAX), mean, variance, other: mean, ..*self }
    }

    /// Its mean, drawn a little towards what was expected but for it.
    fn correction(&self, prior: f64, noise: f64, now: f64) -> Correction {
        let c = (self.count * self.mean + NEIGHBOUR_WEIGHT * prior) / (self.count + NEIGHBOUR_WEIGHT);
        Correction { c, spread: self.spread(noise, now), samples: self.count, prior }
    }

    /// How uncertain its mean is, `noise` being the deviation of a sample where this cell has too few to tell.
    fn spread(&self, noise: f64, now: f64) -> f64 {
        let sample = match self.count {
            count if count >= 4.0 => self.variance,
            count if count >= 2.0 => noise * noise,
            // What was not believed of a first sample is doubt.
            _ => (noise * noise).max((self.other - self.mean).powi(2).min(DOUBT_MAX)),
        };
        let age = ((now - self.last) / 60.0).max(0.0);
        (sample / self.count.max(1.0) + VARIANCE_PER_MINUTE * age).sqrt().max(SPREAD_MIN)
    }
}

/// What was learned of a device, whatever the kernel.
#[derive(Clone, Debug)]
pub(crate) struct ArmLessons {
    /// By class and half-octave, over all kernels.
    pub(crate) cells: BTreeMap<At, Cell>,
    /// How far kernels are from what all of them together say.
    pub(crate) spread: f64,
    /// The deviation of one sample in a cell.
    pub(crate) noise: f64,
    /// How much longer runs take while others run there too, as a logarithm.
    pub(crate) load: f64,
    drift: Drift,
    /// When it was last measured, in seconds.
    pub(crate) last: f64,
    /// How often its profile was found to be another.
    pub(crate) moves: u32,
}

/// The deviation of a sample until some are known.
const NOISE_START: f64 = 0.1;

impl ArmLessons {
    pub(crate) fn new(spread: f64) -> ArmLessons {
        let (cells, drift) = (BTreeMap::new(), Drift::default());
        ArmLessons { cells, spread, noise: NOISE_START, load: 0.0, drift, last: 0.0, moves: 0 }
    }

    /// What all kernels together say of a place: the nearest cells', drawn to the model.
    fn level(&self, at: At) -> f64 {
        around(&self.cells, at, |_, cell| cell.mean * cell.count / (cell.count + MODEL_WEIGHT)).map_or(0.0, |(c, _)| c)
    }

    /// A sample while others ran there too.
    pub(crate) fn crowded(&mut self, apart: f64) {
        self.load += 0.1 * (apart.clamp(-1.0, 3.0) - self.load);
    }

    /// Forgets how residuals stand, after the profile moved.
    fn settle(&mut self) {
        self.drift = Drift::default();
        self.moves += 1;
        self.cells.values_mut().for_each(|cell| cell.shift(0.0));
    }
}

/// What was learned of a kernel on a device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lessons {
    pub(crate) cells: BTreeMap<At, Cell>,
    /// What they say of other sizes; `None` until that is asked.
    fit: Option<Fit>,
    drift: Drift,
    /// The device's moves that these cells went along with.
    moves: u32,
    /// So many calls more all are told, to see whether an unusual one was alone.
    watched: u32,
}

/// A call that was learned from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) at: At,
    /// The kernel's key.
    pub(crate) key: u128,
    /// ln(measured / model).
    pub(crate) x: f64,
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

/// A correction and how uncertain it is, both as logarithms, and the samples it stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Correction {
    pub(crate) c: f64,
    pub(crate) spread: f64,
    pub(crate) samples: f64,
    /// What was expected but for the samples there.
    pub(crate) prior: f64,
}

impl Lessons {
    /// What was stored of a kernel on a device as it is now.
    pub(crate) fn stored(arm: &ArmLessons) -> Lessons {
        Lessons { moves: arm.moves, ..Lessons::default() }
    }

    /// Whether usual calls are to be told, too.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched > 0
    }

    /// Goes along with the device's moves.
    pub(crate) fn follow(&mut self, arm: &ArmLessons) {
        if self.moves != arm.moves {
            self.moves = arm.moves;
            self.shift(0.0);
        }
    }

    fn shift(&mut self, by: f64) {
        (self.drift, self.fit) = (Drift::default(), None);
        self.cells.values_mut().for_each(|cell| cell.shift(by));
    }

    /// Fits the cells again, if they are not what they were; `shares` are the model's, by place.
    pub(crate) fn refit(&mut self, arm: &ArmLessons, shares: impl Fn(At) -> Shares) {
        if self.fit.is_some() || self.cells.is_empty() {
            return;
        }
        self.follow(arm);
        let point =
            |(&at, cell): (&At, &Cell)| Point { shares: shares(at), x: cell.mean - arm.level(at), count: cell.count };
        let points: Vec<Point> = self.cells.iter().map(point).collect();
        self.fit = Some(Fit::of(arm.spread, arm.noise, &points));
    }

    /// The cells are not what they were.
    pub(crate) fn unfit(&mut self) {
        self.fit = None;
    }

    /// The correction at a place; `shares` are the model's, by place.
    pub(crate) fn correction(&self, arm: &ArmLessons, at: At, shares: impl Fn(At) -> Shares, now: f64) -> Correction {
        let fit = self.fit.unwrap_or_else(|| Fit::prior(arm.spread));
        let expect = |at: At| arm.level(at) + fit.expect(shares(at)).0;
        let own = self.cells.get(&at).filter(|cell| cell.count > 0.0);
        let (_, uncertain) = fit.expect(shares(at));
        let (prior, spread) = match around_without(&self.cells, at, |own, cell| cell.mean - expect(own)) {
            None => (expect(at), uncertain),
            Some((left, steps)) => {
                // What the fit leaves unexplained is true nearby.
                let kept = (-(steps as f64) / UNEXPLAINED_HALF).exp2();
                let far = (SPREAD_PER_STEP * steps as f64).min(SPREAD_FAR);
                (expect(at) + kept * left, uncertain.hypot(far).min(arm.spread.max(SPREAD_FAR)))
            }
        };
        match own {
            None => Correction { c: prior, spread, samples: 0.0, prior },
            Some(cell) => cell.correction(prior, arm.noise, now),
        }
    }

    /// The same at a place that has enough samples to change nothing elsewhere, where this was expected but for them.
    pub(crate) fn settled(&self, arm: &ArmLessons, at: At, prior: f64, now: f64) -> Option<Correction> {
        let cell = self.cells.get(&at).filter(|cell| cell.count >= FITTED_SAMPLES && self.fit.is_some())?;
        Some(cell.correction(prior, arm.noise, now))
    }

    /// Takes in a sample.
    pub(crate) fn take(&mut self, arm: &mut ArmLessons, sample: Sample, shares: impl Fn(At) -> Shares) -> Change {
        let Sample { at, key, x, weight, copies, now } = sample;
        self.follow(arm);
        // A cell that is known is told from its own mean: what its neighbours say is no drift.
        let known = self.cells.get(&at).filter(|cell| cell.count >= 2.0).map(|cell| (cell.mean, 0.0));
        let (expected, uncertain) = known.unwrap_or_else(|| {
            let before = self.correction(arm, at, shares, now);
            (before.c, before.spread)
        });
        let (apart, is_known) = (x - expected, known.is_some());
        let cell = self.cells.entry(at).or_default();
        if is_known {
            // A slow mean of squares, outliers cut.
            let square = apart.clamp(-CUT_MIN, CUT_MIN).powi(2);
            arm.noise = (arm.noise * arm.noise + 0.02 * (square - arm.noise * arm.noise)).sqrt().max(SPREAD_MIN);
        } else if cell.count == 0.0 {
            let (square, old) = (apart.clamp(-2.0, 2.0).powi(2), arm.spread * arm.spread);
            arm.spread = (old + 0.05 * (square - old)).sqrt().clamp(0.05, 1.5);
        }
        let doubt = CUT_DEVIATIONS * uncertain.hypot(arm.noise);
        cell.take(x, (weight, (expected - doubt, expected + doubt)), now);
        if cell.count < FITTED_SAMPLES {
            self.fit = None;
        }
        arm.last = now;
        if cell.count == 2.0 {
            // A kernel that is called often says no more about others, and an odd one says little.
            let (mean, level) = (cell.mean, arm.level(at));
            let odd = mean.clamp(level - ODD_MAX, level + ODD_MAX);
            arm.cells.entry(at).or_default().take(odd, (1.0, ALL_BELIEVED), now);
        }
        if !is_known {
            return Change::None;
        }
        let residual = Residual { key, apart, weight, copies };
        self.watched = match residual.is_far() {
            true if weight < 1.0 => WATCHED_CALLS,
            true | false => self.watched.saturating_sub(1),
        };
        let of_all = arm.drift.take(residual).filter(Residuals::are_of_several_kernels);
        let of_this = self.drift.take(residual);
        match (of_all, of_this) {
            (Some(residuals), _) => {
                arm.settle();
                self.follow(arm);
                Change::Arm(residuals.explained())
            }
            (None, Some(residuals)) => {
                self.shift(residuals.middle());
                Change::Kernel
            }
            (None, None) => Change::None,
        }
    }
}

/// What measured cells of a class say about a place, by a straight line between the two beside it, or as the nearest one
/// does; and how many half-octaves the nearest is away.
fn around(cells: &BTreeMap<At, Cell>, at: At, value: impl Fn(At, &Cell) -> f64) -> Option<(f64, usize)> {
    if let Some(cell) = cells.get(&at).filter(|cell| cell.count > 0.0) {
        return Some((value(at, cell), 0));
    }
    around_without(cells, at, value)
}

/// The same without the place itself.
fn around_without(cells: &BTreeMap<At, Cell>, at: At, value: impl Fn(At, &Cell) -> f64) -> Option<(f64, usize)> {
    let (class, bucket) = at;
    let is_known = |(_, cell): &(&At, &Cell)| cell.count > 0.0;
    let left = cells.range((class, 0)..at).rev().find(is_known);
    let right = cells.range((class, bucket.saturating_add(1))..=(class, BUCKETS as u8)).find(is_known);
    let steps = |own: &At| usize::from(own.1.abs_diff(bucket));
    match (left, right) {
        (None, None) => None,
        (Some((own, cell)), None) | (None, Some((own, cell))) => Some((value(*own, cell), steps(own))),
        (Some((a, one)), Some((b, other))) => {
            let (left, right) = (steps(a) as f64, steps(b) as f64);
            let (one, other) = (value(*a, one), value(*b, other));
            Some(((one * right + other * left) / (left + right), steps(a).min(steps(b))))
        }
    }
}

/// Nothing about any device yet.
pub(crate) fn no_lessons() -> [Lessons; ARMS_MAX] {
    std::array::from_fn(|_| Lessons::default())
}
