//! Derivatives and integrals with equal steps as [`LagSum`]s: the weights and the corrections of each definition.
//!
//! In: an order in the domain of its definition, and the size of the axis. Out: weights for a step of 1; those of Atangana
//! and Baleanu depend on the step.

use super::definition::{Past, Scheme};
use super::lag_sum::{Correction, First, LagSum, Operand, Sides};
use super::parts::Threads;
use super::powers::{bends, differences, second_differences};
use super::relaxation;
use crate::special::reciprocal_gamma;
use std::f64::consts::FRAC_PI_2;

/// The derivative of Grünwald and Letnikov; of a negative order, the integral.
pub(super) fn grunwald_letnikov(threads: Threads, order: f64, count: usize) -> LagSum {
    LagSum::past(Operand::Values, 1.0, threads.grunwald_letnikov(order, count))
}

/// The derivative of Riemann and Liouville: that of Caputo and the terms of the first point.
pub(super) fn riemann_liouville(threads: Threads, order: f64, size: usize) -> LagSum {
    if order < 1.0 {
        let mut sum = caputo(threads, Scheme::L1, order, size, size);
        sum.corrections.push(initial(-order, 1.0 - order, size, vec![(0, 1.0)]));
        return sum;
    }
    let mut sum = caputo(threads, Scheme::SecondDifferences, order, size, size);
    let factor = (3.0 - order) * (2.0 - order);
    sum.corrections.push(initial(-order, factor * (1.0 - order), size, vec![(0, 1.0)]));
    // The first derivative at the first point, times the step, with an error of O(h⁴).
    let slope = vec![(0, -11.0 / 6.0), (1, 3.0), (2, -1.5), (3, 1.0 / 3.0)];
    sum.corrections.push(initial(1.0 - order, factor, size, slope));
    sum
}

/// The derivative of Atangana and Baleanu; only the weights of the last `count` steps are not 0.
pub(super) fn atangana_baleanu(order: f64, step: f64, count: usize) -> LagSum {
    LagSum::past(Operand::Differences, 1.0 / (1.0 - order), relaxation::means(order, step, count))
}

/// The integral of Atangana and Baleanu.
pub(super) fn atangana_baleanu_integral(threads: Threads, order: f64, step: f64, size: usize) -> LagSum {
    let mut sum = trapezoids(threads, Operand::Values, order, size);
    sum.factor *= order * step.powf(order);
    sum.weights[0] += (1.0 - order) / sum.factor;
    sum
}

/// The Riesz derivative of a function that is zero beyond the axis.
pub(super) fn riesz(threads: Threads, order: f64, size: usize) -> LagSum {
    LagSum { sides: Sides::Both, ..LagSum::past(Operand::Values, -1.0, threads.centred(order, size)) }
}

/// The Riesz potential of such a function: an integral from the left and one from the right.
pub(super) fn riesz_potential(threads: Threads, order: f64, size: usize) -> LagSum {
    let mut sum = trapezoids(threads, Operand::Values, order, size);
    let mut right: Vec<f64> = sum.corrections.iter().flat_map(|left| left.weights.iter().copied()).collect();
    right.reverse();
    sum.corrections.push(Correction { weights: right, numbers: vec![(size - 1, 1.0)] });
    sum.weights[0] *= 2.0;
    LagSum { sides: Sides::Both, factor: 0.5 * sum.factor / (order * FRAC_PI_2).cos(), ..sum }
}

/// The integral of Riemann and Liouville.
pub(super) fn riemann_liouville_integral(threads: Threads, order: f64, size: usize) -> LagSum {
    with_zero_first(trapezoids(threads, Operand::Values, order, size))
}

/// An integral by the product trapezoidal rule.
fn trapezoids(threads: Threads, operand: Operand, order: f64, size: usize) -> LagSum {
    let numbers = match operand {
        Operand::Values | Operand::Differences => vec![(0, 1.0)],
        Operand::SecondDifferences => vec![(0, 2.0), (1, -5.0), (2, 4.0), (3, -1.0)],
    };
    let end = Correction { weights: threads.trapezoid_end(order, size), numbers };
    let (factor, weights) = (reciprocal_gamma(order + 2.0), threads.trapezoid(order, size));
    LagSum { corrections: vec![end], ..LagSum::past(operand, factor, weights) }
}

/// A sum whose corrections only cancel it at the first point: both become exactly 0 there.
fn with_zero_first(mut sum: LagSum) -> LagSum {
    sum.first = First::Zero;
    sum.corrections.iter_mut().for_each(|correction| correction.weights[0] = 0.0);
    sum
}

/// The Marchaud derivative: with weights of the points instead of their differences.
pub(super) fn marchaud(threads: Threads, past: Past, order: f64, size: usize) -> LagSum {
    let exponent = 1.0 - order;
    // The first point ends the last interval; the past begins as far away as it is.
    let mut ends = differences(threads, 0.0, exponent, size);
    for (n, end) in ends.iter_mut().enumerate() {
        *end = match past {
            Past::Constant => -*end,
            Past::Zero => exponent * (n as f64).powf(-order) - *end,
        };
    }
    let first = Correction { weights: ends, numbers: vec![(0, 1.0)] };
    let weights = second_differences(threads, exponent, size);
    LagSum { corrections: vec![first], ..LagSum::past(Operand::Values, reciprocal_gamma(2.0 - order), weights) }
}

/// The Caputo derivative; only the weights of the last `count` steps are not 0.
pub(super) fn caputo(threads: Threads, scheme: Scheme, order: f64, size: usize, count: usize) -> LagSum {
    let factor = reciprocal_gamma(2.0 - order);
    match scheme {
        Scheme::L1 => {
            LagSum { first: First::Zero, ..LagSum::past(Operand::Differences, factor, threads.l1(order, count)) }
        }
        Scheme::L12 => {
            // The first interval has the bend of the second one: x_2 − 2·x_1 + x_0 instead of x_1 − x_0.
            let bends = first_bends(threads, 0.5, order, size, count);
            let end = Correction { weights: bends, numbers: vec![(0, 2.0), (1, -3.0), (2, 1.0)] };
            let sum = LagSum::past(Operand::Differences, factor, threads.l12(order, count));
            with_zero_first(LagSum { corrections: vec![end], ..sum })
        }
        Scheme::L2Sigma if size == 1 => caputo(threads, Scheme::L1, order, size, count),
        Scheme::L2Sigma => {
            // The last interval is a line, but the weights give each interval the bend of the next one.
            let bends = first_bends(threads, 1.5 - 0.5 * order, order, size, count);
            let end = Correction { weights: bends, numbers: vec![(0, 1.0), (1, -1.0)] };
            let sum = LagSum::past(Operand::Differences, factor, threads.l2_sigma(order, count));
            with_zero_first(LagSum { corrections: vec![end], ..sum })
        }
        Scheme::SecondDifferences => {
            with_zero_first(trapezoids(threads, Operand::SecondDifferences, 2.0 - order, size))
        }
    }
}

/// The bends of the first interval by the number of steps since, 0 where it has left the window: the first one is at
/// `middle`.
fn first_bends(threads: Threads, middle: f64, order: f64, size: usize, count: usize) -> Vec<f64> {
    let mut all = vec![0.0];
    all.extend(bends(threads, middle, 1.0 - order, count.min(size - 1)));
    all.resize(size, 0.0);
    all
}

/// The term factor · n^power of the first numbers of an axis, infinite at 0.
fn initial(power: f64, factor: f64, size: usize, numbers: Vec<(usize, f64)>) -> Correction {
    Correction { weights: (0..size).map(|n| factor * (n as f64).powf(power)).collect(), numbers }
}
