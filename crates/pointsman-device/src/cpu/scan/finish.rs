//! Finishes a scan: combines the prefixes inside a leaf with the carry into it.

use super::super::block::bytes::{canonical_f32, canonical_f64};
use super::super::block::compare::Ordered;
use super::super::block::fold::exact_sum;
use super::super::block::{by_repr, is_aligned, view, view_mut};
use super::super::isa::{Isa, at_level};
use super::super::nodes::{Acc, OutOfRange, finish_exact};
#[cfg(target_arch = "x86_64")]
use super::avx512;
use super::min_max::{self, Better};
use super::prefix::widen_sum;
use super::{RunningProgram, ScanProgram};
use crate::host::HOST_ALIGN;
use bytemuck::Zeroable;
use pointsman_ir::kernel::FoldOp;
use pointsman_ir::types::{DType, Repr, Scalar};

/// A carry of at most this magnitude, with equally small sums of a leaf, stays within 64 bits.
const CARRY_MAX: u128 = 1 << 62;

/// Finishes the folds of one leaf, block by block.
pub(super) struct LeafFinish<'a> {
    scan: &'a ScanProgram,
    one: &'a RunningProgram,
    carry: Acc,
    /// The number of further rows to which the carry applies.
    reached: usize,
    is_small: bool,
    /// The exact sum so far, and its prefix in the leaf.
    exact: (i128, i64),
}

/// Prefixes of a block: their values, which rows have one (min and max), and which rows start a segment.
pub(super) struct PrefixRows<'a> {
    pub(super) prefixes: &'a [u8],
    pub(super) valid: &'a [u8],
    pub(super) starts: Option<&'a [u8]>,
    pub(super) n: usize,
}

impl<'a> LeafFinish<'a> {
    /// A fold over a leaf with a carry that reaches `reached` rows.
    pub(super) fn new(
        scan: &'a ScanProgram,
        one: &'a RunningProgram,
        carry: Acc,
        reached: usize,
        is_small: bool,
    ) -> LeafFinish<'a> {
        let exact = if let Acc::Exact(carry) = carry { carry } else { 0 };
        LeafFinish { scan, one, carry, reached, is_small, exact: (exact, 0) }
    }

    /// Writes the results of a whole leaf of a running minimum or maximum, if the leaf is in one segment; returns
    /// whether it did.
    pub(super) fn finish_min_max_leaf(
        &self,
        prefixes: &mut [u8],
        valid: &[u8],
        place: &mut [u8],
        streams: bool,
    ) -> bool {
        let (better, carry) = match self.carry {
            Acc::Min(carry) => (Better::Less, carry),
            Acc::Max(carry) => (Better::Greater, carry),
            Acc::Count(_) | Acc::F32(_) | Acc::F64(_) | Acc::Exact(_) => return false,
        };
        let is_whole = self.scan.segment.is_none();
        if is_whole {
            min_max::finish(better, self.one.fold.repr(), carry, prefixes, valid, place, streams);
        }
        is_whole
    }

    /// Writes the results of a whole leaf into memory aligned for any vector, if there is a loop for it; returns
    /// whether it did.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn leaf(&self, prefixes: &[u8], n: usize, place: &mut [u8], streams: bool) -> bool {
        if self.scan.level.isa() != Isa::Avx512 || self.reached < n || !is_aligned(place, HOST_ALIGN) {
            return false;
        }
        let is_64 = matches!(self.one.output.dtype.repr(), Repr::I64 | Repr::U64);
        match self.carry {
            // SAFETY: a `Level` of AVX-512 exists only on a processor that has it; `Level::new` guarantees that.
            Acc::F32(carry) => unsafe { avx512::finish_f32(carry, view(prefixes, n), view_mut(place, n), streams) },
            // SAFETY: as above.
            Acc::F64(carry) => unsafe { avx512::finish_f64(carry, view(prefixes, n), view_mut(place, n), streams) },
            Acc::Exact(carry) if is_64 && self.is_small && carry.unsigned_abs() <= CARRY_MAX => {
                // SAFETY: as above.
                unsafe { avx512::finish_i64(carry as i64, view(prefixes, n), view_mut(place, n), streams) }
            }
            // SAFETY: as above.
            Acc::Count(carry) => unsafe {
                avx512::finish_i64(carry as i64, view(prefixes, n), view_mut(place, n), streams)
            },
            Acc::Exact(_) | Acc::Min(_) | Acc::Max(_) => return false,
        }
        true
    }

    /// There is no such loop on this architecture.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn leaf(&self, _: &[u8], _: usize, _: &mut [u8], _: bool) -> bool {
        false
    }

    /// Writes the results of the next rows.
    pub(super) fn block(&mut self, rows: &PrefixRows<'_>, results: &mut [u8]) -> Result<(), OutOfRange> {
        let reached = self.reached.min(rows.n);
        self.reached -= reached;
        let (level, n, local) = (self.scan.level, rows.n, rows.prefixes);
        match self.carry {
            Acc::Count(carry) => at_level!(
                level,
                each(view(local, n), view_mut(results, n), reached, 0, carry, |carry, local: u64| carry + local)
            ),
            Acc::F32(carry) => at_level!(level, {
                let add = |carry, local: f32| canonical_f32(carry + local + 0.0);
                each(view(local, n), view_mut(results, n), reached, -0.0, carry, add);
            }),
            Acc::F64(carry) => at_level!(level, {
                let add = |carry, local: f64| canonical_f64(carry + local + 0.0);
                each(view(local, n), view_mut(results, n), reached, -0.0, carry, add);
            }),
            Acc::Exact(carry) => return self.exact_sums(rows, carry, reached, results),
            Acc::Min(carry) | Acc::Max(carry) => self.min_max(rows, carry, reached, results),
        }
        Ok(())
    }

    fn exact_sums(
        &mut self,
        rows: &PrefixRows<'_>,
        carry: i128,
        reached: usize,
        results: &mut [u8],
    ) -> Result<(), OutOfRange> {
        let (output, repr) = (self.one.output.dtype, self.one.fold.repr());
        if repr == Repr::I128 {
            return exact_sums_128(rows, carry, reached, output, results);
        }
        if !self.is_small || carry.unsigned_abs() > CARRY_MAX {
            return self.exact_sums_full(rows, output, results);
        }
        let (n, carry) = (rows.n, carry as i64);
        let local: &[i64] = view(rows.prefixes, n);
        let mut fits = true;
        at_level!(self.scan.level, fits = exact_sums_64(output.repr(), local, reached, carry, results));
        if fits { Ok(()) } else { Err(OutOfRange) }
    }

    /// Exact sums in 128 bits: each value is the difference of two prefixes, modulo 2^64.
    fn exact_sums_full(&mut self, rows: &PrefixRows<'_>, output: DType, results: &mut [u8]) -> Result<(), OutOfRange> {
        let (repr, width) = (self.one.fold.repr(), output.repr().bytes());
        let (mut sum, mut last) = self.exact;
        for (i, &local) in view::<i64>(rows.prefixes, rows.n).iter().enumerate() {
            if rows.starts.is_some_and(|starts| starts[i] != 0) {
                (sum, last) = (0, 0);
            }
            sum += widen_sum(repr, local.wrapping_sub(last));
            last = local;
            put(&mut results[i * width..(i + 1) * width], finish_exact(sum, output)?);
        }
        self.exact = (sum, last);
        Ok(())
    }

    /// The better of the carry and each prefix that it reaches; zero where there is neither.
    fn min_max(&self, rows: &PrefixRows<'_>, carry: Option<Scalar>, reached: usize, results: &mut [u8]) {
        let (level, n, repr) = (self.scan.level, rows.n, self.one.fold.repr());
        by_repr!(repr, T => {
            let bits = carry.map_or(0, Scalar::bits).to_le_bytes();
            let from = |identity: T| match carry {
                Some(_) => bytemuck::pod_read_unaligned(&bits[..size_of::<T>()]),
                None => identity,
            };
            let (local, results) = (view::<T>(rows.prefixes, n), view_mut::<T>(results, n));
            if self.one.fold.op == FoldOp::Max {
                at_level!(level, each(local, results, reached, T::BOTTOM, from(T::BOTTOM), T::greatest));
            } else {
                at_level!(level, each(local, results, reached, T::TOP, from(T::TOP), T::least));
            }
            for (result, &valid) in results.iter_mut().zip(rows.valid) {
                *result = if valid != 0 { *result } else { T::zeroed() };
            }
        });
        match repr {
            Repr::F32 => view_mut::<f32>(results, n).iter_mut().for_each(|value| *value = canonical_f32(*value)),
            Repr::F64 => view_mut::<f64>(results, n).iter_mut().for_each(|value| *value = canonical_f64(*value)),
            Repr::Bool | Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 => {}
            Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 | Repr::I128 => {}
        }
    }
}

/// Combines the first `reached` prefixes with the carry, the others with the identity.
#[inline(always)]
fn each<T: Copy>(local: &[T], results: &mut [T], reached: usize, identity: T, carry: T, f: impl Fn(T, T) -> T) {
    let (carried, rest) = results.split_at_mut(reached);
    for (result, &local) in carried.iter_mut().zip(local) {
        *result = f(carry, local);
    }
    for (result, &local) in rest.iter_mut().zip(&local[reached..]) {
        *result = f(identity, local);
    }
}

/// Sums within 64 bits in the type of their output; returns whether they fit.
#[inline(always)]
fn exact_sums_64(repr: Repr, local: &[i64], reached: usize, carry: i64, results: &mut [u8]) -> bool {
    macro_rules! in_type {
        ($T:ty) => {{
            let (mut changed, (carried, rest)) = (0, local.split_at(reached));
            let results: &mut [$T] = view_mut(results, local.len());
            for (result, sum) in results.iter_mut().zip(carried.iter().map(|local| carry + local)) {
                *result = sum as $T;
                changed |= sum ^ (*result as i64);
            }
            for (result, &sum) in results[reached..].iter_mut().zip(rest) {
                *result = sum as $T;
                changed |= sum ^ (*result as i64);
            }
            changed == 0
        }};
    }
    match repr {
        Repr::I8 => in_type!(i8),
        Repr::I16 => in_type!(i16),
        Repr::I32 => in_type!(i32),
        Repr::I64 | Repr::U64 => in_type!(i64),
        Repr::U8 => in_type!(u8),
        Repr::U16 => in_type!(u16),
        Repr::U32 => in_type!(u32),
        // The widest decimals hold any 64-bit value.
        Repr::I128 => in_type!(i128),
        Repr::Bool | Repr::F32 | Repr::F64 => false,
    }
}

/// Exact sums of 128-bit decimals.
fn exact_sums_128(
    rows: &PrefixRows<'_>,
    carry: i128,
    reached: usize,
    output: DType,
    results: &mut [u8],
) -> Result<(), OutOfRange> {
    let width = output.repr().bytes();
    for (i, &local) in view::<i128>(rows.prefixes, rows.n).iter().enumerate() {
        let sum = if i < reached { exact_sum(carry, local) } else { local };
        put(&mut results[i * width..(i + 1) * width], finish_exact(sum, output)?);
    }
    Ok(())
}

fn put(result: &mut [u8], value: Scalar) {
    result.copy_from_slice(&value.bits().to_le_bytes()[..result.len()]);
}

/// Reads one value of a representation.
pub(super) fn scalar_at(repr: Repr, values: &[u8], row: usize) -> Scalar {
    let (width, mut bits) = (repr.bytes(), [0; 16]);
    bits[..width].copy_from_slice(&values[row * width..(row + 1) * width]);
    Scalar::from_bits(repr, u128::from_le_bytes(bits))
}
