//! How a session bears with devices that fail, hang or are busy. In go errors and callers; out come reactions, waits and
//! refusals. Nothing here runs a query: `session/attempt.rs` does, and asks here before and after each attempt.
//!
//! | file | decides |
//! | --- | --- |
//! | `breaker` | whether a device, or a kernel on it, has failed too often to be tried |
//! | `gate` | whose turn it is, and when too many wait |
//! | `ledger` | who gets how much of a device's memory, and when |
//! | `retry` | what follows from an error, and whether there may be another try |
//! | `health` | all of that for one device, and what its compiler refused |
//! | `clock`, `cancel` | the time and the wish to stop, both given from outside |

pub(crate) mod agreement;
pub(crate) mod attempt_log;
pub(crate) mod breaker;
pub(crate) mod cancel;
pub(crate) mod clock;
pub(crate) mod gate;
pub(crate) mod health;
pub(crate) mod memory_queue;
pub(crate) mod options;
pub(crate) mod parker;
pub(crate) mod retry;
mod sync;
pub(crate) mod time_limit;

#[cfg(test)]
mod tests;
