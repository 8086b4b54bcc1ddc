//! Parts of the history: windows stay within their stated bounds, sums of exponentials within their tolerance, on uniform
//! and on graded grids.

use super::references;
use crate::random::Random;
use crate::session;
use pointsman_numerics::Array;
use pointsman_numerics::fractional::{Definition, Derivative, ExponentialSum, Grid, History, Scheme};
use pointsman_numerics::special::{mittag_leffler, reciprocal_gamma};

#[test]
fn sums_of_exponentials_keep_their_tolerance_on_the_whole_interval() {
    for exponent in [1e-100, 0.01, 0.1, 0.5, 0.9, 0.99] {
        for tolerance in [0.1, 1e-3, 1e-6, 1e-10, 1e-13] {
            for (shortest, longest) in [(1.0f64, 1.0f64), (1e-6, 1.0), (1e-3, 1e6), (1e-60, 1e3), (1e-300, 1e300)] {
                let sum = ExponentialSum::new(exponent, tolerance, shortest, longest).unwrap();
                let span = (longest / shortest).ln().min(longest.ln() - shortest.ln());
                let bound = (1.0 - tolerance.ln()) * (span + 2.0 - tolerance.ln() - exponent.ln());
                assert!((sum.rates().len() as f64) < bound, "{} terms", sum.rates().len());
                let points = 500;
                for j in 0..=points {
                    let t = (shortest.ln() + span * f64::from(j) / f64::from(points)).exp().clamp(shortest, longest);
                    // Rounding errors of the power count, too.
                    let error = (sum.value(t) * t.powf(exponent) - 1.0).abs();
                    let rounding = 1e-14 + 1e-15 * t.ln().abs();
                    assert!(error <= tolerance + rounding, "t^−{exponent} at {t}: {error} for {tolerance}");
                }
            }
        }
    }
    // Terms grow like the logarithm of the interval.
    let terms = |shortest| ExponentialSum::new(0.5, 1e-10, shortest, 1.0).unwrap().rates().len();
    assert!(terms(1e-6) < 70 && terms(1e-12) < 110, "{} and {}", terms(1e-6), terms(1e-12));
}

/// Σ |differences|·kernel: what a tolerance of the kernel is relative to.
fn magnitude(x: &[f64], order: f64, step: f64) -> Vec<f64> {
    let mut rising = vec![0.0; x.len()];
    for n in 1..x.len() {
        rising[n] = rising[n - 1] + (x[n] - x[n - 1]).abs();
    }
    references::l1(&rising, order, step)
}

#[test]
fn exponentials_replace_the_full_history() {
    let (s, mut random) = (session(), Random::new());
    for (order, tolerance) in [(0.2, 1e-4), (0.5, 1e-8), (0.9, 1e-12)] {
        for size in [1, 2, 3, 64, 1000] {
            let x: Vec<f64> = random.model(&[size]).values;
            let array = Array::from_slice(&s, &x, &[size]).unwrap();
            for definition in [Definition::Caputo(Scheme::L1), Definition::RiemannLiouville, Definition::Hadamard] {
                let is_hadamard = definition == Definition::Hadamard;
                let grid = if is_hadamard { Grid::Logarithmic { ratio: 0.1f64.exp() } } else { 0.1.into() };
                let full = Derivative::new(definition, order);
                let short = full.clone().history(History::Exponentials { tolerance });
                let (full, short) = (full.of(&array, 0, grid).unwrap(), short.of(&array, 0, grid).unwrap());
                let pairs = full.to_vec().unwrap().into_iter().zip(short.to_vec().unwrap());
                let magnitudes = magnitude(&x, order, 0.1);
                for ((full, short), magnitude) in pairs.zip(&magnitudes) {
                    // The full history has rounding errors of a transform.
                    let bound = tolerance * magnitude + 1e-13 * (magnitudes[size - 1] + full.abs() + 0.01);
                    assert!(full == short || (full - short).abs() <= bound, "{short} for {full}");
                }
            }
        }
    }
}

#[test]
fn graded_grids_with_and_without_exponentials() {
    let (s, mut random) = (session(), Random::new());
    for (order, exponent) in [(0.5, 1.0), (0.5, 3.0), (0.3, 6.0), (0.1, 19.0)] {
        for size in [1, 2, 3, 50, 400] {
            let model = random.model(&[size, 3]);
            let x = model.array(&s);
            let grid = Grid::Graded { end: 2.0, exponent };
            let full = Derivative::caputo(order).of(&x, 0, grid).unwrap().to_vec().unwrap();
            let history = History::Exponentials { tolerance: 1e-11 };
            let short = Derivative::caputo(order).history(history).of(&x, 0, grid).unwrap().to_vec().unwrap();
            let scale = full.iter().fold(1e-3, |max: f64, y| max.max(y.abs()));
            for (full, short) in full.iter().zip(&short) {
                // Random numbers have steep slopes near 0: errors are relative to these.
                assert!((full - short).abs() <= 1e-10 * scale, "{short} for {full}");
            }
            if exponent == 1.0 && size > 1 {
                let line: Vec<f64> = (0..size).map(|n| model.at(&[n, 1])).collect();
                let expected = references::l1(&line, order, 2.0 / (size - 1) as f64);
                for (n, expected) in expected.iter().enumerate() {
                    assert!((full[3 * n + 1] - expected).abs() <= 1e-11 * scale, "{} for {expected}", full[3 * n + 1]);
                }
            }
        }
    }
}

#[test]
fn many_lines_share_the_exponentials() {
    let (s, mut random) = (session(), Random::new());
    let model = random.model(&[600, 7]);
    let x = model.array(&s);
    let short = Derivative::caputo(0.5).history(History::Exponentials { tolerance: 1e-12 });
    let difference = (&short.of(&x, 1, 0.1).unwrap() - &Derivative::caputo(0.5).of(&x, 1, 0.1).unwrap()).unwrap();
    assert!(difference.abs().unwrap().max().unwrap() < 1e-10);
}

#[test]
fn riemann_liouville_on_a_graded_grid_adds_the_initial_term() {
    let s = session();
    let grid = Grid::Graded { end: 1.0, exponent: 2.0 };
    let ones = Array::<f64>::ones(&s, &[50]).unwrap();
    let found = Derivative::riemann_liouville(0.4).of(&ones, 0, grid).unwrap().to_vec().unwrap();
    assert_eq!(found[0], f64::INFINITY);
    for (found, t) in found.iter().zip(grid.points(50)).skip(1) {
        let expected = t.powf(-0.4) * reciprocal_gamma(0.6);
        assert!((found / expected - 1.0).abs() < 1e-14, "{found} for {expected}");
    }
}

#[test]
fn windows_stay_within_their_bounds() {
    let s = session();
    let (size, step, steps) = (2000, 0.01, 300);
    let length = f64::from(steps) * step;
    let x: Vec<f64> = (0..size).map(|n| (f64::from(n) * step).sin() + 1.0).collect();
    let array = Array::from_slice(&s, &x, &[size as usize]).unwrap();
    let largest_change = |definition: Definition, order: f64| {
        let full = Derivative::new(definition, order);
        let window = full.clone().history(History::Window { steps: steps as usize });
        let (full, window) = (full.of(&array, 0, step).unwrap(), window.of(&array, 0, step).unwrap());
        let before = steps as usize;
        let equal = (&full - &window).unwrap().abs().unwrap();
        assert!(equal.slice(0, ..before, 1).unwrap().max().unwrap() < 1e-10);
        equal.max().unwrap()
    };
    for order in [0.3, 0.7] {
        let decay = length.powf(-order) * reciprocal_gamma(1.0 - order);
        let variation: f64 = x.windows(2).take((size - steps) as usize).map(|pair| (pair[1] - pair[0]).abs()).sum();
        let changes = [
            (largest_change(Definition::GrunwaldLetnikov, order), 2.0 * decay),
            (largest_change(Definition::Caputo(Scheme::L1), order), variation * decay),
            (largest_change(Definition::Caputo(Scheme::L12), order), variation * decay),
            (largest_change(Definition::Caputo(Scheme::L2Sigma), order), variation * decay),
            (largest_change(Definition::AtanganaBaleanu, order), {
                let kernel = mittag_leffler(order, 1.0, -order / (1.0 - order) * length.powf(order)).unwrap();
                variation * kernel / (1.0 - order)
            }),
        ];
        for (change, bound) in changes {
            assert!(change > 1e-3 && change <= bound, "{change} for at most {bound}");
        }
    }
}
