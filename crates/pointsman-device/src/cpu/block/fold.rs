//! Loops that fold a block into the lanes of a leaf: they read values and the bytes that select them, and update
//! accumulators.
//!
//! Row `r` of a leaf belongs to lane `r % LEAF_LANES`; blocks start at multiples of it. Lanes are folded by the halving
//! tree of `LEAF_LANES`. What is not selected counts as the fold's identity.

use super::compare::Ordered;
use super::{Args, StepFn, by_repr, step, view, view_mut};
use crate::cpu::isa::Level;
use pointsman_ir::kernel::{FoldOp, LEAF_LANES};
use pointsman_ir::types::{Repr, Scalar};

/// The value of a 128-bit sum after an overflow. It fits no type, so finishing the sum faults.
pub(in crate::cpu) const SUM_OVERFLOWED: i128 = i128::MIN;

/// How a fold keeps its lanes.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Lanes {
    /// Bytes of all lanes.
    pub(in crate::cpu) bytes: usize,
    /// Sets all lanes to the identity.
    pub(in crate::cpu) reset: fn(&mut [u8]),
    /// Folds `n` values `a`, where `b` (if not empty) is 1, into the lanes `dst`.
    pub(in crate::cpu) fold: StepFn,
    /// Folds the lanes `dst` into the first one.
    pub(in crate::cpu) join: StepFn,
    /// The fold of all lanes, once they are joined.
    pub(in crate::cpu) total: fn(&[u8]) -> Scalar,
}

/// The lanes of a fold over values of this representation. `Count` has none: it counts the selected rows.
pub(in crate::cpu) fn lanes(level: Level, op: FoldOp, repr: Repr) -> Option<Lanes> {
    match op {
        FoldOp::Count => None,
        FoldOp::Sum | FoldOp::Total => sum(level, repr),
        FoldOp::Min => Some(by_repr!(repr, T => Lanes {
            bytes: LEAF_LANES * size_of::<T>(),
            reset: |lanes| view_mut::<T>(lanes, LEAF_LANES).fill(T::TOP),
            fold: step!(level, |x: Args<'_>| best::<T>(x, T::TOP, T::least)),
            join: step!(level, |x: Args<'_>| halving(view_mut::<T>(x.dst, LEAF_LANES), T::least)),
            total: |lanes| view::<T>(lanes, 1)[0].scalar(),
        })),
        FoldOp::Max => Some(by_repr!(repr, T => Lanes {
            bytes: LEAF_LANES * size_of::<T>(),
            reset: |lanes| view_mut::<T>(lanes, LEAF_LANES).fill(T::BOTTOM),
            fold: step!(level, |x: Args<'_>| best::<T>(x, T::BOTTOM, T::greatest)),
            join: step!(level, |x: Args<'_>| halving(view_mut::<T>(x.dst, LEAF_LANES), T::greatest)),
            total: |lanes| view::<T>(lanes, 1)[0].scalar(),
        })),
    }
}

/// The lanes of a sum: floats in their type, narrow integers in 64 bits, `i64` and `u64` in two halves, decimals in
/// 128.
fn sum(level: Level, repr: Repr) -> Option<Lanes> {
    macro_rules! float {
        ($T:ty) => {
            Some(Lanes {
                bytes: LEAF_LANES * size_of::<$T>(),
                reset: |lanes| view_mut::<$T>(lanes, LEAF_LANES).fill(-0.0),
                fold: step!(level, |x: Args<'_>| best::<$T>(x, -0.0, |sum, value| sum + value)),
                join: step!(level, |x: Args<'_>| halving(view_mut::<$T>(x.dst, LEAF_LANES), |a, b| a + b)),
                total: |lanes| view::<$T>(lanes, 1)[0].scalar(),
            })
        };
    }
    macro_rules! narrow {
        ($T:ty) => {
            Some(Lanes {
                bytes: LEAF_LANES * size_of::<i64>(),
                reset: |lanes| lanes.fill(0),
                fold: step!(level, |x: Args<'_>| widening::<$T>(x)),
                join: step!(level, |x: Args<'_>| halving(view_mut::<i64>(x.dst, LEAF_LANES), |a, b| a + b)),
                total: |lanes| Scalar::I128(view::<i64>(lanes, 1)[0].into()),
            })
        };
    }
    match repr {
        Repr::F32 => float!(f32),
        Repr::F64 => float!(f64),
        Repr::I8 => narrow!(i8),
        Repr::I16 => narrow!(i16),
        Repr::I32 => narrow!(i32),
        Repr::U8 => narrow!(u8),
        Repr::U16 => narrow!(u16),
        Repr::U32 => narrow!(u32),
        Repr::I64 => Some(halves(level, step!(level, |x: Args<'_>| split::<i64>(x, |a| a >> 32, |a| a & 0xffff_ffff)))),
        Repr::U64 => Some(halves(
            level,
            step!(level, |x: Args<'_>| { split::<u64>(x, |a| (a >> 32) as i64, |a| (a & 0xffff_ffff) as i64) }),
        )),
        Repr::I128 => Some(Lanes {
            bytes: size_of::<i128>(),
            reset: |lanes| lanes.fill(0),
            fold: exact,
            join: |_| {},
            total: only,
        }),
        Repr::Bool => None,
    }
}

/// Folds each value into its lane; unselected ones count as the identity.
#[inline(always)]
fn best<T: bytemuck::Pod>(x: Args<'_>, identity: T, f: impl Fn(T, T) -> T) {
    let (a, lanes) = (view::<T>(x.a, x.n), view_mut::<T>(x.dst, LEAF_LANES));
    if x.b.is_empty() {
        for row in a.chunks(LEAF_LANES) {
            for (lane, &value) in lanes.iter_mut().zip(row) {
                *lane = f(*lane, value);
            }
        }
    } else {
        for (row, selected) in a.chunks(LEAF_LANES).zip(x.b[..x.n].chunks(LEAF_LANES)) {
            for ((lane, &value), &selected) in lanes.iter_mut().zip(row).zip(selected) {
                *lane = f(*lane, if selected != 0 { value } else { identity });
            }
        }
    }
}

/// Adds integers of up to 32 bits in 64: a leaf's sum fits by far.
#[inline(always)]
fn widening<T: bytemuck::Pod + Into<i64>>(x: Args<'_>) {
    let (a, lanes) = (view::<T>(x.a, x.n), view_mut::<i64>(x.dst, LEAF_LANES));
    if x.b.is_empty() {
        for row in a.chunks(LEAF_LANES) {
            for (lane, &value) in lanes.iter_mut().zip(row) {
                *lane += value.into();
            }
        }
    } else {
        for (row, selected) in a.chunks(LEAF_LANES).zip(x.b[..x.n].chunks(LEAF_LANES)) {
            for ((lane, &value), &selected) in lanes.iter_mut().zip(row).zip(selected) {
                *lane += if selected != 0 { value.into() } else { 0 };
            }
        }
    }
}

/// Adds the upper and lower halves of 64-bit integers apart: neither overflows in a leaf.
#[inline(always)]
fn split<T: bytemuck::Pod>(x: Args<'_>, upper: impl Fn(T) -> i64, lower: impl Fn(T) -> i64) {
    let a = view::<T>(x.a, x.n);
    let (high, low) = view_mut::<i64>(x.dst, 2 * LEAF_LANES).split_at_mut(LEAF_LANES);
    if x.b.is_empty() {
        for row in a.chunks(LEAF_LANES) {
            for ((high, low), &value) in high.iter_mut().zip(&mut *low).zip(row) {
                *high += upper(value);
                *low += lower(value);
            }
        }
    } else {
        for (row, selected) in a.chunks(LEAF_LANES).zip(x.b[..x.n].chunks(LEAF_LANES)) {
            for (((high, low), &value), &selected) in high.iter_mut().zip(&mut *low).zip(row).zip(selected) {
                let keep = -i64::from(selected);
                *high += upper(value) & keep;
                *low += lower(value) & keep;
            }
        }
    }
}

/// Lanes of two halves.
fn halves(level: Level, fold: StepFn) -> Lanes {
    Lanes {
        bytes: 2 * LEAF_LANES * size_of::<i64>(),
        reset: |lanes| lanes.fill(0),
        fold,
        join: step!(level, |x: Args<'_>| {
            let (high, low) = view_mut::<i64>(x.dst, 2 * LEAF_LANES).split_at_mut(LEAF_LANES);
            halving(high, |a, b| a + b);
            halving(low, |a, b| a + b);
        }),
        total: |lanes| {
            let lanes = view::<i64>(lanes, 2 * LEAF_LANES);
            Scalar::I128((i128::from(lanes[0]) << 32) + i128::from(lanes[LEAF_LANES]))
        },
    }
}

/// Adds wide decimals one after the other: their sum may overflow, and then sticks.
fn exact(x: Args<'_>) {
    let sum = &mut view_mut::<i128>(x.dst, 1)[0];
    for (row, &value) in view::<i128>(x.a, x.n).iter().enumerate() {
        if x.b.is_empty() || x.b[row] != 0 {
            *sum = exact_sum(*sum, value);
        }
    }
}

fn only(lanes: &[u8]) -> Scalar {
    Scalar::I128(view::<i128>(lanes, 1)[0])
}

/// The sum of two exact sums; one that overflowed stays so.
pub(in crate::cpu) fn exact_sum(a: i128, b: i128) -> i128 {
    if a == SUM_OVERFLOWED || b == SUM_OVERFLOWED {
        return SUM_OVERFLOWED;
    }
    a.checked_add(b).unwrap_or(SUM_OVERFLOWED)
}

/// The halving tree: lane `j` combines with lane `j + h` for `h` = half the lanes, a quarter, … 1.
#[inline(always)]
fn halving<T: Copy>(lanes: &mut [T], f: impl Fn(T, T) -> T) {
    const { assert!(LEAF_LANES == 128, "the tree has seven levels") };
    halve::<T, 64>(lanes, &f);
    halve::<T, 32>(lanes, &f);
    halve::<T, 16>(lanes, &f);
    halve::<T, 8>(lanes, &f);
    halve::<T, 4>(lanes, &f);
    halve::<T, 2>(lanes, &f);
    halve::<T, 1>(lanes, &f);
}

#[inline(always)]
fn halve<T: Copy, const HALF: usize>(lanes: &mut [T], f: &impl Fn(T, T) -> T) {
    let (low, high) = lanes[..2 * HALF].split_at_mut(HALF);
    for (low, &high) in low.iter_mut().zip(&*high) {
        *low = f(*low, high);
    }
}

/// A value of a block as a scalar. Truth values are bytes here, so their folds come out as `U8`.
pub(in crate::cpu) trait AsScalar {
    /// The scalar.
    fn scalar(self) -> Scalar;
}

macro_rules! as_scalar {
    ($($T:ty, $variant:ident;)*) => {$(
        impl AsScalar for $T {
            fn scalar(self) -> Scalar { Scalar::$variant(self) }
        }
    )*};
}

as_scalar! {
    i8, I8; i16, I16; i32, I32; i64, I64; u8, U8; u16, U16; u32, U32; u64, U64; f32, F32; f64, F64; i128, I128;
}
