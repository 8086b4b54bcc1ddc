//! What the benchmarks share: data that is the same every time, and the plain speed of this machine's memory.

#![forbid(unsafe_code)]

pub mod resident;
pub mod selector;
pub mod works;

/// `rows` numbers between 0 and 100 in no particular order, the same every time.
pub fn prices(rows: usize) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32 * 100.0
    };
    (0..rows).map(|_| next()).collect()
}

/// How many threads the plain copy and the plain read use: all there are.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A plain copy, by all threads: the limit of a map.
pub fn copy<T: Copy + Send + Sync>(from: &[T], to: &mut [T]) {
    let part = from.len().div_ceil(threads()).max(1);
    std::thread::scope(|scope| {
        for (from, to) in from.chunks(part).zip(to.chunks_mut(part)) {
            scope.spawn(|| to.copy_from_slice(from));
        }
    });
}

/// A plain read, by all threads: the limit of a fold. The sum keeps it from being left out.
pub fn read<T: Copy + Send + Sync>(from: &[T], bits: impl Fn(&T) -> u64 + Sync) -> u64 {
    let part = from.len().div_ceil(threads()).max(1);
    let sum = |part: &[T]| part.iter().fold(0u64, |sum, x| sum.wrapping_add(bits(x)));
    std::thread::scope(|scope| {
        let sum = &sum;
        let parts: Vec<_> = from.chunks(part).map(|part| scope.spawn(move || sum(part))).collect();
        parts.into_iter().map(|part| part.join().unwrap_or_default()).fold(0, u64::wrapping_add)
    })
}
