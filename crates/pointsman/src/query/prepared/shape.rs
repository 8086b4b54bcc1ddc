//! What a prepared closure takes and returns: columns and parameters, and rows, folds or running folds, filtered or not.

use crate::data::element::{Element, Number};
use crate::error::CallSite;
use crate::query::build::{self, PlanBuilder, SourceField};
use crate::query::expr::{Expr, IntoExpr, Param};
use crate::query::values::{ClosureResult, ResultParts};
use pointsman_ir::plan::NodeKind;

/// What a prepared closure takes: columns and parameters.
#[diagnostic::on_unimplemented(
    message = "a prepared query cannot take a `{Self}`",
    note = "its closure takes columns (`Expr<f32>`, short `F32`) and scalars (`Param<f32>`)"
)]
pub trait PreparedInput: Copy {
    /// Declares it.
    #[doc(hidden)]
    fn declare(builder: &mut Declarations, nullable: bool);

    /// Makes it, with the plan open; `column` counts the columns.
    #[doc(hidden)]
    fn bind(column: &mut u32, at: CallSite) -> Self;
}

/// The plan that arguments are declared in.
pub struct Declarations(pub(crate) Box<PlanBuilder>);

impl<T: Element> PreparedInput for Expr<T> {
    fn declare(builder: &mut Declarations, nullable: bool) {
        let position = builder.0.fields.len();
        let field =
            SourceField { name: format!("_{position}"), dtype: T::DTYPE, column: Some(position as u32), arrow: None };
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

/// Rows, folds or running folds of the rows where a condition is true: what `filter` is to a query, for the result of a
/// prepared closure.
#[derive(Clone, Copy, Debug)]
pub struct Filtered<Y> {
    condition: Expr<bool>,
    result: Y,
}

/// The result of a prepared closure over the rows where the condition is true.
pub fn filtered<Y: ClosureResult>(condition: impl IntoExpr<bool>, result: Y) -> Filtered<Y> {
    Filtered { condition: condition.into_expr(), result }
}

/// What a prepared closure may return: rows, folds, running folds, or any of them [`filtered`].
pub trait PreparedResult {
    /// What it is without the filter.
    type ClosureResult: ClosureResult;

    /// The filter and the rest.
    #[doc(hidden)]
    fn parts(self) -> (Option<Expr<bool>>, Self::ClosureResult);
}

impl<Y: ClosureResult> PreparedResult for Y {
    type ClosureResult = Y;

    fn parts(self) -> (Option<Expr<bool>>, Y) {
        (None, self)
    }
}

impl<Y: ClosureResult> PreparedResult for Filtered<Y> {
    type ClosureResult = Y;

    fn parts(self) -> (Option<Expr<bool>>, Y) {
        (Some(self.condition), self.result)
    }
}

/// A closure that can be prepared: it takes columns and parameters.
pub trait PreparedClosure<A> {
    /// What it returns.
    type Output: PreparedResult;

    /// Declares the arguments.
    #[doc(hidden)]
    fn declare(builder: &mut Declarations, nullable: bool);

    /// Calls it, with the plan open.
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
