//! Derivatives and integrals with equal steps as [`LagSum`]s: the weights and the corrections of each definition.
//!
//! In: an order in the domain of its definition, and the size of the axis. Out: weights for a step of 1; those of Atangana
//! and Baleanu depend on the step.

use super::definition::{Past, Scheme};
use super::lag_sum::{Correction, LagSum, Operand, Sides};
use super::powers::{bend, difference, second_difference};
use super::{relaxation, weights};
use crate::special::reciprocal_gamma;
use std::f64::consts::FRAC_PI_2;

/// The derivative of Grünwald and Letnikov; of a negative order, the integral.
pub(super) fn grunwald_letnikov(order: f64, count: usize) -> LagSum {
    LagSum::past(Operand::Values, 1.0, weights::grunwald_letnikov(order, count))
}

/// The derivative of Riemann and Liouville: that of Caputo and the terms of the first point.
pub(super) fn riemann_liouville(order: f64, size: usize) -> LagSum {
    if order < 1.0 {
        let mut sum = caputo(Scheme::L1, order, size, size);
        sum.corrections.push(initial(-order, 1.0 - order, size, vec![(0, 1.0)]));
        return sum;
    }
    let mut sum = caputo(Scheme::SecondDifferences, order, size, size);
    let factor = (3.0 - order) * (2.0 - order);
    sum.corrections.push(initial(-order, factor * (1.0 - order), size, vec![(0, 1.0)]));
    // The first derivative at the first point, times the step, with an error of O(h⁴).
    sum.corrections.push(initial(
        1.0 - order,
        factor,
        size,
        vec![(0, -11.0 / 6.0), (1, 3.0), (2, -1.5), (3, 1.0 / 3.0)],
    ));
    sum
}

/// The derivative of Atangana and Baleanu; only the weights of the last `count` steps are not 0.
pub(super) fn atangana_baleanu(order: f64, step: f64, count: usize) -> LagSum {
    LagSum::past(Operand::Differences, 1.0 / (1.0 - order), relaxation::means(order, step, count))
}

/// The integral of Atangana and Baleanu.
pub(super) fn atangana_baleanu_integral(order: f64, step: f64, size: usize) -> LagSum {
    let mut sum = riemann_liouville_integral(order, size);
    sum.factor *= order * step.powf(order);
    sum.weights[0] += (1.0 - order) / sum.factor;
    sum
}

/// The Riesz derivative of a function that is zero beyond the axis.
pub(super) fn riesz(order: f64, size: usize) -> LagSum {
    LagSum { sides: Sides::Both, ..LagSum::past(Operand::Values, -1.0, weights::centred(order, size)) }
}

/// The Riesz potential of such a function: an integral from the left and one from the right.
pub(super) fn riesz_potential(order: f64, size: usize) -> LagSum {
    let mut sum = riemann_liouville_integral(order, size);
    let mut right: Vec<f64> = sum.corrections.iter().flat_map(|left| left.weights.iter().copied()).collect();
    right.reverse();
    sum.corrections.push(Correction { weights: right, numbers: vec![(size - 1, 1.0)] });
    sum.weights[0] *= 2.0;
    LagSum { sides: Sides::Both, factor: 0.5 * sum.factor / (order * FRAC_PI_2).cos(), ..sum }
}

/// The integral of Riemann and Liouville by the product trapezoidal rule.
pub(super) fn riemann_liouville_integral(order: f64, size: usize) -> LagSum {
    let end = Correction { weights: weights::trapezoid_end(order, size), numbers: vec![(0, 1.0)] };
    let factor = reciprocal_gamma(order + 2.0);
    LagSum { corrections: vec![end], ..LagSum::past(Operand::Values, factor, weights::trapezoid(order, size)) }
}

/// The Marchaud derivative: with weights of the points instead of their differences.
pub(super) fn marchaud(past: Past, order: f64, size: usize) -> LagSum {
    let exponent = 1.0 - order;
    let weight = |k: usize| if k == 0 { 1.0 } else { second_difference(k as f64, exponent) };
    // The first point ends the last interval; the past begins as far away as it is.
    let end = |n: usize| match past {
        Past::Constant => -difference(n as f64, exponent),
        Past::Zero => exponent * (n as f64).powf(-order) - difference(n as f64, exponent),
    };
    let first = Correction { weights: (0..size).map(end).collect(), numbers: vec![(0, 1.0)] };
    let (factor, weights) = (reciprocal_gamma(2.0 - order), (0..size).map(weight).collect());
    LagSum { corrections: vec![first], ..LagSum::past(Operand::Values, factor, weights) }
}

/// The Caputo derivative; only the weights of the last `count` steps are not 0.
pub(super) fn caputo(scheme: Scheme, order: f64, size: usize, count: usize) -> LagSum {
    let factor = reciprocal_gamma(2.0 - order);
    match scheme {
        Scheme::L1 => LagSum::past(Operand::Differences, factor, weights::l1(order, count)),
        Scheme::L12 => {
            // The first interval has the bend of the second one: x_2 − 2·x_1 + x_0 instead of x_1 − x_0.
            let bends = (0..size).map(|n| if n == 0 || n > count { 0.0 } else { bend(n as f64 - 0.5, 1.0 - order) });
            let first = Correction { weights: bends.collect(), numbers: vec![(0, 2.0), (1, -3.0), (2, 1.0)] };
            LagSum {
                corrections: vec![first],
                ..LagSum::past(Operand::Differences, factor, weights::l12(order, count))
            }
        }
        Scheme::L2Sigma => {
            // The last interval is a line, but the weights give each interval the bend of the next one.
            let bends = (0..size).map(|n| {
                let is_there = (1..=count).contains(&n) && size > 1;
                if is_there { -bend(n as f64 + 0.5 - 0.5 * order, 1.0 - order) } else { 0.0 }
            });
            let corrections = if size > 1 {
                vec![Correction { weights: bends.collect(), numbers: vec![(0, -1.0), (1, 1.0)] }]
            } else {
                Vec::new()
            };
            LagSum { corrections, ..LagSum::past(Operand::Differences, factor, weights::l2_sigma(order, count)) }
        }
        Scheme::SecondDifferences => {
            let integral = 2.0 - order;
            let ends = weights::trapezoid_end(integral, size);
            let second = vec![(0, 2.0), (1, -5.0), (2, 4.0), (3, -1.0)];
            LagSum {
                corrections: vec![Correction { weights: ends, numbers: second }],
                ..LagSum::past(
                    Operand::SecondDifferences,
                    reciprocal_gamma(integral + 2.0),
                    weights::trapezoid(integral, count),
                )
            }
        }
    }
}

/// The term factor · n^power of the first numbers of an axis, infinite at 0.
fn initial(power: f64, factor: f64, size: usize, numbers: Vec<(usize, f64)>) -> Correction {
    Correction { weights: (0..size).map(|n| factor * (n as f64).powf(power)).collect(), numbers }
}
