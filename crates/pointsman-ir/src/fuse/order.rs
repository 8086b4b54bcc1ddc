//! Finds the nodes whose order of rows is observable, in a plan without composite operations. The result's order is
//! seen; an order below is seen through what keeps it, and by what depends on it: limits, scans, top-k, ties of sorts,
//! and float sums over rows in their places.

use crate::kernel::{Fold, FoldMode, FoldOp};
use crate::plan::{NodeId, NodeKind, Plan, RowOrder};
use std::collections::BTreeSet;

/// The nodes whose order of rows is seen.
pub(super) fn seen(plan: &Plan, nodes: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
    let mut seen = BTreeSet::from([plan.root()]);
    for &node in nodes.iter().rev() {
        let is_seen = seen.contains(&node);
        match &plan.node(node).kind {
            NodeKind::Source(_) => {}
            NodeKind::Project { input, .. } | NodeKind::Filter { input, .. } | NodeKind::Sort { input, .. } => {
                seen.extend(is_seen.then_some(*input));
            }
            NodeKind::Distinct { input } | NodeKind::Group { input, order: RowOrder::FirstRow, .. } => {
                seen.extend(is_seen.then_some(*input));
            }
            NodeKind::Group { order: RowOrder::Any, .. } => {}
            NodeKind::Reduce { input, folds } => {
                seen.extend(folds.iter().any(|fold| is_positional(plan, fold)).then_some(*input));
            }
            NodeKind::EquiJoin { left, right, kind, .. } if is_seen => {
                seen.insert(*left);
                seen.extend(kind.multiplies().then_some(*right));
            }
            NodeKind::EquiJoin { .. } => {}
            NodeKind::Union { inputs } => seen.extend(inputs.iter().filter(|_| is_seen)),
            NodeKind::Scan { input, .. } | NodeKind::TopK { input, .. } | NodeKind::Limit { input, .. } => {
                seen.insert(*input);
            }
            NodeKind::Window { input, .. } | NodeKind::Call { input, .. } => {
                seen.insert(*input);
            }
            NodeKind::Composite(composite) => seen.extend(composite.inputs()),
        }
    }
    seen
}

/// Whether the places of rows show in a fold's bits.
fn is_positional(plan: &Plan, fold: &Fold) -> bool {
    let float = fold.value_type(&plan.body).is_some_and(|dtype| dtype.is_float());
    fold.op == FoldOp::Sum && fold.mode == FoldMode::Reproducible && float
}
