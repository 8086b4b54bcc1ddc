//! Queries over the numbers of arrays: the place of a number as index arithmetic, and look-ups at that place.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::expr::{NumberExpr, RealOf};
use crate::layout::Layout;
use crate::number::Number;
use pointsman::types::{Index, Integer, IntoValues, Logic};
use pointsman::{Column, Expr, IntoExpr, Lookup, Query, Session, Source, lit};
use std::ops::Range;

/// The types of row numbers: `u32` where all rows and places fit, since it divides faster, and `u64`.
pub(crate) trait Position: Index + Integer + Logic + From<u32> + IntoValues<Row = Expr<Self>> {
    /// The source of row numbers.
    type Rows: for<'a> Source<'a, Row = Expr<Self>>;

    /// The row numbers from 0.
    fn rows(count: usize) -> Self::Rows;

    /// A stride, an offset or a size. Strides may be negative: places are computed modulo the range of the type, and
    /// each lies in the column.
    fn wrapping(value: isize) -> Self;

    /// The lower and the upper 32 bits of a number, the same for both types.
    fn words(number: Expr<Self>) -> [Expr<u32>; 2];
}

macro_rules! positions {
    ($($position:ident: |$number:ident| $words:expr;)*) => {$(
        impl Position for $position {
            type Rows = Range<$position>;

            fn rows(count: usize) -> Range<$position> {
                0..count as $position
            }

            fn wrapping(value: isize) -> $position {
                value as $position
            }

            #[track_caller]
            fn words($number: Expr<$position>) -> [Expr<u32>; 2] {
                $words
            }
        }
    )*};
}

positions! {
    u32: |number| [number, lit(0)];
    // Each word fits, so that it is never rounded.
    u64: |number| [number & lit(0xffff_ffff), number >> lit(32)].map(|word| word.cast_saturating());
}

/// Evaluates the body with a type of row numbers that holds all numbers up to `$largest`.
macro_rules! with_positions {
    ($largest:expr, $position:ident => $body:expr) => {
        if $largest <= u32::MAX as usize {
            type $position = u32;
            $body
        } else {
            type $position = u64;
            $body
        }
    };
}

pub(crate) use with_positions;

/// Reads the numbers of an array by their position in the order of its indices.
pub(crate) struct Reader<T: Number> {
    column: Lookup<T::Real>,
    /// The rows where numbers start, as few axes as possible.
    layout: Layout,
}

impl<T: Number> Reader<T> {
    /// A reader of these places of a column.
    pub(crate) fn new(column: &Column<T::Real>, layout: &Layout) -> Result<Reader<T>> {
        Ok(Reader { column: Lookup::of(column)?, layout: in_rows(&layout.merged(), T::PARTS) })
    }

    /// The number at a position.
    #[track_caller]
    pub(crate) fn at<I: Position>(&self, position: Expr<I>) -> T::Expr {
        self.at_row(self.row(position))
    }

    /// The number that starts at a row of the column.
    #[track_caller]
    pub(crate) fn at_row<I: Position>(&self, row: Expr<I>) -> T::Expr {
        T::Expr::read(&self.column, row)
    }

    /// The row where the number at a position starts.
    #[track_caller]
    pub(crate) fn row<I: Position>(&self, position: Expr<I>) -> Expr<I> {
        place(&self.layout, position)
    }
}

/// The layout in rows of the column instead of numbers.
fn in_rows(layout: &Layout, parts: usize) -> Layout {
    let strides = layout.strides.iter().map(|stride| stride.wrapping_mul(parts as isize)).collect();
    Layout { shape: layout.shape.clone(), strides, offset: layout.offset * parts }
}

/// The place of the number at a position: one division for each axis but the first.
#[track_caller]
fn place<I: Position>(layout: &Layout, position: Expr<I>) -> Expr<I> {
    let mut rest = position;
    let mut place = I::wrapping(layout.offset as isize).into_expr();
    for (axis, (&size, &stride)) in layout.shape.iter().zip(&layout.strides).enumerate().rev() {
        let index = if axis == 0 {
            rest
        } else {
            let size = I::wrapping(size as isize).into_expr();
            let outer = rest / size;
            let index = rest - outer * size;
            rest = outer;
            index
        };
        place += index * I::wrapping(stride);
    }
    place
}

/// Computes an array of this shape: `number` gives the number at each position.
#[track_caller]
pub(crate) fn compute<I: Position, E: NumberExpr>(
    session: &Session,
    shape: &[usize],
    number: impl FnOnce(Expr<I>) -> E,
) -> Result<Array<E::Number>> {
    let layout = Layout::contiguous(shape)?;
    if layout.count() == 0 {
        return Array::zeros(session, shape);
    }
    let rows = session.from(I::rows(layout.count() * E::Number::PARTS));
    let answer = rows.map(|row| part_of(row, number)).run()?;
    Ok(Array::from_answer(session, answer, layout))
}

/// The part that belongs into a row of the result, of the number that is computed at its position.
#[track_caller]
fn part_of<I: Position, E: NumberExpr>(row: Expr<I>, number: impl FnOnce(Expr<I>) -> E) -> Expr<RealOf<E>> {
    let position = if E::Number::PARTS == 1 { row } else { row >> lit(I::from(1)) };
    part_in(row, number(position))
}

/// The part of a number that belongs into a row of the result: odd rows have imaginary parts.
#[track_caller]
pub(crate) fn part_in<I: Position, E: NumberExpr>(row: Expr<I>, number: E) -> Expr<RealOf<E>> {
    let one = I::from(1);
    number.part(|| (row & lit(one)).eq(lit(one)))
}

/// The greatest row number of a query over the numbers of this layout, in a column of this many rows: views may reach
/// further than they have numbers.
pub(crate) fn largest_row(column_rows: usize, layout: &Layout) -> usize {
    column_rows.max(layout.count() * 2)
}

impl<T: Number> Array<T> {
    /// The greatest row number of a query over the array's numbers and memory.
    pub(crate) fn largest_row(&self) -> usize {
        largest_row(self.column.len(), &self.layout)
    }

    /// Whether the array's numbers are all numbers of its column, in order.
    pub(crate) fn is_whole(&self) -> bool {
        self.layout.is_whole(self.column.len() / T::PARTS)
    }

    pub(crate) fn reader(&self) -> Result<Reader<T>> {
        Reader::new(&self.column, &self.layout)
    }

    /// A query over the rows of the array: the parts of its numbers, in the order of their indices.
    pub(crate) fn rows(&self) -> Result<Query<'_, Expr<T::Real>>> {
        if self.is_whole() {
            return Ok(self.session.from(&self.column));
        }
        if self.is_contiguous() {
            return Ok(self.session.from(self.column.slice(self.contiguous_range())?));
        }
        // The parts of a number are one more axis, so that each row reads one part only.
        let mut layout = in_rows(&self.layout, T::PARTS);
        layout.shape.push(T::PARTS);
        layout.strides.push(1);
        let reader = Reader::<T::Real>::new(&self.column, &layout)?;
        Ok(with_positions!(self.largest_row(), I => {
            self.session.from(I::rows(layout.count())).map(|row| reader.at(row))
        }))
    }

    /// A query over the parts of the array's numbers as numbers of type `O`: the same type, or the complex one.
    pub(crate) fn rows_as<O: Number<Real = T::Real>>(&self) -> Result<Query<'_, Expr<T::Real>>> {
        if O::PARTS == T::PARTS {
            return self.rows();
        }
        let reader = self.reader()?;
        Ok(with_positions!(self.largest_row(), I => {
            let rows = self.session.from(I::rows(self.len() * O::PARTS));
            rows.map(|row| part_of(row, |position| reader.at(position).to_complex()))
        }))
    }

    /// An error if the array has no number.
    pub(crate) fn check_not_empty(&self, operation: &'static str) -> Result<()> {
        if self.layout.count() == 0 { Err(Error::Empty { operation }) } else { Ok(()) }
    }
}
