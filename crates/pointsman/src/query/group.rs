//! [`Query::group_by`]: the keys of groups, then folds for each group.

use crate::query::Query;
use crate::query::bound::BoundQuery;
use crate::query::build;
use crate::query::steps::ResultParts;
use crate::query::values::{Folds, Values};
use pointsman_ir::body::ValueId;
use pointsman_ir::plan::{Aggregation, RowOrder};
use std::panic::Location;

/// The rows of a query by the values of keys: [`Query::group_by`] makes it, [`agg`](Grouped::agg) folds each group.
#[must_use = "groups do nothing until `agg` folds them"]
pub struct Grouped<'a, K, R> {
    bound: BoundQuery<'a>,
    row: R,
    key: K,
    /// Empty where a mistake was made.
    keys: Vec<ValueId>,
    order: RowOrder,
}

impl<'a, R: Values> Query<'a, R> {
    /// Groups the rows by the values of an expression, or of a tuple or array of them; [`agg`](Grouped::agg) folds each
    /// group. Null is a value of its own here, NaN equals NaN, and −0 equals +0. The groups come in any order, which is
    /// the same for the same rows on every device; [`in_first_row_order`](Grouped::in_first_row_order) asks for
    /// another.
    ///
    /// ```
    /// # use pointsman::{Session, count};
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = Session::open()?;
    /// let (store, price) = ([7i64, 8, 7], [1.5f64, 4.0, 2.0]);
    /// let by_store = s.from((&store, &price)).group_by(|(store, _)| store).agg(|(_, price)| (price.sum(), count()));
    /// let (store, (revenue, sales)) = by_store.sort_by(|(store, _)| store).collect()?;
    /// assert_eq!((&store[..], &revenue[..], &sales[..]), (&[7, 8][..], &[3.5, 4.0][..], &[2, 1][..]));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn group_by<K: Values>(self, f: impl FnOnce(R) -> K) -> Grouped<'a, K, R> {
        let at = Location::caller();
        let row = self.row;
        let (bound, (key, keys)) = self.step(at, |row| {
            let key = f(row);
            let handles: Vec<_> = ResultParts::of(&key).values().collect();
            let empty = "there is no key to group by: fold all rows with `reduce` or `folds`";
            let keys = build::with_open(|builder| builder.keys(handles.into_iter(), empty, at)).flatten();
            (key, keys.unwrap_or_default())
        });
        Grouped { bound, row, key, keys, order: RowOrder::Any }
    }
}

impl<'a, K: Values, R: Values> Grouped<'a, K, R> {
    /// Gives the groups in the order in which they first occur.
    ///
    /// ```
    /// # use pointsman::{Session, count};
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = Session::open()?;
    /// let (word, times) = s.from(&[9u32, 4, 9, 1]).group_by(|x| x).in_first_row_order().agg(|_| count()).collect()?;
    /// assert_eq!((&word[..], &times[..]), (&[9, 4, 1][..], &[2, 1, 1][..]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_first_row_order(self) -> Self {
        Grouped { order: RowOrder::FirstRow, ..self }
    }

    /// Folds each group; the next step sees the key and an expression for each fold. `min`, `max`, `mean`, `median` and
    /// `quantile` of a group without values are null, its sum is zero.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (x, y) = ([1i64, 2, 2], [10.0f64, 20.0, 40.0]);
    /// let mean = s.from((&x, &y)).group_by(|(x, _)| x).agg(|(_, y)| y.mean()).filter(|(_, mean)| mean.gt(15.0));
    /// assert_eq!(mean.map(|(x, mean)| x.cast::<f64>() + mean).to_vec()?, [32.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "aggregate")]
    #[track_caller]
    pub fn agg<F: Folds>(self, f: impl FnOnce(R) -> F) -> Query<'a, (K, F::Row)> {
        let at = Location::caller();
        let Grouped { bound, row, key, keys, order } = self;
        let (bound, folds) = Query { bound, row }.step(at, |row| {
            let folds = f(row);
            let parts = ResultParts::of(&folds);
            build::with_open(|builder| {
                if let Some(aggregates) = parts.aggregates(builder, at) {
                    let input = builder.plan.root();
                    builder.node(Aggregation { input, keys, aggregates, order }.into(), at);
                }
            });
            folds
        });
        Query { bound, row: (key, folds.row()) }
    }
}
