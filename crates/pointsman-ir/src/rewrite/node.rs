//! Copying a plan's nodes: the same operation with its inputs and values replaced, and which nodes there are to copy.

use super::{Renamed, needed};
use crate::body::{Inst, ParamId, ValueId};
use crate::kernel::{Fold, Running, SortKey};
use crate::plan::{NodeId, NodeKind, Plan};
use std::collections::BTreeSet;

/// The nodes the result depends on, inputs first; those of the scalars that they use are among them.
pub(crate) fn reachable(plan: &Plan) -> BTreeSet<NodeId> {
    reachable_from(plan, [plan.root()])
}

/// The nodes that these ones depend on, themselves included, inputs first.
pub(crate) fn reachable_from(plan: &Plan, roots: impl IntoIterator<Item = NodeId>) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::new();
    let mut left: Vec<NodeId> = roots.into_iter().collect();
    while let Some(node) = left.pop() {
        if found.insert(node) {
            let kind = &plan.node(node).kind;
            left.extend(kind.inputs());
            left.extend(scalars_of(plan, &kind.operands()).iter().map(|param| plan.scalars[param].node));
        }
    }
    found
}

/// The computed scalars that values use.
pub(crate) fn scalars_of(plan: &Plan, values: &[ValueId]) -> BTreeSet<ParamId> {
    if plan.scalars.is_empty() {
        return BTreeSet::new();
    }
    let param = |v: ValueId| if let Inst::Param(param) = plan.body.inst(v) { Some(*param) } else { None };
    let used = needed(&plan.body, values, &Renamed::new()).into_iter().filter_map(param);
    used.filter(|param| plan.scalars.contains_key(param)).collect()
}

/// This operation with its inputs and values replaced.
pub(crate) fn map_kind(
    kind: &NodeKind,
    mut node: impl FnMut(NodeId) -> NodeId,
    mut value: impl FnMut(ValueId) -> ValueId,
) -> NodeKind {
    match kind {
        NodeKind::Source(source) => NodeKind::Source(*source),
        NodeKind::Project { input, columns } => {
            NodeKind::Project { input: node(*input), columns: columns.iter().map(|&v| value(v)).collect() }
        }
        NodeKind::Filter { input, predicate } => NodeKind::Filter { input: node(*input), predicate: value(*predicate) },
        NodeKind::Reduce { input, folds } => {
            NodeKind::Reduce { input: node(*input), folds: map_folds(folds, &mut value) }
        }
        NodeKind::Scan { input, columns, running, segment } => NodeKind::Scan {
            input: node(*input),
            columns: columns.iter().map(|&v| value(v)).collect(),
            running: map_running(running, &mut value),
            segment: segment.map(&mut value),
        },
        NodeKind::Sort { input, keys } => NodeKind::Sort { input: node(*input), keys: map_keys(keys, &mut value) },
        NodeKind::TopK { input, keys, count } => {
            NodeKind::TopK { input: node(*input), keys: map_keys(keys, &mut value), count: *count }
        }
        NodeKind::Group { input, keys, folds, order } => NodeKind::Group {
            input: node(*input),
            keys: keys.iter().map(|&v| value(v)).collect(),
            folds: map_folds(folds, &mut value),
            order: *order,
        },
        NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max } => NodeKind::EquiJoin {
            left: node(*left),
            right: node(*right),
            left_keys: left_keys.iter().map(|&v| value(v)).collect(),
            right_keys: right_keys.iter().map(|&v| value(v)).collect(),
            kind: *kind,
            pairs_max: *pairs_max,
        },
        NodeKind::Window { input, partition, order, running } => NodeKind::Window {
            input: node(*input),
            partition: partition.iter().map(|&v| value(v)).collect(),
            order: map_keys(order, &mut value),
            running: map_running(running, &mut value),
        },
        NodeKind::Union { inputs } => NodeKind::Union { inputs: inputs.iter().map(|&n| node(n)).collect() },
        NodeKind::Limit { input, skip, fetch } => NodeKind::Limit { input: node(*input), skip: *skip, fetch: *fetch },
        NodeKind::Call { input, value: v, call, table } => {
            NodeKind::Call { input: node(*input), value: value(*v), call: *call, table: *table }
        }
        NodeKind::Distinct { input } => NodeKind::Distinct { input: node(*input) },
        NodeKind::Composite(composite) => NodeKind::Composite(composite.map(node, value)),
    }
}

fn map_fold(fold: &Fold, value: &mut dyn FnMut(ValueId) -> ValueId) -> Fold {
    fold.map_value(value)
}

fn map_folds(folds: &[Fold], value: &mut dyn FnMut(ValueId) -> ValueId) -> Vec<Fold> {
    folds.iter().map(|fold| map_fold(fold, value)).collect()
}

fn map_running(running: &[Running], value: &mut dyn FnMut(ValueId) -> ValueId) -> Vec<Running> {
    running.iter().map(|one| Running { fold: map_fold(&one.fold, value), frame: one.frame }).collect()
}

fn map_keys(keys: &[SortKey], value: &mut dyn FnMut(ValueId) -> ValueId) -> Vec<SortKey> {
    keys.iter().map(|key| SortKey { value: value(key.value), ..*key }).collect()
}
