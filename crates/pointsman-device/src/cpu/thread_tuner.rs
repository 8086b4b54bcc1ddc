//! [`ThreadTuner`]: learns from the launches of a program how many threads the next launch should use.
//!
//! For each bucket of row counts (powers of two) and each level of threads (1, 2, 4 … all) it stores the time per row.
//! A level that was never measured is estimated from the share of work of each thread and the cost of waking threads.
//! Estimates are optimistic, so a level that may be the best is tried, and measured from then on; now and then a
//! neighbour of the best level is tried, in case the machine has changed. Other processes can only make a launch
//! slower, never faster, so the minimum counts. A single launch that took longer than its estimate is not trusted.
//! Nor are the first two launches: the first one runs with cold caches. A lasting slowdown is accepted after many
//! launches.

use super::THREADS_MAX;
use crate::clock::FastInstant;
use pointsman_ir::kernel::{Estimate, Kernel};
use pointsman_ir::op::OpClass;
use std::sync::atomic::{AtomicU32, Ordering};

/// Launches of fewer rows (log2) are not timed: they measure the overhead of a launch, not its rows.
const TIMED_ROWS_LOG2: u32 = 11;
/// The number of buckets; the last one holds all larger launches.
const ROW_BUCKETS: usize = 21;
/// The number of levels: 1, 2, 4 … 1,024 threads.
const LEVELS: usize = THREADS_MAX.ilog2() as usize + 1;
/// The assumed cost of a byte of a row before any measurement, in nanoseconds.
const ASSUMED_BYTE_NANOSECONDS: f32 = 0.05;
/// The assumed cost of an operation of each class on one thread, in nanoseconds per row.
const fn assumed_operation(class: OpClass) -> f64 {
    match class {
        OpClass::Simple | OpClass::Multiply | OpClass::Convert => 0.06,
        OpClass::Divide => 0.4,
        OpClass::Elementary => 1.0,
    }
}
/// The weight of a slower launch in the stored time; a faster one replaces it.
const SLOWER_WEIGHT: f32 = 1.0 / 32.0;
/// A slower launch counts as at most this many times the stored time: it was preempted.
const SLOWER_TIMES_MAX: f32 = 4.0;
/// The times of the first launches of a bucket stay unconfirmed: in the first one code, memory and threads are cold.
const COLD_LAUNCHES: u32 = 2;
/// A level without measurements is assumed to be faster than its estimate by this factor.
const OPTIMISM: f32 = 0.8;
/// One launch in `EXPLORATION_PERIOD` tries a neighbour of the best level, if that level takes at most
/// `EXPLORATION_SLOWDOWN_MAX` times as long: this costs less than a hundredth of all time. Some of the first launches
/// also try a neighbour, whatever it took before, unless the launch takes `SHORT_NANOSECONDS`.
const EXPLORATION_PERIOD: u32 = 128;
const SHORT_NANOSECONDS: f32 = 200_000.0;
const EXPLORATION_SLOWDOWN_MAX: f32 = 2.0;
/// Each time a slower level is not tried, its stored time shrinks by this factor.
const DECAY: f32 = 0.9;
/// The minimum cost of a byte on one thread, in nanoseconds, for launches that exceed the thread's private cache, and
/// for those that exceed all caches: small launches say nothing about these.
const SHARED_CACHE_BYTE_NANOSECONDS: f32 = 0.02;
const MEMORY_BYTE_NANOSECONDS: f32 = 0.07;
/// If every thread has this much work, in nanoseconds, all threads are used without exploration: waking no longer
/// matters, and fewer threads would take long.
const ALL_THREADS_NANOSECONDS: f32 = 1_000_000.0;
/// Work that takes one thread less than this, in nanoseconds, stays on one thread, whatever waking costs.
const PARALLEL_NANOSECONDS_MIN: f32 = 1_000.0;

/// The resources that a launch may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct CpuResources {
    /// The number of threads.
    pub(super) threads: usize,
    /// The size of a thread's private cache and of the largest shared cache, in bytes.
    pub(super) caches: [usize; 2],
}

/// The best choice by what is known.
enum ThreadChoice {
    /// One thread.
    One,
    /// All threads, whatever waking costs.
    All,
    /// The threads of a level, with the expected nanoseconds.
    Level(usize, f32),
}

/// The measured speed of a program.
pub(super) struct ThreadTuner {
    row_bytes: usize,
    /// The assumed cost of a row's operations on one thread before any measurement, in nanoseconds.
    assumed_operations: f32,
    buckets: [RowBucket; ROW_BUCKETS],
}

/// The measurements of launches in one bucket: up to twice as many rows as its smallest launch.
#[derive(Default)]
struct RowBucket {
    /// Nanoseconds per row by level, as the bits of a float; 0: unknown, negative: measured once. If two launches end
    /// at the same time, one of their measurements may be lost.
    levels: [AtomicU32; LEVELS],
    launches: AtomicU32,
    /// Launches recorded, up to the number of cold ones.
    recorded: AtomicU32,
}

impl RowBucket {
    fn row_nanoseconds(&self, level: usize) -> Option<f32> {
        let bits = self.levels[level].load(Ordering::Relaxed);
        (bits != 0).then(|| f32::from_bits(bits).abs())
    }

    /// The time per row of a level that was measured more than once.
    fn confirmed(&self, level: usize) -> Option<f32> {
        Some(f32::from_bits(self.levels[level].load(Ordering::Relaxed))).filter(|each| *each > 0.0)
    }

    /// The cost of waking one more thread, as launches of `rows` rows on other levels show it; at least the measured
    /// wake-up time.
    fn observed_wake_cost(&self, level: usize, rows: f32, one: f32, measured: f32) -> f32 {
        let seen = |(level, each): (usize, f32)| (each * rows - one / (1u32 << level) as f32) / (level + 1) as f32;
        let others =
            (1..LEVELS).filter(|&other| other != level).filter_map(|other| Some((other, self.row_nanoseconds(other)?)));
        others.map(seen).reduce(f32::min).map_or(measured, |least| least.max(measured))
    }

    /// Whether a level that is not the best should be tried, where the best takes `least` per row: if it was never
    /// measured, or if little is lost. Otherwise its stored time decays a little.
    fn should_explore(&self, level: usize, least: f32) -> bool {
        match self.row_nanoseconds(level) {
            Some(each) if each > least * EXPLORATION_SLOWDOWN_MAX => {
                self.levels[level].store((each * DECAY).to_bits(), Ordering::Relaxed);
                false
            }
            Some(_) | None => true,
        }
    }
}

/// The level of a thread count: the next power of two.
fn level(threads: usize) -> usize {
    (threads.max(1).next_power_of_two().ilog2() as usize).min(LEVELS - 1)
}

/// The bucket of a row count.
fn bucket(rows: usize) -> usize {
    (rows.max(1).ilog2().saturating_sub(TIMED_ROWS_LOG2) as usize).min(ROW_BUCKETS - 1)
}

impl ThreadTuner {
    /// The tuner of a program that reads and writes `row_bytes` bytes per row.
    pub(super) fn new(row_bytes: usize) -> ThreadTuner {
        let buckets = std::array::from_fn(|_| RowBucket::default());
        ThreadTuner { row_bytes: row_bytes.max(1), assumed_operations: 0.0, buckets }
    }

    /// Adds the operations of a kernel's rows to what is assumed before any measurement.
    pub(super) fn with_operations_of(self, kernel: &Kernel) -> ThreadTuner {
        let operations = Estimate::of(kernel).ops_per_row;
        let assumed: f64 = operations.iter().map(|(class, count)| count * assumed_operation(*class)).sum();
        ThreadTuner { assumed_operations: assumed as f32, ..self }
    }

    /// The bytes that a row reads and writes, at least 1.
    pub(super) fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// The number of threads for a launch; `call` returns the time to wake a thread.
    pub(super) fn threads(&self, rows: usize, resources: CpuResources, call: impl FnOnce() -> u64) -> usize {
        let (best, least) = match self.best(rows, resources, call) {
            ThreadChoice::One => return 1,
            ThreadChoice::All => return resources.threads,
            ThreadChoice::Level(best, least) => (best, least),
        };
        let (own, threads, levels) = (&self.buckets[bucket(rows)], resources.threads, level(resources.threads) + 1);
        let launches = own.launches.fetch_add(1, Ordering::Relaxed);
        let is_early = launches.is_power_of_two();
        if !is_early && launches % EXPLORATION_PERIOD != EXPLORATION_PERIOD - 1 {
            return (1 << best).min(threads);
        }
        // Alternates between the two neighbours.
        let is_more = if is_early { launches.ilog2() } else { launches / EXPLORATION_PERIOD } % 2 == 0;
        let other = if is_more { best + 1 } else { best.wrapping_sub(1) };
        let is_short = is_early && least < SHORT_NANOSECONDS;
        let explores = other < levels && (is_short || own.should_explore(other, least / rows as f32));
        (1 << if explores { other } else { best }).min(threads)
    }

    /// The number of threads that is best by what is known, without exploration.
    pub(super) fn best_known(&self, rows: usize, resources: CpuResources, call: impl FnOnce() -> u64) -> usize {
        match self.best(rows, resources, call) {
            ThreadChoice::One => 1,
            ThreadChoice::All => resources.threads,
            ThreadChoice::Level(best, _) => (1 << best).min(resources.threads),
        }
    }

    /// The best choice for `rows` rows.
    fn best(&self, rows: usize, resources: CpuResources, call: impl FnOnce() -> u64) -> ThreadChoice {
        let at = bucket(rows);
        let one = self.single_thread(at, rows, resources.caches) * rows as f32;
        if resources.threads <= 1 || one < PARALLEL_NANOSECONDS_MIN {
            return ThreadChoice::One;
        }
        if one / resources.threads as f32 >= ALL_THREADS_NANOSECONDS {
            return ThreadChoice::All;
        }
        let (own, times, call) = (&self.buckets[at], rows as f32, call() as f32);
        let expected = |level: usize| {
            let guess = || self.estimate(at, level, one, own.observed_wake_cost(level, times, one, call));
            match (own.confirmed(level), own.row_nanoseconds(level)) {
                (Some(each), _) => each * times,
                (None, Some(once)) => guess().min(once * times),
                (None, None) => guess(),
            }
        };
        let all = (0..=level(resources.threads)).map(|level| (level, expected(level)));
        all.min_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(ThreadChoice::One, |(level, least)| ThreadChoice::Level(level, least))
    }

    /// Nanoseconds per row on one thread: from this bucket, or from the nearest one below, corrected for the caches; at
    /// most the time of a launch that was measured.
    fn single_thread(&self, at: usize, rows: usize, [own, all]: [usize; 2]) -> f32 {
        if let Some(each) = self.buckets[at].confirmed(0) {
            return each;
        }
        let row_bytes = self.row_bytes as f32;
        let below = self.buckets[..at].iter().rev().find_map(|bucket| bucket.confirmed(0));
        let least = match rows.saturating_mul(self.row_bytes) {
            bytes if bytes > all => MEMORY_BYTE_NANOSECONDS,
            bytes if bytes > own => SHARED_CACHE_BYTE_NANOSECONDS,
            _ => 0.0,
        };
        let assumed = self.assumed_operations.max(row_bytes * ASSUMED_BYTE_NANOSECONDS);
        let guess = below.unwrap_or(assumed).max(row_bytes * least);
        self.buckets[at].row_nanoseconds(0).map_or(guess, |once| once.min(guess))
    }

    /// The estimated nanoseconds on the threads of a level, from the time on one thread and the time to wake a thread.
    fn estimate(&self, at: usize, level: usize, one: f32, call: f32) -> f32 {
        if level == 0 {
            return one;
        }
        // Woken threads wake others, so one more wake-up time doubles the threads. The time is at least that of fewer
        // rows.
        let guess = one / (1u32 << level) as f32 + call * (level + 1) as f32;
        let below = at.checked_sub(1).and_then(|below| self.buckets[below].row_nanoseconds(level));
        let fewer = below.map_or(0.0, |each| each * (1u64 << (TIMED_ROWS_LOG2 as usize + at)) as f32 * 0.75);
        guess.max(fewer) * OPTIMISM
    }

    /// The start time of a launch that is worth timing.
    pub(super) fn start(&self, rows: usize) -> Option<FastInstant> {
        (rows >> TIMED_ROWS_LOG2 > 0).then(FastInstant::now)
    }

    /// Records a launch on `threads` threads that has just ended.
    pub(super) fn record(&self, start: Option<FastInstant>, rows: usize, threads: usize) {
        if let Some(start) = start {
            self.observe(rows, threads, FastInstant::now().since(start));
        }
    }

    fn observe(&self, rows: usize, threads: usize, nanoseconds: u64) {
        let (own, level) = (&self.buckets[bucket(rows)], level(threads));
        let (now, recorded) = (nanoseconds.max(1) as f32 / rows as f32, own.recorded.load(Ordering::Relaxed));
        if recorded < COLD_LAUNCHES {
            own.recorded.store(recorded + 1, Ordering::Relaxed);
        }
        let each = match own.row_nanoseconds(level) {
            None => -now,
            Some(before) if recorded < COLD_LAUNCHES => -before.min(now),
            Some(before) if own.confirmed(level).is_none() => before.min(now),
            Some(before) if now < before => now,
            Some(before) => before + SLOWER_WEIGHT * (now.min(before * SLOWER_TIMES_MAX) - before),
        };
        own.levels[level].store(each.to_bits(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resources(threads: usize) -> CpuResources {
        CpuResources { threads, caches: [1 << 20, 32 << 20] }
    }

    #[test]
    fn first_launch_of_long_rows_uses_all_threads() {
        let text =
            |op: &str| format!("kernel\ncolumns c0: f32\n  v0: f32 = column c0\n  v1: f32 = {op} v0\nsink store v1\n");
        let threads = |op: &str, rows: usize| {
            let kernel = pointsman_ir::kernel::parse::parse(&text(op)).expect("a kernel");
            let tuner = ThreadTuner::new(8).with_operations_of(&kernel);
            tuner.best_known(rows, resources(16), || 2_000)
        };
        assert_eq!(threads("neg", 2_000), 1, "a microsecond is not worth waking threads");
        assert!(threads("sin", 400_000) >= 8, "{}", threads("sin", 400_000));
    }

    /// Simulates a machine with the given cost per thread count: returns the thread count that the tuner converges to,
    /// and the best possible time as a share of the time spent.
    fn converge(threads: usize, rows: usize, cost: impl Fn(usize) -> f64, wake_nanoseconds: u64) -> (usize, f64) {
        let tuner = ThreadTuner::new(8);
        let mut spent = 0.0;
        let best = (0..=threads.ilog2()).map(|level| cost(1 << level)).fold(f64::INFINITY, f64::min);
        const LAUNCHES: usize = 2000;
        for _ in 0..LAUNCHES {
            let own = tuner.threads(rows, resources(threads), || wake_nanoseconds);
            tuner.observe(rows, own, cost(own) as u64);
            spent += cost(own);
        }
        (tuner.best_known(rows, resources(threads), || wake_nanoseconds), best * LAUNCHES as f64 / spent)
    }

    #[test]
    fn tuner_converges_to_the_best_thread_count_whatever_the_measured_wake_cost() {
        for wake_nanoseconds in [100, 5_000, 100_000] {
            for (rows, call) in [(20_000, 40_000.0), (1 << 20, 40_000.0), (1 << 20, 2_000.0), (1 << 26, 40_000.0)] {
                let cost = |threads: usize| rows as f64 / threads as f64 + call * (threads as f64).log2();
                let best = (0..5).map(|level| 1usize << level).min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
                let (own, share) = converge(16, rows, cost, wake_nanoseconds);
                assert!(cost(own) <= 1.05 * cost(best.unwrap_or(1)), "{own} for {rows} rows, {call}");
                assert!(share > 0.97, "{share} for {rows} rows, {call}, {wake_nanoseconds}");
            }
        }
    }

    /// Numbers from 0 to 1.
    fn randoms(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        }
    }

    /// Simulates launches that are sometimes preempted: returns the best possible time as a share of the time spent,
    /// without the preemptions.
    fn preempted_efficiency(rows: usize, call: f64, launches: usize, seed: u64) -> f64 {
        let tuner = ThreadTuner::new(8);
        let cost = |threads: usize| rows as f64 / threads as f64 + call * (threads as f64).log2();
        let best = (0..=4).map(|level| cost(1 << level)).fold(f64::INFINITY, f64::min);
        let (mut random, mut spent) = (randoms(seed), 0.0);
        for _ in 0..launches {
            let own = tuner.threads(rows, resources(16), || 1_000);
            let slowdown = if random() < 0.2 { 1.0 + 19.0 * random() } else { 1.0 };
            tuner.observe(rows, own, (cost(own) * slowdown) as u64);
            spent += cost(own);
        }
        best * launches as f64 / spent
    }

    #[test]
    fn preempted_launches_do_not_mislead_the_tuner_for_long() {
        for (rows, call) in [(20_000, 40_000.0), (100_000, 40_000.0), (1 << 20, 40_000.0), (1 << 20, 2_000.0)] {
            let shares: Vec<f64> = (0..200).map(|seed| preempted_efficiency(rows, call, 300, seed)).collect();
            let mean = shares.iter().sum::<f64>() / shares.len() as f64;
            let worst = shares.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(mean > 0.94 && worst > 0.5, "{rows} rows, a call of {call}: {mean:.3}, at worst {worst:.3}");
        }
    }

    /// Simulates a few launches of a new program on two threads: the first is cold, and one in ten of a thread's
    /// launches is preempted. Returns whether the tuner ends up with both threads, which take half as long.
    fn uses_both_threads_after(launches: usize, seed: u64) -> bool {
        let (tuner, rows) = (ThreadTuner::new(4), 2_000_000);
        let mut random = randoms(seed);
        for launch in 0..launches {
            let own = tuner.threads(rows, resources(2), || 3_000);
            let slowdown =
                (0..own).map(|_| if random() < 0.1 { 1.0 + 4.0 * random() } else { 1.0 }).fold(1.0, f64::max);
            let cold = if launch == 0 { 6.0 } else { 1.0 };
            let cost = 150_000.0 / own as f64 + if own > 1 { 5_000.0 } else { 0.0 };
            tuner.observe(rows, own, (cost * slowdown * cold) as u64);
        }
        tuner.best_known(rows, resources(2), || 3_000) == 2
    }

    #[test]
    fn cold_first_launches_do_not_override_the_estimate() {
        for launches in [2, 3, 4, 6, 10, 40] {
            let wrong = (0..1000).filter(|&seed| !uses_both_threads_after(launches, seed)).count();
            assert!(wrong <= 50, "{wrong} of 1,000 after {launches} launches");
        }
    }

    #[test]
    fn slow_thread_counts_are_not_used_for_smaller_launches() {
        let tuner = ThreadTuner::new(4);
        let cost = |threads: usize, rows: usize| rows as u64 / 10 + if threads > 1 { 40_000 } else { 0 };
        for rows in [1 << 16, 1 << 15, 1 << 14, 1 << 13] {
            for _ in 0..10 {
                let threads = tuner.threads(rows, resources(16), || 1_000);
                tuner.observe(rows, threads, cost(threads, rows));
            }
            assert_eq!(tuner.threads(rows, resources(16), || 1_000), 1, "{rows}");
        }
    }

    /// Small launches fit the caches, which says nothing about one that does not.
    #[test]
    fn large_launches_are_not_explored_on_few_threads() {
        let tuner = ThreadTuner::new(8);
        for rows in [1 << 12, 1 << 14, 1 << 16] {
            (0..10).for_each(|_| tuner.observe(rows, 1, rows as u64 / 20));
        }
        let rows = 100_000_000;
        for launch in 0..20 {
            let threads = tuner.threads(rows, resources(16), || 10_000);
            assert_eq!(threads, 16, "at launch {launch}");
            tuner.observe(rows, threads, 80_000_000 / threads as u64);
        }
    }

    #[test]
    fn a_changed_cost_is_noticed() {
        let (tuner, rows) = (ThreadTuner::new(8), 1 << 20);
        let run = |cost: &dyn Fn(usize) -> u64, launches: u32| {
            for _ in 0..launches {
                let threads = tuner.threads(rows, resources(4), || 1_000);
                tuner.observe(rows, threads, cost(threads));
            }
            tuner.threads(rows, resources(4), || 1_000)
        };
        assert_eq!(run(&|threads| 1_000_000 + 50_000 * threads as u64, 4 * EXPLORATION_PERIOD), 1);
        assert_eq!(run(&|threads| 1_000_000 / threads as u64, 40 * EXPLORATION_PERIOD), 4);
    }

    #[test]
    fn a_lasting_slowdown_is_accepted_after_many_launches() {
        let (tuner, rows) = (ThreadTuner::new(8), 1 << 12);
        for launch in 0..120 {
            let threads = tuner.threads(rows, resources(16), || 1_000);
            tuner.observe(rows, threads, if launch < 20 { 500 } else { 80_000 / threads as u64 });
        }
        assert!(tuner.best_known(rows, resources(16), || 1_000) > 1);
    }

    #[test]
    fn small_launches_are_neither_timed_nor_parallel() {
        let tuner = ThreadTuner::new(8);
        assert!(tuner.start(10).is_none() && tuner.start(1 << TIMED_ROWS_LOG2).is_some());
        assert_eq!(tuner.threads(1_000, resources(16), || panic!("nobody is called")), 1);
    }
}
