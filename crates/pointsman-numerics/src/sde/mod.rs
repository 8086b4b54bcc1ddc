//! Stochastic differential equations with memory, for many paths at once: [`FbmEquation`] is driven by fractional
//! Brownian motion, [`CaputoEquation`] has a Caputo derivative in time and is driven by white noise.
//!
//! In: coefficients as closures, initial values, a seed. Out: the values of all paths at later times. The closures run
//! while a query is built, and a query computes all paths. A path depends on the seed, its number and the steps, and
//! not on the other paths, up to the rounding of library calls.

mod caputo;
mod fbm;

pub use caputo::{CaputoEquation, CaputoRun};
pub use fbm::{FbmEquation, FbmRun};

use crate::array::Array;
use crate::error::{Error, Result};
use crate::number::Real;
use pointsman::Expr;
use std::sync::Arc;

/// The most paths: the number of a path is a word of the index of its random numbers.
const PATHS_MAX: usize = 1 << 32;
/// The most steps of a run.
const STEPS_MAX: usize = 1 << 24;

/// A coefficient of an equation: a function of the solution and the time.
type Coefficient<R> = Arc<dyn Fn(Expr<R>, Expr<R>) -> Expr<R> + Send + Sync>;

/// The step of a run of `steps` steps to time `end`, or an error if the sizes or the times cannot be.
fn checked_step<R: Real>(operation: &'static str, initial: &Array<R>, end: f64, steps: usize) -> Result<f64> {
    let &[paths] = initial.shape() else {
        let (left, right) = (initial.shape().to_vec(), vec![0]);
        return Err(Error::ShapeMismatch { operation, left, right, allowed: "initial values of one axis, the paths" });
    };
    let domain = |argument, value, is_allowed, allowed| {
        if is_allowed { Ok(()) } else { Err(Error::Domain { operation, argument, value, allowed }) }
    };
    domain("number of paths", paths as f64, paths <= PATHS_MAX, "at most 4294967296")?;
    domain("number of steps", steps as f64, steps <= STEPS_MAX, "at most 16777216")?;
    domain("end", end, end.is_finite() && end > 0.0, "positive and finite")?;
    Ok(end / steps.max(1) as f64)
}
