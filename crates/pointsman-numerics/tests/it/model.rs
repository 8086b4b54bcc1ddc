//! [`Model`]: an array in plain Rust, which does everything index by index.

use num_complex::Complex;
use pointsman::Session;
use pointsman_numerics::{Array, Number};

/// Numbers in a shape, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model<T> {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<T>,
}

/// All indices of a shape, in order.
pub(crate) fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &size in shape {
        all = all.iter().flat_map(|index| (0..size).map(move |i| [&index[..], &[i]].concat())).collect();
    }
    all
}

impl<T: Copy> Model<T> {
    pub(crate) fn new(shape: &[usize], number: impl FnMut(&[usize]) -> T) -> Model<T> {
        let mut number = number;
        let values = indices(shape).iter().map(|index| number(index)).collect();
        Model { shape: shape.to_vec(), values }
    }

    pub(crate) fn at(&self, index: &[usize]) -> T {
        let place = index.iter().zip(&self.shape).fold(0, |place, (&i, &size)| {
            assert!(i < size, "{index:?} in {:?}", self.shape);
            place * size + i
        });
        self.values[place]
    }

    pub(crate) fn permute(&self, axes: &[usize]) -> Model<T> {
        let shape: Vec<usize> = axes.iter().map(|&axis| self.shape[axis]).collect();
        Model::new(&shape, |index| {
            let mut of = vec![0; axes.len()];
            axes.iter().zip(index).for_each(|(&axis, &i)| of[axis] = i);
            self.at(&of)
        })
    }

    pub(crate) fn slice(&self, axis: usize, start: usize, end: usize, step: isize) -> Model<T> {
        let mut taken: Vec<usize> = (start..end).collect();
        if step < 0 {
            taken.reverse();
        }
        let taken: Vec<usize> = taken.into_iter().step_by(step.unsigned_abs()).collect();
        let mut shape = self.shape.clone();
        shape[axis] = taken.len();
        Model::new(&shape, |index| {
            let mut of = index.to_vec();
            of[axis] = taken[of[axis]];
            self.at(&of)
        })
    }

    /// The numbers of a larger shape; the array's axes of size 1, and those it lacks, repeat.
    pub(crate) fn broadcast(&self, shape: &[usize]) -> Model<T> {
        let missing = shape.len() - self.shape.len();
        Model::new(shape, |index| {
            let of: Vec<usize> =
                index[missing..].iter().zip(&self.shape).map(|(&i, &size)| if size == 1 { 0 } else { i }).collect();
            self.at(&of)
        })
    }

    pub(crate) fn map<U>(&self, f: impl Fn(T) -> U) -> Model<U> {
        Model { shape: self.shape.clone(), values: self.values.iter().map(|&value| f(value)).collect() }
    }

    /// The fold of each line along an axis.
    pub(crate) fn fold<U: Copy>(&self, axis: usize, fold: impl Fn(Vec<T>) -> U) -> Model<U> {
        let mut shape = self.shape.clone();
        shape.remove(axis);
        Model::new(&shape, |index| {
            let at = |i| self.at(&[&index[..axis], &[i], &index[axis..]].concat());
            fold((0..self.shape[axis]).map(at).collect())
        })
    }
}

impl<T: Number> Model<T> {
    pub(crate) fn array(&self, session: &Session) -> Array<T> {
        Array::from_slice(session, &self.values, &self.shape).unwrap()
    }
}

/// Whether two numbers are the same: NaN equals itself.
pub(crate) trait Same {
    fn is_same(&self, other: &Self) -> bool;
    fn distance(&self, other: &Self) -> f64;
}

impl Same for f64 {
    fn is_same(&self, other: &f64) -> bool {
        self == other || (self.is_nan() && other.is_nan())
    }

    fn distance(&self, other: &f64) -> f64 {
        if self.is_same(other) { 0.0 } else { (self - other).abs() }
    }
}

impl Same for f32 {
    fn is_same(&self, other: &f32) -> bool {
        f64::from(*self).is_same(&f64::from(*other))
    }

    fn distance(&self, other: &f32) -> f64 {
        f64::from(*self).distance(&f64::from(*other))
    }
}

impl<R: Same> Same for Complex<R> {
    fn is_same(&self, other: &Complex<R>) -> bool {
        self.re.is_same(&other.re) && self.im.is_same(&other.im)
    }

    fn distance(&self, other: &Complex<R>) -> f64 {
        self.re.distance(&other.re).max(self.im.distance(&other.im))
    }
}

#[track_caller]
pub(crate) fn check<T: Number + Same>(array: &Array<T>, expected: &Model<T>) {
    near(array, expected, 0.0);
}

/// Checks an array number by number; NaN is near NaN alone.
#[track_caller]
pub(crate) fn near<T: Number + Same>(array: &Array<T>, expected: &Model<T>, tolerance: f64) {
    assert_eq!((array.shape(), array.len()), (&expected.shape[..], expected.values.len()));
    let found = array.to_vec().unwrap();
    assert_eq!(found.len(), expected.values.len());
    for (place, (found, expected)) in found.iter().zip(&expected.values).enumerate() {
        let is_near = found.is_same(expected) || found.distance(expected) <= tolerance;
        assert!(is_near, "place {place} of {:?}: {found:?}, not {expected:?}", array.shape());
    }
}
