//! [`Query`] and [`Reduction`]: steps append to the plan, and `run` and the methods like it execute it.
//!
//! Closures run once, while the plan is built. They see expressions, not values: a random number or a print inside a
//! closure happens once, not once per row.

mod adaptors;
pub(crate) mod arguments;
pub(crate) mod batches;
pub(crate) mod bound;
pub(crate) mod build;
mod call;
pub(crate) mod composed;
pub(crate) mod control;
pub(crate) mod explain;
pub(crate) mod expr;
pub(crate) mod fields;
pub(crate) mod folds;
pub(crate) mod group;
mod hints;
pub(crate) mod histogram;
mod integers;
pub(crate) mod join;
pub(crate) mod join_keys;
pub(crate) mod ops;
pub(crate) mod plain_rows;
pub(crate) mod plan_query;
pub(crate) mod plan_rows;
pub(crate) mod plan_sources;
pub(crate) mod prepared;
mod rows;
mod setters;
pub(crate) mod sort;
pub(crate) mod source;
pub(crate) mod statistics;
pub(crate) mod steps;
mod time_zones;
pub(crate) mod values;

use crate::data::element::{Element, Number};
use crate::error::{CallSite, Error, Result};
use crate::select::PlacementRequest;
use crate::session::promise::Promise;
use crate::session::{RunLimits, Session};
use crate::telemetry::receipt::Answer;
use bound::BoundQuery;
use explain::Explain;
use expr::{Expr, IntoExpr};
use setters::run_setters;
use source::{Opener, Source};
use std::panic::Location;
use steps::{Binder, ResultParts, StepKind};
use values::{ClosureResult, Folds, Scans, Values};

/// A query over rows of shape `R` that has not run yet. [`Session::from`] starts one; every step returns a new one.
///
/// ```
/// # fn main() -> pointsman::Result<()> {
/// let s = pointsman::Session::open()?;
/// let (price, quantity) = (vec![2.0f64, 3.5, 1.0], vec![10.0f64, 0.0, 4.0]);
/// let query = s.from((&price, &quantity)).filter(|(_, q)| q.gt(0.0)).map(|(p, q)| p * q);
/// let answer = query.prefer("cuda:0").run()?;
/// assert_eq!(answer[..], [20.0, 4.0]);
/// println!("{}", answer.receipt()); // Which device ran it, how long it took, what it moved.
/// # Ok(())
/// # }
/// ```
#[must_use = "a query does nothing until it is run"]
pub struct Query<'a, R> {
    pub(crate) bound: BoundQuery<'a>,
    row: R,
}

/// A query that folds its rows and has not run yet: [`Query::folds`] makes one. [`Query::reduce`] folds and runs at
/// once; a `Reduction` is for the receipt, for [`explain`](Reduction::explain) and for
/// [`run_async`](Reduction::run_async).
///
/// ```
/// # fn main() -> pointsman::Result<()> {
/// let s = pointsman::Session::open()?;
/// let answer = s.from(&[3i64, 4]).folds(|x| (x.sum(), x.max())).run()?;
/// assert_eq!(*answer, (7, Some(4)));
/// assert_eq!(answer.receipt().rows_in(), 2);
/// # Ok(())
/// # }
/// ```
#[must_use = "a query does nothing until it is run"]
pub struct Reduction<'a, F> {
    pub(crate) bound: BoundQuery<'a>,
    folds: F,
}

impl<'a, R: Values> Query<'a, R> {
    pub(crate) fn open<S: Source<'a, Row = R>>(session: &Session, source: S, at: CallSite) -> Query<'a, R> {
        let mut opener = Opener::new(at);
        let row = source.open(&mut opener);
        Query { bound: BoundQuery::new(session, opener), row }
    }

    /// Calls `f` with the row while the plan is open, so that expressions append to it.
    fn step<O>(self, at: CallSite, f: impl FnOnce(R) -> O) -> (BoundQuery<'a>, O) {
        let Query { mut bound, row } = self;
        let (builder, result) = bound.builder.step(|| f(row.bind(&mut Binder::node(at))));
        bound.builder = builder;
        (bound, result)
    }

    /// Calls `f` and appends the step for its result: a row, folds or running folds.
    fn append<Y: ClosureResult>(self, at: CallSite, f: impl FnOnce(R) -> Y) -> (BoundQuery<'a>, Y) {
        self.step(at, |row| {
            let result = f(row);
            let parts = ResultParts::of(&result);
            build::with_open(|builder| Y::Step::append(builder, &parts, at));
            result
        })
    }

    /// Keeps the rows for which the condition is true, in order. Rows for which it is false or null are dropped.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let even = s.from(0u32..7).filter(|x| (x % 2).eq(0)).run()?;
    /// assert_eq!(even[..], [0, 2, 4, 6]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "where")]
    #[track_caller]
    pub fn filter<C: IntoExpr<bool>>(self, f: impl FnOnce(R) -> C) -> Query<'a, R> {
        let at = Location::caller();
        let row = self.row;
        let (bound, ()) = self.step(at, |row| {
            let condition = f(row).into_expr().handle;
            build::with_open(|builder| builder.filter(condition, at));
        });
        Query { bound, row }
    }

    /// Computes a new row from each row: an expression, or a tuple or array of expressions. Each becomes a
    /// [`Column`](crate::Column) of the result.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (half, is_large) = s.from(&[2.0f32, 10.0]).map(|x| (x / 2.0, x.gt(5.0))).run()?.into_value();
    /// assert_eq!((&half[..], &is_large[..]), (&[1.0, 5.0][..], &[false, true][..]));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "select")]
    #[doc(alias = "project")]
    #[track_caller]
    pub fn map<O: Values>(self, f: impl FnOnce(R) -> O) -> Query<'a, O> {
        let (bound, row) = self.append(Location::caller(), f);
        Query { bound, row }
    }

    /// Computes running folds: for each row, the fold of all rows up to it. [`Expr::kept`] keeps a column beside them.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (x, sum) = s.from(&[1i32, 2, 3]).scan(|x| (x.kept(), x.running_sum())).run()?.into_value();
    /// assert_eq!((&x[..], &sum[..]), (&[1, 2, 3][..], &[1, 3, 6][..]));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cumsum")]
    #[doc(alias = "prefix_sum")]
    #[track_caller]
    pub fn scan<S: Scans>(self, f: impl FnOnce(R) -> S) -> Query<'a, S::Row> {
        let (bound, scans) = self.append(Location::caller(), f);
        Query { bound, row: scans.row() }
    }

    /// Folds all rows and runs the query. Any number of folds takes one pass over the data.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (low, high, mean) = s.from(&[1.0f32, 2.0, 6.0]).reduce(|x| (x.min(), x.max(), x.mean()))?;
    /// assert_eq!((low, high, mean), (Some(1.0), Some(6.0), Some(3.0)));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "fold")]
    #[doc(alias = "aggregate")]
    #[track_caller]
    pub fn reduce<F: Folds>(self, f: impl FnOnce(R) -> F) -> Result<F::Out> {
        Ok(self.folds(f).run()?.into_value())
    }

    /// Folds all rows, without running the query yet. Use it for the receipt, for `explain` and for `run_async`;
    /// [`reduce`](Query::reduce) runs at once.
    #[track_caller]
    pub fn folds<F: Folds>(self, f: impl FnOnce(R) -> F) -> Reduction<'a, F> {
        let (bound, folds) = self.append(Location::caller(), f);
        Reduction { bound, folds }
    }

    /// Runs the query and returns its columns with a receipt: a [`Column`](crate::Column) for each expression of the
    /// row, or a record batch if the row is [`Columns`](crate::Columns).
    pub fn run(self) -> Result<Answer<R::Out>> {
        let Query { bound, row } = self;
        bound.run(|results| row.take(results))
    }

    /// Runs the query and returns its columns without the receipt.
    pub fn collect(self) -> Result<R::Out> {
        Ok(self.run()?.into_value())
    }

    /// Runs the query and returns the number of its rows.
    #[track_caller]
    pub fn count(self) -> Result<u64> {
        self.reduce(|_| folds::count())
    }

    /// Shows every step from the plan to the programs, without running the query. See [`Explain`].
    pub fn explain(&self) -> Explain {
        self.bound.explain()
    }
}

impl<R> Query<'_, R> {
    run_setters!(bound);
}

impl<'a, R: Values<Out: Send> + Send + 'static> Query<'a, R> {
    /// Runs the query on a thread of the session and returns a future for any executor. The query must own its sources
    /// ([`Column`](crate::Column), `Vec`, Arrow arrays by value, ranges), since it may outlive the call. Dropping the
    /// promise cancels the query.
    #[rustfmt::skip] // If a caller violates the bound, the compiler's error shows its line with the comment.
    pub fn run_async(self) -> Promise<R::Out>
    where
        'a: 'static, // the query owns its sources: pass a `Column`, a `Vec` or an Arrow array by value
    {
        let Query { bound, row } = self;
        bound.run_async(move |results| row.take(results))
    }
}

impl<'a, F: Folds<Out: Send> + Send + 'static> Reduction<'a, F> {
    /// Runs the query on a thread of the session and returns a future of its folds for any executor. The query must own
    /// its sources. Dropping the promise cancels the query.
    #[rustfmt::skip] // If a caller violates the bound, the compiler's error shows its line with the comment.
    pub fn run_async(self) -> Promise<F::Out>
    where
        'a: 'static, // the query owns its sources: pass a `Column`, a `Vec` or an Arrow array by value
    {
        let Reduction { bound, folds } = self;
        bound.run_async(move |results| folds.take(results))
    }
}

impl<T: Element> Query<'_, Expr<T>> {
    /// Runs the query and returns the smallest value, or `None` if all values are null or there are none.
    #[track_caller]
    pub fn min(self) -> Result<Option<T>> {
        self.reduce(Expr::min)
    }

    /// Runs the query and returns the greatest value, or `None` if all values are null or there are none.
    #[track_caller]
    pub fn max(self) -> Result<Option<T>> {
        self.reduce(Expr::max)
    }
}

/// The error if a result without nulls was requested but some values are null.
pub(crate) fn unexpected_nulls(nulls: usize) -> Error {
    Error::invalid(format!(
        "{nulls} values of the result are null, which plain values cannot represent: replace them with `coalesce`, or take a column with `collect`"
    ))
}

impl<T: Number> Query<'_, Expr<T>> {
    /// Runs the query and returns the sum, zero if there are no values. An integer sum that does not fit the type is an
    /// error.
    #[track_caller]
    pub fn sum(self) -> Result<T> {
        self.reduce(Expr::sum)
    }

    /// Runs the query and returns the mean in double precision, or `None` if there are no values.
    #[doc(alias = "average")]
    #[track_caller]
    pub fn mean(self) -> Result<Option<f64>> {
        self.reduce(Expr::mean)
    }
}

impl<F: Folds> Reduction<'_, F> {
    /// Runs the query and returns its folds with a receipt.
    pub fn run(self) -> Result<Answer<F::Out>> {
        let Reduction { bound, folds } = self;
        bound.run(|results| folds.take(results))
    }

    /// Shows every step from the plan to the programs, without running the query. See [`Explain`].
    pub fn explain(&self) -> Explain {
        self.bound.explain()
    }
}

impl<F> Reduction<'_, F> {
    run_setters!(bound);
}
