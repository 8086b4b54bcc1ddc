//! Prepared closures: the columns and parameters that they take, and the rows, folds or running folds that they return.

use crate::data::element::{Element, Number};
use crate::error::CallSite;
use crate::query::build::{self, PlanBuilder};
use crate::query::expr::{Expr, IntoExpr, Param};
use crate::query::steps::{Binder, ResultParts};
use crate::query::values::ClosureResult;

/// An argument of a prepared closure: a column ([`Expr`]) or a parameter ([`Param`]). The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "a prepared query cannot take a `{Self}`",
    note = "its closure takes columns (`Expr<f32>`, or `F32` for short) and scalars (`Param<f32>`)"
)]
pub trait PreparedInput: Copy {
    /// Adds the argument's column to the source; a parameter has none.
    #[doc(hidden)]
    fn declare(builder: &mut PlanBuilder, nullable: bool);

    /// Creates the argument in the open plan.
    #[doc(hidden)]
    fn bind(binder: &mut Binder) -> Self;
}

impl<T: Element> PreparedInput for Expr<T> {
    fn declare(builder: &mut PlanBuilder, nullable: bool) {
        let field = builder.unnamed_field::<T>(builder.fields.len(), None);
        builder.add_field(field, nullable);
    }

    fn bind(binder: &mut Binder) -> Self {
        Expr::new(binder.value())
    }
}

impl<T: Number> PreparedInput for Param<T> {
    fn declare(_: &mut PlanBuilder, _: bool) {}

    fn bind(binder: &mut Binder) -> Self {
        let at = binder.at;
        Param(Expr::new(build::append(at, |builder| builder.param(T::ZERO.scalar(), T::DTYPE, at))))
    }
}

/// The result of a prepared closure, restricted to rows for which a condition is true. [`filtered`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Filtered<Y> {
    condition: Expr<bool>,
    result: Y,
}

/// Restricts the result of a prepared closure to rows for which the condition is true, as
/// [`Query::filter`](crate::Query::filter) does for a query.
///
/// ```
/// # use pointsman::{F32, Param, Session, filtered};
/// # fn main() -> pointsman::Result<()> {
/// # let s = Session::open()?;
/// let above = s.prepare(|x: F32, low: Param<f32>| filtered(x.gt(low), x.sum()))?;
/// assert_eq!(*above.run(&[1.0, 5.0, 7.0], 3.0)?, 12.0);
/// # Ok(())
/// # }
/// ```
pub fn filtered<Y: ClosureResult>(condition: impl IntoExpr<bool>, result: Y) -> Filtered<Y> {
    Filtered { condition: condition.into_expr(), result }
}

/// The result of a prepared closure: rows, folds or running folds, or any of them [`filtered`]. The trait is sealed.
pub trait PreparedResult: sealed::Sealed {
    /// The result without the filter.
    type Unfiltered: ClosureResult;

    /// The filter and the result without it.
    #[doc(hidden)]
    fn parts(self) -> (Option<Expr<bool>>, Self::Unfiltered);
}

mod sealed {
    use super::{ClosureResult, Filtered};

    pub trait Sealed {}
    impl<Y: ClosureResult> Sealed for Y {}
    impl<Y: ClosureResult> Sealed for Filtered<Y> {}
}

impl<Y: ClosureResult> PreparedResult for Y {
    type Unfiltered = Y;

    fn parts(self) -> (Option<Expr<bool>>, Y) {
        (None, self)
    }
}

impl<Y: ClosureResult> PreparedResult for Filtered<Y> {
    type Unfiltered = Y;

    fn parts(self) -> (Option<Expr<bool>>, Y) {
        (Some(self.condition), self.result)
    }
}

/// A closure that can be prepared. Its one to eight arguments, `A`, are columns and parameters. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "this closure cannot be prepared",
    note = "its one to eight arguments are columns (`x: F32`, that is, `x: Expr<f32>`) and parameters (`k: Param<f32>`), with their types written out; it returns expressions, folds or running folds"
)]
pub trait PreparedClosure<A> {
    /// The result of the closure.
    type Output: PreparedResult;

    /// Declares the arguments.
    #[doc(hidden)]
    fn declare(builder: &mut PlanBuilder, nullable: bool);

    /// Calls the closure; its expressions are added to the open plan.
    #[doc(hidden)]
    fn call(&self, at: CallSite) -> Self::Output;
}

/// Projects the condition and the values, filters by the condition, and points `parts` at the new columns. Values of
/// rows that the filter drops are not needed, so they raise no errors.
pub(super) fn filter(condition: Expr<bool>, parts: &mut ResultParts, at: CallSite) {
    build::with_open(|builder| {
        builder.project([condition.handle].into_iter().chain(parts.values()), at);
        let condition = builder.column(0, at);
        builder.filter(condition, at);
        for (position, value) in parts.values_mut().enumerate() {
            *value = builder.column(position as u32 + 1, at);
        }
    });
}
