//! A virtual clock on which a test can wait until some thread waits for it.

use pointsman::Clock;
use pointsman_device::sim::SimClock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A virtual clock that counts the polls of waiting threads.
#[derive(Debug, Default)]
pub(crate) struct ObservableClock {
    pub(crate) time: SimClock,
    naps: AtomicUsize,
}

impl ObservableClock {
    /// Blocks until a thread waits for this clock from now on; earlier waits do not count.
    pub(crate) fn wait_for_waiter(&self) {
        let before = self.naps.load(Ordering::SeqCst);
        while self.naps.load(Ordering::SeqCst) == before {
            std::thread::yield_now();
        }
    }
}

impl Clock for ObservableClock {
    fn now(&self) -> Duration {
        self.time.now()
    }

    fn sleep(&self, time: Duration) {
        self.time.advance(time);
    }

    fn nap(&self, until: Duration) -> Duration {
        self.naps.fetch_add(1, Ordering::SeqCst);
        Clock::nap(&self.time, until)
    }
}
