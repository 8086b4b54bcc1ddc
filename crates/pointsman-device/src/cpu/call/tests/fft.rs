//! Tests of Fourier transforms.

use super::super::{CallProgram, CallThreads, Float, FloatType, NoMemory};
use super::{Random, check, double, run_on_all, unit};
use pointsman_ir::kernel::Call;
use pointsman_ir::kernel::call::{Fft, Transform};
use std::f64::consts::PI;

const TRANSFORMS: [Transform; 4] =
    [Transform::Forward, Transform::Inverse, Transform::RealForward, Transform::RealInverse];

fn whole(transform: Transform, outer: u64, length: u64) -> Fft {
    let all = Fft { transform, outer, length, given: 1, kept: 1 };
    let [given, kept] = all.whole();
    Fft { given, kept, ..all }
}

#[test]
fn short_transforms_are_within_their_bounds() {
    let random = &mut Random(11);
    for length in [1, 2, 3, 7, 63, 64, 65, 255, 256, 257, 1000] {
        for transform in TRANSFORMS {
            let all = whole(transform, 1, length);
            let part = Fft { given: random.within(1..=all.given), kept: random.within(1..=all.kept), ..all };
            for fft in [all, part] {
                let chunks = if length > 100 { 2 } else { 300 };
                check::<f32>(&Call::Fft(fft), chunks, random);
                check::<f64>(&Call::Fft(fft), chunks, random);
            }
        }
    }
    for length in [4095, 4096, 4097] {
        let fft = whole(random.pick(&TRANSFORMS), 1, length);
        check::<f64>(&Call::Fft(fft), 1, random);
    }
}

#[test]
fn transforms_of_two_dimensions_are_within_their_bounds() {
    let random = &mut Random(12);
    for (outer, length) in [(2, 1), (3, 2), (2, 7), (16, 16), (31, 20), (7, 65), (64, 9), (40, 41)] {
        for transform in TRANSFORMS {
            let fft = Call::Fft(whole(transform, outer, length));
            check::<f32>(&fft, 3, random);
            check::<f64>(&fft, 3, random);
        }
    }
}

/// The floats of an input as complex numbers of a whole transform.
fn whole_numbers<T: Float>(fft: &Fft, input: &[T]) -> Vec<[f64; 2]> {
    let (length, width, rows) = (fft.length as usize, fft.given as usize, fft.outer as usize);
    let number = |row: usize, column: usize| {
        if column >= width {
            return [0.0; 2];
        }
        let place = row * width + column;
        match fft.transform {
            Transform::RealForward => [double(input[place]), 0.0],
            Transform::Forward | Transform::Inverse | Transform::RealInverse => {
                [double(input[2 * place]), double(input[2 * place + 1])]
            }
        }
    };
    let places = (0..rows * length).map(|place| (place / length, place % length));
    let numbers = places.map(|(row, column)| match fft.transform {
        Transform::RealInverse if 2 * column > length => {
            let [re, im] = number((rows - row) % rows, length - column);
            [re, -im]
        }
        Transform::RealInverse if rows == 1 && (column == 0 || 2 * column == length) => [number(row, column)[0], 0.0],
        Transform::Forward | Transform::Inverse | Transform::RealForward | Transform::RealInverse => {
            number(row, column)
        }
    });
    numbers.collect()
}

/// Compares some results of a long transform with their sums.
fn check_some<T: Float>(fft: &Fft, random: &mut Random) {
    let input: Vec<T> = random.floats(2 * Call::Fft(*fft).rows_in());
    let output = run_on_all(&Call::Fft(*fft), &input, &[]);
    let chunk = input.len() / 2;
    let [rows, length, kept] = [fft.outer, fft.length, fft.kept].map(|size| size as usize);
    let numbers = whole_numbers(fft, &input[chunk..]);
    let count = numbers.len() as f64;
    let (sign, scale) = match fft.transform {
        Transform::Forward | Transform::RealForward => (-1.0, 1.0),
        Transform::Inverse | Transform::RealInverse => (1.0, 1.0 / count),
    };
    let norm = numbers.iter().map(|[re, im]| re * re + im * im).sum::<f64>().sqrt();
    // Far below the interpreter's bound, which is for the worst case.
    let bound = 4.0 * unit::<T>() * (count.log2() + 2.0) * norm * scale + 1e-15 * norm * scale * 10.0;
    for trial in 0..24 {
        let last = rows * kept - 1;
        let place =
            [0, 1, last, last - 1, last / 2].get(trial).copied().unwrap_or(random.bits() as usize % (rows * kept));
        let (row, column) = (place / kept, place % kept);
        let [mut sum, mut lost] = [[0.0_f64; 2]; 2];
        for (number, [re, im]) in numbers.iter().enumerate() {
            let down = (row as u128 * (number / length) as u128 % rows as u128) as f64 / rows as f64;
            let across = (column as u128 * (number % length) as u128 % length as u128) as f64 / length as f64;
            let (sin, cos) = (sign * 2.0 * PI * ((down + across) % 1.0)).sin_cos();
            for (part, term) in [re * cos - im * sin, re * sin + im * cos].into_iter().enumerate() {
                // Neumaier's sum: the reference must be better than the transform.
                let next = sum[part] + term;
                lost[part] +=
                    if sum[part].abs() >= term.abs() { sum[part] - next + term } else { term - next + sum[part] };
                sum[part] = next;
            }
        }
        let results = &output[output.len() / 2..];
        let parts = fft.numbers()[1].rows() as usize;
        for part in 0..parts {
            let off = (double(results[parts * place + part]) - (sum[part] + lost[part]) * scale).abs();
            assert!(off <= bound, "{fft}: part {part} of {place} is off by {off:e}, more than {bound:e}");
        }
    }
}

#[test]
fn long_transforms_are_within_their_bounds() {
    let random = &mut Random(13);
    for length in [50_001, 65_536, 65_537, 100_002, 100_003, 2 * 70_001, 140_002, 300_000, 1 << 18] {
        for transform in TRANSFORMS {
            let all = whole(transform, 1, length);
            check_some::<f64>(&all, random);
            let part = Fft { given: random.within(1..=all.given), kept: random.within(3..=all.kept), ..all };
            check_some::<f32>(&part, random);
        }
    }
}

#[test]
fn long_transforms_of_two_dimensions_are_within_their_bounds() {
    let random = &mut Random(14);
    for (outer, length) in [(70_000, 3), (65_543, 2), (3, 140_000), (300, 257)] {
        for transform in TRANSFORMS {
            check_some::<f64>(&whole(transform, outer, length), random);
            check_some::<f32>(&whole(transform, outer, length), random);
        }
    }
}

#[test]
fn numbers_that_are_not_finite_stay_in_their_chunk() {
    let random = &mut Random(15);
    for (outer, length) in [(1, 64), (8, 8), (1, 140_000), (200, 3)] {
        for transform in TRANSFORMS {
            let call = Call::Fft(whole(transform, outer, length));
            let mut input: Vec<f64> = random.floats(3 * call.rows_in());
            let chunk = call.rows_in() as usize;
            input[chunk] = f64::NAN;
            let output = run_on_all(&call, &input, &[]);
            let chunk = call.rows_out() as usize;
            assert!(output[..chunk].iter().chain(&output[2 * chunk..]).all(|result| result.is_finite()), "{call}");
        }
    }
}

#[test]
fn transforms_with_too_little_scratch_memory_fail() {
    let call = Call::Fft(Fft { transform: Transform::Forward, outer: 1, length: 1 << 30, given: 1, kept: 1 });
    assert_eq!(call.mistake(), None);
    let program = CallProgram::new(call, FloatType::F64).unwrap();
    assert!(program.scratch_bytes(1, 1) >= 16 << 30);
    let threads = CallThreads {
        threads: 1,
        fork: &|tasks, task| (0..tasks).for_each(task),
        should_continue: &|| true,
        rows_done: &|_| {},
    };
    assert_eq!(program.run(&[1.0, 0.0], &[], &mut [0.0, 0.0], &mut [0; 1 << 16], &threads), Err(NoMemory));
}
