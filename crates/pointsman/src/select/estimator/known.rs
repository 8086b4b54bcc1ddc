//! [`Known`]: a kernel as the selector knows it: what it asks of devices, its published choices, and what was learned of it.

use super::Shared;
use super::cells::{At, Sorted};
use super::decide::Seat;
use super::features::{ARMS_MAX, Residency, Size, Workload};
use super::fit::Shares;
use super::learn::Lessons;
use super::model::predict;
use super::outlook::{Outlook, View};
use super::profile::Profile;
use super::table::{ArmSet, Table};
use crate::sync::{Mutex, MutexGuard, RwLock};
use std::sync::Arc;

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
    pub(super) outputs: Outputs,
    pub(super) places: Places,
    /// Changes with what is to be expected where no sample was taken.
    pub(super) version: u64,
    /// The version of all profiles that what was measured was last fitted with, and stayed as it was since.
    fitted: Option<u64>,
}

impl Mind {
    /// Of a kernel of which nothing but this is known.
    pub(super) fn new(lessons: [Lessons; ARMS_MAX]) -> Mind {
        Mind { lessons, outputs: Outputs::default(), places: Places::default(), version: 0, fitted: None }
    }

    /// Forgets all of it; choices that were asked for are still to be made.
    pub(super) fn forget(&mut self) {
        self.lessons.iter_mut().for_each(Lessons::forget);
        self.outputs = Outputs { version: self.outputs.version + 1, ..Outputs::default() };
        self.places.iter_mut().for_each(|(_, place)| *place = Place::default());
        self.fitted = None;
    }

    /// Forgets what was learned on a device.
    pub(super) fn forget_arm(&mut self, arm: usize) {
        self.lessons[arm].forget();
        self.fitted = None;
    }

    /// Takes in how many bytes the result of a call had.
    pub(super) fn note_output(&mut self, size: Size, bytes: u64) {
        if size.rows > 0 && self.outputs.note(size.bucket(), bytes as f64 / size.rows as f64) {
            self.lessons.iter_mut().for_each(Lessons::unfit);
            self.fitted = None;
        }
    }

    /// What was measured is not what it was: it is fitted again before it is asked.
    pub(super) fn unfit(&mut self) {
        self.fitted = None;
    }
}

/// By the way the input lies, and the half-octave of the rows.
pub(super) type Places = Sorted<(Lie, usize), Place>;

/// Bytes of the result for each row, as they were last, by the half-octave of the rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    /// By rising half-octaves.
    seen: Vec<(usize, f64)>,
    version: u64,
}

/// Results that differ by less than this part take as long.
const OUTPUT_APART: f64 = 0.05;

impl Outputs {
    /// Those of the nearest size that ran, or at most what the kernel says.
    pub(super) fn per_row(&self, workload: &Workload, bucket: usize) -> f64 {
        let nearest = self.seen.iter().min_by_key(|(own, _)| own.abs_diff(bucket));
        nearest.map_or(workload.output_per_row, |(_, bytes)| *bytes)
    }

    /// Changes with them.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Takes in those of a call; whether they are others than before.
    fn note(&mut self, bucket: usize, per_row: f64) -> bool {
        let differs = match self.seen.binary_search_by_key(&bucket, |(own, _)| *own) {
            Ok(place) => {
                let before = std::mem::replace(&mut self.seen[place].1, per_row);
                (before - per_row).abs() > OUTPUT_APART * before
            }
            Err(place) => {
                self.seen.insert(place, (bucket, per_row));
                true
            }
        };
        self.version += u64::from(differs);
        differs
    }
}

/// How a choice stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// Calls that were learned from.
    pub(super) calls: f64,
    pub(super) seat: Seat,
    outlook: Option<Outlook>,
}

/// A choice that was looked at: how it stands, and what every device should take.
pub(super) struct Looked<'a> {
    pub(super) calls: f64,
    pub(super) seat: &'a mut Seat,
    pub(super) outlook: &'a mut Outlook,
    /// Whether that was not known before.
    pub(super) differs: bool,
}

impl Place {
    /// Looks at what is known now of such calls.
    pub(super) fn look(&mut self, view: &View<'_>, size: Size) -> Looked<'_> {
        let Place { calls, seat, outlook } = self;
        let kept = outlook.take().filter(|outlook| outlook.is_of(view, size));
        let is_new = kept.is_none();
        let outlook = outlook.insert(kept.unwrap_or_else(|| Outlook::new(view, size)));
        let differs = is_new || outlook.renew(view);
        Looked { calls: *calls, seat, outlook, differs }
    }
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
    fn shares(&self, profile: &Profile, arm: usize, (class, bucket): At, output: f64) -> Shares {
        Shares::of(&predict(profile, &self.workload, Size::of(class, bucket), arm, output))
    }

    /// Fits what was measured again where it changed; whether it did anywhere.
    pub(super) fn refit(&self, mind: &mut Mind, shared: &Shared) -> bool {
        if mind.fitted.replace(shared.version) == Some(shared.version) {
            return false;
        }
        let Mind { lessons, outputs, .. } = mind;
        let mut differs = false;
        for (arm, (lessons, profile)) in lessons.iter_mut().zip(&shared.profiles).enumerate() {
            let output = |at: At| outputs.per_row(&self.workload, usize::from(at.1));
            differs |= lessons.refit(&shared.arms[arm], |at| self.shares(profile, arm, at, output(at)));
        }
        mind.version += u64::from(differs);
        differs
    }

    pub(super) fn mind(&self) -> MutexGuard<'_, Mind> {
        self.mind.lock()
    }

    /// Its choices for one way its input lies; made if there are none and there is room, else those of the host.
    pub(super) fn with_table<T>(&self, lie: Lie, f: impl FnOnce(&Table) -> T) -> T {
        if lie == (Residency::HOST, false) {
            return f(&self.host);
        }
        let find =
            |tables: &[(Lie, Arc<Table>)]| tables.iter().find(|(own, _)| *own == lie).map(|(_, table)| table.clone());
        let found = find(&self.others.read());
        let made = || {
            let mut others = self.others.write();
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
}
