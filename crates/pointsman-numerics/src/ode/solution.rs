//! [`Solution`]: the values of a solution at the times of its steps, and between them.

use super::error::OdeError;
use super::memory::ProblemSize;
use super::problem::System;
use super::receipts::Receipts;
use crate::special::reciprocal_gamma;
use pointsman::Receipt;
use std::ops::Range;

/// The neighbours that [`Solution::at`] interpolates.
const NEIGHBOURS: usize = 4;

/// The solution of a fractional differential equation: its values after each step, and between them by
/// [`Solution::at`].
///
/// ```
/// use pointsman_numerics::ode::{OdeError, Problem, Solver};
///
/// # fn main() -> Result<(), OdeError> {
/// let session = pointsman::Session::open()?;
/// // An order of 1 is an ordinary differential equation.
/// let problem = Problem::new(&[1.0], &[1.0], |_, y, rate| rate[0] = -y[0]);
/// let solution = Solver::pece(1).uniform(&session, &problem, 0.0..1.0, 1000)?;
/// assert_eq!((solution.len(), solution.state(0)), (1001, Some(&[1.0][..])));
/// assert!((solution.at(0.12345)?[0] - (-0.12345f64).exp()).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Solution {
    start: f64,
    /// The times of the states, counted from the start.
    elapsed: Vec<f64>,
    /// The states, one after the other.
    states: Vec<f64>,
    /// For each equation: its order, the slope at the start, and the coefficient of t^α.
    leading: Vec<[f64; 3]>,
    end: f64,
    receipts: Receipts,
}

/// Collects the states of a solution.
pub(super) struct Recorder {
    solution: Solution,
    /// Every so many states are kept.
    every: usize,
    pushed: usize,
    /// The newest state, if it was not kept.
    skipped: Option<f64>,
    skipped_state: Vec<f64>,
}

impl Recorder {
    /// A recorder with memory for this many steps, which holds the initial state; `rate` is the right-hand side there.
    pub(super) fn new(system: &System<'_>, rate: &[f64], steps: usize, every: usize) -> Result<Recorder, OdeError> {
        if every == 0 {
            return Err(OdeError::Setting { name: "the distance of kept states", value: 0.0, allowed: "at least 1" });
        }
        let equations = system.equations();
        let size = ProblemSize { steps, equations };
        let kept = steps / every + 2;
        let mut elapsed = size.reserve(kept)?;
        let mut states = size.reserve(kept.saturating_mul(equations))?;
        elapsed.push(0.0);
        states.extend_from_slice(&system.initial);
        let leading = |i: usize| {
            let order = system.orders[i];
            [order, system.slopes[i], rate[i] * reciprocal_gamma(order + 1.0)]
        };
        let leading = (0..equations).map(leading).collect();
        let solution = Solution {
            start: system.start,
            elapsed,
            states,
            leading,
            end: system.start,
            receipts: Receipts::default(),
        };
        Ok(Recorder { solution, every, pushed: 0, skipped: None, skipped_state: vec![0.0; equations] })
    }

    /// Appends a state, whose first numbers are those of the system.
    pub(super) fn push(&mut self, elapsed: f64, state: &[f64]) -> Result<(), OdeError> {
        let equations = self.skipped_state.len();
        let state = &state[..equations];
        self.pushed += 1;
        if self.pushed.is_multiple_of(self.every) {
            let Solution { elapsed: times, states, .. } = &mut self.solution;
            let reserved = times.try_reserve(1).and_then(|()| states.try_reserve(equations));
            reserved.map_err(|_| ProblemSize { steps: self.pushed, equations }.out_of_memory())?;
            self.solution.elapsed.push(elapsed);
            self.solution.states.extend_from_slice(state);
            self.skipped = None;
        } else {
            self.skipped = Some(elapsed);
            self.skipped_state.copy_from_slice(state);
        }
        Ok(())
    }

    /// The solution, with its last state.
    pub(super) fn finish(mut self, span: &Range<f64>, receipts: Receipts) -> Solution {
        if let Some(elapsed) = self.skipped {
            self.solution.elapsed.push(elapsed);
            self.solution.states.extend_from_slice(&self.skipped_state);
        }
        self.solution.end = span.end;
        self.solution.receipts = receipts;
        self.solution
    }
}

impl Solution {
    /// The number of states: that of the steps, plus 1, unless [`Solver::keep_every`](super::Solver::keep_every) keeps
    /// fewer.
    #[allow(clippy::len_without_is_empty)] // There is always the initial state.
    pub fn len(&self) -> usize {
        self.elapsed.len()
    }

    /// The number of equations.
    pub fn equations(&self) -> usize {
        self.leading.len()
    }

    /// The times of all states. The last one is the end of the span.
    pub fn times(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        let last = self.len() - 1;
        self.elapsed.iter().enumerate().map(
            move |(number, elapsed)| {
                if number == last { self.end } else { self.start + elapsed }
            },
        )
    }

    /// A state: a number for each equation. `None` if there are fewer states.
    pub fn state(&self, number: usize) -> Option<&[f64]> {
        self.states.chunks_exact(self.equations()).nth(number)
    }

    /// All states, one after the other.
    pub fn states(&self) -> &[f64] {
        &self.states
    }

    /// The last state.
    pub fn last(&self) -> &[f64] {
        self.row(self.len() - 1)
    }

    fn row(&self, number: usize) -> &[f64] {
        &self.states[number * self.equations()..][..self.equations()]
    }

    /// The receipt of the last query that the solver ran; `None` if it ran none, as for few steps.
    pub fn receipt(&self) -> Option<&Receipt> {
        self.receipts.last.as_ref()
    }

    /// The receipts of the first queries, 16 at most, that a device failed or refused to answer, so that the next one
    /// did. They say why.
    pub fn failures(&self) -> &[Receipt] {
        &self.receipts.failures
    }

    /// The state at any time of the span.
    ///
    /// The leading terms y(0) + y′(0)·t + f(0)·t^α/Γ(α+1), which are not smooth at the start, are exact. The rest is
    /// interpolated by the cubic polynomial through four neighbouring states, with an error of O(h⁴) where it is smooth
    /// and of O(h^2α) at the start. So the result has the order of the method, from the first step on.
    pub fn at(&self, t: f64) -> Result<Vec<f64>, OdeError> {
        if !(t >= self.start && t <= self.end) {
            return Err(OdeError::Outside { t, start: self.start, end: self.end });
        }
        let elapsed = t - self.start;
        let after = self.elapsed.partition_point(|&node| node < elapsed);
        if self.elapsed.get(after) == Some(&elapsed) || t == self.end {
            return Ok(self.row(after.min(self.len() - 1)).to_vec());
        }
        let count = NEIGHBOURS.min(self.len());
        let first = after.saturating_sub(NEIGHBOURS / 2).min(self.len() - count);
        let nodes = &self.elapsed[first..first + count];
        let weights: Vec<f64> = (0..count).map(|k| lagrange(nodes, k, elapsed)).collect();
        let value = |i: usize| {
            let rest = |k: usize| self.row(first + k)[i] - self.leading(i, nodes[k]);
            self.leading(i, elapsed) + (0..count).map(|k| weights[k] * rest(k)).sum::<f64>()
        };
        Ok((0..self.equations()).map(value).collect())
    }

    /// The terms that are not smooth at the start.
    fn leading(&self, equation: usize, elapsed: f64) -> f64 {
        let [order, slope, coefficient] = self.leading[equation];
        slope * elapsed + coefficient * elapsed.powf(order)
    }
}

/// The polynomial that is 1 at one of the nodes and 0 at the others.
fn lagrange(nodes: &[f64], one: usize, x: f64) -> f64 {
    let others = nodes.iter().enumerate().filter(|(k, _)| *k != one);
    others.map(|(_, node)| (x - node) / (nodes[one] - node)).product()
}
