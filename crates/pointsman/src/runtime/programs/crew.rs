//! Threads behind callers' backs: started when there is work, and waited for when the session goes.

use super::Programs;
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Threads that were started and not yet waited for.
#[derive(Default)]
pub(super) struct Crew(Mutex<Vec<JoinHandle<()>>>);

impl Crew {
    fn lock(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a thread. The work is dropped if there can be none.
    pub(super) fn start(&self, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let handle = Builder::new().name(name.to_string()).spawn(work)?;
        let mut handles = self.lock();
        handles.retain(|handle| !handle.is_finished());
        handles.push(handle);
        Ok(())
    }

    /// How many threads nobody waits for yet.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Waits for all threads, those included that they start.
    pub(super) fn join(&self) {
        loop {
            // The list is free while one is waited for: it may start another.
            let handle = self.lock().pop();
            match handle {
                // What a thread panicked with was told to those who asked for its work.
                Some(handle) => drop(handle.join()),
                None => return,
            }
        }
    }
}

/// A session's hold on its programs: when it goes, all work behind callers' backs is done before.
pub(crate) struct Keeper(pub(super) Arc<Programs>);

impl Deref for Keeper {
    type Target = Arc<Programs>;

    fn deref(&self) -> &Arc<Programs> {
        &self.0
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.0.crew.join();
    }
}
