//! How long a program takes, by rows and threads: in go launches and what they took, out comes how many threads the next one
//! should have.
//!
//! For each octave of rows and each number of threads (1, 2, 4 … all) there is what launches took. What was never measured
//! is guessed: the part of each thread, and the calls that bring them together. Guesses are hopeful, so what may be the best
//! is tried, and measured from then on; and now and then a neighbour of the best is, in case things have changed. A launch is
//! never shorter than it could be, but often longer, since others use the processor too: so the shortest counts, one alone is
//! not believed if it took longer than was guessed (nor are the first two, of which one is always cold), and what takes longer
//! for good is believed after many.

use super::THREADS_MAX;
use crate::clock::FastInstant;
use std::sync::atomic::{AtomicU32, Ordering};

/// Launches of fewer rows are not clocked: they tell of calls, not of rows. The logarithm to base 2.
const TIMED_ROWS_LOG2: u32 = 11;
/// How many octaves are told apart; more rows are in the last.
const ROW_BUCKETS: usize = 21;
/// How many numbers of threads are: 1, 2, 4 … 1,024.
const LEVELS: usize = THREADS_MAX.ilog2() as usize + 1;
/// What a byte of a row is taken to cost before anything is known, in nanoseconds.
const ASSUMED_BYTE_NANOSECONDS: f32 = 0.05;
/// How much of what is known a longer launch replaces; a shorter one replaces all of it.
const LONGER_WEIGHT: f32 = 1.0 / 32.0;
/// A launch that took more times as long counts as that: it was taken off its processor.
const LONGER_MAX: f32 = 4.0;
/// What so many first launches of an octave took is no more than seen once: in the first one code, memory and threads are cold.
const COLD_LAUNCHES: u32 = 2;
/// What was never measured is taken to be so much better than its guess.
const OPTIMISM: f32 = 0.8;
/// One launch of so many tries a neighbour of the best, if that should take at most so many times as long: less than a
/// hundredth of all time is lost by it. And of the first launches some do, however long it took before, unless all of them take
/// so many nanoseconds.
const EXPLORATION_PERIOD: u32 = 128;
const SHORT_NANOSECONDS: f32 = 200_000.0;
const EXPLORATION_SLOWDOWN_MAX: f32 = 2.0;
/// What took longer than that is believed so much less each time it is not tried.
const DECAY: f32 = 0.9;
/// What a byte takes one thread at least where a launch touches more than its own cache holds, and more than all caches do, in
/// nanoseconds: small launches say nothing about that.
const SHARED_CACHE_BYTE_NANOSECONDS: f32 = 0.02;
const MEMORY_BYTE_NANOSECONDS: f32 = 0.07;
/// Where every thread has so much to do, in nanoseconds, all are called, and nothing is tried: calls do not matter any more, and
/// fewer threads would take long.
const ALL_THREADS_NANOSECONDS: f32 = 1_000_000.0;
/// Nobody is called for work that takes one thread less time, in nanoseconds, whatever a call takes.
const PARALLEL_NANOSECONDS_MIN: f32 = 1_000.0;

/// What a launch may be run with.
#[derive(Clone, Copy, Debug)]
pub(super) struct CpuResources {
    /// All threads that there are.
    pub(super) threads: usize,
    /// The bytes of a thread's own cache, and of the largest that threads share.
    pub(super) caches: [usize; 2],
}

/// What should be best.
enum ThreadChoice {
    /// Nobody is worth a call.
    One,
    /// Everybody is, whatever calls take.
    All,
    /// The threads of a level, which should take so many nanoseconds.
    Level(usize, f32),
}

/// A program's speed.
pub(super) struct ThreadTuner {
    row_bytes: usize,
    buckets: [RowBucket; ROW_BUCKETS],
}

/// What is known of launches of up to twice as many rows as the fewest in it.
#[derive(Default)]
struct RowBucket {
    /// Nanoseconds of a row by level, as the bits of a float; 0: not known, and negative: seen once. Two launches that end at
    /// once may lose one of their notes.
    levels: [AtomicU32; LEVELS],
    launches: AtomicU32,
    /// Launches that were taken in, up to the cold ones.
    noted: AtomicU32,
}

impl RowBucket {
    fn row_nanoseconds(&self, level: usize) -> Option<f32> {
        let bits = self.levels[level].load(Ordering::Relaxed);
        (bits != 0).then(|| f32::from_bits(bits).abs())
    }

    /// What is known of a level that was seen more than once.
    fn confirmed(&self, level: usize) -> Option<f32> {
        Some(f32::from_bits(self.levels[level].load(Ordering::Relaxed))).filter(|each| *each > 0.0)
    }

    /// What it takes to call one more thread, as launches of so many rows on several show it that are not of this level; no
    /// less than was told.
    fn observed_wake_cost(&self, level: usize, rows: f32, (one, measured): (f32, f32)) -> f32 {
        let seen = |(level, each): (usize, f32)| (each * rows - one / (1u32 << level) as f32) / (level + 1) as f32;
        let others =
            (1..LEVELS).filter(|&other| other != level).filter_map(|other| Some((other, self.row_nanoseconds(other)?)));
        others.map(seen).reduce(f32::min).map_or(measured, |least| least.max(measured))
    }

    /// Whether a level that is not the best should be tried, where the best takes so long for a row: if nobody knows, or if
    /// little is lost. Else what is known of it is believed a little less from now on.
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

/// The level of so many threads: all have the next power of two.
fn level(threads: usize) -> usize {
    (threads.max(1).next_power_of_two().ilog2() as usize).min(LEVELS - 1)
}

/// The octave of so many rows.
fn bucket(rows: usize) -> usize {
    (rows.max(1).ilog2().saturating_sub(TIMED_ROWS_LOG2) as usize).min(ROW_BUCKETS - 1)
}

impl ThreadTuner {
    /// Of a program that reads and writes so many bytes a row.
    pub(super) fn new(row_bytes: usize) -> ThreadTuner {
        ThreadTuner { row_bytes: row_bytes.max(1), buckets: std::array::from_fn(|_| RowBucket::default()) }
    }

    /// The bytes that a row reads and writes, at least 1.
    pub(super) fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// How many threads should run these rows; `call` tells how long it takes until one that is called is there.
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
        // One to either side, in turns.
        let is_more = if is_early { launches.ilog2() } else { launches / EXPLORATION_PERIOD } % 2 == 0;
        let other = if is_more { best + 1 } else { best.wrapping_sub(1) };
        let is_short = is_early && least < SHORT_NANOSECONDS;
        let explores = other < levels && (is_short || own.should_explore(other, least / rows as f32));
        (1 << if explores { other } else { best }).min(threads)
    }

    /// The same where nothing is tried: as many as should be best by what is known now.
    pub(super) fn best_known(&self, rows: usize, resources: CpuResources, call: impl FnOnce() -> u64) -> usize {
        match self.best(rows, resources, call) {
            ThreadChoice::One => 1,
            ThreadChoice::All => resources.threads,
            ThreadChoice::Level(best, _) => (1 << best).min(resources.threads),
        }
    }

    /// What should be best for these rows.
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
            let guess = || self.estimate(at, level, (one, own.observed_wake_cost(level, times, (one, call))));
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

    /// Nanoseconds of a row on one thread: as in this octave, or in the nearest below it, but for the caches; no longer than a
    /// launch that was seen.
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
        let guess = below.unwrap_or(row_bytes * ASSUMED_BYTE_NANOSECONDS).max(row_bytes * least);
        self.buckets[at].row_nanoseconds(0).map_or(guess, |once| once.min(guess))
    }

    /// Nanoseconds on the threads of a level, where one thread takes so long, and a call so long.
    fn estimate(&self, at: usize, level: usize, (one, call): (f32, f32)) -> f32 {
        if level == 0 {
            return one;
        }
        // Threads call each other, so twice as many are there after one call more. And it takes no less than fewer rows do.
        let guess = one / (1u32 << level) as f32 + call * (level + 1) as f32;
        let below = at.checked_sub(1).and_then(|below| self.buckets[below].row_nanoseconds(level));
        let fewer = below.map_or(0.0, |each| each * (1u64 << (TIMED_ROWS_LOG2 as usize + at)) as f32 * 0.75);
        guess.max(fewer) * OPTIMISM
    }

    /// The start of a launch worth clocking.
    pub(super) fn start(&self, rows: usize) -> Option<FastInstant> {
        (rows >> TIMED_ROWS_LOG2 > 0).then(FastInstant::now)
    }

    /// Takes in a launch that has just ended, on so many threads.
    pub(super) fn record(&self, start: Option<FastInstant>, rows: usize, threads: usize) {
        if let Some(start) = start {
            self.observe(rows, threads, FastInstant::now().since(start));
        }
    }

    fn observe(&self, rows: usize, threads: usize, nanoseconds: u64) {
        let (own, level) = (&self.buckets[bucket(rows)], level(threads));
        let (now, noted) = (nanoseconds.max(1) as f32 / rows as f32, own.noted.load(Ordering::Relaxed));
        if noted < COLD_LAUNCHES {
            own.noted.store(noted + 1, Ordering::Relaxed);
        }
        let each = match own.row_nanoseconds(level) {
            None => -now,
            Some(before) if noted < COLD_LAUNCHES => -before.min(now),
            Some(before) if own.confirmed(level).is_none() => before.min(now),
            Some(before) if now < before => now,
            Some(before) => before + LONGER_WEIGHT * (now.min(before * LONGER_MAX) - before),
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

    /// A machine where calling costs so much and a row takes a nanosecond: how many threads a program ends up with, and
    /// what share of the time of the best choice its launches took.
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
    fn as_many_threads_as_pay_are_called_whatever_calling_seems_to_cost() {
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

    /// Launches that are taken off their processor now and then: what the choices cost but for that.
    fn disturbed(rows: usize, call: f64, launches: usize, seed: u64) -> f64 {
        let tuner = ThreadTuner::new(8);
        let cost = |threads: usize| rows as f64 / threads as f64 + call * (threads as f64).log2();
        let best = (0..=4).map(|level| cost(1 << level)).fold(f64::INFINITY, f64::min);
        let (mut random, mut spent) = (randoms(seed), 0.0);
        for _ in 0..launches {
            let own = tuner.threads(rows, resources(16), || 1_000);
            let longer = if random() < 0.2 { 1.0 + 19.0 * random() } else { 1.0 };
            tuner.observe(rows, own, (cost(own) * longer) as u64);
            spent += cost(own);
        }
        best * launches as f64 / spent
    }

    #[test]
    fn a_disturbed_launch_does_not_decide_for_long() {
        for (rows, call) in [(20_000, 40_000.0), (100_000, 40_000.0), (1 << 20, 40_000.0), (1 << 20, 2_000.0)] {
            let shares: Vec<f64> = (0..200).map(|seed| disturbed(rows, call, 300, seed)).collect();
            let mean = shares.iter().sum::<f64>() / shares.len() as f64;
            let worst = shares.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(mean > 0.94 && worst > 0.5, "{rows} rows, a call of {call}: {mean:.3}, at worst {worst:.3}");
        }
    }

    /// InlineVec launches of a new program on two threads, the first of them cold, one in ten of a thread's disturbed: whether it
    /// ends up with both, which take half as long.
    fn begun(launches: usize, seed: u64) -> bool {
        let (tuner, rows) = (ThreadTuner::new(4), 2_000_000);
        let mut random = randoms(seed);
        for launch in 0..launches {
            let own = tuner.threads(rows, resources(2), || 3_000);
            let longer = (0..own).map(|_| if random() < 0.1 { 1.0 + 4.0 * random() } else { 1.0 }).fold(1.0, f64::max);
            let cold = if launch == 0 { 6.0 } else { 1.0 };
            let cost = 150_000.0 / own as f64 + if own > 1 { 5_000.0 } else { 0.0 };
            tuner.observe(rows, own, (cost * longer * cold) as u64);
        }
        tuner.best_known(rows, resources(2), || 3_000) == 2
    }

    #[test]
    fn the_first_launches_decide_nothing_that_a_guess_speaks_against() {
        for launches in [2, 3, 4, 6, 10, 40] {
            let wrong = (0..1000).filter(|&seed| !begun(launches, seed)).count();
            assert!(wrong <= 50, "{wrong} of 1,000 after {launches} launches");
        }
    }

    #[test]
    fn threads_that_made_it_slow_are_not_called_for_fewer_rows_nor_forever() {
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

    /// Small launches are in the caches; that says nothing about one that is not.
    #[test]
    fn many_rows_are_not_tried_on_few_threads() {
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
    fn what_changed_is_seen_again() {
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
    fn what_took_one_thread_no_time_is_believed_to_take_longer_after_many() {
        let (tuner, rows) = (ThreadTuner::new(8), 1 << 12);
        for launch in 0..120 {
            let threads = tuner.threads(rows, resources(16), || 1_000);
            tuner.observe(rows, threads, if launch < 20 { 500 } else { 80_000 / threads as u64 });
        }
        assert!(tuner.best_known(rows, resources(16), || 1_000) > 1);
    }

    #[test]
    fn small_launches_are_neither_clocked_nor_shared() {
        let tuner = ThreadTuner::new(8);
        assert!(tuner.start(10).is_none() && tuner.start(1 << TIMED_ROWS_LOG2).is_some());
        assert_eq!(tuner.threads(1_000, resources(16), || panic!("nobody is called")), 1);
    }
}
