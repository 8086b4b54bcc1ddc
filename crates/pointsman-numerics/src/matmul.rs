//! [`Array::matmul`]: products of vectors, matrices and batches of matrices as one call of a query.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::layout::{Layout, broadcast, count};
use crate::number::Number;
use num_complex::Complex;
use pointsman::Lookup;
use pointsman::plan::{Matmul, Numbers, RightOperand, Storage};

/// The types of the left operand of a product and the type of the result: complex if either operand is. Both operands
/// have the same precision. The trait is sealed by [`Number`].
pub trait Promote<U: Number>: Number {
    /// The type of the product.
    type Output: Number<Real = Self::Real>;
}

macro_rules! promotions {
    ($($left:ty, $right:ty => $output:ty;)*) => {$(
        impl Promote<$right> for $left {
            type Output = $output;
        }
    )*};
}

promotions! {
    f32, f32 => f32;
    f32, Complex<f32> => Complex<f32>;
    Complex<f32>, f32 => Complex<f32>;
    Complex<f32>, Complex<f32> => Complex<f32>;
    f64, f64 => f64;
    f64, Complex<f64> => Complex<f64>;
    Complex<f64>, f64 => Complex<f64>;
    Complex<f64>, Complex<f64> => Complex<f64>;
}

impl<T: Number> Array<T> {
    /// The product of two matrices: the last two axes of each array. The axes before them broadcast. A left vector is a
    /// row and a right vector a column; the result lacks that axis. A real and a complex array have a complex product.
    ///
    /// Transposed operands are read where they are; other views are copied by the query of the product.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let matrix = Array::from_slice(&session, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0f64], &[2, 3])?;
    /// let vector = Array::from_slice(&session, &[1.0, 0.0, 2.0], &[3])?;
    /// assert_eq!(matrix.matmul(&vector)?.to_vec()?, [7.0, 16.0]);
    /// assert_eq!(matrix.matmul(&matrix.transpose())?.to_vec()?, [14.0, 32.0, 32.0, 77.0]);
    /// // Many matrices times one.
    /// let batch = Array::<f64>::ones(&session, &[10, 4, 2])?;
    /// assert_eq!(batch.matmul(&matrix)?.shape(), [10, 4, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "dot")]
    pub fn matmul<U: Number<Real = T::Real>>(&self, right: &Array<U>) -> Result<Array<T::Output>>
    where
        T: Promote<U>,
    {
        let mismatch = || Error::ShapeMismatch {
            operation: "matmul",
            left: self.shape().to_vec(),
            right: right.shape().to_vec(),
            allowed: "arrays of at least one axis, where the left one has as many columns as the right one has rows",
        };
        if self.rank() == 0 || right.rank() == 0 {
            return Err(mismatch());
        }
        let (is_row, is_column) = (self.rank() == 1, right.rank() == 1);
        let left = if is_row { self.insert_axis(0)? } else { self.clone() };
        let right = if is_column { right.insert_axis(1)? } else { right.clone() };
        let (left_batch, [rows, inner]) = left.matrices();
        let (right_batch, [right_inner, columns]) = right.matrices();
        if inner != right_inner {
            return Err(mismatch());
        }
        let batch = broadcast("matmul", &left_batch, &right_batch)?;
        let shape = [&batch[..], &[rows, columns]].concat();
        let product = if count(&shape)? == 0 || inner == 0 {
            Array::zeros(&self.session, &shape)?
        } else {
            let is_shared = right_batch.iter().all(|&size| size == 1);
            let right_shape = if is_shared { vec![inner, columns] } else { [&batch[..], &[inner, columns]].concat() };
            let right = if is_shared { right.reshape(&right_shape)? } else { right.broadcast_to(&right_shape)? };
            product(&left.broadcast_to(&[&batch[..], &[rows, inner]].concat())?, &right, shape)?
        };
        let product = if is_column { product.remove_axis(product.rank() - 1)? } else { product };
        if is_row { product.remove_axis(product.rank() - 1 - usize::from(!is_column)) } else { Ok(product) }
    }

    /// The axes before the last two, and those.
    fn matrices(&self) -> (Vec<usize>, [usize; 2]) {
        let (batch, matrix) = self.shape().split_at(self.rank() - 2);
        (batch.to_vec(), [matrix[0], matrix[1]])
    }

    /// The array, or the array with its last two axes swapped, whichever has its numbers in the order of its memory.
    fn by_storage(&self) -> Result<(Array<T>, Storage)> {
        let last = self.rank() - 1;
        let swapped = self.with_layout(self.layout.moved(last, last - 1)?);
        let runs_down = self.strides()[last - 1].unsigned_abs() < self.strides()[last].unsigned_abs();
        if !self.is_whole() && (swapped.is_whole() || runs_down) {
            return Ok((swapped, Storage::Columns));
        }
        Ok((self.clone(), Storage::Rows))
    }
}

/// The product of matrices, none of which is empty. The right operand is one matrix, or has a matrix for each left one.
fn product<T, U, O>(left: &Array<T>, right: &Array<U>, shape: Vec<usize>) -> Result<Array<O>>
where
    T: Number<Real = O::Real>,
    U: Number<Real = O::Real>,
    O: Number,
{
    let (_, [mut rows, inner]) = left.matrices();
    let (_, [_, columns]) = right.matrices();
    let is_shared = right.rank() == 2;
    let (left, left_storage) = left.by_storage()?;
    let (right, right_storage) = right.by_storage()?;
    if is_shared && left_storage == Storage::Rows {
        // The rows of all left matrices make one matrix.
        rows = left.len() / inner;
    }
    let call = Matmul {
        numbers: if O::PARTS == 1 { Numbers::Real } else { Numbers::Complex },
        rows: rows as u64,
        inner: inner as u64,
        columns: columns as u64,
        left: left_storage,
        right: right_storage,
        operand: if is_shared { RightOperand::Shared } else { RightOperand::PerChunk },
    };
    let right = if U::PARTS == O::PARTS { right.into_column()? } else { right.rows_as::<O>()?.collect()? };
    let answer = left.rows_as::<O>()?.call(call, &Lookup::of(&right)?).run()?;
    Ok(Array::from_answer(&left.session, answer, Layout::contiguous(&shape)?))
}
