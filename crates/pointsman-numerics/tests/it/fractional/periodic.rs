//! Spectral operators: sines and cosines are multiplied by powers of their frequency; the mean and the highest frequency
//! are special.

use crate::session;
use pointsman_numerics::Array;
use pointsman_numerics::fractional::{Derivative, Domain, Integral};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const STEP: f64 = 0.25;

/// cos(2π·k·j/n + phase) at n points.
fn wave(n: usize, k: usize, phase: f64) -> Vec<f64> {
    (0..n).map(|j| (TAU * ((k * j) % n) as f64 / n as f64 + phase).cos()).collect()
}

fn frequency(n: usize, k: usize) -> f64 {
    TAU * k as f64 / (n as f64 * STEP)
}

fn assert_near(found: &Array<f64>, expected: &[f64], scale: f64) {
    for (found, expected) in found.to_vec().unwrap().iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-12 * scale.max(1.0), "{found} for {expected}");
    }
}

fn scaled(values: Vec<f64>, factor: f64) -> Vec<f64> {
    values.iter().map(|value| factor * value).collect()
}

#[test]
fn waves_are_turned_and_scaled() {
    let s = session();
    for (n, a) in [1, 2, 3, 7, 63, 64, 65, 257, 4096, 4097].into_iter().flat_map(|n| [0.5, 1.0, 1.7].map(|a| (n, a))) {
        // All frequencies below the highest one of an even size.
        for k in [1, 2, n / 3, (n - 1) / 2].into_iter().filter(|&k| k > 0 && 2 * k < n) {
            let x = Array::from_vec(&s, wave(n, k, 0.3), &[n]).unwrap();
            let w = frequency(n, k).powf(a);
            let top = frequency(n, n / 2).powf(a);
            let turned = scaled(wave(n, k, 0.3 + a * FRAC_PI_2), w);
            assert_near(&Derivative::weyl(a).of(&x, 0, STEP).unwrap(), &turned, top);
            let turned = scaled(wave(n, k, 0.3 - a * FRAC_PI_2), 1.0 / w);
            assert_near(&Integral::weyl(a).of(&x, 0, STEP).unwrap(), &turned, 1.0 / frequency(n, 1).powf(a));
            let straight = wave(n, k, 0.3);
            let riesz = Derivative::riesz(a, Domain::Periodic).of(&x, 0, STEP).unwrap();
            assert_near(&riesz, &scaled(straight.clone(), -w), top);
            let laplacian = Derivative::laplacian(a).of(&x, 0, STEP).unwrap();
            assert_near(&laplacian, &scaled(straight.clone(), w), top);
            let inverse = Integral::laplacian(a).of(&laplacian, 0, STEP).unwrap();
            assert_near(&inverse, &straight, (n as f64).powf(a));
        }
    }
    let x = Array::from_vec(&s, wave(100, 7, 0.0), &[100]).unwrap();
    let potential = Integral::riesz(0.4, Domain::Periodic).of(&x, 0, STEP).unwrap();
    assert_near(&potential, &scaled(wave(100, 7, 0.0), frequency(100, 7).powf(-0.4)), 1.0);
}

#[test]
fn the_mean_vanishes_and_order_0_changes_nothing() {
    let s = session();
    for n in [1, 2, 5, 64] {
        let ones = Array::<f64>::ones(&s, &[n]).unwrap();
        for found in [
            Derivative::weyl(0.5).of(&ones, 0, STEP),
            Integral::weyl(0.5).of(&ones, 0, STEP),
            Derivative::laplacian(1.5).of(&ones, 0, STEP),
            Integral::laplacian(1.5).of(&ones, 0, STEP),
            Derivative::riesz(2.0, Domain::Periodic).of(&ones, 0, STEP),
        ] {
            assert_near(&found.unwrap(), &vec![0.0; n], 1.0);
        }
        assert_near(&Derivative::weyl(0.0).of(&ones, 0, STEP).unwrap(), &vec![1.0; n], 1.0);
    }
}

#[test]
fn the_highest_frequency_of_an_even_size_stands_for_both_signs() {
    let s = session();
    for (n, a) in [2, 4, 64].into_iter().flat_map(|n| [0.5, 1.0, 2.0].map(|a| (n, a))) {
        let x = Array::from_vec(&s, wave(n, n / 2, 0.0), &[n]).unwrap();
        let w = (PI / STEP).powf(a);
        let expected = scaled(wave(n, n / 2, 0.0), w * (a * FRAC_PI_2).cos());
        assert_near(&Derivative::weyl(a).of(&x, 0, STEP).unwrap(), &expected, w);
        assert_near(&Derivative::laplacian(a).of(&x, 0, STEP).unwrap(), &scaled(wave(n, n / 2, 0.0), w), w);
    }
}

#[test]
fn planes_take_the_length_of_the_frequency() {
    let s = session();
    for ([rows, columns], a) in
        [[1, 1], [1, 8], [7, 1], [8, 6], [5, 9], [64, 63]].into_iter().zip([0.5, 1.0, 1.5, 2.0, 0.7, 1.3])
    {
        let (k, l) = (rows / 3, columns / 4);
        let steps = [0.5, 0.2];
        let x: Vec<f64> = (0..rows * columns)
            .map(|j| {
                let (row, column) = ((j / columns) as f64, (j % columns) as f64);
                (TAU * (k as f64 * row / rows as f64 + l as f64 * column / columns as f64) + 0.4).cos()
            })
            .collect();
        let length = (TAU * k as f64 / (rows as f64 * steps[0])).hypot(TAU * l as f64 / (columns as f64 * steps[1]));
        let plane = Array::from_slice(&s, &x, &[rows, columns]).unwrap();
        // Two planes, stored with their rows and columns swapped.
        let planes = plane.insert_axis(0).unwrap().broadcast_to(&[2, rows, columns]).unwrap();
        let planes = planes.permute(&[2, 0, 1]).unwrap().contiguous().unwrap().permute(&[1, 2, 0]).unwrap();
        let laplacian = Derivative::laplacian(a).of_planes(&planes, steps).unwrap();
        assert_eq!(laplacian.shape(), [2, rows, columns]);
        let expected = scaled(x.clone(), if k + l == 0 { 0.0 } else { length.powf(a) });
        let top = (PI / steps[0]).hypot(PI / steps[1]).powf(a);
        assert_near(&laplacian, &[&expected[..], &expected].concat(), top);
        if k + l > 0 {
            let inverse = Integral::laplacian(a).of_planes(&laplacian, steps).unwrap();
            assert_near(&inverse.index_axis(0, 1).unwrap(), &x, 100.0);
        }
    }
}

#[test]
fn single_precision_and_other_axes() {
    let s = session();
    let x: Vec<f32> = wave(48, 5, 0.0).iter().map(|&x| x as f32).collect();
    let x = Array::from_vec(&s, x, &[48]).unwrap().insert_axis(1).unwrap().broadcast_to(&[48, 3]).unwrap();
    let found = Derivative::weyl(0.5).of(&x, 0, STEP).unwrap();
    let expected = scaled(wave(48, 5, 0.25 * PI), frequency(48, 5).sqrt());
    for (n, expected) in expected.iter().enumerate() {
        for found in found.index_axis(0, n).unwrap().to_vec().unwrap() {
            assert!((f64::from(found) - expected).abs() < 1e-5, "{found} for {expected}");
        }
    }
}
