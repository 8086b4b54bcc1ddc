//! Types and values of the reference, and random values that lie near the edges of their type.

use crate::random::Random;
use std::fmt;

/// A type that a column can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Type {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    Date,
    Timestamp,
}

/// All types.
pub(crate) const TYPES: [Type; 13] = [
    Type::Bool,
    Type::I8,
    Type::I16,
    Type::I32,
    Type::I64,
    Type::U8,
    Type::U16,
    Type::U32,
    Type::U64,
    Type::F32,
    Type::F64,
    Type::Date,
    Type::Timestamp,
];

impl Type {
    /// Whether the type is an integer type.
    pub(crate) fn is_integer(self) -> bool {
        self.is_signed_integer() || matches!(self, Type::U8 | Type::U16 | Type::U32 | Type::U64)
    }

    /// Whether the type is a signed integer type.
    pub(crate) fn is_signed_integer(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64)
    }

    /// Whether the type is a float type.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// Whether the type has arithmetic.
    pub(crate) fn is_number(self) -> bool {
        self.is_integer() || self.is_float()
    }

    /// The number of bits of an integer, date or timestamp.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Type::Bool | Type::I8 | Type::U8 => 8,
            Type::I16 | Type::U16 => 16,
            Type::I32 | Type::U32 | Type::F32 | Type::Date => 32,
            Type::I64 | Type::U64 | Type::F64 | Type::Timestamp => 64,
        }
    }

    /// The smallest and the greatest value of an integer, date or timestamp type.
    pub(crate) fn range(self) -> (i128, i128) {
        match self {
            Type::U8 | Type::U16 | Type::U32 | Type::U64 => (0, (1 << self.bits()) - 1),
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Date | Type::Timestamp => {
                (-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1)
            }
            Type::Bool | Type::F32 | Type::F64 => unreachable!("{self:?} is not stored as an integer"),
        }
    }

    /// The integer's low bits as a value of this type: two's complement.
    pub(crate) fn wrap(self, value: i128) -> Value {
        let (low, high) = self.range();
        let low_bits = value & ((1 << self.bits()) - 1);
        Value::Int(if low < 0 && low_bits > high { low_bits - (1 << self.bits()) } else { low_bits })
    }

    /// The zero that null slots hold.
    pub(crate) fn zero(self) -> Value {
        match self {
            Type::Bool => Value::Bool(false),
            Type::F32 => Value::F32(0.0),
            Type::F64 => Value::F64(0.0),
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Date | Type::Timestamp => Value::Int(0),
            Type::U8 | Type::U16 | Type::U32 | Type::U64 => Value::Int(0),
        }
    }

    /// A random value: often small, often at an edge of the type.
    pub(crate) fn random(self, random: &mut Random) -> Value {
        match self {
            Type::Bool => Value::Bool(random.percent(50)),
            Type::F32 => Value::F32(random_f32(random)),
            Type::F64 => Value::F64(random_f64(random)),
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Date | Type::Timestamp => self.random_integer(random),
            Type::U8 | Type::U16 | Type::U32 | Type::U64 => self.random_integer(random),
        }
    }

    fn random_integer(self, random: &mut Random) -> Value {
        let (low, high) = self.range();
        let near = random.below(3) as i128;
        match random.below(10) {
            0..=4 => self.wrap(random.between(0, 20) as i128 - if low < 0 { 8 } else { 0 }),
            5 => Value::Int(high - near),
            6 => Value::Int(low + near),
            // Where a wider float or a narrower integer ends.
            7 => self.wrap((1i128 << random.between(0, 64)) + near - 1),
            8 | 9 => self.wrap(i128::from(random.next())),
            _ => unreachable!("below 10"),
        }
    }
}

fn random_f64(random: &mut Random) -> f64 {
    let small = random.below(41) as f64 - 20.0;
    match random.below(16) {
        0..=4 => small,
        5 | 6 => small / 4.0,
        7 | 8 => (random.next() as f64 / u64::MAX as f64 - 0.5) * 200.0,
        9 => *random.pick(&[0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.0, 1.0]),
        10 => *random.pick(&[f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
        11 => *random.pick(&[f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::EPSILON, 5e-324, -5e-324]),
        12 => *random.pick(&[2147483647.5, -2147483649.0, 9.223372036854776e18, 1.8446744073709552e19, 16777217.0]),
        13 => f64::from_bits(random.next() >> 12), // A subnormal.
        14 | 15 => f64::from_bits(random.next()),
        _ => unreachable!("below 16"),
    }
}

fn random_f32(random: &mut Random) -> f32 {
    match random.below(16) {
        0 => f32::from_bits(random.next() as u32),
        1 => f32::from_bits(random.next() as u32 >> 9), // A subnormal.
        2 => *random.pick(&[f32::MAX, f32::MIN, f32::MIN_POSITIVE, f32::EPSILON, 16777216.0, 2147483648.0]),
        3.. => random_f64(random) as f32,
    }
}

/// A value that is not null. Dates and timestamps are integers here; the type of the expression tells them apart.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Bool(bool),
    Int(i128),
    F32(f32),
    F64(f64),
}

impl Value {
    /// The bits, with one NaN for all: two values are the same value of a result exactly if their bits are equal.
    pub(crate) fn bits(self) -> u128 {
        match self {
            Value::Bool(truth) => u128::from(truth),
            Value::Int(integer) => integer as u128,
            Value::F32(float) if float.is_nan() => 0x7fc0_0000,
            Value::F32(float) => u128::from(float.to_bits()),
            Value::F64(float) if float.is_nan() => 0x7ff8_0000_0000_0000,
            Value::F64(float) => u128::from(float.to_bits()),
        }
    }

    /// The truth value; only for expressions of that type.
    pub(crate) fn truth(self) -> bool {
        match self {
            Value::Bool(truth) => truth,
            Value::Int(_) | Value::F32(_) | Value::F64(_) => unreachable!("{self:?} is not a truth value"),
        }
    }

    /// The integer; only for integers, dates and timestamps.
    pub(crate) fn int(self) -> i128 {
        match self {
            Value::Int(integer) => integer,
            Value::Bool(_) | Value::F32(_) | Value::F64(_) => unreachable!("{self:?} is not an integer"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Int(integer) => write!(f, "{integer}"),
            Value::F32(float) => write!(f, "{float:?}f32"),
            Value::F64(float) => write!(f, "{float:?}f64"),
        }
    }
}

/// A value or null, for people.
pub(crate) fn show(value: Option<Value>) -> String {
    value.map_or("null".to_string(), |value| value.to_string())
}
