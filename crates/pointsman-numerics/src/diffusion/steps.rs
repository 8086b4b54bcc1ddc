//! [`DiffusionSteps`]: a run of a [`FractionalDiffusion`], one implicit step after the other.
//!
//! Step n solves (1 + (K/μ) A) u_n = u_n−1 − Σ_k<n (a_nk/μ) · (u_k − u_k−1) + g/μ with μ = τ^−α/Γ(2 − α), where A is −∇²
//! by central differences. A is diagonal in the Fourier transform of the longer, periodic grid of
//! [`Boundary`](super::Boundary), so the solution costs two transforms.

use crate::array::Array;
use crate::diffusion::FractionalDiffusion;
use crate::diffusion::boundary::Side;
use crate::diffusion::past::PastChanges;
use crate::error::Result;
use crate::number::Real;
use crate::query::{Position, compute, with_positions};
use crate::special::reciprocal_gamma;
use pointsman::{Expr, IntoExpr, lit, select};
use std::fmt;

/// A run of a [`FractionalDiffusion`].
///
/// ```
/// use pointsman_numerics::diffusion::{Boundary, FractionalDiffusion};
/// use pointsman_numerics::{Array, Result};
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let equation = FractionalDiffusion::<f64>::new(0.7, 1.0).axis(1.0, Boundary::Neumann);
/// let spot = Array::from_slice(&session, &[0.0, 0.0, 1.0, 0.0], &[4])?;
/// let mut run = equation.start(&spot, 0.1.into(), 5)?;
/// while run.advance()? {
///     println!("{}: {:?}", run.time(), run.values().to_vec()?);
///     assert!((run.values().sum()? - 1.0).abs() < 1e-14);
/// }
/// # Ok(())
/// # }
/// ```
pub struct DiffusionSteps<R: Real> {
    equation: FractionalDiffusion<R>,
    times: Vec<f64>,
    /// The number of the last step.
    step: usize,
    values: Array<R>,
    /// The last change; `None` before the first step.
    change: Option<Array<R>>,
    past: PastChanges<R>,
    /// The axes of each grid.
    sides: [Side; 2],
    /// The eigenvalues of −∇² for the half spectrum of the longer grid.
    eigenvalues: Array<R>,
}

impl<R: Real> fmt::Debug for DiffusionSteps<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.times.len() - 1;
        f.debug_struct("DiffusionSteps").field("step", &self.step).field("of", &steps).finish_non_exhaustive()
    }
}

impl<R: Real> DiffusionSteps<R> {
    /// The start of a run: everything but the sides was checked.
    pub(super) fn new(
        equation: &FractionalDiffusion<R>,
        initial: &Array<R>,
        times: Vec<f64>,
    ) -> Result<DiffusionSteps<R>> {
        let values = initial.contiguous()?;
        let first = initial.rank() - equation.sides.len();
        let side = |axis: usize| equation.side(axis, initial.shape()[first + axis]);
        let sides = if equation.sides.len() == 1 { [Side::none(), side(0)?] } else { [side(0)?, side(1)?] };
        let [rows, columns] = [sides[0].extended(), sides[1].extended() / 2 + 1];
        let (down, across) = (sides[0].eigenvalues(), sides[1].eigenvalues());
        let eigenvalues =
            (0..rows * columns).map(|place| R::from_f64(down(place / columns) + across(place % columns))).collect();
        Ok(DiffusionSteps {
            past: PastChanges::new(equation.order, equation.tolerance, &times)?,
            eigenvalues: Array::from_vec(initial.session(), eigenvalues, &[rows, columns])?,
            values,
            equation: equation.clone(),
            change: None,
            step: 0,
            times,
            sides,
        })
    }

    /// The time that the run has reached; 0 at the start.
    pub fn time(&self) -> f64 {
        self.times[self.step]
    }

    /// The values at this time, in the shape of the initial ones.
    pub fn values(&self) -> &Array<R> {
        &self.values
    }

    /// Takes the next step; `false` if the run is over. If it fails, the run stays where it was.
    pub fn advance(&mut self) -> Result<bool> {
        let n = self.step + 1;
        if n >= self.times.len() {
            return Ok(false);
        }
        // 1/μ.
        let scale =
            (self.times[n] - self.times[n - 1]).powf(self.equation.order) / reciprocal_gamma(2.0 - self.equation.order);
        let past = match &self.change {
            Some(change) => self.past.terms(n, &self.times, change)?,
            None => None,
        };
        let right = self.right_side(scale, past.as_ref().map(|past| &past.sum), self.times[n])?;
        let values = self.solution(&right, scale * self.equation.diffusivity)?;
        let change = (&values - &self.values)?;
        if let Some(past) = past {
            self.past.keep(past);
        }
        self.change = Some(change);
        self.values = values;
        self.step = n;
        Ok(true)
    }

    /// The shape of all grids: how many, and the points of their sides.
    fn grids(&self) -> [usize; 3] {
        let [rows, columns] = self.sides.map(|side| side.points);
        [self.values.len() / (rows * columns), rows, columns]
    }

    /// The right-hand side of a step.
    fn right_side(&self, scale: f64, past: Option<&Array<R>>, time: f64) -> Result<Array<R>> {
        let shape = self.grids();
        let at_values = self.values.reader()?;
        let at_past = past.map(Array::reader).transpose()?;
        let (of_source, of_ends) = (R::from_f64(scale), R::from_f64(scale * self.equation.diffusivity));
        with_positions!(self.values.largest_row(), I => {
            compute::<I, Expr<R>>(self.values.session(), &shape, |position| {
                let [rows, columns] = [shape[1], shape[2]].map(|size| I::wrapping(size as isize));
                let indices = [(position / columns) % rows, position % columns];
                let mut right = at_values.at(position);
                if let Some(past) = &at_past {
                    right -= past.at(position);
                }
                for (side, index) in self.sides.iter().zip(indices) {
                    if let Some(ends) = side.end_terms() {
                        right += end_values(*side, ends, index) * of_ends;
                    }
                }
                if let Some(source) = &self.equation.source {
                    let places = self.sides.iter().zip(indices).map(|(side, index)| place(*side, index));
                    let places: Vec<Expr<R>> = places.skip(2 - self.equation.sides.len()).collect();
                    right += source(&places, R::from_f64(time).into_expr()) * of_source;
                }
                right
            })
        })
    }

    /// The solution u of (1 + `factor` · A) u = `right`.
    fn solution(&self, right: &Array<R>, factor: f64) -> Result<Array<R>> {
        let [grids, rows, columns] = self.grids();
        let (down, across) = (self.sides[0], self.sides[1]);
        let extended = [grids, down.extended(), across.extended()];
        let reader = right.reader()?;
        let largest = extended.iter().fold(1usize, |product, &size| product.saturating_mul(size));
        let periodic = with_positions!(largest.max(right.largest_row()), I => {
            compute::<I, Expr<R>>(right.session(), &extended, |position| {
                let size = |size: usize| I::wrapping(size as isize);
                let line = position / size(extended[2]);
                let row = down.mirrored::<I, R>(line % size(extended[1]));
                let column = across.mirrored::<I, R>(position % size(extended[2]));
                let grid = line / size(extended[1]);
                let value = reader.at((grid * size(rows) + row.index) * size(columns) + column.index);
                [row.sign, column.sign].into_iter().flatten().fold(value, |value, sign| value * sign)
            })
        })?;
        let factor = R::from_f64(factor);
        let one = R::from_f64(1.0);
        let spectrum = periodic.rfft2()?.zip(&self.eigenvalues, |z, eigenvalue| {
            let scale = lit(one) / (eigenvalue * factor + lit(one));
            z * scale
        })?;
        let whole = spectrum.irfft2(extended[2])?;
        let inside = whole.slice(1, down.first()..down.first() + rows, 1)?;
        let inside = inside.slice(2, across.first()..across.first() + columns, 1)?;
        inside.contiguous()?.reshape(self.values.shape())
    }
}

/// The values beyond the ends, at the first and at the last point.
#[track_caller]
fn end_values<I: Position, R: Real>(side: Side, ends: [f64; 2], index: Expr<I>) -> Expr<R> {
    let [first, last] = ends.map(|end| lit(R::from_f64(end)));
    let (zero, size) = (lit(R::default()), I::wrapping(side.points as isize - 1));
    let before: Expr<R> = select(index.eq(I::wrapping(0)), first, zero);
    before + select(index.eq(size), last, zero)
}

/// The coordinate of a point.
#[track_caller]
fn place<I: Position, R: Real>(side: Side, index: Expr<I>) -> Expr<R> {
    (index.cast::<R>() + lit(R::from_f64(side.boundary.offset()))) * lit(R::from_f64(side.step()))
}
