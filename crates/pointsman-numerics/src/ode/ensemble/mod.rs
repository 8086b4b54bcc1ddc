//! [`Ensemble`]: many trajectories of one system at once, as queries over all of them.
//!
//! Eight steps of all trajectories are one query with a row per trajectory (`block.rs`). Between blocks, the
//! contribution of a range of steps to as many later steps is one matrix product for all trajectories, or Fourier
//! transforms if the range is long (`history.rs`): the ranges double as in Hairer, Lubich and Schlichte's scheme.
//! States and values stay on the device where a query made them.

mod block;
mod history;

use super::error::{OdeError, check_steps};
use super::limits::{Limits, RunningLimits};
use super::memory::ProblemSize;
use super::problem::{check_orders, check_span};
use crate::array::Array;
use block::{BLOCK, Blocks};
use history::{RuleTables, Rules, join};
use pointsman::{CancellationToken, Expr};
use std::ops::Range;
use std::time::Duration;

/// An ensemble of initial value problems: D^αᵢ yᵢ = fᵢ(t, y, p) for many initial values and parameters p, solved by the
/// predictor–corrector method of [`Solver::pece`](super::Solver::pece) with steps of one length.
///
/// The orders are those of all trajectories. The right-hand side is a closure over expressions, which runs once per
/// query that is built; the session chooses the device of each query. A trajectory whose right-hand side becomes NaN or
/// infinite is NaN or infinite from there on, and the others are not affected.
///
/// ```
/// use pointsman_numerics::Array;
/// use pointsman_numerics::ode::{Ensemble, OdeError};
///
/// # fn main() -> Result<(), OdeError> {
/// let session = pointsman::Session::open()?;
/// // A thousand relaxations with their own rates, from the same start.
/// let initial = Array::ones(&session, &[1000, 1])?;
/// let rates = Array::range(&session, 0.0, 10.0, 0.01)?.reshape(&[1000, 1])?;
/// let solution = Ensemble::new([0.7]).solve(&initial, &rates, 0.0..2.0, 100, |_, [y], [rate]| [-rate * y])?;
/// assert_eq!(solution.component(0)?.shape(), [1000, 101]);
/// assert_eq!(solution.component(0)?.index_axis(0, 0)?.to_vec()?, [1.0; 101]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Ensemble<const D: usize> {
    orders: [f64; D],
    corrections: usize,
    slopes: Option<Array<f64>>,
    limits: Limits,
}

/// The solutions of an [`Ensemble`].
#[derive(Clone, Debug)]
pub struct EnsembleSolution {
    times: Vec<f64>,
    components: Vec<Array<f64>>,
}

impl EnsembleSolution {
    /// The times of the states.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The values of an equation: a row per trajectory and a column per time.
    pub fn component(&self, equation: usize) -> Result<&Array<f64>, OdeError> {
        let (length, list) = (self.components.len(), "the list of equations");
        self.components.get(equation).ok_or(OdeError::Length { list, length, expected: equation.saturating_add(1) })
    }
}

/// The right-hand side, from the time, the state and the parameters.
type RateExpr<'r, const D: usize, const P: usize> =
    dyn Fn(Expr<f64>, [Expr<f64>; D], [Expr<f64>; P]) -> [Expr<f64>; D] + 'r;

/// The most corrections of a step.
const CORRECTIONS_MAX: usize = 32;

/// Which states are kept.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    All,
    Last,
}

/// The arrays that a range of steps gives, each with one array per equation.
struct StepRange {
    /// The right-hand sides; `None` if no later step needs them.
    values: Option<Vec<Array<f64>>>,
    states: Vec<Array<f64>>,
}

impl<const D: usize> Ensemble<D> {
    /// An ensemble with an order for each equation, greater than 0 and less than 2, and one correction per step.
    pub fn new(orders: [f64; D]) -> Ensemble<D> {
        Ensemble { orders, corrections: 1, slopes: None, limits: Limits::default() }
    }

    /// Sets the number of corrections per step, 32 at most: the query of a block contains all of them.
    pub fn corrections(mut self, corrections: usize) -> Ensemble<D> {
        self.corrections = corrections;
        self
    }

    /// Sets y′ at the start, a row per trajectory and a column per equation. Only equations of an order above 1 use it;
    /// without it, it is 0.
    pub fn slopes(mut self, slopes: &Array<f64>) -> Ensemble<D> {
        self.slopes = Some(slopes.clone());
        self
    }

    /// Limits the time of a call, which then fails with [`OdeError::Timeout`]. The query of each
    /// block of 8 steps checks it.
    pub fn deadline(mut self, time: Duration) -> Ensemble<D> {
        self.limits.deadline = Some(time);
        self
    }

    /// Stops a call when this token is cancelled; it then fails with [`OdeError::Cancelled`]. The query of each
    /// block of 8 steps checks it.
    pub fn cancelled_by(mut self, token: &CancellationToken) -> Ensemble<D> {
        self.limits.token = Some(token.clone());
        self
    }

    /// Solves the problems with `steps` steps and keeps all states.
    ///
    /// `initial` has a row per trajectory and a column per equation, `parameters` a row per trajectory and a column per
    /// parameter. The queries run in the session of `initial`. The closure gets the time, the state and the parameters,
    /// and returns the right-hand side.
    pub fn solve<const P: usize>(
        &self,
        initial: &Array<f64>,
        parameters: &Array<f64>,
        span: Range<f64>,
        steps: usize,
        rate: impl Fn(Expr<f64>, [Expr<f64>; D], [Expr<f64>; P]) -> [Expr<f64>; D],
    ) -> Result<EnsembleSolution, OdeError> {
        self.run(initial, parameters, span, steps, &rate, Keep::All)
    }

    /// Solves the problems as [`Ensemble::solve`] does, and keeps the last states only: each component has one column.
    pub fn solve_last<const P: usize>(
        &self,
        initial: &Array<f64>,
        parameters: &Array<f64>,
        span: Range<f64>,
        steps: usize,
        rate: impl Fn(Expr<f64>, [Expr<f64>; D], [Expr<f64>; P]) -> [Expr<f64>; D],
    ) -> Result<EnsembleSolution, OdeError> {
        self.run(initial, parameters, span, steps, &rate, Keep::Last)
    }

    fn run<const P: usize>(
        &self,
        initial: &Array<f64>,
        parameters: &Array<f64>,
        span: Range<f64>,
        steps: usize,
        rate: &RateExpr<'_, D, P>,
        keep: Keep,
    ) -> Result<EnsembleSolution, OdeError> {
        let slopes = self.check::<P>(initial, parameters, &span, steps)?;
        let step = (span.end - span.start) / steps as f64;
        let limits = self.limits.start();
        let size = ProblemSize { steps, equations: D };
        let rules = self.orders.iter().map(|&order| Rules::new(order, step, size)).collect::<Result<Vec<_>, _>>()?;
        let blocks = Blocks {
            initial: initial.contiguous()?,
            slopes,
            parameters: parameters.contiguous()?,
            rules: &rules,
            corrections: self.corrections,
            span: span.clone(),
            step,
            rate,
        };
        let mut tables = self.orders.map(|_| RuleTables::default());
        let mut times =
            size.by_step(span.start, |n| if n == steps { span.end } else { span.start + n as f64 * step })?;
        let components = if initial.shape()[0] == 0 {
            let columns = if keep == Keep::All { steps + 1 } else { 1 };
            (0..D).map(|_| Array::zeros(initial.session(), &[0, columns])).collect::<Result<_, _>>()?
        } else {
            let first = blocks.first(&limits)?;
            let mut recursion = Recursion { blocks: &blocks, first, tables: &mut tables, limits, keep };
            let states = recursion.solve(0..steps, None, false)?.states;
            match keep {
                Keep::All => {
                    let initial = |i: usize| blocks.initial.slice(1, i..=i, 1);
                    let pairs = states.iter().enumerate();
                    pairs.map(|(i, states)| join(&initial(i)?, states)).collect::<Result<_, _>>()?
                }
                Keep::Last => states,
            }
        };
        if keep == Keep::Last {
            times.drain(..steps);
        }
        Ok(EnsembleSolution { times, components })
    }

    /// Checks all arguments; returns the slopes, with their numbers in order.
    fn check<const P: usize>(
        &self,
        initial: &Array<f64>,
        parameters: &Array<f64>,
        span: &Range<f64>,
        steps: usize,
    ) -> Result<Option<Array<f64>>, OdeError> {
        if D == 0 {
            return Err(OdeError::Setting { name: "the number of equations", value: 0.0, allowed: "at least 1" });
        }
        check_orders(&self.orders)?;
        check_span(span)?;
        check_steps(steps)?;
        if self.corrections > CORRECTIONS_MAX {
            let (name, allowed) = ("the number of corrections", "at most 32");
            return Err(OdeError::Setting { name, value: self.corrections as f64, allowed });
        }
        let trajectories = initial.shape().first().copied().unwrap_or(0);
        let check = |list: &'static str, array: &Array<f64>, columns: usize| match array.shape() {
            [rows, width] if (*rows, *width) == (trajectories, columns) => Ok(()),
            shape => Err(OdeError::Shape { list, shape: shape.to_vec(), expected: [trajectories, columns] }),
        };
        check("the initial values", initial, D)?;
        check("the parameters", parameters, P)?;
        let Some(slopes) = &self.slopes else { return Ok(None) };
        check("the initial slopes", slopes, D)?;
        Ok(Some(slopes.contiguous()?))
    }
}

/// Solves ranges of steps: the first half, its contribution to the second half, and the second half.
struct Recursion<'r, const D: usize, const P: usize> {
    blocks: &'r Blocks<'r, D, P>,
    /// The right-hand sides at the start.
    first: Vec<Array<f64>>,
    tables: &'r mut [RuleTables; D],
    limits: RunningLimits,
    keep: Keep,
}

impl<const D: usize, const P: usize> Recursion<'_, D, P> {
    /// Solves a range of steps, counted from 0. `history` has the contributions of all steps before it, for each
    /// equation; `is_followed` says whether a later step needs the right-hand sides.
    fn solve(
        &mut self,
        steps: Range<usize>,
        history: Option<Vec<Array<f64>>>,
        is_followed: bool,
    ) -> Result<StepRange, OdeError> {
        if steps.len() <= BLOCK {
            return self.blocks.run(steps, &self.first, history.as_deref(), self.keep, &self.limits);
        }
        // The largest power of two of blocks that leaves something for the second half.
        let half = BLOCK << (steps.len().div_ceil(BLOCK) - 1).ilog2();
        let middle = steps.start + half;
        let early = history.as_ref().map(|history| part(history, 0..half)).transpose()?;
        let left = self.solve(steps.start..middle, early, true)?;
        let rest = steps.end - middle;
        let values = left.values.unwrap_or_default();
        let mut late = Vec::with_capacity(D);
        for (i, values) in values.iter().enumerate() {
            let added = self.tables[i].contribution(&self.blocks.rules[i], values, rest)?;
            late.push(match &history {
                Some(history) => (&history[i].slice(2, half..half + rest, 1)? + &added)?,
                None => added,
            });
        }
        let right = self.solve(middle..steps.end, Some(late), is_followed)?;
        let states = match self.keep {
            Keep::All => joined(&left.states, &right.states)?,
            Keep::Last => right.states,
        };
        let values = match right.values {
            Some(right) => Some(joined(&values, &right)?),
            None => None,
        };
        Ok(StepRange { values: values.filter(|_| is_followed), states })
    }
}

/// The steps of a range, of each equation's history.
fn part(history: &[Array<f64>], steps: Range<usize>) -> Result<Vec<Array<f64>>, OdeError> {
    history.iter().map(|history| Ok(history.slice(2, steps.clone(), 1)?)).collect()
}

fn joined(left: &[Array<f64>], right: &[Array<f64>]) -> Result<Vec<Array<f64>>, OdeError> {
    left.iter().zip(right).map(|(left, right)| Ok(join(left, right)?)).collect()
}
