//! Stochastic equations with memory: against a plain implementation with the same random numbers, moments of linear
//! equations, observed strong orders, errors.

use super::noise::normal_pair;
use super::random::Random;
use super::session;
use pointsman_numerics::noise::fractional_gaussian_noise;
use pointsman_numerics::sde::{CaputoEquation, FbmEquation};
use pointsman_numerics::special::{gamma, mittag_leffler};
use pointsman_numerics::{Array, Error};

type Scalar = fn(f64, f64) -> f64;

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// The last values of D^α X = f + g dW/dt by the formulas of the method. `noise` has ∫ dW and ∫ (t − s)^(α−1) dW/Γ(α) of
/// each interval.
fn caputo(order: f64, [f, g]: [Scalar; 2], x0: f64, step: f64, noise: &[(f64, f64)]) -> f64 {
    let kernel = |k: f64| ((k + 1.0).powf(order) - k.powf(order)) * step.powf(order - 1.0) / gamma(order + 1.0);
    let (mut x, mut terms) = (x0, Vec::new());
    for (n, &(increment, nearest)) in noise.iter().enumerate() {
        let time = n as f64 * step;
        let past: f64 = terms.iter().enumerate().map(|(k, term)| kernel((n - k) as f64) * term).sum();
        terms.push(f(x, time) * step + g(x, time) * increment);
        x = x0 + past + f(x, time) * step * kernel(0.0) + g(x, time) * nearest;
    }
    x
}

/// ∫ dW and ∫ (t − s)^(α−1) dW/Γ(α) of an interval from two normal numbers, by the Cholesky factor of their covariance.
fn interval(order: f64, step: f64, (a, b): (f64, f64)) -> (f64, f64) {
    let variance = step.powf(2.0 * order - 1.0) / ((2.0 * order - 1.0) * gamma(order).powi(2));
    let covariance = step.powf(order) / gamma(order + 1.0);
    let along = covariance / step.sqrt();
    // For order 1, both integrals are the same, up to rounding.
    let rest = variance - along * along;
    (step.sqrt() * a, along * a + if rest < 1e-14 * variance { 0.0 } else { rest.sqrt() } * b)
}

#[test]
fn caputo_runs_follow_their_formulas() {
    let (s, mut random) = (session(), Random::new());
    let seed = random.next();
    let [f, g]: [Scalar; 2] = [|x, t| (0.3 - x) * (1.0 + t), |x, t| 0.5 + 0.2 * x - 0.1 * t];
    for order in [0.51, 0.7, 1.0] {
        for (paths, steps) in [(1, 1), (7, 2), (3, 63), (2, 64), (5, 65), (2, 200)] {
            let initial = random.model(&[paths]);
            let equation = CaputoEquation::new(order, |x, t| (0.3 - x) * (t + 1.0), |x, t| x * 0.2 + 0.5 - t * 0.1);
            let mut run = equation.start(&initial.array(&s), 1.5, steps, seed).unwrap();
            while run.advance().unwrap() {}
            assert!((run.time() - 1.5).abs() < 1e-12);
            let step = 1.5 / steps as f64;
            for (path, (found, x0)) in run.values().to_vec().unwrap().into_iter().zip(&initial.values).enumerate() {
                let noise: Vec<_> =
                    (0..steps).map(|n| interval(order, step, normal_pair(seed, [path as u32, n as u32]))).collect();
                let expected = caputo(order, [f, g], *x0, step, &noise);
                assert!((found - expected).abs() < 1e-11, "{order}, {steps} steps: {found}, not {expected}");
            }
        }
    }
}

#[test]
fn fractional_ornstein_uhlenbeck_has_its_mean_and_variance() {
    let (s, seed) = (session(), Random::new().next());
    for order in [0.7, 0.85, 1.0] {
        let paths = 20_000;
        let equation = CaputoEquation::new(order, |x, _| -x, |x, _| x * 0.0 + 0.4);
        let mut run = equation.start(&Array::<f64>::ones(&s, &[paths]).unwrap(), 1.0, 128, seed).unwrap();
        while run.advance().unwrap() {}
        let values = run.values().to_vec().unwrap();
        let found = mean(values.iter().copied());
        let variance = mean(values.iter().map(|x| (x - found).powi(2)));
        let expected = mittag_leffler(order, 1.0, -1.0).unwrap();
        // 0.16 ∫ s^(2α−2) E_αα(−s^α)² ds, with u = s^(2α−1).
        let kernel = |u: f64| mittag_leffler(order, order, -u.powf(order / (2.0 * order - 1.0))).unwrap().powi(2);
        let integral = (0..1000).map(|i| kernel((f64::from(i) + 0.5) / 1000.0)).sum::<f64>() / 1000.0;
        let expected_variance = 0.16 * integral / (2.0 * order - 1.0);
        eprintln!("α = {order}: mean {found:.4} ({expected:.4}), variance {variance:.5} ({expected_variance:.5})");
        assert!((found - expected).abs() < 0.016, "{found}, not {expected}");
        assert!((variance / expected_variance - 1.0).abs() < 0.07, "{variance}, not {expected_variance}");
    }
}

/// The order of the root mean square differences between runs of 256 and 128 steps to those between 32 and 16 steps.
fn caputo_strong_order(order: f64, coefficients: [Scalar; 2], seed: u64) -> f64 {
    let (finest, paths) = (1024, 500);
    let step = 1.0 / finest as f64;
    let kernel = |k: f64| ((k + 1.0).powf(order) - k.powf(order)) * step.powf(order - 1.0) / gamma(order + 1.0);
    let mut squares = [0.0; 4];
    for path in 0..paths {
        let fine: Vec<_> = (0..finest).map(|n| interval(order, step, normal_pair(seed, [path, n as u32]))).collect();
        let last = |level: usize| {
            // Sums over the fine intervals: their own kernels make up that of the coarse one.
            let coarse = |part: &[(f64, f64)]| {
                let rest = part.iter().rev().enumerate().skip(1).map(|(k, x)| kernel(k as f64) * x.0);
                (part.iter().map(|x| x.0).sum(), part[part.len() - 1].1 + rest.sum::<f64>())
            };
            let noise: Vec<_> = fine.chunks(1 << level).map(coarse).collect();
            caputo(order, coefficients, 0.5, 1.0 / noise.len() as f64, &noise)
        };
        let values: Vec<f64> = (2..=6).map(last).collect();
        for (square, pair) in squares.iter_mut().zip(values.windows(2)) {
            *square += (pair[0] - pair[1]).powi(2);
        }
    }
    (squares[3] / squares[0]).log2() / 6.0
}

#[test]
fn caputo_runs_have_their_strong_order() {
    let mut random = Random::new();
    for order in [0.7, 0.9] {
        let theory = order - 0.5;
        let noise = caputo_strong_order(order, [|_, _| 0.0, |_, _| 1.0], random.next());
        let linear = caputo_strong_order(order, [|x, _| -x, |x, _| 1.0 + 0.3 * x], random.next());
        eprintln!(
            "α = {order}: strong order {noise:.3} of noise alone, {linear:.3} of a linear equation ({theory:.1})"
        );
        assert!((noise - theory).abs() < 0.13, "{noise}, not {theory}");
        assert!(linear > theory - 0.1, "{linear} is below {theory}");
    }
}

/// Increments, added up in groups.
fn coarse(increments: &Array<f64>, group: usize) -> Array<f64> {
    let (paths, steps) = (increments.shape()[0], increments.shape()[1]);
    increments.reshape(&[paths, steps / group, group]).unwrap().sum_axis(2).unwrap()
}

/// The root mean square of the differences of the last values.
fn distance(equation: &FbmEquation<f64>, increments: &Array<f64>, exact: &[f64]) -> f64 {
    let initial = Array::ones(increments.session(), &[exact.len()]).unwrap();
    let mut run = equation.start_with(&initial, 1.0, increments).unwrap();
    assert_eq!(run.advance(usize::MAX).unwrap(), increments.shape()[1]);
    let values = run.values().to_vec().unwrap();
    mean(values.iter().zip(exact).map(|(a, b)| (a - b).powi(2))).sqrt()
}

#[test]
fn fbm_equations_have_their_strong_order() {
    let (s, seed) = (session(), Random::new().next());
    let (paths, finest) = (1000, 4096);
    let check = |what: &str, equation: &FbmEquation<f64>, fine: &Array<f64>, exact: &[f64], theory: f64| {
        let error = |steps: usize| distance(equation, &coarse(fine, finest / steps), exact);
        let [first, last] = [error(32), error(256)];
        let observed = (first / last).log2() / 3.0;
        eprintln!("{what:<34} error of 256 steps {last:.3e}  strong order {observed:.3} (theory {theory})");
        assert!((observed - theory).abs() < 0.15, "{what}: {observed}, not {theory}");
    };
    for hurst in [0.2, 0.3, 0.5, 0.7] {
        let noise = fractional_gaussian_noise::<f64>(&s, hurst, [paths, finest], seed).unwrap();
        let fine = (noise * (1.0 / finest as f64).powf(hurst)).unwrap();
        let equation = FbmEquation::new(hurst, |x, _| -(x * x * 0.2 + x)).additive(0.5);
        let initial = Array::ones(&s, &[paths]).unwrap();
        let mut run = equation.start_with(&initial, 1.0, &fine).unwrap();
        while run.advance(1000).unwrap() > 0 {}
        let exact = run.values().to_vec().unwrap();
        check(&format!("additive, H = {hurst}"), &equation, &fine, &exact, f64::min(hurst + 0.5, 1.0));
    }
    for hurst in [0.5, 0.65, 0.75] {
        let noise = fractional_gaussian_noise::<f64>(&s, hurst, [paths, finest], seed).unwrap();
        let fine = (noise * (1.0 / finest as f64).powf(hurst)).unwrap();
        let ends = fine.sum_axis(1).unwrap().to_vec().unwrap();
        // dX = drift · X dt + deviation · X dB; for H = ½, by Itô.
        let exact = |drift: f64, deviation: f64| -> Vec<f64> {
            let drift = if hurst == 0.5 { drift - 0.5 * deviation * deviation } else { drift };
            ends.iter().map(|b| (drift + deviation * b).exp()).collect()
        };
        // Without a drift and with little noise, the first term of the error is far larger than the others.
        let euler = FbmEquation::new(hurst, |x, _| x * 0.0).multiplicative(|x, _| x * 0.2);
        let theory = if hurst == 0.5 { 0.5 } else { 2.0 * hurst - 1.0 };
        check(&format!("Euler, H = {hurst}"), &euler, &fine, &exact(0.0, 0.2), theory);
        let milstein = FbmEquation::new(hurst, |x, _| x * 0.3).milstein(|x, _| x * 0.4, |x, _| x * 0.0 + 0.4);
        check(&format!("Milstein, H = {hurst}"), &milstein, &fine, &exact(0.3, 0.4), 1.0);
    }
}

#[test]
fn fbm_runs_follow_their_formulas_in_any_portions() {
    let (s, mut random) = (session(), Random::new());
    let seed = random.next();
    for (paths, steps) in [(1, 1), (7, 2), (3, 65), (2, 5000)] {
        let initial = random.model(&[paths]);
        let equation = FbmEquation::new(0.6, |x, t| (t + 0.1) * 0.5 - x).milstein(|x, t| x * t + 0.2, |_, t| t);
        let noise = fractional_gaussian_noise::<f64>(&s, 0.6, [paths, steps], seed).unwrap().to_vec().unwrap();
        let mut one = equation.start(&initial.array(&s), 2.0, steps, seed).unwrap();
        let mut all = one.clone();
        assert_eq!(all.advance(steps + 5).unwrap(), steps);
        while one.advance(1 + random.below(steps)).unwrap() > 0 {}
        assert_eq!(one.values().to_vec().unwrap(), all.values().to_vec().unwrap());
        assert_eq!((all.time(), all.advance(1).unwrap()), (2.0, 0));
        let step = 2.0 / steps as f64;
        for (path, found) in all.values().to_vec().unwrap().into_iter().enumerate() {
            let mut x = initial.values[path];
            for n in 0..steps {
                let (t, b) = (n as f64 * step, noise[path * steps + n] * step.powf(0.6));
                let g = x * t + 0.2;
                x += ((t + 0.1) * 0.5 - x) * step + g * b + 0.5 * g * t * b * b;
            }
            assert!((found - x).abs() < 1e-10 * x.abs().max(1.0), "{found}, not {x}");
        }
    }
}

#[test]
fn the_solution_of_no_drift_is_the_motion() {
    let (s, seed) = (session(), Random::new().next());
    for hurst in [0.1, 0.9] {
        let zeros = Array::<f32>::zeros(&s, &[4000]).unwrap();
        let mut run = FbmEquation::new(hurst, |x, _| x * 0.0).additive(2.0).start(&zeros, 3.0, 50, seed).unwrap();
        run.advance(50).unwrap();
        let values = run.values().to_vec().unwrap();
        let variance = mean(values.iter().map(|&x| f64::from(x).powi(2)));
        let expected = 4.0 * 3f64.powf(2.0 * hurst);
        assert!((variance / expected - 1.0).abs() < 6.0 * (2.0 / 4000f64).sqrt(), "{variance}, not {expected}");
    }
}

#[test]
fn equations_outside_their_domain_are_errors() {
    let s = session();
    let ones = |shape: &[usize]| Array::<f64>::ones(&s, shape).unwrap();
    let caputo = |order| CaputoEquation::<f64>::new(order, |x, _| -x, |x, _| x);
    let fbm = |hurst| FbmEquation::<f64>::new(hurst, |x, _| -x);
    let errors: [(Option<Error>, &str); 11] = [
        (caputo(0.5).start(&ones(&[3]), 1.0, 5, 1).err(), "the order must be above 0.5 and at most 1"),
        (caputo(f64::NAN).start(&ones(&[3]), 1.0, 5, 1).err(), "the order must be above 0.5 and at most 1"),
        (caputo(0.9).start(&ones(&[3]), 0.0, 5, 1).err(), "the end must be positive and finite"),
        (caputo(0.9).start(&ones(&[3, 1]), 1.0, 5, 1).err(), "initial values of one axis, the paths"),
        (caputo(0.9).start(&ones(&[3]), 1.0, usize::MAX, 1).err(), "the number of steps must be at most 16777216"),
        (fbm(0.0).start(&ones(&[3]), 1.0, 5, 1).err(), "the Hurst exponent must be above 0 and below 1"),
        (fbm(1.0).start(&ones(&[3]), 1.0, 5, 1).err(), "the Hurst exponent must be above 0 and below 1"),
        (
            fbm(0.4).multiplicative(|x, _| x).start(&ones(&[3]), 1.0, 5, 1).err(),
            "the Hurst exponent must be at least 0.5 and below 1, if the noise depends on the solution",
        ),
        (fbm(0.4).start(&ones(&[3]), f64::INFINITY, 5, 1).err(), "the end must be positive and finite"),
        (fbm(0.4).start_with(&ones(&[3]), 1.0, &ones(&[4, 5])).err(), "but got [4, 5] and [3]"),
        (fbm(0.4).start_with(&ones(&[3]), 1.0, &ones(&[3])).err(), "increments of shape [paths, steps]"),
    ];
    for (number, (error, expected)) in errors.into_iter().enumerate() {
        let error = error.unwrap().to_string();
        assert!(error.contains(expected), "{number}: {error}");
    }
    let mut none = caputo(0.9).start(&ones(&[0]), 1.0, 2, 1).unwrap();
    assert!(none.advance().unwrap() && none.advance().unwrap() && !none.advance().unwrap());
    assert_eq!(none.values().shape(), [0]);
    let mut still = fbm(0.9).start(&ones(&[3]), 1.0, 0, 1).unwrap();
    assert_eq!((still.advance(5).unwrap(), still.values().to_vec().unwrap()), (0, vec![1.0; 3]));
}
