//! Threads of calls: loops that run on the caller's threads and stop when they are told to.

use super::memory::{NoMemory, SharedSlice};
use bytemuck::Pod;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Runs a function for the numbers below the first argument, on all threads, and returns when all of them are done.
pub(crate) type Fork<'a> = &'a (dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Sync);

/// The threads that a call runs on.
pub(crate) struct CallThreads<'a> {
    /// How many threads there are; 0 is treated as 1.
    pub(crate) threads: usize,
    /// Runs tasks on them.
    pub(crate) fork: Fork<'a>,
    /// Whether the call should go on. Once false, it stays so.
    pub(crate) should_continue: &'a (dyn Fn() -> bool + Sync),
    /// Is told of rows of the input whose results are complete.
    pub(crate) rows_done: &'a (dyn Fn(u64) + Sync),
}

/// The call was told to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped;

/// Why a call ended early.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ended {
    NoMemory,
    Stopped,
}

impl From<NoMemory> for Ended {
    fn from(NoMemory: NoMemory) -> Ended {
        Ended::NoMemory
    }
}

impl From<Stopped> for Ended {
    fn from(Stopped: Stopped) -> Ended {
        Ended::Stopped
    }
}

/// The smallest page of memory that systems provide.
const PAGE_BYTES: usize = 4096;
/// Between two questions whether to continue, a call has the system provide at most about this much memory per thread.
pub(super) const FRESH_BYTES_MAX: usize = 1 << 20;
/// Memory of at most this many bytes is provided in a few milliseconds.
const UNTOUCHED_BYTES_MAX: usize = 16 << 20;

/// One state per thread.
pub(super) struct PerThread<S>(Vec<Mutex<S>>);

impl PerThread<()> {
    /// Threads without a state.
    pub(super) fn none(threads: &CallThreads<'_>) -> PerThread<()> {
        PerThread((0..threads.threads.max(1)).map(|_| Mutex::new(())).collect())
    }
}

impl<S: Send> PerThread<S> {
    /// Makes a state for each thread that can have one of this many tasks.
    pub(super) fn new<E>(
        threads: &CallThreads<'_>,
        tasks: usize,
        mut make: impl FnMut() -> Result<S, E>,
    ) -> Result<PerThread<S>, E> {
        let count = threads.threads.max(1).min(tasks.max(1));
        (0..count).map(|_| make().map(Mutex::new)).collect::<Result<_, E>>().map(PerThread)
    }
}

impl CallThreads<'_> {
    /// Runs `task` for the numbers below `tasks`, in any order, each with the state of its thread. `rows`: how many rows of
    /// the input the loop completes.
    pub(super) fn for_each<S: Send>(
        &self,
        tasks: usize,
        rows: usize,
        states: &PerThread<S>,
        task: impl Fn(&mut S, usize) + Sync,
    ) -> Result<(), Stopped> {
        let next = AtomicUsize::new(0);
        let stopped = AtomicBool::new(false);
        let thread = |number: usize| {
            // A number runs once, so nothing waits for this lock.
            let mut state = states.0[number].lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= tasks {
                    return;
                }
                if stopped.load(Ordering::Relaxed) || !(self.should_continue)() {
                    stopped.store(true, Ordering::Relaxed);
                    return;
                }
                task(&mut state, number);
                let rows_before = |number: usize| (rows as u128 * number as u128 / tasks as u128) as u64;
                match rows_before(number + 1) - rows_before(number) {
                    0 => {}
                    rows => (self.rows_done)(rows),
                }
            }
        };
        match states.0.len().min(tasks) {
            0 => {}
            1 => thread(0),
            threads => (self.fork)(threads, &thread),
        }
        // A task that was told to stop may have returned early.
        if stopped.into_inner() || !(self.should_continue)() { Err(Stopped) } else { Ok(()) }
    }

    /// Writes to each page of a large slice, whose contents become arbitrary. The system provides memory when it is first
    /// written to, which can take a millisecond for a huge page. A loop whose tasks write all over a slice would spend the time
    /// of the whole slice in its first task, where nothing asks whether to continue. If the call is stopped meanwhile, the next
    /// loop notices.
    pub(super) fn touch<V: Pod + Send>(&self, values: &mut [V]) {
        if size_of_val(values) <= UNTOUCHED_BYTES_MAX {
            return;
        }
        let (page, count) = ((PAGE_BYTES / size_of::<V>()).max(1), values.len());
        let values = SharedSlice::new(values);
        let each = page * (FRESH_BYTES_MAX / PAGE_BYTES);
        let _: Result<(), Stopped> = self.for_ranges(count, each, 0, &PerThread::none(self), |(), range| {
            for place in range.step_by(page) {
                // SAFETY: ranges do not overlap.
                unsafe { values.write(place, &[V::zeroed()]) };
            }
        });
    }

    /// Runs `task` for ranges of at most `each` numbers that together are those below `count`. See [`CallThreads::for_each`].
    pub(super) fn for_ranges<S: Send>(
        &self,
        count: usize,
        each: usize,
        rows: usize,
        states: &PerThread<S>,
        task: impl Fn(&mut S, Range<usize>) + Sync,
    ) -> Result<(), Stopped> {
        self.for_each(count.div_ceil(each), rows, states, |state, number| {
            let start = number * each;
            task(state, start..count.min(start + each));
        })
    }
}
