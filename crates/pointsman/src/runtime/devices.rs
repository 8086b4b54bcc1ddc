//! The devices of this machine, and the memory that results come from.

use crate::runtime::memory::Pool;
use pointsman_device::Device;
use pointsman_device::cpu::{CpuDevice, CpuOptions};
use std::sync::Arc;

/// All devices, the CPU first.
pub(crate) fn open(cpu: CpuOptions) -> (Vec<Arc<dyn Device>>, Pool) {
    let cpu = CpuDevice::new(cpu);
    let pool = Pool::new(cpu.pool().clone());
    (vec![Arc::new(cpu)], pool)
}
