//! `push-filters`: predicates run as early as they may, so that sorts, joins and groups see fewer rows.
//!
//! A filter sinks below a projection (its columns are put in) if there is something to gain further down, a sort, a
//! distinct, a group (if it uses keys alone) and into a side of a join; never past a limit, top-k, scan, window or
//! union. A conjunction above a join is split first. If a predicate would be evaluated in more rows than before (rows
//! without a match), it must not be able to fault. Below distinct and group it may not use floats: there −0 and +0 are
//! one key, but a predicate can tell them apart.
//!
//! A filter and the node below it swap their places in the arena, so that ids above keep their meaning. The node below
//! must have no other consumer, and come after the nodes of the scalars that the predicate uses.

use crate::body::{Inst, ValueId};
use crate::op::Op;
use crate::plan::{EquiJoinKind, Node, NodeId, NodeKind, Plan, PlanColumn, ROW_NUMBER};
use crate::rewrite::edit::{columns_of, consumers, retarget, tidy, with_columns};
use crate::rewrite::node::{map_kind, scalars_of};
use crate::rewrite::{Renamed, may_fault, needed};
use std::collections::BTreeSet;

/// A conjunction of more parts is left whole: each part would be a node.
const CONJUNCTS_MAX: usize = 16;

pub(super) fn run(plan: &Plan) -> Plan {
    let filters = |plan: &Plan| plan.nodes.iter().any(|node| matches!(node.kind, NodeKind::Filter { .. }));
    if !filters(plan) {
        return plan.clone();
    }
    let mut plan = split_conjunctions(plan);
    // A swap leaves each place with as many consumers as it had.
    let consumers = consumers(&plan);
    for i in 0..plan.nodes.len() {
        let mut filter = NodeId(i as u32);
        while let NodeKind::Filter { input: below, predicate } = plan.node(filter).kind
            && consumers[below.index()] == 1
            && scalars_of(&plan, &[predicate]).iter().all(|param| plan.scalars[param].node < below)
            && let Some(below) = sink(&mut plan, filter)
        {
            filter = below;
        }
    }
    tidy(&plan)
}

/// Whether there is something below projections and filters that gains by seeing fewer rows. Fusion makes one body of
/// the projections and filters themselves, in any order.
fn worth_it(plan: &Plan, mut node: NodeId) -> bool {
    while let NodeKind::Project { input, .. } | NodeKind::Filter { input, .. } = plan.node(node).kind {
        node = input;
    }
    let kind = &plan.node(node).kind;
    matches!(
        kind,
        NodeKind::Sort { .. } | NodeKind::Distinct { .. } | NodeKind::Group { .. } | NodeKind::EquiJoin { .. }
    )
}

/// The side of a join to which a predicate is pushed.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

/// Swaps a filter with the node below it, if it may; gives its new place.
fn sink(plan: &mut Plan, filter: NodeId) -> Option<NodeId> {
    let NodeKind::Filter { input: below, predicate } = plan.node(filter).kind else { return None };
    let kind = plan.node(below).kind.clone();
    if row_numbers(plan, &kind.operands()) {
        return None;
    }
    match &kind {
        NodeKind::Project { input, columns } if worth_it(plan, *input) => {
            let predicate = put_in(plan, predicate, below, columns);
            swap(plan, filter, below, *input, predicate);
        }
        NodeKind::Sort { input, .. } => {
            let predicate = retarget(plan, &[predicate], below, *input)[0];
            swap(plan, filter, below, *input, predicate);
        }
        NodeKind::Distinct { input } if !uses_floats(plan, predicate) => {
            let predicate = retarget(plan, &[predicate], below, *input)[0];
            swap(plan, filter, below, *input, predicate);
        }
        NodeKind::Group { input, keys, .. } if uses_keys(plan, predicate, keys) && !uses_floats(plan, predicate) => {
            let predicate = put_in(plan, predicate, below, keys);
            swap(plan, filter, below, *input, predicate);
        }
        NodeKind::EquiJoin { left, right, .. } => {
            let side = enters(plan, predicate, &kind)?;
            let (input, skip) = match side {
                Side::Left => (*left, 0),
                Side::Right => (*right, plan.node(*left).schema.fields.len() as u32),
            };
            let predicate =
                with_columns(plan, &[predicate], |plan, column| Some(plan.column(input, column.index - skip)))[0];
            swap(plan, filter, below, input, predicate);
        }
        // Past another filter only on the way into a join, and then it meets rows that the other would have stopped.
        NodeKind::Filter { input, .. } if is_total(plan, predicate) => {
            enters(plan, predicate, &plan.node(below_filters(plan, below)).kind)?;
            let predicate = retarget(plan, &[predicate], below, *input)[0];
            swap(plan, filter, below, *input, predicate);
        }
        NodeKind::Project { .. } | NodeKind::Distinct { .. } => return None,
        NodeKind::Group { .. } | NodeKind::Filter { .. } => return None,
        NodeKind::Source(_) | NodeKind::Reduce { .. } | NodeKind::Scan { .. } | NodeKind::TopK { .. } => return None,
        NodeKind::Window { .. } | NodeKind::Union { .. } | NodeKind::Limit { .. } => return None,
        NodeKind::Composite(_) | NodeKind::Call { .. } => return None,
    }
    Some(below)
}

/// Puts the filter at `below`, on `input`, and what was there at `filter`, on the filter.
fn swap(plan: &mut Plan, filter: NodeId, below: NodeId, input: NodeId, predicate: ValueId) {
    let moved = plan.node(below).clone();
    let schema = plan.node(input).schema.clone();
    plan.nodes[below.index()] = Node { kind: NodeKind::Filter { input, predicate }, schema };
    let mut operands = retarget(plan, &moved.kind.operands(), input, below).into_iter();
    let kind = map_kind(
        &moved.kind,
        |node| if node == input { below } else { node },
        |_| operands.next().expect("a node's values come in the order of its operands"),
    );
    plan.nodes[filter.index()] = Node { kind, schema: moved.schema };
}

/// A predicate with expressions in the place of a node's columns.
fn put_in(plan: &mut Plan, predicate: ValueId, node: NodeId, expressions: &[ValueId]) -> ValueId {
    with_columns(plan, &[predicate], |_, column| (column.node == node).then(|| expressions[column.index as usize]))[0]
}

/// Whether values use the number of a source's row, which they can take from the source alone.
fn row_numbers(plan: &Plan, values: &[ValueId]) -> bool {
    columns_of(plan, values).iter().any(|(_, column)| column.index == ROW_NUMBER)
}

fn uses_floats(plan: &Plan, predicate: ValueId) -> bool {
    columns_of(plan, &[predicate]).iter().any(|(v, _)| plan.body.ty(*v).dtype.is_float())
}

fn uses_keys(plan: &Plan, predicate: ValueId, keys: &[ValueId]) -> bool {
    let key = |(_, column): &(ValueId, PlanColumn)| (column.index as usize) < keys.len();
    !keys.is_empty() && columns_of(plan, &[predicate]).iter().all(key)
}

/// The side of a join that a predicate may go to; none for anything but a join.
fn enters(plan: &Plan, predicate: ValueId, join: &NodeKind) -> Option<Side> {
    let NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, .. } = join else { return None };
    let width = plan.node(*left).schema.fields.len();
    let columns = columns_of(plan, &[predicate]);
    let in_left = columns.iter().filter(|(_, column)| (column.index as usize) < width).count();
    if columns.is_empty() || left == right || row_numbers(plan, left_keys) || row_numbers(plan, right_keys) {
        return None;
    }
    let total = is_total(plan, predicate);
    match kind {
        // Every left row is in the result, so the predicate meets no row that it did not meet before.
        EquiJoinKind::Left | EquiJoinKind::Exists => (in_left == columns.len()).then_some(Side::Left),
        EquiJoinKind::Inner if total && in_left == 0 => Some(Side::Right),
        EquiJoinKind::Inner | EquiJoinKind::Semi | EquiJoinKind::Anti => {
            (total && in_left == columns.len()).then_some(Side::Left)
        }
    }
}

/// Whether a value never faults, the projected columns that it uses included: they are computed where it is.
fn is_total(plan: &Plan, value: ValueId) -> bool {
    let (mut seen, mut left) = (BTreeSet::new(), vec![value]);
    while let Some(value) = left.pop() {
        if !seen.insert(value) {
            continue;
        }
        if needed(&plan.body, &[value], &Renamed::new()).into_iter().any(|v| may_fault(&plan.body, v)) {
            return false;
        }
        left.extend(columns_of(plan, &[value]).into_iter().filter_map(|(_, column)| projected(plan, column)));
    }
    true
}

/// The expression of a column; none for a column that is read from a source or an earlier stage.
fn projected(plan: &Plan, mut column: PlanColumn) -> Option<ValueId> {
    loop {
        match &plan.node(column.node).kind {
            NodeKind::Project { columns, .. } => return Some(columns[column.index as usize]),
            NodeKind::Filter { input, .. } => column.node = *input,
            NodeKind::EquiJoin { left, right, kind, .. } => {
                let width = plan.node(*left).schema.fields.len() as u32;
                let in_left = column.index < width || column.index == ROW_NUMBER;
                if !in_left && !kind.multiplies() {
                    return None;
                }
                column.node = if in_left { *left } else { *right };
                column.index -= if in_left { 0 } else { width };
            }
            NodeKind::Source(_) | NodeKind::Reduce { .. } | NodeKind::Scan { .. } | NodeKind::Sort { .. } => {
                return None;
            }
            NodeKind::TopK { .. } | NodeKind::Group { .. } | NodeKind::Window { .. } => return None,
            NodeKind::Union { .. } | NodeKind::Limit { .. } | NodeKind::Distinct { .. } => return None,
            NodeKind::Composite(_) | NodeKind::Call { .. } => return None,
        }
    }
}

/// The first node at or below this one that is no filter.
fn below_filters(plan: &Plan, mut node: NodeId) -> NodeId {
    while let NodeKind::Filter { input, .. } = plan.node(node).kind {
        node = input;
    }
    node
}

/// Makes a filter of each part of a conjunction above a join: `and` is true where both are, and the right part is then
/// asked where the left one is true.
fn split_conjunctions(plan: &Plan) -> Plan {
    let mut made = Plan { nodes: Vec::new(), ..plan.clone() };
    let mut moved: Vec<NodeId> = Vec::with_capacity(plan.nodes.len());
    let mut pending = Vec::new();
    for node in &plan.nodes {
        let kind = map_kind(&node.kind, |input| moved[input.index()], |v| v);
        let schema = &node.schema;
        if let NodeKind::Filter { mut input, predicate } = kind
            && above_join(plan, &node.kind)
        {
            for part in conjuncts(plan, predicate) {
                pending.push((made.nodes.len(), part));
                let kind = NodeKind::Filter { input, predicate: part };
                made.nodes.push(Node { kind, schema: schema.clone() });
                input = made.root();
            }
        } else {
            made.nodes.push(Node { kind, schema: schema.clone() });
        }
        moved.push(made.root());
    }
    for column in &mut made.columns {
        column.node = moved[column.node.index()];
    }
    for column in made.scalars.values_mut() {
        column.node = moved[column.node.index()];
    }
    for (i, part) in pending {
        let NodeKind::Filter { input, .. } = made.nodes[i].kind else { continue };
        let predicate = with_columns(&mut made, &[part], |plan, column| Some(plan.column(input, column.index)))[0];
        made.nodes[i].kind = NodeKind::Filter { input, predicate };
    }
    made
}

fn above_join(plan: &Plan, kind: &NodeKind) -> bool {
    let below = kind.inputs().first().map(|&input| below_filters(plan, input));
    below.is_some_and(|below| matches!(plan.node(below).kind, NodeKind::EquiJoin { .. }))
}

/// The parts of a conjunction, left to right, each once; itself if there are too many.
fn conjuncts(plan: &Plan, predicate: ValueId) -> Vec<ValueId> {
    let mut parts = Vec::new();
    let mut seen = BTreeSet::new();
    let mut left = vec![predicate];
    while let Some(v) = left.pop() {
        if !seen.insert(v) {
            continue;
        }
        if let Inst::Call { op: Op::And, args } = plan.body.inst(v) {
            left.extend(args.iter().rev());
        } else {
            parts.push(v);
        }
    }
    if parts.len() > CONJUNCTS_MAX { vec![predicate] } else { parts }
}
