//! Lowers operations to steps: operands in slots become the slots of the result and, if the operation can fault, its
//! flags.

use super::block::cast::Misfit;
use super::block::decimal::power_of_ten;
use super::block::{Imm, StepFn, arithmetic, bytes, cast, compare, decimal};
use super::compile::{Lowering, internal, no_loop};
use super::program::{Slot, Value};
use crate::DeviceResult;
use pointsman_ir::op::CoreOp;
use pointsman_ir::types::{DType, Type};

/// A result and its flags.
type Result = DeviceResult<(Value, Option<Slot>)>;

/// Lowers an operation on these operands to a value of this type.
pub(super) fn lower(to: &mut Lowering<'_>, op: CoreOp, args: &[Value], ty: Type, faults: bool) -> Result {
    let level = to.level;
    let first = args[0].ty.dtype;
    let repr = first.repr();
    let f = match op {
        CoreOp::Add | CoreOp::Sub | CoreOp::Mul if first.is_decimal() => return decimals(to, op, args, ty),
        CoreOp::Add | CoreOp::Sub | CoreOp::Mul => arithmetic::ring(level, op, repr),
        CoreOp::Div => arithmetic::div(level, repr),
        CoreOp::Rem => arithmetic::rem(repr),
        CoreOp::CheckedAdd | CoreOp::CheckedSub | CoreOp::CheckedMul => arithmetic::checked(level, op, repr),
        CoreOp::Neg => arithmetic::neg(level, repr),
        CoreOp::Abs if is_unsigned(first) => return Ok((same(to, args[0], ty), None)),
        CoreOp::Abs => arithmetic::abs(level, repr),
        CoreOp::Sign if first.is_decimal() => return decimal_sign(to, args, ty),
        CoreOp::Sign => arithmetic::sign(level, repr),
        CoreOp::Sqrt | CoreOp::Floor | CoreOp::Ceil | CoreOp::Round | CoreOp::Trunc => {
            arithmetic::rounding(level, op, repr)
        }
        CoreOp::Fma => arithmetic::fma(level, repr),
        CoreOp::Least | CoreOp::Greatest => compare::choice(level, op, repr),
        CoreOp::Clamp => compare::clamp(level, repr),
        CoreOp::Eq | CoreOp::Ne | CoreOp::Lt | CoreOp::Le => compare::comparison(level, op, repr),
        CoreOp::Gt => return lower(to, CoreOp::Lt, &[args[1], args[0]], ty, faults),
        CoreOp::Ge => return lower(to, CoreOp::Le, &[args[1], args[0]], ty, faults),
        CoreOp::And | CoreOp::Or => return Ok((logic(to, op, args, ty), None)),
        CoreOp::Not => Some(bytes::not(level)),
        CoreOp::BitAnd | CoreOp::BitOr | CoreOp::BitXor => arithmetic::bits(level, op, repr),
        CoreOp::BitNot => arithmetic::bit_not(level, repr),
        CoreOp::Shl | CoreOp::Shr => arithmetic::shift(level, op, repr),
        CoreOp::Select => return Ok((select(to, args, ty), None)),
        CoreOp::Coalesce => return Ok((coalesce(to, args, ty), None)),
        CoreOp::IsNull => return Ok((is_null(to, args, ty), None)),
        CoreOp::IsNan => compare::is_nan(level, repr),
        CoreOp::Cast | CoreOp::CastSaturating => return conversion(to, op, args, ty, faults),
        CoreOp::Reinterpret => cast::reinterpret(level, repr, ty.dtype.repr()),
    };
    let f = f.ok_or_else(|| no_loop(op.name(), repr))?;
    Ok(strict(to, f, args, ty, faults, Imm::default()))
}

fn is_unsigned(dtype: DType) -> bool {
    dtype.is_integer() && !dtype.is_signed_integer()
}

/// The same values with another type.
fn same(to: &mut Lowering<'_>, value: Value, ty: Type) -> Value {
    let valid = if ty.nullable { value.valid.map(|slot| to.share(slot)) } else { None };
    Value { data: to.share(value.data), valid, ty }
}

/// Lowers an operation whose result is null if any operand is.
fn strict(to: &mut Lowering<'_>, f: StepFn, args: &[Value], ty: Type, faults: bool, imm: Imm) -> (Value, Option<Slot>) {
    let data = to.slot(ty.dtype.repr().bytes());
    let flag = faults.then(|| to.slot(1));
    let slots: Vec<Slot> = args.iter().map(|arg| arg.data).collect();
    to.call_with(f, &slots, data, flag, imm);
    let mut valid: Option<Slot> = None;
    for arg in args {
        let both = to.both(valid, arg.valid);
        if let Some(slot) = valid {
            to.release(slot);
        }
        valid = both;
    }
    let flag = flag.map(|flag| to.flag_where_valid(flag, valid));
    (Value { data, valid, ty }, flag)
}

fn decimals(to: &mut Lowering<'_>, op: CoreOp, args: &[Value], ty: Type) -> Result {
    let DType::Decimal { precision, .. } = ty.dtype else { return Err(internal("a sum of decimals is a decimal")) };
    let reprs = [args[0].ty.dtype.repr(), args[1].ty.dtype.repr()];
    let f = decimal::arithmetic(op, reprs[0], reprs[1], ty.dtype.repr());
    Ok(strict(to, f, args, ty, true, Imm { factor: 0, limit: power_of_ten(precision) - 1 }))
}

/// The sign of a decimal is ±1, or the nearest value that its digits can hold.
fn decimal_sign(to: &mut Lowering<'_>, args: &[Value], ty: Type) -> Result {
    let DType::Decimal { precision, scale } = ty.dtype else { return Err(internal("a decimal's sign is a decimal")) };
    let one = power_of_ten(scale).min(power_of_ten(precision) - 1);
    Ok(strict(to, decimal::sign(ty.dtype.repr()), args, ty, false, Imm { factor: one, limit: 0 }))
}

fn conversion(to: &mut Lowering<'_>, op: CoreOp, args: &[Value], ty: Type, faults: bool) -> Result {
    let from = args[0].ty.dtype;
    if from == ty.dtype {
        return Ok((same(to, args[0], ty), None));
    }
    let misfit = if op == CoreOp::Cast && faults { Misfit::Faults } else { Misfit::Saturates };
    let (f, imm) = cast::cast(to.level, from, ty.dtype, misfit).ok_or_else(|| no_loop(op.name(), from.repr()))?;
    Ok(strict(to, f, args, ty, faults, imm))
}

/// Three-valued `and` and `or`: a side that is known and decides the result makes it known.
fn logic(to: &mut Lowering<'_>, op: CoreOp, args: &[Value], ty: Type) -> Value {
    let level = to.level;
    let (a, b) = (args[0], args[1]);
    let f = if op == CoreOp::And { bytes::and(level) } else { bytes::or(level) };
    if !ty.nullable {
        let data = to.slot(1);
        to.call(f, &[a.data, b.data], data);
        return Value { data, valid: None, ty };
    }
    // Both sides as "known true" and "known false".
    let (a_true, b_true) = (known_true(to, a), known_true(to, b));
    let (a_false, b_false) = (known_false(to, a), known_false(to, b));
    let (data, settled, valid) = (to.slot(1), to.slot(1), to.slot(1));
    let against = if op == CoreOp::And { bytes::or(level) } else { bytes::and(level) };
    to.call(f, &[a_true, b_true], data);
    to.call(against, &[a_false, b_false], settled);
    to.call(bytes::or(level), &[data, settled], valid);
    for slot in [a_true, b_true, a_false, b_false, settled] {
        to.release(slot);
    }
    Value { data, valid: Some(valid), ty }
}

fn known_true(to: &mut Lowering<'_>, value: Value) -> Slot {
    to.both(Some(value.data), value.valid).expect("there is a slot to begin with")
}

fn known_false(to: &mut Lowering<'_>, value: Value) -> Slot {
    let dst = to.slot(1);
    match value.valid {
        Some(valid) => to.call(bytes::and_not(to.level), &[valid, value.data], dst),
        None => to.call(bytes::not(to.level), &[value.data], dst),
    }
    dst
}

/// The second operand where the first is true, else the third.
fn select(to: &mut Lowering<'_>, args: &[Value], ty: Type) -> Value {
    let condition = known_true(to, args[0]);
    let value = choose(to, condition, args[1], args[2], ty);
    to.release(condition);
    value
}

/// The first operand where it is not null, otherwise the second.
fn coalesce(to: &mut Lowering<'_>, args: &[Value], ty: Type) -> Value {
    match args[0].valid {
        None => same(to, args[0], ty),
        Some(valid) => choose(to, valid, args[0], args[1], ty),
    }
}

fn choose(to: &mut Lowering<'_>, condition: Slot, yes: Value, no: Value, ty: Type) -> Value {
    let (level, width) = (to.level, ty.dtype.repr().bytes());
    let data = to.slot(width);
    to.call(bytes::select(level, width), &[condition, yes.data, no.data], data);
    let valid = ty.nullable.then(|| {
        let (yes, no) = (yes.valid.unwrap_or_else(|| to.ones()), no.valid.unwrap_or_else(|| to.ones()));
        let valid = to.slot(1);
        to.call(bytes::select(level, 1), &[condition, yes, no], valid);
        valid
    });
    Value { data, valid, ty }
}

fn is_null(to: &mut Lowering<'_>, args: &[Value], ty: Type) -> Value {
    let data = to.slot(1);
    match args[0].valid {
        Some(valid) => to.call(bytes::not(to.level), &[valid], data),
        None => to.call(bytes::clear, &[], data),
    }
    Value { data, valid: None, ty }
}
