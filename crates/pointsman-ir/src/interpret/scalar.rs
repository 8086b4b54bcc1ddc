//! Every operation on scalars: in go an operation and its operands, out comes a value, null, or the kind of fault.
//!
//! Operands that are not needed (see `Op::need`) may be given as null. Strict operations give null where an operand is
//! null, and never fault there. Floats follow IEEE-754; the bits of a NaN mean nothing until it leaves a kernel.

use super::casts;
use super::fault::FaultKind;
use super::order;
use crate::op::{CoreOp, Lowering, Op};
use crate::types::{DType, Scalar, Type};
use std::cmp::Ordering;

/// The operation's value on these operands.
pub fn call(op: Op, args: &[Option<Scalar>], arg_types: &[Type], result: Type) -> Result<Option<Scalar>, FaultKind> {
    match op.lowering() {
        Lowering::Core(core) => call_core(core, args, arg_types, result),
        // Kernels are decomposed before they run, so only constants come here.
        Lowering::Composite(_) => Ok(crate::decompose::value(op, args, arg_types, result)),
    }
}

fn call_core(
    op: CoreOp,
    args: &[Option<Scalar>],
    arg_types: &[Type],
    result: Type,
) -> Result<Option<Scalar>, FaultKind> {
    match op {
        CoreOp::Add => binary(args, |a, b| arithmetic(&ADD, a, b, result)),
        CoreOp::Sub => binary(args, |a, b| arithmetic(&SUB, a, b, result)),
        CoreOp::Mul => binary(args, |a, b| arithmetic(&MUL, a, b, result)),
        CoreOp::Div => binary(args, divide),
        CoreOp::Rem => binary(args, remainder),
        CoreOp::CheckedAdd => binary(args, |a, b| checked(&ADD, a, b)),
        CoreOp::CheckedSub => binary(args, |a, b| checked(&SUB, a, b)),
        CoreOp::CheckedMul => binary(args, |a, b| checked(&MUL, a, b)),
        CoreOp::Neg => unary(args, |a| float_or(a, |v| -v, |v| -v, i128::wrapping_neg)),
        CoreOp::Abs => unary(args, |a| float_or(a, f32::abs, f64::abs, i128::wrapping_abs)),
        CoreOp::Sign => unary(args, |a| sign(a, result.dtype)),
        CoreOp::Sqrt => unary(args, |a| float(a, f32::sqrt, f64::sqrt)),
        CoreOp::Floor => unary(args, |a| float(a, f32::floor, f64::floor)),
        CoreOp::Ceil => unary(args, |a| float(a, f32::ceil, f64::ceil)),
        CoreOp::Round => unary(args, |a| float(a, f32::round, f64::round)),
        CoreOp::Trunc => unary(args, |a| float(a, f32::trunc, f64::trunc)),
        CoreOp::Fma => ternary(args, fma),
        CoreOp::Least => binary(args, |a, b| Ok(order::least(a, b))),
        CoreOp::Greatest => binary(args, |a, b| Ok(order::greatest(a, b))),
        CoreOp::Clamp => ternary(args, |a, low, high| order::least(order::greatest(a, low), high)),
        CoreOp::Eq => comparison(args, Ordering::is_eq),
        CoreOp::Ne => comparison(args, Ordering::is_ne),
        CoreOp::Lt => comparison(args, Ordering::is_lt),
        CoreOp::Le => comparison(args, Ordering::is_le),
        CoreOp::Gt => comparison(args, Ordering::is_gt),
        CoreOp::Ge => comparison(args, Ordering::is_ge),
        CoreOp::And => Ok(either(args[0], args[1], false)),
        CoreOp::Or => Ok(either(args[0], args[1], true)),
        CoreOp::Not => unary(args, |a| Scalar::Bool(a != Scalar::Bool(true))),
        CoreOp::BitAnd => bits(args, |a, b| a & b),
        CoreOp::BitOr => bits(args, |a, b| a | b),
        CoreOp::BitXor => bits(args, |a, b| a ^ b),
        CoreOp::BitNot => unary(args, |a| Scalar::from_bits(a.repr(), !a.bits())),
        CoreOp::Shl => binary(args, |a, b| Ok(Scalar::from_bits(a.repr(), a.bits() << shift_amount(a, b)))),
        CoreOp::Shr => binary(args, |a, b| Ok(Scalar::from_bits(a.repr(), (integer(a) >> shift_amount(a, b)) as u128))),
        CoreOp::Select => Ok(if is_true(args[0]) { args[1] } else { args[2] }),
        CoreOp::Coalesce => Ok(args[0].or(args[1])),
        CoreOp::IsNull => Ok(Some(Scalar::Bool(args[0].is_none()))),
        CoreOp::IsNan => unary(args, |a| Scalar::Bool(is_nan(a))),
        CoreOp::Cast => match args[0] {
            None => Ok(None),
            Some(value) => match casts::convert(value, arg_types[0].dtype, result.dtype) {
                casts::Converted::Fits(value) => Ok(Some(value)),
                casts::Converted::Nearest(_) => Err(FaultKind::CastOutOfRange),
            },
        },
        CoreOp::CastSaturating => unary(args, |a| match casts::convert(a, arg_types[0].dtype, result.dtype) {
            casts::Converted::Fits(value) | casts::Converted::Nearest(value) => value,
        }),
        CoreOp::Reinterpret => unary(args, |a| Scalar::from_bits(result.dtype.repr(), a.canonical().bits())),
    }
}

/// Whether a truth value is true (null is not).
pub(super) fn is_true(value: Option<Scalar>) -> bool {
    matches!(value, Some(Scalar::Bool(true)))
}

/// The integer behind a value that the types say is one.
pub(super) fn integer(value: Scalar) -> i128 {
    value.as_integer().expect("the typing rules let only integers, decimals, dates and codes come here")
}

/// `10^digits`; `digits` is at most the most digits a decimal may have.
pub(super) const fn power_of_ten(digits: u8) -> i128 {
    10i128.pow(digits as u32)
}

/// One of addition, subtraction and multiplication, for every representation.
struct Arithmetic {
    wrapping: fn(i128, i128) -> i128,
    exact: fn(i128, i128) -> Option<i128>,
    single: fn(f32, f32) -> f32,
    double: fn(f64, f64) -> f64,
}

const ADD: Arithmetic =
    Arithmetic { wrapping: i128::wrapping_add, exact: i128::checked_add, single: |a, b| a + b, double: |a, b| a + b };
const SUB: Arithmetic =
    Arithmetic { wrapping: i128::wrapping_sub, exact: i128::checked_sub, single: |a, b| a - b, double: |a, b| a - b };
const MUL: Arithmetic =
    Arithmetic { wrapping: i128::wrapping_mul, exact: i128::checked_mul, single: |a, b| a * b, double: |a, b| a * b };

fn arithmetic(with: &Arithmetic, a: Scalar, b: Scalar, result: Type) -> Result<Scalar, FaultKind> {
    match (a, b, result.dtype) {
        (Scalar::F32(a), Scalar::F32(b), _) => Ok(Scalar::F32((with.single)(a, b))),
        (Scalar::F64(a), Scalar::F64(b), _) => Ok(Scalar::F64((with.double)(a, b))),
        (a, b, DType::Decimal { precision, .. }) => (with.exact)(integer(a), integer(b))
            .filter(|value| value.unsigned_abs() < power_of_ten(precision).unsigned_abs())
            .and_then(|value| Scalar::from_integer(result.dtype.repr(), value))
            .ok_or(FaultKind::Overflow),
        // Computed wide and cut to the width: the low bits of a wrapped sum, difference or product are right.
        (a, b, _) => Ok(Scalar::from_bits(a.repr(), (with.wrapping)(integer(a), integer(b)) as u128)),
    }
}

fn checked(with: &Arithmetic, a: Scalar, b: Scalar) -> Result<Scalar, FaultKind> {
    let exact = (with.exact)(integer(a), integer(b));
    exact.and_then(|value| Scalar::from_integer(a.repr(), value)).ok_or(FaultKind::Overflow)
}

fn divide(a: Scalar, b: Scalar) -> Result<Scalar, FaultKind> {
    match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) => Ok(Scalar::F32(a / b)),
        (Scalar::F64(a), Scalar::F64(b)) => Ok(Scalar::F64(a / b)),
        (a, b) => {
            let quotient = integer(a).checked_div(integer(b)).ok_or(FaultKind::DivisionByZero)?;
            Scalar::from_integer(a.repr(), quotient).ok_or(FaultKind::Overflow)
        }
    }
}

fn remainder(a: Scalar, b: Scalar) -> Result<Scalar, FaultKind> {
    match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) => Ok(Scalar::F32(a % b)),
        (Scalar::F64(a), Scalar::F64(b)) => Ok(Scalar::F64(a % b)),
        (a, b) => {
            let rest = integer(a).checked_rem(integer(b)).ok_or(FaultKind::DivisionByZero)?;
            Ok(Scalar::from_bits(a.repr(), rest as u128))
        }
    }
}

fn sign(a: Scalar, dtype: DType) -> Scalar {
    match (a, dtype) {
        (Scalar::F32(v), _) => Scalar::F32(if v == 0.0 || v.is_nan() { v } else { 1f32.copysign(v) }),
        (Scalar::F64(v), _) => Scalar::F64(if v == 0.0 || v.is_nan() { v } else { 1f64.copysign(v) }),
        (a, DType::Decimal { precision, scale }) => {
            let one = power_of_ten(scale).min(power_of_ten(precision) - 1);
            Scalar::from_bits(a.repr(), (integer(a).signum() * one) as u128)
        }
        (a, _) => Scalar::from_bits(a.repr(), integer(a).signum() as u128),
    }
}

fn fma(a: Scalar, b: Scalar, c: Scalar) -> Scalar {
    match (a, b, c) {
        (Scalar::F32(a), Scalar::F32(b), Scalar::F32(c)) => Scalar::F32(a.mul_add(b, c)),
        (Scalar::F64(a), Scalar::F64(b), Scalar::F64(c)) => Scalar::F64(a.mul_add(b, c)),
        (a, _, _) => unreachable!("the typing rules let only floats into fma, not {a}"),
    }
}

fn is_nan(a: Scalar) -> bool {
    if let Scalar::F32(v) = a { v.is_nan() } else { matches!(a, Scalar::F64(v) if v.is_nan()) }
}

/// Three-valued and (`decisive` false) and or (`decisive` true): the decisive value wins, then null.
fn either(a: Option<Scalar>, b: Option<Scalar>, decisive: bool) -> Option<Scalar> {
    let decided = Some(Scalar::Bool(decisive));
    if a == decided || b == decided { decided } else { a.and(b) }
}

/// The amount of a shift of `a` by `b`: `b` modulo the width, which is a power of two.
fn shift_amount(a: Scalar, b: Scalar) -> u32 {
    (b.bits() % (8 * a.repr().bytes() as u128)) as u32
}

fn float(a: Scalar, single: fn(f32) -> f32, double: fn(f64) -> f64) -> Scalar {
    float_or(a, single, double, |v| unreachable!("the typing rules let only floats come here, not {v}"))
}

/// A float function, or an integer one cut to the operand's width.
fn float_or(a: Scalar, single: fn(f32) -> f32, double: fn(f64) -> f64, whole: fn(i128) -> i128) -> Scalar {
    if let Scalar::F32(v) = a {
        Scalar::F32(single(v))
    } else if let Scalar::F64(v) = a {
        Scalar::F64(double(v))
    } else {
        Scalar::from_bits(a.repr(), whole(integer(a)) as u128)
    }
}

fn unary(args: &[Option<Scalar>], f: impl FnOnce(Scalar) -> Scalar) -> Result<Option<Scalar>, FaultKind> {
    Ok(args[0].map(f))
}

fn binary(
    args: &[Option<Scalar>],
    f: impl FnOnce(Scalar, Scalar) -> Result<Scalar, FaultKind>,
) -> Result<Option<Scalar>, FaultKind> {
    match (args[0], args[1]) {
        (Some(a), Some(b)) => f(a, b).map(Some),
        _ => Ok(None),
    }
}

fn ternary(
    args: &[Option<Scalar>],
    f: impl FnOnce(Scalar, Scalar, Scalar) -> Scalar,
) -> Result<Option<Scalar>, FaultKind> {
    match (args[0], args[1], args[2]) {
        (Some(a), Some(b), Some(c)) => Ok(Some(f(a, b, c))),
        _ => Ok(None),
    }
}

fn comparison(args: &[Option<Scalar>], holds: fn(Ordering) -> bool) -> Result<Option<Scalar>, FaultKind> {
    binary(args, |a, b| Ok(Scalar::Bool(holds(order::compare(a, b)))))
}

fn bits(args: &[Option<Scalar>], f: fn(u128, u128) -> u128) -> Result<Option<Scalar>, FaultKind> {
    binary(args, |a, b| Ok(Scalar::from_bits(a.repr(), f(a.bits(), b.bits()))))
}
