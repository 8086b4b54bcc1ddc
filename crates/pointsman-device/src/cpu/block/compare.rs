//! Loops that compare: selects the loop for an operation and a type. NaN is greater than every other value and equals
//! itself; −0 equals +0 in `eq` and the other comparisons, and is less than +0 in `least` and `greatest`.

use super::{Args, StepFn, binary, by_float, by_repr, step, ternary, unary};
use crate::cpu::isa::Level;
use pointsman_ir::op::CoreOp;
use pointsman_ir::types::Repr;

/// How values of one type compare.
pub(in crate::cpu) trait Ordered: bytemuck::Pod {
    /// Equality.
    fn same(a: Self, b: Self) -> bool;
    /// Below.
    fn below(a: Self, b: Self) -> bool;
    /// Below or equal.
    fn below_or_same(a: Self, b: Self) -> bool;
    /// The smaller one in the total order.
    fn least(a: Self, b: Self) -> Self;
    /// The greater one in the total order.
    fn greatest(a: Self, b: Self) -> Self;
    /// The value that `least` ignores.
    const TOP: Self;
    /// The value that `greatest` ignores.
    const BOTTOM: Self;
}

macro_rules! ordered_integers {
    ($($T:ty)*) => {$(
        impl Ordered for $T {
            #[inline(always)]
            fn same(a: $T, b: $T) -> bool { a == b }
            #[inline(always)]
            fn below(a: $T, b: $T) -> bool { a < b }
            #[inline(always)]
            fn below_or_same(a: $T, b: $T) -> bool { a <= b }
            #[inline(always)]
            fn least(a: $T, b: $T) -> $T { if b < a { b } else { a } }
            #[inline(always)]
            fn greatest(a: $T, b: $T) -> $T { if b > a { b } else { a } }
            const TOP: $T = <$T>::MAX;
            const BOTTOM: $T = <$T>::MIN;
        }
    )*};
}

ordered_integers!(i8 i16 i32 i64 u8 u16 u32 u64 i128);

macro_rules! ordered_floats {
    ($($T:ty, $signed:ty, $unsigned:ty;)*) => {$(
        impl Ordered for $T {
            #[inline(always)]
            fn same(a: $T, b: $T) -> bool { (a == b) | (a.is_nan() & b.is_nan()) }
            #[inline(always)]
            fn below(a: $T, b: $T) -> bool { (a < b) | (b.is_nan() & !a.is_nan()) }
            #[inline(always)]
            fn below_or_same(a: $T, b: $T) -> bool { (a <= b) | b.is_nan() }
            #[inline(always)]
            fn least(a: $T, b: $T) -> $T { if rank(b) < rank(a) { b } else { a } }
            #[inline(always)]
            fn greatest(a: $T, b: $T) -> $T { if rank(b) > rank(a) { b } else { a } }
            const TOP: $T = <$T>::NAN;
            const BOTTOM: $T = <$T>::NEG_INFINITY;
        }

        impl Ranked for $T {
            type Rank = $signed;
            #[inline(always)]
            fn rank(self) -> $signed {
                let bits = self.to_bits() as $signed;
                let ordered = bits ^ (((bits >> (<$signed>::BITS - 1)) as $unsigned) >> 1) as $signed;
                if self.is_nan() { <$signed>::MAX } else { ordered }
            }
        }
    )*};
}

/// Floats as integers in their total order, all NaNs on top.
trait Ranked {
    type Rank: Ord;
    fn rank(self) -> Self::Rank;
}

#[inline(always)]
fn rank<T: Ranked>(value: T) -> T::Rank {
    value.rank()
}

ordered_floats! {
    f32, i32, u32;
    f64, i64, u64;
}

/// The loop of a comparison.
pub(in crate::cpu) fn comparison(level: Level, op: CoreOp, repr: Repr) -> Option<StepFn> {
    if op == CoreOp::Eq {
        by_repr!(repr, T => Some(step!(level, |x: Args<'_>| binary::<T, T, u8>(x, |a, b| T::same(a, b).into()))))
    } else if op == CoreOp::Ne {
        by_repr!(repr, T => Some(step!(level, |x: Args<'_>| binary::<T, T, u8>(x, |a, b| (!T::same(a, b)).into()))))
    } else if op == CoreOp::Lt {
        by_repr!(repr, T => Some(step!(level, |x: Args<'_>| binary::<T, T, u8>(x, |a, b| T::below(a, b).into()))))
    } else if op == CoreOp::Le {
        by_repr!(repr, T => Some(step!(level, |x: Args<'_>| binary::<T, T, u8>(x, |a, b| T::below_or_same(a, b).into()))))
    } else {
        None
    }
}

/// The smaller or greater of two.
pub(in crate::cpu) fn choice(level: Level, op: CoreOp, repr: Repr) -> Option<StepFn> {
    if op == CoreOp::Least {
        by_repr!(repr, T => Some(step!(level, |x: Args<'_>| binary::<T, T, T>(x, T::least))))
    } else {
        by_repr!(repr, T => Some(step!(level, |x: Args<'_>| binary::<T, T, T>(x, T::greatest))))
    }
}

/// `least(greatest(x, low), high)`.
pub(in crate::cpu) fn clamp(level: Level, repr: Repr) -> Option<StepFn> {
    by_repr!(repr, T => Some(step!(level, |x: Args<'_>| {
        ternary::<T, T, T, T>(x, |a, low, high| T::least(T::greatest(a, low), high))
    })))
}

/// Whether a float is a NaN.
pub(in crate::cpu) fn is_nan(level: Level, repr: Repr) -> Option<StepFn> {
    by_float!(repr, T => step!(level, |x: Args<'_>| unary::<T, u8>(x, |a| a.is_nan().into())))
}
