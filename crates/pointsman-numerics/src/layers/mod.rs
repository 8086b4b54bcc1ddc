//! Layers of neural networks with forward and backward passes: [`Linear`], [`Conv1d`], [`Conv2d`], and fractional
//! derivatives and integrals whose order is learned.
//!
//! In: arrays. Out: arrays, and gradients. [`Layer::forward`] returns its output together with what the backward pass
//! needs: the input and the parameters of that very call. A backward pass reads nothing else, so it can never use values
//! of another call, and parameters may change in between. Each pass is a few operations on arrays, and each of them
//! chooses its device.
//!
//! ```
//! use pointsman_numerics::layers::{Adam, Backward, Layer, Linear, mean_squared_error};
//! use pointsman_numerics::{Array, Result};
//!
//! # fn main() -> Result<()> {
//! let session = pointsman::Session::open()?;
//! let input = Array::<f64>::random_normal(&session, &[64, 3], 1)?;
//! let hidden = Array::from_slice(&session, &[1.0, -2.0, 0.5], &[1, 3])?;
//! let target = input.matmul(&hidden.transpose())?;
//!
//! let mut layer = Linear::new(Array::zeros(&session, &[1, 3])?, Array::zeros(&session, &[1])?)?;
//! let mut adam = Adam::new(0.1);
//! let mut loss = f64::INFINITY;
//! for _ in 0..200 {
//!     let (output, saved) = layer.forward(&input)?;
//!     let (error, gradient) = mean_squared_error(&output, &target)?;
//!     adam.step(&mut layer, &saved.backward(&gradient)?.parameters)?;
//!     loss = error;
//! }
//! assert!(loss < 1e-3, "{loss}");
//! # Ok(())
//! # }
//! ```

mod conv;
mod fractional;
mod linear;
mod optimizer;

pub use conv::{Conv1d, Conv2d, SavedConv};
pub use fractional::{FractionalDerivative, FractionalIntegral, SavedFractional};
pub use linear::{Linear, SavedLinear};
pub use optimizer::{Adam, Sgd, mean_squared_error};

use crate::array::Array;
use crate::error::{Error, Result};
use crate::number::Real;

/// A function of arrays with parameters that can be learned.
pub trait Layer<R: Real> {
    /// What [`Layer::forward`] keeps for the backward pass.
    type Saved: Backward<R>;

    /// The output for an input, and what the backward pass needs of this call.
    fn forward(&self, input: &Array<R>) -> Result<(Array<R>, Self::Saved)>;

    /// The parameters. Their order is that of [`Gradients::parameters`].
    fn parameters(&self) -> Vec<Array<R>>;

    /// Replaces all parameters by others of the same shapes. If one does not fit or is outside its domain, none changes.
    fn set_parameters(&mut self, parameters: Vec<Array<R>>) -> Result<()>;
}

/// A call of a layer, for its backward pass.
pub trait Backward<R: Real> {
    /// The gradients of a loss with respect to the input and the parameters of the call, from its gradient with respect
    /// to the output.
    fn backward(&self, gradient: &Array<R>) -> Result<Gradients<R>>;
}

/// What [`Backward::backward`] computes.
#[derive(Clone, Debug)]
pub struct Gradients<R: Real> {
    /// The gradient with respect to the input, in its shape.
    pub input: Array<R>,
    /// The gradients with respect to the parameters, in their shapes, in the order of [`Layer::parameters`].
    pub parameters: Vec<Array<R>>,
}

/// An error if an array has another shape than it must have.
fn check_shape<R: Real>(
    operation: &'static str,
    found: &Array<R>,
    wanted: &[usize],
    allowed: &'static str,
) -> Result<()> {
    if found.shape() == wanted {
        return Ok(());
    }
    Err(Error::ShapeMismatch { operation, left: found.shape().to_vec(), right: wanted.to_vec(), allowed })
}

/// An error if the gradient of an output has another shape than the output.
fn check_gradient<R: Real>(gradient: &Array<R>, output: &[usize]) -> Result<()> {
    check_shape("a backward pass", gradient, output, "a gradient of the shape of the forward pass's output")
}

/// The new parameters, if their number and their shapes are those of the old ones.
fn checked_parameters<R: Real, const N: usize>(old: [&Array<R>; N], new: Vec<Array<R>>) -> Result<[Array<R>; N]> {
    let allowed = "parameters of the shapes of the old ones";
    for (new, old) in new.iter().zip(old) {
        check_shape("set_parameters", new, old.shape(), allowed)?;
    }
    new.try_into().map_err(|new: Vec<Array<R>>| Error::ShapeMismatch {
        operation: "set_parameters",
        left: vec![new.len()],
        right: vec![N],
        allowed: "as many parameters as the layer has",
    })
}
