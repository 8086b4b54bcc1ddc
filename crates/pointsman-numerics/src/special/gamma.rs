//! The gamma function of a real argument, its reciprocal, its logarithm and its logarithmic derivative.
//!
//! Arguments below 12 are shifted to `[1, 2]`, where a polynomial approximates 1/Γ; larger ones use Stirling's series;
//! negative ones the reflection Γ(x)·Γ(1−x) = π/sin(πx).

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// From here on seven terms of Stirling's series are exact to double precision.
pub(super) const STIRLING_MIN: f64 = 12.0;

/// Γ overflows above.
const GAMMA_ARGUMENT_MAX: f64 = 171.624_376_956_302_7;

/// 1/Γ underflows far below; the factors of [`stirling_factors`] overflow above.
const FACTORS_ARGUMENT_MAX: f64 = 250.0;

const SQRT_TWO_PI: f64 = 2.506_628_274_631_000_7;
const HALF_LN_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// 1/Γ(t + 3/2) for |t| ≤ 1/2 in powers of t: interpolation in Chebyshev nodes, relative error 2e-17.
const RECIPROCAL: [f64; 16] = [
    FRAC_2_SQRT_PI,
    -0.0411745264452831,
    -0.5266544355255447,
    0.1751020260439345,
    0.050966860247723254,
    -0.042155169368530074,
    0.006612897826273515,
    0.002120731442396242,
    -0.001110730245918119,
    0.00015235762354157663,
    2.5355130539175535e-05,
    -1.3896829354060864e-05,
    2.1565577829270528e-06,
    5.80540732549556e-08,
    -9.002261834603835e-08,
    1.6830710938973937e-08,
];

/// lnΓ(x)/((x − 1)(x − 2)) for x = t + 3/2 and |t| ≤ 1/2 in powers of t: relative error 7e-17.
const LOGARITHM: [f64; 20] = [
    0.4831289505409809,
    -0.14595989591430608,
    0.06291140107458168,
    -0.0313084875010217,
    0.01679709862898276,
    -0.009425622447061077,
    0.005446457956850198,
    -0.003212074148968353,
    0.0019229132430031888,
    -0.0011644126224041502,
    0.0007115650250304279,
    -0.0004380224528708151,
    0.0002708950296280356,
    -0.00016865016226225166,
    0.00010771545393886628,
    -6.765020809380933e-05,
    3.4988964640274815e-05,
    -2.2062867871136606e-05,
    2.8340547351058232e-05,
    -1.804276273750087e-05,
];

/// B₂ₖ/(2k(2k−1)) for k = 1, 2, …: Stirling's series in odd powers of 1/x.
const STIRLING: [f64; 7] =
    [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0, 1.0 / 156.0];

/// −B₂ₖ/(2k) for k = 1, 2, …: the series of ψ in powers of 1/x².
const DIGAMMA: [f64; 7] =
    [-1.0 / 12.0, 1.0 / 120.0, -1.0 / 252.0, 1.0 / 240.0, -1.0 / 132.0, 691.0 / 32_760.0, -1.0 / 12.0];

/// Γ(x), with a relative error of about 1e-15 for x > 0, and of 1e-15·max(1, |x·ψ(x)|) for x < 0.
///
/// As C99's `tgamma`: Γ(±0) = ±∞, Γ is NaN at −1, −2, … and at −∞, and it overflows to ∞ above 171.624.
#[must_use]
pub fn gamma(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0 / x;
    }
    if is_pole(x) || x.is_nan() {
        return f64::NAN;
    }
    if x >= STIRLING_MIN {
        return stirling(x);
    }
    if x >= 1.0 {
        let (shifted, product) = shift_down(x);
        return product / polynomial(&RECIPROCAL, shifted - 1.5);
    }
    if x >= -1.0 {
        return 1.0 / reciprocal_near_zero(x);
    }
    // Γ(1 − x) = −x·Γ(−x) has an exact argument. The quotient may be subnormal where it overflows: divide by factors.
    let (first, second) = factors(-x);
    PI / (-x * sin_pi(x)) / first / second
}

/// 1/Γ(x), with exact zeros at 0, −1, −2, … and the relative error of [`gamma`] elsewhere. An entire function: it never
/// divides by zero, and overflows to ±∞ only below about −170.6.
#[must_use]
pub fn reciprocal_gamma(x: f64) -> f64 {
    if x == 0.0 || is_pole(x) {
        return 0.0;
    }
    if x >= STIRLING_MIN {
        let (first, second) = factors(x);
        return 1.0 / first / second;
    }
    if x >= 1.0 {
        let (shifted, product) = shift_down(x);
        return polynomial(&RECIPROCAL, shifted - 1.5) / product;
    }
    if x >= -1.0 {
        return reciprocal_near_zero(x);
    }
    let (first, second) = factors(-x);
    -x * sin_pi(x) / PI * first * second
}

/// ln|Γ(x)| and the sign of Γ(x), with a relative error of about 1e-15 for x > 0 and an absolute error of
/// 1e-15·max(1, |ln|Γ(x)||, |x·ψ(x)|) for x < 0, where the logarithm has zeros.
///
/// At the poles 0, −1, −2, … it gives (∞, 1).
#[must_use]
pub fn ln_gamma(x: f64) -> (f64, f64) {
    if x.is_nan() {
        return (x, 1.0);
    }
    if x == 0.0 || is_pole(x) {
        return (f64::INFINITY, 1.0);
    }
    if x < 0.0 {
        let sine = sin_pi(x);
        return (-(sine.abs() / PI).ln() - ln_gamma_positive(1.0 - x), sine.signum());
    }
    (ln_gamma_positive(x), 1.0)
}

/// The logarithmic derivative ψ(x) = Γ′(x)/Γ(x), with an error of about 1e-15·(1 + |ψ(x)| + |x·ψ′(x)|).
///
/// ψ(±0) = ∓∞, and ψ is NaN at −1, −2, … and at −∞.
#[must_use]
pub fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return -1.0 / x;
    }
    if is_pole(x) || x == f64::INFINITY {
        return if x > 0.0 { x } else { f64::NAN };
    }
    if x < 0.0 {
        return digamma(1.0 - x) - PI * sin_pi(x + 0.5) / sin_pi(x);
    }
    let (mut large, mut sum) = (x, 0.0);
    while large < STIRLING_MIN {
        sum += 1.0 / large;
        large += 1.0;
    }
    let inverse = 1.0 / large;
    let square = inverse * inverse;
    large.ln() - 0.5 * inverse + square * polynomial(&DIGAMMA, square) - sum
}

/// lnΓ(x) − ((x − ½)·ln x − x + ½·ln 2π) for x ≥ 12.
pub(super) fn stirling_remainder(x: f64) -> f64 {
    let inverse = 1.0 / x;
    inverse * polynomial(&STIRLING, inverse * inverse)
}

/// sin(πx), exact zeros at the integers included.
fn sin_pi(x: f64) -> f64 {
    // Both steps are exact: |rest| ≤ 1, then |folded| ≤ 1/2.
    let rest = x - 2.0 * (0.5 * x).round();
    let folded = if rest.abs() > 0.5 { rest.signum() - rest } else { rest };
    (PI * folded).sin()
}

/// Negative integers and −∞, which is their limit.
fn is_pole(x: f64) -> bool {
    x < 0.0 && x == x.floor()
}

fn polynomial(coefficients: &[f64], t: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * t + c)
}

/// y in [1, 2] and p with Γ(x) = p·Γ(y), for 1 ≤ x < 12. The differences are exact.
fn shift_down(x: f64) -> (f64, f64) {
    let (mut y, mut product) = (x, 1.0);
    while y > 2.0 {
        y -= 1.0;
        product *= y;
    }
    (y, product)
}

/// 1/Γ(x) for |x| ≤ 1 by 1/Γ(x) = x/Γ(x + 1) = x·(x + 1)/Γ(x + 2).
fn reciprocal_near_zero(x: f64) -> f64 {
    if x >= 0.0 { x * polynomial(&RECIPROCAL, x - 0.5) } else { x * (x + 1.0) * polynomial(&RECIPROCAL, x + 0.5) }
}

/// Γ(x) for x ≥ 12. The power and the exponential have exact arguments, so that their errors are below one ulp each.
fn stirling(x: f64) -> f64 {
    if x > GAMMA_ARGUMENT_MAX {
        return f64::INFINITY;
    }
    let (first, second) = stirling_factors(x);
    first * second
}

/// Two factors of Γ(x) for x ≥ 12, which overflow later than Γ(x): one is the root of x^(x−½).
fn stirling_factors(x: f64) -> (f64, f64) {
    if x > FACTORS_ARGUMENT_MAX {
        return (f64::INFINITY, f64::INFINITY);
    }
    let root = x.powf(0.5 * x - 0.25);
    (root * (-x).exp() * (SQRT_TWO_PI * stirling_remainder(x).exp()), root)
}

/// Two factors of Γ(x) for x > 1, neither of which overflows where 1/Γ(x) is a normal number.
fn factors(x: f64) -> (f64, f64) {
    if x >= STIRLING_MIN {
        return stirling_factors(x);
    }
    let (shifted, product) = shift_down(x);
    (product / polynomial(&RECIPROCAL, shifted - 1.5), 1.0)
}

fn ln_gamma_positive(x: f64) -> f64 {
    if x == f64::INFINITY {
        x
    } else if x >= STIRLING_MIN {
        (x - 0.5) * (x.ln() - 1.0) + (HALF_LN_TWO_PI - 0.5 + stirling_remainder(x))
    } else if x > 3.0 {
        let (shifted, product) = shift_down(x);
        (product / polynomial(&RECIPROCAL, shifted - 1.5)).ln()
    } else if x > 2.0 {
        (x - 1.0).ln() + (x - 2.0) * (x - 3.0) * polynomial(&LOGARITHM, x - 2.5)
    } else if x >= 1.0 {
        (x - 1.0) * (x - 2.0) * polynomial(&LOGARITHM, x - 1.5)
    } else {
        x * (x - 1.0) * polynomial(&LOGARITHM, x - 0.5) - x.ln()
    }
}
