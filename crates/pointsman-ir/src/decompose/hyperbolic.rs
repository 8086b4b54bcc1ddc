//! `sinh`, `cosh`, `tanh`: from the exponential; near zero, where differences would lose digits, from polynomials.

use super::build::{PerFloat, Poly, X};
use super::exp::{Cut, cut, exp_rest, half_exp, raised};

/// `(sinh(x) - x) / x³` in `x²`, for `|x| ≤ 1`.
/// Relative error 2^-34.2 (single), 2^-63.3 (double).
const SINH: Poly = Poly {
    single: &[0.16666667, 0.00833335, 0.0001983616, 2.8169497e-6],
    double: &[
        0.16666666666666669,
        0.008333333333333148,
        0.00019841269841431864,
        2.7557319157073873e-6,
        2.5052123136455206e-8,
        1.6057259786818723e-10,
        7.758748313048848e-13,
    ],
};

/// `(tanh(x) - x) / x³` in `x²`, for `|x| ≤ 0.55`.
/// Relative error 2^-29.8 (single), 2^-55.5 (double).
const TANH: Poly = Poly {
    single: &[-0.33333316, 0.13332586, -0.053852316, 0.0210717, -0.00627427],
    double: &[
        -0.33333333333332316,
        0.1333333333316873,
        -0.05396825387608989,
        0.021869485975055537,
        -0.008863194507398454,
        0.0035917197232819284,
        -0.0014532168800018722,
        0.0005791373706828612,
        -0.000210302964779114,
        5.102186104053661e-5,
    ],
};

/// The hyperbolic sine.
pub(super) fn sinh(x: X<'_>) -> X<'_> {
    let a = x.abs();
    let half = half_exp(a);
    let far = half - half.of(0.25) / half;
    let z = a * a;
    let near = (a * z).fma(z.poly(&SINH), a);
    a.lt(1.0).choose(near, far).signed_like(x)
}

/// The hyperbolic cosine.
pub(super) fn cosh(x: X<'_>) -> X<'_> {
    let half = half_exp(x.abs());
    half + half.of(0.25) / half
}

/// The hyperbolic tangent: `1 - 2 / (exp(2x) + 1)`, and 1 from where nothing else is nearer.
pub(super) fn tanh(x: X<'_>) -> X<'_> {
    let a = x.abs();
    let Cut { whole, rest } = cut(a + a);
    let power = raised(exp_rest(rest), whole);
    let far = a.of(1.0) - a.of(2.0) / (power + 1.0);
    let z = a * a;
    let near = (a * z).fma(z.poly(&TANH), a);
    let y = a.lt(0.55).choose(near, far);
    a.gt(PerFloat(10.0, 20.0)).choose(a.sign(), y).signed_like(x)
}
