//! Conversions: in go a value and two types, out comes the value in the target type, or the nearest one that fits.
//!
//! Integers from floats truncate toward zero; decimals round half away from zero; floats round to nearest even and
//! overflow to infinity, which counts as fitting. A NaN fits no integer and no decimal; the nearest to it is zero.

use super::scalar::{integer, power_of_ten};
use crate::types::{DType, MICROS_PER_DAY, Repr, Scalar};

/// What a conversion gives.
pub(super) enum Converted {
    /// The value.
    Fits(Scalar),
    /// The value does not fit; this is the nearest that does.
    Nearest(Scalar),
}

/// Converts a value between types that `cast_exists` joins.
pub(super) fn convert(value: Scalar, from: DType, to: DType) -> Converted {
    if from == to {
        return Converted::Fits(value);
    }
    match to {
        DType::F32 => Converted::Fits(Scalar::F32(match as_double(value).or_else(|| from_decimal(value, from)) {
            Some(v) => v as f32,
            None => integer(value) as f32,
        })),
        DType::F64 => Converted::Fits(Scalar::F64(match as_double(value).or_else(|| from_decimal(value, from)) {
            Some(v) => v,
            None => integer(value) as f64,
        })),
        DType::Decimal { precision, scale } => {
            let limit = power_of_ten(precision) - 1;
            bounded(scaled(value, from, scale), to.repr(), -limit, limit)
        }
        DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
            let (low, high) = range(to.repr());
            bounded(whole(value, from), to.repr(), low, high)
        }
        DType::Date32 | DType::Timestamp => {
            let (low, high) = range(to.repr());
            bounded(Wide::Value(instant(value, from, to)), to.repr(), low, high)
        }
        DType::Bool | DType::Dict(_) | DType::Opaque => {
            unreachable!("the typing rules let nothing else be cast to {to}")
        }
    }
}

/// A value before it is cut to its target's range.
enum Wide {
    Value(i128),
    /// Beyond 128 bits; negative or not.
    Beyond {
        negative: bool,
    },
    Nan,
}

fn bounded(value: Wide, repr: Repr, low: i128, high: i128) -> Converted {
    let exact = |value| Scalar::from_integer(repr, value).expect("the bounds lie in the representation's range");
    match value {
        Wide::Value(value) if value < low => Converted::Nearest(exact(low)),
        Wide::Value(value) if value > high => Converted::Nearest(exact(high)),
        Wide::Value(value) => Converted::Fits(exact(value)),
        Wide::Beyond { negative } => Converted::Nearest(exact(if negative { low } else { high })),
        Wide::Nan => Converted::Nearest(repr.zero()),
    }
}

/// The least and the greatest value of an integer representation.
fn range(repr: Repr) -> (i128, i128) {
    match repr {
        Repr::Bool => (0, 1),
        Repr::I8 => (i8::MIN.into(), i8::MAX.into()),
        Repr::I16 => (i16::MIN.into(), i16::MAX.into()),
        Repr::I32 => (i32::MIN.into(), i32::MAX.into()),
        Repr::I64 => (i64::MIN.into(), i64::MAX.into()),
        Repr::U8 => (0, u8::MAX.into()),
        Repr::U16 => (0, u16::MAX.into()),
        Repr::U32 => (0, u32::MAX.into()),
        Repr::U64 => (0, u64::MAX.into()),
        Repr::I128 => (i128::MIN, i128::MAX),
        Repr::F32 | Repr::F64 => unreachable!("only integers have a range here"),
    }
}

/// A float's value as a double: exact.
fn as_double(value: Scalar) -> Option<f64> {
    if let Scalar::F32(v) = value {
        return Some(v.into());
    }
    if let Scalar::F64(v) = value { Some(v) } else { None }
}

/// A decimal as a double; `None` for other types.
fn from_decimal(value: Scalar, from: DType) -> Option<f64> {
    if let DType::Decimal { scale, .. } = from {
        return Some(integer(value) as f64 / power_of_ten(scale) as f64);
    }
    None
}

/// The whole part of a value.
fn whole(value: Scalar, from: DType) -> Wide {
    if let Some(v) = as_double(value) {
        return truncated(v);
    }
    let value = integer(value);
    Wide::Value(if let DType::Decimal { scale, .. } = from { value / power_of_ten(scale) } else { value })
}

/// A float whose fraction is dropped. Beyond 128 bits the cast keeps the nearest end, which no target holds.
fn truncated(v: f64) -> Wide {
    if v.is_nan() { Wide::Nan } else { Wide::Value(v as i128) }
}

/// The unscaled value of a decimal of this scale, rounded half away from zero.
fn scaled(value: Scalar, from: DType, scale: u8) -> Wide {
    if let Some(v) = as_double(value) {
        return truncated((v * power_of_ten(scale) as f64).round());
    }
    let value = integer(value);
    let old = if let DType::Decimal { scale, .. } = from { scale } else { 0 };
    if old > scale {
        return Wide::Value(divided_half_away(value, power_of_ten(old - scale)));
    }
    let product = value.checked_mul(power_of_ten(scale - old));
    product.map_or(Wide::Beyond { negative: value < 0 }, Wide::Value)
}

fn divided_half_away(value: i128, divisor: i128) -> i128 {
    let (quotient, rest) = (value / divisor, value % divisor);
    let up = rest.unsigned_abs() * 2 >= divisor.unsigned_abs();
    if up { quotient + value.signum() } else { quotient }
}

/// A date or timestamp: from each other by days, from integers as they are.
fn instant(value: Scalar, from: DType, to: DType) -> i128 {
    let (value, day) = (integer(value), i128::from(MICROS_PER_DAY));
    match (from, to) {
        (DType::Date32, DType::Timestamp) => value * day,
        (DType::Timestamp, DType::Date32) => value.div_euclid(day),
        _ => value,
    }
}
