//! Special functions and the weights of fractional calculus.
#![forbid(unsafe_code)]

mod error;
pub mod special;
pub mod weights;

pub use error::{Error, Result};
