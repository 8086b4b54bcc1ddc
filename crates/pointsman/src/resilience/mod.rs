//! How a session copes with devices that fail, hang or are busy. In go errors and waiting callers; out come permits,
//! reactions, waits and refusals. No file here runs a query or tries the next device: the session does.
//!
//! An attempt of a query on a device passes them in this order:
//!
//! | file | question | answer |
//! | --- | --- | --- |
//! | `health` | may this device run these kernels | [`health::BreakerPermits`], or an error: the device is closed, or a breaker is open |
//! | `breaker` | has a device, or a kernel on it, failed too often | [`breaker::Permit`], or the end of the open period |
//! | `gate` | is there a free slot at the device | [`gate::GatePermit`] after a first-come, first-served wait, or `WaitError` |
//! | `memory_queue` | are enough bytes of device memory free | [`memory_queue::Reservation`], in order of arrival |
//! | `retry` | what follows from an error | [`retry::Reaction`], the delay, and whether the retry budget allows it |
//! | `attempt_log` | which attempts failed, and why | [`attempt_log::FailedAttempt`]s for the receipt or the final error |
//! | `agreement` | does a repeated run on the CPU give the same result | the first difference |
//! | `clock`, `cancel`, `parker` | what time is it, is the query cancelled, sleep until woken | used by all of the above |
//! | `sync` | the locks and atomics of this folder | replaced by `tests/interleavings` |
//!
//! What never happens: a caller that waits is never forgotten or overtaken, a permit or a byte is never lost, and no
//! call of a healthy device takes a lock (the breaker and the gate are each one atomic word).

pub(crate) mod agreement;
pub(crate) mod attempt_log;
pub(crate) mod breaker;
pub(crate) mod cancel;
pub(crate) mod clock;
pub(crate) mod gate;
pub(crate) mod health;
pub(crate) mod memory_queue;
pub(crate) mod parker;
pub(crate) mod retry;
mod sync;
pub(crate) mod time_limit;

#[cfg(test)]
mod tests;
