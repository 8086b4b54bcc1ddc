//! [`DriverLock`]: serialises calls into a driver, so that threads with a limit can stop waiting.
//!
//! A driver may take seconds to return: it compiles or runs commands inside a submission, or waits for running kernels
//! before it loads a program. Other threads' calls would block inside the driver until then. Threads wait for this lock
//! instead, which returns an error once their [`call_limit`] has passed.

use crate::call_limit::{self, LIMIT_INTERVAL};
use crate::sync::{Condvar, Mutex};
use crate::{DeviceError, DeviceErrorKind, DeviceResult};

/// A lock that a thread waits for within its [`call_limit`].
#[derive(Default)]
pub(crate) struct DriverLock {
    is_held: Mutex<bool>,
    released: Condvar,
}

/// Releases the lock when dropped.
pub(crate) struct DriverGuard<'a>(&'a DriverLock);

impl Drop for DriverGuard<'_> {
    fn drop(&mut self) {
        *self.0.is_held.lock() = false;
        self.0.released.notify_one();
    }
}

impl DriverLock {
    /// Waits for the lock; returns [`DeviceErrorKind::Expired`] if this thread's limit passes first.
    pub(crate) fn acquire(&self) -> DeviceResult<DriverGuard<'_>> {
        let mut is_held = self.is_held.lock();
        while *is_held {
            if call_limit::is_over() {
                let text = "the driver did not return in time from a call of another thread";
                return Err(DeviceError::new(DeviceErrorKind::Expired, text));
            }
            is_held = self.released.wait_timeout(is_held, LIMIT_INTERVAL);
        }
        *is_held = true;
        Ok(DriverGuard(self))
    }

    /// Takes the lock if no thread holds it.
    #[cfg(feature = "cuda")]
    pub(crate) fn try_acquire(&self) -> Option<DriverGuard<'_>> {
        let mut is_held = self.is_held.lock();
        let was_held = std::mem::replace(&mut *is_held, true);
        (!was_held).then(|| DriverGuard(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_limit::CallLimit;
    use std::time::{Duration, Instant};

    #[test]
    fn a_waiting_thread_gives_up_when_its_limit_is_over() {
        let lock = DriverLock::default();
        let held = lock.acquire().expect("it is free");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let until = Some(Instant::now() + Duration::from_millis(20));
                let _limit = call_limit::set(CallLimit { until, is_cancelled: None });
                lock.acquire().map(drop)
            });
            let refused = waiting.join().expect("no panic").expect_err("the lock is held");
            assert_eq!(refused.kind, DeviceErrorKind::Expired, "{refused}");
            let waiting = scope.spawn(|| lock.acquire().map(drop));
            drop(held);
            waiting.join().expect("no panic").expect("it was released");
        });
        assert!(lock.acquire().is_ok());
    }
}
