//! [`Profiles`]: how fast each device of a selector is, and how fast several of them are together.

use super::Arm;
use super::decision_table::ArmSet;
use super::features::{Size, Workload};
use super::model::{Parts, lower_bound, predict};
use super::profile::Profile;
use std::ops::Index;

/// Devices that share a call take this many nanoseconds longer than a perfect split of its rows would.
const SHARING_OVERHEAD: f64 = 200_000.0;

/// The profiles of a selector's arms. Devices that take `t` each take `1 / Σ(1/t)` together, and [`SHARING_OVERHEAD`].
///
/// The profile of a combined arm says only how certain its predictions are, and whether it copies.
#[derive(Clone, Debug)]
pub(crate) struct Profiles {
    profiles: Vec<Profile>,
    /// The devices that each arm stands for; none for a plain device.
    members: Vec<ArmSet>,
}

impl Profiles {
    pub(crate) fn new(arms: Vec<Arm>) -> Profiles {
        let (profiles, members) = arms.into_iter().map(|arm| (arm.profile, arm.members)).unzip();
        let mut own = Profiles { profiles, members };
        own.combine();
        own
    }

    pub(crate) fn len(&self) -> usize {
        self.profiles.len()
    }

    pub(crate) fn get(&self, arm: usize) -> Option<&Profile> {
        self.profiles.get(arm)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Profile> {
        self.profiles.iter()
    }

    /// The devices that an arm stands for; none for a plain device.
    pub(crate) fn members(&self, arm: usize) -> ArmSet {
        self.members[arm]
    }

    /// The arms that stand for several devices.
    pub(crate) fn combined(&self) -> ArmSet {
        (0..self.len()).filter(|&arm| self.members[arm] != ArmSet::NONE).fold(ArmSet::NONE, ArmSet::with)
    }

    /// These profiles with new ones for some devices. A combined arm follows its members.
    pub(crate) fn with(&self, new: impl IntoIterator<Item = (usize, Profile)>) -> Profiles {
        let mut changed = self.clone();
        new.into_iter().for_each(|(arm, profile)| changed.profiles[arm] = profile);
        changed.combine();
        changed
    }

    /// Derives the profile of each combined arm from those of its members.
    fn combine(&mut self) {
        for arm in self.combined().arms() {
            let members = || self.members[arm].arms().map(|member| &self.profiles[member]);
            let base = members().find(|profile| !profile.copy_in.pageable.is_empty()).or(members().next());
            let spread = members().map(|profile| profile.spread).fold(0.0, f64::max);
            let measured = members().all(|profile| profile.measured);
            let combined = base.map(|base| Profile { spread, measured, ..base.clone() });
            combined.into_iter().for_each(|combined| self.profiles[arm] = combined);
        }
    }

    /// The modelled time of a call on an arm. `output_per_row`: bytes of the result per row of the source.
    pub(crate) fn predict(&self, arm: usize, workload: &Workload, size: Size, output_per_row: f64) -> Parts {
        let own = |device: usize| predict(&self.profiles[device], workload, size, device, output_per_row);
        if self.members[arm] == ArmSet::NONE {
            return own(arm);
        }
        let members = || self.members[arm].arms().map(own);
        let together = combined_time(members().map(|parts| parts.total()));
        // A device that takes `t` alone runs the share `together / t` of the rows, which takes it that share of its parts; the
        // parts of the shared run are the mean of these, weighted by the shares.
        let weighted = members().map(|parts| parts.times((together / parts.total()).powi(2)));
        let overhead = Parts { launch: SHARING_OVERHEAD, ..Parts::default() };
        weighted.fold(overhead, Parts::plus)
    }

    /// The least time that an arm can take for a call.
    pub(crate) fn lower_bound(&self, arm: usize, workload: &Workload, size: Size, output_per_row: f64) -> f64 {
        let own = |device: usize| lower_bound(&self.profiles[device], workload, size, device, output_per_row);
        match self.members[arm] {
            ArmSet::NONE => own(arm),
            members => combined_time(members.arms().map(own)),
        }
    }
}

impl Index<usize> for Profiles {
    type Output = Profile;

    fn index(&self, arm: usize) -> &Profile {
        &self.profiles[arm]
    }
}

/// The time of devices that take these times alone, if they split the rows perfectly.
fn combined_time(times: impl Iterator<Item = f64>) -> f64 {
    times.map(f64::recip).sum::<f64>().recip()
}
