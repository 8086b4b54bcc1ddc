//! Arrays against plain Rust: every constructor, view and operation, at sizes around the edges and at random.
#![allow(clippy::unwrap_used)]

mod array_mut;
mod constructors;
mod convolve;
mod devices;
mod diffusion;
mod elementwise;
mod errors;
mod fft;
mod folds;
mod fractional;
mod layers;
mod matmul;
mod model;
#[cfg(feature = "ndarray")]
mod ndarray;
mod noise;
mod ode;
mod random;
mod readme;
mod sde;
mod solve;
mod tridiagonal;
mod views;

use pointsman::{Session, SessionOptions};

/// Sizes of an axis: none, one, a few, around the width of a vector register, and many.
const SIZES: [usize; 7] = [0, 1, 7, 63, 64, 65, 1000];

/// A session on two threads.
fn session() -> Session {
    SessionOptions::new().threads(2).open().unwrap()
}
