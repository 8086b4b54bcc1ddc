//! Convolutions and correlations against the sums that define them, by both methods.

use super::model::{Model, near};
use super::random::Random;
use super::session;
use num_complex::Complex;
use pointsman_numerics::{Array, ConvolveMode, Direction, Error, Method};

const MODES: [ConvolveMode; 3] = [ConvolveMode::Full, ConvolveMode::Same, ConvolveMode::Valid];
const DIRECTIONS: [Direction; 2] = [Direction::Convolution, Direction::Correlation];

/// The places of the full result that a mode keeps along an axis: the first, and how many.
fn kept(mode: ConvolveMode, size: usize, weights: usize) -> [usize; 2] {
    match mode {
        ConvolveMode::Full => [0, size + weights - 1],
        ConvolveMode::Same => [(weights - 1) / 2, size],
        ConvolveMode::Valid => [weights - 1, size + 1 - weights],
    }
}

/// The convolution of channels of planes: `[batch, in, h, w]` with `[out, in, p, q]`.
fn convolved(x: &Model<f64>, weights: &Model<f64>, mode: ConvolveMode, direction: Direction) -> Model<f64> {
    let (&[batch, channels, h, w], &[out, _, p, q]) = (&x.shape[..], &weights.shape[..]) else { unreachable!() };
    let [down, across] = [kept(mode, h, p), kept(mode, w, q)];
    Model::new(&[batch, out, down[1], across[1]], |index| {
        let (row, column) = (index[2] + down[0], index[3] + across[0]);
        let mut sum = 0.0;
        for (channel, i, j) in (0..channels).flat_map(|c| (0..p).flat_map(move |i| (0..q).map(move |j| (c, i, j)))) {
            // Place `row` of the full result is where weight 0 of a convolution meets number `row`.
            let (Some(y), Some(z)) = (row.checked_sub(i), column.checked_sub(j)) else { continue };
            if y < h && z < w {
                let [i, j] = if direction == Direction::Convolution { [i, j] } else { [p - 1 - i, q - 1 - j] };
                sum += x.at(&[index[0], channel, y, z]) * weights.at(&[index[1], channel, i, j]);
            }
        }
        sum
    })
}

fn reshaped(model: &Model<f64>, shape: &[usize]) -> Model<f64> {
    Model { shape: shape.to_vec(), ..model.clone() }
}

#[test]
fn lines_of_every_size() {
    let (s, mut random) = (session(), Random::new());
    for (size, length) in [(1, 1), (7, 1), (7, 7), (7, 2), (63, 5), (64, 64), (65, 8), (1000, 33), (5, 9)] {
        let (x, w) = (random.model(&[1, 1, 1, size]), random.model(&[1, 1, 1, length]));
        let (a, b) = (x.array(&s).reshape(&[size]).unwrap(), w.array(&s).reshape(&[length]).unwrap());
        for (mode, direction) in MODES.into_iter().flat_map(|mode| DIRECTIONS.map(|direction| (mode, direction))) {
            if mode == ConvolveMode::Valid && length > size {
                assert!(matches!(a.convolve(&b, mode), Err(Error::ShapeMismatch { .. })));
                continue;
            }
            let expected = convolved(&x, &w, mode, direction);
            let expected = reshaped(&expected, &expected.shape[3..]);
            for method in [Some(Method::Sum), Some(Method::Transform), None] {
                near(&a.convolve_by(&b, mode, direction, method).unwrap(), &expected, 1e-12);
            }
            let found = if direction == Direction::Convolution { a.convolve(&b, mode) } else { a.correlate(&b, mode) };
            near(&found.unwrap(), &expected, 1e-12);
        }
    }
}

#[test]
fn random_channels_and_planes() {
    let (s, mut random) = (session(), Random::new());
    for _ in 0..60 {
        let mut size = |end| 1 + random.below(end);
        let [batch, channels, out] = [size(3), size(3), size(3)];
        let [p, q] = [size(4), size(5)];
        let [h, w] = [p + size(6) - 1, q + size(9) - 1];
        let (x, weights) = (random.model(&[batch, channels, h, w]), random.model(&[out, channels, p, q]));
        let (mode, direction) = (MODES[random.below(3)], DIRECTIONS[random.below(2)]);
        let method = [None, Some(Method::Sum), Some(Method::Transform)][random.below(3)];
        let expected = convolved(&x, &weights, mode, direction);
        // A view that is stored another way, with the numbers of the model.
        let a = x.permute(&[3, 1, 0, 2]).array(&s).permute(&[2, 1, 3, 0]).unwrap();
        let b = weights.slice(3, 0, q, -1).array(&s).slice(3, .., -1).unwrap();
        near(&a.convolve_by(&b, mode, direction, method).unwrap(), &expected, 1e-12);
    }
}

#[test]
fn the_axes_of_the_weights_decide() {
    let (s, mut random) = (session(), Random::new());
    let (x, w) = (random.model(&[6, 1, 5, 8]), random.model(&[1, 1, 2, 3]));
    let planes = convolved(&x, &w, ConvolveMode::Same, Direction::Convolution);
    let a = x.array(&s).reshape(&[2, 3, 5, 8]).unwrap();
    let b = w.array(&s).reshape(&[2, 3]).unwrap();
    near(&a.convolve(&b, ConvolveMode::Same).unwrap(), &reshaped(&planes, &[2, 3, 5, 8]), 1e-13);
    let (x, w) = (random.model(&[4, 3, 1, 9]), random.model(&[2, 3, 1, 4]));
    let lines = convolved(&x, &w, ConvolveMode::Full, Direction::Correlation);
    let (a, b) = (x.array(&s).reshape(&[4, 3, 9]).unwrap(), w.array(&s).reshape(&[2, 3, 4]).unwrap());
    near(&a.correlate(&b, ConvolveMode::Full).unwrap(), &reshaped(&lines, &[4, 2, 12]), 1e-13);
    let one = a.index_axis(0, 3).unwrap().correlate(&b, ConvolveMode::Full).unwrap();
    near(&one, &reshaped(&lines.slice(0, 3, 4, 1), &[2, 12]), 1e-13);
}

#[test]
fn both_methods_agree_for_many_weights() {
    let (s, mut random) = (session(), Random::new());
    let (a, b) = (random.model(&[20_000]).array(&s), random.model(&[3000]).array(&s));
    let by = |method| a.convolve_by(&b, ConvolveMode::Same, Direction::Convolution, method).unwrap();
    let difference = (&by(Method::Sum) - &by(Method::Transform)).unwrap();
    assert!(difference.abs().unwrap().max().unwrap() < 1e-10);
}

#[test]
fn an_infinity_reaches_its_neighbours() {
    let s = session();
    let x = Array::from_slice(&s, &[1.0, f64::INFINITY, 1.0, 2.0], &[4]).unwrap();
    let w = Array::from_slice(&s, &[1.0, 1.0], &[2]).unwrap();
    let sums = x.convolve_by(&w, ConvolveMode::Valid, Direction::Convolution, Method::Sum).unwrap().to_vec().unwrap();
    assert!(!sums[0].is_finite() && !sums[1].is_finite(), "{sums:?}");
}

#[test]
fn convolutions_that_do_not_fit_are_errors() {
    let s = session();
    let zeros = |shape: &[usize]| Array::<f64>::zeros(&s, shape).unwrap();
    let error = zeros(&[2, 4, 9]).convolve(&zeros(&[5, 3, 2]), ConvolveMode::Same).unwrap_err().to_string();
    assert!(error.contains("but got [2, 4, 9] and [5, 3, 2]"), "{error}");
    let shapes: [(&[usize], &[usize]); 4] =
        [(&[], &[2]), (&[4], &[2, 2]), (&[4], &[]), (&[2, 2, 2, 2], &[1, 1, 1, 1, 1])];
    for (array, weights) in shapes {
        let error = zeros(array).convolve(&zeros(weights), ConvolveMode::Full).unwrap_err();
        assert!(matches!(error, Error::ShapeMismatch { .. }), "{error}");
    }
    assert!(matches!(zeros(&[4]).convolve(&zeros(&[0]), ConvolveMode::Full), Err(Error::Empty { .. })));
    assert!(matches!(zeros(&[0]).convolve(&zeros(&[2]), ConvolveMode::Full), Err(Error::Empty { .. })));
    assert_eq!(zeros(&[0, 4]).convolve(&zeros(&[2]), ConvolveMode::Full).unwrap().shape(), [0, 5]);
}

/// The convolution of complex channels of planes, by those of the parts. A correlation takes the conjugates of the
/// weights.
fn complex_convolved(
    [x, weights]: [&[Model<f64>; 2]; 2],
    mode: ConvolveMode,
    direction: Direction,
) -> Model<Complex<f64>> {
    let sign = if direction == Direction::Convolution { 1.0 } else { -1.0 };
    let part = |a: usize, b: usize| convolved(&x[a], &weights[b], mode, direction);
    let [both, neither, left, right] = [part(0, 0), part(1, 1), part(1, 0), part(0, 1)];
    Model::new(&both.shape, |index| {
        let re = both.at(index) - sign * neither.at(index);
        Complex::new(re, left.at(index) + sign * right.at(index))
    })
}

fn joined([re, im]: &[Model<f64>; 2]) -> Model<Complex<f64>> {
    Model::new(&re.shape, |index| Complex::new(re.at(index), im.at(index)))
}

#[test]
fn complex_channels_and_planes() {
    let (s, mut random) = (session(), Random::new());
    for number in 0..60 {
        let mut size = |end| 1 + random.below(end);
        let [batch, channels, out] = [size(3), size(3), size(3)];
        let [p, q] = [size(4), size(5)];
        let [h, w] = [p + size(6) - 1, q + size(9) - 1];
        // Lines, planes, and both with channels.
        let [is_plane, has_channels] = [number % 2 == 0, number % 4 < 2];
        let [h, p] = if is_plane { [h, p] } else { [1, 1] };
        let [channels, out] = if has_channels { [channels, out] } else { [1, 1] };
        let x = [(); 2].map(|()| random.model(&[batch, channels, h, w]));
        let weights = [(); 2].map(|()| random.model(&[out, channels, p, q]));
        let (mode, direction) = (MODES[random.below(3)], DIRECTIONS[random.below(2)]);
        let method = [None, Some(Method::Sum), Some(Method::Transform)][random.below(3)];
        let expected = complex_convolved([&x, &weights], mode, direction);
        let shape = |axes: [usize; 4]| -> Vec<usize> {
            let kept = [true, has_channels, is_plane, true];
            axes.into_iter().zip(kept).filter_map(|(size, is_kept)| is_kept.then_some(size)).collect()
        };
        // A view that is stored another way.
        let a = joined(&x).permute(&[3, 1, 0, 2]).array(&s).permute(&[2, 1, 3, 0]).unwrap();
        let a = a.reshape(&shape([batch, channels, h, w])).unwrap();
        let b = joined(&weights).array(&s);
        let b = b.reshape(&shape([out, channels, p, q])[usize::from(!has_channels)..]).unwrap();
        let &[_, _, down, across] = &expected.shape[..] else { unreachable!() };
        let expected = Model { shape: shape([batch, out, down, across]), ..expected };
        near(&a.convolve_by(&b, mode, direction, method).unwrap(), &expected, 1e-12);
        let found = if direction == Direction::Convolution { a.convolve(&b, mode) } else { a.correlate(&b, mode) };
        near(&found.unwrap(), &expected, 1e-12);
    }
}

#[test]
fn complex_convolutions_that_do_not_fit_are_errors() {
    let s = session();
    let zeros = |shape: &[usize]| Array::<Complex<f32>>::zeros(&s, shape).unwrap();
    let error = zeros(&[2, 4, 9]).correlate(&zeros(&[5, 3, 2]), ConvolveMode::Same).unwrap_err().to_string();
    assert!(error.contains("but got [2, 4, 9] and [5, 3, 2]"), "{error}");
    assert!(matches!(zeros(&[4]).convolve(&zeros(&[0]), ConvolveMode::Full), Err(Error::Empty { .. })));
    assert!(matches!(zeros(&[3]).convolve(&zeros(&[4]), ConvolveMode::Valid), Err(Error::ShapeMismatch { .. })));
    assert_eq!(zeros(&[0, 4]).convolve(&zeros(&[2]), ConvolveMode::Full).unwrap().shape(), [0, 5]);
}
