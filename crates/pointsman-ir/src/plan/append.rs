//! Appending a plan to another, to join or unite the rows of both. In: two plans. Out: one with the nodes of both, the
//! second plan's behind the first's and under new numbers. Neither plan's result or text (but for the numbers) changes.

use super::{Node, NodeId, NodeKind, Plan, PlanColumn, PlanError, SourceId};
use crate::body::{ColumnId, Inst, ListId, ParamId, ValueId};
use crate::rewrite::node::map_kind;
use crate::rewrite::{Renamed, Rewrite, Writer, copy};
use crate::types::Type;
use crate::verify;

/// Where the parts of a plan are in the one that it was appended to: their numbers there, less their old ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppendedPlan {
    /// The number of its first node.
    pub first_node: u32,
    /// The number of its source 0.
    pub first_source: u32,
    /// The number of its first scalar.
    pub first_param: u32,
    /// The number of its first captured list.
    pub first_list: u32,
}

impl AppendedPlan {
    /// The new id of a node of the appended plan.
    pub const fn node(&self, old: NodeId) -> NodeId {
        NodeId(old.0 + self.first_node)
    }

    fn column(&self, old: &PlanColumn) -> PlanColumn {
        PlanColumn { node: self.node(old.node), index: old.index }
    }

    fn kind(&self, old: &NodeKind, names: &Renamed) -> NodeKind {
        if let NodeKind::Source(source) = old {
            return NodeKind::Source(SourceId(source.0.saturating_add(self.first_source)));
        }
        if let NodeKind::Call { input, value, call, table } = old {
            let table = table.map(|table| ListId(table.0 + self.first_list));
            return NodeKind::Call { input: self.node(*input), value: names.get(*value), call: *call, table };
        }
        map_kind(old, |node| self.node(node), |value| names.get(value))
    }
}

impl Plan {
    /// Appends the nodes of another plan, with the expressions that they use; its sources, scalars and lists come behind
    /// this plan's. The error says what is wrong with the other plan, which must be one that could run.
    pub fn append(&mut self, other: &Plan) -> Result<AppendedPlan, PlanError> {
        verify::plan(other)?;
        let appended = AppendedPlan {
            first_node: self.nodes.len() as u32,
            first_source: self.next_source(),
            first_param: self.params.len() as u32,
            first_list: self.lists.len() as u32,
        };
        let mut rule = Renumber { appended, first_column: self.columns.len() as u32 };
        self.params.extend(&other.params);
        self.lists.extend(&other.lists);
        self.columns.extend(other.columns.iter().map(|column| appended.column(column)));
        let scalars = other.scalars.iter();
        self.scalars.extend(scalars.map(|(param, column)| (rule.param(*param), appended.column(column))));
        let roots: Vec<ValueId> = other.nodes.iter().flat_map(|node| node.kind.operands()).collect();
        let (mut out, mut names) = (Writer::behind(std::mem::take(&mut self.body)), Renamed::new());
        copy(&other.body, &roots, &mut out, &mut names, &mut rule);
        self.body = out.finish();
        let node = |node: &Node| Node { kind: appended.kind(&node.kind, &names), schema: node.schema.clone() };
        self.nodes.extend(other.nodes.iter().map(node));
        Ok(appended)
    }

    /// The number of a source that the plan does not have yet.
    fn next_source(&self) -> u32 {
        let number = |node: &Node| {
            if let NodeKind::Source(source) = node.kind { Some(source.0.saturating_add(1)) } else { None }
        };
        self.nodes.iter().filter_map(number).max().unwrap_or(0)
    }
}

/// Copies expressions with the new numbers of their columns, scalars and lists.
struct Renumber {
    appended: AppendedPlan,
    first_column: u32,
}

impl Renumber {
    fn param(&self, old: ParamId) -> ParamId {
        ParamId(old.0 + self.appended.first_param)
    }
}

impl Rewrite for Renumber {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        let inst = match inst {
            Inst::Column(column) => Inst::Column(ColumnId(column.0 + self.first_column)),
            Inst::Param(param) => Inst::Param(self.param(param)),
            Inst::Lookup { list, index } => Inst::Lookup { list: ListId(list.0 + self.appended.first_list), index },
            Inst::Const(_) | Inst::RowIndex | Inst::Call { .. } | Inst::Gather { .. } | Inst::Probe { .. } => inst,
            Inst::Loop { .. } | Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => inst,
        };
        out.append(inst, ty)
    }
}
