//! Random numbers that depend on a seed and a row number alone: the same on every device, on any number of threads and
//! for any split of the rows. They come from the counter-based generator Philox4x32-10 ([`philox`]).
//!
//! ```
//! use pointsman::{Session, random};
//!
//! # fn main() -> pointsman::Result<()> {
//! let s = Session::open()?;
//! // The share of a square that a quarter circle covers is a quarter of pi.
//! let rows = 100_000;
//! let points = s.from((random::uniform::<f64>(1, rows), random::uniform(2, rows)));
//! let inside = points.filter(|(x, y)| (x * x + y * y).lt(1.0)).count()?;
//! assert!((4.0 * inside as f64 / rows as f64 - std::f64::consts::PI).abs() < 0.05);
//! # Ok(())
//! # }
//! ```

use crate::data::element::Float;
use crate::query::control::lit;
use crate::query::expr::{Expr, IntoExpr};
use crate::query::source::{Opener, Source};
use std::marker::PhantomData;

const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// What the two words of the key grow by after each round.
const KEY_STEPS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
const ROUNDS: u32 = 10;

/// The four random words of a counter, for a key: Philox4x32-10.
///
/// Different counters have words that no statistical test in use tells from independent random bits; the same holds for
/// different keys. It is not a cipher.
///
/// ```
/// use pointsman::random::philox;
/// use pointsman::{Session, lit};
///
/// # fn main() -> pointsman::Result<()> {
/// let session = Session::open()?;
/// let words = session.from(0u32..1).map(|i| philox([i; 4], [lit(0), lit(0)]));
/// let [first, ..] = words.run()?.into_value();
/// assert_eq!(first[..], [0x6627_e8d5]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn philox(counter: [Expr<u32>; 4], key: [impl IntoExpr<u32>; 2]) -> [Expr<u32>; 4] {
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    let [mut k0, mut k1] = key.map(IntoExpr::into_expr);
    for round in 0..ROUNDS {
        if round > 0 {
            (k0, k1) = (k0 + lit(KEY_STEPS[0]), k1 + lit(KEY_STEPS[1]));
        }
        let high = [high_word(c0, MULTIPLIERS[0]), high_word(c2, MULTIPLIERS[1])];
        let low = [c0 * lit(MULTIPLIERS[0]), c2 * lit(MULTIPLIERS[1])];
        [c0, c1, c2, c3] = [high[1] ^ c1 ^ k0, low[1], high[0] ^ c3 ^ k1, low[0]];
    }
    [c0, c1, c2, c3]
}

/// The upper word of a product, from products of 16 bits: the portable GPU has no integers of 64 bits.
#[track_caller]
fn high_word(word: Expr<u32>, constant: u32) -> Expr<u32> {
    let (half, mask) = (lit(16u32), lit(0xffffu32));
    let (low, high) = (word & mask, word >> half);
    let (constant_low, constant_high) = (lit(constant & 0xffff), lit(constant >> 16));
    // Neither sum overflows: (2^16 − 1)^2 + 2^16 − 1 < 2^32.
    let first = high * constant_low + ((low * constant_low) >> half);
    let second = low * constant_high + (first & mask);
    high * constant_high + (first >> half) + (second >> half)
}

/// Random numbers that a seed and the number of a stream determine: one for each index of two words. The streams of a
/// seed are independent of each other, and so are the streams of different seeds.
///
/// Inside a query, the numbers of a step of a simulation come from its path and its step:
///
/// ```
/// use pointsman::random::RandomStream;
/// use pointsman::{Session, lit};
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
    /// Stream 0 of a seed. [`uniform`], [`normal`] and the arrays of `pointsman-numerics` are made of it.
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
        let words = |value: u64| [value as u32, (value >> 32) as u32].map(IntoExpr::into_expr);
        let [low, high] = words(self.stream);
        philox([index[0], index[1], low, high], words(self.seed))
    }

    /// A number from 0 to 1, which is never 1: a multiple of 2^−53, or of 2^−24 as `f32`.
    #[track_caller]
    pub fn uniform<R: Float>(self, index: [Expr<u32>; 2]) -> Expr<R> {
        let [first, second, ..] = self.words(index);
        fraction(first, second)
    }

    /// A number of the normal distribution with mean 0 and variance 1.
    #[track_caller]
    pub fn normal<R: Float>(self, index: [Expr<u32>; 2]) -> Expr<R> {
        self.normal_pair(index).0
    }

    /// Two independent numbers of the normal distribution, by the transform of Box and Muller. The magnitudes end at
    /// 8.6, and at 6.8 for `f32`: of 10^16 and of 10^10 numbers, one is expected beyond.
    #[track_caller]
    pub fn normal_pair<R: Float>(self, index: [Expr<u32>; 2]) -> (Expr<R>, Expr<R>) {
        let [first, second, third, fourth] = self.words(index);
        let constant = |value| lit(R::from_double(value));
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
fn leading_bits<R: Float>(first: Expr<u32>, second: Expr<u32>) -> Expr<R> {
    (first >> lit(5)).cast::<R>() * lit(R::from_double(67_108_864.0)) + (second >> lit(6)).cast::<R>()
}

/// A multiple of 2^−53 from 0 to below 1; as `f32`, of 2^−24, by the first word alone.
#[track_caller]
fn fraction<R: Float>(first: Expr<u32>, second: Expr<u32>) -> Expr<R> {
    let (bits, count) =
        if is_double::<R>() { (leading_bits(first, second), 53) } else { ((first >> lit(8)).cast::<R>(), 24) };
    bits * lit(R::from_double(0.5f64.powi(count)))
}

/// A number above 0, at most 1, whose small values have all digits: the middle of one of 2^53 intervals, or as `f32` of
/// 2^32, rounded.
#[track_caller]
fn positive_fraction<R: Float>(first: Expr<u32>, second: Expr<u32>) -> Expr<R> {
    let (bits, count) = if is_double::<R>() { (leading_bits(first, second), 53) } else { (first.cast::<R>(), 32) };
    (bits + lit(R::from_double(0.5))) * lit(R::from_double(0.5f64.powi(count)))
}

/// A source of random numbers: [`uniform`], [`normal`], or [`RandomStream::uniform_rows`] and
/// [`RandomStream::normal_rows`] of another stream. It takes no memory.
#[must_use = "a source does nothing until a query reads it"]
#[derive(Clone, Copy, Debug)]
pub struct RandomRows<R> {
    stream: RandomStream,
    is_normal: bool,
    rows: usize,
    marker: PhantomData<fn() -> R>,
}

/// A source of this many random numbers from 0 to 1, never 1, all equally likely: multiples of 2^−53, or of 2^−24 as
/// `f32`. The number of a row depends on the seed and the row number alone.
///
/// ```
/// # use pointsman::{Session, random};
/// # fn main() -> pointsman::Result<()> {
/// # let s = Session::open()?;
/// let mean = s.from(random::uniform::<f32>(7, 10_000)).mean()?.unwrap_or(0.0);
/// assert!((mean - 0.5).abs() < 0.02);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "rand")]
pub const fn uniform<R: Float>(seed: u64, rows: usize) -> RandomRows<R> {
    RandomStream::new(seed).uniform_rows(rows)
}

/// A source of this many random numbers of the normal distribution with mean 0 and variance 1. They come from the same
/// random bits as [`uniform`] ones: take another seed for independent ones.
///
/// ```
/// # use pointsman::{Session, random};
/// # fn main() -> pointsman::Result<()> {
/// # let s = Session::open()?;
/// let squares = s.from(random::normal::<f64>(7, 10_000)).map(|x| x * x);
/// assert!((squares.mean()?.unwrap_or(0.0) - 1.0).abs() < 0.1);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "randn")]
#[doc(alias = "gaussian")]
pub const fn normal<R: Float>(seed: u64, rows: usize) -> RandomRows<R> {
    RandomStream::new(seed).normal_rows(rows)
}

impl RandomStream {
    /// A source of this many [uniform](RandomStream::uniform) numbers of the stream.
    pub const fn uniform_rows<R: Float>(self, rows: usize) -> RandomRows<R> {
        RandomRows { stream: self, is_normal: false, rows, marker: PhantomData }
    }

    /// A source of this many [normal](RandomStream::normal) numbers of the stream.
    pub const fn normal_rows<R: Float>(self, rows: usize) -> RandomRows<R> {
        RandomRows { stream: self, is_normal: true, rows, marker: PhantomData }
    }
}

impl<'a, R: Float> Source<'a> for RandomRows<R> {
    type Row = Expr<R>;

    fn open(self, opener: &mut Opener<'a>) -> Expr<R> {
        let has_few_rows = u32::try_from(self.rows).is_ok();
        opener.computed(self.rows, |number: Expr<u64>| {
            // Each word fits, so that it is never rounded.
            let word = |number: Expr<u64>| number.cast_saturating::<u32>();
            let index = match has_few_rows {
                true => [word(number), lit(0)],
                false => [word(number & lit(0xffff_ffff)), word(number >> lit(32))],
            };
            if self.is_normal { self.stream.normal(index) } else { self.stream.uniform(index) }
        })
    }
}
