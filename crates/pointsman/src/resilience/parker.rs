//! [`Parker`]: one thread waits at it; another tells it that its turn has come, or that it should stop waiting.

use super::clock::Clock;
use super::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a bell told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Nothing so far.
    Nothing,
    /// It is its turn.
    Turn,
    /// It should stop waiting.
    Stop,
}

/// Rings once: what it told first, it tells for ever.
#[derive(Debug)]
pub(crate) struct Parker {
    told: Mutex<Signal>,
    ring: Condvar,
}

impl Parker {
    pub(crate) fn new() -> Parker {
        Parker { told: Mutex::new(Signal::Nothing), ring: Condvar::new() }
    }

    /// Tells this, unless something was told before; what the bell tells from now on.
    pub(crate) fn tell(&self, news: Signal) -> Signal {
        let mut told = self.lock();
        if *told == Signal::Nothing {
            *told = news;
            self.ring.notify_all();
        }
        *told
    }

    /// Waits for the bell, until this moment at most; what it told by then.
    pub(crate) fn wait(&self, clock: &dyn Clock, until: Option<Duration>) -> Signal {
        let mut told = self.lock();
        while *told == Signal::Nothing {
            told = match until {
                None => self.ring.wait(told).unwrap_or_else(PoisonError::into_inner),
                Some(until) if clock.now() >= until => break,
                Some(until) => {
                    let nap = self.ring.wait_timeout(told, clock.nap(until));
                    nap.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        *told
    }

    fn lock(&self) -> MutexGuard<'_, Signal> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
