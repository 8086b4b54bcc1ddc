//! Derivatives and integrals against the sums that define them, in plain double precision, at sizes around every edge.

use crate::random::Random;
use crate::session;
use pointsman_numerics::Array;
use pointsman_numerics::fractional::{Definition, Derivative, Scheme};
use pointsman_numerics::special::gamma;

/// Sizes of an axis around the edges of blocks and transforms.
const SIZES: [usize; 13] = [1, 2, 3, 4, 7, 63, 64, 65, 255, 256, 257, 4095, 4097];
const STEP: f64 = 0.05;

/// A derivative of the whole line.
type Reference = fn(&[f64], f64) -> Vec<f64>;

fn grunwald_letnikov(x: &[f64], order: f64) -> Vec<f64> {
    let mut weights = vec![1.0];
    for k in 1..x.len() {
        weights.push(weights[k - 1] * (k as f64 - 1.0 - order) / k as f64);
    }
    let sum = |n: usize| (0..=n).map(|k| weights[k] * x[n - k]).sum::<f64>();
    (0..x.len()).map(|n| sum(n) / STEP.powf(order)).collect()
}

fn l1(x: &[f64], order: f64) -> Vec<f64> {
    let q = 1.0 - order;
    let powers: Vec<f64> = (0..=x.len()).map(|k| (k as f64).powf(q)).collect();
    let sum = |n: usize| (0..n).map(|k| (x[n - k] - x[n - k - 1]) * (powers[k + 1] - powers[k])).sum::<f64>();
    (0..x.len()).map(|n| sum(n) / (gamma(2.0 - order) * STEP.powf(order))).collect()
}

#[test]
fn every_size_equals_the_sum() {
    let (s, mut random) = (session(), Random::new());
    let cases: [(Definition, f64, Reference); 3] = [
        (Definition::GrunwaldLetnikov, 0.4, grunwald_letnikov),
        (Definition::GrunwaldLetnikov, 2.0, grunwald_letnikov),
        (Definition::Caputo(Scheme::L1), 0.7, l1),
    ];
    for (definition, order, reference) in cases {
        let derivative = Derivative::new(definition, order);
        for size in SIZES {
            let x: Vec<f64> = random.model(&[size]).values;
            let expected = reference(&x, order);
            let scale = expected.iter().fold(1.0, |max: f64, y| max.max(y.abs()));
            let found = derivative.of(&Array::from_slice(&s, &x, &[size]).unwrap(), 0, STEP).unwrap().to_vec().unwrap();
            for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let error = (found - expected).abs();
                assert!(error <= 1e-13 * scale, "{definition:?} of {size} points at {n}: {found} for {expected}");
            }
        }
    }
}
