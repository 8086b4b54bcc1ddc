//! The prefixes of one fold in one leaf: for each row, the fold of the rows up to it.
//!
//! The elements of a float sum form groups of 16 on three levels; see `interpret/scan.rs` for the rule. Rows that a sum
//! skips, and elements after the last row, hold the identity (−0.0, or 0). Other folds do not depend on grouping.

use super::super::block::compare::Ordered;
use super::super::block::fold::exact_sum;
use super::super::block::{by_repr, view, view_mut};
use super::super::isa::{Isa, Level, at_level};
use super::super::nodes::Acc;
#[cfg(target_arch = "x86_64")]
use super::avx512;
use super::min_max::{self, Better};
use pointsman_ir::kernel::{FoldOp, LEAF_ROWS, SCAN_RADIX};
use pointsman_ir::types::{Repr, Scalar};

/// Sums of a leaf whose values stay below this magnitude stay below half of the 64-bit range.
const MAGNITUDE_MAX: u64 = 1 << 50;

/// How the prefixes of a fold are stored until the carry is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum PrefixKind {
    /// Counts, as `u64`.
    Count,
    /// Sums of `f32` values.
    F32,
    /// Sums of `f64` values.
    F64,
    /// Sums of integers of up to 64 bits, modulo 2^64.
    I64,
    /// Sums of wide decimals, as `i128`.
    I128,
    /// Minima or maxima; rows before the first value hold the identity.
    MinMax,
}

impl PrefixKind {
    /// How the prefixes of a fold over this representation are stored.
    pub(in crate::cpu) fn of(op: FoldOp, repr: Repr) -> PrefixKind {
        match (op, repr) {
            (FoldOp::Count, _) => PrefixKind::Count,
            (FoldOp::Min | FoldOp::Max, _) => PrefixKind::MinMax,
            (FoldOp::Sum, Repr::F32) => PrefixKind::F32,
            (FoldOp::Sum, Repr::F64) => PrefixKind::F64,
            (FoldOp::Sum, Repr::I128) => PrefixKind::I128,
            (FoldOp::Sum | FoldOp::Total, _) => PrefixKind::I64,
        }
    }

    /// Bytes of a prefix.
    pub(in crate::cpu) fn width(self, repr: Repr) -> usize {
        match self {
            PrefixKind::F32 => 4,
            PrefixKind::Count | PrefixKind::F64 | PrefixKind::I64 => 8,
            PrefixKind::I128 => 16,
            PrefixKind::MinMax => repr.bytes(),
        }
    }
}

/// The total of a leaf.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct LeafTotal {
    /// The fold of the leaf's last segment.
    pub(in crate::cpu) acc: Acc,
    /// Whether all sums of integers stay within half of the 64-bit range.
    pub(in crate::cpu) is_small: bool,
}

/// The input of a fold.
pub(super) struct FoldOperand<'a> {
    /// The values. For a sum, whole groups, padded with the identity after the last row.
    pub(super) values: &'a [u8],
    /// A byte per row, 0 where the row has no value. May be empty (all rows have one) only for unsegmented min and max;
    /// unused for sums.
    pub(super) flags: &'a [u8],
    /// Scratch memory for sums of narrow integers.
    pub(super) widened: &'a mut [u8],
}

/// One fold of a leaf.
pub(super) struct LeafFold<'a> {
    pub(super) level: Level,
    pub(super) op: FoldOp,
    pub(super) repr: Repr,
    /// The rows that start a segment; `None` without segments.
    pub(super) starts: Option<&'a [u8]>,
    pub(super) rows: usize,
}

impl LeafFold<'_> {
    /// Writes the prefixes to `dst`, which has room for whole groups, and, for min and max, the rows that have one to
    /// `valid`.
    pub(super) fn prefixes(&self, operand: FoldOperand<'_>, dst: &mut [u8], valid: &mut [u8]) -> LeafTotal {
        let n = self.rows;
        let total = |acc| LeafTotal { acc, is_small: true };
        match PrefixKind::of(self.op, self.repr) {
            PrefixKind::Count => {
                let (present, dst) = (&operand.flags[..n], view_mut::<u64>(dst, n));
                total(Acc::Count(self.running(dst, 0, |i| u64::from(present[i]), |sum, one| sum + one)))
            }
            PrefixKind::F32 => total(Acc::F32(self.f32_sums(operand.values, dst))),
            PrefixKind::F64 => total(Acc::F64(self.f64_sums(operand.values, dst))),
            PrefixKind::I64 => self.i64_sums(operand, dst),
            PrefixKind::I128 => {
                let (values, dst) = (view::<i128>(operand.values, n), view_mut::<i128>(dst, n));
                total(Acc::Exact(self.running(dst, 0, |i| values[i], exact_sum)))
            }
            PrefixKind::MinMax => total(self.min_max(&operand, dst, valid)),
        }
    }

    fn starts_at(&self, row: usize) -> bool {
        self.starts.is_some_and(|starts| starts[row] != 0)
    }

    /// Writes the prefixes of an exact fold; returns the last.
    #[inline(always)]
    fn running<T: Copy>(&self, dst: &mut [T], identity: T, value: impl Fn(usize) -> T, f: impl Fn(T, T) -> T) -> T {
        let mut so_far = identity;
        let Some(starts) = self.starts else {
            for (i, dst) in dst.iter_mut().enumerate() {
                so_far = f(so_far, value(i));
                *dst = so_far;
            }
            return so_far;
        };
        for (i, (dst, &start)) in dst.iter_mut().zip(starts).enumerate() {
            so_far = f(if start != 0 { identity } else { so_far }, value(i));
            *dst = so_far;
        }
        so_far
    }

    fn f32_sums(&self, values: &[u8], dst: &mut [u8]) -> f32 {
        let (values, dst) = groups::<f32>(values, self.rows, dst);
        match (self.starts, self.level.isa()) {
            (Some(starts), _) => sum_segmented(values, starts, dst, -0.0),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Level` of AVX-512 exists only on a processor that has it; `Level::new` guarantees that.
            (None, Isa::Avx512) => unsafe { avx512::scan_f32(values, dst) },
            (None, _) => sum_unsegmented(values, dst, -0.0),
        }
    }

    fn f64_sums(&self, values: &[u8], dst: &mut [u8]) -> f64 {
        let (values, dst) = groups::<f64>(values, self.rows, dst);
        match (self.starts, self.level.isa()) {
            (Some(starts), _) => sum_segmented(values, starts, dst, -0.0),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `f32_sums`.
            (None, Isa::Avx512) => unsafe { avx512::scan_f64(values, dst) },
            (None, _) => sum_unsegmented(values, dst, -0.0),
        }
    }

    /// Sums of integers modulo 2^64; the total is exact.
    fn i64_sums(&self, operand: FoldOperand<'_>, dst: &mut [u8]) -> LeafTotal {
        let (n, padded) = (self.rows, self.rows.next_multiple_of(SCAN_RADIX));
        let values: &[i64] = if self.repr.bytes() < 8 {
            let widened = view_mut(operand.widened, padded);
            at_level!(self.level, widen(self.repr, operand.values, &mut widened[..n]));
            widened[n..].fill(0);
            widened
        } else {
            view(operand.values, padded)
        };
        let mut bits = 0;
        at_level!(self.level, bits = or_of_magnitudes(self.repr, &values[..n]));
        let last = match (self.starts, self.level.isa()) {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `f32_sums`.
            (None, Isa::Avx512) => unsafe { avx512::scan_i64(values, view_mut(dst, padded)) },
            (_, _) => self.running(view_mut(dst, n), 0, |i| values[i], i64::wrapping_add),
        };
        let is_small = bits < MAGNITUDE_MAX;
        let first = (0..n).rev().find(|&row| self.starts_at(row)).unwrap_or(0);
        let exact = || values[first..n].iter().map(|&value| widen_sum(self.repr, value)).sum();
        LeafTotal { acc: Acc::Exact(if is_small { last.into() } else { exact() }), is_small }
    }

    fn min_max(&self, operand: &FoldOperand<'_>, dst: &mut [u8], valid: &mut [u8]) -> Acc {
        let (n, repr) = (self.rows, self.repr);
        if self.starts.is_none() {
            let better = if self.op == FoldOp::Max { Better::Greater } else { Better::Less };
            let best = min_max::prefixes(self.level, better, repr, n, operand, dst, valid);
            return if self.op == FoldOp::Max { Acc::Max(best) } else { Acc::Min(best) };
        }
        let mut so_far = false;
        for (row, (valid, &present)) in valid.iter_mut().zip(&operand.flags[..n]).enumerate() {
            so_far = (so_far && !self.starts_at(row)) || present != 0;
            *valid = so_far.into();
        }
        let values = operand.values;
        let last = by_repr!(repr, T => {
            let (values, dst) = (view::<T>(values, n), view_mut::<T>(dst, n));
            let present = |i: usize| operand.flags[..n][i] != 0;
            let last = if self.op == FoldOp::Max {
                self.running(dst, T::BOTTOM, |i| if present(i) { values[i] } else { T::BOTTOM }, T::greatest)
            } else {
                self.running(dst, T::TOP, |i| if present(i) { values[i] } else { T::TOP }, T::least)
            };
            Scalar::from_bits(repr, bits_of(&[last]))
        });
        let best = so_far.then_some(last);
        if self.op == FoldOp::Max { Acc::Max(best) } else { Acc::Min(best) }
    }
}

/// The bits of a value.
pub(super) fn bits_of<T: bytemuck::Pod>(value: &[T; 1]) -> u128 {
    let mut bits = [0; 16];
    bits[..size_of::<T>()].copy_from_slice(bytemuck::cast_slice(value));
    u128::from_le_bytes(bits)
}

/// The values of a sum, in whole groups, and the memory for its prefixes.
fn groups<'a, T: bytemuck::Pod>(values: &'a [u8], rows: usize, dst: &'a mut [u8]) -> (&'a [T], &'a mut [T]) {
    let padded = rows.next_multiple_of(SCAN_RADIX);
    (view(values, padded), view_mut(dst, padded))
}

/// Widens integers of up to 32 bits to 64.
#[inline(always)]
fn widen(repr: Repr, values: &[u8], dst: &mut [i64]) {
    match repr {
        Repr::I8 => widen_each::<i8>(values, dst),
        Repr::I16 => widen_each::<i16>(values, dst),
        Repr::I32 => widen_each::<i32>(values, dst),
        Repr::U8 | Repr::Bool => widen_each::<u8>(values, dst),
        Repr::U16 => widen_each::<u16>(values, dst),
        Repr::U32 => widen_each::<u32>(values, dst),
        Repr::I64 | Repr::U64 | Repr::F32 | Repr::F64 | Repr::I128 => {}
    }
}

#[inline(always)]
fn widen_each<T: bytemuck::Pod + Into<i64>>(values: &[u8], dst: &mut [i64]) {
    let values = view::<T>(values, dst.len());
    for (dst, &value) in dst.iter_mut().zip(values) {
        *dst = value.into();
    }
}

/// The bitwise or of all magnitudes: an upper bound of each value's distance from 0 (or from −1).
#[inline(always)]
fn or_of_magnitudes(repr: Repr, values: &[i64]) -> u64 {
    let sign_mask = if repr == Repr::U64 { 0 } else { -1 };
    values.iter().fold(0, |bits, &value| bits | (value ^ ((value >> 63) & sign_mask)) as u64)
}

/// An integer of up to 64 bits as `i128`.
pub(super) fn widen_sum(repr: Repr, value: i64) -> i128 {
    if repr == Repr::U64 { (value as u64).into() } else { value.into() }
}

/// Writes the prefixes of a float sum without segments; returns the total of the leaf.
fn sum_unsegmented<T: Copy + std::ops::Add<Output = T>>(values: &[T], dst: &mut [T], identity: T) -> T {
    dst.copy_from_slice(values);
    scan(dst, identity, |a, b| a + b)
}

/// Writes the prefixes of a float sum that restarts at segment starts; returns the total of the last segment.
fn sum_segmented<T: Copy + std::ops::Add<Output = T>>(values: &[T], starts: &[u8], dst: &mut [T], identity: T) -> T {
    let mut pairs = [(false, identity); LEAF_ROWS];
    let pairs = &mut pairs[..values.len()];
    for (i, (pair, &value)) in pairs.iter_mut().zip(values).enumerate() {
        *pair = (starts.get(i).is_some_and(|&start| start != 0), value);
    }
    let total = scan(pairs, (false, identity), |a, b| (a.0 || b.0, if b.0 { b.1 } else { a.1 + b.1 }));
    for (dst, pair) in dst.iter_mut().zip(pairs) {
        *dst = pair.1;
    }
    total.1
}

/// Scans a leaf of three levels in place; returns its total.
fn scan<E: Copy>(first: &mut [E], identity: E, plus: impl Fn(E, E) -> E + Copy) -> E {
    let mut second = [identity; LEAF_ROWS / SCAN_RADIX];
    let mut third = [identity; SCAN_RADIX];
    totals(first, &mut second, plus);
    totals(&mut second, &mut third, plus);
    let mut all = [identity];
    totals(&mut third, &mut all, plus);
    for (group, places) in first.chunks_exact_mut(SCAN_RADIX).enumerate() {
        let outer = group / SCAN_RADIX;
        let carry_16 = if group % SCAN_RADIX == 0 { identity } else { second[group - 1] };
        let carry_256 = if outer == 0 { identity } else { third[outer - 1] };
        for place in places {
            *place = plus(carry_256, plus(carry_16, *place));
        }
    }
    all[0]
}

/// Scans every group of 16 in place, in steps of 1, 2, 4 and 8; writes the groups' last elements to `totals`.
fn totals<E: Copy>(values: &mut [E], totals: &mut [E], plus: impl Fn(E, E) -> E + Copy) {
    let (groups, _) = values.as_chunks_mut::<SCAN_RADIX>();
    for (group, total) in groups.iter_mut().zip(totals) {
        *group = step::<8, E>(step::<4, E>(step::<2, E>(step::<1, E>(*group, plus), plus), plus), plus);
        *total = group[SCAN_RADIX - 1];
    }
}

/// One step of a group's scan. By value and with a constant step, so that the group stays in registers: written to
/// memory and read back shifted, every read would wait for two writes.
#[inline(always)]
fn step<const STEP: usize, E: Copy>(group: [E; SCAN_RADIX], plus: impl Fn(E, E) -> E) -> [E; SCAN_RADIX] {
    let mut scanned = group;
    for i in STEP..SCAN_RADIX {
        scanned[i] = plus(group[i - STEP], group[i]);
    }
    scanned
}
