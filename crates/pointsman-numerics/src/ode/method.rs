//! [`StepMethod`]: how the new value of a step is computed from the history, and [`Corrector`], which does it.

use super::error::OdeError;
use super::newton::{Newton, StepEquations};

/// The most corrections of a predictor.
const CORRECTIONS_MAX: usize = 1000;

/// How the new value of a step is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepMethod {
    /// A predicted value is put into the trapezoidal rule this many times.
    Pece { corrections: usize },
    /// The equations of the trapezoidal rule are solved by Newton's method.
    Trapezoidal,
}

impl StepMethod {
    pub(super) fn check(self) -> Result<(), OdeError> {
        match self {
            StepMethod::Pece { corrections } if corrections > CORRECTIONS_MAX => Err(OdeError::Setting {
                name: "the number of corrections",
                value: corrections as f64,
                allowed: "at most 1000",
            }),
            StepMethod::Pece { .. } | StepMethod::Trapezoidal => Ok(()),
        }
    }
}

/// A method with its memory.
pub(super) enum Corrector {
    Pece { corrections: usize },
    Trapezoidal(Box<Newton>),
}

impl Corrector {
    pub(super) fn new(method: StepMethod, equations: usize) -> Corrector {
        match method {
            StepMethod::Pece { corrections } => Corrector::Pece { corrections },
            StepMethod::Trapezoidal => Corrector::Trapezoidal(Box::new(Newton::new(equations))),
        }
    }

    /// Turns the predicted state into the new one; `rate` becomes the right-hand side there.
    pub(super) fn correct(
        &mut self,
        equations: &StepEquations<'_>,
        state: &mut [f64],
        rate: &mut [f64],
    ) -> Result<(), OdeError> {
        let StepEquations { system, elapsed, known, factors } = *equations;
        match self {
            Corrector::Pece { corrections } => {
                system.rate(elapsed, state, rate)?;
                for _ in 0..*corrections {
                    for (i, state) in state.iter_mut().enumerate() {
                        *state = known[i] + factors[i] * rate[i];
                    }
                    system.rate(elapsed, state, rate)?;
                }
                Ok(())
            }
            Corrector::Trapezoidal(newton) => newton.solve(equations, state, rate),
        }
    }
}
