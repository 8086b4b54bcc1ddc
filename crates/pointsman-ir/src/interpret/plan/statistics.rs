//! Aggregates that need to know something of all rows before they look at each. In: an aggregate's cells and the numbers
//! of their rows. Out: its result.

use super::super::{order, scalar};
use super::cell::Cell;
use super::folds::{FoldedRows, TypedFold, folded, mean, to_double};
use super::rows::decided;
use super::{PlanRun, Stop};
use crate::kernel::{FoldMode, FoldOp};
use crate::op::Op;
use crate::plan::{AggregateOp, Estimator, NodeId, NodeKind};
use crate::types::{DType, Scalar};
use std::cmp::Ordering;

/// The numbers of a node's rows: in the source that they come from through filters and projections, or in the result of
/// the operation that they come from.
pub(super) fn row_numbers(run: &PlanRun<'_>, mut node: NodeId) -> Result<Vec<u64>, Stop> {
    let mut filters = Vec::new();
    while let NodeKind::Project { input, .. } | NodeKind::Filter { input, .. } = &run.plan.node(node).kind {
        if let NodeKind::Filter { input, predicate } = &run.plan.node(node).kind {
            filters.push((*input, *predicate));
        }
        node = *input;
    }
    let mut numbers: Vec<u64> = (0..run.table(node).rows.len() as u64).collect();
    for (input, predicate) in filters.into_iter().rev() {
        let kept = run.evaluate(input, &[predicate]);
        let kept = kept.iter().map(|row| Ok(decided(&row[0])? == Some(Scalar::Bool(true))));
        let kept = kept.collect::<Result<Vec<bool>, Stop>>()?;
        let mut kept = kept.into_iter();
        numbers.retain(|_| kept.next().unwrap_or(false));
    }
    Ok(numbers)
}

/// `first`, `last`, `argmin` or `argmax` of cells in rows of these numbers.
pub(super) fn of_row(op: AggregateOp, cells: &[Cell], numbers: &[u64]) -> Result<Cell, Stop> {
    if matches!(op, AggregateOp::First | AggregateOp::Last) {
        // Whether a value is null decides; only one value is needed.
        let there = |cell: &&Cell| cell.null() != Some(true);
        let found = if op == AggregateOp::First { cells.iter().find(there) } else { cells.iter().rev().find(there) };
        return found.map_or(Ok(Cell::NULL), |cell| decided(cell).map(Cell::Value));
    }
    let mut best: Option<(Scalar, u64)> = None;
    for (cell, &number) in cells.iter().zip(numbers) {
        let Some(value) = decided(cell)? else { continue };
        let better = if op == AggregateOp::ArgMin { Ordering::Less } else { Ordering::Greater };
        let wins = best.is_none_or(|(held, _)| order::total(value, held) == better);
        if wins {
            best = Some((value, number));
        }
    }
    Ok(best.map_or(Cell::NULL, |(_, number)| Cell::of(Scalar::U64(number))))
}

/// What is subtracted from the values of types that doubles do not hold, unscaled, and its scale.
fn whole_centre(dtype: DType, mean: f64) -> Option<(i128, u8)> {
    let saturated = |x: f64| {
        let (x, from) = (Some(Scalar::F64(x)), DType::F64.required());
        let centre = scalar::call(Op::CastSaturating, &[x], &[from], dtype.required());
        centre.ok().flatten().and_then(Scalar::as_integer)
    };
    if matches!(dtype, DType::I64 | DType::U64) {
        return Some((saturated(mean.round())?, 0));
    }
    let DType::Decimal { precision: 0..38, scale } = dtype else { return None };
    Some((saturated(mean)?, scale))
}

/// Cells of one value with the differences of their values and a centre; `None` if that is not known.
fn centred(dtype: DType, cells: &[Cell], rows: FoldedRows<'_>) -> Result<Option<Vec<Cell>>, Stop> {
    let Cell::Value(mean) = mean(dtype, FoldMode::Reproducible, cells, rows)? else { return Ok(None) };
    let Some(Scalar::F64(mean)) = mean else { return Ok(Some(cells.to_vec())) };
    let exact = whole_centre(dtype, mean);
    let one = |cell: &Cell| {
        let Some(value) = decided(cell)? else { return Ok(Cell::NULL) };
        let difference = match exact {
            Some((centre, scale)) => {
                let difference = value.as_integer().unwrap_or(0) - centre;
                if dtype.is_decimal() {
                    to_double(Scalar::I128(difference), DType::Decimal { precision: 38, scale })
                } else {
                    difference as f64
                }
            }
            None => to_double(value, dtype) - mean,
        };
        Ok(Cell::of(Scalar::F64(difference)))
    };
    cells.iter().map(one).collect::<Result<Vec<_>, Stop>>().map(Some)
}

/// The root of a product; the product of the roots where it leaves the range.
fn root_of_product(a: f64, b: f64) -> f64 {
    if (1e-290..=f64::MAX).contains(&(a * b)) { (a * b).sqrt() } else { a.sqrt() * b.sqrt() }
}

/// Variances and the like of cells of one or two values.
pub(super) fn of_moments(op: AggregateOp, values: &[(DType, &[Cell])], rows: FoldedRows<'_>) -> Result<Cell, Stop> {
    let mut cells: Vec<Vec<Cell>> = values.iter().map(|(_, cells)| cells.to_vec()).collect();
    if let [x, y] = &mut cells[..] {
        for (x, y) in x.iter_mut().zip(y) {
            if x.null() == Some(true) || y.null() == Some(true) {
                (*x, *y) = (Cell::NULL, Cell::NULL);
            }
        }
    }
    let mut differences = Vec::new();
    for ((dtype, _), cells) in values.iter().zip(&cells) {
        let Some(centred) = centred(*dtype, cells, rows)? else { return Ok(Cell::Unknown) };
        differences.push(centred);
    }
    let count = differences[0].iter().filter(|cell| matches!(cell, Cell::Value(Some(_)))).count();
    let n = count as f64;
    let mut unknown = false;
    let mut sum = |x: &[Cell], y: Option<&[Cell]>| -> Result<f64, Stop> {
        let product = |(row, x): (usize, &Cell)| match (x, y.map(|y| &y[row])) {
            (Cell::Value(Some(Scalar::F64(x))), Some(Cell::Value(Some(Scalar::F64(y))))) => {
                Cell::of(Scalar::F64(x * y))
            }
            (x, _) => x.clone(),
        };
        let cells: Vec<Cell> = x.iter().enumerate().map(product).collect();
        let fold = TypedFold { op: FoldOp::Sum, of: Some(DType::F64), mode: FoldMode::Reproducible };
        let Cell::Value(Some(Scalar::F64(sum))) = folded(fold, &cells, rows)? else {
            unknown = true;
            return Ok(0.0);
        };
        Ok(sum)
    };
    let (x, y) = (&differences[0], differences.last().unwrap_or(&differences[0]));
    let [sx, sy] = [sum(x, None)?, sum(y, None)?];
    let [xx, yy, xy] = [sum(x, Some(x))?, sum(y, Some(y))?, sum(x, Some(y))?];
    if unknown {
        return Ok(Cell::Unknown);
    }
    let squares = |s: f64, ss: f64| {
        let sum = ss - s * s / n;
        if sum > 0.0 || sum.is_nan() { sum } else { 0.0 }
    };
    let averaged = |sum: f64, estimator: Estimator| match estimator {
        Estimator::Sample => sum / (n - 1.0),
        Estimator::Population => sum / n,
    };
    let (least, result) = match op {
        AggregateOp::Variance(estimator) => (estimator.least(), averaged(squares(sx, xx), estimator)),
        AggregateOp::StandardDeviation(estimator) => (estimator.least(), averaged(squares(sx, xx), estimator).sqrt()),
        AggregateOp::Covariance(estimator) => (estimator.least(), averaged(xy - sx * sy / n, estimator)),
        AggregateOp::Correlation => {
            let quotient = (xy - sx * sy / n) / root_of_product(squares(sx, xx), squares(sy, yy));
            (2, quotient.clamp(-1.0, 1.0))
        }
        AggregateOp::Fold(_)
        | AggregateOp::Mean
        | AggregateOp::CountDistinct
        | AggregateOp::Median
        | AggregateOp::Quantile(_)
        | AggregateOp::First
        | AggregateOp::Last
        | AggregateOp::ArgMin
        | AggregateOp::ArgMax => unreachable!("`{}` has no moments", op.name()),
    };
    Ok(if count as u64 >= least { Cell::of(Scalar::F64(result)) } else { Cell::NULL })
}
