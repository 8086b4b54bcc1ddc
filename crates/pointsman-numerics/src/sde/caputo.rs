//! [`CaputoEquation`]: D^α X = f(X, t) + g(X, t) dW/dt with a Caputo derivative, W Brownian motion.
//!
//! Written as a Volterra equation, X(t) = X(0) + 1/Γ(α) ∫ (t − s)^(α−1) (f ds + g dW). A step takes f and g at the start
//! of each interval. The interval just before the new time, where the kernel is singular, has the exact joint normal
//! distribution of ∫ dW and ∫ (t − s)^(α−1) dW; on the others, the kernel is replaced by its mean, which loses variance
//! O(h^(2α−1)) in all.
//!
//! The sum over the past is a product of a matrix of weights with the terms of earlier intervals, in blocks: the blocks
//! before the current one are multiplied once for all of its steps.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::noise::RandomStream;
use crate::number::Real;
use crate::query::{Position, compute, with_positions};
use crate::sde::{Coefficient, checked_step};
use crate::special::reciprocal_gamma;
use pointsman::{Expr, IntoExpr, Lookup, lit, select};
use std::fmt;
use std::sync::Arc;

/// The steps of a block.
const BLOCK: usize = 64;

/// The equation D^α X = f(X, t) + g(X, t) dW/dt for many paths: a Caputo derivative of an order α above ½ and at most 1,
/// driven by white noise. For α = ½ and below, the solution would have an infinite variance, and the run is an error.
///
/// The strong order is α − ½, and ½ for α = 1, where the method is that of Euler and Maruyama. N steps of P paths take
/// O(N² · P) time, as matrix products, and O(N · P) memory.
///
/// ```
/// use pointsman_numerics::sde::CaputoEquation;
/// use pointsman_numerics::special::mittag_leffler;
/// use pointsman_numerics::Array;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let session = pointsman::Session::open()?;
/// // The fractional Ornstein–Uhlenbeck process.
/// let equation = CaputoEquation::new(0.8, |x, _| -x, |x, _| x * 0.0 + 0.3);
/// let mut run = equation.start(&Array::<f64>::ones(&session, &[2000])?, 1.0, 100, 5)?;
/// while run.advance()? {}
/// assert!((run.values().mean()? - mittag_leffler(0.8, 1.0, -1.0)?).abs() < 0.05);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct CaputoEquation<R: Real> {
    order: f64,
    drift: Coefficient<R>,
    deviation: Coefficient<R>,
}

impl<R: Real> fmt::Debug for CaputoEquation<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CaputoEquation").field("order", &self.order).finish_non_exhaustive()
    }
}

impl<R: Real> CaputoEquation<R> {
    /// An equation with this order, above ½ and at most 1, the drift f(X, t) and the deviation g(X, t).
    #[must_use]
    pub fn new(
        order: f64,
        drift: impl Fn(Expr<R>, Expr<R>) -> Expr<R> + Send + Sync + 'static,
        deviation: impl Fn(Expr<R>, Expr<R>) -> Expr<R> + Send + Sync + 'static,
    ) -> CaputoEquation<R> {
        CaputoEquation { order, drift: Arc::new(drift), deviation: Arc::new(deviation) }
    }

    /// The start of a run of `steps` steps to time `end`: a path from each initial value. The noise of path p in step n
    /// is the pair of normal numbers of the index (p, n), from 0, of stream 0 of the seed.
    pub fn start(&self, initial: &Array<R>, end: f64, steps: usize, seed: u64) -> Result<CaputoRun<R>> {
        let operation = "CaputoEquation";
        if !(self.order > 0.5 && self.order <= 1.0) {
            let allowed = "above 0.5 and at most 1, because the variance is infinite otherwise";
            return Err(Error::Domain { operation, argument: "order", value: self.order, allowed });
        }
        let step = checked_step(operation, initial, end, steps)?;
        let initial = initial.contiguous()?;
        let shape = [BLOCK.min(steps.max(1)), initial.len()];
        Ok(CaputoRun {
            block: Array::zeros(initial.session(), &shape)?,
            before: Array::zeros(initial.session(), &shape)?,
            values: initial.clone(),
            equation: self.clone(),
            noise: RandomStream::new(seed),
            weights: (0..steps + BLOCK).map(|k| R::from_f64(kernel_mean(self.order, step, k as f64))).collect(),
            blocks: Vec::new(),
            done: 0,
            initial,
            steps,
            step,
        })
    }
}

/// A run of a [`CaputoEquation`].
#[derive(Clone, Debug)]
pub struct CaputoRun<R: Real> {
    equation: CaputoEquation<R>,
    noise: RandomStream,
    initial: Array<R>,
    values: Array<R>,
    /// The terms f h + g ΔW of earlier intervals, by block: intervals by paths.
    blocks: Vec<Array<R>>,
    /// Those of the current block; zeros where there are none yet.
    block: Array<R>,
    /// The mean of the kernel over the interval that ended this many steps before the new time.
    weights: Vec<R>,
    /// What the earlier blocks add to the steps of the current one: steps by paths.
    before: Array<R>,
    steps: usize,
    step: f64,
    done: usize,
}

impl<R: Real> CaputoRun<R> {
    /// The time that the run has reached; 0 at the start.
    pub fn time(&self) -> f64 {
        self.done as f64 * self.step
    }

    /// The value of each path at this time.
    pub fn values(&self) -> &Array<R> {
        &self.values
    }

    /// Takes the next step; `false` if the run is over. If it fails, the run stays where it was.
    pub fn advance(&mut self) -> Result<bool> {
        if self.done == self.steps {
            return Ok(false);
        }
        if !self.values.is_empty() {
            self.take_step()?;
        }
        self.done += 1;
        Ok(true)
    }

    fn take_step(&mut self) -> Result<()> {
        let rows = self.block.shape()[0];
        let row = self.done % rows;
        if self.blocks.len() < self.done / rows {
            let blocks = [&self.blocks[..], std::slice::from_ref(&self.block)].concat();
            let next = Array::zeros(self.values.session(), self.block.shape())?;
            self.before = self.of_blocks(&blocks)?;
            (self.blocks, self.block) = (blocks, next);
        }
        // The interval just before the new time is added by the step itself.
        let weights = (0..rows).map(|k| if k < row { self.weights[row - k] } else { R::default() }).collect();
        let weights = Array::from_vec(self.values.session(), weights, &[1, rows])?;
        let past = weights.matmul(&self.block)?.remove_axis(0)?;
        let (values, term) = self.next(&past, row)?;
        (self.block, self.values) = (self.with_term(&term, row)?, values);
        Ok(())
    }

    /// The sums over all finished blocks, for each step of the next one.
    fn of_blocks(&self, blocks: &[Array<R>]) -> Result<Array<R>> {
        let rows = self.block.shape()[0];
        let mut sum = Array::zeros(self.values.session(), self.block.shape())?;
        for (number, block) in blocks.iter().enumerate() {
            // Row: a step; column: an interval of the block.
            let distance = (blocks.len() - number) * rows;
            let weights = (0..rows * rows).map(|place| self.weights[distance + place / rows - place % rows]).collect();
            let weights = Array::from_vec(self.values.session(), weights, &[rows, rows])?;
            sum = (sum + weights.matmul(block)?)?;
        }
        Ok(sum)
    }

    /// The values after a step, and the terms of its interval.
    fn next(&self, past: &Array<R>, row: usize) -> Result<(Array<R>, Array<R>)> {
        let CaputoRun { equation, step, done, .. } = self;
        let (order, paths) = (equation.order, self.values.len());
        let before = self.before.index_axis(0, row)?;
        let operands = [&self.initial, &before, past, &self.values];
        let largest = operands.iter().map(|array| array.largest_row()).fold(paths, usize::max);
        let [initial, before, past, values] = operands.map(Array::reader);
        let (initial, before, past, values) = (initial?, before?, past?, values?);
        let number = |value: f64| R::from_f64(value);
        let first = number(step.powf(order - 0.5) * reciprocal_gamma(order + 1.0));
        // The rest of the deviation of ∫ (t − s)^(α−1) dW/Γ(α), whose variance is h^(2α−1)/((2α − 1) Γ(α)²).
        let second =
            number(step.powf(order - 0.5) * reciprocal_gamma(order + 1.0) * (1.0 - order) / (2.0 * order - 1.0).sqrt());
        let (root, of_drift) = (number(step.sqrt()), number(step.powf(order) * reciprocal_gamma(order + 1.0)));
        let (time, length, step_number) = (number(*done as f64 * step), number(*step), *done as u32);
        let session = self.values.session();
        let (values, terms) = with_positions!(largest, I => {
            session.from(I::rows(paths)).map(|path| {
                let (x, time) = (values.at(path), time.into_expr());
                let (f, g) = ((equation.drift)(x, time), (equation.deviation)(x, time));
                let (a, b) = self.noise.normal_pair::<R>([I::words(path)[0], step_number.into_expr()]);
                let known = initial.at(path) + before.at(path) + past.at(path);
                (known + f * of_drift + g * (a * first + b * second), f * length + g * (a * root))
            }).collect()
        })?;
        Ok((Array::from_column(session, values, &[paths])?, Array::from_column(session, terms, &[paths])?))
    }

    /// The current block with the terms of one more interval.
    fn with_term(&self, term: &Array<R>, row: usize) -> Result<Array<R>> {
        let (paths, terms) = (term.len(), Lookup::of(&term.column)?);
        let at_block = self.block.reader()?;
        with_positions!(self.block.largest_row(), I => {
            compute::<I, Expr<R>>(self.values.session(), self.block.shape(), |position| {
                let (paths, row) = (lit(I::wrapping(paths as isize)), I::wrapping(row as isize));
                select((position / paths).eq(row), terms.at(position % paths), at_block.at(position))
            })
        })
    }
}

/// The mean of (t − s)^(α−1)/Γ(α) over an interval of length h that ended `k` intervals before t: h^(α−1)/Γ(α + 1) · ((k +
/// 1)^α − k^α).
fn kernel_mean(order: f64, step: f64, k: f64) -> f64 {
    let difference = if k == 0.0 { 1.0 } else { k.powf(order) * (order * (1.0 / k).ln_1p()).exp_m1() };
    step.powf(order - 1.0) * reciprocal_gamma(order + 1.0) * difference
}
