//! Prepared closures: the columns and parameters that they take, and the rows, folds or running folds that they return.

use crate::data::element::{Element, Number};
use crate::data::source_field::SourceField;
use crate::error::CallSite;
use crate::query::build::{self, PlanBuilder};
use crate::query::expr::{Expr, IntoExpr, Param};
use crate::query::values::{ClosureResult, ResultParts};
use pointsman_ir::plan::NodeKind;

/// An argument of a prepared closure: a column ([`Expr`]) or a parameter ([`Param`]). The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "a prepared query cannot take a `{Self}`",
    note = "its closure takes columns (`Expr<f32>`, short `F32`) and scalars (`Param<f32>`)"
)]
pub trait PreparedInput: Copy {
    /// Declares the argument in the plan.
    #[doc(hidden)]
    fn declare(builder: &mut Declarations, nullable: bool);

    /// Makes the argument while the plan is open; `column` counts the columns.
    #[doc(hidden)]
    fn bind(column: &mut u32, at: CallSite) -> Self;
}

/// The plan that arguments are declared in.
pub struct Declarations(pub(crate) Box<PlanBuilder>);

impl<T: Element> PreparedInput for Expr<T> {
    fn declare(builder: &mut Declarations, nullable: bool) {
        let position = builder.0.fields.len();
        let field = SourceField {
            name: format!("_{position}"),
            dtype: T::DTYPE,
            column: Some(position as u32),
            zone: None,
            arrow: None,
        };
        builder.0.add_field(field, nullable);
    }

    fn bind(column: &mut u32, at: CallSite) -> Self {
        *column += 1;
        Expr::new(build::append(at, |builder| builder.column(*column - 1, at)))
    }
}

impl<T: Number> PreparedInput for Param<T> {
    fn declare(_: &mut Declarations, _: bool) {}

    fn bind(_: &mut u32, at: CallSite) -> Self {
        Param(Expr::new(build::append(at, |builder| builder.param(T::ZERO.scalar(), T::DTYPE, at))))
    }
}

/// The result of a prepared closure, restricted to rows for which a condition is true. [`filtered`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Filtered<Y> {
    condition: Expr<bool>,
    result: Y,
}

/// Restricts the result of a prepared closure to rows for which the condition is true, as [`Query::filter`](crate::Query::filter)
/// does for a query.
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
pub trait PreparedResult {
    /// The result without the filter.
    type Unfiltered: ClosureResult;

    /// The filter and the result without it.
    #[doc(hidden)]
    fn parts(self) -> (Option<Expr<bool>>, Self::Unfiltered);
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

/// A closure that can be prepared: it takes one to eight columns and parameters `A`. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "this closure cannot be prepared",
    note = "its one to eight arguments are columns (`x: F32`, long `x: Expr<f32>`) and parameters (`k: Param<f32>`), with their types written out; it returns expressions, folds or running folds"
)]
pub trait PreparedClosure<A> {
    /// The result of the closure.
    type Output: PreparedResult;

    /// Declares the arguments.
    #[doc(hidden)]
    fn declare(builder: &mut Declarations, nullable: bool);

    /// Calls the closure while the plan is open.
    #[doc(hidden)]
    fn call(&self, at: CallSite) -> Self::Output;
}

/// Keeps the rows where the condition is true: the values pass through a projection and a filter.
pub(super) fn filter(condition: Expr<bool>, parts: &mut ResultParts, at: CallSite) {
    build::with_open(|builder| {
        let mut values = vec![condition.handle];
        values.extend(parts.handles().map(|handle| *handle));
        let Some(columns) = builder.values(&values, at) else { return };
        let input = builder.plan.root();
        let input = builder.node(NodeKind::Project { input, columns }, at);
        let predicate = builder.column(0, at);
        let Some(predicate) = builder.value(predicate, at) else { return };
        builder.node(NodeKind::Filter { input, predicate }, at);
        for (position, handle) in parts.handles().enumerate() {
            *handle = builder.column(position as u32 + 1, at);
        }
    });
}
