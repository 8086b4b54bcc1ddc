//! Derivatives and integrals that remember a few numbers instead of all points: recurrences along an axis.
//!
//! In: arrays. Out: arrays. A recurrence is serial along its axis, and the queries of Pointsman have no scan for it, so all
//! of this runs on the host, in double precision, and its results have no receipt.

use super::exponentials::ExponentialSum;
use super::powers::difference;
use crate::array::Array;
use crate::error::Result;
use crate::number::Real;
use crate::special::reciprocal_gamma;

/// The most points of a graded grid without a sum of exponentials: the time grows like their square.
pub(super) const GRADED_POINTS_MAX: usize = 4096;

/// Computes all lines along an axis: `compute` gets the numbers of all lines, one after the other, and the result's.
fn along<R: Real>(x: &Array<R>, axis: usize, compute: impl FnOnce(&[R], &mut [R])) -> Result<Array<R>> {
    let last = x.rank() - 1;
    let lines = x.with_axis_moved(axis, last)?.contiguous()?;
    let numbers = lines.to_vec()?;
    let mut results = Array::zeros(&x.session, lines.shape())?.to_vec()?;
    compute(&numbers, &mut results);
    Array::from_vec(&x.session, results, lines.shape())?.with_axis_moved(last, axis)
}

/// The derivative of Caputo and Fabrizio of lines of `size` points, exact for lines between the points:
/// y_n = q·y_(n−1) + (1 − q)/(α·h)·(x_n − x_(n−1)), with q = e^(−α·h/(1 − α)).
pub(super) fn caputo_fabrizio<R: Real>(x: &Array<R>, axis: usize, order: f64, step: f64) -> Result<Array<R>> {
    let size = x.shape()[axis];
    let decay = order * step / (1.0 - order);
    let (kept, gain) = ((-decay).exp(), -(-decay).exp_m1() / (order * step));
    along(x, axis, |numbers, results| {
        for (numbers, results) in numbers.chunks_exact(size).zip(results.chunks_exact_mut(size)) {
            let (mut state, mut before): (f64, f64) = (0.0, numbers[0].into());
            for (&number, result) in numbers.iter().zip(results) {
                let number: f64 = number.into();
                state = kept * state + gain * (number - before);
                before = number;
                *result = R::from_f64(state);
            }
        }
    })
}

/// The integral of Caputo and Fabrizio: (1 − α)·x + α·∫x, by trapezoids.
pub(super) fn caputo_fabrizio_integral<R: Real>(x: &Array<R>, axis: usize, order: f64, step: f64) -> Result<Array<R>> {
    let size = x.shape()[axis];
    let half = 0.5 * order * step;
    along(x, axis, |numbers, results| {
        for (numbers, results) in numbers.chunks_exact(size).zip(results.chunks_exact_mut(size)) {
            let (mut integral, mut before): (f64, Option<f64>) = (0.0, None);
            for (&number, result) in numbers.iter().zip(results) {
                let number: f64 = number.into();
                integral += before.map_or(0.0, |before| half * (before + number));
                before = Some(number);
                *result = R::from_f64((1.0 - order) * number + integral);
            }
        }
    })
}

/// The term of the first number of a line that a derivative of Riemann and Liouville adds to that of Caputo.
fn initial_term(order: f64, start: f64, t: f64) -> f64 {
    if start == 0.0 { 0.0 } else { start * t.powf(-order) * reciprocal_gamma(1.0 - order) }
}

/// The Caputo derivative by L1 at increasing `points`, or, with the initial term, that of Riemann and Liouville: the last
/// interval exactly, those before it by a sum of exponentials. Takes one number for each line and exponential.
pub(super) fn exponential_l1<R: Real>(
    x: &Array<R>,
    axis: usize,
    order: f64,
    points: &[f64],
    sum: &ExponentialSum,
    with_initial_term: bool,
) -> Result<Array<R>> {
    let (size, terms) = (points.len(), sum.rates().len());
    let local = 1.0 / (1.0 - order);
    let gamma = reciprocal_gamma(1.0 - order);
    along(x, axis, |numbers, results| {
        let mut states = vec![0.0; numbers.len() / size * terms];
        // e^(−rate·τ) − 1, and the integral of weight·e^(−rate·s) over s from 0 to τ, for the interval τ before.
        let (mut decays, mut gains) = (vec![0.0; terms], vec![0.0; terms]);
        let (mut interval, mut interval_before) = (f64::NAN, f64::NAN);
        for n in 0..size {
            let tau = if n == 0 { 1.0 } else { points[n] - points[n - 1] };
            if n > 0 && tau != interval {
                for (decay, rate) in decays.iter_mut().zip(sum.rates()) {
                    *decay = (-rate * tau).exp_m1();
                }
                interval = tau;
            }
            let lines = numbers.chunks_exact(size).zip(results.chunks_exact_mut(size));
            for ((line, result), states) in lines.zip(states.chunks_exact_mut(terms)) {
                let at = |n: usize| -> f64 { line[n].into() };
                let mut value = if with_initial_term { initial_term(order, at(0), points[n]) } else { 0.0 };
                if n > 0 {
                    let slope_before = if n > 1 { (at(n - 1) - at(n - 2)) / interval_before } else { 0.0 };
                    let history = advanced(states, &decays, &gains, slope_before);
                    value += gamma * ((at(n) - at(n - 1)) * tau.powf(-order) * local + history);
                }
                result[n] = R::from_f64(value);
            }
            if n > 0 && tau != interval_before {
                for (place, gain) in gains.iter_mut().enumerate() {
                    let (rate, weight) = (sum.rates()[place], sum.weights()[place]);
                    // The quotient is τ where the rate is too small for both.
                    *gain = if rate * tau < f64::EPSILON { weight * tau } else { -weight * decays[place] / rate };
                }
                interval_before = tau;
            }
        }
    })
}

/// Moves the states of a line on by an interval, after a slope on the interval before; their sum.
fn advanced(states: &mut [f64], decays: &[f64], gains: &[f64], slope_before: f64) -> f64 {
    // Several sums, since additions in order wait for each other.
    const SUMS: usize = 8;
    let mut sums = [0.0; SUMS];
    for ((states, decays), gains) in states.chunks_mut(SUMS).zip(decays.chunks(SUMS)).zip(gains.chunks(SUMS)) {
        for (((sum, state), decay), gain) in sums.iter_mut().zip(states).zip(decays).zip(gains) {
            let with_interval = *state + gain * slope_before;
            *state = with_interval + decay * with_interval;
            *sum += *state;
        }
    }
    sums.iter().sum()
}

/// The same derivative with all intervals exactly, for at most [`GRADED_POINTS_MAX`] points.
pub(super) fn direct_l1<R: Real>(
    x: &Array<R>,
    axis: usize,
    order: f64,
    points: &[f64],
    with_initial_term: bool,
) -> Result<Array<R>> {
    let (size, exponent) = (points.len(), 1.0 - order);
    let gamma = reciprocal_gamma(2.0 - order);
    along(x, axis, |numbers, results| {
        let mut weights = vec![0.0; size];
        for n in 0..size {
            for k in 1..=n {
                let tau = points[k] - points[k - 1];
                // ((t_n − t_(k−1))^(1−α) − (t_n − t_k)^(1−α))/τ
                weights[k] = tau.powf(-order) * difference((points[n] - points[k]) / tau, exponent);
            }
            for (line, result) in numbers.chunks_exact(size).zip(results.chunks_exact_mut(size)) {
                let at = |n: usize| -> f64 { line[n].into() };
                let sum: f64 = (1..=n).map(|k| weights[k] * (at(k) - at(k - 1))).sum();
                let initial = if with_initial_term { initial_term(order, at(0), points[n]) } else { 0.0 };
                result[n] = R::from_f64(gamma * sum + initial);
            }
        }
    })
}
