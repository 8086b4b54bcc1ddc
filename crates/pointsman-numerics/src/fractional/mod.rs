//! Fractional derivatives and integrals along an axis of an array.
//!
//! A derivative of order α between 0 and 1 depends on the whole past of a function. On a grid it is a sum over all points
//! before, with weights that decay like a power of the distance. A [`Derivative`] or an [`Integral`] makes the weights once
//! for an axis of some size, and applies them to every line along it. [`Definition`] lists the definitions with the orders
//! that they take and their errors; `docs/numerics/fractional.md` says which to take when.
//!
//! ```
//! use pointsman_numerics::Array;
//! use pointsman_numerics::fractional::Derivative;
//!
//! # fn main() -> pointsman_numerics::Result<()> {
//! let session = pointsman::Session::open()?;
//! let constant = Array::<f64>::ones(&session, &[101])?;
//! // The derivative of a constant: t^(−1/2)/Γ(1/2) for Grünwald and Letnikov, 0 for Caputo.
//! let (first, second) = (Derivative::grunwald_letnikov(0.5), Derivative::caputo(0.5));
//! assert!((first.of(&constant, 0, 0.01)?.to_vec()?[100] - 0.5641895835).abs() < 2e-3);
//! assert_eq!(second.of(&constant, 0, 0.01)?.to_vec()?, [0.0; 101]);
//! # Ok(())
//! # }
//! ```
//!
//! # Where it runs, and what it takes
//!
//! * **Sums over the past** are queries on the device that finishes first: short ones directly, long ones by Fourier
//!   transforms, so that N points take O(N log N) time and O(N) memory. Spectral operators are transforms, too.
//! * **Recurrences** run on the host, in double precision, and their results have no receipt: Caputo and Fabrizio,
//!   [`History::Exponentials`], and graded grids.
//! * **Weights** are made on the host. The operator keeps them, transformed, up to 128 MiB.
//! * **Rounding errors** of long sums are relative to the whole line: they are those of a convolution by transforms in
//!   `docs/semantics.md`, "Calls". Where a result is exactly 0, a transform may give 1e-16 of the others.
//! * **Mistakes** are errors of `of`, before anything runs: an order outside the domain, a step that is not a positive
//!   number, an axis with too few points, a grid or a history that the definition cannot use.

mod cache;
mod definition;
mod derivative;
mod exponentials;
mod grid;
mod integral;
mod lag_sum;
mod operator;
mod parts;
mod powers;
mod recurrence;
mod relaxation;
mod spectral;
mod sums;
pub mod weights;

pub use definition::{Definition, Domain, History, Past, Scheme};
pub use derivative::Derivative;
pub use exponentials::ExponentialSum;
pub use grid::Grid;
pub use integral::Integral;
pub(crate) use lag_sum::weighted_past;
