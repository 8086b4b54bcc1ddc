//! [`Learned`]: all that a selector learned, as plain values, to be kept for the next process: statistics, never bare winners.

use super::decide::Cause;
use super::features::{ARMS_MAX, Class};
use super::learn::{ArmLessons, COUNT_MAX, Cell, Lessons, no_lessons};
use super::{Inner, KERNELS_MAX, Selector, lock};
use crate::select::profile::Profile;

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
    fn is_sound(&self, arms: usize) -> bool {
        let Cell { count, mean, variance, .. } = self.cell;
        self.arm < arms.min(ARMS_MAX)
            && (0.0..=COUNT_MAX).contains(&count)
            && mean.abs() < 50.0
            && (0.0..100.0).contains(&variance)
    }
}

impl Selector {
    /// What was learned so far.
    pub fn learned(&self) -> Learned {
        let mut kernels: Vec<LearnedKernel> = Vec::new();
        for known in self.0.all_known() {
            let mind = known.mind();
            let all = mind.lessons.iter().enumerate();
            let cells: Vec<LearnedCell> = all
                .flat_map(|(arm, lessons)| lessons.cells.iter().map(move |(at, cell)| cell_of(arm, *at, cell)))
                .collect();
            let key = known.workload.key;
            match kernels.last_mut() {
                _ if cells.is_empty() => {}
                // The same kernel for other devices.
                Some(last) if last.key == key => last.cells.extend(cells),
                Some(_) | None => kernels.push(LearnedKernel { key, cells }),
            }
        }
        let asked: Vec<u128> = kernels.iter().map(|kernel| kernel.key).collect();
        let remembered = lock(&self.0.remembered);
        let others = remembered.iter().filter(|(key, _)| asked.binary_search(key).is_err());
        kernels.extend(others.map(|(&key, cells)| LearnedKernel { key, cells: cells.clone() }));
        drop(remembered);
        kernels.sort_by_key(|kernel| kernel.key);
        let shared = self.0.shared();
        let arm = |(number, lessons): (usize, &ArmLessons)| LearnedArm {
            name: self.0.names[number].clone(),
            profile: shared.profiles[number].clone(),
            spread: lessons.spread,
            noise: lessons.noise,
            cells: lessons.cells.iter().map(|(at, cell)| cell_of(number, *at, cell)).collect(),
        };
        Learned { arms: shared.arms.iter().enumerate().map(arm).collect(), kernels }
    }

    /// Takes over what was learned before, of devices that are called as those here. What was learned here already stays.
    /// Numbers that cannot be are left out.
    pub fn adopt(&self, learned: &Learned) {
        let number = |arm: usize| {
            let name = &learned.arms.get(arm)?.name;
            self.0.names.iter().position(|own| own == name)
        };
        let here = |cell: &LearnedCell| Some(LearnedCell { arm: number(cell.arm)?, ..*cell });
        let arms = self.0.names.len();
        let sound = |cells: &[LearnedCell]| -> Vec<LearnedCell> {
            cells.iter().filter_map(here).filter(|cell| cell.is_sound(arms)).collect()
        };
        let mut shared = self.0.shared();
        for arm in &learned.arms {
            let Some(own) = self.0.names.iter().position(|name| *name == arm.name) else { continue };
            let lessons = &mut shared.arms[own];
            if lessons.cells.is_empty() && arm.spread.is_finite() && arm.noise.is_finite() {
                (lessons.spread, lessons.noise) = (arm.spread.clamp(0.05, 1.5), arm.noise.clamp(0.01, 1.0));
            }
            for cell in sound(&arm.cells) {
                lessons.cells.entry((cell.class, cell.bucket)).or_insert(stale(cell.cell));
            }
        }
        drop(shared);
        let mut remembered = lock(&self.0.remembered);
        for kernel in learned.kernels.iter().take(KERNELS_MAX) {
            remembered.insert(kernel.key, sound(&kernel.cells));
        }
        drop(remembered);
        for known in self.0.all_known() {
            let mut mind = known.mind();
            for (own, before) in mind.lessons.iter_mut().zip(self.0.recall(known.workload.key)) {
                for (at, cell) in before.cells {
                    own.cells.entry(at).or_insert(cell);
                }
            }
            drop(mind);
            self.0.publish_all(&known, Cause::Drift);
        }
    }
}

impl Inner {
    /// What was learned before of a kernel.
    pub(super) fn recall(&self, key: u128) -> [Lessons; ARMS_MAX] {
        let mut lessons = no_lessons();
        for cell in lock(&self.remembered).get(&key).into_iter().flatten() {
            lessons[cell.arm].cells.insert((cell.class, cell.bucket), stale(cell.cell));
        }
        lessons
    }
}

/// What was stored is not to be stored again as new.
fn stale(cell: Cell) -> Cell {
    Cell { fresh: 0.0, fresh_mean: 0.0, last: 0.0, ..cell }
}

fn cell_of(arm: usize, (class, bucket): (Class, u8), cell: &Cell) -> LearnedCell {
    LearnedCell { arm, class, bucket, cell: *cell }
}
