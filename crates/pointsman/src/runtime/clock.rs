//! The time a session goes by when it decides how long something holds: the system's, or a virtual one in tests.

use pointsman_device::sim::SimClock;
use std::time::{Duration, Instant};

/// A clock that counts from some moment on.
#[derive(Clone, Debug)]
pub(crate) enum Clock {
    /// The system's, counted from here.
    System(Instant),
    /// One that a test moves.
    Virtual(SimClock),
}

impl Clock {
    /// The time now.
    pub(crate) fn now(&self) -> Duration {
        match self {
            Clock::System(start) => start.elapsed(),
            Clock::Virtual(clock) => clock.now(),
        }
    }
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::System(Instant::now())
    }
}
