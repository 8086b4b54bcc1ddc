//! Special functions of fractional calculus: the gamma family, beta, and the Mittag-Leffler function.
//!
//! All functions are pure, in double precision, and accept every input: poles and overflows give NaN or an infinity, as
//! C99 does, and arguments outside the domain of [`mittag_leffler()`] give a [`DomainError`].
//!
//! ```
//! use pointsman_numerics::special::{gamma, mittag_leffler};
//!
//! # fn main() -> Result<(), pointsman_numerics::special::DomainError> {
//! assert!((gamma(0.5) - std::f64::consts::PI.sqrt()).abs() < 1e-15);
//! // The relaxation of order 1/2 after one unit of time, between exponential and power law.
//! assert!((mittag_leffler(0.5, 1.0, -1.0)? - 0.427583576155807).abs() < 1e-14);
//! assert!(mittag_leffler(-1.0, 1.0, 2.0).is_err());
//! # Ok(())
//! # }
//! ```

mod beta;
mod gamma;
mod mittag_leffler;
#[cfg(test)]
mod tests;

pub use beta::{beta, ln_beta};
pub use gamma::{digamma, gamma, ln_gamma, reciprocal_gamma};
pub use mittag_leffler::{
    DomainError, mittag_leffler, mittag_leffler_complex, mittag_leffler_derivative, mittag_leffler_derivative_complex,
};
