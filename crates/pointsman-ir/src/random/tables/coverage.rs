//! Counts the operations of table plans by the type of their keys, and reports the missing ones.

use crate::plan::{AggregateOp, Composite, JoinKind, NodeKind, Plan, RowOrder};
use crate::random::DTypeClass;
use crate::types::Type;
use std::collections::BTreeMap;

/// An operation with keys, or an aggregate with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableOperator {
    /// A join of this name; a cross join has the columns of its residual.
    Join(&'static str),
    /// A null-safe key of any join.
    NullSafe,
    /// A group in the order of first rows.
    GroupFirstRow,
    /// A group in any order.
    GroupAny,
    /// The keys of an aggregation.
    AggregateKeys,
    /// The first value of an aggregate of this kind; all quantiles are one.
    Aggregate(AggregateOp),
    /// The columns of a distinct.
    Distinct,
    /// The keys of a sort.
    Sort,
    /// The keys of a top-k.
    TopK,
    /// The columns of a union.
    Union,
    /// The columns of a limit.
    Limit,
}

/// The joins with keys.
const JOINS: [&str; 7] = ["inner", "left", "right", "full", "semi", "anti", "mark"];
impl TableOperator {
    fn all() -> Vec<TableOperator> {
        let joins = JOINS.into_iter().map(TableOperator::Join);
        let composed = AggregateOp::ALL.into_iter().filter(|op| !matches!(op, AggregateOp::Fold(_)));
        let aggregates = composed.map(TableOperator::Aggregate);
        let others = [
            TableOperator::NullSafe,
            TableOperator::GroupFirstRow,
            TableOperator::GroupAny,
            TableOperator::AggregateKeys,
            TableOperator::Distinct,
            TableOperator::Sort,
            TableOperator::TopK,
            TableOperator::Union,
            TableOperator::Limit,
        ];
        joins.chain(aggregates).chain(others).collect()
    }

    fn takes(self, class: DTypeClass) -> bool {
        let dtype = class.samples()[0];
        match self {
            TableOperator::Sort | TableOperator::TopK => dtype.is_ordered(),
            TableOperator::Aggregate(op) => op.takes(dtype),
            TableOperator::Union | TableOperator::Limit => true,
            TableOperator::Join(_) | TableOperator::NullSafe => class != DTypeClass::Opaque,
            TableOperator::GroupFirstRow | TableOperator::GroupAny => class != DTypeClass::Opaque,
            TableOperator::AggregateKeys | TableOperator::Distinct => class != DTypeClass::Opaque,
        }
    }
}

/// An operation that must occur with a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Requirement {
    pub(super) operator: TableOperator,
    pub(super) class: DTypeClass,
    pub(super) nullable: bool,
}

impl Requirement {
    /// Everything that must occur, mixed: neighbours are of different operations.
    pub(super) fn all() -> Vec<Requirement> {
        let mut all = Vec::new();
        for class in DTypeClass::ALL {
            for nullable in [false, true] {
                let operators = TableOperator::all().into_iter().filter(|operator| operator.takes(class));
                all.extend(operators.map(|operator| Requirement { operator, class, nullable }));
            }
        }
        all
    }
}

/// Counts of what plans hold.
#[derive(Clone, Debug, Default)]
pub struct TableCoverage {
    counts: BTreeMap<Requirement, usize>,
    /// How often each kind of node, scalar and shared node occurs.
    pub others: BTreeMap<&'static str, usize>,
    /// For each plan how many operations it has, sources not counted.
    pub operators: Vec<usize>,
}

impl TableCoverage {
    /// Counts a plan.
    pub fn add(&mut self, plan: &Plan) {
        self.operators.push(plan.nodes.iter().filter(|node| !matches!(node.kind, NodeKind::Source(_))).count());
        let mut inputs = BTreeMap::new();
        for node in &plan.nodes {
            self.node(plan, &node.kind);
            *self.others.entry(node.kind.name()).or_default() += 1;
            for input in node.kind.inputs() {
                *inputs.entry(input).or_insert(0) += 1;
            }
        }
        *self.others.entry("shared node").or_default() += inputs.values().filter(|&&uses| uses > 1).count();
        *self.others.entry("scalar").or_default() += plan.scalars.len();
    }

    fn node(&mut self, plan: &Plan, kind: &NodeKind) {
        let body = &plan.body;
        match kind {
            NodeKind::Group { keys, order, .. } => {
                let operator = match order {
                    RowOrder::FirstRow => TableOperator::GroupFirstRow,
                    RowOrder::Any => TableOperator::GroupAny,
                };
                self.count(operator, body.types_of(keys));
            }
            NodeKind::Sort { keys, .. } => {
                self.count(TableOperator::Sort, keys.iter().map(|key| body.ty(key.value)));
            }
            NodeKind::TopK { keys, .. } => {
                self.count(TableOperator::TopK, keys.iter().map(|key| body.ty(key.value)));
            }
            NodeKind::Distinct { input } => {
                self.count(TableOperator::Distinct, plan.node(*input).schema.types());
            }
            NodeKind::Limit { input, .. } => self.count(TableOperator::Limit, plan.node(*input).schema.types()),
            NodeKind::Union { inputs } => {
                let types = inputs.first().map_or_else(Vec::new, |input| plan.node(*input).schema.types());
                self.count(TableOperator::Union, types);
            }
            NodeKind::Composite(composite) => self.composite(plan, composite),
            NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. } | NodeKind::Reduce { .. } => {}
            NodeKind::Scan { .. } | NodeKind::EquiJoin { .. } | NodeKind::Window { .. } => {}
            // Results have bounds instead of exact bits: `pointsman-device/src/conformance/calls.rs` tests them.
            NodeKind::Call { .. } => {}
        }
    }

    fn composite(&mut self, plan: &Plan, composite: &Composite) {
        match composite {
            Composite::Join(join) => {
                let name = join.kind.name();
                for key in &join.keys {
                    let (left, right) = (plan.body.ty(key.left), plan.body.ty(key.right));
                    let ty = Type { nullable: left.nullable || right.nullable, ..left };
                    self.count(TableOperator::Join(name), [ty]);
                    if key.null_safe {
                        self.count(TableOperator::NullSafe, [ty]);
                    }
                }
                if join.residual.is_some() {
                    let residual = match join.kind {
                        JoinKind::Inner => "inner residual",
                        JoinKind::Left => "left residual",
                        JoinKind::Right => "right residual",
                        JoinKind::Full => "full residual",
                        JoinKind::Semi => "semi residual",
                        JoinKind::Anti => "anti residual",
                        JoinKind::Mark => "mark residual",
                        JoinKind::Cross { .. } => "cross residual",
                    };
                    *self.others.entry(residual).or_default() += 1;
                }
                *self.others.entry(name).or_default() += 1;
            }
            Composite::Aggregate(aggregation) => {
                self.count(TableOperator::AggregateKeys, plan.body.types_of(&aggregation.keys));
                for one in &aggregation.aggregates {
                    let ty = one.value.map(|value| plan.body.ty(value));
                    let same_name = AggregateOp::ALL.into_iter().find(|op| op.name() == one.op.name());
                    self.count(TableOperator::Aggregate(same_name.unwrap_or(one.op)), ty);
                    if one.filter.is_some() {
                        *self.others.entry("filtered aggregate").or_default() += 1;
                    }
                    if matches!(one.op, AggregateOp::Fold(_)) {
                        *self.others.entry("fold in an aggregation").or_default() += 1;
                    }
                }
                if aggregation.keys.is_empty() {
                    *self.others.entry("aggregation without keys").or_default() += 1;
                }
            }
        }
    }

    fn count(&mut self, operator: TableOperator, types: impl IntoIterator<Item = Type>) {
        for ty in types {
            let requirement = Requirement { operator, class: DTypeClass::of(ty.dtype), nullable: ty.nullable };
            *self.counts.entry(requirement).or_default() += 1;
        }
    }

    /// The number of operations that half of the plans have at least.
    pub fn median_operators(&self) -> usize {
        let mut operators = self.operators.clone();
        operators.sort_unstable();
        operators.get(operators.len() / 2).copied().unwrap_or(0)
    }

    /// The operations that occurred less often than this, one per line.
    pub fn missing(&self, least: usize) -> Vec<String> {
        let mut missing = Vec::new();
        for requirement in Requirement::all() {
            let count = self.counts.get(&requirement).copied().unwrap_or(0);
            if count < least {
                missing.push(format!("{requirement:?}: {count} of {least}"));
            }
        }
        missing
    }
}
