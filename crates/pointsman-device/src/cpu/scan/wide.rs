//! Prefix sums of a leaf, and their end, in AVX-512: in go rows in groups of 16, out come the sums of `prefix.rs` and
//! `finish.rs`, bit for bit.
//!
//! A group is one vector of singles, or two of doubles or 64-bit integers, and is scanned in registers. Groups are taken
//! 16 at a time, so that their totals are a group again.

use pointsman_ir::kernel::SCAN_RADIX;
use pointsman_ir::types::{NAN_F32, NAN_F64};
use std::arch::x86_64::*;

/// A group's vector of singles.
type Singles = __m512;
/// A group's two vectors of doubles.
type Doubles = [__m512d; 2];
/// A group's two vectors of integers.
type Wholes = [__m512i; 2];

/// Writes the functions of one type: `$scan` for a leaf and `$finish` for its end.
macro_rules! leaf {
    ($scan:ident, $finish:ident, $T:ty, $nothing:expr, $ops:ident) => {
        /// The prefix sums of whole groups of a leaf; the last.
        #[target_feature(enable = "avx512f")]
        pub(super) fn $scan(values: &[$T], dst: &mut [$T]) -> $T {
            let (groups, dst) = (values.as_chunks::<SCAN_RADIX>().0, dst.as_chunks_mut::<SCAN_RADIX>().0);
            let mut second = [[$nothing; SCAN_RADIX]; SCAN_RADIX];
            let mut third = [$nothing; SCAN_RADIX];
            let blocks = groups.chunks(SCAN_RADIX).zip(dst.chunks_mut(SCAN_RADIX));
            for ((groups, dst), totals) in blocks.zip(&mut second) {
                let mut all = $ops::spread($nothing);
                // Forward, as memory is read fastest; each group moves the totals of those before it up by one.
                for (group, dst) in groups.iter().zip(&mut *dst) {
                    let scanned = $ops::scan($ops::load(group));
                    $ops::store(dst, scanned);
                    all = $ops::push(all, scanned);
                }
                // Behind the last group of a leaf there may be none.
                for _ in groups.len()..SCAN_RADIX {
                    all = $ops::push(all, $ops::spread($nothing));
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
                let c3 = $ops::spread(if outer == 0 { $nothing } else { third[outer - 1] });
                let c2 = std::iter::once(&$nothing).chain(&second[outer]);
                for (group, &c2) in dst.iter_mut().zip(c2) {
                    let sums = $ops::plus(c3, $ops::plus($ops::spread(c2), $ops::load(group)));
                    $ops::store(group, sums);
                }
            }
            third[SCAN_RADIX - 1]
        }

        /// Adds the carry to a leaf's prefixes and finishes the sums; past the caches if `streams`. `dst` is aligned for
        /// any vector.
        #[target_feature(enable = "avx512f")]
        pub(super) fn $finish(carry: $T, prefixes: &[$T], dst: &mut [$T], streams: bool) {
            let (groups, rest) = prefixes.as_chunks::<SCAN_RADIX>();
            let (dst, dst_rest) = dst.as_chunks_mut::<SCAN_RADIX>();
            let carries = $ops::spread(carry);
            if streams {
                for (group, dst) in groups.iter().zip(dst) {
                    $ops::stream(dst, $ops::finished($ops::plus(carries, $ops::load(group))));
                }
                _mm_sfence();
            } else {
                for (group, dst) in groups.iter().zip(dst) {
                    $ops::store(dst, $ops::finished($ops::plus(carries, $ops::load(group))));
                }
            }
            let mut last = [$nothing; SCAN_RADIX];
            last[..rest.len()].copy_from_slice(rest);
            let sums = $ops::finished($ops::plus(carries, $ops::load(&last)));
            $ops::store(&mut last, sums);
            dst_rest.copy_from_slice(&last[..rest.len()]);
        }
    };
}

leaf!(singles, finish_singles, f32, -0.0f32, of_singles);
leaf!(doubles, finish_doubles, f64, -0.0f64, of_doubles);
leaf!(wholes, finish_wholes, i64, 0i64, of_wholes);

/// Groups of singles.
mod of_singles {
    use super::*;

    #[target_feature(enable = "avx512f")]
    pub(super) fn load(group: &[f32; 16]) -> Singles {
        // SAFETY: the group has the 64 bytes that are read.
        unsafe { _mm512_loadu_ps(group.as_ptr()) }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn store(group: &mut [f32; 16], values: Singles) {
        // SAFETY: the group has the 64 bytes that are written.
        unsafe { _mm512_storeu_ps(group.as_mut_ptr(), values) }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn stream(group: &mut [f32; 16], values: Singles) {
        debug_assert!(group.as_ptr().addr().is_multiple_of(64), "streamed groups are aligned");
        // SAFETY: the group has the 64 bytes that are written, and is aligned.
        unsafe { _mm512_stream_ps(group.as_mut_ptr(), values) }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn spread(value: f32) -> Singles {
        _mm512_set1_ps(value)
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn plus(a: Singles, b: Singles) -> Singles {
        _mm512_add_ps(a, b)
    }

    /// Adds to each lane the one that lies so far below; where there is none, nothing: that changes no sum.
    macro_rules! step {
        ($x:expr, $step:literal) => {{
            let x = $x;
            let (bits, nothing) = (_mm512_castps_si512(x), _mm512_castps_si512(spread(-0.0)));
            let moved = _mm512_alignr_epi32::<{ 16 - $step }>(bits, nothing);
            _mm512_add_ps(_mm512_castsi512_ps(moved), x)
        }};
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn scan(group: Singles) -> Singles {
        step!(step!(step!(step!(group, 1), 2), 4), 8)
    }

    /// Moves totals up by one lane; the last of a scanned group becomes the first.
    #[target_feature(enable = "avx512f")]
    pub(super) fn push(totals: Singles, scanned: Singles) -> Singles {
        let (totals, scanned) = (_mm512_castps_si512(totals), _mm512_castps_si512(scanned));
        _mm512_castsi512_ps(_mm512_alignr_epi32::<15>(totals, scanned))
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn reverse(totals: Singles) -> Singles {
        let from = _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        _mm512_permutexvar_ps(from, totals)
    }

    /// Never −0, and one NaN.
    #[target_feature(enable = "avx512f")]
    pub(super) fn finished(sums: Singles) -> Singles {
        let sums = _mm512_add_ps(sums, _mm512_setzero_ps());
        let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(sums, sums);
        _mm512_mask_blend_ps(nan, sums, _mm512_set1_ps(f32::from_bits(NAN_F32)))
    }
}

/// Groups of doubles.
mod of_doubles {
    use super::*;

    #[target_feature(enable = "avx512f")]
    pub(super) fn load(group: &[f64; 16]) -> Doubles {
        let (low, high) = group.split_at(8);
        // SAFETY: the lower half has the 64 bytes that are read.
        let low = unsafe { _mm512_loadu_pd(low.as_ptr()) };
        // SAFETY: so has the upper one.
        [low, unsafe { _mm512_loadu_pd(high.as_ptr()) }]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn store(group: &mut [f64; 16], [low, high]: Doubles) {
        for (half, values) in group.as_chunks_mut::<8>().0.iter_mut().zip([low, high]) {
            // SAFETY: the half has the 64 bytes that are written.
            unsafe { _mm512_storeu_pd(half.as_mut_ptr(), values) };
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn stream(group: &mut [f64; 16], [low, high]: Doubles) {
        debug_assert!(group.as_ptr().addr().is_multiple_of(64), "streamed groups are aligned");
        for (half, values) in group.as_chunks_mut::<8>().0.iter_mut().zip([low, high]) {
            // SAFETY: the half has the 64 bytes that are written, and is aligned as the group is.
            unsafe { _mm512_stream_pd(half.as_mut_ptr(), values) };
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn spread(value: f64) -> Doubles {
        [_mm512_set1_pd(value); 2]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn plus(a: Doubles, b: Doubles) -> Doubles {
        [_mm512_add_pd(a[0], b[0]), _mm512_add_pd(a[1], b[1])]
    }

    /// Adds to each lane the one that lies so far below; where there is none, nothing: that changes no sum.
    macro_rules! step {
        ($x:expr, $step:literal) => {{
            let [low, high] = $x;
            let (low_bits, high_bits) = (_mm512_castpd_si512(low), _mm512_castpd_si512(high));
            let nothing = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
            let to_low = _mm512_alignr_epi64::<{ 8 - $step }>(low_bits, nothing);
            let to_high = _mm512_alignr_epi64::<{ 8 - $step }>(high_bits, low_bits);
            plus([_mm512_castsi512_pd(to_low), _mm512_castsi512_pd(to_high)], [low, high])
        }};
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn scan(group: Doubles) -> Doubles {
        let [low, high] = step!(step!(step!(group, 1), 2), 4);
        [low, _mm512_add_pd(low, high)]
    }

    /// Moves totals up by one lane; the last of a scanned group becomes the first.
    #[target_feature(enable = "avx512f")]
    pub(super) fn push([low, high]: Doubles, scanned: Doubles) -> Doubles {
        let (low, high, last) = (_mm512_castpd_si512(low), _mm512_castpd_si512(high), _mm512_castpd_si512(scanned[1]));
        let (low, high) = (_mm512_alignr_epi64::<7>(low, last), _mm512_alignr_epi64::<7>(high, low));
        [_mm512_castsi512_pd(low), _mm512_castsi512_pd(high)]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn reverse([low, high]: Doubles) -> Doubles {
        let from = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        [_mm512_permutexvar_pd(from, high), _mm512_permutexvar_pd(from, low)]
    }

    /// Never −0, and one NaN.
    #[target_feature(enable = "avx512f")]
    pub(super) fn finished(sums: Doubles) -> Doubles {
        let nan = _mm512_set1_pd(f64::from_bits(NAN_F64));
        let [low, high] = plus(sums, spread(0.0));
        let low_nans = _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(low, low);
        let high_nans = _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(high, high);
        [_mm512_mask_blend_pd(low_nans, low, nan), _mm512_mask_blend_pd(high_nans, high, nan)]
    }
}

/// Groups of 64-bit integers; their sums are modulo 2^64.
mod of_wholes {
    use super::*;

    #[target_feature(enable = "avx512f")]
    pub(super) fn load(group: &[i64; 16]) -> Wholes {
        let (low, high) = group.split_at(8);
        // SAFETY: the lower half has the 64 bytes that are read.
        let low = unsafe { _mm512_loadu_si512(low.as_ptr().cast()) };
        // SAFETY: so has the upper one.
        [low, unsafe { _mm512_loadu_si512(high.as_ptr().cast()) }]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn store(group: &mut [i64; 16], [low, high]: Wholes) {
        for (half, values) in group.as_chunks_mut::<8>().0.iter_mut().zip([low, high]) {
            // SAFETY: the half has the 64 bytes that are written.
            unsafe { _mm512_storeu_si512(half.as_mut_ptr().cast(), values) };
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn stream(group: &mut [i64; 16], [low, high]: Wholes) {
        debug_assert!(group.as_ptr().addr().is_multiple_of(64), "streamed groups are aligned");
        for (half, values) in group.as_chunks_mut::<8>().0.iter_mut().zip([low, high]) {
            // SAFETY: the half has the 64 bytes that are written, and is aligned as the group is.
            unsafe { _mm512_stream_si512(half.as_mut_ptr().cast(), values) };
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn spread(value: i64) -> Wholes {
        [_mm512_set1_epi64(value); 2]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn plus(a: Wholes, b: Wholes) -> Wholes {
        [_mm512_add_epi64(a[0], b[0]), _mm512_add_epi64(a[1], b[1])]
    }

    /// Adds to each lane the one that lies so far below; where there is none, nothing: that changes no sum.
    macro_rules! step {
        ($x:expr, $step:literal) => {{
            let [low, high] = $x;
            let to_low = _mm512_alignr_epi64::<{ 8 - $step }>(low, _mm512_setzero_si512());
            let to_high = _mm512_alignr_epi64::<{ 8 - $step }>(high, low);
            plus([to_low, to_high], [low, high])
        }};
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn scan(group: Wholes) -> Wholes {
        let [low, high] = step!(step!(step!(group, 1), 2), 4);
        [low, _mm512_add_epi64(low, high)]
    }

    /// Moves totals up by one lane; the last of a scanned group becomes the first.
    #[target_feature(enable = "avx512f")]
    pub(super) fn push([low, high]: Wholes, scanned: Wholes) -> Wholes {
        [_mm512_alignr_epi64::<7>(low, scanned[1]), _mm512_alignr_epi64::<7>(high, low)]
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn reverse([low, high]: Wholes) -> Wholes {
        let from = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        [_mm512_permutexvar_epi64(from, high), _mm512_permutexvar_epi64(from, low)]
    }

    /// Nothing is left to do.
    #[target_feature(enable = "avx512f")]
    pub(super) fn finished(sums: Wholes) -> Wholes {
        sums
    }
}
