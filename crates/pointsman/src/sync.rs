//! The locks of this crate: without poisoning, from the device crate. `resilience/` takes them through its own `sync`
//! module, which `tests/interleavings` replaces.

pub(crate) use pointsman_device::sync::{Condvar, Mutex, RwLock};
