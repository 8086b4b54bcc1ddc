//! Spectral derivatives of periodic functions: what each frequency is multiplied by.
//!
//! In: a definition, an order (negative for integrals), the points of a period, at a step of 1. Out: complex factors of the
//! first half of the frequencies. A mode without a frequency, the mean, becomes 0, unless the order is 0.

use num_complex::Complex64;
use std::f64::consts::{FRAC_PI_2, TAU};

/// cos(order·π/2) and sin(order·π/2), exact for whole orders.
fn quarter_turns(order: f64) -> Complex64 {
    let rest = order - 4.0 * (0.25 * order).round();
    let (sine, cosine) = (rest * FRAC_PI_2).sin_cos();
    let is_whole = rest == rest.round();
    let exact = |value: f64| if is_whole { value.round() } else { value };
    Complex64::new(exact(cosine), exact(sine))
}

/// The power of a frequency, 0 for frequency 0.
fn power(frequency: f64, order: f64) -> f64 {
    if frequency == 0.0 && order != 0.0 { 0.0 } else { frequency.powf(order) }
}

/// The factors (i·2π·k/size)^order of a Weyl derivative. The highest frequency of an even size stands for both signs: its
/// factor is the mean of both, the real part. The imaginary part that is left here has no effect, since the inverse
/// transform ignores that of a real number's product.
pub(super) fn weyl(order: f64, size: usize) -> Vec<Complex64> {
    let turn = quarter_turns(order);
    line(order, size).into_iter().map(|factor| factor * turn).collect()
}

/// The factors |2π·k/size|^order of a line.
pub(super) fn line(order: f64, size: usize) -> Vec<Complex64> {
    (0..=size / 2).map(|k| power(TAU * k as f64 / size as f64, order).into()).collect()
}

/// The factors of a plane, row by row: powers of the length of the frequency for these steps.
pub(super) fn plane(order: f64, [rows, columns]: [usize; 2], [down, across]: [f64; 2]) -> Vec<Complex64> {
    let frequency = |k: usize, size: usize, step: f64| TAU * k.min(size - k) as f64 / (size as f64 * step);
    let mut factors = Vec::with_capacity(rows * (columns / 2 + 1));
    for row in 0..rows {
        let vertical = frequency(row, rows, down);
        factors.extend(
            (0..=columns / 2)
                .map(|column| Complex64::from(power(vertical.hypot(frequency(column, columns, across)), order))),
        );
    }
    factors
}
