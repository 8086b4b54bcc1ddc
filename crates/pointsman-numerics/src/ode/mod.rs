//! Fractional ordinary differential equations: Caputo's derivatives of orders between 0 and 2.

mod adaptive;
mod compressed;
mod error;
mod exponentials;
mod history;
mod limits;
mod method;
mod newton;
mod problem;
mod solution;
mod solver;
mod split;
mod uniform;
mod weights;

pub use adaptive::Tolerance;
pub use error::{OdeError, STEPS_MAX};
pub use problem::Problem;
pub use solution::Solution;
pub use solver::Solver;
