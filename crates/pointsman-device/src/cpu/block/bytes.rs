//! Loops that depend only on the width of values (copies, selections), and logic on bytes of 0 and 1. They read and
//! write slots.

use super::{Args, StepFn, binary, by_width, step, ternary, unary, view, view_mut};
use crate::cpu::isa::Level;
use pointsman_ir::types::{NAN_F32, NAN_F64, Repr, Scalar};

/// `a & b`.
pub(in crate::cpu) fn and(level: Level) -> StepFn {
    step!(level, |x: Args<'_>| binary::<u8, u8, u8>(x, |a, b| a & b))
}

/// `a | b`.
pub(in crate::cpu) fn or(level: Level) -> StepFn {
    step!(level, |x: Args<'_>| binary::<u8, u8, u8>(x, |a, b| a | b))
}

/// `a & !b`.
pub(in crate::cpu) fn and_not(level: Level) -> StepFn {
    step!(level, |x: Args<'_>| binary::<u8, u8, u8>(x, |a, b| a & (b ^ 1)))
}

/// `!a`.
pub(in crate::cpu) fn not(level: Level) -> StepFn {
    step!(level, |x: Args<'_>| unary::<u8, u8>(x, |a| a ^ 1))
}

/// `dst |= a & b & c`.
pub(in crate::cpu) fn accumulate(level: Level) -> StepFn {
    step!(level, |x: Args<'_>| {
        let (a, b, c) = (view::<u8>(x.a, x.n), view::<u8>(x.b, x.n), view::<u8>(x.c, x.n));
        for (((dst, a), b), c) in x.dst[..x.n].iter_mut().zip(a).zip(b).zip(c) {
            *dst |= a & b & c;
        }
    })
}

/// `dst &= a`.
pub(in crate::cpu) fn narrow(level: Level) -> StepFn {
    step!(level, |x: Args<'_>| {
        for (dst, a) in x.dst[..x.n].iter_mut().zip(x.a) {
            *dst &= a;
        }
    })
}

/// All zero.
pub(in crate::cpu) fn clear(x: Args<'_>) {
    x.dst[..x.n].fill(0);
}

/// A copy of values of this width.
pub(in crate::cpu) fn copy(width: usize) -> StepFn {
    by_width!(width, T => |x: Args<'_>| {
        let bytes = x.n * size_of::<T>();
        x.dst[..bytes].copy_from_slice(&x.a[..bytes]);
    })
}

/// `if a { b } else { c }`.
pub(in crate::cpu) fn select(level: Level, width: usize) -> StepFn {
    by_width!(width, T => step!(level, |x: Args<'_>| ternary::<u8, T, T, T>(x, |a, b, c| if a != 0 { b } else { c })))
}

/// `if a { dst = b }`.
pub(in crate::cpu) fn blend(level: Level, width: usize) -> StepFn {
    by_width!(width, T => step!(level, |x: Args<'_>| {
        let (a, b, dst) = (view::<u8>(x.a, x.n), view::<T>(x.b, x.n), view_mut::<T>(x.dst, x.n));
        for ((dst, &a), &b) in dst.iter_mut().zip(a).zip(b) {
            *dst = if a != 0 { b } else { *dst };
        }
    }))
}

/// The values of `a` as outputs: with the canonical NaN, and zero where `b` (if present) is 0. `None` where the values
/// leave as they are.
pub(in crate::cpu) fn leave(level: Level, repr: Repr, nullable: bool) -> Option<StepFn> {
    match (repr, nullable) {
        (Repr::F32, false) => Some(step!(level, |x: Args<'_>| unary::<f32, f32>(x, canonical_f32))),
        (Repr::F64, false) => Some(step!(level, |x: Args<'_>| unary::<f64, f64>(x, canonical_f64))),
        (Repr::F32, true) => Some(step!(level, |x: Args<'_>| {
            binary::<f32, u8, f32>(x, |a, valid| if valid != 0 { canonical_f32(a) } else { 0.0 })
        })),
        (Repr::F64, true) => Some(step!(level, |x: Args<'_>| {
            binary::<f64, u8, f64>(x, |a, valid| if valid != 0 { canonical_f64(a) } else { 0.0 })
        })),
        (_, false) => None,
        (_, true) => Some(by_width!(repr.bytes(), T => step!(level, |x: Args<'_>| {
            binary::<T, u8, T>(x, |a, valid| if valid != 0 { a } else { 0 })
        }))),
    }
}

/// The value, or the one NaN.
#[inline(always)]
pub(in crate::cpu) fn canonical_f32(value: f32) -> f32 {
    if value.is_nan() { f32::from_bits(NAN_F32) } else { value }
}

/// The value, or the one NaN.
#[inline(always)]
pub(in crate::cpu) fn canonical_f64(value: f64) -> f64 {
    if value.is_nan() { f64::from_bits(NAN_F64) } else { value }
}

/// Fills a slot with one value.
pub(in crate::cpu) fn broadcast(dst: &mut [u8], value: Scalar) {
    let width = value.repr().bytes();
    let bits = value.bits().to_le_bytes();
    // Blocks hold values as the processor does; the supported ones are little-endian, and `from_bits` fits any other.
    by_width!(width, T => {
        let mut wide = [0; size_of::<T>()];
        wide.copy_from_slice(&bits[..size_of::<T>()]);
        let rows = dst.len() / size_of::<T>();
        view_mut::<T>(dst, rows).fill(T::from_le_bytes(wide));
    });
}

/// Numbers the rows of a slot of `u64` from `first`.
pub(in crate::cpu) fn number(dst: &mut [u8], n: usize, first: u64) {
    for (dst, row) in view_mut::<u64>(dst, n).iter_mut().zip(first..) {
        *dst = row;
    }
}

/// Whether any byte is not 0.
pub(in crate::cpu) fn any(bytes: &[u8]) -> bool {
    bytes.chunks(64).any(|chunk| chunk.iter().fold(0, |any, byte| any | byte) != 0)
}

/// The number of bytes that are 1.
pub(in crate::cpu) fn count(bytes: &[u8]) -> usize {
    bytes.chunks(128).map(|chunk| chunk.iter().sum::<u8>() as usize).sum()
}
