//! Functions of your own, one for each device: the selector learns which one finishes a call first, and falls back to
//! another if one fails.
//!
//! `cargo run --release --example own_functions`
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::DeviceKind;
use pointsman::selector::{Arm, ArmSet, Observation, Profile, Selector, SelectorOptions, Size, Workload};
use std::hint::black_box;
use std::time::Instant;

/// The sum of the squares of numbers, on one thread.
pub(crate) fn on_one_thread(numbers: &[f32]) -> f64 {
    numbers.iter().map(|x| f64::from(*x) * f64::from(*x)).sum()
}

/// The same on two threads, which takes some time to begin.
pub(crate) fn on_two_threads(numbers: &[f32]) -> f64 {
    let (first, second) = numbers.split_at(numbers.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| on_one_thread(second));
        on_one_thread(first) + other.join().unwrap_or(f64::NAN)
    })
}

/// Runs calls of a size, and returns how often each function was chosen.
pub(crate) fn run(numbers: &[f32], calls: usize) -> pointsman::Result<[usize; 2]> {
    let functions: [fn(&[f32]) -> f64; 2] = [on_one_thread, on_two_threads];
    let arms = vec![
        Arm::new("one thread", Profile::guess(DeviceKind::Cpu, 1)),
        Arm::new("two threads", Profile::guess(DeviceKind::Cpu, 2)),
    ];
    let selector = Selector::new(arms, SelectorOptions::default())?;
    let squares = Workload { key: 1, read_per_row: 4.0, input_per_row: 4.0, ..Workload::default() };
    let squares = selector.register(&squares, ArmSet::ALL);
    let (size, mut chosen) = (Size::host(numbers.len() as u64), [0; 2]);
    for _ in 0..calls {
        let rank = selector.rank(&squares, size, ArmSet::NONE);
        let start = Instant::now();
        black_box(functions[rank.first()](numbers));
        selector.observe(Observation::of(&squares, size, rank, start.elapsed().as_nanos() as u64));
        chosen[rank.first()] += 1;
    }
    Ok(chosen)
}

fn main() -> pointsman::Result<()> {
    for rows in [1_000, 100_000, 4_000_000] {
        let numbers = vec![1.5f32; rows];
        let [one, two] = run(&numbers, 200)?;
        println!("{rows:>9} numbers: {one:>3} calls on one thread, {two:>3} on two");
    }
    Ok(())
}
