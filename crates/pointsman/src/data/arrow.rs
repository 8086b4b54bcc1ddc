//! Conversion to and from Arrow: types, columns to arrays without a copy, and arrays to columns.

use crate::data::chunks::host_chunk;
use crate::data::column::{Column, ColumnMemory};
use crate::data::element::Element;
use crate::data::memory::Pooled;
use crate::data::output::ResultColumn;
use crate::error::{Error, Result};
use arrow_array::types::{self, ArrowPrimitiveType};
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use bytes::Bytes;
use pointsman_device::host::{Bits, BoolLayout, HostChunk};
use pointsman_ir::types::{DECIMAL_DIGITS_64, DType, Repr};
use std::ops::Range;
use std::sync::Arc;

/// An Arrow type whose values a column can hold unchanged. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "a query cannot read Arrow arrays of `{Self}`",
    note = "it reads Int8 to Int64, UInt8 to UInt64, Float32, Float64, Boolean, Date32 and Timestamp arrays in microseconds: cast the array in Arrow, for example to `TimestampMicrosecondType`"
)]
pub trait ArrowElement: ArrowPrimitiveType {
    /// The element type of the column.
    type Element: Element;
}

/// The match on a type of Arrow arrays that queries read: `$primitive!` takes the type of a primitive array.
macro_rules! by_arrow_type {
    ($arrow:expr, $boolean:expr, $primitive:ident, $other:expr) => {
        match $arrow {
            DataType::Boolean => $boolean,
            DataType::Int8 => $primitive!(Int8Type),
            DataType::Int16 => $primitive!(Int16Type),
            DataType::Int32 => $primitive!(Int32Type),
            DataType::Int64 => $primitive!(Int64Type),
            DataType::UInt8 => $primitive!(UInt8Type),
            DataType::UInt16 => $primitive!(UInt16Type),
            DataType::UInt32 => $primitive!(UInt32Type),
            DataType::UInt64 => $primitive!(UInt64Type),
            DataType::Float32 => $primitive!(Float32Type),
            DataType::Float64 => $primitive!(Float64Type),
            DataType::Date32 => $primitive!(Date32Type),
            DataType::Timestamp(TimeUnit::Microsecond, _) => $primitive!(TimestampMicrosecondType),
            DataType::Decimal128(_, _) => $primitive!(Decimal128Type),
            _ => $other,
        }
    };
}

pub(crate) use by_arrow_type;

/// The type in plans for an Arrow type; `None` for types that queries cannot read.
///
/// Narrow decimals become wide ones: Arrow holds every `Decimal128` in 16 bytes, and so do decimals of 19 digits and
/// more.
pub(crate) fn dtype_of(arrow: &DataType) -> Option<DType> {
    if let DataType::Decimal128(precision, scale) = arrow {
        return DType::decimal((*precision).max(DECIMAL_DIGITS_64 + 1), u8::try_from(*scale).ok()?);
    }
    macro_rules! dtype {
        (Decimal128Type) => {
            None
        };
        ($arrow:ident) => {
            Some(<<types::$arrow as ArrowElement>::Element as Element>::DTYPE)
        };
    }
    by_arrow_type!(arrow, Some(DType::Bool), dtype, None)
}

/// The Arrow type for a type in plans; `None` for a decimal of a scale that Arrow does not have.
pub(crate) fn arrow_type(dtype: DType, zone: Option<TimeZone>) -> Option<DataType> {
    match dtype {
        DType::Bool => Some(DataType::Boolean),
        DType::I8 => Some(DataType::Int8),
        DType::I16 => Some(DataType::Int16),
        DType::I32 => Some(DataType::Int32),
        DType::I64 => Some(DataType::Int64),
        DType::U8 => Some(DataType::UInt8),
        DType::U16 => Some(DataType::UInt16),
        DType::U32 => Some(DataType::UInt32),
        DType::U64 => Some(DataType::UInt64),
        DType::F32 => Some(DataType::Float32),
        DType::F64 => Some(DataType::Float64),
        DType::Date32 => Some(DataType::Date32),
        DType::Timestamp => Some(DataType::Timestamp(TimeUnit::Microsecond, zone)),
        DType::Decimal { precision, scale } => Some(DataType::Decimal128(precision, i8::try_from(scale).ok()?)),
        // Codes and numbers, unchanged.
        DType::Dict(_) => Some(DataType::UInt32),
        DType::Opaque => Some(DataType::UInt64),
    }
}

/// The name of a time zone.
pub(crate) type TimeZone = Arc<str>;

/// The time zone of an Arrow type.
pub(crate) fn zone_of(arrow: &DataType) -> Option<TimeZone> {
    match arrow {
        DataType::Timestamp(_, zone) => zone.clone(),
        _ => None,
    }
}

/// The bytes of a column, owned by an Arrow buffer.
struct ArrowOwner<T> {
    memory: ColumnMemory<T>,
    len: usize,
}

impl<T: Element> AsRef<[u8]> for ArrowOwner<T> {
    fn as_ref(&self) -> &[u8] {
        self.memory.bytes(self.len)
    }
}

/// The memory of a column as an Arrow buffer. Empty memory may be unaligned, which Arrow rejects.
fn share<T: Element>(memory: &ColumnMemory<T>, len: usize) -> Buffer {
    if len == 0 {
        return Buffer::from_vec(Vec::<i128>::new());
    }
    Buffer::from(Bytes::from_owner(ArrowOwner { memory: memory.clone(), len }))
}

fn null_buffer<T: Element>(column: &Column<T>) -> Option<NullBuffer> {
    let valid = column.bitmap_memory()?;
    Some(NullBuffer::new(BooleanBuffer::new(share(valid, column.len().div_ceil(8)), 0, column.len())))
}

/// A column as an Arrow array that shares its memory.
pub(crate) fn primitive<T: Element, A: ArrowPrimitiveType>(column: &Column<T>) -> PrimitiveArray<A> {
    let values = ScalarBuffer::new(share(&column.values, column.len()), 0, column.len());
    let array = PrimitiveArray::new(values, null_buffer(column));
    match (column.zone(), &A::DATA_TYPE) {
        (Some(zone), DataType::Timestamp(unit, _)) => {
            array.with_data_type(DataType::Timestamp(*unit, Some(zone.clone())))
        }
        _ => array,
    }
}

/// A column of booleans as an Arrow array, packed into bits.
pub(crate) fn booleans(column: &Column<bool>) -> BooleanArray {
    BooleanArray::new(BooleanBuffer::from(&column[..]), null_buffer(column))
}

/// The validity bitmap of an Arrow array, if it has nulls.
pub(crate) fn validity(nulls: Option<&NullBuffer>) -> Option<Bits<'_>> {
    let bits = nulls.filter(|nulls| nulls.null_count() > 0)?.inner();
    Some(Bits { bytes: bits.values(), offset: bits.offset() })
}

impl<A: ArrowElement> From<&PrimitiveArray<A>> for Column<A::Element> {
    /// Copies the values; null slots become zero. A time zone is kept.
    fn from(array: &PrimitiveArray<A>) -> Self {
        let values: &[A::Element] = bytemuck::checked::cast_slice(array.values().inner().as_slice());
        let mut column = match array.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => Column::from(values),
            Some(nulls) => Column::from_options((0..array.len()).map(|row| nulls.is_valid(row).then(|| values[row]))),
        };
        column.set_zone(zone_of(array.data_type()));
        column
    }
}

impl From<&BooleanArray> for Column<bool> {
    /// Copies the values; null slots become false.
    fn from(array: &BooleanArray) -> Self {
        Column::from_options(array.iter())
    }
}

/// A result as an array of this Arrow type, which must have the layout of the result.
pub(crate) fn array_of(result: ResultColumn, arrow: &DataType) -> Result<ArrayRef> {
    let rows = result.rows;
    if is_narrow(&result, arrow) {
        return copied_array(&result, 0..rows, arrow);
    }
    let nulls = result.valid.map(|valid| NullBuffer::new(BooleanBuffer::new(pooled(valid, rows.div_ceil(8)), 0, rows)));
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    macro_rules! primitive {
        ($arrow:ident) => {{
            let size = size_of::<<types::$arrow as ArrowPrimitiveType>::Native>();
            let values = ScalarBuffer::new(pooled(result.values, rows * size), 0, rows);
            Arc::new(PrimitiveArray::<types::$arrow>::new(values, nulls).with_data_type(arrow.clone()))
        }};
    }
    let boolean = |nulls| {
        let bits = BooleanBuffer::collect_bool(rows, |row| result.values[row] != 0);
        Arc::new(BooleanArray::new(bits, nulls))
    };
    let unknown = || Error::internal(format!("a result became a column of {arrow}"));
    Ok(by_arrow_type!(arrow, boolean(nulls), primitive, return Err(unknown())))
}

/// Some rows of a result as an array of this Arrow type, in newly allocated memory.
pub(crate) fn copied_array(result: &ResultColumn, rows: Range<usize>, arrow: &DataType) -> Result<ArrayRef> {
    let bits = |valid: &Pooled| {
        let bits = Bits { bytes: valid, offset: rows.start };
        NullBuffer::new(BooleanBuffer::collect_bool(rows.len(), |row| bits.get(row)))
    };
    let nulls = result.valid.as_ref().map(bits).filter(|nulls| nulls.null_count() > 0);
    if is_narrow(result, arrow) {
        return Ok(widened(result, rows, nulls, arrow));
    }
    macro_rules! primitive {
        ($arrow:ident) => {{
            let size = size_of::<<types::$arrow as ArrowPrimitiveType>::Native>();
            let values = Buffer::from(&result.values[rows.start * size..rows.end * size]);
            let values = ScalarBuffer::new(values, 0, rows.len());
            Arc::new(PrimitiveArray::<types::$arrow>::new(values, nulls).with_data_type(arrow.clone()))
        }};
    }
    let boolean = |nulls| {
        let bits = BooleanBuffer::collect_bool(rows.len(), |row| result.values[rows.start + row] != 0);
        Arc::new(BooleanArray::new(bits, nulls))
    };
    let unknown = || Error::internal(format!("a result became a column of {arrow}"));
    Ok(by_arrow_type!(arrow, boolean(nulls), primitive, return Err(unknown())))
}

/// Whether a result has decimals of 8 bytes, which Arrow holds in 16.
fn is_narrow(result: &ResultColumn, arrow: &DataType) -> bool {
    matches!(arrow, DataType::Decimal128(..)) && result.ty.dtype.repr() == Repr::I64
}

/// Some rows of decimals of 8 bytes, as Arrow holds them.
fn widened(result: &ResultColumn, rows: Range<usize>, nulls: Option<NullBuffer>, arrow: &DataType) -> ArrayRef {
    let narrow = result.values[rows.start * 8..rows.end * 8].as_chunks::<8>().0.iter();
    let values: Vec<i128> = narrow.map(|bytes| i64::from_le_bytes(*bytes).into()).collect();
    Arc::new(PrimitiveArray::<types::Decimal128Type>::new(values.into(), nulls).with_data_type(arrow.clone()))
}

/// Pooled memory as an Arrow buffer.
fn pooled(memory: Pooled, len: usize) -> Buffer {
    share(&ColumnMemory::<u8>::Pooled(memory.into_shared()), len)
}

/// A primitive Arrow array as a device reads it.
pub(crate) fn primitive_chunk<A: arrow_array::ArrowPrimitiveType>(array: &PrimitiveArray<A>) -> HostChunk<'_> {
    host_chunk(array.values().inner().as_slice(), validity(array.nulls()), array.len())
}

/// A boolean Arrow array as a device reads it.
pub(crate) fn boolean_chunk(array: &BooleanArray) -> HostChunk<'_> {
    HostChunk {
        values: array.values().values(),
        bools: BoolLayout::Bits,
        bit_offset: array.values().offset(),
        validity: validity(array.nulls()),
        rows: array.len(),
    }
}
