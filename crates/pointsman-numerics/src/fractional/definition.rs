//! [`Definition`]: which derivative or integral, and the orders that each takes; [`History`]: how much of the past.

use crate::error::{Error, Result};

/// The greatest order: weights of far higher ones overflow, and rounding errors hide the result long before.
pub(super) const ORDER_MAX: f64 = 30.0;

/// How a Caputo derivative replaces the function between the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// By lines, for orders α between 0 and 1: error O(h^(2−α)).
    L1,
    /// By parabolas through three points, for orders α between 0 and 1: error O(h^(3−α)) at every point. The first
    /// interval takes the parabola of the second one, so the axis has at least three points.
    L12,
    /// By parabolas, at points moved by −α/2 steps, where lines on the last interval are more accurate: error
    /// O(h^(3−α)) for orders α between 0 and 1. The number at index n > 0 of the result is the derivative at
    /// (n − α/2)·h, the number at index 0 that at 0.
    L2Sigma,
    /// By lines between the second derivatives at the points, for orders between 1 and 2: error O(h²). The axis has at
    /// least four points.
    SecondDifferences,
}

/// The function before the first point, for Marchaud derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Past {
    /// It is zero. The derivative equals that of Riemann and Liouville.
    Zero,
    /// It has its first value. The derivative equals that of Caputo.
    Constant,
}

/// The function beyond the axis, for Riesz derivatives and potentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// It is zero.
    Interval,
    /// It repeats: the period is the number of points times the step.
    Periodic,
}

/// Which derivative or integral. `docs/numerics/fractional.md` has the formulas, the errors, and when to use which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Definition {
    /// The limit of weighted sums of the past; error O(h).
    GrunwaldLetnikov,
    /// The derivative of the integral.
    RiemannLiouville,
    /// The integral of the derivative.
    Caputo(Scheme),
}

/// How much of the past a derivative or an integral takes into account.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum History {
    /// All of it. N points take O(N log N) time and O(N) memory.
    Full,
    /// The last steps only: the lower limit moves along ("short memory"). With L the length of the window, a derivative
    /// of Grünwald and Letnikov is off by at most max|x|·L^(−α)/|Γ(1 − α)|, a Caputo derivative of an order below 1 by
    /// the total variation of x before the window, times L^(−α)/Γ(1 − α).
    Window {
        /// At least 1.
        steps: usize,
    },
}

/// An error unless the order is in the domain.
pub(super) fn check_order(operation: &'static str, order: f64, is_allowed: bool, allowed: &'static str) -> Result<()> {
    if is_allowed { Ok(()) } else { Err(Error::Domain { operation, argument: "order", value: order, allowed }) }
}
