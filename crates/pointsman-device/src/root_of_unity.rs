//! [`root_of_unity`], for tables of Fourier transforms. In: a power and an order. Out: a number in double precision.

use num_complex::Complex;
use std::f64::consts::PI;

/// e^(2πi·k/n) for k < n.
pub(crate) fn root_of_unity(k: u64, n: u64) -> Complex<f64> {
    // The angle is taken from the nearest multiple of a quarter turn, where it is exact.
    let quarters = ((u128::from(k) * 8 / u128::from(n)) as u64).div_ceil(2);
    let rest = i128::from(k) * 4 - i128::from(quarters) * i128::from(n);
    let (sin, cos) = (PI / 2.0 * (rest as f64 / n as f64)).sin_cos();
    match quarters % 4 {
        0 => Complex::new(cos, sin),
        1 => Complex::new(-sin, cos),
        2 => Complex::new(-cos, -sin),
        _ => Complex::new(sin, -cos),
    }
}
