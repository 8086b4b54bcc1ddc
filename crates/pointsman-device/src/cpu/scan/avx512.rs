//! AVX-512 versions of the prefix sums of `prefix.rs` and of their finishing in `finish.rs`, bit for bit.
//!
//! A group of 16 rows is one vector of `f32`, or two of `f64` or `i64`, and is scanned in registers. Groups are
//! processed 16 at a time, so that their totals are a group again.

use pointsman_ir::kernel::SCAN_RADIX;
use pointsman_ir::types::{NAN_F32, NAN_F64};
use std::arch::x86_64::*;

/// The vector of a group of `f32` values.
type F32x16 = __m512;
/// The two vectors of a group of `f64` values.
type F64x16 = [__m512d; 2];
/// The two vectors of a group of `i64` values.
type I64x16 = [__m512i; 2];

/// Writes the functions of one type: `$scan` for a leaf, and `$finish` to add the carry.
macro_rules! leaf_functions {
    ($scan:ident, $finish:ident, $T:ty, $identity:expr, $ops:ident) => {
        /// The prefix sums of whole groups of a leaf; returns the last.
        #[target_feature(enable = "avx512f")]
        pub(super) fn $scan(values: &[$T], dst: &mut [$T]) -> $T {
            let (groups, dst) = (values.as_chunks::<SCAN_RADIX>().0, dst.as_chunks_mut::<SCAN_RADIX>().0);
            let mut second = [[$identity; SCAN_RADIX]; SCAN_RADIX];
            let mut third = [$identity; SCAN_RADIX];
            let blocks = groups.chunks(SCAN_RADIX).zip(dst.chunks_mut(SCAN_RADIX));
            for ((groups, dst), totals) in blocks.zip(&mut second) {
                let mut all = $ops::splat($identity);
                // Forward, since memory is read fastest that way; each group moves the totals of the earlier groups up
                // by one.
                for (group, dst) in groups.iter().zip(&mut *dst) {
                    let scanned = $ops::scan($ops::load(group));
                    $ops::store(dst, scanned);
                    all = $ops::push(all, scanned);
                }
                // The last groups of a leaf may be missing.
                for _ in groups.len()..SCAN_RADIX {
                    all = $ops::push(all, $ops::splat($identity));
                }
                let all = $ops::reverse(all);
                $ops::store(totals, $ops::scan(all));
            }
            for (total, totals) in third.iter_mut().zip(&second) {
                *total = totals[SCAN_RADIX - 1];
            }
            let all = $ops::scan($ops::load(&third));
            $ops::store(&mut third, all);
            for (outer, dst) in dst.chunks_mut(SCAN_RADIX).enumerate() {
                let c3 = $ops::splat(if outer == 0 { $identity } else { third[outer - 1] });
                let c2 = std::iter::once(&$identity).chain(&second[outer]);
                for (group, &c2) in dst.iter_mut().zip(c2) {
                    let sums = $ops::add(c3, $ops::add($ops::splat(c2), $ops::load(group)));
                    $ops::store(group, sums);
                }
            }
            third[SCAN_RADIX - 1]
        }

        /// Adds the carry to a leaf's prefixes and finishes the sums, with non-temporal stores if `streams`. `dst` is
        /// aligned for any vector.
        #[target_feature(enable = "avx512f")]
        pub(super) fn $finish(carry: $T, prefixes: &[$T], dst: &mut [$T], streams: bool) {
            let (groups, rest) = prefixes.as_chunks::<SCAN_RADIX>();
            let (dst, dst_rest) = dst.as_chunks_mut::<SCAN_RADIX>();
            let carries = $ops::splat(carry);
            if streams {
                for (group, dst) in groups.iter().zip(dst) {
                    $ops::stream(dst, $ops::finished($ops::add(carries, $ops::load(group))));
                }
                _mm_sfence();
            } else {
                for (group, dst) in groups.iter().zip(dst) {
                    $ops::store(dst, $ops::finished($ops::add(carries, $ops::load(group))));
                }
            }
            let mut last = [$identity; SCAN_RADIX];
            last[..rest.len()].copy_from_slice(rest);
            let sums = $ops::finished($ops::add(carries, $ops::load(&last)));
            $ops::store(&mut last, sums);
            dst_rest.copy_from_slice(&last[..rest.len()]);
        }
    };
}

leaf_functions!(scan_f32, finish_f32, f32, -0.0f32, f32x16);
leaf_functions!(scan_f64, finish_f64, f64, -0.0f64, f64x16);
leaf_functions!(scan_i64, finish_i64, i64, 0i64, i64x16);

/// Groups of `f32` values.
mod f32x16 {
    use super::*;

    #[target_feature(enable = "avx512f")]
    pub(super) fn load(group: &[f32; 16]) -> F32x16 {
        // SAFETY: the group has the 64 bytes that are read.
        unsafe { _mm512_loadu_ps(group.as_ptr()) }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn store(group: &mut [f32; 16], values: F32x16) {
        // SAFETY: the group has the 64 bytes that are written.
        unsafe { _mm512_storeu_ps(group.as_mut_ptr(), values) }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn stream(group: &mut [f32; 16], values: F32x16) {
        debug_assert!(group.as_ptr().addr().is_multiple_of(64), "streamed groups are aligned");
        // SAFETY: the group has the 64 bytes that are written, and is aligned.
        unsafe { _mm512_stream_ps(group.as_mut_ptr(), values) }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn splat(value: f32) -> F32x16 {
        _mm512_set1_ps(value)
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn add(a: F32x16, b: F32x16) -> F32x16 {
        _mm512_add_ps(a, b)
    }

    /// Adds to each lane the lane `$step` below it, or the identity, which changes no sum.
    macro_rules! step {
        ($x:expr, $step:literal) => {{
            let x = $x;
            let (bits, identity) = (_mm512_castps_si512(x), _mm512_castps_si512(splat(-0.0)));
            let moved = _mm512_alignr_epi32::<{ 16 - $step }>(bits, identity);
            _mm512_add_ps(_mm512_castsi512_ps(moved), x)
        }};
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn scan(group: F32x16) -> F32x16 {
        step!(step!(step!(step!(group, 1), 2), 4), 8)
    }

    /// Moves the totals up by one lane; the last element of a scanned group becomes the first.
    #[target_feature(enable = "avx512f")]
    pub(super) fn push(totals: F32x16, scanned: F32x16) -> F32x16 {
        let (totals, scanned) = (_mm512_castps_si512(totals), _mm512_castps_si512(scanned));
        _mm512_castsi512_ps(_mm512_alignr_epi32::<15>(totals, scanned))
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn reverse(totals: F32x16) -> F32x16 {
        let from = _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        _mm512_permutexvar_ps(from, totals)
    }

    /// Removes −0 and canonicalises NaN.
    #[target_feature(enable = "avx512f")]
    pub(super) fn finished(sums: F32x16) -> F32x16 {
        let sums = _mm512_add_ps(sums, _mm512_setzero_ps());
        let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(sums, sums);
        _mm512_mask_blend_ps(nan, sums, _mm512_set1_ps(f32::from_bits(NAN_F32)))
    }
}

/// Groups of `f64` values.
mod f64x16 {
    use super::*;

    #[target_feature(enable = "avx512f")]
    pub(super) fn load(group: &[f64; 16]) -> F64x16 {
        let (low, high) = group.split_at(8);
        // SAFETY: the lower half has the 64 bytes that are read.
        let low = unsafe { _mm512_loadu_pd(low.as_ptr()) };
        // SAFETY: so has the upper one.
        [low, unsafe { _mm512_loadu_pd(high.as_ptr()) }]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn store(group: &mut [f64; 16], [low, high]: F64x16) {
        for (half, values) in group.as_chunks_mut::<8>().0.iter_mut().zip([low, high]) {
            // SAFETY: the half has the 64 bytes that are written.
            unsafe { _mm512_storeu_pd(half.as_mut_ptr(), values) };
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn stream(group: &mut [f64; 16], [low, high]: F64x16) {
        debug_assert!(group.as_ptr().addr().is_multiple_of(64), "streamed groups are aligned");
        for (half, values) in group.as_chunks_mut::<8>().0.iter_mut().zip([low, high]) {
            // SAFETY: the half has the 64 bytes that are written, and is aligned as the group is.
            unsafe { _mm512_stream_pd(half.as_mut_ptr(), values) };
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn splat(value: f64) -> F64x16 {
        [_mm512_set1_pd(value); 2]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn add(a: F64x16, b: F64x16) -> F64x16 {
        [_mm512_add_pd(a[0], b[0]), _mm512_add_pd(a[1], b[1])]
    }

    /// Adds to each lane the lane `$step` below it, or the identity, which changes no sum.
    macro_rules! step {
        ($x:expr, $step:literal) => {{
            let [low, high] = $x;
            let (low_bits, high_bits) = (_mm512_castpd_si512(low), _mm512_castpd_si512(high));
            let identity = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
            let to_low = _mm512_alignr_epi64::<{ 8 - $step }>(low_bits, identity);
            let to_high = _mm512_alignr_epi64::<{ 8 - $step }>(high_bits, low_bits);
            add([_mm512_castsi512_pd(to_low), _mm512_castsi512_pd(to_high)], [low, high])
        }};
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn scan(group: F64x16) -> F64x16 {
        let [low, high] = step!(step!(step!(group, 1), 2), 4);
        [low, _mm512_add_pd(low, high)]
    }

    /// Moves the totals up by one lane; the last element of a scanned group becomes the first.
    #[target_feature(enable = "avx512f")]
    pub(super) fn push([low, high]: F64x16, scanned: F64x16) -> F64x16 {
        let (low, high, last) = (_mm512_castpd_si512(low), _mm512_castpd_si512(high), _mm512_castpd_si512(scanned[1]));
        let (low, high) = (_mm512_alignr_epi64::<7>(low, last), _mm512_alignr_epi64::<7>(high, low));
        [_mm512_castsi512_pd(low), _mm512_castsi512_pd(high)]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn reverse([low, high]: F64x16) -> F64x16 {
        let from = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        [_mm512_permutexvar_pd(from, high), _mm512_permutexvar_pd(from, low)]
    }

    /// Removes −0 and canonicalises NaN.
    #[target_feature(enable = "avx512f")]
    pub(super) fn finished(sums: F64x16) -> F64x16 {
        let nan = _mm512_set1_pd(f64::from_bits(NAN_F64));
        let [low, high] = add(sums, splat(0.0));
        let low_nans = _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(low, low);
        let high_nans = _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(high, high);
        [_mm512_mask_blend_pd(low_nans, low, nan), _mm512_mask_blend_pd(high_nans, high, nan)]
    }
}

/// Groups of 64-bit integers; their sums are modulo 2^64.
mod i64x16 {
    use super::*;

    #[target_feature(enable = "avx512f")]
    pub(super) fn load(group: &[i64; 16]) -> I64x16 {
        let (low, high) = group.split_at(8);
        // SAFETY: the lower half has the 64 bytes that are read.
        let low = unsafe { _mm512_loadu_si512(low.as_ptr().cast()) };
        // SAFETY: so has the upper one.
        [low, unsafe { _mm512_loadu_si512(high.as_ptr().cast()) }]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn store(group: &mut [i64; 16], [low, high]: I64x16) {
        for (half, values) in group.as_chunks_mut::<8>().0.iter_mut().zip([low, high]) {
            // SAFETY: the half has the 64 bytes that are written.
            unsafe { _mm512_storeu_si512(half.as_mut_ptr().cast(), values) };
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn stream(group: &mut [i64; 16], [low, high]: I64x16) {
        debug_assert!(group.as_ptr().addr().is_multiple_of(64), "streamed groups are aligned");
        for (half, values) in group.as_chunks_mut::<8>().0.iter_mut().zip([low, high]) {
            // SAFETY: the half has the 64 bytes that are written, and is aligned as the group is.
            unsafe { _mm512_stream_si512(half.as_mut_ptr().cast(), values) };
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn splat(value: i64) -> I64x16 {
        [_mm512_set1_epi64(value); 2]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn add(a: I64x16, b: I64x16) -> I64x16 {
        [_mm512_add_epi64(a[0], b[0]), _mm512_add_epi64(a[1], b[1])]
    }

    /// Adds to each lane the lane `$step` below it, or the identity, which changes no sum.
    macro_rules! step {
        ($x:expr, $step:literal) => {{
            let [low, high] = $x;
            let to_low = _mm512_alignr_epi64::<{ 8 - $step }>(low, _mm512_setzero_si512());
            let to_high = _mm512_alignr_epi64::<{ 8 - $step }>(high, low);
            add([to_low, to_high], [low, high])
        }};
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn scan(group: I64x16) -> I64x16 {
        let [low, high] = step!(step!(step!(group, 1), 2), 4);
        [low, _mm512_add_epi64(low, high)]
    }

    /// Moves the totals up by one lane; the last element of a scanned group becomes the first.
    #[target_feature(enable = "avx512f")]
    pub(super) fn push([low, high]: I64x16, scanned: I64x16) -> I64x16 {
        [_mm512_alignr_epi64::<7>(low, scanned[1]), _mm512_alignr_epi64::<7>(high, low)]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn reverse([low, high]: I64x16) -> I64x16 {
        let from = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        [_mm512_permutexvar_epi64(from, high), _mm512_permutexvar_epi64(from, low)]
    }

    /// Integer sums need no finishing.
    #[target_feature(enable = "avx512f")]
    pub(super) fn finished(sums: I64x16) -> I64x16 {
        sums
    }
}
