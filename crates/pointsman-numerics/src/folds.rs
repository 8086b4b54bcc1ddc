//! Folds: sums, means, extremes and products of a whole array, or along one axis.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::expr::NumberExpr;
use crate::number::{Number, Real};
use crate::query::{Position, Reader, compute, with_positions};
use pointsman::{Expr, Query, repeat};

/// From this size on, an axis may be folded in parts.
const LONG_AXIS: usize = 1024;
/// So many folds keep all threads busy without parts.
const MANY_RESULTS: usize = 1024;
/// Numbers this far apart lie in different pages of memory: a loop over many of them waits for each.
const FAR_STRIDE: usize = 512;
/// So many distant numbers are read at once without waiting, each in a sequence of its own.
const FAR_PART: usize = 8;
/// The most iterations of a loop in a query.
const LOOP_MAX: usize = 1 << 24;

/// The real and the imaginary part of a number.
type Parts<R> = (Expr<R>, Expr<R>);

impl<T: Number> Array<T> {
    /// The sum of all numbers; zero if there are none.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let matrix = Array::from_slice(&session, &[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    /// assert_eq!((matrix.sum()?, matrix.mean()?, matrix.product()?), (10.0, 2.5, 24.0));
    /// assert_eq!(matrix.sum_axis(0)?.to_vec()?, [4.0, 6.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn sum(&self) -> Result<T> {
        if self.is_empty() {
            return Ok(T::default());
        }
        if T::PARTS == 1 {
            return Ok(T::from_parts([self.rows()?.sum()?, T::Real::default()]));
        }
        let (re, im) = self.complex_parts()?.reduce(|(re, im)| (re.sum(), im.sum()))?;
        Ok(T::from_parts([re, im]))
    }

    /// The mean of all numbers, computed in double precision. An array without numbers is an error.
    pub fn mean(&self) -> Result<T> {
        let none = Error::Empty { operation: "mean" };
        if self.is_empty() {
            return Err(none);
        }
        let real = |mean: Option<f64>| mean.map(T::Real::from_f64);
        if T::PARTS == 1 {
            return Ok(T::from_parts([real(self.rows()?.mean()?).ok_or(none)?, T::Real::default()]));
        }
        let (re, im) = self.complex_parts()?.reduce(|(re, im)| (re.mean(), im.mean()))?;
        Ok(T::from_parts([real(re).ok_or(none.clone())?, real(im).ok_or(none)?]))
    }

    /// The product of all numbers; one if there are none.
    pub fn product(&self) -> Result<T> {
        Ok(self.reshape(&[self.len()])?.product_axis(0)?.to_vec()?[0])
    }

    /// The sums along an axis, which is removed. A short axis is added up in order, a long one in parts, which depend on
    /// the shape and the strides alone.
    pub fn sum_axis(&self, axis: usize) -> Result<Array<T>> {
        self.fold_axis(axis, T::default(), |sum, x| sum + x)
    }

    /// The means along an axis, which is removed: [`Array::sum_axis`], divided. An axis of size 0 is an error.
    pub fn mean_axis(&self, axis: usize) -> Result<Array<T>> {
        let size = self.axis_with_numbers("mean_axis", axis)?;
        self.sum_axis(axis)? / T::from_real(T::Real::from_f64(size as f64))
    }

    /// The products along an axis, which is removed, in the order of [`Array::sum_axis`].
    pub fn product_axis(&self, axis: usize) -> Result<Array<T>> {
        self.fold_axis(axis, T::from_real(T::Real::from_f64(1.0)), |product, x| product * x)
    }

    /// The size of an axis, which must not be 0.
    fn axis_with_numbers(&self, operation: &'static str, axis: usize) -> Result<usize> {
        self.layout.check_axis(axis)?;
        if self.shape()[axis] == 0 { Err(Error::Empty { operation }) } else { Ok(self.shape()[axis]) }
    }

    /// The parts of each number.
    fn complex_parts(&self) -> Result<Query<'_, Parts<T::Real>>> {
        let reader = self.reader()?;
        Ok(with_positions!(self.largest_row(), I => {
            self.session.from(I::rows(self.len())).map(|i| reader.at(i).to_complex().parts())
        }))
    }

    /// Folds an axis; without numbers, each result is `init`.
    fn fold_axis(&self, axis: usize, init: T, step: impl Fn(T::Expr, T::Expr) -> T::Expr + Copy) -> Result<Array<T>> {
        self.layout.check_axis(axis)?;
        if self.shape()[axis] == 0 {
            return Array::full(&self.session, &self.layout.dropped(axis).shape, init);
        }
        self.fold_numbers(axis, step)
    }

    /// Folds an axis that has numbers: in a loop for each result, which starts with the first number. Parts of the axis
    /// are folded first if there are few results, so that all threads have work, or if the numbers are far apart.
    fn fold_numbers(&self, axis: usize, step: impl Fn(T::Expr, T::Expr) -> T::Expr + Copy) -> Result<Array<T>> {
        let size = self.shape()[axis];
        let Some(part) = self.fold_part(axis) else {
            let fold = self.axis_fold(axis)?;
            return with_positions!(self.largest_row(), I => {
                compute::<I, _>(&self.session, &fold.shape, |position| fold.run(position, step))
            });
        };
        let parts = size / part;
        let mut shape = self.shape().to_vec();
        shape.splice(axis..=axis, [parts, part]);
        let folded = self.slice(axis, ..parts * part, 1)?.reshape(&shape)?.fold_numbers(axis + 1, step)?;
        let folded = folded.fold_numbers(axis, step)?;
        if parts * part == size {
            return Ok(folded);
        }
        folded.zip(&self.slice(axis, parts * part.., 1)?.fold_numbers(axis, step)?, step)
    }

    /// The size of the parts in which an axis with numbers is folded; `None` if it is folded as a whole.
    fn fold_part(&self, axis: usize) -> Option<usize> {
        let (size, stride) = (self.shape()[axis], self.strides()[axis].unsigned_abs());
        if stride >= FAR_STRIDE && size >= 2 * FAR_PART {
            return Some(FAR_PART);
        }
        let is_short = size < LONG_AXIS || (size <= LOOP_MAX && self.len() / size >= MANY_RESULTS);
        (!is_short).then(|| size.isqrt())
    }

    fn axis_fold(&self, axis: usize) -> Result<AxisFold<T>> {
        let first = self.layout.dropped(axis);
        let stride = self.layout.strides[axis].wrapping_mul(T::PARTS as isize);
        let others = self.shape()[axis] as u32 - 1;
        Ok(AxisFold { first: Reader::new(&self.column, &first)?, shape: first.shape, others, stride })
    }
}

/// A fold along one axis.
struct AxisFold<T: Number> {
    /// Reads the first number of each fold.
    first: Reader<T>,
    /// The shape of the result.
    shape: Vec<usize>,
    /// The numbers of a fold but the first.
    others: u32,
    /// The rows from one number of the axis to the next.
    stride: isize,
}

impl<T: Number> AxisFold<T> {
    /// The fold at a position of the result.
    fn run<I: Position>(&self, position: Expr<I>, step: impl FnOnce(T::Expr, T::Expr) -> T::Expr) -> T::Expr {
        let first = self.first.row(position);
        let init = self.first.at_row(first).into_state();
        let stride = I::wrapping(self.stride);
        let (state, _) = repeat(self.others, (init, first), |_, (state, row): (_, Expr<I>)| {
            let row = row + stride;
            let folded = step(T::Expr::from_state(state), self.first.at_row(row));
            (folded.into_state(), row)
        });
        T::Expr::from_state(state)
    }
}

impl<R: Real> Array<R> {
    /// The smallest number; NaN only if all numbers are NaN. An array without numbers is an error.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let matrix = Array::from_slice(&session, &[1.0, f64::NAN, -3.0, 4.0], &[2, 2])?;
    /// assert_eq!(matrix.min()?, -3.0);
    /// assert!(matrix.max()?.is_nan());
    /// assert_eq!(matrix.min_axis(1)?.to_vec()?, [1.0, -3.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn min(&self) -> Result<R> {
        self.check_not_empty("min")?;
        self.rows()?.min()?.ok_or(Error::Empty { operation: "min" })
    }

    /// The greatest number; NaN if any number is NaN. An array without numbers is an error.
    pub fn max(&self) -> Result<R> {
        self.check_not_empty("max")?;
        self.rows()?.max()?.ok_or(Error::Empty { operation: "max" })
    }

    /// The smallest numbers along an axis, which is removed. An axis of size 0 is an error.
    pub fn min_axis(&self, axis: usize) -> Result<Array<R>> {
        self.axis_with_numbers("min_axis", axis)?;
        self.fold_numbers(axis, |least, x| least.least(x))
    }

    /// The greatest numbers along an axis, which is removed. An axis of size 0 is an error.
    pub fn max_axis(&self, axis: usize) -> Result<Array<R>> {
        self.axis_with_numbers("max_axis", axis)?;
        self.fold_numbers(axis, |greatest, x| greatest.greatest(x))
    }
}
