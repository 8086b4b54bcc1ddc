//! [`Gate`]: so many callers at once, so many waiting behind them, first come, first served. One who asks to be alone
//! takes all places at once, and those who come later wait behind it.
//!
//! One word counts those inside and those in line, so that a caller who finds room enters and leaves with one atomic
//! operation each. The line itself is behind a lock. **No caller is forgotten**: the count of those in line grows only
//! under the lock and only if, in the same atomic step, there is no room or others wait already; whoever leaves while
//! someone is in line calls the next in. So while there is room and a line, someone is on the way to serve it.

use super::cancel::CancellationToken;
use super::clock::Clock;
use super::parker::{Parker, Signal};
use super::sync::{AtomicU64, Mutex, MutexGuard, Ordering, PoisonError};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// One caller inside.
const INSIDE: u64 = 1;
/// One caller in line.
const IN_LINE: u64 = 1 << 32;

/// Lets in so many at once.
#[derive(Debug)]
pub(crate) struct Gate {
    concurrency: u32,
    queue: u32,
    word: AtomicU64,
    line: Mutex<VecDeque<Waiting>>,
}

/// A caller in line, and how many places it takes.
type Waiting = (Arc<Parker>, u32);

/// How long a caller waits.
#[derive(Clone, Copy)]
pub(crate) struct WaitLimit<'a> {
    pub(crate) clock: &'a dyn Clock,
    pub(crate) until: Option<Duration>,
    pub(crate) token: Option<&'a CancellationToken>,
}

impl WaitLimit<'_> {
    /// Waits at a bell; what it told by then.
    pub(crate) fn wait(&self, bell: &Arc<Parker>) -> Signal {
        if let Some(token) = self.token {
            token.ring(bell);
        }
        bell.wait(self.clock, self.until)
    }
}

/// Why a caller did not get in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitError {
    /// So many were waiting already.
    Full { queue: u32 },
    /// The time was over before its turn.
    Late,
    /// It was told to stop.
    Cancelled,
}

/// A place inside, or all of them; given back when it is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct GatePermit<'g> {
    gate: &'g Gate,
    size: u32,
}

impl GatePermit<'_> {
    /// Whether others are inside, or wait.
    pub(crate) fn is_shared(&self) -> bool {
        let word = self.gate.word.load(Ordering::Relaxed);
        inside(word) > self.size || in_line(word) > 0
    }
}

const fn inside(word: u64) -> u32 {
    word as u32
}

const fn in_line(word: u64) -> u32 {
    (word >> 32) as u32
}

impl Gate {
    /// A gate for at least one caller at once.
    pub(crate) fn new(concurrency: usize, queue: usize) -> Gate {
        let limit = |count: usize| u32::try_from(count).unwrap_or(u32::MAX - 1);
        let (concurrency, queue) = (limit(concurrency).max(1), limit(queue));
        Gate { concurrency, queue, word: AtomicU64::new(0), line: Mutex::new(VecDeque::new()) }
    }

    /// How many runs as long as the next one go before it, on average, where it would have to wait; 0 where it would not.
    pub(crate) fn runs_ahead(&self) -> f64 {
        let word = self.word.load(Ordering::Relaxed);
        if self.has_room(word, 1) { 0.0 } else { (f64::from(in_line(word)) + 1.0) / f64::from(self.concurrency) }
    }

    /// A place, if there is one at once.
    pub(crate) fn try_enter(&self) -> Option<GatePermit<'_>> {
        let mut word = self.word.load(Ordering::Relaxed);
        while self.has_room(word, 1) {
            match self.word.compare_exchange_weak(word, word + INSIDE, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Some(GatePermit { gate: self, size: 1 }),
                Err(newer) => word = newer,
            }
        }
        None
    }

    /// Waits for a place, behind those who came before.
    #[cold]
    pub(crate) fn enter(&self, bounds: &WaitLimit<'_>) -> Result<GatePermit<'_>, WaitError> {
        self.wait(bounds, (1, self.queue))
    }

    /// Waits for all places, behind those who came before. The line is never too long for one who was inside already.
    #[cold]
    pub(crate) fn enter_alone(&self, bounds: &WaitLimit<'_>) -> Result<GatePermit<'_>, WaitError> {
        self.wait(bounds, (self.concurrency, u32::MAX))
    }

    fn wait(&self, bounds: &WaitLimit<'_>, (size, queue): (u32, u32)) -> Result<GatePermit<'_>, WaitError> {
        let bell = Arc::new(Parker::new());
        if self.line_up(&bell, size, queue)? {
            return Ok(GatePermit { gate: self, size });
        }
        let stepped_out =
            |away: WaitError| if self.step_out(&bell) { Err(away) } else { Ok(GatePermit { gate: self, size }) };
        match bounds.wait(&bell) {
            Signal::Turn => Ok(GatePermit { gate: self, size }),
            Signal::Stop => stepped_out(WaitError::Cancelled),
            Signal::Nothing => stepped_out(WaitError::Late),
        }
    }

    fn has_room(&self, word: u64, size: u32) -> bool {
        in_line(word) == 0 && size <= self.free(word)
    }

    fn free(&self, word: u64) -> u32 {
        self.concurrency.saturating_sub(inside(word))
    }

    /// Joins the line; or enters, if there is room by now.
    fn line_up(&self, bell: &Arc<Parker>, size: u32, queue: u32) -> Result<bool, WaitError> {
        let mut line = self.lock();
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let (has_room, is_full) = (self.has_room(word, size), in_line(word) >= queue);
            if !has_room && is_full {
                return Err(WaitError::Full { queue });
            }
            let next = word + if has_room { u64::from(size) * INSIDE } else { IN_LINE };
            match self.word.compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) if has_room => return Ok(true),
                Ok(_) => break,
                Err(newer) => word = newer,
            }
        }
        line.push_back((bell.clone(), size));
        Ok(false)
    }

    /// Leaves the line; not if it was called in meanwhile.
    fn step_out(&self, bell: &Arc<Parker>) -> bool {
        let mut line = self.lock();
        match line.iter().position(|(one, _)| Arc::ptr_eq(one, bell)) {
            Some(position) => {
                line.remove(position);
                self.word.fetch_sub(IN_LINE, Ordering::Relaxed);
                drop(line);
                // One who asked to be alone kept those behind it from places that were free.
                self.serve();
                true
            }
            // Called in and told to stop at once: the first news stays, and whoever called has gone on to the next.
            None => bell.tell(Signal::Stop) != Signal::Turn,
        }
    }

    /// Calls in those who are next, while there is room.
    #[cold]
    fn serve(&self) {
        let mut line = self.lock();
        let has_room = |(_, size): &mut Waiting| *size <= self.free(self.word.load(Ordering::Relaxed));
        while let Some((bell, size)) = line.pop_front_if(has_room) {
            let places = u64::from(size) * INSIDE;
            // Nobody else adds to those inside while there is a line, so there is still room. The place is counted before
            // its owner knows of it, and may leave.
            self.word.fetch_sub(IN_LINE - places, Ordering::Relaxed);
            if bell.tell(Signal::Turn) != Signal::Turn {
                self.word.fetch_sub(places, Ordering::Relaxed);
            }
        }
    }

    /// How many stand in line.
    #[cfg(test)]
    pub(super) fn in_line(&self) -> usize {
        in_line(self.word.load(Ordering::Relaxed)) as usize
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for GatePermit<'_> {
    fn drop(&mut self) {
        let before = self.gate.word.fetch_sub(u64::from(self.size) * INSIDE, Ordering::Release);
        if in_line(before) > 0 {
            self.gate.serve();
        }
    }
}
