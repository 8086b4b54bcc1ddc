//! [`Array`]: numbers of one type in a shape, over a column. Views share the column and change the layout only.

use crate::error::{Error, Result};
use crate::layout::{Layout, count};
use crate::number::{Number, Real};
use pointsman::arrow::array::PrimitiveArray;
use pointsman::types::ArrowElement;
use pointsman::{Answer, Column, Receipt, Session};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Numbers of type `T` in a shape of any number of axes. Arrays are immutable; clones and views share the memory.
///
/// An array keeps a clone of its [`Session`], in which its operations run as queries. An array that a device with memory
/// of its own made stays there for the operations that read it next, with a copy in the host's memory. Axes are counted from 0; numbers
/// are listed and stored row by row, the last axis fastest. Every operation returns a [`Result`] and never panics.
///
/// ```
/// use pointsman_numerics::{Array, Result};
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let matrix = Array::from_slice(&session, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0f64], &[2, 3])?;
/// let column = matrix.slice(1, 0..1, 1)?;
/// let centred = (&matrix - &column)?;
/// assert_eq!(centred.to_vec()?, [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
/// assert_eq!(matrix.transpose().matmul(&matrix)?.shape(), [3, 3]);
/// println!("{}", centred.receipt().expect("a query made it"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[doc(alias = "ndarray")]
#[doc(alias = "tensor")]
#[doc(alias = "matrix")]
pub struct Array<T: Number> {
    pub(crate) session: Session,
    /// The parts of the numbers; complex numbers are interleaved.
    pub(crate) column: Column<T::Real>,
    pub(crate) layout: Layout,
    pub(crate) receipt: Option<Arc<Receipt>>,
}

impl<T: Number> Array<T> {
    /// An array of these values, row by row. A vector of real numbers is not copied.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let array = Array::from_vec(&session, vec![1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
    /// assert_eq!(array.index_axis(0, 1)?.to_vec()?, [3.0, 4.0]);
    /// assert!(Array::from_vec(&session, vec![1.0f32], &[2, 2]).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_vec(session: &Session, values: Vec<T>, shape: &[usize]) -> Result<Array<T>> {
        let parts: Vec<T::Real> = bytemuck::allocation::try_cast_vec(values)
            .unwrap_or_else(|(_, values)| bytemuck::cast_slice(&values).to_vec());
        Array::from_column(session, Column::from(parts), shape)
    }

    /// An array of a copy of these values, row by row.
    pub fn from_slice(session: &Session, values: &[T], shape: &[usize]) -> Result<Array<T>> {
        Array::from_column(session, Column::from(bytemuck::cast_slice::<T, T::Real>(values)), shape)
    }

    /// An array over a column, without a copy. A complex number takes two values, its real part first. Nulls are an
    /// error.
    ///
    /// ```
    /// # use num_complex::Complex;
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let squares = session.from(0u32..4).map(|i| (i * i).cast::<f64>()).collect()?;
    /// let array = Array::<Complex<f64>>::from_column(&session, squares, &[2])?;
    /// assert_eq!(array.to_vec()?, [Complex::new(0.0, 1.0), Complex::new(4.0, 9.0)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_column(session: &Session, column: Column<T::Real>, shape: &[usize]) -> Result<Array<T>> {
        let layout = Layout::contiguous(shape)?;
        if layout.count().checked_mul(T::PARTS) != Some(column.len()) {
            return Err(Error::Length { values: column.len() / T::PARTS, shape: shape.to_vec() });
        }
        if column.nulls() > 0 {
            return Err(Error::Nulls { nulls: column.nulls() });
        }
        Ok(Array { session: session.clone(), column, layout, receipt: None })
    }

    /// An array of the values of an Arrow array, which are copied. A complex number takes two values, its real part
    /// first. Nulls are an error.
    ///
    /// ```
    /// # use pointsman::arrow::array::Float64Array;
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let array = Array::<f64>::from_arrow(&session, &Float64Array::from(vec![1.0, 2.0]), &[2, 1])?;
    /// assert_eq!(array.shape(), [2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_arrow<A: ArrowElement<Element = T::Real>>(
        session: &Session,
        values: &PrimitiveArray<A>,
        shape: &[usize],
    ) -> Result<Array<T>> {
        Array::from_column(session, session.from(values).map(|value| value).collect()?, shape)
    }

    /// An array of zeros.
    pub fn zeros(session: &Session, shape: &[usize]) -> Result<Array<T>> {
        Array::full(session, shape, T::default())
    }

    /// An array of ones.
    pub fn ones(session: &Session, shape: &[usize]) -> Result<Array<T>> {
        Array::full(session, shape, T::from_real(T::Real::from_f64(1.0)))
    }

    /// An array that holds one value everywhere.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// assert_eq!(Array::full(&session, &[2, 2], 0.5)?.to_vec()?, [0.5; 4]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn full(session: &Session, shape: &[usize], value: T) -> Result<Array<T>> {
        Array::from_vec(session, repeated(value, shape)?, shape)
    }

    /// The square matrix with ones on its diagonal and zeros elsewhere.
    #[doc(alias = "eye")]
    pub fn identity(session: &Session, size: usize) -> Result<Array<T>> {
        let mut values = repeated(T::default(), &[size, size])?;
        values.iter_mut().step_by(size + 1).for_each(|value| *value = T::from_real(T::Real::from_f64(1.0)));
        Array::from_vec(session, values, &[size, size])
    }

    /// The array that a query computed, row by row.
    pub(crate) fn from_answer(session: &Session, answer: Answer<Column<T::Real>>, layout: Layout) -> Array<T> {
        let (column, receipt) = answer.into_parts();
        Array { session: session.clone(), column, layout, receipt: Some(Arc::new(receipt)) }
    }

    /// The array in another layout over the same memory.
    pub(crate) fn with_layout(&self, layout: Layout) -> Array<T> {
        Array { layout, ..self.clone() }
    }

    /// The size of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// The distance in memory between neighbours along each axis, in numbers.
    pub fn strides(&self) -> &[isize] {
        &self.layout.strides
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// The number of numbers.
    pub fn len(&self) -> usize {
        self.layout.count()
    }

    /// Whether there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The session in which the operations of the array run.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The receipt of the query that computed the numbers of the array, the last one if an operation took several; `None`
    /// if no query did.
    pub fn receipt(&self) -> Option<&Receipt> {
        self.receipt.as_deref()
    }

    /// Whether the numbers follow each other in memory, in the order of their indices.
    pub fn is_contiguous(&self) -> bool {
        self.layout.is_contiguous()
    }

    /// The array with its numbers in order in memory. If they already are, no query runs.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let transposed = Array::range(&session, 0.0, 6.0, 1.0)?.reshape(&[2, 3])?.transpose();
    /// assert!(!transposed.is_contiguous());
    /// assert_eq!(transposed.contiguous()?.strides(), [2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn contiguous(&self) -> Result<Array<T>> {
        if self.is_contiguous() {
            return Ok(self.clone());
        }
        let answer = self.rows()?.run()?;
        Ok(Array::from_answer(&self.session, answer, Layout::contiguous(self.shape())?))
    }

    /// The numbers, in the order of their indices.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let array = self.contiguous()?;
        Ok(bytemuck::pod_collect_to_vec(array.contiguous_rows()))
    }

    /// The numbers as a column, in the order of their indices; a complex number takes two values. Nothing is copied if
    /// they are in that order in memory.
    pub fn into_column(self) -> Result<Column<T::Real>> {
        let array = self.contiguous()?;
        if array.is_whole() { Ok(array.column) } else { Ok(array.column.slice(array.contiguous_range())?) }
    }

    /// The rows of an array whose numbers follow each other.
    fn contiguous_rows(&self) -> &[T::Real] {
        &self.column[self.contiguous_range()]
    }

    /// The rows of the column that an array has whose numbers follow each other.
    pub(crate) fn contiguous_range(&self) -> Range<usize> {
        if self.is_empty() {
            return 0..0;
        }
        let start = self.layout.offset * T::PARTS;
        start..start + self.len() * T::PARTS
    }
}

/// A value for each index of a shape.
fn repeated<T: Number>(value: T, shape: &[usize]) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let numbers = count(shape)?;
    values.try_reserve_exact(numbers).map_err(|_| Error::OutOfMemory { shape: shape.to_vec() })?;
    values.resize(numbers, value);
    Ok(values)
}

impl<R: Real> Array<R> {
    /// The numbers `start`, `start + step`, and so on, as long as they are before `end`: below it, or above it if the
    /// step is negative.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// assert_eq!(Array::range(&session, 1.0, 2.0, 0.25)?.to_vec()?, [1.0, 1.25, 1.5, 1.75]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "arange")]
    pub fn range(session: &Session, start: R, end: R, step: R) -> Result<Array<R>> {
        let (first, last, by): (f64, f64, f64) = (start.into(), end.into(), step.into());
        let steps = ((last - first) / by).ceil();
        if by == 0.0 || steps.is_nan() {
            return Err(Error::Step);
        }
        // Saturates, so that too many numbers are an error of the shape.
        let layout = Layout::contiguous(&[steps.max(0.0) as usize])?;
        let numbers = session.from(0..layout.count() as u64);
        let answer = numbers.map(|i| i.cast::<R>() * step + start).run()?;
        Ok(Array::from_answer(session, answer, layout))
    }
}

impl<T: Number> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = std::any::type_name::<T>();
        f.debug_struct("Array")
            .field("of", &name)
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .finish()
    }
}
