//! Data types and their representations, scalars, fields and schemas. The data types are a small closed enum of our
//! own, not Arrow's.

use std::fmt;
use std::hash::{Hash, Hasher};

/// The most decimal digits a decimal may have.
pub const DECIMAL_DIGITS_MAX: u8 = 38;
/// Decimals of up to this many digits are held in 64 bits, wider ones in 128.
pub const DECIMAL_DIGITS_64: u8 = 18;
/// Microseconds in a day: what turns a date into a timestamp.
pub const MICROS_PER_DAY: i64 = 86_400_000_000;

/// The machine representation of a [`DType`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Repr {
    /// One truth value: a bit in an Arrow bitmap, or a byte of 0 or 1.
    Bool,
    /// A signed byte.
    I8,
    /// A signed 16-bit integer.
    I16,
    /// A signed 32-bit integer.
    I32,
    /// A signed 64-bit integer.
    I64,
    /// An unsigned byte.
    U8,
    /// An unsigned 16-bit integer.
    U16,
    /// An unsigned 32-bit integer.
    U32,
    /// An unsigned 64-bit integer.
    U64,
    /// An IEEE-754 single.
    F32,
    /// An IEEE-754 double.
    F64,
    /// A signed 128-bit integer.
    I128,
}

impl Repr {
    /// Every representation, narrowest signed first.
    pub const ALL: [Repr; 12] = [
        Repr::Bool,
        Repr::I8,
        Repr::I16,
        Repr::I32,
        Repr::I64,
        Repr::U8,
        Repr::U16,
        Repr::U32,
        Repr::U64,
        Repr::F32,
        Repr::F64,
        Repr::I128,
    ];

    /// Bytes of one value when values lie side by side (a `Bool` as a byte of 0 or 1).
    pub const fn bytes(self) -> usize {
        match self {
            Repr::Bool | Repr::I8 | Repr::U8 => 1,
            Repr::I16 | Repr::U16 => 2,
            Repr::I32 | Repr::U32 | Repr::F32 => 4,
            Repr::I64 | Repr::U64 | Repr::F64 => 8,
            Repr::I128 => 16,
        }
    }

    /// The zero of this representation; what null slots hold.
    pub const fn zero(self) -> Scalar {
        match self {
            Repr::Bool => Scalar::Bool(false),
            Repr::I8 => Scalar::I8(0),
            Repr::I16 => Scalar::I16(0),
            Repr::I32 => Scalar::I32(0),
            Repr::I64 => Scalar::I64(0),
            Repr::U8 => Scalar::U8(0),
            Repr::U16 => Scalar::U16(0),
            Repr::U32 => Scalar::U32(0),
            Repr::U64 => Scalar::U64(0),
            Repr::F32 => Scalar::F32(0.0),
            Repr::F64 => Scalar::F64(0.0),
            Repr::I128 => Scalar::I128(0),
        }
    }
}

/// The logical type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// True or false.
    Bool,
    /// A signed byte.
    I8,
    /// A signed 16-bit integer.
    I16,
    /// A signed 32-bit integer.
    I32,
    /// A signed 64-bit integer.
    I64,
    /// An unsigned byte.
    U8,
    /// An unsigned 16-bit integer.
    U16,
    /// An unsigned 32-bit integer.
    U32,
    /// An unsigned 64-bit integer.
    U64,
    /// An IEEE-754 single.
    F32,
    /// An IEEE-754 double.
    F64,
    /// Days since 1970-01-01, in an `i32`.
    Date32,
    /// Microseconds since 1970-01-01T00:00:00, in an `i64`.
    Timestamp,
    /// A scaled integer: `unscaled / 10^scale`, with `|unscaled| < 10^precision`.
    /// Up to [`DECIMAL_DIGITS_64`] digits are held in an `i64`, more in an `i128`.
    Decimal {
        /// The maximum number of decimal digits of the unscaled value, 1 to [`DECIMAL_DIGITS_MAX`].
        precision: u8,
        /// The number of digits after the decimal point, at most `precision`.
        scale: u8,
    },
    /// A string as its code in dictionary number `.0`; codes of two dictionaries never meet.
    Dict(u32),
    /// A value no kernel looks into (a long string, a nested value): carried and gathered as its row number.
    Opaque,
}

impl DType {
    /// A decimal type, or `None` where the digits do not fit the rules of [`DType::Decimal`].
    pub const fn decimal(precision: u8, scale: u8) -> Option<DType> {
        if precision == 0 || precision > DECIMAL_DIGITS_MAX || scale > precision {
            None
        } else {
            Some(DType::Decimal { precision, scale })
        }
    }

    /// How a value of this type is held.
    pub const fn repr(self) -> Repr {
        match self {
            DType::Bool => Repr::Bool,
            DType::I8 => Repr::I8,
            DType::I16 => Repr::I16,
            DType::I32 | DType::Date32 => Repr::I32,
            DType::I64 | DType::Timestamp => Repr::I64,
            DType::U8 => Repr::U8,
            DType::U16 => Repr::U16,
            DType::U32 | DType::Dict(_) => Repr::U32,
            DType::U64 | DType::Opaque => Repr::U64,
            DType::F32 => Repr::F32,
            DType::F64 => Repr::F64,
            DType::Decimal { precision, .. } => {
                if precision <= DECIMAL_DIGITS_64 {
                    Repr::I64
                } else {
                    Repr::I128
                }
            }
        }
    }

    /// Plain integers: `i8` to `u64`; dates, decimals and codes are not.
    pub const fn is_integer(self) -> bool {
        self.is_signed_integer() || matches!(self, DType::U8 | DType::U16 | DType::U32 | DType::U64)
    }

    /// The unsigned type of an integer's width; other types are their own.
    pub const fn unsigned(self) -> DType {
        match self {
            DType::I8 | DType::U8 => DType::U8,
            DType::I16 | DType::U16 => DType::U16,
            DType::I32 | DType::U32 => DType::U32,
            DType::I64 | DType::U64 => DType::U64,
            DType::Bool | DType::F32 | DType::F64 | DType::Date32 | DType::Timestamp => self,
            DType::Decimal { .. } | DType::Dict(_) | DType::Opaque => self,
        }
    }

    /// `i8` to `i64`.
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, DType::I8 | DType::I16 | DType::I32 | DType::I64)
    }

    /// `f32` and `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F64)
    }

    /// Any decimal.
    pub const fn is_decimal(self) -> bool {
        matches!(self, DType::Decimal { .. })
    }

    /// Integers, floats and decimals: what arithmetic takes.
    pub const fn is_number(self) -> bool {
        self.is_integer() || self.is_float() || self.is_decimal()
    }

    /// Types with an order: everything but dictionary codes and opaque values.
    pub const fn is_ordered(self) -> bool {
        !matches!(self, DType::Dict(_) | DType::Opaque)
    }

    /// This type with no nulls.
    pub const fn required(self) -> Type {
        Type { dtype: self, nullable: false }
    }

    /// This type, where a value may be null.
    pub const fn nullable(self) -> Type {
        Type { dtype: self, nullable: true }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DType::Bool => f.write_str("bool"),
            DType::I8 => f.write_str("i8"),
            DType::I16 => f.write_str("i16"),
            DType::I32 => f.write_str("i32"),
            DType::I64 => f.write_str("i64"),
            DType::U8 => f.write_str("u8"),
            DType::U16 => f.write_str("u16"),
            DType::U32 => f.write_str("u32"),
            DType::U64 => f.write_str("u64"),
            DType::F32 => f.write_str("f32"),
            DType::F64 => f.write_str("f64"),
            DType::Date32 => f.write_str("date32"),
            DType::Timestamp => f.write_str("timestamp"),
            DType::Decimal { precision, scale } => write!(f, "decimal({precision},{scale})"),
            DType::Dict(id) => write!(f, "dict({id})"),
            DType::Opaque => f.write_str("opaque"),
        }
    }
}

/// A data type and whether a value of it may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// The data type.
    pub dtype: DType,
    /// Whether a value may be null.
    pub nullable: bool,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, if self.nullable { "?" } else { "" })
    }
}

/// One value, by its representation. Equality and hashing go by bits, so that a NaN equals itself and −0 differs from
/// +0.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// A signed byte.
    I8(i8),
    /// A signed 16-bit integer.
    I16(i16),
    /// A signed 32-bit integer, or a date.
    I32(i32),
    /// A signed 64-bit integer, a timestamp, or a decimal of up to 18 digits.
    I64(i64),
    /// An unsigned byte.
    U8(u8),
    /// An unsigned 16-bit integer.
    U16(u16),
    /// An unsigned 32-bit integer, or a dictionary code.
    U32(u32),
    /// An unsigned 64-bit integer, or the row number of an opaque value.
    U64(u64),
    /// A single.
    F32(f32),
    /// A double.
    F64(f64),
    /// A decimal of more than 18 digits, or an exact integer sum.
    I128(i128),
}

impl Scalar {
    /// How this value is held.
    pub const fn repr(self) -> Repr {
        match self {
            Scalar::Bool(_) => Repr::Bool,
            Scalar::I8(_) => Repr::I8,
            Scalar::I16(_) => Repr::I16,
            Scalar::I32(_) => Repr::I32,
            Scalar::I64(_) => Repr::I64,
            Scalar::U8(_) => Repr::U8,
            Scalar::U16(_) => Repr::U16,
            Scalar::U32(_) => Repr::U32,
            Scalar::U64(_) => Repr::U64,
            Scalar::F32(_) => Repr::F32,
            Scalar::F64(_) => Repr::F64,
            Scalar::I128(_) => Repr::I128,
        }
    }

    /// The value's bits, zero-extended: what equality, hashing and printing go by.
    pub const fn bits(self) -> u128 {
        match self {
            Scalar::Bool(v) => v as u128,
            Scalar::I8(v) => v as u8 as u128,
            Scalar::I16(v) => v as u16 as u128,
            Scalar::I32(v) => v as u32 as u128,
            Scalar::I64(v) => v as u64 as u128,
            Scalar::U8(v) => v as u128,
            Scalar::U16(v) => v as u128,
            Scalar::U32(v) => v as u128,
            Scalar::U64(v) => v as u128,
            Scalar::F32(v) => v.to_bits() as u128,
            Scalar::F64(v) => v.to_bits() as u128,
            Scalar::I128(v) => v as u128,
        }
    }

    /// The value of `repr` with these bits (bits beyond its width are dropped).
    pub const fn from_bits(repr: Repr, bits: u128) -> Scalar {
        match repr {
            Repr::Bool => Scalar::Bool(bits & 1 == 1),
            Repr::I8 => Scalar::I8(bits as i8),
            Repr::I16 => Scalar::I16(bits as i16),
            Repr::I32 => Scalar::I32(bits as i32),
            Repr::I64 => Scalar::I64(bits as i64),
            Repr::U8 => Scalar::U8(bits as u8),
            Repr::U16 => Scalar::U16(bits as u16),
            Repr::U32 => Scalar::U32(bits as u32),
            Repr::U64 => Scalar::U64(bits as u64),
            Repr::F32 => Scalar::F32(f32::from_bits(bits as u32)),
            Repr::F64 => Scalar::F64(f64::from_bits(bits as u64)),
            Repr::I128 => Scalar::I128(bits as i128),
        }
    }

    /// Any integer or truth value, widened; `None` for floats.
    pub const fn as_integer(self) -> Option<i128> {
        match self {
            Scalar::Bool(v) => Some(v as i128),
            Scalar::I8(v) => Some(v as i128),
            Scalar::I16(v) => Some(v as i128),
            Scalar::I32(v) => Some(v as i128),
            Scalar::I64(v) => Some(v as i128),
            Scalar::U8(v) => Some(v as i128),
            Scalar::U16(v) => Some(v as i128),
            Scalar::U32(v) => Some(v as i128),
            Scalar::U64(v) => Some(v as i128),
            Scalar::I128(v) => Some(v),
            Scalar::F32(_) | Scalar::F64(_) => None,
        }
    }

    /// The integer of `repr` with this value, or `None` where it does not fit (or `repr` is a float).
    pub fn from_integer(repr: Repr, value: i128) -> Option<Scalar> {
        match repr {
            Repr::Bool => match value {
                0 => Some(Scalar::Bool(false)),
                1 => Some(Scalar::Bool(true)),
                _ => None,
            },
            Repr::I8 => value.try_into().ok().map(Scalar::I8),
            Repr::I16 => value.try_into().ok().map(Scalar::I16),
            Repr::I32 => value.try_into().ok().map(Scalar::I32),
            Repr::I64 => value.try_into().ok().map(Scalar::I64),
            Repr::U8 => value.try_into().ok().map(Scalar::U8),
            Repr::U16 => value.try_into().ok().map(Scalar::U16),
            Repr::U32 => value.try_into().ok().map(Scalar::U32),
            Repr::U64 => value.try_into().ok().map(Scalar::U64),
            Repr::I128 => Some(Scalar::I128(value)),
            Repr::F32 | Repr::F64 => None,
        }
    }

    /// This value with every NaN replaced by the one canonical NaN: what leaves a kernel.
    pub fn canonical(self) -> Scalar {
        if let Scalar::F32(v) = self
            && v.is_nan()
        {
            return Scalar::F32(f32::from_bits(NAN_F32));
        }
        if let Scalar::F64(v) = self
            && v.is_nan()
        {
            return Scalar::F64(f64::from_bits(NAN_F64));
        }
        self
    }
}

/// The bits of the one NaN that leaves a kernel, in single precision.
pub const NAN_F32: u32 = 0x7fc0_0000;
/// The bits of the one NaN that leaves a kernel, in double precision.
pub const NAN_F64: u64 = 0x7ff8_0000_0000_0000;

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        self.repr() == other.repr() && self.bits() == other.bits()
    }
}

impl Eq for Scalar {}

impl Hash for Scalar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.repr().hash(state);
        self.bits().hash(state);
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(v) => write!(f, "{v}"),
            Scalar::I8(v) => write!(f, "{v}"),
            Scalar::I16(v) => write!(f, "{v}"),
            Scalar::I32(v) => write!(f, "{v}"),
            Scalar::I64(v) => write!(f, "{v}"),
            Scalar::U8(v) => write!(f, "{v}"),
            Scalar::U16(v) => write!(f, "{v}"),
            Scalar::U32(v) => write!(f, "{v}"),
            Scalar::U64(v) => write!(f, "{v}"),
            Scalar::F32(v) => write!(f, "{v:?}"),
            Scalar::F64(v) => write!(f, "{v:?}"),
            Scalar::I128(v) => write!(f, "{v}"),
        }
    }
}

/// A named, typed column of a schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The column's name, as users know it; it never reaches a kernel.
    pub name: String,
    /// The column's type.
    pub ty: Type,
}

/// The columns of a table, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schema {
    /// The columns.
    pub fields: Vec<Field>,
}

impl Schema {
    /// A schema from names and types.
    pub fn new<N: Into<String>>(fields: impl IntoIterator<Item = (N, Type)>) -> Schema {
        Schema { fields: fields.into_iter().map(|(name, ty)| Field { name: name.into(), ty }).collect() }
    }

    /// The types alone.
    pub fn types(&self) -> Vec<Type> {
        self.fields.iter().map(|field| field.ty).collect()
    }

    /// The position of the column with this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}
