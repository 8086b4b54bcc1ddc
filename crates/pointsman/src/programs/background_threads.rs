//! Threads behind callers' backs: started when there is work, and waited for when the session goes, but not for ever: a
//! compiler that never returns is left to itself. Its thread owns all that it touches.

use super::Programs;
use crate::resilience::clock::Clock;
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// Threads that were started and have not ended.
#[derive(Default)]
pub(super) struct BackgroundThreads(Arc<ThreadCount>);

#[derive(Default)]
struct ThreadCount {
    running: Mutex<usize>,
    ended: Condvar,
}

impl ThreadCount {
    fn lock(&self) -> MutexGuard<'_, usize> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread, until it ends.
struct Member(Arc<ThreadCount>);

impl Member {
    fn new(roll: &Arc<ThreadCount>) -> Member {
        *roll.lock() += 1;
        Member(roll.clone())
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        *self.0.lock() -= 1;
        self.0.ended.notify_all();
    }
}

impl BackgroundThreads {
    /// Starts a thread. The work is dropped if there can be none.
    pub(super) fn start(&self, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let member = Member::new(&self.0);
        let run = move || {
            // Last, whatever the work does: it may panic.
            let _member = member;
            work();
        };
        Builder::new().name(name.to_string()).spawn(run).map(drop)
    }

    /// How many threads have not ended.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        *self.0.lock()
    }

    /// Waits for all threads, those included that they start, at most as long as the patience lasts; how many are left.
    pub(super) fn join(&self, clock: &dyn Clock, patience: Duration) -> usize {
        let until = clock.now().saturating_add(patience);
        let mut running = self.0.lock();
        while *running > 0 && clock.now() < until {
            let nap = self.0.ended.wait_timeout(running, clock.nap(until));
            running = nap.unwrap_or_else(PoisonError::into_inner).0;
        }
        *running
    }
}

/// A session's hold on its programs: when it goes, work behind callers' backs is done before, or left to itself after
/// the session's patience.
pub(crate) struct ProgramsOwner {
    pub(super) programs: Arc<Programs>,
    pub(super) patience: Duration,
}

impl Deref for ProgramsOwner {
    type Target = Arc<Programs>;

    fn deref(&self) -> &Arc<Programs> {
        &self.programs
    }
}

impl Drop for ProgramsOwner {
    fn drop(&mut self) {
        let left = self.programs.crew.join(&*self.programs.clock, self.patience);
        if left > 0 {
            tracing::warn!(target: "pointsman", left, "compilations did not end in time and are left to themselves");
        }
    }
}
