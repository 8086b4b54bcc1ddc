//! The locks and atomics of this folder. `tests/interleavings` compiles the same files with primitives that try many
//! thread schedules.

pub(crate) use crate::sync::{Condvar, Mutex};
pub(crate) use std::sync::atomic::{AtomicU64, Ordering};
