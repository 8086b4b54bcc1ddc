//! WHAT to compute: a tree of operations over typed columns, flat in an arena, with one body for all expressions.
//!
//! Expressions of every node live in one [`Body`]. A [`ColumnId`] there is a position in [`Plan::columns`], which says
//! "column `index` of node `node`"; an expression of a node may use the columns of that node's inputs alone. The number
//! of a source's row is its column [`ROW_NUMBER`]; `Inst::RowIndex`, `Gather` and `Probe` belong to kernels.
//! Nodes come before the nodes that use them. Names stop here: kernels know positions only.

pub mod print;

use crate::body::{Body, ColumnId, ParamId, ValueId};
use crate::kernel::{Fold, FoldOp, Running, SortKey};
use crate::op::TypeError;
use crate::types::{DType, Field, Schema, Type};
use std::fmt;

/// The most nodes and expressions a plan may have, together.
pub const PLAN_NODES_MAX: usize = 10_000;
/// The most operations, one on top of the other, and the most loops, one in the other.
pub const PLAN_DEPTH_MAX: usize = 200;
/// The column of a source that counts its rows from 0 (`u64`).
pub const ROW_NUMBER: u32 = u32::MAX;

/// A node of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The id as a position.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

/// A table handed in at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// What a [`ColumnId`] of a plan's body means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlanColumn {
    /// The node whose output it is.
    pub node: NodeId,
    /// Which of its columns, or [`ROW_NUMBER`].
    pub index: u32,
}

/// Which rows a join keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinKind {
    /// Every pair of rows with equal keys.
    Inner,
    /// The same, and each left row without a match once, with nulls on the right.
    Left,
    /// Left rows with a match; the right columns are not in the result.
    Semi,
    /// Left rows without a match; the right columns are not in the result.
    Anti,
}

/// An operation over the rows of its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// A table handed in at run time.
    Source(SourceId),
    /// New columns from the input's, row by row.
    Project {
        /// The input.
        input: NodeId,
        /// The columns.
        columns: Vec<ValueId>,
    },
    /// The rows where the predicate is true.
    Filter {
        /// The input.
        input: NodeId,
        /// The predicate.
        predicate: ValueId,
    },
    /// One row of folds.
    Reduce {
        /// The input.
        input: NodeId,
        /// The folds.
        folds: Vec<Fold>,
    },
    /// Columns and running folds.
    Scan {
        /// The input.
        input: NodeId,
        /// Columns kept.
        columns: Vec<ValueId>,
        /// Running folds, behind the columns.
        running: Vec<Running>,
        /// Where a new segment starts.
        segment: Option<ValueId>,
    },
    /// All rows in order of the keys.
    Sort {
        /// The input.
        input: NodeId,
        /// The keys.
        keys: Vec<SortKey>,
    },
    /// The first rows in order of the keys.
    TopK {
        /// The input.
        input: NodeId,
        /// The keys.
        keys: Vec<SortKey>,
        /// How many.
        count: u64,
    },
    /// Folds for each distinct key.
    Group {
        /// The input.
        input: NodeId,
        /// The keys.
        keys: Vec<ValueId>,
        /// The folds, behind the keys.
        folds: Vec<Fold>,
    },
    /// Pairs of rows with equal keys.
    Join {
        /// The side that is streamed.
        left: NodeId,
        /// The side that is built into a table.
        right: NodeId,
        /// The left keys.
        left_keys: Vec<ValueId>,
        /// The right keys, of the same types.
        right_keys: Vec<ValueId>,
        /// Which rows are kept.
        kind: JoinKind,
    },
    /// The input's columns and running folds within partitions, each ordered by keys.
    Window {
        /// The input.
        input: NodeId,
        /// What splits the rows.
        partition: Vec<ValueId>,
        /// The order within a part.
        order: Vec<SortKey>,
        /// The folds, behind the input's columns.
        running: Vec<Running>,
    },
    /// The rows of all inputs, one input behind the other.
    Union {
        /// The inputs, of one schema.
        inputs: Vec<NodeId>,
    },
    /// Some of the rows, by position.
    Limit {
        /// The input.
        input: NodeId,
        /// How many to leave out first.
        skip: u64,
        /// How many to keep.
        fetch: u64,
    },
    /// Each distinct row once, at its first place.
    Distinct {
        /// The input.
        input: NodeId,
    },
}

impl NodeKind {
    /// The word for it in prints and messages.
    pub const fn name(&self) -> &'static str {
        match self {
            NodeKind::Source(_) => "source",
            NodeKind::Project { .. } => "project",
            NodeKind::Filter { .. } => "filter",
            NodeKind::Reduce { .. } => "reduce",
            NodeKind::Scan { .. } => "scan",
            NodeKind::Sort { .. } => "sort",
            NodeKind::TopK { .. } => "top-k",
            NodeKind::Group { .. } => "group",
            NodeKind::Join { .. } => "join",
            NodeKind::Window { .. } => "window",
            NodeKind::Union { .. } => "union",
            NodeKind::Limit { .. } => "limit",
            NodeKind::Distinct { .. } => "distinct",
        }
    }

    /// Its inputs, in order.
    pub fn inputs(&self) -> Vec<NodeId> {
        match self {
            NodeKind::Source(_) => Vec::new(),
            NodeKind::Project { input, .. } | NodeKind::Filter { input, .. } | NodeKind::Reduce { input, .. } => {
                vec![*input]
            }
            NodeKind::Scan { input, .. } | NodeKind::Sort { input, .. } | NodeKind::TopK { input, .. } => vec![*input],
            NodeKind::Group { input, .. } | NodeKind::Window { input, .. } => vec![*input],
            NodeKind::Limit { input, .. } | NodeKind::Distinct { input } => vec![*input],
            NodeKind::Join { left, right, .. } => vec![*left, *right],
            NodeKind::Union { inputs } => inputs.clone(),
        }
    }

    /// The values it uses, in order.
    pub fn operands(&self) -> Vec<ValueId> {
        let fold_values = |folds: &[Fold]| folds.iter().filter_map(|fold| fold.value).collect::<Vec<_>>();
        let key_values = |keys: &[SortKey]| keys.iter().map(|key| key.value).collect::<Vec<_>>();
        let running_values =
            |running: &[Running]| running.iter().filter_map(|running| running.fold.value).collect::<Vec<_>>();
        match self {
            NodeKind::Source(_) | NodeKind::Union { .. } | NodeKind::Limit { .. } | NodeKind::Distinct { .. } => {
                Vec::new()
            }
            NodeKind::Project { columns, .. } => columns.clone(),
            NodeKind::Filter { predicate, .. } => vec![*predicate],
            NodeKind::Reduce { folds, .. } => fold_values(folds),
            NodeKind::Scan { columns, running, segment, .. } => {
                columns.iter().copied().chain(running_values(running)).chain(*segment).collect()
            }
            NodeKind::Sort { keys, .. } | NodeKind::TopK { keys, .. } => key_values(keys),
            NodeKind::Group { keys, folds, .. } => keys.iter().copied().chain(fold_values(folds)).collect(),
            NodeKind::Join { left_keys, right_keys, .. } => left_keys.iter().chain(right_keys).copied().collect(),
            NodeKind::Window { partition, order, running, .. } => {
                partition.iter().copied().chain(key_values(order)).chain(running_values(running)).collect()
            }
        }
    }
}

/// A node and the schema of its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The operation.
    pub kind: NodeKind,
    /// The result's columns.
    pub schema: Schema,
}

/// A tree of operations. Two plans that compare equal compute the same from the same inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Plan {
    /// The expressions of all nodes.
    pub body: Body,
    /// What the columns of the body mean.
    pub columns: Vec<PlanColumn>,
    /// The types of the run-time scalars.
    pub params: Vec<Type>,
    /// The element types of the captured tables.
    pub lists: Vec<DType>,
    /// The nodes; inputs come first. The last one is the result.
    pub nodes: Vec<Node>,
}

/// Whose fault a refused plan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanErrorKind {
    /// The query makes no sense as it stands.
    Invalid,
    /// The query makes sense, but nothing here can run it yet.
    Unsupported,
}

/// Why a plan was refused, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// Whose fault it is.
    pub kind: PlanErrorKind,
    /// What is wrong, naming the thing and the remedy.
    pub message: String,
}

impl PlanError {
    /// The query makes no sense as it stands.
    pub fn invalid(message: impl Into<String>) -> PlanError {
        PlanError { kind: PlanErrorKind::Invalid, message: message.into() }
    }

    /// Nothing here can run it yet.
    pub fn unsupported(message: impl Into<String>) -> PlanError {
        PlanError { kind: PlanErrorKind::Unsupported, message: message.into() }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PlanError {}

impl From<TypeError> for PlanError {
    fn from(error: TypeError) -> PlanError {
        PlanError::invalid(error.message)
    }
}

impl Plan {
    /// The node whose rows are the result; the last one.
    pub fn root(&self) -> NodeId {
        NodeId(self.nodes.len().saturating_sub(1) as u32)
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Appends a source with this schema.
    pub fn source(&mut self, source: SourceId, schema: Schema) -> NodeId {
        self.nodes.push(Node { kind: NodeKind::Source(source), schema });
        self.root()
    }

    /// Appends an operation; its schema follows. `names` are for the columns it adds (its own, keys and folds); where
    /// there are too few, the rest are called by position.
    pub fn push(&mut self, kind: NodeKind, names: &[&str]) -> NodeId {
        let schema = self.schema_of(&kind, names);
        self.nodes.push(Node { kind, schema });
        self.root()
    }

    /// The value of a node's column, for expressions of the nodes above it.
    pub fn column(&mut self, node: NodeId, index: u32) -> ValueId {
        let ty = match index {
            ROW_NUMBER => DType::U64.required(),
            index => self.node(node).schema.fields[index as usize].ty,
        };
        let wanted = PlanColumn { node, index };
        let id = self.columns.iter().position(|column| *column == wanted).unwrap_or_else(|| {
            self.columns.push(wanted);
            self.columns.len() - 1
        });
        self.body.column(ColumnId(id as u32), ty)
    }

    /// A new run-time scalar of this type.
    pub fn param(&mut self, ty: Type) -> ValueId {
        self.params.push(ty);
        self.body.param(ParamId(self.params.len() as u32 - 1), ty)
    }

    /// The schema an operation gives.
    pub fn schema_of(&self, kind: &NodeKind, names: &[&str]) -> Schema {
        let fold_types = |folds: &[Fold]| folds.iter().map(|fold| fold.output(&self.body)).collect::<Vec<_>>();
        let running_types =
            |running: &[Running]| running.iter().map(|running| running.fold.output(&self.body)).collect::<Vec<_>>();
        let name_all = |types: Vec<Type>| Schema {
            fields: (types.into_iter().enumerate())
                .map(|(i, ty)| Field {
                    name: names.get(i).map_or_else(|| format!("_{i}"), |name| name.to_string()),
                    ty,
                })
                .collect(),
        };
        let of = |node: &NodeId| self.node(*node).schema.clone();
        match kind {
            NodeKind::Source(_) => Schema::default(),
            NodeKind::Project { columns, .. } => name_all(self.body.types_of(columns)),
            NodeKind::Reduce { folds, .. } => name_all(fold_types(folds)),
            NodeKind::Scan { columns, running, .. } => {
                name_all(self.body.types_of(columns).into_iter().chain(running_types(running)).collect())
            }
            NodeKind::Group { keys, folds, .. } => {
                name_all(self.body.types_of(keys).into_iter().chain(fold_types(folds)).collect())
            }
            NodeKind::Filter { input, .. } | NodeKind::Sort { input, .. } | NodeKind::TopK { input, .. } => of(input),
            NodeKind::Limit { input, .. } | NodeKind::Distinct { input } => of(input),
            NodeKind::Union { inputs } => union_schema(inputs.iter().map(of)),
            NodeKind::Join { left, right, kind, .. } => join_schema(of(left), of(right), *kind),
            NodeKind::Window { input, running, .. } => {
                let mut schema = of(input);
                schema.fields.extend(name_all(running_types(running)).fields);
                schema
            }
        }
    }
}

/// The first input's names; a column is nullable if it is in any input.
fn union_schema(mut inputs: impl Iterator<Item = Schema>) -> Schema {
    let mut schema = inputs.next().unwrap_or_default();
    for other in inputs {
        for (field, other) in schema.fields.iter_mut().zip(other.fields) {
            field.ty.nullable |= other.ty.nullable;
        }
    }
    schema
}

fn join_schema(left: Schema, right: Schema, kind: JoinKind) -> Schema {
    let mut schema = left;
    match kind {
        JoinKind::Semi | JoinKind::Anti => {}
        JoinKind::Inner => schema.fields.extend(right.fields),
        JoinKind::Left => schema
            .fields
            .extend(right.fields.into_iter().map(|field| Field { ty: Type { nullable: true, ..field.ty }, ..field })),
    }
    schema
}

/// Counts rows: the fold with no value.
pub const COUNT_ROWS: Fold = Fold { op: FoldOp::Count, value: None };
