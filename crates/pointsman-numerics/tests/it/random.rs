//! [`Random`]: numbers, shapes and views from a seed that is new in every run and printed with a failure.

use crate::model::Model;
use num_complex::Complex;
use pointsman_numerics::{Array, Number};
use std::hash::{BuildHasher, RandomState};

/// A generator (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    /// A generator with a new seed; `POINTSMAN_SEED` repeats one.
    pub(crate) fn new() -> Random {
        let given = std::env::var("POINTSMAN_SEED").ok();
        let seed = given.map_or_else(|| RandomState::new().hash_one(0), |seed| seed.parse().unwrap());
        eprintln!("POINTSMAN_SEED={seed}");
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number between −1 and 1.
    pub(crate) fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn complex(&mut self) -> Complex<f64> {
        Complex::new(self.number(), self.number())
    }

    pub(crate) fn model(&mut self, shape: &[usize]) -> Model<f64> {
        Model::new(shape, |_| self.number())
    }

    pub(crate) fn complex_model(&mut self, shape: &[usize]) -> Model<Complex<f64>> {
        Model::new(shape, |_| self.complex())
    }

    /// Sizes of up to `rank` axes, small enough for all of them.
    pub(crate) fn shape(&mut self, rank: usize) -> Vec<usize> {
        (0..self.below(rank + 1)).map(|_| [1, 2, 3, 5, 8][self.below(5)]).collect()
    }

    /// Several views of an array and of its model.
    pub(crate) fn views<T: Number>(&mut self, array: Array<T>, model: Model<T>) -> (Array<T>, Model<T>) {
        let (mut array, mut model) = (array, model);
        for _ in 0..self.below(5) {
            (array, model) = self.view(array, model);
        }
        (array, model)
    }

    fn view<T: Number>(&mut self, array: Array<T>, model: Model<T>) -> (Array<T>, Model<T>) {
        let rank = model.shape.len();
        let kind = self.below(6);
        if rank == 0 || kind == 0 {
            let axis = self.below(rank + 1);
            let mut shape = model.shape.clone();
            shape.insert(axis, 1);
            return (array.insert_axis(axis).unwrap(), Model { shape, ..model });
        }
        let axis = self.below(rank);
        let size = model.shape[axis];
        match kind {
            1 => {
                let mut axes: Vec<usize> = (0..rank).collect();
                (1..rank).for_each(|i| axes.swap(i, self.below(i + 1)));
                (array.permute(&axes).unwrap(), model.permute(&axes))
            }
            2 | 3 => {
                let start = self.below(size + 1);
                let end = start + self.below(size - start + 1);
                let step = [1, 2, 3, -1, -2, -5][self.below(6)];
                (array.slice(axis, start..end, step).unwrap(), model.slice(axis, start, end, step))
            }
            4 if size > 0 => {
                let index = self.below(size);
                let mut sliced = model.slice(axis, index, index + 1, 1);
                sliced.shape.remove(axis);
                (array.index_axis(axis, index).unwrap(), sliced)
            }
            5 if size == 1 => {
                let mut shape = model.shape.clone();
                shape[axis] = 3;
                (array.broadcast_to(&shape).unwrap(), model.broadcast(&shape))
            }
            _ => {
                let shape = match self.below(2) {
                    0 => vec![model.values.len()],
                    _ => [&model.shape[..axis], &[1, size], &model.shape[axis + 1..]].concat(),
                };
                (array.reshape(&shape).unwrap(), Model { shape, ..model })
            }
        }
    }
}
