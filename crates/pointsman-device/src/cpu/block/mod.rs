//! Loops over the elements of one block, from slices of operands to slices of results.
//!
//! Every loop is a [`StepFn`] over raw bytes, chosen once by operation, type and instruction set. Truth values and
//! validity are bytes of 0 or 1 here. Loops ignore nulls: the values of null lanes are unspecified, and a sink writes
//! zero there. No loop allocates, and none panics on data (division by zero gives zero and raises a flag).

pub(super) mod arithmetic;
pub(super) mod bitmap;
pub(super) mod bytes;
pub(super) mod cast;
pub(super) mod compare;
pub(super) mod decimal;
pub(super) mod fold;
pub(super) mod gather;

use bytemuck::Pod;

/// The maximum number of rows of a block: a power of two that divides a leaf; a few columns of it fit the first-level
/// cache.
pub(super) const BLOCK_ROWS: usize = 1024;

/// Numbers that a step carries along: powers of ten and limits of decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Imm {
    /// A factor or divisor.
    pub(super) factor: i128,
    /// The largest magnitude that fits.
    pub(super) limit: i128,
}

/// The operands and results of a step. Unused ones are empty.
pub(super) struct Args<'a> {
    /// The number of rows.
    pub(super) n: usize,
    /// The first operand.
    pub(super) a: &'a [u8],
    /// The second operand.
    pub(super) b: &'a [u8],
    /// The third operand.
    pub(super) c: &'a [u8],
    /// The result.
    pub(super) dst: &'a mut [u8],
    /// A byte of 1 for each row that faulted.
    pub(super) flag: &'a mut [u8],
    /// Numbers of the step.
    pub(super) imm: Imm,
}

/// A loop over a block.
pub(super) type StepFn = fn(Args<'_>);

/// The first `n` values after these bytes, which are aligned (blocks are; borrowed memory is checked before).
#[inline(always)]
pub(super) fn view<T: Pod>(bytes: &[u8], n: usize) -> &[T] {
    bytemuck::cast_slice(&bytes[..n * size_of::<T>()])
}

/// The first `n` values after these bytes, to be written.
#[inline(always)]
pub(super) fn view_mut<T: Pod>(bytes: &mut [u8], n: usize) -> &mut [T] {
    bytemuck::cast_slice_mut(&mut bytes[..n * size_of::<T>()])
}

/// Whether bytes are aligned for values of this width.
#[inline]
pub(super) fn is_aligned(bytes: &[u8], width: usize) -> bool {
    bytes.as_ptr().addr().is_multiple_of(width)
}

#[inline(always)]
pub(super) fn unary<A: Pod, R: Pod>(x: Args<'_>, f: impl Fn(A) -> R) {
    let (a, dst) = (view::<A>(x.a, x.n), view_mut::<R>(x.dst, x.n));
    for (dst, &a) in dst.iter_mut().zip(a) {
        *dst = f(a);
    }
}

#[inline(always)]
pub(super) fn binary<A: Pod, B: Pod, R: Pod>(x: Args<'_>, f: impl Fn(A, B) -> R) {
    let (a, b, dst) = (view::<A>(x.a, x.n), view::<B>(x.b, x.n), view_mut::<R>(x.dst, x.n));
    for ((dst, &a), &b) in dst.iter_mut().zip(a).zip(b) {
        *dst = f(a, b);
    }
}

#[inline(always)]
pub(super) fn ternary<A: Pod, B: Pod, C: Pod, R: Pod>(x: Args<'_>, f: impl Fn(A, B, C) -> R) {
    let (a, b, c) = (view::<A>(x.a, x.n), view::<B>(x.b, x.n), view::<C>(x.c, x.n));
    let dst = view_mut::<R>(x.dst, x.n);
    for (((dst, &a), &b), &c) in dst.iter_mut().zip(a).zip(b).zip(c) {
        *dst = f(a, b, c);
    }
}

/// As [`unary`], with a second result that is true if the row faults.
#[inline(always)]
pub(super) fn faulting_unary<A: Pod, R: Pod>(x: Args<'_>, f: impl Fn(A) -> (R, bool)) {
    let (a, dst) = (view::<A>(x.a, x.n), view_mut::<R>(x.dst, x.n));
    for ((dst, flag), &a) in dst.iter_mut().zip(&mut x.flag[..x.n]).zip(a) {
        let (value, faults) = f(a);
        *dst = value;
        *flag = faults.into();
    }
}

/// As [`binary`], with a second result that is true if the row faults.
#[inline(always)]
pub(super) fn faulting_binary<A: Pod, B: Pod, R: Pod>(x: Args<'_>, f: impl Fn(A, B) -> (R, bool)) {
    let (a, b, dst) = (view::<A>(x.a, x.n), view::<B>(x.b, x.n), view_mut::<R>(x.dst, x.n));
    for (((dst, flag), &a), &b) in dst.iter_mut().zip(&mut x.flag[..x.n]).zip(a).zip(b) {
        let (value, faults) = f(a, b);
        *dst = value;
        *flag = faults.into();
    }
}

/// Compiles a loop for every instruction set and picks that of a [`super::isa::Level`].
macro_rules! step {
    ($level:expr, $body:expr) => {
        match $level.isa() {
            $crate::cpu::isa::Isa::Baseline => {
                let f: $crate::cpu::block::StepFn = |x| $body(x);
                f
            }
            $crate::cpu::isa::Isa::Avx2 => {
                // SAFETY: a `Level` of AVX2 exists only on a processor that has it; `Level::new` keeps that.
                let f: $crate::cpu::block::StepFn = |x| unsafe { $crate::cpu::isa::avx2(|| $body(x)) };
                f
            }
            $crate::cpu::isa::Isa::Avx512 => {
                // SAFETY: a `Level` of AVX-512 exists only on a processor that has it; `Level::new` keeps that.
                let f: $crate::cpu::block::StepFn = |x| unsafe { $crate::cpu::isa::avx512(|| $body(x)) };
                f
            }
        }
    };
}

/// Evaluates an expression with `$T` as the Rust type of an integer representation of up to 64 bits; `None` for others.
macro_rules! by_integer {
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
            Repr::U8 => {
                type $T = u8;
                Some($e)
            }
            Repr::U16 => {
                type $T = u16;
                Some($e)
            }
            Repr::U32 => {
                type $T = u32;
                Some($e)
            }
            Repr::U64 => {
                type $T = u64;
                Some($e)
            }
            Repr::Bool | Repr::F32 | Repr::F64 | Repr::I128 => None,
        }
    };
}

/// As `by_integer`, for `f32` and `f64`.
macro_rules! by_float {
    ($repr:expr, $T:ident => $e:expr) => {
        match $repr {
            Repr::F32 => {
                type $T = f32;
                Some($e)
            }
            Repr::F64 => {
                type $T = f64;
                Some($e)
            }
            Repr::Bool | Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 => None,
            Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 | Repr::I128 => None,
        }
    };
}

/// Evaluates an expression with `$T` as the type of every representation's bits in a block: `u8` for `Bool`.
macro_rules! by_repr {
    ($repr:expr, $T:ident => $e:expr) => {
        match $repr {
            Repr::I8 => {
                type $T = i8;
                $e
            }
            Repr::I16 => {
                type $T = i16;
                $e
            }
            Repr::I32 => {
                type $T = i32;
                $e
            }
            Repr::I64 => {
                type $T = i64;
                $e
            }
            Repr::Bool | Repr::U8 => {
                type $T = u8;
                $e
            }
            Repr::U16 => {
                type $T = u16;
                $e
            }
            Repr::U32 => {
                type $T = u32;
                $e
            }
            Repr::U64 => {
                type $T = u64;
                $e
            }
            Repr::F32 => {
                type $T = f32;
                $e
            }
            Repr::F64 => {
                type $T = f64;
                $e
            }
            Repr::I128 => {
                type $T = i128;
                $e
            }
        }
    };
}

/// Evaluates an expression with `$T` as an unsigned integer as wide as a representation.
macro_rules! by_width {
    ($bytes:expr, $T:ident => $e:expr) => {
        match $bytes {
            1 => {
                type $T = u8;
                $e
            }
            2 => {
                type $T = u16;
                $e
            }
            4 => {
                type $T = u32;
                $e
            }
            8 => {
                type $T = u64;
                $e
            }
            _ => {
                type $T = u128;
                $e
            }
        }
    };
}

pub(super) use {by_float, by_integer, by_repr, by_width, step};
