//! Operations on whole rows: filters, sorts, limits, distinct. In: a node's rows and keys. Out: rows in their order.

use super::super::order;
use super::super::scalar::is_true;
use super::super::sinks::key_order;
use super::cell::Cell;
use super::{Places, PlanRun, Row, Stop, Table};
use crate::body::ValueId;
use crate::kernel::SortKey;
use crate::plan::NodeId;
use crate::types::Scalar;
use std::cmp::Ordering;
use std::collections::HashSet;

/// A cell that decides something: its value must be known.
pub(super) fn decided(cell: &Cell) -> Result<Option<Scalar>, Stop> {
    match cell {
        Cell::Value(value) => Ok(*value),
        Cell::Near(_) | Cell::Unknown => Err(Stop::Undetermined),
        Cell::Fault { fault, .. } => Err(Stop::from((**fault).clone())),
    }
}

/// Keys in their canonical form.
pub(super) fn keys(cells: &[Cell]) -> Result<Vec<Option<Scalar>>, Stop> {
    cells.iter().map(|cell| Ok(decided(cell)?.map(order::key))).collect()
}

pub(super) fn filter(input: &Table, predicates: &[Row]) -> Result<Table, Stop> {
    let (mut rows, mut kept) = (Vec::new(), Vec::new());
    for (number, (row, predicate)) in input.rows.iter().zip(predicates).enumerate() {
        if is_true(decided(&predicate[0])?) {
            rows.push(row.clone());
            kept.push(number);
        }
    }
    let places = match &input.places {
        Places::At(places) => Places::At(kept.into_iter().map(|row| places[row]).collect()),
        Places::Movable | Places::Open => Places::Open,
    };
    Ok(Table { rows, places })
}

pub(super) fn sort(run: &PlanRun<'_>, input: NodeId, keys: &[SortKey], count: Option<u64>) -> Result<Table, Stop> {
    let values: Vec<ValueId> = keys.iter().map(|key| key.value).collect();
    let mut sorted = Vec::new();
    for (row, cells) in run.table(input).rows.iter().zip(run.evaluate(input, &values)) {
        let values = cells.iter().map(decided).collect::<Result<Vec<_>, _>>()?;
        sorted.push((values, row.clone()));
    }
    sorted.sort_by(|(a, _), (b, _)| {
        let by_key = keys.iter().zip(a.iter().zip(b)).map(|(key, (a, b))| key_order(key, *a, *b));
        by_key.fold(Ordering::Equal, Ordering::then)
    });
    let rows = sorted.into_iter().map(|(_, row)| row);
    Ok(match count.map(|count| usize::try_from(count).unwrap_or(usize::MAX)) {
        Some(count) => Table::dense(rows.take(count).collect()),
        None => Table { rows: rows.collect(), places: Places::Movable },
    })
}

pub(super) fn limit(input: &Table, skip: u64, fetch: Option<u64>) -> Table {
    let whole = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
    Table::dense(input.rows.iter().skip(whole(skip)).take(fetch.map_or(usize::MAX, whole)).cloned().collect())
}

pub(super) fn distinct(input: &Table) -> Result<Table, Stop> {
    let (mut seen, mut rows) = (HashSet::new(), Vec::new());
    for row in &input.rows {
        let key = keys(row)?;
        if seen.insert(key.clone()) {
            rows.push(key.into_iter().map(Cell::Value).collect());
        }
    }
    Ok(Table { rows, places: Places::Movable })
}
