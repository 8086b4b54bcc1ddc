//! Arrays of real and complex numbers over Pointsman: views, elementwise operations, folds, matrix products, Fourier
//! transforms, convolutions, linear equations, derivatives and integrals of fractional order, equations with them, noise,
//! and layers. Each operation is a query, or a few: it runs on the device that finishes it first, and the resulting array
//! has the receipt of the last query. Documents name the exceptions, which run on the host.
//!
//! ```
//! use pointsman::Session;
//! use pointsman_numerics::{Array, ConvolveMode, Result};
//!
//! # fn main() -> Result<()> {
//! let session = Session::open()?;
//! let signals = Array::<f64>::range(&session, 0.0, 4000.0, 1.0)?.map(|t| (t * 0.1).sin())?.reshape(&[4, 1000])?;
//!
//! // Operators broadcast as in NumPy; `map` and `zip` fuse any expression into one query.
//! let centred = (&signals - &signals.mean_axis(1)?.insert_axis(1)?)?;
//! let power = centred.rfft(1, None)?.map(|z| z.norm_sqr())?;
//! assert_eq!(power.shape(), [4, 501]);
//!
//! let weights = Array::full(&session, &[5], 0.2)?;
//! let smooth = signals.convolve(&weights, ConvolveMode::Same)?;
//! let products = smooth.matmul(&smooth.transpose())?;
//! assert_eq!(products.shape(), [4, 4]);
//! println!("{}", products.receipt().expect("a query made it"));
//! # Ok(())
//! # }
//! ```
//!
//! # How to use this crate
//!
//! 1. Open a [`pointsman::Session`]; it decides which devices are used.
//! 2. Make an [`Array`] from a slice, a `Vec`, a [`Column`](pointsman::Column) or an Arrow array, or with
//!    [`Array::zeros`], [`Array::full`], [`Array::range`] or [`Array::identity`].
//! 3. Views cost nothing: [`Array::transpose`], [`Array::permute`], [`Array::slice`], [`Array::index_axis`],
//!    [`Array::reshape`], [`Array::broadcast_to`].
//! 4. Compute: operators, [`Array::map`], [`Array::zip`]; [`Array::sum`] and other folds, also along an axis;
//!    [`Array::matmul`], [`Array::solve`], [`solve_tridiagonal`]; [`Array::fft`], [`Array::rfft`], [`Array::fft2`];
//!    [`Array::convolve`], [`Array::correlate`].
//! 5. Derivatives and integrals of any order along an axis: [`fractional`]. [`ode`] solves fractional differential
//!    equations, single ones and ensembles; [`diffusion`] solves time-fractional diffusion equations, [`sde`] stochastic
//!    equations with memory.
//! 6. [`noise`] has random numbers and fractional Brownian motion, [`layers`] has functions with gradients, whose
//!    parameters are learned.
//! 7. [`special`] has the gamma, beta and Mittag-Leffler functions, as plain functions of numbers.
//! 8. Take the result: [`Array::to_vec`], [`Array::into_column`], or [`ArrayMut::assign`] into memory of your own.
//!
//! # Rules
//!
//! * **Nothing panics.** Sizes are checked first; an [`Error`] says which shapes it got and which it takes. Operators
//!   return a [`Result`], too.
//! * **Closures run once**, while the query is built, and see expressions instead of numbers.
//! * **Operations run at once.** One `map` with a long expression is one pass over memory; several operations are
//!   several passes.
//! * **NaN and infinities** follow `docs/semantics.md` of Pointsman: NaN is greater than every number, so the minimum
//!   ignores it and the maximum does not.
//! * Elementwise operations have the same bits on the CPU and on NVIDIA GPUs. Products, transforms and convolutions are
//!   within the bounds of `docs/semantics.md`, "Calls".
//!
//! # Features
//!
//! `cuda` and `wgpu`, both on by default, select the GPU backends of Pointsman; `ndarray` adds conversions from and to
//! the arrays of that crate.

#![forbid(unsafe_code)]
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod array;
mod array_mut;
mod convolve;
pub mod diffusion;
mod elementwise;
mod error;
mod expr;
mod fft;
mod folds;
pub mod fractional;
pub mod layers;
mod layout;
mod matmul;
#[cfg(feature = "ndarray")]
mod ndarray;
pub mod noise;
mod number;
pub mod ode;
mod query;
pub mod sde;
mod solve;
pub mod special;
mod tridiagonal;
mod views;

pub use array::Array;
pub use array_mut::ArrayMut;
pub use convolve::ConvolveMode;
pub use error::{Error, Result};
pub use expr::{ComplexExpr, IntoComplexExpr, NumberExpr};
pub use matmul::Promote;
pub use num_complex::Complex;
pub use number::{Number, Real};
pub use pointsman::plan::{Direction, Method};
pub use tridiagonal::solve_tridiagonal;
