//! Decides which nodes become stages, which are read as parts of tables, and which join the body of the stage above.
//!
//! In: a plan without composite operations. Out: for every node what is below it once its inputs' stages are made.
//! Nothing is written here.

use super::stage::{StageInput, StageParam, StagePart};
use crate::body::{Inst, ParamId, ValueId};
use crate::plan::{NodeId, NodeKind, Plan, ROW_NUMBER, RowOrder};
use crate::rewrite::node::scalars_of;
use std::collections::{BTreeMap, BTreeSet};

/// A stage reads no more parts than this, or as many as a union has inputs.
const PARTS_MAX: usize = 256;

/// The origin of a stage's rows, and the nodes that they pass, upward from there.
pub(super) struct Chain {
    pub(super) boundary: NodeId,
    pub(super) steps: Vec<NodeId>,
}

/// The decisions about the nodes so far.
pub(super) struct Layout<'a> {
    plan: &'a Plan,
    stages: BTreeMap<NodeId, usize>,
    /// The parts that unions and limits are read as.
    views: BTreeMap<NodeId, Vec<StagePart>>,
    /// Nodes that several others read.
    shared: BTreeSet<NodeId>,
    /// Nodes whose only row is a scalar.
    scalars: BTreeSet<NodeId>,
}

impl<'a> Layout<'a> {
    /// Creates a layout without stages.
    pub(super) fn new(plan: &'a Plan, nodes: &BTreeSet<NodeId>) -> Layout<'a> {
        let (mut once, mut shared, mut scalars) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for &node in nodes {
            let kind = &plan.node(node).kind;
            for input in kind.inputs() {
                if !once.insert(input) {
                    shared.insert(input);
                }
            }
            scalars.extend(scalars_of(plan, &kind.operands()).iter().map(|param| plan.scalars[param].node));
        }
        Layout { plan, stages: BTreeMap::new(), views: BTreeMap::new(), shared, scalars }
    }

    /// The stage that writes a node's rows.
    pub(super) fn stage(&self, node: NodeId) -> Option<usize> {
        self.stages.get(&node).copied()
    }

    /// Says which stage writes a node's rows.
    pub(super) fn set_stage(&mut self, node: NodeId, stage: usize) {
        self.stages.insert(node, stage);
    }

    /// The inputs of a node that must be written out before it.
    pub(super) fn written_first(&self, node: NodeId, order_seen: &BTreeSet<NodeId>) -> Vec<NodeId> {
        let kind = &self.plan.node(node).kind;
        let if_multiplied = |input: NodeId| self.multiplies_rows(input).then_some(input).into_iter().collect();
        match kind {
            NodeKind::Scan { input, .. } | NodeKind::Sort { input, .. } | NodeKind::TopK { input, .. } => {
                if_multiplied(*input)
            }
            NodeKind::Group { input, .. } | NodeKind::Distinct { input }
                if is_in_first_row_order(kind) && order_seen.contains(&node) =>
            {
                if_multiplied(*input)
            }
            // A call takes whole chunks, so it has no row mask.
            NodeKind::Call { input, .. } => (!self.keeps_every_row(*input)).then_some(*input).into_iter().collect(),
            NodeKind::EquiJoin { left, right, pairs_max, .. } => {
                let mut first: Vec<NodeId> = if_multiplied(*right);
                // The limit counts the rows that the stage reads.
                if pairs_max.is_some() && self.base(*left).is_none() && !first.contains(left) {
                    first.push(*left);
                }
                first
            }
            NodeKind::Limit { input, .. } => {
                let one = self.view(*input).is_some_and(|parts| parts.len() == 1);
                if one { Vec::new() } else { vec![*input] }
            }
            NodeKind::Union { inputs } => {
                let most = PARTS_MAX.max(inputs.len()) / inputs.len().max(1);
                let mut first: Vec<NodeId> = inputs.clone();
                first.retain(|&input| self.view(input).is_none_or(|parts| parts.len() > most));
                first.sort_unstable();
                first.dedup();
                first
            }
            NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. } => Vec::new(),
            NodeKind::Reduce { .. } | NodeKind::Group { .. } | NodeKind::Distinct { .. } => Vec::new(),
            NodeKind::Window { .. } | NodeKind::Composite(_) => Vec::new(),
        }
    }

    /// Notes the parts that a union or a limit is read as, its inputs being written as far as they must.
    pub(super) fn read_as_parts(&mut self, node: NodeId) {
        let parts = match &self.plan.node(node).kind {
            NodeKind::Union { inputs } => {
                inputs.iter().map(|&input| self.view(input)).collect::<Option<Vec<_>>>().map(|parts| parts.concat())
            }
            NodeKind::Limit { input, skip, fetch } => {
                self.view(*input).map(|parts| parts.iter().map(|part| limited(part, *skip, *fetch)).collect())
            }
            NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. } => None,
            NodeKind::Reduce { .. } | NodeKind::Scan { .. } | NodeKind::Sort { .. } | NodeKind::TopK { .. } => None,
            NodeKind::Group { .. } | NodeKind::Distinct { .. } | NodeKind::EquiJoin { .. } => None,
            NodeKind::Window { .. } | NodeKind::Call { .. } | NodeKind::Composite(_) => None,
        };
        if let Some(parts) = parts {
            self.views.insert(node, parts);
        }
    }

    /// Whether a node without a sink is a stage of its own: a scalar's, or one with a join that several nodes read.
    pub(super) fn is_own_stage(&self, node: NodeId) -> bool {
        let joins = || {
            let steps = self.chain(node).steps;
            steps.iter().any(|&step| matches!(self.plan.node(step).kind, NodeKind::EquiJoin { .. }))
        };
        self.scalars.contains(&node) || self.shared.contains(&node) && joins()
    }

    /// The node below the projections, filters and joins that end in `input`, and those from there up.
    pub(super) fn chain(&self, input: NodeId) -> Chain {
        let (mut boundary, mut steps) = (input, Vec::new());
        while self.base(boundary).is_none()
            && let NodeKind::Project { input, .. }
            | NodeKind::Filter { input, .. }
            | NodeKind::EquiJoin { left: input, .. } = &self.plan.node(boundary).kind
        {
            steps.push(boundary);
            boundary = *input;
        }
        steps.reverse();
        Chain { boundary, steps }
    }

    /// Whether a join in the body below can turn one row into several.
    fn multiplies_rows(&self, input: NodeId) -> bool {
        let multiplies =
            |step: &NodeId| matches!(&self.plan.node(*step).kind, NodeKind::EquiJoin { kind, .. } if kind.multiplies());
        self.chain(input).steps.iter().any(multiplies)
    }

    /// Whether each row from below comes out once: there are no filters and joins in the body.
    fn keeps_every_row(&self, input: NodeId) -> bool {
        self.chain(input).steps.iter().all(|&step| matches!(self.plan.node(step).kind, NodeKind::Project { .. }))
    }

    /// The rows of a boundary.
    pub(super) fn parts(&self, boundary: NodeId) -> Vec<StagePart> {
        self.base(boundary).expect("a chain starts at a source, a stage, or parts of them")
    }

    /// The table that a node is all rows of, with its columns.
    pub(super) fn whole_table(&self, node: NodeId) -> Option<StagePart> {
        let mut parts = self.view(node)?;
        let part = parts.pop()?;
        (parts.is_empty() && part.skip == 0 && part.fetch.is_none()).then_some(part)
    }

    /// The sources of the plan's scalars.
    pub(super) fn params(&self) -> BTreeMap<ParamId, StageParam> {
        let given = self.plan.given_params().into_iter().enumerate();
        let mut params: BTreeMap<ParamId, StageParam> =
            given.map(|(number, param)| (param, StageParam::Given(ParamId(number as u32)))).collect();
        for (&param, column) in &self.plan.scalars {
            if let Some(stage) = self.stage(column.node) {
                params.insert(param, StageParam::Row { stage, column: column.index });
            }
        }
        params
    }

    /// The parts that a node is read as without a body.
    fn base(&self, node: NodeId) -> Option<Vec<StagePart>> {
        let width = self.plan.node(node).schema.fields.len() as u32;
        let all = |input| vec![StagePart { input, columns: (0..width).collect(), skip: 0, fetch: None }];
        if let Some(stage) = self.stage(node) {
            return Some(all(StageInput::Stage(stage)));
        }
        if let NodeKind::Source(source) = self.plan.node(node).kind {
            return Some(all(StageInput::Source(source)));
        }
        self.views.get(&node).cloned()
    }

    /// The parts that a node is read as, projections that only choose columns included.
    fn view(&self, mut node: NodeId) -> Option<Vec<StagePart>> {
        let mut columns: Vec<u32> = (0..self.plan.node(node).schema.fields.len() as u32).collect();
        loop {
            if let Some(mut parts) = self.base(node) {
                for part in &mut parts {
                    part.columns = columns.iter().map(|&column| part.columns[column as usize]).collect();
                }
                return Some(parts);
            }
            let NodeKind::Project { input, columns: values } = &self.plan.node(node).kind else { return None };
            for column in &mut columns {
                *column = self.plain_column(values[*column as usize])?;
            }
            node = *input;
        }
    }

    /// The column that a value is.
    fn plain_column(&self, v: ValueId) -> Option<u32> {
        let Inst::Column(column) = self.plan.body.inst(v) else { return None };
        Some(self.plan.columns[column.index()].index).filter(|&index| index != ROW_NUMBER)
    }
}

/// Some of a part's rows.
fn limited(part: &StagePart, skip: u64, fetch: Option<u64>) -> StagePart {
    let left = part.fetch.map(|rows| rows.saturating_sub(skip));
    let fetch = match (left, fetch) {
        (Some(left), Some(fetch)) => Some(left.min(fetch)),
        (left, fetch) => left.or(fetch),
    };
    StagePart { skip: part.skip.saturating_add(skip), fetch, ..part.clone() }
}

/// Whether a node ends a stage.
pub(super) fn has_sink(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Reduce { .. } | NodeKind::Scan { .. } | NodeKind::Sort { .. } | NodeKind::TopK { .. } => true,
        NodeKind::Group { .. } | NodeKind::Distinct { .. } | NodeKind::Call { .. } => true,
        NodeKind::Window { .. } | NodeKind::Union { .. } | NodeKind::Limit { .. } => false,
        NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. } => false,
        NodeKind::EquiJoin { .. } | NodeKind::Composite(_) => false,
    }
}

/// Whether an operation gives its rows in the order in which they first occur.
pub(super) fn is_in_first_row_order(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Distinct { .. } => true,
        NodeKind::Group { order, .. } => *order == RowOrder::FirstRow,
        NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. } | NodeKind::Reduce { .. } => false,
        NodeKind::Scan { .. } | NodeKind::Sort { .. } | NodeKind::TopK { .. } | NodeKind::EquiJoin { .. } => false,
        NodeKind::Window { .. } | NodeKind::Union { .. } | NodeKind::Limit { .. } => false,
        NodeKind::Composite(_) | NodeKind::Call { .. } => false,
    }
}
