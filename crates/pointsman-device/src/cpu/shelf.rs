//! Things that threads borrow and put back: in goes a thing that is done with, out comes one that nobody uses.
//!
//! The last one put back is handed over without a lock: a small launch takes one and puts it back, and nothing else.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

/// Things that nobody uses now.
pub(super) struct Shelf<T> {
    /// Owned; null if there is none.
    first: AtomicPtr<T>,
    others: Mutex<Vec<Box<T>>>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Shelf<T> {
        Shelf { first: AtomicPtr::new(ptr::null_mut()), others: Mutex::default() }
    }
}

impl<T> Shelf<T> {
    /// A thing that nobody else uses, made if there is none.
    pub(super) fn take(&self, make: impl FnOnce() -> T) -> Box<T> {
        let first = self.first.swap(ptr::null_mut(), Ordering::Acquire);
        if !first.is_null() {
            // SAFETY: `put` made the pointer from a box, and the swap took it off the shelf: nobody else has it.
            return unsafe { Box::from_raw(first) };
        }
        let other = self.others.lock().unwrap_or_else(PoisonError::into_inner).pop();
        other.unwrap_or_else(|| Box::new(make()))
    }

    /// Puts a thing on the shelf.
    pub(super) fn put(&self, thing: Box<T>) {
        let thing = Box::into_raw(thing);
        if self.first.compare_exchange(ptr::null_mut(), thing, Ordering::Release, Ordering::Relaxed).is_err() {
            // SAFETY: the pointer was just made from a box, and the shelf did not take it.
            let thing = unsafe { Box::from_raw(thing) };
            self.others.lock().unwrap_or_else(PoisonError::into_inner).push(thing);
        }
    }
}

impl<T> Drop for Shelf<T> {
    fn drop(&mut self) {
        let first = *self.first.get_mut();
        if !first.is_null() {
            // SAFETY: as in `take`; nobody else refers to the shelf.
            drop(unsafe { Box::from_raw(first) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn things_are_made_only_when_none_is_left() {
        let (shelf, made) = (Shelf::default(), AtomicUsize::new(0));
        let take = || shelf.take(|| made.fetch_add(1, Ordering::Relaxed));
        let (one, two) = (take(), take());
        shelf.put(one);
        shelf.put(two);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..1000).for_each(|_| shelf.put(take())));
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 2);
    }
}
