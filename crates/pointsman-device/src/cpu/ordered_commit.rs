//! [`OrderedCommit`]: threads compute numbered tasks in any order and commit their results to a state in task order.
//!
//! Tickets are claimed in order, so a thread that waits to commit waits for tasks that other threads run now: some
//! thread always makes progress. A ticket that is dropped without a commit (its thread panicked) releases all waiters.

use crate::sync::{Condvar, Mutex};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often a thread polls before it sleeps: commits take less time than waking up.
const SPINS: usize = 4096;
/// The commit number after a ticket was lost.
const POISONED: usize = usize::MAX;

/// Numbered tasks and the state that they commit to.
pub(super) struct OrderedCommit<S> {
    count: usize,
    next: AtomicUsize,
    now: AtomicUsize,
    state: Mutex<CommitState<S>>,
    advanced: Condvar,
}

struct CommitState<S> {
    inner: S,
    waiters: usize,
}

impl<S> OrderedCommit<S> {
    /// Creates `count` tickets and the state before the first commit.
    pub(super) fn new(count: usize, state: S) -> OrderedCommit<S> {
        OrderedCommit {
            count,
            next: AtomicUsize::new(0),
            now: AtomicUsize::new(0),
            state: Mutex::new(CommitState { inner: state, waiters: 0 }),
            advanced: Condvar::new(),
        }
    }

    /// The next ticket; `None` if none is left or one was lost.
    pub(super) fn claim(&self) -> Option<CommitTicket<'_, S>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let is_there = number < self.count && self.now.load(Ordering::Relaxed) != POISONED;
        // Not `then_some`: that would create a ticket and drop it, and a dropped ticket counts as lost.
        is_there.then(|| CommitTicket { number, commits: self })
    }

    /// The state after the last commit.
    pub(super) fn into_state(self) -> S {
        self.state.into_inner().inner
    }

    fn advance(&self, state: &CommitState<S>, now: usize) {
        self.now.store(now, Ordering::Release);
        if state.waiters > 0 {
            self.advanced.notify_all();
        }
    }
}

/// A ticket for one task.
pub(super) struct CommitTicket<'a, S> {
    number: usize,
    commits: &'a OrderedCommit<S>,
}

impl<S> CommitTicket<'_, S> {
    /// The number of the task.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Waits until all earlier tasks have committed, then commits; `None` if one of them was lost.
    pub(super) fn commit<R>(self, f: impl FnOnce(&mut S) -> R) -> Option<R> {
        let commits = self.commits;
        let is_due = |now: usize| now == self.number || now == POISONED;
        let spun = (0..SPINS).find(|_| {
            std::hint::spin_loop();
            is_due(commits.now.load(Ordering::Acquire))
        });
        let mut state = commits.state.lock();
        if spun.is_none() {
            state.waiters += 1;
            let is_waiting = |_: &mut CommitState<S>| !is_due(commits.now.load(Ordering::Acquire));
            state = commits.advanced.wait_while(state, is_waiting);
            state.waiters -= 1;
        }
        if commits.now.load(Ordering::Acquire) == POISONED {
            return None;
        }
        let result = f(&mut state.inner);
        commits.advance(&state, self.number + 1);
        std::mem::forget(self);
        Some(result)
    }
}

impl<S> Drop for CommitTicket<'_, S> {
    fn drop(&mut self) {
        let state = self.commits.state.lock();
        self.commits.advance(&state, POISONED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn commits_happen_in_ticket_order() {
        for threads in [1, 2, 7] {
            let commits = OrderedCommit::new(500, Vec::new());
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        while let Some(ticket) = commits.claim() {
                            let number = ticket.number();
                            assert_eq!(ticket.commit(|order: &mut Vec<usize>| order.push(number)), Some(()));
                        }
                    });
                }
            });
            assert_eq!(commits.into_state(), (0..500).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_lost_ticket_releases_all_waiters() {
        let commits = OrderedCommit::new(10, ());
        let first = commits.claim().expect("there are ten");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| commits.claim().and_then(|ticket| ticket.commit(|()| ())));
            let lost = catch_unwind(AssertUnwindSafe(|| {
                let _ticket = first;
                panic!("planted");
            }));
            assert!(lost.is_err());
            assert_eq!(waiting.join().expect("it does not panic"), None);
        });
        assert!(commits.claim().is_none());
    }
}
