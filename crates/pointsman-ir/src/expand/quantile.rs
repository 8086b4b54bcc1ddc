//! Exact quantiles: the values of each group are sorted and numbered; a group looks up the two values around its
//! position. In: an aggregation and a value. Out: a node of its keys and the quantile, a row for each group.

use super::Expansion;
use crate::body::ValueId;
use crate::kernel::{Fold, FoldOp, Frame, NullOrder, Running, SortKey, SortOrder};
use crate::op::Op;
use crate::plan::{Aggregation, EquiJoinKind, NodeId, NodeKind, PlanError, RowOrder};
use crate::types::{DType, Scalar};

use super::join::KeySides;

/// The groups, and the values in order, numbered from 1.
struct Sorted {
    /// Columns: the keys, how many values the group has, where they end.
    groups: NodeId,
    /// Columns: the value, its number.
    values: NodeId,
}

impl Expansion {
    /// The quantile at this fraction of each group's values that are not null.
    pub(super) fn quantile(&mut self, of: &Aggregation, value: ValueId, fraction: f64) -> Result<NodeId, PlanError> {
        let keys = of.keys.len() as u32;
        let columns = of.keys.iter().copied().chain([value]).collect();
        let rows = self.project(of.input, columns);
        let sorted = if keys == 0 { self.sorted_values(rows)? } else { self.sorted_groups(rows, keys)? };
        let positions = self.positions(sorted.groups, keys, fraction)?;
        // Columns: keys, low position, high position, weight of the high one.
        let low = self.look_up(positions, keys, sorted.values);
        let high = self.look_up(low, keys + 1, sorted.values);
        let (low_at, high_at) = (keys + 3, keys + 5);
        let (a, b) = (self.plan.column(high, low_at), self.plan.column(high, high_at));
        let (a, b) = (self.as_double(a)?, self.as_double(b)?);
        let weight = self.plan.column(high, keys + 2);
        let between = self.interpolated(a, b, weight)?;
        let mut columns = self.columns(high, 0..keys);
        columns.push(between);
        Ok(self.project(high, columns))
    }

    /// Without keys: all values are one group.
    fn sorted_values(&mut self, rows: NodeId) -> Result<Sorted, PlanError> {
        let value = self.plan.column(rows, 0);
        let folds = vec![Fold::of(FoldOp::Count, value)];
        let count = self.push(NodeKind::Reduce { input: rows, folds });
        let columns = self.columns(count, [0, 0]);
        let groups = self.project(count, columns);
        let values = self.without_nulls(rows, 0)?;
        let keys = vec![ascending(self.plan.column(values, 0))];
        let sorted = self.push(NodeKind::Sort { input: values, keys });
        Ok(Sorted { groups, values: self.numbered_values(sorted, 0) })
    }

    /// The groups are numbered, so that values sort by their group whatever the keys' types are.
    fn sorted_groups(&mut self, rows: NodeId, keys: u32) -> Result<Sorted, PlanError> {
        let group_keys = self.columns(rows, 0..keys);
        let folds = vec![Fold::of(FoldOp::Count, self.plan.column(rows, keys))];
        let counted = self.push(NodeKind::Group { input: rows, keys: group_keys, folds, order: RowOrder::Any });
        let columns = self.columns(counted, 0..keys + 1);
        let ends = Fold::of(FoldOp::Sum, self.plan.column(counted, keys));
        let running = [ends, Fold::COUNT_ROWS].map(|fold| Running { fold, frame: Frame::Unbounded }).to_vec();
        let groups = self.push(NodeKind::Scan { input: counted, columns, running, segment: None });
        let values = self.without_nulls(rows, keys)?;
        let sides = self.same_keys([values, groups], keys)?;
        let joined = self.equi_join(EquiJoinKind::Inner, [values, groups], sides);
        // Columns: keys, value, keys, count, end, number of the group.
        let (value, group) = (keys, 2 * keys + 3);
        let keys = self.columns(joined, [group, value]).into_iter().map(ascending).collect();
        let sorted = self.push(NodeKind::Sort { input: joined, keys });
        Ok(Sorted { groups, values: self.numbered_values(sorted, value) })
    }

    fn without_nulls(&mut self, rows: NodeId, value: u32) -> Result<NodeId, PlanError> {
        let value = self.plan.column(rows, value);
        let null = self.call(Op::IsNull, &[value])?;
        let predicate = self.call(Op::Not, &[null])?;
        Ok(self.push(NodeKind::Filter { input: rows, predicate }))
    }

    /// One column of sorted rows, with numbers.
    fn numbered_values(&mut self, sorted: NodeId, value: u32) -> NodeId {
        let columns = self.columns(sorted, [value]);
        let running = vec![Running { fold: Fold::COUNT_ROWS, frame: Frame::Unbounded }];
        self.push(NodeKind::Scan { input: sorted, columns, running, segment: None })
    }

    /// The groups' keys with the numbers of the two values around the position, null if there are none, and the weight
    /// of the higher one. The position is `(n − 1) · fraction` values after the first.
    fn positions(&mut self, groups: NodeId, keys: u32, fraction: f64) -> Result<NodeId, PlanError> {
        let (count, end) = (self.plan.column(groups, keys), self.plan.column(groups, keys + 1));
        let (zero, one) = (self.constant(Scalar::U64(0), DType::U64), self.constant(Scalar::U64(1), DType::U64));
        let last = self.call(Op::Sub, &[count, one])?;
        let fraction = self.constant(Scalar::F64(fraction), DType::F64);
        let steps = self.as_double(last)?;
        let position = self.call(Op::Mul, &[steps, fraction])?;
        let (floor, ceil) = (self.call(Op::Floor, &[position])?, self.call(Op::Ceil, &[position])?);
        let first = self.call(Op::Sub, &[end, last])?;
        let any = self.call(Op::Gt, &[count, zero])?;
        let mut columns = self.columns(groups, 0..keys);
        for steps in [floor, ceil] {
            let steps = self.plan.body.cast(Op::CastSaturating, steps, DType::U64)?;
            // A count beyond 2^53 is rounded as a double.
            let steps = self.call(Op::Least, &[steps, last])?;
            let number = self.call(Op::Add, &[first, steps])?;
            columns.push(self.only_where(any, number)?);
        }
        columns.push(self.call(Op::Sub, &[position, floor])?);
        Ok(self.project(groups, columns))
    }

    /// The rows with the value of the number in this column behind them, and that number.
    fn look_up(&mut self, rows: NodeId, number: u32, values: NodeId) -> NodeId {
        let keys = KeySides { left: self.columns(rows, [number]), right: self.columns(values, [1]) };
        self.equi_join(EquiJoinKind::Left, [rows, values], keys)
    }

    /// `a` if both are equal, so that infinities stay, else `a · (1 − weight) + b · weight`.
    fn interpolated(&mut self, a: ValueId, b: ValueId, weight: ValueId) -> Result<ValueId, PlanError> {
        let one = self.constant(Scalar::F64(1.0), DType::F64);
        let rest = self.call(Op::Sub, &[one, weight])?;
        let (low, high) = (self.call(Op::Mul, &[a, rest])?, self.call(Op::Mul, &[b, weight])?);
        let between = self.call(Op::Add, &[low, high])?;
        let equal = self.call(Op::Eq, &[a, b])?;
        self.call(Op::Select, &[equal, a, between])
    }
}

fn ascending(value: ValueId) -> SortKey {
    SortKey { value, order: SortOrder::Ascending, nulls: NullOrder::Last }
}
