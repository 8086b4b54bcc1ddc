//! [`PlanRows`]: the result of a plan as record batches named by the plan's schema: one that shares the session's
//! memory, or several of bounded size that own theirs.

use crate::data::arrow::{TimeZone, array_of, arrow_type, copied_array};
use crate::data::output::Output;
use crate::error::{Error, Result};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, SchemaRef};
use pointsman_ir::types::{DType, Schema};
use std::fmt;
use std::sync::Arc;

/// The maximum number of rows of a batch that [`PlanRows::batches`] gives.
const BATCH_ROWS: usize = 1 << 16;

/// The rows that a plan gave, with the names and types of its last node.
///
/// They count against the session's memory until they are dropped, and so does the batch of [`PlanRows::into_batch`],
/// which shares them. The batches of [`PlanRows::batches`] do not.
pub struct PlanRows {
    output: Output,
    schema: SchemaRef,
}

impl PlanRows {
    pub(super) fn new(output: Output, schema: SchemaRef) -> PlanRows {
        PlanRows { output, schema }
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.output.rows
    }

    /// All rows as one record batch. Nothing is copied but booleans and decimals of up to 18 digits.
    pub fn into_batch(mut self) -> Result<RecordBatch> {
        let columns = self.output.columns.drain(..).zip(self.schema.fields());
        let arrays = columns.map(|(column, field)| array_of(column, field.data_type())).collect::<Result<_>>()?;
        batch(&self.schema, arrays, self.output.rows)
    }

    /// The rows as record batches of at most 65,536 rows, each copied when the iterator reaches it. They do not count
    /// against the session's memory; the rows themselves do until the iterator is dropped. A result without rows gives
    /// no batch.
    pub fn batches(self) -> PlanBatches {
        self.batches_of(BATCH_ROWS)
    }

    /// The rows as record batches of at most `rows` rows (at least one).
    pub fn batches_of(self, rows: usize) -> PlanBatches {
        PlanBatches { rows: self, next: 0, size: rows.max(1) }
    }
}

impl fmt::Debug for PlanRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlanRows({} rows of {} columns)", self.num_rows(), self.schema.fields().len())
    }
}

/// The rows of a plan as record batches of bounded size. See [`PlanRows::batches`].
#[derive(Debug)]
pub struct PlanBatches {
    rows: PlanRows,
    next: usize,
    size: usize,
}

impl PlanBatches {
    /// The names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }
}

impl Iterator for PlanBatches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        let all = self.rows.num_rows();
        if self.next >= all {
            return None;
        }
        let range = self.next..all.min(self.next.saturating_add(self.size));
        self.next = range.end;
        let columns = self.rows.output.columns.iter().zip(self.rows.schema.fields());
        let arrays = columns.map(|(column, field)| copied_array(column, range.clone(), field.data_type()));
        Some(arrays.collect::<Result<_>>().and_then(|arrays| batch(&self.rows.schema, arrays, range.len())))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.rows.num_rows() - self.next.min(self.rows.num_rows())).div_ceil(self.size);
        (left, Some(left))
    }
}

impl ExactSizeIterator for PlanBatches {}

fn batch(schema: &SchemaRef, arrays: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema.clone(), arrays, &options).map_err(Error::internal)
}

/// The Arrow schema of a plan's result. `zones` has the time zone of each column, or is empty.
pub(super) fn result_schema(schema: &Schema, zones: &[Option<TimeZone>]) -> Result<SchemaRef> {
    let field = |(number, field): (usize, &pointsman_ir::types::Field)| {
        let zone = zones.get(number).cloned().flatten();
        let arrow = arrow_type(field.ty.dtype, zone).ok_or_else(|| unreadable(&field.name, field.ty.dtype))?;
        Ok(Field::new(&field.name, arrow, field.ty.nullable))
    };
    let fields: Vec<Field> = schema.fields.iter().enumerate().map(field).collect::<Result<_>>()?;
    Ok(Arc::new(arrow_schema::Schema::new(fields)))
}

fn unreadable(name: &str, dtype: DType) -> Error {
    Error::unsupported(format!(
        "column `{name}` of the plan's result is `{dtype}`, which has no Arrow type yet: leave it out"
    ))
}
