//! The weights of derivatives of Atangana and Baleanu: means of the kernel E_α(−λ·t^α) over the steps.
//!
//! In: an order, a step, how many. Out: weights. The first ones are differences of the kernel's integral; later ones, where
//! these would cancel, are interpolated by Chebyshev polynomials in ln t, since the function takes microseconds.

use crate::special::mittag_leffler;
use std::f64::consts::PI;

/// From this step on, the means are interpolated: Gauss's rule for a step is then as accurate as the function.
const INTERPOLATED_FROM: usize = 64;
/// Chebyshev nodes of an octave: the kernel is analytic for |Im ln t| ≤ π/2, which makes the error 1e-18.
const NODES: usize = 20;

/// The means of E_α(−α/(1 − α)·t^α) over steps 0, 1, ….
pub(super) fn means(order: f64, step: f64, count: usize) -> Vec<f64> {
    let rate = order / (1.0 - order) * step.powf(order);
    let kernel = |s: f64, b: f64| {
        // Arguments are never outside the function's domain.
        mittag_leffler(order, b, -rate * s.powf(order)).unwrap_or(f64::NAN)
    };
    let mut means = Vec::with_capacity(count);
    let mut before = 0.0;
    for j in 0..count.min(INTERPOLATED_FROM) {
        let s = (j + 1) as f64;
        let integral = s * kernel(s, 2.0);
        means.push(integral - before);
        before = integral;
    }
    // Gauss's rule of three points for the step that begins at s.
    let mean = |s: f64| {
        let side = 0.5 * 0.6f64.sqrt();
        (5.0 * kernel(s + 0.5 - side, 1.0) + 8.0 * kernel(s + 0.5, 1.0) + 5.0 * kernel(s + 0.5 + side, 1.0)) / 18.0
    };
    let mut start = INTERPOLATED_FROM;
    while start < count {
        let coefficients = chebyshev(|x| mean(start as f64 * (0.5 * (x + 1.0)).exp2()));
        let octave = start..count.min(2 * start);
        means.extend(octave.map(|j| evaluated(&coefficients, 2.0 * (j as f64 / start as f64).log2() - 1.0)));
        start *= 2;
    }
    means
}

/// The coefficients of the Chebyshev polynomials that interpolate a function on [−1, 1].
fn chebyshev(f: impl Fn(f64) -> f64) -> [f64; NODES] {
    let angles: [f64; NODES] = std::array::from_fn(|k| PI * (k as f64 + 0.5) / NODES as f64);
    let values = angles.map(|angle| f(angle.cos()));
    std::array::from_fn(|degree| {
        let sum: f64 = angles.iter().zip(values).map(|(angle, value)| value * (degree as f64 * angle).cos()).sum();
        sum * if degree == 0 { 1.0 } else { 2.0 } / NODES as f64
    })
}

/// The sum of Chebyshev polynomials at x, by Clenshaw's recurrence.
fn evaluated(coefficients: &[f64; NODES], x: f64) -> f64 {
    let (mut this, mut next) = (0.0, 0.0);
    for &coefficient in coefficients[1..].iter().rev() {
        (this, next) = (2.0 * x * this - next + coefficient, this);
    }
    x * this - next + coefficients[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integral of the kernel from 0 to `s` steps.
    fn integral(order: f64, step: f64, s: f64) -> f64 {
        let rate = order / (1.0 - order) * step.powf(order);
        s * mittag_leffler(order, 2.0, -rate * s.powf(order)).expect("the argument is a number")
    }

    #[test]
    fn means_add_up_to_the_integral_of_the_kernel() {
        for (order, step) in [(0.01, 1e-3), (0.3, 1e-6), (0.5, 0.1), (0.9, 1e-4), (0.999, 1e-2), (0.5, 1e3)] {
            let means = means(order, step, 300_000);
            for count in [1, 63, 64, 65, 127, 128, 5000, 65_536, 300_000] {
                let (sum, expected) = (means[..count].iter().sum::<f64>(), integral(order, step, count as f64));
                let error = (sum / expected - 1.0).abs();
                assert!(error < 1e-12, "order {order}, step {step}, {count} means: {sum} for {expected}");
            }
            // Differences of the integral lose digits, but not all.
            for k in [64usize, 100, 1000, 40_000, 299_999] {
                let difference = integral(order, step, k as f64 + 1.0) - integral(order, step, k as f64);
                let error = (means[k] - difference).abs() / integral(order, step, k as f64);
                assert!(error < 1e-13, "order {order}, step {step}, mean {k}: {} for {difference}", means[k]);
            }
        }
    }
}
