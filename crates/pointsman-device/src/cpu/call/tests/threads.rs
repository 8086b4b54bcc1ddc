//! Tests of requests to stop.

use super::super::{CallProgram, CallThreads, FloatType};
use super::Random;
use crate::host::HostBuffer;
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
        let input: Vec<f64> = random.floats(call.rows_in());
        let table: Vec<f64> = random.floats(call.table_rows(1));
        let mut output = vec![0.0; call.rows_out() as usize];
        let mut stop_after = |limit: u64| {
            // A first run also makes tables.
            let program = CallProgram::new(call, FloatType::F64).unwrap();
            let mut scratch = vec![0; program.scratch_bytes(1, 1) as usize];
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

/// The bytes of this memory, which is mapped, that the system has provided.
#[cfg(target_os = "linux")]
fn provided_bytes(memory: &std::ops::Range<usize>) -> usize {
    const PAGE: usize = 4096;
    let start = memory.start.next_multiple_of(PAGE);
    let pages = memory.end.saturating_sub(start) / PAGE;
    let mut provided = vec![0u8; pages];
    // SAFETY: the call reads no memory of these pages, and there is a byte for each of them.
    let failed = unsafe { libc::mincore(std::ptr::without_provenance_mut(start), pages * PAGE, provided.as_mut_ptr()) };
    assert_eq!(failed, 0, "the pages are mapped");
    provided.iter().filter(|&&page| page & 1 == 1).count() * PAGE
}

/// The first run of a call writes to memory that the system has yet to provide, which takes long. Between two questions whether
/// to continue, it writes to little of it.
#[cfg(target_os = "linux")]
#[test]
fn calls_ask_between_parts_of_fresh_memory() {
    const FRESH_MAX: usize = 20 << 20;
    let convolve = Convolve { method: Method::Transform, ..Convolve::line(5_000_000, 70_000) };
    let product = Matmul { operand: RightOperand::Shared, ..Matmul::real(512, 1, 1 << 15) };
    for call in [Fft::forward(1 << 22).into(), Fft::real_forward(1 << 23).into(), Call::from(product), convolve.into()]
    {
        let random = &mut Random(32);
        let program = CallProgram::new(call, FloatType::F64).unwrap();
        let input: Vec<f64> = random.floats(call.rows_in());
        let table: Vec<f64> = random.floats(call.table_rows(1));
        // Fresh pages, huge ones if the system has them.
        let mut output = HostBuffer::zeroed(call.rows_out() as usize * size_of::<f64>());
        let mut scratch = HostBuffer::zeroed(program.scratch_bytes(1, 1) as usize);
        let addresses = |bytes: &[u8]| bytes.as_ptr().addr()..bytes.as_ptr().addr() + bytes.len();
        let memory = [addresses(&output), addresses(&scratch)];
        let provided = || memory.iter().map(provided_bytes).sum::<usize>();
        let largest = std::sync::Mutex::new([0, provided()]);
        let should_continue = || {
            let mut largest = largest.lock().unwrap();
            let provided = provided();
            *largest = [largest[0].max(provided - largest[1]), provided];
            true
        };
        let threads = CallThreads {
            threads: 1,
            fork: &|tasks, task| (0..tasks).for_each(task),
            should_continue: &should_continue,
            rows_done: &|_| {},
        };
        program.run(&input, &table, bytemuck::cast_slice_mut(&mut output), &mut scratch, &threads).unwrap();
        let [fresh, provided] = largest.into_inner().unwrap();
        assert!(provided > 2 * FRESH_MAX, "{call}: {provided} bytes of fresh memory");
        assert!(fresh <= FRESH_MAX, "{call}: {fresh} bytes of fresh memory without a question");
    }
}
