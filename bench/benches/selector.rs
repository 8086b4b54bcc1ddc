//! What a choice costs: the ranking of eight devices among a thousand known kernels, telling what a call took, and
//! learning from it. `cargo bench -p pointsman-bench --bench selector`
#![allow(missing_docs, clippy::unwrap_used, reason = "criterion's macros write public items")]
#![allow(clippy::print_stdout, reason = "it prints its table")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use pointsman::DeviceKind;
use pointsman::selector::{
    Arm, ArmSet, Curve, KernelStats, Observation, Profile, Selector, SelectorOptions, Size, Workload,
};
use pointsman_device::clock::FastInstant;
use std::hint::black_box;
use std::sync::Arc;

const KERNELS: usize = 1000;
const DEVICES: usize = 8;
/// Observations that are learned from at once.
const BATCH: usize = 256;
const SIZES: usize = 12;

/// Numbers in no order, the same each time.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

fn size(number: usize) -> Size {
    Size::host(1000 << (number % SIZES))
}

/// A measured profile has curves of some points.
fn profile(number: usize) -> Profile {
    let kind = if number == 0 { DeviceKind::Cpu } else { DeviceKind::Cuda };
    let guess = Profile::guess(kind, 8 + 16 * number);
    let bent = |curve: &Curve| {
        let points = (8..34u32).step_by(2).map(|octave| {
            let bytes = f64::from(octave).exp2();
            (bytes, curve.each(bytes) * (1.0 + 0.02 * f64::from(octave)))
        });
        Curve::new(points)
    };
    Profile { read: bent(&guess.read), write: bent(&guess.write), measured: true, spread: 0.35, ..guess }
}

fn workload(key: usize) -> Workload {
    let per_row = 4.0 * (key % 6 + 1) as f64;
    Workload {
        key: key as u128 * 0x9e37_79b9_7f4a_7c15,
        read_per_row: per_row,
        written_per_row: 4.0,
        input_per_row: per_row,
        output_per_row: 4.0,
        operations: [(key % 9) as f64, 2.0, 0.0, 0.0, 0.0],
        launches: 1,
        ..Workload::default()
    }
}

/// A selector among eight devices that ran a thousand kernels of a dozen sizes before.
fn trained() -> (Selector, Vec<Arc<KernelStats>>) {
    let arms = (0..DEVICES).map(|number| Arm::new(&format!("device {number}"), profile(number))).collect();
    let options = SelectorOptions { learns_in_background: false, ..SelectorOptions::default() };
    let selector = Selector::new(arms, options).unwrap();
    let known: Vec<Arc<KernelStats>> = (0..KERNELS).map(|key| selector.register(&workload(key), ArmSet::ALL)).collect();
    let mut draws = Draws(1);
    for known in &known {
        for number in 0..12 * SIZES {
            let rank = selector.rank(known, size(number), ArmSet::NONE);
            let took = 300 + size(number).rows * (9 + draws.below(3) as u64) / (10 * (1 + rank.first() as u64));
            selector.observe(Observation::of(known, size(number), rank, took));
        }
        selector.learn_now();
    }
    (selector, known)
}

/// The part of these that are shorter than the one returned.
fn part(sorted: &[u64], part: f64) -> u64 {
    sorted[((sorted.len() - 1) as f64 * part) as usize]
}

/// Median and 99 in 100 of single calls, in nanoseconds, by the processor's counter.
fn single(what: &str, calls: usize, mut call: impl FnMut(usize)) {
    let mut times: Vec<u64> = (0..calls)
        .map(|number| {
            let start = FastInstant::now();
            call(number);
            FastInstant::now().since(start)
        })
        .collect();
    times.sort_unstable();
    println!("{what}: median {} ns, p99 {} ns of {calls} single calls", part(&times, 0.5), part(&times, 0.99));
}

/// Which kernels and sizes are asked for, one behind the other.
fn order(calls: usize, kernels: usize) -> Vec<(usize, usize)> {
    let mut draws = Draws(7);
    (0..calls).map(|_| (draws.below(kernels), draws.below(SIZES))).collect()
}

fn ranking(criterion: &mut Criterion) {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let calls = if is_test { 1000 } else { 200_000 };
    let (selector, known) = trained();
    single("the clock alone", calls, |_| ());
    let mut group = criterion.benchmark_group("rank, 8 devices, 1,000 kernels");
    for (what, kernels) in [("one kernel", 1), ("any kernel", KERNELS)] {
        let order = order(calls, kernels);
        let rank = |number: usize| {
            let (kernel, of) = order[number % order.len()];
            black_box(selector.rank(black_box(&known[kernel]), size(of), ArmSet::NONE));
        };
        single(what, calls, rank);
        let mut number = 0;
        group.bench_function(what, |b| {
            b.iter(|| {
                number += 1;
                rank(number);
            });
        });
    }
    group.finish();
}

fn telling(criterion: &mut Criterion) {
    let arms = (0..DEVICES).map(|number| Arm::new(&format!("device {number}"), profile(number))).collect();
    let options = SelectorOptions { learns_in_background: false, ..SelectorOptions::default() };
    let selector = Selector::new(arms, options).unwrap();
    let known = selector.register(&workload(3), ArmSet::ALL);
    let rank = selector.rank(&known, size(3), ArmSet::NONE);
    let mut group = criterion.benchmark_group("observe, on the caller");
    group.throughput(Throughput::Elements(BATCH as u64));
    group.bench_function("256 calls", |b| {
        let tell = |()| {
            for _ in 0..BATCH {
                selector.observe(Observation::of(black_box(&known), size(3), rank, 10_000));
            }
        };
        b.iter_batched(|| selector.reset(), tell, BatchSize::PerIteration);
    });
    group.finish();
}

fn learning(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("learn, 8 devices, 1,000 kernels");
    group.throughput(Throughput::Elements(BATCH as u64));
    let cases = [("256 calls of one kernel", 1), ("256 calls of 20 kernels", 20), ("256 calls of any kernel", KERNELS)];
    for (what, kernels) in cases {
        let (selector, known) = trained();
        let mut draws = Draws(3);
        let mut observe = || {
            for _ in 0..BATCH {
                let (kernel, of) = (draws.below(kernels), draws.below(SIZES));
                let rank = selector.rank(&known[kernel], size(of), ArmSet::NONE);
                let took = 300 + size(of).rows * (9 + draws.below(3) as u64) / (10 * (1 + rank.first() as u64));
                selector.observe(Observation::of(&known[kernel], size(of), rank, took));
            }
        };
        group.bench_function(what, |b| {
            b.iter_batched(&mut observe, |()| selector.learn_now(), BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, ranking, telling, learning);
criterion_main!(benches);
