//! Locks without poisoning: a thread that panics while it holds a lock does not take the lock from the others.
//!
//! Every value behind these locks is valid between any two statements, so the state that a panicking thread leaves can
//! be used. `resilience/` takes its locks from its own `sync` module, which `tests/interleavings` replaces.

use std::sync::{PoisonError, TryLockError};
use std::time::Duration;

pub(crate) use std::sync::MutexGuard;

/// A mutual-exclusion lock that ignores poisoning.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Mutex<T> {
        Mutex(std::sync::Mutex::new(value))
    }

    /// Waits for the lock.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lock if no thread holds it.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Accesses the value without locking; the exclusive borrow proves that no thread holds the lock.
    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A condition variable for [`Mutex`].
#[derive(Debug, Default)]
pub(crate) struct Condvar(std::sync::Condvar);

impl Condvar {
    pub(crate) const fn new() -> Condvar {
        Condvar(std::sync::Condvar::new())
    }

    /// Releases the lock until a notification arrives, then locks again. May wake without a notification.
    pub(crate) fn wait<'g, T>(&self, guard: MutexGuard<'g, T>) -> MutexGuard<'g, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// Like [`Condvar::wait`], for at most `timeout`.
    pub(crate) fn wait_timeout<'g, T>(&self, guard: MutexGuard<'g, T>, timeout: Duration) -> MutexGuard<'g, T> {
        self.0.wait_timeout(guard, timeout).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}
