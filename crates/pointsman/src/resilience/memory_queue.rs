//! [`MemoryQueue`]: bytes of a device's memory, promised to queries before they run; first come, first served.
//!
//! A query asks once and holds nothing while it waits, so nobody who holds bytes waits for others: there is no deadlock.
//! Who is first in line stays first until it is served, so nobody passes it, however little they want. **Nobody is
//! forgotten**: a query waits only while others hold bytes, and whoever gives some back, or leaves the line, wakes the
//! first of those who wait.

use super::gate::{WaitError, WaitLimit};
use super::parker::{Parker, Signal};
use super::sync::{Mutex, MutexGuard, PoisonError};
use std::collections::VecDeque;
use std::sync::Arc;

/// Who was promised what, and who waits.
#[derive(Debug, Default)]
pub(crate) struct MemoryQueue {
    books: Mutex<QueueState>,
}

#[derive(Debug, Default)]
struct QueueState {
    reserved: u64,
    reservations: usize,
    line: VecDeque<Waiter>,
    arrivals: u64,
    waits: u64,
    passed_max: u64,
}

#[derive(Debug)]
struct Waiter {
    /// Who came earlier has a smaller one.
    number: u64,
    bell: Arc<Parker>,
    /// How many that came later were served before it.
    passed: u64,
}

/// How a ledger stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueStanding {
    /// Bytes that are promised.
    pub(crate) reserved: u64,
    /// How many hold a promise.
    pub(crate) reservations: usize,
    /// How many wait.
    pub(crate) waiting: usize,
    /// How many ever waited.
    pub(crate) waits: u64,
    /// The most that were ever served before one who came earlier.
    pub(crate) passed_max: u64,
}

/// Promised bytes, given back when it is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct Reservation<'l> {
    ledger: &'l MemoryQueue,
    bytes: u64,
    waited: bool,
}

impl MemoryQueue {
    /// Reserves what `ask` wants once it is this caller's turn: so many bytes and whatever goes with them, or `None` to
    /// wait until others gave something back. It is asked under the lock, maybe several times, and must not wait if
    /// there are no reservations.
    pub(crate) fn reserve<T>(
        &self,
        bounds: &WaitLimit<'_>,
        mut ask: impl FnMut(QueueStanding) -> Option<(u64, T)>,
    ) -> Result<(Reservation<'_>, T), WaitError> {
        let (number, mut bell) = {
            let mut books = self.lock();
            let number = books.arrivals;
            books.arrivals += 1;
            if books.line.is_empty()
                && let Some((bytes, with)) = books.take(number, &mut ask)
            {
                return Ok((Reservation { ledger: self, bytes, waited: false }, with));
            }
            (number, books.line_up(number))
        };
        loop {
            match bounds.wait(&bell) {
                Signal::Turn => {}
                Signal::Stop => return Err(self.leave(number, WaitError::Cancelled)),
                Signal::Nothing => return Err(self.leave(number, WaitError::Late)),
            }
            let mut books = self.lock();
            if let Some((bytes, with)) = books.take(number, &mut ask) {
                books.step_out(number);
                return Ok((Reservation { ledger: self, bytes, waited: true }, with));
            }
            bell = books.wait_again(number);
        }
    }

    /// How it stands now.
    pub(crate) fn standing(&self) -> QueueStanding {
        self.lock().standing()
    }

    fn leave(&self, number: u64, why: WaitError) -> WaitError {
        self.lock().step_out(number);
        why
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    fn standing(&self) -> QueueStanding {
        let QueueState { reserved, reservations, ref line, waits, passed_max, .. } = *self;
        QueueStanding { reserved, reservations, waiting: line.len(), waits, passed_max }
    }

    /// Lets the caller of this number have what it asks for.
    fn take<T>(&mut self, number: u64, ask: &mut impl FnMut(QueueStanding) -> Option<(u64, T)>) -> Option<(u64, T)> {
        let got = ask(self.standing());
        debug_assert!(got.is_some() || self.reservations > 0, "there is nobody to wait for");
        let (bytes, with) = got?;
        self.reserved = self.reserved.saturating_add(bytes);
        self.reservations += 1;
        for earlier in self.line.iter_mut().filter(|waiter| waiter.number < number) {
            earlier.passed += 1;
            self.passed_max = self.passed_max.max(earlier.passed);
        }
        Some((bytes, with))
    }

    fn line_up(&mut self, number: u64) -> Arc<Parker> {
        let bell = Arc::new(Parker::new());
        self.line.push_back(Waiter { number, bell: bell.clone(), passed: 0 });
        self.waits += 1;
        bell
    }

    /// Another bell for one who was called and found too little: it keeps its place.
    fn wait_again(&mut self, number: u64) -> Arc<Parker> {
        let bell = Arc::new(Parker::new());
        if let Some(waiter) = self.line.iter_mut().find(|waiter| waiter.number == number) {
            waiter.bell = bell.clone();
        }
        bell
    }

    /// Takes one out of the line, served or not; who is first now may find enough.
    fn step_out(&mut self, number: u64) {
        self.line.retain(|waiter| waiter.number != number);
        self.call_first();
    }

    fn call_first(&self) {
        if let Some(first) = self.line.front() {
            first.bell.tell(Signal::Turn);
        }
    }
}

impl Reservation<'_> {
    /// How many bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether its owner waited for it.
    pub(crate) fn waited(&self) -> bool {
        self.waited
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut books = self.ledger.lock();
        books.reserved = books.reserved.saturating_sub(self.bytes);
        books.reservations -= 1;
        books.call_first();
    }
}
