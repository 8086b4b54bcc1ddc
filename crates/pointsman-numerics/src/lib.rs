//! Arrays.
#![forbid(unsafe_code)]

mod array;
mod array_mut;
mod convolve;
mod elementwise;
mod error;
mod expr;
mod fft;
mod folds;
mod layout;
mod matmul;
mod number;
mod query;
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
