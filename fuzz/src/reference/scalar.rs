//! What one operation does with values that are not null, written from docs/semantics.md: a value, or a fault.

use crate::program::{Binary, Overflow, Unary};
use crate::value::{Type, Value};
use std::cmp::Ordering;

/// A row that has no value: a division by zero, an overflow, a cast out of range, an index out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault;

type Outcome = Result<Value, Fault>;

const MICROSECONDS_PER_DAY: i128 = 86_400_000_000;

/// An operation on one operand.
pub(crate) fn unary(op: Unary, ty: Type, x: Value) -> Value {
    match (op, x) {
        (Unary::Not, x) => Value::Bool(!x.truth()),
        (Unary::BitNot, x) => ty.wrap(!x.int()),
        (Unary::IsNan, Value::F32(x)) => Value::Bool(x.is_nan()),
        (Unary::IsNan, Value::F64(x)) => Value::Bool(x.is_nan()),
        (Unary::Neg, Value::Int(x)) => ty.wrap(-x),
        (Unary::Abs, Value::Int(x)) => ty.wrap(x.abs()),
        (Unary::Sign, Value::Int(x)) => Value::Int(x.signum()),
        (op, Value::F32(x)) => Value::F32(float_unary(op, f64::from(x)) as f32),
        (op, Value::F64(x)) => Value::F64(float_unary(op, x)),
        (op, x) => unreachable!("{op:?} of {x:?}"),
    }
}

/// All of these give an `f32` where their operand is one, except for the square root: rounding it twice, from `f32` to
/// `f64` and back, is known to be harmless.
fn float_unary(op: Unary, x: f64) -> f64 {
    match op {
        Unary::Neg => -x,
        Unary::Abs => x.abs(),
        Unary::Sign if x == 0.0 || x.is_nan() => x,
        Unary::Sign => 1f64.copysign(x),
        Unary::Sqrt => x.sqrt(),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Round => x.round(),
        Unary::Trunc => x.trunc(),
        Unary::Not | Unary::BitNot | Unary::IsNull | Unary::IsNan => unreachable!("{op:?} gives no float"),
    }
}

/// An operation on two operands of the type `operand`, which needs both.
pub(crate) fn binary(op: Binary, operand: Type, x: Value, y: Value) -> Outcome {
    Ok(match op {
        Binary::Eq => Value::Bool(compare(x, y) == Ordering::Equal),
        Binary::Ne => Value::Bool(compare(x, y) != Ordering::Equal),
        Binary::Lt => Value::Bool(compare(x, y) == Ordering::Less),
        Binary::Le => Value::Bool(compare(x, y) != Ordering::Greater),
        Binary::Gt => Value::Bool(compare(x, y) == Ordering::Greater),
        Binary::Ge => Value::Bool(compare(x, y) != Ordering::Less),
        Binary::Least => least(x, y),
        Binary::Greatest => greatest(x, y),
        Binary::And | Binary::Or | Binary::Coalesce => unreachable!("{op:?} does not need both operands"),
        op => match (x, y) {
            (Value::Int(x), Value::Int(y)) => return integers(op, operand, x, y),
            (Value::F32(x), Value::F32(y)) => Value::F32(match op {
                Binary::Add => x + y,
                Binary::Sub => x - y,
                Binary::Mul => x * y,
                Binary::Div => x / y,
                _ => x % y,
            }),
            (Value::F64(x), Value::F64(y)) => Value::F64(match op {
                Binary::Add => x + y,
                Binary::Sub => x - y,
                Binary::Mul => x * y,
                Binary::Div => x / y,
                _ => x % y,
            }),
            (x, y) => unreachable!("{op:?} of {x:?} and {y:?}"),
        },
    })
}

fn integers(op: Binary, ty: Type, x: i128, y: i128) -> Outcome {
    let (low, high) = ty.range();
    let fits = |exact: Option<i128>| exact.filter(|exact| (low..=high).contains(exact)).map(Value::Int).ok_or(Fault);
    let amount = (y & i128::from(ty.bits() - 1)) as u32;
    Ok(match op {
        Binary::Add => ty.wrap(x + y),
        Binary::Sub => ty.wrap(x - y),
        Binary::Mul => ty.wrap(x.wrapping_mul(y)),
        Binary::CheckedAdd => return fits(Some(x + y)),
        Binary::CheckedSub => return fits(Some(x - y)),
        Binary::CheckedMul => return fits(x.checked_mul(y)),
        Binary::Div => return fits(x.checked_div(y)),
        Binary::Rem => return x.checked_rem(y).map(Value::Int).ok_or(Fault),
        Binary::BitAnd => ty.wrap(x & y),
        Binary::BitOr => ty.wrap(x | y),
        Binary::BitXor => ty.wrap(x ^ y),
        Binary::Shl => ty.wrap(x << amount),
        Binary::Shr => ty.wrap(x >> amount),
        op => unreachable!("{op:?} of integers"),
    })
}

/// A number for every float, so that numbers are ordered like floats: NaN on top, −0 right below +0.
fn rank(x: Value) -> (bool, f64, bool) {
    let x = match x {
        Value::F32(x) => f64::from(x),
        Value::F64(x) => x,
        x => unreachable!("{x:?} is not a float"),
    };
    if x.is_nan() { (true, 0.0, true) } else { (false, x, !x.is_sign_negative()) }
}

/// The order of comparisons: a NaN equals itself and is above all others, −0 equals +0.
fn compare(x: Value, y: Value) -> Ordering {
    match (x, y) {
        (Value::Bool(x), Value::Bool(y)) => x.cmp(&y),
        (Value::Int(x), Value::Int(y)) => x.cmp(&y),
        (x, y) => {
            let ((x_nan, x, _), (y_nan, y, _)) = (rank(x), rank(y));
            x_nan.cmp(&y_nan).then(x.partial_cmp(&y).unwrap_or(Ordering::Equal))
        }
    }
}

/// The order of minima and maxima, in which −0 is below +0.
fn total_order(x: Value, y: Value) -> Ordering {
    match (x, y) {
        (Value::F32(_), Value::F32(_)) | (Value::F64(_), Value::F64(_)) => {
            compare(x, y).then(rank(x).2.cmp(&rank(y).2))
        }
        (x, y) => compare(x, y),
    }
}

pub(crate) fn least(x: Value, y: Value) -> Value {
    if total_order(y, x) == Ordering::Less { y } else { x }
}

pub(crate) fn greatest(x: Value, y: Value) -> Value {
    if total_order(y, x) == Ordering::Greater { y } else { x }
}

/// `x * y + z`, rounded once.
pub(crate) fn fma(x: Value, y: Value, z: Value) -> Value {
    match (x, y, z) {
        (Value::F32(x), Value::F32(y), Value::F32(z)) => Value::F32(x.mul_add(y, z)),
        (Value::F64(x), Value::F64(y), Value::F64(z)) => Value::F64(x.mul_add(y, z)),
        (x, y, z) => unreachable!("fma of {x:?}, {y:?} and {z:?}"),
    }
}

/// A conversion.
pub(crate) fn cast(overflow: Overflow, from: Type, to: Type, x: Value) -> Outcome {
    let exact = match (x, from, to) {
        (x, from, to) if from == to => return Ok(x),
        (Value::Bool(x), ..) => i128::from(x),
        (Value::Int(days), Type::Date, Type::Timestamp) => days * MICROSECONDS_PER_DAY,
        (Value::Int(time), Type::Timestamp, Type::Date) => time.div_euclid(MICROSECONDS_PER_DAY),
        (Value::Int(x), ..) => x,
        (Value::F32(x), _, Type::F64) => return Ok(Value::F64(f64::from(x))),
        (Value::F64(x), _, Type::F32) => return Ok(Value::F32(x as f32)),
        (Value::F32(x), ..) => return float_to_integer(overflow, to, f64::from(x)),
        (Value::F64(x), ..) => return float_to_integer(overflow, to, x),
    };
    match to {
        Type::F32 => Ok(Value::F32(exact as f32)),
        Type::F64 => Ok(Value::F64(exact as f64)),
        to => into_range(overflow, to, exact),
    }
}

fn into_range(overflow: Overflow, to: Type, exact: i128) -> Outcome {
    let (low, high) = to.range();
    match overflow {
        Overflow::Saturates => Ok(Value::Int(exact.clamp(low, high))),
        Overflow::Faults if (low..=high).contains(&exact) => Ok(Value::Int(exact)),
        Overflow::Faults => Err(Fault),
    }
}

fn float_to_integer(overflow: Overflow, to: Type, x: f64) -> Outcome {
    match overflow {
        Overflow::Faults if x.is_nan() => Err(Fault),
        // `as` truncates, saturates far outside of every type, and makes NaN zero.
        Overflow::Faults | Overflow::Saturates => into_range(overflow, to, x as i128),
    }
}
