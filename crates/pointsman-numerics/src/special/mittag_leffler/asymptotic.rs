//! The asymptotic expansion E ~ Σ residues − Σ z⁻ᵏ/Γ(b − ak), for large |z|.
//!
//! Its smallest term is about e^(−r) with r = |z|^(1/a). Where that is below double precision, so is the residue of a
//! pole that enters or leaves the sheet |arg s| < π (Stokes' phenomenon): the expansion holds for all arguments of z.

use super::{Quantity, poles};
use crate::special::{ln_gamma, reciprocal_gamma};
use num_complex::Complex64;

/// Candidates for the number of terms: with more, the contour is faster.
const TERM_COUNTS: [u32; 4] = [4, 8, 16, 30];

/// Logarithm of the first term left out, relative to the second term z⁻²: where a = b, the first is 0.
const LN_TOLERANCE: f64 = -40.0;

/// The number of terms that reach double precision, or `None` where the terms do not become small enough.
pub(super) fn term_count(a: f64, b: f64, z: Complex64) -> Option<u32> {
    let ln_z = z.norm().ln();
    TERM_COUNTS.into_iter().find(|&count| {
        let k = f64::from(count + 1);
        // |1/Γ(b − ak)| ≤ Γ(1 + ak − b) where the argument is negative.
        (2.0 - k) * ln_z + ln_gamma((1.0 + a * k - b).max(1.5)).0 < LN_TOLERANCE
    })
}

pub(super) fn evaluate(quantity: Quantity, a: f64, b: f64, z: Complex64, terms: u32) -> Complex64 {
    let inverse = z.inv();
    let coefficient = |k: f64| reciprocal_gamma((-a).mul_add(k, b));
    let sum = |factor: fn(f64) -> f64| {
        (1..=terms).rev().map(f64::from).fold(Complex64::ZERO, |sum, k| (sum + factor(k) * coefficient(k)) * inverse)
    };
    let poles = poles::poles(a, b, z);
    match quantity {
        Quantity::Value => poles::sum_residues(&poles, |_| (Complex64::ZERO, Complex64::ONE)) - sum(|_| 1.0),
        Quantity::Derivative => {
            let residues = poles::sum_residues(&poles, |pole| (Complex64::ZERO, pole.slope / a));
            (residues + sum(|k| k)) * inverse
        }
    }
}
