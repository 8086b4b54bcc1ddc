//! Arrays of uniform and normal random numbers.
//!
//! In: a seed, and the index of a number. Out: the number, which depends on nothing else.

use crate::array::Array;
use crate::error::Result;
use crate::layout::count;
use crate::number::Real;
use crate::query::{Position, compute, with_positions};
use pointsman::random::RandomStream;
use pointsman::{Expr, Session};

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
