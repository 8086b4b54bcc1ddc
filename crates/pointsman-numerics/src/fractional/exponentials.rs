//! [`ExponentialSum`]: a power t^(−β) as a sum of exponentials, so that a history needs one number per term.
//!
//! In: an exponent, a tolerance and an interval. Out: rates and weights, all positive. t^(−β) = 1/Γ(β)·∫ s^β·e^(−s·t) d(ln s)
//! by the trapezoidal rule in x, with s = exp(x − e^(−x))/longest: the integrand is analytic for |Im x| < π/2, and falls
//! doubly exponentially on both sides, also for exponents near 0.

use super::definition::check_in;
use crate::error::Result;
use crate::special::{ln_gamma, reciprocal_gamma};
use std::f64::consts::PI;

/// How much smaller than the tolerance the error of the trapezoidal rule is: e^(−5), by the size of the step.
const STEP_MARGIN: f64 = 5.0;
/// The part of the tolerance that is left for each of the two ends of the integral.
const ENDS_PART: f64 = 0.1;
/// Newton's method needs far fewer steps.
const NEWTON_STEPS: usize = 60;

/// Weights and rates with Σ weight·e^(−rate·t) = t^(−β)·(1 ± tolerance) for all t from `shortest` to `longest`. There are
/// O(log(1/tolerance)·(log(longest/shortest) + log(log(1/tolerance)/β))) terms; for a million steps, a tolerance of 1e-10
/// and β = ½, fewer than 70.
///
/// ```
/// use pointsman_numerics::fractional::ExponentialSum;
///
/// # fn main() -> pointsman_numerics::Result<()> {
/// let sum = ExponentialSum::new(0.5, 1e-10, 1e-6, 1.0)?;
/// for t in [1e-6, 1e-3, 0.5, 1.0f64] {
///     assert!((sum.value(t) * t.sqrt() - 1.0).abs() < 1e-10);
/// }
/// assert!(sum.rates().len() < 80);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ExponentialSum {
    rates: Vec<f64>,
    weights: Vec<f64>,
}

impl ExponentialSum {
    /// The sum for an exponent greater than 0 and less than 1, a relative tolerance from 1e-13 to 0.1, and an interval
    /// 0 < `shortest` ≤ `longest` < ∞.
    pub fn new(exponent: f64, tolerance: f64, shortest: f64, longest: f64) -> Result<ExponentialSum> {
        let operation = "a sum of exponentials";
        let open = exponent > 0.0 && exponent < 1.0;
        check_in(operation, "exponent", exponent, open, "greater than 0 and less than 1")?;
        check_tolerance(operation, tolerance)?;
        check_in(operation, "shortest time", shortest, shortest.is_normal() && shortest > 0.0, "positive and finite")?;
        let is_allowed = longest.is_finite() && longest >= shortest;
        check_in(operation, "longest time", longest, is_allowed, "finite and at least the shortest time")?;

        let is_allowed = first_logarithm(exponent, tolerance).is_finite();
        check_in(operation, "exponent", exponent, is_allowed, "so large that its reciprocal is a number")?;
        Ok(ExponentialSum::scaled(exponent, tolerance, [shortest, longest], 1.0))
    }

    /// The sum for the kernel t^(α−1)/Γ(α) of an integral of order 0 < α ≤ 1, with a tolerance and an interval that are
    /// allowed; the rounding errors of the sum are about 1e-14.
    pub(crate) fn of_kernel(order: f64, tolerance: f64, interval: [f64; 2]) -> ExponentialSum {
        let exponent = 1.0 - order;
        if exponent <= 0.0 {
            return ExponentialSum { rates: vec![0.0], weights: vec![1.0] };
        }
        let [shortest, longest] = interval.map(|time| time.max(f64::MIN_POSITIVE));
        ExponentialSum::scaled(exponent, tolerance, [shortest, longest], reciprocal_gamma(order))
    }

    /// The sum for a multiple of t^(−β).
    fn scaled(exponent: f64, tolerance: f64, [shortest, longest]: [f64; 2], factor: f64) -> ExponentialSum {
        let step = PI * PI / (STEP_MARGIN - tolerance.ln());
        // Right of the last one, it is below e^(−rate·shortest) of the value.
        let right = -(ENDS_PART * tolerance).ln();
        let (first, last) =
            (solved(first_logarithm(exponent, tolerance)), solved(right.ln() + longest.ln() - shortest.ln()));
        let count = ((last - first) / step).ceil() as usize + 1;
        let places = (0..count).map(|number| first + step * number as f64);
        // The logarithm of a rate is far below that of the smallest number where the exponent is small.
        let logarithms = places.clone().map(|x| x - (-x).exp() - longest.ln());
        let scale = factor * step * reciprocal_gamma(exponent);
        let weight = |(x, logarithm): (f64, f64)| scale * (exponent * logarithm).exp() * (1.0 + (-x).exp());
        ExponentialSum {
            weights: places.zip(logarithms.clone()).map(weight).collect(),
            rates: logarithms.map(f64::exp).collect(),
        }
    }

    /// The rates; the smallest ones may be 0.
    #[must_use]
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// The weights.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Σ weight·e^(−rate·t).
    #[must_use]
    pub fn value(&self, t: f64) -> f64 {
        self.rates.iter().zip(&self.weights).map(|(rate, weight)| weight * (-rate * t).exp()).sum()
    }
}

/// The logarithm of the first rate times the longest time: left of it, the integral is (rate·longest)^β/Γ(β + 1) of the
/// smallest value.
fn first_logarithm(exponent: f64, tolerance: f64) -> f64 {
    ((ENDS_PART * tolerance).ln() + ln_gamma(exponent + 1.0).0) / exponent
}

/// An error unless sums of exponentials reach this tolerance.
pub(super) fn check_tolerance(operation: &'static str, tolerance: f64) -> Result<()> {
    let is_allowed = (1e-13..=0.1).contains(&tolerance);
    check_in(operation, "tolerance", tolerance, is_allowed, "at least 1e-13 and at most 0.1")
}

/// x with x − e^(−x) = y, by Newton's method.
fn solved(y: f64) -> f64 {
    let mut x = if y > -1.0 { y.max(0.0) } else { -(-y).ln() };
    for _ in 0..NEWTON_STEPS {
        let power = (-x).exp();
        x -= (x - power - y) / (1.0 + power);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_within_their_tolerance_on_their_interval() {
        for order in [0.01, 0.1, 0.5, 0.8, 0.99, 0.999_999, 1.0 - f64::EPSILON / 2.0, 1.0] {
            for tolerance in [0.1, 1e-2, 1e-4, 1e-6, 1e-9, 1e-12, 1e-13] {
                for (shortest, longest) in [(1.0, 2.0), (1e-3, 1.0), (1e-6, 10.0), (1e-30, 1.0), (1.0, 1e9)] {
                    let sum = ExponentialSum::of_kernel(order, tolerance, [shortest, longest]);
                    let mut worst = 0.0f64;
                    for k in 0..=300 {
                        let t = shortest * f64::powf(longest / shortest, f64::from(k) / 300.0);
                        let kernel = t.powf(order) / t * reciprocal_gamma(order);
                        worst = worst.max((sum.value(t) / kernel - 1.0).abs());
                    }
                    let count = sum.rates().len();
                    assert!(worst <= tolerance, "order {order}, [{shortest}, {longest}]: {worst:e} > {tolerance:e}");
                    assert!(count <= 500, "{count} exponentials");
                }
            }
        }
    }
}
