//! What follows from an error, by its class; how long to wait before another try; and how many tries there may be.
//!
//! Tries are ours, not `backon`'s: a try must also pass the gate and the breakers and must be paid for from a budget, and
//! its jitter is not full (it adds to the delay instead of drawing from the whole of it).

use crate::error::{Error, ErrorKind};
use pointsman_device::DeviceErrorKind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A fifth of a try: what each call pays in.
const CALL: u64 = 1;
/// What a try takes out: one for five calls.
const TRY: u64 = 5;
/// What is there at first, so that the first calls may be tried again too: ten tries.
const RESERVE: u64 = 10 * TRY;
/// The most that is kept: calls of long ago must not pay for a storm.
const BUDGET_MAX: u64 = 100 * TRY;

/// What kind of failure ended an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureClass {
    /// There was no memory.
    OutOfMemory,
    /// It might have worked when tried again.
    Transient,
    /// The device is gone.
    Lost,
    /// The device's compiler refused the program.
    Compile,
    /// The time was over.
    Timeout,
    /// The answer was not the CPU's.
    Mismatch,
    /// The device cannot run it.
    Unsupported,
    /// The device was not tried: too many wait for it, it failed too often, or it was lost before.
    Refused,
    /// The disk failed where columns were spilled.
    Disk,
    /// The query or its numbers are to blame.
    User,
    /// A bug of Pointsman.
    Internal,
}

impl FailureClass {
    /// The class of an error.
    pub(crate) fn of(error: &Error) -> FailureClass {
        match error.device_kind() {
            Some(DeviceErrorKind::OutOfMemory) => FailureClass::OutOfMemory,
            Some(DeviceErrorKind::Transient) => FailureClass::Transient,
            Some(DeviceErrorKind::Lost) => FailureClass::Lost,
            Some(DeviceErrorKind::Compile) => FailureClass::Compile,
            Some(DeviceErrorKind::Timeout) => FailureClass::Timeout,
            Some(DeviceErrorKind::Stopped) => FailureClass::User,
            Some(DeviceErrorKind::Unsupported) => FailureClass::Unsupported,
            Some(DeviceErrorKind::InvalidArgument | DeviceErrorKind::Internal) => FailureClass::Internal,
            None => FailureClass::of_kind(error.kind()),
        }
    }

    /// The class of an error that no device raised.
    fn of_kind(kind: ErrorKind) -> FailureClass {
        match kind {
            ErrorKind::InvalidQuery | ErrorKind::Arithmetic | ErrorKind::Cancelled => FailureClass::User,
            ErrorKind::Unsupported => FailureClass::Unsupported,
            ErrorKind::OutOfMemory => FailureClass::OutOfMemory,
            ErrorKind::Busy | ErrorKind::Unavailable | ErrorKind::DeviceLost => FailureClass::Refused,
            ErrorKind::Mismatch => FailureClass::Mismatch,
            // Only the query's own deadline is known without a device.
            ErrorKind::Timeout => FailureClass::User,
            ErrorKind::Io => FailureClass::Disk,
            ErrorKind::Internal => FailureClass::Internal,
        }
    }

    /// Whether a device failed: it was tried, and neither the query nor its numbers are to blame.
    pub(crate) const fn is_devices(self) -> bool {
        match self {
            FailureClass::OutOfMemory
            | FailureClass::Transient
            | FailureClass::Lost
            | FailureClass::Compile
            | FailureClass::Timeout
            | FailureClass::Mismatch
            | FailureClass::Unsupported
            | FailureClass::Internal => true,
            FailureClass::Refused | FailureClass::Disk | FailureClass::User => false,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            FailureClass::OutOfMemory => "out of memory",
            FailureClass::Transient => "transient",
            FailureClass::Lost => "lost",
            FailureClass::Compile => "compile",
            FailureClass::Timeout => "timeout",
            FailureClass::Mismatch => "mismatch",
            FailureClass::Unsupported => "unsupported",
            FailureClass::Refused => "not tried",
            FailureClass::Disk => "disk",
            FailureClass::User => "query",
            FailureClass::Internal => "internal",
        }
    }
}

/// What follows from a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// The same device again, after a while.
    Retry,
    /// The next device.
    Next,
    /// The next device, and never this one again.
    Close,
    /// The next device, and not this kernel on this one for a while.
    Ban,
    /// The next device, and nobody on this one for a while.
    Quarantine,
    /// The caller is told.
    Return,
}

/// What follows from a failure of this class.
pub(crate) const fn reaction(class: FailureClass) -> Reaction {
    match class {
        FailureClass::Transient => Reaction::Retry,
        // The run has tried smaller batches already, where there are any.
        FailureClass::OutOfMemory => Reaction::Next,
        FailureClass::Unsupported | FailureClass::Refused => Reaction::Next,
        // A device that is wrong now and then is right in most probes: it does not come back.
        FailureClass::Lost | FailureClass::Mismatch => Reaction::Close,
        FailureClass::Compile => Reaction::Ban,
        FailureClass::Timeout => Reaction::Quarantine,
        // Another device would spill to the same disk.
        FailureClass::Disk | FailureClass::User | FailureClass::Internal => Reaction::Return,
    }
}

/// How many tries a device's calls have paid for.
#[derive(Debug)]
pub(crate) struct RetryBudget(AtomicU64);

impl RetryBudget {
    pub(crate) fn new() -> RetryBudget {
        RetryBudget(AtomicU64::new(RESERVE))
    }

    /// Counts a call.
    pub(crate) fn call(&self) {
        let paid = |now: u64| (now < BUDGET_MAX).then_some(now + CALL);
        // A full budget stays as it is.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, paid);
    }

    /// Takes a try out; whether there was one.
    pub(crate) fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |now| now.checked_sub(TRY)).is_ok()
    }
}

/// Random numbers for all threads.
#[derive(Debug)]
pub(crate) struct RandomDraws(AtomicU64);

impl RandomDraws {
    /// Numbers that are the same for the same seed.
    pub(crate) const fn new(seed: u64) -> RandomDraws {
        RandomDraws(AtomicU64::new(seed))
    }

    /// The next number, from 0 up to but not 1.
    pub(crate) fn next(&self) -> f64 {
        let step = 0x9e37_79b9_7f4a_7c15u64;
        // SplitMix64 (Steele, Lea, Flood 2014): every step of a counter, mixed.
        let mut bits = self.0.fetch_add(step, Ordering::Relaxed).wrapping_add(step);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Random waits.
#[derive(Debug)]
pub(crate) struct Jitter(RandomDraws);

impl Jitter {
    /// Waits that are the same for the same seed.
    pub(crate) fn new(seed: u64) -> Jitter {
        Jitter(RandomDraws::new(seed))
    }

    /// The wait before a try, counted from 0: any part of a span that doubles with each.
    pub(crate) fn wait(&self, backoff: Duration, tries: u32) -> Duration {
        backoff.saturating_mul(1 << tries.min(16)).mul_f64(self.0.next())
    }
}
