//! Record batches as sources: rows whose columns have names, and whole rows as results.
//!
//! Several batches are read in place, one chunk per batch; nothing is concatenated.

use crate::data::arrow::{boolean_chunk, by_arrow_type, dtype_of, primitive_chunk, zone_of};
use crate::data::column::chunk_of;
use crate::data::element::{Element, rust_name};
use crate::data::input::{Input, OwnedValues};
use crate::data::output::Results;
use crate::data::source_field::SourceField;
use crate::error::{CallSite, Error, Result};
use crate::query::arguments::{ArgumentList, InputValue};
use crate::query::build::{self, Handle, PlanBuilder};
use crate::query::expr::Expr;
use crate::query::source::{Opener, Source};
use crate::query::steps::{Binder, Part, ProjectStep, ResultParts};
use crate::query::values::{ClosureResult, Values};
use crate::text::listed;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, types};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use pointsman_device::host::HostChunk;
use pointsman_ir::plan::{NodeId, SourceId};
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// A row of a record batch, with its columns by name. A closure that returns the row itself makes the result a record
/// batch.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let s = pointsman::Session::open()?;
/// let price: ArrayRef = Arc::new(Float64Array::from(vec![1.5, 2.0, 4.0]));
/// let store: ArrayRef = Arc::new(Int64Array::from(vec![7, 8, 7]));
/// let trades = RecordBatch::try_from_iter([("price", price), ("store", store)])?;
/// let seven = s.from(&trades).filter(|row| row.col::<i64>("store").eq(7));
/// assert_eq!(seven.run()?.num_rows(), 2);
/// let total = s.from(&trades).map(|row| row.col::<f64>("price")).sum()?;
/// assert_eq!(total, 7.5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Identifies the query that it belongs to.
    owner: Handle,
    /// The node whose output it is.
    node: NodeId,
    /// The position of its first column there.
    base: u32,
    /// Its fields among the source's: the first, and how many.
    fields: (u32, u32),
    /// The source's column of its first readable field, and how many are readable.
    columns: (u32, u32),
    /// Whether the source has a schema: a list of no batches has none.
    has_schema: bool,
}

impl Columns {
    /// The column of this name. A name that is missing or ambiguous, or a column that does not hold `T`, is an error of
    /// the query that lists the columns.
    #[track_caller]
    pub fn col<T: Element>(&self, name: &str) -> Expr<T> {
        let at = Location::caller();
        Expr::new(build::append(at, |builder| match self.find::<T>(builder, name) {
            Ok(index) => {
                let owner_is_wrong = builder.value(self.owner, at).is_none() && builder.has_failed();
                if owner_is_wrong { builder.poisoned() } else { builder.column_of(self.node, index, at) }
            }
            Err(error) => {
                builder.fail(error, at);
                builder.poisoned()
            }
        }))
    }

    /// The position of a column in its node.
    fn find<T: Element>(&self, builder: &PlanBuilder, name: &str) -> Result<u32> {
        if !builder.owns(self.owner) {
            return Ok(0); // The caller checks the owner and reports it.
        }
        if !builder.reads(self.node) {
            return Err(earlier_row());
        }
        let (first, count) = (self.fields.0 as usize, self.fields.1 as usize);
        let fields = &builder.fields[first..first + count];
        let mut named = fields.iter().filter(|field| field.name == name);
        let Some(field) = named.next() else {
            if !self.has_schema {
                return Err(Error::invalid(format!(
                    "there is no column `{name}`: the source is a list of no record batches, and so it has no schema; \
                     give it one batch without rows, `RecordBatch::new_empty(schema)`"
                )));
            }
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            return Err(Error::invalid(format!("there is no column `{name}`; the columns are {}", listed(&names))));
        };
        if named.next().is_some() {
            return Err(Error::invalid(format!("several columns are named `{name}`: rename all but one of them")));
        }
        match field.column {
            Some(column) if field.dtype == T::DTYPE => Ok(self.base + column - self.columns.0),
            _ => Err(match rust_name(field.dtype) {
                None => Error::unsupported(field.unreadable_values()),
                Some(own) => Error::invalid(format!(
                    "column `{name}` holds {} values, not {}: read it as `col::<{own}>(\"{name}\")`, and cast that",
                    field.dtype,
                    T::DTYPE
                )),
            }),
        }
    }
}

/// A row outlived its step.
fn earlier_row() -> Error {
    Error::invalid("a row of an earlier step of the query cannot be used in this one: use the row the closure is given")
}

impl ClosureResult for Columns {
    type Step = ProjectStep;
    type Out = RecordBatch;

    fn gather(&self, parts: &mut ResultParts) {
        let at = Location::caller();
        for index in self.base..self.base + self.columns.1 {
            let value = build::append(at, |builder| {
                if !builder.owns(self.owner) {
                    return self.owner; // Its use reports the wrong owner.
                }
                if !builder.reads(self.node) {
                    builder.fail(earlier_row(), at);
                }
                builder.column_of(self.node, index, at)
            });
            parts.0.push(Part::Column(value));
        }
    }

    fn take(&self, results: &mut Results) -> Result<RecordBatch> {
        results.batch(self.fields.0 as usize, self.fields.1 as usize)
    }
}

impl Values for Columns {
    fn bind(&self, binder: &mut Binder) -> Self {
        let base = binder.skip(self.columns.1);
        let of = binder.of();
        let bound = build::with_open(|builder| (builder.poisoned(), of.unwrap_or(builder.plan.root())));
        let (owner, node) = bound.unwrap_or((self.owner, self.node));
        let fields = (self.fields.0 + binder.first_field, self.fields.1);
        binder.fields.push(fields);
        Columns { base, owner, node, fields, ..*self }
    }
}

impl<'a> Source<'a> for &'a RecordBatch {
    type Row = Columns;

    fn open(self, opener: &mut Opener<'a>) -> Columns {
        std::slice::from_ref(self).open(opener)
    }
}

impl<'a> Source<'a> for &'a Vec<RecordBatch> {
    type Row = Columns;

    fn open(self, opener: &mut Opener<'a>) -> Columns {
        self.as_slice().open(opener)
    }
}

impl<'a> Source<'a> for &'a [RecordBatch] {
    type Row = Columns;

    fn open(self, opener: &mut Opener<'a>) -> Columns {
        let (first_field, first_column) = (opener.builder.fields.len() as u32, opener.columns());
        if let Err(error) = same_schema(self) {
            opener.builder.fail(error, opener.at);
        } else {
            opener.check_rows(self.iter().map(RecordBatch::num_rows).sum());
            let width = self.first().map_or(0, RecordBatch::num_columns);
            (0..width).for_each(|index| open_column(self, index, opener));
        }
        Columns { has_schema: !self.is_empty(), ..row_of(opener, first_field, first_column) }
    }
}

impl<'a> Source<'a> for RecordBatch {
    type Row = Columns;

    fn open(self, opener: &mut Opener<'a>) -> Columns {
        let (first_field, first_column) = (opener.builder.fields.len() as u32, opener.columns());
        opener.check_rows(self.num_rows());
        for (field, array) in self.schema_ref().fields().iter().zip(self.columns()) {
            let owned = |chunk: HostChunk<'_>| (chunk.validity.is_some(), Input::Owned(Arc::new(array.clone())));
            let input = chunk(array).map(owned);
            declare(field.clone(), input, opener);
        }
        row_of(opener, first_field, first_column)
    }
}

/// A column of a record batch that the query owns; of a type that queries read.
impl OwnedValues for ArrayRef {
    fn chunk(&self) -> HostChunk<'_> {
        chunk(self).expect("it was read when the query was opened")
    }
}

/// An Arrow array whose type is known at run time only, as a source of `T` values. [`array_of`] makes one.
#[must_use = "a source does nothing until a query reads it"]
pub struct ArrayOf<'a, T> {
    array: &'a dyn Array,
    marker: PhantomData<fn() -> T>,
}

/// The values of an Arrow array whose type is known at run time only, such as an `ArrayRef`, as the source of a query. An
/// array of another type is an error of the query.
///
/// ```
/// use pointsman::array_of;
/// use pointsman::arrow::array::{ArrayRef, Int64Array};
/// # use std::sync::Arc;
///
/// # fn main() -> pointsman::Result<()> {
/// # let s = pointsman::Session::open()?;
/// let array: ArrayRef = Arc::new(Int64Array::from(vec![Some(2), None, Some(5)]));
/// assert_eq!(s.from(array_of::<i64>(&array)).sum()?, 7);
/// assert!(s.from(array_of::<f64>(&array)).sum().is_err());
/// # Ok(())
/// # }
/// ```
#[doc(alias = "downcast")]
pub fn array_of<T: Element>(array: &dyn Array) -> ArrayOf<'_, T> {
    ArrayOf { array, marker: PhantomData }
}

impl<'a, T: Element> ArrayOf<'a, T> {
    /// The values; an error if they are not of the type.
    fn chunk(&self) -> Result<HostChunk<'a>> {
        let arrow = self.array.data_type();
        let own = dtype_of(arrow);
        if own == Some(T::DTYPE)
            && let Some(chunk) = chunk(self.array)
        {
            return Ok(chunk);
        }
        let name = |dtype| rust_name(dtype).map_or(String::new(), |own| format!(": read it as `array_of::<{own}>`"));
        let remedy = own.map(name).unwrap_or_else(|| ", which queries cannot read: cast it in Arrow".to_string());
        Err(Error::invalid(format!("the array holds {arrow} values, not {}{remedy}", T::DTYPE)))
    }
}

impl<'a, T: Element> Source<'a> for ArrayOf<'a, T> {
    type Row = Expr<T>;

    fn open(self, opener: &mut Opener<'a>) -> Expr<T> {
        let chunk = self.chunk().unwrap_or_else(|error| {
            opener.builder.fail(error, opener.at);
            chunk_of::<T>(&[])
        });
        opener.typed(chunk.validity.is_some(), zone_of(self.array.data_type()), Input::One(chunk))
    }
}

impl<'a, T: Element> InputValue<'a, Expr<T>> for ArrayOf<'a, T> {
    fn give(self, call: &mut ArgumentList<'a>) {
        match self.chunk() {
            Ok(chunk) => {
                call.column(chunk.validity.is_some(), zone_of(self.array.data_type()), Input::One(chunk));
            }
            Err(error) => call.fail(error),
        }
    }
}

impl<'a> InputValue<'a, Columns> for &'a RecordBatch {
    fn give(self, call: &mut ArgumentList<'a>) {
        std::slice::from_ref(self).give(call);
    }
}

impl<'a> InputValue<'a, Columns> for &'a Vec<RecordBatch> {
    fn give(self, call: &mut ArgumentList<'a>) {
        self.as_slice().give(call);
    }
}

impl<'a> InputValue<'a, Columns> for &'a [RecordBatch] {
    fn give(self, call: &mut ArgumentList<'a>) {
        if let Err(error) = same_schema(self) {
            return call.fail(error);
        }
        call.batches(self.first().map(RecordBatch::schema), self.iter().map(RecordBatch::num_rows).sum());
        for index in 0..self.first().map_or(0, RecordBatch::num_columns) {
            let chunks: Option<Vec<_>> = self.iter().map(|batch| chunk(batch.columns().get(index)?.as_ref())).collect();
            // Columns that no query reads are no inputs.
            if let Some(chunks) = chunks {
                let nullable = chunks.iter().any(|chunk| chunk.validity.is_some());
                let zone = zone_of(self[0].schema_ref().field(index).data_type());
                call.column(nullable, zone, Input::Many(chunks));
            }
        }
    }
}

impl InputValue<'static, Columns> for RecordBatch {
    fn give(self, call: &mut ArgumentList<'static>) {
        call.batches(Some(self.schema()), self.num_rows());
        for array in self.columns() {
            let zone = zone_of(array.data_type());
            if let Some(nullable) = chunk(array).map(|chunk| chunk.validity.is_some()) {
                call.column(nullable, zone, Input::Owned(Arc::new(array.clone())));
            }
        }
    }
}

impl Columns {
    /// The row of the record batches that a prepared query takes.
    pub(super) fn of_schema(builder: &PlanBuilder, at: CallSite) -> Columns {
        let readable = builder.fields.iter().filter(|field| field.column.is_some()).count() as u32;
        Columns {
            owner: Handle::unbound(at),
            node: NodeId(0),
            base: 0,
            fields: (0, builder.fields.len() as u32),
            columns: (0, readable),
            has_schema: true,
        }
    }
}

impl PlanBuilder {
    /// Declares the columns of the record batches that a prepared query takes.
    pub(super) fn add_schema(&mut self, nullable: bool) {
        let Some(schema) = self.schema.clone() else {
            let what = "a prepared query over record batches has to know their columns: \
                        write `prepare_for(&schema, …)` instead of `prepare`";
            return self.fail(Error::invalid(what), self.home);
        };
        if !self.fields.is_empty() {
            let what = "a prepared query takes its record batches as the first argument";
            return self.fail(Error::invalid(what), self.home);
        }
        let mut columns = 0;
        for field in schema.fields() {
            let (name, zone) = (field.name().clone(), zone_of(field.data_type()));
            let dtype = dtype_of(field.data_type());
            let column = dtype.map(|_| columns);
            columns += u32::from(dtype.is_some());
            let dtype = dtype.unwrap_or(pointsman_ir::types::DType::Opaque);
            let source = SourceField { name, dtype, source: SourceId(0), column, zone, arrow: Some(field.clone()) };
            match column {
                Some(_) => self.add_field(source, nullable && field.is_nullable()),
                None => Arc::make_mut(&mut self.fields).push(source),
            }
        }
    }
}

/// An error if record batches do not have the columns that a query was prepared for.
pub(super) fn check_schema(prepared: &Schema, given: &Schema) -> Result<()> {
    let columns = |schema: &Schema| -> Vec<String> {
        schema.fields().iter().map(|field| format!("`{}` of {}", field.name(), field.data_type())).collect()
    };
    let names = [prepared, given].map(columns);
    if names[0] != names[1] {
        let [prepared, given] = names.map(|names| names.join(", "));
        return Err(Error::invalid(format!(
            "the query was prepared for batches with the columns {prepared}; these have {given}"
        )));
    }
    let mut pairs = prepared.fields().iter().zip(given.fields());
    if let Some((field, _)) = pairs.find(|(prepared, given)| given.is_nullable() && !prepared.is_nullable()) {
        let what = format!(
            "the query was prepared for batches whose column `{}` is not nullable: prepare it for a schema in which it is",
            field.name()
        );
        return Err(Error::invalid(what));
    }
    Ok(())
}

/// The row of the fields and columns that were declared since these.
fn row_of(opener: &Opener<'_>, first_field: u32, first_column: u32) -> Columns {
    Columns {
        owner: Handle::unbound(opener.at),
        node: NodeId(0),
        base: 0,
        fields: (first_field, opener.builder.fields.len() as u32 - first_field),
        columns: (first_column, opener.columns() - first_column),
        has_schema: true,
    }
}

/// All batches must have the columns of the first.
pub(super) fn same_schema(batches: &[RecordBatch]) -> Result<()> {
    let Some((first, rest)) = batches.split_first() else { return Ok(()) };
    for (number, batch) in rest.iter().enumerate() {
        let (a, b) = (first.schema_ref(), batch.schema_ref());
        let differs =
            a.fields().iter().zip(b.fields()).find(|(x, y)| x.name() != y.name() || x.data_type() != y.data_type());
        if let Some((x, y)) = differs {
            return Err(Error::invalid(format!(
                "batch 0 has a column `{}` of {}, but batch {} has `{}` of {} in its place: give all batches one schema",
                x.name(),
                x.data_type(),
                number + 1,
                y.name(),
                y.data_type()
            )));
        }
        if a.fields().len() != b.fields().len() {
            let (one, other) = (a.fields().len(), b.fields().len());
            return Err(Error::invalid(format!(
                "batch 0 has {one} columns, but batch {} has {other}: give all batches one schema",
                number + 1
            )));
        }
    }
    Ok(())
}

/// Declares one column of some batches, of which there is at least one.
fn open_column<'a>(batches: &'a [RecordBatch], index: usize, opener: &mut Opener<'a>) {
    let mut field = batches[0].schema_ref().fields()[index].clone();
    if batches.iter().any(|batch| batch.schema_ref().field(index).is_nullable()) {
        // Nulls of a later batch must fit into the result, whatever the first batch says.
        field = Arc::new(field.as_ref().clone().with_nullable(true));
    }
    let chunks: Option<Vec<HostChunk<'a>>> = batches.iter().map(|batch| chunk(batch.column(index).as_ref())).collect();
    let input = chunks.map(|chunks| (chunks.iter().any(|chunk| chunk.validity.is_some()), Input::Many(chunks)));
    declare(field, input, opener);
}

/// Declares a column that may have nulls, with its values; of a type that no query reads, its field alone.
fn declare<'a>(field: Arc<Field>, input: Option<(bool, Input<'a>)>, opener: &mut Opener<'a>) {
    let (name, zone) = (field.name().clone(), zone_of(field.data_type()));
    match (dtype_of(field.data_type()), input) {
        (Some(dtype), Some((nullable, input))) => {
            let column = Some(opener.columns());
            let field = SourceField { name, dtype, source: SourceId(0), column, zone, arrow: Some(field) };
            opener.column(field, nullable, input);
        }
        _ => Arc::make_mut(&mut opener.builder.fields).push(SourceField {
            name,
            dtype: pointsman_ir::types::DType::Opaque,
            source: SourceId(0),
            column: None,
            zone,
            arrow: Some(field),
        }),
    }
}

/// An array as a device reads it; `None` for a type that no query reads.
pub(super) fn chunk(array: &dyn Array) -> Option<HostChunk<'_>> {
    macro_rules! primitive {
        ($arrow:ident) => {
            array.as_primitive_opt::<types::$arrow>().map(primitive_chunk)
        };
    }
    by_arrow_type!(array.data_type(), array.as_boolean_opt().map(boolean_chunk), primitive, None)
}
