//! [`Clock`]: the time source of deadlines, breakers and retries. Tests pass a virtual one that advances on demand.

use pointsman_device::sim::SimClock;
use std::fmt::Debug;
use std::time::{Duration, Instant};

/// How often a thread that waits for a virtual clock polls it, in real time.
const VIRTUAL_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The clock of a session: the time, and a way to let it pass. [`SessionOptions::clock`](crate::SessionOptions::clock)
/// sets one.
pub trait Clock: Debug + Send + Sync {
    /// The time since the clock's own beginning.
    fn now(&self) -> Duration;

    /// Waits for `time`. Waits that a signal may end use [`Clock::nap`] instead.
    fn sleep(&self, time: Duration);

    /// How long a thread may wait for a signal, in real time, before it must ask whether this moment has come.
    fn nap(&self, until: Duration) -> Duration;

    /// Announces `threads` threads that will work at once, each between [`Clock::begin`] and [`Clock::end`]. Real time
    /// ignores this; a virtual clock lets them continue one at a time, in the order of the moments that they wait for.
    fn gather(&self, _threads: usize) {}

    /// This thread begins, as the one of this number.
    fn begin(&self, _number: usize) {}

    /// The thread of this number is done, or will not begin.
    fn end(&self, _number: usize) {}
}

/// The system's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Creates a clock whose zero is now.
    pub(crate) fn start() -> SystemClock {
        SystemClock { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn nap(&self, until: Duration) -> Duration {
        until.saturating_sub(self.now())
    }
}

/// Virtual time: sleeping advances it.
impl Clock for SimClock {
    fn now(&self) -> Duration {
        SimClock::now(self)
    }

    fn sleep(&self, time: Duration) {
        self.advance(time);
    }

    fn nap(&self, _until: Duration) -> Duration {
        VIRTUAL_POLL_INTERVAL
    }

    fn gather(&self, threads: usize) {
        SimClock::expect_threads(self, threads);
    }

    fn begin(&self, number: usize) {
        SimClock::begin_thread(self, number);
    }

    fn end(&self, number: usize) {
        SimClock::end_thread(self, number);
    }
}
