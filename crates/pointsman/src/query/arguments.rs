//! The values that columns of a query are made of, by reference or by value, and the inputs of a prepared query:
//! columns, and scalars by value.

use crate::data::arrow::{ArrowElement, TimeZone, boolean_chunk, primitive_chunk, zone_of};
use crate::data::column::{Column, chunk_of};
use crate::data::element::Element;
use crate::data::input::{CapturedList, Input};
use crate::data::memory::InlineVec;
use crate::error::{Error, Result};
use crate::query::control::Lookup;
use crate::query::expr::{Expr, Param};
use crate::query::prepared::LookupParam;
use crate::query::source::{Opener, Source};
use arrow_array::{Array, BooleanArray, PrimitiveArray};
use arrow_schema::SchemaRef;
use pointsman_ir::types::Scalar;
use std::sync::Arc;

/// A value that a prepared query accepts for its argument `I`: a slice, vector, column or Arrow array for an [`Expr`],
/// a scalar for a [`Param`]. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be handed in for `{I}`",
    note = "a column takes `&[T]`, `Vec<T>`, `Vec<Option<T>>`, `Box<[T]>`, `Arc<[T]>`, `Column<T>` or an Arrow array, by reference or by value; a parameter takes a scalar of its type"
)]
pub trait InputValue<'a, I> {
    /// Adds the value to the inputs of the call.
    #[doc(hidden)]
    fn give(self, call: &mut ArgumentList<'a>);
}

/// The inputs of one run.
#[derive(Default)]
pub struct ArgumentList<'a> {
    pub(crate) inputs: InlineVec<Input<'a>>,
    pub(crate) params: InlineVec<Option<Scalar>>,
    pub(crate) has_nulls: bool,
    /// The time zone of each input up to the last that has one; empty if none has.
    pub(crate) zones: Vec<Option<TimeZone>>,
    /// `None` if there are none of them.
    pub(crate) rare: Option<Box<RareArguments>>,
}

/// What few calls have.
#[derive(Default)]
pub(crate) struct RareArguments {
    /// The tables, in the order of the closure's arguments.
    pub(crate) lists: Vec<CapturedList>,
    /// The schema of the record batches.
    pub(crate) schema: Option<SchemaRef>,
    /// The rows of record batches, which may have no columns.
    batch_rows: usize,
    /// The first mistake.
    mistake: Option<Error>,
}

impl<'a> ArgumentList<'a> {
    #[inline]
    pub(crate) fn column(&mut self, nullable: bool, zone: Option<TimeZone>, input: Input<'a>) {
        self.has_nulls |= nullable;
        if zone.is_some() {
            self.zones.resize(self.inputs.len(), None);
            self.zones.push(zone);
        }
        self.inputs.push(input);
    }

    /// Adds a table.
    fn table(&mut self, list: CapturedList) {
        self.rare.get_or_insert_default().lists.push(list);
    }

    /// Adds the schema and the number of rows of record batches.
    pub(crate) fn batches(&mut self, schema: Option<SchemaRef>, rows: usize) {
        let rare = self.rare.get_or_insert_default();
        (rare.schema, rare.batch_rows) = (schema, rows);
    }

    /// Remembers a mistake, unless there is one already.
    #[cold]
    pub(crate) fn fail(&mut self, mistake: Error) {
        self.rare.get_or_insert_default().mistake.get_or_insert(mistake);
    }

    /// The number of rows, which all columns share.
    #[inline]
    pub(crate) fn rows(&self) -> Result<usize> {
        if let Some(mistake) = self.rare.as_ref().and_then(|rare| rare.mistake.clone()) {
            return Err(mistake);
        }
        match &self.inputs[..] {
            [] => Ok(self.rare.as_ref().map_or(0, |rare| rare.batch_rows)),
            [only] => Ok(only.rows()),
            [first, others @ ..] => shared_rows(first.rows(), others),
        }
    }
}

/// The number of rows of the first column, if the others have as many.
fn shared_rows(rows: usize, others: &[Input<'_>]) -> Result<usize> {
    match others.iter().position(|other| other.rows() != rows) {
        None => Ok(rows),
        Some(other) => Err(Error::invalid(format!(
            "column 0 has {rows} rows, but column {} has {}: all columns of a query must have the same length",
            other + 1,
            others[other].rows()
        ))),
    }
}

fn has_nulls<T>(values: &[Option<T>]) -> bool {
    values.iter().any(Option::is_none)
}

/// A copy of values that may be null: devices read the values and the nulls apart.
fn copied<T: Element>(values: &[Option<T>]) -> Input<'static> {
    Input::Owned(Arc::new(Column::from_options(values.iter().copied())))
}

/// The values that columns are made of: their element type; whether there are nulls, the time zone, and the input. Each
/// is a source of a query and an argument of a prepared one.
macro_rules! column_values {
    ($([$($generics:tt)*] $value:ty => $element:ty, |$column:ident| $nullable:expr, $zone:expr, $input:expr;)*) => {$(
        impl<'a, $($generics)*> Source<'a> for $value {
            type Row = Expr<$element>;

            fn open(self, opener: &mut Opener<'a>) -> Self::Row {
                let $column = self;
                opener.typed($nullable, $zone, $input)
            }
        }

        impl<'a, $($generics)*> InputValue<'a, Expr<$element>> for $value {
            fn give(self, call: &mut ArgumentList<'a>) {
                let $column = self;
                call.column($nullable, $zone, $input);
            }
        }
    )*};
}

column_values! {
    [T: Element] &'a [T] => T, |values| false, None, Input::One(chunk_of(values));
    [T: Element] &'a Vec<T> => T, |values| false, None, Input::One(chunk_of(values));
    [T: Element, const N: usize] &'a [T; N] => T, |values| false, None, Input::One(chunk_of(values));
    [T: Element] Vec<T> => T, |values| false, None, Input::Owned(Arc::new(Column::from(values)));
    [T: Element] Box<[T]> => T, |values| false, None, Input::Owned(Arc::new(Column::from(values)));
    [T: Element] &'a Box<[T]> => T, |values| false, None, Input::One(chunk_of(values));
    [T: Element] Arc<[T]> => T, |values| false, None, Input::Owned(Arc::new(values));
    [T: Element] &'a Arc<[T]> => T, |values| false, None, Input::One(chunk_of(values));
    [T: Element] Vec<Option<T>> => T, |values| has_nulls(&values), None, Input::Owned(Arc::new(Column::from(values)));
    [T: Element] &'a Vec<Option<T>> => T, |values| has_nulls(values), None, copied(values);
    [T: Element] &'a [Option<T>] => T, |values| has_nulls(values), None, copied(values);
    [T: Element, const N: usize] &'a [Option<T>; N] => T, |values| has_nulls(values), None, copied(values);
    [T: Element] &'a Column<T> => T,
        |column| column.nulls() > 0, column.zone().cloned(), Input::Column(column.chunk(), column.identity());
    [T: Element] Column<T> => T, |column| column.nulls() > 0, column.zone().cloned(), Input::Owned(Arc::new(column));
    [A: ArrowElement] &'a PrimitiveArray<A> => A::Element,
        |array| array.null_count() > 0, zone_of(array.data_type()), Input::One(primitive_chunk(array));
    [A: ArrowElement] PrimitiveArray<A> => A::Element,
        |array| array.null_count() > 0, zone_of(array.data_type()), Input::Owned(Arc::new(array));
    [] &'a BooleanArray => bool, |array| array.null_count() > 0, None, Input::One(boolean_chunk(array));
    [] BooleanArray => bool, |array| array.null_count() > 0, None, Input::Owned(Arc::new(array));
}

impl<'a, T: Element> InputValue<'a, LookupParam<T>> for Lookup<T> {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.table(self.list);
    }
}

impl<'a, T: Element> InputValue<'a, LookupParam<T>> for &Lookup<T> {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.table(self.list.clone());
    }
}

impl<'a, T: Element> InputValue<'a, Param<T>> for T {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.params.push(Some(self.scalar()));
    }
}
