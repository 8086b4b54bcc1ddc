//! Folds that find a value or its row (`any`, `all`, `first`, `last`, `argmin`, `argmax`), and statistics of one or two
//! columns. In: expressions. Out: parts of the result of a closure of `reduce`, `agg` or `scan`.

use crate::data::element::{Element, Number};
use crate::data::output::Results;
use crate::error::Result;
use crate::query::build::Handle;
use crate::query::expr::{Expr, IntoExpr, copies};
use crate::query::folds::{FoldPart, Running};
use crate::query::steps::{Part, ReduceStep, ResultParts};
use crate::query::values::{ClosureResult, Folds};
use pointsman_ir::kernel::FoldOp;
use pointsman_ir::plan::{AggregateOp, Estimator};
use std::marker::PhantomData;
use std::panic::Location;

/// A value of a column, or the number of its row: [`Expr::first`], [`Expr::last`], [`Expr::argmin`], [`Expr::argmax`],
/// [`Expr::any`], [`Expr::all`]. `None` if there are no values.
#[must_use = "a fold does nothing unless the closure returns it"]
#[derive(Debug)]
pub struct Selected<T>(FoldPart, PhantomData<fn() -> T>);

/// A statistic in double precision: [`Expr::variance`], [`Expr::stddev`], [`Expr::covariance`], [`Expr::correlation`]
/// and their like. `None` if there are too few values.
#[must_use = "a fold does nothing unless the closure returns it"]
#[derive(Clone, Copy, Debug)]
pub struct Statistic(FoldPart);

copies!(Selected);

impl<T> Selected<T> {
    fn new<U: Element>(op: AggregateOp, of: Expr<U>) -> Selected<T> {
        Selected(FoldPart::new(op, Some(of.handle)), PhantomData)
    }
}

impl Statistic {
    fn new<T>(op: AggregateOp, of: Expr<T>) -> Statistic {
        Statistic(FoldPart::new(op, Some(of.handle)))
    }
}

impl Expr<bool> {
    /// Whether any value is true, as a fold. Nulls are skipped; `None` if there are no values.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let found = s.from(&[3i64, -1, 4]).reduce(|x| (x.lt(0).any(), x.lt(0).all()))?;
    /// assert_eq!(found, (Some(true), Some(false)));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "bool_or")]
    pub fn any(self) -> Selected<bool> {
        Selected::new(AggregateOp::Fold(FoldOp::Max), self)
    }

    /// Whether all values are true, as a fold. Nulls are skipped; `None` if there are no values.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[3i64, 1, 4]).reduce(|x| x.gt(0).all())?, Some(true));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "bool_and")]
    pub fn all(self) -> Selected<bool> {
        Selected::new(AggregateOp::Fold(FoldOp::Min), self)
    }

    /// Whether any value up to each row is true, as a running fold.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let seen = s.from(&[3i64, -1, 4]).scan(|x| x.lt(0).running_any()).to_vec()?;
    /// assert_eq!(seen, [false, true, true]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn running_any(self) -> Running<bool> {
        Running(Some(FoldOp::Max), self.handle, PhantomData)
    }

    /// Whether all values up to each row are true, as a running fold.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let so_far = s.from(&[3i64, -1, 4]).scan(|x| x.gt(0).running_all()).to_vec()?;
    /// assert_eq!(so_far, [true, false, false]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn running_all(self) -> Running<bool> {
        Running(Some(FoldOp::Min), self.handle, PhantomData)
    }
}

impl<T: Element> Expr<T> {
    /// The first value that is not null, as a fold. It takes two passes over the rows.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let ends = s.from(&[7i64, 9, 8]).filter(|x| x.gt(7)).reduce(|x| (x.first(), x.last()))?;
    /// assert_eq!(ends, (Some(9), Some(8)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn first(self) -> Selected<T> {
        Selected::new(AggregateOp::First, self)
    }

    /// The last value that is not null, as a fold. It takes two passes over the rows.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (day, price) = ([1i64, 1, 2], [5.0f64, 5.5, 6.0]);
    /// let close = s.from((&day, &price)).group_by(|(day, _)| day).agg(|(_, price)| price.last());
    /// assert_eq!(close.sort_by(|(day, _)| day).map(|(_, close)| close).to_vec()?, [5.5, 6.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn last(self) -> Selected<T> {
        Selected::new(AggregateOp::Last, self)
    }

    /// The row of the smallest value, as a fold; the first one if there are several. The order is that of
    /// [`min`](Expr::min).
    ///
    /// Rows are numbered from 0 in the source, also after filters and maps; after any other step (sorts, joins, limits,
    /// groups, …) in the result of the last such step. It takes two passes over the rows.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let x = [4i64, -1, 7, 2];
    /// assert_eq!(s.from(&x).reduce(|x| (x.argmin(), x.argmax()))?, (Some(1), Some(2)));
    /// assert_eq!(s.from(&x).filter(|x| x.gt(0)).reduce(|x| x.argmin())?, Some(3));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "arg_min")]
    pub fn argmin(self) -> Selected<u64> {
        Selected::new(AggregateOp::ArgMin, self)
    }

    /// The row of the greatest value, as a fold; the first one if there are several. The order is that of
    /// [`max`](Expr::max), so a NaN is the greatest. [`argmin`](Expr::argmin) says how rows are numbered.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (store, price) = ([7i64, 8, 7], [1.5f64, 4.0, 2.0]);
    /// let best = s.from((&store, &price)).group_by(|(store, _)| store).agg(|(_, price)| price.argmax());
    /// assert_eq!(best.sort_by(|(store, _)| store).map(|(_, row)| row).to_vec()?, [2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "arg_max")]
    pub fn argmax(self) -> Selected<u64> {
        Selected::new(AggregateOp::ArgMax, self)
    }
}

/// Adds statistics of one column.
macro_rules! of_one {
    ($($(#[$doc:meta])* $name:ident = $op:expr;)*) => {
        impl<T: Number> Expr<T> {$(
            $(#[$doc])*
            pub fn $name(self) -> Statistic {
                Statistic::new($op, self)
            }
        )*}
    };
}

of_one! {
    /// The variance of a sample, in double precision, as a fold: the sum of the squared distances from the mean, divided
    /// by one less than the number of values. `None` if there are fewer than two values.
    ///
    /// Distances from the mean are computed before they are squared, so large values lose nothing; for that, the rows are
    /// read twice. `docs/semantics.md` states the error.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let x = [1e9 + 1.0, 1e9 + 2.0, 1e9 + 6.0];
    /// assert_eq!(s.from(&x).reduce(|x| (x.variance(), x.variance_population()))?, (Some(7.0), Some(14.0 / 3.0)));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "var")]
    variance = AggregateOp::Variance(Estimator::Sample);
    /// The variance of a whole population, in double precision, as a fold: as [`variance`](Expr::variance), but divided
    /// by the number of values. `None` if there are no values.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[1i64, 3]).reduce(|x| x.variance_population())?, Some(1.0));
    /// # Ok(())
    /// # }
    /// ```
    variance_population = AggregateOp::Variance(Estimator::Population);
    /// The standard deviation of a sample, as a fold: the square root of [`variance`](Expr::variance).
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (store, price) = ([7i64, 8, 7], [1.0f64, 4.0, 3.0]);
    /// let spread = s.from((&store, &price)).group_by(|(store, _)| store).agg(|(_, price)| price.stddev());
    /// let (_, spread) = spread.sort_by(|(store, _)| store).collect()?;
    /// assert_eq!(spread.options().collect::<Vec<_>>(), [Some(2f64.sqrt()), None]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "std")]
    stddev = AggregateOp::StandardDeviation(Estimator::Sample);
    /// The standard deviation of a whole population, as a fold: the square root of
    /// [`variance_population`](Expr::variance_population).
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[1i64, 5]).reduce(|x| x.stddev_population())?, Some(2.0));
    /// # Ok(())
    /// # }
    /// ```
    stddev_population = AggregateOp::StandardDeviation(Estimator::Population);
}

/// Adds statistics of two columns.
macro_rules! of_two {
    ($($(#[$doc:meta])* $name:ident = $op:expr;)*) => {
        impl<T: Number> Expr<T> {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name<U: Number>(self, other: Expr<U>) -> Statistic {
                Statistic(FoldPart::of_pairs($op, self.handle, other.handle))
            }
        )*}
    };
}

of_two! {
    /// The covariance of a sample of two columns, in double precision, as a fold. Rows where either is null are skipped;
    /// `None` if fewer than two are left. It reads the rows twice, as [`variance`](Expr::variance) does.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (x, y) = ([1i64, 2, 3], [2.0f64, 4.0, 6.0]);
    /// assert_eq!(s.from((&x, &y)).reduce(|(x, y)| x.covariance(y))?, Some(2.0));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cov")]
    covariance = AggregateOp::Covariance(Estimator::Sample);
    /// The covariance of a whole population of two columns: as [`covariance`](Expr::covariance), but divided by the
    /// number of rows.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (x, y) = ([1i64, 3], [2.0f64, 6.0]);
    /// assert_eq!(s.from((&x, &y)).reduce(|(x, y)| x.covariance_population(y))?, Some(2.0));
    /// # Ok(())
    /// # }
    /// ```
    covariance_population = AggregateOp::Covariance(Estimator::Population);
    /// Pearson's correlation coefficient of two columns, in double precision, as a fold, between −1 and 1. Rows where
    /// either is null are skipped; `None` if fewer than two are left, NaN if all values of a column are equal. It reads
    /// the rows twice, as [`variance`](Expr::variance) does.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (x, y) = ([1i64, 2, 3], [6.0f64, 4.0, 2.0]);
    /// assert_eq!(s.from((&x, &y)).reduce(|(x, y)| x.correlation(y))?, Some(-1.0));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "corr")]
    correlation = AggregateOp::Correlation;
}

/// Makes folds of types that hold one part and give an optional value.
macro_rules! optional_folds {
    ($([$($generics:tt)*] $fold:ty => $element:ty, |$part:ident| $with:expr;)*) => {$(
        impl<$($generics)*> ClosureResult for $fold {
            type Step = ReduceStep;
            type Out = Option<$element>;

            fn gather(&self, parts: &mut ResultParts) {
                parts.0.push(Part::Fold(self.0));
            }

            fn take(&self, results: &mut Results) -> Result<Self::Out> {
                results.scalar()
            }
        }

        impl<$($generics)*> Folds for $fold {
            type Row = Expr<$element>;

            #[track_caller]
            fn row(&self) -> Expr<$element> {
                Expr::new(Handle::unbound(Location::caller()))
            }
        }

        impl<$($generics)*> $fold {
            /// The fold over the rows where the condition is true; over those where all are, after several calls.
            ///
            /// ```
            /// # fn main() -> pointsman::Result<()> {
            /// # let s = pointsman::Session::open()?;
            /// let x = [3i64, -1, 5];
            /// let of_positive = s.from(&x).reduce(|x| (x.argmin().filter(x.gt(0)), x.variance().filter(x.gt(0))))?;
            /// assert_eq!(of_positive, (Some(0), Some(2.0)));
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

optional_folds! {
    [T: Element] Selected<T> => T, |part| Selected(part, PhantomData);
    [] Statistic => f64, |part| Statistic(part);
}
