//! [`Learned`]: all that a selector learned, as plain values, to be kept for the next process: statistics, never bare winners.

use super::cell::{COUNT_MAX, Cell};
use super::cells::{At, Cells};
use super::decide::Cause;
use super::features::{ARMS_MAX, BUCKETS, Class, Residency};
use super::known::{Known, Lie, Mind};
use super::learn::{ArmLessons, DOUBT_MAX, Lessons};
use super::store::basis;
use super::{Inner, KERNELS_MAX, Selector, Shared};
use crate::select::estimator::profile::Profile;
use std::collections::BTreeMap;

/// All that a selector learned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// Of its devices, in their order.
    pub arms: Vec<LearnedArm>,
    /// Of kernels, by their keys.
    pub kernels: Vec<LearnedKernel>,
}

/// What was learned of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedArm {
    /// Its name.
    pub name: String,
    /// How fast it is.
    pub profile: Profile,
    /// How far kernels are from what all of them together say.
    pub spread: f64,
    /// The deviation of one sample.
    pub noise: f64,
    /// How many times as far as was thought first samples are from what was expected, squared.
    pub doubt: f64,
    /// What all kernels together say, by place.
    pub cells: Vec<LearnedCell>,
}

/// What was learned of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedKernel {
    /// The key of its workload.
    pub key: u128,
    /// What was measured.
    pub cells: Vec<LearnedCell>,
    /// Who was chosen: of two that take about as long the same is again.
    pub choices: Vec<LearnedChoice>,
}

/// Who was chosen at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LearnedChoice {
    /// How the input lay.
    pub residency: Residency,
    /// Whether it stayed where it was.
    pub locked: bool,
    /// The half-octave of the rows.
    pub bucket: u8,
    /// The device's number.
    pub arm: usize,
}

impl LearnedChoice {
    /// The place.
    pub(crate) fn at(&self) -> (Residency, bool, u8) {
        (self.residency, self.locked, self.bucket)
    }

    /// Whether it can be.
    pub(crate) fn is_sound(&self, arms: usize) -> bool {
        self.arm < arms && usize::from(self.bucket) < BUCKETS
    }
}

/// What was measured at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedCell {
    /// The device's number.
    pub arm: usize,
    /// How the input lay.
    pub class: Class,
    /// The half-octave of the rows.
    pub bucket: u8,
    /// The samples.
    pub cell: Cell,
}

impl LearnedCell {
    /// Whether it can be: its numbers are finite, and its device is there.
    pub(crate) fn is_sound(&self, arms: usize) -> bool {
        let Cell { count, mean, variance, .. } = self.cell;
        self.arm < arms
            && usize::from(self.bucket) < BUCKETS
            && count > 0.0
            && count <= COUNT_MAX
            && mean.abs() < 50.0
            && (0.0..100.0).contains(&variance)
    }
}

/// What was learned before of kernels that were not asked for since.
#[derive(Default)]
pub(super) struct Remembered {
    kernels: BTreeMap<u128, Vec<LearnedCell>>,
    choices: BTreeMap<u128, Vec<LearnedChoice>>,
    /// The moves of each device that these went along with.
    moves: [u32; ARMS_MAX],
}

impl Remembered {
    /// Goes along with what was found to have changed since.
    fn follow(&mut self, shared: &Shared) {
        for (number, arm) in shared.arms.iter().enumerate() {
            if std::mem::replace(&mut self.moves[number], arm.moves) != arm.moves {
                let cells = self.kernels.values_mut().flatten().filter(|cell| cell.arm == number);
                cells.for_each(|cell| cell.cell.shift(0.0));
            }
        }
    }

    /// Forgets a device.
    pub(super) fn forget(&mut self, arm: usize) {
        self.kernels.values_mut().for_each(|cells| cells.retain(|cell| cell.arm != arm));
        self.choices.values_mut().for_each(|choices| choices.retain(|choice| choice.arm != arm));
        if let Some(moves) = self.moves.get_mut(arm) {
            *moves = 0;
        }
    }
}

/// What becomes of samples as they are read out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Look,
    /// Those that were new count as stored from now on.
    Store,
}

impl Selector {
    /// What was learned so far.
    pub fn learned(&self) -> Learned {
        self.read(Reading::Look)
    }

    /// What was learned so far, to be stored: what comes from now on is new.
    pub(super) fn take_fresh(&self) -> Learned {
        self.read(Reading::Store)
    }

    fn read(&self, reading: Reading) -> Learned {
        let mut kernels: Vec<LearnedKernel> = Vec::new();
        for known in self.0.all_known() {
            let cells = known.mind().read(&self.0.shared(), reading);
            let (key, choices) = (known.workload.key, known.choices());
            match kernels.last_mut() {
                _ if cells.is_empty() => {}
                // The same kernel for other devices.
                Some(last) if last.key == key => last.cells.extend(cells),
                Some(_) | None => kernels.push(LearnedKernel { key, cells, choices }),
            }
        }
        let asked: Vec<u128> = kernels.iter().map(|kernel| kernel.key).collect();
        let mut remembered = self.0.remembered.lock();
        let mut shared = self.0.shared();
        remembered.follow(&shared);
        let others = remembered.kernels.iter().filter(|(key, _)| asked.binary_search(key).is_err());
        kernels.extend(others.map(|(&key, cells)| {
            let choices = remembered.choices.get(&key).cloned().unwrap_or_default();
            LearnedKernel { key, cells: cells.clone(), choices }
        }));
        if reading == Reading::Store {
            remembered.kernels.values_mut().flatten().for_each(|cell| cell.cell = stale(cell.cell));
        }
        drop(remembered);
        kernels.sort_by_key(|kernel| kernel.key);
        let Shared { told, arms, .. } = &mut *shared;
        let arm = |(number, lessons): (usize, &mut ArmLessons)| LearnedArm {
            name: self.0.names[number].clone(),
            profile: told[number].clone(),
            spread: lessons.spread,
            noise: lessons.noise,
            doubt: lessons.doubt,
            cells: match lessons.moves {
                0 => lessons.cells.iter_mut().map(|(at, cell)| read_cell(number, at, cell, reading)).collect(),
                _ => Vec::new(),
            },
        };
        Learned { arms: arms.iter_mut().enumerate().map(arm).collect(), kernels }
    }

    /// Counts samples as new again that could not be stored.
    pub(super) fn give_back(&self, learned: &Learned) {
        let again = |own: &mut Cell, old: &Cell| {
            if !own.renewed {
                own.renewed = old.renewed;
                let fresh = Cell { count: own.fresh, mean: own.fresh_mean, ..Cell::default() };
                let all = own.fresh + old.fresh;
                own.fresh_mean = fresh.with(old.fresh, old.fresh_mean).mean;
                own.fresh = all;
            }
        };
        let mut kernels: BTreeMap<u128, Vec<LearnedCell>> = BTreeMap::new();
        kernels.extend(learned.kernels.iter().map(|kernel| (kernel.key, kernel.cells.clone())));
        for known in self.0.all_known() {
            let mut mind = known.mind();
            let Some(cells) = kernels.get_mut(&known.workload.key) else { continue };
            // One that is known twice, for different devices, has them where it has such a cell.
            cells.retain(|old| match mind.lessons[old.arm].cells.get_mut((old.class, old.bucket)) {
                None => true,
                Some(own) => {
                    again(own, &old.cell);
                    false
                }
            });
        }
        let mut shared = self.0.shared();
        for old in learned.arms.iter().flat_map(|arm| &arm.cells) {
            if let Some(own) = shared.arms[old.arm].cells.get_mut((old.class, old.bucket)) {
                again(own, &old.cell);
            }
        }
    }

    /// Takes over what was learned before, of devices that are called as those here, and their measured profiles; what was
    /// learned here since is added to it. Numbers that cannot be are left out, and so are those that belong to another
    /// profile.
    pub fn adopt(&self, learned: &Learned) {
        let number = |name: &str| self.0.names.iter().position(|own| own == name);
        let places: Vec<Option<usize>> =
            learned.arms.iter().map(|arm| self.take_profile(number(&arm.name)?, &arm.profile)).collect();
        let arms = self.0.names.len();
        let sound = |cells: &[LearnedCell]| -> Vec<LearnedCell> {
            let here = |cell: &LearnedCell| Some(LearnedCell { arm: (*places.get(cell.arm)?)?, ..*cell });
            cells.iter().filter_map(here).filter(|cell| cell.is_sound(arms)).collect()
        };
        let mut shared = self.0.shared();
        shared.version += 1;
        for (arm, own) in learned.arms.iter().zip(&places) {
            let Some(own) = *own else { continue };
            let lessons = &mut shared.arms[own];
            let is_sound = [arm.spread, arm.noise, arm.doubt].iter().all(|number| number.is_finite());
            if lessons.cells.is_empty() && is_sound {
                (lessons.spread, lessons.noise) = (arm.spread.clamp(0.05, 1.5), arm.noise.clamp(0.01, 1.0));
                lessons.doubt = arm.doubt.clamp(1.0, DOUBT_MAX);
            }
            sound(&arm.cells).iter().for_each(|cell| join(&mut lessons.cells, cell));
        }
        drop(shared);
        let mut remembered = self.0.remembered.lock();
        remembered.follow(&self.0.shared());
        for kernel in learned.kernels.iter().take(KERNELS_MAX) {
            let cells = sound(&kernel.cells).into_iter().map(|cell| LearnedCell { cell: stale(cell.cell), ..cell });
            let own = remembered.kernels.entry(kernel.key).or_default();
            // Of devices that take nothing over what is known stays.
            own.retain(|cell| !places.contains(&Some(cell.arm)));
            own.extend(cells);
            let here = |choice: &LearnedChoice| Some(LearnedChoice { arm: (*places.get(choice.arm)?)?, ..*choice });
            let choices = kernel.choices.iter().filter_map(here).filter(|choice| choice.is_sound(arms));
            remembered.choices.insert(kernel.key, choices.collect());
        }
        drop(remembered);
        for known in self.0.all_known() {
            self.0.join_remembered(&known);
            self.0.publish_all(&known, Cause::Taught);
        }
    }

    /// Takes over a device's profile if it was measured; the device's number if it has that profile then. One that was
    /// found to be another since has none.
    fn take_profile(&self, arm: usize, profile: &Profile) -> Option<usize> {
        let shared = self.0.shared();
        if shared.arms[arm].moves > 0 {
            return None;
        }
        let own = shared.told[arm].clone();
        drop(shared);
        if basis(&own) == basis(profile) {
            return Some(arm);
        }
        profile.measured.then(|| {
            // How much memory there is the device says now.
            self.set_profile(arm, Profile { memory: own.memory, ..profile.clone() });
            arm
        })
    }
}

impl Mind {
    /// All cells, on the devices as they are now.
    fn read(&mut self, shared: &Shared, reading: Reading) -> Vec<LearnedCell> {
        let mut all = Vec::new();
        for (number, (lessons, arm)) in self.lessons.iter_mut().zip(&shared.arms).enumerate() {
            lessons.follow(arm);
            // What was measured of a device that changed belongs to no profile that is known.
            if arm.moves > 0 {
                continue;
            }
            all.extend(lessons.cells.iter_mut().map(|(at, cell)| read_cell(number, at, cell, reading)));
        }
        all
    }
}

impl Known {
    /// Who is chosen, by place.
    fn choices(&self) -> Vec<LearnedChoice> {
        let places: Vec<(Lie, usize)> = self.mind().places.iter().map(|(at, _)| at).collect();
        let choice = |((residency, locked), bucket): (Lie, usize)| {
            let word = self.with_table((residency, locked), |table| table.word(bucket))?;
            Some(LearnedChoice { residency, locked, bucket: bucket as u8, arm: word.rank().first() })
        };
        places.into_iter().filter_map(choice).collect()
    }
}

impl Inner {
    /// What was learned before of a kernel.
    pub(super) fn recall(&self, key: u128) -> [Lessons; ARMS_MAX] {
        let mut remembered = self.remembered.lock();
        let shared = self.shared();
        remembered.follow(&shared);
        let mut lessons: [Lessons; ARMS_MAX] =
            std::array::from_fn(|number| shared.arms.get(number).map(Lessons::stored).unwrap_or_default());
        for cell in remembered.kernels.get(&key).into_iter().flatten() {
            *lessons[cell.arm].cells.at_or_new((cell.class, cell.bucket)) = cell.cell;
        }
        lessons
    }

    /// Who was chosen before for a kernel's calls of a place.
    pub(super) fn chosen_before(&self, key: u128, (residency, locked): Lie, bucket: usize) -> Option<usize> {
        let remembered = self.remembered.lock();
        let choices = remembered.choices.get(&key)?;
        let found = choices.iter().find(|choice| choice.at() == (residency, locked, bucket as u8))?;
        Some(found.arm)
    }

    /// Adds what was learned before of a kernel to what is known of it.
    fn join_remembered(&self, known: &Known) {
        let mut mind = known.mind();
        let mut remembered = self.remembered.lock();
        let shared = self.shared();
        remembered.follow(&shared);
        for (own, arm) in mind.lessons.iter_mut().zip(&shared.arms) {
            own.follow(arm);
        }
        for cell in remembered.kernels.get(&known.workload.key).into_iter().flatten() {
            mind.unfit();
            mind.lessons[cell.arm].unfit();
            join(&mut mind.lessons[cell.arm].cells, cell);
        }
    }
}

/// Puts what was stored beside what is new here.
fn join(cells: &mut Cells<Cell>, stored: &LearnedCell) {
    let own = cells.at_or_new((stored.class, stored.bucket));
    if !own.renewed {
        let Cell { fresh, fresh_mean, last, .. } = *own;
        *own = Cell { fresh, fresh_mean, last, ..stale(stored.cell).with(fresh, fresh_mean) };
    }
}

/// What was stored is not to be stored again as new.
fn stale(cell: Cell) -> Cell {
    Cell { fresh: 0.0, fresh_mean: 0.0, renewed: false, last: 0.0, other: cell.mean, ..cell }
}

fn read_cell(arm: usize, (class, bucket): At, cell: &mut Cell, reading: Reading) -> LearnedCell {
    let read = LearnedCell { arm, class, bucket, cell: *cell };
    if reading == Reading::Store {
        *cell = Cell { last: cell.last, other: cell.other, ..stale(*cell) };
    }
    read
}
