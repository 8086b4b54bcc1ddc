//! [`RandomStream`], and arrays of uniform and normal random numbers.
//!
//! In: a seed, and the index of a number. Out: the number, which depends on nothing else.

use crate::array::Array;
use crate::error::Result;
use crate::layout::count;
use crate::noise::philox::philox;
use crate::number::Real;
use crate::query::{Position, compute, with_positions};
use pointsman::{Expr, Session, lit};

/// Random numbers that a seed and the number of a stream determine: one for each index of two words. The streams of a
/// seed are independent of each other, and so are the streams of different seeds.
///
/// Inside a query, the numbers of a step of a simulation come from its path and its step:
///
/// ```
/// use pointsman::{lit, Session};
/// use pointsman_numerics::noise::RandomStream;
///
/// # fn main() -> pointsman::Result<()> {
/// let session = Session::open()?;
/// let noise = RandomStream::new(42);
/// let mut positions = session.from(0u32..1000).map(|_| lit(0.0f64)).run()?.into_value();
/// for step in 0..10 {
///     let paths = session.from((0u32..1000, &positions));
///     positions = paths.map(|(path, x)| x + noise.normal::<f64>([path, lit(0) + step])).run()?.into_value();
/// }
/// let variance = session.from(&positions).map(|x| x * x).mean()?.unwrap_or(0.0);
/// assert!((variance - 10.0).abs() < 3.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RandomStream {
    seed: u64,
    stream: u64,
}

impl RandomStream {
    /// Stream 0 of a seed. Arrays of random numbers are made of it.
    #[must_use]
    pub const fn new(seed: u64) -> RandomStream {
        RandomStream { seed, stream: 0 }
    }

    /// Another stream of the same seed.
    #[must_use]
    pub const fn stream(self, stream: u64) -> RandomStream {
        RandomStream { stream, ..self }
    }

    /// The four random words of an index. Seed and stream are parameters: another seed compiles nothing again.
    #[track_caller]
    fn words(self, index: [Expr<u32>; 2]) -> [Expr<u32>; 4] {
        let words = |value: u64| [value as u32, (value >> 32) as u32].map(pointsman::IntoExpr::into_expr);
        let [low, high] = words(self.stream);
        philox([index[0], index[1], low, high], words(self.seed))
    }

    /// A number from 0 to 1, which is never 1: a multiple of 2^−53, or of 2^−24 as `f32`.
    #[track_caller]
    pub fn uniform<R: Real>(self, index: [Expr<u32>; 2]) -> Expr<R> {
        let [first, second, ..] = self.words(index);
        fraction(first, second)
    }

    /// A number of the normal distribution with mean 0 and variance 1.
    #[track_caller]
    pub fn normal<R: Real>(self, index: [Expr<u32>; 2]) -> Expr<R> {
        self.normal_pair(index).0
    }

    /// Two independent numbers of the normal distribution, by the transform of Box and Muller. The magnitudes end at
    /// 8.6, and at 6.8 for `f32`: of 10^16 and of 10^10 numbers, one is expected beyond.
    #[track_caller]
    pub fn normal_pair<R: Real>(self, index: [Expr<u32>; 2]) -> (Expr<R>, Expr<R>) {
        let [first, second, third, fourth] = self.words(index);
        let constant = |value| lit(R::from_f64(value));
        let radius = (positive_fraction::<R>(first, second).ln() * constant(-2.0)).sqrt();
        let angle = fraction::<R>(third, fourth) * constant(std::f64::consts::TAU);
        (radius * angle.cos(), radius * angle.sin())
    }
}

const fn is_double<R>() -> bool {
    size_of::<R>() == size_of::<f64>()
}

/// The 53 leading bits of two words as a number; 27 of them are from the first word.
#[track_caller]
fn leading_bits<R: Real>(first: Expr<u32>, second: Expr<u32>) -> Expr<R> {
    (first >> lit(5)).cast::<R>() * lit(R::from_f64(67_108_864.0)) + (second >> lit(6)).cast::<R>()
}

/// A multiple of 2^−53 from 0 to below 1; as `f32`, of 2^−24, by the first word alone.
#[track_caller]
fn fraction<R: Real>(first: Expr<u32>, second: Expr<u32>) -> Expr<R> {
    let (bits, count) =
        if is_double::<R>() { (leading_bits(first, second), 53) } else { ((first >> lit(8)).cast::<R>(), 24) };
    bits * lit(R::from_f64(0.5f64.powi(count)))
}

/// A number above 0, at most 1, whose small values have all digits: the middle of one of 2^53 intervals, or as `f32` of
/// 2^32, rounded.
#[track_caller]
fn positive_fraction<R: Real>(first: Expr<u32>, second: Expr<u32>) -> Expr<R> {
    let (bits, count) = if is_double::<R>() { (leading_bits(first, second), 53) } else { (first.cast::<R>(), 32) };
    (bits + lit(R::from_f64(0.5))) * lit(R::from_f64(0.5f64.powi(count)))
}

impl<R: Real> Array<R> {
    /// Random numbers from 0 to 1, never 1, all equally likely. The number at a position, counted row by row, depends on
    /// the seed and the position alone. `f64` numbers are multiples of 2^−53, `f32` numbers of 2^−24.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let one = Array::<f64>::random_uniform(&session, &[20], 1)?;
    /// let two = Array::<f64>::random_uniform(&session, &[4, 10], 1)?;
    /// assert_eq!(one.to_vec()?, two.to_vec()?[..20]);
    /// assert!(one.min()? >= 0.0 && one.max()? < 1.0);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "rand")]
    #[track_caller]
    pub fn random_uniform(session: &Session, shape: &[usize], seed: u64) -> Result<Array<R>> {
        random(session, shape, |index| RandomStream::new(seed).uniform(index))
    }

    /// Random numbers of the normal distribution with mean 0 and variance 1. The number at a position, counted row by
    /// row, depends on the seed and the position alone; it comes from the same random bits as that of
    /// [`Array::random_uniform`], so take another seed for an independent array.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let noise = Array::<f64>::random_normal(&session, &[10_000], 1)?;
    /// assert!(noise.mean()?.abs() < 0.05);
    /// assert!(((&noise * &noise)?.mean()? - 1.0).abs() < 0.1);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "randn")]
    #[doc(alias = "gaussian")]
    #[track_caller]
    pub fn random_normal(session: &Session, shape: &[usize], seed: u64) -> Result<Array<R>> {
        random(session, shape, |index| RandomStream::new(seed).normal(index))
    }
}

#[track_caller]
fn random<R: Real>(
    session: &Session,
    shape: &[usize],
    number: impl FnOnce([Expr<u32>; 2]) -> Expr<R>,
) -> Result<Array<R>> {
    with_positions!(count(shape)?, I => compute::<I, Expr<R>>(session, shape, |position| number(I::words(position))))
}
