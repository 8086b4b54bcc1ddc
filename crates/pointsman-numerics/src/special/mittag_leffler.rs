//! The two-parameter Mittag-Leffler function E_{a,b}(z) = Σₖ zᵏ/Γ(ak + b) for a > 0, real b, and real or complex z.
//!
//! Three methods, the first that applies:
//!
//! 1. [`series`]: the definition, for small z;
//! 2. [`asymptotic`]: the residues and the expansion in powers of 1/z, for large z;
//! 3. [`contour`]: the inverse Laplace transform E = 1/(2πi)·∫ eˢ·s^(a−b)/(sᵃ − z) ds, by the trapezoidal rule on one
//!    fixed parabola. A closed-form correction accounts for every pole, on either side of the parabola and near it, so
//!    that no region has to be chosen.
//!
//! [`poles`] has the poles of the integrand and their residues.

mod asymptotic;
mod complex;
mod contour;
mod double_double;
mod poles;
mod series;

use num_complex::Complex64;
use std::fmt;

/// An argument outside the domain of the Mittag-Leffler function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DomainError {
    argument: &'static str,
    allowed: &'static str,
    value: Complex64,
}

impl fmt::Display for DomainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { argument, allowed, value } = self;
        write!(f, "Mittag-Leffler function: {argument} must be {allowed}, but is ")?;
        if value.im == 0.0 { write!(f, "{}", value.re) } else { write!(f, "{value}") }
    }
}

impl std::error::Error for DomainError {}

/// E_{a,b}(z) = Σₖ zᵏ/Γ(ak + b) for real z.
///
/// The error is at most 1e-13·max(1 + |E|, |z·∂E/∂z| + |a·∂E/∂a| + |b·∂E/∂b|), tested for a ≤ 147 and
/// −40 ≤ b ≤ 150. For large negative z and a < 2 it is also small relative to E. The result overflows to ±∞. At z = ∞
/// it is ∞, and at z = −∞ it is 0.
///
/// # Errors
/// [`DomainError`] unless a is finite and positive, b is finite, and z is not NaN; and for z = −∞ with a ≥ 2, where E
/// has no limit.
pub fn mittag_leffler(a: f64, b: f64, z: f64) -> Result<f64, DomainError> {
    check(a, b, z.into())?;
    match real_limit(a, z)? {
        Some(limit) => Ok(limit),
        None => Ok(evaluate(Quantity::Value, a, b, z.into()).re),
    }
}

/// E_{a,b}(z) for complex z, with the accuracy of [`mittag_leffler`]. Where |E| overflows, at least one component is
/// infinite.
///
/// # Errors
/// [`DomainError`] unless a is finite and positive, and b and z are finite.
pub fn mittag_leffler_complex(a: f64, b: f64, z: Complex64) -> Result<Complex64, DomainError> {
    check(a, b, z)?;
    check_finite(z)?;
    Ok(evaluate(Quantity::Value, a, b, z))
}

/// ∂E_{a,b}(z)/∂z for real z, by the derivative of every formula, with the accuracy of [`mittag_leffler`] relative to
/// its own size and condition.
///
/// # Errors
/// As [`mittag_leffler`].
pub fn mittag_leffler_derivative(a: f64, b: f64, z: f64) -> Result<f64, DomainError> {
    check(a, b, z.into())?;
    match real_limit(a, z)? {
        Some(limit) => Ok(limit),
        None => Ok(evaluate(Quantity::Derivative, a, b, z.into()).re),
    }
}

/// ∂E_{a,b}(z)/∂z for complex z, as [`mittag_leffler_derivative`].
///
/// # Errors
/// As [`mittag_leffler_complex`].
pub fn mittag_leffler_derivative_complex(a: f64, b: f64, z: Complex64) -> Result<Complex64, DomainError> {
    check(a, b, z)?;
    check_finite(z)?;
    Ok(evaluate(Quantity::Derivative, a, b, z))
}

/// The function or its derivative with respect to z.
#[derive(Clone, Copy)]
enum Quantity {
    Value,
    Derivative,
}

fn evaluate(quantity: Quantity, a: f64, b: f64, z: Complex64) -> Complex64 {
    let result = if a == 1.0 && b == 1.0 {
        complex::exp(z)
    } else if let Some(terms) = series::term_count(a, b, z) {
        series::evaluate(quantity, a, b, z, terms)
    } else if let Some(terms) = asymptotic::term_count(a, b, z) {
        asymptotic::evaluate(quantity, a, b, z, terms)
    } else {
        contour::evaluate(quantity, a, b, z)
    };
    // Terms of opposite signs that overflow, as for b < −170, give NaN.
    if result.is_nan() { f64::INFINITY.into() } else { result }
}

/// E and its derivative in the limits z → ±∞.
fn real_limit(a: f64, z: f64) -> Result<Option<f64>, DomainError> {
    if z.is_finite() {
        Ok(None)
    } else if z > 0.0 {
        Ok(Some(f64::INFINITY))
    } else if a < 2.0 {
        Ok(Some(0.0))
    } else {
        Err(DomainError { argument: "z", allowed: "finite, or a less than 2", value: z.into() })
    }
}

fn check(a: f64, b: f64, z: Complex64) -> Result<(), DomainError> {
    if !(a.is_finite() && a > 0.0) {
        return Err(DomainError { argument: "a", allowed: "finite and positive", value: a.into() });
    }
    if !b.is_finite() {
        return Err(DomainError { argument: "b", allowed: "finite", value: b.into() });
    }
    if z.is_nan() {
        return Err(DomainError { argument: "z", allowed: "a number", value: z });
    }
    Ok(())
}

fn check_finite(z: Complex64) -> Result<(), DomainError> {
    if z.is_finite() { Ok(()) } else { Err(DomainError { argument: "z", allowed: "finite", value: z }) }
}
