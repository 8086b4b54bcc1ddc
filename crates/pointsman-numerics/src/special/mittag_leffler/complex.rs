//! Complex functions that keep their accuracy, and never give NaN, where those of `num-complex` do not.

use num_complex::Complex64;

/// Below, exp underflows to 0.
const EXP_ARGUMENT_MIN: f64 = -745.2;

/// eᶻ; 0 where it underflows, whatever Im z.
pub(super) fn exp(z: Complex64) -> Complex64 {
    if z.re < EXP_ARGUMENT_MIN {
        return Complex64::ZERO;
    }
    let (sin, cos) = z.im.sin_cos();
    scale(Complex64::new(cos, sin), z.re)
}

/// z·eˣ. Components overflow to ±∞, but a zero stays zero.
pub(super) fn scale(z: Complex64, x: f64) -> Complex64 {
    // The root of eˣ does not overflow where the product does not, unless z is tiny.
    let root = (0.5 * x.min(1400.0)).exp();
    Complex64::new(z.re * root * root, z.im * root * root)
}

/// (x, f) with 1/(eᶻ − 1) = eˣ·f and |f| ≤ 1/|eʸ − 1| for y = ±z with Re y ≤ 0, so that f does not underflow.
pub(super) fn reciprocal_exp_m1(z: Complex64) -> (Complex64, Complex64) {
    if z.re > 0.0 { (-z, -inverse(exp_m1(-z))) } else { (Complex64::ZERO, inverse(exp_m1(z))) }
}

/// eᶻ − 1 without cancellation for small z.
fn exp_m1(z: Complex64) -> Complex64 {
    let growth = z.re.exp_m1();
    let (sin, cos) = (0.5 * z.im).sin_cos();
    let versine = 2.0 * sin * sin;
    Complex64::new(growth * (1.0 - versine) - versine, (growth + 1.0) * 2.0 * sin * cos)
}

/// 1/z without overflow of |z|².
fn inverse(z: Complex64) -> Complex64 {
    let size = z.re.abs().max(z.im.abs());
    (z / size).inv() / size
}
