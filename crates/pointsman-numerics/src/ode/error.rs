//! [`OdeError`]: why a fractional differential equation was not solved, and at which time.

use crate::error::Error;
use pointsman::ErrorKind;
use std::fmt;

/// The most steps of a solution.
pub const STEPS_MAX: usize = 1 << 28;

/// An error unless there is at least one step, and at most [`STEPS_MAX`].
pub(super) fn check_steps(steps: usize) -> Result<(), OdeError> {
    if (1..=STEPS_MAX).contains(&steps) { Ok(()) } else { Err(OdeError::Steps { steps }) }
}

/// Why a fractional differential equation was not solved.
///
/// ```
/// use pointsman_numerics::ode::{OdeError, Problem, Solver};
///
/// # fn main() -> Result<(), OdeError> {
/// let session = pointsman::Session::open()?;
/// let problem = Problem::new(&[2.5], &[1.0], |_, y, rate| rate[0] = -y[0]);
/// let error = Solver::pece(1).uniform(&session, &problem, 0.0..1.0, 100).unwrap_err();
/// assert!(matches!(error, OdeError::Order { equation: 0, .. }));
/// assert_eq!(error.to_string(), "equation 0 has the order 2.5: orders are greater than 0 and less than 2");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum OdeError {
    /// An order is outside of its domain.
    Order {
        /// The equation, counted from 0.
        equation: usize,
        /// Its order.
        order: f64,
    },
    /// Two lists that belong together have different lengths.
    Length {
        /// The list with the wrong length.
        list: &'static str,
        /// Its length.
        length: usize,
        /// The length that it must have.
        expected: usize,
    },
    /// An array of an ensemble has the wrong shape.
    Shape {
        /// The array.
        list: &'static str,
        /// Its shape.
        shape: Vec<usize>,
        /// The shape that it must have: a row per trajectory.
        expected: [usize; 2],
    },
    /// A number of the problem is NaN or infinite.
    NotFinite {
        /// The list that has the number.
        list: &'static str,
        /// The position of the number in its list.
        index: usize,
    },
    /// A number of the solver is outside its domain.
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The values that it can have.
        allowed: &'static str,
    },
    /// The end is not after the start, or one of them is not finite.
    Span {
        /// The start.
        start: f64,
        /// The end.
        end: f64,
    },
    /// There are no steps, or more than [`STEPS_MAX`].
    Steps {
        /// The number of steps.
        steps: usize,
    },
    /// A time outside of the solution's span was asked for.
    Outside {
        /// The time.
        t: f64,
        /// The first time of the solution.
        start: f64,
        /// Its last time.
        end: f64,
    },
    /// The right-hand side returned NaN or an infinity, or the solution grew beyond all numbers.
    Diverged {
        /// The time.
        t: f64,
        /// The first equation for which this is so.
        equation: usize,
    },
    /// Newton's method found no solution of the equations of a step.
    NotConverged {
        /// The time at the end of the step.
        t: f64,
        /// The number of iterations.
        iterations: usize,
        /// The residual of the equations, in the unit of the solution.
        residual: f64,
    },
    /// The tolerance needs a smaller step than the solver can take.
    StepTooSmall {
        /// The time at the start of the step.
        t: f64,
        /// The step.
        step: f64,
    },
    /// The adaptive solver took [`Solver::steps_max`](super::Solver::steps_max) steps before it reached the end.
    TooManySteps {
        /// The time that it reached.
        t: f64,
        /// The number of steps.
        steps: usize,
    },
    /// There is not enough memory for the solution.
    OutOfMemory {
        /// The number of steps.
        steps: usize,
        /// The number of equations.
        equations: usize,
    },
    /// The deadline passed.
    Timeout {
        /// The time up to which the solution was known.
        t: f64,
    },
    /// The solver was cancelled.
    Cancelled {
        /// The time up to which the solution was known.
        t: f64,
    },
    /// An operation on arrays failed.
    Array(Error),
}

impl From<Error> for OdeError {
    fn from(error: Error) -> OdeError {
        OdeError::Array(error)
    }
}

impl From<pointsman::Error> for OdeError {
    fn from(error: pointsman::Error) -> OdeError {
        OdeError::Array(Error::Query(error))
    }
}

impl OdeError {
    /// The error of a query that ran for a step at this time.
    pub(super) fn of_query(error: pointsman::Error, t: f64) -> OdeError {
        if error.kind() == ErrorKind::Timeout {
            OdeError::Timeout { t }
        } else if error.kind() == ErrorKind::Cancelled {
            OdeError::Cancelled { t }
        } else {
            error.into()
        }
    }
}

impl fmt::Display for OdeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OdeError::Order { equation, order } => {
                write!(f, "equation {equation} has the order {order}: orders are greater than 0 and less than 2")
            }
            OdeError::Length { list, length, expected } => {
                write!(f, "{list} must have {expected} numbers, but there are {length}")
            }
            OdeError::Shape { list, shape, expected } => {
                write!(f, "{list} must have the shape {expected:?}, a row per trajectory, but have {shape:?}")
            }
            OdeError::NotFinite { list, index } => {
                write!(f, "number {index} of {list} is NaN or infinite: every number must be finite")
            }
            OdeError::Setting { name, value, allowed } => write!(f, "{name} must be {allowed}, but is {value}"),
            OdeError::Span { start, end } => {
                write!(
                    f,
                    "the span from {start} to {end}: both must be finite, and the end at least 1e-250 after the start"
                )
            }
            OdeError::Steps { steps } => write!(f, "{steps} steps: take at least 1 and at most {STEPS_MAX}"),
            OdeError::Outside { t, start, end } => {
                write!(f, "the solution is known from {start} to {end}, but not at {t}")
            }
            OdeError::Diverged { t, equation } => {
                write!(
                    f,
                    "equation {equation} is NaN or infinite at t = {t}: check the right-hand side, or take smaller steps"
                )
            }
            OdeError::NotConverged { t, iterations, residual } => write!(
                f,
                "Newton's method did not converge at t = {t}: the residual is {residual:e} after {iterations} iterations; take smaller steps, or check the Jacobian"
            ),
            OdeError::StepTooSmall { t, step } => {
                write!(f, "at t = {t} the tolerance needs steps below {step:e}: raise it, or use the implicit method")
            }
            OdeError::TooManySteps { t, steps } => {
                write!(f, "{steps} steps reached t = {t} only: raise the tolerance, or `Solver::steps_max`")
            }
            OdeError::OutOfMemory { steps, equations } => {
                write!(f, "there is not enough memory for {steps} steps of {equations} equations")
            }
            OdeError::Timeout { t } => write!(f, "the deadline passed; the solution is known up to t = {t}"),
            OdeError::Cancelled { t } => write!(f, "cancelled; the solution is known up to t = {t}"),
            OdeError::Array(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OdeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OdeError::Array(error) => Some(error),
            OdeError::Order { .. }
            | OdeError::Length { .. }
            | OdeError::Shape { .. }
            | OdeError::NotFinite { .. }
            | OdeError::Setting { .. }
            | OdeError::Span { .. }
            | OdeError::Steps { .. }
            | OdeError::Outside { .. }
            | OdeError::Diverged { .. }
            | OdeError::NotConverged { .. }
            | OdeError::StepTooSmall { .. }
            | OdeError::TooManySteps { .. }
            | OdeError::OutOfMemory { .. }
            | OdeError::Timeout { .. }
            | OdeError::Cancelled { .. } => None,
        }
    }
}
