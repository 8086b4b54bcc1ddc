//! [`StepHistory`]: the sums over all earlier values that each step of a uniform grid needs, Σ w(n − j)·f(j) over j <
//! n.
//!
//! Hairer, Lubich and Schlichte's scheme: as soon as a block of L = 64·2^k values is complete, where L divides their
//! number, its part of the next L sums is one convolution. So every pair of a value and a later step is counted once,
//! and N steps take O(N·log² N) operations and O(N) memory.
//!
//! Long blocks are convolutions by Fourier transforms: a call of a query each, on the device that the session chooses,
//! and repeated on the next one if a device fails. Short blocks are plain sums on the calling thread.

use super::error::OdeError;
use super::limits::RunningLimits;
use super::memory::ProblemSize;
use super::receipts::Receipts;
use pointsman::plan::{Convolve, Direction, Method};
use pointsman::{Column, Lookup, Session};
use std::ops::Range;

/// The shortest block; a power of two.
pub(super) const BLOCK: usize = 64;
/// A block with at most this many products is a plain sum: beyond, a query with transforms takes less time.
const PLAIN_PRODUCTS_MAX: usize = 1 << 17;

/// The sums of equations that share their weights.
pub(super) struct StepHistory {
    /// The weights of each rule by lag; lag 0 is unused. Beyond the end they are zero.
    weights: Vec<Vec<f64>>,
    /// The values of each equation.
    values: Vec<Vec<f64>>,
    /// The sums of each rule and equation, by step; those of future steps are not complete.
    sums: Vec<Vec<f64>>,
    /// The weights of all rules, from lag 1 to 2L − 1, for each block length; made when first used.
    signals: Vec<Option<Column<f64>>>,
    size: ProblemSize,
    receipts: Receipts,
}

impl StepHistory {
    /// An empty history. Each rule is a list of weights by lag, up to the number of steps.
    pub(super) fn new(weights: Vec<Vec<f64>>, equations: usize, size: ProblemSize) -> Result<StepHistory, OdeError> {
        let values = (0..equations).map(|_| size.reserve(size.steps)).collect::<Result<_, _>>()?;
        let sums = (0..equations * weights.len()).map(|_| size.by_step(0.0, |_| 0.0)).collect::<Result<_, _>>()?;
        Ok(StepHistory { weights, values, sums, signals: Vec::new(), size, receipts: Receipts::default() })
    }

    /// The sum of a rule for the next step: its number is that of the values so far.
    pub(super) fn sum(&self, rule: usize, equation: usize) -> f64 {
        self.sums[rule * self.values.len() + equation][self.values[equation].len()]
    }

    /// Appends the newest value of each equation.
    pub(super) fn push(
        &mut self,
        values: impl Iterator<Item = f64>,
        session: &Session,
        limits: &RunningLimits,
        t: f64,
    ) -> Result<(), OdeError> {
        let newest = self.values[0].len();
        let equations = self.values.len();
        // The other steps of its block, which no convolution reaches.
        let block_end = (newest / BLOCK * BLOCK + BLOCK).min(self.size.steps + 1);
        for (equation, value) in values.enumerate() {
            self.values[equation].push(value);
            for (rule, weights) in self.weights.iter().enumerate() {
                let sums = &mut self.sums[rule * equations + equation][newest + 1..block_end];
                sums.iter_mut().zip(&weights[1..]).for_each(|(sum, weight)| *sum += weight * value);
            }
        }
        let count = newest + 1;
        if count.is_multiple_of(BLOCK) && count <= self.size.steps {
            self.add_block(count, session, limits, t)?;
        }
        Ok(())
    }

    /// Adds the part of the largest complete block to the sums of as many steps after it.
    fn add_block(&mut self, end: usize, session: &Session, limits: &RunningLimits, t: f64) -> Result<(), OdeError> {
        let length = 1 << end.trailing_zeros();
        let targets = length.min(self.size.steps + 1 - end);
        if length * targets <= PLAIN_PRODUCTS_MAX {
            self.add_plain_block(end - length..end, targets);
            Ok(())
        } else {
            self.add_transformed_block(end - length..end, targets, session, limits, t)
        }
    }

    /// Adds a block as a sum for each pair of a value and a step.
    fn add_plain_block(&mut self, block: Range<usize>, targets: usize) {
        let equations = self.values.len();
        for (rule, weights) in self.weights.iter().enumerate() {
            for (equation, values) in self.values.iter().enumerate() {
                let sums = &mut self.sums[rule * equations + equation][block.end..block.end + targets];
                for (j, value) in block.clone().zip(&values[block.clone()]) {
                    let weights = &weights[block.end - j..];
                    sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight * value);
                }
            }
        }
    }

    /// Adds a block as one convolution for each rule and equation.
    fn add_transformed_block(
        &mut self,
        block: Range<usize>,
        targets: usize,
        session: &Session,
        limits: &RunningLimits,
        t: f64,
    ) -> Result<(), OdeError> {
        let (equations, length) = (self.values.len(), block.len());
        let mut values = self.size.reserve(equations * length)?;
        self.values.iter().for_each(|list| values.extend_from_slice(&list[block.clone()]));
        let values = Lookup::of(&Column::from(values))?;
        let signal = self.signal(length)?;
        // The weights are the signal: they are the longer side, and every result takes all values of the block.
        let convolve = Convolve {
            method: Method::Transform,
            direction: Direction::Convolution,
            channels_out: equations as u64,
            ..Convolve::line(2 * length as u64 - 1, length as u64)
        };
        let answer = limits.limited(session.from(&signal).call(convolve, &values)).run();
        let (parts, receipt) = answer.map_err(|error| OdeError::of_query(error, t))?.into_parts();
        self.receipts.push(receipt);
        for (sums, part) in self.sums.iter_mut().zip(parts.chunks_exact(length)) {
            sums[block.end..block.end + targets].iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        Ok(())
    }

    /// The weights of all rules from lag 1 to 2L − 1. Devices keep the column, since it is read for every other block.
    fn signal(&mut self, length: usize) -> Result<Column<f64>, OdeError> {
        let level = length.trailing_zeros() as usize;
        if self.signals.len() <= level {
            self.signals.resize_with(level + 1, || None);
        }
        if let Some(signal) = &self.signals[level] {
            return Ok(signal.clone());
        }
        let lags = 2 * length - 1;
        let mut signal = self.size.reserve(self.weights.len() * lags)?;
        for weights in &self.weights {
            let last = (lags + 1).min(weights.len());
            signal.extend_from_slice(&weights[1..last]);
            signal.resize(signal.len() + lags + 1 - last, 0.0);
        }
        Ok(self.signals[level].insert(Column::from(signal)).clone())
    }

    /// The values of an equation.
    pub(super) fn values(&self, equation: usize) -> &[f64] {
        &self.values[equation]
    }

    pub(super) fn into_receipts(self) -> Receipts {
        self.receipts
    }
}
