//! [`Cell`]: the samples of one kernel on one device at one size: their number, mean and variance. Single outliers are cut
//! (winsorised), and a first sample that nobody would have believed is not, until another says the same.

/// Samples of a cell count as at most so many, so that later ones keep their weight.
pub(crate) const COUNT_MAX: f64 = 32.0;
/// The most that a sample may be off, in standard deviations, and at least, as a logarithm.
pub(crate) const CUT_DEVIATIONS: f64 = 3.0;
pub(crate) const CUT_MIN: f64 = 0.3;
/// The most variance that doubt about one sample makes.
const DOUBT_MAX: f64 = 1.0;
/// A first sample is not believed to be slower than was expected by more than this, until another says the same.
const SLOWER_MAX: f64 = 1.2;
/// A single sample is uncertain by this part of what it is slower than was expected: something may have been in its way.
const SURPRISE_PART: f64 = 0.7;
/// Two first samples that differ by more than this cannot both be right.
const FIRST_APART: f64 = 0.5;
/// The weight of what neighbours say beside the samples of a cell.
const NEIGHBOUR_WEIGHT: f64 = 0.5;
/// The least uncertainty of a mean.
pub(crate) const SPREAD_MIN: f64 = 0.01;
/// What a minute adds to the variance of a cell that was not measured meanwhile.
const VARIANCE_PER_MINUTE: f64 = 0.01;

/// Where more than this part of all samples are outliers, two that say the same are not believed, but three: such two count
/// as this.
const OUTLIERS_MANY: f64 = 0.05;
const DOUBTED: f64 = 1.5;

/// What of a sample is believed: within these, and more if others say the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Belief {
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// What was expected.
    pub(crate) expected: f64,
    /// The part of all samples that are outliers.
    pub(crate) outliers: f64,
}

impl Belief {
    /// In anything.
    pub(crate) const ALL: Belief = Belief { from: f64::MIN, to: f64::MAX, expected: f64::MAX, outliers: 0.0 };
}

impl Belief {
    /// In what is as far from what was expected as this, but no more than [`SLOWER_MAX`] slower.
    pub(crate) fn around(expected: f64, apart: f64, outliers: f64) -> Belief {
        Belief { from: expected - apart, to: expected + apart.min(SLOWER_MAX), expected, outliers }
    }
}

/// What was measured at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// Samples, at most 32.
    pub count: f64,
    /// Their mean of ln(measured / model), later ones with more weight.
    pub mean: f64,
    /// Their variance; of a single sample that of its surprise.
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
    pub(crate) fn take(&mut self, x: f64, (weight, belief): (f64, Belief), now: f64) {
        self.last = now;
        if self.count == 0.0 {
            (self.count, self.mean) = (1.0, x.clamp(belief.from, belief.to));
            self.variance = (SURPRISE_PART * (self.mean - belief.expected).max(0.0)).powi(2);
            (self.other, self.fresh, self.fresh_mean) = (x, 1.0, self.mean);
        } else if self.count < 2.0 && (self.other - self.mean).abs().max((x - self.mean).abs()) > FIRST_APART {
            self.take_second(x, belief);
            (self.fresh, self.fresh_mean, self.renewed) = (self.count, self.mean, true);
        } else {
            if self.count < 2.0 {
                self.variance = 0.0;
            }
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
    fn take_second(&mut self, x: f64, belief: Belief) {
        let is_near = |one: f64| (x - one).abs() <= FIRST_APART;
        let is_odd = is_near(self.other) && !is_near(self.mean);
        if is_odd && belief.outliers > OUTLIERS_MANY && self.count == 1.0 {
            // Where so many are outliers, two that say the same may be.
            self.count = DOUBTED;
            return;
        }
        let near = [self.other, self.mean].into_iter().find(|one| is_near(*one));
        if let Some(near) = near {
            (self.count, self.mean, self.variance) = (2.0, (x + near) / 2.0, 0.0);
            self.other = self.mean;
            return;
        }
        let mut all = [self.mean, self.other, x];
        all.sort_by(f64::total_cmp);
        (self.mean, self.other, self.count) = (all[1], x, 1.0);
    }

    /// The same on a device that takes longer by this. What was measured before is still known, and doubted: the next
    /// sample shows which of the two is true.
    pub(crate) fn shift(&mut self, by: f64) {
        self.other = self.mean;
        self.mean += by;
        self.count = self.count.min(if by == 0.0 { 2.0 } else { 1.0 });
        self.variance = 0.0;
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
        let own = if self.count < 2.0 { 0.0 } else { self.variance };
        let variance = own + apart * apart * self.count * count / (total * total);
        let mean = self.mean + apart * count / total;
        Cell { count: total.min(COUNT_MAX), mean, variance, other: mean, ..*self }
    }

    /// Its mean, drawn a little towards what was expected but for it.
    pub(crate) fn correction(&self, prior: f64, noise: f64, now: f64) -> Correction {
        let c = (self.count * self.mean + NEIGHBOUR_WEIGHT * prior) / (self.count + NEIGHBOUR_WEIGHT);
        Correction { c, spread: self.spread(noise, now), samples: self.count, prior }
    }

    /// The variance of one of its samples, `noise` being their deviation where this cell has too few to tell.
    fn sample_variance(&self, noise: f64) -> f64 {
        match self.count {
            count if count >= 4.0 => self.variance,
            count if count >= 2.0 => noise * noise,
            _ => (noise * noise).max(self.variance),
        }
    }

    /// How uncertain its mean is as it stands, for what it says of other sizes.
    pub(crate) fn spread_elsewhere(&self, noise: f64) -> f64 {
        (self.sample_variance(noise) / self.count.max(1.0)).sqrt().max(SPREAD_MIN)
    }

    /// How uncertain its mean is now.
    fn spread(&self, noise: f64, now: f64) -> f64 {
        // What was not believed of a first sample is doubt.
        let doubt = if self.count < 2.0 { (self.other - self.mean).powi(2).min(DOUBT_MAX) } else { 0.0 };
        let sample = self.sample_variance(noise).max(doubt);
        let age = ((now - self.last) / 60.0).max(0.0);
        (sample / self.count.max(1.0) + VARIANCE_PER_MINUTE * age).sqrt().max(SPREAD_MIN)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    const NOISE: f64 = 0.1;

    /// A cell that was expected to say 0, give or take, after these samples.
    fn cell(samples: &[f64]) -> Cell {
        let belief = Belief::around(0.0, 5.0, 0.01);
        samples.iter().fold(Cell::default(), |mut cell, x| {
            cell.take(*x, (1.0, belief), 0.0);
            cell
        })
    }

    fn spread(samples: &[f64]) -> f64 {
        cell(samples).spread(NOISE, 0.0)
    }

    #[test]
    fn one_slow_sample_is_doubted_and_a_fast_one_is_not() {
        assert_eq!(spread(&[0.0]), NOISE);
        assert_eq!(spread(&[-0.8]), NOISE, "nothing makes a call faster than it is");
        assert!((spread(&[0.8]) - SURPRISE_PART * 0.8).abs() < 1e-9, "something may have been in its way");
        assert_eq!(cell(&[0.8]).spread_elsewhere(NOISE), spread(&[0.8]));
        assert!(spread(&[0.8, 0.75]) < NOISE, "another says the same");
    }

    #[test]
    fn what_one_sample_surprised_by_is_no_variance_of_more() {
        let joined = cell(&[0.8]).with(3.0, 0.8);
        assert_eq!((joined.count, joined.variance), (4.0, 0.0));
        assert!(cell(&[0.0, 0.2, -0.2]).with(1.0, 0.0).variance > 0.0);
    }

    #[test]
    fn one_that_is_far_slower_counts_as_the_slowest_believable() {
        assert_eq!(cell(&[1.9]).mean, SLOWER_MAX);
        assert_eq!(cell(&[-1.9]).mean, -1.9, "what is faster is believed");
        assert!((cell(&[1.9, 2.0]).mean - 1.95).abs() < 1e-9, "two say the same");
        assert!((cell(&[1.9, 0.9]).mean - 1.05).abs() < 1e-9, "one was in the way");
    }
}
