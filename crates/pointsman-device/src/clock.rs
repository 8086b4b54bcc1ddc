//! [`FastInstant`]: timestamps cheap enough to take several in a query of a few hundred nanoseconds.
//!
//! If the operating system keeps time by the processor's time-stamp counter, the counter is read directly; otherwise
//! the clock of the operating system is used.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The measured rate of the counter is accurate enough to be kept after this time.
const RATE_KNOWN_AFTER: Duration = Duration::from_millis(50);

/// How often both clocks are read to find a pair of simultaneous readings.
const CLOCK_READINGS: usize = 5;

/// A point in time of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FastInstant(u64);

impl FastInstant {
    /// The current time.
    #[inline]
    pub fn now() -> FastInstant {
        FastInstant(Clock::get().read())
    }

    /// A pseudo-random number that differs between almost any two times, in its lowest bits too.
    pub fn pseudo_random(self) -> u64 {
        // Counters move in steps: the multiplication carries the bits that change into the upper half (Knuth, Fibonacci
        // hashing).
        self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32
    }

    /// The nanoseconds from an earlier time to this one; 0 if `earlier` is not earlier.
    #[inline]
    pub fn since(self, earlier: FastInstant) -> u64 {
        Clock::get().nanoseconds(self.0.saturating_sub(earlier.0))
    }
}

struct Clock {
    /// Whether times count the processor's ticks; otherwise they count nanoseconds.
    ticks: bool,
    start: Instant,
    start_ticks: u64,
    /// Nanoseconds per tick in units of 2^-32; 0 until the measurement is accurate enough.
    rate: AtomicU64,
}

impl Clock {
    #[inline]
    fn get() -> &'static Clock {
        static CLOCK: OnceLock<Clock> = OnceLock::new();
        CLOCK.get_or_init(|| {
            let (start, start_ticks) = read_both_clocks();
            Clock { ticks: counter_keeps_time(), start, start_ticks, rate: AtomicU64::new(0) }
        })
    }

    #[inline]
    fn read(&self) -> u64 {
        if self.ticks { counter() } else { self.start.elapsed().as_nanos() as u64 }
    }

    #[inline]
    fn nanoseconds(&self, span: u64) -> u64 {
        if !self.ticks {
            return span;
        }
        let known = self.rate.load(Ordering::Relaxed);
        let rate = if known == 0 { self.measure_rate() } else { known };
        ((u128::from(span) * u128::from(rate)) >> 32) as u64
    }

    /// Nanoseconds per tick in units of 2^-32, as accurate as measured so far.
    #[cold]
    fn measure_rate(&self) -> u64 {
        let (now, ticks) = read_both_clocks();
        let (elapsed, ticks) = (now - self.start, ticks.saturating_sub(self.start_ticks).max(1));
        let rate = (elapsed.as_nanos() as f64 / ticks as f64 * (1u64 << 32) as f64) as u64;
        if elapsed >= RATE_KNOWN_AFTER {
            self.rate.store(rate, Ordering::Relaxed);
        }
        rate
    }
}

/// A simultaneous reading of the system time and the counter: the closest of a few pairs, since a thread may be
/// preempted between the two.
fn read_both_clocks() -> (Instant, u64) {
    let reading = || {
        let before = counter();
        let now = Instant::now();
        let after = counter();
        (after.saturating_sub(before), now, before + after.saturating_sub(before) / 2)
    };
    let (_, now, ticks) =
        (0..CLOCK_READINGS).map(|_| reading()).min_by_key(|(apart, ..)| *apart).unwrap_or_else(reading);
    (now, ticks)
}

/// Whether the operating system trusts the processor's counter to keep time.
fn counter_keeps_time() -> bool {
    let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let source = std::fs::read_to_string(source).unwrap_or_default();
    cfg!(all(target_os = "linux", target_arch = "x86_64")) && source.trim() == "tsc"
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn counter() -> u64 {
    // SAFETY: every processor of this architecture has the counter, and reading it changes nothing.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether both clocks agree on a time span; they may not if the thread is preempted between two readings.
    fn agree(milliseconds: u64) -> bool {
        let (from, start) = (FastInstant::now(), Instant::now());
        std::thread::sleep(Duration::from_millis(milliseconds));
        let (to, elapsed) = (FastInstant::now(), start.elapsed());
        assert_eq!(from.since(to), 0);
        Duration::from_nanos(to.since(from)).abs_diff(elapsed) < elapsed / 50
    }

    #[test]
    fn fast_instants_agree_with_the_system_clock() {
        for milliseconds in [5, 80] {
            assert!((0..20).any(|_| agree(milliseconds)), "in none of 20 spans of {milliseconds} ms");
        }
    }
}
