//! Every way to make an array, at every size.

use super::{SIZES, session};
use num_complex::Complex;
use pointsman::Column;
use pointsman::arrow::array::{Float32Array, Float64Array};
use pointsman_numerics::{Array, Error};

#[test]
fn values_come_back_from_every_constructor() {
    let s = session();
    for size in SIZES {
        let values: Vec<f64> = (0..2 * size).map(|i| i as f64 * 0.5).collect();
        let shape = [size, 2];
        for array in [
            Array::from_vec(&s, values.clone(), &shape).unwrap(),
            Array::from_slice(&s, &values, &shape).unwrap(),
            Array::from_column(&s, Column::from(values.clone()), &shape).unwrap(),
            Array::from_arrow(&s, &Float64Array::from(values.clone()), &shape).unwrap(),
            Array::range(&s, 0.0, size as f64, 0.5).unwrap().reshape(&shape).unwrap(),
        ] {
            assert_eq!((array.shape(), array.rank(), array.len()), (&shape[..], 2, 2 * size));
            assert_eq!(array.is_empty(), size == 0);
            assert_eq!(array.to_vec().unwrap(), values);
            assert_eq!(array.into_column().unwrap()[..], values);
        }
    }
}

#[test]
fn complex_numbers_are_interleaved() {
    let s = session();
    for size in SIZES {
        let values: Vec<Complex<f32>> = (0..size).map(|i| Complex::new(i as f32, -(i as f32))).collect();
        let parts: Vec<f32> = values.iter().flat_map(|z| [z.re, z.im]).collect();
        for array in [
            Array::from_vec(&s, values.clone(), &[size]).unwrap(),
            Array::from_slice(&s, &values, &[size]).unwrap(),
            Array::from_column(&s, Column::from(parts.clone()), &[size]).unwrap(),
            Array::from_arrow(&s, &Float32Array::from(parts.clone()), &[size]).unwrap(),
        ] {
            assert_eq!(array.to_vec().unwrap(), values);
            assert_eq!(array.re().to_vec().unwrap(), values.iter().map(|z| z.re).collect::<Vec<_>>());
            assert_eq!(array.im().to_vec().unwrap(), values.iter().map(|z| z.im).collect::<Vec<_>>());
            assert_eq!(array.into_column().unwrap()[..], parts);
        }
    }
}

#[test]
fn arrays_of_one_value() {
    let s = session();
    for size in SIZES {
        assert_eq!(Array::<f32>::zeros(&s, &[size]).unwrap().to_vec().unwrap(), vec![0.0; size]);
        assert_eq!(
            Array::<Complex<f64>>::ones(&s, &[size]).unwrap().to_vec().unwrap(),
            vec![Complex::new(1.0, 0.0); size]
        );
        assert_eq!(Array::full(&s, &[size, 1], 2.5f32).unwrap().to_vec().unwrap(), vec![2.5; size]);
    }
    for size in [0, 1, 7, 64] {
        let identity = Array::<f64>::identity(&s, size).unwrap().to_vec().unwrap();
        let is_right = |(i, x): (usize, &f64)| *x == if i / size == i % size { 1.0 } else { 0.0 };
        assert!(identity.iter().enumerate().all(is_right) && identity.len() == size * size);
    }
    // No axes: one number.
    assert_eq!(Array::full(&s, &[], 4.0).unwrap().to_vec().unwrap(), [4.0]);
}

#[test]
fn ranges_end_before_their_end() {
    let s = session();
    let range = |start, end, step| Array::<f64>::range(&s, start, end, step).map(|range| range.to_vec().unwrap());
    assert_eq!(range(0.0, 1.0, 0.25).unwrap(), [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(range(1.0, -1.5, -1.0).unwrap(), [1.0, 0.0, -1.0]);
    assert_eq!(range(0.0, 2.5, 1.0).unwrap(), [0.0, 1.0, 2.0]);
    assert_eq!(range(1.0, 0.0, 1.0).unwrap(), []);
    assert!(matches!(range(0.0, 1.0, 0.0), Err(Error::Step)));
    assert!(matches!(range(0.0, f64::NAN, 1.0), Err(Error::Step)));
    assert!(matches!(range(0.0, f64::INFINITY, 1.0), Err(Error::TooLarge { .. })));
}

#[test]
fn an_array_remembers_the_receipt_of_its_query() {
    let s = session();
    let x = Array::from_vec(&s, vec![1.0, 2.0, 3.0], &[3]).unwrap();
    assert!(x.receipt().is_none());
    let doubled = (&x * 2.0).unwrap();
    assert_eq!(doubled.receipt().unwrap().rows_out(), 3);
    assert_eq!(doubled.slice(0, 1.., 1).unwrap().receipt().unwrap().device(), "cpu");
    assert!(format!("{doubled:?}").contains("shape: [3]"), "{doubled:?}");
}
