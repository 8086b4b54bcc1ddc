//! How a session handles devices that fail, hang or are busy: it decides who may use a device, who waits, and how to
//! react to an error. No file here runs a query or tries the next device: the session does.
//!
//! An attempt to run a query on a device passes through these files in this order:
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
//!
//! These files serve all of the above:
//!
//! | file | contains |
//! | --- | --- |
//! | `clock` | the clock of a session, which tests replace by a virtual one |
//! | `time_limit` | how long work on a device may take |
//! | `cancel` | the token that cancels queries |
//! | `parker` | puts a thread to sleep until it is woken |
//! | `sync` | the locks and atomics of this folder; `tests/interleavings` replaces them |
//!
//! A waiting caller is never forgotten or overtaken, and no permit or reserved byte is lost. A call to a healthy device
//! takes no lock in the breaker or the gate, each of which is one atomic word.

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
