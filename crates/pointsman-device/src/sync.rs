//! Locks without poisoning: if a thread panics while it holds a lock, the next thread gets the data as they are.
//!
//! They have the interface of `std::sync`, without its `Result`s.

use std::sync;
use std::time::Duration;

pub use std::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

fn recover<G>(result: Result<G, sync::PoisonError<G>>) -> G {
    result.unwrap_or_else(sync::PoisonError::into_inner)
}

/// A mutual exclusion lock without poisoning.
#[derive(Debug, Default)]
pub struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// Creates an unlocked mutex.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        recover(self.0.lock())
    }

    /// Takes the lock if it is free.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(sync::TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(sync::TryLockError::WouldBlock) => None,
        }
    }

    /// The value, borrowed without locking.
    pub fn get_mut(&mut self) -> &mut T {
        recover(self.0.get_mut())
    }

    /// The value.
    pub fn into_inner(self) -> T {
        recover(self.0.into_inner())
    }
}

/// A condition variable for [`Mutex`].
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    /// Creates a condition variable without waiters.
    pub const fn new() -> Condvar {
        Condvar(sync::Condvar::new())
    }

    /// Releases the lock and waits for a notification; may wake up without one.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        recover(self.0.wait(guard))
    }

    /// Waits while the condition holds.
    pub fn wait_while<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        condition: impl FnMut(&mut T) -> bool,
    ) -> MutexGuard<'a, T> {
        recover(self.0.wait_while(guard, condition))
    }

    /// Releases the lock and waits for a notification, at most for `timeout`; may wake up without one.
    pub fn wait_timeout<'a, T>(&self, guard: MutexGuard<'a, T>, timeout: Duration) -> MutexGuard<'a, T> {
        recover(self.0.wait_timeout(guard, timeout)).0
    }

    /// Waits while the condition holds, at most for `timeout`.
    pub fn wait_timeout_while<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
        condition: impl FnMut(&mut T) -> bool,
    ) -> MutexGuard<'a, T> {
        recover(self.0.wait_timeout_while(guard, timeout, condition)).0
    }

    /// Wakes one waiter.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Wakes all waiters.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// A reader-writer lock without poisoning.
#[derive(Debug, Default)]
pub struct RwLock<T>(sync::RwLock<T>);

impl<T> RwLock<T> {
    /// Creates an unlocked lock.
    pub const fn new(value: T) -> RwLock<T> {
        RwLock(sync::RwLock::new(value))
    }

    /// Waits for shared access.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        recover(self.0.read())
    }

    /// Waits for exclusive access.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        recover(self.0.write())
    }

    /// The value, borrowed without locking.
    pub fn get_mut(&mut self) -> &mut T {
        recover(self.0.get_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn locks_are_usable_after_a_panic() {
        let (mutex, lock) = (Mutex::new(1), RwLock::new(2));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let (_mutex, _lock) = (mutex.lock(), lock.write());
            panic!("planted");
        }));
        assert!(panicked.is_err() && mutex.try_lock().is_some());
        assert_eq!((*mutex.lock(), *lock.read()), (1, 2));
        assert_eq!(*lock.write(), 2);
        assert_eq!((mutex.into_inner(), { lock }.get_mut()), (1, &mut 2));
    }
}
