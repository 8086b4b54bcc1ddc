//! [`Gate`]: limits how many callers use a device at once and how many wait; first come, first served. A caller that
//! enters exclusively takes all permits at once, and later callers wait behind it.
//!
//! One atomic word counts the callers inside and those in the queue, so a caller that finds room enters and leaves with
//! one atomic operation each. A lock protects the queue itself. **No caller is forgotten**: the count of queued callers
//! grows only under the lock, and only if, in the same atomic step, there is no room or others wait already; every
//! caller that leaves while the queue is not empty admits the next. So while there is room and a queue, some thread is
//! about to serve it.

use super::cancel::CancellationToken;
use super::clock::Clock;
use super::parker::{Parker, Signal};
use super::sync::{AtomicU64, Mutex, Ordering};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// One permit in use, in the packed word.
const INSIDE: u64 = 1;
/// One queued caller, in the packed word.
const QUEUED: u64 = 1 << 32;

/// A fair semaphore with a bounded queue.
#[derive(Debug)]
pub(crate) struct Gate {
    concurrency: u32,
    queue_max: u32,
    /// Permits in use (low half) and queued callers (high half).
    packed: AtomicU64,
    queue: Mutex<VecDeque<GateWaiter>>,
}

/// A queued caller and the permits that it waits for.
#[derive(Debug)]
struct GateWaiter {
    parker: Arc<Parker>,
    permits: u32,
}

/// How long a caller waits: until a moment, and until it is cancelled.
#[derive(Clone, Copy)]
pub(crate) struct WaitLimit<'a> {
    pub(crate) clock: &'a dyn Clock,
    pub(crate) until: Option<Duration>,
    pub(crate) token: Option<&'a CancellationToken>,
}

impl WaitLimit<'_> {
    /// Waits within this limit until the parker is woken.
    pub(crate) fn wait(&self, parker: &Arc<Parker>) -> Result<(), WaitError> {
        if let Some(token) = self.token {
            token.signal_on_cancel(parker);
        }
        match parker.wait(self.clock, self.until) {
            Signal::Wake => Ok(()),
            Signal::Cancel => Err(WaitError::Cancelled),
            Signal::None => Err(WaitError::TimedOut),
        }
    }
}

/// The reason why a wait failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitError {
    /// As many callers as the queue holds were waiting already.
    Full { queue: u32 },
    /// The time was over before the caller's turn.
    TimedOut,
    /// The caller was cancelled.
    Cancelled,
}

/// One permit, or all of them; released when it is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct GatePermit<'g> {
    gate: &'g Gate,
    permits: u32,
}

impl GatePermit<'_> {
    /// Whether other callers are inside or in the queue.
    pub(crate) fn is_contended(&self) -> bool {
        let packed = self.gate.packed.load(Ordering::Relaxed);
        inside(packed) > self.permits || queued(packed) > 0
    }
}

const fn inside(packed: u64) -> u32 {
    packed as u32
}

const fn queued(packed: u64) -> u32 {
    (packed >> 32) as u32
}

impl Gate {
    /// Creates a gate; a concurrency of 0 is treated as 1.
    pub(crate) fn new(concurrency: usize, queue_max: usize) -> Gate {
        let limit = |count: usize| u32::try_from(count).unwrap_or(u32::MAX - 1);
        let (concurrency, queue_max) = (limit(concurrency).max(1), limit(queue_max));
        Gate { concurrency, queue_max, packed: AtomicU64::new(0), queue: Mutex::new(VecDeque::new()) }
    }

    /// Whether a caller is inside or in the queue.
    pub(crate) fn is_occupied(&self) -> bool {
        self.packed.load(Ordering::Relaxed) > 0
    }

    /// Returns a permit if one is free and no caller is queued.
    pub(crate) fn try_enter(&self) -> Option<GatePermit<'_>> {
        let mut packed = self.packed.load(Ordering::Relaxed);
        while self.has_room(packed, 1) {
            match self.packed.compare_exchange_weak(packed, packed + INSIDE, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Some(GatePermit { gate: self, permits: 1 }),
                Err(newer) => packed = newer,
            }
        }
        None
    }

    /// Waits for a permit behind earlier callers.
    #[cold]
    pub(crate) fn enter(&self, limit: &WaitLimit<'_>) -> Result<GatePermit<'_>, WaitError> {
        self.wait(limit, 1, self.queue_max)
    }

    /// Waits for all permits behind earlier callers. The queue limit does not apply: the caller was inside before.
    #[cold]
    pub(crate) fn enter_exclusive(&self, limit: &WaitLimit<'_>) -> Result<GatePermit<'_>, WaitError> {
        self.wait(limit, self.concurrency, u32::MAX)
    }

    fn wait(&self, limit: &WaitLimit<'_>, permits: u32, queue_max: u32) -> Result<GatePermit<'_>, WaitError> {
        let parker = Arc::new(Parker::new());
        if self.enter_or_enqueue(&parker, permits, queue_max)? {
            return Ok(GatePermit { gate: self, permits });
        }
        match limit.wait(&parker) {
            Err(error) if self.leave_queue(&parker) => Err(error),
            // A caller that could not leave the queue was admitted meanwhile.
            Ok(()) | Err(_) => Ok(GatePermit { gate: self, permits }),
        }
    }

    fn has_room(&self, packed: u64, permits: u32) -> bool {
        queued(packed) == 0 && permits <= self.free(packed)
    }

    fn free(&self, packed: u64) -> u32 {
        self.concurrency.saturating_sub(inside(packed))
    }

    /// Enters if there is room by now and returns `true`; otherwise joins the queue.
    fn enter_or_enqueue(&self, parker: &Arc<Parker>, permits: u32, queue_max: u32) -> Result<bool, WaitError> {
        let mut queue = self.queue.lock();
        let mut packed = self.packed.load(Ordering::Relaxed);
        loop {
            let (has_room, is_full) = (self.has_room(packed, permits), queued(packed) >= queue_max);
            if !has_room && is_full {
                return Err(WaitError::Full { queue: queue_max });
            }
            let next = packed + if has_room { u64::from(permits) * INSIDE } else { QUEUED };
            match self.packed.compare_exchange_weak(packed, next, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) if has_room => return Ok(true),
                Ok(_) => break,
                Err(newer) => packed = newer,
            }
        }
        queue.push_back(GateWaiter { parker: parker.clone(), permits });
        Ok(false)
    }

    /// Leaves the queue and returns `true`; returns `false` if the caller was admitted meanwhile.
    fn leave_queue(&self, parker: &Arc<Parker>) -> bool {
        let mut queue = self.queue.lock();
        match queue.iter().position(|waiter| Arc::ptr_eq(&waiter.parker, parker)) {
            Some(position) => {
                queue.remove(position);
                self.packed.fetch_sub(QUEUED, Ordering::Relaxed);
                drop(queue);
                // An exclusive caller kept later callers from permits that were free.
                self.admit_next();
                true
            }
            // Admitted and cancelled at the same time: the first signal stays, and if that is the cancellation, the
            // admitting thread has taken the permits back.
            None => parker.signal(Signal::Cancel) != Signal::Wake,
        }
    }

    /// Admits queued callers in order while there is room.
    #[cold]
    fn admit_next(&self) {
        let mut queue = self.queue.lock();
        let has_room = |waiter: &mut GateWaiter| waiter.permits <= self.free(self.packed.load(Ordering::Relaxed));
        while let Some(GateWaiter { parker, permits }) = queue.pop_front_if(has_room) {
            let taken = u64::from(permits) * INSIDE;
            // While there is a queue only this thread, which holds the lock, takes permits, so there is still room. The
            // permits are counted before their owner learns of them, since it may release them at once.
            self.packed.fetch_sub(QUEUED - taken, Ordering::Relaxed);
            if parker.signal(Signal::Wake) != Signal::Wake {
                self.packed.fetch_sub(taken, Ordering::Relaxed);
            }
        }
    }

    /// The number of queued callers.
    #[cfg(test)]
    pub(super) fn queued(&self) -> usize {
        queued(self.packed.load(Ordering::Relaxed)) as usize
    }
}

impl Drop for GatePermit<'_> {
    fn drop(&mut self) {
        let before = self.gate.packed.fetch_sub(u64::from(self.permits) * INSIDE, Ordering::Release);
        if queued(before) > 0 {
            self.gate.admit_next();
        }
    }
}
