//! What happens to the rows a body yields: nine sinks, each with its result, its partial state and its merge rule.
//!
//! | sink | result | partial state | two partials merge by |
//! | --- | --- | --- | --- |
//! | `Store` | its columns, a row a source row; unselected rows are null | the same rows | concatenating |
//! | `Compact` | its columns, the selected rows in order | the same rows | concatenating |
//! | `Reduce` | one row, a column a fold | *nodes* of the leaf tree with an accumulator a fold | joining sibling nodes |
//! | `Scan` | its columns and running folds, the selected rows in order | rows with leaf-local prefixes, and a *node* a leaf | concatenating both; the carry into each leaf is added at the end |
//! | `Sort` | its columns in order of the keys (at most `limit` rows) | the same, then the keys that are no columns: a sorted run | a stable merge, cut at `limit` |
//! | `Group` | keys and folds, in the stated order | keys, accumulators, and the smallest order value if there is an order | grouping again |
//! | `Build` | keys and columns, in source order, rows with a null key left out | the same rows | concatenating; a device indexes the result |
//! | `Call` | what a library operation makes of each chunk of rows ([`Call`]) | the same rows | concatenating: chunks are independent |
//! | `Partition` | its columns, by partition, then in source order; *nodes* that say where each partition ends | the same | concatenating partition by partition |
//!
//! Partials are merged in any grouping but in source order. Splits align to leaves (`LEAF_ROWS`).
//! A **node** `(level, index)` covers the leaves `index·2^level .. (index+1)·2^level`; siblings `2i` and `2i+1` join into
//! `(level+1, i)`, left first; a node whose sibling lies beyond the last row moves up alone. So the tree is fixed by row
//! position alone, whoever computed which part of it.

mod properties;

pub use properties::{MergeRule, StreamingSink};

use super::call::Call;
use crate::body::{Body, ColumnId, ListId, ValueId};
use crate::types::{DType, Type};

/// A fold: an associative operation with an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FoldOp {
    /// How many: of the values that are not null, or of the rows. `u64`; 0 of nothing.
    Count,
    /// The sum. Integers: exact, the type itself, a fault where it does not fit; floats: see `interpret/fold.rs`;
    /// decimals: exact, 38 digits. Zero of nothing; a float sum is never −0.
    Sum,
    /// The exact sum of integers, however large: a decimal of 38 digits. Zero of nothing.
    Total,
    /// The smallest: NaN only if all are, −0 below +0. Null of nothing.
    Min,
    /// The greatest: NaN if any is, +0 above −0. Null of nothing.
    Max,
}

impl FoldOp {
    /// Every fold.
    pub const ALL: [FoldOp; 5] = [FoldOp::Count, FoldOp::Sum, FoldOp::Total, FoldOp::Min, FoldOp::Max];

    /// The name that `print` writes and `parse` reads.
    pub const fn name(self) -> &'static str {
        match self {
            FoldOp::Count => "count",
            FoldOp::Sum => "sum",
            FoldOp::Total => "total",
            FoldOp::Min => "min",
            FoldOp::Max => "max",
        }
    }

    /// Whether it adds values up: what it has of nothing is a value like any other.
    pub const fn is_sum(self) -> bool {
        matches!(self, FoldOp::Sum | FoldOp::Total)
    }

    /// Whether it takes values of this type.
    pub const fn takes(self, dtype: DType) -> bool {
        match self {
            FoldOp::Count => true,
            FoldOp::Sum => dtype.is_number(),
            FoldOp::Total => dtype.is_integer(),
            FoldOp::Min | FoldOp::Max => dtype.is_ordered(),
        }
    }
}

/// What a fold takes from a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldInput {
    /// Nothing: it counts rows. Only for `Count`.
    Rows,
    /// A value; nulls are skipped.
    Value(ValueId),
    /// An accumulator of the same fold, which a partial result holds in consecutive columns. Only in a kernel that merges
    /// groups ([`Kernel::merge`](crate::kernel::Kernel::merge)).
    State {
        /// The first of the columns.
        first: ColumnId,
        /// The type of the values that were folded; `None` if rows were counted.
        of: Option<DType>,
    },
}

/// Which bits a fold gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FoldMode {
    /// The same on every exact device, for any split of the rows.
    #[default]
    Reproducible,
    /// A float sum in any order, within the bound that `docs/semantics.md` states. Only for sums of floats.
    Fast,
}

/// One fold of a sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fold {
    /// Which.
    pub op: FoldOp,
    /// What it folds.
    pub input: FoldInput,
    /// Which bits it gives.
    pub mode: FoldMode,
}

impl Fold {
    /// The number of rows.
    pub const COUNT_ROWS: Fold = Fold { op: FoldOp::Count, input: FoldInput::Rows, mode: FoldMode::Reproducible };

    /// A fold of values.
    pub const fn of(op: FoldOp, value: ValueId) -> Fold {
        Fold { op, input: FoldInput::Value(value), mode: FoldMode::Reproducible }
    }

    /// The value that it folds; `None` if it counts rows or merges accumulators.
    pub const fn value(&self) -> Option<ValueId> {
        match self.input {
            FoldInput::Value(value) => Some(value),
            FoldInput::Rows | FoldInput::State { .. } => None,
        }
    }

    /// The same fold of another value.
    pub fn map_value(&self, f: impl FnOnce(ValueId) -> ValueId) -> Fold {
        let input = match self.input {
            FoldInput::Value(value) => FoldInput::Value(f(value)),
            input @ (FoldInput::Rows | FoldInput::State { .. }) => input,
        };
        Fold { input, ..*self }
    }

    /// The type of the values that it folds; `None` if it counts rows.
    pub fn value_type(&self, body: &Body) -> Option<DType> {
        match self.input {
            FoldInput::Rows => None,
            FoldInput::Value(value) => Some(body.ty(value).dtype),
            FoldInput::State { of, .. } => of,
        }
    }

    /// The type of its result.
    pub fn output(&self, body: &Body) -> Type {
        match (self.op, self.value_type(body)) {
            (FoldOp::Count, _) | (_, None) => DType::U64.required(),
            (FoldOp::Sum, Some(DType::Decimal { scale, .. })) => DType::Decimal { precision: 38, scale }.required(),
            (FoldOp::Total, Some(_)) => DType::Decimal { precision: 38, scale: 0 }.required(),
            (FoldOp::Sum, Some(dtype)) => dtype.required(),
            (FoldOp::Min | FoldOp::Max, Some(dtype)) => dtype.nullable(),
        }
    }

    /// The types of its accumulator in `Reduce` and `Scan`, where rows come in source order; if a probe multiplies the
    /// rows there is no such order, and the accumulator is the order-free one.
    pub fn positional_accumulator(&self, body: &Body) -> Vec<Type> {
        match (self.op, self.value_type(body)) {
            _ if body.multiplies_rows() => self.order_free_accumulator(body),
            (FoldOp::Sum, Some(dtype)) if dtype.is_float() => vec![dtype.required()],
            _ => self.exact_accumulator(body),
        }
    }

    /// The types of its accumulator where rows have no fixed order (groups, after joins): a fast float sum takes an `f64`, a
    /// reproducible one the top bin's number and the sums of [`ORDER_FREE_BINS`] bins, a sum of decimals a second column (`i64`)
    /// of what lies beyond 128 bits.
    pub fn order_free_accumulator(&self, body: &Body) -> Vec<Type> {
        match (self.op, self.value_type(body)) {
            (FoldOp::Sum, Some(dtype)) if dtype.is_float() && self.mode == FoldMode::Fast => {
                vec![DType::F64.required()]
            }
            (FoldOp::Sum, Some(dtype)) if dtype.is_float() => {
                let bin = DType::Decimal { precision: 38, scale: 0 }.required();
                std::iter::once(DType::I32.required()).chain([bin; ORDER_FREE_BINS]).collect()
            }
            (FoldOp::Sum, Some(DType::Decimal { .. })) => {
                self.exact_accumulator(body).into_iter().chain([DType::I64.required()]).collect()
            }
            _ => self.exact_accumulator(body),
        }
    }

    fn exact_accumulator(&self, body: &Body) -> Vec<Type> {
        match (self.op, self.value_type(body)) {
            (FoldOp::Count, _) | (_, None) => vec![DType::U64.required()],
            (FoldOp::Sum, Some(DType::Decimal { scale, .. })) => {
                vec![DType::Decimal { precision: 38, scale }.required()]
            }
            (FoldOp::Sum | FoldOp::Total, Some(_)) => vec![DType::Decimal { precision: 38, scale: 0 }.required()],
            (FoldOp::Min | FoldOp::Max, Some(dtype)) => vec![dtype.nullable()],
        }
    }
}

/// Bins of an order-free float sum; see `interpret/order_free.rs`.
pub const ORDER_FREE_BINS: usize = 3;

/// Which rows a running fold covers, of its segment, up to and with the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Frame {
    /// All of them.
    Unbounded,
    /// The current row and this many selected rows before it, folded left to right.
    Preceding(u32),
}

/// A fold that yields its value at every row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Running {
    /// The fold.
    pub fold: Fold,
    /// Which rows it covers.
    pub frame: Frame,
}

/// Ascending or descending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortOrder {
    /// Smallest first.
    Ascending,
    /// Greatest first.
    Descending,
}

/// Where nulls go in a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NullOrder {
    /// Before every value.
    First,
    /// Behind every value.
    Last,
}

/// One key of a sort. −0 sorts below +0 and NaN above everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortKey {
    /// The value.
    pub value: ValueId,
    /// The direction.
    pub order: SortOrder,
    /// Where nulls go, whatever the direction.
    pub nulls: NullOrder,
}

/// The most bits of a partition number.
pub const PARTITION_BITS_MAX: u8 = 16;

/// How a `Partition` sink places a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PartitionBy {
    /// By the highest bits of the hash of these keys (`hash.rs`); equal keys go together.
    Hash(Vec<ValueId>),
    /// By how many of the ascending bounds in a captured table are at or below the key; null goes to partition 0.
    Range {
        /// The key.
        key: ValueId,
        /// The captured table of bounds, of the key's type: one fewer than there are partitions.
        bounds: ListId,
    },
}

/// The order of a sink's groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupOrder {
    /// By the smallest of these values in each group, an `u64` without nulls; where these are equal, as [`GroupOrder::Hash`].
    /// The row number gives the order in which the groups first occur (behind a probe, one row may begin several groups).
    Least(ValueId),
    /// By the hash of the keys (`hash.rs`), then by the keys. For consumers that do not look at the order: the cheapest one
    /// that is the same on every device.
    Hash,
}

/// What happens to the rows a body yields. Every sink honours the row mask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sink {
    /// Writes columns, a row a source row; an unselected row is written as nulls.
    Store {
        /// The columns.
        columns: Vec<ValueId>,
    },
    /// Writes the selected rows, in order.
    Compact {
        /// The columns.
        columns: Vec<ValueId>,
    },
    /// Folds the selected rows.
    Reduce {
        /// The folds.
        folds: Vec<Fold>,
    },
    /// Writes the selected rows, in order, with folds over the rows up to each.
    Scan {
        /// Columns written as they are.
        columns: Vec<ValueId>,
        /// The running folds, written behind the columns. They skip nulls: a null row shows the fold so far.
        running: Vec<Running>,
        /// Where this is true a new segment starts at the row. An unselected row starts none.
        segment: Option<ValueId>,
    },
    /// Writes the selected rows in order of the keys; equal ones stay in source order.
    Sort {
        /// The keys, most important first.
        keys: Vec<SortKey>,
        /// The columns.
        columns: Vec<ValueId>,
        /// At most this many rows (top-k).
        limit: Option<u64>,
    },
    /// Folds the selected rows of equal keys. Null keys are equal to each other, NaNs too, −0 and +0 too (written as +0).
    Group {
        /// The keys. Without keys, all selected rows are one group; no rows give no group.
        keys: Vec<ValueId>,
        /// The folds.
        folds: Vec<Fold>,
        /// The order of the groups.
        order: GroupOrder,
    },
    /// Collects the selected rows for a table that a `Probe` can search. Keys as in `Group`, but a null matches nothing.
    Build {
        /// The keys.
        keys: Vec<ValueId>,
        /// The columns carried along.
        columns: Vec<ValueId>,
    },
    /// Splits the selected rows into partitions, each in source order.
    Partition {
        /// How a row is placed.
        by: PartitionBy,
        /// There are 2^bits partitions; at most [`PARTITION_BITS_MAX`].
        bits: u8,
        /// The columns.
        columns: Vec<ValueId>,
    },
    /// Computes each chunk of rows as a whole. There is no row mask. The rows are whole chunks; those of a
    /// launch may be a part of them ([`Call::cut_rows`]).
    Call {
        /// The operation.
        call: Call,
        /// Its rows: floats without nulls.
        value: ValueId,
        /// Its captured table, of the value's type; `None` if it has none.
        table: Option<ListId>,
    },
}

/// The schema of a sink's partial state: rows, and nodes of the leaf tree or partitions' ends. Either may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartialSchema {
    /// The columns of the rows.
    pub rows: Vec<Type>,
    /// The columns of the nodes: level (`u8`), index (`u64`), accumulators.
    pub nodes: Vec<Type>,
}

impl Sink {
    /// The sink's name, as `print` writes it.
    pub const fn name(&self) -> &'static str {
        match self {
            Sink::Store { .. } => "store",
            Sink::Compact { .. } => "compact",
            Sink::Reduce { .. } => "reduce",
            Sink::Scan { .. } => "scan",
            Sink::Sort { .. } => "sort",
            Sink::Group { .. } => "group",
            Sink::Build { .. } => "build",
            Sink::Partition { .. } => "partition",
            Sink::Call { .. } => "call",
        }
    }

    /// The values it takes, in order.
    pub fn operands(&self) -> Vec<ValueId> {
        let fold_values = |folds: &[Fold]| folds.iter().filter_map(Fold::value).collect::<Vec<_>>();
        match self {
            Sink::Store { columns } | Sink::Compact { columns } => columns.clone(),
            Sink::Reduce { folds } => fold_values(folds),
            Sink::Scan { columns, running, segment } => {
                let folds = running.iter().filter_map(|running| running.fold.value());
                columns.iter().copied().chain(folds).chain(*segment).collect()
            }
            Sink::Sort { keys, columns, .. } => {
                keys.iter().map(|key| key.value).chain(columns.iter().copied()).collect()
            }
            Sink::Group { keys, folds, order } => {
                keys.iter().copied().chain(fold_values(folds)).chain(order.value()).collect()
            }
            Sink::Build { keys, columns } => keys.iter().chain(columns).copied().collect(),
            Sink::Partition { by, columns, .. } => {
                let keys = match by {
                    PartitionBy::Hash(keys) => keys.clone(),
                    PartitionBy::Range { key, .. } => vec![*key],
                };
                keys.into_iter().chain(columns.iter().copied()).collect()
            }
            Sink::Call { value, .. } => vec![*value],
        }
    }

    /// The same sink with every value replaced.
    pub fn map_operands(&self, mut f: impl FnMut(ValueId) -> ValueId) -> Sink {
        let fold = |fold: &Fold, f: &mut dyn FnMut(ValueId) -> ValueId| fold.map_value(f);
        let all = |values: &[ValueId], f: &mut dyn FnMut(ValueId) -> ValueId| values.iter().map(|&v| f(v)).collect();
        match self {
            Sink::Store { columns } => Sink::Store { columns: all(columns, &mut f) },
            Sink::Compact { columns } => Sink::Compact { columns: all(columns, &mut f) },
            Sink::Reduce { folds } => Sink::Reduce { folds: folds.iter().map(|one| fold(one, &mut f)).collect() },
            Sink::Scan { columns, running, segment } => Sink::Scan {
                columns: all(columns, &mut f),
                running: running
                    .iter()
                    .map(|one| Running { fold: fold(&one.fold, &mut f), frame: one.frame })
                    .collect(),
                segment: segment.map(&mut f),
            },
            Sink::Sort { keys, columns, limit } => Sink::Sort {
                keys: keys.iter().map(|key| SortKey { value: f(key.value), ..*key }).collect(),
                columns: all(columns, &mut f),
                limit: *limit,
            },
            Sink::Group { keys, folds, order } => Sink::Group {
                keys: all(keys, &mut f),
                folds: folds.iter().map(|one| fold(one, &mut f)).collect(),
                order: match order {
                    GroupOrder::Least(value) => GroupOrder::Least(f(*value)),
                    GroupOrder::Hash => GroupOrder::Hash,
                },
            },
            Sink::Build { keys, columns } => Sink::Build { keys: all(keys, &mut f), columns: all(columns, &mut f) },
            Sink::Partition { by, bits, columns } => Sink::Partition {
                by: match by {
                    PartitionBy::Hash(keys) => PartitionBy::Hash(all(keys, &mut f)),
                    PartitionBy::Range { key, bounds } => PartitionBy::Range { key: f(*key), bounds: *bounds },
                },
                bits: *bits,
                columns: all(columns, &mut f),
            },
            Sink::Call { call, value, table } => Sink::Call { call: *call, value: f(*value), table: *table },
        }
    }

    /// The types of the finished result's columns.
    pub fn output(&self, body: &Body, masked: bool) -> Vec<Type> {
        match self {
            Sink::Store { columns } => stored(body, columns, masked),
            Sink::Compact { columns } | Sink::Sort { columns, .. } => body.types_of(columns),
            Sink::Reduce { folds } => folds.iter().map(|fold| fold.output(body)).collect(),
            Sink::Scan { columns, running, .. } => {
                body.types_of(columns).into_iter().chain(running.iter().map(|one| one.fold.output(body))).collect()
            }
            Sink::Group { keys, folds, .. } => {
                body.types_of(keys).into_iter().chain(folds.iter().map(|fold| fold.output(body))).collect()
            }
            Sink::Build { keys, columns } => built(body, keys, columns),
            Sink::Partition { columns, .. } => body.types_of(columns),
            Sink::Call { value, .. } => vec![body.ty(*value).dtype.required()],
        }
    }

    /// The schema of the partial state.
    pub fn partial(&self, body: &Body, masked: bool) -> PartialSchema {
        let rows = |rows| PartialSchema { rows, nodes: Vec::new() };
        match self {
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Build { .. } | Sink::Call { .. } => {
                rows(self.output(body, masked))
            }
            Sink::Partition { .. } => {
                PartialSchema { rows: self.output(body, masked), nodes: vec![DType::U64.required()] }
            }
            Sink::Reduce { folds } => {
                let accumulators = folds.iter().flat_map(|fold| fold.positional_accumulator(body));
                PartialSchema { rows: Vec::new(), nodes: node_columns().into_iter().chain(accumulators).collect() }
            }
            Sink::Scan { columns, running, .. } => scan_partial(body, columns, running),
            Sink::Sort { keys, columns, .. } => rows(body.types_of(&sorted_values(keys, columns))),
            Sink::Group { keys, folds, order } => {
                let accumulators = folds.iter().flat_map(|fold| fold.order_free_accumulator(body));
                let least = order.value().map(|_| DType::U64.required());
                rows(body.types_of(keys).into_iter().chain(accumulators).chain(least).collect())
            }
        }
    }
}

/// Columns of `Store`: nullable where a mask can leave a row out.
fn stored(body: &Body, columns: &[ValueId], masked: bool) -> Vec<Type> {
    let types = body.types_of(columns).into_iter();
    types.map(|ty| Type { nullable: ty.nullable || masked, ..ty }).collect()
}

/// Columns of `Build`: the keys without nulls, then the rest.
fn built(body: &Body, keys: &[ValueId], columns: &[ValueId]) -> Vec<Type> {
    let keys = body.types_of(keys).into_iter().map(|ty| ty.dtype.required());
    keys.chain(body.types_of(columns)).collect()
}

/// The values that a sorted run holds: the columns, then the keys that are none of them.
pub(crate) fn sorted_values(keys: &[SortKey], columns: &[ValueId]) -> Vec<ValueId> {
    let mut values = columns.to_vec();
    for key in keys {
        if !values.contains(&key.value) {
            values.push(key.value);
        }
    }
    values
}

impl GroupOrder {
    /// The value whose smallest decides; `None` if the keys do.
    pub const fn value(&self) -> Option<ValueId> {
        match self {
            GroupOrder::Least(value) => Some(*value),
            GroupOrder::Hash => None,
        }
    }
}

/// The two columns every node has: level and index.
fn node_columns() -> [Type; 2] {
    [DType::U8.required(), DType::U64.required()]
}

/// Rows: leaf (`u64`), whether the row lies before the leaf's first segment start (`bool`, the carry reaches it),
/// segment start (`bool`), columns, and for each running fold its leaf-local accumulator, or for a framed one the value.
/// Nodes: level 0, leaf, whether a segment starts in the leaf (`bool`), the leaf's accumulators of unframed folds.
fn scan_partial(body: &Body, columns: &[ValueId], running: &[Running]) -> PartialSchema {
    let bool_column = DType::Bool.required();
    let mut rows = vec![DType::U64.required(), bool_column, bool_column];
    rows.extend(body.types_of(columns));
    let mut nodes = node_columns().to_vec();
    nodes.push(bool_column);
    for one in running {
        match one.frame {
            Frame::Unbounded => {
                rows.extend(one.fold.positional_accumulator(body));
                nodes.extend(one.fold.positional_accumulator(body));
            }
            Frame::Preceding(_) => rows.extend(framed_row(body, &one.fold)),
        }
    }
    PartialSchema { rows, nodes }
}

/// What a framed fold keeps of a row: the value (`Count` of rows needs none).
fn framed_row(body: &Body, fold: &Fold) -> Vec<Type> {
    match fold.value() {
        None => Vec::new(),
        Some(v) => vec![body.ty(v)],
    }
}
