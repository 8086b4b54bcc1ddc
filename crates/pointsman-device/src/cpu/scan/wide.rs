//! A leaf's prefix sums in AVX-512: in go rows in groups of 16, out come the sums of `prefix.rs`, bit for bit.
//!
//! A group is one vector of singles, or two of doubles or 64-bit integers. It is scanned in registers: what is moved up
//! by a step leaves nothing (−0.0, or 0) behind, and adding that changes nothing.

use pointsman_ir::kernel::{LEAF_ROWS, SCAN_RADIX};
use std::arch::x86_64::*;

/// A group's vector of singles.
type Singles = __m512;
/// A group's two vectors of doubles.
type Doubles = [__m512d; 2];
/// A group's two vectors of integers.
type Wholes = [__m512i; 2];

/// Writes the functions of one type: `$scan` for a leaf, over loads, stores and sums of groups.
macro_rules! leaf {
    ($scan:ident, $T:ty, $nothing:expr, $load:ident, $store:ident, $spread:ident, $plus:ident, $group:ident) => {
        /// The prefix sums of whole groups of a leaf; the last.
        #[target_feature(enable = "avx512f")]
        pub(super) fn $scan(values: &[$T], dst: &mut [$T]) -> $T {
            let mut second = [$nothing; LEAF_ROWS / SCAN_RADIX];
            let mut third = [$nothing; SCAN_RADIX];
            let (groups, dst) = (values.as_chunks::<SCAN_RADIX>().0, dst.as_chunks_mut::<SCAN_RADIX>().0);
            for ((group, dst), total) in groups.iter().zip(&mut *dst).zip(&mut second) {
                $store(dst, $group($load(group)));
                *total = dst[SCAN_RADIX - 1];
            }
            for (group, total) in second.as_chunks_mut::<SCAN_RADIX>().0.iter_mut().zip(&mut third) {
                $store(group, $group($load(group)));
                *total = group[SCAN_RADIX - 1];
            }
            let all = $group($load(&third));
            $store(&mut third, all);
            let left_of = |totals: &[$T], at: usize| if at == 0 { $nothing } else { totals[at - 1] };
            for (outer, groups) in dst.chunks_mut(SCAN_RADIX).enumerate() {
                let c3 = $spread(left_of(&third, outer));
                let inner = &second[outer * SCAN_RADIX..];
                for (at, group) in groups.iter_mut().enumerate() {
                    let c2 = $spread(left_of(inner, at));
                    $store(group, $plus(c3, $plus(c2, $load(group))));
                }
            }
            third[SCAN_RADIX - 1]
        }
    };
}

leaf!(singles, f32, -0.0f32, load_singles, store_singles, spread_single, plus_singles, group_of_singles);
leaf!(doubles, f64, -0.0f64, load_doubles, store_doubles, spread_double, plus_doubles, group_of_doubles);
leaf!(wholes, i64, 0i64, load_wholes, store_wholes, spread_whole, plus_wholes, group_of_wholes);

#[target_feature(enable = "avx512f")]
fn load_singles(group: &[f32; 16]) -> Singles {
    // SAFETY: the group has the 64 bytes that are read.
    unsafe { _mm512_loadu_ps(group.as_ptr()) }
}

#[target_feature(enable = "avx512f")]
fn store_singles(group: &mut [f32; 16], values: Singles) {
    // SAFETY: the group has the 64 bytes that are written.
    unsafe { _mm512_storeu_ps(group.as_mut_ptr(), values) }
}

#[target_feature(enable = "avx512f")]
fn spread_single(value: f32) -> Singles {
    _mm512_set1_ps(value)
}

#[target_feature(enable = "avx512f")]
fn plus_singles(a: Singles, b: Singles) -> Singles {
    _mm512_add_ps(a, b)
}

#[target_feature(enable = "avx512f")]
fn group_of_singles(group: Singles) -> Singles {
    macro_rules! step {
        ($x:expr, $s:literal) => {{
            let x = $x;
            let nothing = _mm512_castps_si512(_mm512_set1_ps(-0.0));
            let moved = _mm512_alignr_epi32::<{ 16 - $s }>(_mm512_castps_si512(x), nothing);
            _mm512_add_ps(_mm512_castsi512_ps(moved), x)
        }};
    }
    step!(step!(step!(step!(group, 1), 2), 4), 8)
}

#[target_feature(enable = "avx512f")]
fn load_doubles(group: &[f64; 16]) -> Doubles {
    let [low, high] = halves(group);
    // SAFETY: each half has the 64 bytes that are read.
    unsafe { [_mm512_loadu_pd(low.as_ptr()), _mm512_loadu_pd(high.as_ptr())] }
}

#[target_feature(enable = "avx512f")]
fn store_doubles(group: &mut [f64; 16], values: Doubles) {
    let (low, high) = group.split_at_mut(8);
    // SAFETY: the lower half has the 64 bytes that are written.
    unsafe { _mm512_storeu_pd(low.as_mut_ptr(), values[0]) };
    // SAFETY: so has the upper one.
    unsafe { _mm512_storeu_pd(high.as_mut_ptr(), values[1]) };
}

#[target_feature(enable = "avx512f")]
fn spread_double(value: f64) -> Doubles {
    [_mm512_set1_pd(value); 2]
}

#[target_feature(enable = "avx512f")]
fn plus_doubles(a: Doubles, b: Doubles) -> Doubles {
    [_mm512_add_pd(a[0], b[0]), _mm512_add_pd(a[1], b[1])]
}

#[target_feature(enable = "avx512f")]
fn group_of_doubles(group: Doubles) -> Doubles {
    let bits = |x| _mm512_castpd_si512(x);
    macro_rules! step {
        ($x:expr, $s:literal) => {{
            let [low, high] = $x;
            let to_low = _mm512_alignr_epi64::<{ 8 - $s }>(bits(low), bits(_mm512_set1_pd(-0.0)));
            let to_high = _mm512_alignr_epi64::<{ 8 - $s }>(bits(high), bits(low));
            plus_doubles([_mm512_castsi512_pd(to_low), _mm512_castsi512_pd(to_high)], [low, high])
        }};
    }
    let [low, high] = step!(step!(step!(group, 1), 2), 4);
    [low, _mm512_add_pd(low, high)]
}

#[target_feature(enable = "avx512f")]
fn load_wholes(group: &[i64; 16]) -> Wholes {
    let [low, high] = halves(group);
    // SAFETY: each half has the 64 bytes that are read.
    unsafe { [_mm512_loadu_si512(low.as_ptr().cast()), _mm512_loadu_si512(high.as_ptr().cast())] }
}

#[target_feature(enable = "avx512f")]
fn store_wholes(group: &mut [i64; 16], values: Wholes) {
    let (low, high) = group.split_at_mut(8);
    // SAFETY: the lower half has the 64 bytes that are written.
    unsafe { _mm512_storeu_si512(low.as_mut_ptr().cast(), values[0]) };
    // SAFETY: so has the upper one.
    unsafe { _mm512_storeu_si512(high.as_mut_ptr().cast(), values[1]) };
}

#[target_feature(enable = "avx512f")]
fn spread_whole(value: i64) -> Wholes {
    [_mm512_set1_epi64(value); 2]
}

#[target_feature(enable = "avx512f")]
fn plus_wholes(a: Wholes, b: Wholes) -> Wholes {
    [_mm512_add_epi64(a[0], b[0]), _mm512_add_epi64(a[1], b[1])]
}

#[target_feature(enable = "avx512f")]
fn group_of_wholes(group: Wholes) -> Wholes {
    macro_rules! step {
        ($x:expr, $s:literal) => {{
            let [low, high] = $x;
            let to_low = _mm512_alignr_epi64::<{ 8 - $s }>(low, _mm512_setzero_si512());
            let to_high = _mm512_alignr_epi64::<{ 8 - $s }>(high, low);
            plus_wholes([to_low, to_high], [low, high])
        }};
    }
    let [low, high] = step!(step!(step!(group, 1), 2), 4);
    [low, _mm512_add_epi64(low, high)]
}

/// The halves of a group.
fn halves<T>(group: &[T; 16]) -> [&[T]; 2] {
    let (low, high) = group.split_at(8);
    [low, high]
}
