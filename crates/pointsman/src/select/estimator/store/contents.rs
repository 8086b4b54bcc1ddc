//! How the contents of a store grow and shrink: new runs replace the stored ones of their cell, and what was used least
//! recently is dropped first.

use super::file::{CELL_BYTES, Contents, DEVICES_MAX, KERNEL_BYTES, StoredDevice, StoredKernel};
use crate::select::estimator::learned::{Learned, LearnedArm, LearnedCell, LearnedKernel};
use std::collections::BTreeMap;

/// The devices of this process: their names and fingerprints.
pub(super) type Fingerprints = BTreeMap<String, String>;

impl Contents {
    /// Adds what a selector learned since it was last stored.
    pub(super) fn add(&mut self, learned: &Learned, fingerprints: &Fingerprints) {
        self.saves += 1;
        let numbers: Vec<Option<usize>> =
            learned.arms.iter().map(|arm| self.add_device(arm, fingerprints.get(&arm.name)?)).collect();
        for kernel in &learned.kernels {
            let here =
                |cell: &LearnedCell| Some(LearnedCell { arm: (*numbers.get(cell.arm)?)?, is_unsaved: false, ..*cell });
            let fresh: Vec<LearnedCell> = kernel.cells.iter().filter(|cell| cell.is_unsaved).filter_map(here).collect();
            if !fresh.is_empty() {
                self.add_kernel(kernel.key, &fresh);
            }
        }
    }

    fn add_device(&mut self, arm: &LearnedArm, fingerprint: &str) -> Option<usize> {
        let position = self.devices.iter().position(|one| one.name == arm.name && one.fingerprint == *fingerprint);
        let position = position.unwrap_or_else(|| {
            let (name, fingerprint) = (arm.name.clone(), fingerprint.to_string());
            self.devices.push(StoredDevice { name, fingerprint, used: 0, profile: None });
            self.devices.len() - 1
        });
        let device = &mut self.devices[position];
        device.used = self.saves;
        if arm.profile.measured {
            device.profile = Some(arm.profile.clone());
        }
        Some(position)
    }

    fn add_kernel(&mut self, key: u128, fresh: &[LearnedCell]) {
        let saves = self.saves;
        let position = self.kernels.iter().position(|kernel| kernel.key == key).unwrap_or_else(|| {
            self.kernels.push(StoredKernel { key, used: saves, cells: Vec::new() });
            self.kernels.len() - 1
        });
        let kernel = &mut self.kernels[position];
        kernel.used = saves;
        kernel.cells.retain(|old| fresh.iter().all(|new| new.key() != old.key()));
        kernel.cells.extend(fresh);
    }

    /// Drops devices and kernels that were not used for longest, until few devices and at most `bytes_max` bytes of
    /// kernels are left.
    pub(super) fn limit(&mut self, bytes_max: usize) {
        while self.devices.len() > DEVICES_MAX {
            let oldest = self.devices.iter().enumerate().min_by_key(|(_, device)| device.used).map(|(at, _)| at);
            oldest.iter().for_each(|&at| self.remove_device(at));
        }
        let bytes = |kernel: &StoredKernel| KERNEL_BYTES + CELL_BYTES * kernel.cells.len();
        self.kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.used));
        let mut sum = 0;
        self.kernels.retain(|kernel| {
            sum += bytes(kernel);
            sum <= bytes_max
        });
    }

    fn remove_device(&mut self, at: usize) {
        self.devices.remove(at);
        for kernel in &mut self.kernels {
            kernel.cells.retain(|cell| cell.arm != at);
            kernel.cells.iter_mut().filter(|cell| cell.arm > at).for_each(|cell| cell.arm -= 1);
        }
        self.kernels.retain(|kernel| !kernel.cells.is_empty());
    }

    /// What is stored about these devices. `None`: nothing.
    pub(super) fn for_devices(&self, fingerprints: &Fingerprints) -> Option<Learned> {
        let is_here = |device: &&StoredDevice| fingerprints.get(&device.name) == Some(&device.fingerprint);
        let here: Vec<bool> = self.devices.iter().map(|device| is_here(&device)).collect();
        let guess = crate::select::estimator::Profile::guess(pointsman_device::DeviceKind::Cpu, 1);
        let arm = |device: &StoredDevice| LearnedArm {
            // A device that is another one by now must not match by its name.
            name: if is_here(&device) { device.name.clone() } else { String::new() },
            profile: device.profile.clone().unwrap_or_else(|| guess.clone()),
        };
        let kernel = |kernel: &StoredKernel| {
            let cells: Vec<LearnedCell> = kernel.cells.iter().filter(|cell| here[cell.arm]).copied().collect();
            (!cells.is_empty()).then_some(LearnedKernel { key: kernel.key, cells })
        };
        let learned = Learned {
            arms: self.devices.iter().map(arm).collect(),
            kernels: self.kernels.iter().filter_map(kernel).collect(),
        };
        here.contains(&true).then_some(learned)
    }
}
