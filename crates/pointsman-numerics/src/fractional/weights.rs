//! Weights of discrete fractional derivatives and integrals, as plain numbers in double precision.
//!
//! In: an order and how many weights. Out: weights for a step of 1, without the factor of the step and of Γ, which the
//! formulas beside each function show. Nothing here checks its arguments or reads an array. No weight is a difference of
//! nearly equal numbers, so each has a small relative error, a million steps away, too. Long sequences are made on all
//! threads of the process or the session, with the same bits on any number of them.

use super::parts::{PART, Threads};
use super::powers::{FACTORS, bends, differences, running_products, second_differences, second_remainders};

/// The weights of larger orders are products from the first one to the last: the expansion has errors above their rounding
/// errors, and some numbers may overflow.
const LARGE_ORDER: f64 = 32.0;

/// The first Grünwald–Letnikov weights of any order: h^(−order) · Σ w_k · x(t − k·h) is the derivative; of a negative
/// order, the integral. w_k = w_(k−1)·(1 − (order + 1)/k); the rounding errors of the products grow like √k.
#[must_use]
pub fn grunwald_letnikov(order: f64, count: usize) -> Vec<f64> {
    Threads::all().grunwald_letnikov(order, count)
}

/// The weights of a Caputo derivative of an order between 0 and 1 by the scheme L1:
/// h^(−order)/Γ(2 − order) · Σ w_k · (x(t − k·h) − x(t − (k+1)·h)), with w_k = (k+1)^(1−order) − k^(1−order).
#[must_use]
pub fn l1(order: f64, count: usize) -> Vec<f64> {
    Threads::all().l1(order, count)
}

/// The weights of the scheme L1-2, with the factor and the differences of [`l1`]: those of L1, and the bends of the
/// parabolas through three neighbours. The first interval of the axis has no parabola; see
/// [`Scheme::L12`](super::Scheme::L12).
#[must_use]
pub fn l12(order: f64, count: usize) -> Vec<f64> {
    Threads::all().l12(order, count)
}

/// The weights of the scheme L2-1σ with σ = 1 − order/2, with the factor and the differences of [`l1`]: the derivative at
/// the point before, plus σ steps. The first interval needs a correction; see [`Scheme::L2Sigma`](super::Scheme::L2Sigma).
#[must_use]
pub fn l2_sigma(order: f64, count: usize) -> Vec<f64> {
    Threads::all().l2_sigma(order, count)
}

/// The symmetric weights w_0, w_1 = w_(−1), … of a Riesz derivative by fractional centred differences:
/// −h^(−order) · Σ w_k · x(t − k·h) over all k of both signs, w_k = (−1)^k·Γ(order + 1)/(Γ(order/2 − k + 1)·
/// Γ(order/2 + k + 1)).
#[must_use]
pub fn centred(order: f64, count: usize) -> Vec<f64> {
    Threads::all().centred(order, count)
}

/// The weights of an integral of a positive order by the product trapezoidal rule, which is exact for lines between the
/// points: h^order/Γ(order + 2) · (Σ w_k · x(t − k·h) + c_n · x(0)) with [`trapezoid_end`] as c_n.
#[must_use]
pub fn trapezoid(order: f64, count: usize) -> Vec<f64> {
    Threads::all().trapezoid(order, count)
}

/// The corrections of [`trapezoid`] for the first point of the axis, by the number of steps since.
#[must_use]
pub fn trapezoid_end(order: f64, count: usize) -> Vec<f64> {
    Threads::all().trapezoid_end(order, count)
}

impl Threads {
    pub(super) fn grunwald_letnikov(self, order: f64, count: usize) -> Vec<f64> {
        products(self, order, 1.0, -0.5 * order, count, |k| 1.0 - (order + 1.0) / k)
    }

    pub(super) fn l1(self, order: f64, count: usize) -> Vec<f64> {
        differences(self, 0.0, 1.0 - order, count)
    }

    pub(super) fn l12(self, order: f64, count: usize) -> Vec<f64> {
        let exponent = 1.0 - order;
        with_bends(differences(self, 0.0, exponent, count), &bends(self, 0.5, exponent, count))
    }

    pub(super) fn l2_sigma(self, order: f64, count: usize) -> Vec<f64> {
        let (sigma, exponent) = (1.0 - 0.5 * order, 1.0 - order);
        let mut weights = differences(self, sigma, exponent, count);
        // The last interval ends after σ steps.
        weights.insert(0, sigma.powf(exponent));
        weights.truncate(count);
        with_bends(weights, &bends(self, 0.5 + sigma, exponent, count))
    }

    pub(super) fn centred(self, order: f64, count: usize) -> Vec<f64> {
        let half = crate::special::reciprocal_gamma(0.5 * order + 1.0);
        let first = crate::special::gamma(order + 1.0) * half * half;
        products(self, order, first, 0.0, count, |k| 1.0 - (order + 1.0) / (0.5 * order + k))
    }

    pub(super) fn trapezoid(self, order: f64, count: usize) -> Vec<f64> {
        second_differences(self, order + 1.0, count)
    }

    pub(super) fn trapezoid_end(self, order: f64, count: usize) -> Vec<f64> {
        second_remainders(self, order + 1.0, count).into_iter().map(|remainder| -remainder).collect()
    }
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

/// `first`, then each weight times the factor of the next: Γ(m − order/2)/Γ(m + order/2 + 1) at the places m = k + middle,
/// apart from a constant factor.
fn products(
    threads: Threads,
    order: f64,
    first: f64,
    middle: f64,
    count: usize,
    factor: impl Fn(f64) -> f64 + Sync,
) -> Vec<f64> {
    let mut weights = vec![0.0; count];
    if order.abs() > LARGE_ORDER {
        fill_products(first, 0, &mut weights, factor);
        return weights;
    }
    let (near, far) = weights.split_at_mut(count.min(PART));
    let next = fill_products(first, 0, near, &factor);
    threads.fill(far, |start, weights| {
        let start = PART + start;
        let growth = growth(order, PART as f64 + middle, start as f64 + middle);
        fill_products(next * growth, start, weights, &factor);
    });
    weights
}

/// Fills in the weights from place `start` on, the first of which is `weight`. The weight after them, if their number is a
/// multiple of [`FACTORS`].
fn fill_products(mut weight: f64, start: usize, weights: &mut [f64], factor: impl Fn(f64) -> f64) -> f64 {
    let group_from = |weight: f64, group: usize| -> ([f64; FACTORS], f64) {
        let before = start + group * FACTORS;
        let products = running_products(std::array::from_fn(|k| factor((before + k + 1) as f64)));
        let group = std::array::from_fn(|k| if k == 0 { weight } else { weight * products[k - 1] });
        (group, weight * products[FACTORS - 1])
    };
    let (groups, rest) = weights.as_chunks_mut();
    for (group, weights) in groups.iter_mut().enumerate() {
        (*weights, weight) = group_from(weight, group);
    }
    rest.copy_from_slice(&group_from(weight, groups.len()).0[..rest.len()]);
    weight
}

/// The quotient of Γ(m − order/2)/Γ(m + order/2 + 1) at m = `to` and m = `from`, both far greater than the order: the
/// expansion of Tricomi and Erdélyi, m^(−order − 1)·(1 + c_1/m² + c_2/m⁴ + …).
fn growth(order: f64, from: f64, to: f64) -> f64 {
    let rising = |count: u32| (0..count).map(|i| order + f64::from(i)).product::<f64>();
    let (c1, c2) = (rising(3) / 24.0, rising(5) * (5.0 * order - 2.0) / 5760.0);
    let series = |m: f64| 1.0 + (c1 + c2 / (m * m)) / (m * m);
    (to / from).powf(-order - 1.0) * series(to) / series(from)
}
