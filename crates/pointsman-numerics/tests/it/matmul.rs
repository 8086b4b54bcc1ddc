//! Products of vectors, matrices and batches against plain sums.

use super::model::{Model, near};
use super::random::Random;
use super::session;
use num_complex::Complex;
use pointsman_numerics::{Array, Error};
use std::iter::Sum;
use std::ops::Mul;

/// The product of matrices of the same batch shape.
fn product<T: Copy + Mul<Output = T> + Sum>(left: &Model<T>, right: &Model<T>) -> Model<T> {
    let rank = left.shape.len();
    let mut shape = left.shape.clone();
    shape[rank - 1] = right.shape[rank - 1];
    Model::new(&shape, |index| {
        let (batch, [row, column]) = (&index[..rank - 2], [index[rank - 2], index[rank - 1]]);
        let term = |k| left.at(&[batch, &[row, k]].concat()) * right.at(&[batch, &[k, column]].concat());
        (0..left.shape[rank - 1]).map(term).sum()
    })
}

#[test]
fn products_of_every_size() {
    let (s, mut random) = (session(), Random::new());
    for size in [0, 1, 7, 63, 64, 65] {
        for [rows, inner, columns] in [[size, size, size], [1, size, 3], [size, 2, 1], [3, 1, size]] {
            let (x, y) = (random.model(&[rows, inner]), random.model(&[inner, columns]));
            let (a, b) = (x.array(&s), y.array(&s));
            let expected = product(&x, &y);
            near(&a.matmul(&b).unwrap(), &expected, 1e-13);
            // Operands that are stored by columns, and operands that are neither.
            let stored = |array: &Array<f64>| array.transpose().contiguous().unwrap().transpose();
            near(&stored(&a).matmul(&stored(&b)).unwrap(), &expected, 1e-13);
            let reversed = |array: &Array<f64>| array.slice(1, .., -1).unwrap();
            let reversed = (reversed(&a), b.slice(0, .., -1).unwrap());
            near(&reversed.0.matmul(&reversed.1).unwrap(), &expected, 1e-13);
            near(&stored(&a).slice(1, .., -1).unwrap().matmul(&reversed.1).unwrap(), &expected, 1e-13);
            let twice = b.transpose().matmul(&a.transpose()).unwrap();
            near(&twice.transpose(), &expected, 1e-13);
        }
    }
}

#[test]
fn vectors_are_rows_on_the_left_and_columns_on_the_right() {
    let (s, mut random) = (session(), Random::new());
    for size in [0, 1, 7, 64, 1000] {
        let (x, y, m) = (random.model(&[1, size]), random.model(&[size, 1]), random.model(&[size, size.min(9)]));
        let vector = |model: &Model<f64>| model.array(&s).reshape(&[size]).unwrap();
        let dot = vector(&x).matmul(&vector(&y)).unwrap();
        near(&dot, &Model { shape: vec![], ..product(&x, &y) }, 1e-12);
        let row = vector(&x).matmul(&m.array(&s)).unwrap();
        near(&row, &Model { shape: vec![size.min(9)], ..product(&x, &m) }, 1e-12);
        let column = m.array(&s).transpose().matmul(&vector(&y)).unwrap();
        near(&column, &Model { shape: vec![size.min(9)], ..product(&m.permute(&[1, 0]), &y) }, 1e-12);
        let batch = m.array(&s).transpose().broadcast_to(&[3, size.min(9), size]).unwrap();
        assert_eq!(batch.matmul(&vector(&y)).unwrap().shape(), [3, size.min(9)]);
        assert_eq!(vector(&x).matmul(&batch.permute(&[0, 2, 1]).unwrap()).unwrap().shape(), [3, size.min(9)]);
    }
}

#[test]
fn batches_broadcast() {
    let (s, mut random) = (session(), Random::new());
    let cases: [(&[usize], &[usize], &[usize]); 7] = [
        (&[5], &[5], &[5]),
        (&[5], &[], &[5]),
        (&[], &[5], &[5]),
        (&[5], &[1], &[5]),
        (&[2, 1], &[3], &[2, 3]),
        (&[1], &[2, 3], &[2, 3]),
        (&[0], &[], &[0]),
    ];
    for (left, right, batch) in cases {
        let (x, y) = (random.model(&[left, &[4, 3]].concat()), random.model(&[right, &[3, 2]].concat()));
        let (a, b) = (x.array(&s), y.array(&s));
        let wide = |model: &Model<f64>, sizes: [usize; 2]| model.broadcast(&[batch, &sizes].concat());
        let expected = product(&wide(&x, [4, 3]), &wide(&y, [3, 2]));
        near(&a.matmul(&b).unwrap(), &expected, 1e-14);
        // The same with each matrix stored by columns.
        let rank = a.rank();
        let axes: Vec<usize> = (0..rank - 2).chain([rank - 1, rank - 2]).collect();
        let stored = a.permute(&axes).unwrap().contiguous().unwrap().permute(&axes).unwrap();
        near(&stored.matmul(&b).unwrap(), &expected, 1e-14);
    }
}

#[test]
fn real_times_complex_is_complex() {
    let (s, mut random) = (session(), Random::new());
    let (x, z) = (random.model(&[6, 5]), random.complex_model(&[5, 6]));
    let (a, b) = (x.array(&s), z.array(&s));
    let wide = x.map(|x| Complex::new(x, 0.0));
    near(&a.matmul(&b).unwrap(), &product(&wide, &z), 1e-14);
    near(&b.matmul(&a).unwrap(), &product(&z, &wide), 1e-14);
    near(&b.matmul(&b.transpose()).unwrap(), &product(&z, &z.permute(&[1, 0])), 1e-14);
    let narrow = a.map(|x| x.cast::<f32>()).unwrap();
    assert_eq!(narrow.matmul(&narrow.transpose()).unwrap().shape(), [6, 6]);
}

#[test]
fn single_precision() {
    let (s, mut random) = (session(), Random::new());
    let [x, y] = [[33, 65], [65, 17]].map(|shape| random.model(&shape).map(|x| x as f32));
    let expected = product(&x.map(f64::from), &y.map(f64::from)).map(|x| x as f32);
    near(&x.array(&s).matmul(&y.array(&s)).unwrap(), &expected, 1e-5);
    let [z, w] = [&x, &y].map(|model| model.map(|x| Complex::new(x, 1.0 - x)));
    let wide = |model: &Model<Complex<f32>>| model.map(|z| Complex::new(f64::from(z.re), f64::from(z.im)));
    let expected = product(&wide(&z), &wide(&w)).map(|z| Complex::new(z.re as f32, z.im as f32));
    near(&z.array(&s).matmul(&w.array(&s)).unwrap(), &expected, 1e-4);
}

#[test]
fn random_views_are_multiplied() {
    let (s, mut random) = (session(), Random::new());
    let mut multiplied = 0;
    while multiplied < 60 {
        let shape = random.shape(4);
        let model = random.complex_model(&shape);
        let (a, x) = random.views(model.array(&s), model);
        let rank = x.shape.len();
        if rank < 2 {
            continue;
        }
        multiplied += 1;
        let axes: Vec<usize> = (0..rank - 2).chain([rank - 1, rank - 2]).collect();
        let expected = product(&x, &x.permute(&axes));
        near(&a.matmul(&a.permute(&axes).unwrap()).unwrap(), &expected, 1e-13);
    }
}

#[test]
fn nan_stays_in_its_chunk() {
    let s = session();
    let x = Array::from_slice(&s, &[f64::NAN, 1.0, 2.0, 3.0f64], &[2, 1, 2]).unwrap();
    let y = Array::<f64>::ones(&s, &[2, 2, 1]).unwrap();
    let product = x.matmul(&y).unwrap().to_vec().unwrap();
    assert!(product[0].is_nan() && product[1] == 5.0, "{product:?}");
}

#[test]
fn products_that_do_not_fit_are_errors() {
    let s = session();
    let zeros = |shape: &[usize]| Array::<f64>::zeros(&s, shape).unwrap();
    let error = zeros(&[2, 3]).matmul(&zeros(&[2, 3])).unwrap_err().to_string();
    assert!(error.contains("as many columns as the right one has rows, but got [2, 3] and [2, 3]"), "{error}");
    assert!(matches!(zeros(&[]).matmul(&zeros(&[2])), Err(Error::ShapeMismatch { operation: "matmul", .. })));
    assert!(matches!(zeros(&[2]).matmul(&zeros(&[3])), Err(Error::ShapeMismatch { .. })));
    let error = zeros(&[2, 4, 3]).matmul(&zeros(&[5, 3, 4])).unwrap_err().to_string();
    assert!(error.contains("but got [2] and [5]"), "{error}");
    // The receipt is that of the product's query.
    let product = zeros(&[4, 3]).matmul(&zeros(&[3, 4])).unwrap();
    assert_eq!(product.receipt().unwrap().rows_out(), 16);
}
