//! Results as plain Rust values: vectors, slices of the caller's, and record batches with names that the caller gives.

use crate::data::element::Element;
use crate::data::output::Results;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::query::expr::Expr;
use crate::query::steps::ResultParts;
use crate::query::unexpected_nulls;
use crate::query::values::Values;
use arrow_array::RecordBatch;
use std::panic::Location;

/// A row of expressions: an expression, or a tuple or array of such rows. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no plain values",
    note = "rows of record batches stay record batches: `run` and `collect` return them"
)]
pub trait PlainValues: Values {
    /// A vector for each expression.
    type Vectors;
    /// A slice of the caller's for each expression.
    type Slices<'s>;

    /// The bytes of a value; 0 for rows of several.
    #[doc(hidden)]
    const VALUE_BYTES: usize = 0;

    /// Takes the values out of a result. A null is an error.
    #[doc(hidden)]
    fn vectors(&self, results: &mut Results) -> Result<Self::Vectors>;

    /// The caller's memory, if a run can write to it.
    #[doc(hidden)]
    fn memory<'m>(_slices: &'m mut Self::Slices<'_>) -> Option<&'m mut [u8]> {
        None
    }

    /// Copies the values to the start of the slices, unless the run wrote them there, and returns their number. A null,
    /// and a slice that is too short, are errors.
    #[doc(hidden)]
    fn copy_to(&self, results: &mut Results, slices: &mut Self::Slices<'_>, is_written: bool) -> Result<usize>;
}

impl<T: Element> PlainValues for Expr<T> {
    type Vectors = Vec<T>;
    type Slices<'s> = &'s mut [T];
    const VALUE_BYTES: usize = size_of::<T>();

    fn vectors(&self, results: &mut Results) -> Result<Vec<T>> {
        let column = results.column::<T>()?;
        match column.nulls() {
            0 => Ok(column.into()),
            nulls => Err(unexpected_nulls(nulls)),
        }
    }

    fn memory<'m>(slices: &'m mut &mut [T]) -> Option<&'m mut [u8]> {
        T::bytes_mut(slices)
    }

    fn copy_to(&self, results: &mut Results, out: &mut &mut [T], is_written: bool) -> Result<usize> {
        copy_column(results, out, is_written)
    }
}

/// Copies the next column of a result to `out`, unless the run wrote it there, and returns the number of its rows.
pub(super) fn copy_column<T: Element>(results: &mut Results, out: &mut [T], is_written: bool) -> Result<usize> {
    let (rows, nulls) = results.peek()?;
    if nulls > 0 {
        return Err(unexpected_nulls(nulls));
    }
    if !is_written {
        let column = results.column::<T>()?;
        let room = out.len();
        let Some(out) = out.get_mut(..rows) else {
            return Err(Error::invalid(format!(
                "the result has {rows} values, but the slice has room for {room}: give a longer one"
            )));
        };
        out.copy_from_slice(&column);
    }
    Ok(rows)
}

impl<V: PlainValues, const N: usize> PlainValues for [V; N] {
    type Vectors = [V::Vectors; N];
    type Slices<'s> = [V::Slices<'s>; N];

    fn vectors(&self, results: &mut Results) -> Result<Self::Vectors> {
        let all: Vec<V::Vectors> = self.iter().map(|one| one.vectors(results)).collect::<Result<_>>()?;
        all.try_into().map_err(|_| Error::internal("an array of results changed its length"))
    }

    fn copy_to(&self, results: &mut Results, slices: &mut Self::Slices<'_>, _: bool) -> Result<usize> {
        self.iter().zip(slices).try_fold(0, |_, (one, slices)| one.copy_to(results, slices, false))
    }
}

macro_rules! tuples {
    ($($name:ident $slices:ident)+) => {
        impl<$($name: PlainValues),+> PlainValues for ($($name,)+) {
            type Vectors = ($($name::Vectors,)+);
            type Slices<'s> = ($($name::Slices<'s>,)+);

            #[allow(non_snake_case)]
            fn vectors(&self, results: &mut Results) -> Result<Self::Vectors> {
                let ($($name,)+) = self;
                Ok(($($name.vectors(results)?,)+))
            }

            #[allow(non_snake_case)]
            fn copy_to(&self, results: &mut Results, slices: &mut Self::Slices<'_>, _: bool) -> Result<usize> {
                let (($($name,)+), ($($slices,)+)) = (self, slices);
                let rows = [$($name.copy_to(results, $slices, false)?),+];
                Ok(rows[0])
            }
        }
    };
}

tuples!(A a);
tuples!(A a B b);
tuples!(A a B b C c);
tuples!(A a B b C c D d);
tuples!(A a B b C c D d E e);
tuples!(A a B b C c D d E e F f);
tuples!(A a B b C c D d E e F f G g);
tuples!(A a B b C c D d E e F f G g H h);
tuples!(A a B b C c D d E e F f G g H h I i);
tuples!(A a B b C c D d E e F f G g H h I i J j);
tuples!(A a B b C c D d E e F f G g H h I i J j K k);
tuples!(A a B b C c D d E e F f G g H h I i J j K k L l);

impl<R: PlainValues> Query<'_, R> {
    /// Runs the query and returns its values: a vector for each expression of the row, in the same shape. A null among
    /// them is an error: replace it with [`Expr::coalesce`], or use [`collect`](Query::collect).
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(0u32..4).map(|x| x * x).to_vec()?, [0, 1, 4, 9]);
    /// let (even, half) = s.from(0u32..3).map(|x| ((x % 2).eq(0), x.cast::<f32>() / 2.0)).to_vec()?;
    /// assert_eq!((even, half), (vec![true, false, true], vec![0.0, 0.5, 1.0]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_vec(self) -> Result<R::Vectors> {
        let Query { bound, row } = self;
        Ok(bound.run(|results| row.vectors(results))?.into_value())
    }

    /// Runs the query, writes its values to the start of `out` and returns their number: to a slice for each expression
    /// of the row, in the same shape. A null among them, and a slice that is too short, are errors. A single column as
    /// long as its source is written without a copy.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let mut squares = [0u32; 5];
    /// assert_eq!(s.from(0u32..4).map(|x| x * x).into_slice(&mut squares)?, 4);
    /// assert_eq!(squares, [0, 1, 4, 9, 0]);
    /// let mut halves = [0.0f64; 4];
    /// s.from(0u32..4).map(|x| (x * x, x.cast::<f64>() / 2.0)).into_slice((&mut squares, &mut halves))?;
    /// assert_eq!(halves, [0.0, 0.5, 1.0, 1.5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn into_slice(self, out: R::Slices<'_>) -> Result<usize> {
        let Query { bound, row } = self;
        Ok(bound.run_into(&row, out)?.into_value())
    }

    /// Runs the query and returns its columns as a record batch with these names, one for each expression of the row.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let rows = s.from((&[2.0, 4.0], &[3u32, 5])).map(|(price, count)| (price * count.cast::<f64>(), count));
    /// let batch = rows.to_batch(&["total", "count"])?;
    /// assert_eq!((batch.num_rows(), batch.schema().field(0).name().as_str()), (2, "total"));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "alias")]
    #[track_caller]
    pub fn to_batch(self, names: &[&str]) -> Result<RecordBatch> {
        let at = Location::caller();
        let Query { bound, row } = self;
        let columns = ResultParts::of(&row).values().count();
        if names.len() != columns {
            let what = format!("{} names for {columns} columns: give each column one", names.len());
            return Err(Error::invalid(what).at(at));
        }
        if let Some(twice) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            let what = format!("two columns are named `{}`: give each column a name of its own", names[twice]);
            return Err(Error::invalid(what).at(at));
        }
        Ok(bound.run(|results| results.named_batch(names))?.into_value())
    }
}
