//! [`ObjectPool`]: objects that threads borrow and return, created when none is free.
//!
//! The object that was returned last is handed out without a lock: a small launch takes one object and returns it, and
//! nothing else.

use crate::sync::Mutex;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Objects that no thread uses.
pub(super) struct ObjectPool<T> {
    /// Owned; null if there is none.
    first: AtomicPtr<T>,
    others: Mutex<Vec<Box<T>>>,
}

impl<T> Default for ObjectPool<T> {
    fn default() -> ObjectPool<T> {
        ObjectPool { first: AtomicPtr::new(ptr::null_mut()), others: Mutex::default() }
    }
}

impl<T> ObjectPool<T> {
    /// Takes an object, or makes one if none is free.
    pub(super) fn take(&self, make: impl FnOnce() -> T) -> Box<T> {
        let first = self.first.swap(ptr::null_mut(), Ordering::Acquire);
        if !first.is_null() {
            // SAFETY: `put` made the pointer from a box, and the swap removed it from the pool: nothing else has it.
            return unsafe { Box::from_raw(first) };
        }
        let other = self.others.lock().pop();
        other.unwrap_or_else(|| Box::new(make()))
    }

    /// Returns an object to the pool.
    pub(super) fn put(&self, object: Box<T>) {
        let object = Box::into_raw(object);
        if self.first.compare_exchange(ptr::null_mut(), object, Ordering::Release, Ordering::Relaxed).is_err() {
            // SAFETY: the pointer was just made from a box, and the pool did not take it.
            let object = unsafe { Box::from_raw(object) };
            self.others.lock().push(object);
        }
    }
}

impl<T> Drop for ObjectPool<T> {
    fn drop(&mut self) {
        let first = *self.first.get_mut();
        if !first.is_null() {
            // SAFETY: as in `take`; nothing else refers to the pool.
            drop(unsafe { Box::from_raw(first) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn objects_are_created_only_when_none_is_free() {
        let (pool, made) = (ObjectPool::default(), AtomicUsize::new(0));
        let take = || pool.take(|| made.fetch_add(1, Ordering::Relaxed));
        let (one, two) = (take(), take());
        pool.put(one);
        pool.put(two);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..1000).for_each(|_| pool.put(take())));
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 2);
    }
}
