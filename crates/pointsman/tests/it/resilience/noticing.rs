//! A clock that tells a test when someone waits for it.

use pointsman::Clock;
use pointsman_device::sim::SimClock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Virtual time that notices who waits for it.
#[derive(Debug, Default)]
pub(crate) struct Noticing {
    pub(crate) time: SimClock,
    naps: AtomicUsize,
}

impl Noticing {
    /// Waits until someone waits for this clock, and not only has waited.
    pub(crate) fn until_awaited(&self) {
        let before = self.naps.load(Ordering::SeqCst);
        while self.naps.load(Ordering::SeqCst) == before {
            std::thread::yield_now();
        }
    }
}

impl Clock for Noticing {
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
