//! Energy usage of devices, from the counters of drivers and of the operating system.
//!
//! NVIDIA cards report it through NVML (`nvml`), whichever driver interface uses them; the processor through Linux's
//! powercap (`rapl`). A reading takes microseconds to milliseconds, so it never happens around a query.

#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(crate) mod nvml;
pub mod rapl;

/// A reading of a device's energy counter or power sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EnergyReading {
    /// Joules used since a fixed point in time: only the difference of two readings has a meaning.
    Counted(f64),
    /// Watts drawn now, for devices without an energy counter.
    Drawn(f64),
}
