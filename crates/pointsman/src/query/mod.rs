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
pub(crate) mod source;
pub(crate) mod values;

use crate::data::element::{Element, Number};
use crate::error::{CallSite, Error, Result};
use crate::instrument::progress::Progress;
use crate::resilience::cancel::CancellationToken;
use crate::session::Session;
use crate::session::promise::Promise;
use crate::telemetry::receipt::Answer;
use bound::BoundQuery;
use explain::Explain;
use expr::{Expr, IntoExpr};
use pointsman_device::Exactness;
use pointsman_ir::plan::NodeKind;
use source::{Opener, Source};
use std::panic::Location;
use std::time::Duration;
use values::{Binder, Folds, Kind, Scans, Values, Yield, YieldParts};

/// A query over rows of shape `R`, not yet run.
#[must_use = "a query does nothing until it is run"]
pub struct Query<'a, R> {
    pub(crate) question: BoundQuery<'a>,
    row: R,
}

/// A query that folds its rows into one, not yet run.
#[must_use = "a query does nothing until it is run"]
pub struct Folding<'a, F> {
    pub(crate) question: BoundQuery<'a>,
    folds: F,
}

impl<'a, R: Values> Query<'a, R> {
    pub(crate) fn open<S: Source<'a, Row = R>>(session: &Session, source: S, at: CallSite) -> Query<'a, R> {
        let mut opener = Opener::new(at);
        let row = source.open(&mut opener);
        Query { question: BoundQuery::new(session, opener.finish()), row }
    }

    /// Builds a step: `f` sees the row, with the plan open for it.
    fn step<O>(self, at: CallSite, f: impl FnOnce(R) -> O) -> (BoundQuery<'a>, O) {
        let Query { question, row } = self;
        question.step(|| f(row.bind(&mut Binder::node(at))))
    }

    /// A step whose result becomes a node.
    fn append<Y: Yield>(self, at: CallSite, f: impl FnOnce(R) -> Y) -> (BoundQuery<'a>, Y) {
        self.step(at, |row| {
            let result = f(row);
            let mut parts = YieldParts::default();
            result.gather(&mut parts);
            Y::Kind::append(parts, at);
            result
        })
    }

    /// Keeps the rows where the condition is true (not where it is false or null), in order.
    #[track_caller]
    pub fn filter<C: IntoExpr<bool>>(self, f: impl FnOnce(R) -> C) -> Query<'a, R> {
        let at = Location::caller();
        let row = self.row;
        let (question, ()) = self.step(at, |row| {
            let condition = f(row).into_expr().handle;
            build::with_open(|builder| {
                if let Some(predicate) = builder.value(condition, at) {
                    let input = builder.plan.root();
                    builder.node(NodeKind::Filter { input, predicate }, at);
                }
            });
        });
        Query { question, row }
    }

    /// Makes a new row from each row.
    #[track_caller]
    pub fn map<O: Values>(self, f: impl FnOnce(R) -> O) -> Query<'a, O> {
        let (question, row) = self.append(Location::caller(), f);
        Query { question, row }
    }

    /// Running folds: the fold of all rows up to each.
    #[track_caller]
    pub fn scan<S: Scans>(self, f: impl FnOnce(R) -> S) -> Query<'a, S::Row> {
        let (question, scans) = self.append(Location::caller(), f);
        Query { question, row: scans.row() }
    }

    /// Folds all rows, any number of folds in one pass: `reduce(|x| (x.min(), x.max(), x.mean()))`.
    #[track_caller]
    pub fn reduce<F: Folds>(self, f: impl FnOnce(R) -> F) -> Result<F::Out> {
        Ok(self.folds(f).run()?.into_value())
    }

    /// The same, not yet run: for its receipt, or to explain it.
    #[track_caller]
    pub fn folds<F: Folds>(self, f: impl FnOnce(R) -> F) -> Folding<'a, F> {
        let (question, folds) = self.append(Location::caller(), f);
        Folding { question, folds }
    }

    /// Runs the query; gives its columns with a receipt.
    pub fn run(self) -> Result<Answer<R::Out>> {
        let Query { question, row } = self;
        let home = question.home();
        let (mut results, receipt) = question.run(None)?;
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
        self.question.explain()
    }

    /// Runs on this device, if it is there and can; else on the CPU. The receipt says what came of it. Several that share
    /// the query are joined by `+`: `prefer("cuda:0+cpu")`.
    pub fn prefer(mut self, device: &str) -> Self {
        self.question.prefer(device);
        self
    }

    /// Runs on this device or fails.
    pub fn require(mut self, device: &str) -> Self {
        self.question.require(device);
        self
    }

    /// Whether float arithmetic may run on a device that keeps bounds instead of bits (Vulkan, Metal, DirectX 12).
    pub fn exactness(mut self, exactness: Exactness) -> Self {
        self.question.exactness(exactness);
        self
    }

    /// Gives the run so much time, from its call on; waiting for a device counts. What runs on the CPU already ends
    /// within milliseconds; what was launched on another device is waited for no longer.
    pub fn deadline(mut self, time: Duration) -> Self {
        self.question.deadline(time);
        self
    }

    /// Stops the run when this token is cancelled. See [`CancellationToken`].
    pub fn cancelled_by(mut self, token: &CancellationToken) -> Self {
        self.question.cancelled_by(token);
        self
    }

    /// Tells how far the run is: when a stage begins and ends, behind each batch, and on the CPU within a launch. Calls
    /// come one at a time, from any thread; one that panics is the last. A call holds up the run, and must not ask this
    /// session for anything: that may wait for the run itself. See [`Progress`].
    pub fn on_progress(mut self, f: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.question.on_progress(f);
        self
    }
}

impl<R: Values<Out: Send> + Send + 'static> Query<'static, R> {
    /// Has the query run by a thread of the session, to be awaited on any executor: the path is that of [`Query::run`].
    /// Only for sources that the query owns ([`Column`](crate::Column), `Vec`, Arrow arrays by value, ranges), since it
    /// may outlive the call. Dropping the promise cancels the query.
    pub fn run_async(self) -> Promise<R::Out> {
        let Query { question, row } = self;
        question.run_async(move |results| row.take(results))
    }
}

impl<F: Folds<Out: Send> + Send + 'static> Folding<'static, F> {
    /// Has the query run by a thread of the session, to be awaited on any executor. See [`Query::run_async`].
    pub fn run_async(self) -> Promise<F::Out> {
        let Folding { question, folds } = self;
        question.run_async(move |results| folds.take(results))
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
        let home = self.question.home();
        let column = self.collect()?;
        if column.nulls() > 0 {
            return Err(nulls_in_the_way(column.nulls()).at(home));
        }
        Ok(column.to_vec())
    }

    /// Runs the query into the caller's memory, which must have room for all values; gives how many there are. A null
    /// among them is an error.
    pub fn into_slice(self, out: &mut [T]) -> Result<usize> {
        Ok(self.question.run_into(out)?.into_value())
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

impl<F: Folds> Folding<'_, F> {
    /// Runs the query; gives the folds with a receipt.
    pub fn run(self) -> Result<Answer<F::Out>> {
        let Folding { question, folds } = self;
        let home = question.home();
        let (mut results, receipt) = question.run(None)?;
        Ok(Answer::new(folds.take(&mut results).map_err(|error| error.at(home))?, receipt))
    }

    /// Every step of the path of this query, without running it.
    pub fn explain(&self) -> Explain {
        self.question.explain()
    }

    /// Runs on this device, if it is there and can; else on the CPU. The receipt says what came of it. Several that share
    /// the query are joined by `+`: `prefer("cuda:0+cpu")`.
    pub fn prefer(mut self, device: &str) -> Self {
        self.question.prefer(device);
        self
    }

    /// Runs on this device or fails.
    pub fn require(mut self, device: &str) -> Self {
        self.question.require(device);
        self
    }

    /// Whether float arithmetic may run on a device that keeps bounds instead of bits (Vulkan, Metal, DirectX 12).
    pub fn exactness(mut self, exactness: Exactness) -> Self {
        self.question.exactness(exactness);
        self
    }

    /// Gives the run so much time, from its call on; waiting for a device counts. What runs on the CPU already ends
    /// within milliseconds; what was launched on another device is waited for no longer.
    pub fn deadline(mut self, time: Duration) -> Self {
        self.question.deadline(time);
        self
    }

    /// Stops the run when this token is cancelled. See [`CancellationToken`].
    pub fn cancelled_by(mut self, token: &CancellationToken) -> Self {
        self.question.cancelled_by(token);
        self
    }

    /// Tells how far the run is: when a stage begins and ends, behind each batch, and on the CPU within a launch. Calls
    /// come one at a time, from any thread; one that panics is the last. A call holds up the run, and must not ask this
    /// session for anything: that may wait for the run itself. See [`Progress`].
    pub fn on_progress(mut self, f: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.question.on_progress(f);
        self
    }
}
