//! What devices draw: in go the counters of drivers and of the system, out come joules, or why nobody knows.
//!
//! NVIDIA cards tell it through NVML (`nvml`), whatever drives them; the processor through Linux's powercap (`rapl`).
//! Reading takes microseconds to milliseconds, so nobody does it around a query.

#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(crate) mod nvml;
pub mod rapl;

/// What a device says of its energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EnergyReading {
    /// Joules that it drew since some moment, always the same one: the difference of two readings counts.
    Counted(f64),
    /// Watts that it draws now, where nobody counts.
    Drawn(f64),
}
