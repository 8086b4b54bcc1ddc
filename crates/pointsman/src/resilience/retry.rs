//! [`FailureClass`] of an error, the [`Reaction`] to it, the [`RetryBudget`] of a device, and the [`RandomDraws`] that
//! spread retries.
//!
//! The `backon` crate does not fit: a retry must also pass the gate and the breakers and must be paid for from a
//! budget, and `backon`'s jitter is not full jitter (it adds to the delay instead of drawing from the whole of it).

use crate::error::FailureClass;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Each call deposits one unit.
const DEPOSIT: u64 = 1;
/// Each retry withdraws five units: one retry for five calls.
const RETRY_COST: u64 = 5;
/// The initial balance pays for ten retries, so that the first calls can be retried too.
const INITIAL: u64 = 10 * RETRY_COST;
/// The maximum balance, so that calls long ago do not pay for a retry storm.
const BUDGET_MAX: u64 = 100 * RETRY_COST;

/// How a session reacts to a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// Try the same device again after a delay.
    Retry,
    /// Try the next device.
    Next,
    /// Try the next device, and never use this one again.
    CloseDevice,
    /// Try the next device, and open this device's breaker at once, unless the attempt itself ran out of time.
    TripBreaker,
    /// Return the error to the caller.
    Return,
}

/// Returns the reaction to a failure of this class.
pub(crate) const fn reaction(class: FailureClass) -> Reaction {
    match class {
        FailureClass::Transient => Reaction::Retry,
        // The run has tried smaller batches already, if the stage allows any.
        FailureClass::OutOfMemory => Reaction::Next,
        FailureClass::Unsupported | FailureClass::Refused => Reaction::Next,
        // A device that is wrong occasionally would pass most probes, so it must not be used again.
        FailureClass::Lost | FailureClass::Mismatch => Reaction::CloseDevice,
        // `SingleFlight` remembers the refusal, so the kernel is not compiled again for a while.
        FailureClass::Compile => Reaction::Next,
        FailureClass::Timeout => Reaction::TripBreaker,
        // Another device would spill to the same disk.
        FailureClass::Disk | FailureClass::User | FailureClass::Internal => Reaction::Return,
    }
}

/// The retry budget of a device: calls deposit, retries withdraw, so that retries stay below a fifth of the calls.
#[derive(Debug)]
pub(crate) struct RetryBudget(AtomicU64);

impl RetryBudget {
    pub(crate) fn new() -> RetryBudget {
        RetryBudget(AtomicU64::new(INITIAL))
    }

    /// Deposits for a call.
    pub(crate) fn deposit(&self) {
        let more = |now: u64| (now < BUDGET_MAX).then_some(now + DEPOSIT);
        // A full budget stays as it is.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// Withdraws for a retry; `false` if the balance is too low.
    pub(crate) fn try_withdraw(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |now| now.checked_sub(RETRY_COST)).is_ok()
    }
}

/// A pseudo-random generator that all threads share.
#[derive(Debug)]
pub(crate) struct RandomDraws(AtomicU64);

impl RandomDraws {
    /// Equal seeds give equal sequences.
    pub(crate) const fn new(seed: u64) -> RandomDraws {
        RandomDraws(AtomicU64::new(seed))
    }

    /// Returns the next number in [0, 1).
    pub(crate) fn next(&self) -> f64 {
        let step = 0x9e37_79b9_7f4a_7c15u64;
        // SplitMix64 (Steele, Lea, Flood 2014): mixes each step of a counter.
        let mut bits = self.0.fetch_add(step, Ordering::Relaxed).wrapping_add(step);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns the delay before a retry, by exponential backoff with full jitter: a random part of `backoff`, doubled
    /// for each of the `retries` before it.
    pub(crate) fn delay(&self, backoff: Duration, retries: u32) -> Duration {
        backoff.saturating_mul(1 << retries.min(16)).mul_f64(self.next())
    }
}
