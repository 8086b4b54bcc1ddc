//! The operations of random table plans. In: a node, and a column to go by. Out: a node above it.

use super::Tables;
use super::coverage::{Requirement, TableOperator};
use crate::body::ValueId;
use crate::kernel::{Fold, FoldMode, FoldOp, Frame, NullOrder, Running, SortKey, SortOrder};
use crate::op::Op;
use crate::plan::{Aggregate, AggregateOp, Aggregation, Fraction, Join, JoinKey, JoinKind, NodeId, NodeKind, RowOrder};
use crate::types::{DType, Type};

/// Whether an aggregate may be one whose bits depend on the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FloatSums {
    Allowed,
    Refused,
}

/// Whether an aggregate adds floats up, so that its bits depend on the places of rows.
fn sums_floats(op: AggregateOp, of: Option<DType>) -> bool {
    match op {
        AggregateOp::Fold(FoldOp::Sum) | AggregateOp::Mean => of.is_some_and(DType::is_float),
        AggregateOp::Variance(_) | AggregateOp::StandardDeviation(_) => true,
        AggregateOp::Covariance(_) | AggregateOp::Correlation => true,
        AggregateOp::Fold(_) | AggregateOp::CountDistinct | AggregateOp::Median | AggregateOp::Quantile(_) => false,
        AggregateOp::First | AggregateOp::Last | AggregateOp::ArgMin | AggregateOp::ArgMax => false,
    }
}

const JOIN_KINDS: [JoinKind; 8] = [
    JoinKind::Inner,
    JoinKind::Left,
    JoinKind::Right,
    JoinKind::Full,
    JoinKind::Semi,
    JoinKind::Anti,
    JoinKind::Mark,
    JoinKind::Cross { pairs_max: 100_000 },
];

impl Tables<'_> {
    /// An operation that must occur, with this column as its key.
    pub(super) fn required(&mut self, node: NodeId, requirement: Requirement, column: u32) -> NodeId {
        let rows = self.rows_of(node);
        match requirement.operator {
            TableOperator::Join(name) => {
                let kind = JOIN_KINDS.into_iter().find(|kind| kind.name() == name).unwrap_or(JoinKind::Inner);
                self.join(node, column, kind, false)
            }
            TableOperator::NullSafe => {
                let kind = self.rng().pick(&JOIN_KINDS[..7]);
                self.join(node, column, kind, true)
            }
            TableOperator::GroupFirstRow => self.group(node, column, RowOrder::FirstRow),
            TableOperator::GroupAny => self.group(node, column, RowOrder::Any),
            TableOperator::AggregateKeys => self.aggregation(node, Some(column), None, FloatSums::Refused),
            TableOperator::Aggregate(op) => {
                let op = if matches!(op, AggregateOp::Quantile(_)) { self.quantile() } else { op };
                let value = self.plans.plan.column(node, column);
                let keys = self.columns_where(node, |ty| ty.dtype != DType::Opaque);
                let key = if self.rng().chance(85) { Some(self.rng().pick(&keys)) } else { None };
                let aggregate = self.of_pairs(node, Aggregate::of(op, value));
                if key.is_none() && sums_floats(op, Some(self.plans.plan.body.ty(value).dtype)) {
                    return self.aggregation(node, Some(column), Some(aggregate), FloatSums::Refused);
                }
                self.aggregation(node, key, Some(aggregate), FloatSums::Refused)
            }
            TableOperator::Distinct => {
                let columns = self.columns_where(node, |ty| ty.dtype != DType::Opaque);
                let columns = columns.into_iter().filter(|&index| index == column || index % 2 == 0).collect();
                let input = self.choose(node, columns);
                self.push(NodeKind::Distinct { input }, rows)
            }
            TableOperator::Sort => {
                let keys = self.sort_keys(node, Some(column));
                self.push(NodeKind::Sort { input: node, keys }, rows)
            }
            TableOperator::TopK => {
                let keys = self.sort_keys(node, Some(column));
                let count = self.rng().pick(&[0, 1, 3, 12, 50]);
                self.push(NodeKind::TopK { input: node, keys, count }, rows.min(count as usize))
            }
            TableOperator::Union => self.union(node),
            TableOperator::Limit => self.limit(node),
        }
    }

    /// Some further operation.
    pub(super) fn another(&mut self, node: NodeId) -> NodeId {
        let keys = self.columns_where(node, |ty| ty.dtype != DType::Opaque);
        match self.rng().below(13) {
            0..2 => self.project(node),
            2..4 => self.filter(node),
            4..6 if !keys.is_empty() => {
                let (key, kind) = (self.rng().pick(&keys), self.rng().pick(&JOIN_KINDS));
                self.join(node, key, kind, false)
            }
            6 => self.union(node),
            7 => self.limit(node),
            8..10 => self.filter_by_scalar(node),
            10 if !keys.is_empty() => self.join_with_itself(node, &keys),
            11 => self.scan(node, FloatSums::Refused),
            12 if !keys.is_empty() => {
                let key = self.rng().pick(&keys);
                self.aggregation(node, Some(key), None, FloatSums::Refused)
            }
            _ => self.filter(node),
        }
    }

    /// The last operation, if any: the only one with float sums whose bits depend on the plan.
    pub(super) fn last(&mut self, node: NodeId) {
        match self.rng().below(10) {
            0..2 => {
                let folds = self.folds(node, FloatSums::Allowed);
                self.push(NodeKind::Reduce { input: node, folds }, 1);
            }
            2..5 => {
                self.aggregation(node, None, None, FloatSums::Allowed);
            }
            5 => {
                self.scan(node, FloatSums::Allowed);
            }
            6 => {
                let keys = self.columns_where(node, |ty| ty.dtype != DType::Opaque);
                let key = if keys.is_empty() { None } else { Some(self.rng().pick(&keys)) };
                self.aggregation(node, key, None, FloatSums::Allowed);
            }
            _ => {}
        }
    }

    fn quantile(&mut self) -> AggregateOp {
        AggregateOp::Quantile(Fraction::new(self.rng().pick(&[0.0, 0.25, 0.3, 0.9, 1.0])))
    }

    /// An inner join without a residual.
    pub(super) fn simple_join(&mut self, left: NodeId, left_key: u32, right: NodeId, right_key: u32) -> NodeId {
        let key = JoinKey::new(self.plans.plan.column(left, left_key), self.plans.plan.column(right, right_key));
        let rows = self.rows_of(left) * self.rows_of(right);
        self.push(Join { left, right, keys: vec![key], residual: None, kind: JoinKind::Inner }, rows)
    }

    /// A join with a new source, which may be either side.
    fn join(&mut self, node: NodeId, column: u32, kind: JoinKind, null_safe: bool) -> NodeId {
        let types = self.types(node);
        let ty = types[column as usize];
        let second = self.columns_where(node, |ty| ty.dtype != DType::Opaque);
        let second = if self.rng().chance(30) { Some(self.rng().pick(&second)) } else { None };
        // A key without nulls needs both sides without.
        let other = Type { nullable: ty.nullable && self.rng().chance(60), ..ty };
        let right_types: Vec<Type> = [other].into_iter().chain(second.map(|index| types[index as usize])).collect();
        let mut new = self.source(&right_types);
        if self.rng().chance(30) {
            new = self.filter(new);
        }
        let pairs = [(column, 0)].into_iter().chain(second.map(|index| (index, 1)));
        let pairs: Vec<(u32, u32)> = pairs.collect();
        let swapped = self.rng().chance(35);
        let (left, right) = if swapped { (new, node) } else { (node, new) };
        let mut keys = Vec::new();
        for (of_node, of_new) in pairs {
            let (a, b) = (self.plans.plan.column(node, of_node), self.plans.plan.column(new, of_new));
            let (left, right) = if swapped { (b, a) } else { (a, b) };
            keys.push(JoinKey { left, right, null_safe: null_safe || self.rng().chance(15) });
        }
        if matches!(kind, JoinKind::Cross { .. }) {
            keys.clear();
        }
        let often = if matches!(kind, JoinKind::Cross { .. }) { 60 } else { 35 };
        let residual = if self.rng().chance(often) { self.residual(left, right) } else { None };
        let (l, r) = (self.rows_of(left), self.rows_of(right));
        let rows = match kind {
            JoinKind::Semi | JoinKind::Anti | JoinKind::Mark => l,
            JoinKind::Inner | JoinKind::Left | JoinKind::Right | JoinKind::Full | JoinKind::Cross { .. } => {
                l * r + l + r
            }
        };
        self.push(Join { left, right, keys, residual, kind }, rows)
    }

    /// A comparison of columns of both sides, or any condition over the left one's.
    fn residual(&mut self, left: NodeId, right: NodeId) -> Option<ValueId> {
        let (left_types, right_types) = (self.types(left), self.types(right));
        let mut pairs = Vec::new();
        for (l, of_left) in left_types.iter().enumerate() {
            let same = |of_right: &Type| of_right.dtype == of_left.dtype && of_left.dtype.is_ordered();
            pairs.extend((0..right_types.len()).filter(|&r| same(&right_types[r])).map(|r| (l as u32, r as u32)));
        }
        if pairs.is_empty() {
            return None;
        }
        let (l, r) = self.rng().pick(&pairs);
        let sides = [self.plans.plan.column(left, l), self.plans.plan.column(right, r)];
        let op = self.rng().pick(&[Op::Lt, Op::Le, Op::Ne, Op::Ge, Op::Eq]);
        self.plans.over(left, |exprs| exprs.call(op, &sides, None))
    }

    /// The node as both sides of a join, one of them projected perhaps.
    fn join_with_itself(&mut self, node: NodeId, keys: &[u32]) -> NodeId {
        let key = self.rng().pick(keys);
        let left = if self.rng().chance(50) { self.filter(node) } else { node };
        let key = JoinKey::new(self.plans.plan.column(left, key), self.plans.plan.column(node, key));
        let kind = self.rng().pick(&JOIN_KINDS[..7]);
        let (l, r) = (self.rows_of(left), self.rows_of(node));
        self.push(Join { left, right: node, keys: vec![key], residual: None, kind }, l * r + l + r)
    }

    /// Some columns of a node.
    fn choose(&mut self, input: NodeId, columns: Vec<u32>) -> NodeId {
        let columns = columns.into_iter().map(|index| self.plans.plan.column(input, index)).collect();
        let rows = self.rows_of(input);
        self.push(NodeKind::Project { input, columns }, rows)
    }

    /// The node with itself, filtered or cut, or with a new source of its types.
    fn union(&mut self, node: NodeId) -> NodeId {
        let mut inputs = vec![node];
        for _ in 0..1 + self.rng().below(2) {
            inputs.push(match self.rng().below(4) {
                0 => self.filter(node),
                1 => self.limit(node),
                2 => node,
                _ => {
                    let types = self.types(node);
                    let new = self.source(&types);
                    self.choose(new, (0..types.len() as u32).collect())
                }
            });
        }
        let rows = inputs.iter().map(|&input| self.rows_of(input)).sum();
        self.push(NodeKind::Union { inputs }, rows)
    }

    fn limit(&mut self, input: NodeId) -> NodeId {
        let skip = self.rng().pick(&[0, 0, 1, 4, 1000]);
        let fetch = self.rng().pick(&[None, Some(0), Some(1), Some(6), Some(40)]);
        let rows = self.rows_of(input).min(fetch.unwrap_or(u64::MAX) as usize);
        self.push(NodeKind::Limit { input, skip, fetch }, rows)
    }

    fn sort_keys(&mut self, node: NodeId, first: Option<u32>) -> Vec<SortKey> {
        let ordered = self.columns_where(node, |ty| ty.dtype.is_ordered());
        let mut columns: Vec<u32> = first.into_iter().collect();
        if self.rng().chance(40) && !ordered.is_empty() {
            columns.push(self.rng().pick(&ordered));
        }
        let mut keys = Vec::new();
        for column in columns {
            let value = self.plans.plan.column(node, column);
            let order = self.rng().pick(&[SortOrder::Ascending, SortOrder::Descending]);
            keys.push(SortKey { value, order, nulls: self.rng().pick(&[NullOrder::First, NullOrder::Last]) });
        }
        keys
    }

    fn group(&mut self, input: NodeId, column: u32, order: RowOrder) -> NodeId {
        let folds = self.folds(input, FloatSums::Allowed);
        let mut keys = vec![self.plans.plan.column(input, column)];
        let others = self.columns_where(input, |ty| ty.dtype != DType::Opaque);
        if self.rng().chance(40) {
            let other = self.rng().pick(&others);
            keys.push(self.plans.plan.column(input, other));
        }
        let rows = self.rows_of(input);
        self.push(NodeKind::Group { input, keys, folds, order }, rows)
    }

    fn folds(&mut self, input: NodeId, sums: FloatSums) -> Vec<Fold> {
        self.plans.over(input, |exprs| {
            let mut folds = vec![Fold::COUNT_ROWS];
            for _ in 0..1 + exprs.rng.below(3) {
                let Some(v) = exprs.seen(|_| true) else { break };
                let fold = exprs.fold(v, None);
                let float = fold.value().is_some_and(|v| exprs.ty(v).dtype.is_float());
                let refused = fold.op == FoldOp::Sum && float && sums == FloatSums::Refused;
                folds.push(if refused { Fold { op: FoldOp::Max, ..fold } } else { fold });
            }
            folds
        })
    }

    fn scan(&mut self, input: NodeId, sums: FloatSums) -> NodeId {
        let folds = self.folds(input, sums);
        let columns = self.all(input);
        let segment = self.plans.over(input, |exprs| exprs.rng.chance(40).then(|| exprs.condition()));
        let mut running = Vec::new();
        for fold in folds {
            let frame = if self.rng().chance(70) { Frame::Unbounded } else { Frame::Preceding(2) };
            running.push(Running { fold, frame });
        }
        let rows = self.rows_of(input);
        self.push(NodeKind::Scan { input, columns, running, segment }, rows)
    }

    /// An aggregation with these, and other aggregates.
    fn aggregation(&mut self, input: NodeId, key: Option<u32>, first: Option<Aggregate>, sums: FloatSums) -> NodeId {
        let mut keys: Vec<ValueId> = key.map(|key| self.plans.plan.column(input, key)).into_iter().collect();
        let others = self.columns_where(input, |ty| ty.dtype != DType::Opaque);
        if key.is_some() && self.rng().chance(30) {
            let other = self.rng().pick(&others);
            keys.push(self.plans.plan.column(input, other));
        }
        let mut aggregates: Vec<Aggregate> = first.into_iter().collect();
        let placed = keys.is_empty() && sums == FloatSums::Refused;
        for _ in 0..self.rng().below(4) {
            let one = self.aggregate(input);
            let value = one.value.map(|v| self.plans.plan.body.ty(v).dtype);
            let float_sum = sums_floats(one.op, value);
            let may_be_fast = matches!(one.op, AggregateOp::Fold(_) | AggregateOp::Mean);
            let fast = float_sum && may_be_fast && sums == FloatSums::Allowed && self.rng().chance(30);
            if !(placed && float_sum) {
                aggregates.push(Aggregate { mode: if fast { FoldMode::Fast } else { FoldMode::Reproducible }, ..one });
            }
        }
        if keys.is_empty() && aggregates.is_empty() {
            aggregates.push(Aggregate::COUNT_ROWS);
        }
        let order = self.rng().pick(&[RowOrder::FirstRow, RowOrder::Any]);
        let rows = if keys.is_empty() { 1 } else { self.rows_of(input) };
        self.push(Aggregation { input, keys, aggregates, order }, rows)
    }

    fn aggregate(&mut self, input: NodeId) -> Aggregate {
        let types = self.types(input);
        let column = self.rng().below(types.len().max(1));
        let Some(dtype) = types.get(column).map(|ty| ty.dtype) else { return Aggregate::COUNT_ROWS };
        let composed = AggregateOp::ALL.into_iter().filter(|op| !matches!(op, AggregateOp::Fold(_)));
        let folds = FoldOp::ALL.into_iter().map(AggregateOp::Fold);
        let mut ops: Vec<AggregateOp> = folds.chain(composed).filter(|op| op.takes(dtype)).collect();
        for op in &mut ops {
            *op = if matches!(op, AggregateOp::Quantile(_)) { self.quantile() } else { *op };
        }
        let value = self.plans.plan.column(input, column as u32);
        let mut aggregate = match self.rng().chance(10) {
            true => Aggregate::COUNT_ROWS,
            false => {
                let op = self.rng().pick(&ops);
                self.of_pairs(input, Aggregate::of(op, value))
            }
        };
        if self.rng().chance(30) {
            let filter = self.plans.over(input, |exprs| exprs.condition());
            aggregate = aggregate.filtered(filter);
        }
        aggregate
    }

    /// The aggregate with a second value, if it takes one.
    fn of_pairs(&mut self, input: NodeId, one: Aggregate) -> Aggregate {
        if !one.op.takes_pairs() {
            return one;
        }
        let numbers = self.columns_where(input, |ty| ty.dtype.is_number());
        let second = self.rng().pick(&numbers);
        Aggregate { second: Some(self.plans.plan.column(input, second)), ..one }
    }

    /// The rows where a column compares so with a scalar of the same node, or of its first row.
    fn filter_by_scalar(&mut self, node: NodeId) -> NodeId {
        let ordered = self.columns_where(node, |ty| ty.dtype.is_ordered());
        if ordered.is_empty() {
            return node;
        }
        let column = self.rng().pick(&ordered);
        let value = self.plans.plan.column(node, column);
        let (of, index) = if self.rng().chance(60) {
            let op = self.rng().pick(&[FoldOp::Min, FoldOp::Max]);
            (self.push(NodeKind::Reduce { input: node, folds: vec![Fold::COUNT_ROWS, Fold::of(op, value)] }, 1), 1)
        } else {
            let fetch = Some(u64::from(!self.rng().chance(3)) + u64::from(self.rng().chance(3)));
            (self.push(NodeKind::Limit { input: node, skip: 0, fetch }, 1), column)
        };
        self.plans.plan.params.clone_from(&self.plans.exprs.params);
        let scalar = self.plans.plan.scalar(of, index);
        self.plans.exprs.params.clone_from(&self.plans.plan.params);
        let op = self.rng().pick(&[Op::Le, Op::Lt, Op::Ge, Op::Eq, Op::Ne]);
        let predicate = self.plans.over(node, |exprs| exprs.call(op, &[value, scalar], None));
        let Some(predicate) = predicate else { return node };
        let rows = self.rows_of(node);
        self.push(NodeKind::Filter { input: node, predicate }, rows)
    }
}
