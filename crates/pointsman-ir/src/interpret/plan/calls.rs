//! Library calls. In: a node's rows. Out: the results, each known to within what a device may be off.

use super::super::call::{self, CallResult, double, rounded, unit};
use super::cell::{Cell, Near};
use super::{PlanRun, Stop, Table};
use crate::body::{ListId, ValueId};
use crate::kernel::Call;
use crate::plan::NodeId;
use crate::types::Scalar;

pub(super) fn call(
    run: &PlanRun<'_>,
    input: NodeId,
    value: ValueId,
    call: &Call,
    table: Option<ListId>,
) -> Result<Table, Stop> {
    let cells: Vec<Cell> = run.evaluate(input, &[value]).into_iter().flatten().collect();
    if let Some(Cell::Fault { fault, .. }) = cells.iter().find(|cell| cell.is_fault()) {
        return Err(Stop::from((**fault).clone()));
    }
    let table: Vec<f64> = table.map_or_else(Vec::new, |table| {
        run.inputs.lists[table.index()].iter().map(|value| value.map_or(f64::NAN, double)).collect()
    });
    call.check_rows(cells.len() as u64, table.len() as u64).map_err(|mismatch| Stop::Fault(mismatch.into()))?;
    let numbers: Option<Vec<f64>> = cells.iter().map(known).collect();
    let dtype = run.plan.body.ty(value).dtype;
    let rows = match numbers {
        Some(numbers) => {
            let results = call::compute(call, &numbers, &table, unit(dtype));
            results.into_iter().map(|CallResult { value, error }| near(rounded(dtype, value), error)).collect()
        }
        None => vec![Cell::Unknown; (cells.len() as u64 / call.rows_in() * call.rows_out()) as usize],
    };
    Ok(Table::dense(rows.into_iter().map(|cell| vec![cell]).collect()))
}

/// The number, if its bits are known.
fn known(cell: &Cell) -> Option<f64> {
    if let Cell::Value(Some(value)) = cell { Some(double(*value)) } else { None }
}

fn near(value: Scalar, error: f64) -> Cell {
    if error.is_finite() { Cell::Near(Near { value, error }) } else { Cell::Unknown }
}
