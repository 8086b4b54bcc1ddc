//! How long this thread's calls into a driver may wait for other calls.
//!
//! A driver may take seconds to return from a call that queues work, and other threads' calls wait for it. A thread
//! that works for a query with a deadline or a token sets a limit first; a call that waits then returns a timeout once
//! the limit is over.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::time::{Duration, Instant};

/// How often a call that waits looks at its limit.
pub const LIMIT_INTERVAL: Duration = Duration::from_millis(5);

/// When calls of a thread stop waiting.
pub struct CallLimit {
    /// When waiting ends; `None` if only cancellation ends it.
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

/// Whether the limit of this thread is over.
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
