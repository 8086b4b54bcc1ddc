//! Steps that keep, leave out or add whole rows: limit, offset, distinct, union.

use crate::query::Query;
use crate::query::build;
use crate::query::steps::Binder;
use crate::query::values::Values;
use pointsman_ir::plan::NodeKind;
use std::panic::Location;

impl<'a, R: Values> Query<'a, R> {
    /// Keeps the first rows, at most this many.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[2i64, 9, 4]).sort_by(|x| x.desc()).limit(2).to_vec()?, [9, 4]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "take")]
    #[doc(alias = "head")]
    #[track_caller]
    pub fn limit(mut self, rows: u64) -> Query<'a, R> {
        self.bound.builder.limit(rows, Location::caller());
        self
    }

    /// Leaves out the first rows, this many.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(0u32..6).filter(|x| x.ne(1)).offset(2).limit(3).to_vec()?, [3, 4, 5]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "skip")]
    #[track_caller]
    pub fn offset(mut self, rows: u64) -> Query<'a, R> {
        let builder = &mut self.bound.builder;
        let input = builder.plan.root();
        builder.node(NodeKind::Limit { input, skip: rows, fetch: None }, Location::caller());
        self
    }

    /// Keeps each distinct row once, where it first occurs. Nulls equal nulls, NaN equals NaN, and −0 equals +0.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[7i64, 8, 7]).distinct().to_vec()?, [7, 8]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "unique")]
    #[track_caller]
    pub fn distinct(self) -> Query<'a, R> {
        let at = Location::caller();
        let Query { mut bound, row } = self;
        let (builder, ()) = bound.builder.step(|| {
            let mut binder = Binder::node(at);
            let _row = row.bind(&mut binder);
            build::with_open(|builder| builder.distinct(&binder.fields, at));
        });
        bound.builder = builder;
        Query { bound, row }
    }

    /// The rows of this query, then those of the other, with duplicates. Columns are matched by position; record
    /// batches must have columns of the same names and types. The other query may have steps of its own; its device,
    /// deadline and other settings are dropped.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let (old, new) = (s.from(&[1i64, 2]), s.from(&[2i64, 5]).map(|x| x * 10));
    /// assert_eq!(old.union(new).to_vec()?, [1, 2, 20, 50]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "concat")]
    #[track_caller]
    pub fn union(self, other: Query<'a, R>) -> Query<'a, R> {
        let at = Location::caller();
        let Query { mut bound, row } = self;
        let mut left_fields = Vec::new();
        let (builder, left) = bound.builder.step(|| {
            let mut binder = Binder::node(at);
            let _row = row.bind(&mut binder);
            left_fields = binder.fields;
            build::with_open(|builder| builder.plan.root())
        });
        bound.builder = builder;
        let first_field = bound.append(other.bound, at);
        let (builder, ()) = bound.builder.step(|| {
            let mut binder = Binder::appended(first_field, at);
            let _row = other.row.bind(&mut binder);
            build::with_open(|builder| {
                let inputs = [left.unwrap_or(builder.plan.root()), builder.plan.root()];
                builder.union(inputs, [&left_fields, &binder.fields], at);
            });
        });
        bound.builder = builder;
        Query { bound, row }
    }
}
