//! [`Exponentials`]: the kernel t^(α−1)/Γ(α), 0 < α ≤ 1, as a sum of decaying exponentials, within a relative tolerance
//! on [δ, T].
//!
//! With β = 1 − α, t^(−β) = 1/Γ(β)·∫ e^(βx − t·e^x) dx over the real line. The trapezoidal rule with the distance h has
//! the relative error 2·Σ |Γ(β + 2πik/h)|/Γ(β), which falls as e^(−π²/h). Nodes with e^x far above 1/δ contribute
//! nothing. Those with e^x far below 1/T make a geometric series: one exponential with its sum and its first moment
//! replaces them. So O(log(1/ε)·(log(T/δ) + log(1/ε))) exponentials are enough.

use crate::special::{gamma, reciprocal_gamma};
use std::f64::consts::PI;

/// The smallest tolerance: sums of exponentials have rounding errors of about this size.
pub(super) const TOLERANCE_MIN: f64 = 1e-14;
/// The largest tolerance.
pub(super) const TOLERANCE_MAX: f64 = 0.1;

/// The exponents and weights of a sum Σ w·e^(−s·t).
#[derive(Clone, Debug)]
pub(super) struct Exponentials {
    pub(super) exponents: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

impl Exponentials {
    /// The sum for an order α, on [`shortest`, `longest`].
    pub(super) fn new(order: f64, tolerance: f64, [shortest, longest]: [f64; 2]) -> Exponentials {
        let beta = 1.0 - order;
        if beta <= 0.0 {
            return Exponentials { exponents: vec![0.0], weights: vec![1.0] };
        }
        // The tolerance is shared by the rule, the nodes left out above, and those replaced below.
        let part = tolerance / 3.0;
        let distance = node_distance(beta, part);
        let last = (((1.0 / part).ln() + 2.0).ln() - shortest.ln()) / distance;
        let first = ((part * gamma(beta)).ln() / (2.0 + beta) - longest.ln()) / distance;
        let (first, last) = (first.floor() as i64, last.ceil() as i64);
        let scale = distance * reciprocal_gamma(beta) * reciprocal_gamma(order);
        let place = |k: i64| k as f64 * distance;
        // Σ e^(βx) and Σ e^((β+1)x) over the nodes before the first one.
        let sum = (beta * place(first)).exp() / (beta * distance).exp_m1();
        let moment = ((beta + 1.0) * place(first)).exp() / ((beta + 1.0) * distance).exp_m1();
        let nodes = || (first..=last).map(place);
        Exponentials {
            exponents: std::iter::once(moment / sum).chain(nodes().map(f64::exp)).collect(),
            weights: std::iter::once(sum)
                .chain(nodes().map(|x| (beta * x).exp()))
                .map(|weight| scale * weight)
                .collect(),
        }
    }
}

/// The greatest distance of nodes for which the relative error of the trapezoidal rule is below `part`.
fn node_distance(beta: f64, part: f64) -> f64 {
    // |Γ(β + iy)| is at most 1.1·√(2π)·y^(β−1/2)·e^(−πy/2) for β ≤ 1 and y ≥ 2; the second alias is far smaller.
    let error = |distance: f64| {
        let y = 2.0 * PI / distance;
        2.5 * (2.0 * PI).sqrt() * y.powf(beta - 0.5) * (-0.5 * PI * y).exp() * reciprocal_gamma(beta)
    };
    let mut distance = 2.0;
    while error(distance) > part {
        distance *= 0.98;
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_within_its_tolerance_on_its_interval() {
        for order in [0.01, 0.1, 0.5, 0.8, 0.99, 0.999_999, 1.0] {
            for tolerance in [1e-2, 1e-4, 1e-6, 1e-9, 1e-12, 1e-13] {
                for (shortest, longest) in [(1.0, 2.0), (1e-3, 1.0), (1e-6, 10.0), (1e-30, 1.0), (1.0, 1e9)] {
                    let sum = Exponentials::new(order, tolerance, [shortest, longest]);
                    let mut worst = 0.0f64;
                    for k in 0..=300 {
                        let t = shortest * f64::powf(longest / shortest, f64::from(k) / 300.0);
                        let kernel = t.powf(order) / t * reciprocal_gamma(order);
                        let terms = sum.exponents.iter().zip(&sum.weights);
                        let value: f64 = terms.map(|(s, w)| w * (-s * t).exp()).sum();
                        worst = worst.max((value / kernel - 1.0).abs());
                    }
                    let count = sum.exponents.len();
                    assert!(worst <= tolerance, "order {order}, [{shortest}, {longest}]: {worst:e} > {tolerance:e}");
                    assert!(count <= 500, "{count} exponentials");
                }
            }
        }
    }
}
