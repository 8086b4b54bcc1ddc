//! Identifies what timings belong to: a machine and a build ([`Machine`]), and a device ([`fingerprint_of`]). In go
//! descriptions; out come names and hashes, which never change for the same description.

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
        let hardware = format!("{}, {threads} threads, quota {quota}", cpu.model);
        Machine::new(&hardware, &format!("{BUILD}, language {VERSION}"))
    }

    /// One that is described by hand.
    pub fn new(hardware: &str, build: &str) -> Machine {
        Machine { hardware: hardware.to_string(), build: build.to_string() }
    }

    /// The name of the file of this hardware with an extension. All builds share it.
    pub(super) fn file_name(&self, extension: &str) -> String {
        format!("selector-{}.{extension}", hash(&self.hardware))
    }

    /// The first line of a file with these lines: a checksum that fails for other lines and for other hardware.
    pub(super) fn header(&self, lines: &str) -> String {
        let hardware = XxHash3_128::oneshot(self.hardware.as_bytes()) as u64;
        format!("pointsman-learned {:032x}", XxHash3_128::oneshot_with_seed(hardware, lines.as_bytes()))
    }

    /// Identifies a device of this machine, as this build of the library uses it.
    pub(super) fn device_id(&self, name: &str, fingerprint: &str) -> String {
        hash(&format!("{name}\n{fingerprint}\n{}", self.build))
    }
}

fn hash(text: &str) -> String {
    format!("{:032x}", XxHash3_128::oneshot(text.as_bytes()))
}

/// What tells a device from others of its name, as far as times go: what it is, its driver, its units.
pub fn fingerprint_of(device: &dyn Device) -> String {
    let info = device.info();
    format!("{:?} {}, {} units, {}", info.kind, info.model, info.units, device.fingerprint())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_share_a_file_and_machines_do_not() {
        let (one, rebuilt) = (Machine::new("a", "1"), Machine::new("a", "2"));
        let other = Machine::new("b", "1");
        assert_eq!(one.file_name("learned"), rebuilt.file_name("learned"));
        assert_ne!(one.device_id("cpu", "x"), rebuilt.device_id("cpu", "x"));
        assert_ne!(one.file_name("learned"), other.file_name("learned"));
        let cpu = pointsman_device::cpu::CpuDevice::new(Default::default());
        let here = Machine::here(cpu.info());
        assert_eq!(here, Machine::here(cpu.info()));
        assert!(here.hardware.contains(&cpu.info().model) && here.build.contains(BUILD), "{here:?}");
        assert!(fingerprint_of(&cpu).contains(&cpu.info().model));
    }
}
