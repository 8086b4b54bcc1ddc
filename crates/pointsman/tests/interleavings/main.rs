//! The breaker, the gate and the ledger under many random orders of their threads' steps.
//!
//! The files are those of the library, compiled here once more over locks and atomics whose every use is a point at which
//! another thread may go on. A binary of its own, since those files expect `sync` at the root of their crate.
#![allow(clippy::unwrap_used)]

#[path = "../../src/resilience/breaker.rs"]
pub mod breaker;
#[path = "../../src/resilience/cancel.rs"]
pub mod cancel;
#[path = "../../src/resilience/clock.rs"]
pub mod clock;
#[path = "../../src/resilience/gate.rs"]
pub mod gate;
#[path = "../../src/resilience/memory_queue.rs"]
pub mod memory_queue;
#[path = "../../src/resilience/parker.rs"]
pub mod parker;

mod breakers;
mod gates;
mod memory_queues;

/// What `sync.rs` is in the library.
mod sync {
    pub(crate) use shuttle::sync::atomic::{AtomicU64, Ordering};
    pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};
    pub(crate) use std::sync::PoisonError;
}

/// How many orders each test tries.
const ORDERS: usize = 5000;

/// Runs something in many orders.
fn check(test: impl Fn() + Send + Sync + 'static) {
    shuttle::check_random(test, ORDERS);
}
