//! [`KernelStats`]: one query as the selector knows it: its workload, its published decisions, its measured runs, and
//! the devices that failed to run it lately.

use super::Arm;
use super::decide::BucketChoice;
use super::decision_table::{ArmSet, DecisionTable};
use super::estimate::Cells;
use super::features::{ARMS_MAX, Octave, Size, Workload};
use super::model::{Parts, predict};
use super::move_accounts::ReuseHistory;
use crate::sync::{Mutex, RwLock};
use std::collections::BTreeMap;

/// The maximum number of input placements of a kernel that have decisions of their own; calls beyond share those of the
/// host.
const PLACEMENTS_MAX: usize = 64;
/// A device that has failed n times in a row is left alone for 2^n calls, with n up to this.
const FAILURES_MAX: u32 = 10;

/// Borrowed, pageable host memory: the most frequent placement.
const HOST: Size = Size::host(0);

/// A query as the selector knows it.
pub struct KernelStats {
    pub(super) workload: Workload,
    /// The devices that can run it.
    pub(super) devices: ArmSet,
    /// The decisions for borrowed host memory.
    host: DecisionTable,
    others: RwLock<Vec<(Size, DecisionTable)>>,
    pub(super) state: Mutex<KernelState>,
    /// How often it read the same owned columns.
    pub(crate) reuse: ReuseHistory,
}

/// The measured runs of a kernel, and the decisions from them.
#[derive(Default)]
pub(super) struct KernelState {
    /// By device.
    pub(super) cells: [Cells; ARMS_MAX],
    /// Bytes of the result per row in the last run of each size bucket; those of calls that expected a number of rows
    /// are under it.
    pub(super) outputs: BTreeMap<(Octave, u8), f64>,
    pub(super) choices: BTreeMap<(Size, u8), BucketChoice>,
    /// Calls that asked which devices are paused.
    calls: u64,
    failures: [FailureStreak; ARMS_MAX],
}

/// The last failures of a device.
#[derive(Clone, Copy, Default)]
struct FailureStreak {
    in_a_row: u32,
    /// The call from which on the device is asked again.
    paused_until: u64,
}

impl KernelStats {
    pub(super) fn new(workload: Workload, devices: ArmSet) -> KernelStats {
        let (host, others) = (DecisionTable::new(), RwLock::default());
        KernelStats { workload, devices, host, others, state: Mutex::default(), reuse: ReuseHistory::default() }
    }

    /// The work of the query on a device.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The devices that can run the query.
    pub fn devices(&self) -> ArmSet {
        self.devices
    }

    /// Whether runs on a device are known, of this process or an earlier one.
    pub(crate) fn has_run_on(&self, arm: usize) -> bool {
        self.state.lock().cells.get(arm).is_some_and(|cells| !cells.is_empty())
    }

    /// Reads the decisions of an input placement; `None` if there are none yet.
    #[inline]
    pub(super) fn read_table<T>(&self, placement: Size, read: impl FnOnce(&DecisionTable) -> Option<T>) -> Option<T> {
        if placement == HOST {
            return read(&self.host);
        }
        let others = self.others.read();
        let own = others.iter().find(|(own, _)| *own == placement).map(|(_, table)| table);
        read(own.or((others.len() >= PLACEMENTS_MAX).then_some(&self.host))?)
    }

    /// Writes the decisions of an input placement.
    pub(super) fn write_table(&self, placement: Size, write: impl FnOnce(&DecisionTable)) {
        if placement == HOST {
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

    /// Counts a call. Returns the devices that it should leave alone, because they failed lately.
    pub(crate) fn paused_devices(&self) -> ArmSet {
        let mut state = self.state.lock();
        state.calls += 1;
        let is_paused = |arm: &usize| state.failures[*arm].paused_until > state.calls;
        ArmSet::ALL.arms().filter(is_paused).fold(ArmSet::NONE, ArmSet::with)
    }

    /// Records whether a device ran the kernel, or failed.
    pub(crate) fn record_outcome(&self, arm: usize, succeeded: bool) {
        let mut state = self.state.lock();
        let in_a_row = if succeeded { 0 } else { (state.failures[arm].in_a_row + 1).min(FAILURES_MAX) };
        let paused_until = if succeeded { 0 } else { state.calls + 1 + (1 << in_a_row) };
        state.failures[arm] = FailureStreak { in_a_row, paused_until };
    }
}

impl KernelState {
    /// Forgets all runs.
    pub(super) fn forget(&mut self) {
        self.cells = Default::default();
        self.outputs.clear();
        self.failures = Default::default();
        self.choices.values_mut().for_each(BucketChoice::forget);
    }

    /// Bytes of the result per row at a size: of the last such run, of the rows that the call expects, of the nearest
    /// bucket that ran, or what the kernel suggests.
    pub(super) fn output_per_row(&self, workload: &Workload, size: Size) -> f64 {
        let (octave, bucket) = (size.output, size.bucket());
        if octave != Octave::UNKNOWN {
            let expected = size.output.number().unwrap_or(0.0) / size.rows.max(1) as f64 * workload.output_row_bytes;
            return self.outputs.get(&(octave, bucket)).copied().unwrap_or(expected);
        }
        let below = self.outputs.range((octave, 0)..=(octave, bucket)).next_back();
        let above = self.outputs.range((octave, bucket)..=(octave, u8::MAX)).next();
        let nearest = below.into_iter().chain(above).min_by_key(|((_, own), _)| own.abs_diff(bucket));
        nearest.map_or(workload.output_per_row, |(_, bytes)| *bytes)
    }

    /// The time of a call on a device by the model alone.
    pub(super) fn model(&self, kernel: &KernelStats, arms: &[Arm], device: usize, size: Size) -> Parts {
        let output_per_row = self.output_per_row(&kernel.workload, size);
        predict(&arms[device].profile, &kernel.workload, size, device, output_per_row)
    }

    /// Adapts the ratios to new profiles, so that measured times do not change.
    pub(super) fn rebase(&mut self, kernel: &KernelStats, old: &[Arm], new: &[Arm]) {
        let mut all = std::mem::take(&mut self.cells);
        for (device, cells) in all.iter_mut().enumerate() {
            for (key, timings) in cells {
                let size = key.sample(timings.rows);
                let model = |arms| self.model(kernel, arms, device, size).total();
                let shift = (model(old) / model(new)).ln();
                if shift.is_finite() {
                    timings.shift(shift);
                }
            }
        }
        self.cells = all;
    }
}
