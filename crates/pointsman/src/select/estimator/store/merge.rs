//! What several processes learned, put together: each adds what is new of its own to what is stored.

use super::file::{ARMS_MAX, CELL_BYTES, CHOICE_BYTES, Contents, KERNEL_BYTES, StoredArm, StoredKernel, basis};
use crate::select::estimator::KERNELS_MAX;
use crate::select::estimator::cell::Cell;
use crate::select::estimator::learned::{Learned, LearnedArm, LearnedCell, LearnedChoice, LearnedKernel};
use std::collections::BTreeMap;

/// Fingerprints of the devices here, by their names.
pub(super) type Devices = BTreeMap<String, String>;

/// The profiles that were seen in the store before, by the names of their devices.
pub(super) type Seen = BTreeMap<String, u128>;

impl Contents {
    /// Adds what a selector learned since it was last stored.
    pub(super) fn add(&mut self, learned: &Learned, devices: &Devices, seen: &Seen) {
        self.saves += 1;
        let places: Vec<Option<usize>> = learned.arms.iter().map(|arm| self.seat(arm, devices, seen)).collect();
        let here = |cell: &LearnedCell| Some(LearnedCell { arm: (*places.get(cell.arm)?)?, ..*cell });
        for (arm, place) in learned.arms.iter().zip(&places) {
            let Some(stored) = place.and_then(|place| self.arms.get_mut(place)) else { continue };
            if !arm.cells.is_empty() || stored.cells.is_empty() {
                (stored.spread, stored.noise, stored.doubt) = (arm.spread, arm.noise, arm.doubt);
            }
            for cell in arm.cells.iter().filter_map(here) {
                put(&mut stored.cells, cell);
            }
        }
        let arms = self.arms.len();
        for kernel in &learned.kernels {
            let cells: Vec<LearnedCell> =
                kernel.cells.iter().filter_map(here).filter(|cell| cell.is_sound(arms)).collect();
            if cells.is_empty() {
                continue;
            }
            let place = self.kernels.binary_search_by_key(&kernel.key, |own| own.key).unwrap_or_else(|place| {
                self.kernels
                    .insert(place, StoredKernel { key: kernel.key, used: 0, cells: Vec::new(), choices: Vec::new() });
                place
            });
            let stored = &mut self.kernels[place];
            for cell in cells {
                if put(&mut stored.cells, cell) {
                    stored.used = self.saves;
                }
            }
            // Who learned nothing new chose no better than others since.
            if stored.used == self.saves {
                let here = |choice: &LearnedChoice| Some(LearnedChoice { arm: (*places.get(choice.arm)?)?, ..*choice });
                kernel.choices.iter().filter_map(here).for_each(|choice| put_choice(&mut stored.choices, choice));
            }
        }
    }

    /// The place of a device that its cells can be added at: none if nobody knows what it is, or if another process
    /// measured it meanwhile, whose profile stands.
    fn seat(&mut self, arm: &LearnedArm, devices: &Devices, seen: &Seen) -> Option<usize> {
        let (fingerprint, own) = (devices.get(&arm.name)?, basis(&arm.profile));
        let new = StoredArm {
            name: arm.name.clone(),
            fingerprint: fingerprint.clone(),
            basis: own,
            used: self.saves,
            spread: arm.spread,
            noise: arm.noise,
            doubt: arm.doubt,
            profile: arm.profile.measured.then(|| arm.profile.clone()),
            cells: Vec::new(),
        };
        let Some(place) = self.place(&arm.name, fingerprint) else {
            self.arms.push(new);
            return Some(self.arms.len() - 1);
        };
        let stored = &mut self.arms[place];
        stored.used = self.saves;
        if stored.basis == own {
            return Some(place);
        }
        let is_guess = stored.profile.is_none();
        let is_mine = arm.profile.measured && seen.get(&arm.name) == Some(&stored.basis);
        if !is_guess && !is_mine {
            return None;
        }
        *stored = new;
        for kernel in &mut self.kernels {
            kernel.cells.retain(|cell| cell.arm != place);
            kernel.choices.retain(|choice| choice.arm != place);
        }
        Some(place)
    }

    fn place(&self, name: &str, fingerprint: &str) -> Option<usize> {
        self.arms.iter().position(|arm| arm.name == name && arm.fingerprint == fingerprint)
    }

    /// Drops what was not used for longest until all fits.
    pub(super) fn limit(&mut self, bytes_max: usize) {
        while self.arms.len() > ARMS_MAX {
            let oldest = (0..self.arms.len()).min_by_key(|&place| self.arms[place].used);
            oldest.iter().for_each(|&place| self.drop_arm(place));
        }
        self.kernels.retain(|kernel| !kernel.cells.is_empty());
        let samples = |kernel: &StoredKernel| kernel.cells.iter().map(|cell| cell.cell.count).sum::<f64>();
        self.kernels.sort_by(|a, b| b.used.cmp(&a.used).then(samples(b).total_cmp(&samples(a))));
        let mut bytes = 0;
        let fit = self.kernels.iter().take(KERNELS_MAX).take_while(|kernel| {
            bytes += KERNEL_BYTES + CELL_BYTES * kernel.cells.len() + CHOICE_BYTES * kernel.choices.len();
            bytes <= bytes_max
        });
        self.kernels.truncate(fit.count());
        self.kernels.sort_by_key(|kernel| kernel.key);
    }

    fn drop_arm(&mut self, place: usize) {
        self.arms.remove(place);
        let lists = self.arms.iter_mut().map(|arm| &mut arm.cells);
        for cells in lists.chain(self.kernels.iter_mut().map(|kernel| &mut kernel.cells)) {
            cells.retain(|cell| cell.arm != place);
            cells.iter_mut().filter(|cell| cell.arm > place).for_each(|cell| cell.arm -= 1);
        }
        for choices in self.kernels.iter_mut().map(|kernel| &mut kernel.choices) {
            choices.retain(|choice| choice.arm != place);
            choices.iter_mut().filter(|choice| choice.arm > place).for_each(|choice| choice.arm -= 1);
        }
    }

    /// The profiles that cells of these devices belong to.
    pub(super) fn seen(&self, devices: &Devices) -> Seen {
        let is_here = |arm: &&StoredArm| devices.get(&arm.name) == Some(&arm.fingerprint);
        self.arms.iter().filter(is_here).map(|arm| (arm.name.clone(), arm.basis)).collect()
    }

    /// What a selector can use of it: of devices that are as they were, with profiles that were measured or are guessed
    /// the same way today.
    pub(super) fn for_use(&self, here: &Learned, devices: &Devices) -> Learned {
        let mut places: Vec<Option<usize>> = vec![None; self.arms.len()];
        let mut arms: Vec<LearnedArm> = Vec::new();
        for (place, stored) in self.arms.iter().enumerate() {
            let guess = || here.arms.iter().find(|arm| arm.name == stored.name && basis(&arm.profile) == stored.basis);
            let profile = stored.profile.as_ref().or_else(|| guess().map(|arm| &arm.profile));
            let Some(profile) = profile.filter(|_| devices.get(&stored.name) == Some(&stored.fingerprint)) else {
                continue;
            };
            places[place] = Some(arms.len());
            let (name, profile) = (stored.name.clone(), profile.clone());
            let StoredArm { spread, noise, doubt, .. } = *stored;
            arms.push(LearnedArm { name, profile, spread, noise, doubt, cells: Vec::new() });
        }
        let moved = |cells: &[LearnedCell]| -> Vec<LearnedCell> {
            let here = |cell: &LearnedCell| Some(LearnedCell { arm: (*places.get(cell.arm)?)?, ..*cell });
            cells.iter().filter_map(here).collect()
        };
        for (stored, place) in self.arms.iter().zip(&places) {
            if let Some(place) = *place {
                arms[place].cells = moved(&stored.cells);
            }
        }
        let here = |choice: &LearnedChoice| Some(LearnedChoice { arm: (*places.get(choice.arm)?)?, ..*choice });
        let kernels = self.kernels.iter().map(|kernel| LearnedKernel {
            key: kernel.key,
            cells: moved(&kernel.cells),
            choices: kernel.choices.iter().filter_map(here).collect(),
        });
        Learned { arms, kernels: kernels.filter(|kernel| !kernel.cells.is_empty()).collect() }
    }
}

/// Adds a cell's new samples to those stored, or the cell if there are none; whether anything was added.
fn put(cells: &mut Vec<LearnedCell>, own: LearnedCell) -> bool {
    if !own.is_sound(usize::MAX) || !own.cell.fresh_mean.is_finite() {
        return false;
    }
    let at = |cell: &LearnedCell| (cell.arm, cell.class, cell.bucket);
    let Cell { count, mean, variance, fresh, fresh_mean, renewed, .. } = own.cell;
    let whole = LearnedCell { cell: Cell { count, mean, variance, other: mean, ..Cell::default() }, ..own };
    match cells.binary_search_by_key(&at(&own), at) {
        Err(place) => cells.insert(place, whole),
        Ok(place) if renewed => cells[place] = whole,
        Ok(_) if fresh <= 0.0 => return false,
        Ok(place) => cells[place].cell = cells[place].cell.with(fresh, fresh_mean),
    }
    true
}

/// Puts a choice in the place of the one before.
fn put_choice(choices: &mut Vec<LearnedChoice>, own: LearnedChoice) {
    match choices.iter_mut().find(|choice| choice.at() == own.at()) {
        Some(before) => *before = own,
        None => choices.push(own),
    }
}
