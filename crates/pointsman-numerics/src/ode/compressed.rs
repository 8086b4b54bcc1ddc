//! [`CompressedStepper`]: steps of any length, with the history kept in a sum of exponentials: O(M) memory and O(M)
//! operations a step, for M exponentials.
//!
//! The right-hand side is interpolated linearly over each step. The last step is integrated exactly; for everything
//! before, each exponential has one state per equation, S(t) = ∫ e^(−s(t−τ))·f(τ) dτ, which a step multiplies by
//! e^(−sh) and adds its own integral to.

use super::error::OdeError;
use super::method::{Corrector, StepMethod};
use super::newton::StepEquations;
use super::problem::System;
use crate::fractional::ExponentialSum;
use crate::special::reciprocal_gamma;

/// Below, φ₂ is a series: its formula loses digits.
const SERIES_MAX: f64 = 0.1;

/// The exponentials of an order, and what they do in a step.
struct Kernel {
    order: f64,
    exponentials: ExponentialSum,
    /// e^(−sh).
    decay: Vec<f64>,
    /// The integrals of the exponentials times the linear functions that are 1 at the start and at the end of the step.
    integrals: Vec<[f64; 2]>,
}

impl Kernel {
    fn new(order: f64, exponentials: ExponentialSum) -> Kernel {
        let count = exponentials.rates().len();
        Kernel { order, exponentials, decay: vec![0.0; count], integrals: vec![[0.0; 2]; count] }
    }

    fn set_step(&mut self, step: f64) {
        let entries = self.decay.iter_mut().zip(&mut self.integrals).zip(self.exponentials.rates());
        for ((decay, integrals), rate) in entries {
            let z = rate * step;
            let lost = -(-z).exp_m1();
            *decay = 1.0 - lost;
            let end = phi_2(z, lost);
            let whole = if z == 0.0 { 1.0 } else { lost / z };
            *integrals = [step * (whole - end), step * end];
        }
    }
}

/// (e^(−z) − 1 + z)/z², where `lost` = 1 − e^(−z).
fn phi_2(z: f64, lost: f64) -> f64 {
    if z >= SERIES_MAX {
        return (z - lost) / (z * z);
    }
    // Σ (−z)^k/(k+2)! to k = 9: the next term is below 1e-19.
    (2..=11).rev().fold(0.0, |sum, k| (1.0 - z * sum) / f64::from(k))
}

/// The history of each equation.
struct CompressedHistory {
    kernels: Vec<Kernel>,
    /// The kernel of each equation.
    kernel_of: Vec<usize>,
    /// The states of the exponentials of each equation.
    states: Vec<Vec<f64>>,
    step: f64,
}

impl CompressedHistory {
    /// The empty memory of equations of these orders; `exponentials` makes the sum for an order.
    fn new(orders: &[f64], exponentials: impl Fn(f64) -> ExponentialSum) -> CompressedHistory {
        let mut kernels: Vec<Kernel> = Vec::new();
        let mut kernel_of = Vec::with_capacity(orders.len());
        for &order in orders {
            kernel_of.push(kernels.iter().position(|kernel| kernel.order == order).unwrap_or_else(|| {
                kernels.push(Kernel::new(order, exponentials(order)));
                kernels.len() - 1
            }));
        }
        let states = kernel_of.iter().map(|&kernel| vec![0.0; kernels[kernel].decay.len()]).collect();
        CompressedHistory { kernels, kernel_of, states, step: 0.0 }
    }

    fn set_step(&mut self, step: f64) {
        if step != self.step {
            self.kernels.iter_mut().for_each(|kernel| kernel.set_step(step));
            self.step = step;
        }
    }

    /// The part of an equation's integral over the steps before the current one.
    fn sum(&self, equation: usize) -> f64 {
        let kernel = &self.kernels[self.kernel_of[equation]];
        let terms = kernel.exponentials.weights().iter().zip(&kernel.decay).zip(&self.states[equation]);
        terms.map(|((weight, decay), state)| weight * decay * state).sum()
    }

    /// Adds the current step, over which the right-hand side goes from `left` to `right`.
    fn advance(&mut self, left: &[f64], right: &[f64]) {
        for (equation, states) in self.states.iter_mut().enumerate() {
            let kernel = &self.kernels[self.kernel_of[equation]];
            let steps = kernel.decay.iter().zip(&kernel.integrals);
            for (state, (decay, [start, end])) in states.iter_mut().zip(steps) {
                *state = decay * *state + (start * left[equation] + end * right[equation]);
            }
        }
    }
}

/// A solution that is continued step by step.
pub(super) struct CompressedStepper<'s> {
    system: &'s System<'s>,
    method: StepMethod,
    corrector: Corrector,
    /// `None` during the first step, which has no history.
    memory: Option<CompressedHistory>,
    pub(super) elapsed: f64,
    pub(super) state: Vec<f64>,
    pub(super) rate: Vec<f64>,
    /// The length of the last step and the right-hand side at its start; `None` before the second step.
    last: Option<(f64, Vec<f64>)>,
    /// The step that is tried.
    step: f64,
    new_elapsed: f64,
    pub(super) new_state: Vec<f64>,
    new_rate: Vec<f64>,
    known: Vec<f64>,
    factors: Vec<f64>,
}

impl<'s> CompressedStepper<'s> {
    /// At the start of a system, whose orders are at most 1.
    pub(super) fn new(system: &'s System<'s>, method: StepMethod) -> Result<CompressedStepper<'s>, OdeError> {
        method.check()?;
        let list = || vec![0.0; system.equations()];
        Ok(CompressedStepper {
            system,
            method,
            corrector: Corrector::new(method, system.equations()),
            memory: None,
            elapsed: 0.0,
            state: system.initial.clone(),
            rate: system.initial_rate()?,
            last: None,
            step: 0.0,
            new_elapsed: 0.0,
            new_state: list(),
            new_rate: list(),
            known: list(),
            factors: list(),
        })
    }

    pub(super) fn order(&self, equation: usize) -> f64 {
        self.system.orders[equation]
    }

    /// Computes the state at `new_elapsed`, a step later.
    pub(super) fn attempt(&mut self, step: f64, new_elapsed: f64) -> Result<(), OdeError> {
        (self.step, self.new_elapsed) = (step, new_elapsed);
        if let Some(memory) = &mut self.memory {
            memory.set_step(step);
        }
        for i in 0..self.state.len() {
            let order = self.system.orders[i];
            let factor = step.powf(order) * reciprocal_gamma(order + 2.0);
            let history = self.memory.as_ref().map_or(0.0, |memory| memory.sum(i));
            self.factors[i] = factor;
            self.known[i] = self.system.polynomial(i, new_elapsed) + (history + factor * order * self.rate[i]);
            self.new_state[i] = match self.method {
                StepMethod::Pece { .. } => self.known[i] + factor * self.predicted_rate(i),
                // The last value is the first guess of Newton's method.
                StepMethod::Trapezoidal => self.state[i],
            };
        }
        let CompressedStepper { system, known, factors, .. } = self;
        let equations = StepEquations { system, elapsed: new_elapsed, known, factors };
        self.corrector.correct(&equations, &mut self.new_state, &mut self.new_rate)
    }

    /// The right-hand side at the end of the step, by extrapolation.
    fn predicted_rate(&self, equation: usize) -> f64 {
        let rate = self.rate[equation];
        self.last.as_ref().map_or(rate, |(last, before)| rate + (rate - before[equation]) * (self.step / last))
    }

    /// An estimate of the error of the attempt: the integral of the right-hand side minus its linear interpolation over
    /// the step, from its second difference, and what further corrections would change. In the first step, the whole
    /// change of the right-hand side counts.
    pub(super) fn error(&self, equation: usize) -> f64 {
        let order = self.system.orders[equation];
        let change = self.new_rate[equation] - self.rate[equation];
        let bend = match &self.last {
            None => change,
            Some((last, before)) => {
                let slopes = change / self.step - (self.rate[equation] - before[equation]) / last;
                let part = self.step / (self.step + last) * self.step;
                order / (order + 2.0) * (slopes * part)
            }
        };
        let factor = self.factors[equation];
        let residual = self.known[equation] + factor * self.new_rate[equation] - self.new_state[equation];
        (factor * bend).abs() + residual.abs()
    }

    /// Continues from the end of the attempt. After the first step, `exponentials` makes the sum for an order.
    pub(super) fn accept(&mut self, exponentials: impl Fn(f64) -> ExponentialSum) {
        let memory = self.memory.get_or_insert_with(|| CompressedHistory::new(&self.system.orders, exponentials));
        memory.set_step(self.step);
        memory.advance(&self.rate, &self.new_rate);
        self.elapsed = self.new_elapsed;
        self.state.copy_from_slice(&self.new_state);
        let (_, before) = self.last.get_or_insert_with(|| (0.0, self.rate.clone()));
        before.copy_from_slice(&self.rate);
        if let Some((last, _)) = &mut self.last {
            *last = self.step;
        }
        self.rate.copy_from_slice(&self.new_rate);
    }
}
