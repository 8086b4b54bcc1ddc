//! Running minima and maxima: for the values of a leaf's rows, the best value of the rows up to each.
//!
//! Few rows beat all rows before them. So the best of 16 rows is computed first, which vectors do without waiting for
//! earlier rows; only if it beats those are the 16 rows scanned one by one. Prefixes never get worse from row to row:
//! the prefixes that a carry beats are the first ones, and the carry overwrites them.

use super::super::block::compare::Ordered;
use super::super::block::{by_repr, is_aligned, view, view_mut};
use super::super::isa::{Level, at_level};
use super::prefix::{FoldOperand, bits_of};
use crate::streaming_copy;
use bytemuck::Zeroable;
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::{NAN_F32, NAN_F64, Repr, Scalar};

/// Rows whose best is computed at once.
const GROUP: usize = 16;
/// The flags of a leaf whose rows all have a value.
static ALL: [u8; LEAF_ROWS] = [1; LEAF_ROWS];

/// The direction of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Better {
    Less,
    Greater,
}

/// Values as integers that are greater where the value is better.
trait Keyed: Ordered {
    type Key: Ord + Copy;
    /// The smallest key.
    const IDENTITY: Self::Key;
    fn key(self, better: Better) -> Self::Key;
    /// The value of a key, with canonical NaN.
    fn value(key: Self::Key, better: Better) -> Self;
    /// The value that every value beats or equals.
    fn worst(better: Better) -> Self {
        match better {
            Better::Less => Self::TOP,
            Better::Greater => Self::BOTTOM,
        }
    }
}

macro_rules! keyed_integers {
    ($($T:ty)*) => {$(
        impl Keyed for $T {
            type Key = $T;
            const IDENTITY: $T = <$T>::MIN;
            #[inline(always)]
            fn key(self, better: Better) -> $T {
                if better == Better::Less { !self } else { self }
            }
            #[inline(always)]
            fn value(key: $T, better: Better) -> $T {
                key.key(better)
            }
        }
    )*};
}

keyed_integers!(i8 i16 i32 i64 u8 u16 u32 u64 i128);

macro_rules! keyed_floats {
    ($($T:ty, $signed:ty, $unsigned:ty, $nan:expr;)*) => {$(
        impl Keyed for $T {
            type Key = $signed;
            const IDENTITY: $signed = <$signed>::MIN;
            #[inline(always)]
            fn key(self, better: Better) -> $signed {
                let bits = self.to_bits() as $signed;
                let ordered = bits ^ (((bits >> (<$signed>::BITS - 1)) as $unsigned) >> 1) as $signed;
                // The NaN is above infinity, as its bits are.
                let key = if self.is_nan() { $nan as $signed } else { ordered };
                key.key(better)
            }
            #[inline(always)]
            fn value(key: $signed, better: Better) -> $T {
                let ordered = key.key(better);
                let sign = ((ordered >> (<$signed>::BITS - 1)) as $unsigned) >> 1;
                <$T>::from_bits(ordered as $unsigned ^ sign)
            }
        }
    )*};
}

keyed_floats! {
    f32, i32, u32, NAN_F32;
    f64, i64, u64, NAN_F64;
}

/// Writes the best of the first `n` rows up to each, and which rows have one; returns the last, if there is one.
pub(super) fn prefixes(
    level: Level,
    better: Better,
    repr: Repr,
    n: usize,
    operand: &FoldOperand<'_>,
    dst: &mut [u8],
    valid: &mut [u8],
) -> Option<Scalar> {
    let flags = if operand.flags.is_empty() { &ALL[..n] } else { &operand.flags[..n] };
    let first = flags.iter().position(|&present| present != 0).unwrap_or(n);
    if let Some(valid) = valid.get_mut(..n) {
        valid[..first].fill(0);
        valid[first..].fill(1);
    }
    let last = by_repr!(repr, T => {
        let (values, dst) = (view::<T>(operand.values, n), view_mut::<T>(dst, n));
        let mut last = T::IDENTITY;
        match better {
            Better::Less => at_level!(level, last = running(values, flags, dst, Better::Less)),
            Better::Greater => at_level!(level, last = running(values, flags, dst, Better::Greater)),
        }
        dst[..first].fill(T::worst(better));
        Scalar::from_bits(repr, bits_of(&[T::value(last, better)]))
    });
    (first < n).then_some(last)
}

/// Writes the best of the rows up to each; returns the last key.
#[inline(always)]
fn running<T: Keyed>(values: &[T], flags: &[u8], dst: &mut [T], better: Better) -> T::Key {
    let ((values, rest), (flags, flags_rest)) = (values.as_chunks::<GROUP>(), flags.as_chunks::<GROUP>());
    let (dst, dst_rest) = dst.as_chunks_mut::<GROUP>();
    let mut so_far = T::IDENTITY;
    for ((values, flags), dst) in values.iter().zip(flags).zip(dst) {
        let mut keys = [T::IDENTITY; GROUP];
        load_keys(values, flags, &mut keys, better);
        scan_group(&keys, dst, &mut so_far, better);
    }
    let mut keys = [T::IDENTITY; GROUP];
    load_keys(rest, flags_rest, &mut keys, better);
    scan_group(&keys, dst_rest, &mut so_far, better);
    so_far
}

#[inline(always)]
fn load_keys<T: Keyed>(values: &[T], flags: &[u8], keys: &mut [T::Key; GROUP], better: Better) {
    for ((value, &present), key) in values.iter().zip(flags).zip(keys) {
        let own = value.key(better);
        *key = if present != 0 { own } else { T::IDENTITY };
    }
}

/// Writes the prefixes of a group; keys after the last row hold the identity.
#[inline(always)]
fn scan_group<T: Keyed>(keys: &[T::Key; GROUP], dst: &mut [T], so_far: &mut T::Key, better: Better) {
    let mut best = *keys;
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            best[i] = greater(best[i], best[i + half]);
        }
    }
    if best[0] <= *so_far {
        dst.fill(T::value(*so_far, better));
        return;
    }
    for (dst, &key) in dst.iter_mut().zip(keys) {
        *so_far = greater(*so_far, key);
        *dst = T::value(*so_far, better);
    }
}

/// Written as a choice between two values, which compiles to one instruction.
#[inline(always)]
fn greater<K: Ord>(a: K, b: K) -> K {
    if a > b { a } else { b }
}

/// Writes the results of a leaf: the carry replaces the first prefixes, which do not beat it. Without a carry, rows
/// without a value are zero. The prefixes may be overwritten.
pub(super) fn finish(
    better: Better,
    repr: Repr,
    carry: Option<Scalar>,
    prefixes: &mut [u8],
    valid: &[u8],
    place: &mut [u8],
    streams: bool,
) {
    let n = prefixes.len() / repr.bytes();
    by_repr!(repr, T => {
        let rows = view_mut::<T>(prefixes, n);
        let (first, others) = match carry {
            None => (T::zeroed(), valid.iter().position(|&valid| valid != 0).unwrap_or(n)),
            Some(carry) => {
                let carry: T = bytemuck::pod_read_unaligned(&carry.bits().to_le_bytes()[..size_of::<T>()]);
                let key = carry.key(better);
                (T::value(key, better), rows.partition_point(|row| row.key(better) <= key))
            }
        };
        let start = others * size_of::<T>();
        if streams || !is_aligned(place, size_of::<T>()) {
            rows[..others].fill(first);
            streaming_copy::copy(prefixes, place, streams);
        } else {
            view_mut::<T>(place, others).fill(first);
            place[start..].copy_from_slice(&prefixes[start..]);
        }
    });
}
