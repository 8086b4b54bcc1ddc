//! [`Integral`]: a fractional integral along an axis of an array.

use super::definition::{Definition, Domain};
use super::grid::Grid;
use super::operator::{Operator, OperatorKind};
use crate::array::Array;
use crate::error::Result;
use crate::number::Real;
use std::fmt;

/// A fractional integral. It keeps weights as a [`Derivative`](super::Derivative) does.
///
/// ```
/// use pointsman_numerics::Array;
/// use pointsman_numerics::fractional::{Derivative, Integral};
///
/// # fn main() -> pointsman_numerics::Result<()> {
/// let session = pointsman::Session::open()?;
/// let step = 1e-3;
/// let x = Array::<f64>::range(&session, 0.0, 1.0, step)?.map(|t| t * t * (1.0 - t))?;
/// let half = Integral::riemann_liouville(0.5).of(&x, 0, step)?;
/// let back = Derivative::riemann_liouville(0.5).of(&half, 0, step)?;
/// assert!((&back - &x)?.abs()?.max()? < 1e-3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Integral(Operator);

impl fmt::Debug for Integral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Operator { definition, order, kind: _, history: _, cache: _ } = &self.0;
        f.debug_struct("Integral").field("definition", definition).field("order", order).finish()
    }
}

impl Integral {
    /// The integral of this definition and order. [`Definition`] lists the orders.
    #[must_use]
    pub fn new(definition: Definition, order: f64) -> Integral {
        Integral(Operator::new(OperatorKind::Integral, definition, order))
    }

    /// The integral with the weights of Grünwald and Letnikov: [`Definition::GrunwaldLetnikov`].
    #[must_use]
    pub fn grunwald_letnikov(order: f64) -> Integral {
        Integral::new(Definition::GrunwaldLetnikov, order)
    }

    /// The integral of Riemann and Liouville, 1/Γ(α)·∫ (t−s)^(α−1)·x(s) ds, by the product trapezoidal rule. It is the
    /// integral for Caputo and Marchaud derivatives, too.
    #[must_use]
    pub fn riemann_liouville(order: f64) -> Integral {
        Integral::new(Definition::RiemannLiouville, order)
    }

    /// The integral of Caputo and Fabrizio: [`Definition::CaputoFabrizio`].
    #[must_use]
    pub fn caputo_fabrizio(order: f64) -> Integral {
        Integral::new(Definition::CaputoFabrizio, order)
    }

    /// The integral of Atangana and Baleanu: [`Definition::AtanganaBaleanu`].
    #[must_use]
    pub fn atangana_baleanu(order: f64) -> Integral {
        Integral::new(Definition::AtanganaBaleanu, order)
    }

    /// The Weyl integral of a periodic function: [`Definition::Weyl`].
    #[must_use]
    pub fn weyl(order: f64) -> Integral {
        Integral::new(Definition::Weyl, order)
    }

    /// The Hadamard integral on a logarithmic grid: [`Definition::Hadamard`].
    #[must_use]
    pub fn hadamard(order: f64) -> Integral {
        Integral::new(Definition::Hadamard, order)
    }

    /// The Riesz potential of a function on this domain: [`Definition::Riesz`].
    #[must_use]
    pub fn riesz(order: f64, domain: Domain) -> Integral {
        Integral::new(Definition::Riesz(domain), order)
    }

    /// The inverse of the fractional Laplacian of periodic functions without a mean: [`Definition::Laplacian`].
    #[must_use]
    pub fn laplacian(order: f64) -> Integral {
        Integral::new(Definition::Laplacian, order)
    }

    /// The integral of each line along an axis, from its first point on. A number as the grid is the step of a uniform
    /// one; no integral takes a graded grid.
    ///
    /// A NaN or an infinity in a line may affect every number of that line's result.
    pub fn of<R: Real>(&self, x: &Array<R>, axis: usize, grid: impl Into<Grid>) -> Result<Array<R>> {
        self.0.of(x, axis, grid.into())
    }

    /// The inverse fractional Laplacian of the planes of the last two axes, for these steps along them.
    pub fn of_planes<R: Real>(&self, x: &Array<R>, steps: [f64; 2]) -> Result<Array<R>> {
        self.0.of_planes(x, steps)
    }
}
