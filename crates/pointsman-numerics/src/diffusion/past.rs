//! [`PastChanges`]: what all earlier steps add to a Caputo derivative by L1.
//!
//! In: the change of each step. Out: Σ_k<n a_nk · (u_k − u_k−1) for step n, divided by the factor of the step itself. The
//! past is an array of rows: the changes themselves, or the state of one exponential each. Either way, a step multiplies
//! the rows by factors, adds the newest change times gains, and sums the rows with weights.

use crate::array::Array;
use crate::error::Result;
use crate::fractional::ExponentialSum;
use crate::number::Real;
use crate::query::{Position, compute, with_positions};
use crate::special::reciprocal_gamma;
use pointsman::Expr;

/// What the earlier steps add to a step.
pub(super) struct PastTerms<R: Real> {
    /// The sum for the step.
    pub(super) sum: Array<R>,
    /// The rows, for the step after it.
    state: Array<R>,
}

/// The earlier steps of a run.
pub(super) struct PastChanges<R: Real> {
    order: f64,
    rows: Rows,
    /// The rows by points; `None` before the first change.
    state: Option<Array<R>>,
}

/// What the rows are.
enum Rows {
    /// There is no memory: the order is 1.
    None,
    /// The changes of this many steps.
    Changes(usize),
    /// The terms of a sum of exponentials that replaces the kernel t^−α.
    Exponentials(ExponentialSum),
}

/// The numbers of a step for each row.
struct Factors {
    decay: Vec<f64>,
    gain: Vec<f64>,
    weight: Vec<f64>,
}

impl<R: Real> PastChanges<R> {
    /// The memory of a run over these times. With a tolerance, it is a sum of exponentials if that has fewer rows.
    pub(super) fn new(order: f64, tolerance: Option<f64>, times: &[f64]) -> Result<PastChanges<R>> {
        let changes = times.len().saturating_sub(2);
        let mut rows = if order == 1.0 || changes == 0 { Rows::None } else { Rows::Changes(changes) };
        if let (Rows::Changes(_), Some(tolerance), Some(&end)) = (&rows, tolerance, times.last()) {
            let shortest = times.windows(2).skip(1).map(|pair| pair[1] - pair[0]).fold(end, f64::min);
            let sum = ExponentialSum::new(order, tolerance, shortest, end)?;
            if sum.rates().len() < changes {
                rows = Rows::Exponentials(sum);
            }
        }
        Ok(PastChanges { order, rows, state: None })
    }

    /// The terms of step `n`, at least 2, from the change of step `n` − 1; `None` if they are zero. Nothing changes until
    /// [`PastChanges::keep`], so that a step that fails can be repeated.
    pub(super) fn terms(&self, n: usize, times: &[f64], change: &Array<R>) -> Result<Option<PastTerms<R>>> {
        let factors = match &self.rows {
            Rows::None => return Ok(None),
            Rows::Changes(count) => self.change_factors(*count, n, times),
            Rows::Exponentials(sum) => self.exponential_factors(sum, n, times),
        };
        let (session, points) = (change.session(), change.len());
        let rows = factors.decay.len();
        let column = |values: Vec<f64>, shape: &[usize]| {
            Array::from_vec(session, values.into_iter().map(R::from_f64).collect(), shape)
        };
        let weight = column(factors.weight, &[1, rows])?;
        let (decay, gain) = (column(factors.decay, &[rows])?, column(factors.gain, &[rows])?);
        let state = match &self.state {
            Some(state) => state.clone(),
            None => Array::zeros(session, &[rows, points])?,
        };
        let (at_state, at_change) = (state.reader()?, change.reader()?);
        let (at_decay, at_gain) = (decay.reader()?, gain.reader()?);
        let largest = state.largest_row().max(change.largest_row());
        let state = with_positions!(largest, I => {
            compute::<I, Expr<R>>(session, &[rows, points], |position| {
                let points = I::wrapping(points as isize);
                let (row, point) = (position / points, position % points);
                at_state.at(position) * at_decay.at(row) + at_change.at(point) * at_gain.at(row)
            })
        })?;
        let sum = weight.matmul(&state)?.reshape(change.shape())?;
        Ok(Some(PastTerms { sum, state }))
    }

    /// Keeps the rows of a finished step.
    pub(super) fn keep(&mut self, terms: PastTerms<R>) {
        self.state = Some(terms.state);
    }

    /// The rows are the changes: the newest one gets its row, and each has the weight of L1.
    fn change_factors(&self, count: usize, n: usize, times: &[f64]) -> Factors {
        let power = 1.0 - self.order;
        let own = times[n] - times[n - 1];
        let weight = |row: usize| {
            let (start, end) = (times[row], times[row + 1]);
            if row + 1 >= n {
                return 0.0;
            }
            // ((t_n − start)^(1 − α) − (t_n − end)^(1 − α))/(end − start), without cancellation, over that of step n.
            let (since, width) = (times[n] - end, end - start);
            since.powf(power) * (power * (width / since).ln_1p()).exp_m1() / width * own.powf(self.order)
        };
        let gain = |row: usize| if row + 2 == n { 1.0 } else { 0.0 };
        let rows = 0..count;
        Factors { decay: vec![1.0; count], gain: rows.clone().map(gain).collect(), weight: rows.map(weight).collect() }
    }

    /// The rows are ∫ e^(−s·(t_n − τ)) u′(τ) dτ up to t_n−1, for a u that is linear in each step.
    fn exponential_factors(&self, sum: &ExponentialSum, n: usize, times: &[f64]) -> Factors {
        let (before, own) = (times[n - 1] - times[n - 2], times[n] - times[n - 1]);
        // 1/Γ(1 − α), over the factor of the step itself: own^−α/Γ(2 − α).
        let scale = reciprocal_gamma(1.0 - self.order) / reciprocal_gamma(2.0 - self.order) * own.powf(self.order);
        let decay = |rate: &f64| (-rate * own).exp();
        let mean = |exponent: f64| if exponent == 0.0 { 1.0 } else { -(-exponent).exp_m1() / exponent };
        let rates = sum.rates().iter();
        Factors {
            decay: rates.clone().map(decay).collect(),
            gain: rates.map(|rate| decay(rate) * mean(rate * before)).collect(),
            weight: sum.weights().iter().map(|weight| weight * scale).collect(),
        }
    }
}
