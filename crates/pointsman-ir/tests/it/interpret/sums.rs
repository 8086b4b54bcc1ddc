//! Float sums and prefix sums in source order, against a second, recursive definition, bit for bit.

use super::{Random, kernel, run};
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::{Fold, FoldOp, Frame, Running, Sink};
use pointsman_ir::types::{DType, Scalar};

const SIZES: [usize; 7] = [0, 1, 7, 4095, 4096, 4097, 10_000];

/// A float with whether a segment starts at it or left of it.
type Pair = (bool, f64);

fn plus(a: Pair, b: Pair) -> Pair {
    (a.0 || b.0, if b.0 { b.1 } else { a.1 + b.1 })
}

const NOTHING: Pair = (false, -0.0);

/// Rows: selected, segment start, value.
struct Rows(Vec<(bool, bool, Option<f64>)>);

impl Rows {
    fn random(rows: usize, seed: u64) -> Rows {
        let mut random = Random(seed);
        let row = |_| {
            let value = (random.below(5) > 0).then(|| random.float(60));
            (random.below(4) > 0, random.below(700) == 0, value)
        };
        Rows((0..rows).map(row).collect())
    }

    fn columns(&self) -> Vec<ColumnData> {
        let flag = DType::Bool.required();
        vec![
            ColumnData::from_scalars(flag, self.0.iter().map(|row| Some(Scalar::Bool(row.0)))),
            ColumnData::from_scalars(flag, self.0.iter().map(|row| Some(Scalar::Bool(row.1)))),
            ColumnData::from_scalars(DType::F64.nullable(), self.0.iter().map(|row| row.2.map(Scalar::F64))),
        ]
    }

    fn at(&self, row: usize) -> Pair {
        match self.0.get(row) {
            Some((true, start, value)) => (*start, value.unwrap_or(-0.0)),
            Some((false, ..)) | None => NOTHING,
        }
    }

    /// Accumulator `j` of the leaf when `lanes` of them are left.
    fn lane(&self, leaf: usize, j: usize, lanes: usize) -> f64 {
        if lanes == 128 {
            return (0..32).fold(-0.0, |sum, i| sum + self.at(leaf * 4096 + i * 128 + j).1);
        }
        self.lane(leaf, j, 2 * lanes) + self.lane(leaf, j + lanes, 2 * lanes)
    }

    fn leaves(&self) -> usize {
        self.0.len().div_ceil(4096)
    }

    /// The sum of a node of the leaf tree.
    fn node(&self, level: u32, index: usize) -> f64 {
        let first = index << level;
        if level == 0 {
            return self.lane(first, 0, 1);
        }
        let left = self.node(level - 1, 2 * index);
        let right_starts = first + (1 << (level - 1));
        if right_starts < self.leaves() { left + self.node(level - 1, 2 * index + 1) } else { left }
    }

    /// Level `n` of a leaf's scan: place `i` after the steps below `step`.
    fn scanned(&self, leaf: usize, level: u32, i: usize, step: usize) -> Pair {
        if step > 1 {
            let before = step / 2;
            let own = self.scanned(leaf, level, i, before);
            return if i % 16 >= before { plus(self.scanned(leaf, level, i - before, before), own) } else { own };
        }
        if level == 1 { self.at(leaf * 4096 + i) } else { self.scanned(leaf, level - 1, 16 * i + 15, 16) }
    }

    fn left_of(&self, leaf: usize, level: u32, i: usize) -> Pair {
        if i.is_multiple_of(16) { NOTHING } else { self.scanned(leaf, level, i - 1, 16) }
    }

    fn scan_node(&self, level: u32, index: usize) -> Pair {
        if level == 0 {
            return self.scanned(index, 3, 15, 16);
        }
        plus(self.scan_node(level - 1, 2 * index), self.scan_node(level - 1, 2 * index + 1))
    }

    /// The running sum at a row.
    fn prefix(&self, row: usize) -> f64 {
        let (leaf, i) = (row / 4096, row % 4096);
        let mut carry = NOTHING;
        let mut done = 0;
        for level in (0..8).rev() {
            if leaf >> level & 1 == 1 {
                carry = plus(carry, self.scan_node(level, done >> level));
                done += 1 << level;
            }
        }
        let inner = plus(self.left_of(leaf, 2, i / 16), self.scanned(leaf, 1, i, 16));
        plus(carry, plus(self.left_of(leaf, 3, i / 256), inner)).1 + 0.0
    }
}

#[test]
fn reduce_follows_the_tree() {
    for (seed, rows) in SIZES.into_iter().chain([40_000]).enumerate() {
        let rows = Rows::random(rows, seed as u64);
        let columns = rows.columns();
        let types: Vec<_> = columns.iter().map(ColumnData::ty).collect();
        let kernel = kernel(&types, |_, inputs| {
            let folds = [(FoldOp::Sum, Some(inputs[2])), (FoldOp::Count, Some(inputs[2])), (FoldOp::Count, None)];
            (
                Some(inputs[0]),
                Sink::Reduce {
                    folds: folds
                        .map(|(op, value)| value.map_or(Fold::COUNT_ROWS, |value| Fold::of(op, value)))
                        .to_vec(),
                },
            )
        });
        let levels = rows.leaves().next_power_of_two().trailing_zeros();
        let sum = if rows.0.is_empty() { 0.0 } else { rows.node(levels, 0) + 0.0 };
        let selected = rows.0.iter().filter(|row| row.0);
        let values = selected.clone().filter(|row| row.2.is_some()).count() as u64;
        let expected = [Scalar::F64(sum), Scalar::U64(values), Scalar::U64(selected.count() as u64)];
        assert_eq!(run(&kernel, &columns).unwrap().row(0), expected.map(Some), "{} rows", rows.0.len());
    }
}

#[test]
fn scan_follows_the_tree() {
    for (seed, size) in SIZES.into_iter().chain([30_000]).enumerate() {
        for segmented in [false, true] {
            let mut rows = Rows::random(size, seed as u64 + 100);
            rows.0.iter_mut().for_each(|row| row.1 &= segmented);
            let columns = rows.columns();
            let types: Vec<_> = columns.iter().map(ColumnData::ty).collect();
            let kernel = kernel(&types, |_, inputs| {
                let fold = Fold::of(FoldOp::Sum, inputs[2]);
                let running = vec![Running { fold, frame: Frame::Unbounded }];
                let segment = segmented.then_some(inputs[1]);
                (Some(inputs[0]), Sink::Scan { columns: vec![], running, segment })
            });
            let selected = (0..rows.0.len()).filter(|&row| rows.0[row].0);
            // The definition costs much a row: the last rows of a leaf and some others speak for all.
            let got = run(&kernel, &columns).unwrap();
            for (i, row) in selected.enumerate() {
                if row % 31 == 0 || row % 4096 > 4080 || row % 4096 < 20 {
                    let expected = Some(Scalar::F64(rows.prefix(row)));
                    assert_eq!(got.columns[0].get(i), expected, "{size} rows, row {row}, segmented {segmented}");
                }
            }
        }
    }
}

#[test]
fn a_sum_is_never_negative_zero_and_singles_stay_singles() {
    let check = |values: &[f32], expected: f32| {
        let ty = DType::F32.required();
        let kernel = kernel(&[ty], |_, inputs| (None, Sink::Reduce { folds: vec![Fold::of(FoldOp::Sum, inputs[0])] }));
        let column = ColumnData::from_scalars(ty, values.iter().map(|&v| Some(Scalar::F32(v))));
        assert_eq!(run(&kernel, &[column]).unwrap().row(0), [Some(Scalar::F32(expected))], "{values:?}");
    };
    check(&[], 0.0);
    check(&[-0.0, -0.0], 0.0);
    check(&[16_777_216.0, 1.0], 16_777_216.0);
    check(&[f32::INFINITY, f32::NEG_INFINITY], f32::from_bits(pointsman_ir::types::NAN_F32));
    check(&[-f32::NAN], f32::from_bits(pointsman_ir::types::NAN_F32));
    check(&[1e-45, 1e-45], 2.0 * 1e-45);
}
