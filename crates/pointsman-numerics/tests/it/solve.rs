//! Dense systems of equations: the solution fulfils them.

use super::model::near;
use super::random::Random;
use super::session;
use num_complex::Complex;
use pointsman_numerics::{Array, Error};

#[test]
fn solutions_fulfil_their_equations() {
    let (s, mut random) = (session(), Random::new());
    for size in [0, 1, 2, 7, 33, 64] {
        for (batch, right_batch) in [(&[][..], &[][..]), (&[3], &[]), (&[], &[3]), (&[2, 1], &[3])] {
            let matrix = random.complex_model(&[batch, &[size, size]].concat());
            let x = random.complex_model(&[right_batch, &[size, 2]].concat());
            let (a, x) = (matrix.array(&s), x.array(&s));
            let right = a.matmul(&x).unwrap();
            let found = a.solve(&right).unwrap();
            assert_eq!(found.shape(), right.shape());
            let residual = (&a.matmul(&found).unwrap() - &right).unwrap();
            assert!(residual.abs().unwrap().to_vec().unwrap().iter().all(|r| *r < 1e-7), "{size} {batch:?}");
            let real = a.re();
            let right = real.matmul(&x.im()).unwrap();
            let residual = (&real.matmul(&real.solve(&right).unwrap()).unwrap() - &right).unwrap();
            assert!(residual.abs().unwrap().to_vec().unwrap().iter().all(|r| *r < 1e-7), "{size} {batch:?}");
        }
        let matrix = random.model(&[size, size]).array(&s);
        let matrix = (&matrix + &(Array::identity(&s, size).unwrap() * (size as f64)).unwrap()).unwrap();
        let x = random.model(&[size]);
        near(&matrix.solve(&matrix.matmul(&x.array(&s)).unwrap()).unwrap(), &x, 1e-12);
    }
}

#[test]
fn rows_change_places_where_the_diagonal_is_zero() {
    let s = session();
    // A permutation of the rows of the identity, scaled.
    let matrix = Array::identity(&s, 7).unwrap().slice(0, .., -1).unwrap();
    let matrix = (&matrix * 1e-200).unwrap();
    let right = Array::range(&s, 0.0, 7.0, 1.0).unwrap();
    let solution = matrix.solve(&(&right * 1e-200).unwrap()).unwrap();
    assert_eq!(solution.to_vec().unwrap(), [6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
}

#[test]
fn systems_without_a_solution_are_errors() {
    let s = session();
    let matrices = Array::from_slice(&s, &[1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 2.0, 4.0], &[2, 2, 2]).unwrap();
    let ones = Array::ones(&s, &[2]).unwrap();
    let singular = matrices.solve(&ones).unwrap_err();
    assert_eq!(singular.to_string(), "matrix 1 is singular: column 1 depends on the columns before it");
    let zeros = |shape: &[usize]| Array::<Complex<f32>>::zeros(&s, shape).unwrap();
    for (matrix, right) in [(&[2, 3][..], &[2][..]), (&[2, 2], &[3]), (&[2], &[2]), (&[2, 2], &[])] {
        let error = zeros(matrix).solve(&zeros(right)).unwrap_err();
        assert!(matches!(error, Error::ShapeMismatch { operation: "solve", .. }), "{error}");
    }
}
