//! [`Problem`]: orders, initial values and right-hand side of a system, and the checks of all of them.

use super::error::OdeError;
use std::fmt;
use std::ops::Range;

/// Writes the right-hand side at a time and a state, or its Jacobian, into the last argument.
type Function<'a> = dyn Fn(f64, &[f64], &mut [f64]) + 'a;

/// An initial value problem of Caputo's derivatives: D^αᵢ yᵢ(t) = fᵢ(t, y), y(t₀) given, and y′(t₀) for orders above 1.
///
/// Each equation has its own order, greater than 0 and less than 2. The memory of the derivatives starts with the span
/// that a [`Solver`](super::Solver) is given.
///
/// ```
/// use pointsman_numerics::ode::{OdeError, Problem, Solver};
///
/// # fn main() -> Result<(), OdeError> {
/// let session = pointsman::Session::open()?;
/// // Two species with memory of different strength.
/// let problem = Problem::new(&[0.9, 0.8], &[2.0, 1.0], |_, y, rate| {
///     rate[0] = y[0] * (1.0 - y[1]);
///     rate[1] = y[1] * (y[0] - 1.0);
/// });
/// let solution = Solver::pece(2).uniform(&session, &problem, 0.0..10.0, 2000)?;
/// assert_eq!(solution.last().len(), 2);
/// # Ok(())
/// # }
/// ```
pub struct Problem<'a> {
    orders: Vec<f64>,
    initial: Vec<f64>,
    slopes: Option<Vec<f64>>,
    function: Box<Function<'a>>,
    jacobian: Option<Box<Function<'a>>>,
}

impl fmt::Debug for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("orders", &self.orders)
            .field("initial", &self.initial)
            .field("slopes", &self.slopes)
            .finish_non_exhaustive()
    }
}

impl<'a> Problem<'a> {
    /// A problem with an order and an initial value for each equation. The closure gets the time and the state, and
    /// writes the right-hand side into its last argument. A solver checks the numbers.
    pub fn new(orders: &[f64], initial: &[f64], function: impl Fn(f64, &[f64], &mut [f64]) + 'a) -> Problem<'a> {
        Problem {
            orders: orders.to_vec(),
            initial: initial.to_vec(),
            slopes: None,
            function: Box::new(function),
            jacobian: None,
        }
    }

    /// Sets y′ at the start for each equation. Only equations of an order above 1 use it; without it, it is 0.
    pub fn slopes(mut self, slopes: &[f64]) -> Problem<'a> {
        self.slopes = Some(slopes.to_vec());
        self
    }

    /// Sets the Jacobian, for the implicit method: the closure writes ∂fᵢ/∂yⱼ into element i·d + j of its last
    /// argument, where d is the number of equations. Without it, differences of the right-hand side approximate the
    /// Jacobian.
    pub fn jacobian(mut self, jacobian: impl Fn(f64, &[f64], &mut [f64]) + 'a) -> Problem<'a> {
        self.jacobian = Some(Box::new(jacobian));
        self
    }

    /// Checks all numbers, and the span.
    pub(super) fn checked(&self, span: &Range<f64>) -> Result<System<'_>, OdeError> {
        let equations = self.orders.len();
        if equations == 0 {
            return Err(OdeError::Setting { name: "the number of equations", value: 0.0, allowed: "at least 1" });
        }
        check_orders(&self.orders)?;
        check_list("the initial values", &self.initial, equations)?;
        if let Some(slopes) = &self.slopes {
            check_list("the initial slopes", slopes, equations)?;
        }
        check_span(span)?;
        let slope = |i: usize| self.slopes.as_ref().map_or(0.0, |slopes| slopes[i]);
        let slopes = (0..equations).map(|i| if self.orders[i] > 1.0 { slope(i) } else { 0.0 }).collect();
        let Problem { orders, initial, function, jacobian, .. } = self;
        Ok(System {
            orders: orders.clone(),
            initial: initial.clone(),
            slopes,
            start: span.start,
            function,
            jacobian: jacobian.as_deref(),
        })
    }
}

/// Orders are greater than 0 and less than 2.
pub(super) fn check_orders(orders: &[f64]) -> Result<(), OdeError> {
    match orders.iter().position(|&order| !(order > 0.0 && order < 2.0)) {
        Some(equation) => Err(OdeError::Order { equation, order: orders[equation] }),
        None => Ok(()),
    }
}

fn check_list(list: &'static str, numbers: &[f64], expected: usize) -> Result<(), OdeError> {
    if numbers.len() != expected {
        return Err(OdeError::Length { list, length: numbers.len(), expected });
    }
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(index) => Err(OdeError::NotFinite { list, index }),
        None => Ok(()),
    }
}

/// A span has finite ends, the second after the first.
/// The shortest span: steps and powers of them stay normal numbers.
const LENGTH_MIN: f64 = 1e-250;

pub(super) fn check_span(span: &Range<f64>) -> Result<(), OdeError> {
    let length = span.end - span.start;
    let is_span = span.start.is_finite() && length.is_finite() && length >= LENGTH_MIN;
    if is_span { Ok(()) } else { Err(OdeError::Span { start: span.start, end: span.end }) }
}

/// A problem whose numbers are checked. Solvers count time from the start, since the first steps may be far shorter
/// than the distance of two numbers near the start.
pub(super) struct System<'p> {
    pub(super) orders: Vec<f64>,
    pub(super) initial: Vec<f64>,
    /// Zero for orders up to 1.
    pub(super) slopes: Vec<f64>,
    pub(super) start: f64,
    function: &'p Function<'p>,
    jacobian: Option<&'p Function<'p>>,
}

impl<'p> System<'p> {
    /// A system of these orders, initial values and slopes, with functions of the time since the start.
    pub(super) fn new(
        [orders, initial, slopes]: [Vec<f64>; 3],
        function: &'p Function<'p>,
        jacobian: &'p Function<'p>,
    ) -> System<'p> {
        System { orders, initial, slopes, start: 0.0, function, jacobian: Some(jacobian) }
    }

    pub(super) fn equations(&self) -> usize {
        self.orders.len()
    }

    /// The part of the solution that the initial values give: Taylor's polynomial, `elapsed` after the start.
    pub(super) fn polynomial(&self, equation: usize, elapsed: f64) -> f64 {
        self.initial[equation] + self.slopes[equation] * elapsed
    }

    /// The right-hand side, which may be NaN.
    pub(super) fn rate_unchecked(&self, elapsed: f64, state: &[f64], rate: &mut [f64]) {
        // What the closure does not write is an error of the user's, which must not look like a number.
        rate.fill(f64::NAN);
        (self.function)(self.start + elapsed, state, rate);
    }

    /// The right-hand side, which must be finite, at a finite state.
    pub(super) fn rate(&self, elapsed: f64, state: &[f64], rate: &mut [f64]) -> Result<(), OdeError> {
        self.rate_unchecked(elapsed, state, rate);
        let is_finite = |i: usize| state[i].is_finite() && rate[i].is_finite();
        match (0..state.len()).find(|&i| !is_finite(i)) {
            Some(equation) => Err(OdeError::Diverged { t: self.start + elapsed, equation }),
            None => Ok(()),
        }
    }

    /// The right-hand side at the start.
    pub(super) fn initial_rate(&self) -> Result<Vec<f64>, OdeError> {
        let mut rate = vec![0.0; self.equations()];
        self.rate(0.0, &self.initial, &mut rate)?;
        Ok(rate)
    }

    /// Writes the Jacobian, row by row, at a state where the right-hand side is `rate`.
    pub(super) fn jacobian(&self, elapsed: f64, state: &[f64], rate: &[f64], jacobian: &mut [f64]) {
        if let Some(function) = self.jacobian {
            jacobian.fill(f64::NAN);
            function(self.start + elapsed, state, jacobian);
            return;
        }
        let equations = state.len();
        let (mut moved, mut moved_rate) = (state.to_vec(), vec![0.0; equations]);
        for j in 0..equations {
            // The rounding of f and the curvature of f have about the same share of the error.
            let distance = f64::EPSILON.sqrt() * state[j].abs().max(1e-5);
            moved[j] = state[j] + distance;
            self.rate_unchecked(elapsed, &moved, &mut moved_rate);
            let distance = moved[j] - state[j];
            for i in 0..equations {
                jacobian[i * equations + j] = (moved_rate[i] - rate[i]) / distance;
            }
            moved[j] = state[j];
        }
    }
}
