//! Weights against values with 80 digits from `tests/fractional/judge.py`, up to a million steps away.

use pointsman_numerics::fractional::weights;

const REFERENCE: &str = include_str!("../../fractional/reference_weights.csv");
const COUNT: usize = 1_000_001;

/// Weights by name, and the relative error that they may have at step k.
fn family(name: &str, order: f64) -> (Vec<f64>, fn(f64) -> f64) {
    let few_ulp = |_: f64| 4e-15;
    // k^p moves by u·p·ln k where p, the order plus 1, is rounded.
    let powers = |k: f64| 2e-15 * (1.0 + k.ln_1p());
    // Products of k factors.
    let products = |k: f64| 2e-15 * (1.0 + k.sqrt());
    match name {
        "grunwald_letnikov" => (weights::grunwald_letnikov(order, COUNT), products),
        "l1" => (weights::l1(order, COUNT), few_ulp),
        "l12" => (weights::l12(order, COUNT), few_ulp),
        "l2_sigma" => (weights::l2_sigma(order, COUNT), few_ulp),
        "centred" => (weights::centred(order, COUNT), products),
        "trapezoid" => (weights::trapezoid(order, COUNT), powers),
        "trapezoid_end" => (weights::trapezoid_end(order, COUNT), powers),
        other => panic!("no weights {other}"),
    }
}

#[test]
fn weights_have_small_relative_errors_at_every_step() {
    let mut rows: Vec<(&str, f64, usize, f64)> = Vec::new();
    for line in REFERENCE.lines().skip(1) {
        let [name, order, k, value] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        rows.push((name, order.parse().unwrap(), k.parse().unwrap(), value.parse().unwrap()));
    }
    assert!(rows.len() > 400);
    let mut wrong = Vec::new();
    for rows in rows.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (name, order, ..) = rows[0];
        let (weights, bound) = family(name, order);
        let mut worst = (0.0, 0);
        for &(_, _, k, expected) in rows {
            let error = if expected == 0.0 { weights[k].abs() } else { (weights[k] / expected - 1.0).abs() };
            let ratio = error / bound(k as f64);
            if ratio > worst.0 || ratio.is_nan() {
                worst = (ratio, k);
            }
            if ratio.is_nan() || ratio > 1.0 {
                wrong.push(format!("{name} of order {order} at {k}: {} for {expected}, error {error:.1e}", weights[k]));
            }
        }
        eprintln!("{name:>18} {order:>5}: worst ratio to the bound {:.3} at k = {}", worst.0, worst.1);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
