//! Views: the same memory with other axes. Nothing is copied; only [`Array::reshape`] sometimes must.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::layout::{Layout, count};
use crate::number::{Number, Real};
use num_complex::Complex;
use std::ops::RangeBounds;

impl<T: Number> Array<T> {
    /// The array with its axes in reverse order.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let matrix = Array::from_slice(&session, &[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    /// assert_eq!(matrix.transpose().to_vec()?, [1.0, 3.0, 2.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn transpose(&self) -> Array<T> {
        let Layout { mut shape, mut strides, offset } = self.layout.clone();
        shape.reverse();
        strides.reverse();
        self.with_layout(Layout { shape, strides, offset })
    }

    /// The array with its axes in this order: axis `i` of the result is axis `axes[i]` of the array.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let images = Array::<f32>::zeros(&session, &[8, 64, 48, 3])?;
    /// assert_eq!(images.permute(&[0, 3, 1, 2])?.shape(), [8, 3, 64, 48]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn permute(&self, axes: &[usize]) -> Result<Array<T>> {
        Ok(self.with_layout(self.layout.permuted(axes)?))
    }

    /// The indices of a range of an axis, every `step`-th of them. A negative step starts at the last index of the
    /// range and goes backwards.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let digits = Array::range(&session, 0.0, 10.0, 1.0)?;
    /// assert_eq!(digits.slice(0, 2..8, 2)?.to_vec()?, [2.0, 4.0, 6.0]);
    /// assert_eq!(digits.slice(0, 7.., -1)?.to_vec()?, [9.0, 8.0, 7.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn slice(&self, axis: usize, range: impl RangeBounds<usize>, step: isize) -> Result<Array<T>> {
        Ok(self.with_layout(self.layout.sliced(axis, range, step)?))
    }

    /// The part of the array at one index of an axis; the axis is removed.
    pub fn index_axis(&self, axis: usize, index: usize) -> Result<Array<T>> {
        Ok(self.with_layout(self.layout.indexed(axis, index)?))
    }

    /// The array with an axis of size 1 more, before this axis.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let x = Array::range(&session, 0.0, 3.0, 1.0)?;
    /// let outer = (&x.insert_axis(1)? * &x)?;
    /// assert_eq!(outer.shape(), [3, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn insert_axis(&self, axis: usize) -> Result<Array<T>> {
        Ok(self.with_layout(self.layout.with_axis(axis)?))
    }

    /// The array without an axis of size 1.
    #[doc(alias = "squeeze")]
    pub fn remove_axis(&self, axis: usize) -> Result<Array<T>> {
        Ok(self.with_layout(self.layout.without_axis(axis)?))
    }

    /// The array, repeated along axes of size 1 and along new axes in front, until it has this shape.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let row = Array::from_slice(&session, &[1.0, 2.0], &[2])?;
    /// assert_eq!(row.broadcast_to(&[2, 2])?.to_vec()?, [1.0, 2.0, 1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Array<T>> {
        Ok(self.with_layout(self.layout.broadcast_to(shape)?))
    }

    /// The same numbers, in the same order, in another shape. They are copied only if strides cannot express it.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let cube = Array::range(&session, 0.0, 24.0, 1.0)?.reshape(&[2, 3, 4])?;
    /// assert_eq!(cube.index_axis(0, 1)?.index_axis(0, 2)?.to_vec()?, [20.0, 21.0, 22.0, 23.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reshape(&self, shape: &[usize]) -> Result<Array<T>> {
        if count(shape)? != self.len() {
            return Err(Error::ShapeMismatch {
                operation: "reshape",
                left: self.shape().to_vec(),
                right: shape.to_vec(),
                allowed: "a shape of as many numbers",
            });
        }
        match self.layout.reshaped(shape) {
            Some(layout) => Ok(self.with_layout(layout)),
            None => {
                let array = self.contiguous()?;
                Ok(array.with_layout(Layout::contiguous(shape)?))
            }
        }
    }
}

impl<R: Real> Array<Complex<R>> {
    /// The real parts, as a view.
    ///
    /// ```
    /// # use num_complex::Complex;
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let z = Array::from_vec(&session, vec![Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)], &[2])?;
    /// assert_eq!((z.re().to_vec()?, z.im().to_vec()?), (vec![1.0, 3.0], vec![2.0, 4.0]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn re(&self) -> Array<R> {
        self.part(0)
    }

    /// The imaginary parts, as a view.
    pub fn im(&self) -> Array<R> {
        self.part(1)
    }

    fn part(&self, part: usize) -> Array<R> {
        let Layout { shape, strides, offset } = self.layout.clone();
        let strides = strides.into_iter().map(|stride| stride.wrapping_mul(2)).collect();
        let layout = Layout { shape, strides, offset: 2 * offset + part };
        Array { session: self.session.clone(), column: self.column.clone(), layout, receipt: self.receipt.clone() }
    }
}
