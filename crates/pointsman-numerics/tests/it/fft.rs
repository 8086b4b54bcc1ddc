//! Fourier transforms against the sum that defines them.

use super::model::{Model, near};
use super::random::Random;
use super::session;
use num_complex::Complex;
use pointsman_numerics::{Array, Error};
use std::f64::consts::PI;

/// The transform of a line, continued with zeros or cut to `length`; `sign` is −1 forward and 1 backward.
fn dft(line: &[Complex<f64>], length: usize, sign: f64) -> Vec<Complex<f64>> {
    let root = |jk: usize| Complex::cis(sign * 2.0 * PI * (jk % length) as f64 / length as f64);
    let number = |k| line.iter().take(length).enumerate().map(|(j, x)| x * root(j * k)).sum();
    (0..length).map(number).collect()
}

/// Each line along an axis replaced by what `f` makes of it.
fn lines<T: Copy, U: Copy>(model: &Model<T>, axis: usize, f: impl Fn(Vec<T>) -> Vec<U>) -> Model<U> {
    let size = model.shape[axis];
    let (shape, mut made) = (model.shape.clone(), None::<(Vec<Vec<U>>, Vec<usize>)>);
    let mut others = shape.clone();
    others[axis] = 1;
    for index in super::model::indices(&others) {
        let line = (0..size).map(|i| model.at(&[&index[..axis], &[i], &index[axis + 1..]].concat())).collect();
        let line = f(line);
        let (all, new_shape) = made.get_or_insert_with(|| (Vec::new(), shape.clone()));
        new_shape[axis] = line.len();
        all.push(line);
    }
    let (all, new_shape) = made.unwrap();
    Model::new(&new_shape, |index| {
        let place = (0..others.len()).fold(0, |place, i| place * others[i] + if i == axis { 0 } else { index[i] });
        all[place][index[axis]]
    })
}

fn complex(model: &Model<f64>) -> Model<Complex<f64>> {
    model.map(|x| Complex::new(x, 0.0))
}

#[test]
fn transforms_of_every_length() {
    let (s, mut random) = (session(), Random::new());
    for size in [1, 2, 7, 63, 64, 65, 1000] {
        let (z, x) = (random.complex_model(&[size]), random.model(&[size]));
        let (a, b) = (z.array(&s), x.array(&s));
        let tolerance = 1e-12 * size as f64;
        let forward = lines(&z, 0, |line| dft(&line, size, -1.0));
        near(&a.fft(0, None).unwrap(), &forward, tolerance);
        let inverse = lines(&z, 0, |line| dft(&line, size, 1.0).iter().map(|z| z / size as f64).collect());
        near(&a.ifft(0, size).unwrap(), &inverse, tolerance);
        let whole = lines(&complex(&x), 0, |line| dft(&line, size, -1.0));
        near(&b.fft(0, None).unwrap(), &whole, tolerance);
        near(&b.rfft(0, None).unwrap(), &whole.slice(0, 0, size / 2 + 1, 1), tolerance);
        near(&b.rfft(0, None).unwrap().irfft(0, size).unwrap(), &x, tolerance);
    }
}

#[test]
fn lengths_cut_and_continue() {
    let (s, mut random) = (session(), Random::new());
    for (size, length) in [(7, 4), (7, 16), (1, 3), (64, 63), (65, 128), (0, 5)] {
        let x = random.model(&[size]);
        let a = x.array(&s);
        let whole = Model { shape: vec![length], values: dft(&complex(&x).values, length, -1.0) };
        near(&a.fft(0, length).unwrap(), &whole, 1e-12);
        near(&a.rfft(0, length).unwrap(), &whole.slice(0, 0, length / 2 + 1, 1), 1e-12);
        // A half spectrum that lacks its last numbers, or has too many.
        let given = a.rfft(0, None).map(|half| half.irfft(0, length).unwrap());
        let Ok(found) = given else { continue };
        let half = dft(&complex(&x).values, size, -1.0);
        let at = |k: usize| if k < size / 2 + 1 { half[k] } else { Complex::default() };
        let mut spectrum: Vec<Complex<f64>> =
            (0..length).map(|k| if k <= length / 2 { at(k) } else { at(length - k).conj() }).collect();
        spectrum[0].im = 0.0;
        if length % 2 == 0 {
            spectrum[length / 2].im = 0.0;
        }
        let back: Vec<f64> = dft(&spectrum, length, 1.0).iter().map(|z| z.re / length as f64).collect();
        near(&found, &Model { shape: vec![length], values: back }, 1e-12);
    }
}

#[test]
fn random_views_are_transformed_along_each_axis() {
    let (s, mut random) = (session(), Random::new());
    for _ in 0..60 {
        let shape = random.shape(3);
        let model = random.complex_model(&shape);
        let (a, z) = random.views(model.array(&s), model);
        for axis in 0..z.shape.len() {
            let size = z.shape[axis];
            if z.values.is_empty() {
                assert_eq!(a.fft(axis, 4).unwrap().shape()[axis], 4);
                continue;
            }
            near(&a.fft(axis, None).unwrap(), &lines(&z, axis, |line| dft(&line, size, -1.0)), 1e-12);
            let real = z.map(|z| Complex::new(z.im, 0.0));
            let half = lines(&real, axis, |line| dft(&line, size + 1, -1.0)[..size.div_ceil(2) + 1].to_vec());
            near(&a.im().rfft(axis, size + 1).unwrap(), &half, 1e-12);
        }
    }
}

#[test]
fn planes_are_lines_twice() {
    let (s, mut random) = (session(), Random::new());
    for shape in [vec![1, 1], vec![7, 5], vec![3, 8, 6], vec![2, 2, 4, 9], vec![1, 6], vec![6, 1]] {
        let (z, x) = (random.complex_model(&shape), random.model(&shape));
        let (a, b) = (z.array(&s), x.array(&s));
        let [height, width] = [shape[shape.len() - 2], shape[shape.len() - 1]];
        let (rows, columns) = (shape.len() - 1, shape.len() - 2);
        let twice = |model: &Model<Complex<f64>>| {
            lines(&lines(model, rows, |line| dft(&line, width, -1.0)), columns, |line| dft(&line, height, -1.0))
        };
        near(&a.fft2().unwrap(), &twice(&z), 1e-11);
        near(&a.fft2().unwrap().ifft2().unwrap(), &z, 1e-14);
        let half = twice(&complex(&x)).slice(rows, 0, width / 2 + 1, 1);
        near(&b.rfft2().unwrap(), &half, 1e-11);
        near(&b.rfft2().unwrap().irfft2(width).unwrap(), &x, 1e-14);
        near(&b.fft2().unwrap(), &twice(&complex(&x)), 1e-11);
        let swapped: Vec<usize> = (0..columns).chain([rows, columns]).collect();
        near(&a.permute(&swapped).unwrap().fft2().unwrap(), &twice(&z).permute(&swapped), 1e-11);
    }
}

#[test]
fn single_precision_and_a_million_numbers() {
    let s = session();
    let x = Array::<f32>::range(&s, 0.0, 1e6, 1.0).unwrap().map(|x| (x * 0.001).sin()).unwrap();
    let back = x.rfft(0, None).unwrap().irfft(0, 1_000_000).unwrap();
    assert!((&back - &x).unwrap().abs().unwrap().max().unwrap() < 1e-5);
}

#[test]
fn transforms_that_do_not_exist_are_errors() {
    let s = session();
    let x = Array::<f64>::zeros(&s, &[4, 0]).unwrap();
    assert!(matches!(x.fft(1, None), Err(Error::TransformLength { operation: "fft", length: 0, .. })));
    assert!(matches!(x.fft(2, 4), Err(Error::Axis { axis: 2, rank: 2 })));
    assert!(matches!(x.rfft(0, 0), Err(Error::TransformLength { .. })));
    assert!(matches!(x.rfft(0, usize::MAX), Err(Error::TransformLength { .. })));
    assert!(matches!(x.fft2(), Err(Error::TransformLength { length: 0, .. })));
    assert!(matches!(Array::<f64>::zeros(&s, &[4]).unwrap().fft2(), Err(Error::Axis { .. })));
    let half = Array::<f64>::ones(&s, &[4, 6]).unwrap().rfft2().unwrap();
    let error = half.irfft2(8).unwrap_err();
    assert!(error.to_string().contains("twice the size of the last axis, minus 2 or minus 1"), "{error}");
    assert_eq!(half.irfft2(7).unwrap().shape(), [4, 7]);
}
