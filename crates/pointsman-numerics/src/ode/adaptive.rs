//! Solvers over a [`CompressedStepper`]: steps of one length, and steps whose length follows an estimate of their
//! errors.

use super::compressed::CompressedStepper;
use super::error::{OdeError, check_steps};
use super::history::BLOCK;
use super::limits::RunningLimits;
use super::method::StepMethod;
use super::problem::System;
use super::receipts::Receipts;
use super::solution::{Recorder, Solution};
use super::split::Split;
use crate::fractional::ExponentialSum;
use std::f64::consts::PI;
use std::ops::Range;

/// The tolerances of a kernel: sums of exponentials have rounding errors of about the smallest.
const TOLERANCE_MIN: f64 = 1e-14;
const TOLERANCE_MAX: f64 = 0.1;
/// The tolerance of the kernel, as a part of that of the solution.
const KERNEL_PART: f64 = 1e-3;
/// The first step that is tried, as a part of the span.
const FIRST_STEP: f64 = 1e-3;
/// The shortest first step, as a part of the span.
const FIRST_STEP_MIN: f64 = 1e-100;
/// The shortest later step, as a part of the first one, to which the exponentials fit.
const STEP_MIN: f64 = 1e-6;
/// Steps are this part of the longest one whose predicted error is allowed.
const SAFETY: f64 = 0.9;
/// The most that a step grows over the last one.
const GROWTH_MAX: f64 = 2.0;
/// The most that a later step shrinks.
const SHRINK_MAX: f64 = 0.2;
/// A failed attempt, with a right-hand side outside its domain, shrinks the step by this.
const SHRINK_FAILED: f64 = 0.1;

/// The errors that an adaptive solution may have: for each equation, `absolute + relative·|y|`.
///
/// The bound holds for the sum of the errors of all steps, as far as the solver can estimate them. The equation itself
/// can enlarge errors, as an unstable one does, or damp them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The part that does not depend on the solution.
    pub absolute: f64,
    /// The part that is relative to the magnitude of each equation's value.
    pub relative: f64,
}

impl Tolerance {
    /// The same absolute and relative tolerance.
    pub fn new(tolerance: f64) -> Tolerance {
        Tolerance { absolute: tolerance, relative: tolerance }
    }

    fn check(&self) -> Result<(), OdeError> {
        let Tolerance { absolute, relative } = *self;
        for (name, value) in [("the absolute tolerance", absolute), ("the relative tolerance", relative)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(OdeError::Setting { name, value, allowed: "finite and at least 0" });
            }
        }
        if absolute + relative == 0.0 {
            let (name, allowed) = ("the sum of the tolerances", "greater than 0");
            return Err(OdeError::Setting { name, value: 0.0, allowed });
        }
        Ok(())
    }
}

/// What both solvers are given.
pub(super) struct SolveCall<'c> {
    pub(super) method: StepMethod,
    pub(super) limits: &'c RunningLimits,
    pub(super) span: &'c Range<f64>,
    /// Every so many states are kept.
    pub(super) every: usize,
}

/// Runs `solve` on a system whose orders are at most 1: the system itself, or the one with pairs for orders above 1.
fn with_small_orders(
    system: &System<'_>,
    solve: impl FnOnce(&System<'_>) -> Result<(), OdeError>,
) -> Result<(), OdeError> {
    let split = Split::new(&system.orders);
    let rate = |elapsed: f64, state: &[f64], rate: &mut [f64]| split.rate(system, elapsed, state, rate);
    let jacobian = |elapsed: f64, state: &[f64], jacobian: &mut [f64]| split.jacobian(system, elapsed, state, jacobian);
    solve(&System::new(split.lists(system), &rate, &jacobian)).map_err(|error| split.translate(system, error))
}

/// Solves a system with steps of one length.
pub(super) fn solve_uniform(
    system: &System<'_>,
    call: &SolveCall<'_>,
    steps: usize,
    tolerance: f64,
) -> Result<Solution, OdeError> {
    check_steps(steps)?;
    if !(TOLERANCE_MIN..=TOLERANCE_MAX).contains(&tolerance) {
        let (name, allowed) = ("the tolerance of the kernel", "at least 1e-14 and at most 0.1");
        return Err(OdeError::Setting { name, value: tolerance, allowed });
    }
    let mut recorder = Recorder::new(system, &system.initial_rate()?, steps, call.every)?;
    let length = call.span.end - call.span.start;
    let step = length / steps as f64;
    with_small_orders(system, |pairs| {
        let mut stepper = CompressedStepper::new(pairs, call.method)?;
        for n in 1..=steps {
            if n % BLOCK == 1 {
                call.limits.check(stepper.elapsed)?;
            }
            let end = if n == steps { length } else { n as f64 * step };
            stepper.attempt(step, end)?;
            stepper.accept(|order| ExponentialSum::of_kernel(order, tolerance, [step, length]));
            recorder.push(end, &stepper.state)?;
        }
        Ok(())
    })?;
    Ok(recorder.finish(call.span, Receipts::default()))
}

/// The limits of adaptive steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepLimits {
    /// Rejected steps count too.
    pub(super) count: usize,
    pub(super) longest: f64,
}

/// Solves a system with steps whose errors are within a tolerance.
pub(super) fn solve_adaptive(
    system: &System<'_>,
    call: &SolveCall<'_>,
    tolerance: Tolerance,
    steps: StepLimits,
) -> Result<Solution, OdeError> {
    tolerance.check()?;
    if steps.longest.is_nan() || steps.longest <= 0.0 {
        let (name, allowed) = ("the longest step", "greater than 0");
        return Err(OdeError::Setting { name, value: steps.longest, allowed });
    }
    let mut recorder = Recorder::new(system, &system.initial_rate()?, 0, call.every)?;
    let length = call.span.end - call.span.start;
    with_small_orders(system, |pairs| {
        let controller = Controller {
            stepper: CompressedStepper::new(pairs, call.method)?,
            tolerance,
            contributions: pairs.orders.iter().map(|&order| contributions(order, tolerance)).collect(),
            kernel_tolerance: kernel_tolerance(tolerance, &system.initial),
            length,
            order_min: pairs.orders.iter().copied().fold(1.0, f64::min),
            step_min: FIRST_STEP_MIN * length,
        };
        controller.run(call.limits, steps, |elapsed, state| recorder.push(elapsed, state))
    })?;
    Ok(recorder.finish(call.span, Receipts::default()))
}

/// What steps contribute together if each contributes (h/t)^α, where t counts from the start: so those near the start,
/// where solutions are not smooth, may contribute most. The kernel makes it ∫ s^(−α)·(t−s)^(α−1) ds = π/sin(πα); for α
/// near 1 the integral starts at the first step, and is the logarithm of the number of steps' lengths.
fn contributions(order: f64, tolerance: Tolerance) -> f64 {
    let logarithm = 1.0 - tolerance.absolute.max(tolerance.relative).min(1.0).ln();
    if order == 1.0 { logarithm } else { (PI / (PI * order).sin()).min(logarithm.max(PI)) }
}

/// The tolerance of the kernel: relative, as the kernel's error is relative to the whole history.
fn kernel_tolerance(tolerance: Tolerance, initial: &[f64]) -> f64 {
    let scale = initial.iter().fold(1.0, |scale, value| f64::max(scale, value.abs()));
    let relative = tolerance.relative.max(tolerance.absolute / scale);
    (KERNEL_PART * relative).clamp(TOLERANCE_MIN, TOLERANCE_MAX)
}

/// Chooses the steps.
struct Controller<'s> {
    stepper: CompressedStepper<'s>,
    tolerance: Tolerance,
    /// The sum of the parts of the tolerance that steps may contribute, for each equation.
    contributions: Vec<f64>,
    kernel_tolerance: f64,
    length: f64,
    order_min: f64,
    step_min: f64,
}

impl Controller<'_> {
    fn run(
        mut self,
        limits: &RunningLimits,
        steps: StepLimits,
        mut record: impl FnMut(f64, &[f64]) -> Result<(), OdeError>,
    ) -> Result<(), OdeError> {
        let mut step = steps.longest.min(FIRST_STEP * self.length);
        let (mut tried, mut is_first) = (0, true);
        while self.stepper.elapsed < self.length {
            let elapsed = self.stepper.elapsed;
            if step < self.step_min.max(4.0 * f64::EPSILON * elapsed) {
                return Err(OdeError::StepTooSmall { t: elapsed, step });
            }
            if tried == steps.count {
                return Err(OdeError::TooManySteps { t: elapsed, steps: tried });
            }
            if tried % BLOCK == 0 {
                limits.check(elapsed)?;
            }
            tried += 1;
            let end = self.end_of(step);
            let step_now = end - elapsed;
            let (is_accepted, factor) = self.attempt(step_now, end, is_first)?;
            if is_accepted {
                if is_first {
                    self.step_min = STEP_MIN * step_now;
                    is_first = false;
                }
                let (tolerance, interval) = (self.kernel_tolerance, [self.step_min, self.length]);
                self.stepper.accept(|order| ExponentialSum::of_kernel(order, tolerance, interval));
                record(end, &self.stepper.state)?;
            }
            step = steps.longest.min(step_now * factor);
        }
        Ok(())
    }

    /// The end of a step of about this length: two equal steps reach the end of the span, rather than a long and a very
    /// short one.
    fn end_of(&self, step: f64) -> f64 {
        let rest = self.length - self.stepper.elapsed;
        if step >= rest { self.length } else { self.stepper.elapsed + step.min(0.5 * rest) }
    }

    /// Tries a step: whether its error is small enough, and the factor of the next one.
    fn attempt(&mut self, step: f64, end: f64, is_first: bool) -> Result<(bool, f64), OdeError> {
        match self.stepper.attempt(step, end) {
            Ok(()) => {
                let ratio = self.error_ratio(end);
                // The error of the first step is that of t^α, which is h^2α.
                let (exponent, shrink) = if is_first { (-0.5 / self.order_min, 0.0) } else { (-0.5, SHRINK_MAX) };
                Ok((ratio <= 1.0, (SAFETY * ratio.powf(exponent)).clamp(shrink, GROWTH_MAX)))
            }
            // The step may have left the domain of the right-hand side.
            Err(OdeError::Diverged { .. } | OdeError::NotConverged { .. })
                if SHRINK_FAILED * step > self.step_min.max(4.0 * f64::EPSILON * self.stepper.elapsed) =>
            {
                Ok((false, SHRINK_FAILED))
            }
            Err(error) => Err(error),
        }
    }

    /// The largest error of the attempt, as a part of what its step may contribute.
    fn error_ratio(&self, end: f64) -> f64 {
        let stepper = &self.stepper;
        let share = (end - stepper.elapsed) / end;
        let part = |i: usize| {
            let size = stepper.state[i].abs().max(stepper.new_state[i].abs());
            let tolerance = self.tolerance.absolute + self.tolerance.relative * size;
            let error = stepper.error(i);
            // No error is within no tolerance.
            if error == 0.0 { 0.0 } else { error * self.contributions[i] / (tolerance * share.powf(stepper.order(i))) }
        };
        (0..stepper.state.len()).map(part).fold(0.0, f64::max)
    }
}
