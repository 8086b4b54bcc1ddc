//! [`Parker`]: one thread waits; another wakes it or cancels the wait.

use super::clock::Clock;
use super::sync::{Condvar, Mutex};
use std::time::Duration;

/// The signal that a waiting thread received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// No signal yet; as the result of a wait, the time is over.
    None,
    /// The thread waits for nothing any more: it has its turn, or a result.
    Wake,
    /// The thread should stop waiting.
    Cancel,
}

/// A one-shot signal to a waiting thread: the first signal stays.
#[derive(Debug)]
pub(crate) struct Parker {
    signal: Mutex<Signal>,
    signalled: Condvar,
}

impl Parker {
    pub(crate) fn new() -> Parker {
        Parker { signal: Mutex::new(Signal::None), signalled: Condvar::new() }
    }

    /// Sets the signal, unless there is one, and wakes the thread. Returns the signal that is set now.
    pub(crate) fn signal(&self, new: Signal) -> Signal {
        let mut signal = self.signal.lock();
        if *signal == Signal::None {
            *signal = new;
            self.signalled.notify_all();
        }
        *signal
    }

    /// Waits for a signal, at most until this moment. Returns [`Signal::None`] if none arrived in time.
    pub(crate) fn wait(&self, clock: &dyn Clock, until: Option<Duration>) -> Signal {
        let mut signal = self.signal.lock();
        while *signal == Signal::None {
            signal = match until {
                None => self.signalled.wait(signal),
                Some(until) if clock.now() >= until => break,
                Some(until) => self.signalled.wait_timeout(signal, clock.nap(until)),
            };
        }
        *signal
    }
}
