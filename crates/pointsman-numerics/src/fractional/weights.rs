//! Weights of discrete fractional derivatives and integrals, as plain numbers in double precision.
//!
//! In: an order and how many weights. Out: weights for a step of 1, without the factor of the step and of Γ, which the
//! formulas beside each function show. Nothing here checks its arguments or reads an array. No weight is a difference of
//! nearly equal numbers, so each has a small relative error, a million steps away, too.

use super::powers::{FACTORS, bends, differences, running_products, second_differences, second_remainders};

/// The first Grünwald–Letnikov weights of any order: h^(−order) · Σ w_k · x(t − k·h) is the derivative; of a negative
/// order, the integral. w_k = w_(k−1)·(1 − (order + 1)/k); the rounding errors of the products grow like √k.
#[must_use]
pub fn grunwald_letnikov(order: f64, count: usize) -> Vec<f64> {
    products(1.0, count, |k| 1.0 - (order + 1.0) / k)
}

/// The weights of a Caputo derivative of an order between 0 and 1 by the scheme L1:
/// h^(−order)/Γ(2 − order) · Σ w_k · (x(t − k·h) − x(t − (k+1)·h)), with w_k = (k+1)^(1−order) − k^(1−order).
#[must_use]
pub fn l1(order: f64, count: usize) -> Vec<f64> {
    differences(0.0, 1.0 - order, count)
}

/// The weights of the scheme L1-2, with the factor and the differences of [`l1`]: those of L1, and the bends of the
/// parabolas through three neighbours. The first interval of the axis has no parabola; see
/// [`Scheme::L12`](super::Scheme::L12).
#[must_use]
pub fn l12(order: f64, count: usize) -> Vec<f64> {
    let exponent = 1.0 - order;
    with_bends(differences(0.0, exponent, count), &bends(0.5, exponent, count))
}

/// The weights of the scheme L2-1σ with σ = 1 − order/2, with the factor and the differences of [`l1`]: the derivative at
/// the point before, plus σ steps. The first interval needs a correction; see [`Scheme::L2Sigma`](super::Scheme::L2Sigma).
#[must_use]
pub fn l2_sigma(order: f64, count: usize) -> Vec<f64> {
    let (sigma, exponent) = (1.0 - 0.5 * order, 1.0 - order);
    let mut weights = differences(sigma, exponent, count);
    // The last interval ends after σ steps.
    weights.insert(0, sigma.powf(exponent));
    weights.truncate(count);
    with_bends(weights, &bends(0.5 + sigma, exponent, count))
}

/// The symmetric weights w_0, w_1 = w_(−1), … of a Riesz derivative by fractional centred differences:
/// −h^(−order) · Σ w_k · x(t − k·h) over all k of both signs, w_k = (−1)^k·Γ(order + 1)/(Γ(order/2 − k + 1)·
/// Γ(order/2 + k + 1)).
#[must_use]
pub fn centred(order: f64, count: usize) -> Vec<f64> {
    let half = crate::special::reciprocal_gamma(0.5 * order + 1.0);
    let first = crate::special::gamma(order + 1.0) * half * half;
    products(first, count, |k| 1.0 - (order + 1.0) / (0.5 * order + k))
}

/// The weights of an integral of a positive order by the product trapezoidal rule, which is exact for lines between the
/// points: h^order/Γ(order + 2) · (Σ w_k · x(t − k·h) + c_n · x(0)) with [`trapezoid_end`] as c_n.
#[must_use]
pub fn trapezoid(order: f64, count: usize) -> Vec<f64> {
    second_differences(order + 1.0, count)
}

/// The corrections of [`trapezoid`] for the first point of the axis, by the number of steps since.
#[must_use]
pub fn trapezoid_end(order: f64, count: usize) -> Vec<f64> {
    second_remainders(order + 1.0, count).into_iter().map(|remainder| -remainder).collect()
}

/// The weights plus the bend of the same interval, minus that of the one before.
fn with_bends(mut weights: Vec<f64>, bends: &[f64]) -> Vec<f64> {
    let mut before = 0.0;
    for (weight, bend) in weights.iter_mut().zip(bends) {
        *weight += bend - before;
        before = *bend;
    }
    weights
}

/// `first`, then each weight times the factor of the next.
fn products(first: f64, count: usize, factor: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut weights = Vec::with_capacity(count + FACTORS);
    let mut weight = first;
    for start in (0..count).step_by(FACTORS) {
        let products = running_products(std::array::from_fn(|k| factor((start + k + 1) as f64)));
        let part: [f64; FACTORS] = std::array::from_fn(|k| if k == 0 { weight } else { weight * products[k - 1] });
        weights.extend_from_slice(&part);
        weight *= products[FACTORS - 1];
    }
    weights.truncate(count);
    weights
}
