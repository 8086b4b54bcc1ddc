//! [`Outlook`]: what every device should take for calls of one place, kept as long as it is true: predicting anew takes
//! logarithms and searches, and of most calls one device's cell is all that changes.

use super::cell::Correction;
use super::features::{ARMS_MAX, Size};
use super::fit::Shares;
use super::known::{Known, Mind, Outputs, Places};
use super::learn::Lessons;
use super::model::{Parts, predict};
use super::{Inner, Shared};

/// What is kept is used so often, and for so many seconds: what was measured long ago is less certain.
const USES: u32 = 64;
const SECONDS: f64 = 10.0;
/// Calls of a half-octave whose rows differ by less than one in so many are taken to be as large.
const ROWS_APART: u64 = 64;
/// A change of a prediction, or of its uncertainty, by less than this is none.
const NOTICED: f64 = 0.01;

/// What one device should take. Small: of every call that is learned from all devices are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    /// The device's number.
    pub(super) arm: usize,
    /// What it should take, in nanoseconds.
    pub(super) time: f64,
    /// The standard deviation of the time's logarithm.
    pub(super) spread: f64,
    /// The samples that it stands on.
    pub(super) samples: f64,
}

/// What that rests on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basis {
    /// What the model says alone.
    pub(super) base: Parts,
    /// The correction of that that was expected but for samples at the place itself.
    prior: f64,
}

impl Basis {
    /// What a device should take, part by part.
    pub(super) fn parts(&self, judged: &Judged) -> Parts {
        self.base.times(judged.time / self.base.total())
    }

    /// The correction that a device's time has.
    pub(super) fn correction(&self, judged: &Judged) -> f64 {
        (judged.time / self.base.total()).ln()
    }
}

impl Judged {
    fn new(arm: usize, base: &Parts, correction: Correction) -> Judged {
        let total = base.total() * correction.c.exp();
        // Nothing takes less than a nanosecond, whatever a profile says.
        let time = if total.is_finite() { total.max(1.0) } else { f64::MAX };
        Judged { arm, time, spread: correction.spread, samples: correction.samples }
    }

    /// Whether this is another expectation than that.
    fn differs(&self, other: &Judged) -> bool {
        (self.time - other.time).abs() > NOTICED * other.time
            || (self.spread - other.spread).abs() > NOTICED
            || (self.samples > 0.0) != (other.samples > 0.0)
    }
}

/// What expectations of a kernel rest on.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    known: &'a Known,
    lessons: &'a [Lessons; ARMS_MAX],
    shared: &'a Shared,
    outputs: &'a Outputs,
    /// The versions of the results' bytes, of all profiles, and of what was learned of the kernel.
    versions: (u64, u64),
    version: u64,
    now: f64,
}

impl<'a> View<'a> {
    /// Of all that is known; with the places, which may change meanwhile.
    pub(super) fn of(known: &'a Known, mind: &'a mut Mind, shared: &'a Shared, now: f64) -> (View<'a>, &'a mut Places) {
        let Mind { lessons, outputs, places, version, .. } = mind;
        let versions = (outputs.version(), shared.version);
        (View { known, lessons, shared, outputs, versions, version: *version, now }, places)
    }

    /// What others know of the devices.
    pub(super) fn shared(&self) -> &Shared {
        self.shared
    }

    /// Whether a device was not measured for so long that nobody knows what it is like now.
    pub(super) fn is_unseen(&self, arm: usize) -> bool {
        self.shared.arms[arm].is_unseen(self.now)
    }

    /// What the model says of a call on a device.
    pub(super) fn base(&self, size: Size, arm: usize) -> Parts {
        let output = self.outputs.per_row(&self.known.workload, size.bucket());
        predict(&self.shared.profiles[arm], &self.known.workload, size, arm, output)
    }

    /// What a device should take of which the model says this.
    fn judge_one(&self, size: Size, arm: usize, base: Parts) -> (Judged, Basis) {
        let at = (size.class(arm), size.bucket() as u8);
        let correction = self.lessons[arm].correction(&self.shared.arms[arm], at, Shares::of(&base), self.now);
        (Judged::new(arm, &base, correction), Basis { base, prior: correction.prior })
    }

    /// What every device should take that can run the kernel, by their numbers.
    fn judge(&self, size: Size) -> impl Iterator<Item = (Judged, Basis)> {
        let arms = (0..self.shared.profiles.len()).filter(|&arm| self.known.takes.has(arm));
        arms.map(move |arm| self.judge_one(size, arm, self.base(size, arm)))
    }
}

/// What every device should take at a place.
#[derive(Clone, Debug)]
pub(super) struct Outlook {
    pub(super) judged: Vec<Judged>,
    /// By the same places.
    bases: Vec<Basis>,
    size: Size,
    versions: (u64, u64),
    version: u64,
    /// Those of what was learned of the kernel on each device.
    lessons: [u32; ARMS_MAX],
    /// When all of it was found out, in seconds, and how often it may still be used.
    when: f64,
    uses_left: u32,
}

impl Outlook {
    pub(super) fn new(view: &View<'_>, size: Size) -> Outlook {
        let lessons = std::array::from_fn(|arm| view.lessons[arm].version());
        let View { versions, version, now: when, .. } = *view;
        let (judged, bases) = view.judge(size).unzip();
        Outlook { judged, bases, size, versions, version, lessons, when, uses_left: USES }
    }

    /// Whether the model says of such calls what it says here.
    pub(super) fn is_of(&self, view: &View<'_>, size: Size) -> bool {
        let Size { rows, residency, locked } = self.size;
        let is_as_large = rows.abs_diff(size.rows) <= rows / ROWS_APART;
        self.versions == view.versions && (residency, locked) == (size.residency, size.locked) && is_as_large
    }

    /// What a device should take for a call that is about as large, and what that rests on.
    pub(super) fn of(&self, view: &View<'_>, size: Size, arm: usize) -> Option<(Judged, Basis)> {
        let place = self.judged.iter().position(|one| one.arm == arm)?;
        let (own, basis) = (self.judged[place], self.bases[place]);
        if size == self.size {
            return Some((own, basis));
        }
        let base = view.base(size, arm);
        let time = own.time * base.total() / basis.base.total();
        Some((Judged { time, ..own }, Basis { base, ..basis }))
    }

    /// Looks at those devices again of which something was learned elsewhere, or at all of them if that is long ago;
    /// whether anything is to be expected that was not.
    pub(super) fn renew(&mut self, view: &View<'_>) -> bool {
        let is_old = self.uses_left == 0 || view.now - self.when >= SECONDS;
        (self.when, self.uses_left) = if is_old { (view.now, USES) } else { (self.when, self.uses_left - 1) };
        if std::mem::replace(&mut self.version, view.version) == view.version && !is_old {
            return false;
        }
        let mut differs = false;
        for (one, basis) in self.judged.iter_mut().zip(&mut self.bases) {
            let version = view.lessons[one.arm].version();
            let before = std::mem::replace(&mut self.lessons[one.arm], version);
            if is_old || before != version {
                let new = view.judge_one(self.size, one.arm, basis.base);
                differs |= new.0.differs(one);
                (*one, *basis) = new;
            }
        }
        differs
    }

    /// Takes in what the cell of a device here says now.
    pub(super) fn correct(&mut self, view: &View<'_>, arm: usize) {
        let at = (self.size.class(arm), self.size.bucket() as u8);
        for (one, basis) in self.judged.iter_mut().zip(&self.bases).filter(|(one, _)| one.arm == arm) {
            let measured = view.lessons[arm].measured(&view.shared.arms[arm], at, basis.prior, view.now);
            measured.iter().for_each(|correction| *one = Judged::new(arm, &basis.base, *correction));
        }
    }
}

impl Inner {
    /// What every device should take for a call, as it is known now, and what that rests on.
    pub(super) fn judge(&self, known: &Known, mind: &mut Mind, shared: &Shared, size: Size) -> Vec<(Judged, Basis)> {
        known.refit(mind, shared);
        let (view, _) = View::of(known, mind, shared, self.seconds());
        view.judge(size).collect()
    }
}
