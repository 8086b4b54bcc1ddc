//! Folds of a plan's rows: over all rows, running, by group, and the aggregates that are composed of folds. In: a node and
//! what to fold. Out: rows of results.

use super::super::fold::Folding;
use super::super::reduce::{self, LeafFold, Node, push_node};
use super::super::scalar::{self, is_true};
use super::super::scan::{RunningRow, float_running};
use super::super::sinks::HashOrder;
use super::cell::{Cell, Near};
use super::quantile::quantile;
use super::rows::{decided, keys};
use super::statistics::{of_moments, of_row, row_numbers};
use super::{Places, PlanRun, Row, Stop, Table};
use crate::body::{Body, ColumnId, ValueId};
use crate::kernel::{Fold, FoldInput, FoldMode, FoldOp, Frame, LEAF_LANES, LEAF_ROWS, Running};
use crate::op::Op;
use crate::plan::{Aggregate, AggregateOp, Aggregation, NodeId, RowOrder};
use crate::types::{DType, Scalar};
use std::collections::{HashMap, HashSet};

/// What is known of the rows that a fold takes.
#[derive(Clone, Copy)]
pub(super) enum FoldedRows<'a> {
    /// Rows at these places.
    At(&'a [u64]),
    /// Rows whose places depend on the plan.
    Open,
    /// The rows of a group: no place counts.
    Group,
}

/// A fold by the type of its values.
#[derive(Clone, Copy)]
pub(super) struct TypedFold {
    pub(super) op: FoldOp,
    pub(super) of: Option<DType>,
    pub(super) mode: FoldMode,
}

impl TypedFold {
    fn of(fold: &Fold, body: &Body) -> TypedFold {
        TypedFold { op: fold.op, of: fold.value_type(body), mode: fold.mode }
    }

    /// The fold with its accumulators' rule; it needs no value to name.
    fn folding(self, rule: impl Fn(Fold, &Body) -> Folding) -> Folding {
        let input = FoldInput::State { first: ColumnId(0), of: self.of };
        rule(Fold { op: self.op, input, mode: self.mode }, &Body::new())
    }

    fn sums_floats(self) -> bool {
        self.op == FoldOp::Sum && self.of.is_some_and(DType::is_float)
    }
}

/// The values of a fold in some rows.
enum Taken {
    Known(Vec<Option<Scalar>>),
    Unknown,
}

fn taken(fold: TypedFold, cells: &[Cell]) -> Result<Taken, Stop> {
    let mut values = Vec::with_capacity(cells.len());
    let mut unknown = false;
    for cell in cells {
        match cell {
            Cell::Value(value) => values.push(*value),
            Cell::Near(near) if fold.op == FoldOp::Count => values.push(Some(near.value)),
            Cell::Near(_) | Cell::Unknown => unknown = true,
            Cell::Fault { fault, .. } => return Err(Stop::from((**fault).clone())),
        }
    }
    Ok(if unknown { Taken::Unknown } else { Taken::Known(values) })
}

/// The fold of these cells.
pub(super) fn folded(fold: TypedFold, cells: &[Cell], rows: FoldedRows<'_>) -> Result<Cell, Stop> {
    let Taken::Known(values) = taken(fold, cells)? else { return Ok(Cell::Unknown) };
    match rows {
        FoldedRows::At(places) => positional(fold, &values, places),
        FoldedRows::Group if fold.sums_floats() && fold.mode == FoldMode::Fast => Ok(near(fold, &values, values.len())),
        FoldedRows::Group => order_free(fold, &values),
        FoldedRows::Open if fold.sums_floats() => Ok(near(fold, &values, usize::BITS as usize)),
        FoldedRows::Open => {
            // A sum of decimals may overflow on the way, or not.
            let places: Vec<u64> = (0..values.len() as u64).collect();
            positional(fold, &values, &places).and_then(|_| order_free(fold, &values))
        }
    }
}

/// By the tree of leaves.
fn positional(fold: TypedFold, values: &[Option<Scalar>], places: &[u64]) -> Result<Cell, Stop> {
    let folding = fold.folding(Folding::positional);
    let (leaf_rows, mut nodes) = (LEAF_ROWS as u64, Vec::new());
    let mut leaf_fold = LeafFold::new(folding.nothing);
    let mut rows = places.iter().zip(values).peekable();
    for leaf in 0..places.last().map_or(0, |place| place / leaf_rows + 1) {
        while let Some((place, value)) = rows.next_if(|(place, _)| **place / leaf_rows == leaf) {
            leaf_fold.add((place % LEAF_LANES as u64) as usize, *value);
        }
        push_node(&mut nodes, Node { level: 0, index: leaf, starts: false, accumulators: vec![leaf_fold.take()] });
    }
    Ok(Cell::Value(reduce::finish(nodes, &[folding])?[0]))
}

fn order_free(fold: TypedFold, values: &[Option<Scalar>]) -> Result<Cell, Stop> {
    let folding = fold.folding(Folding::order_free);
    let mut accumulator = folding.nothing;
    values.iter().for_each(|&value| accumulator.add(value));
    Ok(Cell::Value(folding.finish(&accumulator)?))
}

/// A float sum with the error bound of `docs/semantics.md` for `depth` additions in a row.
fn near(fold: TypedFold, values: &[Option<Scalar>], depth: usize) -> Cell {
    let exact = TypedFold { mode: FoldMode::Reproducible, ..fold };
    let Ok(Cell::Value(Some(value))) = order_free(exact, values) else { return Cell::Unknown };
    let double = |value: Scalar| fold.of.map_or(f64::NAN, |dtype| to_double(value, dtype));
    let magnitude: f64 = values.iter().flatten().map(|&value| double(value).abs()).sum();
    let (unit, greatest) = match fold.of {
        Some(DType::F32) => (f64::from(f32::EPSILON), f64::from(f32::MAX)),
        _ => (f64::EPSILON, f64::MAX),
    };
    let whole = values.iter().flatten().all(|&value| double(value).is_finite());
    if !whole {
        // Infinities and NaNs decide alone, unless the finite values overflow.
        let finite: f64 = values.iter().flatten().map(|&v| double(v).abs()).filter(|v| v.is_finite()).sum();
        return if finite < greatest / 2.0 { Cell::of(value) } else { Cell::Unknown };
    }
    if magnitude >= greatest / 2.0 {
        return Cell::Unknown;
    }
    Cell::Near(Near { value, error: (depth as f64 + 64.0) * unit * magnitude })
}

/// What a fold takes from each row of a node.
fn inputs(run: &PlanRun<'_>, input: NodeId, fold: &Fold) -> Vec<Cell> {
    match fold.value() {
        Some(value) => run.evaluate(input, &[value]).into_iter().flatten().collect(),
        None => vec![Cell::of(Scalar::Bool(true)); run.table(input).rows.len()],
    }
}

pub(super) fn reduce(run: &PlanRun<'_>, input: NodeId, folds: &[Fold]) -> Result<Table, Stop> {
    let places = run.table(input).fixed_places();
    let rows = places.as_deref().map_or(FoldedRows::Open, FoldedRows::At);
    let one = |fold: &Fold| folded(TypedFold::of(fold, &run.plan.body), &inputs(run, input, fold), rows);
    let row = folds.iter().map(one).collect::<Result<Row, Stop>>()?;
    Ok(Table::dense(vec![row]))
}

pub(super) fn scan(
    run: &PlanRun<'_>,
    input: NodeId,
    columns: &[ValueId],
    running: &[Running],
    segment: Option<ValueId>,
) -> Result<Table, Stop> {
    let mut rows = run.evaluate(input, columns);
    let starts = match segment {
        None => vec![false; rows.len()],
        Some(segment) => (run.evaluate(input, &[segment]).iter())
            .map(|cells| decided(&cells[0]).map(is_true))
            .collect::<Result<Vec<_>, Stop>>()?,
    };
    let places = run.table(input).fixed_places();
    for one in running {
        let fold = TypedFold::of(&one.fold, &run.plan.body);
        let cells = inputs(run, input, &one.fold);
        let results = match taken(fold, &cells)? {
            Taken::Unknown => vec![Cell::Unknown; rows.len()],
            Taken::Known(values) => match (one.frame, &places) {
                (Frame::Preceding(preceding), _) => framed(fold, &values, &starts, preceding)?,
                (Frame::Unbounded, Some(places)) if fold.sums_floats() => float_sums(fold, &values, &starts, places)?,
                (Frame::Unbounded, _) => prefixes(fold, &values, &starts)?,
            },
        };
        rows.iter_mut().zip(results).for_each(|(row, result)| row.push(result));
    }
    Ok(Table::dense(rows))
}

/// The fold of the segment's rows up to each.
fn prefixes(fold: TypedFold, values: &[Option<Scalar>], starts: &[bool]) -> Result<Vec<Cell>, Stop> {
    let mut first = 0;
    let prefix = |(row, starts): (usize, &bool)| {
        first = if *starts { row } else { first };
        let rows = if fold.sums_floats() { FoldedRows::Open } else { FoldedRows::Group };
        let cells: Vec<Cell> = values[first..=row].iter().map(|&value| Cell::Value(value)).collect();
        folded(fold, &cells, rows)
    };
    starts.iter().enumerate().map(prefix).collect()
}

/// The running float sums of rows whose places are known.
fn float_sums(fold: TypedFold, values: &[Option<Scalar>], starts: &[bool], places: &[u64]) -> Result<Vec<Cell>, Stop> {
    let folding = fold.folding(Folding::positional);
    let zero = if fold.of == Some(DType::F32) { Scalar::F32(-0.0) } else { Scalar::F64(-0.0) };
    let rows = places.iter().zip(starts).zip(values);
    let rows: Vec<RunningRow> = rows.map(|((&place, &starts), &value)| RunningRow { place, starts, value }).collect();
    let sums = float_running(&rows, zero);
    sums.iter().map(|sum| Ok(Cell::Value(folding.finish(sum)?))).collect()
}

/// The fold of each row and those before it, left to right.
fn framed(fold: TypedFold, values: &[Option<Scalar>], starts: &[bool], preceding: u32) -> Result<Vec<Cell>, Stop> {
    let folding = fold.folding(Folding::positional);
    let mut first = 0;
    let frame = |(row, starts): (usize, &bool)| {
        first = if *starts { row } else { first };
        let from = first.max(row.saturating_sub(preceding as usize));
        let mut accumulator = folding.nothing;
        values[from..=row].iter().for_each(|&value| accumulator.add(value));
        Ok(Cell::Value(folding.finish(&accumulator)?))
    };
    starts.iter().enumerate().map(frame).collect()
}

/// A group: its keys, and its rows.
struct GroupRows {
    keys: Vec<Option<Scalar>>,
    rows: Vec<usize>,
}

/// The groups of a node's rows, in order.
fn groups(run: &PlanRun<'_>, input: NodeId, values: &[ValueId], order: RowOrder) -> Result<Vec<GroupRows>, Stop> {
    let mut numbers: HashMap<Vec<Option<Scalar>>, usize> = HashMap::new();
    let mut groups: Vec<GroupRows> = Vec::new();
    for (row, cells) in run.evaluate(input, values).iter().enumerate() {
        let keys = keys(cells)?;
        let number = *numbers.entry(keys.clone()).or_insert_with(|| {
            groups.push(GroupRows { keys, rows: Vec::new() });
            groups.len() - 1
        });
        groups[number].rows.push(row);
    }
    match order {
        RowOrder::FirstRow => {}
        RowOrder::Any => groups.sort_by_cached_key(|group| HashOrder(group.keys.clone())),
    }
    Ok(groups)
}

pub(super) fn group(
    run: &PlanRun<'_>,
    input: NodeId,
    keys: &[ValueId],
    folds: &[Fold],
    order: RowOrder,
) -> Result<Table, Stop> {
    let columns: Vec<Vec<Cell>> = folds.iter().map(|fold| inputs(run, input, fold)).collect();
    let mut rows = Vec::new();
    for group in groups(run, input, keys, order)? {
        let mut row: Row = group.keys.into_iter().map(Cell::Value).collect();
        for (fold, column) in folds.iter().zip(&columns) {
            let cells: Vec<Cell> = group.rows.iter().map(|&row| column[row].clone()).collect();
            row.push(folded(TypedFold::of(fold, &run.plan.body), &cells, FoldedRows::Group)?);
        }
        rows.push(row);
    }
    Ok(Table { rows, places: Places::Movable })
}

/// What aggregates take from rows.
struct Taking {
    /// The values.
    values: Vec<Cell>,
    /// The second values of pairs.
    second: Vec<Cell>,
}

pub(super) fn aggregate(run: &PlanRun<'_>, of: &Aggregation) -> Result<Table, Stop> {
    let taking = |one: &Aggregate| {
        let second = one.second.map(|second| run.evaluate(of.input, &[second]).into_iter().flatten().collect());
        Ok(Taking { values: filtered(run, of.input, one)?, second: second.unwrap_or_default() })
    };
    let columns = of.aggregates.iter().map(taking).collect::<Result<Vec<_>, Stop>>()?;
    let numbered = of.aggregates.iter().any(|one| one.op.numbers_rows());
    let numbers = if numbered { row_numbers(run, of.input)? } else { vec![0; run.table(of.input).rows.len()] };
    if of.keys.is_empty() {
        let places = run.table(of.input).fixed_places();
        let rows = places.as_deref().map_or(FoldedRows::Open, FoldedRows::At);
        let one = |(one, taken): (&Aggregate, &Taking)| aggregated(run, one, taken, &numbers, rows);
        let row = of.aggregates.iter().zip(&columns).map(one).collect::<Result<Row, Stop>>()?;
        return Ok(Table::dense(vec![row]));
    }
    let mut rows = Vec::new();
    for group in groups(run, of.input, &of.keys, of.order)? {
        let mut row: Row = group.keys.into_iter().map(Cell::Value).collect();
        let numbers: Vec<u64> = group.rows.iter().map(|&row| numbers[row]).collect();
        for (one, column) in of.aggregates.iter().zip(&columns) {
            let of_group = |cells: &Vec<Cell>| group.rows.iter().filter_map(|&row| cells.get(row).cloned()).collect();
            let taken = Taking { values: of_group(&column.values), second: of_group(&column.second) };
            row.push(aggregated(run, one, &taken, &numbers, FoldedRows::Group)?);
        }
        rows.push(row);
    }
    Ok(Table { rows, places: Places::Open })
}

/// What an aggregate takes from each row: null where its filter is not true.
fn filtered(run: &PlanRun<'_>, input: NodeId, one: &Aggregate) -> Result<Vec<Cell>, Stop> {
    let count = run.table(input).rows.len();
    let values: Vec<Cell> = match one.value {
        Some(value) => run.evaluate(input, &[value]).into_iter().flatten().collect(),
        None => vec![Cell::of(Scalar::Bool(true)); count],
    };
    let Some(filter) = one.filter else { return Ok(values) };
    let filters = run.evaluate(input, &[filter]);
    let kept = |(value, filter): (Cell, Row)| Ok(if is_true(decided(&filter[0])?) { value } else { Cell::NULL });
    values.into_iter().zip(filters).map(kept).collect()
}

/// The aggregate of these cells.
fn aggregated(
    run: &PlanRun<'_>,
    one: &Aggregate,
    taken: &Taking,
    numbers: &[u64],
    rows: FoldedRows<'_>,
) -> Result<Cell, Stop> {
    let cells = &taken.values[..];
    let of = |value: Option<ValueId>| value.map(|value| run.plan.body.ty(value).dtype);
    let dtype = of(one.value);
    match (one.op, dtype) {
        (AggregateOp::Fold(op), of) => folded(TypedFold { op, of, mode: one.mode }, cells, rows),
        (AggregateOp::Mean, Some(dtype)) => mean(dtype, one.mode, cells, rows),
        (AggregateOp::CountDistinct, _) => {
            let values = keys(cells)?.into_iter().flatten().collect::<HashSet<Scalar>>();
            Ok(Cell::of(Scalar::U64(values.len() as u64)))
        }
        (AggregateOp::Median | AggregateOp::Quantile(_), Some(dtype)) => {
            let values = cells.iter().map(decided).collect::<Result<Vec<_>, Stop>>()?;
            let fraction = one.op.fraction().map_or(0.0, |fraction| fraction.value());
            let double = |value: Scalar| to_double(value, dtype);
            Ok(Cell::Value(quantile(values.into_iter().flatten().collect(), fraction, double)))
        }
        (op @ (AggregateOp::First | AggregateOp::Last | AggregateOp::ArgMin | AggregateOp::ArgMax), Some(_)) => {
            of_row(op, cells, numbers)
        }
        (op @ (AggregateOp::Variance(_) | AggregateOp::StandardDeviation(_)), Some(dtype)) => {
            of_moments(op, &[(dtype, cells)], rows)
        }
        (op @ (AggregateOp::Covariance(_) | AggregateOp::Correlation), Some(dtype)) => {
            let second = (of(one.second).unwrap_or(dtype), &taken.second[..]);
            of_moments(op, &[(dtype, cells), second], rows)
        }
        (_, None) => {
            unreachable!("`verify` sees to it that these have a value")
        }
    }
}

pub(super) fn mean(dtype: DType, mode: FoldMode, cells: &[Cell], rows: FoldedRows<'_>) -> Result<Cell, Stop> {
    let count = TypedFold { op: FoldOp::Count, of: Some(dtype), mode: FoldMode::Reproducible };
    let Cell::Value(Some(Scalar::U64(count))) = folded(count, cells, FoldedRows::Group)? else {
        return Ok(Cell::Unknown);
    };
    let (op, of) = match dtype {
        dtype if dtype.is_integer() => (FoldOp::Total, dtype),
        dtype if dtype.is_float() => (FoldOp::Sum, DType::F64),
        dtype => (FoldOp::Sum, dtype),
    };
    let widened = |cell: &Cell| {
        let Cell::Value(Some(Scalar::F32(value))) = cell else { return cell.clone() };
        Cell::of(Scalar::F64(f64::from(*value)))
    };
    let cells: Vec<Cell> = cells.iter().map(widened).collect();
    let sum = folded(TypedFold { op, of: Some(of), mode }, &cells, rows)?;
    if count == 0 {
        return Ok(Cell::NULL);
    }
    let scale = if let DType::Decimal { scale, .. } = dtype { scale } else { 0 };
    let summed = if of.is_float() { DType::F64 } else { DType::Decimal { precision: 38, scale } };
    Ok(match sum {
        Cell::Value(Some(sum)) => Cell::of(Scalar::F64(to_double(sum, summed) / count as f64)),
        Cell::Near(Near { value, error }) => {
            let mean = to_double(value, summed) / count as f64;
            Cell::Near(Near { value: Scalar::F64(mean), error: error / count as f64 + mean.abs() * f64::EPSILON })
        }
        Cell::Value(None) | Cell::Unknown | Cell::Fault { .. } => Cell::Unknown,
    })
}

/// The value in double precision.
pub(super) fn to_double(value: Scalar, dtype: DType) -> f64 {
    let double = scalar::call(Op::Cast, &[Some(value)], &[dtype.required()], DType::F64.required());
    if let Ok(Some(Scalar::F64(double))) = double { double } else { f64::NAN }
}
