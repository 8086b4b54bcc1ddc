//! In which ranges the operands of an operation never make it fault. Ranges are sufficient, not tight.

use super::values::integer_range;
use crate::op::Op;
use crate::types::{DECIMAL_DIGITS_MAX, DType, Scalar, Type};

/// The least and the greatest value an operand may have; `None`: any.
pub(super) type Range = Option<(Scalar, Scalar)>;

/// The range of days that a timestamp can represent, rounded.
const TIMESTAMP_DAYS: i128 = 100_000_000;

/// For each operand of an operation that can fault, the range where it does not.
pub(super) fn safe(op: Op, args: &[Type], result: DType) -> Vec<Range> {
    let dtype = args[0].dtype;
    let Some((low, high)) = integer_range(dtype) else {
        return if op.is_cast() { vec![float_to(dtype, result)] } else { vec![None; args.len()] };
    };
    if op.is_cast() {
        return vec![integer_to(dtype, result)];
    }
    if let (DType::Decimal { precision: p, .. }, Some(DType::Decimal { precision: q, .. })) =
        (dtype, args.get(1).map(|arg| arg.dtype))
    {
        return decimals(op, args, p, q);
    }
    let root = high.isqrt();
    if matches!(op, Op::Div | Op::Rem) {
        vec![None, integers(dtype, 1, high)]
    } else if op == Op::CheckedSub && low == 0 {
        vec![integers(dtype, high / 2, high), integers(dtype, 0, high / 2)]
    } else if matches!(op, Op::CheckedAdd | Op::CheckedSub) {
        vec![integers(dtype, low / 2, high / 2); 2]
    } else if op == Op::CheckedMul {
        vec![integers(dtype, -root, root); 2]
    } else {
        vec![None; args.len()]
    }
}

/// This range as values of the type; bounds outside the type are moved to its limits.
pub(super) fn integers(dtype: DType, low: i128, high: i128) -> Range {
    let (least, most) = integer_range(dtype)?;
    let value = |v: i128| Scalar::from_integer(dtype.repr(), v.clamp(least, most));
    Some((value(low)?, value(high)?))
}

/// Sums of two 38-digit decimals need room for a carry; products share the 38 digits.
fn decimals(op: Op, args: &[Type], p: u8, q: u8) -> Vec<Range> {
    let below = |dtype: DType, digits: u8| {
        let most = 10i128.pow(u32::from(digits)) - 1;
        integers(dtype, -most, most)
    };
    if op == Op::Mul {
        let mine = if p < 19 { p } else { p.min(DECIMAL_DIGITS_MAX.saturating_sub(q)).max(19) };
        let other = q.min(DECIMAL_DIGITS_MAX - mine);
        return vec![below(args[0].dtype, mine), below(args[1].dtype, other)];
    }
    args.iter().map(|arg| below(arg.dtype, p.min(DECIMAL_DIGITS_MAX - 1))).collect()
}

/// The range of whole numbers a target holds, before any scaling of the source.
fn whole_range(to: DType) -> Option<(i128, i128)> {
    if let DType::Decimal { precision, scale } = to {
        let most = 10i128.pow(u32::from(precision - scale)) - 1;
        return Some((-most, most));
    }
    integer_range(to)
}

/// Sources held in integers: the target's range in the source's unit.
fn integer_to(from: DType, to: DType) -> Range {
    if from == DType::Bool || from == to {
        return None;
    }
    if from == DType::Date32 && to == DType::Timestamp {
        return integers(from, -TIMESTAMP_DAYS, TIMESTAMP_DAYS);
    }
    if from == DType::Timestamp && to == DType::Date32 {
        return None;
    }
    let unit = if let DType::Decimal { scale, .. } = from { 10i128.pow(u32::from(scale)) } else { 1 };
    let (low, high) = whole_range(to)?;
    integers(from, low.saturating_mul(unit), high.saturating_mul(unit))
}

/// Float sources: a range well inside the target's, on floats that are exact.
fn float_to(from: DType, to: DType) -> Range {
    let (low, high) = whole_range(to)?;
    let (low, high) = if to.is_decimal() {
        ((low / 2) as f64 - 0.25, (high / 2) as f64 + 0.25)
    } else {
        (low as f64, (high - high / 1_000_000) as f64)
    };
    Some(if from == DType::F32 {
        (Scalar::F32(low as f32), Scalar::F32(high as f32))
    } else {
        (Scalar::F64(low), Scalar::F64(high))
    })
}
