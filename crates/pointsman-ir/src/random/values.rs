//! Random scalars and columns, heavy with the values that break things: limits, NaNs of every kind, both zeros.

use super::rng::Rng;
use crate::data::ColumnData;
use crate::types::{DType, Repr, Scalar, Type};

/// How the values of a column lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Limits, special values, powers of two.
    Edges,
    /// Around zero.
    Small,
    /// Anything.
    Wide,
    /// A handful of values again and again, so that groups and joins meet.
    Repeated,
    /// Most around zero, now and then an edge.
    Mixed,
}

impl Spread {
    /// A random one.
    pub fn random(rng: &mut Rng) -> Spread {
        rng.pick(&[
            Spread::Edges,
            Spread::Small,
            Spread::Small,
            Spread::Wide,
            Spread::Repeated,
            Spread::Repeated,
            Spread::Mixed,
        ])
    }
}

/// The percentage of nulls in a nullable column.
const NULL_PERCENTS: [u32; 7] = [0, 3, 10, 30, 50, 95, 100];

const EDGES_F32: [u32; 24] = [
    0x0000_0000, // +0
    0x8000_0000, // -0
    0x7f80_0000, // +inf
    0xff80_0000, // -inf
    0x7fc0_0000, // the canonical NaN
    0xffc0_0000, // a negative NaN
    0x7fc0_1234, // a NaN with a payload
    0x7f80_0001, // a signalling NaN
    0xffbf_ffff, // a negative signalling NaN
    0x0000_0001, // the smallest subnormal
    0x8000_0001,
    0x007f_ffff, // the greatest subnormal
    0x0080_0000, // the smallest normal
    0x7f7f_ffff, // the greatest finite value
    0xff7f_ffff,
    0x3f80_0000, // 1
    0xbf80_0000, // -1
    0x3f00_0000, // 0.5
    0xbf00_0000, // -0.5
    0x4020_0000, // 2.5
    0x3eff_ffff, // just below 0.5
    0x4b80_0000, // 2^24
    0x4f00_0000, // 2^31
    0xdf00_0000, // -2^63
];

const EDGES_F64: [u64; 26] = [
    0x0000_0000_0000_0000, // +0
    0x8000_0000_0000_0000, // -0
    0x7ff0_0000_0000_0000, // +inf
    0xfff0_0000_0000_0000, // -inf
    0x7ff8_0000_0000_0000, // the canonical NaN
    0xfff8_0000_0000_0000, // a negative NaN
    0x7ff8_0000_0000_cafe, // a NaN with a payload
    0x7ff0_0000_0000_0001, // a signalling NaN
    0xfff7_ffff_ffff_ffff, // a negative signalling NaN
    0x0000_0000_0000_0001, // the smallest subnormal
    0x8000_0000_0000_0001,
    0x000f_ffff_ffff_ffff, // the greatest subnormal
    0x0010_0000_0000_0000, // the smallest normal
    0x7fef_ffff_ffff_ffff, // the greatest finite value
    0xffef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000, // 1
    0xbff0_0000_0000_0000, // -1
    0x3fe0_0000_0000_0000, // 0.5
    0xbfe0_0000_0000_0000, // -0.5
    0x4004_0000_0000_0000, // 2.5
    0x3fdf_ffff_ffff_ffff, // just below 0.5
    0x4340_0000_0000_0000, // 2^53
    0x41e0_0000_0000_0000, // 2^31
    0x43e0_0000_0000_0000, // 2^63
    0xc3e0_0000_0000_0000, // -2^63
    0x3690_0000_0000_0000, // half of the smallest f32 subnormal
];

/// The least and the greatest integer a type holds; `None` for floats.
pub fn integer_range(dtype: DType) -> Option<(i128, i128)> {
    if let DType::Decimal { precision, .. } = dtype {
        let most = 10i128.pow(u32::from(precision)) - 1;
        return Some((-most, most));
    }
    match dtype.repr() {
        Repr::Bool => Some((0, 1)),
        Repr::I8 => Some((i8::MIN.into(), i8::MAX.into())),
        Repr::I16 => Some((i16::MIN.into(), i16::MAX.into())),
        Repr::I32 => Some((i32::MIN.into(), i32::MAX.into())),
        Repr::I64 => Some((i64::MIN.into(), i64::MAX.into())),
        Repr::U8 => Some((0, u8::MAX.into())),
        Repr::U16 => Some((0, u16::MAX.into())),
        Repr::U32 => Some((0, u32::MAX.into())),
        Repr::U64 => Some((0, u64::MAX.into())),
        Repr::I128 => Some((i128::MIN, i128::MAX)),
        Repr::F32 | Repr::F64 => None,
    }
}

/// A random value of this type.
pub fn scalar(rng: &mut Rng, dtype: DType, spread: Spread) -> Scalar {
    let spread = match spread {
        Spread::Mixed if rng.chance(10) => Spread::Edges,
        Spread::Mixed => Spread::Small,
        Spread::Edges | Spread::Small | Spread::Wide | Spread::Repeated => spread,
    };
    match integer_range(dtype) {
        None if dtype == DType::F32 => Scalar::F32(single(rng, spread)),
        None => Scalar::F64(double(rng, spread)),
        Some((low, high)) => {
            let value = integer(rng, dtype, spread, low, high);
            Scalar::from_integer(dtype.repr(), value).expect("a value of the type's range fits its representation")
        }
    }
}

fn integer(rng: &mut Rng, dtype: DType, spread: Spread, low: i128, high: i128) -> i128 {
    if let DType::Dict(_) = dtype {
        return rng.between(0, 7);
    }
    let value = match spread {
        Spread::Edges | Spread::Mixed => {
            let power = 1i128 << rng.below(64);
            rng.pick(&[low, low + 1, high, high - 1, 0, 1, -1, 2, power, -power, power - 1, 10])
        }
        Spread::Small if dtype == DType::Date32 => rng.between(-1_000, 25_000),
        Spread::Small if dtype == DType::Timestamp => rng.between(-1_000_000_000_000, 2_000_000_000_000_000),
        Spread::Small => rng.between(-12, 24),
        Spread::Wide => rng.between(low, high),
        Spread::Repeated => rng.pick(&[0, 1, 2, 3, 5, high]),
    };
    value.clamp(low, high)
}

fn single(rng: &mut Rng, spread: Spread) -> f32 {
    match spread {
        Spread::Edges | Spread::Mixed => f32::from_bits(rng.pick(&EDGES_F32)),
        Spread::Small => rng.between(-200, 400) as f32 / 8.0,
        Spread::Wide if rng.chance(30) => f32::from_bits(rng.bits() as u32),
        Spread::Wide => (rng.bits() as i64 as f32) * 1e-15,
        Spread::Repeated => rng.pick(&[0.0, -0.0, 1.0, 2.5, -3.25, f32::NAN, f32::INFINITY]),
    }
}

fn double(rng: &mut Rng, spread: Spread) -> f64 {
    match spread {
        Spread::Edges | Spread::Mixed => f64::from_bits(rng.pick(&EDGES_F64)),
        Spread::Small => rng.between(-200, 400) as f64 / 8.0,
        Spread::Wide if rng.chance(30) => f64::from_bits(rng.bits()),
        Spread::Wide => (rng.bits() as i64 as f64) * 1e-15,
        Spread::Repeated => rng.pick(&[0.0, -0.0, 1.0, 2.5, -3.25, f64::NAN, f64::INFINITY]),
    }
}

/// A random value of this type, or null where the type allows it.
pub fn maybe(rng: &mut Rng, ty: Type) -> Option<Scalar> {
    let spread = Spread::random(rng);
    (!(ty.nullable && rng.chance(25))).then(|| scalar(rng, ty.dtype, spread))
}

/// A random column of this type.
pub fn column(rng: &mut Rng, ty: Type, rows: usize) -> ColumnData {
    let spread = Spread::random(rng);
    column_of(rng, ty, rows, spread)
}

/// A random column of this type whose values lie like this.
pub fn column_of(rng: &mut Rng, ty: Type, rows: usize, spread: Spread) -> ColumnData {
    let nulls = if ty.nullable { rng.pick(&NULL_PERCENTS) } else { 0 };
    let mut column = ColumnData::empty(ty, rows);
    for row in 0..rows {
        let null = nulls > 0 && rng.chance(nulls);
        let value = match null {
            true => ty.dtype.repr().zero(),
            false if ty.dtype == DType::Opaque => Scalar::U64(row as u64),
            false => scalar(rng, ty.dtype, spread),
        };
        column.push((!null).then_some(value));
    }
    column
}
