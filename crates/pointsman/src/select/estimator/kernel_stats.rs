//! [`KernelStats`]: one query as the selector knows it: its workload, its published decisions, and its measured runs.

use super::Shared;
use super::decide::BucketChoice;
use super::decision_table::{ArmSet, DecisionTable};
use super::estimate::{CellKey, Cells, DeviceEstimate, EstimateContext, GuessBias, sample_size};
use super::features::{ARMS_MAX, InputPlacement, Size, Workload};
use super::functions::FunctionFailures;
use super::profile::Profile;
use crate::sync::{Mutex, MutexGuard, RwLock};
use std::collections::BTreeMap;

/// The most input placements of a kernel that have decisions of their own; calls beyond share those of the host.
const PLACEMENTS_MAX: usize = 64;

/// A query as the selector knows it.
pub struct KernelStats {
    pub(super) workload: Workload,
    /// The devices that can run it.
    pub(super) devices: ArmSet,
    /// The decisions for borrowed host memory.
    host: DecisionTable,
    others: RwLock<Vec<(InputPlacement, DecisionTable)>>,
    state: Mutex<KernelState>,
}

/// How fast a device is, before any run of a kernel.
#[derive(Clone, Copy)]
pub(super) struct DeviceModel<'e> {
    pub(super) profile: &'e Profile,
    pub(super) bias: &'e GuessBias,
}

/// What was measured of a kernel.
#[derive(Default)]
pub(super) struct KernelState {
    /// By device.
    pub(super) cells: [Cells; ARMS_MAX],
    /// Bytes of the result per row in the last run of each size bucket.
    outputs: BTreeMap<u8, f64>,
    pub(super) choices: BTreeMap<(InputPlacement, u8), BucketChoice>,
    /// The failures of functions that the user brings.
    pub(super) functions: FunctionFailures,
}

impl KernelStats {
    pub(super) fn new(workload: Workload, devices: ArmSet, state: KernelState) -> KernelStats {
        let host = DecisionTable::new();
        KernelStats { workload, devices, host, others: RwLock::default(), state: Mutex::new(state) }
    }

    /// What the query asks of a device.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The devices that can run the query.
    pub fn devices(&self) -> ArmSet {
        self.devices
    }

    pub(super) fn state(&self) -> MutexGuard<'_, KernelState> {
        self.state.lock()
    }

    /// Reads the decisions of an input placement; `None` if there are none yet.
    #[inline]
    pub(super) fn read_table<T>(
        &self,
        placement: InputPlacement,
        read: impl FnOnce(&DecisionTable) -> Option<T>,
    ) -> Option<T> {
        if placement == InputPlacement::HOST {
            return read(&self.host);
        }
        let others = self.others.read();
        let own = others.iter().find(|(own, _)| *own == placement).map(|(_, table)| table);
        read(own.or((others.len() >= PLACEMENTS_MAX).then_some(&self.host))?)
    }

    /// Writes the decisions of an input placement.
    pub(super) fn write_table(&self, placement: InputPlacement, write: impl FnOnce(&DecisionTable)) {
        if placement == InputPlacement::HOST {
            return write(&self.host);
        }
        let mut others = self.others.write();
        if let Some((_, table)) = others.iter().find(|(own, _)| *own == placement) {
            return write(table);
        }
        if others.len() < PLACEMENTS_MAX {
            let table = DecisionTable::new();
            write(&table);
            others.push((placement, table));
        }
    }
}

impl KernelState {
    /// Forgets all runs.
    pub(super) fn forget(&mut self) {
        self.cells = Default::default();
        self.outputs.clear();
        self.functions = FunctionFailures::default();
        self.choices.values_mut().for_each(BucketChoice::forget);
    }

    /// Records the bytes of a call's result.
    pub(super) fn record_output(&mut self, size: Size, bytes: u64) {
        if size.rows > 0 {
            self.outputs.insert(size.bucket(), bytes as f64 / size.rows as f64);
        }
    }

    /// Bytes of the result per row at a size: of the nearest bucket that ran, or what the kernel suggests.
    pub(super) fn output_per_row(&self, workload: &Workload, bucket: u8) -> f64 {
        let below = self.outputs.range(..=bucket).next_back();
        let above = self.outputs.range(bucket..).next();
        let nearest = below.into_iter().chain(above).min_by_key(|(own, _)| own.abs_diff(bucket));
        nearest.map_or(workload.output_per_row, |(_, bytes)| *bytes)
    }

    /// What estimates of a device's time for such calls depend on.
    pub(super) fn context<'e>(
        &'e self,
        kernel: &'e KernelStats,
        model: DeviceModel<'e>,
        device: usize,
        size: Size,
    ) -> EstimateContext<'e> {
        let output_per_row = self.output_per_row(&kernel.workload, size.bucket());
        let DeviceModel { profile, bias } = model;
        EstimateContext {
            device,
            profile,
            bias,
            workload: &kernel.workload,
            cells: &self.cells[device],
            output_per_row,
        }
    }

    /// What a call should take on each device that can run it.
    pub(super) fn estimates(&self, kernel: &KernelStats, shared: &Shared, size: Size) -> Vec<DeviceEstimate> {
        let able = (0..shared.profiles.len()).filter(|device| kernel.devices.has(*device));
        able.map(|device| self.context(kernel, shared.model(device), device, size).estimate(size)).collect()
    }

    /// Follows a device's new profile: measured times stay what they are.
    pub(super) fn rebase(&mut self, kernel: &KernelStats, device: usize, old: &Profile, new: &Profile) {
        let keys: Vec<CellKey> = self.cells[device].keys().copied().collect();
        for key in keys {
            let Some(rows) = self.cells[device].get(&key).map(|timings| timings.rows) else { continue };
            let size = sample_size(key.0, rows);
            let bias = &GuessBias::default();
            let model = |profile| self.context(kernel, DeviceModel { profile, bias }, device, size).model(size).total();
            let shift = (model(old) / model(new)).ln();
            if let Some(timings) = self.cells[device].get_mut(&key).filter(|_| shift.is_finite()) {
                timings.shift(shift);
            }
        }
    }
}
