//! [`Definition`]: which derivative or integral; [`History`]: how much of the past it takes into account.

use crate::error::{Error, Result};

/// How a Caputo derivative replaces the function between the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// By lines, for orders α between 0 and 1: error O(h^(2−α)).
    L1,
    /// By parabolas through three points, for orders α between 0 and 1: error O(h^(3−α)) at every point. The first
    /// interval takes the bend of the second one, so the axis has at least three points.
    L12,
    /// By parabolas, at points moved by −α/2 steps, where a line on the last interval is as accurate: error O(h^(3−α))
    /// for orders α between 0 and 1. The number at index n > 0 of the result is the derivative at (n − α/2)·h, the
    /// number at index 0 that at 0.
    L2Sigma,
    /// By lines between the second differences at the points, for orders between 1 and 2: error O(h²). The axis has at
    /// least four points.
    SecondDifferences,
}

/// The function before the first point, for Marchaud derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Past {
    /// It is zero. The derivative equals that of Riemann and Liouville.
    Zero,
    /// It has its first value. The derivative equals that of Caputo.
    Constant,
}

/// The function beyond the axis, for Riesz derivatives and potentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// It is zero.
    Interval,
    /// It repeats: the period is the number of points times the step.
    Periodic,
}

/// Which derivative or integral; α is the order, h the step, t₀ the first point.
///
/// | definition | derivative of order α | error | integral of order α | error |
/// | --- | --- | --- | --- | --- |
/// | `GrunwaldLetnikov` | 0 ≤ α ≤ 30 | h | 0 ≤ α ≤ 30 | h |
/// | `RiemannLiouville` | 0 < α < 1; 1 < α < 2 | h^(2−α); h² | 0 < α ≤ 30 | h² |
/// | `Caputo`, by its [`Scheme`] | 0 < α < 1; 1 < α < 2 | h^(2−α) or h^(3−α); h² | as Riemann–Liouville | h² |
/// | `CaputoFabrizio` | 0 < α < 1 | h² | 0 < α < 1 | h² |
/// | `AtanganaBaleanu` | 0 < α < 1 | h² | 0 < α < 1 | h² |
/// | `Weyl` | 0 ≤ α ≤ 30 | spectral | 0 < α ≤ 30 | spectral |
/// | `Marchaud` | 0 < α < 1 | h^(2−α) | as Riemann–Liouville | h² |
/// | `Hadamard` | as Riemann–Liouville, in ln t | | as Riemann–Liouville | |
/// | `Riesz(Interval)` | 0 < α ≤ 2 | h² | 0 < α < 1 | h² |
/// | `Riesz(Periodic)` | 0 < α ≤ 2 | spectral | 0 < α < 1 | spectral |
/// | `Laplacian` | 0 < α ≤ 30 | spectral | 0 < α ≤ 30 | spectral |
///
/// The errors hold at a fixed time for functions with enough derivatives on the closed interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Definition {
    /// The limit of h^(−α)·Σ w_k·x(t − k·h), which whole orders share with ordinary derivatives.
    GrunwaldLetnikov,
    /// The derivative of the integral: that of Caputo, plus x(t₀)·t^(−α)/Γ(1−α) and, for 1 < α, plus
    /// x′(t₀)·t^(1−α)/Γ(2−α). The result is infinite at t₀ unless these numbers are 0.
    RiemannLiouville,
    /// The integral of the derivative. Its error is of lower order near t₀ if x behaves as a power of t there: a
    /// [graded grid](super::Grid::Graded) helps.
    Caputo(Scheme),
    /// 1/(1−α)·∫ x′(s)·e^(−α·(t−s)/(1−α)) ds; its inverse (1−α)·x + α·∫ x ds is the integral, if x(t₀) is 0. Both are
    /// recurrences that remember one number. Other authors multiply the derivative by M(α) and divide the integral by it.
    CaputoFabrizio,
    /// 1/(1−α)·∫ x′(s)·E_α(−α·(t−s)^α/(1−α)) ds, in the sense of Caputo ("ABC"), with the Mittag-Leffler function E; its
    /// inverse (1−α)·x + α·I^α x is the integral, if x(t₀) is 0. Other authors multiply the derivative by B(α) and divide
    /// the integral by it.
    AtanganaBaleanu,
    /// Of a periodic function: each frequency ω of the spectrum times (iω)^α. Its period is the number of points times
    /// the step. The integral takes the mean of the function as 0.
    Weyl,
    /// α/Γ(1−α)·∫ (x(t) − x(t−s))·s^(−1−α) ds over all s > 0. For lines between the points, the sums equal those of
    /// Riemann and Liouville or of Caputo, but are formed from the points instead of their differences.
    Marchaud(Past),
    /// The derivative of Riemann and Liouville with respect to ln t, on a [logarithmic grid](super::Grid::Logarithmic).
    Hadamard,
    /// −(−Δ)^(α/2), as the sum of a derivative from the left and one from the right, or by the factors −|ω|^α of a
    /// periodic spectrum. The integral is the Riesz potential, with the factors |ω|^(−α), and 0 for the mean.
    Riesz(Domain),
    /// (−Δ)^(α/2) of a periodic function, by the factors |ω|^α of the spectrum; of one axis or two. The integral is the
    /// inverse: |ω|^(−α), and 0 for the mean.
    Laplacian,
}

/// How much of the past a derivative takes into account.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum History {
    /// All of it. N points take O(N log N) time and O(N) memory; on a graded grid O(N²) time, for at most 4096 points.
    Full,
    /// The last steps only, as if t₀ moved along ("short memory"), for derivatives of Grünwald and Letnikov, Caputo (of
    /// orders below 1), and Atangana and Baleanu. With L as the length of the window, a derivative of Grünwald and
    /// Letnikov of order below 1 moves by at most max|x|·L^(−α)/Γ(1−α); a Caputo derivative by at most the total variation
    /// of x before the window, times L^(−α)/Γ(1−α) (by L1-2 with windows of at least two steps); one of Atangana and Baleanu by at most that variation, times
    /// E_α(−α·L^α/(1−α))/(1−α).
    Window {
        /// At least 1.
        steps: usize,
    },
    /// All of it, the kernel approximated by a [sum of exponentials](super::ExponentialSum), for derivatives of order
    /// below 1 of Riemann and Liouville, of Caputo by L1, and of Hadamard. The last interval is exact; the others change
    /// by at most the tolerance, relative to ∫ |x′(s)|·(t−s)^(−α) ds/Γ(1−α). M exponentials, fewer than a few hundred,
    /// take O(N·M) time and O(M) memory on the host, on graded grids, too.
    Exponentials {
        /// From 1e-13 to 0.1.
        tolerance: f64,
    },
}

/// An error unless a number is in its domain.
pub(super) fn check_in(
    operation: &'static str,
    argument: &'static str,
    value: f64,
    is_allowed: bool,
    allowed: &'static str,
) -> Result<()> {
    if is_allowed { Ok(()) } else { Err(Error::Domain { operation, argument, value, allowed }) }
}
