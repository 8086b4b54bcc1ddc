//! [`Known`]: a kernel as the selector knows it: what it asks of devices, its published choices, and what was learned of it.

use super::features::{ARMS_MAX, Residency, Size, Workload};
use super::fit::Shares;
use super::learn::{At, Lessons};
use super::model::predict;
use super::profile::Profile;
use super::study;
use super::table::{ArmSet, Table};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// The most ways in which the input of a kernel lies that have choices of their own.
const TABLES_MAX: usize = 16;

/// A kernel, or several that run one behind the other, as the selector knows it.
pub struct Known {
    pub(super) workload: Workload,
    /// The devices that can run it.
    pub(super) takes: ArmSet,
    /// The choices where all input is in the host's memory, as it mostly is.
    pub(super) host: Table,
    /// Those where it lies otherwise.
    pub(super) others: RwLock<Vec<(Lie, Arc<Table>)>>,
    pub(super) mind: Mutex<Mind>,
}

/// How the input of a call lies, as tables are told apart.
pub(super) type Lie = (Residency, bool);

/// What was learned of a kernel.
pub(super) struct Mind {
    /// By device.
    pub(super) lessons: [Lessons; ARMS_MAX],
    /// Bytes of the result for each row, as they were last, by the half-octave of the rows.
    pub(super) outputs: BTreeMap<usize, f64>,
    /// By the way the input lies, and the half-octave of the rows.
    pub(super) places: BTreeMap<(Lie, usize), Place>,
    /// Changes with everything that changes what is expected at several places.
    pub(super) version: u64,
}

/// Bytes of the result for each row: those of the nearest size that ran, or at most what the kernel says.
pub(super) fn output_per_row(outputs: &BTreeMap<usize, f64>, workload: &Workload, bucket: usize) -> f64 {
    let nearest = outputs.iter().min_by_key(|(own, _)| own.abs_diff(bucket));
    nearest.map_or(workload.output_per_row, |(_, bytes)| *bytes)
}

/// How a choice stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// Calls that were learned from.
    pub(super) calls: f64,
    /// Who should be chosen instead, and for how many calls on end.
    pub(super) challenger: Option<usize>,
    pub(super) streak: u32,
    pub(super) held: Option<study::Held>,
}

impl Known {
    /// What it asks of a device.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The devices that can run it.
    pub fn takes(&self) -> ArmSet {
        self.takes
    }

    /// The shares of launch, copies and run that the model gives a place on a device.
    pub(super) fn shares(&self, profile: &Profile, arm: usize, (class, bucket): At, output: f64) -> Shares {
        Shares::of(&predict(profile, &self.workload, Size::of(class, bucket), arm, output))
    }

    pub(super) fn mind(&self) -> MutexGuard<'_, Mind> {
        self.mind.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its choices for one way its input lies; made if there are none and there is room, else those of the host.
    pub(super) fn with_table<T>(&self, lie: Lie, f: impl FnOnce(&Table) -> T) -> T {
        if lie == (Residency::HOST, false) {
            return f(&self.host);
        }
        let find =
            |tables: &[(Lie, Arc<Table>)]| tables.iter().find(|(own, _)| *own == lie).map(|(_, table)| table.clone());
        let found = find(&self.others.read().unwrap_or_else(PoisonError::into_inner));
        let made = || {
            let mut others = self.others.write().unwrap_or_else(PoisonError::into_inner);
            find(&others).or_else(|| {
                let new = (others.len() < TABLES_MAX).then(|| Arc::new(Table::new()))?;
                others.push((lie, new.clone()));
                Some(new)
            })
        };
        match found.or_else(made) {
            Some(table) => f(&table),
            None => f(&self.host),
        }
    }

    /// All ways its input lay.
    pub(super) fn lies(&self) -> Vec<Lie> {
        let others = self.others.read().unwrap_or_else(PoisonError::into_inner);
        std::iter::once((Residency::HOST, false)).chain(others.iter().map(|(lie, _)| *lie)).collect()
    }
}
