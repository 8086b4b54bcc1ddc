//! The logical plan: a directed acyclic graph of operations over typed columns, stored in an arena.
//!
//! Expressions of every node live in one [`Body`]. A [`ColumnId`] there is a position in [`Plan::columns`], which says
//! "column `index` of node `node`"; an expression of a node may use only columns of that node's inputs. Column
//! [`ROW_NUMBER`] of a source is the row number; `Inst::RowIndex`, `Gather` and `Probe` appear only in kernels. Nodes come
//! before the nodes that use them. Column names exist only in plans; kernels use positions.

pub mod print;

use crate::body::{Body, ColumnId, ParamId, ValueId};
use crate::kernel::{Fold, Running, SortKey};
use crate::op::TypeError;
use crate::types::{DType, Field, Schema, Type};
use std::fmt;

/// The maximum number of nodes and expressions together.
pub const PLAN_NODES_MAX: usize = 10_000;
/// The maximum depth of nodes, and of nested loops.
pub const PLAN_DEPTH_MAX: usize = 200;
/// The column of a source that counts its rows from 0 (`u64`).
pub const ROW_NUMBER: u32 = u32::MAX;

/// The id of a node: its position in [`Plan::nodes`].
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

/// The number of an input table.
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
    /// Every pair of rows with equal keys, and each left row without a match once, with nulls on the right.
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
    /// Columns and running folds, over all rows or by segment.
    Scan {
        /// The input.
        input: NodeId,
        /// The columns to keep.
        columns: Vec<ValueId>,
        /// The running folds, after the columns.
        running: Vec<Running>,
        /// True in the first row of each segment.
        segment: Option<ValueId>,
    },
    /// All rows in order of the keys.
    Sort {
        /// The input.
        input: NodeId,
        /// The keys.
        keys: Vec<SortKey>,
    },
    /// The first `count` rows in order of the keys.
    TopK {
        /// The input.
        input: NodeId,
        /// The keys.
        keys: Vec<SortKey>,
        /// The number of rows.
        count: u64,
    },
    /// Folds for each distinct key.
    Group {
        /// The input.
        input: NodeId,
        /// The keys.
        keys: Vec<ValueId>,
        /// The folds, after the keys.
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
    /// The input's columns, and running folds over each partition in the given order.
    Window {
        /// The input.
        input: NodeId,
        /// The keys of the partitions.
        partition: Vec<ValueId>,
        /// The order within a partition.
        order: Vec<SortKey>,
        /// The folds, after the input's columns.
        running: Vec<Running>,
    },
    /// The rows of all inputs, one input after the other.
    Union {
        /// The inputs, of one schema.
        inputs: Vec<NodeId>,
    },
    /// Rows by position: leaves out `skip` rows, then keeps at most `fetch`.
    Limit {
        /// The input.
        input: NodeId,
        /// The number of rows to leave out.
        skip: u64,
        /// The most rows to keep.
        fetch: u64,
    },
    /// Each distinct row once, where it first occurs.
    Distinct {
        /// The input.
        input: NodeId,
    },
}

impl NodeKind {
    /// The name shown in plans and messages.
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
            NodeKind::Project { input, .. }
            | NodeKind::Filter { input, .. }
            | NodeKind::Reduce { input, .. }
            | NodeKind::Scan { input, .. }
            | NodeKind::Sort { input, .. }
            | NodeKind::TopK { input, .. }
            | NodeKind::Group { input, .. }
            | NodeKind::Window { input, .. }
            | NodeKind::Limit { input, .. }
            | NodeKind::Distinct { input } => vec![*input],
            NodeKind::Join { left, right, .. } => vec![*left, *right],
            NodeKind::Union { inputs } => inputs.clone(),
        }
    }

    /// The values it uses, in order.
    pub fn operands(&self) -> Vec<ValueId> {
        let fold_values = |folds: &[Fold]| folds.iter().filter_map(Fold::value).collect::<Vec<_>>();
        let key_values = |keys: &[SortKey]| keys.iter().map(|key| key.value).collect::<Vec<_>>();
        let running_values =
            |running: &[Running]| running.iter().filter_map(|running| running.fold.value()).collect::<Vec<_>>();
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

/// A graph of operations. Two plans that compare equal compute the same from the same inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Plan {
    /// The expressions of all nodes.
    pub body: Body,
    /// What the columns of the body mean.
    pub columns: Vec<PlanColumn>,
    /// The types of the run-time scalars.
    pub params: Vec<Type>,
    /// The element types of the captured lists.
    pub lists: Vec<DType>,
    /// The nodes; inputs come first. The last one is the result.
    pub nodes: Vec<Node>,
}

/// Why a plan is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanErrorKind {
    /// The query is invalid.
    Invalid,
    /// The query is valid, but not supported yet.
    Unsupported,
    /// A defect of this crate.
    Internal,
}

/// Why a plan was refused, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// The kind of error.
    pub kind: PlanErrorKind,
    /// What is wrong, where, and how to mend it.
    pub message: String,
}

impl PlanError {
    /// An error of an invalid query.
    pub fn invalid(message: impl Into<String>) -> PlanError {
        PlanError { kind: PlanErrorKind::Invalid, message: message.into() }
    }

    /// An error of a query that is not supported yet.
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

    /// Appends an operation and derives its schema. `names` name the columns that it adds; columns without a name are
    /// called `_0`, `_1`, … by position.
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
        // `first`: the columns before these ones.
        let name_from = |first: usize, types: Vec<Type>| {
            let name = |i: usize| names.get(i).map_or_else(|| format!("_{}", first + i), |name| name.to_string());
            let fields = types.into_iter().enumerate().map(|(i, ty)| Field { name: name(i), ty });
            Schema { fields: fields.collect() }
        };
        let name_all = |types: Vec<Type>| name_from(0, types);
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
                let added = name_from(schema.fields.len(), running_types(running));
                schema.fields.extend(added.fields);
                schema
            }
        }
    }
}

/// The first input's names; a column is nullable if any input's is.
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
