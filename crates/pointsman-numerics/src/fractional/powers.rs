//! Differences of powers at consecutive places, where subtracting the powers would lose all digits.
//!
//! In: exponents, and how many places. Out: numbers with a relative error of a few ulp, apart from that of the exponent.
//! Near 0 each number is computed by itself. Further on, it is a power, times a short series in 1/place; the powers are
//! products of quotients of neighbours, which start anew every few places.

use super::parts::{PART, Threads};
use std::f64::consts::LN_2;

/// Terms below this part of the sum change nothing.
const NEGLIGIBLE: f64 = 1e-18;
/// Far more terms than any of the series needs.
const TERMS_MAX: usize = 200;
/// From this place on, and from 16 times the exponent on, a series needs no more than [`SERIES_TERMS`] terms.
const SERIES_FROM: f64 = 64.0;
const SERIES_TERMS: usize = 12;
/// The places for which a power is multiplied up.
const POWER_STRIDE: usize = 32;
const _: () = assert!(PART.is_multiple_of(POWER_STRIDE));
/// The factors that are multiplied at a time.
pub(super) const FACTORS: usize = 8;

/// (start + k + 1)^q − (start + k)^q for k = 0, 1, … and start ≥ 0.
pub(super) fn differences(threads: Threads, start: f64, q: f64, count: usize) -> Vec<f64> {
    // Around the middle, only odd powers of the half step are left.
    let series = halves(binomials(q), |i| if i % 2 == 1 { 2.0 } else { 0.0 });
    sequence(threads, start + 0.5, q, count, series, |k| difference(start + k, q))
}

/// The excess of the integral of x^q over the trapezoid from m − ½ to m + ½, for m = middle + k and middle ≥ ½: −m^q·
/// Σ C(q, 2l)·(2m)^(−2l)·2l/(2l + 1).
pub(super) fn bends(threads: Threads, middle: f64, q: f64, count: usize) -> Vec<f64> {
    sequence(threads, middle, q, count, halves(binomials(q), bend_factor), |k| bend(middle + k, q))
}

/// (k + 1)^p − 2·k^p + (k − 1)^p for k = 0, 1, …; 1 at k = 0.
pub(super) fn second_differences(threads: Threads, p: f64, count: usize) -> Vec<f64> {
    let series = factors(binomials(p), second_difference_factor);
    sequence(threads, 0.0, p, count, series, |k| second_difference(k, p))
}

/// (k + 1)^p − k^p − p·k^(p−1) for k = 0, 1, … and p ≥ 1; 1 at k = 0.
pub(super) fn second_remainders(threads: Threads, p: f64, count: usize) -> Vec<f64> {
    let series = factors(binomials(p), second_remainder_factor);
    sequence(threads, 0.0, p, count, series, |k| second_remainder(k, p))
}

/// Numbers at the places first + k: `single` near 0, then place^exponent times a series in 1/place.
fn sequence(
    threads: Threads,
    first: f64,
    exponent: f64,
    count: usize,
    series: [f64; SERIES_TERMS],
    single: impl Fn(f64) -> f64,
) -> Vec<f64> {
    let from = (SERIES_FROM.max(16.0 * exponent) as usize).min(count);
    let mut numbers = vec![0.0; count];
    let (near, far) = numbers.split_at_mut(from);
    near.iter_mut().enumerate().for_each(|(k, number)| *number = single(k as f64));
    let growth = binomials(exponent);
    threads.fill(far, |start, numbers| {
        fill_by_series(first + (from + start) as f64, exponent, [&series, &growth], numbers);
    });
    numbers
}

/// Numbers at the places place + k: powers times the first series. The second is that of the quotients of powers.
fn fill_by_series(place: f64, exponent: f64, series: [&[f64; SERIES_TERMS]; 2], numbers: &mut [f64]) {
    let (mut terms, mut counted_at) = ([SERIES_TERMS; 2], 0.0);
    let mut values_at = |stride: usize| {
        let place = place + (stride * POWER_STRIDE) as f64;
        // Further on, fewer terms matter.
        if place >= 2.0 * counted_at {
            (terms, counted_at) = (series.map(|series| terms_needed(series, 1.0 / place)), place);
        }
        let mut inverses = [0.0; POWER_STRIDE];
        inverses.iter_mut().enumerate().for_each(|(k, inverse)| *inverse = 1.0 / (place + k as f64));
        let mut values = polynomials(&series[0][..terms[0]], &inverses);
        let quotients = polynomials(&series[1][..terms[1]], &inverses);
        let mut power = place.powf(exponent);
        for (values, quotients) in values.as_chunks_mut::<FACTORS>().0.iter_mut().zip(quotients.as_chunks().0) {
            let products = running_products(*quotients);
            *values = std::array::from_fn(|k| values[k] * if k == 0 { power } else { power * products[k - 1] });
            power *= products[FACTORS - 1];
        }
        values
    };
    let (strides, rest) = numbers.as_chunks_mut::<POWER_STRIDE>();
    strides.iter_mut().enumerate().for_each(|(stride, numbers)| *numbers = values_at(stride));
    rest.copy_from_slice(&values_at(strides.len())[..rest.len()]);
}

/// The products of the first factors.
#[inline]
pub(super) fn running_products(factors: [f64; FACTORS]) -> [f64; FACTORS] {
    // Products of neighbours first: the processor would wait for each multiplication of a chain.
    let [a, b, c, d, e, f, g, h] = factors;
    let (ab, cd, ef, gh) = (a * b, c * d, e * f, g * h);
    let (abc, abcd, efg, efgh) = (ab * c, ab * cd, ef * g, ef * gh);
    [a, ab, abc, abcd, abcd * e, abcd * ef, abcd * efg, abcd * efgh]
}

/// How many of the first terms of a series change its sum at x, and below.
fn terms_needed(series: &[f64; SERIES_TERMS], x: f64) -> usize {
    let sizes: [f64; SERIES_TERMS] = std::array::from_fn(|i| series[i].abs() * x.powi(i as i32));
    let first = sizes.iter().copied().find(|&size| size > 0.0).unwrap_or(0.0);
    sizes.iter().rposition(|&size| size > NEGLIGIBLE * first).map_or(0, |last| last + 1)
}

/// Σ series[i]·x^i for each x.
fn polynomials(series: &[f64], places: &[f64; POWER_STRIDE]) -> [f64; POWER_STRIDE] {
    let mut sums = [0.0; POWER_STRIDE];
    for (sums, places) in sums.as_chunks_mut::<FACTORS>().0.iter_mut().zip(places.as_chunks::<FACTORS>().0) {
        for coefficient in series.iter().rev() {
            *sums = std::array::from_fn(|k| sums[k] * places[k] + coefficient);
        }
    }
    sums
}

/// C(p, i) for i = 0, 1, ….
fn binomials(p: f64) -> [f64; SERIES_TERMS] {
    let mut binomial = 1.0;
    std::array::from_fn(|i| {
        let this = binomial;
        binomial *= (p - i as f64) / (i as f64 + 1.0);
        this
    })
}

/// The series with each coefficient times a factor.
fn factors(series: [f64; SERIES_TERMS], factor: impl Fn(usize) -> f64) -> [f64; SERIES_TERMS] {
    std::array::from_fn(|i| series[i] * factor(i))
}

/// The same in half the variable.
fn halves(series: [f64; SERIES_TERMS], factor: impl Fn(usize) -> f64) -> [f64; SERIES_TERMS] {
    factors(series, |i| factor(i) * 0.5f64.powi(i as i32))
}

/// (x + 1)^q − x^q for x ≥ 0; 1 at x = 0.
pub(super) fn difference(x: f64, q: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.powf(q) * (q * (1.0 / x).ln_1p()).exp_m1() }
}

fn second_difference(x: f64, p: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else if x == 1.0 {
        2.0 * ((p - 1.0) * LN_2).exp_m1()
    } else {
        x.powf(p) * binomial_series(p, 1.0 / x, second_difference_factor)
    }
}

fn second_difference_factor(i: usize) -> f64 {
    if i >= 2 && i.is_multiple_of(2) { 2.0 } else { 0.0 }
}

fn second_remainder(x: f64, p: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else if x == 1.0 {
        2.0 * ((p - 1.0) * LN_2).exp_m1() - (p - 1.0)
    } else {
        x.powf(p) * binomial_series(p, 1.0 / x, second_remainder_factor)
    }
}

fn second_remainder_factor(i: usize) -> f64 {
    if i >= 2 { 1.0 } else { 0.0 }
}

fn bend(m: f64, q: f64) -> f64 {
    if m == 0.5 { 0.5 * (1.0 - q) / (1.0 + q) } else { m.powf(q) * binomial_series(q, 0.5 / m, bend_factor) }
}

fn bend_factor(i: usize) -> f64 {
    if i.is_multiple_of(2) { -(i as f64) / (i as f64 + 1.0) } else { 0.0 }
}

/// Σ C(p, i)·x^i·factor(i) for 0 < x < 1.
fn binomial_series(p: f64, x: f64, factor: impl Fn(usize) -> f64) -> f64 {
    let (mut term, mut sum) = (1.0, 0.0f64);
    for i in 0..TERMS_MAX {
        sum += term * factor(i);
        // Terms may be left out by their factor, and grow only for i below p/2.
        if term == 0.0 || (i as f64 > p && term.abs() < NEGLIGIBLE * sum.abs()) {
            break;
        }
        term *= (p - i as f64) / (i as f64 + 1.0) * x;
    }
    sum
}
