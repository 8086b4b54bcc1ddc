//! The result of a query: columns in pooled memory, read in the shape that the closure returned.

use crate::data::arrow::{TimeZone, array_of, arrow_type};
use crate::data::bitmap::append_bits;
use crate::data::chunks::host_chunk;
use crate::data::column::{Column, ones};
use crate::data::element::Element;
use crate::data::identity::SharedIdentity;
use crate::data::memory::{InlineVec, Pool, Pooled};
use crate::data::source_field::{SourceField, unreadable};
use crate::error::{Error, Result};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use pointsman_device::host::{Bits, BoolLayout, HostChunk};
use pointsman_ir::types::{Repr, Scalar, Type};
use std::mem::take;
use std::sync::Arc;

/// A column of a result. Booleans take one byte each.
pub(crate) struct ResultColumn {
    pub(crate) ty: Type,
    pub(crate) rows: usize,
    pub(crate) values: Pooled,
    pub(crate) valid: Option<Pooled>,
    /// Set if the device that wrote the column keeps it.
    pub(crate) identity: Option<Arc<SharedIdentity>>,
}

impl ResultColumn {
    /// A column of `rows` rows whose memory is not allocated yet.
    pub(crate) fn empty(ty: Type, rows: usize) -> ResultColumn {
        ResultColumn { ty, rows, values: Pooled::default(), valid: None, identity: None }
    }

    /// Allocates the validity bitmap, if it is nullable, and the values, unless the caller has memory for them.
    #[inline]
    pub(crate) fn allocate(&mut self, caller_values: Option<&[u8]>, pool: &Pool) -> Result<()> {
        if caller_values.is_none() {
            // An overflow saturates, and the pool refuses the size.
            pool.fill(&mut self.values, self.rows.saturating_mul(self.ty.dtype.repr().bytes()))?;
        }
        if self.ty.nullable {
            pool.fill(self.valid.insert(Pooled::default()), self.rows.div_ceil(8))?;
        }
        Ok(())
    }

    /// Moves the column out; its memory is gone, its type and number of rows stay.
    fn take(&mut self) -> ResultColumn {
        let (values, valid, identity) = (take(&mut self.values), self.valid.take(), self.identity.take());
        ResultColumn { ty: self.ty, rows: self.rows, values, valid, identity }
    }

    /// The column as a device reads it.
    pub(crate) fn chunk(&self) -> HostChunk<'_> {
        self.chunk_with(&self.values[..self.rows * self.ty.dtype.repr().bytes()])
    }

    /// The column as a device reads it, with these `values` instead of its own.
    pub(crate) fn chunk_with<'a>(&'a self, values: &'a [u8]) -> HostChunk<'a> {
        let validity = self.valid.as_ref().map(|valid| Bits { bytes: &valid[..self.rows.div_ceil(8)], offset: 0 });
        host_chunk(values, validity, self.rows)
    }

    /// Copies the rows of a chunk to its rows from this one on.
    pub(crate) fn put(&mut self, row: usize, chunk: HostChunk<'_>) {
        let size = self.ty.dtype.repr().bytes();
        self.values[row * size..][..chunk.values.len()].copy_from_slice(chunk.values);
        if let (Some(valid), Some(bits)) = (&mut self.valid, chunk.validity) {
            append_bits(valid, row, bits, chunk.rows);
        }
    }
}

/// Bytes of `rows` rows of these types, with their bitmaps. Sums beyond the address space saturate.
pub(crate) fn output_bytes(types: &[Type], rows: usize) -> usize {
    types.iter().map(|&ty| column_bytes(ty, rows)).fold(0, usize::saturating_add)
}

/// Bytes of `rows` values with their bitmap.
#[inline]
pub(crate) fn column_bytes(ty: Type, rows: usize) -> usize {
    let bitmap = if ty.nullable { rows.div_ceil(8) } else { 0 };
    rows.saturating_mul(ty.dtype.repr().bytes()).saturating_add(bitmap)
}

/// The value in a row of chunks; `None` is null.
pub(crate) fn cell(pieces: &[HostChunk<'_>], mut row: usize, ty: Type) -> Option<Scalar> {
    let piece = pieces.iter().find(|piece| {
        let is_here = row < piece.rows;
        row -= if is_here { 0 } else { piece.rows };
        is_here
    })?;
    if piece.validity.is_some_and(|bits| !bits.get(row)) {
        return None;
    }
    let repr = ty.dtype.repr();
    if repr == Repr::Bool && piece.bools == BoolLayout::Bits {
        return Some(Scalar::Bool(Bits { bytes: piece.values, offset: piece.bit_offset }.get(row)));
    }
    let size = repr.bytes();
    let mut bits = [0u8; 16];
    bits[..size].copy_from_slice(&piece.values[row * size..(row + 1) * size]);
    Some(Scalar::from_bits(repr, u128::from_le_bytes(bits)))
}

/// The output of a stage. Up to eight columns are stored without allocating.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) columns: InlineVec<ResultColumn>,
    pub(crate) rows: usize,
}

impl Output {
    /// The rows with the values of the only column in the caller's memory.
    pub(crate) fn written_to(mut self, values: &mut [u8]) -> Result<Output> {
        let rows = self.rows;
        let Some(column) = self.columns.first_mut() else { return Ok(self) };
        let size = column.ty.dtype.repr().bytes();
        let (bytes, room) = (rows * size, values.len() / size);
        let target = values.get_mut(..bytes).ok_or_else(|| {
            Error::invalid(format!(
                "the result has {rows} values, but the slice has room for {room}: give a longer one"
            ))
        })?;
        target.copy_from_slice(&column.values[..bytes]);
        column.values = Pooled::default();
        Ok(self)
    }

    /// Adds columns of these types with memory for `rows` rows. With `caller_values`, there is only one column, and its
    /// values are written to the caller's memory.
    #[inline]
    pub(crate) fn allocate(
        &mut self,
        types: &[Type],
        rows: usize,
        caller_values: Option<&[u8]>,
        pool: &Pool,
    ) -> Result<()> {
        debug_assert!(caller_values.is_none() || types.len() == 1, "the caller has memory for one column");
        let before = self.columns.len();
        types.iter().for_each(|&ty| self.columns.push(ResultColumn::empty(ty, rows)));
        self.columns[before..].iter_mut().try_for_each(|column| column.allocate(caller_values, pool))
    }

    /// Sets the number of rows that were written.
    #[inline]
    pub(crate) fn set_rows(&mut self, rows: usize) {
        self.rows = rows;
        self.columns.iter_mut().for_each(|column| column.rows = rows);
    }
}

/// The columns of a result, read one after the other.
pub struct Results {
    pub(crate) output: Output,
    /// The position of the next column.
    read: usize,
    /// The columns of the source, for results that are record batches.
    fields: Option<Arc<Vec<SourceField>>>,
    /// The time zones of the columns; empty if no column has one.
    pub(crate) zones: Vec<Option<TimeZone>>,
}

impl Results {
    /// An empty result.
    pub(crate) fn new() -> Results {
        Results { output: Output::default(), read: 0, fields: None, zones: Vec::new() }
    }

    /// An empty result of a query over a source with these fields.
    pub(crate) fn of_source(fields: Arc<Vec<SourceField>>) -> Results {
        Results { fields: Some(fields), ..Results::new() }
    }

    /// Clears the output of a failed run.
    pub(crate) fn clear(&mut self) {
        self.output = Output::default();
    }

    fn next(&mut self) -> Result<&mut ResultColumn> {
        self.read += 1;
        let column = self.output.columns.get_mut(self.read - 1);
        column.ok_or_else(|| Error::internal("a query gave too few columns"))
    }

    /// The number of rows and nulls of the next column.
    pub(crate) fn peek(&self) -> Result<(usize, usize)> {
        let column = self.output.columns.get(self.read).ok_or_else(|| Error::internal("a query gave no column"))?;
        let valid = column.valid.as_ref().map_or(column.rows, |valid| ones(valid, column.rows));
        Ok((column.rows, column.rows - valid))
    }

    /// The next column.
    pub(crate) fn column<T: Element>(&mut self) -> Result<Column<T>> {
        let column = self.next()?;
        if column.ty.dtype != T::DTYPE {
            return Err(Error::internal(format!("a column of {} came as {}", T::DTYPE, column.ty)));
        }
        let column = column.take();
        Column::from_result(column, self.zones.get(self.read - 1).cloned().flatten())
    }

    /// The only value of the next column; `None` is null.
    pub(crate) fn any_scalar(&mut self) -> Result<Option<Scalar>> {
        let column = self.next()?;
        Ok(cell(&[column.chunk()], 0, column.ty))
    }

    /// The only value of the next column, which holds `T`; `None` is null.
    pub(crate) fn scalar<T: Element>(&mut self) -> Result<Option<T>> {
        let column = self.next()?;
        if column.ty.dtype.repr() != T::DTYPE.repr() {
            return Err(Error::internal(format!("a value of {} came as {}", T::DTYPE, column.ty)));
        }
        if column.rows == 0 || column.valid.as_ref().is_some_and(|valid| valid[0] & 1 == 0) {
            return Ok(None);
        }
        let value = bytemuck::checked::try_pod_read_unaligned(&column.values[..size_of::<T>()]);
        value.map(Some).map_err(|error| Error::internal(format!("a device wrote a wrong value: {error}")))
    }

    /// All columns as a record batch with these names.
    pub(crate) fn named_batch(&mut self, names: &[&str]) -> Result<RecordBatch> {
        let fields = names.iter().zip(&self.output.columns).enumerate().map(|(number, (name, column))| {
            let zone = self.zones.get(number).cloned().flatten();
            let arrow = arrow_type(column.ty.dtype, zone);
            let arrow =
                arrow.ok_or_else(|| Error::unsupported(format!("Arrow has no type for {}", column.ty.dtype)))?;
            Ok(Field::new(*name, arrow, column.ty.nullable))
        });
        let fields: Vec<Field> = fields.collect::<Result<_>>()?;
        let columns = self.output.columns.iter_mut().zip(&fields);
        let arrays: Result<Vec<ArrayRef>> =
            columns.map(|(column, field)| array_of(column.take(), field.data_type())).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.output.rows));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays?, &options).map_err(Error::internal)
    }

    /// The next columns as a record batch of these fields of the source.
    pub(crate) fn batch(&mut self, first: usize, count: usize) -> Result<RecordBatch> {
        let fields = self.fields.as_ref().and_then(|fields| fields.get(first..first + count));
        let fields = fields.ok_or_else(|| Error::internal("a batch without the fields of its source"))?.to_vec();
        if let Some(error) = unreadable(&fields) {
            return Err(error);
        }
        let columns = self.output.columns.get(self.read..).unwrap_or(&[]);
        // A join may have added nulls that the field of the source does not allow.
        let arrow = fields.iter().filter_map(|field| field.arrow.clone()).zip(columns).map(|(field, column)| {
            let is_kept = field.is_nullable() || !column.ty.nullable;
            if is_kept { field } else { Arc::new(field.as_ref().clone().with_nullable(true)) }
        });
        let arrow: Vec<_> = arrow.collect();
        let arrays = arrow.iter().map(|field| array_of(self.next()?.take(), field.data_type()));
        let arrays: Vec<ArrayRef> = arrays.collect::<Result<_>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(self.output.rows));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(arrow)), arrays, &options).map_err(Error::internal)
    }
}
