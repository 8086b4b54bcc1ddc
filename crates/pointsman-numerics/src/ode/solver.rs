//! [`Solver`]: the method, the limits and the entry points.

use super::adaptive::{self, SolveCall, StepLimits, Tolerance};
use super::error::{OdeError, STEPS_MAX};
use super::limits::{Limits, RunningLimits};
use super::method::StepMethod;
use super::problem::Problem;
use super::solution::Solution;
use super::uniform;
use pointsman::{CancellationToken, Session};
use std::ops::Range;
use std::time::Duration;

/// How a [`Problem`] is solved: a method, and limits of the call.
///
/// ```
/// use pointsman_numerics::ode::{OdeError, Problem, Solver};
/// use pointsman_numerics::special::mittag_leffler;
///
/// # fn main() -> Result<(), OdeError> {
/// let session = pointsman::Session::open()?;
/// let problem = Problem::new(&[0.5], &[1.0], |_, y, rate| rate[0] = -y[0]);
/// let solution = Solver::trapezoidal().uniform(&session, &problem, 0.0..2.0, 1000)?;
/// let exact = mittag_leffler(0.5, 1.0, -2f64.sqrt()).expect("the arguments are in the domain");
/// assert!((solution.last()[0] - exact).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Solver {
    method: StepMethod,
    limits: Limits,
    steps: StepLimits,
    every: usize,
}

impl Solver {
    /// The predictor–corrector method of Diethelm, Ford and Freed: Adams–Bashforth–Moulton of fractional order. The
    /// rectangle rule predicts a value, and the trapezoidal rule corrects it this many times, 1000 at most; without
    /// corrections, the prediction is the result.
    ///
    /// On a uniform grid its error is O(h^min(2, 1+α)) with one correction, if D^α y is smooth; each further correction
    /// adds α to the exponent, up to 2. It is explicit: with |h^α·∂f/∂y| beyond about 1 it is unstable.
    pub fn pece(corrections: usize) -> Solver {
        Solver::new(StepMethod::Pece { corrections })
    }

    /// The implicit trapezoidal rule of product integration, whose equations are solved by damped Newton iterations.
    /// Its error is O(h²) if D^α y is smooth, and it is stable for stiff problems.
    pub fn trapezoidal() -> Solver {
        Solver::new(StepMethod::Trapezoidal)
    }

    fn new(method: StepMethod) -> Solver {
        let steps = StepLimits { count: STEPS_MAX, longest: f64::INFINITY };
        Solver { method, limits: Limits::default(), steps, every: 1 }
    }

    /// Limits the time of a call, which then fails with [`OdeError::Timeout`]. It is checked after each block of 64
    /// steps.
    pub fn deadline(mut self, time: Duration) -> Solver {
        self.limits.deadline = Some(time);
        self
    }

    /// Stops a call when this token is cancelled; it then fails with [`OdeError::Cancelled`]. The token is checked
    /// after each block of 64 steps.
    pub fn cancelled_by(mut self, token: &CancellationToken) -> Solver {
        self.limits.token = Some(token.clone());
        self
    }

    /// Limits the steps of an adaptive solution, rejected ones included, which then fails with
    /// [`OdeError::TooManySteps`]. Default: [`STEPS_MAX`].
    pub fn steps_max(mut self, steps: usize) -> Solver {
        self.steps.count = steps;
        self
    }

    /// Limits the length of the steps of an adaptive solution, so that it misses nothing short that happens after a
    /// time of rest. Default: no limit.
    pub fn step_max(mut self, step: f64) -> Solver {
        self.steps.longest = step;
        self
    }

    /// Keeps every `distance`-th state of the solution, and the first and the last one. Default: 1, all states.
    pub fn keep_every(mut self, distance: usize) -> Solver {
        self.every = distance;
        self
    }

    /// Solves a problem with `steps` steps of one length and its whole history.
    ///
    /// N steps take O(N·log² N) operations and O(N) memory. The calling thread does all steps and the sums over short
    /// blocks of the history; sums over long blocks are queries of the session, which chooses their device.
    pub fn uniform(
        &self,
        session: &Session,
        problem: &Problem<'_>,
        span: Range<f64>,
        steps: usize,
    ) -> Result<Solution, OdeError> {
        let system = problem.checked(&span)?;
        uniform::solve(&system, self.method, session, &self.limits.start(), &span, steps, self.every)
    }

    /// Solves a problem with `steps` steps of one length and a compressed history, for long times.
    ///
    /// The kernel of the history, t^(α−1), is replaced by a sum of M exponentials within a relative tolerance, 1e-14 to
    /// 0.1, for all times from one step to the whole span. N steps take O(N·M) operations and, beside the kept states,
    /// O(M) memory; M is about log(1/tolerance)·log(N/tolerance)/10. The last step is integrated exactly. The calling
    /// thread does all work.
    ///
    /// The trapezoidal rule is that of [`Solver::uniform`], and so is its solution, within the tolerance times the
    /// integral of |f|. The predictor extrapolates the right-hand side from the last two steps instead of taking the
    /// rectangle rule, so that one correction suffices for an error of O(h²). An equation of an order above 1 is solved
    /// as two equations: y′ = z and D^(α−1) z = f.
    ///
    /// ```
    /// use pointsman_numerics::ode::{OdeError, Problem, Solver};
    ///
    /// # fn main() -> Result<(), OdeError> {
    /// let problem = Problem::new(&[0.6], &[1.0], |t, y, rate| rate[0] = t.sin() - y[0]);
    /// let solution = Solver::pece(1).keep_every(1000).compressed(&problem, 0.0..1000.0, 100_000, 1e-8)?;
    /// assert_eq!(solution.len(), 101);
    /// # Ok(())
    /// # }
    /// ```
    pub fn compressed(
        &self,
        problem: &Problem<'_>,
        span: Range<f64>,
        steps: usize,
        tolerance: f64,
    ) -> Result<Solution, OdeError> {
        let system = problem.checked(&span)?;
        adaptive::solve_uniform(&system, &self.call(&self.limits.start(), &span), steps, tolerance)
    }

    /// Solves a problem with steps that the solver chooses, so that errors are within a [`Tolerance`], and a compressed
    /// history as in [`Solver::compressed`]. The first steps are as short as a solution with a term t^α needs.
    ///
    /// The step follows the integral of the difference between the right-hand side and its linear interpolation,
    /// estimated from its values at the last three times. N steps take O(N·M) operations.
    ///
    /// ```
    /// use pointsman_numerics::ode::{OdeError, Problem, Solver, Tolerance};
    /// use pointsman_numerics::special::mittag_leffler;
    ///
    /// # fn main() -> Result<(), OdeError> {
    /// let problem = Problem::new(&[0.4], &[1.0], |_, y, rate| rate[0] = -y[0]);
    /// let solution = Solver::pece(2).adaptive(&problem, 0.0..10.0, Tolerance::new(1e-5))?;
    /// for t in [1e-4, 0.3, 10.0f64] {
    ///     let exact = mittag_leffler(0.4, 1.0, -t.powf(0.4)).expect("the arguments are in the domain");
    ///     assert!((solution.at(t)?[0] - exact).abs() < 1e-5);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn adaptive(
        &self,
        problem: &Problem<'_>,
        span: Range<f64>,
        tolerance: Tolerance,
    ) -> Result<Solution, OdeError> {
        let system = problem.checked(&span)?;
        adaptive::solve_adaptive(&system, &self.call(&self.limits.start(), &span), tolerance, self.steps)
    }

    fn call<'c>(&self, limits: &'c RunningLimits, span: &'c Range<f64>) -> SolveCall<'c> {
        SolveCall { method: self.method, limits, span, every: self.every }
    }
}
