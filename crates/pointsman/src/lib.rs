//! Data-parallel queries over slices and Arrow arrays. Each query compiles to fused kernels, runs on the CPU or a GPU,
//! and returns an answer with a receipt.
//!
//! ```
//! use pointsman::{Session, iterate, select};
//!
//! # fn main() -> pointsman::Result<()> {
//! let s = Session::open()?;
//! let x = vec![3.0f32, -1.0, 2.5];
//!
//! // Steps and folds are fused into one pass over the data.
//! let doubled = s.from(&x).filter(|x| x.gt(0.0)).map(|x| 2.0 * x).run()?;
//! assert_eq!(doubled[..], [6.0, 5.0]);
//! let (low, high) = s.from(&x).reduce(|x| (x.min(), x.max()))?;
//! assert_eq!((low, high), (Some(-1.0), Some(3.0)));
//!
//! // Prefix sums, conditional values and bounded loops. A range is a source too.
//! assert_eq!(s.from(&x).scan(|x| x.running_sum()).run()?[..], [3.0, 2.0, 4.5]);
//! let signs = s.from(&x).map(|x| select(x.lt(0.0), -1, 1)).run()?;
//! assert_eq!(signs[..], [1, -1, 1]);
//! let steps = s.from(1u32..8).map(|n| {
//!     let collatz = |n: pointsman::U32| select((n & 1).eq(0), n / 2, 3 * n + 1);
//!     iterate(1000, (n, 0u32), |(n, _)| n.ne(1), |(n, steps)| (collatz(n), steps + 1)).1
//! });
//! assert_eq!(steps.run()?[..], [0, 1, 7, 2, 5, 8, 16]);
//! # Ok(())
//! # }
//! ```
//!
//! # How to use this crate
//!
//! 1. Open a [`Session`]; [`SessionOptions`] has every setting.
//! 2. Start a [`Query`] with [`Session::from`] over a [`Source`]: a slice, a [`Column`], Arrow arrays and record
//!    batches, a range, or a tuple of these. Add steps (`filter`, `map`, `scan`, `join`, `group_by`, `sort_by`), whose
//!    closures work on [`Expr`].
//! 3. Run it: [`Query::run`] returns columns, [`Query::reduce`] returns the values of folds, [`Query::run_async`]
//!    returns a future. [`Session::prepare`] compiles a query once for many inputs.
//! 4. See where it ran and why: [`Answer::receipt`], [`Query::explain`], [`Session::profile`].
//!
//! The module [`plan`] builds query plans over tables directly, [`arrow`] re-exports Arrow, [`selector`] chooses
//! devices for your own functions, [`report`] contains the reports of a session, and [`types`] contains traits and
//! types that appear in signatures but that programs rarely name. The repository's README lists the Cargo features and
//! the environment variables; `docs/semantics.md` there defines every operation.
//!
//! # Rules
//!
//! * **Closures run once**, while the query is built. They see expressions, not values: a closure that prints, or draws
//!   a random number, does so once, not once per row.
//! * **Scalars are run-time parameters.** Changing one never recompiles the query. [`lit`] makes a constant instead.
//! * **`run` and `prepare` report mistakes**, with the line of the step that contains them; adding steps never fails or
//!   panics. See [`Error`].
//! * **Types never convert implicitly.** Write [`Expr::cast`].
//! * **The CPU and NVIDIA GPUs return the same bits**, except for sums and means with `.fast()`. Other GPUs are exact
//!   in everything but float arithmetic, which they compute within stated bounds, and only if a query or its session
//!   allows it ([`Exactness::Bounded`]).

#![forbid(unsafe_code)]

pub mod arrow;
mod cache;
mod data;
mod devices;
mod error;
mod exec;
mod instrument;
mod json;
pub mod plan;
mod private_dir;
mod programs;
mod query;
pub mod random;
pub mod report;
mod resilience;
mod select;
pub mod selector;
mod session;
mod sync;
mod telemetry;
mod text;
pub mod types;

pub use data::column::Column;
pub use data::element::{Date, Element, Timestamp};
pub use data::page_locked::PageLocked;
pub use error::{Error, ErrorKind, FailureClass, Result};
pub use instrument::phase::Phase;
pub use instrument::progress::Progress;
pub use pointsman_device::{Device, DeviceKind, Exactness};
pub use query::batches::{Columns, array_of};
pub use query::control::{Lookup, iterate, lit, lookup, null, repeat, select, val};
pub use query::explain::Explain;
pub use query::expr::{Bool, Expr, F32, F64, I8, I16, I32, I64, IntoExpr, Param, U8, U16, U32, U64};
pub use query::fields::fields;
pub use query::folds::count;
pub use query::join_keys::null_safe;
pub use query::prepared::{LookupParam, Prepared, filtered};
pub use query::source::Source;
pub use query::{Query, Reduction};
pub use resilience::cancel::CancellationToken;
pub use resilience::clock::Clock;
pub use select::Policy;
pub use session::Session;
pub use session::options::SessionOptions;
pub use session::promise::Promise;
pub use telemetry::receipt::{Answer, Receipt};

/// The names that most programs need: `use pointsman::prelude::*`.
pub mod prelude {
    pub use crate::{
        Answer, Bool, Column, Columns, Error, ErrorKind, Expr, F32, F64, I8, I16, I32, I64, IntoExpr, Lookup, Param,
        Prepared, Query, Receipt, Session, SessionOptions, U8, U16, U32, U64, count, fields, filtered, iterate, lit,
        lookup, null, null_safe, repeat, select, val,
    };
}
