//! The weights of product integration on a uniform grid, for one order α and the step 1; a factor h^α/Γ scales them.
//!
//! All of them are integrals of (n − s)^(α−1), and close to differences of powers that cancel: at n = 10^5 the second
//! difference of n^(α+1) has lost all digits. So they are computed as n^(α−1) times a series in 1/n whose terms hardly
//! cancel, with a relative error of a few units in the last place for every n.

use crate::special::reciprocal_gamma;

/// Terms below this part of their sum are not added.
const NEGLIGIBLE: f64 = 1e-17;
/// The most terms of a series: at n = 2, where it converges slowest, 48 terms reach [`NEGLIGIBLE`].
const TERMS_MAX: usize = 64;

/// The weights of one order.
pub(super) struct Weights {
    order: f64,
    /// The binomial coefficients of (1 + x)^(α−1).
    binomial: [f64; TERMS_MAX],
}

impl Weights {
    pub(super) fn new(order: f64) -> Weights {
        let mut binomial = [1.0; TERMS_MAX];
        for k in 1..TERMS_MAX {
            binomial[k] = binomial[k - 1] * ((order - k as f64) / k as f64);
        }
        Weights { order, binomial }
    }

    /// n^(α−1): dividing is exact where rounding α − 1 is not.
    fn power(&self, n: f64) -> f64 {
        n.powf(self.order) / n
    }

    /// Σ binomial · x^k · `factor(k)` over every `stride`-th k.
    fn series(&self, x: f64, stride: usize, factor: impl Fn(f64) -> f64) -> f64 {
        let ratio = if stride == 2 { x * x } else { x };
        let (mut sum, mut power) = (0.0, 1.0);
        for (k, binomial) in self.binomial.iter().enumerate().step_by(stride) {
            let term = binomial * power * factor(k as f64);
            sum += term;
            if term.abs() <= NEGLIGIBLE * sum {
                break;
            }
            power *= ratio;
        }
        sum
    }

    /// The weight of a value `lag` ≥ 1 steps back in the rectangle rule: lag^α − (lag−1)^α. Its factor is h^α/Γ(α+1).
    pub(super) fn rectangle(&self, lag: usize) -> f64 {
        if lag == 1 {
            return 1.0;
        }
        let n = lag as f64;
        self.order * self.power(n) * self.series(-1.0 / n, 1, |k| 1.0 / (k + 1.0))
    }

    /// The weight of a value `lag` steps back in the trapezoidal rule: (lag+1)^(α+1) − 2·lag^(α+1) + (lag−1)^(α+1), and
    /// 1 for the newest value. Its factor is h^α/Γ(α+2).
    pub(super) fn trapezoid(&self, lag: usize) -> f64 {
        match lag {
            0 => 1.0,
            1 => 2.0 * (self.order * std::f64::consts::LN_2).exp_m1(),
            _ => {
                let n = lag as f64;
                let series = self.series(1.0 / n, 2, |k| 2.0 / ((k + 1.0) * (k + 2.0)));
                self.order * (self.order + 1.0) * self.power(n) * series
            }
        }
    }

    /// The weight of the first value in the trapezoidal rule after `steps` ≥ 1 steps: (steps−1)^(α+1) −
    /// (steps−1−α)·steps^α. Its factor is h^α/Γ(α+2).
    pub(super) fn trapezoid_start(&self, steps: usize) -> f64 {
        if steps == 1 {
            return self.order;
        }
        let n = steps as f64;
        let series = self.series(-1.0 / n, 1, |k| 1.0 / ((k + 1.0) * (k + 2.0)));
        self.order * (self.order + 1.0) * self.power(n) * series
    }

    /// The factor of the rectangle rule for a step.
    pub(super) fn rectangle_factor(&self, step: f64) -> f64 {
        step.powf(self.order) * reciprocal_gamma(self.order + 1.0)
    }

    /// The factor of the trapezoidal rule for a step.
    pub(super) fn trapezoid_factor(&self, step: f64) -> f64 {
        step.powf(self.order) * reciprocal_gamma(self.order + 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by `tests/ode/weights.py`.
    const REFERENCE: &str = include_str!("../../tests/ode/weights.csv");
    const BAR: f64 = 1e-14;

    #[test]
    fn weights_agree_with_reference_values_at_every_lag() {
        let (mut worst, mut rows) = (0.0f64, 0);
        for line in REFERENCE.lines().skip(2) {
            let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
            let [order, n, rectangle, trapezoid, start] = cells[..] else { panic!("{line}: five numbers") };
            let (weights, n) = (Weights::new(order), n as usize);
            let pairs = [
                (weights.rectangle(n), rectangle),
                (weights.trapezoid(n), trapezoid),
                (weights.trapezoid_start(n), start),
            ];
            for (weight, expected) in pairs {
                let error = (weight / expected - 1.0).abs();
                assert!(error <= BAR, "order {order}, lag {n}: {weight} instead of {expected}");
                worst = worst.max(error);
            }
            rows += 1;
        }
        assert!(rows > 300, "only {rows} rows");
        eprintln!("{rows} rows, worst relative error {worst:.1e}");
    }

    #[test]
    fn the_weights_of_a_step_add_up_to_the_integral_of_one() {
        for order in [1e-3, 0.3, 0.5, 1.0, 1.7] {
            let weights = Weights::new(order);
            for steps in [1, 2, 7, 63, 64, 65, 1000] {
                let n = steps as f64;
                let rectangle: f64 = (1..=steps).map(|lag| weights.rectangle(lag)).sum();
                assert!((rectangle / n.powf(order) - 1.0).abs() < 1e-13);
                let inner: f64 = (0..steps).map(|lag| weights.trapezoid(lag)).sum();
                let sum = inner + weights.trapezoid_start(steps);
                assert!((sum / ((order + 1.0) * n.powf(order)) - 1.0).abs() < 1e-13, "order {order}, {steps} steps");
            }
        }
    }
}
