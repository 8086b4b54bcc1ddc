//! Orders above 1 as pairs of equations: with z = y′, D^α y = f is y′ = z and D^(α−1) z = f.
//!
//! The kernel of an order above 1 grows, and a sum of decaying exponentials cannot approximate it. Both orders of the
//! pair are at most 1.

use super::error::OdeError;
use super::problem::System;

/// The equations of an order above 1; each gets its slope as one more equation, after all others.
pub(super) struct Split {
    pairs: Vec<usize>,
}

impl Split {
    pub(super) fn new(orders: &[f64]) -> Split {
        Split { pairs: (0..orders.len()).filter(|&i| orders[i] > 1.0).collect() }
    }

    /// The right-hand side of the pairs, from a state of all equations.
    pub(super) fn rate(&self, system: &System<'_>, elapsed: f64, state: &[f64], rate: &mut [f64]) {
        let equations = system.equations();
        let (state, slopes) = state.split_at(equations);
        let (rate, slope_rates) = rate.split_at_mut(equations);
        system.rate_unchecked(elapsed, state, rate);
        for (k, &i) in self.pairs.iter().enumerate() {
            slope_rates[k] = rate[i];
            rate[i] = slopes[k];
        }
    }

    /// The Jacobian of [`Split::rate`].
    pub(super) fn jacobian(&self, system: &System<'_>, elapsed: f64, state: &[f64], jacobian: &mut [f64]) {
        let (equations, all) = (system.equations(), state.len());
        let mut inner = vec![0.0; equations * equations];
        let mut rate = vec![0.0; equations];
        system.rate_unchecked(elapsed, &state[..equations], &mut rate);
        system.jacobian(elapsed, &state[..equations], &rate, &mut inner);
        jacobian.fill(0.0);
        let rows = inner.chunks_exact(equations).enumerate();
        for (i, row) in rows {
            let place = self.pairs.iter().position(|&pair| pair == i).map_or(i, |k| {
                jacobian[i * all + equations + k] = 1.0;
                equations + k
            });
            jacobian[place * all..][..equations].copy_from_slice(row);
        }
    }

    /// The orders, initial values and slopes of the pairs.
    pub(super) fn lists(&self, system: &System<'_>) -> [Vec<f64>; 3] {
        let (mut orders, mut initial) = (system.orders.clone(), system.initial.clone());
        for &i in &self.pairs {
            orders.push(orders[i] - 1.0);
            orders[i] = 1.0;
            initial.push(system.slopes[i]);
        }
        let slopes = vec![0.0; orders.len()];
        [orders, initial, slopes]
    }

    /// An error of the pairs, whose time counts from the start, as an error of the system.
    pub(super) fn translate(&self, system: &System<'_>, mut error: OdeError) -> OdeError {
        match &mut error {
            OdeError::Diverged { t, equation } => {
                *t += system.start;
                if *equation >= system.equations() {
                    *equation = self.pairs[*equation - system.equations()];
                }
            }
            OdeError::NotConverged { t, .. }
            | OdeError::StepTooSmall { t, .. }
            | OdeError::TooManySteps { t, .. }
            | OdeError::Timeout { t }
            | OdeError::Cancelled { t } => *t += system.start,
            OdeError::Order { .. }
            | OdeError::Length { .. }
            | OdeError::Shape { .. }
            | OdeError::NotFinite { .. }
            | OdeError::Setting { .. }
            | OdeError::Span { .. }
            | OdeError::Steps { .. }
            | OdeError::Outside { .. }
            | OdeError::OutOfMemory { .. }
            | OdeError::Array(_) => {}
        }
        error
    }
}
