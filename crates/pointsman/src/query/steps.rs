//! The results of closures, flattened: [`ResultParts`], the plan node that each kind of result becomes, and [`Binder`],
//! which gives the next step its row.

use crate::error::CallSite;
use crate::query::build::{self, Handle, PlanBuilder};
use crate::query::folds::FoldPart;
use crate::query::values::ClosureResult;
use pointsman_ir::kernel::{Fold, FoldOp, Frame, Running as RunningFold};
use pointsman_ir::plan::{Aggregate, Aggregation, NodeId, NodeKind, RowOrder};

/// A part of the result of a closure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// A column of a row, or one that is kept next to running folds.
    Column(Handle),
    /// A running fold.
    Running(FoldOp, Handle),
    /// A fold.
    Fold(FoldPart),
}

impl Part {
    /// The expressions in it.
    fn handles(&self) -> impl Iterator<Item = Handle> {
        let all = match self {
            Part::Column(value) | Part::Running(_, value) => [Some(*value), None, None],
            Part::Fold(fold) => [fold.value, fold.second, fold.filter],
        };
        all.into_iter().flatten()
    }

    /// The expressions in it, in the same order.
    fn handles_mut(&mut self) -> impl Iterator<Item = &mut Handle> {
        let all = match self {
            Part::Column(value) | Part::Running(_, value) => [Some(value), None, None],
            Part::Fold(fold) => [fold.value.as_mut(), fold.second.as_mut(), fold.filter.as_mut()],
        };
        all.into_iter().flatten()
    }
}

/// The result of a closure, flattened.
#[derive(Default)]
pub struct ResultParts(pub(crate) Vec<Part>);

impl ResultParts {
    pub(crate) fn of(result: &impl ClosureResult) -> ResultParts {
        let mut parts = ResultParts::default();
        result.gather(&mut parts);
        parts
    }

    /// The expressions in all parts.
    pub(crate) fn values(&self) -> impl Iterator<Item = Handle> {
        self.0.iter().flat_map(Part::handles)
    }

    /// The expressions in all parts, in the order of [`ResultParts::values`].
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Handle> {
        self.0.iter_mut().flat_map(Part::handles_mut)
    }

    /// The folds; `None` where a mistake was made.
    pub(crate) fn aggregates(&self, builder: &mut PlanBuilder, at: CallSite) -> Option<Vec<Aggregate>> {
        let folds = self.0.iter().filter_map(|part| match part {
            Part::Fold(fold) => Some(fold),
            Part::Column(_) | Part::Running(..) => None,
        });
        folds.map(|fold| fold.aggregate(builder, at)).collect()
    }

    /// The running folds; `None` where a mistake was made.
    fn running(&self, builder: &mut PlanBuilder, at: CallSite) -> Option<Vec<RunningFold>> {
        let running = self.0.iter().filter_map(|part| match part {
            Part::Running(op, value) => Some((*op, *value)),
            Part::Column(_) | Part::Fold(_) => None,
        });
        let fold = |(op, value)| Some(Fold::of(op, builder.value(value, at)?));
        running.map(fold).map(|fold| Some(RunningFold { fold: fold?, frame: Frame::Unbounded })).collect()
    }
}

/// The kind of plan node that the result of a closure becomes. The trait is sealed.
pub trait StepKind {
    /// Appends the node.
    #[doc(hidden)]
    fn append(builder: &mut PlanBuilder, parts: &ResultParts, at: CallSite);
}

/// The node for rows: a projection.
#[derive(Clone, Copy, Debug)]
pub enum ProjectStep {}
/// The node for folds: a reduction.
#[derive(Clone, Copy, Debug)]
pub enum ReduceStep {}
/// The node for running folds: a scan.
#[derive(Clone, Copy, Debug)]
pub enum ScanStep {}

impl StepKind for ProjectStep {
    fn append(builder: &mut PlanBuilder, parts: &ResultParts, at: CallSite) {
        builder.project(parts.values(), at);
    }
}

impl StepKind for ReduceStep {
    fn append(builder: &mut PlanBuilder, parts: &ResultParts, at: CallSite) {
        let Some(aggregates) = parts.aggregates(builder, at) else { return };
        let aggregates = builder.split_means(aggregates, at);
        let input = builder.plan.root();
        let plain: Option<Vec<Fold>> =
            aggregates.iter().map(|one| one.fold().filter(|_| one.filter.is_none())).collect();
        let kind = match plain {
            Some(folds) => NodeKind::Reduce { input, folds },
            None => Aggregation { input, keys: Vec::new(), aggregates, order: RowOrder::default() }.into(),
        };
        builder.node(kind, at);
    }
}

impl StepKind for ScanStep {
    fn append(builder: &mut PlanBuilder, parts: &ResultParts, at: CallSite) {
        let Some(running) = parts.running(builder, at) else { return };
        let kept = parts.0.iter().filter_map(|part| match part {
            Part::Column(value) => Some(*value),
            Part::Running(..) | Part::Fold(_) => None,
        });
        let Some(columns) = builder.values(kept, at) else { return };
        let (input, kept) = (builder.plan.root(), columns.len() as u32);
        builder.node(NodeKind::Scan { input, columns, running, segment: None }, at);
        restore_order(builder, parts, kept, at);
    }
}

/// Restores the order of the closure's result. A scan writes kept columns before running folds.
fn restore_order(builder: &mut PlanBuilder, parts: &ResultParts, kept: u32, at: CallSite) {
    let is_kept = |part: &Part| matches!(part, Part::Column(_));
    if parts.0.is_sorted_by_key(|part| !is_kept(part)) {
        return;
    }
    let (mut next_kept, mut next_running) = (0, kept);
    let columns = parts.0.iter().map(|part| {
        let next = if is_kept(part) { &mut next_kept } else { &mut next_running };
        *next += 1;
        builder.column(*next - 1, at)
    });
    let columns: Vec<Handle> = columns.collect();
    builder.project(columns, at);
}

/// Supplies the values of a new row, in order: the columns of a node, or given values.
pub struct Binder {
    from: RowSource,
    /// The position of the next value.
    next: u32,
    /// The number of fields of other sources before those of the rows.
    pub(super) first_field: u32,
    /// The fields of the record batches in the row: the first, and how many.
    pub(super) fields: Vec<(u32, u32)>,
    pub(super) at: CallSite,
}

/// The binding of a row.
enum RowSource {
    Root,
    Node(NodeId),
    Given(Vec<Handle>),
}

impl Binder {
    fn new(from: RowSource, at: CallSite) -> Binder {
        Binder { from, next: 0, first_field: 0, fields: Vec::new(), at }
    }

    /// The columns of the last node.
    pub(crate) fn node(at: CallSite) -> Binder {
        Binder::new(RowSource::Root, at)
    }

    /// The columns of this node, one of those that the open step reads.
    pub(crate) fn columns_of(node: NodeId, at: CallSite) -> Binder {
        Binder::new(RowSource::Node(node), at)
    }

    /// The columns of the last node, whose query was appended to another: its fields come after `first_field` others.
    pub(crate) fn appended(first_field: u32, at: CallSite) -> Binder {
        Binder { first_field, ..Binder::node(at) }
    }

    /// These values.
    pub(crate) fn given(values: Vec<Handle>, at: CallSite) -> Binder {
        Binder::new(RowSource::Given(values), at)
    }

    /// The node whose columns it supplies; `None`: the last one.
    pub(crate) fn of(&self) -> Option<NodeId> {
        match self.from {
            RowSource::Node(node) => Some(node),
            RowSource::Root | RowSource::Given(_) => None,
        }
    }

    pub(crate) fn value(&mut self) -> Handle {
        let (position, at) = (self.skip(1), self.at);
        match &self.from {
            RowSource::Given(values) => values.get(position as usize).copied().unwrap_or(Handle::unbound(at)),
            RowSource::Root => build::append(at, |builder| builder.column(position, at)),
            RowSource::Node(node) => build::append(at, |builder| builder.column_of(*node, position, at)),
        }
    }

    /// Skips this many values and returns the position of the first.
    pub(crate) fn skip(&mut self, values: u32) -> u32 {
        self.next += values;
        self.next - values
    }
}
