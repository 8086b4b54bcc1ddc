//! [`Linear`]: a matrix product and a sum.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::layers::{Backward, Gradients, Layer, check_gradient, check_shape, checked_parameters};
use crate::number::Real;

/// y = x · Wᵀ + b along the last axis: an input of shape `[…, in]` becomes an output of shape `[…, out]`.
///
/// ```
/// use pointsman_numerics::layers::{Backward, Layer, Linear};
/// use pointsman_numerics::{Array, Result};
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let weights = Array::from_slice(&session, &[1.0, 2.0, 0.0, -1.0], &[2, 2])?;
/// let layer = Linear::new(weights, Array::from_slice(&session, &[0.5, 0.0], &[2])?)?;
/// let (output, saved) = layer.forward(&Array::from_slice(&session, &[3.0, 4.0], &[2])?)?;
/// assert_eq!(output.to_vec()?, [11.5, -4.0]);
/// let gradients = saved.backward(&Array::from_slice(&session, &[1.0, 0.0], &[2])?)?;
/// assert_eq!(gradients.input.to_vec()?, [1.0, 2.0]);
/// assert_eq!(gradients.parameters[0].to_vec()?, [3.0, 4.0, 0.0, 0.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Linear<R: Real> {
    weights: Array<R>,
    bias: Array<R>,
}

/// A call of [`Linear`].
#[derive(Clone, Debug)]
pub struct SavedLinear<R: Real> {
    input: Array<R>,
    weights: Array<R>,
}

impl<R: Real> Linear<R> {
    /// A layer with weights of shape `[out, in]` and a bias of shape `[out]`.
    pub fn new(weights: Array<R>, bias: Array<R>) -> Result<Linear<R>> {
        let &[outputs, _] = weights.shape() else {
            let (left, right) = (weights.shape().to_vec(), bias.shape().to_vec());
            let allowed = "weights of shape [out, in] and a bias of shape [out]";
            return Err(Error::ShapeMismatch { operation: "Linear::new", left, right, allowed });
        };
        check_shape("Linear::new", &bias, &[outputs], "a bias with a number for each row of the weights")?;
        Ok(Linear { weights, bias })
    }
}

impl<R: Real> Layer<R> for Linear<R> {
    type Saved = SavedLinear<R>;

    fn forward(&self, input: &Array<R>) -> Result<(Array<R>, SavedLinear<R>)> {
        let output = (input.matmul(&self.weights.transpose())? + &self.bias)?;
        Ok((output, SavedLinear { input: input.clone(), weights: self.weights.clone() }))
    }

    fn parameters(&self) -> Vec<Array<R>> {
        vec![self.weights.clone(), self.bias.clone()]
    }

    fn set_parameters(&mut self, parameters: Vec<Array<R>>) -> Result<()> {
        [self.weights, self.bias] = checked_parameters([&self.weights, &self.bias], parameters)?;
        Ok(())
    }
}

impl<R: Real> Backward<R> for SavedLinear<R> {
    fn backward(&self, gradient: &Array<R>) -> Result<Gradients<R>> {
        let (outputs, inputs) = (self.weights.shape()[0], self.weights.shape()[1]);
        let mut shape = self.input.shape().to_vec();
        if let Some(last) = shape.last_mut() {
            *last = outputs;
        }
        check_gradient(gradient, &shape)?;
        let batch: usize = shape[..shape.len() - 1].iter().product();
        let rows = gradient.reshape(&[batch, outputs])?;
        let weights = rows.transpose().matmul(&self.input.reshape(&[batch, inputs])?)?;
        let bias = rows.sum_axis(0)?;
        Ok(Gradients { input: gradient.matmul(&self.weights)?, parameters: vec![weights, bias] })
    }
}
