//! [`Source`]: slices, vectors, columns and Arrow arrays (`arguments.rs`), ranges, and tuples and arrays of these.
//!
//! Opening a source copies nothing. A query borrows or owns its sources; ranges take no memory.

use crate::data::arrow::TimeZone;
use crate::data::element::Element;
use crate::data::input::Input;
use crate::data::source_field::SourceField;
use crate::error::{CallSite, Error};
use crate::query::build::{Handle, PlanBuilder};
use crate::query::expr::Expr;
use crate::query::values::{Values, for_each_arity};
use pointsman_ir::op::Op;
use pointsman_ir::plan::ROW_NUMBER;
use pointsman_ir::types::{DType, Scalar};
use std::ops::Range;

/// The maximum number of rows that a query reads: more than any memory holds, and few enough that sums of row counts
/// and bytes fit 64 bits.
pub(crate) const SOURCE_ROWS_MAX: usize = 1 << 40;

/// A source of rows: a slice, a `Vec`, a [`Column`](crate::Column), an Arrow array, a record batch or a list of
/// batches, each by reference or (except slices) by value; a range of integers; or a tuple or array of sources with as
/// many rows each. The trait is sealed.
///
/// ```
/// # fn main() -> pointsman::Result<()> {
/// # let s = pointsman::Session::open()?;
/// let (x, y) = (vec![1.0f32, 2.0], vec![3.0f32, 4.0]);
/// assert_eq!(s.from((&x, &y, 0u32..2)).map(|(x, y, i)| x * y + i.cast::<f32>()).run()?[..], [3.0, 9.0]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "DataFrame")]
#[diagnostic::on_unimplemented(
    message = "a query cannot read from `{Self}`",
    note = "sources are `&[T]`; `Vec<T>`, `Column<T>`, Arrow arrays and record batches, by reference or by value; `&[RecordBatch]`; ranges; and tuples and arrays of sources"
)]
pub trait Source<'a> {
    /// The row that closures see.
    type Row: Values;

    /// Declares the columns of the source.
    #[doc(hidden)]
    fn open(self, opener: &mut Opener<'a>) -> Self::Row;
}

/// Collects the columns of a source.
pub struct Opener<'a> {
    pub(crate) builder: Box<PlanBuilder>,
    pub(crate) inputs: Vec<Input<'a>>,
    pub(crate) rows: Option<usize>,
    /// What the row consists of, in order: the next column of the source, or a computed value.
    entries: Vec<Option<Handle>>,
    pub(crate) at: CallSite,
}

impl<'a> Opener<'a> {
    pub(crate) fn new(at: CallSite) -> Opener<'a> {
        Opener { builder: PlanBuilder::new(at), inputs: Vec::new(), rows: None, entries: Vec::new(), at }
    }

    /// Records the number of rows of a column; all columns must have the same.
    pub(crate) fn check_rows(&mut self, rows: usize) {
        if rows > SOURCE_ROWS_MAX {
            let what = format!("the source has {rows} rows, and a query reads at most {SOURCE_ROWS_MAX}: split it");
            self.builder.fail(Error::invalid(what), self.at);
        }
        match self.rows {
            None => self.rows = Some(rows),
            Some(first) if first == rows => {}
            Some(first) => {
                let which = self.entries.len();
                let what = format!(
                    "column 0 of the source has {first} rows, but column {which} has {rows}: all columns of a query must have the same length"
                );
                self.builder.fail(Error::invalid(what), self.at);
            }
        }
    }

    /// Adds a column.
    pub(crate) fn column(&mut self, field: SourceField, nullable: bool, input: Input<'a>) {
        self.check_rows(input.rows());
        self.builder.add_field(field, nullable);
        self.entries.push(None);
        self.inputs.push(input);
    }

    /// Adds a column of type `T` and returns its expression.
    pub(crate) fn typed<T: Element>(&mut self, nullable: bool, zone: Option<TimeZone>, input: Input<'a>) -> Expr<T> {
        let field = self.builder.unnamed_field::<T>(self.inputs.len(), zone);
        self.column(field, nullable, input);
        Expr::new(Handle::unbound(self.at))
    }

    /// The number of columns so far.
    pub(crate) fn columns(&self) -> u32 {
        self.inputs.len() as u32
    }

    /// Adds a range: the row number plus the start, a run-time scalar, computed in 64 bits.
    fn range<T: Element>(&mut self, start: Scalar, wide: DType, rows: u64) -> Expr<T> {
        self.check_rows(usize::try_from(rows).unwrap_or(usize::MAX));
        let (builder, at) = (&mut self.builder, self.at);
        let number = builder.column(ROW_NUMBER, at);
        let number = builder.cast(Op::CastSaturating, number, wide, at);
        let start = builder.param(start, wide, at);
        let value = builder.call(Op::Add, &[number, start], at);
        let value = builder.cast(Op::CastSaturating, value, T::DTYPE, at);
        self.entries.push(Some(value));
        Expr::new(Handle::unbound(at))
    }

    /// Finishes the source. Computed values become columns of a projection.
    pub(crate) fn finish(&mut self) {
        if self.entries.iter().all(Option::is_none) {
            return;
        }
        let (builder, at, mut next) = (&mut self.builder, self.at, 0);
        let values = self.entries.iter().map(|entry| {
            entry.unwrap_or_else(|| {
                next += 1;
                builder.column(next - 1, at)
            })
        });
        let values: Vec<Handle> = values.collect();
        builder.project(values, at);
    }
}

macro_rules! ranges {
    ($($rust:ty, $row:ty, $wide:ident, $as:ty;)*) => {$(
        impl<'a> Source<'a> for Range<$rust> {
            type Row = Expr<$row>;

            fn open(self, opener: &mut Opener<'a>) -> Expr<$row> {
                let rows = if self.end > self.start { (self.end as u64).wrapping_sub(self.start as u64) } else { 0 };
                opener.range(Scalar::$wide(self.start as $as), DType::$wide, rows)
            }
        }
    )*};
}

ranges! {
    u32, u32, U64, u64;
    u64, u64, U64, u64;
    usize, u64, U64, u64;
    i32, i32, I64, i64;
    i64, i64, I64, i64;
}

impl<'a, S: Source<'a>, const N: usize> Source<'a> for [S; N] {
    type Row = [S::Row; N];

    fn open(self, opener: &mut Opener<'a>) -> Self::Row {
        self.map(|source| source.open(opener))
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<'a, $($name: Source<'a>),+> Source<'a> for ($($name,)+) {
            type Row = ($($name::Row,)+);

            #[allow(non_snake_case)]
            fn open(self, opener: &mut Opener<'a>) -> Self::Row {
                let ($($name,)+) = self;
                ($($name.open(opener),)+)
            }
        }
    };
}

for_each_arity!(tuples: A B C D E F G H I J K L);
