//! Tests of requests to stop.

use super::super::{CallProgram, CallThreads, FloatType};
use super::Random;
use pointsman_ir::kernel::Call;
use pointsman_ir::kernel::call::{Convolve, Direction, Fft, Matmul, Method, Numbers, RightOperand, Storage, Transform};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn calls() -> [Call; 7] {
    let product = Matmul {
        numbers: Numbers::Real,
        rows: 600,
        inner: 3000,
        columns: 500,
        left: Storage::Rows,
        right: Storage::Columns,
        operand: RightOperand::Shared,
    };
    let fft = |length, outer| Fft { transform: Transform::Forward, outer, length, given: length, kept: length };
    let sum = Convolve {
        method: Method::Sum,
        direction: Direction::Convolution,
        channels_in: 1,
        channels_out: 1,
        input: [1, 100_000],
        weights: [1, 5_000],
        padding: [[0, 0], [0, 0]],
        stride: [1, 1],
    };
    let transform = Convolve { method: Method::Transform, ..sum };
    [
        Call::Matmul(product),
        Call::Fft(fft(1 << 20, 1)),
        Call::Fft(fft(100_003, 1)),
        Call::Fft(fft(1000, 1000)),
        Call::Convolve(sum),
        Call::Convolve(transform),
        Call::Convolve(Convolve { weights: [1, 90_000], ..transform }),
    ]
}

#[test]
fn calls_ask_often_and_stop_when_told_to() {
    for call in calls() {
        let random = &mut Random(31);
        let program = CallProgram::new(call, FloatType::F64).unwrap();
        let input: Vec<f64> = random.floats(call.rows_in());
        let table: Vec<f64> = random.floats(call.table_rows(1));
        let mut output = vec![0.0; call.rows_out() as usize];
        let mut scratch = vec![0; program.scratch_bytes(1, 1) as usize];
        let mut stop_after = |limit: u64| {
            let (asked, last) = (AtomicU64::new(0), std::sync::Mutex::new((Instant::now(), Duration::ZERO)));
            let should_continue = || {
                let mut last = last.lock().unwrap();
                last.1 = last.1.max(last.0.elapsed());
                last.0 = Instant::now();
                asked.fetch_add(1, Ordering::Relaxed) < limit
            };
            let threads = CallThreads {
                threads: 1,
                fork: &|tasks, task| (0..tasks).for_each(task),
                should_continue: &should_continue,
                rows_done: &|_| {},
            };
            program.run(&input, &table, &mut output, &mut scratch, &threads).unwrap();
            let longest = last.lock().unwrap().1;
            (asked.into_inner(), longest)
        };
        let (asked, longest) = stop_after(u64::MAX);
        // The processor may be busy with other work, and this may be an unoptimised build.
        assert!(longest < Duration::from_millis(500), "{call}: {longest:?} without a question");
        assert!(asked > 3, "{call}");
        for limit in [0, 1, asked / 2] {
            let (again, _) = stop_after(limit);
            assert!(again <= limit + 4, "{call}: {again} questions, {limit} of them answered with yes");
        }
    }
}
