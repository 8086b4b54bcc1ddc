//! Conversions from and to the arrays of the crate `ndarray`.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::number::Number;
use ndarray::{ArrayBase, ArrayD, Data, Dimension, IxDyn};
use pointsman::Session;

impl<T: Number> Array<T> {
    /// An array of the numbers of an `ndarray` array or view, which are copied.
    ///
    /// ```
    /// use ndarray::array;
    /// use pointsman_numerics::{Array, Result};
    ///
    /// # fn main() -> Result<()> {
    /// let session = pointsman::Session::open()?;
    /// let given = array![[1.0, 2.0], [3.0, 4.0]];
    /// let transposed = Array::from_ndarray(&session, &given.t())?;
    /// assert_eq!(transposed.to_vec()?, [1.0, 3.0, 2.0, 4.0]);
    /// assert_eq!(transposed.to_ndarray()?, given.t().into_dyn());
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_ndarray<S, D>(session: &Session, array: &ArrayBase<S, D>) -> Result<Array<T>>
    where
        S: Data<Elem = T>,
        D: Dimension,
    {
        match array.as_slice() {
            Some(values) => Array::from_slice(session, values, array.shape()),
            None => Array::from_vec(session, array.iter().copied().collect(), array.shape()),
        }
    }

    /// A copy of the numbers as an `ndarray` array.
    pub fn to_ndarray(&self) -> Result<ArrayD<T>> {
        let values = self.to_vec()?;
        let length = Error::Length { values: values.len(), shape: self.shape().to_vec() };
        ArrayD::from_shape_vec(IxDyn(self.shape()), values).map_err(|_| length)
    }
}
