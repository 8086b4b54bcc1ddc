//! [`Conv1d`] and [`Conv2d`]: correlations with weights over channels, and a sum.
//!
//! All three convolutions of a layer — forward, and the gradients of the input and of the weights — are calls of the
//! engine, each by sums or by Fourier transforms, whichever has the smaller predicted cost.

use crate::array::Array;
use crate::convolve::ConvolveMode;
use crate::error::{Error, Result};
use crate::layers::{Backward, Gradients, Layer, check_gradient, check_shape, checked_parameters};
use crate::number::Real;
use pointsman::plan::Direction;

/// A correlation of lines over channels: an input of shape `[…, in, n]` becomes an output of shape `[…, out, n′]`. The
/// mode says which places are computed, as in [`Array::correlate`]; the step between places is 1.
///
/// ```
/// use pointsman_numerics::layers::{Backward, Conv1d, Layer};
/// use pointsman_numerics::{Array, ConvolveMode, Result};
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let weights = Array::from_slice(&session, &[1.0, -1.0], &[1, 1, 2])?;
/// let layer = Conv1d::new(weights, Array::zeros(&session, &[1])?, ConvolveMode::Valid)?;
/// let (output, saved) = layer.forward(&Array::from_slice(&session, &[1.0, 2.0, 4.0], &[1, 1, 3])?)?;
/// assert_eq!(output.to_vec()?, [-1.0, -2.0]);
/// let gradients = saved.backward(&Array::ones(&session, &[1, 1, 2])?)?;
/// assert_eq!(gradients.input.to_vec()?, [1.0, 0.0, -1.0]);
/// assert_eq!(gradients.parameters[0].to_vec()?, [3.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Conv1d<R: Real>(Filters<R>);

/// A correlation of images over channels: an input of shape `[…, in, h, w]` becomes an output of shape `[…, out, h′,
/// w′]`. The mode says which places are computed, as in [`Array::correlate`]; the step between places is 1.
///
/// ```
/// use pointsman_numerics::layers::{Backward, Conv2d, Layer};
/// use pointsman_numerics::{Array, ConvolveMode, Result};
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let weights = Array::<f32>::random_normal(&session, &[4, 3, 5, 5], 1)?;
/// let layer = Conv2d::new(weights, Array::zeros(&session, &[4])?, ConvolveMode::Same)?;
/// let (output, saved) = layer.forward(&Array::ones(&session, &[8, 3, 16, 16])?)?;
/// assert_eq!(output.shape(), [8, 4, 16, 16]);
/// let gradients = saved.backward(&output)?;
/// assert_eq!(gradients.input.shape(), [8, 3, 16, 16]);
/// assert_eq!(gradients.parameters[0].shape(), [4, 3, 5, 5]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Conv2d<R: Real>(Filters<R>);

/// The parameters of a convolution of one or two dimensions.
#[derive(Clone, Debug)]
struct Filters<R: Real> {
    /// `[out, in, m]` or `[out, in, p, q]`.
    weights: Array<R>,
    bias: Array<R>,
    mode: ConvolveMode,
}

/// A call of [`Conv1d`] or [`Conv2d`].
#[derive(Clone, Debug)]
pub struct SavedConv<R: Real> {
    input: Array<R>,
    weights: Array<R>,
    output_shape: Vec<usize>,
    mode: ConvolveMode,
}

macro_rules! convolution_layers {
    ($($layer:ident $name:literal $rank:literal $shape:literal $weights:literal;)*) => {$(
        impl<R: Real> $layer<R> {
            #[doc = concat!("A layer with weights of shape `", $shape, "` and a bias of shape `[out]`.")]
            pub fn new(weights: Array<R>, bias: Array<R>, mode: ConvolveMode) -> Result<$layer<R>> {
                Filters::new($name, $rank, $weights, weights, bias, mode).map($layer)
            }
        }

        impl<R: Real> Layer<R> for $layer<R> {
            type Saved = SavedConv<R>;

            fn forward(&self, input: &Array<R>) -> Result<(Array<R>, SavedConv<R>)> {
                self.0.forward(input)
            }

            fn parameters(&self) -> Vec<Array<R>> {
                vec![self.0.weights.clone(), self.0.bias.clone()]
            }

            fn set_parameters(&mut self, parameters: Vec<Array<R>>) -> Result<()> {
                [self.0.weights, self.0.bias] = checked_parameters([&self.0.weights, &self.0.bias], parameters)?;
                Ok(())
            }
        }
    )*};
}

convolution_layers! {
    Conv1d "Conv1d::new" 3 "[out, in, m]" "weights of shape [out, in, m], none of which is 0, and a bias of shape [out]";
    Conv2d "Conv2d::new" 4 "[out, in, p, q]"
        "weights of shape [out, in, p, q], none of which is 0, and a bias of shape [out]";
}

impl<R: Real> Filters<R> {
    fn new(
        operation: &'static str,
        rank: usize,
        allowed: &'static str,
        weights: Array<R>,
        bias: Array<R>,
        mode: ConvolveMode,
    ) -> Result<Filters<R>> {
        if weights.rank() != rank || weights.is_empty() {
            let (left, right) = (weights.shape().to_vec(), bias.shape().to_vec());
            return Err(Error::ShapeMismatch { operation, left, right, allowed });
        }
        check_shape(operation, &bias, &weights.shape()[..1], "a bias with a number for each output channel")?;
        Ok(Filters { weights, bias, mode })
    }

    fn forward(&self, input: &Array<R>) -> Result<(Array<R>, SavedConv<R>)> {
        let (weights, mode) = (self.weights.clone(), self.mode);
        let mut bias_shape = vec![1; weights.rank() - 1];
        bias_shape[0] = weights.shape()[0];
        let output = (input.correlate(&weights, mode)? + self.bias.reshape(&bias_shape)?)?;
        let output_shape = output.shape().to_vec();
        Ok((output, SavedConv { input: input.clone(), weights, output_shape, mode }))
    }
}

impl<R: Real> SavedConv<R> {
    /// The array with one axis for all axes before those of the channels and of the places.
    fn with_one_batch_axis(&self, array: &Array<R>) -> Result<Array<R>> {
        let (batch, rest) = array.shape().split_at(array.rank() + 1 - self.weights.rank());
        array.reshape(&[&[batch.iter().product()], rest].concat())
    }

    /// The correlation of the input with the gradient: both have the batch in the place of the channels.
    fn weights_gradient(&self, gradient: &Array<R>) -> Result<Array<R>> {
        let sides = self.sides();
        let padding = sides.map(|side| self.mode.padding(side));
        let is_line = self.weights.rank() == 3;
        let swapped = if is_line { vec![1, 0, 2] } else { vec![1, 0, 2, 3] };
        let input = self.with_one_batch_axis(&self.input)?.permute(&swapped)?;
        let gradient = gradient.permute(&swapped)?;
        input.convolve_padded(&gradient, |_| padding, Direction::Correlation, None)?.permute(&swapped)
    }

    /// The convolution of the gradient with the weights, whose channels change sides.
    fn input_gradient(&self, gradient: &Array<R>) -> Result<Array<R>> {
        let mut swapped: Vec<usize> = (0..self.weights.rank()).collect();
        swapped.swap(0, 1);
        let padding =
            |sides: [usize; 2]| sides.map(|side| self.mode.padding(side).map(|zeros| side as u64 - 1 - zeros));
        gradient.convolve_padded(&self.weights.permute(&swapped)?, padding, Direction::Convolution, None)
    }

    /// Height and width of the weights.
    fn sides(&self) -> [usize; 2] {
        match *self.weights.shape() {
            [_, _, height, width] => [height, width],
            [.., width] => [1, width],
            [] => [1, 1],
        }
    }
}

impl<R: Real> Backward<R> for SavedConv<R> {
    fn backward(&self, gradient: &Array<R>) -> Result<Gradients<R>> {
        check_gradient(gradient, &self.output_shape)?;
        let session = gradient.session();
        if gradient.is_empty() {
            let parameters =
                vec![Array::zeros(session, self.weights.shape())?, Array::zeros(session, &self.weights.shape()[..1])?];
            return Ok(Gradients { input: Array::zeros(session, self.input.shape())?, parameters });
        }
        let batched = self.with_one_batch_axis(gradient)?;
        let (batch, channels) = (batched.shape()[0], batched.shape()[1]);
        let places = batched.len() / (batch * channels);
        let bias = batched.reshape(&[batch, channels, places])?.sum_axis(2)?.sum_axis(0)?;
        let input = self.input_gradient(gradient)?;
        Ok(Gradients { input, parameters: vec![self.weights_gradient(&batched)?, bias] })
    }
}
