//! Derivatives on a uniform grid as [`LagSum`]s: the weights and the corrections of each definition.
//!
//! In: a definition, an order in its domain, the size of the axis. Out: weights for a step of 1, and the factor that
//! they are multiplied by for another step.

use super::definition::{Definition, Scheme};
use super::lag_sum::{Correction, LagSum, Operand};
use super::powers::bend;
use super::weights;
use crate::special::reciprocal_gamma;

/// The weights of a derivative for `size` points; a window keeps those of its steps.
pub(super) fn derivative(definition: Definition, order: f64, size: usize, window: Option<usize>) -> LagSum {
    let count = window.map_or(size, |steps| steps.min(size));
    match definition {
        Definition::GrunwaldLetnikov => {
            LagSum::past(Operand::Values, weights::grunwald_letnikov(order, count.saturating_add(1).min(size)))
        }
        Definition::RiemannLiouville if order < 1.0 => {
            let mut sum = caputo(Scheme::L1, order, size, count);
            sum.corrections.push(initial(-order, 1.0 - order, size, vec![(0, 1.0)]));
            sum
        }
        Definition::RiemannLiouville => {
            let mut sum = caputo(Scheme::SecondDifferences, order, size, count);
            let factor = (3.0 - order) * (2.0 - order);
            sum.corrections.push(initial(-order, factor * (1.0 - order), size, vec![(0, 1.0)]));
            // The first derivative at 0, times the step, with an error of O(h³).
            let slope = vec![(0, -1.5), (1, 2.0), (2, -0.5)];
            sum.corrections.push(initial(1.0 - order, factor, size, slope));
            sum
        }
        Definition::Caputo(scheme) => caputo(scheme, order, size, count),
    }
}

/// The factor of the weights of a derivative.
pub(super) fn derivative_scale(definition: Definition, order: f64, step: f64) -> f64 {
    let gamma = match definition {
        Definition::GrunwaldLetnikov => 1.0,
        Definition::RiemannLiouville if order < 1.0 => reciprocal_gamma(2.0 - order),
        Definition::RiemannLiouville => reciprocal_gamma(4.0 - order),
        Definition::Caputo(Scheme::L1 | Scheme::L12 | Scheme::L2Sigma) => reciprocal_gamma(2.0 - order),
        Definition::Caputo(Scheme::SecondDifferences) => reciprocal_gamma(4.0 - order),
    };
    step.powf(-order) * gamma
}

/// The weights of a Caputo derivative; `count` of them are not 0.
fn caputo(scheme: Scheme, order: f64, size: usize, count: usize) -> LagSum {
    match scheme {
        Scheme::L1 => LagSum::past(Operand::Differences, weights::l1(order, count)),
        Scheme::L12 => {
            // The first interval has the bend of the second one: x_2 − 2·x_1 + x_0 instead of x_1 − x_0.
            let bends = (0..size).map(|n| if n == 0 || n > count { 0.0 } else { bend(n as f64 - 0.5, 1.0 - order) });
            let first = Correction { weights: bends.collect(), numbers: vec![(0, 2.0), (1, -3.0), (2, 1.0)] };
            LagSum { corrections: vec![first], ..LagSum::past(Operand::Differences, weights::l12(order, count)) }
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
            LagSum { corrections, ..LagSum::past(Operand::Differences, weights::l2_sigma(order, count)) }
        }
        Scheme::SecondDifferences => {
            let integral = 2.0 - order;
            let ends = weights::trapezoid_end(integral, size);
            let second = vec![(0, 2.0), (1, -5.0), (2, 4.0), (3, -1.0)];
            LagSum {
                corrections: vec![Correction { weights: ends, numbers: second }],
                ..LagSum::past(Operand::SecondDifferences, weights::trapezoid(integral, count))
            }
        }
    }
}

/// The term factor · n^power of the first numbers of an axis, infinite at 0.
fn initial(power: f64, factor: f64, size: usize, numbers: Vec<(usize, f64)>) -> Correction {
    Correction { weights: (0..size).map(|n| factor * (n as f64).powf(power)).collect(), numbers }
}
