//! [`Sgd`] and [`Adam`]: steps that change a layer's parameters along their gradients. [`mean_squared_error`] is a loss.
//!
//! In: a layer and the gradients of its parameters. Out: other parameters. An optimizer keeps its state for one layer.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::layers::{Layer, check_shape};
use crate::number::Real;
use pointsman::Expr;

/// The mean of the squares of the differences, and its gradient with respect to the output.
///
/// ```
/// # use pointsman_numerics::layers::mean_squared_error;
/// # use pointsman_numerics::{Array, Result};
/// # fn main() -> Result<()> {
/// # let session = pointsman::Session::open()?;
/// let output = Array::from_slice(&session, &[1.0, 5.0], &[2])?;
/// let (loss, gradient) = mean_squared_error(&output, &Array::from_slice(&session, &[0.0, 5.0], &[2])?)?;
/// assert_eq!((loss, gradient.to_vec()?), (0.5, vec![1.0, 0.0]));
/// # Ok(())
/// # }
/// ```
pub fn mean_squared_error<R: Real>(output: &Array<R>, target: &Array<R>) -> Result<(R, Array<R>)> {
    check_shape("mean_squared_error", target, output.shape(), "a target of the shape of the output")?;
    if output.is_empty() {
        return Err(Error::Empty { operation: "mean_squared_error" });
    }
    let factor = R::from_f64(2.0 / output.len() as f64);
    let gradient = output.zip(target, |x, y| (x - y) * factor)?;
    let loss = output.zip(target, |x, y| (x - y) * (x - y))?.mean()?;
    Ok((loss, gradient))
}

/// Gradient descent with momentum: v ← momentum · v + gradient, and each parameter decreases by rate · v.
#[derive(Clone, Debug)]
pub struct Sgd<R: Real> {
    rate: f64,
    momentum: f64,
    velocities: Vec<Array<R>>,
}

impl<R: Real> Sgd<R> {
    /// Descent with this rate and momentum; a momentum of 0 is plain gradient descent.
    pub const fn new(rate: f64, momentum: f64) -> Sgd<R> {
        Sgd { rate, momentum, velocities: Vec::new() }
    }

    /// Changes the parameters of a layer, always the same one.
    pub fn step(&mut self, layer: &mut impl Layer<R>, gradients: &[Array<R>]) -> Result<()> {
        let parameters = layer.parameters();
        check_gradients(&parameters, gradients)?;
        let [rate, momentum] = [self.rate, self.momentum].map(R::from_f64);
        let velocities = if self.velocities.is_empty() {
            gradients.to_vec()
        } else {
            pairs(&self.velocities, gradients, |v, g| v * momentum + g)?
        };
        layer.set_parameters(pairs(&parameters, &velocities, |p, v| p - v * rate)?)?;
        self.velocities = velocities;
        Ok(())
    }
}

/// The method of Kingma and Ba (2015): steps of about the same size for all parameters, from running means of the
/// gradients and of their squares.
#[derive(Clone, Debug)]
pub struct Adam<R: Real> {
    rate: f64,
    steps: i32,
    means: Vec<Array<R>>,
    squares: Vec<Array<R>>,
}

impl<R: Real> Adam<R> {
    /// How much of the running mean of the gradients each step keeps.
    const KEPT_OF_MEAN: f64 = 0.9;
    /// How much of the running mean of their squares each step keeps.
    const KEPT_OF_SQUARE: f64 = 0.999;
    /// Keeps steps small where all gradients are zero.
    const LEAST_DEVIATION: f64 = 1e-8;

    /// The method with this rate: about the size of the first steps.
    pub const fn new(rate: f64) -> Adam<R> {
        Adam { rate, steps: 0, means: Vec::new(), squares: Vec::new() }
    }

    /// Changes the parameters of a layer, always the same one.
    pub fn step(&mut self, layer: &mut impl Layer<R>, gradients: &[Array<R>]) -> Result<()> {
        let parameters = layer.parameters();
        check_gradients(&parameters, gradients)?;
        if self.steps == 0 {
            let zeros = |array: &Array<R>| Array::zeros(array.session(), array.shape());
            self.means = gradients.iter().map(zeros).collect::<Result<_>>()?;
            self.squares = self.means.clone();
        }
        let kept = |kept: f64| [kept, 1.0 - kept].map(R::from_f64);
        let [[old, new], [old_square, new_square]] = [kept(Self::KEPT_OF_MEAN), kept(Self::KEPT_OF_SQUARE)];
        let means = pairs(&self.means, gradients, |m, g| m * old + g * new)?;
        let squares = pairs(&self.squares, gradients, |s, g| s * old_square + g * g * new_square)?;
        // Both running means start with zero, which these factors correct.
        let steps = self.steps.saturating_add(1);
        let rate = R::from_f64(self.rate / (1.0 - Self::KEPT_OF_MEAN.powi(steps)));
        let scale = R::from_f64(1.0 / (1.0 - Self::KEPT_OF_SQUARE.powi(steps)));
        let least = R::from_f64(Self::LEAST_DEVIATION);
        let changes = pairs(&means, &squares, |m, s| m * rate / ((s * scale).sqrt() + least))?;
        layer.set_parameters(pairs(&parameters, &changes, |p, change| p - change)?)?;
        (self.steps, self.means, self.squares) = (steps, means, squares);
        Ok(())
    }
}

fn check_gradients<R: Real>(parameters: &[Array<R>], gradients: &[Array<R>]) -> Result<()> {
    let operation = "a step of an optimizer";
    if parameters.len() != gradients.len() {
        let (left, right) = (vec![gradients.len()], vec![parameters.len()]);
        return Err(Error::ShapeMismatch { operation, left, right, allowed: "a gradient for each parameter" });
    }
    let mut pairs = parameters.iter().zip(gradients);
    pairs.try_for_each(|(p, g)| check_shape(operation, g, p.shape(), "gradients of the shapes of the parameters"))
}

/// Computes an array from each pair of arrays.
fn pairs<R: Real>(
    left: &[Array<R>],
    right: &[Array<R>],
    f: impl Fn(Expr<R>, Expr<R>) -> Expr<R>,
) -> Result<Vec<Array<R>>> {
    left.iter().zip(right).map(|(left, right)| left.zip(right, &f)).collect()
}
