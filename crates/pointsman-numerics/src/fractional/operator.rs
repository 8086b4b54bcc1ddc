//! [`Operator`]: a derivative or an integral; the one place that decides how it is computed.
//!
//! In: arrays, an axis, a grid. Out: arrays, or the first mistake, before anything runs.

use super::cache::{SumCache, SumKey};
use super::definition::{Definition, Domain, History, Scheme, check_in};
use super::exponentials::check_tolerance;
use super::grid::Grid;
use super::lag_sum::{LagSum, Prepared};
use super::parts::Threads;
use super::recurrence::Points;
use super::{recurrence, spectral, sums};
use crate::array::Array;
use crate::error::{Error, Result};
use crate::number::Real;
use num_complex::Complex64;
use std::sync::Arc;

/// The numbers that are computed for a point of an axis while weights are prepared, at most.
const WEIGHTS_OF_POINT: usize = 4;

/// Which of a definition's two operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperatorKind {
    Derivative,
    Integral,
}

/// A derivative or an integral of one order, and its prepared weights.
#[derive(Clone)]
pub(super) struct Operator {
    pub(super) kind: OperatorKind,
    pub(super) definition: Definition,
    pub(super) order: f64,
    pub(super) history: History,
    pub(super) cache: Arc<SumCache>,
}

/// How an operator is computed on the grid at hand.
enum Steps {
    /// With equal steps of t, or of ln t.
    Equal(f64),
    /// At these points.
    Graded(Vec<f64>),
}

/// An operator that is applied along an axis with equal steps.
struct Uniform<'a, R: Real> {
    operator: &'a Operator,
    x: &'a Array<R>,
    axis: usize,
    step: f64,
}

impl<R: Real> Uniform<'_, R> {
    /// Applies weights that are those of a step of 1.
    fn sum(&self, sum: impl FnOnce(Threads) -> LagSum) -> Result<Array<R>> {
        self.prepared(0.0, self.step.powf(-self.operator.signed_order()), sum)
    }

    /// Applies weights that depend on the step.
    fn sum_for_step(&self, sum: impl FnOnce(Threads) -> LagSum) -> Result<Array<R>> {
        self.prepared(self.step, 1.0, sum)
    }

    fn prepared(&self, weights_step: f64, scale: f64, sum: impl FnOnce(Threads) -> LagSum) -> Result<Array<R>> {
        let (x, size) = (self.x, self.x.shape()[self.axis]);
        let key = SumKey { sizes: [1, size], steps: [weights_step, 0.0] };
        let prepare = || Prepared::new(&x.session, sum(Threads::of(&x.session)), size);
        self.operator.cache.get(key, prepare)?.of(x, self.axis, scale)
    }

    /// Multiplies the spectrum by factors that are those of a step of 1, and by a sign.
    fn spectral(&self, sign: f64, factors: impl FnOnce(f64, usize) -> Vec<Complex64>) -> Result<Array<R>> {
        let (order, size) = (self.operator.signed_order(), self.x.shape()[self.axis]);
        let key = SumKey { sizes: [1, size], steps: [0.0; 2] };
        let prepare = || Ok(Prepared::spectral(&factors(order, size), [1, size]));
        self.operator.cache.get(key, prepare)?.of(self.x, self.axis, sign * self.step.powf(-order))
    }
}

/// An error if there is not enough memory for the weights of so many points: a view of few numbers can have any size.
fn check_memory(shape: &[usize], points: usize) -> Result<()> {
    let mut weights: Vec<[f64; WEIGHTS_OF_POINT]> = Vec::new();
    weights.try_reserve_exact(points).map_err(|_| Error::OutOfMemory { shape: shape.to_vec() })
}

impl Operator {
    /// An operator with its full history.
    pub(super) fn new(kind: OperatorKind, definition: Definition, order: f64) -> Operator {
        Operator { kind, definition, order, history: History::Full, cache: Arc::default() }
    }

    /// Applies the operator to each line along an axis.
    pub(super) fn of<R: Real>(&self, x: &Array<R>, axis: usize, grid: Grid) -> Result<Array<R>> {
        let operation = self.name();
        self.check_order()?;
        grid.check(operation)?;
        self.check_history()?;
        x.layout.check_axis(axis)?;
        let (size, needed) = (x.shape()[axis], self.points_min());
        check_memory(x.shape(), size)?;
        let steps = self.steps(grid, size)?;
        if size == 0 {
            return Err(Error::Empty { operation });
        }
        if size < needed {
            return Err(Error::TooShort { operation, size, needed });
        }
        if x.is_empty() {
            return Array::zeros(&x.session, x.shape());
        }
        match (steps, self.history) {
            (Steps::Graded(points), _) => self.at_points(x, axis, &Points::at(points)),
            (Steps::Equal(step), History::Exponentials { .. }) => self.at_points(x, axis, &Points::equal(step, size)),
            (Steps::Equal(step), History::Full | History::Window { .. }) => self.with_step(x, axis, step),
        }
    }

    /// Applies the operator to the planes of the last two axes.
    pub(super) fn of_planes<R: Real>(&self, x: &Array<R>, steps: [f64; 2]) -> Result<Array<R>> {
        let operation = self.name();
        self.check_order()?;
        if self.definition != Definition::Laplacian {
            return Err(Error::Unsupported { operation, given: "planes", allowed: "an axis" });
        }
        steps.into_iter().try_for_each(|step| Grid::Uniform { step }.check(operation))?;
        let &[.., rows, columns] = x.shape() else { return Err(Error::Axis { axis: 1, rank: x.rank() }) };
        if rows == 0 || columns == 0 {
            return Err(Error::Empty { operation });
        }
        if x.is_empty() {
            return Array::zeros(&x.session, x.shape());
        }
        check_memory(x.shape(), rows * columns)?;
        let prepared = self.cache.get(SumKey { sizes: [rows, columns], steps }, || {
            let factors = spectral::plane(self.signed_order(), [rows, columns], steps);
            Ok(Prepared::spectral(&factors, [rows, columns]))
        })?;
        prepared.of_planes(x, 1.0)
    }

    /// The order, negative for integrals.
    fn signed_order(&self) -> f64 {
        match self.kind {
            OperatorKind::Derivative => self.order,
            OperatorKind::Integral => -self.order,
        }
    }

    /// The steps that the operator takes on a grid, if it can.
    fn steps(&self, grid: Grid, size: usize) -> Result<Steps> {
        let operation = self.name();
        let unsupported = |allowed| Err(Error::Unsupported { operation, given: grid.name(), allowed });
        match (grid, self.definition) {
            (Grid::Logarithmic { ratio }, Definition::Hadamard) => Ok(Steps::Equal(ratio.ln())),
            (Grid::Uniform { .. } | Grid::Graded { .. }, Definition::Hadamard) => unsupported("a logarithmic grid"),
            (Grid::Uniform { step }, _) => Ok(Steps::Equal(step)),
            (Grid::Graded { .. }, _) if self.is_l1() && matches!(self.history, History::Window { .. }) => {
                unsupported("a uniform grid for a window, or the full history")
            }
            (Grid::Graded { end, .. }, _) if self.is_l1() => {
                if size > recurrence::GRADED_POINTS_MAX && self.history == History::Full {
                    let allowed = "a graded grid of at most 4096 points, or a history of exponentials";
                    return unsupported(allowed);
                }
                let points = grid.points(size);
                let is_normal = points.get(1).is_none_or(|first| first.is_normal());
                check_in(
                    operation,
                    "end of the grid",
                    end,
                    is_normal,
                    "so large that the first step is a normal number",
                )?;
                Ok(Steps::Graded(points))
            }
            (Grid::Graded { .. } | Grid::Logarithmic { .. }, _) => unsupported("a uniform grid"),
        }
    }

    /// Whether it is a derivative of order below 1 by lines between the points.
    fn is_l1(&self) -> bool {
        let is_l1 = match self.definition {
            Definition::RiemannLiouville | Definition::Hadamard => self.order < 1.0,
            Definition::Caputo(scheme) => scheme == Scheme::L1,
            Definition::GrunwaldLetnikov
            | Definition::CaputoFabrizio
            | Definition::AtanganaBaleanu
            | Definition::Weyl
            | Definition::Marchaud(_)
            | Definition::Riesz(_)
            | Definition::Laplacian => false,
        };
        is_l1 && self.kind == OperatorKind::Derivative
    }

    /// Applies a derivative by lines between arbitrary points.
    fn at_points<R: Real>(&self, x: &Array<R>, axis: usize, points: &Points) -> Result<Array<R>> {
        let is_caputo = matches!(self.definition, Definition::Caputo(_));
        match self.history {
            History::Full | History::Window { .. } => recurrence::direct_l1(x, axis, self.order, points, !is_caputo),
            History::Exponentials { tolerance } => {
                let sum = points.exponentials(self.order, tolerance)?;
                recurrence::exponential_l1(x, axis, self.order, points, &sum, !is_caputo)
            }
        }
    }

    /// Applies the operator with equal steps.
    fn with_step<R: Real>(&self, x: &Array<R>, axis: usize, step: f64) -> Result<Array<R>> {
        let (order, size) = (self.order, x.shape()[axis]);
        let steps = match self.history {
            History::Window { steps } => steps.min(size),
            History::Full | History::Exponentials { .. } => size,
        };
        let uniform = Uniform { operator: self, x, axis, step };
        match (self.definition, self.kind) {
            (Definition::CaputoFabrizio, OperatorKind::Derivative) => recurrence::caputo_fabrizio(x, axis, order, step),
            (Definition::CaputoFabrizio, OperatorKind::Integral) => {
                recurrence::caputo_fabrizio_integral(x, axis, order, step)
            }
            (Definition::Weyl, _) => uniform.spectral(1.0, spectral::weyl),
            (Definition::Laplacian, _) => uniform.spectral(1.0, spectral::line),
            (Definition::Riesz(Domain::Periodic), OperatorKind::Derivative) => uniform.spectral(-1.0, spectral::line),
            (Definition::Riesz(Domain::Periodic), OperatorKind::Integral) => uniform.spectral(1.0, spectral::line),
            (Definition::GrunwaldLetnikov, OperatorKind::Derivative) => {
                uniform.sum(|threads| sums::grunwald_letnikov(threads, order, size.min(steps + 1)))
            }
            (Definition::GrunwaldLetnikov, OperatorKind::Integral) => {
                uniform.sum(|threads| sums::grunwald_letnikov(threads, -order, size))
            }
            (Definition::RiemannLiouville | Definition::Hadamard, OperatorKind::Derivative) => {
                uniform.sum(|threads| sums::riemann_liouville(threads, order, size))
            }
            (Definition::Caputo(scheme), OperatorKind::Derivative) => {
                uniform.sum(|threads| sums::caputo(threads, scheme, order, size, steps))
            }
            (Definition::Marchaud(past), OperatorKind::Derivative) => {
                uniform.sum(|threads| sums::marchaud(threads, past, order, size))
            }
            (Definition::AtanganaBaleanu, OperatorKind::Derivative) => {
                uniform.sum_for_step(|_| sums::atangana_baleanu(order, step, steps))
            }
            (Definition::AtanganaBaleanu, OperatorKind::Integral) => {
                uniform.sum_for_step(|threads| sums::atangana_baleanu_integral(threads, order, step, size))
            }
            (Definition::Riesz(Domain::Interval), OperatorKind::Derivative) => {
                uniform.sum(|threads| sums::riesz(threads, order, size))
            }
            (Definition::Riesz(Domain::Interval), OperatorKind::Integral) => {
                uniform.sum(|threads| sums::riesz_potential(threads, order, size))
            }
            (
                Definition::RiemannLiouville | Definition::Caputo(_) | Definition::Marchaud(_) | Definition::Hadamard,
                OperatorKind::Integral,
            ) => uniform.sum(|threads| sums::riemann_liouville_integral(threads, order, size)),
        }
    }

    /// The fewest points that it takes.
    fn points_min(&self) -> usize {
        match (self.kind, self.definition) {
            (OperatorKind::Derivative, Definition::Caputo(Scheme::L12)) => 3,
            (OperatorKind::Derivative, Definition::Caputo(Scheme::SecondDifferences)) => 4,
            (OperatorKind::Derivative, Definition::RiemannLiouville | Definition::Hadamard) if self.order > 1.0 => 4,
            (OperatorKind::Derivative | OperatorKind::Integral, _) => 1,
        }
    }

    fn check_history(&self) -> Result<()> {
        let operation = self.name();
        let unsupported = |given| Err(Error::Unsupported { operation, given, allowed: "its full history" });
        match self.history {
            History::Full => Ok(()),
            History::Window { steps: 0 } => {
                let (argument, allowed) = ("number of steps of the window", "at least 1");
                Err(Error::Domain { operation, argument, value: 0.0, allowed })
            }
            History::Window { .. } => match self.definition {
                Definition::GrunwaldLetnikov
                | Definition::Caputo(Scheme::L1 | Scheme::L12 | Scheme::L2Sigma)
                | Definition::AtanganaBaleanu => Ok(()),
                Definition::RiemannLiouville
                | Definition::Caputo(Scheme::SecondDifferences)
                | Definition::CaputoFabrizio
                | Definition::Weyl
                | Definition::Marchaud(_)
                | Definition::Hadamard
                | Definition::Riesz(_)
                | Definition::Laplacian => unsupported("a window"),
            },
            History::Exponentials { .. } if !self.is_l1() => unsupported("a history of exponentials"),
            History::Exponentials { tolerance } => check_tolerance(operation, tolerance),
        }
    }

    fn check_order(&self) -> Result<()> {
        let order = self.order;
        let between = |low: f64, high: f64| order > low && order < high;
        let unit = (between(0.0, 1.0), "greater than 0 and less than 1");
        let positive = (order > 0.0 && order <= 30.0, "greater than 0 and at most 30");
        let any = ((0.0..=30.0).contains(&order), "at least 0 and at most 30");
        let two_units = "greater than 0 and less than 1, or greater than 1 and less than 2";
        let (is_allowed, allowed) = match (self.kind, self.definition) {
            (OperatorKind::Derivative | OperatorKind::Integral, Definition::GrunwaldLetnikov) => any,
            (OperatorKind::Derivative, Definition::Weyl) => any,
            (OperatorKind::Derivative, Definition::RiemannLiouville | Definition::Hadamard) => {
                (between(0.0, 1.0) || between(1.0, 2.0), two_units)
            }
            (OperatorKind::Derivative, Definition::Caputo(Scheme::L1 | Scheme::L12 | Scheme::L2Sigma)) => unit,
            (OperatorKind::Derivative, Definition::Caputo(Scheme::SecondDifferences)) => {
                (between(1.0, 2.0), "greater than 1 and less than 2")
            }
            (OperatorKind::Derivative, Definition::Marchaud(_)) => unit,
            (
                OperatorKind::Derivative | OperatorKind::Integral,
                Definition::CaputoFabrizio | Definition::AtanganaBaleanu,
            ) => unit,
            (OperatorKind::Derivative, Definition::Riesz(_)) => {
                (order > 0.0 && order <= 2.0, "greater than 0 and at most 2")
            }
            (OperatorKind::Integral, Definition::Riesz(_)) => unit,
            (OperatorKind::Derivative | OperatorKind::Integral, Definition::Laplacian) => positive,
            (
                OperatorKind::Integral,
                Definition::RiemannLiouville
                | Definition::Caputo(_)
                | Definition::Weyl
                | Definition::Marchaud(_)
                | Definition::Hadamard,
            ) => positive,
        };
        check_in(self.name(), "order", order, is_allowed, allowed)
    }

    /// Its name, for errors.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            OperatorKind::Derivative => match self.definition {
                Definition::GrunwaldLetnikov => "the Grünwald–Letnikov derivative",
                Definition::RiemannLiouville => "the Riemann–Liouville derivative",
                Definition::Caputo(Scheme::L1) => "the Caputo derivative by L1",
                Definition::Caputo(Scheme::L12) => "the Caputo derivative by L1-2",
                Definition::Caputo(Scheme::L2Sigma) => "the Caputo derivative by L2-1σ",
                Definition::Caputo(Scheme::SecondDifferences) => "the Caputo derivative by second differences",
                Definition::CaputoFabrizio => "the Caputo–Fabrizio derivative",
                Definition::AtanganaBaleanu => "the Atangana–Baleanu derivative",
                Definition::Weyl => "the Weyl derivative",
                Definition::Marchaud(_) => "the Marchaud derivative",
                Definition::Hadamard => "the Hadamard derivative",
                Definition::Riesz(_) => "the Riesz derivative",
                Definition::Laplacian => "the fractional Laplacian",
            },
            OperatorKind::Integral => match self.definition {
                Definition::GrunwaldLetnikov => "the Grünwald–Letnikov integral",
                Definition::RiemannLiouville | Definition::Caputo(_) | Definition::Marchaud(_) => {
                    "the Riemann–Liouville integral"
                }
                Definition::CaputoFabrizio => "the Caputo–Fabrizio integral",
                Definition::AtanganaBaleanu => "the Atangana–Baleanu integral",
                Definition::Weyl => "the Weyl integral",
                Definition::Hadamard => "the Hadamard integral",
                Definition::Riesz(_) => "the Riesz potential",
                Definition::Laplacian => "the inverse fractional Laplacian",
            },
        }
    }
}
