//! How fast a program is on one thread: in go launches and the time they took, out comes a guess for the next one.

use crate::clock::Moment;
use std::sync::atomic::{AtomicU64, Ordering};

/// Launches of fewer rows are not clocked: they tell of calls, not of rows.
const CLOCKED_ROWS_MIN: usize = 2048;
/// What a byte of a row is taken to cost before anything is known, in nanoseconds.
const BYTE_NANOSECONDS: f64 = 0.05;
/// How much of a guess a new launch replaces.
const WEIGHT: f64 = 0.25;

/// A program's speed.
pub(super) struct Pace {
    row_bytes: usize,
    /// Nanoseconds of a row on one thread, as the bits of a double.
    row_nanoseconds: AtomicU64,
}

impl Pace {
    /// Of a program that reads and writes so many bytes a row.
    pub(super) fn new(row_bytes: usize) -> Pace {
        let row_bytes = row_bytes.max(1);
        Pace { row_bytes, row_nanoseconds: AtomicU64::new((row_bytes as f64 * BYTE_NANOSECONDS).to_bits()) }
    }

    /// The bytes that a row reads and writes, at least 1.
    pub(super) fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// How long these rows take one thread.
    pub(super) fn nanoseconds(&self, rows: usize) -> u64 {
        (f64::from_bits(self.row_nanoseconds.load(Ordering::Relaxed)) * rows as f64) as u64
    }

    /// The start of a launch worth clocking.
    pub(super) fn start(&self, rows: usize) -> Option<Moment> {
        (rows >= CLOCKED_ROWS_MIN).then(Moment::now)
    }

    /// Takes in a launch that has just ended, on so many threads.
    pub(super) fn note(&self, start: Moment, rows: usize, threads: usize) {
        let now = Moment::now().since(start) as f64 * threads as f64 / rows as f64;
        let before = f64::from_bits(self.row_nanoseconds.load(Ordering::Relaxed));
        // Two launches that end at once may lose one of their notes: it is a guess.
        self.row_nanoseconds.store((before + WEIGHT * (now - before)).to_bits(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_pace_follows_what_is_seen() {
        let pace = Pace::new(8);
        let before = pace.nanoseconds(1 << 20);
        assert!(before > 0 && pace.start(10).is_none());
        for _ in 0..50 {
            pace.note(pace.start(1 << 20).unwrap(), 1 << 20, 1);
        }
        assert!(pace.nanoseconds(1 << 20) < before / 2, "a launch of no time makes the guess small");
    }
}
