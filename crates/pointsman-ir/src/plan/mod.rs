//! The logical plan: a directed acyclic graph of operations over typed columns, stored in an arena.
//!
//! Expressions of every node live in one [`Body`]. A [`ColumnId`] there is a position in [`Plan::columns`], which says
//! "column `index` of node `node`"; an expression of a node may use only columns of that node's inputs. Column
//! [`ROW_NUMBER`] of a source is the row number; `Inst::RowIndex`, `Gather` and `Probe` appear only in kernels. Nodes come
//! before the nodes that use them. Column names exist only in plans; kernels use positions.

mod append;
mod composite;
mod node;
pub mod print;
mod schema;

pub use append::AppendedPlan;
pub use composite::{Aggregate, AggregateOp, Aggregation, Composite, Estimator, Fraction, Join, JoinKey, JoinKind};
pub use node::{EquiJoinKind, NodeKind, RowOrder};

use crate::body::{Body, ColumnId, ParamId, ValueId};
use crate::op::TypeError;
use crate::types::{DType, Schema, Type};
use std::collections::BTreeMap;
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
    /// The types of the scalars.
    pub params: Vec<Type>,
    /// The scalars that the plan computes: the value in this column of the only row of a node that comes before those that
    /// use the scalar. It is null if there is no row; several rows are an error of the run. All other scalars are handed in
    /// at run time, in order.
    pub scalars: BTreeMap<ParamId, PlanColumn>,
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
    pub fn push(&mut self, kind: impl Into<NodeKind>, names: &[&str]) -> NodeId {
        let kind = kind.into();
        let schema = self.schema_of(&kind, names);
        self.nodes.push(Node { kind, schema });
        self.root()
    }

    /// The value of a node's column, for expressions of the nodes above it. (`verify` refuses a plan with a column that does
    /// not exist.)
    pub fn column(&mut self, node: NodeId, index: u32) -> ValueId {
        let field = self.nodes.get(node.index()).and_then(|node| node.schema.fields.get(index as usize));
        let ty = match index {
            ROW_NUMBER => DType::U64.required(),
            _ => field.map_or(DType::Bool.required(), |field| field.ty),
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

    /// A new scalar that is the value in this column of the node's only row.
    pub fn scalar(&mut self, node: NodeId, index: u32) -> ValueId {
        let field = self.nodes.get(node.index()).and_then(|node| node.schema.fields.get(index as usize));
        let ty = field.map_or(DType::Bool.nullable(), |field| field.ty);
        let nullable = ty.nullable || !self.gives_one_row(node);
        let value = self.param(Type { nullable, ..ty });
        self.scalars.insert(ParamId(self.params.len() as u32 - 1), PlanColumn { node, index });
        value
    }

    /// The scalars that are handed in at run time, in order.
    pub fn given_params(&self) -> Vec<ParamId> {
        (0..self.params.len() as u32).map(ParamId).filter(|param| !self.scalars.contains_key(param)).collect()
    }

    /// Whether the node has exactly one row, whatever its input.
    pub(crate) fn gives_one_row(&self, mut node: NodeId) -> bool {
        loop {
            match self.nodes.get(node.index()).map(|node| &node.kind) {
                Some(NodeKind::Reduce { .. }) => return true,
                Some(NodeKind::Composite(Composite::Aggregate(aggregation))) => return aggregation.keys.is_empty(),
                // Inputs come first, or `verify` refuses the plan.
                Some(NodeKind::Project { input, .. }) if *input < node => node = *input,
                Some(
                    NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. } | NodeKind::Scan { .. },
                )
                | Some(NodeKind::Sort { .. } | NodeKind::TopK { .. } | NodeKind::Group { .. })
                | Some(NodeKind::EquiJoin { .. } | NodeKind::Window { .. } | NodeKind::Union { .. })
                | Some(NodeKind::Limit { .. } | NodeKind::Distinct { .. } | NodeKind::Call { .. })
                | Some(NodeKind::Composite(Composite::Join(_)))
                | None => return false,
            }
        }
    }
}
