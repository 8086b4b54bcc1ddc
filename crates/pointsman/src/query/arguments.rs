//! The inputs of a prepared query: columns by reference or by value, scalars by value.

use crate::data::arrow::{ArrowElement, TimeZone, boolean_chunk, primitive_chunk, zone_of};
use crate::data::column::{Column, chunk_of};
use crate::data::element::Element;
use crate::data::input::{Input, OwnedValues};
use crate::data::memory::InlineVec;
use crate::error::{Error, Result};
use crate::query::expr::{Expr, Param};
use arrow_array::{Array, BooleanArray, PrimitiveArray};
use pointsman_device::host::HostChunk;
use pointsman_ir::types::Scalar;
use std::sync::Arc;

/// A value that a prepared query accepts for its argument `I`: a slice, vector, column or Arrow array for an [`Expr`], a scalar
/// for a [`Param`]. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be handed in for `{I}`",
    note = "a column takes `&[T]`, `&Vec<T>`, `&Column<T>` or an Arrow array by reference, or any but a slice by value; a parameter takes a scalar of its type"
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
}

impl<'a> ArgumentList<'a> {
    /// Notes the time zone of the next input.
    fn zone(&mut self, zone: Option<TimeZone>) {
        if zone.is_some() {
            self.zones.resize(self.inputs.len(), None);
            self.zones.push(zone);
        }
    }

    #[inline]
    fn column(&mut self, chunk: HostChunk<'a>) {
        self.has_nulls |= chunk.validity.is_some();
        self.inputs.push(Input::One(chunk));
    }

    fn labelled(&mut self, column: &'a Column<impl Element>) {
        self.zone(column.zone().cloned());
        self.has_nulls |= column.nulls() > 0;
        self.inputs.push(Input::Column(column.chunk(), column.identity()));
    }

    fn owned(&mut self, has_nulls: bool, values: impl OwnedValues + 'static) {
        self.has_nulls |= has_nulls;
        self.inputs.push(Input::Owned(Arc::new(values)));
    }

    /// The number of rows, which all columns share.
    pub(crate) fn rows(&self) -> Result<usize> {
        let Some((first, others)) = self.inputs.split_first() else { return Ok(0) };
        let rows = first.rows();
        match others.iter().position(|other| other.rows() != rows) {
            None => Ok(rows),
            Some(other) => Err(Error::invalid(format!(
                "column 0 has {rows} rows, but column {} has {}: all columns of a query must have one length",
                other + 1,
                others[other].rows()
            ))),
        }
    }
}

impl<'a, T: Element> InputValue<'a, Expr<T>> for &'a [T] {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.column(chunk_of(self));
    }
}

impl<'a, T: Element> InputValue<'a, Expr<T>> for &'a Vec<T> {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.column(chunk_of(self));
    }
}

impl<'a, T: Element, const N: usize> InputValue<'a, Expr<T>> for &'a [T; N] {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.column(chunk_of(self));
    }
}

impl<'a, T: Element> InputValue<'a, Expr<T>> for &'a Column<T> {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.labelled(self);
    }
}

impl<'a, T: Element> InputValue<'a, Expr<T>> for Column<T> {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.zone(self.zone().cloned());
        call.owned(self.nulls() > 0, self);
    }
}

impl<'a, T: Element> InputValue<'a, Expr<T>> for Vec<T> {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.owned(false, Column::from(self));
    }
}

impl<'a, A: ArrowElement> InputValue<'a, Expr<A::Element>> for PrimitiveArray<A> {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.zone(zone_of(self.data_type()));
        call.owned(self.null_count() > 0, self);
    }
}

impl<'a> InputValue<'a, Expr<bool>> for BooleanArray {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.owned(self.null_count() > 0, self);
    }
}

impl<'a, A: ArrowElement> InputValue<'a, Expr<A::Element>> for &'a PrimitiveArray<A> {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.zone(zone_of(self.data_type()));
        call.column(primitive_chunk(self));
    }
}

impl<'a> InputValue<'a, Expr<bool>> for &'a BooleanArray {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.column(boolean_chunk(self));
    }
}

impl<'a, T: Element> InputValue<'a, Param<T>> for T {
    fn give(self, call: &mut ArgumentList<'a>) {
        call.params.push(Some(self.scalar()));
    }
}
