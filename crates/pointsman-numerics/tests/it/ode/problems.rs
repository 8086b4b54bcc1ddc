//! Problems whose solutions are known.

use pointsman_numerics::ode::Problem;
use pointsman_numerics::special::{gamma, mittag_leffler};

/// D^α y = −λ·y with y(0) = 1 and y′(0) = 0: y = E_α(−λ·t^α).
pub(super) fn relaxation(order: f64, lambda: f64) -> (Problem<'static>, impl Fn(f64) -> f64) {
    let problem = Problem::new(&[order], &[1.0], move |_, y, rate| rate[0] = -lambda * y[0]);
    (problem, move |t: f64| mittag_leffler(order, 1.0, -lambda * t.powf(order)).unwrap())
}

/// Diethelm's test problem: y = t^8 − 3·t^(4+α/2) + 9/4·t^α on [0, 1].
pub(super) fn diethelm(order: f64) -> (Problem<'static>, impl Fn(f64) -> f64) {
    let a = order;
    let problem = Problem::new(&[a], &[0.0], move |t, y, rate| {
        rate[0] = 40320.0 / gamma(9.0 - a) * t.powf(8.0 - a)
            - 3.0 * gamma(5.0 + a / 2.0) / gamma(5.0 - a / 2.0) * t.powf(4.0 - a / 2.0)
            + 2.25 * gamma(a + 1.0)
            + (1.5 * t.powf(a / 2.0) - t.powi(4)).powi(3)
            - y[0].abs().powf(1.5);
    });
    (problem, move |t: f64| t.powi(8) - 3.0 * t.powf(4.0 + a / 2.0) + 2.25 * t.powf(a))
}

/// y = t^(α+2), whose derivative is smooth: D^α y = Γ(α+3)/2·t² + (t^(α+2))² − y².
pub(super) fn smooth(order: f64) -> (Problem<'static>, impl Fn(f64) -> f64) {
    let exact = move |t: f64| t.powf(order + 2.0);
    let problem = Problem::new(&[order], &[0.0], move |t, y, rate| {
        rate[0] = 0.5 * gamma(order + 3.0) * t * t + exact(t).powi(2) - y[0] * y[0];
    });
    (problem, exact)
}

/// A fractional Lotka–Volterra system.
pub(super) fn lotka_volterra(_: f64, y: &[f64], rate: &mut [f64]) {
    rate[0] = y[0] * (1.0 - 0.5 * y[1]);
    rate[1] = y[1] * (0.7 * y[0] - 1.0);
}

/// The Lorenz system.
pub(super) fn lorenz(_: f64, y: &[f64], rate: &mut [f64]) {
    rate[0] = 10.0 * (y[1] - y[0]);
    rate[1] = y[0] * (28.0 - y[2]) - y[1];
    rate[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
}
