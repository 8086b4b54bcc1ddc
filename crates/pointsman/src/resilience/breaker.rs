//! [`Breaker`]: a circuit breaker for a device or kernel that fails too often. It gives a call a permit, or the time
//! from which calls are allowed again, and learns from the results.
//!
//! * **closed**: every call gets a permit. The breaker remembers which of the last [`WINDOW`] calls failed; once there
//!   were at least [`CALLS_MIN`] and half of them failed, it opens.
//! * **open**: no call gets a permit, for 5 s the first time, twice as long each further time in a row, at most 60 s.
//! * **half-open**: then exactly one call, the probe, gets a permit. If it succeeds, the breaker closes and forgets all
//!   failures; if it fails, or has no result by its deadline, the breaker is open again from that moment. A cancelled
//!   probe changes nothing: the next caller becomes the probe.
//!
//! Results of permits from before a state change, and of probes past their deadline, are ignored. While the last 20
//! calls succeeded, a call costs two loads of one atomic word. Everything else happens under a lock.

use super::clock::Clock;
use super::sync::{AtomicU64, Mutex, Ordering};
use std::time::Duration;

/// The number of remembered calls.
pub(crate) const WINDOW: u32 = 20;
/// The minimum number of calls that can open the breaker.
pub(crate) const CALLS_MIN: u32 = 5;
/// The first open period.
pub(crate) const OPEN_MIN: Duration = Duration::from_secs(5);
/// The longest open period.
pub(crate) const OPEN_MAX: Duration = Duration::from_secs(60);
/// The time limit of a probe.
pub(crate) const PROBE_TIME: Duration = Duration::from_secs(10);

// The packed state, from bit 0: the last calls (a set bit is a failure), their number, whether the breaker is closed,
// and the epoch.
const CALLS_SHIFT: u32 = WINDOW;
const CLOSED: u64 = 1 << 31;
const EPOCH_SHIFT: u32 = 32;

/// A circuit breaker.
#[derive(Debug)]
pub(crate) struct Breaker {
    /// The state for lock-free readers; written only under the lock.
    packed: AtomicU64,
    state: Mutex<BreakerState>,
}

#[derive(Debug)]
struct BreakerState {
    mode: Mode,
    /// Counts changes of the mode; the result of a permit from another epoch is ignored.
    epoch: u32,
    /// How often the breaker opened since it was last closed.
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

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Success,
    Failure,
    /// A failure that opens the breaker on its own.
    Trip,
    /// The call does not count.
    Cancelled,
}

/// The permit for one call. If it is dropped without a verdict, the call does not count.
#[must_use]
pub(crate) struct Permit<'b> {
    breaker: &'b Breaker,
    clock: &'b dyn Clock,
    epoch: u32,
    /// The deadline, if the call is a probe.
    pub(crate) deadline: Option<Duration>,
    verdict: Verdict,
}

impl Calls {
    fn push(self, failed: bool) -> Calls {
        let failures = (self.failures << 1 | u32::from(failed)) & ((1 << WINDOW) - 1);
        Calls { failures, count: (self.count + 1).min(WINDOW) }
    }

    fn reach_failure_limit(self) -> bool {
        self.count >= CALLS_MIN && self.failures.count_ones() * 2 >= self.count
    }
}

impl BreakerState {
    fn packed(&self) -> u64 {
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

    /// Opens the breaker from this moment on.
    fn open(&mut self, from: Duration) {
        let doubled = OPEN_MIN.saturating_mul(1 << self.openings.min(16));
        self.openings = self.openings.saturating_add(1);
        self.enter(Mode::Open { until: from.saturating_add(doubled.min(OPEN_MAX)) });
    }

    /// Opens the breaker again if a probe is past its deadline.
    fn expire_probe(&mut self, now: Duration) {
        if let Mode::Probing { since } = self.mode
            && now >= since.saturating_add(PROBE_TIME)
        {
            self.open(since.saturating_add(PROBE_TIME));
        }
    }

    /// The end of the period in which no call gets a permit, if there is one.
    fn open_until(&self, now: Duration) -> Option<Duration> {
        match self.mode {
            Mode::Closed { .. } => None,
            Mode::Open { until } => (now < until).then_some(until),
            Mode::Probing { since } => Some(since.saturating_add(PROBE_TIME)),
        }
    }

    fn apply(&mut self, verdict: Verdict, now: Duration) {
        match (self.mode, verdict) {
            (Mode::Closed { calls }, Verdict::Success | Verdict::Failure) => {
                let calls = calls.push(verdict == Verdict::Failure);
                self.mode = Mode::Closed { calls };
                if calls.reach_failure_limit() {
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
    /// Creates a closed breaker.
    pub(crate) fn new() -> Breaker {
        let state = BreakerState { mode: Mode::Closed { calls: Calls::default() }, epoch: 0, openings: 0 };
        Breaker { packed: AtomicU64::new(state.packed()), state: Mutex::new(state) }
    }

    /// Returns a permit for a call, or the end of the period in which no call gets one.
    pub(crate) fn try_acquire<'b>(&'b self, clock: &'b dyn Clock) -> Result<Permit<'b>, Duration> {
        let packed = self.packed.load(Ordering::Acquire);
        if packed & CLOSED == 0 {
            return self.try_acquire_locked(clock);
        }
        Ok(self.permit(clock, (packed >> EPOCH_SHIFT) as u32, None))
    }

    #[cold]
    fn try_acquire_locked<'b>(&'b self, clock: &'b dyn Clock) -> Result<Permit<'b>, Duration> {
        self.update(clock, |state, now| match (state.open_until(now), state.mode) {
            (Some(until), _) => Err(until),
            (None, Mode::Closed { .. }) => Ok(self.permit(clock, state.epoch, None)),
            (None, Mode::Open { .. } | Mode::Probing { .. }) => {
                state.enter(Mode::Probing { since: now });
                Ok(self.permit(clock, state.epoch, Some(now.saturating_add(PROBE_TIME))))
            }
        })
    }

    /// What [`Breaker::try_acquire`] would return now. The caller does not become the probe.
    #[cold]
    pub(crate) fn check(&self, clock: &dyn Clock) -> Result<(), Duration> {
        self.update(clock, |state, now| state.open_until(now).map_or(Ok(()), Err))
    }

    /// Reads or changes the state of this moment under the lock.
    fn update<T>(&self, clock: &dyn Clock, change: impl FnOnce(&mut BreakerState, Duration) -> T) -> T {
        let now = clock.now();
        let mut state = self.state.lock();
        state.expire_probe(now);
        let result = change(&mut state, now);
        self.packed.store(state.packed(), Ordering::Release);
        result
    }

    fn permit<'b>(&'b self, clock: &'b dyn Clock, epoch: u32, deadline: Option<Duration>) -> Permit<'b> {
        Permit { breaker: self, clock, epoch, deadline, verdict: Verdict::Cancelled }
    }

    /// Whether the verdict leaves the state as it is: a success after [`WINDOW`] others, or no verdict in a closed
    /// breaker.
    fn changes_nothing(&self, permit: &Permit<'_>) -> bool {
        let packed = self.packed.load(Ordering::Acquire);
        let steady = u64::from(permit.epoch) << EPOCH_SHIFT | CLOSED | u64::from(WINDOW) << CALLS_SHIFT;
        match permit.verdict {
            Verdict::Success => packed == steady,
            Verdict::Cancelled => permit.deadline.is_none(),
            Verdict::Failure | Verdict::Trip => false,
        }
    }

    #[cold]
    fn record(&self, permit: &Permit<'_>) {
        self.update(permit.clock, |state, now| {
            if state.epoch == permit.epoch {
                state.apply(permit.verdict, now);
            }
        });
    }

    /// Locks the state, so that no thread can change it.
    #[cfg(test)]
    pub(super) fn hold_lock(&self) -> impl Drop + '_ {
        self.state.lock()
    }
}

impl Permit<'_> {
    /// Records the result of the call.
    pub(crate) fn end(mut self, verdict: Verdict) {
        self.verdict = verdict;
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if !self.breaker.changes_nothing(self) {
            self.breaker.record(self);
        }
    }
}
