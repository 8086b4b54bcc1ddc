//! A curve from a table of measured points: straight lines between them where both axes are logarithmic, level outside.

use super::random::Random;

/// Points with growing `x`, all positive.
#[derive(Clone, Debug)]
pub struct Curve(Vec<(f64, f64)>);

impl Curve {
    /// The curve through these points; there is at least one.
    pub fn new(points: &[(f64, f64)]) -> Curve {
        debug_assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0), "points in order");
        Curve(points.to_vec())
    }

    /// The value at `x`.
    pub fn at(&self, x: f64) -> f64 {
        let after = self.0.partition_point(|point| point.0 < x);
        match (after.checked_sub(1).and_then(|before| self.0.get(before)), self.0.get(after)) {
            (Some(low), Some(high)) => {
                let part = (x / low.0).ln() / (high.0 / low.0).ln();
                low.1 * (high.1 / low.1).powf(part)
            }
            (Some(end), None) | (None, Some(end)) => end.1,
            (None, None) => 0.0,
        }
    }

    /// The same curve with each value moved by a random factor of its own: another machine of the same kind.
    #[must_use]
    pub fn varied(&self, random: &mut Random, deviation: f64) -> Curve {
        Curve(self.0.iter().map(|&(x, y)| (x, y * random.lognormal(deviation))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_met_and_the_ends_are_level() {
        let curve = Curve::new(&[(1e3, 10.0), (1e5, 1000.0)]);
        let check = |x: f64, y: f64| assert!((curve.at(x) / y - 1.0).abs() < 1e-12, "{x}: {} is not {y}", curve.at(x));
        check(1.0, 10.0);
        check(1e3, 10.0);
        check(1e4, 100.0);
        check(1e5, 1000.0);
        check(1e9, 1000.0);
    }
}
