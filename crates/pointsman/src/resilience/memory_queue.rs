//! [`MemoryQueue`]: reserves bytes of a device's memory for queries before they run; first come, first served.
//!
//! A query reserves once and holds nothing while it waits, so no holder of bytes waits for another: there is no
//! deadlock. The first waiter stays first until it is served, so no later query overtakes it, however little it needs.
//! **No waiter is forgotten**: a query waits only while others hold bytes, and every query that releases bytes, or
//! leaves the queue, wakes the first waiter.

use super::gate::{WaitError, WaitLimit};
use super::parker::{Parker, Signal};
use super::sync::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;

/// The reservations of a device's memory, and the queries that wait for one.
#[derive(Debug, Default)]
pub(crate) struct MemoryQueue {
    state: Mutex<QueueState>,
}

#[derive(Debug, Default)]
struct QueueState {
    /// Without the number of waiters.
    counts: QueueCounters,
    waiters: VecDeque<MemoryWaiter>,
    arrivals: u64,
}

#[derive(Debug)]
struct MemoryWaiter {
    /// The arrival number: earlier callers have smaller ones.
    number: u64,
    parker: Arc<Parker>,
    /// The number of later callers that were served before this one.
    overtaken: u64,
}

/// The state of a [`MemoryQueue`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueCounters {
    /// Reserved bytes.
    pub(crate) reserved: u64,
    /// The number of reservations.
    pub(crate) reservations: usize,
    /// The number of waiting callers.
    pub(crate) waiting: usize,
    /// The number of callers that have waited so far.
    pub(crate) waits: u64,
    /// The maximum number of later callers that were served before an earlier one.
    pub(crate) overtaken_max: u64,
}

/// Reserved bytes, released when the reservation is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct Reservation<'q> {
    queue: &'q MemoryQueue,
    pub(crate) bytes: u64,
    /// Whether the caller had to wait.
    pub(crate) waited: bool,
}

impl MemoryQueue {
    /// Reserves the bytes that `request` returns when it is this caller's turn, with any value that belongs to them.
    /// The caller waits while `request` returns `None`. `request` is called under the lock, possibly several times, and
    /// must return a size if there are no reservations.
    pub(crate) fn reserve<T>(
        &self,
        limit: &WaitLimit<'_>,
        mut request: impl FnMut(QueueCounters) -> Option<(u64, T)>,
    ) -> Result<(Reservation<'_>, T), WaitError> {
        let (number, mut parker) = {
            let mut state = self.state.lock();
            let number = state.arrivals;
            state.arrivals += 1;
            if state.waiters.is_empty()
                && let Some((bytes, with)) = state.try_grant(number, &mut request)
            {
                return Ok((Reservation { queue: self, bytes, waited: false }, with));
            }
            (number, state.enqueue(number))
        };
        loop {
            let waited = limit.wait(&parker);
            let mut state = self.state.lock();
            if let Err(error) = waited {
                state.dequeue(number);
                return Err(error);
            }
            if let Some((bytes, with)) = state.try_grant(number, &mut request) {
                state.dequeue(number);
                return Ok((Reservation { queue: self, bytes, waited: true }, with));
            }
            parker = state.wait_again(number);
        }
    }

    /// Returns the current state.
    pub(crate) fn counters(&self) -> QueueCounters {
        self.state.lock().counters()
    }
}

impl QueueState {
    fn counters(&self) -> QueueCounters {
        QueueCounters { waiting: self.waiters.len(), ..self.counts }
    }

    /// Makes the reservation of the caller with this number, unless it has to wait.
    fn try_grant<T>(
        &mut self,
        number: u64,
        request: &mut impl FnMut(QueueCounters) -> Option<(u64, T)>,
    ) -> Option<(u64, T)> {
        let requested = request(self.counters());
        debug_assert!(requested.is_some() || self.counts.reservations > 0, "there is no reservation to wait for");
        let (bytes, with) = requested?;
        self.counts.reserved = self.counts.reserved.saturating_add(bytes);
        self.counts.reservations += 1;
        for earlier in self.waiters.iter_mut().filter(|waiter| waiter.number < number) {
            earlier.overtaken += 1;
            self.counts.overtaken_max = self.counts.overtaken_max.max(earlier.overtaken);
        }
        Some((bytes, with))
    }

    fn enqueue(&mut self, number: u64) -> Arc<Parker> {
        let parker = Arc::new(Parker::new());
        self.waiters.push_back(MemoryWaiter { number, parker: parker.clone(), overtaken: 0 });
        self.counts.waits += 1;
        parker
    }

    /// Returns a new parker for a waiter that was woken and found too little memory; it keeps its position.
    fn wait_again(&mut self, number: u64) -> Arc<Parker> {
        let parker = Arc::new(Parker::new());
        if let Some(waiter) = self.waiters.iter_mut().find(|waiter| waiter.number == number) {
            waiter.parker = parker.clone();
        }
        parker
    }

    /// Removes a waiter, served or not, and wakes the new first one, which may find enough memory.
    fn dequeue(&mut self, number: u64) {
        self.waiters.retain(|waiter| waiter.number != number);
        self.wake_first();
    }

    fn wake_first(&self) {
        if let Some(first) = self.waiters.front() {
            first.parker.signal(Signal::Wake);
        }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock();
        state.counts.reserved = state.counts.reserved.saturating_sub(self.bytes);
        state.counts.reservations -= 1;
        state.wake_first();
    }
}
