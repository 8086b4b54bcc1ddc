//! The results of closures: [`Values`] (rows), [`Folds`] and [`Scans`]. Each becomes a node of the plan (`steps.rs`),
//! and the results of that node become columns or scalars.

use crate::data::column::Column;
use crate::data::element::{Element, Number};
use crate::data::output::Results;
use crate::error::{Error, Result};
use crate::query::build::Handle;
use crate::query::expr::{Expr, IntoExpr, Param};
use crate::query::folds::{Count, Mean, MinMax, Quantile, Running, Sum};
use crate::query::steps::{Binder, Part, ProjectStep, ReduceStep, ResultParts, ScanStep, StepKind};
use std::panic::Location;

/// The result of a query's closure: rows, folds or running folds, alone or in tuples and arrays of one kind. The trait
/// is sealed.
#[diagnostic::on_unimplemented(
    message = "a query's closure cannot return `{Self}`",
    note = "return expressions, folds (`x.sum()`) or running folds (`x.running_sum()`), or a tuple or array of one of these; `lit(v)` makes an expression of a scalar"
)]
pub trait ClosureResult: Copy {
    /// The plan node that it becomes: for rows, folds or running folds.
    type Step: StepKind;
    /// The value of the answer.
    type Out;

    /// Adds its parts.
    #[doc(hidden)]
    fn gather(&self, parts: &mut ResultParts);

    /// Reads its value from the results of the run.
    #[doc(hidden)]
    fn take(&self, results: &mut Results) -> Result<Self::Out>;
}

/// A row: an expression, or a tuple or array of rows. The answer has a [`Column`] for each expression, in the same
/// shape. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a row of expressions",
    note = "rows and group keys are expressions, or tuples or arrays of them; folds like `x.sum()` belong into `reduce` and `agg`, running folds into `scan`"
)]
pub trait Values: ClosureResult<Step = ProjectStep> {
    /// A row of the same shape with other values.
    #[doc(hidden)]
    fn bind(&self, binder: &mut Binder) -> Self;
}

/// Folds of columns: `x.sum()`, `x.min()`, `x.max()`, `x.mean()`, `x.median()`, `x.quantile(0.9)`, `x.count()`,
/// `x.count_distinct()`, `x.first()`, `x.argmin()`, `x.variance()`, `x.correlation(y)`, `count()` and others, and tuples
/// and arrays of them. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a fold",
    note = "`reduce` and `agg` return folds, like `x.sum()` or `(x.min(), x.max())`"
)]
pub trait Folds: ClosureResult<Step = ReduceStep> {
    /// The row that the step after `agg` sees.
    type Row: Values;

    /// The row, for the next step to bind.
    #[doc(hidden)]
    fn row(&self) -> Self::Row;
}

macro_rules! fold_rows {
    ($([$($generics:tt)*] $fold:ty => $element:ty;)*) => {$(
        impl<$($generics)*> Folds for $fold {
            type Row = Expr<$element>;

            #[track_caller]
            fn row(&self) -> Expr<$element> {
                Expr::new(Handle::unbound(Location::caller()))
            }
        }
    )*};
}

fold_rows! {
    [T: Number] Sum<T> => T;
    [T: Element] MinMax<T> => T;
    [] Mean => f64;
    [] Quantile => f64;
    [] Count => u64;
}

impl<F: Folds, const N: usize> Folds for [F; N] {
    type Row = [F::Row; N];

    fn row(&self) -> Self::Row {
        std::array::from_fn(|i| self[i].row())
    }
}

/// Running folds: `x.running_sum()`, `x.running_min()`, `x.running_max()`, `x.running_count()`, `x.kept()`, and tuples
/// and arrays of them. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a running fold",
    note = "`scan` returns running folds, like `x.running_sum()`; keep a column beside them with `x.kept()`"
)]
pub trait Scans: ClosureResult<Step = ScanStep> {
    /// The row that the next step sees.
    type Row: Values;

    /// The row, for the next step to bind.
    #[doc(hidden)]
    fn row(&self) -> Self::Row;
}

/// Keeps others from implementing [`IntoValues`].
mod sealed {
    pub trait Sealed {}
}

/// A value that can start or continue a loop or be an arm of [`select`](crate::select): an expression, a scalar, or a
/// tuple or array of them. The trait is sealed.
pub trait IntoValues: sealed::Sealed {
    /// The row it becomes.
    type Row: Values;

    /// Converts into the row. Scalars become run-time parameters.
    fn into_values(self) -> Self::Row;
}

impl<T: Element> ClosureResult for Expr<T> {
    type Step = ProjectStep;
    type Out = Column<T>;

    fn gather(&self, parts: &mut ResultParts) {
        parts.0.push(Part::Column(self.handle));
    }

    fn take(&self, results: &mut Results) -> Result<Column<T>> {
        results.column()
    }
}

impl<T: Element> Values for Expr<T> {
    fn bind(&self, binder: &mut Binder) -> Self {
        Expr::new(binder.value())
    }
}

impl<T: Element> Scans for Running<T> {
    type Row = Expr<T>;

    #[track_caller]
    fn row(&self) -> Expr<T> {
        Expr::new(Handle::unbound(Location::caller()))
    }
}

impl<T: Element> sealed::Sealed for T {}
impl<T> sealed::Sealed for Expr<T> {}
impl<T> sealed::Sealed for Param<T> {}
impl<V, const N: usize> sealed::Sealed for [V; N] {}

impl<T: Element> IntoValues for T {
    type Row = Expr<T>;

    #[track_caller]
    fn into_values(self) -> Expr<T> {
        self.into_expr()
    }
}

impl<T: Element> IntoValues for Expr<T> {
    type Row = Expr<T>;

    fn into_values(self) -> Expr<T> {
        self
    }
}

impl<T: Element> IntoValues for Param<T> {
    type Row = Expr<T>;

    fn into_values(self) -> Expr<T> {
        self.0
    }
}

impl<Y: ClosureResult, const N: usize> ClosureResult for [Y; N] {
    type Step = Y::Step;
    type Out = [Y::Out; N];

    fn gather(&self, parts: &mut ResultParts) {
        self.iter().for_each(|one| one.gather(parts));
    }

    fn take(&self, results: &mut Results) -> Result<[Y::Out; N]> {
        let all: Vec<Y::Out> = self.iter().map(|one| one.take(results)).collect::<Result<_>>()?;
        all.try_into().map_err(|_| Error::internal("an array of results changed its length"))
    }
}

impl<V: Values, const N: usize> Values for [V; N] {
    fn bind(&self, binder: &mut Binder) -> Self {
        std::array::from_fn(|i| self[i].bind(binder))
    }
}

impl<S: Scans, const N: usize> Scans for [S; N] {
    type Row = [S::Row; N];

    fn row(&self) -> Self::Row {
        std::array::from_fn(|i| self[i].row())
    }
}

impl<V: IntoValues, const N: usize> IntoValues for [V; N] {
    type Row = [V::Row; N];

    #[track_caller]
    fn into_values(self) -> Self::Row {
        self.map(V::into_values)
    }
}

/// Calls a macro with the first of these names, with the first two, and so on up to all of them.
macro_rules! for_each_arity {
    ($macro:ident: $($name:ident)+) => {
        for_each_arity!(@next $macro [] $($name)+);
    };
    (@next $macro:ident [$($done:ident)*] $next:ident $($rest:ident)*) => {
        $macro!($($done)* $next);
        for_each_arity!(@next $macro [$($done)* $next] $($rest)*);
    };
    (@next $macro:ident [$($done:ident)*]) => {};
}

pub(super) use for_each_arity;

macro_rules! tuples {
    ($first:ident $($rest:ident)*) => {
        impl<$first: ClosureResult, $($rest: ClosureResult<Step = $first::Step>),*> ClosureResult for ($first, $($rest,)*) {
            type Step = $first::Step;
            type Out = ($first::Out, $($rest::Out,)*);

            #[allow(non_snake_case)]
            fn gather(&self, parts: &mut ResultParts) {
                let ($first, $($rest,)*) = self;
                $first.gather(parts);
                $($rest.gather(parts);)*
            }

            #[allow(non_snake_case)]
            fn take(&self, results: &mut Results) -> Result<Self::Out> {
                let ($first, $($rest,)*) = self;
                Ok(($first.take(results)?, $($rest.take(results)?,)*))
            }
        }

        impl<$first: Values, $($rest: Values),*> Values for ($first, $($rest,)*) {
            #[allow(non_snake_case)]
            fn bind(&self, binder: &mut Binder) -> Self {
                let ($first, $($rest,)*) = self;
                ($first.bind(binder), $($rest.bind(binder),)*)
            }
        }

        impl<$first: Folds, $($rest: Folds),*> Folds for ($first, $($rest,)*) {
            type Row = ($first::Row, $($rest::Row,)*);

            #[allow(non_snake_case)]
            fn row(&self) -> Self::Row {
                let ($first, $($rest,)*) = self;
                ($first.row(), $($rest.row(),)*)
            }
        }

        impl<$first: Scans, $($rest: Scans),*> Scans for ($first, $($rest,)*) {
            type Row = ($first::Row, $($rest::Row,)*);

            #[allow(non_snake_case)]
            fn row(&self) -> Self::Row {
                let ($first, $($rest,)*) = self;
                ($first.row(), $($rest.row(),)*)
            }
        }

        impl<$first, $($rest),*> sealed::Sealed for ($first, $($rest,)*) {}

        impl<$first: IntoValues, $($rest: IntoValues),*> IntoValues for ($first, $($rest,)*) {
            type Row = ($first::Row, $($rest::Row,)*);

            #[track_caller]
            #[allow(non_snake_case)]
            fn into_values(self) -> Self::Row {
                let ($first, $($rest,)*) = self;
                ($first.into_values(), $($rest.into_values(),)*)
            }
        }
    };
}

for_each_arity!(tuples: A B C D E F G H I J K L);
