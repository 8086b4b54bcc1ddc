//! Tests of convolutions.

use super::super::Float;
use super::{Random, check, check_numbers, double, run_on_all, unit};
use pointsman_ir::kernel::Call;
use pointsman_ir::kernel::call::{Convolve, Direction, Method};

const METHODS: [Method; 2] = [Method::Sum, Method::Transform];

fn one_dimension(method: Method, numbers: u64, weights: u64, padding: [u64; 2]) -> Convolve {
    Convolve {
        method,
        direction: Direction::Convolution,
        channels_in: 1,
        channels_out: 1,
        input: [1, numbers],
        weights: [1, weights],
        padding: [[0, 0], padding],
        stride: [1, 1],
    }
}

#[test]
fn convolutions_of_all_sizes_are_within_their_bounds() {
    let random = &mut Random(21);
    for numbers in [1, 2, 3, 7, 63, 64, 65, 255, 256, 257, 1000, 4095, 4096, 4097, 65_537] {
        for weights in [1, 2, 3, 7, 64, 257, 1500] {
            for method in METHODS {
                if numbers * weights > 10_000_000 {
                    continue;
                }
                let call = Call::Convolve(one_dimension(method, numbers, weights, [weights - 1; 2]));
                check::<f32>(&call, 1, random);
                check::<f64>(&call, 2, random);
            }
        }
    }
}

fn random_convolution(random: &mut Random) -> Convolve {
    loop {
        let call = Convolve {
            method: random.pick(&METHODS),
            direction: random.pick(&[Direction::Convolution, Direction::Correlation]),
            channels_in: random.within(1..=9),
            channels_out: random.within(1..=9),
            input: [random.within(1..=20), random.within(1..=70)],
            weights: [random.within(1..=6), random.within(1..=9)],
            padding: [[random.within(0..=7), random.within(0..=3)], [random.within(0..=3), random.within(0..=12)]],
            stride: [random.within(1..=3), random.within(1..=11)],
        };
        if Call::Convolve(call).mistake().is_none() {
            return call;
        }
    }
}

#[test]
fn random_convolutions_are_within_their_bounds() {
    let random = &mut Random(22);
    for _ in 0..300 {
        let call = Call::Convolve(random_convolution(random));
        let chunks = random.within(0..=3);
        check::<f32>(&call, chunks, random);
        check::<f64>(&call, chunks, random);
    }
}

#[test]
fn weights_beyond_a_patch_are_summed_in_groups() {
    let random = &mut Random(23);
    let base = one_dimension(Method::Sum, 300, 1, [0, 0]);
    let many_channels = Convolve { channels_in: 700, channels_out: 5, weights: [1, 9], ..base };
    let many_rows = Convolve { input: [300, 40], weights: [280, 5], channels_in: 2, padding: [[5, 5], [2, 2]], ..base };
    let long_rows =
        Convolve { input: [1, 6000], weights: [1, 5000], stride: [1, 3], padding: [[0, 0], [1000, 0]], ..base };
    for call in [many_channels, many_rows, long_rows] {
        check::<f32>(&Call::Convolve(call), 2, random);
        check::<f64>(&Call::Convolve(call), 1, random);
    }
}

#[test]
fn long_rows_of_weights_are_within_their_bounds() {
    let random = &mut Random(28);
    let base = one_dimension(Method::Sum, 300, 40, [3, 30]);
    let plane = Convolve { input: [9, 300], weights: [4, 50], channels_in: 3, padding: [[1, 2], [20, 0]], ..base };
    let many_channels = Convolve { channels_in: 900, ..base };
    let two_groups = Convolve { input: [1, 3000], weights: [1, 1100], padding: [[0, 0], [9, 1099]], ..base };
    let correlation = Convolve { direction: Direction::Correlation, stride: [2, 1], ..plane };
    for call in [base, plane, many_channels, two_groups, correlation].map(Call::Convolve) {
        check::<f32>(&call, 2, random);
        let mut input: Vec<f64> = random.floats(2 * call.rows_in());
        let place = random.bits() as usize % input.len();
        input[place] = random.pick(&[f64::NAN, f64::INFINITY]);
        check_numbers(&call, &input, &random.floats(call.table_rows(2)));
    }
}

/// Compares some results of a long convolution with their sums.
fn check_some<T: Float>(call: &Convolve, random: &mut Random) {
    let input: Vec<T> = random.floats(Call::Convolve(*call).rows_in());
    let weights: Vec<T> = random.floats(call.weights[1]);
    let output = run_on_all(&Call::Convolve(*call), &input, &weights);
    let norm = |numbers: &[T]| numbers.iter().map(|&number| double(number) * double(number)).sum::<f64>().sqrt();
    let bound = 12.0 * unit::<T>() * (input.len() as f64).log2() * norm(&input) * norm(&weights);
    for trial in 0..200 {
        let place = if trial == 0 { output.len() - 1 } else { random.bits() as usize % output.len() };
        let products = weights.iter().enumerate().map(|(number, &weight)| {
            let place = (place + weights.len() - 1 - number).wrapping_sub(call.padding[1][0] as usize);
            input.get(place).map_or(0.0, |&number| double(number) * double(weight))
        });
        let off = (products.sum::<f64>() - double(output[place])).abs();
        assert!(off <= bound, "{call}: result {place} is off by {off:e}, more than {bound:e}");
    }
}

#[test]
fn long_convolutions_are_within_their_bounds() {
    let random = &mut Random(24);
    for method in METHODS {
        check_some::<f32>(&one_dimension(method, 300_000, 65, [64, 64]), random);
        check_some::<f64>(&one_dimension(method, 300_000, 65, [0, 64]), random);
    }
    for [numbers, weights] in [[200_000, 30_000], [300_000, 100_000], [400_000, 9_000]] {
        check_some::<f32>(&one_dimension(Method::Transform, numbers, weights, [weights - 1, weights - 1]), random);
        check_some::<f64>(&one_dimension(Method::Transform, numbers, weights, [weights - 1, 0]), random);
    }
}

#[test]
fn long_convolutions_of_channels_are_within_their_bounds() {
    let random = &mut Random(25);
    let call = one_dimension(Method::Transform, 150_000, 70_000, [5, 9]);
    check::<f64>(&Call::Convolve(Convolve { channels_in: 2, channels_out: 2, stride: [1, 9_973], ..call }), 2, random);
}

#[test]
fn infinite_weights_meet_no_padding() {
    let random = &mut Random(26);
    for _ in 0..60 {
        let call = Call::Convolve(Convolve { method: Method::Sum, ..random_convolution(random) });
        let mut weights: Vec<f64> = random.floats(call.table_rows(2));
        let place = random.bits() as usize % weights.len();
        weights[place] = f64::INFINITY;
        let input: Vec<f64> = random.floats(2 * call.rows_in());
        check_numbers(&call, &input, &weights);
    }
}

#[test]
fn numbers_that_are_not_finite_reach_the_results_that_use_them() {
    let random = &mut Random(27);
    for _ in 0..60 {
        let call = Call::Convolve(random_convolution(random));
        let mut input: Vec<f32> = random.floats(3 * call.rows_in());
        let place = random.bits() as usize % input.len();
        input[place] = random.pick(&[f32::NAN, f32::INFINITY]);
        check_numbers(&call, &input, &random.floats(call.table_rows(3)));
    }
}
