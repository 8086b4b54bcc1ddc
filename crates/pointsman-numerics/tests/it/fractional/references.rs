//! Derivatives and integrals as the papers write them, in plain double precision: sums over all points before each point.

use pointsman_numerics::special::{gamma, mittag_leffler, reciprocal_gamma};

/// The result at each point of a line, for an order and a step.
pub(super) type Reference = fn(&[f64], f64, f64) -> Vec<f64>;

pub(super) fn grunwald_letnikov(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let mut weights = vec![1.0];
    for k in 1..x.len() {
        weights.push(weights[k - 1] * (k as f64 - 1.0 - order) / k as f64);
    }
    let sum = |n: usize| (0..=n).map(|k| weights[k] * x[n - k]).sum::<f64>();
    (0..x.len()).map(|n| sum(n) / step.powf(order)).collect()
}

pub(super) fn grunwald_letnikov_integral(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    grunwald_letnikov(x, -order, step)
}

/// Σ weight(n, j)·(x_(n−j) − x_(n−j−1)), divided by Γ(2 − order)·step^order.
fn of_differences(x: &[f64], order: f64, step: f64, weight: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let scale = gamma(2.0 - order) * step.powf(order);
    let sum = |n: usize| (0..n).map(|j| weight(n, j) * (x[n - j] - x[n - j - 1])).sum::<f64>();
    (0..x.len()).map(|n| sum(n) / scale).collect()
}

/// From here on, differences of powers lose too many digits, and Gauss's rule for their integrals is exact.
const LARGE: f64 = 16.0;

/// The integral from 0 to 1, by Gauss's rule of five points.
fn integral(f: impl Fn(f64) -> f64) -> f64 {
    let (far, near) = (0.906_179_845_938_664, 0.538_469_310_105_683_1);
    let pair = |side: f64| f(0.5 - 0.5 * side) + f(0.5 + 0.5 * side);
    let sides = 0.236_926_885_056_189_08 * pair(far) + 0.478_628_670_499_366_47 * pair(near);
    0.5 * (sides + 128.0 / 225.0 * f(0.5))
}

/// (x+1)^q − x^q.
fn first_difference(x: f64, q: f64) -> f64 {
    if x >= LARGE { q * integral(|s| (x + s).powf(q - 1.0)) } else { (x + 1.0).powf(q) - x.powf(q) }
}

/// ((x+1)^(q+1) − x^(q+1))/(q+1) − ((x+1)^q + x^q)/2: the error of a trapezoid.
fn bend(x: f64, q: f64) -> f64 {
    if x >= LARGE {
        return 0.5 * q * (1.0 - q) * integral(|s| s * (1.0 - s) * (x + s).powf(q - 2.0));
    }
    ((x + 1.0).powf(q + 1.0) - x.powf(q + 1.0)) / (q + 1.0) - ((x + 1.0).powf(q) + x.powf(q)) / 2.0
}

/// (x+1)^p − 2x^p + (x−1)^p.
fn second_difference(x: f64, p: f64) -> f64 {
    if x >= LARGE {
        let both = |s: f64| (x + s).powf(p - 2.0) + (x - s).powf(p - 2.0);
        return p * (p - 1.0) * integral(|s| (1.0 - s) * both(s));
    }
    (x + 1.0).powf(p) - 2.0 * x.powf(p) + (x - 1.0).powf(p)
}

/// (x−1)^p − x^p + p·x^(p−1).
fn end_difference(x: f64, p: f64) -> f64 {
    if x >= LARGE {
        return p * (p - 1.0) * integral(|s| (1.0 - s) * (x - s).powf(p - 2.0));
    }
    (x - 1.0).powf(p) - (x - p) * x.powf(p - 1.0)
}

pub(super) fn l1(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let weights: Vec<f64> = (0..x.len()).map(|j| first_difference(j as f64, 1.0 - order)).collect();
    of_differences(x, order, step, |_, j| weights[j])
}

/// Gao, Sun and Zhang (2014); the first interval has the bend of the second one.
pub(super) fn l12(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let slopes: Vec<f64> = (0..x.len()).map(|j| first_difference(j as f64, 1.0 - order)).collect();
    let a = |j: usize| slopes[j];
    let bends: Vec<f64> = (0..x.len()).map(|j| bend(j as f64, 1.0 - order)).collect();
    let b = |j: usize| bends[j];
    let mut result = of_differences(x, order, step, |n, j| {
        let own = if j + 1 < n { b(j) } else { 0.0 };
        a(j) + own - if j > 0 { b(j - 1) } else { 0.0 }
    });
    let scale = gamma(2.0 - order) * step.powf(order);
    for (n, y) in result.iter_mut().enumerate().skip(1) {
        *y += b(n - 1) * (x[2] - 2.0 * x[1] + x[0]) / scale;
    }
    result
}

/// Alikhanov (2015), at n − order/2.
pub(super) fn l2_sigma(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let sigma = 1.0 - order / 2.0;
    let slope = |l: usize| {
        if l == 0 { sigma.powf(1.0 - order) } else { first_difference(l as f64 - 1.0 + sigma, 1.0 - order) }
    };
    let slopes: Vec<f64> = (0..x.len()).map(slope).collect();
    let a = |l: usize| slopes[l];
    let bends: Vec<f64> =
        (0..=x.len()).map(|l| if l == 0 { 0.0 } else { bend(l as f64 - 1.0 + sigma, 1.0 - order) }).collect();
    let b = |l: usize| bends[l];
    of_differences(x, order, step, |n, s| match (n - 1, s) {
        (0, _) => a(0),
        (_, 0) => a(0) + b(1),
        (j, s) if s == j => a(j) - b(j),
        (_, s) => a(s) + b(s + 1) - b(s),
    })
}

pub(super) fn riemann_liouville(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let term = |n: usize| (n as f64 * step).powf(-order) * reciprocal_gamma(1.0 - order);
    let initial = |n: usize| if x[0] == 0.0 { 0.0 } else { x[0] * term(n) };
    l1(x, order, step).iter().enumerate().map(|(n, y)| y + initial(n)).collect()
}

/// Diethelm, Ford and Freed (2004): the product trapezoidal rule.
pub(super) fn trapezoids(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let p = order + 1.0;
    let scale = step.powf(order) / gamma(order + 2.0);
    let weights: Vec<f64> = (0..x.len()).map(|k| if k == 0 { 0.0 } else { second_difference(k as f64, p) }).collect();
    let sum = |n: usize| {
        let middle: f64 = (1..n).map(|k| weights[n - k] * x[k]).sum();
        middle + end_difference(n as f64, p) * x[0] + x[n]
    };
    (0..x.len()).map(|n| if n == 0 { 0.0 } else { scale * sum(n) }).collect()
}

/// The trapezoids of second differences.
pub(super) fn second_differences(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let last = x.len() - 1;
    let inner = |k: usize| x[k + 1] - 2.0 * x[k] + x[k - 1];
    let second = |k: usize| match k {
        0 => 2.0 * inner(1) - inner(2),
        k if k == last => 2.0 * inner(k - 1) - inner(k - 2),
        k => inner(k),
    };
    let bends: Vec<f64> = (0..x.len()).map(|k| second(k) / (step * step)).collect();
    trapezoids(&bends, 2.0 - order, step)
}

/// The sum of the kernel's integral over each interval, times its slope.
pub(super) fn atangana_baleanu(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let rate = order / (1.0 - order);
    let integral = |k: usize| {
        let t = k as f64 * step;
        t * mittag_leffler(order, 2.0, -rate * t.powf(order)).unwrap()
    };
    let integrals: Vec<f64> = (0..=x.len()).map(integral).collect();
    let weight = |j: usize| (integrals[j + 1] - integrals[j]) / (step * (1.0 - order));
    let weights: Vec<f64> = (0..x.len()).map(weight).collect();
    let sum = |n: usize| (0..n).map(|j| weights[j] * (x[n - j] - x[n - j - 1])).sum::<f64>();
    (0..x.len()).map(sum).collect()
}

pub(super) fn atangana_baleanu_integral(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    trapezoids(x, order, step).iter().zip(x).map(|(y, x)| (1.0 - order) * x + order * y).collect()
}

/// Ortigueira (2006), Çelik and Duman (2012): weights by the quotient of gamma functions that defines them.
pub(super) fn riesz(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let mut weights = vec![gamma(order + 1.0) * reciprocal_gamma(0.5 * order + 1.0).powi(2)];
    for k in 1..x.len() {
        weights.push(weights[k - 1] * (k as f64 - 1.0 - 0.5 * order) / (k as f64 + 0.5 * order));
    }
    let sum = |n: usize| x.iter().enumerate().map(|(k, x)| weights[n.abs_diff(k)] * x).sum::<f64>();
    (0..x.len()).map(|n| -sum(n) / step.powf(order)).collect()
}

pub(super) fn riesz_potential(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let reversed: Vec<f64> = x.iter().rev().copied().collect();
    let (left, right) = (trapezoids(x, order, step), trapezoids(&reversed, order, step));
    let scale = 2.0 * (order * std::f64::consts::FRAC_PI_2).cos();
    left.iter().zip(right.iter().rev()).map(|(left, right)| (left + right) / scale).collect()
}

pub(super) fn caputo_fabrizio(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let rate = order / (1.0 - order);
    let weight = |j: usize| ((-rate * j as f64 * step).exp() - (-rate * (j + 1) as f64 * step).exp()) / (order * step);
    let weights: Vec<f64> = (0..x.len()).map(weight).collect();
    let sum = |n: usize| (0..n).map(|j| weights[j] * (x[n - j] - x[n - j - 1])).sum::<f64>();
    (0..x.len()).map(sum).collect()
}

pub(super) fn caputo_fabrizio_integral(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let integral = |n: usize| (1..=n).map(|k| 0.5 * step * (x[k] + x[k - 1])).sum::<f64>();
    (0..x.len()).map(|n| (1.0 - order) * x[n] + order * integral(n)).collect()
}
