//! `erf`, `cbrt`, `hypot`.

use super::build::{PerFloat, Poly, X, two_to};
use super::exp::{Cut, cut, exp_rest, raised};

/// `erf(x) / x - 1` in `x²`, for `|x| ≤ 1`.
/// Relative error 2^-29.6 (single), 2^-56.9 (double).
const ERF: Poly = Poly {
    single: &[0.12837917, -0.37612626, 0.112835854, -0.026853813, 0.005188328, -0.0008010198, 7.8538775e-5],
    double: &[
        0.12837916709551256,
        -0.3761263890318352,
        0.11283791670944185,
        -0.02686617064311162,
        0.0052239776061198916,
        -0.0008548325929387381,
        0.00012055293579177031,
        -1.4924712346984208e-5,
        1.6447132136226015e-6,
        -1.6206318131398673e-7,
        1.3710999411376773e-8,
        -7.77950401534475e-10,
    ],
};

/// `exp(x²) erfc(x)` in `1 / (x + 2)`, for `1 ≤ x ≤ 4` (single) and `1 ≤ x ≤ 6` (double); errors absolute, of `erf(x)`.
/// Relative error 2^-34.7 (single), 2^-60.7 (double).
const ERFC: Poly = Poly {
    single: &[0.0018225041, 0.51940084, 1.587211, -0.51569426, 10.186896, -7.3856645],
    double: &[
        -3.1306677256449166e-6,
        0.5643774161532106,
        1.1232651078629468,
        2.0584962839651504,
        1.8974626962735872,
        9.887940340970632,
        -41.118099190972075,
        161.22674081401297,
        -510.8258738063248,
        994.7913204545162,
        -1153.0327029968714,
        748.0177655668658,
        -212.13361700165368,
    ],
};

/// The error function: `1 - exp(-x²) g(x)` from 1 on, a polynomial below.
pub(super) fn erf(x: X<'_>) -> X<'_> {
    let a = x.abs();
    let near = a.fma((a * a).poly(&ERF), a);
    let c = a.least(PerFloat(4.0, 6.0));
    let Cut { whole, rest } = cut(-(c * c));
    let g = (c.of(1.0) / (c + 2.0)).poly(&ERFC);
    let far = (-raised(exp_rest(rest), whole)).fma(g, 1.0);
    let y = a.lt(1.0).choose(near, far);
    x.is_nan().choose(x, y.signed_like(x))
}

/// The cube root: a third of the exponent is the first guess; Halley's steps make it better; last, what the cube
/// misses, computed with twice the digits, is taken away.
pub(super) fn cbrt(x: X<'_>) -> X<'_> {
    let a = x.abs();
    let tiny = a.lt(PerFloat(1e-21, 1e-240));
    let scaled = tiny.choose(a * PerFloat(two_to(48), two_to(162)), a);
    let quarter = scaled * 0.25;
    let third = (scaled.bits().to_float() * (1.0 / 3.0)).to_integer();
    let mut t = (third + PerFloat(0x2a51_19f2, 0x2a9f_7893_782d_a1ce)).float();
    for _ in 0..scaled.by(1, 2) {
        let cube = t * t * (t * 0.25);
        t = t * ((cube + quarter + quarter) / (cube + cube + quarter));
    }
    let square = t * t;
    let lost = t.fma(t, -square);
    let missed = square.fma(t, -scaled) + lost * t;
    let root = t - missed / (square * 3.0);
    let root = root * tiny.choose(a.of(PerFloat(two_to(-16), two_to(-54))), 1.0);
    a.gt(0.0).and(a.lt(f64::INFINITY)).choose(root, a).signed_like(x)
}

/// The length of a vector. Very large and very small ones are scaled; an infinite side wins over a NaN.
pub(super) fn hypot<'b>(x: X<'b>, y: X<'b>) -> X<'b> {
    let (a, b) = (x.abs(), y.abs());
    let (large, small) = (a.greatest(b), a.least(b));
    let (huge, tiny) = (large.gt(HUGE_SIDE), large.lt(TINY_SIDE));
    let choice = |up: PerFloat<f64>, down: PerFloat<f64>| tiny.choose(large.of(up), huge.choose(large.of(down), 1.0));
    let scale = choice(SCALE_UP, SCALE_DOWN);
    let (large, small) = (large * scale, small * scale);
    let length = large.fma(large, small * small).sqrt() * choice(SCALE_DOWN, SCALE_UP);
    a.eq(f64::INFINITY).or(b.eq(f64::INFINITY)).choose(a.of(f64::INFINITY), length)
}

/// Sides above are scaled down.
const HUGE_SIDE: PerFloat<f64> = PerFloat(two_to(62), two_to(510));
/// Sides below are scaled up.
const TINY_SIDE: PerFloat<f64> = PerFloat(two_to(-40), two_to(-450));
/// PerFloat how much, and the inverse.
const SCALE_UP: PerFloat<f64> = PerFloat(two_to(80), two_to(600));
const SCALE_DOWN: PerFloat<f64> = PerFloat(two_to(-80), two_to(-600));
