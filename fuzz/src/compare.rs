//! Compares the answer of a query with the answer of the reference.

use crate::program::{Operation, Program, StepKind};
use crate::reference::Expected;
use crate::reference::elementary::{ulps_allowed, ulps_between};
use crate::typed::Found;
use crate::value::{Value, show};
use pointsman::{Error, ErrorKind};

/// How far each column may be from the reference, in units of the last place; 0 for the same bits.
pub(crate) fn tolerances(program: &Program) -> Vec<u64> {
    let last = &program.steps[program.steps.len() - 1];
    let StepKind::Map { outputs, .. } = &last.kind else { return Vec::new() };
    let tolerance = |&node: &usize| match last.nodes[node].operation {
        Operation::Elementary(function, ..) => ulps_allowed(function, last.nodes[node].ty),
        _ => 0,
    };
    outputs.iter().map(tolerance).collect()
}

/// What is wrong with an answer, if anything is.
pub(crate) fn difference(expected: &Expected, got: &Result<Found, Error>, tolerances: &[u64]) -> Option<String> {
    match (expected, got) {
        (Expected::Columns(expected), Ok(found)) => columns_difference(expected, found, tolerances),
        (Expected::Fault(rows), Err(error)) if error.kind() == ErrorKind::Arithmetic => {
            (!rows.contains(&error.row())).then(|| format!("a fault in row {rows:?} is reported as {error:?}"))
        }
        (Expected::Fault(rows), Ok(_)) => Some(format!("a fault in row {rows:?} is missing")),
        (Expected::Fault(rows), Err(error)) => Some(format!("instead of a fault in row {rows:?}: {error:?}")),
        (Expected::Columns(_), Err(error)) => Some(format!("an unexpected error: {error:?}")),
    }
}

fn columns_difference(expected: &[Vec<Option<Value>>], found: &Found, tolerances: &[u64]) -> Option<String> {
    if found.dirty_nulls > 0 {
        return Some(format!("{} null slots do not hold zero", found.dirty_nulls));
    }
    if expected.len() != found.columns.len() {
        return Some(format!("{} columns instead of {}", found.columns.len(), expected.len()));
    }
    for (number, (expected, found)) in expected.iter().zip(&found.columns).enumerate() {
        if expected.len() != found.len() {
            return Some(format!("column {number} has {} rows instead of {}", found.len(), expected.len()));
        }
        let tolerance = tolerances.get(number).copied().unwrap_or(0);
        let differs = |(expected, found): (&Option<Value>, &Option<Value>)| !is_near(*expected, *found, tolerance);
        if let Some(row) = expected.iter().zip(found).position(differs) {
            let (expected, found) = (show(expected[row]), show(found[row]));
            return Some(format!("column {number}, row {row}: {found} instead of {expected}"));
        }
    }
    None
}

fn is_near(expected: Option<Value>, found: Option<Value>, tolerance: u64) -> bool {
    match (expected, found) {
        (Some(expected), Some(found)) if expected.bits() == found.bits() => true,
        (Some(expected), Some(found)) => tolerance > 0 && ulps_between(expected, found) <= tolerance,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}
