//! The Rust types that a column can hold, and the operations that each supports. All traits are sealed.

use crate::data::arrow::ArrowElement;
use bytemuck::{CheckedBitPattern, NoUninit, Pod, Zeroable};
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Scalar};
use std::fmt;

mod sealed {
    pub trait Sealed {}
}

/// A type that a column can hold: `bool`, `i8` to `i64`, `u8` to `u64`, `f32`, `f64`, [`Date`] and [`Timestamp`]. The
/// trait is sealed.
#[diagnostic::on_unimplemented(
    message = "a column cannot hold `{Self}`",
    note = "columns hold bool, i8 to i64, u8 to u64, f32, f64, Date and Timestamp"
)]
pub trait Element:
    sealed::Sealed + Copy + PartialEq + fmt::Debug + Send + Sync + NoUninit + CheckedBitPattern + 'static
{
    /// The type in plans and kernels.
    #[doc(hidden)]
    const DTYPE: DType;
    /// The Arrow array that holds such values.
    type Array: arrow_array::Array;

    /// The value as a scalar.
    #[doc(hidden)]
    fn scalar(self) -> Scalar;

    /// The bytes of the values; `None` for types in which not every byte pattern is a value.
    #[doc(hidden)]
    fn bytes_mut(_values: &mut [Self]) -> Option<&mut [u8]> {
        None
    }

    /// Bytes of 0 and 1 as booleans; `None` if there are other bytes, and for other types.
    #[doc(hidden)]
    fn truths(_bytes: &[u8]) -> Option<Vec<Self>> {
        None
    }

    /// The values of a column as an Arrow array.
    #[doc(hidden)]
    fn array(column: &crate::Column<Self>) -> Self::Array;
}

/// The Rust type for a type of plans; `None` for types that no Rust type of a query holds.
pub(crate) fn rust_name(dtype: DType) -> Option<String> {
    match dtype {
        DType::Bool | DType::F32 | DType::F64 => Some(dtype.to_string()),
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => Some(dtype.to_string()),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => Some(dtype.to_string()),
        DType::Date32 => Some("Date".to_string()),
        DType::Timestamp => Some("Timestamp".to_string()),
        DType::Decimal { .. } | DType::Dict(_) | DType::Opaque => None,
    }
}

/// Integers and floats, which support arithmetic.
#[diagnostic::on_unimplemented(message = "arithmetic does not take `{Self}` values", note = "cast to a number first")]
pub trait Number: Element {
    /// Zero.
    #[doc(hidden)]
    const ZERO: Self;
}

/// Integers, which support bit operations and checked arithmetic.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an integer type", note = "write `.cast::<i64>()` first")]
pub trait Integer: Number {
    /// The unsigned type of the same width.
    type Unsigned: Integer;
    /// −1 of a signed type: the only divisor whose quotient can overflow.
    #[doc(hidden)]
    const MINUS_ONE: Option<Self>;
}

/// Signed integers and floats, which support negation.
#[diagnostic::on_unimplemented(message = "`{Self}` has no sign", note = "cast to a signed type first")]
pub trait Signed: Number {}

/// `f32` and `f64`, which support elementary functions.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a float type", note = "write `.cast::<f64>()` first")]
pub trait Float: Number + CastTo {
    /// The nearest value.
    #[doc(hidden)]
    fn from_double(value: f64) -> Self;
    /// One.
    #[doc(hidden)]
    const ONE: Self;
    /// Infinity.
    #[doc(hidden)]
    const INFINITY: Self;
    /// The factor from radians to degrees.
    #[doc(hidden)]
    const DEGREES: Self;
    /// The factor from degrees to radians.
    #[doc(hidden)]
    const RADIANS: Self;
}

/// Booleans and integers, which support `&`, `|`, `^` and `!`.
#[diagnostic::on_unimplemented(message = "`&`, `|`, `^` and `!` do not take `{Self}` values")]
pub trait Logic: Element {
    /// The operation of `&`.
    #[doc(hidden)]
    const AND: Op;
    /// The operation of `|`.
    #[doc(hidden)]
    const OR: Op;
    /// The operation of `^`.
    #[doc(hidden)]
    const XOR: Op;
    /// The operation of `!`.
    #[doc(hidden)]
    const NOT: Op;
}

/// A type that values can be cast to: all element types except `bool`.
pub trait CastTo: Element {}

/// A date, as the number of days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct Date(pub i32);

/// A point in time, as microseconds since 1970-01-01T00:00:00 without leap seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct Timestamp(pub i64);

macro_rules! elements {
    ($($rust:ty, $dtype:ident, $scalar:ident, $arrow:ident, |$value:ident| $inner:expr;)*) => {$(
        impl sealed::Sealed for $rust {}

        impl ArrowElement for arrow_array::types::$arrow {
            type Element = $rust;
        }

        impl Element for $rust {
            const DTYPE: DType = DType::$dtype;
            type Array = arrow_array::PrimitiveArray<arrow_array::types::$arrow>;

            fn scalar(self) -> Scalar {
                let $value = self;
                Scalar::$scalar($inner)
            }

            fn bytes_mut(values: &mut [Self]) -> Option<&mut [u8]> {
                Some(bytemuck::cast_slice_mut(values))
            }

            fn array(column: &crate::Column<Self>) -> Self::Array {
                crate::data::arrow::primitive(column)
            }
        }
    )*};
}

elements! {
    i8, I8, I8, Int8Type, |v| v;
    i16, I16, I16, Int16Type, |v| v;
    i32, I32, I32, Int32Type, |v| v;
    i64, I64, I64, Int64Type, |v| v;
    u8, U8, U8, UInt8Type, |v| v;
    u16, U16, U16, UInt16Type, |v| v;
    u32, U32, U32, UInt32Type, |v| v;
    u64, U64, U64, UInt64Type, |v| v;
    f32, F32, F32, Float32Type, |v| v;
    f64, F64, F64, Float64Type, |v| v;
    Date, Date32, I32, Date32Type, |v| v.0;
    Timestamp, Timestamp, I64, TimestampMicrosecondType, |v| v.0;
}

impl sealed::Sealed for bool {}

impl Element for bool {
    const DTYPE: DType = DType::Bool;
    type Array = arrow_array::BooleanArray;

    fn scalar(self) -> Scalar {
        Scalar::Bool(self)
    }

    fn truths(bytes: &[u8]) -> Option<Vec<bool>> {
        // Two passes, since the compiler vectorises each.
        let is_sound = bytes.iter().fold(0, |all, byte| all | byte) <= 1;
        is_sound.then(|| bytes.iter().map(|&byte| byte != 0).collect())
    }

    fn array(column: &crate::Column<bool>) -> Self::Array {
        crate::data::arrow::booleans(column)
    }
}

macro_rules! mark {
    ($marker:ident: $($rust:ty)*) => { $(impl $marker for $rust {})* };
}

macro_rules! integers {
    ($($rust:ty, $unsigned:ty, $minus_one:expr;)*) => {$(
        impl Number for $rust {
            const ZERO: $rust = 0;
        }
        impl Integer for $rust {
            type Unsigned = $unsigned;
            const MINUS_ONE: Option<$rust> = $minus_one;
        }
        impl Logic for $rust {
            const AND: Op = Op::BitAnd;
            const OR: Op = Op::BitOr;
            const XOR: Op = Op::BitXor;
            const NOT: Op = Op::BitNot;
        }
    )*};
}

macro_rules! floats {
    ($($rust:ident)*) => {$(
        impl Number for $rust {
            const ZERO: $rust = 0.0;
        }
        impl Float for $rust {
            fn from_double(value: f64) -> $rust {
                value as $rust
            }

            const ONE: $rust = 1.0;
            const INFINITY: $rust = $rust::INFINITY;
            // One in degrees is the factor that Rust's method multiplies by.
            const DEGREES: $rust = <$rust>::to_degrees(1.0);
            const RADIANS: $rust = <$rust>::to_radians(1.0);
        }
    )*};
}

integers! {
    i8, u8, Some(-1);
    i16, u16, Some(-1);
    i32, u32, Some(-1);
    i64, u64, Some(-1);
    u8, u8, None;
    u16, u16, None;
    u32, u32, None;
    u64, u64, None;
}
floats!(f32 f64);
mark!(Signed: i8 i16 i32 i64 f32 f64);
mark!(CastTo: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 Date Timestamp);

impl Logic for bool {
    const AND: Op = Op::And;
    const OR: Op = Op::Or;
    const XOR: Op = Op::Ne;
    const NOT: Op = Op::Not;
}
