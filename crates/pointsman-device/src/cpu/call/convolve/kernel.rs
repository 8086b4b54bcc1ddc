//! The inner loops of convolutions by their sum: sums of neighbouring columns in registers.
//!
//! [`add_products`] multiplies vectors of neighbouring numbers by one weight at a time, for one or four result channels. With
//! one result channel, each product loads a vector of its own, and most of those lie across two lines of the cache.
//! [`add_shifted_products`] therefore multiplies one number by a vector of weights: result l of a vector takes number k with
//! weight k − l, so the weights are stored once for each k.

use super::super::Float;

/// The most columns of a vector: columns of sums are padded to a multiple of it.
pub(super) const LANES_MAX: usize = 16;

/// How many result channels the loop computes at a time if there are several.
pub(super) const OUTPUTS: usize = 4;

/// Where the numbers are that a sum multiplies with its weights: runs of `taps` neighbouring numbers in the rows of
/// channels. With steps between columns, a row is stored as `phases` rows, each with every `step`-th number.
#[derive(Clone, Copy)]
pub(super) struct Runs {
    pub(super) channels: usize,
    pub(super) rows: usize,
    /// The weights of a row.
    pub(super) taps: usize,
    pub(super) step: usize,
    /// Distances between channels, rows and phases.
    pub(super) channel_pitch: usize,
    pub(super) row_pitch: usize,
    pub(super) phase_pitch: usize,
}

impl Runs {
    /// How many rows a row is stored as.
    pub(super) fn phases(&self) -> usize {
        self.step.min(self.taps)
    }

    /// The weights of phase `phase`.
    pub(super) fn phase_taps(&self, phase: usize) -> usize {
        (self.taps - phase).div_ceil(self.step)
    }
}

/// Adds the products of numbers and weights to `sums`. The sums of each of the `outputs` channels (1 or [`OUTPUTS`]) follow
/// each other; their number is a multiple of [`LANES_MAX`]. The weights are in the order of the runs, row by row and phase by
/// phase; at each place are the weights of all outputs.
pub(super) fn add_products<T: Float>(numbers: &[T], runs: &Runs, weights: &[T], outputs: usize, sums: &mut [T]) {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has these instructions.
            return unsafe { add_products_avx512(numbers, runs, weights, outputs, sums) };
        }
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            // SAFETY: the processor has these instructions.
            return unsafe { add_products_avx2(numbers, runs, weights, outputs, sums) };
        }
    }
    let is_fused = cfg!(target_arch = "aarch64");
    match (size_of::<T>(), is_fused) {
        (4, true) => columns::<T, 4, true>(numbers, runs, weights, outputs, sums),
        (4, false) => columns::<T, 4, false>(numbers, runs, weights, outputs, sums),
        (_, true) => columns::<T, 2, true>(numbers, runs, weights, outputs, sums),
        (_, false) => columns::<T, 2, false>(numbers, runs, weights, outputs, sums),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
fn add_products_avx512<T: Float>(numbers: &[T], runs: &Runs, weights: &[T], outputs: usize, sums: &mut [T]) {
    match size_of::<T>() {
        4 => columns::<T, 16, true>(numbers, runs, weights, outputs, sums),
        _ => columns::<T, 8, true>(numbers, runs, weights, outputs, sums),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_products_avx2<T: Float>(numbers: &[T], runs: &Runs, weights: &[T], outputs: usize, sums: &mut [T]) {
    match size_of::<T>() {
        4 => columns::<T, 8, true>(numbers, runs, weights, outputs, sums),
        _ => columns::<T, 4, true>(numbers, runs, weights, outputs, sums),
    }
}

/// All columns, several vectors of `LANES` at a time.
#[inline(always)]
fn columns<T: Float, const LANES: usize, const FUSED: bool>(
    numbers: &[T],
    runs: &Runs,
    weights: &[T],
    outputs: usize,
    sums: &mut [T],
) {
    let count = sums.len() / outputs;
    let mut column = 0;
    while column < count {
        let left = count - column;
        if outputs == 1 && left >= 4 * LANES {
            block::<T, LANES, 4, 1, FUSED>(numbers, runs, weights, sums, column);
            column += 4 * LANES;
        } else if outputs == 1 {
            block::<T, LANES, 1, 1, FUSED>(numbers, runs, weights, sums, column);
            column += LANES;
        } else if left >= 4 * LANES {
            block::<T, LANES, 4, OUTPUTS, FUSED>(numbers, runs, weights, sums, column);
            column += 4 * LANES;
        } else {
            block::<T, LANES, 1, OUTPUTS, FUSED>(numbers, runs, weights, sums, column);
            column += LANES;
        }
    }
}

/// `VECTORS` · `LANES` columns from `column` on.
#[inline(always)]
fn block<T: Float, const LANES: usize, const VECTORS: usize, const OUTPUTS: usize, const FUSED: bool>(
    numbers: &[T],
    runs: &Runs,
    weights: &[T],
    sums: &mut [T],
    column: usize,
) {
    let pitch = sums.len() / OUTPUTS;
    let mut registers = [[[T::zero(); LANES]; VECTORS]; OUTPUTS];
    for (output, registers) in registers.iter_mut().enumerate() {
        let stored = &sums[output * pitch + column..][..VECTORS * LANES];
        registers.as_flattened_mut().copy_from_slice(stored);
    }
    let mut weights = weights.as_chunks::<OUTPUTS>().0;
    for channel in 0..runs.channels {
        for row in 0..runs.rows {
            for phase in 0..runs.phases() {
                let start = channel * runs.channel_pitch + row * runs.row_pitch + phase * runs.phase_pitch + column;
                let taps = runs.phase_taps(phase);
                let numbers = &numbers[start..][..taps - 1 + VECTORS * LANES];
                let (now, later) = weights.split_at(taps);
                weights = later;
                for (numbers, weights) in numbers.windows(VECTORS * LANES).zip(now) {
                    let (numbers, _) = numbers.as_chunks::<LANES>();
                    for vector in 0..VECTORS {
                        for output in 0..OUTPUTS {
                            for lane in 0..LANES {
                                let (number, weight) = (numbers[vector][lane], weights[output]);
                                let sum = &mut registers[output][vector][lane];
                                *sum = if FUSED { T::fused(number, weight, *sum) } else { number * weight + *sum };
                            }
                        }
                    }
                }
            }
        }
    }
    for (output, registers) in registers.iter().enumerate() {
        sums[output * pitch + column..][..VECTORS * LANES].copy_from_slice(registers.as_flattened());
    }
}

/// How many columns a vector of [`add_shifted_products`] has; `None` on processors where [`add_products`] is faster, because
/// leaving out some lanes of a product takes an instruction of its own.
pub(super) fn shifted_lanes<T>() -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        return Some(64 / size_of::<T>());
    }
    None
}

/// How many floats [`shift_weights`] makes of this many weights.
pub(super) fn shifted_weights(lanes: usize, taps: usize) -> usize {
    (taps + lanes - 1) * lanes
}

/// Stores the weights of a row for [`add_shifted_products`]: lane l of vector k is weight k − l, or zero.
pub(super) fn shift_weights<T: Float>(lanes: usize, weights: impl Iterator<Item = T>, shifted: &mut [T]) {
    shifted.fill(T::zero());
    for (tap, weight) in weights.enumerate() {
        for lane in 0..lanes {
            shifted[(tap + lane) * lanes + lane] = weight;
        }
    }
}

/// Adds the products of one result channel with steps of 1 to its sums, if [`shifted_lanes`] says that the processor can.
/// `weights` are the results of [`shift_weights`], row by row.
pub(super) fn add_shifted_products<T: Float>(numbers: &[T], runs: &Runs, weights: &[T], sums: &mut [T]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has these instructions.
        return unsafe { add_shifted_products_avx512(numbers, runs, weights, sums) };
    }
    match size_of::<T>() {
        4 => shifted_columns::<T, 4>(numbers, runs, weights, sums),
        _ => shifted_columns::<T, 2>(numbers, runs, weights, sums),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
fn add_shifted_products_avx512<T: Float>(numbers: &[T], runs: &Runs, weights: &[T], sums: &mut [T]) {
    match size_of::<T>() {
        4 => shifted_columns::<T, 16>(numbers, runs, weights, sums),
        _ => shifted_columns::<T, 8>(numbers, runs, weights, sums),
    }
}

/// All columns, 16 vectors of `LANES` at a time as long as there are so many.
#[inline(always)]
fn shifted_columns<T: Float, const LANES: usize>(numbers: &[T], runs: &Runs, weights: &[T], sums: &mut [T]) {
    let (weights, _) = weights.as_chunks::<LANES>();
    let mut column = 0;
    while column < sums.len() {
        let (numbers, sums) = (&numbers[column..], &mut sums[column..]);
        if sums.len() >= 16 * LANES {
            shifted_block::<T, LANES, 4, 4>(numbers, runs, weights, sums);
            column += 16 * LANES;
        } else if sums.len() >= 4 * LANES {
            shifted_block::<T, LANES, 1, 4>(numbers, runs, weights, sums);
            column += 4 * LANES;
        } else {
            shifted_block::<T, LANES, 1, 1>(numbers, runs, weights, sums);
            column += LANES;
        }
    }
}

/// The first `GROUPS` · `VECTORS` · `LANES` columns. In one loop, the compiler would not keep as many vectors in registers.
#[inline(always)]
fn shifted_block<T: Float, const LANES: usize, const GROUPS: usize, const VECTORS: usize>(
    numbers: &[T],
    runs: &Runs,
    mut weights: &[[T; LANES]],
    sums: &mut [T],
) {
    let stored = &mut sums[..GROUPS * VECTORS * LANES];
    let mut registers = [[[T::zero(); LANES]; VECTORS]; GROUPS];
    registers.as_flattened_mut().as_flattened_mut().copy_from_slice(stored);
    let vectors = runs.taps + LANES - 1;
    let reach = (GROUPS * VECTORS - 1) * LANES;
    for channel in 0..runs.channels {
        for row in 0..runs.rows {
            let numbers = &numbers[channel * runs.channel_pitch + row * runs.row_pitch..][..vectors + reach];
            let (now, later) = weights.split_at(vectors);
            weights = later;
            for (numbers, weights) in numbers.windows(reach + 1).zip(now) {
                for group in 0..GROUPS {
                    for vector in 0..VECTORS {
                        let number = numbers[(group * VECTORS + vector) * LANES];
                        for lane in 0..LANES {
                            let (weight, sum) = (weights[lane], &mut registers[group][vector][lane]);
                            let with = T::fused(number, weight, *sum);
                            // Where the weights end, the number is of no term of the sum, but may be infinite.
                            *sum = if weight != T::zero() { with } else { *sum };
                        }
                    }
                }
            }
        }
    }
    stored.copy_from_slice(registers.as_flattened().as_flattened());
}

#[cfg(test)]
mod tests {
    use super::{OUTPUTS, Runs, add_products, columns, shift_weights, shifted_columns, shifted_weights};

    #[test]
    fn all_instruction_sets_give_the_same_sums() {
        let runs = Runs { channels: 2, rows: 3, taps: 5, step: 2, channel_pitch: 480, row_pitch: 160, phase_pitch: 80 };
        // Small integers: sums are exact, whatever their order and rounding.
        let numbers: Vec<f32> = (0..960).map(|number| ((number * 37) % 19) as f32 - 9.0).collect();
        for outputs in [1, OUTPUTS] {
            let weights: Vec<f32> = (0..30 * outputs).map(|weight| ((weight * 11) % 7) as f32 - 3.0).collect();
            let mut expected = vec![1.0; 64 * outputs];
            for (place, sum) in expected.iter_mut().enumerate() {
                let mut weight = place / 64;
                for channel in 0..2 {
                    for row in 0..3 {
                        for [phase, taps] in [[0, 3], [1, 2]] {
                            for tap in 0..taps {
                                let number = channel * 480 + row * 160 + phase * 80 + tap + place % 64;
                                *sum += numbers[number] * weights[weight];
                                weight += outputs;
                            }
                        }
                    }
                }
            }
            type Sum = fn(&[f32], &Runs, &[f32], usize, &mut [f32]);
            let all: [Sum; 5] = [
                add_products,
                columns::<f32, 4, false>,
                columns::<f32, 4, true>,
                columns::<f32, 8, true>,
                columns::<f32, 16, true>,
            ];
            for sum in all {
                let mut sums = vec![1.0; 64 * outputs];
                sum(&numbers, &runs, &weights, outputs, &mut sums);
                assert_eq!(sums, expected);
            }
        }
    }

    /// Sums of 3 rows of 5 weights each for 336 columns, five of which use an infinite number.
    fn check_shifted<const LANES: usize>() {
        let runs =
            Runs { channels: 1, rows: 3, taps: 5, step: 1, channel_pitch: 1200, row_pitch: 400, phase_pitch: 400 };
        let mut numbers: Vec<f32> = (0..1200).map(|number| ((number * 37) % 19) as f32 - 9.0).collect();
        numbers[170] = f32::INFINITY;
        let weights: Vec<f32> = (0..15).map(|weight| ((weight * 11) % 7) as f32 - 2.5).collect();
        let each = shifted_weights(LANES, 5);
        let mut shifted = vec![f32::NAN; 3 * each];
        for (weights, shifted) in weights.chunks(5).zip(shifted.chunks_exact_mut(each)) {
            shift_weights(LANES, weights.iter().copied(), shifted);
        }
        let sum = |column: usize| -> f32 {
            (0..15).map(|weight| numbers[weight / 5 * 400 + weight % 5 + column] * weights[weight]).sum()
        };
        let mut sums = vec![1.0; 336];
        shifted_columns::<f32, LANES>(&numbers, &runs, &shifted, &mut sums);
        assert_eq!(sums, (0..336).map(|column| 1.0 + sum(column)).collect::<Vec<_>>(), "{LANES} lanes");
    }

    #[test]
    fn shifted_weights_give_the_same_sums() {
        check_shifted::<2>();
        check_shifted::<4>();
        check_shifted::<8>();
        check_shifted::<16>();
    }
}
