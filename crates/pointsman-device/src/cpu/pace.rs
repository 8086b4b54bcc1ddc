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
use crate::clock::Moment;
use std::sync::atomic::{AtomicU32, Ordering};

/// Launches of fewer rows are not clocked: they tell of calls, not of rows. The logarithm to base 2.
const CLOCKED_OCTAVE: u32 = 11;
/// How many octaves are told apart; more rows are in the last.
const OCTAVES: usize = 21;
/// How many numbers of threads are: 1, 2, 4 … 1,024.
const LEVELS: usize = THREADS_MAX.ilog2() as usize + 1;
/// What a byte of a row is taken to cost before anything is known, in nanoseconds.
const BYTE_NANOSECONDS: f32 = 0.05;
/// How much of what is known a longer launch replaces; a shorter one replaces all of it.
const LONGER_WEIGHT: f32 = 1.0 / 32.0;
/// A launch that took more times as long counts as that: it was taken off its processor.
const LONGER_MAX: f32 = 4.0;
/// What so many first launches of an octave took is no more than seen once: in the first one code, memory and threads are cold.
const COLD_LAUNCHES: u32 = 2;
/// What was never measured is taken to be so much better than its guess.
const HOPE: f32 = 0.8;
/// One launch of so many tries a neighbour of the best, if that should take at most so many times as long: less than a
/// hundredth of all time is lost by it. And of the first launches some do, however long it took before, unless all of them take
/// so many nanoseconds.
const TRIES: u32 = 128;
const SHORT_NANOSECONDS: f32 = 200_000.0;
const TRIED_TIMES_MAX: f32 = 2.0;
/// What took longer than that is believed so much less each time it is not tried.
const FORGOTTEN: f32 = 0.9;
/// What a byte takes one thread at least where a launch touches more than its own cache holds, and more than all caches do, in
/// nanoseconds: small launches say nothing about that.
const FAR_NANOSECONDS: f32 = 0.02;
const BEYOND_NANOSECONDS: f32 = 0.07;
/// Where every thread has so much to do, in nanoseconds, all are called, and nothing is tried: calls do not matter any more, and
/// fewer threads would take long.
const LONG_NANOSECONDS: f32 = 1_000_000.0;
/// Nobody is called for work that takes one thread less time, in nanoseconds, whatever a call takes.
const CALL_MIN: f32 = 1_000.0;

/// What a launch may be run with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Means {
    /// All threads that there are.
    pub(super) threads: usize,
    /// The bytes of a thread's own cache, and of the largest that threads share.
    pub(super) caches: [usize; 2],
}

/// What should be best.
enum Best {
    /// Nobody is worth a call.
    One,
    /// Everybody is, whatever calls take.
    All,
    /// The threads of a level, which should take so many nanoseconds.
    Level(usize, f32),
}

/// A program's speed.
pub(super) struct Pace {
    row_bytes: usize,
    octaves: [Octave; OCTAVES],
}

/// What is known of launches of up to twice as many rows as the fewest in it.
#[derive(Default)]
struct Octave {
    /// Nanoseconds of a row by level, as the bits of a float; 0: not known, and negative: seen once. Two launches that end at
    /// once may lose one of their notes.
    levels: [AtomicU32; LEVELS],
    launches: AtomicU32,
    /// Launches that were taken in, up to the cold ones.
    noted: AtomicU32,
}

impl Octave {
    fn each(&self, level: usize) -> Option<f32> {
        let bits = self.levels[level].load(Ordering::Relaxed);
        (bits != 0).then(|| f32::from_bits(bits).abs())
    }

    /// What is known of a level that was seen more than once.
    fn sure(&self, level: usize) -> Option<f32> {
        Some(f32::from_bits(self.levels[level].load(Ordering::Relaxed))).filter(|each| *each > 0.0)
    }

    /// What it takes to call one more thread, as launches of so many rows on several show it that are not of this level; no
    /// less than was told.
    fn call_seen(&self, level: usize, rows: f32, (one, told): (f32, f32)) -> f32 {
        let seen = |(level, each): (usize, f32)| (each * rows - one / (1u32 << level) as f32) / (level + 1) as f32;
        let others = (1..LEVELS).filter(|&other| other != level).filter_map(|other| Some((other, self.each(other)?)));
        others.map(seen).reduce(f32::min).map_or(told, |least| least.max(told))
    }

    /// Whether a level that is not the best should be tried, where the best takes so long for a row: if nobody knows, or if
    /// little is lost. Else what is known of it is believed a little less from now on.
    fn is_worth_a_try(&self, level: usize, least: f32) -> bool {
        match self.each(level) {
            Some(each) if each > least * TRIED_TIMES_MAX => {
                self.levels[level].store((each * FORGOTTEN).to_bits(), Ordering::Relaxed);
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
fn octave(rows: usize) -> usize {
    (rows.max(1).ilog2().saturating_sub(CLOCKED_OCTAVE) as usize).min(OCTAVES - 1)
}

impl Pace {
    /// Of a program that reads and writes so many bytes a row.
    pub(super) fn new(row_bytes: usize) -> Pace {
        Pace { row_bytes: row_bytes.max(1), octaves: std::array::from_fn(|_| Octave::default()) }
    }

    /// The bytes that a row reads and writes, at least 1.
    pub(super) fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// How many threads should run these rows; `call` tells how long it takes until one that is called is there.
    pub(super) fn threads(&self, rows: usize, means: Means, call: impl FnOnce() -> u64) -> usize {
        let (best, least) = match self.best(rows, means, call) {
            Best::One => return 1,
            Best::All => return means.threads,
            Best::Level(best, least) => (best, least),
        };
        let (own, threads, levels) = (&self.octaves[octave(rows)], means.threads, level(means.threads) + 1);
        let launches = own.launches.fetch_add(1, Ordering::Relaxed);
        let is_early = launches.is_power_of_two();
        if !is_early && launches % TRIES != TRIES - 1 {
            return (1 << best).min(threads);
        }
        // One to either side, in turns.
        let is_more = if is_early { launches.ilog2() } else { launches / TRIES } % 2 == 0;
        let other = if is_more { best + 1 } else { best.wrapping_sub(1) };
        let is_short = is_early && least < SHORT_NANOSECONDS;
        let is_tried = other < levels && (is_short || own.is_worth_a_try(other, least / rows as f32));
        (1 << if is_tried { other } else { best }).min(threads)
    }

    /// The same where nothing is tried: as many as should be best by what is known now.
    pub(super) fn settled(&self, rows: usize, means: Means, call: impl FnOnce() -> u64) -> usize {
        match self.best(rows, means, call) {
            Best::One => 1,
            Best::All => means.threads,
            Best::Level(best, _) => (1 << best).min(means.threads),
        }
    }

    /// What should be best for these rows.
    fn best(&self, rows: usize, means: Means, call: impl FnOnce() -> u64) -> Best {
        let at = octave(rows);
        let one = self.one(at, rows, means.caches) * rows as f32;
        if means.threads <= 1 || one < CALL_MIN {
            return Best::One;
        }
        if one / means.threads as f32 >= LONG_NANOSECONDS {
            return Best::All;
        }
        let (own, times, call) = (&self.octaves[at], rows as f32, call() as f32);
        let expected = |level: usize| {
            let guess = || self.guess(at, level, (one, own.call_seen(level, times, (one, call))));
            match (own.sure(level), own.each(level)) {
                (Some(each), _) => each * times,
                (None, Some(once)) => guess().min(once * times),
                (None, None) => guess(),
            }
        };
        let all = (0..=level(means.threads)).map(|level| (level, expected(level)));
        all.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(Best::One, |(level, least)| Best::Level(level, least))
    }

    /// Nanoseconds of a row on one thread: as in this octave, or in the nearest below it, but for the caches; no longer than a
    /// launch that was seen.
    fn one(&self, at: usize, rows: usize, [own, all]: [usize; 2]) -> f32 {
        if let Some(each) = self.octaves[at].sure(0) {
            return each;
        }
        let row_bytes = self.row_bytes as f32;
        let below = self.octaves[..at].iter().rev().find_map(|octave| octave.sure(0));
        let least = match rows.saturating_mul(self.row_bytes) {
            bytes if bytes > all => BEYOND_NANOSECONDS,
            bytes if bytes > own => FAR_NANOSECONDS,
            _ => 0.0,
        };
        let guess = below.unwrap_or(row_bytes * BYTE_NANOSECONDS).max(row_bytes * least);
        self.octaves[at].each(0).map_or(guess, |once| once.min(guess))
    }

    /// Nanoseconds on the threads of a level, where one thread takes so long, and a call so long.
    fn guess(&self, at: usize, level: usize, (one, call): (f32, f32)) -> f32 {
        if level == 0 {
            return one;
        }
        // Threads call each other, so twice as many are there after one call more. And it takes no less than fewer rows do.
        let guess = one / (1u32 << level) as f32 + call * (level + 1) as f32;
        let below = at.checked_sub(1).and_then(|below| self.octaves[below].each(level));
        let fewer = below.map_or(0.0, |each| each * (1u64 << (CLOCKED_OCTAVE as usize + at)) as f32 * 0.75);
        guess.max(fewer) * HOPE
    }

    /// The start of a launch worth clocking.
    pub(super) fn start(&self, rows: usize) -> Option<Moment> {
        (rows >> CLOCKED_OCTAVE > 0).then(Moment::now)
    }

    /// Takes in a launch that has just ended, on so many threads.
    pub(super) fn note(&self, start: Option<Moment>, rows: usize, threads: usize) {
        if let Some(start) = start {
            self.took(rows, threads, Moment::now().since(start));
        }
    }

    fn took(&self, rows: usize, threads: usize, nanoseconds: u64) {
        let (own, level) = (&self.octaves[octave(rows)], level(threads));
        let (now, noted) = (nanoseconds.max(1) as f32 / rows as f32, own.noted.load(Ordering::Relaxed));
        if noted < COLD_LAUNCHES {
            own.noted.store(noted + 1, Ordering::Relaxed);
        }
        let each = match own.each(level) {
            None => -now,
            Some(before) if noted < COLD_LAUNCHES => -before.min(now),
            Some(before) if own.sure(level).is_none() => before.min(now),
            Some(before) if now < before => now,
            Some(before) => before + LONGER_WEIGHT * (now.min(before * LONGER_MAX) - before),
        };
        own.levels[level].store(each.to_bits(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(threads: usize) -> Means {
        Means { threads, caches: [1 << 20, 32 << 20] }
    }

    /// A machine where calling costs so much and a row takes a nanosecond: how many threads a program ends up with, and
    /// what share of the time of the best choice its launches took.
    fn settled(threads: usize, rows: usize, cost: impl Fn(usize) -> f64, told_call: u64) -> (usize, f64) {
        let pace = Pace::new(8);
        let mut spent = 0.0;
        let best = (0..=threads.ilog2()).map(|level| cost(1 << level)).fold(f64::INFINITY, f64::min);
        const LAUNCHES: usize = 2000;
        for _ in 0..LAUNCHES {
            let own = pace.threads(rows, means(threads), || told_call);
            pace.took(rows, own, cost(own) as u64);
            spent += cost(own);
        }
        (pace.settled(rows, means(threads), || told_call), best * LAUNCHES as f64 / spent)
    }

    #[test]
    fn as_many_threads_as_pay_are_called_whatever_calling_seems_to_cost() {
        for told_call in [100, 5_000, 100_000] {
            for (rows, call) in [(20_000, 40_000.0), (1 << 20, 40_000.0), (1 << 20, 2_000.0), (1 << 26, 40_000.0)] {
                let cost = |threads: usize| rows as f64 / threads as f64 + call * (threads as f64).log2();
                let best = (0..5).map(|level| 1usize << level).min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
                let (own, share) = settled(16, rows, cost, told_call);
                assert!(cost(own) <= 1.05 * cost(best.unwrap_or(1)), "{own} for {rows} rows, {call}");
                assert!(share > 0.97, "{share} for {rows} rows, {call}, {told_call}");
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
        let pace = Pace::new(8);
        let cost = |threads: usize| rows as f64 / threads as f64 + call * (threads as f64).log2();
        let best = (0..=4).map(|level| cost(1 << level)).fold(f64::INFINITY, f64::min);
        let (mut random, mut spent) = (randoms(seed), 0.0);
        for _ in 0..launches {
            let own = pace.threads(rows, means(16), || 1_000);
            let longer = if random() < 0.2 { 1.0 + 19.0 * random() } else { 1.0 };
            pace.took(rows, own, (cost(own) * longer) as u64);
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

    /// Few launches of a new program on two threads, the first of them cold, one in ten of a thread's disturbed: whether it
    /// ends up with both, which take half as long.
    fn begun(launches: usize, seed: u64) -> bool {
        let (pace, rows) = (Pace::new(4), 2_000_000);
        let mut random = randoms(seed);
        for launch in 0..launches {
            let own = pace.threads(rows, means(2), || 3_000);
            let longer = (0..own).map(|_| if random() < 0.1 { 1.0 + 4.0 * random() } else { 1.0 }).fold(1.0, f64::max);
            let cold = if launch == 0 { 6.0 } else { 1.0 };
            let cost = 150_000.0 / own as f64 + if own > 1 { 5_000.0 } else { 0.0 };
            pace.took(rows, own, (cost * longer * cold) as u64);
        }
        pace.settled(rows, means(2), || 3_000) == 2
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
        let pace = Pace::new(4);
        let cost = |threads: usize, rows: usize| rows as u64 / 10 + if threads > 1 { 40_000 } else { 0 };
        for rows in [1 << 16, 1 << 15, 1 << 14, 1 << 13] {
            for _ in 0..10 {
                let threads = pace.threads(rows, means(16), || 1_000);
                pace.took(rows, threads, cost(threads, rows));
            }
            assert_eq!(pace.threads(rows, means(16), || 1_000), 1, "{rows}");
        }
    }

    /// Small launches are in the caches; that says nothing about one that is not.
    #[test]
    fn many_rows_are_not_tried_on_few_threads() {
        let pace = Pace::new(8);
        for rows in [1 << 12, 1 << 14, 1 << 16] {
            (0..10).for_each(|_| pace.took(rows, 1, rows as u64 / 20));
        }
        let rows = 100_000_000;
        for launch in 0..20 {
            let threads = pace.threads(rows, means(16), || 10_000);
            assert_eq!(threads, 16, "at launch {launch}");
            pace.took(rows, threads, 80_000_000 / threads as u64);
        }
    }

    #[test]
    fn what_changed_is_seen_again() {
        let (pace, rows) = (Pace::new(8), 1 << 20);
        let run = |cost: &dyn Fn(usize) -> u64, launches: u32| {
            for _ in 0..launches {
                let threads = pace.threads(rows, means(4), || 1_000);
                pace.took(rows, threads, cost(threads));
            }
            pace.threads(rows, means(4), || 1_000)
        };
        assert_eq!(run(&|threads| 1_000_000 + 50_000 * threads as u64, 4 * TRIES), 1);
        assert_eq!(run(&|threads| 1_000_000 / threads as u64, 40 * TRIES), 4);
    }

    #[test]
    fn what_took_one_thread_no_time_is_believed_to_take_longer_after_many() {
        let (pace, rows) = (Pace::new(8), 1 << 12);
        for launch in 0..120 {
            let threads = pace.threads(rows, means(16), || 1_000);
            pace.took(rows, threads, if launch < 20 { 500 } else { 80_000 / threads as u64 });
        }
        assert!(pace.settled(rows, means(16), || 1_000) > 1);
    }

    #[test]
    fn small_launches_are_neither_clocked_nor_shared() {
        let pace = Pace::new(8);
        assert!(pace.start(10).is_none() && pace.start(1 << CLOCKED_OCTAVE).is_some());
        assert_eq!(pace.threads(1_000, means(16), || panic!("nobody is called")), 1);
    }
}
