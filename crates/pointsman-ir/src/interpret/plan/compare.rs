//! Whether a result is one that a plan may have. In: what a plan means, and what a run gave. Out: how they agree, or where
//! they differ.

use super::cell::{Cell, Near};
use super::{Reference, Stop};
use crate::data::TableData;
use crate::interpret::PlanFault;
use crate::types::Scalar;

/// How a run agrees with a plan's meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The rows are equal, float sums without places within their bound.
    Equal,
    /// The plan may fault, and the run did, or did without the value.
    Fault,
    /// Which rows there are depends on bits that are known within a bound alone.
    Undetermined,
}

impl Reference {
    /// The fault or error that a run must give, unless it does without the value that faults.
    pub fn fault(&self) -> Option<&PlanFault> {
        match &self.outcome {
            Err(Stop::Fault(fault)) => Some(fault),
            Err(Stop::Undetermined) | Ok(_) => None,
        }
    }

    /// Whether a run may fault.
    pub fn may_fault(&self) -> bool {
        self.may_fault || self.outcome.is_err()
    }

    /// Compares a run's result.
    pub fn compare(&self, found: &Result<TableData, PlanFault>) -> Result<Comparison, String> {
        let rows = match &self.outcome {
            Err(Stop::Undetermined) => return Ok(Comparison::Undetermined),
            Err(Stop::Fault(_)) => return Ok(Comparison::Fault),
            Ok(rows) => rows,
        };
        let table = match found {
            Err(_) if self.may_fault => return Ok(Comparison::Fault),
            Err(fault) => return Err(format!("the run faults, but nothing may: {fault}")),
            Ok(table) => table,
        };
        if table.types() != self.types {
            return Err(format!("columns of {:?}, not {:?}", table.types(), self.types));
        }
        if table.rows != rows.len() {
            return Err(format!("{} rows, not {}", table.rows, rows.len()));
        }
        for (number, row) in rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                let value = table.columns[column].get(number);
                if !agrees(cell, value) {
                    return Err(format!("row {number}, column {column}: {}, not {}", show(value), show_cell(cell)));
                }
            }
        }
        Ok(Comparison::Equal)
    }
}

fn agrees(cell: &Cell, found: Option<Scalar>) -> bool {
    match cell {
        Cell::Value(value) => *value == found,
        Cell::Near(Near { value, error }) => {
            found == Some(*value) || found.is_some_and(|found| (double(found) - double(*value)).abs() <= *error)
        }
        Cell::Unknown => true,
        Cell::Fault { .. } => false,
    }
}

fn double(value: Scalar) -> f64 {
    if let Scalar::F32(value) = value {
        return value.into();
    }
    if let Scalar::F64(value) = value { value } else { f64::NAN }
}

fn show(value: Option<Scalar>) -> String {
    value.map_or_else(|| "null".to_string(), |value| value.to_string())
}

fn show_cell(cell: &Cell) -> String {
    match cell {
        Cell::Value(value) => show(*value),
        Cell::Near(Near { value, error }) => format!("{value} ± {error:e}"),
        Cell::Unknown => "anything".to_string(),
        Cell::Fault { fault, .. } => format!("a fault ({fault})"),
    }
}
