//! Joins of two queries: keys on both sides (`join_keys.rs`), conditions on the pairs, and which rows are kept.

use crate::error::CallSite;
use crate::query::Query;
use crate::query::bound::BoundQuery;
use crate::query::build;
use crate::query::expr::IntoExpr;
use crate::query::join_keys::{JoinKeys, KeyPart};
use crate::query::steps::Binder;
use crate::query::values::Values;
use pointsman_ir::body::ValueId;
use pointsman_ir::plan::{Join, JoinKey, JoinKind, NodeId};
use std::panic::Location;

/// Two queries whose rows are paired by keys: [`Query::join_on`] makes it, [`filter`](JoinOn::filter) adds conditions
/// on the pairs, and the last method says which rows are kept.
#[must_use = "a join does nothing until a method says which rows are kept"]
pub struct JoinOn<'a, R, S> {
    bound: BoundQuery<'a>,
    left: R,
    right: S,
    /// The last nodes of both queries.
    nodes: [NodeId; 2],
    keys: Vec<JoinKey>,
    residual: Option<ValueId>,
    at: CallSite,
}

/// The keys that a closure returned; empty where a mistake was made.
struct SideKeys {
    parts: Vec<KeyPart>,
    values: Vec<ValueId>,
}

impl SideKeys {
    fn of(keys: &impl JoinKeys, at: CallSite) -> SideKeys {
        let mut parts = Vec::new();
        keys.gather(&mut parts);
        let empty = "there is no key to join by: give at least one, or use `cross_join`";
        let handles = parts.iter().map(|key| key.value);
        let values = build::with_open(|builder| builder.keys(handles, empty, at)).flatten();
        SideKeys { parts, values: values.unwrap_or_default() }
    }

    /// The pairs of both sides' keys. Both are null-safe or neither is, since they have one type.
    fn with(self, right: SideKeys) -> Vec<JoinKey> {
        let pairs = self.values.into_iter().zip(right.values).zip(self.parts);
        pairs.map(|((left, right), part)| JoinKey { left, right, null_safe: part.null_safe }).collect()
    }
}

impl<'a, R: Values, S: Values> JoinOn<'a, R, S> {
    /// Appends the right query to the left, without keys.
    fn open(left: Query<'a, R>, right: Query<'a, S>, at: CallSite) -> JoinOn<'a, R, S> {
        let (mut bound, left_row) = (left.bound, left.row);
        let left_node = bound.builder.plan.root();
        let first_field = bound.append(right.bound, at);
        let nodes = [left_node, bound.builder.plan.root()];
        let (builder, right_row) = bound.builder.step(|| right.row.bind(&mut Binder::appended(first_field, at)));
        bound.builder = builder;
        JoinOn { bound, left: left_row, right: right_row, nodes, keys: Vec::new(), residual: None, at }
    }

    /// Keeps only pairs for which the condition is true too. In an outer join, a row whose pairs it all refuses has no
    /// match.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (asked, paid) = (s.from((&[1i64, 2], &[10i32, 20])), s.from((&[1i64, 2], &[5i32, 30])));
    /// let late = asked.join_on(paid, |(id, _)| id, |(id, _)| id).filter(|(_, asked), (_, paid)| paid.gt(asked)).left();
    /// let ((id, _), (_, paid)) = late.collect()?;
    /// assert_eq!((&id[..], paid.nulls()), (&[1, 2][..], 1));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn filter<C: IntoExpr<bool>>(mut self, f: impl FnOnce(R, S) -> C) -> Self {
        let at = Location::caller();
        let [left, right] = self.nodes;
        let (before, rows) = (self.residual, (self.left, self.right));
        let (builder, residual) = self.bound.builder.step_over(self.nodes, || {
            let left = rows.0.bind(&mut Binder::columns_of(left, at));
            let right = rows.1.bind(&mut Binder::columns_of(right, at));
            let condition = f(left, right).into_expr().handle;
            build::with_open(|builder| {
                let condition = builder.value(condition, at)?;
                builder.both(before, condition, at)
            })
        });
        (self.bound.builder, self.residual) = (builder, residual.flatten());
        self
    }

    /// Appends the join.
    fn kept(self, kind: JoinKind) -> (BoundQuery<'a>, R, S) {
        let JoinOn { mut bound, left: left_row, right: right_row, nodes: [left, right], keys, residual, at } = self;
        bound.builder.node(Join { left, right, keys, residual, kind }.into(), at);
        (bound, left_row, right_row)
    }

    fn pairs(self, kind: JoinKind) -> Query<'a, (R, S)> {
        let (bound, left, right) = self.kept(kind);
        Query { bound, row: (left, right) }
    }

    fn left_rows(self, kind: JoinKind) -> Query<'a, R> {
        let (bound, row, _) = self.kept(kind);
        Query { bound, row }
    }

    /// Keeps every matching pair. See [`Query::join`].
    pub fn inner(self) -> Query<'a, (R, S)> {
        self.pairs(JoinKind::Inner)
    }

    /// Keeps every matching pair, and each left row without a match. See [`Query::left_join`].
    pub fn left(self) -> Query<'a, (R, S)> {
        self.pairs(JoinKind::Left)
    }

    /// Keeps every matching pair, and each right row without a match. See [`Query::right_join`].
    pub fn right(self) -> Query<'a, (R, S)> {
        self.pairs(JoinKind::Right)
    }

    /// Keeps every matching pair, and each row of either side without a match. See [`Query::full_join`].
    pub fn full(self) -> Query<'a, (R, S)> {
        self.pairs(JoinKind::Full)
    }

    /// Keeps left rows with a match. See [`Query::semi_join`].
    pub fn semi(self) -> Query<'a, R> {
        self.left_rows(JoinKind::Semi)
    }

    /// Keeps left rows without a match. See [`Query::anti_join`].
    pub fn anti(self) -> Query<'a, R> {
        self.left_rows(JoinKind::Anti)
    }
}

impl<'a, R: Values> Query<'a, R> {
    /// Pairs the rows of two queries of one session by keys: expressions of the same types on both sides, which match
    /// if they are equal (NaN equals NaN, −0 equals +0, and a null equals nothing outside
    /// [`null_safe`](crate::null_safe)). For conditions beyond keys, [`filter`](JoinOn::filter) the result; its last
    /// method says which rows are kept. [`join`](Query::join) and the methods like it need no such method.
    ///
    /// The other query may have steps of its own; it is the side that is held in memory. Its expressions can be used
    /// only through the rows that closures receive, and its device, deadline and other settings are ignored.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (start, end) = (s.from(&[3i64, 8]), s.from(&[5i64, 13]));
    /// let pairs = start.join_on(end, |a| a % 5, |b| b % 5).filter(|a, b| b.gt(a)).inner();
    /// assert_eq!(pairs.map(|(a, b)| b - a).to_vec()?, [10, 5]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn join_on<S: Values, K: JoinKeys>(
        self,
        other: Query<'a, S>,
        left_keys: impl FnOnce(R) -> K,
        right_keys: impl FnOnce(S) -> K,
    ) -> JoinOn<'a, R, S> {
        let at = Location::caller();
        let row = self.row;
        let (bound, left) = self.step(at, |row| SideKeys::of(&left_keys(row), at));
        let mut join = JoinOn::open(Query { bound, row }, other, at);
        let (right_row, node) = (join.right, join.nodes[1]);
        let (builder, right) = join
            .bound
            .builder
            .step(|| SideKeys::of(&right_keys(right_row.bind(&mut Binder::columns_of(node, at))), at));
        join.bound.builder = builder;
        JoinOn { keys: left.with(right), ..join }
    }

    /// Joins two queries of one session by keys: a row for every pair of rows whose keys are equal, by left row, then
    /// right row. [`join_on`](Query::join_on) has the details, and conditions beyond keys.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let trades = s.from((&[7i64, 8, 7], &[1.5f64, 4.0, 2.0]));
    /// let stores = s.from((&[7i64, 9], &[100u32, 101]));
    /// let joined = trades.join(stores, |(store, _)| store, |(id, _)| id);
    /// let (city, price) = joined.map(|((_, price), (_, city))| (city, price)).collect()?;
    /// assert_eq!((&city[..], &price[..]), (&[100, 100][..], &[1.5, 2.0][..]));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "inner_join")]
    #[track_caller]
    pub fn join<S: Values, K: JoinKeys>(
        self,
        other: Query<'a, S>,
        left_keys: impl FnOnce(R) -> K,
        right_keys: impl FnOnce(S) -> K,
    ) -> Query<'a, (R, S)> {
        self.join_on(other, left_keys, right_keys).inner()
    }

    /// As [`join`](Query::join), with each left row without a match once: the columns of the right row are null there.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (left, right) = s.from(&[7i64, 8]).left_join(s.from(&[7i64]), |x| x, |y| y).collect()?;
    /// assert_eq!((&left[..], right.nulls()), (&[7, 8][..], 1));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn left_join<S: Values, K: JoinKeys>(
        self,
        other: Query<'a, S>,
        left_keys: impl FnOnce(R) -> K,
        right_keys: impl FnOnce(S) -> K,
    ) -> Query<'a, (R, S)> {
        self.join_on(other, left_keys, right_keys).left()
    }

    /// As [`join`](Query::join), with each right row without a match once: the columns of the left row are null there.
    /// Rows come by right row, then left row.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (left, right) = s.from(&[7i64]).right_join(s.from(&[8i64, 7]), |x| x, |y| y).collect()?;
    /// assert_eq!((left.nulls(), &right[..]), (1, &[8, 7][..]));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn right_join<S: Values, K: JoinKeys>(
        self,
        other: Query<'a, S>,
        left_keys: impl FnOnce(R) -> K,
        right_keys: impl FnOnce(S) -> K,
    ) -> Query<'a, (R, S)> {
        self.join_on(other, left_keys, right_keys).right()
    }

    /// As [`left_join`](Query::left_join), then each right row without a match, with nulls on the left.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (left, right) = s.from(&[7i64, 8]).full_join(s.from(&[8i64, 9]), |x| x, |y| y).collect()?;
    /// assert_eq!((left.len(), left.nulls(), right.nulls()), (3, 1, 1));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "outer_join")]
    #[track_caller]
    pub fn full_join<S: Values, K: JoinKeys>(
        self,
        other: Query<'a, S>,
        left_keys: impl FnOnce(R) -> K,
        right_keys: impl FnOnce(S) -> K,
    ) -> Query<'a, (R, S)> {
        self.join_on(other, left_keys, right_keys).full()
    }

    /// Keeps left rows with a match, once each, in order.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[7i64, 8, 7]).semi_join(s.from(&[7i64, 7]), |x| x, |y| y).to_vec()?, [7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "exists")]
    #[track_caller]
    pub fn semi_join<S: Values, K: JoinKeys>(
        self,
        other: Query<'a, S>,
        left_keys: impl FnOnce(R) -> K,
        right_keys: impl FnOnce(S) -> K,
    ) -> Query<'a, R> {
        self.join_on(other, left_keys, right_keys).semi()
    }

    /// Keeps left rows without a match, in order. A row with a null key has no match.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[7i64, 8, 7]).anti_join(s.from(&[7i64]), |x| x, |y| y).to_vec()?, [8]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "not_exists")]
    #[track_caller]
    pub fn anti_join<S: Values, K: JoinKeys>(
        self,
        other: Query<'a, S>,
        left_keys: impl FnOnce(R) -> K,
        right_keys: impl FnOnce(S) -> K,
    ) -> Query<'a, R> {
        self.join_on(other, left_keys, right_keys).anti()
    }

    /// Pairs every row with every row of another query of the session. More than `pairs_max` pairs are an error of the
    /// run, which is raised before the first of them.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let products = s.from(&[1i64, 2]).cross_join(s.from(&[10i64, 20]), 1_000).map(|(x, y)| x * y);
    /// assert_eq!(products.to_vec()?, [10, 20, 20, 40]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn cross_join<S: Values>(self, other: Query<'a, S>, pairs_max: u64) -> Query<'a, (R, S)> {
        JoinOn::open(self, other, Location::caller()).pairs(JoinKind::Cross { pairs_max })
    }
}
