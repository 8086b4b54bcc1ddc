//! Traits and types that appear in the signatures of this crate. Programs seldom name them; generic helpers do, and
//! structs that store a [`Prepared`](crate::Prepared) query. All traits here are sealed.
//!
//! ```
//! use pointsman::types::Sum;
//! use pointsman::{F32, Param, Prepared, Session};
//!
//! struct Portfolio {
//!     value: Prepared<(F32, Param<f32>), Sum<f32>>,
//! }
//!
//! # fn main() -> pointsman::Result<()> {
//! let session = Session::open()?;
//! let portfolio = Portfolio { value: session.prepare(|price: F32, rate: Param<f32>| (price * rate).sum())? };
//! assert_eq!(*portfolio.value.run(&[10.0, 20.0], 1.5)?, 45.0);
//! # Ok(())
//! # }
//! ```
//!
//! | group | names |
//! | --- | --- |
//! | element types | [`Number`], [`Integer`], [`Signed`], [`Float`], [`Logic`], [`Index`], [`Exponent`], [`CastTo`], [`ArrowElement`] |
//! | folds | [`Sum`], [`MinMax`], [`Mean`], [`Quantile`], [`Count`], [`Selected`], [`Statistic`], [`Running`] |
//! | histograms | [`Histogram`], [`HISTOGRAM_BINS_MAX`] |
//! | tables | [`Grouped`], [`JoinOn`], [`JoinKeys`], [`NullSafe`], [`SortExpr`], [`SortKeys`] |
//! | sources and tables of values | [`Fields`], [`FieldValues`], [`ArrayOf`], [`LookupValues`] |
//! | results of closures | [`Values`], [`PlainValues`], [`Folds`], [`Scans`], [`ClosureResult`], [`IntoValues`] |
//! | plan steps | [`StepKind`], [`ProjectStep`], [`ReduceStep`], [`ScanStep`] |
//! | prepared queries | [`PreparedClosure`], [`PreparedInput`], [`PreparedResult`], [`Filtered`], [`InputValue`] |
//! | arguments of session methods | [`Advisable`], [`Repeatable`] |

pub use crate::data::arrow::ArrowElement;
pub use crate::data::element::{CastTo, Float, Integer, Logic, Number, Signed};
pub use crate::query::arguments::InputValue;
pub use crate::query::batches::ArrayOf;
pub use crate::query::composed::Exponent;
pub use crate::query::control::{Index, LookupValues};
pub use crate::query::fields::{FieldValues, Fields};
pub use crate::query::folds::{Count, Mean, MinMax, Quantile, Running, Sum};
pub use crate::query::group::Grouped;
pub use crate::query::histogram::{HISTOGRAM_BINS_MAX, Histogram};
pub use crate::query::join::JoinOn;
pub use crate::query::join_keys::{JoinKeys, NullSafe};
pub use crate::query::plain_rows::PlainValues;
pub use crate::query::prepared::{Filtered, PreparedClosure, PreparedInput, PreparedResult};
pub use crate::query::sort::{SortExpr, SortKeys};
pub use crate::query::statistics::{Selected, Statistic};
pub use crate::query::steps::{ProjectStep, ReduceStep, ScanStep, StepKind};
pub use crate::query::values::{ClosureResult, Folds, IntoValues, Scans, Values};
pub use crate::session::advise::Advisable;
pub use crate::session::profile::Repeatable;
