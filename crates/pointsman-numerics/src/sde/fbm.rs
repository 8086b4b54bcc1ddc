//! [`FbmEquation`]: dX = f(X, t) dt + g(X, t) dB, where B is fractional Brownian motion.
//!
//! In: closures for f and g. Out: a run. A query takes as many steps of all paths as the caller wants at once, in a loop
//! on the device, because a step of a path needs the step before and nothing else.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::noise::fractional_gaussian_noise;
use crate::number::Real;
use crate::query::{Position, compute, with_positions};
use crate::sde::{Coefficient, checked_step};
use pointsman::{Expr, IntoExpr, lit, repeat};
use std::fmt;
use std::sync::Arc;

/// The most steps of one query: a deadline or a cancellation is obeyed in between.
const STEPS_PER_QUERY: usize = 4096;

/// The equation dX = f(X, t) dt + g dB for many paths, where B is fractional Brownian motion with the Hurst exponent H.
///
/// | noise | H | method | strong order |
/// | --- | --- | --- | --- |
/// | [`additive`](FbmEquation::additive): g is a number | above 0, below 1 | Euler | min(1, H + ½) |
/// | [`multiplicative`](FbmEquation::multiplicative): g(X, t) | above ½ | Euler | 2H − 1 |
/// | | ½ | Euler–Maruyama | ½ |
/// | [`milstein`](FbmEquation::milstein): g(X, t) and its slope ∂g/∂X | ½ and above | Milstein | 1 |
///
/// For H above ½, the integral is the limit of Riemann sums along each path, and the rules of calculus hold; for ½ it is
/// that of Itô. For smaller H and a g that depends on X, neither integral exists, and the run is an error. The orders hold
/// for smooth coefficients.
///
/// ```
/// use pointsman_numerics::sde::FbmEquation;
/// use pointsman_numerics::{Array, Result};
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// // dX = −X dt + 0.5 dB with rough noise.
/// let equation = FbmEquation::new(0.3, |x, _| -x).additive(0.5);
/// let mut run = equation.start(&Array::<f64>::ones(&session, &[1000])?, 2.0, 200, 7)?;
/// run.advance(100)?;
/// println!("mean at {}: {}", run.time(), run.values().mean()?);
/// run.advance(100)?;
/// assert!((run.values().mean()? - (-2f64).exp()).abs() < 0.1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct FbmEquation<R: Real> {
    hurst: f64,
    drift: Coefficient<R>,
    noise: Noise<R>,
}

/// What the increments of the noise are multiplied by.
#[derive(Clone)]
enum Noise<R: Real> {
    Additive(f64),
    Multiplicative(Coefficient<R>),
    /// The coefficient and its slope.
    Milstein(Coefficient<R>, Coefficient<R>),
}

impl<R: Real> fmt::Debug for FbmEquation<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FbmEquation").field("hurst", &self.hurst).finish_non_exhaustive()
    }
}

impl<R: Real> FbmEquation<R> {
    /// An equation with this Hurst exponent, between 0 and 1, and this drift f(X, t). Its noise is additive with g = 1
    /// until another one is chosen.
    #[must_use]
    pub fn new(hurst: f64, drift: impl Fn(Expr<R>, Expr<R>) -> Expr<R> + Send + Sync + 'static) -> FbmEquation<R> {
        FbmEquation { hurst, drift: Arc::new(drift), noise: Noise::Additive(1.0) }
    }

    /// Noise that is multiplied by a number.
    #[must_use]
    pub fn additive(self, deviation: f64) -> FbmEquation<R> {
        FbmEquation { noise: Noise::Additive(deviation), ..self }
    }

    /// Noise that is multiplied by g(X, t), by the method of Euler.
    #[must_use]
    pub fn multiplicative(
        self,
        deviation: impl Fn(Expr<R>, Expr<R>) -> Expr<R> + Send + Sync + 'static,
    ) -> FbmEquation<R> {
        FbmEquation { noise: Noise::Multiplicative(Arc::new(deviation)), ..self }
    }

    /// Noise that is multiplied by g(X, t), by the method of Milstein, which also takes the slope ∂g/∂X.
    #[must_use]
    pub fn milstein(
        self,
        deviation: impl Fn(Expr<R>, Expr<R>) -> Expr<R> + Send + Sync + 'static,
        slope: impl Fn(Expr<R>, Expr<R>) -> Expr<R> + Send + Sync + 'static,
    ) -> FbmEquation<R> {
        FbmEquation { noise: Noise::Milstein(Arc::new(deviation), Arc::new(slope)), ..self }
    }

    /// The start of a run of `steps` steps to time `end`: a path from each initial value, with increments of exact
    /// fractional Brownian motion of this seed.
    pub fn start(&self, initial: &Array<R>, end: f64, steps: usize, seed: u64) -> Result<FbmRun<R>> {
        let operation = "FbmEquation";
        let step = checked_step(operation, initial, end, steps)?;
        self.check()?;
        let noise = fractional_gaussian_noise::<R>(initial.session(), self.hurst, [initial.len(), steps], seed)?;
        self.start_with(initial, end, &(noise * R::from_f64(step.powf(self.hurst)))?)
    }

    /// The start of a run whose noise has these increments: an array of shape `[paths, steps]`.
    pub fn start_with(&self, initial: &Array<R>, end: f64, increments: &Array<R>) -> Result<FbmRun<R>> {
        let operation = "FbmEquation";
        let (&[_, steps], true) = (increments.shape(), increments.shape().first() == Some(&initial.len())) else {
            let (left, right) = (increments.shape().to_vec(), initial.shape().to_vec());
            let allowed = "increments of shape [paths, steps] and as many initial values as paths";
            return Err(Error::ShapeMismatch { operation, left, right, allowed });
        };
        let step = checked_step(operation, initial, end, steps)?;
        self.check()?;
        let (values, increments) = (initial.contiguous()?, increments.contiguous()?);
        Ok(FbmRun { equation: self.clone(), values, increments, step, done: 0 })
    }

    fn check(&self) -> Result<()> {
        let (least, allowed) = match self.noise {
            Noise::Additive(_) => (f64::MIN_POSITIVE, "above 0 and below 1"),
            Noise::Multiplicative(_) | Noise::Milstein(_, _) => {
                (0.5, "at least 0.5 and below 1, if the noise depends on the solution")
            }
        };
        if self.hurst >= least && self.hurst < 1.0 {
            return Ok(());
        }
        Err(Error::Domain { operation: "FbmEquation", argument: "Hurst exponent", value: self.hurst, allowed })
    }

    /// The value after a step of this length, in which the noise grows by `increment`.
    #[track_caller]
    fn next(&self, x: Expr<R>, time: Expr<R>, step: Expr<R>, increment: Expr<R>) -> Expr<R> {
        let drifted = x + (self.drift)(x, time) * step;
        match &self.noise {
            Noise::Additive(deviation) => drifted + increment * R::from_f64(*deviation),
            Noise::Multiplicative(deviation) => drifted + deviation(x, time) * increment,
            Noise::Milstein(deviation, slope) => {
                let g = deviation(x, time);
                let square = increment * increment;
                // Itô's integral of W dW is (W² − t)/2, that along paths of B dB is B²/2.
                let square = if self.hurst == 0.5 { square - step } else { square };
                drifted + g * increment + g * slope(x, time) * square * lit(R::from_f64(0.5))
            }
        }
    }
}

/// A run of an [`FbmEquation`].
#[derive(Clone, Debug)]
pub struct FbmRun<R: Real> {
    equation: FbmEquation<R>,
    /// The values of the paths.
    values: Array<R>,
    /// Of shape `[paths, steps]`.
    increments: Array<R>,
    step: f64,
    done: usize,
}

impl<R: Real> FbmRun<R> {
    /// The time that the run has reached; 0 at the start.
    pub fn time(&self) -> f64 {
        self.done as f64 * self.step
    }

    /// The value of each path at this time.
    pub fn values(&self) -> &Array<R> {
        &self.values
    }

    /// Takes the next steps, at most `steps` of them, and returns how many there were: fewer at the end of the run. Up to
    /// 4,096 steps of all paths are one query. If one fails, the run stays where the query before it ended.
    pub fn advance(&mut self, steps: usize) -> Result<usize> {
        let (all, start) = (self.increments.shape()[1], self.done);
        let end = start.saturating_add(steps).min(all);
        while self.done < end {
            let count = (end - self.done).min(STEPS_PER_QUERY);
            if !self.values.is_empty() {
                self.values = self.after(count)?;
            }
            self.done += count;
        }
        Ok(end - start)
    }

    /// The values after `count` more steps.
    fn after(&self, count: usize) -> Result<Array<R>> {
        let (paths, all) = (self.increments.shape()[0], self.increments.shape()[1]);
        let (at_values, at_increments) = (self.values.reader()?, self.increments.reader()?);
        let (step, done) = (R::from_f64(self.step), self.done as u32);
        with_positions!(self.increments.largest_row().max(self.values.largest_row()), I => {
            compute::<I, Expr<R>>(self.values.session(), &[paths], |path| {
                let (all, first, one) = (I::wrapping(all as isize), I::wrapping(self.done as isize), I::wrapping(1));
                let (step, done): (Expr<R>, Expr<u32>) = (step.into_expr(), done.into_expr());
                let start = (at_values.at(path), path * all + first);
                let (x, _) = repeat(count as u32, start, |n, (x, place): (Expr<R>, Expr<I>)| {
                    let time = (n + done).cast::<R>() * step;
                    (self.equation.next(x, time, step, at_increments.at(place)), place + one)
                });
                x
            })
        })
    }
}
