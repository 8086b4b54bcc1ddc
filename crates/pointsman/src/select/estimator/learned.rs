//! [`Learned`]: everything that a selector has learned, as plain values for the next process: statistics, never bare
//! winners. Impossible values are never adopted.

use super::estimate::CellKey;
use super::features::{Class, Octave, Size};
use super::kernel_stats::{KernelState, KernelStats};
use super::learn::TIMES;
use super::profile::{Profile, SPREAD_GUESSED};
use super::timings::Timings;
use super::{Arm, Inner, KERNELS_MAX, Selector, Shared};
use std::collections::BTreeMap;

/// Everything that a selector has learned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The devices, in their order.
    pub arms: Vec<Arm>,
    /// The kernels that ran, by the keys of their workloads.
    pub kernels: BTreeMap<u128, LearnedKernel>,
}

/// The measured runs of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearnedKernel {
    /// How often the last owned columns were read; 0 if there were none.
    pub uses: u64,
    /// The runs, by device, input placement and size.
    pub cells: Vec<LearnedCell>,
}

/// The runs of a kernel on a device, at one input placement, half-octave of rows and size of tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedCell {
    /// The device's number.
    pub arm: usize,
    /// The location of the input.
    pub class: Class,
    /// The bytes of the tables and groups.
    pub working_set: Octave,
    /// The rows of the result that were expected.
    pub output: Octave,
    /// The rows of the last run.
    pub rows: u64,
    /// The median time of the last runs at this number of rows, in nanoseconds.
    pub nanoseconds: f64,
    /// The standard deviation of its logarithm.
    pub spread: f64,
    /// The number of runs that the median stands on; 0 if all of them were disturbed.
    pub runs: u32,
}

impl LearnedCell {
    /// A call of the cell.
    pub(super) fn size(&self) -> Size {
        let LearnedCell { class, working_set, output, rows, .. } = *self;
        CellKey { class, bucket: 0, working_set, output }.sample(rows)
    }
}

impl Selector {
    /// Everything learned so far.
    pub fn learned(&self) -> Learned {
        self.learned_where(|_| true)
    }

    /// Everything learned since the last call of this method.
    pub(super) fn take_unsaved(&self) -> Learned {
        self.learned_where(|timings| std::mem::take(&mut timings.is_unsaved))
    }

    /// The wanted timings as they are stored: absolute times, which hold for any profile.
    fn learned_where(&self, is_wanted: impl Fn(&mut Timings) -> bool) -> Learned {
        let mut learned = Learned::default();
        for kernel in self.0.all_kernels() {
            let (mut state, shared) = (kernel.state.lock(), self.0.shared.lock());
            let mut all = std::mem::take(&mut state.cells);
            for (arm, cells) in all.iter_mut().enumerate() {
                for (&key, timings) in cells.iter_mut().filter(|(_, timings)| !timings.is_empty()) {
                    if !is_wanted(timings) {
                        continue;
                    }
                    // Disturbed runs say more than a guess, but an undisturbed one replaces them: they count as none.
                    let runs = if timings.has_clean_runs() { timings.runs() } else { 0 };
                    let (rows, spread) = (timings.rows, timings.spread());
                    let model = state.model(&kernel, &shared.arms, arm, key.sample(rows)).total();
                    let nanoseconds = model * timings.center().exp();
                    // It may be there already: the same kernel, registered for other devices.
                    let own = learned.kernels.entry(kernel.workload.key).or_default();
                    own.uses = own.uses.max(kernel.reuse.last_uses());
                    let CellKey { class, bucket: _, working_set, output } = key;
                    own.cells.push(LearnedCell { arm, class, working_set, output, rows, nanoseconds, spread, runs });
                }
            }
            state.cells = all;
        }
        learned.arms = self.0.shared.lock().arms.to_vec();
        learned
    }

    /// Takes over what was learned earlier about devices with the names of these: measured profiles, unless a device
    /// has one already, and the timings of kernels. Timings of this selector's own runs stay. Impossible numbers are
    /// left out.
    pub fn adopt(&self, learned: &Learned) {
        let arm_of = |arm: &Arm| self.0.names.iter().position(|name| *name == arm.name);
        let measured = learned.arms.iter().filter(|arm| arm.profile.measured);
        let profiles = measured.filter_map(|arm| Some((arm_of(arm)?, arm.profile.clone())));
        self.set_profiles(profiles.filter(|(arm, _)| self.profile(*arm).is_some_and(|own| !own.measured)));
        let mut stored = self.0.stored.lock();
        for (key, LearnedKernel { uses, cells }) in learned.kernels.iter().take(KERNELS_MAX) {
            let is_possible =
                |cell: &&LearnedCell| TIMES.contains(&cell.nanoseconds) && (0.0..10.0).contains(&cell.spread);
            let here = |cell: &LearnedCell| Some(LearnedCell { arm: arm_of(learned.arms.get(cell.arm)?)?, ..*cell });
            let cells = cells.iter().filter(is_possible).filter_map(here).collect();
            stored.insert(*key, LearnedKernel { uses: *uses, cells });
        }
        drop(stored);
        self.0.update_kernels(|kernel, state, shared| self.0.restore(kernel, state, shared));
    }

    /// Widens the uncertainty of a device whose stored profile turned out to be wrong: new runs replace the stored ones
    /// soon, and predictions without runs are less certain. Nothing is forgotten.
    pub(crate) fn doubt(&self, arm: usize) {
        let Some(profile) = self.profile(arm) else { return };
        self.set_profile(arm, Profile { spread: profile.spread.max(SPREAD_GUESSED), ..profile });
        for kernel in self.0.stored.lock().values_mut() {
            kernel.cells.iter_mut().filter(|cell| cell.arm == arm).for_each(|cell| cell.runs = cell.runs.min(1));
        }
        self.0.update_kernels(|_, state, _| state.cells[arm].values_mut().for_each(Timings::doubt));
    }
}

impl Inner {
    /// Gives a kernel its stored timings, where it has no runs of its own.
    pub(super) fn restore(&self, kernel: &KernelStats, state: &mut KernelState, shared: &Shared) {
        let stored = self.stored.lock();
        let Some(learned) = stored.get(&kernel.workload.key) else { return };
        kernel.reuse.restore(learned.uses);
        for cell in learned.cells.iter().filter(|cell| kernel.devices.has(cell.arm)) {
            let size = cell.size();
            let model = state.model(kernel, &shared.arms, cell.arm, size).total();
            let center = (cell.nanoseconds / model).ln();
            let key = CellKey { class: cell.class, ..CellKey::of(size, cell.arm) };
            let own = state.cells[cell.arm].entry(key).or_default();
            if own.is_empty() && center.is_finite() {
                *own = Timings::restored(center, cell.spread, cell.runs, cell.rows);
            }
        }
    }
}
