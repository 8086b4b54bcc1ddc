//! [`Machine`]: what tells machines apart as far as times go, and [`fingerprint_of`] what tells devices apart.

use pointsman_device::{BUILD, Device, DeviceInfo};
use pointsman_ir::VERSION;
use twox_hash::XxHash3_128;

/// Where the system tells how much of its processors this process may use: cgroups of version 2, and of version 1.
const QUOTA_FILES: [&str; 2] = ["/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us"];

/// A machine as a store knows it, and the build of this library. What was learned on another one is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Processor, instruction set, threads, quota.
    hardware: String,
    build: String,
}

impl Machine {
    /// The one that this process runs on; its CPU is a device.
    pub fn here(cpu: &DeviceInfo) -> Machine {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let quota = QUOTA_FILES.iter().find_map(|file| std::fs::read_to_string(file).ok());
        let quota = quota.as_deref().map_or("none", str::trim);
        Machine::new(
            &format!("{}, {threads} threads, quota {quota}", cpu.model),
            &format!("{BUILD}, language {VERSION}"),
        )
    }

    /// One that is described by hand.
    pub fn new(hardware: &str, build: &str) -> Machine {
        Machine { hardware: hardware.to_string(), build: build.to_string() }
    }

    /// Identifies the device and its build in a file.
    pub(super) fn id(&self) -> u128 {
        XxHash3_128::oneshot(format!("{}\nbuild {}", self.hardware, self.build).as_bytes())
    }

    /// How the names of this hardware's files begin, whatever the build.
    pub(super) fn prefix(&self) -> String {
        format!("selector-{:016x}.", XxHash3_128::oneshot(self.hardware.as_bytes()) as u64)
    }

    /// The name of its file with this extension.
    pub(super) fn file_name(&self, extension: &str) -> String {
        format!("{}{:08x}.{extension}", self.prefix(), XxHash3_128::oneshot(self.build.as_bytes()) as u32)
    }
}

/// What stands behind the dot in the names of stores.
pub(super) const EXTENSION: &str = "learned";

/// What tells a device from others of its name, as far as times go: what it is, its driver, its units.
pub fn fingerprint_of(device: &dyn Device) -> String {
    let info = device.info();
    format!("{:?} {}, {} units, {}", info.kind, info.model, info.units, device.fingerprint())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_share_a_prefix_and_machines_do_not() {
        let (one, rebuilt) = (Machine::new("a", "1"), Machine::new("a", "2"));
        let other = Machine::new("b", "1");
        assert_eq!(one.prefix(), rebuilt.prefix());
        assert_ne!(one.file_name(EXTENSION), rebuilt.file_name(EXTENSION));
        assert_ne!(one.prefix(), other.prefix());
        let cpu = pointsman_device::cpu::CpuDevice::new(Default::default());
        let here = Machine::here(cpu.info());
        assert_eq!(here, Machine::here(cpu.info()));
        assert!(here.hardware.contains(&cpu.info().model) && here.build.contains(BUILD), "{here:?}");
        assert!(fingerprint_of(&cpu).contains(&cpu.info().model));
    }
}
