//! Folds of whole arrays and along axes against plain Rust.

use super::model::{Model, Same, near};
use super::random::Random;
use super::{SIZES, session};
use num_complex::Complex;
use pointsman_numerics::{Array, Error};

#[track_caller]
fn close<T: Same + std::fmt::Debug>(found: T, expected: T) {
    assert!(found.distance(&expected) <= 1e-11, "{found:?}, not {expected:?}");
}

#[test]
fn folds_at_every_size() {
    let (s, mut random) = (session(), Random::new());
    for size in SIZES {
        let x = random.model(&[size]).map(|x| 1.0 + x / 1000.0);
        let z = random.complex_model(&[size]).map(|z| z / 1000.0 + 1.0);
        let (a, b) = (x.array(&s), z.array(&s));
        close(a.sum().unwrap(), x.values.iter().sum());
        close(a.product().unwrap(), x.values.iter().product());
        close(b.sum().unwrap(), z.values.iter().sum());
        close(b.product().unwrap(), z.values.iter().product());
        close(b.slice(0, .., -3).unwrap().sum().unwrap(), z.slice(0, 0, size, -3).values.iter().sum());
        if size == 0 {
            for result in [a.mean(), a.min(), a.max()] {
                assert!(matches!(result, Err(Error::Empty { .. })), "{result:?}");
            }
            assert!(matches!(b.mean(), Err(Error::Empty { .. })));
            continue;
        }
        close(a.mean().unwrap(), x.values.iter().sum::<f64>() / size as f64);
        close(b.mean().unwrap(), z.values.iter().sum::<Complex<f64>>() / size as f64);
        close(a.min().unwrap(), x.values.iter().copied().fold(f64::INFINITY, f64::min));
        close(a.max().unwrap(), x.values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }
}

#[test]
fn axes_of_every_size() {
    let (s, mut random) = (session(), Random::new());
    for size in SIZES {
        for shape in [[size, 3], [3, size]] {
            let x = random.model(&shape);
            let a = x.array(&s);
            for axis in [0, 1] {
                near(&a.sum_axis(axis).unwrap(), &x.fold(axis, |line| line.iter().sum()), 1e-11);
                near(&a.product_axis(axis).unwrap(), &x.fold(axis, |line| line.iter().product()), 1e-11);
                if shape[axis] == 0 {
                    assert!(matches!(a.min_axis(axis), Err(Error::Empty { operation: "min_axis" })));
                    assert!(matches!(a.mean_axis(axis), Err(Error::Empty { operation: "mean_axis" })));
                    continue;
                }
                let mean = |line: Vec<f64>| line.iter().sum::<f64>() / line.len() as f64;
                near(&a.mean_axis(axis).unwrap(), &x.fold(axis, mean), 1e-12);
                near(
                    &a.min_axis(axis).unwrap(),
                    &x.fold(axis, |line| line.into_iter().fold(f64::INFINITY, f64::min)),
                    0.0,
                );
                let max = |line: Vec<f64>| line.into_iter().fold(f64::NEG_INFINITY, f64::max);
                near(&a.max_axis(axis).unwrap(), &x.fold(axis, max), 0.0);
            }
        }
    }
}

#[test]
fn long_axes_are_folded_in_parts() {
    let (s, mut random) = (session(), Random::new());
    for size in [1023, 1024, 1025, 1055, 1056, 5000] {
        for shape in [vec![size], vec![size, 2], vec![2, size], vec![2, size, 3]] {
            let z = random.complex_model(&shape).map(|z| z / 1000.0 + 1.0);
            let axis = usize::from(shape[0] == 2);
            let a = z.array(&s).slice(axis, .., -1).unwrap();
            near(&a.sum_axis(axis).unwrap(), &z.fold(axis, |line| line.iter().sum()), 1e-10);
            near(&a.product_axis(axis).unwrap(), &z.fold(axis, |line| line.iter().product()), 1e-10);
            let least = |line: Vec<Complex<f64>>| line.iter().map(|z| z.im).fold(f64::INFINITY, f64::min);
            near(&a.im().min_axis(axis).unwrap(), &z.fold(axis, least), 0.0);
        }
    }
}

#[test]
fn distant_numbers_are_folded_in_parts() {
    let (s, mut random) = (session(), Random::new());
    for size in [15, 16, 17, 64, 100] {
        let x = random.model(&[size, 600]).map(|x| 1.0 + x / 1000.0);
        let a = x.array(&s);
        near(&a.sum_axis(0).unwrap(), &x.fold(0, |line| line.iter().sum()), 1e-12);
        near(&a.product_axis(0).unwrap(), &x.fold(0, |line| line.iter().product()), 1e-12);
        let reversed = a.slice(0, .., -1).unwrap().transpose();
        let max = |line: Vec<f64>| line.into_iter().fold(f64::NEG_INFINITY, f64::max);
        near(&reversed.max_axis(1).unwrap(), &x.fold(0, max), 0.0);
    }
}

#[test]
fn random_views_are_folded() {
    let (s, mut random) = (session(), Random::new());
    for _ in 0..100 {
        let shape = random.shape(4);
        let model = random.complex_model(&shape);
        let (a, x) = random.views(model.array(&s), model);
        close(a.sum().unwrap(), x.values.iter().sum());
        close(a.re().sum().unwrap(), x.values.iter().map(|z| z.re).sum());
        for axis in 0..x.shape.len() {
            near(&a.sum_axis(axis).unwrap(), &x.fold(axis, |line| line.iter().sum()), 1e-13);
            near(&a.im().sum_axis(axis).unwrap(), &x.fold(axis, |line| line.iter().map(|z| z.im).sum()), 1e-13);
        }
    }
}

#[test]
fn folds_of_nan_follow_the_order_of_numbers() {
    let s = session();
    let x = Array::from_slice(&s, &[f64::NAN, 2.0, f64::INFINITY, f64::NAN], &[2, 2]).unwrap();
    assert!(x.sum().unwrap().is_nan() && x.max().unwrap().is_nan() && x.min().unwrap() == 2.0);
    near(&x.min_axis(1).unwrap(), &Model { shape: vec![2], values: vec![2.0, f64::INFINITY] }, 0.0);
    near(&x.max_axis(1).unwrap(), &Model { shape: vec![2], values: vec![f64::NAN; 2] }, 0.0);
}

#[test]
fn a_million_numbers_are_folded() {
    let s = session();
    let x = Array::range(&s, 0.0, 1e6, 1.0).unwrap();
    assert_eq!(x.sum().unwrap(), 499_999_500_000.0);
    let square = x.reshape(&[1000, 1000]).unwrap();
    let columns = Model::new(&[1000], |index| 1000.0 * index[0] as f64 + 499_500_000.0);
    near(&square.sum_axis(0).unwrap(), &columns, 0.0);
    assert_eq!(square.transpose().max_axis(0).unwrap().to_vec().unwrap()[7], 7999.0);
}
