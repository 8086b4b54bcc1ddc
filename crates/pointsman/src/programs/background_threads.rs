//! [`BackgroundThreads`]: threads that compile and store programs for callers that do not wait for them.
//!
//! A dropped session waits for its threads up to a timeout, and not at all for a compiler that counts as hung. A
//! compiler that never returns is abandoned, which is safe: its thread owns everything that it uses.

use super::Programs;
use crate::resilience::clock::Clock;
use crate::sync::{Condvar, Mutex};
use std::io;
use std::ops::Deref;
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

/// The threads that have started and not yet ended.
#[derive(Default)]
pub(super) struct BackgroundThreads(Arc<ThreadCount>);

#[derive(Default)]
struct ThreadCount {
    running: Mutex<usize>,
    ended: Condvar,
}

/// Counts a thread as running until it is dropped.
struct ThreadGuard(Arc<ThreadCount>);

impl Drop for ThreadGuard {
    fn drop(&mut self) {
        *self.0.running.lock() -= 1;
        self.0.ended.notify_all();
    }
}

impl BackgroundThreads {
    /// Starts a thread. If the system refuses one, the work is dropped.
    pub(super) fn start(&self, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        *self.0.running.lock() += 1;
        let guard = ThreadGuard(self.0.clone());
        let run = move || {
            // Dropped last, even if the work panics.
            let _guard = guard;
            work();
        };
        Builder::new().name(name.to_string()).spawn(run).map(drop)
    }

    /// Waits until no more than `hung` threads, including those that they start, run or `timeout` has passed. Returns
    /// the number of threads that still run.
    pub(super) fn join(&self, clock: &dyn Clock, timeout: Duration, hung: usize) -> usize {
        let until = clock.now().saturating_add(timeout);
        let mut running = self.0.running.lock();
        while *running > hung && clock.now() < until {
            running = self.0.ended.wait_timeout(running, clock.nap(until));
        }
        *running
    }
}

/// The session's ownership of its programs. Dropping it waits for background threads up to a timeout.
pub(crate) struct ProgramsOwner(pub(super) Arc<Programs>);

impl Deref for ProgramsOwner {
    type Target = Arc<Programs>;

    fn deref(&self) -> &Arc<Programs> {
        &self.0
    }
}

impl Drop for ProgramsOwner {
    fn drop(&mut self) {
        let Programs { clock, threads, single_flight, limits, .. } = &*self.0;
        // A driver that has not returned for so long will not return because someone waits.
        let hung = single_flight.overdue(None, clock.now(), limits.compile_timeout);
        let left = threads.join(&**clock, limits.drop_timeout, hung);
        if left > 0 {
            tracing::warn!(target: "pointsman", left, "compilations did not end in time and are abandoned");
        }
    }
}
