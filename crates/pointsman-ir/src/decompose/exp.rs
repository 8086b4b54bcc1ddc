//! `exp`, `exp2`, `expm1`: the argument is cut into a whole number of binary powers and a rest, `x = n ln 2 + r`; a
//! polynomial gives `exp(r)`, and `n` is added to the exponent. Results below the normal range are rounded once.

use super::build::{PerFloat, Poly, X, two_to};
use std::f64::consts;

/// Adding it leaves the nearest whole number in the low bits: 1.5 · 2^23 and 1.5 · 2^52.
pub(super) const WHOLE: PerFloat<f64> = PerFloat(12_582_912.0, 6_755_399_441_055_744.0);
/// Bits of the fraction.
pub(super) const FRACTION: PerFloat<i64> = PerFloat(23, 52);
/// log₂ e.
const LOG2_E: f64 = consts::LOG2_E;
/// ln 2 in two words.
pub(super) const LN_2: PerFloat<f64> = PerFloat(consts::LN_2, consts::LN_2);
pub(super) const LN_2_LOW: PerFloat<f64> = PerFloat(-1.9046542e-9, 2.3190468138462996e-17);
/// The largest argument whose exponential is finite.
const EXP_MAX: PerFloat<f64> = PerFloat(88.72283, 709.782712893384);
/// What makes every larger argument overflow when it is multiplied with this.
pub(super) const HUGE: PerFloat<f64> = PerFloat(1e38, 1e308);

/// `(exp(r) - 1 - r) / r²` for `|r| ≤ ln 2 / 2`; errors relative to `exp(r) - 1`.
/// Relative error 2^-26.2 (single), 2^-55.6 (double).
const EXP: Poly = Poly {
    single: &[0.49999997, 0.16666542, 0.041667208, 0.0083666295, 0.0013882073],
    double: &[
        0.5000000000000006,
        0.16666666666666585,
        0.04166666666657565,
        0.008333333333391596,
        0.0013888888931948816,
        0.0001984126971511821,
        2.480150479940393e-5,
        2.7557410497291296e-6,
        2.7626229626519175e-7,
        2.5053010459420767e-8,
    ],
};

/// `(2^r - 1) / r` for `|r| ≤ 1/2`; errors relative to `2^r`.
/// Relative error 2^-28.9 (single), 2^-58.0 (double).
const EXP2: Poly = Poly {
    single: &[consts::LN_2, 0.24022648, 0.05550332, 0.009618439, 0.0013399004, 0.00015353272],
    double: &[
        consts::LN_2,
        0.24022650695910133,
        0.05550410866482007,
        0.009618129107593843,
        0.0013333558146776906,
        0.00015403530457496116,
        1.5252733491712303e-5,
        1.3215435075787077e-6,
        1.017819984272152e-7,
        7.07382102472801e-9,
        4.434776889490455e-10,
    ],
};

/// An argument cut in two: the whole number is in the low bits of an integer, the rest is small.
pub(super) struct Cut<'b> {
    pub(super) whole: X<'b>,
    pub(super) rest: X<'b>,
}

/// `x = whole · ln 2 + rest`.
pub(super) fn cut(x: X<'_>) -> Cut<'_> {
    let sum = x.fma(LOG2_E, WHOLE);
    let n = sum - WHOLE;
    let rest = n.fma(-n.by(LN_2.0, LN_2.1), x);
    Cut { whole: sum.bits(), rest: n.fma(-n.by(LN_2_LOW.0, LN_2_LOW.1), rest) }
}

/// `exp(r)` of a rest.
pub(super) fn exp_rest(r: X<'_>) -> X<'_> {
    r.fma(r.fma(r.poly(&EXP), 1.0), 1.0)
}

/// `2^r` of a rest.
pub(super) fn exp2_rest(r: X<'_>) -> X<'_> {
    r.fma(r.poly(&EXP2), 1.0)
}

/// `p · 2^n` where the result is normal.
pub(super) fn raised<'b>(p: X<'b>, whole: X<'b>) -> X<'b> {
    (p.bits() + whole.shl(FRACTION)).float()
}

/// `p · 2^n` where the result may be below the normal range: there `low` holds.
fn lowered<'b>(p: X<'b>, whole: X<'b>, low: X<'b>) -> X<'b> {
    let up = low.choose(whole + PerFloat(64, 128), whole);
    let down = low.choose(p.of(PerFloat(two_to(-64), two_to(-128))), 1.0);
    raised(p, up) * down
}

/// e to the power of x.
pub(super) fn exp(x: X<'_>) -> X<'_> {
    let low = x.greatest(PerFloat(-105.0, -747.0));
    let Cut { whole, rest } = cut(low);
    let y = lowered(exp_rest(rest), whole, low.lt(PerFloat(-87.0, -707.0)));
    x.gt(EXP_MAX).choose(x * HUGE, y)
}

/// 2 to the power of x.
pub(super) fn exp2(x: X<'_>) -> X<'_> {
    let low = x.greatest(PerFloat(-152.0, -1077.0));
    let sum = low + WHOLE;
    let rest = low - (sum - WHOLE);
    let y = lowered(exp2_rest(rest), sum.bits(), low.lt(PerFloat(-125.0, -1021.0)));
    x.ge(PerFloat(128.0, 1024.0)).choose(x * HUGE, y)
}

/// `exp(x) - 1`. Half of it is computed, so that the largest results do not overflow on the way.
pub(super) fn expm1(x: X<'_>) -> X<'_> {
    let Cut { whole, rest } = cut(x.greatest(PerFloat(-20.0, -40.0)));
    let beyond = rest * rest * rest.poly(&EXP);
    let half = (whole + PerFloat(126, 1022)).shl(FRACTION).float();
    let y = half.fma(beyond, half.fma(rest, half - 0.5)) * 2.0;
    let y = x.gt(EXP_MAX).choose(x * HUGE, y);
    x.abs().lt(PerFloat(two_to(-25), two_to(-54))).choose(x, y)
}

/// `exp(a) / 2` for `a ≥ 0`, without overflow before the result does.
pub(super) fn half_exp(a: X<'_>) -> X<'_> {
    let Cut { whole, rest } = cut(a);
    let y = raised(exp_rest(rest), whole - 1);
    a.gt(PerFloat(89.415_985, 710.475_860_073_943_9)).choose(a * HUGE, y)
}
