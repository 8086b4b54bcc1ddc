//! Reproducible random numbers: a seed goes in, the same numbers come out every time.

/// The distance between two states of the generator.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A generator of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed; other seeds give unrelated numbers.
    pub fn new(seed: u64) -> Random {
        // States are a fixed step apart, so two seeds that far apart would give the same numbers, one later. Mixing the seed
        // first prevents that.
        Random(Random(seed).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Skips this many numbers in constant time.
    pub fn skip(&mut self, count: u64) {
        self.0 = self.0.wrapping_add(STEP.wrapping_mul(count));
    }

    /// Puts the items into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            items.swap(place, self.below(place + 1));
        }
    }

    /// A number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number between two others.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// A whole number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((self.unit() * end as f64) as usize).min(end - 1)
    }

    /// True with this probability.
    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// A normally distributed number (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// A factor whose logarithm is normally distributed with this deviation around 0.
    pub fn lognormal(&mut self, deviation: f64) -> f64 {
        (deviation * self.normal()).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_give_unrelated_numbers() {
        let numbers = |seed: u64| -> Vec<u64> {
            let mut random = Random::new(seed);
            (0..100).map(|_| random.next()).collect()
        };
        let (one, other) = (numbers(3), numbers(4));
        assert!(one.iter().all(|number| !other.contains(number)), "not even the same ones later");
    }

    #[test]
    fn skipping_is_the_same_as_drawing() {
        let (mut drawn, mut skipped) = (Random::new(5), Random::new(5));
        let last = (0..=1000).map(|_| drawn.next()).last();
        skipped.skip(1000);
        assert_eq!(last, Some(skipped.next()));
    }

    #[test]
    fn the_factors_have_the_deviation_that_was_asked_for() {
        let mut random = Random::new(7);
        let logs: Vec<f64> = (0..20_000).map(|_| random.lognormal(0.3).ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / logs.len() as f64).sqrt();
        assert!(mean.abs() < 0.01 && (deviation - 0.3).abs() < 0.01, "{mean} {deviation}");
    }
}
