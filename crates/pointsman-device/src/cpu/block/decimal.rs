//! Loops over decimals: unscaled integers in 64 or 128 bits, computed in 128 and checked against their digits.

use super::{Args, StepFn, faulting_binary, unary};
use pointsman_ir::op::CoreOp;
use pointsman_ir::types::Repr;

/// An unscaled value. `narrow` is called with values that fit only.
pub(in crate::cpu) trait Unscaled: bytemuck::Pod {
    /// In 128 bits.
    fn widen(self) -> i128;
    /// Back from 128 bits.
    fn narrow(value: i128) -> Self;
}

impl Unscaled for i64 {
    #[inline(always)]
    fn widen(self) -> i128 {
        self.into()
    }
    #[inline(always)]
    fn narrow(value: i128) -> i64 {
        value as i64
    }
}

impl Unscaled for i128 {
    #[inline(always)]
    fn widen(self) -> i128 {
        self
    }
    #[inline(always)]
    fn narrow(value: i128) -> i128 {
        value
    }
}

/// 10 to a power of at most 38.
pub(in crate::cpu) fn power_of_ten(digits: u8) -> i128 {
    10i128.pow(u32::from(digits))
}

/// The value if its magnitude is at most `limit`, else zero and a fault.
#[inline(always)]
fn checked<R: Unscaled>(value: Option<i128>, limit: i128) -> (R, bool) {
    match value {
        Some(value) if value >= -limit && value <= limit => (R::narrow(value), false),
        _ => (R::narrow(0), true),
    }
}

#[inline(always)]
fn pair<A: Unscaled, B: Unscaled, R: Unscaled>(x: Args<'_>, f: impl Fn(i128, i128) -> Option<i128>) {
    let limit = x.imm.limit;
    faulting_binary::<A, B, R>(x, |a, b| checked(f(a.widen(), b.widen()), limit));
}

/// Sum, difference or product of decimals of these widths; `imm.limit` is the largest magnitude of the result.
pub(in crate::cpu) fn arithmetic(op: CoreOp, a: Repr, b: Repr, result: Repr) -> StepFn {
    macro_rules! by_op {
        ($A:ty, $B:ty, $R:ty) => {
            if op == CoreOp::Add {
                |x| pair::<$A, $B, $R>(x, i128::checked_add)
            } else if op == CoreOp::Sub {
                |x| pair::<$A, $B, $R>(x, i128::checked_sub)
            } else {
                |x| pair::<$A, $B, $R>(x, i128::checked_mul)
            }
        };
    }
    match (a == Repr::I128, b == Repr::I128, result == Repr::I128) {
        (false, false, false) => by_op!(i64, i64, i64),
        (false, false, true) => by_op!(i64, i64, i128),
        (false, true, _) => by_op!(i64, i128, i128),
        (true, false, _) => by_op!(i128, i64, i128),
        (true, true, _) => by_op!(i128, i128, i128),
    }
}

/// −1, 0 or 1 as a decimal: `imm.factor` is the unscaled 1 (or the nearest to it that fits).
pub(in crate::cpu) fn sign(repr: Repr) -> StepFn {
    if repr == Repr::I128 {
        |x| {
            let one = x.imm.factor;
            unary::<i128, i128>(x, |a| a.signum() * one);
        }
    } else {
        |x| {
            let one = x.imm.factor as i64;
            unary::<i64, i64>(x, |a| a.signum() * one);
        }
    }
}
