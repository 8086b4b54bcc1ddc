//! Logarithms: a number is cut into `m · 2^e` with `√½ ≤ m < √2`; with `f = m - 1`, `ln m = f + s`, where a polynomial
//! gives `s`. What is added last is the largest, so that the result is rounded about once.

use super::build::{PerFloat, Poly, X, two_to};
use super::exp::{FRACTION, LN_2, LN_2_LOW};
use crate::types::{NAN_F32, NAN_F64};
use std::f64::consts;

/// The bits of √½.
const ROOT_HALF: PerFloat<i64> = PerFloat(0x3f35_04f3, 0x3fe6_a09e_667f_3bcd);
/// The bits of the fraction.
const FRACTION_MASK: PerFloat<i64> = PerFloat(0x007f_ffff, 0x000f_ffff_ffff_ffff);
/// The smallest normal number.
const NORMAL_MIN: PerFloat<f64> = PerFloat(two_to(-126), f64::MIN_POSITIVE);

/// Single: `(ln(1 + f) - f + f²/2) / f³` for `√½ ≤ 1 + f ≤ √2`. Double: `(2 atanh(s) - 2s) / s³` in `s²`, `s = f / (2 +
/// f)`. Relative error 2^-27.4 (single), 2^-59.5 (double).
const LN: Poly = Poly {
    single: &[0.3333333, -0.2500082, 0.20001268, -0.16623428, 0.14200912, -0.1315863, 0.12766692, -0.076449245],
    double: &[
        0.6666666666666735,
        0.39999999999412833,
        0.28571428742879357,
        0.2222219851473164,
        0.1818356776000694,
        0.15313953014629922,
        0.14797018485244096,
    ],
};

/// A positive number as `m · 2^e`.
pub(super) struct Cut<'b> {
    pub(super) fraction: X<'b>,
    pub(super) exponent: X<'b>,
}

/// Cuts a number that is at least the smallest normal one. `bias` is the bits of √½, plus an exponent to take away.
fn cut_normal<'b>(x: X<'b>, bias: X<'b>) -> Cut<'b> {
    let shifted = x.bits() - bias;
    Cut { fraction: (shifted.bit_and(FRACTION_MASK) + ROOT_HALF).float(), exponent: shifted.shr(FRACTION) }
}

/// Cuts a positive number.
pub(super) fn cut(x: X<'_>) -> Cut<'_> {
    let tiny = x.lt(NORMAL_MIN);
    let scaled = tiny.choose(x * PerFloat(two_to(23), two_to(52)), x);
    let bits = scaled.bits();
    let more = bits.by(ROOT_HALF.0 + (23 << 23), ROOT_HALF.1 + (52 << 52));
    cut_normal(scaled, tiny.choose(bits.of(more), ROOT_HALF))
}

/// What `ln(1 + f)` is more than `f`.
fn beyond(f: X<'_>) -> X<'_> {
    if f.by(true, false) {
        return f * f * f.fma(f.poly(&LN), -0.5);
    }
    let half_square = f * f * 0.5;
    let s = f / (f + 2.0);
    let w = s * s;
    s.fma(w.fma(w.poly(&LN), half_square), -half_square)
}

/// The result for positive finite numbers, with those of zero, negative numbers, infinity and NaN put in.
fn with_specials<'b>(x: X<'b>, y: X<'b>) -> X<'b> {
    let above = x.lt(f64::INFINITY).choose(y, x);
    let nan = PerFloat(f64::from(f32::from_bits(NAN_F32)), f64::from_bits(NAN_F64));
    let below = x.eq(0.0).choose(x.of(f64::NEG_INFINITY), nan);
    x.gt(0.0).choose(above, below)
}

/// The natural logarithm.
pub(super) fn ln(x: X<'_>) -> X<'_> {
    let Cut { fraction, exponent } = cut(x);
    let (f, e) = (fraction - 1.0, exponent.to_float());
    let y = e.fma(LN_2, f + e.fma(LN_2_LOW, beyond(f)));
    with_specials(x, y)
}

/// `ln m` in two words.
fn two_words(m: X<'_>) -> (X<'_>, X<'_>) {
    let f = m - 1.0;
    let s = beyond(f);
    let high = f + s;
    (high, s - (high - f))
}

/// The logarithm to base 2.
pub(super) fn log2(x: X<'_>) -> X<'_> {
    let Cut { fraction, exponent } = cut(x);
    let (high, low) = two_words(fraction);
    let factor = consts::LOG2_E;
    let rest = low.fma(factor, high * PerFloat(1.925963e-8, 2.0355273740931033e-17));
    with_specials(x, high.fma(factor, rest) + exponent.to_float())
}

/// The logarithm to base 10.
pub(super) fn log10(x: X<'_>) -> X<'_> {
    let Cut { fraction, exponent } = cut(x);
    let (high, low) = two_words(fraction);
    let e = exponent.to_float();
    let factor = consts::LOG10_E;
    let rest = low.fma(factor, high * PerFloat(-1.010305e-8, 1.098319650216765e-17));
    let rest = e.fma(PerFloat(-1.4320989e-8, -2.8037281277851704e-18), rest);
    with_specials(x, e.fma(consts::LOG10_2, high.fma(factor, rest)))
}

/// `ln(1 + x)`. The rounding error of `1 + x` is added at the end.
pub(super) fn log1p(x: X<'_>) -> X<'_> {
    let u = x + 1.0;
    let lost = x.least(1.0) - (u - x.greatest(1.0));
    let Cut { fraction, exponent } = cut_normal(u, u.bits().of(ROOT_HALF));
    let scale = (exponent.of(PerFloat(127, 1023)) - exponent.least(PerFloat(127, 1023))).shl(FRACTION).float();
    let (f, e, lost) = (fraction - 1.0, exponent.to_float(), lost * scale);
    let rest = beyond(f) + (-lost).fma(f, lost);
    let y = with_specials(u, e.fma(LN_2, f + e.fma(LN_2_LOW, rest)));
    x.abs().lt(PerFloat(two_to(-25), two_to(-54))).choose(x, y)
}
