//! Tables of the interpreter as Arrow record batches, and back. Every NaN becomes the one canonical NaN in both
//! directions, since its bits mean nothing. Dictionary codes and opaque values travel as plain unsigned integers.

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, PrimitiveArray};
use datafusion::arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Field, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Schema, SchemaRef, TimeUnit, TimestampMicrosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use pointsman_ir::data::ColumnData;
use pointsman_ir::types::{DType, Scalar, Type};
use std::sync::Arc;

/// The Arrow type of a data type.
pub(crate) fn data_type(dtype: DType) -> DataType {
    match dtype {
        DType::Bool => DataType::Boolean,
        DType::I8 => DataType::Int8,
        DType::I16 => DataType::Int16,
        DType::I32 => DataType::Int32,
        DType::I64 => DataType::Int64,
        DType::U8 => DataType::UInt8,
        DType::U16 => DataType::UInt16,
        DType::U32 | DType::Dict(_) => DataType::UInt32,
        DType::U64 | DType::Opaque => DataType::UInt64,
        DType::F32 => DataType::Float32,
        DType::F64 => DataType::Float64,
        DType::Date32 => DataType::Date32,
        DType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
        DType::Decimal { precision, scale } => DataType::Decimal128(precision, scale as i8),
    }
}

/// A schema of unnamed columns: each column is called by its prefix and position.
pub(crate) fn schema(types: &[Type], prefix: &str) -> SchemaRef {
    let field = |(i, ty): (usize, &Type)| Field::new(format!("{prefix}{i}"), data_type(ty.dtype), ty.nullable);
    Arc::new(Schema::new(types.iter().enumerate().map(field).collect::<Vec<_>>()))
}

/// A column as an array.
pub(crate) fn array(column: &ColumnData) -> ArrayRef {
    let values = || column.iter().map(|value| value.map(Scalar::canonical));
    let integers = || values().map(|value| value.and_then(Scalar::as_integer));
    match column.dtype {
        DType::Bool => Arc::new(integers().map(|v| v.map(|v| v != 0)).collect::<BooleanArray>()),
        DType::I8 => primitive::<Int8Type>(integers().map(|v| v.map(|v| v as i8))),
        DType::I16 => primitive::<Int16Type>(integers().map(|v| v.map(|v| v as i16))),
        DType::I32 => primitive::<Int32Type>(integers().map(|v| v.map(|v| v as i32))),
        DType::I64 => primitive::<Int64Type>(integers().map(|v| v.map(|v| v as i64))),
        DType::U8 => primitive::<UInt8Type>(integers().map(|v| v.map(|v| v as u8))),
        DType::U16 => primitive::<UInt16Type>(integers().map(|v| v.map(|v| v as u16))),
        DType::U32 | DType::Dict(_) => primitive::<UInt32Type>(integers().map(|v| v.map(|v| v as u32))),
        DType::U64 | DType::Opaque => primitive::<UInt64Type>(integers().map(|v| v.map(|v| v as u64))),
        DType::F32 => primitive::<Float32Type>(values().map(|v| v.map(|v| f32::from_bits(v.bits() as u32)))),
        DType::F64 => primitive::<Float64Type>(values().map(|v| v.map(|v| f64::from_bits(v.bits() as u64)))),
        DType::Date32 => primitive::<Date32Type>(integers().map(|v| v.map(|v| v as i32))),
        DType::Timestamp => primitive::<TimestampMicrosecondType>(integers().map(|v| v.map(|v| v as i64))),
        DType::Decimal { .. } => {
            let values: PrimitiveArray<Decimal128Type> = integers().collect();
            Arc::new(values.with_data_type(data_type(column.dtype)))
        }
    }
}

fn primitive<T: ArrowPrimitiveType>(values: impl Iterator<Item = Option<T::Native>>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_iter(values))
}

/// A value as DataFusion's literal.
pub(crate) fn literal(value: Option<Scalar>, dtype: DType) -> Result<ScalarValue> {
    let column = ColumnData::from_scalars(dtype.nullable(), [value]);
    ScalarValue::try_from_array(&array(&column), 0)
}

/// An array as a column of this type; the array must have the type that [`data_type`] says. Where the type allows no
/// nulls but the array has some, the column has them too, so that a comparison finds them.
pub(crate) fn column(array: &dyn Array, ty: Type) -> ColumnData {
    let nullable = ty.nullable || array.null_count() > 0;
    let values = (0..array.len()).map(|row| array.is_valid(row).then(|| scalar(array, row, ty.dtype)));
    ColumnData::from_scalars(Type { nullable, ..ty }, values)
}

fn scalar(array: &dyn Array, row: usize, dtype: DType) -> Scalar {
    let value = match dtype {
        DType::Bool => Scalar::Bool(array.as_boolean().value(row)),
        DType::I8 => Scalar::I8(array.as_primitive::<Int8Type>().value(row)),
        DType::I16 => Scalar::I16(array.as_primitive::<Int16Type>().value(row)),
        DType::I32 => Scalar::I32(array.as_primitive::<Int32Type>().value(row)),
        DType::I64 => Scalar::I64(array.as_primitive::<Int64Type>().value(row)),
        DType::U8 => Scalar::U8(array.as_primitive::<UInt8Type>().value(row)),
        DType::U16 => Scalar::U16(array.as_primitive::<UInt16Type>().value(row)),
        DType::U32 | DType::Dict(_) => Scalar::U32(array.as_primitive::<UInt32Type>().value(row)),
        DType::U64 | DType::Opaque => Scalar::U64(array.as_primitive::<UInt64Type>().value(row)),
        DType::F32 => Scalar::F32(array.as_primitive::<Float32Type>().value(row)),
        DType::F64 => Scalar::F64(array.as_primitive::<Float64Type>().value(row)),
        DType::Date32 => Scalar::I32(array.as_primitive::<Date32Type>().value(row)),
        DType::Timestamp => Scalar::I64(array.as_primitive::<TimestampMicrosecondType>().value(row)),
        DType::Decimal { .. } => {
            let value = array.as_primitive::<Decimal128Type>().value(row);
            // A value of too many digits stays as it is, and differs from everything.
            Scalar::from_integer(dtype.repr(), value).unwrap_or(Scalar::I128(value))
        }
    };
    value.canonical()
}
