//! The kinds of data types that tests count by: every data type belongs to one, and each has types to choose from.

use crate::types::{DECIMAL_DIGITS_64, DType};

/// A kind of data type. Decimals count by how they are held, dictionaries all as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DTypeClass {
    /// `bool`.
    Bool,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `date32`.
    Date32,
    /// `timestamp`.
    Timestamp,
    /// Decimals of up to 18 digits.
    Decimal64,
    /// Decimals of more than 18 digits.
    Decimal128,
    /// Dictionary codes.
    Dict,
    /// Values no kernel looks into.
    Opaque,
}

impl DTypeClass {
    /// Every kind.
    pub const ALL: [DTypeClass; 17] = [
        DTypeClass::Bool,
        DTypeClass::I8,
        DTypeClass::I16,
        DTypeClass::I32,
        DTypeClass::I64,
        DTypeClass::U8,
        DTypeClass::U16,
        DTypeClass::U32,
        DTypeClass::U64,
        DTypeClass::F32,
        DTypeClass::F64,
        DTypeClass::Date32,
        DTypeClass::Timestamp,
        DTypeClass::Decimal64,
        DTypeClass::Decimal128,
        DTypeClass::Dict,
        DTypeClass::Opaque,
    ];

    /// The kind of a data type.
    pub const fn of(dtype: DType) -> DTypeClass {
        match dtype {
            DType::Bool => DTypeClass::Bool,
            DType::I8 => DTypeClass::I8,
            DType::I16 => DTypeClass::I16,
            DType::I32 => DTypeClass::I32,
            DType::I64 => DTypeClass::I64,
            DType::U8 => DTypeClass::U8,
            DType::U16 => DTypeClass::U16,
            DType::U32 => DTypeClass::U32,
            DType::U64 => DTypeClass::U64,
            DType::F32 => DTypeClass::F32,
            DType::F64 => DTypeClass::F64,
            DType::Date32 => DTypeClass::Date32,
            DType::Timestamp => DTypeClass::Timestamp,
            DType::Decimal { precision, .. } if precision <= DECIMAL_DIGITS_64 => DTypeClass::Decimal64,
            DType::Decimal { .. } => DTypeClass::Decimal128,
            DType::Dict(_) => DTypeClass::Dict,
            DType::Opaque => DTypeClass::Opaque,
        }
    }

    /// Types of this kind, the most usual first.
    pub const fn samples(self) -> &'static [DType] {
        match self {
            DTypeClass::Bool => &[DType::Bool],
            DTypeClass::I8 => &[DType::I8],
            DTypeClass::I16 => &[DType::I16],
            DTypeClass::I32 => &[DType::I32],
            DTypeClass::I64 => &[DType::I64],
            DTypeClass::U8 => &[DType::U8],
            DTypeClass::U16 => &[DType::U16],
            DTypeClass::U32 => &[DType::U32],
            DTypeClass::U64 => &[DType::U64],
            DTypeClass::F32 => &[DType::F32],
            DTypeClass::F64 => &[DType::F64],
            DTypeClass::Date32 => &[DType::Date32],
            DTypeClass::Timestamp => &[DType::Timestamp],
            DTypeClass::Decimal64 => &[
                DType::Decimal { precision: 9, scale: 2 },
                DType::Decimal { precision: 18, scale: 4 },
                DType::Decimal { precision: 3, scale: 0 },
                DType::Decimal { precision: 17, scale: 12 },
            ],
            DTypeClass::Decimal128 => &[
                DType::Decimal { precision: 24, scale: 6 },
                DType::Decimal { precision: 38, scale: 10 },
                DType::Decimal { precision: 19, scale: 0 },
                DType::Decimal { precision: 37, scale: 18 },
            ],
            DTypeClass::Dict => &[DType::Dict(0), DType::Dict(1)],
            DTypeClass::Opaque => &[DType::Opaque],
        }
    }
}
