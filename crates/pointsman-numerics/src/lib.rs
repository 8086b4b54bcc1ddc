//! Arrays.
#![forbid(unsafe_code)]

mod array;
mod array_mut;
mod elementwise;
mod error;
mod expr;
mod folds;
mod layout;
mod number;
mod query;
mod views;

pub use array::Array;
pub use array_mut::ArrayMut;
pub use error::{Error, Result};
pub use expr::{ComplexExpr, IntoComplexExpr, NumberExpr};
pub use num_complex::Complex;
pub use number::{Number, Real};
