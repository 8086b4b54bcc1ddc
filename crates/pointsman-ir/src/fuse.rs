//! Plan → stages: everything elementwise joins the body of its sink, so a stage is one kernel.
//!
//! In: a verified plan without composite operations (`expand` has written them out). Out: stages in the order they run,
//! each with what its kernel's columns, parameters, captured tables and other tables are; the last one's output is the
//! plan's. Every kernel has passed `verify`. Nothing is optimised here beyond what follows from the rule: equal values
//! are written once, and unused values are not written at all.
//!
//! * A chain of projections and filters ends in the sink above it, or in `Store` (`Compact` after a filter or a join).
//! * Several filters become one mask, `and(first, second)`: the second is not needed where the first is false (nor, if
//!   it can fault, where the first is null: then nulls of the first are made false before).
//! * A join is a `Build` stage for its right side and a `Probe` in the body that its left side streams through. The
//!   filters before it decide which rows are searched for; right columns are gathered, and only those that are used.
//!   They come from the right side itself if that is a whole table, else from the `Build` stage's output.
//! * Joins that multiply rows stand below `Compact`, `Reduce` and `Group` alone; for every other sink, and for a group
//!   in the order of first rows, their rows are written out before (`layout`).
//! * Unions and limits are no stages: the stage above reads parts of several tables.
//! * A node that several others read is a stage of its own if there is a join in it; so is a scalar's.
//! * Groups are ordered by their first rows only if the order is observable (`order`).
//! * Columns, parameters and captured tables are numbered by first use: equal queries give equal kernels.
//! * A null test needs the validity of its operand, not the value (`null_tests`).
//! * A column used in a loop is computed before the loop: what a loop takes from outside is needed whenever the loop
//!   is.

mod layout;
mod null_tests;
mod order;
mod pipeline;
mod print;
mod stage;

pub use print::print_stages;
pub use stage::{PairLimit, Stage, StageIndex, StageInput, StageParam, StagePart, StageTable};

use crate::body::ValueId;
use crate::kernel::{GroupOrder, Sink};
use crate::plan::{NodeId, NodeKind, Plan, PlanError, PlanErrorKind};
use crate::rewrite::node::{map_kind, reachable};
use crate::verify;
use layout::Layout;
use pipeline::{Pipeline, Sources};
use std::collections::BTreeSet;

/// Turns a plan into stages; the last stage's output is the plan's. The plan has passed [`verify::plan`]; only debug
/// builds check that. Every kernel is verified here, once for all devices.
pub fn fuse(plan: &Plan) -> Result<Vec<Stage>, PlanError> {
    if cfg!(debug_assertions) {
        verify::plan(plan)?;
    }
    let nodes = reachable(plan);
    for &node in &nodes {
        supported(&plan.node(node).kind)?;
    }
    let order_seen = order::seen(plan, &nodes);
    let mut fusion = Fusion { plan, stages: Vec::new(), layout: Layout::new(plan, &nodes), order_seen };
    for node in nodes {
        fusion.node(node)?;
    }
    if fusion.layout.stage(plan.root()).is_none() {
        fusion.stage(Goal::Rows(plan.root()))?;
    }
    Ok(fusion.stages)
}

/// Refuses what has no sink yet, or is written out by `expand`.
fn supported(kind: &NodeKind) -> Result<(), PlanError> {
    match kind {
        NodeKind::Window { .. } => {
            Err(PlanError::unsupported("window cannot be run yet: sort by the partition and use a scan with segments"))
        }
        NodeKind::Composite(composite) => {
            let message = format!("fusion met a {}: `expand::run` writes it out first", composite.name());
            Err(PlanError { kind: PlanErrorKind::Internal, message })
        }
        NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. } | NodeKind::Reduce { .. } => Ok(()),
        NodeKind::Scan { .. } | NodeKind::Sort { .. } | NodeKind::TopK { .. } | NodeKind::Limit { .. } => Ok(()),
        NodeKind::Group { .. } | NodeKind::EquiJoin { .. } | NodeKind::Distinct { .. } => Ok(()),
        NodeKind::Union { .. } | NodeKind::Call { .. } => Ok(()),
    }
}

/// The purpose of a stage.
#[derive(Clone, Debug)]
enum Goal {
    /// The sink of a node.
    Node(NodeId),
    /// The rows of a node that has no sink.
    Rows(NodeId),
    /// The table that a join searches.
    Build(NodeId, BuildColumns),
}

/// The columns of a join's table besides the keys.
#[derive(Clone, Debug)]
enum BuildColumns {
    /// These columns of the right side.
    Of(Vec<u32>),
    /// The numbers of its rows: its columns are gathered from where they are.
    RowNumber,
}

/// The values that a goal takes from the rows that reach it.
struct Wants {
    /// Whose rows.
    input: NodeId,
    /// Expressions over them.
    values: Vec<ValueId>,
    /// Columns as they are.
    columns: Vec<u32>,
}

struct Fusion<'a> {
    plan: &'a Plan,
    stages: Vec<Stage>,
    layout: Layout<'a>,
    /// The nodes whose row order affects the result.
    order_seen: BTreeSet<NodeId>,
}

impl Fusion<'_> {
    /// Makes the stages that a node needs before those above it; its inputs have theirs.
    fn node(&mut self, node: NodeId) -> Result<(), PlanError> {
        for input in self.layout.written_first(node, &self.order_seen) {
            self.stage(Goal::Rows(input))?;
        }
        self.layout.read_as_parts(node);
        if layout::has_sink(&self.plan.node(node).kind) {
            self.stage(Goal::Node(node))?;
        } else if self.layout.is_own_stage(node) {
            self.stage(Goal::Rows(node))?;
        }
        Ok(())
    }

    /// Makes a stage and, before it, the tables it searches. Joins nest no deeper than a plan.
    fn stage(&mut self, goal: Goal) -> Result<usize, PlanError> {
        let wants = self.wants(&goal);
        let chain = self.layout.chain(wants.input);
        let mut pipeline = Pipeline::run(self.plan, chain, wants.input, &wants.values, &wants.columns)?;
        let values = pipeline.values(&wants.values);
        let columns = pipeline.columns(wants.input, &wants.columns);
        let sink = self.sink(&goal, values, columns, &mut pipeline);
        let mut tables = Vec::new();
        for (join, used) in pipeline.joined() {
            tables.push(self.table(join, used)?);
        }
        let sources = Sources { parts: self.layout.parts(pipeline.boundary()), params: self.layout.params(), tables };
        let stage = pipeline.finish(sources, sink);
        let stage = Stage { kernel: null_tests::rewrite(stage.kernel), ..stage };
        verify::kernel(&stage.kernel).map_err(|error| {
            let message = format!("fusion made a broken kernel: {}", error.message);
            PlanError { kind: PlanErrorKind::Internal, message }
        })?;
        Ok(self.add(goal, stage))
    }

    /// The number of a stage: that of an equal one if there is one. The result's stage stays the last.
    fn add(&mut self, goal: Goal, stage: Stage) -> usize {
        let of = match goal {
            Goal::Node(node) | Goal::Rows(node) => Some(node),
            Goal::Build(..) => None,
        };
        let equal = self.stages.iter().position(|other| *other == stage).filter(|_| of != Some(self.plan.root()));
        let number = equal.unwrap_or_else(|| {
            self.stages.push(stage);
            self.stages.len() - 1
        });
        if let Some(node) = of {
            self.layout.set_stage(node, number);
        }
        number
    }

    /// The table that a join's probe searches, with the right columns that are used.
    fn table(&mut self, join: NodeId, used: Vec<u32>) -> Result<StageTable, PlanError> {
        let NodeKind::EquiJoin { right, right_keys, .. } = &self.plan.node(join).kind else {
            unreachable!("a table is built for a join alone");
        };
        let keys = right_keys.len() as u32;
        if let Some(whole) = self.layout.whole_table(*right).filter(|_| !used.is_empty()) {
            let stage = self.stage(Goal::Build(join, BuildColumns::RowNumber))?;
            let columns = used.iter().map(|&column| whole.columns[column as usize]).collect();
            return Ok(StageTable {
                rows: whole.input,
                columns,
                index: Some(StageIndex { stage, numbers: Some(keys) }),
            });
        }
        let columns = (keys..keys + used.len() as u32).collect();
        let stage = self.stage(Goal::Build(join, BuildColumns::Of(used)))?;
        let index = Some(StageIndex { stage, numbers: None });
        Ok(StageTable { rows: StageInput::Stage(stage), columns, index })
    }

    fn wants(&self, goal: &Goal) -> Wants {
        let all = |input: NodeId| (0..self.plan.node(input).schema.fields.len() as u32).collect::<Vec<_>>();
        match goal {
            Goal::Rows(node) => Wants { input: *node, values: Vec::new(), columns: all(*node) },
            Goal::Build(node, columns) => {
                let NodeKind::EquiJoin { right, right_keys, .. } = &self.plan.node(*node).kind else {
                    unreachable!("a table is built for a join alone");
                };
                let columns = match columns {
                    BuildColumns::Of(columns) => columns.clone(),
                    BuildColumns::RowNumber => Vec::new(),
                };
                Wants { input: *right, values: right_keys.clone(), columns }
            }
            Goal::Node(node) => {
                let kind = &self.plan.node(*node).kind;
                let input = kind.inputs()[0];
                let rows = matches!(kind, NodeKind::Sort { .. } | NodeKind::TopK { .. } | NodeKind::Distinct { .. });
                Wants { input, values: kind.operands(), columns: if rows { all(input) } else { Vec::new() } }
            }
        }
    }

    /// The sink of a goal, over written values and columns.
    fn sink(&self, goal: &Goal, values: Vec<ValueId>, columns: Vec<ValueId>, pipeline: &mut Pipeline<'_>) -> Sink {
        let node = match goal {
            Goal::Rows(_) if pipeline.keeps_every_row() => return Sink::Store { columns },
            Goal::Rows(_) => return Sink::Compact { columns },
            Goal::Build(_, BuildColumns::Of(_)) => return Sink::Build { keys: values, columns },
            Goal::Build(_, BuildColumns::RowNumber) => {
                return Sink::Build { keys: values, columns: vec![pipeline.row_number()] };
            }
            Goal::Node(node) => *node,
        };
        let kind = map_kind(&self.plan.node(node).kind, |input| input, |v| pipeline.written(v));
        let first_row = self.order_seen.contains(&node) && layout::is_in_first_row_order(&kind);
        let mut order = || if first_row { GroupOrder::Least(pipeline.row_number()) } else { GroupOrder::Hash };
        match kind {
            NodeKind::Reduce { folds, .. } => Sink::Reduce { folds },
            NodeKind::Scan { columns, running, segment, .. } => Sink::Scan { columns, running, segment },
            NodeKind::Sort { keys, .. } => Sink::Sort { keys, columns, limit: None },
            NodeKind::TopK { keys, count, .. } => Sink::Sort { keys, columns, limit: Some(count) },
            NodeKind::Group { keys, folds, .. } => Sink::Group { keys, folds, order: order() },
            NodeKind::Call { value, call, table, .. } => {
                let table = table.map(|table| pipeline.list(table));
                Sink::Call { call, value, table }
            }
            NodeKind::Distinct { .. } => Sink::Group { keys: columns, folds: Vec::new(), order: order() },
            kind @ (NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. })
            | kind @ (NodeKind::EquiJoin { .. } | NodeKind::Window { .. } | NodeKind::Union { .. })
            | kind @ (NodeKind::Limit { .. } | NodeKind::Composite(_)) => {
                unreachable!("a {} has no sink", kind.name())
            }
        }
    }
}
