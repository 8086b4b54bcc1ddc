//! The beta function of real arguments and its logarithm.

use super::gamma::{STIRLING_MIN, gamma, ln_gamma, reciprocal_gamma, stirling_remainder};

/// B(x, y) = Γ(x)·Γ(y)/Γ(x + y), with a relative error of about 1e-14·max(1, condition), where the condition is
/// |x·∂B/∂x|/|B| + |y·∂B/∂y|/|B|.
///
/// B is NaN or infinite where Γ(x) or Γ(y) has a pole, and 0 where only Γ(x + y) has one.
#[must_use]
pub fn beta(x: f64, y: f64) -> f64 {
    let (small, large) = if x < y { (x, y) } else { (y, x) };
    if small > -STIRLING_MIN && large < STIRLING_MIN {
        // Multiplying by 1/Γ first, where Γ(small) is large, delays overflow.
        return gamma(small) * (gamma(large) * reciprocal_gamma(x + y));
    }
    let (logarithm, sign) = ln_beta(x, y);
    sign * logarithm.exp()
}

/// ln|B(x, y)| and the sign of B(x, y), with an absolute error of about 1e-15·(1 + |ln|B|| + condition of [`beta`]).
#[must_use]
pub fn ln_beta(x: f64, y: f64) -> (f64, f64) {
    let (small, large) = if x < y { (x, y) } else { (y, x) };
    // Logarithms of large gamma functions cancel: Stirling's series gives their difference.
    if small >= STIRLING_MIN {
        // (small/(x+y))^small · (large/(x+y))^large · sqrt(2π·(x+y)/(x·y))
        let powers = -small * ln_ratio(large, small) - large * (small / large).ln_1p();
        let root = 0.5 * (std::f64::consts::TAU.ln() - small.ln() + (small / large).ln_1p());
        let remainders = stirling_remainder(small) + (stirling_remainder(large) - stirling_remainder(x + y));
        return (powers + root + remainders, 1.0);
    }
    let (ln_small, sign) = ln_gamma(small);
    if large >= STIRLING_MIN && x + y >= STIRLING_MIN {
        return (ln_small - ln_gamma_difference(large, small), sign);
    }
    let ((ln_large, sign_large), (ln_sum, sign_sum)) = (ln_gamma(large), ln_gamma(x + y));
    (ln_small + ln_large - ln_sum, sign * sign_large * sign_sum)
}

/// ln(1 + large/small) for 0 < small ≤ large, without overflow of the quotient.
fn ln_ratio(large: f64, small: f64) -> f64 {
    if large / small < f64::INFINITY { (large / small).ln_1p() } else { large.ln() - small.ln() }
}

/// lnΓ(x + step) − lnΓ(x) for x ≥ 12 and x + step ≥ 12.
fn ln_gamma_difference(x: f64, step: f64) -> f64 {
    let end = x + step;
    (x - 0.5) * (step / x).ln_1p() + step * (end.ln() - 1.0) + (stirling_remainder(end) - stirling_remainder(x))
}
