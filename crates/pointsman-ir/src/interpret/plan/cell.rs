//! A value of a plan's table, faults and all. In: an operation and its operands as cells. Out: the result as a cell. A fault is
//! a value like any other, so that it comes up only where something needs it.

use super::super::fault::Fault;
use super::super::scalar::{self, is_true};
use crate::op::Op;
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// One value of a row.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    /// A value, or null.
    Value(Option<Scalar>),
    /// A float sum whose rows have no fixed places: every plan is within this error of it.
    Near(Near),
    /// It depends on the bits of such a sum.
    Unknown,
    /// It cannot be computed.
    Fault {
        /// Why.
        fault: Rc<Fault>,
        /// Whether it is null, which may be known although the value is not.
        null: Option<bool>,
    },
}

/// A float and how far off it may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) value: Scalar,
    pub(super) error: f64,
}

impl Cell {
    pub(super) const NULL: Cell = Cell::Value(None);

    pub(super) fn of(value: Scalar) -> Cell {
        Cell::Value(Some(value.canonical()))
    }

    pub(super) fn is_fault(&self) -> bool {
        matches!(self, Cell::Fault { .. })
    }

    /// Whether it is null, if that is known.
    pub(super) fn null(&self) -> Option<bool> {
        match self {
            Cell::Value(value) => Some(value.is_none()),
            Cell::Near(_) => Some(false),
            Cell::Unknown => None,
            Cell::Fault { null, .. } => *null,
        }
    }

    /// The same fault in another value.
    fn faulty(&self, null: Option<bool>) -> Cell {
        match self {
            Cell::Fault { fault, .. } => Cell::Fault { fault: fault.clone(), null },
            Cell::Value(_) | Cell::Near(_) | Cell::Unknown => Cell::Unknown,
        }
    }
}

/// The operation on these operands, in a row with this number.
pub(super) fn call(op: Op, args: &[Cell], types: &[Type], result: Type, row: u64) -> Cell {
    let cell = match (op, args) {
        (Op::And, [a, b]) => logic(op, a, b, false, types, result),
        (Op::Or, [a, b]) => logic(op, a, b, true, types, result),
        (Op::Select, [condition, a, b]) => select(condition, a, b),
        (Op::Coalesce, [a, b]) => coalesce(a, b),
        (Op::IsNull, [a]) => match (a, a.null()) {
            (_, Some(null)) => Cell::of(Scalar::Bool(null)),
            (a, None) => a.faulty(Some(false)),
        },
        (op, args) => strict(op, args, types, result, row),
    };
    match cell {
        // What has no nulls is not null, whatever it is.
        Cell::Fault { fault, .. } if !result.nullable => Cell::Fault { fault, null: Some(false) },
        cell @ (Cell::Value(_) | Cell::Near(_) | Cell::Unknown | Cell::Fault { .. }) => cell,
    }
}

/// An operation that needs all of its operands, and is null if one of them is.
fn strict(op: Op, args: &[Cell], types: &[Type], result: Type, row: u64) -> Cell {
    if let Some(fault) = args.iter().find(|arg| arg.is_fault()) {
        let any_null = args.iter().any(|arg| arg.null() == Some(true));
        let all_known = args.iter().all(|arg| arg.null().is_some());
        return fault.faulty(if any_null { Some(true) } else { all_known.then_some(false) });
    }
    if args.iter().any(|arg| arg.null() == Some(true)) {
        return Cell::NULL;
    }
    let mut operands = Vec::with_capacity(args.len());
    for arg in args {
        let Cell::Value(value) = arg else { return Cell::Unknown };
        operands.push(*value);
    }
    match scalar::call(op, &operands, types, result) {
        Ok(value) => Cell::Value(value.map(Scalar::canonical)),
        Err(kind) => {
            Cell::Fault { fault: Rc::new(Fault::of_call(kind, row, op, &operands, types, result)), null: Some(false) }
        }
    }
}

/// `and` and `or`: the second operand is not needed where the first decides.
fn logic(op: Op, a: &Cell, b: &Cell, decides: bool, types: &[Type], result: Type) -> Cell {
    let decided = Some(Scalar::Bool(decides));
    match (a, b) {
        (Cell::Value(value), _) if *value == decided => Cell::Value(decided),
        (Cell::Value(first), Cell::Value(second)) => {
            let value = scalar::call(op, &[*first, *second], types, result);
            Cell::Value(value.expect("logic never faults"))
        }
        (Cell::Unknown | Cell::Near(_), _) | (Cell::Value(_), Cell::Unknown | Cell::Near(_)) => Cell::Unknown,
        (Cell::Fault { .. }, other) => a.faulty(null_of_both(a, other)),
        (Cell::Value(_), Cell::Fault { .. }) => b.faulty(null_of_both(a, b)),
    }
}

/// What two operands agree on.
fn null_of_both(a: &Cell, b: &Cell) -> Option<bool> {
    a.null().filter(|null| b.null() == Some(*null))
}

fn select(condition: &Cell, a: &Cell, b: &Cell) -> Cell {
    match condition {
        Cell::Value(value) => {
            if is_true(*value) {
                a.clone()
            } else {
                b.clone()
            }
        }
        Cell::Fault { .. } => condition.faulty(null_of_both(a, b)),
        Cell::Near(_) | Cell::Unknown => Cell::Unknown,
    }
}

fn coalesce(a: &Cell, b: &Cell) -> Cell {
    match a {
        Cell::Value(None) => b.clone(),
        Cell::Value(Some(_)) | Cell::Near(_) | Cell::Unknown => a.clone(),
        Cell::Fault { null, .. } => match null {
            Some(false) => a.clone(),
            Some(true) => a.faulty(b.null()),
            None => a.faulty(b.null().filter(|null| !null)),
        },
    }
}
