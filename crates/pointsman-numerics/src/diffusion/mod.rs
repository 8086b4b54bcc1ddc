//! [`FractionalDiffusion`]: the equation ∂_t^α u = K ∇²u + g on an interval or a rectangle, with a Caputo derivative of
//! order α between 0 and 1 in time.
//!
//! In: an array with the initial values at the points of the grid. Out: the values at later times, step by step. Time
//! steps are implicit and stable for every size: L1 in time, of order 2 − α on a graded grid, and central differences in
//! space, of order 2. One step takes a handful of queries, whatever the boundaries; each chooses its device.

mod boundary;
mod past;
mod steps;

pub use boundary::Boundary;
pub use steps::DiffusionSteps;

use crate::array::Array;
use crate::error::{Error, Result};
use crate::fractional::Grid;
use crate::number::Real;
use boundary::Side;
use pointsman::Expr;
use std::fmt;
use std::sync::Arc;

/// The relative error of the sum of exponentials, if the caller does not choose.
const TOLERANCE: f64 = 1e-10;

/// The most steps of a run.
const STEPS_MAX: usize = 1 << 24;

/// The value of a source at a point and a time, as an expression.
type SourceFn<R> = Arc<dyn Fn(&[Expr<R>], Expr<R>) -> Expr<R> + Send + Sync>;

/// The equation ∂_t^α u = K ∇²u + g with its boundaries. Each axis is added with [`FractionalDiffusion::axis`].
///
/// ```
/// use pointsman_numerics::diffusion::{Boundary, FractionalDiffusion};
/// use pointsman_numerics::fractional::Grid;
/// use pointsman_numerics::special::mittag_leffler;
/// use pointsman_numerics::Array;
/// use std::f64::consts::PI;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let session = pointsman::Session::open()?;
/// let equation = FractionalDiffusion::new(0.5, 0.1).axis(1.0, Boundary::Dirichlet([0.0, 0.0]));
/// let x = Array::<f64>::range(&session, 0.01, 0.995, 0.01)?;
/// let start = x.map(|x| (x * PI).sin())?;
/// // Steps that are short at first, where the solution has an infinite slope.
/// let end = equation.solve(&start, Grid::Graded { end: 2.0, exponent: 3.0 }, 100)?;
/// // u = E_α(−K π² t^α) sin(πx)
/// let exact = mittag_leffler(0.5, 1.0, -0.1 * PI * PI * 2f64.sqrt())?;
/// assert!((end.to_vec()?[49] - exact).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "subdiffusion")]
#[doc(alias = "heat equation")]
#[derive(Clone)]
pub struct FractionalDiffusion<R: Real> {
    order: f64,
    diffusivity: f64,
    sides: Vec<(f64, Boundary)>,
    tolerance: Option<f64>,
    source: Option<SourceFn<R>>,
}

impl<R: Real> fmt::Debug for FractionalDiffusion<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FractionalDiffusion")
            .field("order", &self.order)
            .field("diffusivity", &self.diffusivity)
            .field("sides", &self.sides)
            .field("tolerance", &self.tolerance)
            .field("has_source", &self.source.is_some())
            .finish()
    }
}

impl<R: Real> FractionalDiffusion<R> {
    /// An equation with this order α, above 0 and at most 1, and this diffusivity K, above 0. Order 1 is the usual
    /// diffusion, which is solved by the implicit Euler method.
    #[must_use]
    pub fn new(order: f64, diffusivity: f64) -> FractionalDiffusion<R> {
        FractionalDiffusion { order, diffusivity, sides: Vec::new(), tolerance: Some(TOLERANCE), source: None }
    }

    /// Adds an axis of this length: the last axis of the arrays, or the one before it if this is called twice. The calls
    /// are in the order of the axes.
    #[must_use]
    pub fn axis(mut self, length: f64, boundary: Boundary) -> FractionalDiffusion<R> {
        self.sides.push((length, boundary));
        self
    }

    /// Long runs keep the past as a sum of exponentials, whose relative error is at most `tolerance`: 1e-10 by default,
    /// and from 1e-13 to 0.1. `None` keeps all of the past, so that `N` steps take time and memory for `N`² / 2 and `N`
    /// arrays.
    #[must_use]
    pub fn tolerance(mut self, tolerance: impl Into<Option<f64>>) -> FractionalDiffusion<R> {
        self.tolerance = tolerance.into();
        self
    }

    /// Adds a source g. The closure gets the coordinates in the order of the axes, and the time; it runs once a step, on
    /// expressions.
    ///
    /// ```
    /// use pointsman_numerics::diffusion::{Boundary, FractionalDiffusion};
    /// use pointsman_numerics::{Array, Result};
    ///
    /// # fn main() -> Result<()> {
    /// let session = pointsman::Session::open()?;
    /// let heated = FractionalDiffusion::new(0.8, 1.0)
    ///     .axis(2.0, Boundary::Neumann)
    ///     .axis(1.0, Boundary::Periodic)
    ///     .source(|at, time| (at[0] * 3.0).cos() * (at[1] * 6.0).sin() * time);
    /// let end = heated.solve(&Array::<f64>::zeros(&session, &[20, 10])?, 0.01.into(), 50)?;
    /// assert_eq!(end.shape(), [20, 10]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn source(
        mut self,
        source: impl Fn(&[Expr<R>], Expr<R>) -> Expr<R> + Send + Sync + 'static,
    ) -> FractionalDiffusion<R> {
        self.source = Some(Arc::new(source));
        self
    }

    /// The coordinates of the points of an axis, for an array with this many: see [`Boundary`].
    pub fn points(&self, axis: usize, count: usize) -> Result<Vec<f64>> {
        let side = self.side(axis, count)?;
        let mut points = Vec::new();
        points.try_reserve_exact(count).map_err(|_| Error::OutOfMemory { shape: vec![count] })?;
        points.extend((0..count).map(|i| (i as f64 + side.boundary.offset()) * side.step()));
        Ok(points)
    }

    /// The values after `steps` steps of a grid of times, which starts at 0.
    pub fn solve(&self, initial: &Array<R>, times: Grid, steps: usize) -> Result<Array<R>> {
        let mut run = self.start(initial, times, steps)?;
        while run.advance()? {}
        Ok(run.values().clone())
    }

    /// The beginning of a run of `steps` steps. The last axes of the array are those of the equation; axes before them
    /// hold further initial values, which do not affect each other.
    pub fn start(&self, initial: &Array<R>, times: Grid, steps: usize) -> Result<DiffusionSteps<R>> {
        let operation = "FractionalDiffusion";
        let domain = |argument, value, is_allowed, allowed| {
            if is_allowed { Ok(()) } else { Err(Error::Domain { operation, argument, value, allowed }) }
        };
        let positive = |value: f64| value.is_finite() && value > 0.0;
        domain("order", self.order, self.order > 0.0 && self.order <= 1.0, "above 0 and at most 1")?;
        domain("diffusivity", self.diffusivity, positive(self.diffusivity), "positive and finite")?;
        if let Some(tolerance) = self.tolerance {
            let is_allowed = (1e-13..=0.1).contains(&tolerance);
            domain("tolerance", tolerance, is_allowed, "at least 1e-13 and at most 0.1")?;
        }
        if !(1..=2).contains(&self.sides.len()) || initial.rank() < self.sides.len() {
            let (left, right) = (vec![self.sides.len()], initial.shape().to_vec());
            let allowed = "one axis or two, and an array of at least as many axes";
            return Err(Error::ShapeMismatch { operation, left, right, allowed });
        }
        if initial.is_empty() {
            return Err(Error::Empty { operation });
        }
        domain("number of steps", steps as f64, steps <= STEPS_MAX, "at most 16777216")?;
        times.check(operation)?;
        if matches!(times, Grid::Logarithmic { .. }) {
            let allowed = "a grid of times that starts at 0";
            return Err(Error::Unsupported { operation, given: "a logarithmic grid", allowed });
        }
        let times = times.points(steps + 1);
        if let Some(pair) = times.windows(2).find(|pair| !(pair[1] > pair[0] && pair[1].is_finite())) {
            let allowed = "finite and after the one before it";
            return Err(Error::Domain { operation, argument: "time", value: pair[1], allowed });
        }
        DiffusionSteps::new(self, initial, times)
    }

    /// An axis of the equation, for an array with this many points.
    fn side(&self, axis: usize, points: usize) -> Result<Side> {
        let &(length, boundary) = self.sides.get(axis).ok_or(Error::Axis { axis, rank: self.sides.len() })?;
        Side::new(length, boundary, points)
    }
}
