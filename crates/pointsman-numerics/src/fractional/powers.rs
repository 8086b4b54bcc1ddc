//! Differences of powers, where subtracting the powers would lose all digits.
//!
//! In: a place and an exponent. Out: numbers with a relative error of a few ulp, for exponents up to a few dozen.

/// Terms below this part of the sum change nothing.
const NEGLIGIBLE: f64 = 1e-18;
/// Far more terms than any of the series needs.
const TERMS_MAX: usize = 200;

/// (x + 1)^q − x^q for x ≥ 0; 1 at x = 0.
pub(super) fn difference(x: f64, q: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.powf(q) * (q * (1.0 / x).ln_1p()).exp_m1() }
}

/// (x + 1)^p − 2·x^p + (x − 1)^p for x ≥ 1.
pub(super) fn second_difference(x: f64, p: f64) -> f64 {
    if x == 1.0 {
        return 2.0 * ((p - 1.0) * std::f64::consts::LN_2).exp_m1();
    }
    2.0 * x.powf(p) * binomial_series(p, 1.0 / x, |i| if i >= 2 && i % 2 == 0 { 1.0 } else { 0.0 })
}

/// (x + 1)^p − x^p − p·x^(p−1) for a whole number x ≥ 0 and p ≥ 1; 1 at x = 0.
pub(super) fn second_remainder(x: f64, p: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    if x == 1.0 {
        return 2.0 * ((p - 1.0) * std::f64::consts::LN_2).exp_m1() - (p - 1.0);
    }
    x.powf(p) * binomial_series(p, 1.0 / x, |i| if i >= 2 { 1.0 } else { 0.0 })
}

/// ((m + ½)^(q+1) − (m − ½)^(q+1))/(q + 1) − ((m + ½)^q + (m − ½)^q)/2 for m ≥ ½: how far the integral of x^q around `m`
/// exceeds the trapezoid. It is −m^q·Σ C(q, 2l)·(2m)^(−2l)·2l/(2l + 1).
pub(super) fn bend(m: f64, q: f64) -> f64 {
    if m == 0.5 {
        return 0.5 * (1.0 - q) / (1.0 + q);
    }
    let factor = |i: usize| if i % 2 == 0 { i as f64 / (i as f64 + 1.0) } else { 0.0 };
    -m.powf(q) * binomial_series(q, 0.5 / m, factor)
}

/// Σ C(p, i)·x^i·factor(i) for |x| < 1.
fn binomial_series(p: f64, x: f64, factor: impl Fn(usize) -> f64) -> f64 {
    let (mut term, mut sum) = (1.0, 0.0f64);
    for i in 0..TERMS_MAX {
        let part = term * factor(i);
        sum += part;
        let next = (p - i as f64) / (i as f64 + 1.0) * x;
        // Terms may be zero by their factor, and grow only for i below p/2.
        if term == 0.0 || (i as f64 > p && term.abs() < NEGLIGIBLE * sum.abs()) {
            break;
        }
        term *= next;
    }
    sum
}
