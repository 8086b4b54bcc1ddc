//! The conformance suite for every device this crate has, and for the CPU with other thread counts, morsels and
//! instruction sets.

use pointsman_device::cpu::{CpuDevice, CpuOptions};

pointsman_device::conformance!(cpu, || CpuDevice::new(CpuOptions::default()));
