//! [`Fit`]: by what factors the launch, the copies and the run of a kernel differ from the model on one device, from what
//! was measured at some sizes. It says what to expect at others.
//!
//! A sample is x = ln(measured / model) = ln(Σ sᵢ e^mᵢ), with the shares sᵢ that the model gives the three parts there. The
//! factors mᵢ are those that make samples and prior most likely (a few Gauss–Newton steps): launches are known well, copies
//! less well, and how a kernel runs least, so a small call says little about the run and a large one little about the launch.

use super::model::Parts;

/// How well each part is known before anything was measured, as a multiple of the device's spread: launch, copies, run.
const PRIOR: [f64; 3] = [0.3, 0.6, 1.4];
/// What the three factors never explain: a cell may be off by that.
const MISFIT: f64 = 0.08;
/// Steps of the search at most, the longest of them, and one that ends it.
const STEPS: usize = 5;
const STEP_MAX: f64 = 2.0;
const STEP_MIN: f64 = 1e-3;

/// The parts of a predicted time, as shares of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shares([f64; 3]);

impl Shares {
    pub(crate) fn of(parts: &Parts) -> Shares {
        let all = [parts.launch, parts.transfer, parts.run];
        let total = all.iter().sum::<f64>();
        if total > 0.0 && total.is_finite() { Shares(all.map(|part| part / total)) } else { Shares([0.0, 0.0, 1.0]) }
    }
}

/// A measured place: the shares there, ln(measured / expected), and how uncertain that is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) shares: Shares,
    pub(crate) x: f64,
    pub(crate) spread: f64,
}

/// Factors, as logarithms, and how certain they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fit {
    mean: [f64; 3],
    /// e to the power of them.
    factors: [f64; 3],
    covariance: [[f64; 3]; 3],
}

impl Fit {
    /// What is believed of a kernel that was never measured on a device of this spread.
    pub(crate) fn prior(spread: f64) -> Fit {
        let mut covariance = [[0.0; 3]; 3];
        (0..3).for_each(|i| covariance[i][i] = (PRIOR[i] * spread).powi(2));
        Fit { mean: [0.0; 3], factors: [1.0; 3], covariance }
    }

    /// What follows from measured places on a device of this spread, sought from here on.
    pub(crate) fn to<'a>(self, spread: f64, points: impl Iterator<Item = &'a Point> + Clone) -> Fit {
        let prior = Fit::prior(spread);
        let weights: [f64; 3] = std::array::from_fn(|i| 1.0 / prior.covariance[i][i].max(1e-6));
        let mut fit = if self.mean.iter().all(|mean| mean.is_finite()) { self } else { prior };
        for _ in 0..STEPS {
            let (matrix, gradient) = fit.normal_equations(weights, points.clone());
            let Some(inverse) = inverse(matrix) else { return fit };
            fit.covariance = inverse;
            let mut longest = 0f64;
            for (mean, row) in fit.mean.iter_mut().zip(inverse) {
                let step: f64 = row.iter().zip(gradient).map(|(one, slope)| one * slope).sum();
                *mean += step.clamp(-STEP_MAX, STEP_MAX);
                longest = longest.max(step.abs());
            }
            fit.factors = fit.mean.map(f64::exp);
            if longest < STEP_MIN {
                break;
            }
        }
        fit
    }

    /// Those of a step: the prior's, and those of each place around the present factors.
    fn normal_equations<'a>(
        &self,
        weights: [f64; 3],
        points: impl Iterator<Item = &'a Point>,
    ) -> ([[f64; 3]; 3], [f64; 3]) {
        let (mut matrix, mut gradient) = ([[0.0; 3]; 3], [0.0; 3]);
        for i in 0..3 {
            matrix[i][i] = weights[i];
            gradient[i] = -weights[i] * self.mean[i];
        }
        for point in points {
            let (at, slope) = self.at(point.shares);
            let weight = 1.0 / (MISFIT * MISFIT + point.spread * point.spread);
            for i in 0..3 {
                gradient[i] += weight * slope[i] * (point.x - at);
                (0..3).for_each(|j| matrix[i][j] += weight * slope[i] * slope[j]);
            }
        }
        (matrix, gradient)
    }

    /// ln(expected / model) where the parts have these shares, and how it changes with each factor.
    fn at(&self, Shares(shares): Shares) -> (f64, [f64; 3]) {
        let parts: [f64; 3] = std::array::from_fn(|i| shares[i] * self.factors[i]);
        let total = parts.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        (total.ln(), parts.map(|part| part / total))
    }

    /// What to expect where the parts have these shares: ln(expected / model), and how uncertain that is.
    pub(crate) fn expect(&self, shares: Shares) -> (f64, f64) {
        let (at, slope) = self.at(shares);
        let row = |i: usize| (0..3).map(|j| self.covariance[i][j] * slope[j]).sum::<f64>() * slope[i];
        (at, (0..3).map(row).sum::<f64>().max(0.0).sqrt())
    }
}

/// The inverse of a symmetric matrix, if it has one.
fn inverse(m: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let minor = |r: usize, c: usize| {
        let (a, b) = ((r + 1) % 3, (r + 2) % 3);
        let (d, e) = ((c + 1) % 3, (c + 2) % 3);
        m[a][d] * m[b][e] - m[a][e] * m[b][d]
    };
    let determinant: f64 = (0..3).map(|c| m[0][c] * minor(0, c)).sum();
    let is_sound = determinant.is_finite() && determinant.abs() > f64::MIN_POSITIVE;
    is_sound.then(|| std::array::from_fn(|r| std::array::from_fn(|c| minor(c, r) / determinant)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place of a device with a launch of 100 and a nanosecond a row, whose launch and rows take so many times as long.
    fn point(rows: f64, launch: f64, run: f64, samples: f64) -> Point {
        let parts = Parts { launch: 100.0, run: rows, ..Parts::default() };
        let x = ((100.0 * launch + rows * run) / parts.total()).ln();
        Point { shares: Shares::of(&parts), x, spread: 0.05 / samples.sqrt() }
    }

    fn fit(points: &[Point]) -> Fit {
        Fit::prior(0.35).to(0.35, points.iter())
    }

    fn check(points: &[Point], rows: f64, launch: f64, run: f64, within: f64) {
        let fit = fit(points);
        let target = point(rows, launch, run, 1.0);
        let (x, spread) = fit.expect(target.shares);
        assert!((x - target.x).abs() < within, "{rows} rows: {x} instead of {}, ± {spread}", target.x);
    }

    #[test]
    fn the_run_is_what_differs_most() {
        // Measured where the launch takes two thirds of what the model says.
        check(&[point(50.0, 1.0, 30.0, 3.0)], 100.0, 1.0, 30.0, 0.2);
        check(&[point(50.0, 1.0, 30.0, 3.0)], 10_000.0, 1.0, 30.0, 0.5);
        check(&[point(1e6, 1.0, 0.1, 3.0)], 1e8, 1.0, 0.1, 0.1);
    }

    #[test]
    fn small_calls_say_little_about_the_run() {
        check(&[point(0.1, 1.3, 1.0, 3.0)], 1e6, 1.3, 1.0, 0.02);
        let fit = fit(&[point(0.1, 1.3, 1.0, 3.0)]);
        let (_, spread) = fit.expect(point(1e6, 1.0, 1.0, 1.0).shares);
        assert!(spread > 0.45, "{spread}: nothing is known of it");
    }

    #[test]
    fn two_sizes_tell_both() {
        let points = [point(1.0, 2.0, 0.2, 8.0), point(1e5, 2.0, 0.2, 8.0)];
        [0.1, 10.0, 300.0, 1e4, 1e7].iter().for_each(|&rows| check(&points, rows, 2.0, 0.2, 0.3));
    }

    #[test]
    fn nonsense_is_no_panic() {
        for x in [f64::MAX, -f64::MAX, 1e300, 700.0, -700.0] {
            let shares = Shares::of(&Parts { launch: 1.0, run: 1.0, ..Parts::default() });
            let odd = Fit::prior(0.35).to(0.35, [Point { shares, x, spread: 0.0 }].iter());
            // From wherever that led it finds back, some steps at a time.
            let point = Point { shares, x: 0.1, spread: 0.0 };
            let back = (0..4).fold(odd, |fit, _| fit.to(0.35, [point].iter()));
            assert!((back.expect(shares).0 - 0.1).abs() < 0.05, "{x}: {odd:?}, {back:?}");
        }
        assert_eq!(Shares::of(&Parts::default()), Shares([0.0, 0.0, 1.0]));
    }
}
