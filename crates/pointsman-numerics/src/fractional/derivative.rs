//! [`Derivative`]: a fractional derivative along an axis of an array.

use super::cache::SumCache;
use super::definition::{Definition, History, ORDER_MAX, Scheme, check_order};
use super::grid::Grid;
use super::lag_sum::Prepared;
use super::sums;
use crate::array::Array;
use crate::error::{Error, Result};
use crate::number::Real;
use std::fmt;
use std::sync::Arc;

/// A fractional derivative. It keeps the weights of the last sizes that it was applied to, so one value should serve
/// all arrays; clones share them.
///
/// ```
/// use pointsman_numerics::Array;
/// use pointsman_numerics::fractional::{Definition, Derivative, History, Scheme};
/// use pointsman_numerics::special::gamma;
///
/// # fn main() -> pointsman_numerics::Result<()> {
/// let session = pointsman::Session::open()?;
/// let step = 1e-3;
/// let t = Array::range(&session, 0.0, 1.0, step)?;
/// let squares = (&t * &t)?;
/// // The derivative of order 1/2 of t² is 2/Γ(5/2)·t^(3/2).
/// let expected = t.map(|t| t.pow(1.5) * (2.0 / gamma(2.5)))?;
/// let half = Derivative::caputo(0.5).of(&squares, 0, step)?;
/// assert!((&half - &expected)?.abs()?.max()? < 1e-4);
///
/// let better = Derivative::new(Definition::Caputo(Scheme::L12), 0.5).of(&squares, 0, step)?;
/// assert!((&better - &expected)?.abs()?.max()? < 1e-12);
///
/// let recent = Derivative::grunwald_letnikov(0.5).history(History::Window { steps: 500 });
/// assert!((&recent.of(&squares, 0, step)? - &expected)?.abs()?.max()? < 0.4);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Derivative {
    definition: Definition,
    order: f64,
    history: History,
    cache: Arc<SumCache>,
}

impl fmt::Debug for Derivative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Derivative { definition, order, history, cache: _ } = self;
        f.debug_struct("Derivative")
            .field("definition", definition)
            .field("order", order)
            .field("history", history)
            .finish()
    }
}

impl Derivative {
    /// The derivative of this definition and order. The order is checked when the derivative is computed.
    #[must_use]
    pub fn new(definition: Definition, order: f64) -> Derivative {
        Derivative { definition, order, history: History::Full, cache: Arc::default() }
    }

    /// The derivative of Grünwald and Letnikov, of an order from 0 to 30; order 0 is the function itself.
    #[must_use]
    pub fn grunwald_letnikov(order: f64) -> Derivative {
        Derivative::new(Definition::GrunwaldLetnikov, order)
    }

    /// The derivative of Riemann and Liouville, of an order between 0 and 1 or between 1 and 2.
    #[must_use]
    pub fn riemann_liouville(order: f64) -> Derivative {
        Derivative::new(Definition::RiemannLiouville, order)
    }

    /// The Caputo derivative of an order between 0 and 1, by [`Scheme::L1`], or between 1 and 2, by
    /// [`Scheme::SecondDifferences`].
    #[must_use]
    pub fn caputo(order: f64) -> Derivative {
        let scheme = if order > 1.0 { Scheme::SecondDifferences } else { Scheme::L1 };
        Derivative::new(Definition::Caputo(scheme), order)
    }

    /// The derivative with this part of the history.
    #[must_use]
    pub fn history(mut self, history: History) -> Derivative {
        self.history = history;
        self.cache = Arc::default();
        self
    }

    /// The derivative of each line along an axis. A number as the grid is the step of a uniform one.
    pub fn of<R: Real>(&self, x: &Array<R>, axis: usize, grid: impl Into<Grid>) -> Result<Array<R>> {
        let (operation, grid) = (self.operation(), grid.into());
        x.layout.check_axis(axis)?;
        let size = x.shape()[axis];
        self.check_order()?;
        grid.check(operation)?;
        if size == 0 {
            return Err(Error::Empty { operation });
        }
        if x.is_empty() {
            return Ok(x.clone());
        }
        let Grid::Uniform { step } = grid else {
            return Err(Error::Unsupported { operation, given: grid.name(), allowed: "a uniform grid" });
        };
        let needed = self.points_min();
        if size < needed {
            return Err(Error::TooShort { operation, size, needed });
        }
        let scale = sums::derivative_scale(self.definition, self.order, step);
        let window = self.window()?;
        let sum = || sums::derivative(self.definition, self.order, size, window);
        let prepared = self.cache.get(size, 0.0, || Prepared::new(&x.session, &sum(), size))?;
        prepared.of(x, axis, scale)
    }

    /// Its name, for errors.
    fn operation(&self) -> &'static str {
        match self.definition {
            Definition::GrunwaldLetnikov => "the Grünwald–Letnikov derivative",
            Definition::RiemannLiouville => "the Riemann–Liouville derivative",
            Definition::Caputo(Scheme::L1) => "the Caputo derivative by L1",
            Definition::Caputo(Scheme::L12) => "the Caputo derivative by L1-2",
            Definition::Caputo(Scheme::L2Sigma) => "the Caputo derivative by L2-1σ",
            Definition::Caputo(Scheme::SecondDifferences) => "the Caputo derivative by second differences",
        }
    }

    /// The fewest points that it takes.
    fn points_min(&self) -> usize {
        match self.definition {
            Definition::GrunwaldLetnikov => 1,
            Definition::RiemannLiouville => {
                if self.order < 1.0 {
                    1
                } else {
                    4
                }
            }
            Definition::Caputo(Scheme::L1 | Scheme::L2Sigma) => 1,
            Definition::Caputo(Scheme::L12) => 3,
            Definition::Caputo(Scheme::SecondDifferences) => 4,
        }
    }

    /// The steps of the window; `None` for all.
    fn window(&self) -> Result<Option<usize>> {
        let operation = self.operation();
        let History::Window { steps } = self.history else { return Ok(None) };
        let is_allowed = match self.definition {
            Definition::GrunwaldLetnikov | Definition::Caputo(Scheme::L1 | Scheme::L12 | Scheme::L2Sigma) => true,
            Definition::RiemannLiouville | Definition::Caputo(Scheme::SecondDifferences) => false,
        };
        if !is_allowed {
            return Err(Error::Unsupported { operation, given: "a window", allowed: "its full history" });
        }
        if steps == 0 {
            let (argument, allowed) = ("number of steps of the window", "at least 1");
            return Err(Error::Domain { operation, argument, value: 0.0, allowed });
        }
        Ok(Some(steps))
    }

    fn check_order(&self) -> Result<()> {
        let order = self.order;
        let between = |low: f64, high: f64| order > low && order < high;
        let (is_allowed, allowed) = match self.definition {
            Definition::GrunwaldLetnikov => ((0.0..=ORDER_MAX).contains(&order), "at least 0 and at most 30"),
            Definition::RiemannLiouville => (
                between(0.0, 1.0) || between(1.0, 2.0),
                "greater than 0 and less than 1, or greater than 1 and less than 2",
            ),
            Definition::Caputo(Scheme::L1 | Scheme::L12 | Scheme::L2Sigma) => {
                (between(0.0, 1.0), "greater than 0 and less than 1")
            }
            Definition::Caputo(Scheme::SecondDifferences) => (between(1.0, 2.0), "greater than 1 and less than 2"),
        };
        check_order(self.operation(), order, is_allowed, allowed)
    }
}
