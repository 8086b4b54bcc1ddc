//! Elementary functions in double precision, and how far a result may be from them.

use crate::program::Function;
use crate::value::{Type, Value};

/// The function of doubles: the standard library's, which is off by less than an ULP.
fn double(function: Function, x: f64, y: f64) -> f64 {
    match function {
        Function::Exp => x.exp(),
        Function::Exp2 => x.exp2(),
        Function::ExpM1 => x.exp_m1(),
        Function::Ln => x.ln(),
        Function::Log2 => x.log2(),
        Function::Log10 => x.log10(),
        Function::Ln1p => x.ln_1p(),
        Function::Pow => x.powf(y),
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Tan => x.tan(),
        Function::Asin => x.asin(),
        Function::Acos => x.acos(),
        Function::Atan => x.atan(),
        Function::Atan2 => x.atan2(y),
        Function::Sinh => x.sinh(),
        Function::Cosh => x.cosh(),
        Function::Tanh => x.tanh(),
        Function::Erf => erf(x),
        Function::Cbrt => x.cbrt(),
        Function::Hypot => x.hypot(y),
    }
}

/// The error function by its series of positive terms, which cancels nothing.
fn erf(x: f64) -> f64 {
    if x.is_nan() || x == 0.0 || x.abs() > 6.0 {
        return if x.is_nan() || x == 0.0 { x } else { 1f64.copysign(x) };
    }
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term.abs() > sum.abs() * 1e-18 {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

/// Whether the function takes two operands.
pub(crate) fn is_binary(function: Function) -> bool {
    matches!(function, Function::Pow | Function::Atan2 | Function::Hypot)
}

/// The value of the function, rounded to its type.
pub(crate) fn elementary(function: Function, x: Value, y: Value) -> Value {
    match (x, y) {
        (Value::F32(x), Value::F32(y)) => Value::F32(double(function, x.into(), y.into()) as f32),
        (Value::F64(x), Value::F64(y)) => Value::F64(double(function, x, y)),
        (x, y) => unreachable!("{function:?} of {x:?} and {y:?}"),
    }
}

/// The largest distance from [`elementary`] that a result may have, in units of the last place: the documented bound, and
/// one for the rounding of the reference. The series of `erf` loses a few bits of a double.
pub(crate) fn ulps_allowed(function: Function, ty: Type) -> u64 {
    let documented = match function {
        Function::Pow | Function::Tan | Function::Atan2 | Function::Sinh | Function::Cosh | Function::Erf => 4,
        Function::Hypot => 4,
        Function::Exp | Function::Exp2 | Function::ExpM1 | Function::Ln | Function::Log2 | Function::Log10 => 2,
        Function::Ln1p | Function::Sin | Function::Cos | Function::Asin | Function::Acos | Function::Atan => 2,
        Function::Tanh | Function::Cbrt => 2,
    };
    let is_series = function == Function::Erf && ty == Type::F64;
    documented + if is_series { 12 } else { 1 }
}

/// The distance of two floats of one type, in units of the last place. NaN is near NaN alone.
pub(crate) fn ulps_between(x: Value, y: Value) -> u64 {
    let ordered = |bits: i128, sign: i128| if bits & sign != 0 { sign - bits } else { bits };
    match (x, y) {
        (Value::F32(x), Value::F32(y)) if !x.is_nan() && !y.is_nan() => {
            let place = |x: f32| ordered(x.to_bits().into(), 1 << 31);
            place(x).abs_diff(place(y)) as u64
        }
        (Value::F64(x), Value::F64(y)) if !x.is_nan() && !y.is_nan() => {
            let place = |x: f64| ordered(x.to_bits().into(), 1 << 63);
            u64::try_from(place(x).abs_diff(place(y))).unwrap_or(u64::MAX)
        }
        (x, y) if x.bits() == y.bits() => 0,
        _ => u64::MAX,
    }
}
