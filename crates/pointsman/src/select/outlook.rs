//! [`Outlook`]: what every device should take for calls of one place, kept as long as it is true: predicting anew takes
//! logarithms and searches, and of most calls one device's cell is all that changes.

use super::cell::Correction;
use super::features::{ARMS_MAX, Size};
use super::fit::Shares;
use super::known::{Known, Mind, Outputs};
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

/// What one device should take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    /// The device's number.
    pub(super) arm: usize,
    /// What the model says alone.
    pub(super) base: Parts,
    /// What was learned beyond that, and how uncertain it is.
    pub(super) correction: Correction,
    /// All of it, corrected, in nanoseconds.
    pub(super) time: f64,
}

impl Judged {
    pub(super) fn new(arm: usize, base: Parts, correction: Correction) -> Judged {
        let total = base.total() * correction.c.exp();
        // Nothing takes less than a nanosecond, whatever a profile says.
        let time = if total.is_finite() { total.max(1.0) } else { f64::MAX };
        Judged { arm, base, correction, time }
    }

    /// The time, part by part.
    pub(super) fn parts(&self) -> Parts {
        self.base.times(self.correction.c.exp())
    }

    /// The standard deviation of the time's logarithm.
    pub(super) fn spread(&self) -> f64 {
        self.correction.spread
    }

    /// The samples that it stands on.
    pub(super) fn samples(&self) -> f64 {
        self.correction.samples
    }

    /// Whether this is another expectation than that.
    fn differs(&self, other: &Judged) -> bool {
        (self.time - other.time).abs() > NOTICED * other.time
            || (self.spread() - other.spread()).abs() > NOTICED
            || (self.samples() > 0.0) != (other.samples() > 0.0)
    }
}

/// What expectations of a kernel rest on.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    known: &'a Known,
    lessons: &'a [Lessons; ARMS_MAX],
    shared: &'a Shared,
    /// Bytes of the result for each row.
    output: f64,
    /// The versions of the results' bytes, and of all profiles.
    versions: (u64, u64),
    now: f64,
}

impl<'a> View<'a> {
    /// Of calls of a half-octave.
    pub(super) fn new(
        known: &'a Known,
        (lessons, outputs): (&'a [Lessons; ARMS_MAX], &Outputs),
        shared: &'a Shared,
        (bucket, now): (usize, f64),
    ) -> View<'a> {
        let (output, versions) = (outputs.per_row(&known.workload, bucket), (outputs.version(), shared.version));
        View { known, lessons, shared, output, versions, now }
    }

    /// What others know of the devices.
    pub(super) fn shared(&self) -> &Shared {
        self.shared
    }

    /// Seconds since a device was last measured, at any kernel.
    pub(super) fn unseen(&self, arm: usize) -> f64 {
        self.now - self.shared.arms[arm].last
    }

    /// What the model says of a call on a device.
    pub(super) fn base(&self, size: Size, arm: usize) -> Parts {
        predict(&self.shared.profiles[arm], &self.known.workload, size, arm, self.output)
    }

    /// What a device should take of which the model says this.
    fn judge_one(&self, size: Size, arm: usize, base: Parts) -> Judged {
        let at = (size.class(arm), size.bucket() as u8);
        let correction = self.lessons[arm].correction(&self.shared.arms[arm], at, Shares::of(&base), self.now);
        Judged::new(arm, base, correction)
    }

    /// What every device should take that can run the kernel, by their numbers.
    pub(super) fn judge(&self, size: Size) -> Vec<Judged> {
        let arms = (0..self.shared.profiles.len()).filter(|&arm| self.known.takes.has(arm));
        arms.map(|arm| self.judge_one(size, arm, self.base(size, arm))).collect()
    }
}

/// What the fastest should take.
pub(super) fn fastest(judged: &[Judged]) -> f64 {
    judged.iter().map(|one| one.time).fold(f64::MAX, f64::min)
}

/// What every device should take at a place.
#[derive(Clone, Debug)]
pub(super) struct Outlook {
    pub(super) judged: Vec<Judged>,
    size: Size,
    versions: (u64, u64),
    /// Those of what was learned of the kernel on each device.
    lessons: [u32; ARMS_MAX],
    /// When all of it was found out, in seconds, and how often it may still be used.
    when: f64,
    uses_left: u32,
}

impl Outlook {
    pub(super) fn new(view: &View<'_>, size: Size) -> Outlook {
        let lessons = std::array::from_fn(|arm| view.lessons[arm].version());
        let (versions, when) = (view.versions, view.now);
        Outlook { judged: view.judge(size), size, versions, lessons, when, uses_left: USES }
    }

    /// Whether the model says of such calls what it says here.
    pub(super) fn is_of(&self, view: &View<'_>, size: Size) -> bool {
        let Size { rows, residency, locked } = self.size;
        let is_as_large = rows.abs_diff(size.rows) <= rows / ROWS_APART;
        self.versions == view.versions && (residency, locked) == (size.residency, size.locked) && is_as_large
    }

    /// What a device should take for a call that is about as large.
    pub(super) fn of(&self, view: &View<'_>, size: Size, arm: usize) -> Option<Judged> {
        let own = self.judged.iter().find(|one| one.arm == arm)?;
        Some(if size == self.size { *own } else { Judged::new(arm, view.base(size, arm), own.correction) })
    }

    /// Looks at those devices again of which something was learned elsewhere, or at all of them if that is long ago;
    /// whether anything is to be expected that was not.
    pub(super) fn renew(&mut self, view: &View<'_>) -> bool {
        let is_old = self.uses_left == 0 || view.now - self.when >= SECONDS;
        (self.when, self.uses_left) = if is_old { (view.now, USES) } else { (self.when, self.uses_left - 1) };
        let mut differs = false;
        for one in &mut self.judged {
            let version = view.lessons[one.arm].version();
            let before = std::mem::replace(&mut self.lessons[one.arm], version);
            if is_old || before != version {
                let new = view.judge_one(self.size, one.arm, one.base);
                differs |= new.differs(one);
                *one = new;
            }
        }
        differs
    }

    /// Takes in what the cell of a device here says now.
    pub(super) fn correct(&mut self, view: &View<'_>, arm: usize) {
        let at = (self.size.class(arm), self.size.bucket() as u8);
        for one in self.judged.iter_mut().filter(|one| one.arm == arm) {
            let measured = view.lessons[arm].measured(&view.shared.arms[arm], at, one.correction.prior, view.now);
            measured.iter().for_each(|correction| *one = Judged::new(arm, one.base, *correction));
        }
    }
}

impl Inner {
    /// What every device should take for a call, as it is known now.
    pub(super) fn judge(&self, known: &Known, mind: &Mind, shared: &Shared, size: Size) -> Vec<Judged> {
        View::new(known, (&mind.lessons, &mind.outputs), shared, (size.bucket(), self.seconds())).judge(size)
    }
}
