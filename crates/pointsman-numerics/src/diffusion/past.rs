//! [`PastChanges`]: what all earlier steps add to a Caputo derivative by L1.
//!
//! In: the change of each step. Out: Σ_k<n a_nk · (u_k − u_k−1) for step n, divided by the factor of the step itself. The
//! past is a list of columns of one number per point: the changes themselves, or the state of one exponential each, which
//! every step brings up to date. A query reads several columns and adds their part to the sum.

use crate::array::Array;
use crate::error::Result;
use crate::fractional::ExponentialSum;
use crate::number::Real;
use crate::special::reciprocal_gamma;
use pointsman::{Column, Expr, Session};

/// The columns of a query: enough that the sum and the change are hardly read again and again.
const GROUP: usize = 16;

/// The columns of a query.
type StateGroup<R> = [Column<R>; GROUP];

/// What the earlier steps add to a step.
pub(super) struct PastTerms<R: Real> {
    /// The sum for the step.
    pub(super) sum: Array<R>,
    /// The columns, for the step after it.
    past: KeptPast<R>,
}

/// The earlier steps of a run.
pub(super) struct PastChanges<R: Real> {
    order: f64,
    past: KeptPast<R>,
}

/// What is kept of the past.
#[derive(Clone)]
enum KeptPast<R: Real> {
    /// Nothing: the order is 1, or there is one step.
    Nothing,
    /// The changes.
    Changes(Vec<Column<R>>),
    /// The states of the terms of a sum of exponentials that replaces the kernel t^−α; none before the second step. The
    /// last group may have columns that belong to no term.
    Exponentials(ExponentialSum, Vec<StateGroup<R>>),
}

impl<R: Real> PastChanges<R> {
    /// The memory of a run over these times. With a tolerance, it is a sum of exponentials if that has fewer terms.
    pub(super) fn new(order: f64, tolerance: Option<f64>, times: &[f64]) -> Result<PastChanges<R>> {
        let changes = times.len().saturating_sub(2);
        let mut past = if order == 1.0 || changes == 0 { KeptPast::Nothing } else { KeptPast::Changes(Vec::new()) };
        if let (KeptPast::Changes(_), Some(tolerance), Some(&end)) = (&past, tolerance, times.last()) {
            let shortest = times.windows(2).skip(1).map(|pair| pair[1] - pair[0]).fold(end, f64::min);
            let sum = ExponentialSum::new(order, tolerance, shortest, end)?;
            if sum.rates().len() < changes {
                past = KeptPast::Exponentials(sum, Vec::new());
            }
        }
        Ok(PastChanges { order, past })
    }

    /// The terms of step `n`, at least 2, from the change of step `n` − 1; `None` if they are zero. Nothing changes until
    /// [`PastChanges::keep`], so that a step that fails can be repeated.
    pub(super) fn terms(&self, n: usize, times: &[f64], change: &Array<R>) -> Result<Option<PastTerms<R>>> {
        let (session, column) = (change.session(), change.clone().into_column()?);
        let zeros = Array::<R>::zeros(session, change.shape())?.into_column()?;
        let (sum, past) = match &self.past {
            KeptPast::Nothing => return Ok(None),
            KeptPast::Changes(changes) => {
                let changes = [&changes[..], &[column]].concat();
                let weights: Vec<f64> = (0..changes.len()).map(|k| self.change_weight(k, n, times)).collect();
                (sum_of_changes(session, zeros, &changes, &weights)?, KeptPast::Changes(changes))
            }
            KeptPast::Exponentials(terms, states) => {
                let factors = self.exponential_factors(terms, n, times);
                let (mut sum, mut next) = (zeros.clone(), Vec::new());
                for (number, factors) in factors.iter().enumerate() {
                    let start = || std::array::from_fn(|_| zeros.clone());
                    let group = states.get(number).cloned().unwrap_or_else(start);
                    let (group, added) = next_states(session, &group, &column, &sum, factors)?;
                    sum = added;
                    next.push(group);
                }
                (sum, KeptPast::Exponentials(terms.clone(), next))
            }
        };
        Ok(Some(PastTerms { sum: Array::from_column(session, sum, change.shape())?, past }))
    }

    /// Keeps the columns of a finished step.
    pub(super) fn keep(&mut self, terms: PastTerms<R>) {
        self.past = terms.past;
    }

    /// The weight of a change, counted from 0, in step `n`: ((t_n − start)^(1 − α) − (t_n − end)^(1 − α))/(end − start) of
    /// its interval, without cancellation, over that of the step itself.
    fn change_weight(&self, change: usize, n: usize, times: &[f64]) -> f64 {
        let power = 1.0 - self.order;
        let (start, end, own) = (times[change], times[change + 1], times[n] - times[n - 1]);
        let (since, width) = (times[n] - end, end - start);
        since.powf(power) * (power * (width / since).ln_1p()).exp_m1() / width * own.powf(self.order)
    }

    /// The factors of step `n` for each group of terms. A state is ∫ e^(−s·(t_n − τ)) u′(τ) dτ up to t_n−1, for a u that
    /// is linear in each step.
    fn exponential_factors(&self, terms: &ExponentialSum, n: usize, times: &[f64]) -> Vec<[StateFactors<R>; GROUP]> {
        let (before, own) = (times[n - 1] - times[n - 2], times[n] - times[n - 1]);
        // 1/Γ(1 − α), over the factor of the step itself: own^−α/Γ(2 − α).
        let scale = reciprocal_gamma(1.0 - self.order) / reciprocal_gamma(2.0 - self.order) * own.powf(self.order);
        let mean = |exponent: f64| if exponent == 0.0 { 1.0 } else { -(-exponent).exp_m1() / exponent };
        let factors = |(rate, weight): (&f64, &f64)| {
            let decay = (-rate * own).exp();
            let factors = [decay, decay * mean(rate * before), weight * scale].map(R::from_f64);
            // A state that has decayed is zero, whatever its weight: the weight may be infinite.
            if factors[0].into() == 0.0 { [R::default(); 3] } else { factors }
        };
        let all: Vec<StateFactors<R>> = terms.rates().iter().zip(terms.weights()).map(factors).collect();
        let group = |part: &[StateFactors<R>]| std::array::from_fn(|i| part.get(i).copied().unwrap_or_default());
        all.chunks(GROUP).map(group).collect()
    }
}

/// What a step multiplies a state by, what it multiplies the newest change by, and the weight of the new state.
type StateFactors<R> = [R; 3];

/// The states of a group after the newest change, and the sum with their part added.
fn next_states<R: Real>(
    session: &Session,
    states: &StateGroup<R>,
    change: &Column<R>,
    sum: &Column<R>,
    factors: &[StateFactors<R>; GROUP],
) -> Result<(StateGroup<R>, Column<R>)> {
    let rows = session.from((states.each_ref(), change, sum)).map(|(states, change, mut sum)| {
        let next: [Expr<R>; GROUP] = std::array::from_fn(|i| {
            let [decay, gain, weight] = factors[i];
            let state = states[i] * decay + change * gain;
            sum += state * weight;
            state
        });
        (next, sum)
    });
    Ok(rows.collect()?)
}

/// A column plus the changes times their weights.
fn sum_of_changes<R: Real>(
    session: &Session,
    zeros: Column<R>,
    changes: &[Column<R>],
    weights: &[f64],
) -> Result<Column<R>> {
    let mut sum = zeros.clone();
    for (changes, weights) in changes.chunks(GROUP).zip(weights.chunks(GROUP)) {
        let group: [&Column<R>; GROUP] = std::array::from_fn(|i| changes.get(i).unwrap_or(&zeros));
        let weights: [R; GROUP] = std::array::from_fn(|i| R::from_f64(weights.get(i).copied().unwrap_or_default()));
        let rows = session.from((group, &sum));
        let added = rows.map(|(group, sum)| group.iter().zip(weights).fold(sum, |sum, (x, weight)| sum + *x * weight));
        sum = added.collect()?;
    }
    Ok(sum)
}
