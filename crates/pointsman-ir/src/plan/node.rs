//! The operations of a plan. In: nodes and values by their ids. Out: what an operation reads and uses, in order. Nothing here
//! looks at a whole plan.

use super::composite::{Aggregation, Composite, Join};
use super::{NodeId, SourceId};
use crate::body::{ListId, ValueId};
use crate::kernel::{Call, Fold, Running, SortKey};

/// The order of groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RowOrder {
    /// In the order in which they first occur in the input.
    #[default]
    FirstRow,
    /// Any order, but the same for the same plan and rows, on every device.
    Any,
}

/// Which rows an equi-join gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EquiJoinKind {
    /// Every pair of rows with equal keys.
    Inner,
    /// Every pair of rows with equal keys, and each left row without a match once, with nulls on the right.
    Left,
    /// Left rows with a match; the right columns are not in the result.
    Semi,
    /// Left rows without a match; the right columns are not in the result.
    Anti,
    /// Every left row, with a column that says whether it has a match.
    Exists,
}

impl EquiJoinKind {
    /// The name shown in plans.
    pub const fn name(self) -> &'static str {
        match self {
            EquiJoinKind::Inner => "inner",
            EquiJoinKind::Left => "left",
            EquiJoinKind::Semi => "semi",
            EquiJoinKind::Anti => "anti",
            EquiJoinKind::Exists => "exists",
        }
    }

    /// Whether one left row can become several.
    pub const fn multiplies(self) -> bool {
        match self {
            EquiJoinKind::Inner | EquiJoinKind::Left => true,
            EquiJoinKind::Semi | EquiJoinKind::Anti | EquiJoinKind::Exists => false,
        }
    }
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
        /// The order of the groups.
        order: RowOrder,
    },
    /// Rows of the left input by whether, or which, rows of the right one have equal keys. A null equals nothing. It is what
    /// `expand` makes of every [`Join`](super::Join).
    EquiJoin {
        /// The side that is streamed.
        left: NodeId,
        /// The side that is built into a table.
        right: NodeId,
        /// The left keys.
        left_keys: Vec<ValueId>,
        /// The right keys, of the same types.
        right_keys: Vec<ValueId>,
        /// Which rows are kept.
        kind: EquiJoinKind,
        /// The most pairs of a left and a right row, where all rows have one key (a cross join).
        pairs_max: Option<u64>,
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
        /// The most rows to keep; `None`: all that are left.
        fetch: Option<u64>,
    },
    /// Each distinct row once, where it first occurs.
    Distinct {
        /// The input.
        input: NodeId,
    },
    /// One column: what a library operation makes of each chunk of rows.
    Call {
        /// The input.
        input: NodeId,
        /// The rows of the chunks: floats without nulls.
        value: ValueId,
        /// The operation.
        call: Call,
        /// Its captured table, of the value's type; `None` if it has none.
        table: Option<ListId>,
    },
    /// An operation that `expand` writes as others.
    Composite(Composite),
}

impl From<Join> for NodeKind {
    fn from(join: Join) -> NodeKind {
        NodeKind::Composite(Composite::Join(join))
    }
}

impl From<Aggregation> for NodeKind {
    fn from(aggregation: Aggregation) -> NodeKind {
        NodeKind::Composite(Composite::Aggregate(aggregation))
    }
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
            NodeKind::EquiJoin { .. } => "equi-join",
            NodeKind::Window { .. } => "window",
            NodeKind::Union { .. } => "union",
            NodeKind::Limit { .. } => "limit",
            NodeKind::Distinct { .. } => "distinct",
            NodeKind::Call { .. } => "call",
            NodeKind::Composite(composite) => composite.name(),
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
            | NodeKind::Call { input, .. }
            | NodeKind::Distinct { input } => vec![*input],
            NodeKind::EquiJoin { left, right, .. } => vec![*left, *right],
            NodeKind::Composite(composite) => composite.inputs(),
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
            NodeKind::Call { value, .. } => vec![*value],
            NodeKind::Reduce { folds, .. } => fold_values(folds),
            NodeKind::Scan { columns, running, segment, .. } => {
                columns.iter().copied().chain(running_values(running)).chain(*segment).collect()
            }
            NodeKind::Sort { keys, .. } | NodeKind::TopK { keys, .. } => key_values(keys),
            NodeKind::Group { keys, folds, .. } => keys.iter().copied().chain(fold_values(folds)).collect(),
            NodeKind::EquiJoin { left_keys, right_keys, .. } => left_keys.iter().chain(right_keys).copied().collect(),
            NodeKind::Composite(composite) => composite.operands(),
            NodeKind::Window { partition, order, running, .. } => {
                partition.iter().copied().chain(key_values(order)).chain(running_values(running)).collect()
            }
        }
    }
}
