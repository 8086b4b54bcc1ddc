//! Steps that iterators have, too: [`Query::enumerate`], [`Query::zip`], [`Query::take`] and [`Query::skip`].

use crate::data::output::Results;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::query::build;
use crate::query::control::lit;
use crate::query::expr::Expr;
use crate::query::source::{Opener, Source};
use crate::query::steps::{ResultParts, ScanStep};
use crate::query::values::{ClosureResult, Scans, Values};
use pointsman_ir::plan::ROW_NUMBER;
use std::panic::Location;

/// A row that a scan keeps beside its running folds.
#[derive(Clone, Copy)]
struct Kept<R>(R);

impl<R: Values> ClosureResult for Kept<R> {
    type Step = ScanStep;
    type Out = R::Out;

    fn gather(&self, parts: &mut ResultParts) {
        self.0.gather(parts);
    }

    fn take(&self, results: &mut Results) -> Result<R::Out> {
        self.0.take(results)
    }
}

impl<R: Values> Scans for Kept<R> {
    type Row = R;

    fn row(&self) -> R {
        self.0
    }
}

impl<'a, R: Values> Query<'a, R> {
    /// Adds the number of each row, from 0, before it.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let kept = s.from(&[5i32, -1, 7]).filter(|x| x.gt(0)).enumerate();
    /// assert_eq!(kept.map(|(i, x)| i.cast::<i32>() * 100 + x).to_vec()?, [5, 107]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "row_number")]
    #[doc(alias = "with_row_index")]
    #[track_caller]
    pub fn enumerate(self) -> Query<'a, (Expr<u64>, R)> {
        let at = Location::caller();
        // The rows of a source have numbers.
        if self.bound.builder.plan.nodes.len() == 1 {
            let number = || build::append(at, |builder| builder.column(ROW_NUMBER, at));
            return self.map(|row| (Expr::new(number()), row));
        }
        let counted = self.scan(|row| (lit(1u64).running_sum(), Kept(row)));
        counted.map(|(number, row)| (number - lit(1), row))
    }

    /// Adds another source beside the first one; both must have as many rows. It comes before all other steps: to put
    /// results of queries side by side, give them to one [`from`](crate::Session::from), as a tuple.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (x, y) = ([1.0f32, 2.0], [3.0f32, 4.0]);
    /// assert_eq!(s.from(&x).zip(&y).map(|(x, y)| x * y).to_vec()?, [3.0, 8.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn zip<S: Source<'a>>(self, other: S) -> Query<'a, (R, S::Row)> {
        let at = Location::caller();
        let Query { bound, row } = self;
        let (bound, other) = bound.with_source(at, |opener: &mut Opener<'a>| other.open(opener));
        Query { bound, row: (row, other) }
    }

    /// Keeps the first rows, at most this many. The same as [`limit`](Query::limit).
    #[track_caller]
    pub fn take(self, rows: u64) -> Query<'a, R> {
        self.limit(rows)
    }

    /// Leaves out the first rows, this many. The same as [`offset`](Query::offset).
    #[track_caller]
    pub fn skip(self, rows: u64) -> Query<'a, R> {
        self.offset(rows)
    }
}

/// The mistake of a `zip` after other steps.
pub(super) fn late_zip() -> Error {
    Error::invalid(
        "`zip` comes before all other steps: write `from((x, y))`, or run the first steps and give their result to `from`",
    )
}
