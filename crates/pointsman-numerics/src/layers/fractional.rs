//! [`FractionalDerivative`] and [`FractionalIntegral`]: layers whose only parameter is an order.
//!
//! Both are the Grünwald–Letnikov sum of an exponent e: y_n = h^−e · Σ w_k · x_(n−k), with w_0 = 1 and w_k = w_(k−1) · (1
//! − (e + 1)/k); e is the order of the derivative, or minus that of the integral. The derivative of a weight with respect
//! to e follows from the same recursion, so that the gradient of the order is one more convolution.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::fractional::weighted_past;
use crate::layers::{Backward, Gradients, Layer, check_gradient, check_shape, checked_parameters};
use crate::number::Real;
use pointsman::Session;

/// The greatest order: beyond, the weights of alternating sign cancel all digits.
const ORDER_MAX: f64 = 8.0;

/// The Grünwald–Letnikov derivative along the last axis, from its first point on, whose order is a parameter. The error
/// of a smooth signal that starts with zeros is of the order of the step.
///
/// ```
/// use pointsman_numerics::layers::{Backward, FractionalDerivative, Layer};
/// use pointsman_numerics::{Array, Result};
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let layer = FractionalDerivative::<f64>::new(&session, 1.0, 0.5)?;
/// let (output, saved) = layer.forward(&Array::from_slice(&session, &[0.0, 1.0, 4.0], &[3])?)?;
/// // Of order 1: the differences, divided by the step.
/// assert!((&output - &Array::from_slice(&session, &[0.0, 2.0, 6.0], &[3])?)?.abs()?.max()? < 1e-14);
/// let gradients = saved.backward(&output)?;
/// assert_eq!(gradients.parameters[0].shape(), [0; 0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FractionalDerivative<R: Real>(LearnedOrder<R>);

/// The Grünwald–Letnikov integral along the last axis, from its first point on, whose order is a parameter: the inverse
/// of [`FractionalDerivative`].
///
/// ```
/// use pointsman_numerics::layers::{FractionalIntegral, Layer};
/// use pointsman_numerics::{Array, Result};
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let layer = FractionalIntegral::<f64>::new(&session, 1.0, 0.5)?;
/// let (output, _) = layer.forward(&Array::from_slice(&session, &[2.0, 4.0, 6.0], &[3])?)?;
/// assert!((&output - &Array::from_slice(&session, &[1.0, 3.0, 6.0], &[3])?)?.abs()?.max()? < 1e-14);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FractionalIntegral<R: Real>(LearnedOrder<R>);

/// Whether the exponent of the sum is the order or its negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Derivative,
    Integral,
}

/// An order, and the step of the axis.
#[derive(Clone, Debug)]
struct LearnedOrder<R: Real> {
    /// Without axes.
    order: Array<R>,
    value: f64,
    step: f64,
    kind: Kind,
}

/// A call of [`FractionalDerivative`] or [`FractionalIntegral`].
#[derive(Clone, Debug)]
pub struct SavedFractional<R: Real> {
    input: Array<R>,
    layer: LearnedOrder<R>,
}

macro_rules! fractional_layers {
    ($($layer:ident $kind:ident $what:literal;)*) => {$(
        impl<R: Real> $layer<R> {
            #[doc = concat!("A layer for points at this distance that starts with this order of the ", $what)]
            /// from 0 to 8.
            pub fn new(session: &Session, order: f64, step: f64) -> Result<$layer<R>> {
                if !(step.is_finite() && step > 0.0) {
                    let allowed = "positive and finite";
                    return Err(Error::Domain { operation: $what, argument: "step", value: step, allowed });
                }
                let order = Array::full(session, &[], R::from_f64(order))?;
                LearnedOrder::new(Kind::$kind, order, step).map($layer)
            }

            /// The order.
            pub fn order(&self) -> f64 {
                self.0.value
            }
        }

        impl<R: Real> Layer<R> for $layer<R> {
            type Saved = SavedFractional<R>;

            fn forward(&self, input: &Array<R>) -> Result<(Array<R>, SavedFractional<R>)> {
                let saved = SavedFractional { input: input.clone(), layer: self.0.clone() };
                Ok((saved.of_the_past(Factors::Values)?, saved))
            }

            fn parameters(&self) -> Vec<Array<R>> {
                vec![self.0.order.clone()]
            }

            /// Replaces the order; one outside the range from 0 to 8 is an error.
            fn set_parameters(&mut self, parameters: Vec<Array<R>>) -> Result<()> {
                let [order] = checked_parameters([&self.0.order], parameters)?;
                self.0 = LearnedOrder::new(self.0.kind, order, self.0.step)?;
                Ok(())
            }
        }
    )*};
}

fractional_layers! {
    FractionalDerivative Derivative "a fractional derivative";
    FractionalIntegral Integral "a fractional integral";
}

impl<R: Real> LearnedOrder<R> {
    fn new(kind: Kind, order: Array<R>, step: f64) -> Result<LearnedOrder<R>> {
        let operation = match kind {
            Kind::Derivative => "a fractional derivative",
            Kind::Integral => "a fractional integral",
        };
        check_shape(operation, &order, &[], "an order without axes")?;
        let value = order.sum()?.into();
        if !(0.0..=ORDER_MAX).contains(&value) {
            return Err(Error::Domain { operation, argument: "order", value, allowed: "at least 0 and at most 8" });
        }
        Ok(LearnedOrder { order, value, step, kind })
    }

    /// 1 or −1: the derivative of the exponent of the sum with respect to the order.
    fn sign(&self) -> f64 {
        match self.kind {
            Kind::Derivative => 1.0,
            Kind::Integral => -1.0,
        }
    }

    /// The factors of the numbers 0, 1, 2, … steps ago, or the derivatives of those factors with respect to the order.
    fn factors(&self, count: usize, of: Factors) -> Result<Vec<f64>> {
        let exponent = self.sign() * self.value;
        let scale = self.step.powf(-exponent);
        // The weight, and its derivative with respect to the exponent.
        let (mut weight, mut slope) = (1.0, 0.0);
        let factor = |k: usize| {
            if k > 0 {
                let k = k as f64;
                let ratio = 1.0 - (exponent + 1.0) / k;
                (weight, slope) = (weight * ratio, slope * ratio - weight / k);
            }
            match of {
                Factors::Values => scale * weight,
                Factors::Slopes => self.sign() * scale * (slope - self.step.ln() * weight),
            }
        };
        let mut factors = Vec::new();
        factors.try_reserve_exact(count).map_err(|_| Error::OutOfMemory { shape: vec![count] })?;
        factors.extend((0..count).map(factor));
        Ok(factors)
    }
}

/// Which factors of the numbers of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Factors {
    Values,
    /// Their derivatives with respect to the order.
    Slopes,
}

impl<R: Real> SavedFractional<R> {
    fn points(&self) -> Result<usize> {
        self.input.shape().last().copied().ok_or(Error::Axis { axis: 0, rank: 0 })
    }

    /// The sum at each point of the input's numbers up to it times their factors.
    fn of_the_past(&self, factors: Factors) -> Result<Array<R>> {
        let points = self.points()?;
        if self.input.is_empty() {
            return Ok(self.input.clone());
        }
        weighted_past(&self.input, self.layer.factors(points, factors)?)
    }
}

impl<R: Real> Backward<R> for SavedFractional<R> {
    fn backward(&self, gradient: &Array<R>) -> Result<Gradients<R>> {
        check_gradient(gradient, self.input.shape())?;
        let session = gradient.session();
        if gradient.is_empty() {
            return Ok(Gradients { input: gradient.clone(), parameters: vec![Array::zeros(session, &[])?] });
        }
        // The sum over the points after a point is that over the past of the reversed axis.
        let reversed = |array: &Array<R>| array.slice(array.rank() - 1, .., -1);
        let factors = self.layer.factors(self.points()?, Factors::Values)?;
        let input = reversed(&weighted_past(&reversed(gradient)?, factors)?)?;
        let order = (gradient * self.of_the_past(Factors::Slopes)?)?.sum()?;
        Ok(Gradients { input, parameters: vec![Array::full(session, &[], order)?] })
    }
}
