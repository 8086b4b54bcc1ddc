//! [`Query::sort_by`]: keys of a sort, each with its direction and the place of its nulls.

use crate::data::element::Element;
use crate::query::Query;
use crate::query::build::{self, Handle};
use crate::query::expr::Expr;
use crate::query::values::{Values, for_each_arity};
use pointsman_ir::kernel::{NullOrder, SortOrder};
use std::panic::Location;

/// A key of a sort, with its direction and the place of its nulls: [`Expr::asc`], [`Expr::desc`].
#[must_use = "a key does nothing unless the closure of `sort_by` returns it"]
#[derive(Clone, Copy, Debug)]
pub struct SortExpr {
    pub(super) value: Handle,
    pub(super) order: SortOrder,
    pub(super) nulls: NullOrder,
}

impl SortExpr {
    pub(super) fn new(value: Handle, order: SortOrder) -> SortExpr {
        SortExpr { value, order, nulls: NullOrder::Last }
    }

    /// Puts rows with a null in this key before the others.
    ///
    /// ```
    /// # use pointsman::{Session, null, select};
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = Session::open()?;
    /// let known = s.from(&[3i64, -1, 2]).map(|x| select(x.lt(0), null(), x));
    /// let sorted = known.sort_by(|x| x.asc().nulls_first()).collect()?;
    /// assert_eq!(sorted.options().collect::<Vec<_>>(), [None, Some(2), Some(3)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn nulls_first(self) -> SortExpr {
        SortExpr { nulls: NullOrder::First, ..self }
    }

    /// Puts rows with a null in this key after the others, which is the default for both directions.
    pub fn nulls_last(self) -> SortExpr {
        SortExpr { nulls: NullOrder::Last, ..self }
    }
}

/// The keys of a sort: `x.asc()`, `x.desc()`, an expression (ascending), and tuples and arrays of them. The trait is
/// sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sort key",
    note = "`sort_by` takes `x.asc()`, `x.desc()`, an expression, or a tuple or array of them"
)]
pub trait SortKeys {
    /// Adds its keys.
    #[doc(hidden)]
    fn gather(&self, keys: &mut Vec<SortExpr>);
}

impl SortKeys for SortExpr {
    fn gather(&self, keys: &mut Vec<SortExpr>) {
        keys.push(*self);
    }
}

impl<T: Element> SortKeys for Expr<T> {
    fn gather(&self, keys: &mut Vec<SortExpr>) {
        keys.push(self.asc());
    }
}

impl<K: SortKeys, const N: usize> SortKeys for [K; N] {
    fn gather(&self, keys: &mut Vec<SortExpr>) {
        self.iter().for_each(|key| key.gather(keys));
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: SortKeys),+> SortKeys for ($($name,)+) {
            #[allow(non_snake_case)]
            fn gather(&self, keys: &mut Vec<SortExpr>) {
                let ($($name,)+) = self;
                $($name.gather(keys);)+
            }
        }
    };
}

for_each_arity!(tuples: A B C D E F G H I J K L);

impl<'a, R: Values> Query<'a, R> {
    /// Sorts the rows by one or more keys; rows with equal keys keep their order. NaN comes after every other number,
    /// −0 before +0, and nulls last (in both directions, unless the key says otherwise). With [`limit`](Query::limit)
    /// next, only the first rows are found, and the others are not sorted.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (store, price) = ([7i64, 8, 7], [1.5f64, 4.0, 2.0]);
    /// let sorted = s.from((&store, &price)).sort_by(|(store, price)| (store.asc(), price.desc())).collect()?;
    /// assert_eq!((&sorted.0[..], &sorted.1[..]), (&[7, 7, 8][..], &[2.0, 1.5, 4.0][..]));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "order_by")]
    #[track_caller]
    pub fn sort_by<K: SortKeys>(self, f: impl FnOnce(R) -> K) -> Query<'a, R> {
        let at = Location::caller();
        let row = self.row;
        let (bound, ()) = self.step(at, |row| {
            let mut keys = Vec::new();
            f(row).gather(&mut keys);
            build::with_open(|builder| builder.sort(&keys, at));
        });
        Query { bound, row }
    }
}
