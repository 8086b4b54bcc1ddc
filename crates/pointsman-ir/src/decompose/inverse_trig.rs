//! `asin`, `acos`, `atan`, `atan2`: polynomials near zero, and elsewhere the identities
//! `asin(x) = π/2 - 2 asin(√((1 - x)/2))` and `atan(x) = π/2 - atan(1/x)`. π is the sum of two floats, high and low.

use super::build::{PerFloat, Poly, X};
use std::f64::consts;

/// π/2 in two words.
const PI_2_HIGH: PerFloat<f64> = PerFloat(consts::FRAC_PI_2, consts::FRAC_PI_2);
const PI_2_LOW: PerFloat<f64> = PerFloat(-4.371139e-8, 6.123233995736766e-17);
/// π in two words.
const PI_HIGH: PerFloat<f64> = PerFloat(consts::PI, consts::PI);
const PI_LOW: PerFloat<f64> = PerFloat(-8.742278e-8, 1.2246467991473532e-16);

/// `(asin(s) - s) / s³` in `s²`, for `|s| ≤ 1/2`.
/// Relative error 2^-27.6 (single), 2^-55.9 (double).
const ASIN: Poly = Poly {
    single: &[0.16666752, 0.07495289, 0.04547157, 0.02417312, 0.04217794],
    double: &[
        0.16666666666665403,
        0.07500000000338804,
        0.044642856826792844,
        0.030381959202329015,
        0.0223717564395597,
        0.01735972965662382,
        0.013884984077839715,
        0.012170896201617215,
        0.00652054981486385,
        0.01954895327354452,
        -0.01625727219474978,
        0.03193527143205442,
    ],
};

/// `(atan(t) - t) / t³` in `t²`, for `|t| ≤ 1`.
/// Relative error 2^-28.5 (single), 2^-57.6 (double).
const ATAN: Poly = Poly {
    single: &[
        -0.333333,
        0.19998547,
        -0.14264241,
        0.1095218,
        -0.084034346,
        0.05795736,
        -0.031177636,
        0.0109145045,
        -0.0017936014,
    ],
    double: &[
        -0.3333333333333307,
        0.19999999999951465,
        -0.14285714282575326,
        0.11111111007030246,
        -0.09090907003031728,
        0.0769227983947691,
        -0.06666404057274636,
        0.05880527804484746,
        -0.052535184787325266,
        0.04722321886671381,
        -0.04219177924276178,
        0.0366418871303569,
        -0.029903817146351586,
        0.021984798846833145,
        -0.013900505869677414,
        0.007196463110613122,
        -0.0028848971087243394,
        0.0008313140992922834,
        -0.0001521591493762313,
        1.322490056960402e-5,
    ],
};

/// π/2 minus the angle `large + small`.
fn complement<'b>(large: X<'b>, small: X<'b>) -> X<'b> {
    (large.of(PI_2_HIGH) - large) - (small - PI_2_LOW)
}

/// π minus the angle `large + small`.
fn supplement<'b>(large: X<'b>, small: X<'b>) -> X<'b> {
    (large.of(PI_HIGH) - large) - (small - PI_LOW)
}

/// For a magnitude `a`: whether it is above ½, and an angle in two parts: `asin(a)`, or `(π/2 - asin(a)) / 2` above ½.
fn arc(a: X<'_>) -> (X<'_>, X<'_>, X<'_>) {
    let far = a.gt(0.5);
    let z = far.choose(a.fma(-0.5, 0.5), a * a);
    let s = far.choose(z.sqrt(), a);
    (far, s, s * z * z.poly(&ASIN))
}

/// The arc sine. Adds back what the difference of the largest terms loses by rounding.
pub(super) fn asin(x: X<'_>) -> X<'_> {
    let (far, s, c) = arc(x.abs());
    let twice = s + s;
    let difference = twice.of(PI_2_HIGH) - twice;
    let lost = (twice.of(PI_2_HIGH) - difference) - twice;
    let complement = difference - ((c + c) - (lost + PI_2_LOW));
    far.choose(complement, s + c).signed_like(x)
}

/// The arc cosine.
pub(super) fn acos(x: X<'_>) -> X<'_> {
    let (far, s, c) = arc(x.abs());
    let negative = x.lt(0.0);
    let near = complement(x, negative.choose(-c, c));
    let (s, c) = (s + s, c + c);
    far.choose(negative.choose(supplement(s, c), s + c), near)
}

/// `atan(t) - t` for `t` from 0 to 1.
fn octant(t: X<'_>) -> X<'_> {
    let z = t * t;
    t * z * z.poly(&ATAN)
}

/// The arc tangent.
pub(super) fn atan(x: X<'_>) -> X<'_> {
    let a = x.abs();
    let far = a.gt(1.0);
    let t = far.choose(a.of(1.0), a) / far.choose(a, 1.0);
    let c = octant(t);
    far.choose(complement(t, c), t + c).signed_like(x)
}

/// The angle of the point `(x, y)`. If both magnitudes are equal, takes 1 as their quotient (0 for zeros), not `∞/∞` or
/// `0/0`.
pub(super) fn atan2<'b>(y: X<'b>, x: X<'b>) -> X<'b> {
    let (up, along) = (y.abs(), x.abs());
    let (small, large) = (up.least(along), up.greatest(along));
    let t = small.eq(large).choose(large.sign(), small / large);
    let c = octant(t);
    let (is_above_diagonal, is_left_half) = (up.gt(along), x.bits().lt(0));
    let is_mirrored = is_above_diagonal.ne(is_left_half);
    let (t, c) = (is_mirrored.choose(-t, t), is_mirrored.choose(-c, c));
    let base = |pi_2: PerFloat<f64>, pi: PerFloat<f64>| {
        is_above_diagonal.choose(t.of(pi_2), is_left_half.choose(t.of(pi), 0.0))
    };
    let angle = (base(PI_2_HIGH, PI_HIGH) + t) + (c + base(PI_2_LOW, PI_LOW));
    angle.signed_like(y)
}
