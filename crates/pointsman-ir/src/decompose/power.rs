//! `pow`: `2^(y log₂|x|)`, where the logarithm has twice the digits, since the exponent multiplies its error.
//!
//! The exceptional cases are those of C: `pow(x, 0)` and `pow(1, y)` are 1, also for NaN.

use super::build::{PerFloat, Poly, X};
use super::exp::{FRACTION, WHOLE, exp2_rest};
use super::log::{Cut, cut};
use crate::types::{NAN_F32, NAN_F64};

/// 2 log₂ e in two words.
const FACTOR: PerFloat<f64> = PerFloat(2.88539, 2.8853900817779268);
const FACTOR_LOW: PerFloat<f64> = PerFloat(3.851926e-8, 4.0710547481862066e-17);
/// ⅓ in two words.
const THIRD: PerFloat<f64> = PerFloat(0.33333334, 0.3333333333333333);
const THIRD_LOW: PerFloat<f64> = PerFloat(-9.934108e-9, 1.850371707708594e-17);

/// `(2 atanh(s) - 2s - ⅔s³) / s⁵` in `s²`, for `|s| ≤ (√2 - 1) / (√2 + 1)`; errors relative to `2 atanh(s)`.
/// Relative error 2^-36.8 (single), 2^-66.3 (double).
const ATANH: Poly = Poly {
    single: &[0.40000153, 0.2854711, 0.23419216],
    double: &[
        0.40000000000002267,
        0.28571428570095053,
        0.22222222520811777,
        0.18181784282608057,
        0.1538676151463825,
        0.13256714022736366,
        0.13197346118931533,
    ],
};

/// A number in two words: their sum, where the second is below the last digit of the first.
type Two<'b> = (X<'b>, X<'b>);

/// The sum of a number and a smaller one.
fn sum<'b>(large: X<'b>, small: X<'b>) -> Two<'b> {
    let high = large + small;
    (high, small - (high - large))
}

/// The product of two numbers.
fn product<'b>(a: X<'b>, b: X<'b>) -> Two<'b> {
    let high = a * b;
    (high, a.fma(b, -high))
}

/// `s = (m - 1) / (m + 1)`.
fn ratio(m: X<'_>) -> Two<'_> {
    let f = m - 1.0;
    let (below, lost) = sum_with_one(m);
    let inverse = m.of(1.0) / below;
    let high = f * inverse;
    let missed = (-high).fma(below, f) - high * lost;
    (high, missed * inverse)
}

/// `m + 1`, for `m` from ½ to 2.
fn sum_with_one(m: X<'_>) -> Two<'_> {
    let high = m + 1.0;
    (high, m - (high - 1.0))
}

/// log₂ of a positive number: `e + 2 log₂e · s (1 + z/3 + z² R(z))`, `z = s²`.
fn log2(a: X<'_>) -> Two<'_> {
    let Cut { fraction, exponent } = cut(a);
    let (s, s_low) = ratio(fraction);
    let (z, z_rest) = product(s, s);
    let z_low = (s + s).fma(s_low, z_rest);
    let (third, rest) = product(z, z.of(THIRD));
    let tail = (z * z) * (z.poly(&ATANH) * 0.5);
    let (g, g_low) = sum(third, tail + z.fma(THIRD_LOW, z_low.fma(THIRD, rest)));
    let (p, p_rest) = product(s, g);
    let p_low = p_rest + (s.fma(g_low, s_low.fma(g, s_low)));
    let (q, q_rest) = sum(s, p);
    let q_low = q_rest + p_low;
    let (l, l_rest) = product(q, q.of(FACTOR));
    let l_low = l_rest + q.fma(FACTOR_LOW, q_low * FACTOR);
    let (high, low) = sum(exponent.to_float(), l);
    (high, low + l_low)
}

/// 2 to the power of a number in two words, to zero and infinity where it goes beyond the range.
fn exp2((high, low): Two<'_>) -> X<'_> {
    let limit = PerFloat(160.0, 1100.0);
    let low = high.abs().lt(limit).choose(low, 0.0);
    let high = high.greatest(PerFloat(-160.0, -1100.0)).least(limit);
    let whole = high + WHOLE;
    let n = whole.bits() - whole.of(WHOLE).bits();
    let p = exp2_rest((high - (whole - WHOLE)) + low);
    let half = n.shr(1);
    p * two_to(half) * two_to(n - half)
}

/// 2 to the power of a whole number in the range of exponents.
fn two_to(n: X<'_>) -> X<'_> {
    (n + PerFloat(127, 1023)).shl(FRACTION).float()
}

/// The first operand to the power of the second.
pub(super) fn pow<'b>(x: X<'b>, y: X<'b>) -> X<'b> {
    let a = x.abs();
    let (log, log_low) = log2(a);
    let (high, rest) = product(y, log);
    let finite = exp2((high, y.fma(log_low, rest)));
    let infinite = a.eq(f64::INFINITY);
    let ends = infinite.ne(y.lt(0.0)).choose(a.of(f64::INFINITY), 0.0);
    let magnitude = infinite.or(a.eq(0.0)).choose(ends, finite);
    with_sign(x, y, a, magnitude)
}

/// The sign and the cases that have no magnitude.
fn with_sign<'b>(x: X<'b>, y: X<'b>, a: X<'b>, magnitude: X<'b>) -> X<'b> {
    let (half, whole) = (y * 0.5, y.trunc().eq(y));
    let odd = whole.and(half.trunc().ne(half));
    let signed = odd.and(x.bits().lt(0)).choose(-magnitude, magnitude);
    let nan = PerFloat(f64::from(f32::from_bits(NAN_F32)), f64::from_bits(NAN_F64));
    let broken = x.lt(0.0).and(a.lt(f64::INFINITY)).and(whole.not());
    let undefined = broken.or(x.is_nan()).or(y.is_nan());
    let unity = a.eq(1.0).and(y.abs().eq(f64::INFINITY));
    let one = unity.or(x.eq(1.0)).or(y.eq(0.0));
    one.choose(x.of(1.0), undefined.choose(x.of(nan), signed))
}
