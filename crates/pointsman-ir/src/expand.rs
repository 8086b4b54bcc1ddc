//! Plan → plan: composite operations written as the operations that fusion makes kernels of. It runs before the passes.
//!
//! In: a verified plan. Out: a plan without composite operations that gives the same rows in the same order, with the
//! same schema; a typed error if it would be larger than a plan may be. One file a family:
//!
//! * `join`: kinds and residuals. A residual that decides whether a row has a match is asked of numbered left rows:
//!   they are numbered, joined, filtered, and joined back on their number, so that they keep their order.
//! * `mark`: the three-valued column of `NOT IN`.
//! * `aggregate`: filtered folds, means, distinct counts; each family is joined back on the keys.
//! * `second_pass`: aggregates that need to know something of all rows of a group before they look at each: variances
//!   their mean, the row of the smallest value that value.
//! * `row_numbers`: rows with the numbers that `argmin`, `first` and the like go by.
//! * `quantile`: values sorted within their group, and looked up by position.

mod aggregate;
mod join;
mod mark;
mod quantile;
mod row_numbers;
mod second_pass;

pub use mark::MARK_PAIRS_MAX;

use crate::body::{Inst, ValueId};
use crate::op::Op;
use crate::plan::{Composite, Node, NodeId, NodeKind, PLAN_DEPTH_MAX, PLAN_NODES_MAX, Plan, PlanError};
use crate::rewrite::edit::{tidy, with_columns};
use crate::rewrite::node::map_kind;
use crate::types::{DType, Scalar, Schema, Type};

/// Old nodes go by their number plus this until they are written: no plan has so many.
const OLD: u32 = 1 << 24;

/// Writes out every composite operation.
pub fn run(plan: &Plan) -> Result<Plan, PlanError> {
    if !plan.nodes.iter().any(|node| matches!(node.kind, NodeKind::Composite(_))) {
        return Ok(plan.clone());
    }
    let mut expansion = Expansion::new(plan);
    let mut moved: Vec<NodeId> = Vec::with_capacity(plan.nodes.len());
    for (old, node) in plan.nodes.iter().enumerate() {
        let kind = map_kind(&node.kind, |input| moved[input.index()], |v| v);
        let new = if let NodeKind::Composite(composite) = kind {
            expansion.composite(&composite, &node.schema)?
        } else {
            expansion.push_as(kind, &node.schema)
        };
        expansion.settle(NodeId(old as u32 + OLD), new);
        moved.push(new);
    }
    let expanded = tidy(&expansion.plan);
    within_limits(&expanded)?;
    Ok(expanded)
}

fn within_limits(plan: &Plan) -> Result<(), PlanError> {
    let count = plan.nodes.len() + plan.body.len();
    if count > PLAN_NODES_MAX {
        return Err(PlanError::invalid(format!(
            "with joins and aggregations written out, the plan has {count} nodes and expressions, more than the {PLAN_NODES_MAX} allowed: split the query"
        )));
    }
    let mut depths: Vec<usize> = Vec::with_capacity(plan.nodes.len());
    for node in &plan.nodes {
        depths.push(1 + node.kind.inputs().iter().map(|input| depths[input.index()]).max().unwrap_or(0));
    }
    let depth = depths.into_iter().max().unwrap_or(0);
    if depth > PLAN_DEPTH_MAX {
        return Err(PlanError::invalid(format!(
            "with joins and aggregations written out, {depth} nodes stand one on top of the other, more than the {PLAN_DEPTH_MAX} allowed: split the query"
        )));
    }
    Ok(())
}

/// The plan during expansion. It has the values of the old plan, followed by new ones.
struct Expansion {
    plan: Plan,
}

impl Expansion {
    fn new(plan: &Plan) -> Expansion {
        let mut plan = Plan { nodes: Vec::new(), ..plan.clone() };
        for column in plan.columns.iter_mut().chain(plan.scalars.values_mut()) {
            column.node = NodeId(column.node.0 + OLD);
        }
        Expansion { plan }
    }

    fn composite(&mut self, composite: &Composite, schema: &Schema) -> Result<NodeId, PlanError> {
        match composite {
            Composite::Join(join) => self.join(join, schema),
            Composite::Aggregate(aggregation) => self.aggregation(aggregation, schema),
        }
    }

    /// Says which node stands for an old one.
    fn settle(&mut self, old: NodeId, new: NodeId) {
        for column in self.plan.columns.iter_mut().chain(self.plan.scalars.values_mut()) {
            if column.node == old {
                column.node = new;
            }
        }
    }

    fn push(&mut self, kind: impl Into<NodeKind>) -> NodeId {
        self.plan.push(kind, &[])
    }

    /// Appends an operation with the schema of the one that it stands for.
    fn push_as(&mut self, kind: NodeKind, schema: &Schema) -> NodeId {
        self.plan.nodes.push(Node { kind, schema: schema.clone() });
        self.plan.root()
    }

    fn project(&mut self, input: NodeId, columns: Vec<ValueId>) -> NodeId {
        self.push(NodeKind::Project { input, columns })
    }

    fn width(&self, node: NodeId) -> u32 {
        self.plan.node(node).schema.fields.len() as u32
    }

    /// Columns of a node.
    fn columns(&mut self, node: NodeId, columns: impl IntoIterator<Item = u32>) -> Vec<ValueId> {
        columns.into_iter().map(|index| self.plan.column(node, index)).collect()
    }

    fn call(&mut self, op: Op, args: &[ValueId]) -> Result<ValueId, PlanError> {
        Ok(self.plan.body.call(op, args)?)
    }

    fn as_double(&mut self, v: ValueId) -> Result<ValueId, PlanError> {
        if self.plan.body.ty(v).dtype == DType::F64 {
            Ok(v)
        } else {
            Ok(self.plan.body.cast(Op::Cast, v, DType::F64)?)
        }
    }

    fn constant(&mut self, value: Scalar, dtype: DType) -> ValueId {
        self.plan.body.constant(value, dtype)
    }

    fn null(&mut self, dtype: DType) -> ValueId {
        self.plan.body.null(dtype)
    }

    /// The value where the condition is true, else null.
    fn only_where(&mut self, condition: ValueId, value: ValueId) -> Result<ValueId, PlanError> {
        let null = self.null(self.plan.body.ty(value).dtype);
        self.call(Op::Select, &[condition, value, null])
    }

    /// Rewrites an expression over two nodes for a node that has the columns of both.
    fn over_pairs(&mut self, value: ValueId, of: &PairColumns) -> ValueId {
        with_columns(&mut self.plan, &[value], |plan, column| {
            let first = if column.node == of.left { 0 } else { of.right_at };
            Some(plan.column(of.pairs, first + column.index))
        })[0]
    }

    fn ty(&self, v: ValueId) -> Type {
        self.plan.body.ty(v)
    }

    /// A truth value whose type allows nulls, to stand beside nulls.
    fn nullable_truth(&mut self, value: bool) -> ValueId {
        self.plan.body.push(Inst::Const(Some(Scalar::Bool(value))), DType::Bool.nullable())
    }
}

/// The columns of a node of pairs, by the columns of its two inputs.
struct PairColumns {
    left: NodeId,
    pairs: NodeId,
    /// The place of the right node's first column; the left one's is 0.
    right_at: u32,
}
