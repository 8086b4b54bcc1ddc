//! `prune-columns`: drops unused columns and nodes; sorts carry only what is used above them.
//!
//! Sources stay as they are: a kernel reads only the columns it uses. Projections, scans, folds, groups and windows
//! lose outputs; a sort whose input has columns to spare gets a projection below it, and so do the inputs of a union.
//! The result keeps every column, distinct needs all of its own, and what writes rows keeps at least one. A node with
//! several consumers keeps what any of them uses. Computed scalars are kept, used or not: the numbers of the others
//! depend on them.

use crate::body::{ColumnId, ValueId};
use crate::plan::{EquiJoinKind, Node, NodeId, NodeKind, Plan, PlanColumn, ROW_NUMBER};
use crate::rewrite::edit::{columns_of, consumers, tidy};
use crate::rewrite::node::{map_kind, reachable_from};
use crate::types::{Field, Schema};
use std::collections::BTreeSet;

pub(super) fn run(plan: &Plan) -> Plan {
    let mut pruned = Pruned {
        plan,
        used: used_columns(plan),
        consumers: consumers(plan),
        made: Plan { nodes: Vec::new(), ..plan.clone() },
        places: vec![Place { node: NodeId(0), kept: Vec::new() }; plan.nodes.len()],
    };
    for node in kept_nodes(plan) {
        pruned.node(node);
    }
    tidy(&pruned.finish())
}

/// The columns that the result and the computed scalars depend on.
fn kept_nodes(plan: &Plan) -> BTreeSet<NodeId> {
    reachable_from(plan, plan.scalars.values().map(|column| column.node).chain([plan.root()]))
}

/// Which columns of each node are used above it.
fn used_columns(plan: &Plan) -> Vec<BTreeSet<u32>> {
    let all = |node: NodeId| (0..width(plan, node)).collect::<BTreeSet<u32>>();
    let mut used = vec![BTreeSet::new(); plan.nodes.len()];
    used[plan.root().index()] = all(plan.root());
    for column in plan.scalars.values() {
        used[column.node.index()].insert(column.index);
    }
    for node in kept_nodes(plan).into_iter().rev() {
        let kind = &plan.node(node).kind;
        if used[node.index()].is_empty() && writes_rows(kind) && width(plan, node) > 0 {
            used[node.index()].insert(0);
        }
        let wanted = used[node.index()].clone();
        match kind {
            NodeKind::Filter { input, .. } | NodeKind::Sort { input, .. } | NodeKind::TopK { input, .. } => {
                used[input.index()].extend(wanted.iter());
            }
            NodeKind::Limit { input, .. } => used[input.index()].extend(wanted.iter()),
            NodeKind::Window { input, .. } => {
                used[input.index()].extend(wanted.iter().filter(|&&index| index < width(plan, *input)));
            }
            NodeKind::EquiJoin { left, right, kind, .. } => {
                let split = width(plan, *left);
                used[left.index()].extend(wanted.iter().filter(|&&index| index < split));
                if kind.multiplies() {
                    let of_right = wanted.iter().filter(|&&index| index >= split);
                    used[right.index()].extend(of_right.map(|index| index - split));
                }
            }
            NodeKind::Distinct { input } => used[input.index()] = all(*input),
            NodeKind::Union { inputs } => inputs.iter().for_each(|input| used[input.index()].extend(wanted.iter())),
            NodeKind::Composite(composite) => {
                composite.inputs().into_iter().for_each(|input| used[input.index()] = all(input));
            }
            NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Reduce { .. } => {}
            NodeKind::Scan { .. } | NodeKind::Group { .. } | NodeKind::Call { .. } => {}
        }
        for (_, column) in columns_of(plan, &keep(kind, &wanted).operands()) {
            if column.index != ROW_NUMBER {
                used[column.node.index()].insert(column.index);
            }
        }
    }
    used
}

fn width(plan: &Plan, node: NodeId) -> u32 {
    plan.node(node).schema.fields.len() as u32
}

/// Whether the node's rows are written out, even if they are unused.
fn writes_rows(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. } => false,
        NodeKind::EquiJoin { .. } => false,
        NodeKind::Reduce { .. } | NodeKind::Scan { .. } | NodeKind::Sort { .. } | NodeKind::TopK { .. } => true,
        NodeKind::Group { .. } | NodeKind::Window { .. } | NodeKind::Union { .. } | NodeKind::Call { .. } => true,
        NodeKind::Limit { .. } | NodeKind::Distinct { .. } | NodeKind::Composite(_) => true,
    }
}

/// The operation without the outputs of its own that are not wanted.
fn keep(kind: &NodeKind, wanted: &BTreeSet<u32>) -> NodeKind {
    let mut kind = kind.clone();
    match &mut kind {
        NodeKind::Project { columns, .. } => retain(columns, wanted, 0),
        NodeKind::Reduce { folds, .. } => retain(folds, wanted, 0),
        NodeKind::Scan { columns, running, .. } => {
            retain(running, wanted, columns.len());
            retain(columns, wanted, 0);
        }
        NodeKind::Group { keys, folds, .. } => retain(folds, wanted, keys.len()),
        NodeKind::Source(_) | NodeKind::Filter { .. } | NodeKind::Sort { .. } | NodeKind::TopK { .. } => {}
        NodeKind::EquiJoin { .. } | NodeKind::Union { .. } | NodeKind::Limit { .. } | NodeKind::Distinct { .. } => {}
        NodeKind::Composite(_) | NodeKind::Call { .. } => {}
        // Its outputs stand after the input's columns, and are few.
        NodeKind::Window { .. } => {}
    }
    kind
}

/// Keeps the items at the wanted positions, counted from `first`.
fn retain<T>(items: &mut Vec<T>, wanted: &BTreeSet<u32>, first: usize) {
    let mut position = first as u32;
    items.retain(|_| {
        position += 1;
        wanted.contains(&(position - 1))
    });
}

/// The new positions of an old node's columns.
#[derive(Clone, Debug)]
struct Place {
    node: NodeId,
    /// The old positions of the columns that are left.
    kept: Vec<u32>,
}

struct Pruned<'a> {
    plan: &'a Plan,
    used: Vec<BTreeSet<u32>>,
    /// The number of nodes that read each node.
    consumers: Vec<usize>,
    made: Plan,
    places: Vec<Place>,
}

impl Pruned<'_> {
    /// Writes a node, its inputs being written.
    fn node(&mut self, id: NodeId) {
        let node = self.plan.node(id);
        if let NodeKind::Sort { input, keys } | NodeKind::TopK { input, keys, .. } = &node.kind
            && self.consumers[input.index()] == 1
        {
            self.project(*input, &keys.iter().map(|key| key.value).collect::<Vec<_>>());
        }
        let kept = self.kept(id);
        let kind = if let NodeKind::Union { inputs } = &node.kind {
            NodeKind::Union { inputs: inputs.iter().map(|&input| self.with_columns(input, &kept)).collect() }
        } else {
            let kind = keep(&node.kind, &self.used[id.index()]);
            map_kind(&kind, |input| self.places[input.index()].node, |v| v)
        };
        let schema = fields(&node.schema, &kept);
        self.made.nodes.push(Node { kind, schema });
        self.places[id.index()] = Place { node: self.made.root(), kept };
    }

    /// The old positions of the columns that a node keeps.
    fn kept(&self, id: NodeId) -> Vec<u32> {
        let used = &self.used[id.index()];
        let all = 0..width(self.plan, id);
        let of = |input: &NodeId| self.places[input.index()].kept.clone();
        match &self.plan.node(id).kind {
            NodeKind::Source(_) | NodeKind::Composite(_) | NodeKind::Call { .. } => all.collect(),
            NodeKind::Project { .. } | NodeKind::Reduce { .. } | NodeKind::Scan { .. } | NodeKind::Union { .. } => {
                used.iter().copied().collect()
            }
            NodeKind::Group { keys, .. } => {
                all.filter(|index| (*index as usize) < keys.len() || used.contains(index)).collect()
            }
            NodeKind::Filter { input, .. } | NodeKind::Sort { input, .. } | NodeKind::TopK { input, .. } => of(input),
            NodeKind::Limit { input, .. } | NodeKind::Distinct { input } => of(input),
            NodeKind::Window { input, .. } => {
                of(input).into_iter().chain(all.skip(width(self.plan, *input) as usize)).collect()
            }
            NodeKind::EquiJoin { left, right, kind, .. } => {
                let split = width(self.plan, *left);
                let added: Vec<u32> = match kind {
                    EquiJoinKind::Inner | EquiJoinKind::Left => of(right).iter().map(|index| index + split).collect(),
                    EquiJoinKind::Exists => vec![split],
                    EquiJoinKind::Semi | EquiJoinKind::Anti => Vec::new(),
                };
                of(left).into_iter().chain(added).collect()
            }
        }
    }

    /// Puts a projection on a sort's input if it has unused columns.
    fn project(&mut self, input: NodeId, keys: &[ValueId]) {
        let used: Vec<u32> = self.used[input.index()].iter().copied().collect();
        if columns_of(self.plan, keys).iter().any(|(_, column)| column.index == ROW_NUMBER) {
            return;
        }
        let node = self.with_columns(input, &used);
        self.places[input.index()] = Place { node, kept: used };
    }

    /// A node with exactly these columns of an old node: that node, or a projection of it.
    fn with_columns(&mut self, input: NodeId, wanted: &[u32]) -> NodeId {
        let place = self.places[input.index()].clone();
        if place.kept == wanted {
            return place.node;
        }
        let schema = fields(&self.plan.node(input).schema, wanted);
        let mut columns = Vec::new();
        for (index, field) in wanted.iter().zip(&schema.fields) {
            // Not one of the columns that are there: those still go by the old numbers.
            let index = position(&place, *index).expect("a column that is used is kept");
            self.made.columns.push(PlanColumn { node: place.node, index });
            columns.push(self.made.body.column(ColumnId(self.made.columns.len() as u32 - 1), field.ty));
        }
        self.made.nodes.push(Node { kind: NodeKind::Project { input: place.node, columns }, schema });
        self.made.root()
    }

    /// The plan, its columns put where they are now.
    fn finish(mut self) -> Plan {
        for (column, old) in self.made.columns.iter_mut().zip(&self.plan.columns) {
            let place = &self.places[old.node.index()];
            let index = if old.index == ROW_NUMBER { Some(ROW_NUMBER) } else { position(place, old.index) };
            // A column that is gone has no live use: `tidy` drops it.
            *column = PlanColumn { node: place.node, index: index.unwrap_or(0) };
        }
        for column in self.made.scalars.values_mut() {
            let place = &self.places[column.node.index()];
            let index = position(place, column.index).expect("the column of a computed scalar is kept");
            *column = PlanColumn { node: place.node, index };
        }
        self.made
    }
}

fn position(place: &Place, index: u32) -> Option<u32> {
    place.kept.iter().position(|&kept| kept == index).map(|position| position as u32)
}

fn fields(schema: &Schema, kept: &[u32]) -> Schema {
    let fields: Vec<Field> = kept.iter().map(|&index| schema.fields[index as usize].clone()).collect();
    Schema { fields }
}
