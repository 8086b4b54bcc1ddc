//! What runs taught beyond the profiles: for each kernel, device, size and residency the mean of ln(measured / model), and
//! what follows from it where nothing was measured.
//!
//! A prediction is the model's times e^c. Where a cell (kernel, device, half-octave, class of residency) was measured, c is
//! its mean, drawn a little towards what its neighbours say; between measured cells it is interpolated; beyond them, and
//! for kernels that were never seen there, it is what all kernels of the device say together. Single outliers are cut
//! (winsorised), the first two samples of a cell excepted, of which the lower counts: what disturbs a run makes it longer.
//!
//! **Drift** (Page 1954, Hinkley 1971): residuals that stay on one side add up; past [`DRIFT_SUM`] the kernel's cells on that
//! device, or those of all kernels if it is true of several, are moved by what the last ones were off, and count as one sample.

use super::features::{ARMS_MAX, BUCKETS, Class};
use std::collections::BTreeMap;
use std::collections::VecDeque;

/// Samples of a cell count as at most so many, so that later ones keep their weight.
pub(crate) const COUNT_MAX: f64 = 32.0;
/// The most that a sample may be off, in standard deviations, and at least, as a logarithm.
const CUT_DEVIATIONS: f64 = 3.0;
const CUT_MIN: f64 = 0.3;
/// Two first samples that differ by more than this cannot both be right.
const FIRST_APART: f64 = 0.5;
/// One sample is doubted if it is so many deviations from what else is known.
const DOUBT_DEVIATIONS: f64 = 3.0;
/// The weight of what neighbours say beside the samples of a cell.
const NEIGHBOUR_WEIGHT: f64 = 0.5;
/// The weight of the model beside the samples of a device's cell.
const MODEL_WEIGHT: f64 = 2.0;
/// What a prediction is uncertain by for each half-octave to the next measured cell.
const SPREAD_PER_STEP: f64 = 0.06;
/// The least uncertainty of a mean.
const SPREAD_MIN: f64 = 0.01;
/// What a minute adds to the variance of a cell that was not measured meanwhile.
const VARIANCE_PER_MINUTE: f64 = 0.01;
/// Residuals below this are no drift.
const DRIFT_IGNORED: f64 = 0.08;
/// One residual counts as at most this.
const DRIFT_STEP_MAX: f64 = 1.0;
/// The sum at which it is one.
const DRIFT_SUM: f64 = 2.5;
/// How many of the last residuals tell how large it is, and how many of them must be on its side.
const DRIFT_RECENT: usize = 6;
const DRIFT_SIDED: usize = 5;

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
    /// Takes in a sample; how far it was off, uncut.
    fn take(&mut self, x: f64, now: f64) {
        let apart = x - self.mean;
        let before = self.count;
        self.count = (self.count + 1.0).min(COUNT_MAX);
        self.last = now;
        if before == 0.0 {
            (self.mean, self.variance) = (x, 0.0);
            (self.fresh, self.fresh_mean) = (1.0, x);
        } else if before == 1.0 && apart.abs() > FIRST_APART {
            self.take_second(x);
            (self.fresh, self.fresh_mean, self.renewed) = (self.count, self.mean, true);
        } else {
            if before == 1.0 {
                // It told of one that was left out.
                self.variance = 0.0;
            }
            let cut = (CUT_DEVIATIONS * self.variance.sqrt()).max(CUT_MIN);
            let apart = apart.clamp(-cut, cut);
            self.fresh += 1.0;
            self.fresh_mean += (self.mean + apart - self.fresh_mean) / self.fresh;
            let weight = 1.0 / self.count;
            self.mean += weight * apart;
            self.variance += weight * (apart * apart * (1.0 - weight) - self.variance);
        }
    }

    /// A second sample far from the first: one of them is an outlier, most likely the longer one, which is noted as a
    /// variance. But if the next is long too, the short one was.
    fn take_second(&mut self, x: f64) {
        let left_out = self.mean + self.variance.sqrt();
        if self.variance > 0.0 && (x - left_out).abs() <= FIRST_APART {
            (self.count, self.mean, self.variance) = (2.0, (x + left_out) / 2.0, 0.0);
        } else {
            let (low, high) = (self.mean.min(x), self.mean.max(x));
            (self.count, self.mean, self.variance) = (1.0, low, (high - low).powi(2));
        }
    }

    /// The same on a device that takes longer by this.
    pub(crate) fn shift(&mut self, by: f64) {
        self.mean += by;
        self.count = self.count.min(1.0);
        (self.fresh, self.fresh_mean, self.renewed) = (0.0, 0.0, true);
    }

    /// These samples, and so many others with this mean.
    pub(crate) fn with(&self, count: f64, mean: f64) -> Cell {
        let (total, apart) = (self.count + count, mean - self.mean);
        if count <= 0.0 {
            return *self;
        }
        if self.count <= 0.0 {
            return Cell { count: count.min(COUNT_MAX), mean, variance: 0.0, ..*self };
        }
        if total <= 2.0 && apart.abs() > FIRST_APART {
            return Cell { count: 1.0, mean: self.mean.min(mean), variance: 0.0, ..*self };
        }
        // Chan, Golub, LeVeque 1979, with the variance of the one sample for both.
        let variance = self.variance + apart * apart * self.count * count / (total * total);
        Cell { count: total.min(COUNT_MAX), mean: self.mean + apart * count / total, variance, ..*self }
    }

    /// Whether it stands on one sample that is so far from all else that it is an outlier more often than not. The next
    /// one tells.
    fn is_doubtful(&self, apart: f64, spread: f64) -> bool {
        self.count < 2.0 && apart.abs() > (DOUBT_DEVIATIONS * spread).max(FIRST_APART)
    }

    /// How uncertain its mean is, `noise` being the deviation of a sample where this cell has too few to tell.
    fn spread(&self, noise: f64, now: f64) -> f64 {
        let sample = if self.count < 4.0 { noise * noise } else { self.variance };
        let age = ((now - self.last) / 60.0).max(0.0);
        (sample / self.count.max(1.0) + VARIANCE_PER_MINUTE * age).sqrt().max(SPREAD_MIN)
    }
}

/// A sum of residuals on each side.
#[derive(Clone, Debug, Default)]
struct Drift {
    up: f64,
    down: f64,
    recent: VecDeque<f64>,
}

impl Drift {
    /// Takes in how far a prediction was off; how far the last ones were, if they stay on one side.
    fn take(&mut self, apart: f64) -> Option<f64> {
        let step = apart.clamp(-DRIFT_STEP_MAX, DRIFT_STEP_MAX);
        self.up = (self.up + step - DRIFT_IGNORED).max(0.0);
        self.down = (self.down - step - DRIFT_IGNORED).max(0.0);
        if self.recent.len() == DRIFT_RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(apart);
        let is_up = self.up > self.down;
        let sided = self.recent.iter().filter(|&&one| if is_up { one > DRIFT_IGNORED } else { one < -DRIFT_IGNORED });
        // A few outliers make a sum, but no drift.
        if self.up.max(self.down) < DRIFT_SUM || sided.count() < DRIFT_SIDED {
            (self.up, self.down) = (self.up.min(DRIFT_SUM), self.down.min(DRIFT_SUM));
            return None;
        }
        let mut sorted: Vec<f64> = self.recent.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted[sorted.len() / 2];
        *self = Drift::default();
        Some(middle)
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
    /// The kernels of the residuals that the sum is made of.
    drifting: VecDeque<u128>,
    /// What all cells were moved by so far, and how often.
    pub(crate) moved: f64,
    pub(crate) moves: u32,
}

/// The deviation of a sample until some are known.
const NOISE_START: f64 = 0.1;

impl ArmLessons {
    pub(crate) fn new(spread: f64) -> ArmLessons {
        ArmLessons {
            cells: BTreeMap::new(),
            spread,
            noise: NOISE_START,
            load: 0.0,
            drift: Drift::default(),
            drifting: VecDeque::new(),
            moved: 0.0,
            moves: 0,
        }
    }

    /// What all kernels together say of a place: the nearest cells', drawn to the model.
    fn level(&self, at: At) -> f64 {
        around(&self.cells, at, |_, cell| cell.mean * cell.count / (cell.count + MODEL_WEIGHT)).map_or(0.0, |(c, _)| c)
    }

    /// A sample while others ran there too.
    pub(crate) fn crowded(&mut self, apart: f64) {
        self.load += 0.1 * (apart.clamp(-1.0, 3.0) - self.load);
    }

    /// Forgets how residuals stand, after a move.
    fn settle(&mut self, by: f64) {
        self.drift = Drift::default();
        self.drifting.clear();
        self.moved += by;
        self.moves += 1;
        self.cells.values_mut().for_each(|cell| cell.shift(by));
    }
}

/// What was learned of a kernel on a device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lessons {
    pub(crate) cells: BTreeMap<At, Cell>,
    drift: Drift,
    /// The device's moves that these cells went along with.
    moves: u32,
    moved: f64,
}

/// Whether a sample showed that a device is not what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    None,
    /// This kernel's cells moved.
    Kernel,
    /// All kernels' cells moved.
    Arm,
}

/// A correction and how uncertain it is, both as logarithms, and the samples it stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Correction {
    pub(crate) c: f64,
    pub(crate) spread: f64,
    pub(crate) samples: f64,
}

impl Lessons {
    /// What was stored of a kernel on a device as it is now.
    pub(crate) fn stored(arm: &ArmLessons) -> Lessons {
        Lessons { moves: arm.moves, moved: arm.moved, ..Lessons::default() }
    }

    /// Goes along with the device's moves.
    pub(crate) fn follow(&mut self, arm: &ArmLessons) {
        if self.moves == arm.moves {
            return;
        }
        let by = arm.moved - self.moved;
        (self.moves, self.moved) = (arm.moves, arm.moved);
        self.shift(by);
    }

    fn shift(&mut self, by: f64) {
        self.drift = Drift::default();
        self.cells.values_mut().for_each(|cell| cell.shift(by));
    }

    /// The correction at a place.
    pub(crate) fn correction(&self, arm: &ArmLessons, at: At, now: f64) -> Correction {
        let by = if self.moves == arm.moves { 0.0 } else { arm.moved - self.moved };
        let level = arm.level(at);
        let own = self.cells.get(&at).filter(|cell| cell.count > 0.0);
        let mean = |own: At, cell: &Cell| cell.mean + by - arm.level(own);
        let near = match own {
            Some(_) => around_without(&self.cells, at, mean),
            None => around(&self.cells, at, mean),
        };
        let (prior, spread) = match near {
            None => (level, arm.spread),
            Some((apart, steps)) => {
                // Far from all that was measured a kernel is as others are.
                let kept = (-(steps as f64) / 24.0).exp2();
                let far = (SPREAD_PER_STEP * steps as f64).hypot(0.05);
                (level + kept * apart, far.min(arm.spread.max(0.1)))
            }
        };
        match own {
            None => Correction { c: prior, spread, samples: 0.0 },
            Some(cell) if cell.is_doubtful(cell.mean + by - prior, spread) => {
                let towards = spread.copysign(cell.mean + by - prior);
                Correction { c: prior + towards, spread, samples: cell.count }
            }
            Some(cell) => {
                let c = (cell.count * (cell.mean + by) + NEIGHBOUR_WEIGHT * prior) / (cell.count + NEIGHBOUR_WEIGHT);
                Correction { c, spread: cell.spread(arm.noise, now), samples: cell.count }
            }
        }
    }

    /// Takes in a sample.
    pub(crate) fn take(&mut self, arm: &mut ArmLessons, (at, key): (At, u128), x: f64, now: f64) -> Change {
        self.follow(arm);
        // A cell that is known is told from its own mean: what its neighbours say is no drift.
        let known = self.cells.get(&at).filter(|cell| cell.count >= 2.0).map(|cell| cell.mean);
        let apart = x - known.unwrap_or_else(|| self.correction(arm, at, now).c);
        let is_known = known.is_some();
        let cell = self.cells.entry(at).or_default();
        if is_known {
            // A slow mean of squares, outliers cut.
            let square = apart.clamp(-CUT_MIN, CUT_MIN).powi(2);
            arm.noise = (arm.noise * arm.noise + 0.02 * (square - arm.noise * arm.noise)).sqrt().max(SPREAD_MIN);
        } else if cell.count == 0.0 {
            let (square, old) = (apart.clamp(-2.0, 2.0).powi(2), arm.spread * arm.spread);
            arm.spread = (old + 0.05 * (square - old)).sqrt().clamp(0.05, 1.5);
        }
        cell.take(x, now);
        let whole = arm.cells.entry(at).or_default();
        whole.take(x, now);
        if !is_known {
            return Change::None;
        }
        arm.drifting.push_back(key);
        arm.drifting.drain(..arm.drifting.len().saturating_sub(DRIFT_RECENT));
        let of_all = arm.drift.take(apart);
        let of_this = self.drift.take(apart);
        let is_general = arm.drifting.iter().any(|&other| other != key);
        match (of_all.filter(|_| is_general), of_this) {
            (Some(by), _) => {
                arm.settle(by);
                self.follow(arm);
                self.renew(at, (x, apart - by), now);
                Change::Arm
            }
            (None, Some(by)) => {
                self.shift(by);
                self.renew(at, (x, apart - by), now);
                Change::Kernel
            }
            (None, None) => Change::None,
        }
    }

    /// The sample that showed a drift is the first of its time, unless it is far from how the others moved.
    fn renew(&mut self, at: At, (x, apart): (f64, f64), now: f64) {
        if apart.abs() > FIRST_APART {
            return;
        }
        let cell = self.cells.entry(at).or_default();
        let renewed = true;
        *cell = Cell { count: 1.0, mean: x, variance: 0.0, fresh: 1.0, fresh_mean: x, renewed, last: now };
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
