//! What can go wrong in a row: the kinds of fault, and the message that names the operation and its operands.

use crate::kernel::call::CallMismatch;
use crate::op::Op;
use crate::types::{DType, Scalar, Type};
use std::fmt;

/// Why a value could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// An integer divided by zero.
    DivisionByZero,
    /// A result that its type cannot hold.
    Overflow,
    /// A cast of a value that the target type cannot hold.
    CastOutOfRange,
    /// A position outside a captured table, or a row outside another table.
    IndexOutOfBounds,
    /// A sum that its type cannot hold.
    SumOutOfRange,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::DivisionByZero => "division by zero",
            FaultKind::Overflow => "overflow",
            FaultKind::CastOutOfRange => "the value is out of range",
            FaultKind::IndexOutOfBounds => "index out of bounds",
            FaultKind::SumOutOfRange => "the sum is out of range",
        })
    }
}

/// A value that was needed and could not be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub kind: FaultKind,
    /// The number of the row in its source; `None` for a fold over many rows.
    pub row: Option<u64>,
    /// The operation with its operands, and what is wrong with them.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.row {
            Some(row) => write!(f, " (in row {row})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}

/// Why a plan has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanFault {
    /// A value of a row could not be computed.
    Row(Fault),
    /// What a scalar is taken from has several rows.
    ScalarRows {
        /// How many.
        rows: usize,
    },
    /// A cross join of too many pairs.
    PairLimit {
        /// How many there would be.
        pairs: u128,
        /// How many are allowed.
        pairs_max: u64,
    },
    /// A library call over rows or a captured table that it cannot take.
    Call(CallMismatch),
}

impl fmt::Display for PlanFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanFault::Row(fault) => fault.fmt(f),
            PlanFault::ScalarRows { rows } => write!(f, "a scalar is taken from {rows} rows: it needs one at most"),
            PlanFault::PairLimit { pairs, pairs_max } => {
                write!(f, "a cross join of {pairs} pairs: at most {pairs_max} are allowed")
            }
            PlanFault::Call(mismatch) => mismatch.fmt(f),
        }
    }
}

impl std::error::Error for PlanFault {}

impl From<CallMismatch> for PlanFault {
    fn from(mismatch: CallMismatch) -> PlanFault {
        PlanFault::Call(mismatch)
    }
}

impl From<Fault> for PlanFault {
    fn from(fault: Fault) -> PlanFault {
        PlanFault::Row(fault)
    }
}

impl Fault {
    /// A fault of an operation on these operands.
    pub(super) fn of_call(
        kind: FaultKind,
        row: u64,
        op: Op,
        args: &[Option<Scalar>],
        types: &[Type],
        to: Type,
    ) -> Fault {
        let operands: Vec<String> = args.iter().zip(types).map(|(&value, ty)| show(value, ty.dtype)).collect();
        let what = match (sign_of(op), operands.as_slice()) {
            (Some(sign), [a, b]) => format!("{a} {sign} {b}"),
            (_, [a]) if op.is_cast() => format!("{}({a} to {})", op.name(), to.dtype),
            (_, operands) => format!("{}({})", op.name(), operands.join(", ")),
        };
        Fault { kind, row: Some(row), message: format!("{what}: {kind}") }
    }

    /// A position outside a table of `length`.
    pub(super) fn of_index(row: u64, what: &str, index: u64, length: usize) -> Fault {
        let kind = FaultKind::IndexOutOfBounds;
        Fault { kind, row: Some(row), message: format!("{what} {index} of {length}: {kind}") }
    }

    /// A sum that does not fit its type.
    pub(super) fn of_sum(ty: Type) -> Fault {
        let kind = FaultKind::SumOutOfRange;
        Fault { kind, row: None, message: format!("sum of {}: {kind}", ty.dtype) }
    }
}

/// The sign that users write for an operation that can fault.
fn sign_of(op: Op) -> Option<&'static str> {
    let signs = [
        (Op::Add, "+"),
        (Op::Sub, "-"),
        (Op::Mul, "*"),
        (Op::Div, "/"),
        (Op::Rem, "%"),
        (Op::CheckedAdd, "+"),
        (Op::CheckedSub, "-"),
        (Op::CheckedMul, "*"),
    ];
    signs.iter().find(|(of, _)| *of == op).map(|(_, sign)| *sign)
}

/// A value as users know it: decimals with their point.
fn show(value: Option<Scalar>, dtype: DType) -> String {
    match (value, dtype) {
        (None, _) => "null".to_string(),
        (Some(value), DType::Decimal { scale, .. }) if scale > 0 => {
            let unscaled = value.as_integer().unwrap_or(0);
            let digits = format!("{:0width$}", unscaled.unsigned_abs(), width = scale as usize + 1);
            let (whole, part) = digits.split_at(digits.len() - scale as usize);
            format!("{}{whole}.{part}", if unscaled < 0 { "-" } else { "" })
        }
        (Some(value), _) => value.to_string(),
    }
}
