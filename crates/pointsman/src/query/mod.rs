//! [`Query`]: what the user wrote. Each step appends to the plan; nothing runs before `run` and its kin.
//!
//! Closures run once, while the plan is built: they see expressions, not values. A random number or a print inside one
//! happens once, not once a row.

pub(crate) mod arguments;
pub(crate) mod batches;
pub(crate) mod bound;
pub(crate) mod build;
pub(crate) mod control;
pub(crate) mod explain;
pub(crate) mod expr;
pub(crate) mod folds;
pub(crate) mod ops;
pub(crate) mod prepared;
mod setters;
pub(crate) mod source;
pub(crate) mod values;

use crate::data::element::{Element, Number};
use crate::error::{CallSite, Error, Result};
use crate::session::promise::Promise;
use crate::session::{PlacementRequest, RunLimits, Session};
use crate::telemetry::receipt::Answer;
use bound::BoundQuery;
use explain::Explain;
use expr::{Expr, IntoExpr};
use pointsman_ir::plan::NodeKind;
use setters::run_setters;
use source::{Opener, Source};
use std::panic::Location;
use values::{Binder, ClosureResult, Folds, ResultParts, Scans, StepKind, Values};

/// A query over rows of shape `R`, not yet run.
#[must_use = "a query does nothing until it is run"]
pub struct Query<'a, R> {
    pub(crate) bound: BoundQuery<'a>,
    row: R,
}

/// A query that folds its rows into one, not yet run.
#[must_use = "a query does nothing until it is run"]
pub struct Reduction<'a, F> {
    pub(crate) bound: BoundQuery<'a>,
    folds: F,
}

impl<'a, R: Values> Query<'a, R> {
    pub(crate) fn open<S: Source<'a, Row = R>>(session: &Session, source: S, at: CallSite) -> Query<'a, R> {
        let mut opener = Opener::new(at);
        let row = source.open(&mut opener);
        Query { bound: BoundQuery::new(session, opener.finish()), row }
    }

    /// Builds a step: `f` sees the row, with the plan open for it.
    fn step<O>(self, at: CallSite, f: impl FnOnce(R) -> O) -> (BoundQuery<'a>, O) {
        let Query { bound, row } = self;
        bound.step(|| f(row.bind(&mut Binder::node(at))))
    }

    /// A step whose result becomes a node.
    fn append<Y: ClosureResult>(self, at: CallSite, f: impl FnOnce(R) -> Y) -> (BoundQuery<'a>, Y) {
        self.step(at, |row| {
            let result = f(row);
            let mut parts = ResultParts::default();
            result.gather(&mut parts);
            Y::Step::append(parts, at);
            result
        })
    }

    /// Keeps the rows where the condition is true (not where it is false or null), in order.
    #[track_caller]
    pub fn filter<C: IntoExpr<bool>>(self, f: impl FnOnce(R) -> C) -> Query<'a, R> {
        let at = Location::caller();
        let row = self.row;
        let (bound, ()) = self.step(at, |row| {
            let condition = f(row).into_expr().handle;
            build::with_open(|builder| {
                if let Some(predicate) = builder.value(condition, at) {
                    let input = builder.plan.root();
                    builder.node(NodeKind::Filter { input, predicate }, at);
                }
            });
        });
        Query { bound, row }
    }

    /// Makes a new row from each row.
    #[track_caller]
    pub fn map<O: Values>(self, f: impl FnOnce(R) -> O) -> Query<'a, O> {
        let (bound, row) = self.append(Location::caller(), f);
        Query { bound, row }
    }

    /// Running folds: the fold of all rows up to each.
    #[track_caller]
    pub fn scan<S: Scans>(self, f: impl FnOnce(R) -> S) -> Query<'a, S::Row> {
        let (bound, scans) = self.append(Location::caller(), f);
        Query { bound, row: scans.row() }
    }

    /// Folds all rows, any number of folds in one pass: `reduce(|x| (x.min(), x.max(), x.mean()))`.
    #[track_caller]
    pub fn reduce<F: Folds>(self, f: impl FnOnce(R) -> F) -> Result<F::Out> {
        Ok(self.folds(f).run()?.into_value())
    }

    /// The same, not yet run: for its receipt, or to explain it.
    #[track_caller]
    pub fn folds<F: Folds>(self, f: impl FnOnce(R) -> F) -> Reduction<'a, F> {
        let (bound, folds) = self.append(Location::caller(), f);
        Reduction { bound, folds }
    }

    /// Runs the query; gives its columns with a receipt.
    pub fn run(self) -> Result<Answer<R::Out>> {
        let Query { bound, row } = self;
        let home = bound.home();
        let (mut results, receipt) = bound.run(None)?;
        Ok(Answer::new(row.take(&mut results).map_err(|error| error.at(home))?, receipt))
    }

    /// Runs the query; gives its columns alone.
    pub fn collect(self) -> Result<R::Out> {
        Ok(self.run()?.into_value())
    }

    /// How many rows there are.
    #[track_caller]
    pub fn count(self) -> Result<u64> {
        self.reduce(|_| folds::count())
    }

    /// Every step of the path of this query, without running it.
    pub fn explain(&self) -> Explain {
        self.bound.explain()
    }
}

impl<R> Query<'_, R> {
    run_setters!();

    fn placement_mut(&mut self) -> &mut PlacementRequest {
        &mut self.bound.wish
    }

    fn limits_mut(&mut self) -> &mut RunLimits {
        &mut self.bound.limits
    }
}

impl<R: Values<Out: Send> + Send + 'static> Query<'static, R> {
    /// Has the query run by a thread of the session, to be awaited on any executor: the path is that of [`Query::run`].
    /// Only for sources that the query owns ([`Column`](crate::Column), `Vec`, Arrow arrays by value, ranges), since it
    /// may outlive the call. Dropping the promise cancels the query.
    pub fn run_async(self) -> Promise<R::Out> {
        let Query { bound, row } = self;
        bound.run_async(move |results| row.take(results))
    }
}

impl<F: Folds<Out: Send> + Send + 'static> Reduction<'static, F> {
    /// Has the query run by a thread of the session, to be awaited on any executor. See [`Query::run_async`].
    pub fn run_async(self) -> Promise<F::Out> {
        let Reduction { bound, folds } = self;
        bound.run_async(move |results| folds.take(results))
    }
}

impl<T: Element> Query<'_, Expr<T>> {
    /// The smallest value; `None` of nothing.
    #[track_caller]
    pub fn min(self) -> Result<Option<T>> {
        self.reduce(Expr::min)
    }

    /// The greatest value; `None` of nothing.
    #[track_caller]
    pub fn max(self) -> Result<Option<T>> {
        self.reduce(Expr::max)
    }

    /// Runs the query; gives its values. A null among them is an error: `coalesce` it first, or use `collect`.
    pub fn to_vec(self) -> Result<Vec<T>> {
        let home = self.bound.home();
        let column = self.collect()?;
        if column.nulls() > 0 {
            return Err(nulls_in_the_way(column.nulls()).at(home));
        }
        Ok(column.to_vec())
    }

    /// Runs the query into the caller's memory, which must have room for all values; gives how many there are. A null
    /// among them is an error.
    pub fn into_slice(self, out: &mut [T]) -> Result<usize> {
        Ok(self.bound.run_into(out)?.into_value())
    }
}

/// Plain values were asked for, but some are null.
pub(crate) fn nulls_in_the_way(nulls: usize) -> Error {
    Error::invalid(format!(
        "{nulls} values of the result are null, which plain values cannot say: replace them with `coalesce`, or take a column with `collect`"
    ))
}

impl<T: Number> Query<'_, Expr<T>> {
    /// The sum; zero of nothing.
    #[track_caller]
    pub fn sum(self) -> Result<T> {
        self.reduce(Expr::sum)
    }

    /// The mean in double precision; `None` of nothing.
    #[track_caller]
    pub fn mean(self) -> Result<Option<f64>> {
        self.reduce(Expr::mean)
    }
}

impl<F: Folds> Reduction<'_, F> {
    /// Runs the query; gives the folds with a receipt.
    pub fn run(self) -> Result<Answer<F::Out>> {
        let Reduction { bound, folds } = self;
        let home = bound.home();
        let (mut results, receipt) = bound.run(None)?;
        Ok(Answer::new(folds.take(&mut results).map_err(|error| error.at(home))?, receipt))
    }

    /// Every step of the path of this query, without running it.
    pub fn explain(&self) -> Explain {
        self.bound.explain()
    }
}

impl<F> Reduction<'_, F> {
    run_setters!();

    fn placement_mut(&mut self) -> &mut PlacementRequest {
        &mut self.bound.wish
    }

    fn limits_mut(&mut self) -> &mut RunLimits {
        &mut self.bound.limits
    }
}
