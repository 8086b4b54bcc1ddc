//! [`Breaker`]: keeps callers away from what has failed too often. In go calls and what came of them; out come permits, or
//! the moment from which it is worth asking again.
//!
//! * **closed**: every call is let through. Of the last [`WINDOW`] calls it remembers which failed; once at least
//!   [`CALLS_MIN`] were made and half of those failed, it opens.
//! * **open**: no call is let through, for 5 s the first time, twice as long each time in a row, at most 60 s.
//! * **half-open**: then exactly one call, the probe, is let through. If it succeeds, the breaker closes and forgets; if it
//!   fails, or says nothing before its deadline, the breaker is open again from that moment. A probe that is cancelled
//!   changes nothing: the next caller is the probe.
//!
//! Results of permits that were given before the state changed, and of probes past their deadline, are ignored. While the
//! last 20 calls went well, a call costs two loads of one word. Everything else happens under a lock.

use super::clock::Clock;
use super::sync::{AtomicU64, Mutex, MutexGuard, Ordering, PoisonError};
use std::time::Duration;

/// How many calls are remembered.
pub(crate) const WINDOW: u32 = 20;
/// Fewer calls decide nothing.
pub(crate) const CALLS_MIN: u32 = 5;
/// How long it stays open the first time.
pub(crate) const OPEN_MIN: Duration = Duration::from_secs(5);
/// The longest it stays open.
pub(crate) const OPEN_MAX: Duration = Duration::from_secs(60);
/// How long a probe may take.
pub(crate) const PROBE_TIME: Duration = Duration::from_secs(10);

/// The bits of a word: the last calls (a bit is set if the call failed), how many there were, whether it is closed, and
/// the number of the state since the beginning.
const CALLS_SHIFT: u32 = WINDOW;
const CLOSED: u64 = 1 << 31;
const EPOCH_SHIFT: u32 = 32;

/// Lets calls through while they succeed.
#[derive(Debug)]
pub(crate) struct Breaker {
    /// What the state looks like to those who only look; written under the lock alone.
    word: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    mode: Mode,
    /// Counts changes of the mode: a permit of another epoch is late.
    epoch: u32,
    /// How often it opened since it was last closed.
    openings: u32,
}

#[derive(Clone, Copy, Debug)]
enum Mode {
    Closed { calls: Calls },
    Open { until: Duration },
    Probing { since: Duration },
}

/// The last calls, the latest in bit 0.
#[derive(Clone, Copy, Debug, Default)]
struct Calls {
    failures: u32,
    count: u32,
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Success,
    Failure,
    /// A failure so bad that one is enough.
    Trip,
    Cancelled,
}

/// The leave to make one call. Dropped without a verdict, the call counts as never made.
#[must_use]
pub(crate) struct Permit<'b> {
    breaker: &'b Breaker,
    clock: &'b dyn Clock,
    epoch: u32,
    /// When a probe must be done.
    deadline: Option<Duration>,
    verdict: Verdict,
}

/// No call may be made before this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenBreaker {
    pub(crate) until: Duration,
}

impl Calls {
    fn push(self, failed: bool) -> Calls {
        let failures = (self.failures << 1 | u32::from(failed)) & ((1 << WINDOW) - 1);
        Calls { failures, count: (self.count + 1).min(WINDOW) }
    }

    fn are_too_bad(self) -> bool {
        self.count >= CALLS_MIN && self.failures.count_ones() * 2 >= self.count
    }
}

impl State {
    fn word(&self) -> u64 {
        let epoch = u64::from(self.epoch) << EPOCH_SHIFT;
        match self.mode {
            Mode::Closed { calls } => {
                epoch | CLOSED | u64::from(calls.count) << CALLS_SHIFT | u64::from(calls.failures)
            }
            Mode::Open { .. } | Mode::Probing { .. } => epoch,
        }
    }

    fn enter(&mut self, mode: Mode) {
        self.mode = mode;
        self.epoch = self.epoch.wrapping_add(1);
    }

    /// Opens from this moment on.
    fn open(&mut self, from: Duration) {
        let doubled = OPEN_MIN.saturating_mul(1 << self.openings.min(16));
        self.openings = self.openings.saturating_add(1);
        self.enter(Mode::Open { until: from.saturating_add(doubled.min(OPEN_MAX)) });
    }

    /// What the time alone changes: a probe past its deadline has failed.
    fn pass_time(&mut self, now: Duration) {
        if let Mode::Probing { since } = self.mode
            && now >= since.saturating_add(PROBE_TIME)
        {
            self.open(since.saturating_add(PROBE_TIME));
        }
    }

    /// Until when no call is let through.
    fn shut_until(&self, now: Duration) -> Option<Duration> {
        match self.mode {
            Mode::Closed { .. } => None,
            Mode::Open { until } => (now < until).then_some(until),
            Mode::Probing { since } => Some(since.saturating_add(PROBE_TIME)),
        }
    }

    fn count(&mut self, verdict: Verdict, now: Duration) {
        match (self.mode, verdict) {
            (Mode::Closed { calls }, Verdict::Success | Verdict::Failure) => {
                let calls = calls.push(verdict == Verdict::Failure);
                self.mode = Mode::Closed { calls };
                if calls.are_too_bad() {
                    self.open(now);
                }
            }
            (Mode::Probing { .. }, Verdict::Success) => {
                self.openings = 0;
                self.enter(Mode::Closed { calls: Calls::default() });
            }
            (Mode::Closed { .. }, Verdict::Trip) | (Mode::Probing { .. }, Verdict::Failure | Verdict::Trip) => {
                self.open(now);
            }
            (Mode::Probing { since }, Verdict::Cancelled) => self.enter(Mode::Open { until: since }),
            (Mode::Closed { .. }, Verdict::Cancelled) | (Mode::Open { .. }, _) => {}
        }
    }
}

impl Breaker {
    /// A closed one.
    pub(crate) fn new() -> Breaker {
        let state = State { mode: Mode::Closed { calls: Calls::default() }, epoch: 0, openings: 0 };
        Breaker { word: AtomicU64::new(state.word()), state: Mutex::new(state) }
    }

    /// The leave to make a call.
    pub(crate) fn admit<'b>(&'b self, clock: &'b dyn Clock) -> Result<Permit<'b>, OpenBreaker> {
        let word = self.word.load(Ordering::Acquire);
        if word & CLOSED == 0 {
            return self.admit_probe(clock);
        }
        Ok(self.permit(clock, (word >> EPOCH_SHIFT) as u32, None))
    }

    #[cold]
    fn admit_probe<'b>(&'b self, clock: &'b dyn Clock) -> Result<Permit<'b>, OpenBreaker> {
        let now = clock.now();
        let mut state = self.lock();
        state.pass_time(now);
        let admitted = match (state.shut_until(now), state.mode) {
            (Some(until), _) => Err(OpenBreaker { until }),
            (None, Mode::Closed { .. }) => Ok(self.permit(clock, state.epoch, None)),
            (None, Mode::Open { .. } | Mode::Probing { .. }) => {
                state.enter(Mode::Probing { since: now });
                Ok(self.permit(clock, state.epoch, Some(now.saturating_add(PROBE_TIME))))
            }
        };
        self.word.store(state.word(), Ordering::Release);
        admitted
    }

    /// Whether a call would be let through now. Nobody becomes the probe by asking.
    #[cold]
    pub(crate) fn look(&self, clock: &dyn Clock) -> Result<(), OpenBreaker> {
        let now = clock.now();
        let mut state = self.lock();
        state.pass_time(now);
        self.word.store(state.word(), Ordering::Release);
        state.shut_until(now).map_or(Ok(()), |until| Err(OpenBreaker { until }))
    }

    fn permit<'b>(&'b self, clock: &'b dyn Clock, epoch: u32, deadline: Option<Duration>) -> Permit<'b> {
        Permit { breaker: self, clock, epoch, deadline, verdict: Verdict::Cancelled }
    }

    /// Whether this verdict changes nothing: a success after 20 others, or no verdict on a call of a closed breaker.
    fn is_steady(&self, permit: &Permit<'_>) -> bool {
        let word = self.word.load(Ordering::Acquire);
        let steady = u64::from(permit.epoch) << EPOCH_SHIFT | CLOSED | u64::from(WINDOW) << CALLS_SHIFT;
        match permit.verdict {
            Verdict::Success => word == steady,
            Verdict::Cancelled => permit.deadline.is_none(),
            Verdict::Failure | Verdict::Trip => false,
        }
    }

    #[cold]
    fn report(&self, permit: &Permit<'_>) {
        let now = permit.clock.now();
        let mut state = self.lock();
        state.pass_time(now);
        if state.epoch == permit.epoch {
            state.count(permit.verdict, now);
        }
        self.word.store(state.word(), Ordering::Release);
    }

    /// Keeps everyone from changing the state.
    #[cfg(test)]
    pub(super) fn hold_lock(&self) -> impl Drop + '_ {
        self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// The moment by which the call must be done, if it is the probe.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// The call succeeded.
    pub(crate) fn succeed(mut self) {
        self.verdict = Verdict::Success;
    }

    /// The call failed.
    pub(crate) fn fail(mut self) {
        self.verdict = Verdict::Failure;
    }

    /// The call failed so badly that no other should be made for a while.
    pub(crate) fn trip(mut self) {
        self.verdict = Verdict::Trip;
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if !self.breaker.is_steady(self) {
            self.breaker.report(self);
        }
    }
}
