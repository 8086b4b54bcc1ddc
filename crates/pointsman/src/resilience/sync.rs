//! The locks and atomics of this folder. A test compiles the same files over others, which try many orders of events.

pub(crate) use std::sync::atomic::{AtomicU64, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
