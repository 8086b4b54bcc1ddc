//! Fractional Gaussian noise and fractional Brownian motion with exact covariances, by the method of Davies and Harte
//! (1987): the covariance matrix of the noise is a part of a circulant matrix, which the Fourier transform diagonalises.
//!
//! In: a Hurst exponent, a shape and a seed. Out: paths of numbers. Increments are never drawn one after the other, so
//! that there is no memory that is cut off.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::expr::ComplexExpr;
use crate::layout::count;
use crate::noise::prefix_sums::prefix_sums;
use crate::number::Real;
use crate::query::{Position, compute, with_positions};
use num_complex::Complex;
use pointsman::plan::Fft;
use pointsman::random::RandomStream;
use pointsman::{Expr, Session, lit, select};

/// The most steps of a path: indices of random numbers have one word for the step and one for the path.
const STEPS_MAX: usize = 1 << 30;
/// The most paths.
const PATHS_MAX: usize = 1 << 32;
/// From this distance on, a covariance is computed by its series: the differences of powers would cancel.
const SERIES_START: f64 = 16.0;
/// The terms of the series: for a distance of 16, the next one is below 2^−64 of the first.
const SERIES_TERMS: u32 = 8;

/// Paths of fractional Gaussian noise with the Hurst exponent `hurst`, between 0 and 1: an array of shape `[paths,
/// steps]`. Each number is normal with variance 1, paths are independent, and the covariance of numbers at distance `k`
/// of one path is (|k + 1|^2H − 2|k|^2H + |k − 1|^2H) / 2, up to rounding. With `hurst` 0.5, all numbers are
/// independent; above, neighbours are alike; below, they oppose each other.
///
/// A path depends on the seed, its own number and the number of steps, and not on how many paths there are. Paths take
/// O(steps · log steps) time each, by one Fourier transform of twice their length. The transforms are within the bounds
/// of `docs/semantics.md`, "Calls", so devices agree up to rounding.
///
/// ```
/// use pointsman_numerics::noise::fractional_gaussian_noise;
/// use pointsman_numerics::Result;
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let noise = fractional_gaussian_noise::<f64>(&session, 0.9, [500, 100], 3)?;
/// let neighbours = (noise.slice(1, ..99, 1)? * noise.slice(1, 1.., 1)?)?;
/// // 2^(2H − 1) − 1
/// assert!((neighbours.mean()? - 0.741).abs() < 0.15);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "fgn")]
#[doc(alias = "davies-harte")]
pub fn fractional_gaussian_noise<R: Real>(
    session: &Session,
    hurst: f64,
    [paths, steps]: [usize; 2],
    seed: u64,
) -> Result<Array<R>> {
    noise(session, "fractional_gaussian_noise", hurst, [paths, steps], 1.0, seed)
}

/// Paths of fractional Brownian motion with the Hurst exponent `hurst`, between 0 and 1: an array of shape `[paths,
/// steps]` with the values at the times `end` / `steps`, 2 · `end` / `steps` and so on up to `end`. All paths start
/// with 0 at time 0, which is not part of the array. Values are normal with mean 0 and covariance (s^2H + t^2H − |s −
/// t|^2H) / 2 at the times s and t, up to rounding: sums of [`fractional_gaussian_noise`] of the same seed.
///
/// ```
/// use pointsman_numerics::noise::fractional_brownian_motion;
/// use pointsman_numerics::Result;
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let paths = fractional_brownian_motion::<f32>(&session, 0.3, [2000, 50], 1.0, 8)?;
/// assert_eq!(paths.shape(), [2000, 50]);
/// let middle = paths.index_axis(1, 24)?;
/// assert!(((&middle * &middle)?.mean()? - 0.5f32.powf(0.6)).abs() < 0.15);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "fbm")]
#[doc(alias = "davies-harte")]
pub fn fractional_brownian_motion<R: Real>(
    session: &Session,
    hurst: f64,
    [paths, steps]: [usize; 2],
    end: f64,
    seed: u64,
) -> Result<Array<R>> {
    let operation = "fractional_brownian_motion";
    if !(end.is_finite() && end > 0.0) {
        return Err(Error::Domain { operation, argument: "end", value: end, allowed: "positive and finite" });
    }
    let scale = (end / steps.max(1) as f64).powf(hurst);
    prefix_sums(&noise(session, operation, hurst, [paths, steps], scale, seed)?)
}

/// Paths of noise with this standard deviation.
fn noise<R: Real>(
    session: &Session,
    operation: &'static str,
    hurst: f64,
    [paths, steps]: [usize; 2],
    deviation: f64,
    seed: u64,
) -> Result<Array<R>> {
    if !(hurst > 0.0 && hurst < 1.0) {
        let allowed = "above 0 and below 1";
        return Err(Error::Domain { operation, argument: "Hurst exponent", value: hurst, allowed });
    }
    for (argument, value, most, allowed) in [
        ("number of steps", steps, STEPS_MAX, "at most 1073741824"),
        ("number of paths", paths, PATHS_MAX, "at most 4294967296"),
    ] {
        if value > most {
            return Err(Error::Domain { operation, argument, value: value as f64, allowed });
        }
    }
    if paths == 0 || steps == 0 {
        return Array::zeros(session, &[paths, steps]);
    }
    let deviations = spectral_deviations(session, operation, hurst, steps)?.map(|x| (x * deviation).cast::<R>())?;
    let numbers = steps + 1;
    let at_deviations = deviations.reader()?;
    let source = RandomStream::new(seed);
    let spectrum = with_positions!(2 * count(&[paths, numbers])?, I => {
        compute::<I, ComplexExpr<R>>(session, &[paths, numbers], |position| {
            let numbers = I::wrapping(numbers as isize);
            let (path, frequency) = (position / numbers, position % numbers);
            let (re, im) = source.normal_pair::<R>([I::words(frequency)[0], I::words(path)[0]]);
            let deviation = at_deviations.at(frequency);
            ComplexExpr::new(re * deviation, im * deviation)
        })
    })?;
    let inverse = Fft { kept: steps as u64, ..Fft::real_inverse(2 * steps as u64) };
    spectrum.transformed::<Complex<R>, R>(inverse, [1, steps])
}

/// The standard deviations of both parts of the first half of a random spectrum, whose inverse transform of 2 `steps`
/// numbers starts with the noise. The spectrum's first and last numbers are real.
fn spectral_deviations(session: &Session, operation: &'static str, hurst: f64, steps: usize) -> Result<Array<f64>> {
    let length = 2 * steps;
    let covariances = with_positions!(length, I => compute::<I, Expr<f64>>(session, &[length], |position| {
        let length = I::wrapping(length as isize);
        let distance = position.least(lit(length) - position);
        autocovariance(distance.cast::<f64>(), hurst)
    }))?;
    let eigenvalues = covariances.rfft(0, None)?.re();
    // In exact arithmetic, no eigenvalue is negative (Perrin et al., 2002). The bound is that of a Fourier transform.
    let least = eigenvalues.min()?;
    let norm = (&covariances * &covariances)?.sum()?.sqrt();
    let bound = 4.0 * ((length as f64).log2() + 2.0) * f64::EPSILON * (length as f64).sqrt() * norm;
    if least < -bound {
        let allowed = "one whose circulant matrix has no negative eigenvalue";
        return Err(Error::Domain { operation, argument: "Hurst exponent", value: hurst, allowed });
    }
    let at_eigenvalues = eigenvalues.reader()?;
    with_positions!(length, I => compute::<I, Expr<f64>>(session, &[steps + 1], |frequency| {
        let is_real = frequency.eq(I::wrapping(0)) | frequency.eq(I::wrapping(steps as isize));
        let share = select(is_real, lit(1.0), lit(0.5));
        (at_eigenvalues.at(frequency).greatest(lit(0.0)) * share * (length as f64)).sqrt()
    }))
}

/// The covariance of numbers of fractional Gaussian noise at a distance: a whole number from 0.
#[track_caller]
fn autocovariance(distance: Expr<f64>, hurst: f64) -> Expr<f64> {
    let (power, one) = (pointsman::IntoExpr::into_expr(2.0 * hurst), lit(1.0));
    let direct =
        ((distance + one).pow(power) - distance.pow(power) * lit(2.0) + (distance - one).abs().pow(power)) * lit(0.5);
    // Σ C(2H, 2j) · x^−2j for j from 1, times x^2H.
    let inverse = one / distance.greatest(one);
    let square = inverse * inverse;
    let mut term = power * (power - one) * lit(0.5) * square;
    let mut sum = term;
    for j in 1..SERIES_TERMS {
        let even = f64::from(2 * j);
        term =
            term * (power - lit(even)) * (power - lit(even + 1.0)) * lit(1.0 / ((even + 1.0) * (even + 2.0))) * square;
        sum += term;
    }
    select(distance.lt(lit(SERIES_START)), direct, distance.pow(power) * sum)
}
