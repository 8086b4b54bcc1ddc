//! Random numbers and noise: uniform and normal numbers, fractional Gaussian noise and fractional Brownian motion.
//!
//! In: a seed. Out: arrays, or expressions inside a query of your own. A random number is a function of the seed and of
//! its index alone ([`philox`]), so that the same seed gives the same numbers on every device, on any number of threads
//! and in an array of any size. There is no generator with a state, and nothing here reads a clock.
//!
//! ```
//! use pointsman_numerics::noise::fractional_brownian_motion;
//! use pointsman_numerics::{Array, Result};
//!
//! # fn main() -> Result<()> {
//! let session = pointsman::Session::open()?;
//! let normal = Array::<f32>::random_normal(&session, &[100, 100], 7)?;
//! assert!(normal.mean()?.abs() < 0.05);
//! // A thousand paths of 256 steps up to time 2, with persistent increments.
//! let paths = fractional_brownian_motion::<f64>(&session, 0.8, [1000, 256], 2.0, 7)?;
//! let last = paths.index_axis(1, 255)?;
//! let variance = (&last * &last)?.mean()?;
//! assert!((variance / 2f64.powf(1.6) - 1.0).abs() < 0.3);
//! # Ok(())
//! # }
//! ```

mod fractional;
mod prefix_sums;
mod random;

pub use fractional::{fractional_brownian_motion, fractional_gaussian_noise};
pub use pointsman::random::{RandomStream, philox};
