//! The results of the closures of `reduce`, `agg` and `scan`: folds of whole columns or of groups, and running folds.

use crate::data::element::{Element, Float, Number};
use crate::data::output::Results;
use crate::error::{CallSite, Result};
use crate::query::build::{self, Handle, PlanBuilder};
use crate::query::expr::{IntoExpr, copies};
use crate::query::steps::{Part, ReduceStep, ResultParts, ScanStep};
use crate::query::values::ClosureResult;
use pointsman_ir::kernel::{FoldMode, FoldOp};
use pointsman_ir::op::Op;
use pointsman_ir::plan::{Aggregate, AggregateOp};
use pointsman_ir::types::Scalar;
use std::marker::PhantomData;
use std::panic::Location;

/// A fold in the result of a closure: its operation, its values, and the rows that it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldPart {
    op: AggregateOp,
    /// `None`: it counts rows.
    pub(super) value: Option<Handle>,
    /// The second value of folds of pairs.
    pub(super) second: Option<Handle>,
    /// The fold takes the rows where this is true; `None` for all rows.
    pub(super) filter: Option<Handle>,
    mode: FoldMode,
}

impl FoldPart {
    pub(super) fn new(op: AggregateOp, value: Option<Handle>) -> FoldPart {
        FoldPart { op, value, second: None, filter: None, mode: FoldMode::Reproducible }
    }

    pub(super) fn of_pairs(op: AggregateOp, value: Handle, second: Handle) -> FoldPart {
        FoldPart { second: Some(second), ..FoldPart::new(op, Some(value)) }
    }

    /// The fold over the rows where the condition is true too.
    pub(super) fn filtered(self, condition: Handle, at: CallSite) -> FoldPart {
        let both = |first: Handle| build::call(Op::And, &[first, condition], at);
        FoldPart { filter: Some(self.filter.map_or(condition, both)), ..self }
    }

    /// The fold in the plan; `None` where a mistake was made.
    pub(super) fn aggregate(&self, builder: &mut PlanBuilder, at: CallSite) -> Option<Aggregate> {
        let mut value = |handle: Option<Handle>| handle.map_or(Some(None), |one| builder.value(one, at).map(Some));
        let (of, second, filter) = (value(self.value)?, value(self.second)?, value(self.filter)?);
        // Integers are summed exactly in any order.
        let is_float = of.is_some_and(|of| builder.plan.body.ty(of).dtype.is_float());
        let mode = if is_float { self.mode } else { FoldMode::Reproducible };
        Some(Aggregate { op: self.op, value: of, second, filter, mode })
    }
}

/// The sum of a column: [`Expr::sum`](crate::Expr::sum). Zero if there are no values.
#[must_use = "a fold does nothing unless the closure returns it"]
#[derive(Debug)]
pub struct Sum<T>(pub(super) FoldPart, pub(super) PhantomData<fn() -> T>);

/// The smallest or the greatest value of a column: [`Expr::min`](crate::Expr::min), [`Expr::max`](crate::Expr::max).
/// `None` if there are no values.
#[must_use = "a fold does nothing unless the closure returns it"]
#[derive(Debug)]
pub struct MinMax<T>(pub(super) FoldPart, pub(super) PhantomData<fn() -> T>);

/// The mean of a column in double precision: [`Expr::mean`](crate::Expr::mean). `None` if there are no values. The sum
/// is computed in double precision (exactly for integers) and divided once.
#[must_use = "a fold does nothing unless the closure returns it"]
#[derive(Clone, Copy, Debug)]
pub struct Mean(pub(super) FoldPart);

/// A quantile of a column in double precision: [`Expr::median`](crate::Expr::median),
/// [`Expr::quantile`](crate::Expr::quantile). `None` if there are no values.
#[must_use = "a fold does nothing unless the closure returns it"]
#[derive(Clone, Copy, Debug)]
pub struct Quantile(pub(super) FoldPart);

/// The number of values that are not null ([`Expr::count`](crate::Expr::count)), of different values
/// ([`Expr::count_distinct`](crate::Expr::count_distinct)), or of rows ([`count`]).
#[must_use = "a fold does nothing unless the closure returns it"]
#[derive(Clone, Copy, Debug)]
pub struct Count(pub(super) FoldPart);

/// A running fold ([`Expr::running_sum`](crate::Expr::running_sum) and others), or a column that is kept beside running
/// folds ([`Expr::kept`](crate::Expr::kept)).
#[must_use = "a running fold does nothing unless the closure returns it"]
#[derive(Debug)]
pub struct Running<T>(pub(super) Option<FoldOp>, pub(super) Handle, pub(super) PhantomData<fn() -> T>);

copies!(Sum MinMax Running);

/// The number of rows, as a fold.
///
/// ```
/// # use pointsman::{Session, count};
/// # fn main() -> pointsman::Result<()> {
/// # let s = Session::open()?;
/// let (rows, sum) = s.from(&[1i32, 2, 3]).filter(|x| x.gt(1)).reduce(|x| (count(), x.sum()))?;
/// assert_eq!((rows, sum), (2, 5));
/// # Ok(())
/// # }
/// ```
pub fn count() -> Count {
    Count(FoldPart::new(AggregateOp::Fold(FoldOp::Count), None))
}

/// Adds `filter` to folds: the fold, as a function of its part.
macro_rules! filters {
    ($([$($generics:tt)*] $fold:ty = |$part:ident| $with:expr;)*) => {$(
        impl<$($generics)*> $fold {
            /// The fold over the rows where the condition is true; over those where all are, after several calls.
            ///
            /// ```
            /// # use pointsman::{Session, count};
            /// # fn main() -> pointsman::Result<()> {
            /// # let s = Session::open()?;
            /// let folds = s.from(&[3i64, -1, 4]).reduce(|x| (x.sum(), x.sum().filter(x.gt(0)), count().filter(x.lt(0))))?;
            /// assert_eq!(folds, (6, 7, 1));
            /// # Ok(())
            /// # }
            /// ```
            #[track_caller]
            pub fn filter(self, condition: impl IntoExpr<bool>) -> Self {
                let $part = self.0.filtered(condition.into_expr().handle, Location::caller());
                $with
            }
        }
    )*};
}

filters! {
    [T] Sum<T> = |part| Sum(part, PhantomData);
    [T] MinMax<T> = |part| MinMax(part, PhantomData);
    [] Mean = |part| Mean(part);
    [] Quantile = |part| Quantile(part);
    [] Count = |part| Count(part);
}

impl<T: Float> Sum<T> {
    /// The sum in any order, which is faster where rows have no order of their own (in groups, after joins). Its bits
    /// may differ from run to run; the error stays within the bound that `docs/semantics.md` states.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[1.5f32, 2.0]).reduce(|x| x.sum().fast())?, 3.5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fast(self) -> Self {
        Sum(FoldPart { mode: FoldMode::Fast, ..self.0 }, PhantomData)
    }
}

impl Mean {
    /// The mean of a sum in any order, which is faster where rows have no order of their own (in groups, after joins).
    /// Its bits may differ from run to run; the error stays within the bound that `docs/semantics.md` states. Integers
    /// are summed exactly in any case.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[1.5f32, 2.5]).reduce(|x| x.mean().fast())?, Some(2.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn fast(self) -> Self {
        Mean(FoldPart { mode: FoldMode::Fast, ..self.0 })
    }
}

impl PlanBuilder {
    /// The folds with a sum and a count in place of each mean: a reduction has no room for the division, so the host
    /// divides. Floats are summed in double precision.
    pub(super) fn split_means(&mut self, folds: Vec<Aggregate>, at: CallSite) -> Vec<Aggregate> {
        let mut split = Vec::with_capacity(folds.len());
        for fold in folds {
            let Some(value) = fold.value.filter(|_| fold.op == AggregateOp::Mean) else {
                split.push(fold);
                continue;
            };
            let is_integer = self.plan.body.ty(value).dtype.is_integer();
            let (op, value) = match is_integer {
                true => (FoldOp::Total, value),
                false => (FoldOp::Sum, self.double(value, at)),
            };
            let sum = Aggregate { op: AggregateOp::Fold(op), value: Some(value), ..fold };
            let count = Aggregate { op: AggregateOp::Fold(FoldOp::Count), mode: FoldMode::Reproducible, ..sum };
            split.extend([sum, count]);
        }
        split
    }
}

impl<T: Number> ClosureResult for Sum<T> {
    type Step = ReduceStep;
    type Out = T;

    fn gather(&self, parts: &mut ResultParts) {
        parts.0.push(Part::Fold(self.0));
    }

    fn take(&self, results: &mut Results) -> Result<T> {
        Ok(results.scalar::<T>()?.unwrap_or(T::ZERO))
    }
}

impl<T: Element> ClosureResult for MinMax<T> {
    type Step = ReduceStep;
    type Out = Option<T>;

    fn gather(&self, parts: &mut ResultParts) {
        parts.0.push(Part::Fold(self.0));
    }

    fn take(&self, results: &mut Results) -> Result<Option<T>> {
        results.scalar()
    }
}

impl ClosureResult for Count {
    type Step = ReduceStep;
    type Out = u64;

    fn gather(&self, parts: &mut ResultParts) {
        parts.0.push(Part::Fold(self.0));
    }

    fn take(&self, results: &mut Results) -> Result<u64> {
        Ok(results.scalar()?.unwrap_or(0))
    }
}

impl ClosureResult for Quantile {
    type Step = ReduceStep;
    type Out = Option<f64>;

    fn gather(&self, parts: &mut ResultParts) {
        parts.0.push(Part::Fold(self.0));
    }

    fn take(&self, results: &mut Results) -> Result<Option<f64>> {
        results.scalar()
    }
}

impl ClosureResult for Mean {
    type Step = ReduceStep;
    type Out = Option<f64>;

    fn gather(&self, parts: &mut ResultParts) {
        parts.0.push(Part::Fold(self.0));
    }

    /// Reads the sum and the count that a reduction has in place of the mean.
    fn take(&self, results: &mut Results) -> Result<Option<f64>> {
        let sum = match results.any_scalar()? {
            Some(Scalar::F64(sum)) => sum,
            Some(Scalar::I128(sum)) => sum as f64,
            other => return Err(crate::Error::internal(format!("the sum of a mean is {other:?}"))),
        };
        let count: u64 = results.scalar()?.unwrap_or(0);
        Ok((count > 0).then(|| sum / count as f64))
    }
}

impl<T: Element> ClosureResult for Running<T> {
    type Step = ScanStep;
    type Out = crate::Column<T>;

    fn gather(&self, parts: &mut ResultParts) {
        parts.0.push(self.0.map_or(Part::Column(self.1), |op| Part::Running(op, self.1)));
    }

    fn take(&self, results: &mut Results) -> Result<Self::Out> {
        results.column()
    }
}
