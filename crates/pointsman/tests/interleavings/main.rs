//! The breaker, the gate and the memory queue under many random thread schedules.
//!
//! This binary compiles the library's own source files with locks and atomics at which the scheduler may switch
//! threads.
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

/// The counterpart of `resilience/sync.rs`: the same interface over the scheduler's primitives.
mod sync {
    use shuttle::sync::MutexGuard;
    pub(crate) use shuttle::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    #[derive(Debug, Default)]
    pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Mutex<T> {
            Mutex(shuttle::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().unwrap()
        }
    }

    #[derive(Debug)]
    pub(crate) struct Condvar(shuttle::sync::Condvar);

    impl Condvar {
        pub(crate) fn new() -> Condvar {
            Condvar(shuttle::sync::Condvar::new())
        }

        pub(crate) fn wait<'g, T>(&self, guard: MutexGuard<'g, T>) -> MutexGuard<'g, T> {
            self.0.wait(guard).unwrap()
        }

        pub(crate) fn wait_timeout<'g, T>(&self, guard: MutexGuard<'g, T>, timeout: Duration) -> MutexGuard<'g, T> {
            self.0.wait_timeout(guard, timeout).unwrap().0
        }

        pub(crate) fn notify_all(&self) {
            self.0.notify_all();
        }
    }
}

/// The number of schedules that each test tries.
const SCHEDULES: usize = 5000;

/// Runs a test under many random schedules.
fn check(test: impl Fn() + Send + Sync + 'static) {
    shuttle::check_random(test, SCHEDULES);
}
