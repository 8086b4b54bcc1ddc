//! Work that threads do in any order but hand over in one: in go numbered shares, and each takes its turn at a state.
//!
//! Shares are claimed in order, so whoever waits for its turn waits for shares that other threads work on now: someone
//! always gets on. A share that is dropped without its turn (its thread panicked) ends the waiting of all others.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// How often a thread looks before it sleeps: turns are short, and waking up is not.
const LOOKS: usize = 4096;
/// The turn that never comes, once a share was lost.
const BROKEN: usize = usize::MAX;

/// Numbered shares and the state that they take turns at.
pub(super) struct Turns<S> {
    shares: usize,
    next: AtomicUsize,
    now: AtomicUsize,
    state: Mutex<State<S>>,
    moved: Condvar,
}

struct State<S> {
    inner: S,
    sleepers: usize,
}

impl<S> Turns<S> {
    /// So many shares, and the state before the first one's turn.
    pub(super) fn new(shares: usize, state: S) -> Turns<S> {
        Turns {
            shares,
            next: AtomicUsize::new(0),
            now: AtomicUsize::new(0),
            state: Mutex::new(State { inner: state, sleepers: 0 }),
            moved: Condvar::new(),
        }
    }

    /// The next share, if there is one left and none was lost.
    pub(super) fn claim(&self) -> Option<Share<'_, S>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let is_there = number < self.shares && self.now.load(Ordering::Relaxed) != BROKEN;
        // Not `then_some`: a share that is dropped counts as lost.
        is_there.then(|| Share { number, turns: self })
    }

    /// The state after the last turn.
    pub(super) fn into_state(self) -> S {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).inner
    }

    fn pass_on(&self, state: &State<S>, now: usize) {
        self.now.store(now, Ordering::Release);
        if state.sleepers > 0 {
            self.moved.notify_all();
        }
    }
}

/// A share that one thread works on.
pub(super) struct Share<'a, S> {
    number: usize,
    turns: &'a Turns<S>,
}

impl<S> Share<'_, S> {
    /// Its number.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Waits until all earlier shares had their turn, and takes its own; `None` if one of them was lost.
    pub(super) fn turn<R>(self, f: impl FnOnce(&mut S) -> R) -> Option<R> {
        let turns = self.turns;
        let came = |now: usize| now == self.number || now == BROKEN;
        let looks = (0..LOOKS).find(|_| {
            std::hint::spin_loop();
            came(turns.now.load(Ordering::Acquire))
        });
        let mut state = turns.state.lock().unwrap_or_else(PoisonError::into_inner);
        if looks.is_none() {
            state.sleepers += 1;
            let asleep = |_: &mut State<S>| !came(turns.now.load(Ordering::Acquire));
            state = turns.moved.wait_while(state, asleep).unwrap_or_else(PoisonError::into_inner);
            state.sleepers -= 1;
        }
        if turns.now.load(Ordering::Acquire) == BROKEN {
            return None;
        }
        let result = f(&mut state.inner);
        turns.pass_on(&state, self.number + 1);
        std::mem::forget(self);
        Some(result)
    }
}

impl<S> Drop for Share<'_, S> {
    fn drop(&mut self) {
        let state = self.turns.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.turns.pass_on(&state, BROKEN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn turns_come_in_order() {
        for threads in [1, 2, 7] {
            let turns = Turns::new(500, Vec::new());
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        while let Some(share) = turns.claim() {
                            let number = share.number();
                            assert_eq!(share.turn(|order: &mut Vec<usize>| order.push(number)), Some(()));
                        }
                    });
                }
            });
            assert_eq!(turns.into_state(), (0..500).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_lost_share_leaves_nobody_waiting() {
        let turns = Turns::new(10, ());
        let first = turns.claim().expect("there are ten");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.claim().and_then(|share| share.turn(|()| ())));
            let lost = catch_unwind(AssertUnwindSafe(|| {
                let _share = first;
                panic!("planted");
            }));
            assert!(lost.is_err());
            assert_eq!(waiting.join().expect("it does not panic"), None);
        });
        assert!(turns.claim().is_none());
    }
}
