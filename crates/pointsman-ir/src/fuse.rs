//! Plan → stages: everything elementwise joins the body of its sink, so a stage is one kernel.
//!
//! In: a verified plan. Out: stages in the order they run, each with what its kernel's columns, parameters, captured tables and
//! other tables are; the last one's output is the plan's. Every kernel has passed `verify`. Nothing is optimised here
//! beyond what follows from the rule: equal values are written once, and unused values are not written at all.
//!
//! * A chain of projections and filters ends in the sink above it, or in `Store` (`Compact` behind a filter or a join).
//! * Several filters become one mask, `and(first, second)`: the second is not needed where the first is false (nor, if
//!   it can fault, where the first is null: then nulls of the first are made false before).
//! * A join is a `Build` stage for its right side and a `Probe` in the body that its left side streams through. The
//!   filters before it decide which rows are searched for; right columns are gathered, and only those that are used.
//! * Columns, parameters and captured tables are numbered by first use: equal queries give equal kernels.
//! * A null test needs the validity of its operand, not the value (`null_tests`).
//! * A column used in a loop is computed before the loop: what a loop takes from outside is needed whenever the loop is.

mod null_tests;
mod pipeline;

use crate::body::{KeyUniqueness, ListId, ParamId, TableId, ValueId};
use crate::kernel::{GroupOrder, Kernel, Sink};
use crate::plan::{JoinKind, NodeId, NodeKind, Plan, PlanError, PlanErrorKind, SourceId};
use crate::rewrite::node::{map_kind, reachable};
use crate::verify;
use pipeline::{Chain, Pipeline};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A table that a stage reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageInput {
    /// A table handed in at run time.
    Source(SourceId),
    /// The output of an earlier stage.
    Stage(usize),
}

/// Rows that a stage reads: consecutive rows of one table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StagePart {
    /// The table.
    pub input: StageInput,
    /// The column of the table behind each of the kernel's columns.
    pub columns: Vec<u32>,
    /// How many of the table's first rows are left out.
    pub skip: u64,
    /// The most rows that are read behind those; `None`: all.
    pub fetch: Option<u64>,
}

/// Where the value of a kernel's scalar comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageParam {
    /// A scalar of the plan, handed in at run time.
    Given(ParamId),
    /// The only row of an earlier stage's output; null if there is no row, and an error if there are several.
    Row {
        /// The stage.
        stage: usize,
        /// The column of its output.
        column: u32,
    },
}

/// What a kernel's other table is: columns to gather from, and an index over the keys of its rows if it is probed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StageTable {
    /// The table that is gathered from.
    pub rows: StageInput,
    /// The column of that table behind each of the kernel's table columns.
    pub columns: Vec<u32>,
    /// How rows are found; `None` if the table is only gathered from.
    pub index: Option<StageIndex>,
}

/// An index over the output of a `Build` stage. The first columns of that output are the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StageIndex {
    /// The `Build` stage.
    pub stage: usize,
    /// How rows are numbered: `None` by their place in the build's output, else by this column of it, which holds row
    /// numbers of the table that is gathered from.
    pub numbers: Option<u32>,
}

/// A bound on the pairs of a cross join: rows that the stage reads times rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PairLimit {
    /// The kernel's table.
    pub table: usize,
    /// The most pairs.
    pub pairs_max: u64,
}

/// One kernel and what it is applied to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stage {
    /// What it runs. A probe of a table whose keys may repeat is of a kind that multiplies rows; once the table's index is
    /// complete, [`Stage::for_keys`] chooses the kernel that runs.
    pub kernel: Kernel,
    /// The rows that it reads, one part after the other; at least one part.
    pub parts: Vec<StagePart>,
    /// What is behind each of the kernel's scalars.
    pub params: Vec<StageParam>,
    /// The plan's captured table behind each of the kernel's.
    pub lists: Vec<ListId>,
    /// What is behind each of the kernel's other tables.
    pub tables: Vec<StageTable>,
    /// Bounds on the pairs that it makes.
    pub pair_limits: Vec<PairLimit>,
}

impl Stage {
    /// The table that it reads all rows of; `None` if it reads some rows of a table, or several tables.
    pub fn whole_input(&self) -> Option<StageInput> {
        match &self.parts[..] {
            [StagePart { input, skip: 0, fetch: None, .. }] => Some(*input),
            _ => None,
        }
    }

    /// Whether it reads the output of an earlier stage, as rows, as a table, or as a scalar.
    pub fn reads(&self, stage: usize) -> bool {
        let output = StageInput::Stage(stage);
        let is_param = |param: &StageParam| matches!(param, StageParam::Row { stage: other, .. } if *other == stage);
        let is_table =
            |table: &StageTable| table.rows == output || table.index.is_some_and(|index| index.stage == stage);
        self.parts.iter().any(|part| part.input == output)
            || self.tables.iter().any(is_table)
            || self.params.iter().any(is_param)
    }

    /// The kernel for tables whose keys are unique, or not; `keys` answers for each of its tables.
    pub fn for_keys(&self, keys: impl Fn(TableId) -> KeyUniqueness) -> Kernel {
        Kernel { body: self.kernel.body.for_keys(keys), ..self.kernel.clone() }
    }
}

/// Turns a plan into stages; the last stage's output is the plan's. The plan has passed [`verify::plan`]; only debug builds
/// check that. Every kernel is verified here, once for all devices.
pub fn fuse(plan: &Plan) -> Result<Vec<Stage>, PlanError> {
    if cfg!(debug_assertions) {
        verify::plan(plan)?;
    }
    let mut fusion = Fusion { plan, stages: Vec::new(), stage_of: BTreeMap::new() };
    for node in reachable(plan) {
        let kind = &plan.node(node).kind;
        supported(kind)?;
        if let NodeKind::Scan { input, .. } = kind
            && fusion.multiplies_rows(*input)
        {
            fusion.stage(Goal::Rows(*input))?;
        }
        if is_boundary(kind) {
            fusion.stage(Goal::Node(node))?;
        }
    }
    if !fusion.stage_of.contains_key(&plan.root()) {
        fusion.stage(Goal::Rows(plan.root()))?;
    }
    Ok(fusion.stages)
}

/// The stages' text: where each one's inputs come from, then its kernel.
pub fn print_stages(stages: &[Stage]) -> String {
    let list = |items: Vec<String>| items.join(", ");
    let mut text = String::new();
    for (i, stage) in stages.iter().enumerate() {
        let input = stage.parts.iter().map(part_text).collect::<Vec<_>>().join("; ");
        let mut parts = Vec::new();
        if !stage.params.is_empty() {
            let params = stage.params.iter().map(|param| match param {
                StageParam::Given(param) => param.to_string(),
                StageParam::Row { stage, column } => format!("stage {stage} column {column}"),
            });
            parts.push(format!("params [{}]", list(params.collect())));
        }
        if !stage.lists.is_empty() {
            parts.push(format!("lists [{}]", list(stage.lists.iter().map(ListId::to_string).collect())));
        }
        if !stage.tables.is_empty() {
            parts.push(format!("tables [{}]", list(stage.tables.iter().map(table_text).collect())));
        }
        for limit in &stage.pair_limits {
            parts.push(format!("at most {} pairs with t{}", limit.pairs_max, limit.table));
        }
        parts.insert(0, input);
        let gap = if i == 0 { "" } else { "\n" };
        writeln!(text, "{gap}# stage {i}: {}", parts.join(", ")).expect("writing to a string never fails");
        let kernel = stage.kernel.print();
        writeln!(text, "{}", kernel.trim_end()).expect("writing to a string never fails");
    }
    text
}

fn input_text(input: StageInput) -> String {
    match input {
        StageInput::Source(source) => format!("source {}", source.0),
        StageInput::Stage(stage) => format!("stage {stage}"),
    }
}

fn columns_text(columns: &[u32]) -> String {
    format!("columns [{}]", columns.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
}

fn part_text(part: &StagePart) -> String {
    let rows = match (part.skip, part.fetch) {
        (0, None) => String::new(),
        (skip, None) => format!(" without {skip} rows"),
        (skip, Some(fetch)) => format!(" rows {skip}..{}", skip.saturating_add(fetch)),
    };
    format!("{}{rows}, {}", input_text(part.input), columns_text(&part.columns))
}

fn table_text(table: &StageTable) -> String {
    let index = table.index.map_or_else(String::new, |index| {
        let numbers = index.numbers.map_or_else(String::new, |column| format!(" numbered by column {column}"));
        format!(" by the keys of stage {}{numbers}", index.stage)
    });
    format!("{} {}{index}", input_text(table.rows), columns_text(&table.columns))
}

/// Refuses what has no sink yet.
fn supported(kind: &NodeKind) -> Result<(), PlanError> {
    let refuse = |what: &str| Err(PlanError::unsupported(what));
    match kind {
        NodeKind::Limit { .. } => {
            refuse("limit cannot be run yet: take the first rows of the result, or use top-k with a sort key")
        }
        NodeKind::Union { .. } => refuse("union cannot be run yet: run a query for each input and join the results"),
        NodeKind::Window { .. } => {
            refuse("window cannot be run yet: sort by the partition and use a scan with segments")
        }
        NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. } | NodeKind::Reduce { .. } => Ok(()),
        NodeKind::Scan { .. } | NodeKind::Sort { .. } | NodeKind::TopK { .. } => Ok(()),
        NodeKind::Group { .. } | NodeKind::Join { .. } | NodeKind::Distinct { .. } => Ok(()),
    }
}

/// Whether a node ends a stage.
fn is_boundary(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Reduce { .. } | NodeKind::Scan { .. } | NodeKind::Sort { .. } | NodeKind::TopK { .. } => true,
        NodeKind::Group { .. } | NodeKind::Distinct { .. } => true,
        NodeKind::Window { .. } | NodeKind::Union { .. } | NodeKind::Limit { .. } => true,
        NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. } | NodeKind::Join { .. } => false,
    }
}

/// What a stage is made for.
#[derive(Clone, Debug)]
enum Goal {
    /// The sink of a node.
    Node(NodeId),
    /// The rows of a node that has no sink.
    Rows(NodeId),
    /// The table that a join searches, with these of its right columns.
    Build(NodeId, Vec<u32>),
}

/// What a goal takes from the rows that reach it.
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
    stage_of: BTreeMap<NodeId, usize>,
}

impl Fusion<'_> {
    /// Makes a stage and, before it, the tables it searches. Joins nest no deeper than a plan.
    fn stage(&mut self, goal: Goal) -> Result<usize, PlanError> {
        let wants = self.wants(&goal);
        let chain = self.chain(wants.input);
        let mut pipeline = Pipeline::run(self.plan, chain, wants.input, &wants.values, &wants.columns)?;
        let values = pipeline.values(&wants.values);
        let columns = pipeline.columns(wants.input, &wants.columns);
        let sink = self.sink(&goal, values, columns, &mut pipeline);
        let mut tables = Vec::new();
        for (join, used) in pipeline.joined() {
            let NodeKind::Join { right_keys, .. } = &self.plan.node(join).kind else {
                unreachable!("a table is built for a join alone");
            };
            let keys = right_keys.len() as u32;
            let columns = (keys..keys + used.len() as u32).collect();
            let stage = self.stage(Goal::Build(join, used))?;
            let index = Some(StageIndex { stage, numbers: None });
            tables.push(StageTable { rows: StageInput::Stage(stage), columns, index });
        }
        let input = match self.stage_of.get(&pipeline.boundary()) {
            Some(&stage) => StageInput::Stage(stage),
            None => StageInput::Source(source(self.plan, pipeline.boundary())),
        };
        let stage = pipeline.finish(input, tables, sink);
        let stage = Stage { kernel: null_tests::rewrite(stage.kernel), ..stage };
        verify::kernel(&stage.kernel).map_err(|error| {
            let message = format!("fusion made a broken kernel: {}", error.message);
            PlanError { kind: PlanErrorKind::Internal, message }
        })?;
        self.stages.push(stage);
        let index = self.stages.len() - 1;
        if let Goal::Node(node) | Goal::Rows(node) = goal {
            self.stage_of.insert(node, index);
        }
        Ok(index)
    }

    /// The node below the projections, filters and joins that end in `input`, and those from there up.
    fn chain(&self, input: NodeId) -> Chain {
        let (mut boundary, mut steps) = (input, Vec::new());
        while !self.stage_of.contains_key(&boundary)
            && let NodeKind::Project { input, .. } | NodeKind::Filter { input, .. } | NodeKind::Join { left: input, .. } =
                &self.plan.node(boundary).kind
        {
            steps.push(boundary);
            boundary = *input;
        }
        steps.reverse();
        Chain { boundary, steps }
    }

    /// Whether a join below can turn one row into several: a scan goes by source rows, so they are written out first.
    fn multiplies_rows(&self, input: NodeId) -> bool {
        let expands = |step: &NodeId| {
            matches!(self.plan.node(*step).kind, NodeKind::Join { kind: JoinKind::Inner | JoinKind::Left, .. })
        };
        self.chain(input).steps.iter().any(expands)
    }

    fn wants(&self, goal: &Goal) -> Wants {
        let all = |input: NodeId| (0..self.plan.node(input).schema.fields.len() as u32).collect::<Vec<_>>();
        match goal {
            Goal::Rows(node) => Wants { input: *node, values: Vec::new(), columns: all(*node) },
            Goal::Build(node, columns) => {
                let NodeKind::Join { right, right_keys, .. } = &self.plan.node(*node).kind else {
                    unreachable!("a table is built for a join alone");
                };
                Wants { input: *right, values: right_keys.clone(), columns: columns.clone() }
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
            Goal::Build(..) => return Sink::Build { keys: values, columns },
            Goal::Node(node) => *node,
        };
        let kind = map_kind(&self.plan.node(node).kind, |input| input, |v| pipeline.written(v));
        let mut order = || GroupOrder::Least(pipeline.row_number());
        match kind {
            NodeKind::Reduce { folds, .. } => Sink::Reduce { folds },
            NodeKind::Scan { columns, running, segment, .. } => Sink::Scan { columns, running, segment },
            NodeKind::Sort { keys, .. } => Sink::Sort { keys, columns, limit: None },
            NodeKind::TopK { keys, count, .. } => Sink::Sort { keys, columns, limit: Some(count) },
            NodeKind::Group { keys, folds, .. } => Sink::Group { keys, folds, order: order() },
            NodeKind::Distinct { .. } => Sink::Group { keys: columns, folds: Vec::new(), order: order() },
            kind @ (NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. })
            | kind @ (NodeKind::Join { .. } | NodeKind::Window { .. } | NodeKind::Union { .. })
            | kind @ NodeKind::Limit { .. } => unreachable!("a {} has no sink", kind.name()),
        }
    }
}

/// The source that a node is; every other node without a stage joins the body of another.
fn source(plan: &Plan, node: NodeId) -> SourceId {
    let NodeKind::Source(source) = plan.node(node).kind else { unreachable!("a chain starts at a source or a stage") };
    source
}
