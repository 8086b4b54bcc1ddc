//! The results of the closures of `reduce` and `scan`: folds of whole columns, and running folds.

use crate::data::element::{Element, Number};
use crate::data::output::Results;
use crate::error::{CallSite, Result};
use crate::query::build::{self, Handle};
use crate::query::expr::{Expr, copies};
use crate::query::values::{ClosureResult, ReduceStep, ResultParts, ScanStep};
use pointsman_ir::kernel::FoldOp;
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Scalar};
use std::marker::PhantomData;

/// The sum of a column: [`Expr::sum`]. Zero if there are no values.
#[must_use = "a fold does nothing unless the closure returns it"]
#[derive(Debug)]
pub struct Sum<T>(pub(super) Handle, pub(super) PhantomData<fn() -> T>);

/// The smallest or the greatest value of a column: [`Expr::min`], [`Expr::max`]. `None` if there are no values.
#[must_use = "a fold does nothing unless the closure returns it"]
#[derive(Debug)]
pub struct MinMax<T>(pub(super) FoldOp, pub(super) Handle, pub(super) PhantomData<fn() -> T>);

/// The mean of a column in double precision: [`Expr::mean`]. `None` if there are no values. The sum is computed in double
/// precision (exactly for integers) and divided once.
#[must_use = "a fold does nothing unless the closure returns it"]
#[derive(Clone, Copy, Debug)]
pub struct Mean(FoldOp, Handle);

/// The number of values that are not null ([`Expr::count`]), or the number of rows ([`count`]).
#[must_use = "a fold does nothing unless the closure returns it"]
#[derive(Clone, Copy, Debug)]
pub struct Count(pub(super) Option<Handle>);

/// A running fold ([`Expr::running_sum`] and others), or a column that is kept beside running folds ([`Expr::kept`]).
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
    Count(None)
}

impl Mean {
    /// The mean: floats are summed in double precision, integers exactly.
    pub(crate) fn new<T: Number>(of: Expr<T>, at: CallSite) -> Mean {
        if T::DTYPE.is_integer() {
            return Mean(FoldOp::Total, of.handle);
        }
        let double = |builder: &mut build::PlanBuilder| builder.cast(Op::Cast, of.handle, DType::F64, at);
        Mean(FoldOp::Sum, if T::DTYPE == DType::F64 { of.handle } else { build::append(at, double) })
    }
}

impl<T: Number> ClosureResult for Sum<T> {
    type Step = ReduceStep;
    type Out = T;

    fn gather(&self, parts: &mut ResultParts) {
        parts.0.push((Some(FoldOp::Sum), Some(self.0)));
    }

    fn take(&self, results: &mut Results) -> Result<T> {
        Ok(results.scalar::<T>()?.unwrap_or(T::ZERO))
    }
}

impl<T: Element> ClosureResult for MinMax<T> {
    type Step = ReduceStep;
    type Out = Option<T>;

    fn gather(&self, parts: &mut ResultParts) {
        parts.0.push((Some(self.0), Some(self.1)));
    }

    fn take(&self, results: &mut Results) -> Result<Option<T>> {
        results.scalar()
    }
}

impl ClosureResult for Count {
    type Step = ReduceStep;
    type Out = u64;

    fn gather(&self, parts: &mut ResultParts) {
        parts.0.push((Some(FoldOp::Count), self.0));
    }

    fn take(&self, results: &mut Results) -> Result<u64> {
        Ok(results.scalar()?.unwrap_or(0))
    }
}

impl ClosureResult for Mean {
    type Step = ReduceStep;
    type Out = Option<f64>;

    fn gather(&self, parts: &mut ResultParts) {
        parts.0.extend([self.0, FoldOp::Count].map(|op| (Some(op), Some(self.1))));
    }

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
        parts.0.push((self.0, Some(self.1)));
    }

    fn take(&self, results: &mut Results) -> Result<Self::Out> {
        results.column()
    }
}
