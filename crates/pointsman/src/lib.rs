//! Data-parallel queries over slices and Arrow arrays, compiled to one fused kernel and answered with a receipt.
//!
//! ```
//! use pointsman::{iterate, select, Session};
//!
//! # fn main() -> pointsman::Result<()> {
//! let s = Session::open()?;
//! let x = vec![3.0f32, -1.0, 2.5];
//!
//! // One pass over the data, whatever the number of steps and folds.
//! let doubled = s.from(&x).filter(|x| x.gt(0.0)).map(|x| 2.0 * x).run()?;
//! assert_eq!(doubled[..], [6.0, 5.0]);
//! let (low, high) = s.from(&x).reduce(|x| (x.min(), x.max()))?;
//! assert_eq!((low, high), (Some(-1.0), Some(3.0)));
//!
//! // Prefix sums, choices, loops with a bound; a range is a source.
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
//! * **Closures run once**, while the plan is built: they see expressions ([`Expr`]), not values. A random number or a
//!   print inside one happens once, not once a row.
//! * **Every scalar is a run-time parameter**: another value of it compiles nothing again. [`lit`] bakes one in.
//! * **Mistakes are remembered** where they are made and reported when the query runs; nothing panics. See [`Error`].
//! * **Every result has a receipt** ([`Answer::receipt`]): which device ran, what was cached, what it took.
//! * **Types never convert silently**: write [`Expr::cast`].

#![forbid(unsafe_code)]

mod cache;
mod cache_dir;
mod data;
mod devices;
mod error;
mod exec;
mod instrument;
mod programs;
mod query;
mod resilience;
mod select;
pub mod selector;
mod session;
mod telemetry;

pub use data::arrow::ArrowElement;
pub use data::column::Column;
pub use data::element::{CastTo, Date, Element, Float, Integer, Logic, Number, Signed, Timestamp};
pub use data::page_locked::PageLocked;
pub use devices::registry::{DeviceEntry, DeviceReport, MissingDevice};
pub use devices::residency::report::{DeviceMemory, MemoryReport};
pub use error::{Error, ErrorKind, Result};
pub use instrument::phase::Phase;
pub use instrument::progress::Progress;
pub use pointsman_device::{Device, DeviceInfo, DeviceKind, Exactness, MemoryInfo, PoolCounters};
pub use programs::{ProgramCacheReport, ProgramSource};
pub use query::arguments::Arg;
pub use query::batches::Columns;
pub use query::control::{Index, Lookup, iterate, lit, lookup, null, repeat, select};
pub use query::explain::Explain;
pub use query::expr::{Bool, Expr, F32, F64, I32, I64, IntoExpr, Param, U32, U64};
pub use query::folds::{Count, Extreme, Mean, Running, Sum, count};
pub use query::prepared::{Argument, Filtered, Outcome, Prepared, Shape, filtered};
pub use query::source::Source;
pub use query::values::{Folded, Folds, IntoValues, Kind, Rows, Scanned, Scans, Values, Yield};
pub use query::{Folding, Query};
pub use resilience::attempt_log::FailedAttempt;
pub use resilience::cancel::CancellationToken;
pub use resilience::clock::Clock;
pub use resilience::retry::FailureClass;
pub use session::Session;
pub use session::advise::{Advice, Advised, Remedy};
pub use session::calibrate::{Calibrated, CalibrationReport};
pub use session::options::SessionOptions;
pub use session::policy::Policy;
pub use session::profile::Repeat;
pub use session::promise::Promise;
pub use session::shadow::ShadowReport;
pub use telemetry::device_counters::{DeviceHealth, Slowdown};
pub use telemetry::profile::{BatchTime, Profile};
pub use telemetry::receipt::{Answer, Cached, LeftOut, Receipt, Share};
pub use telemetry::snapshot::Snapshot;

/// What most programs need: `use pointsman::prelude::*`.
pub mod prelude {
    pub use crate::{
        Answer, Bool, Column, Columns, Error, ErrorKind, Expr, F32, F64, I32, I64, IntoExpr, Lookup, Param, Prepared,
        Query, Receipt, Session, SessionOptions, U32, U64, count, filtered, iterate, lit, lookup, null, repeat, select,
    };
}

/// The project's README, so that its examples run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
