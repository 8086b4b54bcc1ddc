//! The sign of Re s for poles s next to the imaginary axis (the anti-Stokes lines |arg z| = πa/2), in double-double
//! arithmetic.
//!
//! For |s| > 1e17 one ulp of arg s there decides between a residue that overflows and one that vanishes.

use num_complex::Complex64;
use std::f64::consts::FRAC_PI_2;

/// π/2 − FRAC_PI_2.
const FRAC_PI_2_LOW: f64 = 6.123_233_995_736_766e-17;

/// Cosines below are 0: the rounding error of this module.
const COSINE_MIN: f64 = 4e-32;

/// The unevaluated sum high + low, with |low| at most half an ulp of high.
#[derive(Clone, Copy)]
struct DoubleDouble {
    high: f64,
    low: f64,
}

/// cos((arg z + 2πk)/a) where it is near 0, with an absolute error of about 1e-32 (and a relative one of 1e-16).
pub(super) fn pole_cosine(a: f64, z: Complex64, k: f64) -> f64 {
    let argument = (arg(z) + DoubleDouble::product(4.0 * k, FRAC_PI_2) + (4.0 * k * FRAC_PI_2_LOW).into()) / a;
    let sign = if argument.high < 0.0 { -1.0 } else { 1.0 };
    // |arg s| < π, so that the only zeros are ±π/2.
    let cosine = (FRAC_PI_2 - sign * argument.high) + (FRAC_PI_2_LOW - sign * argument.low);
    if cosine.abs() < COSINE_MIN { 0.0 } else { cosine }
}

/// arg z: one Newton step from its rounded value.
fn arg(z: Complex64) -> DoubleDouble {
    let rounded = z.arg();
    let (cos, sin) = cos_sin(rounded);
    // |z|·sin(arg z − rounded)
    let across = cos * z.im.into() + sin * (-z.re).into();
    DoubleDouble::sum(rounded, across.high / z.norm())
}

/// (cos x, sin x) for |x| ≤ π: the series of exp(ix/8), squared three times.
fn cos_sin(x: f64) -> (DoubleDouble, DoubleDouble) {
    let step = DoubleDouble::from(x / 8.0);
    let (mut cos, mut sin) = (DoubleDouble::from(1.0), DoubleDouble::from(0.0));
    let mut power = DoubleDouble::from(1.0);
    for n in 1..=26_u8 {
        power = power * step / f64::from(n);
        let signed = if n % 4 < 2 { power } else { power * (-1.0).into() };
        if n % 2 == 0 {
            cos = cos + signed;
        } else {
            sin = sin + signed;
        }
    }
    for _ in 0..3 {
        (cos, sin) = (cos * cos + sin * sin * (-1.0).into(), cos * sin * 2.0.into());
    }
    (cos, sin)
}

impl DoubleDouble {
    /// x + y without error.
    fn sum(x: f64, y: f64) -> Self {
        let high = x + y;
        let y_part = high - x;
        Self { high, low: (x - (high - y_part)) + (y - y_part) }
    }

    /// x·y without error.
    fn product(x: f64, y: f64) -> Self {
        let high = x * y;
        Self { high, low: x.mul_add(y, -high) }
    }
}

impl From<f64> for DoubleDouble {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl std::ops::Add for DoubleDouble {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.high, other.high);
        let low = Self::sum(self.low, other.low);
        let partial = Self::sum(high.high, high.low + low.high);
        Self::sum(partial.high, partial.low + low.low)
    }
}

impl std::ops::Mul for DoubleDouble {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        Self::sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl std::ops::Div<f64> for DoubleDouble {
    type Output = Self;

    fn div(self, divisor: f64) -> Self {
        let high = self.high / divisor;
        let remainder = (-high).mul_add(divisor, self.high) + self.low;
        Self::sum(high, remainder / divisor)
    }
}
