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

/// Terms are processed this many at a time; those that are missing have the weight 0.
const TERMS_MULTIPLE: usize = 8;

/// Lines that share the exponentials of an interval.
const LINES_AT_ONCE: usize = 256;

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

/// Increasing points, and the intervals between them.
pub(super) struct Points {
    points: Vec<f64>,
    intervals: Vec<f64>,
}

impl Points {
    /// Points with equal intervals, equal to the last bit.
    pub(super) fn equal(step: f64, count: usize) -> Points {
        let points = (0..count).map(|n| n as f64 * step).collect();
        Points { points, intervals: vec![step; count.saturating_sub(1)] }
    }

    /// These points.
    pub(super) fn at(points: Vec<f64>) -> Points {
        let intervals = points.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Points { points, intervals }
    }

    /// A sum of exponentials for all distances of the points but those within an interval.
    pub(super) fn exponentials(&self, exponent: f64, tolerance: f64) -> Result<ExponentialSum> {
        let longest = self.points.last().copied().filter(|&last| last > 0.0).unwrap_or(1.0);
        let shortest = self.intervals.iter().copied().fold(longest, f64::min);
        ExponentialSum::new(exponent, tolerance, shortest, longest)
    }
}

/// The exponentials of a sum on the current interval.
struct Decays<'a> {
    sum: &'a ExponentialSum,
    order: f64,
    interval: f64,
    /// e^(−rate·interval) − 1.
    decays: Vec<f64>,
    /// The integrals of weight·e^(−rate·s) over the interval.
    gains: Vec<f64>,
    /// The integral of s^(−order) over the interval, divided by it.
    local: f64,
}

impl Decays<'_> {
    fn new(sum: &ExponentialSum, order: f64) -> Decays<'_> {
        let terms = sum.rates().len().next_multiple_of(TERMS_MULTIPLE);
        Decays { sum, order, interval: f64::NAN, decays: vec![0.0; terms], gains: vec![0.0; terms], local: 0.0 }
    }

    /// Goes on to an interval.
    fn enter(&mut self, interval: f64) {
        if interval == self.interval {
            return;
        }
        self.interval = interval;
        self.local = interval.powf(-self.order) / (1.0 - self.order);
        for (decay, rate) in self.decays.iter_mut().zip(self.sum.rates()) {
            *decay = (-rate * interval).exp_m1();
        }
        let terms = self.sum.rates().iter().zip(self.sum.weights());
        for ((gain, decay), (&rate, &weight)) in self.gains.iter_mut().zip(&self.decays).zip(terms) {
            // The integral is that of a constant where the rate is too small to divide by.
            let is_constant = rate * interval < f64::EPSILON;
            *gain = if is_constant { weight * interval } else { -weight * decay / rate };
        }
    }
}

/// The Caputo derivative by L1, or, with the initial term, that of Riemann and Liouville: the last interval exactly, those
/// before it by a sum of exponentials. Takes one number for each line and exponential.
pub(super) fn exponential_l1<R: Real>(
    x: &Array<R>,
    axis: usize,
    order: f64,
    points: &Points,
    sum: &ExponentialSum,
    with_initial_term: bool,
) -> Result<Array<R>> {
    let size = points.points.len();
    along(x, axis, |numbers, results| {
        // The states of a group fit into memory, however many lines there are.
        let groups = numbers.chunks(LINES_AT_ONCE * size).zip(results.chunks_mut(LINES_AT_ONCE * size));
        groups.for_each(|(numbers, results)| {
            exponential_lines(numbers, results, order, points, sum, with_initial_term);
        });
    })
}

/// The same for a group of lines.
fn exponential_lines<R: Real>(
    numbers: &[R],
    results: &mut [R],
    order: f64,
    Points { points, intervals }: &Points,
    sum: &ExponentialSum,
    with_initial_term: bool,
) {
    let (size, gamma) = (points.len(), reciprocal_gamma(1.0 - order));
    let mut decays = Decays::new(sum, order);
    let terms = decays.decays.len();
    // What the exponentials have gathered at the beginning of the current interval, for each line.
    let mut states = vec![0.0; numbers.len() / size * terms];
    for n in 0..size {
        if n > 0 {
            decays.enter(intervals[n - 1]);
        }
        let lines = numbers.chunks_exact(size).zip(results.chunks_exact_mut(size));
        for ((line, result), states) in lines.zip(states.chunks_exact_mut(terms)) {
            let at = |n: usize| -> f64 { line[n].into() };
            let mut value = if with_initial_term { initial_term(order, at(0), points[n]) } else { 0.0 };
            if n > 0 {
                let difference = at(n) - at(n - 1);
                let history = advanced(states, &decays, difference / decays.interval);
                value += gamma * (difference * decays.local + history);
            }
            result[n] = R::from_f64(value);
        }
    }
}

/// Moves the states of a line over an interval with a slope. The history at its end: without that slope.
fn advanced(states: &mut [f64], decays: &Decays<'_>, slope: f64) -> f64 {
    // Several sums, since additions in order wait for each other.
    let mut sums = [0.0; TERMS_MULTIPLE];
    let (states, _) = states.as_chunks_mut::<TERMS_MULTIPLE>();
    let (decays, gains) = (decays.decays.as_chunks::<TERMS_MULTIPLE>().0, decays.gains.as_chunks::<TERMS_MULTIPLE>().0);
    for ((states, decays), gains) in states.iter_mut().zip(decays).zip(gains) {
        for i in 0..TERMS_MULTIPLE {
            let decayed = states[i] + decays[i] * states[i];
            sums[i] += decayed;
            states[i] = decayed + gains[i] * slope;
        }
    }
    sums.iter().sum()
}

/// The same derivative with all intervals exactly, for at most [`GRADED_POINTS_MAX`] points.
pub(super) fn direct_l1<R: Real>(
    x: &Array<R>,
    axis: usize,
    order: f64,
    points: &Points,
    with_initial_term: bool,
) -> Result<Array<R>> {
    let Points { points, intervals } = points;
    let (size, exponent) = (points.len(), 1.0 - order);
    let gamma = reciprocal_gamma(2.0 - order);
    along(x, axis, |numbers, results| {
        let mut weights = vec![0.0; size];
        for n in 0..size {
            for k in 1..=n {
                let tau = intervals[k - 1];
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
