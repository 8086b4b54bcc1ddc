//! Loops of arithmetic and bit operations on integers and floats: selects the loop for an operation and a type.

use super::{Args, StepFn, binary, by_float, by_integer, faulting_binary, step, ternary, unary};
use crate::cpu::isa::Level;
use pointsman_ir::op::CoreOp;
use pointsman_ir::types::Repr;

/// Sums, differences and products, wrapping.
pub(in crate::cpu) fn ring(level: Level, op: CoreOp, repr: Repr) -> Option<StepFn> {
    if op == CoreOp::Add {
        by_integer!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, T::wrapping_add)))
            .or_else(|| by_float!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, |a, b| a + b))))
    } else if op == CoreOp::Sub {
        by_integer!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, T::wrapping_sub)))
            .or_else(|| by_float!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, |a, b| a - b))))
    } else {
        by_integer!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, T::wrapping_mul)))
            .or_else(|| by_float!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, |a, b| a * b))))
    }
}

/// Quotients. `MIN / -1` and division by zero fault.
pub(in crate::cpu) fn div(level: Level, repr: Repr) -> Option<StepFn> {
    let divide = by_integer!(repr, T => step!(level, |x: Args<'_>| {
        faulting_binary::<T, T, T>(x, |a, b| a.checked_div(b).map_or((0, true), |value| (value, false)))
    }));
    divide.or_else(|| by_float!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, |a, b| a / b))))
}

/// Remainders. Division by zero faults; `MIN % -1` is 0. Float remainders call the C library, so one build does for
/// all.
pub(in crate::cpu) fn rem(repr: Repr) -> Option<StepFn> {
    let rest: Option<StepFn> = by_integer!(repr, T => |x: Args<'_>| {
        faulting_binary::<T, T, T>(x, |a, b| if b == 0 { (0, true) } else { (a.wrapping_rem(b), false) })
    });
    rest.or_else(|| by_float!(repr, T => |x: Args<'_>| binary::<T, T, T>(x, |a, b| a % b)))
}

/// Sums, differences and products of integers that fault where they do not fit.
pub(in crate::cpu) fn checked(level: Level, op: CoreOp, repr: Repr) -> Option<StepFn> {
    macro_rules! zero_if {
        ($T:ty, $f:ident) => {
            |a: $T, b: $T| {
                let (value, faults) = a.$f(b);
                (if faults { 0 } else { value }, faults)
            }
        };
    }
    if op == CoreOp::CheckedAdd {
        by_integer!(repr, T => step!(level, |x: Args<'_>| faulting_binary::<T, T, T>(x, zero_if!(T, overflowing_add))))
    } else if op == CoreOp::CheckedSub {
        by_integer!(repr, T => step!(level, |x: Args<'_>| faulting_binary::<T, T, T>(x, zero_if!(T, overflowing_sub))))
    } else {
        by_integer!(repr, T => step!(level, |x: Args<'_>| faulting_binary::<T, T, T>(x, zero_if!(T, overflowing_mul))))
    }
}

/// `neg`, `abs` and `sign` of signed integers, wide ones included; decimals have their own `sign`.
macro_rules! by_signed {
    ($repr:expr, $T:ident => $e:expr) => {
        match $repr {
            Repr::I8 => {
                type $T = i8;
                Some($e)
            }
            Repr::I16 => {
                type $T = i16;
                Some($e)
            }
            Repr::I32 => {
                type $T = i32;
                Some($e)
            }
            Repr::I64 => {
                type $T = i64;
                Some($e)
            }
            Repr::I128 => {
                type $T = i128;
                Some($e)
            }
            Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 | Repr::Bool | Repr::F32 | Repr::F64 => None,
        }
    };
}

/// The negative.
pub(in crate::cpu) fn neg(level: Level, repr: Repr) -> Option<StepFn> {
    by_signed!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, T::wrapping_neg)))
        .or_else(|| by_float!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, |a| -a))))
}

/// The magnitude; `None` for unsigned integers, which are their own.
pub(in crate::cpu) fn abs(level: Level, repr: Repr) -> Option<StepFn> {
    by_signed!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, T::wrapping_abs)))
        .or_else(|| by_float!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, T::abs))))
}

/// −1, 0 or 1; a float's zero or NaN is returned as it is.
pub(in crate::cpu) fn sign(level: Level, repr: Repr) -> Option<StepFn> {
    by_signed!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, T::signum)))
        .or_else(|| by_integer!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, |a| (a != 0).into()))))
        .or_else(|| {
            by_float!(repr, T => step!(level, |x: Args<'_>| {
                unary::<T, T>(x, |a| if a > 0.0 { 1.0 } else if a < 0.0 { -1.0 } else { a })
            }))
        })
}

/// Roots and roundings of floats.
pub(in crate::cpu) fn rounding(level: Level, op: CoreOp, repr: Repr) -> Option<StepFn> {
    if op == CoreOp::Sqrt {
        by_float!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, T::sqrt)))
    } else if op == CoreOp::Floor {
        by_float!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, T::floor)))
    } else if op == CoreOp::Ceil {
        by_float!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, T::ceil)))
    } else if op == CoreOp::Round {
        by_float!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, T::round)))
    } else {
        by_float!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, T::trunc)))
    }
}

/// `a * b + c` rounded once.
pub(in crate::cpu) fn fma(level: Level, repr: Repr) -> Option<StepFn> {
    by_float!(repr, T => step!(level, |x: Args<'_>| ternary::<T, T, T, T>(x, T::mul_add)))
}

/// Bitwise operations of two integers.
pub(in crate::cpu) fn bits(level: Level, op: CoreOp, repr: Repr) -> Option<StepFn> {
    if op == CoreOp::BitAnd {
        by_integer!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, |a, b| a & b)))
    } else if op == CoreOp::BitOr {
        by_integer!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, |a, b| a | b)))
    } else {
        by_integer!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, |a, b| a ^ b)))
    }
}

/// The bitwise complement.
pub(in crate::cpu) fn bit_not(level: Level, repr: Repr) -> Option<StepFn> {
    by_integer!(repr, T => step!(level, |x: Args<'_>| unary::<T, T>(x, |a: T| !a)))
}

/// Shifts, by the amount modulo the width.
#[allow(clippy::unnecessary_cast)] // The amount has the type of the value, which is `u32` for one type alone.
pub(in crate::cpu) fn shift(level: Level, op: CoreOp, repr: Repr) -> Option<StepFn> {
    if op == CoreOp::Shl {
        by_integer!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, |a, b| a.wrapping_shl(b as u32))))
    } else {
        by_integer!(repr, T => step!(level, |x: Args<'_>| binary::<T, T, T>(x, |a, b| a.wrapping_shr(b as u32))))
    }
}
