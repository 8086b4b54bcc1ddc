//! Prepared closures: the columns and parameters that they take, and the rows, folds or running folds that they return.

use crate::data::column::Column;
use crate::data::element::Element;
use crate::error::CallSite;
use crate::query::batches::Columns;
use crate::query::build::{self, PlanBuilder};
use crate::query::control::{Index, Lookup, position};
use crate::query::expr::{Expr, IntoExpr, Param, copies};
use crate::query::steps::{Binder, ResultParts};
use crate::query::values::{ClosureResult, Values, for_each_arity};
use pointsman_ir::body::ListId;
use pointsman_ir::types::Scalar;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// An argument of a prepared closure: a column ([`Expr`]), a scalar ([`Param`]), a table ([`LookupParam`]), the rows of
/// record batches ([`Columns`], with [`Session::prepare_for`](crate::Session::prepare_for)), or a tuple or array of
/// these. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "a prepared query cannot take a `{Self}`",
    note = "its closure takes columns (`Expr<f32>`, or `F32` for short), scalars (`Param<f32>`), tables (`LookupParam<f32>`) and rows of record batches (`Columns`)"
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

impl<T: Element> PreparedInput for Param<T> {
    fn declare(_: &mut PlanBuilder, _: bool) {}

    fn bind(binder: &mut Binder) -> Self {
        let (at, zero) = (binder.at, Scalar::from_bits(T::DTYPE.repr(), 0));
        Param(Expr::new(build::append(at, |builder| builder.param(zero, T::DTYPE, at))))
    }
}

/// A look-up table that the caller passes with every run of a prepared query, as a [`Lookup`](crate::Lookup).
///
/// ```
/// # use pointsman::{LookupParam, Session, U32, lookup};
/// # fn main() -> pointsman::Result<()> {
/// # let s = Session::open()?;
/// let priced = s.prepare(|product: U32, prices: LookupParam<f64>| prices.at(product).sum())?;
/// let prices = lookup(&[2.0, 5.0]);
/// assert_eq!(*priced.run(&[0, 1, 1], &prices)?, 12.0);
/// # Ok(())
/// # }
/// ```
#[must_use = "a table does nothing unless an expression reads it"]
#[derive(Debug)]
pub struct LookupParam<T> {
    list: ListId,
    marker: PhantomData<fn() -> T>,
}

copies!(LookupParam);

impl<T: Element> LookupParam<T> {
    /// The value at this position. A position outside the table is an error of its row.
    #[track_caller]
    pub fn at<I: Index>(&self, index: impl IntoExpr<I>) -> Expr<T> {
        let at = Location::caller();
        let index = position(index.into_expr(), at);
        Expr::new(build::append(at, |builder| builder.lookup_in(self.list, T::DTYPE, index, at)))
    }
}

impl<T: Element> PreparedInput for LookupParam<T> {
    fn declare(_: &mut PlanBuilder, _: bool) {}

    fn bind(_: &mut Binder) -> Self {
        let list = Lookup::<T>::captured(Arc::new(Column::from(Vec::<T>::new()))).list;
        let list = build::with_open(|builder| builder.captured(&list)).unwrap_or(ListId(0));
        LookupParam { list, marker: PhantomData }
    }
}

impl<I: PreparedInput, const N: usize> PreparedInput for [I; N] {
    fn declare(builder: &mut PlanBuilder, nullable: bool) {
        (0..N).for_each(|_| I::declare(builder, nullable));
    }

    fn bind(binder: &mut Binder) -> Self {
        std::array::from_fn(|_| I::bind(binder))
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: PreparedInput),+> PreparedInput for ($($name,)+) {
            fn declare(builder: &mut PlanBuilder, nullable: bool) {
                $($name::declare(builder, nullable);)+
            }

            fn bind(binder: &mut Binder) -> Self {
                ($($name::bind(binder),)+)
            }
        }
    };
}

for_each_arity!(tuples: A B C D E F G H I J K L);

impl PreparedInput for Columns {
    fn declare(builder: &mut PlanBuilder, nullable: bool) {
        builder.add_schema(nullable);
    }

    fn bind(binder: &mut Binder) -> Self {
        build::with_open(|builder| Columns::of_schema(builder, binder.at))
            .unwrap_or_else(|| Columns::of_schema(&PlanBuilder::new(binder.at), binder.at))
            .bind(binder)
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

/// A closure that can be prepared. Its one to sixteen arguments, `A`, are columns and parameters. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "this closure cannot be prepared",
    note = "its one to sixteen arguments are columns (`x: F32`, that is, `x: Expr<f32>`) and parameters (`k: Param<f32>`), with their types written out; it returns expressions, folds or running folds"
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
