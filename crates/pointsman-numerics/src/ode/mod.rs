//! Fractional ordinary differential equations: D^α y = f(t, y) with Caputo's derivative of orders between 0 and 2.
//!
//! A [`Problem`] has the orders, the initial values and the right-hand side, a plain closure. A [`Solver`] has the
//! method and makes a [`Solution`], which has the states after each step and interpolates between them. An [`Ensemble`]
//! solves one system for many initial values and parameters at once.
//!
//! ```
//! use pointsman_numerics::ode::{OdeError, Problem, Solver, Tolerance};
//!
//! # fn main() -> Result<(), OdeError> {
//! let session = pointsman::Session::open()?;
//! let problem = Problem::new(&[1.5], &[1.0], |t, y, rate| rate[0] = t.sin() - y[0]).slopes(&[0.5]);
//! // Steps of one length with the whole history.
//! let uniform = Solver::pece(1).uniform(&session, &problem, 0.0..20.0, 10_000)?;
//! // Steps that follow the solution, with a compressed history.
//! let adaptive = Solver::pece(2).adaptive(&problem, 0.0..20.0, Tolerance::new(1e-6))?;
//! assert!((uniform.at(12.3)?[0] - adaptive.at(12.3)?[0]).abs() < 1e-5);
//! # Ok(())
//! # }
//! ```
//!
//! # Which solver
//!
//! All of them integrate y(t) = y₀ + y′₀·t + 1/Γ(α)·∫ (t−s)^(α−1)·f(s, y(s)) ds with f interpolated over each step.
//!
//! | task | call | cost of N steps |
//! | --- | --- | --- |
//! | smooth f, moderate λ = \|∂f/∂y\| | [`Solver::pece`] with [`Solver::uniform`] | O(N·log² N) |
//! | stiff: λ·h^α beyond about 1 | [`Solver::trapezoidal`] | the same, and Newton iterations |
//! | a solution with t^α at the start, or slow and fast phases | [`Solver::adaptive`] | O(N·M) |
//! | very long times | [`Solver::compressed`] with [`Solver::keep_every`] | O(N·M), memory O(M) |
//! | hundreds of trajectories or more | [`Ensemble`] | O(N·log² N) for each, on the device that the session chooses |
//!
//! M is the number of exponentials in a compressed history, usually 50 to 150. `docs/numerics/ode.md` has formulas,
//! observed orders and times.

mod adaptive;
mod compressed;
mod ensemble;
mod error;
mod history;
mod limits;
mod memory;
mod method;
mod newton;
mod problem;
mod receipts;
mod solution;
mod solver;
mod split;
mod uniform;
mod weights;

pub use adaptive::Tolerance;
pub use ensemble::{Ensemble, EnsembleSolution};
pub use error::{OdeError, STEPS_MAX};
pub use problem::Problem;
pub use solution::Solution;
pub use solver::Solver;
