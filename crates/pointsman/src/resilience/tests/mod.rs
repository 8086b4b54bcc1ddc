//! Unit tests of each part, on virtual time. `tests/resilience` tests them through queries; `tests/interleavings` tests
//! thread schedules.
#![allow(clippy::unwrap_used)]

mod breaker;
mod gate;
mod health;
mod memory_queue;
mod reference;
mod retry;

/// A deterministic pseudo-random generator (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
