//! [`ThreadTuner`]: learns from the launches of a program how many threads the next launch should use.
//!
//! Each launch yields two times: how long it took, and how long its threads were busy in total, which is what one
//! thread would take. The rest of a launch's time, beyond each thread's share of the work, is the cost of waking and
//! joining that many threads; it hardly depends on the program, so all programs of a device learn it together
//! ([`ForkCosts`]). Work divided by threads, plus that cost, predicts the time on any number of threads after two
//! launches. Where a number of threads was measured more than once, its own time counts instead: threads that share
//! memory bandwidth, or a core, speed each other up less than the prediction says. Now and then a neighbour of the best
//! number is tried.
//!
//! Other processes can only make a launch slower, never faster, so faster launches replace what is stored at once, and
//! slower ones change it little by little. The first launch of a size runs with cold caches: it only limits the
//! estimated work.

use super::THREADS_MAX;
use crate::clock::FastInstant;
use pointsman_ir::kernel::{Estimate, Kernel, LEAF_ROWS};
use pointsman_ir::op::OpClass;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

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
/// The weight of a slower launch in a stored time; a faster one replaces it.
const SLOWER_WEIGHT: f32 = 1.0 / 32.0;
/// A slower launch counts as at most this many times the stored time: it was preempted.
const SLOWER_TIMES_MAX: f32 = 4.0;
/// The time of a level counts from this many runs on, and from `RUNS_CONFIRMED_IMPLAUSIBLE` on if it is more than
/// `IMPLAUSIBLE_TIMES` what other levels suggest.
const RUNS_CONFIRMED: u32 = 2;
const RUNS_CONFIRMED_IMPLAUSIBLE: u32 = 6;
const IMPLAUSIBLE_TIMES: f32 = 3.0;
/// The weight of a launch in the cost of its threads, if it shows a lower cost, and if it shows a higher one.
const FORK_COST_WEIGHTS: [f32; 2] = [1.0 / 2.0, 1.0 / 8.0];
/// Launches that take longer than this, in nanoseconds, are ignored for the cost of waking and joining, because most of
/// their time beyond the work is spent waiting for the last morsel.
const FORK_COST_NANOSECONDS_MAX: f32 = 200_000.0;
/// Two launches in `EXPLORATION_PERIOD`, and two early ones at every power of two from `EXPLORATION_START` on, try a
/// neighbour of the best level, if it takes at most `EXPLORATION_SLOWDOWN_MAX` times as long: this costs about a
/// hundredth of all time. Two, because the first one finds the rows in the caches of other threads.
const EXPLORATION_START: u32 = 8;
const EXPLORATION_PERIOD: u32 = 256;
const EXPLORATION_SLOWDOWN_MAX: f32 = 2.0;
/// Each time a slower level is not tried, its stored time shrinks by this factor.
const DECAY: f32 = 0.9;
/// The minimum cost of a byte on one thread, in nanoseconds, for launches that exceed the thread's private cache, and
/// for launches that exceed all caches. Measurements of smaller launches do not apply to either.
const SHARED_CACHE_BYTE_NANOSECONDS: f32 = 0.02;
const MEMORY_BYTE_NANOSECONDS: f32 = 0.07;
/// In launches that take longer than this, in nanoseconds, no level is tried that was never measured: waking hardly
/// matters, and fewer threads may take much longer.
const EXPLORED_NANOSECONDS_MAX: f32 = 2_000_000.0;
/// Work that takes one thread less than this, in nanoseconds, stays on one thread, whatever waking costs.
const PARALLEL_NANOSECONDS_MIN: f32 = 1_000.0;

/// The resources that a launch may use.
#[derive(Clone, Copy)]
pub(super) struct CpuResources<'d> {
    /// The number of threads.
    pub(super) threads: usize,
    /// The size of a thread's private cache and of the largest shared cache, in bytes.
    pub(super) caches: [usize; 2],
    /// The cost of waking and joining threads.
    pub(super) fork_costs: &'d ForkCosts,
}

/// The cost of launches beyond each thread's share of the work, by level, in nanoseconds; learned from all programs.
#[derive(Default)]
pub(super) struct ForkCosts {
    levels: [MeasuredTime; LEVELS],
}

impl ForkCosts {
    /// The cost of a level. Until it is measured, it follows from the nearest measured level below, or from the time to
    /// wake a thread: woken threads wake others, so each doubling of the threads costs one wake-up time; joining costs
    /// one more.
    fn get(&self, level: usize, wake: f32) -> f32 {
        let below = || (1..level).rev().find_map(|other| Some(self.levels[other].get()? / (other + 1) as f32));
        let each = || below().map_or(wake, |each| each.max(wake));
        self.levels[level].get().unwrap_or_else(|| each() * (level + 1) as f32)
    }

    fn record(&self, level: usize, now: f32) {
        let cost = match self.levels[level].get() {
            Some(before) => {
                let weight = FORK_COST_WEIGHTS[usize::from(now > before)];
                before + weight * (now.min(before * SLOWER_TIMES_MAX) - before)
            }
            None => now,
        };
        self.levels[level].set(cost.max(1.0));
    }
}

/// The best level according to the measurements so far.
struct BestLevel {
    level: usize,
    /// The expected nanoseconds.
    time: f32,
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
    /// By level, per row.
    levels: [MeasuredTime; LEVELS],
    /// Of all threads together, per row.
    work: MeasuredTime,
    launches: AtomicU32,
}

impl RowBucket {
    /// The nanoseconds per row that a level should take, where `guess` is predicted from other levels. Measured runs
    /// replace the prediction, unless they are few and far slower than it: those were preempted.
    fn expected(&self, level: usize, guess: f32) -> f32 {
        let own = &self.levels[level];
        let Some(time) = own.get() else { return guess };
        let runs_needed = if time <= IMPLAUSIBLE_TIMES * guess { RUNS_CONFIRMED } else { RUNS_CONFIRMED_IMPLAUSIBLE };
        if own.runs() >= runs_needed { time } else { time.min(guess) }
    }

    /// Whether a level that is not the best should be tried, where the best takes `least` per row: if it was never
    /// measured, or if little is lost. Otherwise its stored time decays a little.
    fn should_explore(&self, level: usize, least: f32) -> bool {
        let time = &self.levels[level];
        match time.get() {
            Some(each) if each > least * EXPLORATION_SLOWDOWN_MAX => {
                time.set(each * DECAY);
                false
            }
            Some(_) | None => true,
        }
    }
}

/// Nanoseconds that were measured. If two launches end at the same time, one of their measurements may be lost.
#[derive(Default)]
struct MeasuredTime {
    /// The bits of a float.
    bits: AtomicU32,
    runs: AtomicU32,
}

impl MeasuredTime {
    /// The time; `None` if there is none.
    fn get(&self) -> Option<f32> {
        Some(f32::from_bits(self.bits.load(Ordering::Relaxed))).filter(|time| *time > 0.0)
    }

    fn set(&self, time: f32) {
        self.bits.store(time.to_bits(), Ordering::Relaxed);
    }

    fn runs(&self) -> u32 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Takes in a run: a faster one replaces the time, a slower one counts a little, and not at all among the first.
    fn record(&self, now: f32) {
        let runs = self.runs.fetch_add(1, Ordering::Relaxed);
        match self.get() {
            Some(before) if now >= before && runs < RUNS_CONFIRMED_IMPLAUSIBLE => {}
            Some(before) if now >= before => {
                self.set(before + SLOWER_WEIGHT * (now.min(before * SLOWER_TIMES_MAX) - before));
            }
            Some(_) | None => self.set(now),
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

/// The threads that find work: morsels are whole leaves.
fn working_threads(threads: usize, rows: usize) -> f32 {
    threads.min(rows.div_ceil(LEAF_ROWS)).max(1) as f32
}

/// The times of a launch.
pub(super) struct LaunchTimer {
    start: Option<FastInstant>,
    /// Nanoseconds that its threads were busy in parallel sections, in all, and that these sections took.
    busy: AtomicU64,
    parallel: AtomicU64,
}

impl LaunchTimer {
    /// Starts the time of a launch, if it is worth timing.
    pub(super) fn start(rows: usize) -> LaunchTimer {
        let start = (rows >> TIMED_ROWS_LOG2 > 0).then(FastInstant::now);
        LaunchTimer { start, busy: AtomicU64::new(0), parallel: AtomicU64::new(0) }
    }

    /// Runs a thread's part of a parallel section and adds its time.
    pub(super) fn count_busy(&self, work: impl FnOnce()) {
        self.count(&self.busy, work);
    }

    /// Runs a parallel section, from waking its threads to joining them, and adds its time.
    pub(super) fn count_parallel(&self, section: impl FnOnce()) {
        self.count(&self.parallel, section);
    }

    fn count(&self, sum: &AtomicU64, work: impl FnOnce()) {
        let start = self.start.map(|_| FastInstant::now());
        work();
        if let Some(start) = start {
            sum.fetch_add(FastInstant::now().since(start), Ordering::Relaxed);
        }
    }
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

    /// The number of threads for a launch; `wake` returns the time to wake a thread.
    pub(super) fn threads(&self, rows: usize, resources: CpuResources<'_>, wake: impl FnOnce() -> u64) -> usize {
        let Some(BestLevel { level: best, time }) = self.best(rows, resources, wake) else { return 1 };
        let own = &self.buckets[bucket(rows)];
        let launches = own.launches.fetch_add(1, Ordering::Relaxed);
        let is_early = (launches & !1).is_power_of_two() && launches >= EXPLORATION_START;
        let is_due = is_early || launches % EXPLORATION_PERIOD >= EXPLORATION_PERIOD - 2;
        if !is_due {
            return (1 << best).min(resources.threads);
        }
        // Alternates between the two neighbours.
        let is_more = if is_early { launches.ilog2() } else { launches / EXPLORATION_PERIOD } % 2 == 0;
        let other = if is_more { best + 1 } else { best.wrapping_sub(1) };
        let is_there = other <= level(resources.threads);
        let may_be_new = time <= EXPLORED_NANOSECONDS_MAX;
        let explores = is_there
            && (may_be_new || own.levels[other].get().is_some())
            && own.should_explore(other, time / rows as f32);
        (1 << if explores { other } else { best }).min(resources.threads)
    }

    /// The number of threads that is best by what is known, without exploration.
    pub(super) fn best_known(&self, rows: usize, resources: CpuResources<'_>, wake: impl FnOnce() -> u64) -> usize {
        self.best(rows, resources, wake).map_or(1, |best| (1 << best.level).min(resources.threads))
    }

    /// The best level for `rows` rows; `None` if they are too few for more than one thread.
    fn best(&self, rows: usize, resources: CpuResources<'_>, wake: impl FnOnce() -> u64) -> Option<BestLevel> {
        let (at, times) = (bucket(rows), rows as f32);
        let work = self.work(at, rows, resources.caches) * times;
        if resources.threads <= 1 || work < PARALLEL_NANOSECONDS_MIN {
            return None;
        }
        let (own, wake) = (&self.buckets[at], wake() as f32);
        let guess = |level: usize| match level {
            0 => work,
            _ => {
                work / working_threads(resources.threads.min(1 << level), rows) + resources.fork_costs.get(level, wake)
            }
        };
        let expected = |level: usize| own.expected(level, guess(level) / times) * times;
        let all = (0..=level(resources.threads)).map(|level| BestLevel { level, time: expected(level) });
        all.min_by(|a, b| a.time.total_cmp(&b.time))
    }

    /// Nanoseconds per row of all threads together: of this bucket, or of the nearest one below, corrected for the
    /// caches.
    fn work(&self, at: usize, rows: usize, [own, all]: [usize; 2]) -> f32 {
        let measured = |bucket: &RowBucket| bucket.work.get().filter(|_| bucket.work.runs() > 1);
        if let Some(work) = measured(&self.buckets[at]) {
            return work;
        }
        let row_bytes = self.row_bytes as f32;
        let below = self.buckets[..at].iter().rev().find_map(measured);
        let least = match rows.saturating_mul(self.row_bytes) {
            bytes if bytes > all => MEMORY_BYTE_NANOSECONDS,
            bytes if bytes > own => SHARED_CACHE_BYTE_NANOSECONDS,
            _ => 0.0,
        };
        let assumed = self.assumed_operations.max(row_bytes * ASSUMED_BYTE_NANOSECONDS);
        let guess = below.unwrap_or(assumed).max(row_bytes * least);
        self.buckets[at].work.get().map_or(guess, |cold| cold.min(guess))
    }

    /// Records a launch on `threads` threads that has just ended.
    pub(super) fn record(&self, timer: LaunchTimer, rows: usize, threads: usize, fork_costs: &ForkCosts) {
        if let Some(start) = timer.start {
            let (took, busy, parallel) = (FastInstant::now().since(start), timer.busy, timer.parallel);
            let serial = took.saturating_sub(parallel.into_inner());
            self.observe(rows, threads, [took, busy.into_inner(), serial], fork_costs);
        }
    }

    /// Learns from the nanoseconds that a launch took, that its threads were busy in parallel, and that one thread was
    /// busy before and after.
    fn observe(&self, rows: usize, threads: usize, [took, busy, serial]: [u64; 3], fork_costs: &ForkCosts) {
        let (own, level) = (&self.buckets[bucket(rows)], level(threads));
        let (took, busy, serial) = (took.max(1) as f32, busy as f32, serial as f32);
        // The first launch, whose caches are cold, says how much work there is at most.
        let is_cold = own.work.get().is_none();
        own.work.record((busy + serial).max(1.0) / rows as f32);
        if is_cold {
            return;
        }
        own.levels[level].record(took / rows as f32);
        if level > 0 && took < FORK_COST_NANOSECONDS_MAX {
            fork_costs.record(level, took - serial - busy / working_threads(threads, rows));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tuner on a machine with this many threads.
    struct SimulatedTuner {
        tuner: ThreadTuner,
        fork_costs: ForkCosts,
        threads: usize,
        wake: u64,
    }

    impl SimulatedTuner {
        fn new(row_bytes: usize, threads: usize, wake: u64) -> SimulatedTuner {
            SimulatedTuner { tuner: ThreadTuner::new(row_bytes), fork_costs: ForkCosts::default(), threads, wake }
        }

        fn resources(&self) -> CpuResources<'_> {
            CpuResources { threads: self.threads, caches: [1 << 20, 32 << 20], fork_costs: &self.fork_costs }
        }

        fn threads(&self, rows: usize) -> usize {
            self.tuner.threads(rows, self.resources(), || self.wake)
        }

        fn best_known(&self, rows: usize) -> usize {
            self.tuner.best_known(rows, self.resources(), || self.wake)
        }

        fn observe(&self, rows: usize, threads: usize, took: f64, busy: f64) {
            self.tuner.observe(rows, threads, [took as u64, busy as u64, 0], &self.fork_costs);
        }
    }

    /// A launch on a machine where a row takes a nanosecond, and doubling the threads takes `call`.
    fn cost(rows: usize, threads: usize, call: f64) -> f64 {
        rows as f64 / threads as f64 + call * (threads as f64).log2()
    }

    #[test]
    fn first_launch_of_long_rows_uses_all_threads() {
        let text =
            |op: &str| format!("kernel\ncolumns c0: f32\n  v0: f32 = column c0\n  v1: f32 = {op} v0\nsink store v1\n");
        let threads = |op: &str, rows: usize| {
            let kernel = pointsman_ir::kernel::parse::parse(&text(op)).expect("a kernel");
            let tuner = ThreadTuner::new(8).with_operations_of(&kernel);
            SimulatedTuner { tuner, ..SimulatedTuner::new(8, 16, 2_000) }.best_known(rows)
        };
        assert_eq!(threads("neg", 2_000), 1, "a microsecond is not worth waking threads");
        assert!(threads("sin", 400_000) >= 8, "{}", threads("sin", 400_000));
    }

    /// Makes launches: returns the thread count that the tuner converges to, and the best possible time as a share of
    /// the time spent.
    fn converge(rows: usize, call: f64, wake: u64, launches: usize) -> (usize, f64) {
        let (tuned, mut spent) = (SimulatedTuner::new(8, 16, wake), 0.0);
        let best = (0..=4).map(|level| cost(rows, 1 << level, call)).fold(f64::INFINITY, f64::min);
        for _ in 0..launches {
            let own = tuned.threads(rows);
            tuned.observe(rows, own, cost(rows, own, call), rows as f64);
            spent += cost(rows, own, call);
        }
        (tuned.best_known(rows), best * launches as f64 / spent)
    }

    #[test]
    fn tuner_converges_to_the_best_thread_count_whatever_the_measured_wake_cost() {
        for wake in [100, 5_000, 100_000] {
            for (rows, call) in [(20_000, 40_000.0), (1 << 20, 40_000.0), (1 << 20, 2_000.0), (1 << 26, 40_000.0)] {
                let best = (0..5).map(|level| cost(rows, 1 << level, call)).fold(f64::INFINITY, f64::min);
                let (own, share) = converge(rows, call, wake, 2000);
                assert!(cost(rows, own, call) <= 1.05 * best, "{own} for {rows} rows, {call}");
                assert!(share > 0.97, "{share} for {rows} rows, {call}, {wake}");
            }
        }
    }

    /// A new program on a device whose costs are known needs two launches: the first one is cold.
    #[test]
    fn second_launch_is_nearly_the_best_once_the_costs_of_threads_are_known() {
        for (rows, call) in [(20_000, 4_000.0), (100_000, 4_000.0), (1 << 20, 4_000.0), (1 << 20, 40_000.0)] {
            let tuned = SimulatedTuner::new(8, 16, 1_000);
            (1..=4).for_each(|level| tuned.fork_costs.record(level, level as f32 * call as f32));
            // Twenty times the assumed work, and a cold launch that takes ten times as long.
            let (rows, work) = (rows / 4, 8.0);
            let first = tuned.threads(rows);
            tuned.observe(rows, first, 10.0 * work * cost(rows, first, call), 10.0 * work * rows as f64);
            let second = tuned.threads(rows);
            let time = |threads: usize| {
                let working = threads.min(rows.div_ceil(LEAF_ROWS)) as f64;
                work * rows as f64 / working + call * (threads as f64).log2()
            };
            tuned.observe(rows, second, time(second), work * rows as f64);
            let best = (0..5).map(|level| time(1 << level)).fold(f64::INFINITY, f64::min);
            let own = tuned.threads(rows);
            assert!(time(own) <= 1.1 * best, "{own} threads for {rows} rows: {} instead of {best}", time(own));
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
        let (tuned, mut random, mut spent) = (SimulatedTuner::new(8, 16, 1_000), randoms(seed), 0.0);
        let best = (0..=4).map(|level| cost(rows, 1 << level, call)).fold(f64::INFINITY, f64::min);
        for _ in 0..launches {
            let own = tuned.threads(rows);
            let took = cost(rows, own, call);
            let lost = if random() < 0.2 { took * 19.0 * random() } else { 0.0 };
            // One of the threads is preempted: it counts as busy.
            tuned.observe(rows, own, took + lost, rows as f64 + lost);
            spent += took;
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
        let (tuned, rows) = (SimulatedTuner::new(4, 2, 3_000), 2_000_000);
        let mut random = randoms(seed);
        for launch in 0..launches {
            let own = tuned.threads(rows);
            let slowdowns: Vec<f64> =
                (0..own).map(|_| if random() < 0.1 { 1.0 + 4.0 * random() } else { 1.0 }).collect();
            let cold = if launch == 0 { 6.0 } else { 1.0 };
            let share = 150_000.0 / own as f64 * cold;
            let slowest = slowdowns.iter().copied().fold(1.0, f64::max);
            let took = share * slowest + if own > 1 { 5_000.0 } else { 0.0 };
            tuned.observe(rows, own, took, share * slowdowns.iter().sum::<f64>());
        }
        tuned.best_known(rows) == 2
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
        let tuned = SimulatedTuner::new(4, 16, 1_000);
        let cost = |threads: usize, rows: usize| rows as f64 / 10.0 + if threads > 1 { 40_000.0 } else { 0.0 };
        for rows in [1 << 16, 1 << 15, 1 << 14, 1 << 13] {
            for _ in 0..10 {
                let threads = tuned.threads(rows);
                tuned.observe(rows, threads, cost(threads, rows), rows as f64 / 10.0);
            }
            assert_eq!(tuned.best_known(rows), 1, "{rows}");
        }
    }

    /// Small launches fit the caches, which says nothing about one that does not.
    #[test]
    fn large_launches_are_not_explored_on_few_threads() {
        let tuned = SimulatedTuner::new(8, 16, 10_000);
        for rows in [1 << 12, 1 << 14, 1 << 16] {
            (0..10).for_each(|_| tuned.observe(rows, 1, rows as f64 / 20.0, rows as f64 / 20.0));
        }
        let rows = 100_000_000;
        for launch in 0..20 {
            let threads = tuned.threads(rows);
            assert_eq!(threads, 16, "at launch {launch}");
            tuned.observe(rows, threads, 80e6 / threads as f64, 80e6);
        }
    }

    #[test]
    fn a_changed_cost_is_noticed() {
        let (tuned, rows) = (SimulatedTuner::new(8, 4, 1_000), 1 << 20);
        let run = |cost: &dyn Fn(f64) -> [f64; 2], launches: u32| {
            for _ in 0..launches {
                let threads = tuned.threads(rows);
                let [took, busy] = cost(threads as f64);
                tuned.observe(rows, threads, took, busy);
            }
            tuned.best_known(rows)
        };
        // The threads share one core, and are all busy as long as the launch takes.
        let contended = |threads: f64| [1e6 + 5e4 * threads, threads * (1e6 + 5e4 * threads)];
        assert_eq!(run(&contended, 4 * EXPLORATION_PERIOD), 1);
        assert_eq!(run(&|threads| [1e6 / threads, 1e6], 40 * EXPLORATION_PERIOD), 4);
    }

    /// Other processes slow all launches for a while: afterwards, the level that was best is found again.
    #[test]
    fn long_launches_return_to_the_best_level_after_a_disturbance() {
        let (tuned, rows) = (SimulatedTuner::new(8, 16, 1_000), 1 << 24);
        let run = |disturbed: f64, launches: u32| {
            for _ in 0..launches {
                let threads = tuned.threads(rows);
                let took = 100e6 / threads as f64 * if threads > 8 { disturbed } else { 1.0 };
                tuned.observe(rows, threads, took, took * threads as f64);
            }
            tuned.best_known(rows)
        };
        assert_eq!(run(1.0, 20), 16);
        // Busy time says that eight threads would be no better, until sixteen have become twice as slow.
        tuned.tuner.buckets[bucket(rows)].levels[3].set(12.5e6 / rows as f32);
        tuned.tuner.buckets[bucket(rows)].levels[3].runs.store(9, Ordering::Relaxed);
        assert_eq!(run(3.0, 100), 8);
        assert_eq!(run(1.0, 20 * EXPLORATION_PERIOD), 16);
    }

    #[test]
    fn fork_costs_do_not_depend_on_powers_of_two() {
        let tuned = SimulatedTuner::new(8, 12, 1_000);
        let rows = 100 * LEAF_ROWS;
        (0..20).for_each(|_| tuned.observe(rows, 12, 100_000.0, 12.0 * 90_000.0));
        let cost = tuned.fork_costs.get(level(12), 1_000.0);
        assert!((cost - 10_000.0).abs() < 100.0, "{cost}");
    }

    #[test]
    fn a_lasting_slowdown_is_accepted_after_many_launches() {
        let (tuned, rows) = (SimulatedTuner::new(8, 16, 1_000), 1 << 16);
        for launch in 0..120 {
            let threads = tuned.threads(rows);
            let work = if launch < 20 { 8_000.0 } else { 1_280_000.0 };
            tuned.observe(rows, threads, work / threads as f64, work);
        }
        assert!(tuned.best_known(rows) > 1);
    }

    #[test]
    fn small_launches_are_neither_timed_nor_parallel() {
        let tuned = SimulatedTuner::new(8, 16, 1_000);
        assert!(LaunchTimer::start(10).start.is_none() && LaunchTimer::start(1 << TIMED_ROWS_LOG2).start.is_some());
        assert_eq!(tuned.tuner.threads(1_000, tuned.resources(), || panic!("nobody is called")), 1);
    }
}
