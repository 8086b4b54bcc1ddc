//! Tests of the parts alone, on virtual time. What a query sees of them: `tests/it/resilience`; every order of events that
//! threads may see: `tests/interleavings`.
#![allow(clippy::unwrap_used)]

mod breaker;
mod gate;
mod health;
mod memory_queue;
mod reference;
mod retry;

/// Numbers that look random and are the same every time (xorshift64).
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
