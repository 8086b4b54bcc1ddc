//! [`Learned`]: everything that a selector has learned, as plain values for the next process: statistics, never bare
//! winners.

use super::estimate::sample_size;
use super::features::Class;
use super::kernel_stats::{KernelState, KernelStats};
use super::learn::TIMES;
use super::profile::Profile;
use super::timings::Timings;
use super::{Arm, Inner, KERNELS_MAX, Selector, Shared};
use std::collections::BTreeMap;

/// Everything that a selector has learned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The devices, in their order.
    pub arms: Vec<Arm>,
    /// The kernels, by their keys.
    pub kernels: Vec<LearnedKernel>,
}

/// A device and its profile.
pub type LearnedArm = Arm;

/// The measured runs of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedKernel {
    /// The key of its workload.
    pub key: u128,
    /// How often the last owned columns were read; 0 if there were none.
    pub uses: u64,
    /// The runs, by device, input placement and size.
    pub cells: Vec<LearnedCell>,
}

/// The runs of a kernel on a device, at one size and input placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedCell {
    /// The device's number.
    pub arm: usize,
    /// Where the input lay.
    pub class: Class,
    /// The half-octave of the rows.
    pub bucket: u8,
    /// The rows of the last run.
    pub rows: u64,
    /// The median time of the last runs at this number of rows, in nanoseconds.
    pub nanoseconds: f64,
    /// The standard deviation of its logarithm.
    pub spread: f64,
    /// The number of runs that the median stands on.
    pub runs: u32,
    /// Whether runs were added since the cell was last stored.
    pub is_unsaved: bool,
}

impl LearnedCell {
    /// Whether its numbers are possible.
    pub(crate) fn is_sound(&self, arms: usize) -> bool {
        self.arm < arms
            && sample_size(self.class, self.rows).bucket() == self.bucket
            && TIMES.contains(&self.nanoseconds)
            && (0.0..10.0).contains(&self.spread)
            && self.runs > 0
    }
}

impl Selector {
    /// Everything learned so far.
    pub fn learned(&self) -> Learned {
        self.read_learned(|_| {})
    }

    /// Everything learned so far, to be stored: from now on only new runs are unsaved.
    pub(super) fn take_unsaved(&self) -> Learned {
        self.read_learned(|timings| timings.is_unsaved = false)
    }

    fn read_learned(&self, then: fn(&mut Timings)) -> Learned {
        let mut kernels: BTreeMap<u128, LearnedKernel> = BTreeMap::new();
        for kernel in self.0.all_kernels() {
            let (key, cells) = (kernel.workload.key, self.0.learned_cells(&kernel, then));
            if !cells.is_empty() {
                let new = || LearnedKernel { key, uses: kernel.reuse.last_uses(), cells: Vec::new() };
                // It may be there already: the same kernel, registered for other devices.
                kernels.entry(key).or_insert_with(new).cells.extend(cells);
            }
        }
        Learned { arms: self.0.shared.lock().profiles.to_vec(), kernels: kernels.into_values().collect() }
    }

    /// Marks cells as unsaved again that could not be stored.
    pub(super) fn give_back(&self, learned: &Learned) {
        for kernel in self.0.all_kernels() {
            let mut state = kernel.state.lock();
            let lost = learned.kernels.iter().filter(|own| own.key == kernel.workload.key).flat_map(|own| &own.cells);
            for cell in lost.filter(|cell| cell.is_unsaved) {
                if let Some(timings) = state.cells[cell.arm].get_mut(&(cell.class, cell.bucket)) {
                    timings.is_unsaved = true;
                }
            }
        }
    }

    /// Takes over what was learned earlier about devices with the names of these: measured profiles, unless a device has
    /// one already, and the timings of kernels. Timings of this selector's own runs stay. Impossible numbers are left out.
    pub fn adopt(&self, learned: &Learned) {
        let arms: Vec<Option<usize>> =
            learned.arms.iter().map(|arm| self.0.names.iter().position(|name| *name == arm.name)).collect();
        let profiles = learned.arms.iter().zip(&arms).filter_map(|(arm, number)| {
            let own = self.profile((*number)?)?;
            // The device itself says how much memory it has.
            let profile = Profile { memory: own.memory, ..arm.profile.clone() };
            (profile.measured && !own.measured).then_some(((*number)?, profile))
        });
        self.set_profiles(profiles.collect::<Vec<_>>());
        let mut stored = self.0.stored.lock();
        for kernel in learned.kernels.iter().take(KERNELS_MAX) {
            let here = |cell: &LearnedCell| Some(LearnedCell { arm: (*arms.get(cell.arm)?)?, ..*cell });
            let cells = kernel.cells.iter().filter_map(here).filter(|cell| cell.is_sound(self.0.names.len()));
            stored.insert(kernel.key, LearnedKernel { cells: cells.collect(), ..*kernel });
        }
        drop(stored);
        self.0.update_kernels(|kernel, state, shared| self.0.restore(kernel, state, shared));
    }

    /// Widens the uncertainty of a device whose stored profile turned out to be wrong: new runs replace the stored ones
    /// soon, and predictions without runs are less certain. Nothing is forgotten.
    pub(crate) fn doubt(&self, arm: usize) {
        let Some(profile) = self.profile(arm) else { return };
        let spread = profile.spread.max(super::profile::SPREAD_GUESSED);
        self.set_profile(arm, Profile { spread, ..profile });
        for kernel in self.0.stored.lock().values_mut() {
            kernel.cells.iter_mut().filter(|cell| cell.arm == arm).for_each(|cell| cell.runs = 1);
        }
        self.0.update_kernels(|_, state, _| state.cells[arm].values_mut().for_each(Timings::doubt));
    }
}

impl Inner {
    /// The timings of a kernel as they are stored: absolute times, which hold for any profile. Contended runs are left out.
    fn learned_cells(&self, kernel: &KernelStats, then: fn(&mut Timings)) -> Vec<LearnedCell> {
        let (mut state, shared) = (kernel.state.lock(), self.shared.lock());
        let mut learned = Vec::new();
        for arm in 0..shared.profiles.len() {
            for (&(class, bucket), timings) in state.cells[arm].iter().filter(|(_, timings)| timings.has_clean_runs()) {
                let size = sample_size(class, timings.rows);
                let model = state.model(kernel, &shared.profiles, arm, size).total();
                let (nanoseconds, spread, runs) = (model * timings.center().exp(), timings.spread(), timings.runs());
                let (rows, is_unsaved) = (timings.rows, timings.is_unsaved);
                learned.push(LearnedCell { arm, class, bucket, rows, nanoseconds, spread, runs, is_unsaved });
            }
        }
        state.cells.iter_mut().flat_map(|cells| cells.values_mut()).for_each(then);
        learned
    }

    /// Gives a kernel its stored timings, where it has no runs of its own.
    pub(super) fn restore(&self, kernel: &KernelStats, state: &mut KernelState, shared: &Shared) {
        let stored = self.stored.lock();
        let Some(learned) = stored.get(&kernel.workload.key) else { return };
        kernel.reuse.restore(learned.uses);
        for cell in learned.cells.iter().filter(|cell| kernel.devices.has(cell.arm)) {
            let size = sample_size(cell.class, cell.rows);
            let model = state.model(kernel, &shared.profiles, cell.arm, size).total();
            let center = (cell.nanoseconds / model).ln();
            let own = state.cells[cell.arm].entry((cell.class, cell.bucket)).or_default();
            if own.is_empty() && center.is_finite() {
                *own = Timings::restored(center, cell.spread, cell.runs, cell.rows);
            }
        }
    }
}
