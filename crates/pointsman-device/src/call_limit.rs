//! Limits how long the calling thread waits for other threads' calls into a driver.
//!
//! A driver may take seconds to return from a call that queues work, and calls of other threads wait until it returns.
//! A thread that works for a query with a deadline or a cancellation token sets a limit with [`set`]; a call that is
//! still waiting when the limit has passed returns [`DeviceErrorKind::Expired`](crate::DeviceErrorKind::Expired).

use std::cell::RefCell;
use std::marker::PhantomData;
use std::time::{Duration, Instant};

/// How often a waiting call checks its limit.
pub const LIMIT_INTERVAL: Duration = Duration::from_millis(5);

/// The limit on the waits of a thread's calls: a time, a cancellation, or both.
pub struct CallLimit {
    /// The time at which waiting ends; `None` if only cancellation ends it.
    pub until: Option<Instant>,
    /// Whether the work was cancelled.
    pub is_cancelled: Option<Box<dyn Fn() -> bool>>,
}

thread_local! {
    static LIMIT: RefCell<Option<CallLimit>> = const { RefCell::new(None) };
}

/// Restores the previous limit of this thread when dropped.
pub struct LimitScope {
    before: Option<CallLimit>,
    /// Makes the guard `!Send`.
    thread: PhantomData<*const ()>,
}

impl Drop for LimitScope {
    fn drop(&mut self) {
        LIMIT.with_borrow_mut(|limit| *limit = self.before.take());
    }
}

/// Sets the limit of this thread.
#[must_use = "the limit holds until the value is dropped"]
pub fn set(limit: CallLimit) -> LimitScope {
    LimitScope { before: LIMIT.replace(Some(limit)), thread: PhantomData }
}

/// Whether this thread has a limit.
pub fn is_set() -> bool {
    LIMIT.with_borrow(Option::is_some)
}

/// Whether this thread has a limit that has passed or was cancelled.
pub fn is_over() -> bool {
    LIMIT.with_borrow(|limit| {
        limit.as_ref().is_some_and(|limit| {
            limit.until.is_some_and(|until| Instant::now() >= until)
                || limit.is_cancelled.as_ref().is_some_and(|is_cancelled| is_cancelled())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_until_its_scope_ends() {
        assert!(!is_set() && !is_over());
        let later = set(CallLimit { until: Some(Instant::now() + Duration::from_secs(600)), is_cancelled: None });
        assert!(is_set() && !is_over());
        let cancelled = set(CallLimit { until: None, is_cancelled: Some(Box::new(|| true)) });
        assert!(is_over());
        drop(cancelled);
        assert!(is_set() && !is_over());
        let passed = set(CallLimit { until: Some(Instant::now()), is_cancelled: None });
        assert!(is_over() && std::thread::spawn(|| !is_set()).join().expect("no panic"));
        drop((passed, later));
        assert!(!is_set());
    }
}
