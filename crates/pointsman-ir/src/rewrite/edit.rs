//! The edits of a plan that passes and `expand` share: of its values, columns and nodes. Every edit leaves dead values
//! in the body; [`tidy`] takes them away.

use super::node::map_kind;
use super::{Keep, Renamed, Rewrite, Writer, copy, extract, needed, replay};
use crate::body::{ColumnId, Inst, ValueId};
use crate::plan::{Node, NodeId, Plan, PlanColumn};
use crate::types::Type;
use std::collections::HashMap;

/// Writes the plan's values again by a rule, those that its nodes need.
pub(crate) fn rewrite_values(plan: &Plan, rule: &mut dyn Rewrite) -> Plan {
    let roots: Vec<ValueId> = plan.nodes.iter().flat_map(|node| node.kind.operands()).collect();
    let (mut out, mut names) = (Writer::new(), Renamed::new());
    copy(&plan.body, &roots, &mut out, &mut names, rule);
    let map = |node: &Node| Node { kind: map_kind(&node.kind, |n| n, |v| names.get(v)), schema: node.schema.clone() };
    Plan {
        body: out.finish(),
        nodes: plan.nodes.iter().map(map).collect(),
        columns: plan.columns.clone(),
        params: plan.params.clone(),
        scalars: plan.scalars.clone(),
        lists: plan.lists.clone(),
    }
}

/// Drops dead values, and columns that no value uses; numbers columns by first use.
pub(crate) fn tidy(plan: &Plan) -> Plan {
    let mut numbers = Numbers { old: &plan.columns, new: Vec::new(), seen: HashMap::new() };
    let tidied = rewrite_values(plan, &mut numbers);
    Plan { columns: numbers.new, ..tidied }
}

struct Numbers<'a> {
    old: &'a [PlanColumn],
    new: Vec<PlanColumn>,
    seen: HashMap<PlanColumn, u32>,
}

impl Rewrite for Numbers<'_> {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        let Inst::Column(column) = inst else { return out.append(inst, ty) };
        let column = self.old[column.index()];
        let number = *self.seen.entry(column).or_insert_with(|| {
            self.new.push(column);
            self.new.len() as u32 - 1
        });
        out.append(Inst::Column(ColumnId(number)), ty)
    }
}

/// Writes values again, after the others, with other values in the place of columns. A column for which `replace` has
/// nothing stays.
pub(crate) fn with_columns(
    plan: &mut Plan,
    roots: &[ValueId],
    mut replace: impl FnMut(&mut Plan, PlanColumn) -> Option<ValueId>,
) -> Vec<ValueId> {
    let mut names = Renamed::new();
    let mut replaced: HashMap<PlanColumn, Option<ValueId>> = HashMap::new();
    for (v, column) in columns_of(plan, roots) {
        let new = *replaced.entry(column).or_insert_with(|| replace(plan, column));
        new.into_iter().for_each(|new| names.set(v, new));
    }
    let parts = extract(&plan.body, roots, &names);
    let mut out = Writer::behind(std::mem::take(&mut plan.body));
    replay(&parts, &mut out, &mut names, &mut Keep);
    plan.body = out.finish();
    roots.iter().map(|&v| names.get(v)).collect()
}

/// Writes values again with the columns of one node in the place of another's, at the same positions.
pub(crate) fn retarget(plan: &mut Plan, roots: &[ValueId], from: NodeId, to: NodeId) -> Vec<ValueId> {
    with_columns(plan, roots, |plan, column| (column.node == from).then(|| plan.column(to, column.index)))
}

/// The columns that values use, with the instruction that reads each, in order.
pub(crate) fn columns_of(plan: &Plan, roots: &[ValueId]) -> Vec<(ValueId, PlanColumn)> {
    let read = |v: ValueId| match plan.body.inst(v) {
        Inst::Column(column) => Some((v, plan.columns[column.index()])),
        Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Call { .. } | Inst::Lookup { .. } => None,
        Inst::Gather { .. } | Inst::Probe { .. } | Inst::Loop { .. } => None,
        Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => None,
    };
    needed(&plan.body, roots, &Renamed::new()).into_iter().filter_map(read).collect()
}

/// The number of nodes that read each node or take a scalar from it.
pub(crate) fn consumers(plan: &Plan) -> Vec<usize> {
    let mut counts = vec![0; plan.nodes.len()];
    let inputs = plan.nodes.iter().flat_map(|node| node.kind.inputs());
    for node in inputs.chain(plan.scalars.values().map(|column| column.node)) {
        counts[node.index()] += 1;
    }
    counts
}
