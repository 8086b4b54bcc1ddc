//! Unit tests of each part, on virtual time. `tests/resilience` tests them through queries; `tests/interleavings` tests
//! thread schedules.
#![allow(clippy::unwrap_used)]

mod breaker;
mod gate;
mod health;
mod memory_queue;
mod reference;
mod retry;

use crate::resilience::retry::RandomDraws;

/// A pseudo-random number below `bound`.
fn below(draws: &RandomDraws, bound: u64) -> u64 {
    (draws.next() * bound as f64) as u64
}
