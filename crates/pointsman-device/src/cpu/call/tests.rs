//! Tests of calls against the interpreter and against sums taken in doubles, on one to four threads.
#![allow(clippy::unwrap_used)]

mod convolve;
mod fft;
mod matmul;
mod threads;

use super::{CallProgram, CallThreads, Float, FloatType};
use pointsman_ir::interpret::call::{CallResult, compute};
use pointsman_ir::kernel::Call;
use std::sync::atomic::{AtomicU64, Ordering};

/// Pseudo-random numbers (xorshift64*).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number of this range.
    pub(super) fn within(&mut self, range: std::ops::RangeInclusive<u64>) -> u64 {
        range.start() + self.bits() % (range.end() - range.start() + 1)
    }

    pub(super) fn pick<V: Copy>(&mut self, values: &[V]) -> V {
        values[self.bits() as usize % values.len()]
    }

    /// A float between −1 and 1.
    pub(super) fn float<T: Float>(&mut self) -> T {
        T::rounded((self.bits() >> 40) as f64 / f64::from(1 << 23) - 1.0)
    }

    pub(super) fn floats<T: Float>(&mut self, count: u64) -> Vec<T> {
        (0..count).map(|_| self.float()).collect()
    }
}

pub(super) fn float_type<T: Float>() -> FloatType {
    if size_of::<T>() == 4 { FloatType::F32 } else { FloatType::F64 }
}

/// Half the distance from 1 to the next number.
pub(super) fn unit<T: Float>() -> f64 {
    if size_of::<T>() == 4 { f64::from(f32::EPSILON) / 2.0 } else { f64::EPSILON / 2.0 }
}

pub(super) fn double<T: Float>(value: T) -> f64 {
    if size_of::<T>() == 4 { bytemuck::cast::<T, f32>(value).into() } else { bytemuck::cast(value) }
}

/// Runs a call on scoped threads. Every result is written, and every row counted once.
pub(super) fn run<T: Float>(program: &CallProgram, input: &[T], table: &[T], threads: usize) -> Vec<T> {
    let chunks = input.len() as u64 / program.call.rows_in();
    let mut output = vec![T::rounded(f64::NAN); (chunks * program.call.rows_out()) as usize];
    let rows = AtomicU64::new(0);
    let fork = |tasks: usize, task: &(dyn Fn(usize) + Sync)| {
        std::thread::scope(|scope| {
            (0..tasks).for_each(|number| _ = scope.spawn(move || task(number)));
        });
    };
    let threads = CallThreads {
        threads,
        fork: &fork,
        should_continue: &|| true,
        rows_done: &|done| _ = rows.fetch_add(done, Ordering::Relaxed),
    };
    let mut scratch = vec![0xFF; program.scratch_bytes(chunks, threads.threads) as usize];
    program.run(input, table, &mut output, &mut scratch, &threads).unwrap();
    assert_eq!(rows.into_inner(), input.len() as u64, "{}", program.call);
    output
}

/// Runs a call on one to four threads; the results are the same.
pub(super) fn run_on_all<T: Float>(call: &Call, input: &[T], table: &[T]) -> Vec<T> {
    assert_eq!(call.mistake(), None);
    let program = CallProgram::new(*call, float_type::<T>()).unwrap();
    let output = run(&program, input, table, 1);
    for threads in 2..=4 {
        let bytes = |floats: &[T]| bytemuck::cast_slice::<T, u8>(floats).to_vec();
        assert!(bytes(&run(&program, input, table, threads)) == bytes(&output), "{call} on {threads} threads");
    }
    output
}

/// Asserts that a call's results are within the interpreter's bounds.
pub(super) fn assert_within<T: Float>(call: &Call, output: &[T], expected: &[CallResult]) {
    assert_eq!(output.len(), expected.len(), "{call}");
    for (place, (result, expected)) in output.iter().zip(expected).enumerate() {
        let off = (double(*result) - expected.value).abs();
        // The interpreter's own rounding is that of doubles.
        let bound = expected.error * 1.01 + f64::from(f32::MIN_POSITIVE);
        assert!(
            expected.error == f64::INFINITY || off <= bound,
            "{call}: result {place} is {result:?}, not {expected:?}"
        );
    }
}

/// Compares a call over random numbers with the interpreter.
pub(super) fn check<T: Float>(call: &Call, chunks: u64, random: &mut Random) {
    let input: Vec<T> = random.floats(chunks * call.rows_in());
    let table: Vec<T> = random.floats(call.table_rows(chunks));
    check_numbers(call, &input, &table);
}

/// Compares a call with the interpreter.
pub(super) fn check_numbers<T: Float>(call: &Call, input: &[T], table: &[T]) {
    let output = run_on_all(call, input, table);
    let doubles = |floats: &[T]| floats.iter().map(|&float| double(float)).collect::<Vec<_>>();
    assert_within(call, &output, &compute(call, &doubles(input), &doubles(table), unit::<T>()));
}

#[test]
fn no_rows_give_no_results() {
    use pointsman_ir::kernel::call::{Fft, Transform};
    let call = Call::Fft(Fft { transform: Transform::Forward, outer: 1, length: 8, given: 8, kept: 8 });
    let program = CallProgram::new(call, FloatType::F32).unwrap();
    assert!(run::<f32>(&program, &[], &[], 2).is_empty());
}
