//! Maps, pairs and operators against plain Rust, with broadcasting.

use super::model::{Model, check, near};
use super::random::Random;
use super::{SIZES, session};
use num_complex::Complex;
use pointsman_numerics::{Array, ComplexExpr, Number};

#[test]
fn operators_at_every_size() {
    let s = session();
    for size in SIZES {
        let x = Model::new(&[size], |index| index[0] as f64 + 1.0);
        let y = x.map(|x| 3.0 - x);
        let (a, b) = (x.array(&s), y.array(&s));
        let expected = |f: fn(f64, f64) -> f64| Model::new(&[size], |index| f(x.at(index), y.at(index)));
        check(&(&a + &b).unwrap(), &expected(|x, y| x + y));
        check(&(&a - b.clone()).unwrap(), &expected(|x, y| x - y));
        check(&(a.clone() * &b).unwrap(), &expected(|x, y| x * y));
        check(&(a.clone() / b.clone()).unwrap(), &expected(|x, y| x / y));
        check(&(&a + 1.5).unwrap(), &x.map(|x| x + 1.5));
        check(&(1.5 - &a).unwrap(), &x.map(|x| 1.5 - x));
        check(&(2.0 / a.clone()).unwrap(), &x.map(|x| 2.0 / x));
        check(&(-&a).unwrap(), &x.map(|x| -x));
        check(&(-b).unwrap().abs().unwrap(), &y.map(f64::abs));
    }
}

#[test]
fn complex_operators_follow_num_complex() {
    let (s, mut random) = (session(), Random::new());
    for size in SIZES {
        let (x, y) = (random.complex_model(&[size]), random.complex_model(&[size]));
        let (a, b) = (x.array(&s), y.array(&s));
        let expected = |f: fn(Complex<f64>, Complex<f64>) -> Complex<f64>| {
            Model::new(&[size], |index| f(x.at(index), y.at(index)))
        };
        check(&(&a + &b).unwrap(), &expected(|x, y| x + y));
        check(&(&a - &b).unwrap(), &expected(|x, y| x - y));
        near(&(&a * &b).unwrap(), &expected(|x, y| x * y), 1e-15);
        let quotient = (&(&a / &b).unwrap() * &b).unwrap();
        near(&quotient, &x, 1e-12);
        let i = Complex::new(0.0, 1.0);
        near(&(i * &a).unwrap(), &x.map(|x| i * x), 1e-15);
        check(&a.conj().unwrap(), &x.map(|x| x.conj()));
        near(&a.abs().unwrap(), &x.map(|x| x.norm()), 1e-15);
        near(&a.map(|z| z.arg()).unwrap(), &x.map(|x| x.arg()), 1e-14);
        near(&a.map(|z| z.exp()).unwrap(), &x.map(|x| x.exp()), 1e-14);
        near(&a.map(|z| z.norm_sqr()).unwrap(), &x.map(|x| x.norm_sqr()), 1e-15);
        near(
            &a.map(|z| z * 2.0 - z.re + Complex::new(1.0, 1.0)).unwrap(),
            &x.map(|x| x * 2.0 - x.re + Complex::new(1.0, 1.0)),
            1e-15,
        );
    }
}

#[test]
fn quotients_of_large_complex_numbers_do_not_overflow() {
    let s = session();
    let x = Array::from_vec(&s, vec![Complex::new(1e300, 1e300), Complex::new(1e-300, 0.0)], &[2]).unwrap();
    near(&(&x / &x).unwrap(), &Model { shape: vec![2], values: vec![Complex::new(1.0, 0.0); 2] }, 1e-15);
}

#[test]
fn closures_change_the_type() {
    let s = session();
    let x = Array::from_vec(&s, vec![3.0f32, 4.0], &[2]).unwrap();
    let z = x.map(|x| ComplexExpr::new(x, 1.0)).unwrap();
    assert_eq!(z.to_vec().unwrap(), [Complex::new(3.0, 1.0), Complex::new(4.0, 1.0)]);
    let wide = x.map(|x| x.cast::<f64>() / 3.0).unwrap();
    assert_eq!(wide.to_vec().unwrap(), [1.0, 4.0 / 3.0]);
    let mixed = z.zip(&wide, |z, x| z.re.cast::<f64>() + x).unwrap();
    assert_eq!(mixed.to_vec().unwrap(), [4.0, 4.0 + 4.0 / 3.0]);
}

#[test]
fn broadcasting_follows_numpy() {
    let (s, mut random) = (session(), Random::new());
    let cases: [(&[usize], &[usize], &[usize]); 9] = [
        (&[3, 1], &[1, 3], &[3, 3]),
        (&[], &[3], &[3]),
        (&[3], &[], &[3]),
        (&[2, 3], &[3], &[2, 3]),
        (&[2, 1], &[3], &[2, 3]),
        (&[4, 1, 3], &[2, 1], &[4, 2, 3]),
        (&[1], &[0], &[0]),
        (&[5, 0], &[5, 1], &[5, 0]),
        (&[1, 1, 1], &[7], &[1, 1, 7]),
    ];
    for (left, right, shape) in cases {
        let (x, y) = (random.model(left), random.complex_model(right));
        let (a, b, y_re) = (x.array(&s), y.array(&s), y.map(|y| y.re));
        let (x, y) = (x.broadcast(shape), y.broadcast(shape));
        let expected = Model::new(shape, |index| x.at(index) + y.at(index));
        check(&a.zip(&b, |x, y| y + x).unwrap(), &expected);
        let z = random.complex_model(left);
        let expected = Model::new(shape, |index| z.broadcast(shape).at(index) + y.at(index));
        check(&(z.array(&s) + &b).unwrap(), &expected);
        check(&(&a - y_re.array(&s)).unwrap(), &Model::new(shape, |index| x.at(index) - y.at(index).re));
        check(&a.zip(&b.re(), |x, y| x - y).unwrap(), &Model::new(shape, |index| x.at(index) - y.at(index).re));
    }
}

#[test]
fn random_views_of_two_arrays() {
    let (s, mut random) = (session(), Random::new());
    for _ in 0..100 {
        let shape = random.shape(3);
        let model = random.model(&shape);
        let (a, x) = random.views(model.array(&s), model);
        // The other array lacks some axes of the first, or has size 1 there.
        let shape: Vec<usize> = x.shape.iter().map(|&size| if random.below(3) == 0 { 1 } else { size }).collect();
        let lacking = random.below(shape.len() + 1);
        let y = random.model(&shape[lacking..]);
        let b = y.array(&s);
        let (b, y) = match (y.shape.len(), random.below(2)) {
            (1.., 0) => {
                let last = y.shape.len() - 1;
                let size = y.shape[last];
                (b.slice(last, .., -1).unwrap(), y.slice(last, 0, size, -1))
            }
            (_, _) => (b, y),
        };
        let y = y.broadcast(&x.shape);
        check(&a.zip(&b, |x, y| x * 2.0 - y).unwrap(), &Model::new(&x.shape, |index| x.at(index) * 2.0 - y.at(index)));
        check(&a.map(|x| x * x).unwrap(), &x.map(|x| x * x));
    }
}

#[test]
fn nan_and_infinities_pass_through() {
    let s = session();
    let values = vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MIN_POSITIVE];
    let model = Model { shape: vec![5], values };
    let array = model.array(&s);
    check(&array.slice(0, .., -1).unwrap(), &model.slice(0, 0, 5, -1));
    check(&(&array + 1.0).unwrap(), &model.map(|x| x + 1.0));
    check(&(&array - &array).unwrap(), &model.map(|x| x - x));
    let signs: Vec<bool> = array.to_vec().unwrap().iter().map(|x| x.is_sign_negative()).collect();
    assert_eq!(signs[1..], [false, true, true, false]);
}

#[test]
fn a_million_numbers() {
    let s = session();
    let x = Array::<f32>::range(&s, 0.0, 1e6, 1.0).unwrap().reshape(&[1000, 1000]).unwrap();
    let sums = (&x + &x.transpose()).unwrap();
    assert_eq!(sums.shape(), [1000, 1000]);
    let sums = sums.to_vec().unwrap();
    assert!((0..1_000_000).all(|i| sums[i] == (i + 1000 * (i % 1000) + i / 1000) as f32));
}

/// A function over all four types.
fn double<T: Number>(array: &Array<T>) -> Vec<T> {
    (array + array).unwrap().to_vec().unwrap()
}

#[test]
fn generic_functions_take_every_type() {
    let s = session();
    assert_eq!(double(&Array::full(&s, &[1], 1.5f32).unwrap()), [3.0]);
    assert_eq!(double(&Array::full(&s, &[1], 1.5f64).unwrap()), [3.0]);
    assert_eq!(double(&Array::full(&s, &[1], Complex::new(1.0f32, 2.0)).unwrap()), [Complex::new(2.0, 4.0)]);
    assert_eq!(double(&Array::full(&s, &[1], Complex::new(1.0f64, 2.0)).unwrap()), [Complex::new(2.0, 4.0)]);
}
