//! [`Source`]: slices, vectors, columns and Arrow arrays (`arguments.rs`), ranges, and tuples and arrays of these.
//!
//! Opening a source copies nothing. A query borrows or owns its sources; ranges take no memory.

use crate::data::arrow::TimeZone;
use crate::data::element::Element;
use crate::data::input::Input;
use crate::data::source_field::SourceField;
use crate::error::{CallSite, Error};
use crate::query::adaptors::late_zip;
use crate::query::build::{self, Handle, PlanBuilder};
use crate::query::expr::Expr;
use crate::query::values::{Values, for_each_arity};
use pointsman_ir::op::Op;
use pointsman_ir::plan::ROW_NUMBER;
use pointsman_ir::types::{DType, Scalar};
use std::iter::StepBy;
use std::ops::{Range, RangeInclusive};

/// The maximum number of rows that a query reads: more than any memory holds, and few enough that sums of row counts
/// and bytes fit 64 bits.
pub(crate) const SOURCE_ROWS_MAX: usize = 1 << 40;

/// A source of rows, each by reference or (except slices) by value:
///
/// | source | rows |
/// | --- | --- |
/// | a slice, `Vec<T>`, `Box<[T]>`, `Arc<[T]>`, [`Column`](crate::Column) | values |
/// | a slice or `Vec` of `Option<T>` (copied) | values and nulls |
/// | an Arrow array | values and nulls |
/// | [`array_of::<T>(&array)`](crate::array_of) of an Arrow array whose type is known at run time only | values and nulls |
/// | a record batch, a slice of batches | [`Columns`](crate::Columns) |
/// | a slice or `Vec` of arrays, `&[[f32; 3]]` (copied) | arrays of values |
/// | [`fields(&items, \|item\| …)`](crate::fields) of a slice of structs (copied) | what the closure returns |
/// | a range, `0..n`, `0..=n`, `(0..n).step_by(3)` | integers |
/// | [`random::uniform::<T>(seed, rows)`](crate::random::uniform), [`random::normal`](crate::random::normal) | random numbers |
/// | a tuple or array of sources with as many rows each | tuples or arrays of their rows |
///
/// The trait is sealed.
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
    note = "sources are slices; `Vec<T>`, `Vec<Option<T>>`, `Box<[T]>`, `Arc<[T]>`, `Column<T>`, Arrow arrays and record batches, by reference or by value; `array_of::<T>(&array)` for an `ArrayRef`; `fields(&items, |item| …)` for structs; `&[RecordBatch]`; ranges; and tuples and arrays of sources"
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
    pub(super) entries: Vec<Option<Handle>>,
    pub(crate) at: CallSite,
}

impl<'a> Opener<'a> {
    pub(crate) fn new(at: CallSite) -> Opener<'a> {
        Opener { builder: PlanBuilder::new(at), inputs: Vec::new(), rows: None, entries: Vec::new(), at }
    }

    /// Opens the source of a query once more, which must have no steps yet.
    pub(super) fn again(
        mut builder: Box<PlanBuilder>,
        inputs: Vec<Input<'a>>,
        rows: usize,
        entries: Vec<Option<Handle>>,
        at: CallSite,
    ) -> Opener<'a> {
        // Ranges were projected when the source was finished, and are again when it is next.
        let is_projected = entries.iter().any(Option::is_some);
        if builder.plan.nodes.len() != 1 + usize::from(is_projected) {
            builder.fail(late_zip(), at);
        } else if is_projected {
            builder.unproject();
        }
        let rows = (!entries.is_empty()).then_some(rows);
        Opener { builder, inputs, rows, entries, at }
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

    /// Adds a range: the row number times the step, if there is one, plus the start, which are run-time scalars,
    /// computed in 64 bits.
    fn range<T: Element>(&mut self, start: Scalar, step: Option<Scalar>, wide: DType, rows: u64) -> Expr<T> {
        self.check_rows(usize::try_from(rows).unwrap_or(usize::MAX));
        let (builder, at) = (&mut self.builder, self.at);
        let number = builder.column(ROW_NUMBER, at);
        let mut number = builder.cast(Op::CastSaturating, number, wide, at);
        if let Some(step) = step {
            let step = builder.param(step, wide, at);
            number = builder.call(Op::Mul, &[number, step], at);
        }
        let start = builder.param(start, wide, at);
        let value = builder.call(Op::Add, &[number, start], at);
        let value = builder.cast(Op::CastSaturating, value, T::DTYPE, at);
        self.entries.push(Some(value));
        Expr::new(Handle::unbound(at))
    }

    /// Adds values that are computed from the row number.
    pub(crate) fn computed<T: Element>(&mut self, rows: usize, f: impl FnOnce(Expr<u64>) -> Expr<T>) -> Expr<T> {
        self.check_rows(rows);
        let at = self.at;
        let number = || Expr::new(build::append(at, |builder| builder.column(ROW_NUMBER, at)));
        let builder = std::mem::replace(&mut self.builder, PlanBuilder::new(at));
        let (builder, value) = builder.open_again(|| f(number()).handle);
        self.builder = builder;
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

macro_rules! stepped {
    ($row:ty, $wide:ident, $as:ty: $($range:ty),*) => {$(
        impl<'a> Source<'a> for StepBy<$range> {
            type Row = Expr<$row>;

            fn open(mut self, opener: &mut Opener<'a>) -> Expr<$row> {
                // Its length is exact, or more than a query reads.
                let rows = self.size_hint().0 as u64;
                let start = self.next().unwrap_or_default();
                let step = self.next().map_or(0, |second| second.abs_diff(start) as $as);
                opener.range(Scalar::$wide(start as $as), Some(Scalar::$wide(step)), DType::$wide, rows)
            }
        }
    )*};
}

macro_rules! ranges {
    ($($rust:ty, $row:ty, $wide:ident, $as:ty;)*) => {$(
        impl<'a> Source<'a> for Range<$rust> {
            type Row = Expr<$row>;

            fn open(self, opener: &mut Opener<'a>) -> Expr<$row> {
                let rows = if self.end > self.start { (self.end as u64).wrapping_sub(self.start as u64) } else { 0 };
                opener.range(Scalar::$wide(self.start as $as), None, DType::$wide, rows)
            }
        }

        impl<'a> Source<'a> for RangeInclusive<$rust> {
            type Row = Expr<$row>;

            fn open(self, opener: &mut Opener<'a>) -> Expr<$row> {
                let (start, end) = (*self.start(), *self.end());
                let rows = if self.is_empty() { 0 } else { (end as u64).wrapping_sub(start as u64).saturating_add(1) };
                opener.range(Scalar::$wide(start as $as), None, DType::$wide, rows)
            }
        }

        stepped! { $row, $wide, $as: Range<$rust>, RangeInclusive<$rust> }
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
