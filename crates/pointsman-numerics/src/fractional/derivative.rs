//! [`Derivative`]: a fractional derivative along an axis of an array.

use super::definition::{Definition, Domain, History, Past, Scheme};
use super::grid::Grid;
use super::operator::{Operator, OperatorKind};
use crate::array::Array;
use crate::error::Result;
use crate::number::Real;
use std::fmt;
use std::sync::Arc;

/// A fractional derivative. It keeps the weights for the last sizes that it was applied to (at most 128 MiB), so one value
/// should serve all arrays; clones share the weights. Mistakes, such as an order outside its domain, are errors of
/// [`Derivative::of`].
///
/// ```
/// use pointsman_numerics::Array;
/// use pointsman_numerics::fractional::{Definition, Derivative, History, Scheme};
/// use pointsman_numerics::special::gamma;
///
/// # fn main() -> pointsman_numerics::Result<()> {
/// let session = pointsman::Session::open()?;
/// let step = 1e-3;
/// let t = Array::<f64>::range(&session, 0.0, 1.0, step)?;
/// let squares = (&t * &t)?;
/// // The derivative of order 1/2 of t² is 2/Γ(5/2)·t^(3/2).
/// let expected = t.map(|t| t.pow(1.5) * (2.0 / gamma(2.5)))?;
/// let half = Derivative::caputo(0.5).of(&squares, 0, step)?;
/// assert!((&half - &expected)?.abs()?.max()? < 1e-4);
///
/// let better = Derivative::new(Definition::Caputo(Scheme::L12), 0.5).of(&squares, 0, step)?;
/// assert!((&better - &expected)?.abs()?.max()? < 1e-11);
///
/// let recent = Derivative::caputo(0.5).history(History::Window { steps: 500 });
/// assert!((&recent.of(&squares, 0, step)? - &expected)?.abs()?.max()? < 0.2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Derivative(Operator);

impl fmt::Debug for Derivative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Operator { definition, order, history, kind: _, cache: _ } = &self.0;
        f.debug_struct("Derivative")
            .field("definition", definition)
            .field("order", order)
            .field("history", history)
            .finish()
    }
}

impl Derivative {
    /// The derivative of this definition and order, with its full history. [`Definition`] lists the orders.
    #[must_use]
    pub fn new(definition: Definition, order: f64) -> Derivative {
        Derivative(Operator::new(OperatorKind::Derivative, definition, order))
    }

    /// The derivative of Grünwald and Letnikov: [`Definition::GrunwaldLetnikov`].
    #[must_use]
    pub fn grunwald_letnikov(order: f64) -> Derivative {
        Derivative::new(Definition::GrunwaldLetnikov, order)
    }

    /// The derivative of Riemann and Liouville: [`Definition::RiemannLiouville`].
    #[must_use]
    pub fn riemann_liouville(order: f64) -> Derivative {
        Derivative::new(Definition::RiemannLiouville, order)
    }

    /// The Caputo derivative by [`Scheme::L1`], or, of an order above 1, by [`Scheme::SecondDifferences`].
    #[must_use]
    pub fn caputo(order: f64) -> Derivative {
        let scheme = if order > 1.0 { Scheme::SecondDifferences } else { Scheme::L1 };
        Derivative::new(Definition::Caputo(scheme), order)
    }

    /// The derivative of Caputo and Fabrizio: [`Definition::CaputoFabrizio`].
    #[must_use]
    pub fn caputo_fabrizio(order: f64) -> Derivative {
        Derivative::new(Definition::CaputoFabrizio, order)
    }

    /// The derivative of Atangana and Baleanu: [`Definition::AtanganaBaleanu`].
    #[must_use]
    pub fn atangana_baleanu(order: f64) -> Derivative {
        Derivative::new(Definition::AtanganaBaleanu, order)
    }

    /// The Weyl derivative of a periodic function: [`Definition::Weyl`].
    #[must_use]
    pub fn weyl(order: f64) -> Derivative {
        Derivative::new(Definition::Weyl, order)
    }

    /// The Marchaud derivative of a function with this past: [`Definition::Marchaud`].
    #[must_use]
    pub fn marchaud(order: f64, past: Past) -> Derivative {
        Derivative::new(Definition::Marchaud(past), order)
    }

    /// The Hadamard derivative on a logarithmic grid: [`Definition::Hadamard`].
    #[must_use]
    pub fn hadamard(order: f64) -> Derivative {
        Derivative::new(Definition::Hadamard, order)
    }

    /// The Riesz derivative of a function on this domain: [`Definition::Riesz`].
    #[must_use]
    pub fn riesz(order: f64, domain: Domain) -> Derivative {
        Derivative::new(Definition::Riesz(domain), order)
    }

    /// The fractional Laplacian of a periodic function: [`Definition::Laplacian`].
    #[must_use]
    pub fn laplacian(order: f64) -> Derivative {
        Derivative::new(Definition::Laplacian, order)
    }

    /// The derivative with this part of the history. [`History`] lists the definitions that can do without all of it.
    #[must_use]
    pub fn history(self, history: History) -> Derivative {
        Derivative(Operator { history, cache: Arc::default(), ..self.0 })
    }

    /// The derivative of each line along an axis. A number as the grid is the step of a uniform one.
    ///
    /// A NaN or an infinity in a line may affect every number of that line's result.
    pub fn of<R: Real>(&self, x: &Array<R>, axis: usize, grid: impl Into<Grid>) -> Result<Array<R>> {
        self.0.of(x, axis, grid.into())
    }

    /// The fractional Laplacian of the planes of the last two axes, for these steps along them.
    ///
    /// ```
    /// use pointsman_numerics::Array;
    /// use pointsman_numerics::fractional::Derivative;
    ///
    /// # fn main() -> pointsman_numerics::Result<()> {
    /// let session = pointsman::Session::open()?;
    /// let step = std::f64::consts::TAU / 16.0;
    /// let wave = Array::<f64>::range(&session, 0.0, 16.0, 1.0)?.map(|j| (j * (3.0 * step)).sin())?;
    /// let plane = wave.insert_axis(1)?.broadcast_to(&[16, 8])?;
    /// let root = Derivative::laplacian(1.0).of_planes(&plane, [step, 1.0])?;
    /// assert!((&root - (&plane * 3.0)?)?.abs()?.max()? < 1e-13);
    /// # Ok(())
    /// # }
    /// ```
    pub fn of_planes<R: Real>(&self, x: &Array<R>, steps: [f64; 2]) -> Result<Array<R>> {
        self.0.of_planes(x, steps)
    }
}
