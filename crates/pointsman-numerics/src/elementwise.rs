//! Elementwise operations: [`Array::map`], [`Array::zip`], and operators. Each runs one query.

use crate::array::Array;
use crate::error::Result;
use crate::expr::{NumberExpr, RealOf};
use crate::layout::{Layout, broadcast, count};
use crate::number::{Number, Real};
use crate::query::{Position, Reader, compute, part_in, with_positions};
use num_complex::Complex;
use pointsman::{Expr, Lookup, Query};
use std::ops::{Add, Div, Mul, Neg, Sub};

impl<T: Number> Array<T> {
    /// Computes a number from each number. The closure runs once, while the query is built, and sees an expression:
    /// [`Expr`] for real numbers, [`ComplexExpr`](crate::ComplexExpr) for complex ones. The type of its result is the
    /// type of the new array.
    ///
    /// ```
    /// use pointsman_numerics::{Array, ComplexExpr, Result};
    ///
    /// # fn main() -> Result<()> {
    /// let session = pointsman::Session::open()?;
    /// let x = Array::<f64>::range(&session, 0.0, 4.0, 1.0)?;
    /// assert_eq!(x.map(|x| x * x + 1.0)?.to_vec()?, [1.0, 2.0, 5.0, 10.0]);
    /// let on_circle = x.map(|x| ComplexExpr::new(x.cos(), x.sin()))?;
    /// assert!((on_circle.map(|z| z.arg())?.to_vec()?[3] - 3.0).abs() < 1e-15);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn map<E: NumberExpr>(&self, f: impl FnOnce(T::Expr) -> E) -> Result<Array<E::Number>> {
        if T::PARTS == E::Number::PARTS && self.is_whole() && !self.is_empty() {
            let column = Lookup::of(&self.column)?;
            return with_positions!(self.largest_row(), I => {
                let rows = self.session.from((I::rows(self.column.len()), &self.column));
                let number = |row, x| f(T::Expr::around(&column, row, x));
                self.finish::<E>(rows.map(|(row, x)| part_in(row, number(row, x))), self.shape())
            });
        }
        let reader = self.reader()?;
        with_positions!(self.largest_row(), I => compute::<I, E>(&self.session, self.shape(), |i| f(reader.at(i))))
    }

    /// Computes a number from each pair of numbers of two arrays, whose shapes broadcast as in NumPy: from the last
    /// axis backwards, sizes are equal or 1, and missing axes have size 1. The closure runs once, as that of
    /// [`Array::map`]. The arrays may have different types. The query runs in the session of the left array.
    ///
    /// ```
    /// use pointsman_numerics::{Array, Result};
    ///
    /// # fn main() -> Result<()> {
    /// let session = pointsman::Session::open()?;
    /// let x = Array::from_slice(&session, &[3.0, 8.0f64], &[2, 1])?;
    /// let y = Array::from_slice(&session, &[4.0, 6.0], &[2])?;
    /// let length = x.zip(&y, |x, y| x.hypot(y))?;
    /// assert_eq!((length.shape(), length.to_vec()?), (&[2, 2][..], vec![5.0, 45f64.sqrt(), 80f64.sqrt(), 10.0]));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn zip<U: Number, E: NumberExpr>(
        &self,
        other: &Array<U>,
        f: impl FnOnce(T::Expr, U::Expr) -> E,
    ) -> Result<Array<E::Number>> {
        let shape = broadcast("an elementwise operation", self.shape(), other.shape())?;
        let are_alike = T::PARTS == E::Number::PARTS && U::PARTS == E::Number::PARTS;
        let are_whole = self.is_whole() && other.is_whole() && self.shape() == other.shape();
        if are_alike && are_whole && !self.is_empty() {
            let (left, right) = (Lookup::of(&self.column)?, Lookup::of(&other.column)?);
            return with_positions!(self.largest_row(), I => {
                let rows = self.session.from((I::rows(self.column.len()), &self.column, &other.column));
                let number = |row, x, y| f(T::Expr::around(&left, row, x), U::Expr::around(&right, row, y));
                self.finish::<E>(rows.map(|(row, x, y)| part_in(row, number(row, x, y))), &shape)
            });
        }
        let left = Reader::<T>::new(&self.column, &self.layout.broadcast_to(&shape)?)?;
        let right = Reader::<U>::new(&other.column, &other.layout.broadcast_to(&shape)?)?;
        let rows = 2 * count(&shape)?;
        let largest = rows.max(self.largest_row()).max(other.largest_row());
        with_positions!(largest, I => {
            compute::<I, E>(&self.session, &shape, |i| f(left.at(i), right.at(i)))
        })
    }

    /// Runs a query that computes the parts of an array of this shape, row by row.
    fn finish<E: NumberExpr>(&self, numbers: Query<'_, Expr<RealOf<E>>>, shape: &[usize]) -> Result<Array<E::Number>> {
        Ok(Array::from_answer(&self.session, numbers.run()?, Layout::contiguous(shape)?))
    }
}

impl<R: Real> Array<R> {
    /// The magnitudes.
    pub fn abs(&self) -> Result<Array<R>> {
        self.map(|x| x.abs())
    }
}

impl<R: Real> Array<Complex<R>> {
    /// The magnitudes.
    pub fn abs(&self) -> Result<Array<R>> {
        self.map(|z| z.abs())
    }

    /// The numbers with their imaginary parts negated.
    pub fn conj(&self) -> Result<Array<Complex<R>>> {
        self.map(|z| z.conj())
    }
}

/// Operators between arrays, which broadcast, and between arrays and numbers. The result is a [`Result`].
macro_rules! operators {
    ($($trait:ident $method:ident;)*) => {$(
        operators!(@arrays $trait $method, &Array<T>, &Array<T>);
        operators!(@arrays $trait $method, &Array<T>, Array<T>);
        operators!(@arrays $trait $method, Array<T>, &Array<T>);
        operators!(@arrays $trait $method, Array<T>, Array<T>);
        operators!(@scalar $trait $method, &Array<T>);
        operators!(@scalar $trait $method, Array<T>);
        operators!(@left $trait $method, f32);
        operators!(@left $trait $method, f64);
        operators!(@left $trait $method, Complex<f32>);
        operators!(@left $trait $method, Complex<f64>);
    )*};
    (@arrays $trait:ident $method:ident, $left:ty, $right:ty) => {
        impl<T: Number> $trait<$right> for $left {
            type Output = Result<Array<T>>;

            #[track_caller]
            fn $method(self, right: $right) -> Result<Array<T>> {
                self.zip(&right, |x, y| $trait::$method(x, y))
            }
        }
    };
    (@scalar $trait:ident $method:ident, $left:ty) => {
        impl<T: Number> $trait<T> for $left {
            type Output = Result<Array<T>>;

            #[track_caller]
            fn $method(self, right: T) -> Result<Array<T>> {
                self.map(|x| $trait::$method(x, right.into_number_expr()))
            }
        }
    };
    (@left $trait:ident $method:ident, $number:ty) => {
        impl $trait<&Array<$number>> for $number {
            type Output = Result<Array<$number>>;

            #[track_caller]
            fn $method(self, right: &Array<$number>) -> Result<Array<$number>> {
                right.map(|x| $trait::$method(self.into_number_expr(), x))
            }
        }

        impl $trait<Array<$number>> for $number {
            type Output = Result<Array<$number>>;

            #[track_caller]
            fn $method(self, right: Array<$number>) -> Result<Array<$number>> {
                $trait::$method(self, &right)
            }
        }
    };
}

operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl<T: Number> Neg for &Array<T> {
    type Output = Result<Array<T>>;

    #[track_caller]
    fn neg(self) -> Result<Array<T>> {
        self.map(|x| -x)
    }
}

impl<T: Number> Neg for Array<T> {
    type Output = Result<Array<T>>;

    #[track_caller]
    fn neg(self) -> Result<Array<T>> {
        -&self
    }
}
