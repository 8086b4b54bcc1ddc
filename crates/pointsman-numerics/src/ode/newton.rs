//! [`StepEquations`], y = known + factor·f(t, y), and damped Newton iterations for them.

use super::error::OdeError;
use super::problem::System;

/// The most iterations of a step.
const ITERATIONS_MAX: usize = 50;
/// The most times that a correction is halved.
const HALVINGS_MAX: usize = 20;
/// Corrections below this part of the numbers that a solution is the sum of are rounding.
const ACCURACY: f64 = 1e-14;
/// If corrections no longer shrink, the iteration ends where they are below this part.
const STAGNATION: f64 = 1e-9;

/// The equations of an implicit step, which ends `elapsed` after the start.
pub(super) struct StepEquations<'s> {
    pub(super) system: &'s System<'s>,
    pub(super) elapsed: f64,
    /// What the initial values and earlier steps give.
    pub(super) known: &'s [f64],
    /// The factors of the right-hand side.
    pub(super) factors: &'s [f64],
}

impl StepEquations<'_> {
    /// Writes the residuals; returns the largest one, or NaN if one is not finite.
    fn residual(&self, residuals: &mut [f64], state: &[f64], rate: &[f64]) -> f64 {
        for (i, residual) in residuals.iter_mut().enumerate() {
            *residual = state[i] - self.known[i] - self.factors[i] * rate[i];
        }
        if !is_finite(residuals) {
            return f64::NAN;
        }
        residuals.iter().fold(0.0, |largest, residual| f64::max(largest, residual.abs()))
    }

    /// Writes the Jacobian of the residuals: 1 − factor·∂f/∂y.
    fn jacobian(&self, matrix: &mut [f64], state: &[f64], rate: &[f64]) {
        self.system.jacobian(self.elapsed, state, rate, matrix);
        let equations = state.len();
        for (i, row) in matrix.chunks_exact_mut(equations).enumerate() {
            row.iter_mut().for_each(|entry| *entry *= -self.factors[i]);
            row[i] += 1.0;
        }
    }

    /// The largest correction, relative to the numbers that the solution is the sum of.
    fn size(&self, correction: &[f64], state: &[f64], rate: &[f64]) -> f64 {
        (0..state.len()).fold(0.0, |size, i| {
            let scale = state[i].abs() + self.known[i].abs() + (self.factors[i] * rate[i]).abs();
            let part = if correction[i] == 0.0 { 0.0 } else { correction[i].abs() / scale };
            f64::max(size, part)
        })
    }

    fn not_converged(&self, iterations: usize, residual: f64) -> OdeError {
        OdeError::NotConverged { t: self.system.start + self.elapsed, iterations, residual }
    }
}

/// Memory for the iterations.
pub(super) struct Newton {
    residual: Vec<f64>,
    trial: Vec<f64>,
    trial_rate: Vec<f64>,
    matrix: Vec<f64>,
    correction: Vec<f64>,
}

impl Newton {
    pub(super) fn new(equations: usize) -> Newton {
        let list = || vec![0.0; equations];
        Newton {
            residual: list(),
            trial: list(),
            trial_rate: list(),
            matrix: vec![0.0; equations * equations],
            correction: list(),
        }
    }

    /// Solves the equations, starting from `state`. Afterwards, `rate` is the right-hand side at the solution.
    pub(super) fn solve(
        &mut self,
        equations: &StepEquations<'_>,
        state: &mut [f64],
        rate: &mut [f64],
    ) -> Result<(), OdeError> {
        let StepEquations { system, elapsed, known, .. } = *equations;
        system.rate_unchecked(elapsed, state, rate);
        if !is_finite(rate) {
            // The first guess may be outside the domain of f; the known part is the only other guess.
            state.copy_from_slice(known);
            system.rate(elapsed, state, rate)?;
        }
        let mut last_size = f64::INFINITY;
        for iteration in 1..=ITERATIONS_MAX {
            let residual = equations.residual(&mut self.residual, state, rate);
            equations.jacobian(&mut self.matrix, state, rate);
            self.correction.iter_mut().zip(&self.residual).for_each(|(correction, residual)| *correction = -residual);
            if !solve_linear(&mut self.matrix, &mut self.correction) {
                return Err(equations.not_converged(iteration, residual));
            }
            let size = equations.size(&self.correction, state, rate);
            if size <= ACCURACY || (size <= STAGNATION && size >= 0.5 * last_size) {
                state.iter_mut().zip(&self.correction).for_each(|(state, correction)| *state += correction);
                return system.rate(elapsed, state, rate);
            }
            last_size = size;
            if !self.advance(equations, residual, state, rate) {
                // At the limit of rounding the residual need not decrease.
                let is_solved = size <= STAGNATION;
                return if is_solved { Ok(()) } else { Err(equations.not_converged(iteration, residual)) };
            }
        }
        let residual = equations.residual(&mut self.residual, state, rate);
        Err(equations.not_converged(ITERATIONS_MAX, residual))
    }

    /// Adds as much of the correction as decreases the residual; `false` if no part of it does.
    fn advance(&mut self, equations: &StepEquations<'_>, residual: f64, state: &mut [f64], rate: &mut [f64]) -> bool {
        let mut part = 1.0;
        for _ in 0..=HALVINGS_MAX {
            let trial = self.trial.iter_mut().zip(state.iter().zip(&self.correction));
            trial.for_each(|(trial, (state, correction))| *trial = state + part * correction);
            equations.system.rate_unchecked(equations.elapsed, &self.trial, &mut self.trial_rate);
            let now = equations.residual(&mut self.residual, &self.trial, &self.trial_rate);
            // Not true of NaN.
            if now < (1.0 - 0.25 * part) * residual {
                state.copy_from_slice(&self.trial);
                rate.copy_from_slice(&self.trial_rate);
                return true;
            }
            part *= 0.5;
        }
        false
    }
}

fn is_finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}

/// Solves a system of linear equations by elimination with partial pivoting: the right side becomes the solution.
/// `false` if the matrix is singular or not finite.
fn solve_linear(matrix: &mut [f64], right: &mut [f64]) -> bool {
    let n = right.len();
    for column in 0..n {
        let mut pivot = column;
        for row in column + 1..n {
            if matrix[row * n + column].abs() > matrix[pivot * n + column].abs() {
                pivot = row;
            }
        }
        let largest = matrix[pivot * n + column];
        if largest == 0.0 || !largest.is_finite() {
            return false;
        }
        if pivot != column {
            (0..n).for_each(|j| matrix.swap(column * n + j, pivot * n + j));
            right.swap(column, pivot);
        }
        for row in column + 1..n {
            let part = matrix[row * n + column] / largest;
            for j in column..n {
                matrix[row * n + j] -= part * matrix[column * n + j];
            }
            right[row] -= part * right[column];
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|j| matrix[row * n + j] * right[j]).sum();
        right[row] = (right[row] - known) / matrix[row * n + row];
    }
    is_finite(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_systems_are_solved_with_pivots_or_found_singular() {
        let mut right = [5.0, 7.0, 3.0];
        assert!(solve_linear(&mut [0.0, 2.0, 1.0, 1.0, 0.0, 2.0, 1.0, 1.0, 0.0], &mut right));
        let [a, b, c] = right;
        assert!((2.0 * b + c - 5.0).abs() + (a + 2.0 * c - 7.0).abs() + (a + b - 3.0).abs() < 1e-14);
        assert!(!solve_linear(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]));
        assert!(!solve_linear(&mut [f64::NAN], &mut [1.0]));
        assert!(!solve_linear(&mut [0.0], &mut [1.0]));
    }
}
