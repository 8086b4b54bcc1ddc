//! The body of one stage: from its input up through projections, filters and joins to the rows its sink takes.
//!
//! In: a plan, the node whose rows are wanted, and what is wanted of them. Out: a body, a mask, and the numbers of the
//! columns, parameters, captured tables and joins it uses. Two walks over the chain of nodes: down, to see which
//! columns are used at all; up, to write them. Nothing recurses.

use super::layout::Chain;
use super::stage::{PairLimit, Stage, StageParam, StagePart, StageTable};
use crate::body::{ColumnId, Inst, ListId, ParamId, ProbeKind, TableId, ValueId};
use crate::kernel::{Kernel, SideTable, Sink};
use crate::op::Op;
use crate::plan::{EquiJoinKind, NodeId, NodeKind, Plan, PlanColumn, PlanError, ROW_NUMBER};
use crate::rewrite::{Renamed, Rewrite, Writer, copy, needed};
use crate::types::{DType, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The sources of a stage's rows, scalars and tables.
pub(super) struct Sources {
    /// The rows, with all columns of the boundary.
    pub(super) parts: Vec<StagePart>,
    /// The plan's scalars.
    pub(super) params: BTreeMap<ParamId, StageParam>,
    /// The joins' tables, in order.
    pub(super) tables: Vec<StageTable>,
}

/// A join on the way.
struct Joined {
    node: NodeId,
    right: NodeId,
    /// The probe's value: the row of the match.
    row: ValueId,
    keys: Vec<DType>,
    /// The right columns used, in order of first use.
    used: Vec<u32>,
    pairs_max: Option<u64>,
}

/// The plan's parameters and captured tables that are used, in order of first use.
#[derive(Default)]
struct Numbers {
    params: Vec<ParamId>,
    lists: Vec<ListId>,
}

impl Rewrite for Numbers {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        let inst = match inst {
            Inst::Param(param) => Inst::Param(ParamId(number(&mut self.params, param))),
            Inst::Lookup { list, index } => Inst::Lookup { list: ListId(number(&mut self.lists, list)), index },
            inst @ (Inst::Column(_) | Inst::Const(_) | Inst::RowIndex | Inst::Call { .. }) => inst,
            inst @ (Inst::Gather { .. } | Inst::Probe { .. } | Inst::Loop { .. }) => inst,
            inst @ (Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. }) => inst,
        };
        out.push(inst, ty)
    }
}

/// The position of an item, which is appended if it is new.
fn number<T: PartialEq>(items: &mut Vec<T>, item: T) -> u32 {
    let found = items.iter().position(|other| *other == item);
    found.unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    }) as u32
}

/// A body in the making.
pub(super) struct Pipeline<'a> {
    plan: &'a Plan,
    boundary: NodeId,
    out: Writer,
    names: Renamed,
    /// The written columns of projections.
    projected: BTreeMap<(NodeId, u32), ValueId>,
    mask: Option<ValueId>,
    columns: Vec<u32>,
    numbers: Numbers,
    joined: Vec<Joined>,
}

impl<'a> Pipeline<'a> {
    /// Writes everything below the sink: the filters, the joins, and the projected columns that are wanted.
    pub(super) fn run(
        plan: &'a Plan,
        Chain { boundary, steps }: Chain,
        input: NodeId,
        values: &[ValueId],
        columns: &[u32],
    ) -> Result<Pipeline<'a>, PlanError> {
        let mut wanted = Wanted { plan, boundary, columns: BTreeSet::new() };
        wanted.values(values);
        columns.iter().for_each(|&index| wanted.column(PlanColumn { node: input, index }));
        steps.iter().rev().for_each(|&step| wanted.step(step));
        let mut pipeline = Pipeline {
            plan,
            boundary,
            out: Writer::new(),
            names: Renamed::new(),
            projected: BTreeMap::new(),
            mask: None,
            columns: Vec::new(),
            numbers: Numbers::default(),
            joined: Vec::new(),
        };
        for step in steps {
            pipeline.step(step, &wanted.columns)?;
        }
        Ok(pipeline)
    }

    /// The node whose rows come in.
    pub(super) fn boundary(&self) -> NodeId {
        self.boundary
    }

    /// Whether each input row is output exactly once.
    pub(super) fn keeps_every_row(&self) -> bool {
        self.mask.is_none() && !self.out.body().multiplies_rows() && !self.out.body().drops_rows()
    }

    /// The number of the row in the stage's input.
    pub(super) fn row_number(&mut self) -> ValueId {
        self.out.push(Inst::RowIndex, DType::U64.required())
    }

    /// The number of a captured table of the plan.
    pub(super) fn list(&mut self, list: ListId) -> ListId {
        ListId(number(&mut self.numbers.lists, list))
    }

    /// The joins on the way, with the right columns used.
    pub(super) fn joined(&self) -> Vec<(NodeId, Vec<u32>)> {
        self.joined.iter().map(|joined| (joined.node, joined.used.clone())).collect()
    }

    /// Writes expressions of the plan.
    pub(super) fn values(&mut self, roots: &[ValueId]) -> Vec<ValueId> {
        let body = &self.plan.body;
        for v in needed(body, roots, &self.names) {
            if let Inst::Column(column) = body.inst(v) {
                let new = self.column(self.plan.columns[column.index()]);
                self.names.set(v, new);
            }
        }
        copy(body, roots, &mut self.out, &mut self.names, &mut self.numbers);
        roots.iter().map(|&v| self.names.get(v)).collect()
    }

    /// The value that was written for an expression of the plan.
    pub(super) fn written(&self, v: ValueId) -> ValueId {
        self.names.get(v)
    }

    /// Writes columns of a node.
    pub(super) fn columns(&mut self, node: NodeId, columns: &[u32]) -> Vec<ValueId> {
        columns.iter().map(|&index| self.column(PlanColumn { node, index })).collect()
    }

    /// The stage, once the sink is known.
    pub(super) fn finish(self, sources: Sources, sink: Sink) -> Stage {
        let plan = self.plan;
        let boundary = &plan.node(self.boundary).schema;
        let side = |joined: &Joined| SideTable {
            keys: joined.keys.clone(),
            columns: (joined.used.iter())
                .map(|&index| plan.node(joined.right).schema.fields[index as usize].ty)
                .collect(),
        };
        let kernel = Kernel {
            columns: self.columns.iter().map(|&index| boundary.fields[index as usize].ty).collect(),
            params: self.numbers.params.iter().map(|param| plan.params[param.index()]).collect(),
            lists: self.numbers.lists.iter().map(|list| plan.lists[list.index()]).collect(),
            tables: self.joined.iter().map(side).collect(),
            body: self.out.finish(),
            mask: self.mask,
            sink,
        };
        let columns = self.columns;
        let part = |part: StagePart| StagePart {
            columns: columns.iter().map(|&column| part.columns[column as usize]).collect(),
            ..part
        };
        let limit =
            |(table, joined): (usize, &Joined)| joined.pairs_max.map(|pairs_max| PairLimit { table, pairs_max });
        Stage {
            kernel,
            parts: sources.parts.into_iter().map(part).collect(),
            params: self.numbers.params.iter().map(|param| sources.params[param]).collect(),
            lists: self.numbers.lists,
            tables: sources.tables,
            pair_limits: self.joined.iter().enumerate().filter_map(limit).collect(),
        }
    }

    fn step(&mut self, step: NodeId, wanted: &BTreeSet<(NodeId, u32)>) -> Result<(), PlanError> {
        match step_of(self.plan, step) {
            Step::Project(columns) => {
                for &(node, index) in wanted.range((step, 0)..=(step, u32::MAX)) {
                    let new = self.values(&[columns[index as usize]]);
                    self.projected.insert((node, index), new[0]);
                }
            }
            Step::Filter(predicate) => {
                let predicate = self.values(&[predicate]);
                self.keep_where(predicate[0])?;
            }
            Step::Join => self.join(step)?,
        }
        Ok(())
    }

    /// Rows must pass this too. A filter sees the rows where the one before it is true, but `and` looks at its right
    /// side where the left one is null, too: so a predicate that can fault stands behind one without nulls.
    fn keep_where(&mut self, predicate: ValueId) -> Result<(), PlanError> {
        let Some(mut mask) = self.mask else {
            self.mask = Some(predicate);
            return Ok(());
        };
        if self.out.body().ty(mask).nullable && !self.out.is_total(predicate) {
            let not_null = self.out.truth(false);
            mask = self.out.call(Op::Coalesce, &[mask, not_null])?;
        }
        self.mask = Some(self.out.call(Op::And, &[mask, predicate])?);
        Ok(())
    }

    fn join(&mut self, node: NodeId) -> Result<(), PlanError> {
        let NodeKind::EquiJoin { left, right, left_keys, kind, pairs_max, .. } = &self.plan.node(node).kind else {
            unreachable!("only a join is joined");
        };
        let keys = self.values(left_keys);
        let table = TableId(self.joined.len() as u32);
        let probe = match kind {
            EquiJoinKind::Inner => ProbeKind::Inner,
            EquiJoinKind::Left => ProbeKind::Left,
            EquiJoinKind::Semi | EquiJoinKind::Anti | EquiJoinKind::Exists => ProbeKind::Exists,
        };
        let key_types = keys.iter().map(|&key| self.out.body().ty(key).dtype).collect();
        let row = self.out.append(Inst::Probe { table, keys, when: self.mask, kind: probe }, probe.output());
        let (right, pairs_max) = (*right, *pairs_max);
        self.joined.push(Joined { node, right, row, keys: key_types, used: Vec::new(), pairs_max });
        match kind {
            // Only rows that passed the mask are searched for; the others are gone.
            EquiJoinKind::Inner | EquiJoinKind::Left => self.mask = None,
            EquiJoinKind::Semi => self.keep_where(row)?,
            EquiJoinKind::Anti => {
                let absent = self.out.call(Op::Not, &[row])?;
                self.keep_where(absent)?;
            }
            EquiJoinKind::Exists => {
                let flag = self.plan.node(*left).schema.fields.len() as u32;
                self.projected.insert((node, flag), row);
            }
        }
        Ok(())
    }

    /// The value of a node's column, at the top level.
    fn column(&mut self, column: PlanColumn) -> ValueId {
        let PlanColumn { node, index } = owner(self.plan, self.boundary, column);
        if index == ROW_NUMBER {
            return self.out.push(Inst::RowIndex, DType::U64.required());
        }
        if let Some(&v) = self.projected.get(&(node, index)) {
            return v;
        }
        let schema = &self.plan.node(node).schema;
        if node == self.boundary {
            let ty = schema.fields[index as usize].ty;
            let column = ColumnId(number(&mut self.columns, index));
            return self.out.push(Inst::Column(column), ty);
        }
        let joined = self.joined.iter_mut().enumerate().find(|(_, joined)| joined.node == node);
        let (table, joined) = joined.expect("an expression uses columns of the nodes below it alone");
        let of = &self.plan.node(joined.right).schema;
        let index = index - (schema.fields.len() - of.fields.len()) as u32;
        let of = of.fields[index as usize].ty;
        let ty = Type { nullable: of.nullable || self.out.body().ty(joined.row).nullable, ..of };
        let column = number(&mut joined.used, index);
        self.out.push(Inst::Gather { table: TableId(table as u32), column, row: joined.row }, ty)
    }
}

/// A node that joins the body of the sink above it.
enum Step<'a> {
    Project(&'a [ValueId]),
    Filter(ValueId),
    Join,
}

fn step_of(plan: &Plan, node: NodeId) -> Step<'_> {
    match &plan.node(node).kind {
        NodeKind::Project { columns, .. } => Step::Project(columns),
        NodeKind::Filter { predicate, .. } => Step::Filter(*predicate),
        NodeKind::EquiJoin { .. } => Step::Join,
        kind @ (NodeKind::Source(_) | NodeKind::Reduce { .. } | NodeKind::Scan { .. } | NodeKind::Sort { .. })
        | kind @ (NodeKind::TopK { .. } | NodeKind::Group { .. } | NodeKind::Window { .. } | NodeKind::Union { .. })
        | kind @ (NodeKind::Limit { .. } | NodeKind::Distinct { .. } | NodeKind::Composite(_))
        | kind @ NodeKind::Call { .. } => {
            unreachable!("a {} ends the chain", kind.name())
        }
    }
}

/// The node that computes a column: filters and joins only pass on the columns of their inputs.
fn owner(plan: &Plan, boundary: NodeId, mut column: PlanColumn) -> PlanColumn {
    while column.node != boundary {
        let kind = &plan.node(column.node).kind;
        if let NodeKind::Filter { input, .. } = kind {
            column.node = *input;
        } else if let NodeKind::EquiJoin { left, .. } = kind
            && (column.index as usize) < plan.node(*left).schema.fields.len()
        {
            column.node = *left;
        } else {
            break;
        }
    }
    column
}

/// Which columns are used, by the node that makes them.
struct Wanted<'a> {
    plan: &'a Plan,
    boundary: NodeId,
    columns: BTreeSet<(NodeId, u32)>,
}

impl Wanted<'_> {
    fn column(&mut self, column: PlanColumn) {
        let owner = owner(self.plan, self.boundary, column);
        self.columns.insert((owner.node, owner.index));
    }

    fn values(&mut self, values: &[ValueId]) {
        let body = &self.plan.body;
        for v in needed(body, values, &Renamed::new()) {
            if let Inst::Column(column) = body.inst(v) {
                self.column(self.plan.columns[column.index()]);
            }
        }
    }

    /// The values that a node of the chain uses, once everything above it is known.
    fn step(&mut self, step: NodeId) {
        match step_of(self.plan, step) {
            Step::Project(columns) => {
                let used = self.columns.range((step, 0)..=(step, u32::MAX));
                let used: Vec<ValueId> = used.map(|&(_, index)| columns[index as usize]).collect();
                self.values(&used);
            }
            Step::Filter(predicate) => self.values(&[predicate]),
            Step::Join => {
                if let NodeKind::EquiJoin { left_keys, .. } = &self.plan.node(step).kind {
                    self.values(left_keys);
                }
            }
        }
    }
}
