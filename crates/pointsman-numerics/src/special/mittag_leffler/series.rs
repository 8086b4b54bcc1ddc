//! The Taylor series in z, for small |z|.

use super::Quantity;
use crate::special::{ln_gamma, reciprocal_gamma};
use num_complex::Complex64;

/// Candidates for the number of terms: with more, the contour is faster.
const TERM_COUNTS: [u32; 4] = [6, 12, 24, 40];

/// Largest r = |z|^(1/a) for small a: the terms grow up to e^r before they decay, which costs digits.
const RADIUS_MAX: f64 = 3.0;

/// Largest r/a². E itself is at least about e^(r·cos(π/a)), so that e^(r·π²/(2a²)) is lost: here a factor of 7.
const RADIUS_MAX_BY_ORDER: f64 = 0.4;

/// Above, the second term is already negligible for every finite z, unless 1/Γ(b) overflows.
const ORDER_MAX: f64 = 1000.0;

/// Logarithm of the largest term left out.
const LN_TOLERANCE: f64 = -42.0;

/// The number of terms that reach double precision, or `None` where the series is too slow or loses digits.
pub(super) fn term_count(a: f64, b: f64, z: Complex64) -> Option<u32> {
    if a > ORDER_MAX {
        return Some(TERM_COUNTS[0]);
    }
    let ln_z = z.norm().ln();
    if ln_z > a * RADIUS_MAX.max(RADIUS_MAX_BY_ORDER * a * a).ln() {
        return None;
    }
    TERM_COUNTS.into_iter().find(|&count| {
        let k = f64::from(count);
        // |1/Γ(x)| is 1/Γ(x) for x ≥ 1, and below Γ(2 − x) for x < 1.
        let x = a * k + b;
        let ln_reciprocal = if x >= 1.0 { -ln_gamma(x).0 } else { ln_gamma(2.0 - x).0 };
        k * ln_z + ln_reciprocal + k.ln() < LN_TOLERANCE
    })
}

/// Σ zᵏ/Γ(ak + b), or Σ k·zᵏ⁻¹/Γ(ak + b), over the first `terms` terms.
pub(super) fn evaluate(quantity: Quantity, a: f64, b: f64, z: Complex64, terms: u32) -> Complex64 {
    let coefficient = |k: f64| reciprocal_gamma(a.mul_add(k, b));
    match quantity {
        Quantity::Value => (0..terms).rev().fold(Complex64::ZERO, |sum, k| sum * z + coefficient(f64::from(k))),
        Quantity::Derivative => {
            (1..terms).rev().fold(Complex64::ZERO, |sum, k| sum * z + f64::from(k) * coefficient(f64::from(k)))
        }
    }
}
