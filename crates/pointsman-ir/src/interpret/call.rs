//! The meaning of library calls: each number of a result is the sum that defines it. In: a call, its rows and its captured
//! table as doubles. Out: the results, each with the error that a device may make.
//!
//! Sums are taken in doubles, term after term, so results are exact to within a small part of the stated errors. Where
//! a term is infinite or not a number the error is infinite: what such terms add up to depends on the order of the sum.

use crate::kernel::call::{Call, Convolve, Direction, Fft, Matmul, Method, Numbers, RightOperand, Storage, Transform};
use crate::types::{DType, Scalar};

/// A number of a result, and how far off a device may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallResult {
    /// The number.
    pub value: f64,
    /// The most by which a device may differ; infinite if it may give anything.
    pub error: f64,
}

/// A float as a double.
pub fn double(value: Scalar) -> f64 {
    if let Scalar::F32(value) = value {
        return value.into();
    }
    let Scalar::F64(value) = value else { unreachable!("verify lets only floats into calls, not {value}") };
    value
}

/// A double as a number of a call's type.
pub fn rounded(dtype: DType, value: f64) -> Scalar {
    if dtype == DType::F32 { Scalar::F32(value as f32) } else { Scalar::F64(value) }.canonical()
}

/// Half the distance from 1 to the next number of a call's type.
pub fn unit(dtype: DType) -> f64 {
    if dtype == DType::F32 { f64::from(f32::EPSILON) / 2.0 } else { f64::EPSILON / 2.0 }
}

/// Errors that depend on a library's way of adding, such as the order of a transform's steps, are this often the usual
/// bound: libraries may split sums and pad lengths.
const SLACK: f64 = 4.0;

/// The results of all chunks. `unit`: half the distance from 1 to the next number of the call's type.
pub fn compute(call: &Call, rows: &[f64], table: &[f64], unit: f64) -> Vec<CallResult> {
    let call = &call.over(rows.len() as u64);
    let chunk_rows = usize::try_from(call.rows_in()).unwrap_or(usize::MAX);
    let chunks = rows.chunks_exact(chunk_rows);
    let mut results = Vec::new();
    for (number, chunk) in chunks.enumerate() {
        match call {
            Call::Matmul(product) => matmul(product, chunk, right(product, table, number), unit, &mut results),
            Call::Fft(fft) => transform(fft, chunk, unit, &mut results),
            Call::Convolve(sum) => convolve(sum, chunk, table, unit, &mut results),
        }
    }
    results
}

fn right<'a>(product: &Matmul, table: &'a [f64], chunk: usize) -> &'a [f64] {
    let rows = (product.numbers.rows() * product.inner * product.columns) as usize;
    match product.operand {
        RightOperand::Shared => &table[..rows],
        RightOperand::PerChunk => &table[chunk * rows..(chunk + 1) * rows],
    }
}

/// A complex number.
type Pair = [f64; 2];

/// A sum in the making, with the sum of its terms' sizes.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: f64,
    size: f64,
    terms: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        self.value += term;
        self.size += term.abs();
        self.terms += 1.0;
    }

    /// A sum of n products is within n·u of the products' sizes, whatever its order.
    fn result(self, unit: f64) -> CallResult {
        within(self.value, SLACK * (self.terms + 1.0) * unit * self.size)
    }
}

/// A result that may be off by this much; by anything, if a number is not finite.
fn within(value: f64, error: f64) -> CallResult {
    let finite = value.is_finite() && error.is_finite();
    CallResult { value, error: if finite { error } else { f64::INFINITY } }
}

fn matmul(product: &Matmul, left: &[f64], right: &[f64], unit: f64, results: &mut Vec<CallResult>) {
    let Matmul { rows, inner, columns, .. } = *product;
    let place = |storage: Storage, [row, column]: [u64; 2], [height, width]: [u64; 2]| match storage {
        Storage::Rows => (row * width + column) as usize,
        Storage::Columns => (column * height + row) as usize,
    };
    for row in 0..rows {
        for column in 0..columns {
            let mut sums = [Sum::default(); 2];
            for k in 0..inner {
                let a = place(product.left, [row, k], [rows, inner]);
                let b = place(product.right, [k, column], [inner, columns]);
                match product.numbers {
                    Numbers::Real => sums[0].add(left[a] * right[b]),
                    Numbers::Complex => {
                        let ([a, b], [c, d]) = (pair(left, a), pair(right, b));
                        sums[0].add(a * c);
                        sums[0].add(-b * d);
                        sums[1].add(a * d);
                        sums[1].add(b * c);
                    }
                }
            }
            let parts = product.numbers.rows() as usize;
            results.extend(sums[..parts].iter().map(|sum| sum.result(unit)));
        }
    }
}

fn pair(numbers: &[f64], place: usize) -> Pair {
    [numbers[2 * place], numbers[2 * place + 1]]
}

/// The numbers of a chunk as complex ones, all that the transform reads: zeros behind the given ones, and the conjugates
/// of a half spectrum.
fn whole_numbers(fft: &Fft, chunk: &[f64]) -> Vec<Pair> {
    let (length, given) = (fft.length as usize, fft.given as usize);
    let outer = fft.outer as usize;
    let number = |row: usize, column: usize| match fft.numbers()[0] {
        _ if column >= given => [0.0, 0.0],
        Numbers::Real => [chunk[row * given + column], 0.0],
        Numbers::Complex => pair(chunk, row * given + column),
    };
    let all = (0..outer).flat_map(|row| (0..length).map(move |column| (row, column)));
    all.map(|(row, column)| match fft.transform {
        Transform::Forward | Transform::Inverse | Transform::RealForward => number(row, column),
        Transform::RealInverse => {
            let mirrored = (length - column) % length;
            let is_stored = column <= length / 2;
            let [re, im] = if is_stored { number(row, column) } else { number((outer - row) % outer, mirrored) };
            // These are real in the spectrum of real numbers.
            let is_own_mirror = outer == 1 && column == mirrored;
            let im = if is_own_mirror { 0.0 } else { im };
            [re, if is_stored { im } else { -im }]
        }
    })
    .collect()
}

fn transform(fft: &Fft, chunk: &[f64], unit: f64, results: &mut Vec<CallResult>) {
    let numbers = whole_numbers(fft, chunk);
    let (outer, length) = (fft.outer as usize, fft.length as usize);
    let (sign, scale) = match fft.transform {
        Transform::Forward | Transform::RealForward => (-1.0, 1.0),
        Transform::Inverse | Transform::RealInverse => (1.0, 1.0 / (outer * length) as f64),
    };
    let roots = |n: usize| (0..n).map(|k| root(sign, k, n)).collect::<Vec<_>>();
    let (down, across) = (roots(outer), roots(length));
    // Each step of a fast transform adds an error of a few units to the norm of all numbers.
    let norm = numbers.iter().map(|[re, im]| re * re + im * im).sum::<f64>().sqrt();
    let count = (outer * length) as f64;
    let error = SLACK * unit * (count.log2() + 2.0) * norm * count.sqrt() * scale;
    for row in 0..outer {
        for column in 0..fft.kept as usize {
            let mut sum = [0.0, 0.0];
            for (place, &number) in numbers.iter().enumerate() {
                let turn = times(down[row * (place / length) % outer], across[column * (place % length) % length]);
                let term = times(number, turn);
                sum = [sum[0] + term[0], sum[1] + term[1]];
            }
            let parts = fft.numbers()[1].rows() as usize;
            results.extend(sum[..parts].iter().map(|part| within(part * scale, error)));
        }
    }
}

/// e^(±2πi·k/n), exact where it lies on an axis.
fn root(sign: f64, k: usize, n: usize) -> Pair {
    let (sin, cos) = match 4 * k {
        quarter if quarter == n => (1.0, 0.0),
        quarter if quarter == 2 * n => (0.0, -1.0),
        quarter if quarter == 3 * n => (-1.0, 0.0),
        _ => (2.0 * std::f64::consts::PI * k as f64 / n as f64).sin_cos(),
    };
    [cos, sign * sin]
}

fn times([a, b]: Pair, [c, d]: Pair) -> Pair {
    [a * c - b * d, a * d + b * c]
}

fn convolve(call: &Convolve, chunk: &[f64], weights: &[f64], unit: f64, results: &mut Vec<CallResult>) {
    let [height, width] = call.input.map(|size| size as usize);
    let [weight_height, weight_width] = call.weights.map(|size| size as usize);
    let channels_in = call.channels_in as usize;
    // Transforms spread every number's error over all results.
    let norm = |numbers: &[f64]| numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    let numbers = chunk.len() as f64 * 4.0 + weights.len() as f64;
    let spread = SLACK * unit * 3.0 * (numbers.log2() + 2.0) * norm(chunk) * norm(weights);
    for channel_out in 0..call.channels_out as usize {
        let [rows, columns] = call.output().map(|size| size as usize);
        for place in 0..rows * columns {
            let start = [place / columns * call.stride[0] as usize, place % columns * call.stride[1] as usize];
            let mut sum = Sum::default();
            for channel in 0..channels_in {
                for weight in 0..weight_height * weight_width {
                    let at = [weight / weight_width, weight % weight_width];
                    let row = (start[0] + at[0]).checked_sub(call.padding[0][0] as usize).filter(|&row| row < height);
                    let column =
                        (start[1] + at[1]).checked_sub(call.padding[1][0] as usize).filter(|&column| column < width);
                    let (Some(row), Some(column)) = (row, column) else { continue };
                    let weight = match call.direction {
                        Direction::Correlation => weight,
                        Direction::Convolution => weight_height * weight_width - 1 - weight,
                    };
                    let weights_before = (channel_out * channels_in + channel) * weight_height * weight_width;
                    sum.add(chunk[(channel * height + row) * width + column] * weights[weights_before + weight]);
                }
            }
            let result = sum.result(unit);
            results.push(match call.method {
                Method::Sum => result,
                Method::Transform => within(result.value, result.error + spread),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(call: Call, rows: &[f64], table: &[f64]) -> Vec<f64> {
        compute(&call, rows, table, f64::EPSILON / 2.0).iter().map(|result| result.value).collect()
    }

    const PRODUCT: Matmul = Matmul {
        numbers: Numbers::Real,
        rows: 2,
        inner: 3,
        columns: 2,
        left: Storage::Rows,
        right: Storage::Rows,
        operand: RightOperand::Shared,
    };

    #[test]
    fn products_are_those_of_matrices() {
        let left = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let right = [1.0, 0.0, 0.0, 1.0, 2.0, -1.0];
        assert_eq!(values(Call::Matmul(PRODUCT), &left, &right), [7.0, -1.0, 16.0, -1.0]);
        let transposed = Matmul { left: Storage::Columns, right: Storage::Columns, ..PRODUCT };
        let left = [1.0, 4.0, 2.0, 5.0, 3.0, 6.0];
        let right = [1.0, 0.0, 2.0, 0.0, 1.0, -1.0];
        assert_eq!(values(Call::Matmul(transposed), &left, &right), [7.0, -1.0, 16.0, -1.0]);
        let batched = Matmul { rows: 1, inner: 1, columns: 1, operand: RightOperand::PerChunk, ..PRODUCT };
        assert_eq!(values(Call::Matmul(batched), &[2.0, 3.0], &[5.0, 7.0]), [10.0, 21.0]);
        let complex = Matmul { numbers: Numbers::Complex, rows: 1, inner: 1, columns: 1, ..PRODUCT };
        assert_eq!(values(Call::Matmul(complex), &[1.0, 2.0], &[3.0, 4.0]), [-5.0, 10.0]);
    }

    #[test]
    fn transforms_invert_each_other_and_pad_with_zeros() {
        let forward = Fft { transform: Transform::Forward, outer: 1, length: 4, given: 2, kept: 4 };
        assert_eq!(values(Call::Fft(forward), &[1.0, 0.0, 1.0, 0.0], &[]), [2.0, 0.0, 1.0, -1.0, 0.0, 0.0, 1.0, 1.0]);
        for length in [1, 2, 3, 4, 5, 8] {
            let numbers: Vec<f64> = (0..length).map(|i| (i * i) as f64 - 3.0).collect();
            let forward =
                Fft { transform: Transform::RealForward, outer: 1, length, given: length, kept: length / 2 + 1 };
            let spectrum = values(Call::Fft(forward), &numbers, &[]);
            let inverse =
                Fft { transform: Transform::RealInverse, outer: 1, length, given: length / 2 + 1, kept: length };
            let back = values(Call::Fft(inverse), &spectrum, &[]);
            assert!(numbers.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-13), "{length}: {back:?}");
        }
    }

    #[test]
    fn transforms_of_two_dimensions_invert_each_other() {
        for (outer, length) in [(2, 3), (3, 4), (4, 2), (3, 1)] {
            let numbers: Vec<f64> = (0..outer * length).map(|i| ((i * 7) % 5) as f64).collect();
            let half = length / 2 + 1;
            let forward = Fft { transform: Transform::RealForward, outer, length, given: length, kept: half };
            let spectrum = values(Call::Fft(forward), &numbers, &[]);
            let inverse = Fft { transform: Transform::RealInverse, outer, length, given: half, kept: length };
            let back = values(Call::Fft(inverse), &spectrum, &[]);
            assert!(numbers.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-13), "{outer} {length}: {back:?}");
        }
    }

    #[test]
    fn convolutions_turn_their_weights_around() {
        let correlation = Convolve {
            method: Method::Sum,
            direction: Direction::Correlation,
            channels_in: 1,
            channels_out: 1,
            input: [1, 4],
            weights: [1, 2],
            padding: [[0, 0], [1, 0]],
            stride: [1, 1],
        };
        let rows = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(values(Call::Convolve(correlation), &rows, &[1.0, 10.0]), [10.0, 21.0, 32.0, 43.0]);
        let convolution = Convolve { direction: Direction::Convolution, ..correlation };
        assert_eq!(values(Call::Convolve(convolution), &rows, &[1.0, 10.0]), [1.0, 12.0, 23.0, 34.0]);
        let steps = Convolve { stride: [1, 2], ..convolution };
        assert_eq!(values(Call::Convolve(steps), &rows, &[1.0, 10.0]), [1.0, 23.0]);
    }

    #[test]
    fn infinite_terms_may_give_anything() {
        let product = Call::Matmul(Matmul { rows: 1, columns: 1, ..PRODUCT });
        let result = compute(&product, &[f64::INFINITY, 1.0, 1.0], &[1.0, 1.0, 1.0], 1e-16);
        assert_eq!(result[0].error, f64::INFINITY);
    }
}
