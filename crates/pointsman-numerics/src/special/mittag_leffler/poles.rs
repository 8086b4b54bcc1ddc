//! The poles of eˢ·s^(a−b)/(sᵃ − z) on the sheet |arg s| < π, and their residues eˢ·s^(1−b)/a.

use super::{complex, double_double};
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

/// Bounds ln|s|, so that s stays finite. Residues overflow or underflow long before, except on the imaginary axis.
const LN_POLE_MAX: f64 = 700.0;

/// From this logarithm of |s| on, an ulp of arg s may move Re s by more than 1e-3.
const LN_PRECISE_MIN: f64 = 27.0;

/// A simple pole.
pub(super) struct Pole {
    /// The root of s with a positive real part.
    pub(super) root: Complex64,
    /// The logarithm of the residue R.
    ln_residue: Complex64,
    /// (a·z/R)·∂R/∂z = s + 1 − b.
    pub(super) slope: Complex64,
}

/// All poles on the sheet.
pub(super) fn poles(a: f64, b: f64, z: Complex64) -> Vec<Pole> {
    let (ln_size, angle) = (z.norm().ln(), z.arg());
    let ln_modulus = (ln_size / a).clamp(-LN_POLE_MAX, LN_POLE_MAX);
    // |angle + 2πk| < πa
    let first = ((-PI * a - angle) / TAU).ceil();
    let last = ((PI * a - angle) / TAU).floor();
    let mut poles = Vec::new();
    let mut k = first;
    while k <= last {
        let argument = (angle + TAU * k) / a;
        if argument.abs() < PI {
            let ln_s = Complex64::new(ln_modulus, argument);
            let mut s = complex::exp(ln_s);
            if ln_modulus > LN_PRECISE_MIN && s.re.abs() < 1e-12 * s.im.abs() {
                s.re = s.im.abs() * double_double::pole_cosine(a, z, k);
            }
            let root = complex::exp(0.5 * ln_s);
            poles.push(Pole { root, ln_residue: s + (1.0 - b) * ln_s - a.ln(), slope: s + (1.0 - b) });
        }
        k += 1.0;
    }
    poles
}

/// Σ wₖ·residueₖ with the weights w = eˣ·f that `weight` returns as (x, f). A sum that overflows gives infinite
/// components instead of NaN.
pub(super) fn sum_residues(poles: &[Pole], weight: impl Fn(&Pole) -> (Complex64, Complex64)) -> Complex64 {
    let terms: Vec<_> = poles.iter().map(|pole| (weight(pole), pole.ln_residue)).collect();
    let largest = terms.iter().map(|((x, _), ln_residue)| (x + ln_residue).re).fold(f64::NEG_INFINITY, f64::max);
    if largest < -800.0 {
        return Complex64::ZERO;
    }
    let scaled = terms.iter().map(|((x, factor), ln_residue)| complex::exp(x + ln_residue - largest) * factor).sum();
    complex::scale(scaled, largest)
}
