//! Steps of one length with the full history: the sums of [`StepHistory`], and a [`Corrector`] for each new value.

use super::error::{OdeError, check_steps};
use super::history::{BLOCK, StepHistory};
use super::limits::RunningLimits;
use super::memory::ProblemSize;
use super::method::{Corrector, StepMethod};
use super::newton::StepEquations;
use super::problem::System;
use super::receipts::Receipts;
use super::solution::{Recorder, Solution};
use super::weights::Weights;
use pointsman::Session;
use std::ops::Range;

/// The rules of a [`StepHistory`], in order.
const TRAPEZOID: usize = 0;
const RECTANGLE: usize = 1;

/// The equations that share an order.
struct Group {
    equations: Vec<usize>,
    /// h^α/Γ(α+2), the weight of the newest value.
    factor: f64,
    /// The weight of the first value minus that of any other value at its place, by step.
    start: Vec<f64>,
    history: StepHistory,
}

/// Solves a system with `steps` steps of one length.
pub(super) fn solve(
    system: &System<'_>,
    method: StepMethod,
    session: &Session,
    limits: &RunningLimits,
    span: &Range<f64>,
    steps: usize,
    every: usize,
) -> Result<Solution, OdeError> {
    method.check()?;
    check_steps(steps)?;
    let equations = system.equations();
    let step = (span.end - span.start) / steps as f64;
    let elapsed_at = |n: usize| if n == steps { span.end - span.start } else { n as f64 * step };
    limits.check(span.start)?;
    let mut groups = groups(system, method, step, steps)?;
    let (mut state, mut rate) = (system.initial.clone(), system.initial_rate()?);
    let mut recorder = Recorder::new(system, &rate, steps, every)?;
    let mut corrector = Corrector::new(method, equations);
    let (mut known, mut factors) = (vec![0.0; equations], vec![0.0; equations]);
    for group in &groups {
        group.equations.iter().for_each(|&i| factors[i] = group.factor);
    }
    for n in 1..=steps {
        let (elapsed, last) = (elapsed_at(n), elapsed_at(n - 1));
        if n.is_multiple_of(BLOCK) {
            limits.check(span.start + last)?;
        }
        for group in &mut groups {
            let values = group.equations.iter().map(|&i| rate[i]);
            group.history.push(values, session, limits, span.start + last)?;
            for (number, &i) in group.equations.iter().enumerate() {
                let polynomial = system.polynomial(i, elapsed);
                let history = &group.history;
                known[i] = polynomial + (history.sum(TRAPEZOID, number) + group.start[n] * history.values(number)[0]);
                match method {
                    StepMethod::Pece { .. } => state[i] = polynomial + history.sum(RECTANGLE, number),
                    // The last value is the first guess of Newton's method.
                    StepMethod::Trapezoidal => {}
                }
            }
        }
        let step_equations = StepEquations { system, elapsed, known: &known, factors: &factors };
        corrector.correct(&step_equations, &mut state, &mut rate)?;
        recorder.push(elapsed, &state)?;
    }
    let mut receipts = Receipts::default();
    groups.into_iter().for_each(|group| receipts.merge(group.history.into_receipts()));
    Ok(recorder.finish(span, receipts))
}

/// The equations by their order.
fn groups(system: &System<'_>, method: StepMethod, step: f64, steps: usize) -> Result<Vec<Group>, OdeError> {
    let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
    for (equation, &order) in system.orders.iter().enumerate() {
        match groups.iter_mut().find(|(other, _)| *other == order) {
            Some((_, equations)) => equations.push(equation),
            None => groups.push((order, vec![equation])),
        }
    }
    let size = ProblemSize { steps, equations: system.equations() };
    let group = |(order, equations): (f64, Vec<usize>)| -> Result<Group, OdeError> {
        let weights = Weights::new(order);
        let (factor, rectangle) = (weights.trapezoid_factor(step), weights.rectangle_factor(step));
        let mut start = size.by_step(0.0, |n| weights.trapezoid_start(n))?;
        let mut rules: Vec<Vec<f64>> = vec![size.by_step(0.0, |n| factor * weights.trapezoid(n))?];
        start.iter_mut().zip(&rules[TRAPEZOID]).for_each(|(start, weight)| *start = factor * *start - weight);
        match method {
            StepMethod::Pece { .. } => rules.push(size.by_step(0.0, |n| rectangle * weights.rectangle(n))?),
            StepMethod::Trapezoidal => {}
        }
        let history = StepHistory::new(rules, equations.len(), size)?;
        Ok(Group { equations, factor, start, history })
    };
    groups.into_iter().map(group).collect()
}
