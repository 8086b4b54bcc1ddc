//! Fourier transforms along an axis, and of the last two axes, as one call of a query each.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::layout::{Layout, count};
use crate::number::{Number, Real};
use num_complex::Complex;
use pointsman::plan::{Fft, Transform};

impl<T: Number> Array<T> {
    /// The discrete Fourier transform along an axis: Σ x_j · e^(−2πi·jk/n). Without a length, `n` is the size of the
    /// axis; with one, the axis is cut to it, or continued with zeros.
    ///
    /// ```
    /// use num_complex::Complex;
    /// use pointsman_numerics::{Array, Result};
    ///
    /// # fn main() -> Result<()> {
    /// let session = pointsman::Session::open()?;
    /// let signal = Array::from_slice(&session, &[1.0, 2.0, 3.0, 4.0], &[4])?;
    /// let spectrum = signal.fft(0, None)?;
    /// assert_eq!(spectrum.to_vec()?[..2], [Complex::new(10.0, 0.0), Complex::new(-2.0, 2.0)]);
    /// assert_eq!(spectrum.ifft(0, None)?.re().to_vec()?, [1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(signal.rfft(0, 8)?.shape(), [5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fft(&self, axis: usize, length: impl Into<Option<usize>>) -> Result<Array<Complex<T::Real>>> {
        self.lines::<Complex<T::Real>, _>("fft", axis, length.into(), Fft::forward)
    }

    /// The inverse of [`Array::fft`], divided by the length.
    pub fn ifft(&self, axis: usize, length: impl Into<Option<usize>>) -> Result<Array<Complex<T::Real>>> {
        self.lines::<Complex<T::Real>, _>("ifft", axis, length.into(), Fft::inverse)
    }

    /// The discrete Fourier transform of the last two axes.
    ///
    /// ```
    /// use pointsman_numerics::{Array, Result};
    ///
    /// # fn main() -> Result<()> {
    /// let session = pointsman::Session::open()?;
    /// let images = Array::<f32>::ones(&session, &[5, 16, 12])?;
    /// assert_eq!(images.fft2()?.shape(), [5, 16, 12]);
    /// assert_eq!(images.rfft2()?.shape(), [5, 16, 7]);
    /// let back = images.rfft2()?.irfft2(12)?;
    /// assert!((&back - &images)?.abs()?.max()? < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fft2(&self) -> Result<Array<Complex<T::Real>>> {
        self.planes::<Complex<T::Real>, _>("fft2", Transform::Forward, None)
    }

    /// The inverse of [`Array::fft2`], divided by the product of the sizes.
    pub fn ifft2(&self) -> Result<Array<Complex<T::Real>>> {
        self.planes::<Complex<T::Real>, _>("ifft2", Transform::Inverse, None)
    }

    /// Transforms all lines along an axis, as numbers of type `I`.
    fn lines<I, O>(
        &self,
        operation: &'static str,
        axis: usize,
        length: Option<usize>,
        transform: impl FnOnce(u64) -> Fft,
    ) -> Result<Array<O>>
    where
        I: Number<Real = T::Real>,
        O: Number<Real = T::Real>,
    {
        self.layout.check_axis(axis)?;
        let length = length.unwrap_or(self.shape()[axis]);
        check_length(operation, length)?;
        let whole = transform(length as u64);
        let [input, _] = whole.whole();
        let given = self.shape()[axis].min(input as usize);
        let last = self.rank() - 1;
        let lines = self.slice(axis, ..given, 1)?.with_axis_moved(axis, last)?;
        lines
            .transformed::<I, O>(Fft { given: given as u64, ..whole }, [1, whole.kept as usize])?
            .with_axis_moved(last, axis)
    }

    /// Transforms the last two axes, as numbers of type `I`; `width` is that of the real numbers of an inverse.
    fn planes<I, O>(&self, operation: &'static str, transform: Transform, width: Option<usize>) -> Result<Array<O>>
    where
        I: Number<Real = T::Real>,
        O: Number<Real = T::Real>,
    {
        self.layout.check_axis(1)?;
        let &[.., height, columns] = self.shape() else { return Err(Error::Axis { axis: 1, rank: self.rank() }) };
        let width = width.unwrap_or(columns);
        check_length(operation, height)?;
        check_length(operation, width)?;
        let plane = Fft::plane(transform, height as u64, width as u64);
        if plane.given != columns as u64 {
            let allowed = "twice the size of the last axis, minus 2 or minus 1";
            return Err(Error::TransformLength { operation, length: width, allowed });
        }
        self.transformed::<I, O>(plane, [height, plane.kept as usize])
    }

    /// Transforms each chunk at the end of the array; its last axes get new sizes.
    pub(crate) fn transformed<I, O>(&self, fft: Fft, [height, width]: [usize; 2]) -> Result<Array<O>>
    where
        I: Number<Real = T::Real>,
        O: Number<Real = T::Real>,
    {
        let mut shape = self.shape().to_vec();
        let rank = shape.len();
        shape[rank - 1] = width;
        if fft.outer > 1 {
            shape[rank - 2] = height;
        }
        if count(&shape)? == 0 || self.is_empty() {
            return Array::zeros(&self.session, &shape);
        }
        let answer = self.rows_as::<I>()?.call(fft, None).run()?;
        Ok(Array::from_answer(&self.session, answer, Layout::contiguous(&shape)?))
    }

    pub(crate) fn with_axis_moved(&self, from: usize, to: usize) -> Result<Array<T>> {
        Ok(self.with_layout(self.layout.moved(from, to)?))
    }
}

fn check_length(operation: &'static str, length: usize) -> Result<()> {
    let allowed = "at least 1 and at most 2^39";
    if (1..=1 << 39).contains(&length) { Ok(()) } else { Err(Error::TransformLength { operation, length, allowed }) }
}

impl<R: Real> Array<R> {
    /// The first `n` / 2 + 1 numbers of the Fourier transform of real numbers along an axis; the others are their
    /// conjugates. Without a length, `n` is the size of the axis; with one, the axis is cut to it, or continued with
    /// zeros.
    pub fn rfft(&self, axis: usize, length: impl Into<Option<usize>>) -> Result<Array<Complex<R>>> {
        self.lines::<R, _>("rfft", axis, length.into(), Fft::real_forward)
    }

    /// The first half of [`Array::fft2`] along the last axis: its size becomes half the old one plus 1.
    pub fn rfft2(&self) -> Result<Array<Complex<R>>> {
        self.planes::<R, _>("rfft2", Transform::RealForward, None)
    }
}

impl<R: Real> Array<Complex<R>> {
    /// The `length` real numbers whose [`Array::rfft`] along the axis is this array. Imaginary parts of numbers that
    /// are real in such a transform are ignored; the axis is cut to `length` / 2 + 1 numbers, or continued with zeros.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let signal = Array::from_slice(&session, &[1.0, 0.0, 2.0], &[3])?;
    /// let back = signal.rfft(0, None)?.irfft(0, 3)?;
    /// assert!((&back - &signal)?.abs()?.max()? < 1e-15);
    /// # Ok(())
    /// # }
    /// ```
    pub fn irfft(&self, axis: usize, length: usize) -> Result<Array<R>> {
        self.lines::<Complex<R>, _>("irfft", axis, Some(length), Fft::real_inverse)
    }

    /// The real numbers whose [`Array::rfft2`] is this array; the last axis gets the size `width`.
    pub fn irfft2(&self, width: usize) -> Result<Array<R>> {
        self.planes::<Complex<R>, _>("irfft2", Transform::RealInverse, Some(width))
    }
}
