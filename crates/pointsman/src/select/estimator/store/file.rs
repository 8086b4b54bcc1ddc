//! A store as bytes: in go devices and kernels with what was measured of them, out comes the same, or nothing.
//!
//! ```text
//! magic (8) · version (4) · machine · saves (8) · devices · kernels · checksum (16)
//! device: name · fingerprint · basis (16) · used (8) · spread, noise, doubt (8 each) · profile or none · cells
//! kernel: key (16) · used (8) · cells · choices
//! cell:   device, class, half-octave (1 each) · count, mean, variance (8 each)
//! choice: device, half-octave, locked (1 each) · residency (4)
//! ```
//! Numbers are little-endian; texts and lists begin with their length (4). The checksum is over everything before it.

use crate::select::estimator::cell::Cell;
use crate::select::estimator::features::{Class, Residency};
use crate::select::estimator::learned::{LearnedCell, LearnedChoice};
use crate::select::estimator::profile::{CURVE_POINTS_MAX, Curve, Profile};
use pointsman_device::DeviceKind;
use twox_hash::XxHash3_128;

const MAGIC: &[u8; 8] = b"PTSMLERN";
/// The form of stores; another one is refused.
const VERSION: u32 = 4;
/// Bytes of a stored cell, of a choice, and of a kernel beside those.
pub(super) const CELL_BYTES: usize = 27;
pub(super) const CHOICE_BYTES: usize = 7;
pub(super) const KERNEL_BYTES: usize = 32;
/// The most devices of a store.
pub(super) const ARMS_MAX: usize = 16;

/// All that is in a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Contents {
    /// How often it was written: tells what was used last.
    pub(super) saves: u64,
    pub(super) arms: Vec<StoredArm>,
    pub(super) kernels: Vec<StoredKernel>,
}

/// A device.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StoredArm {
    pub(super) name: String,
    pub(super) fingerprint: String,
    /// The profile that all of its cells belong to: a hash, since a guess is not stored.
    pub(super) basis: u128,
    /// The save that last had it.
    pub(super) used: u64,
    pub(super) spread: f64,
    pub(super) noise: f64,
    pub(super) doubt: f64,
    /// If it was measured.
    pub(super) profile: Option<Profile>,
    pub(super) cells: Vec<LearnedCell>,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StoredKernel {
    pub(super) key: u128,
    /// The save that last had something new of it.
    pub(super) used: u64,
    pub(super) cells: Vec<LearnedCell>,
    /// Who was chosen last, by place.
    pub(super) choices: Vec<LearnedChoice>,
}

/// Why bytes are not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// They are not what was written, or not of this form.
    Damaged,
    /// They are whole, but of another machine or build, or in another form.
    Foreign,
}

/// What tells profiles apart that cells belong to. How much memory there is does not matter.
pub(crate) fn basis(profile: &Profile) -> u128 {
    let mut writer = Writer::default();
    writer.profile(&Profile { memory: None, ..profile.clone() });
    XxHash3_128::oneshot(&writer.0)
}

/// A store's bytes.
pub(super) fn encode(machine: &str, contents: &Contents) -> Vec<u8> {
    let mut writer = Writer(MAGIC.to_vec());
    writer.0.extend(VERSION.to_le_bytes());
    writer.text(machine);
    writer.0.extend(contents.saves.to_le_bytes());
    writer.length(contents.arms.len());
    contents.arms.iter().for_each(|arm| writer.arm(arm));
    writer.length(contents.kernels.len());
    for kernel in &contents.kernels {
        writer.0.extend(kernel.key.to_le_bytes());
        writer.0.extend(kernel.used.to_le_bytes());
        writer.cells(&kernel.cells);
        writer.choices(&kernel.choices);
    }
    let checksum = XxHash3_128::oneshot(&writer.0);
    writer.0.extend(checksum.to_le_bytes());
    writer.0
}

/// The contents of an undamaged store of this machine. Numbers that cannot be are left out.
pub(super) fn decode(bytes: &[u8], machine: &str) -> Result<Contents, Refused> {
    let (content, stored) = bytes.split_last_chunk::<16>().ok_or(Refused::Damaged)?;
    if u128::from_le_bytes(*stored) != XxHash3_128::oneshot(content) {
        return Err(Refused::Damaged);
    }
    let content = content.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<4>());
    let (version, content) = content.ok_or(Refused::Damaged)?;
    if u32::from_le_bytes(*version) != VERSION {
        return Err(Refused::Foreign);
    }
    let mut reader = Reader(content);
    if reader.text().ok_or(Refused::Damaged)? != machine {
        return Err(Refused::Foreign);
    }
    let contents = reader.contents().ok_or(Refused::Damaged)?;
    if reader.0.is_empty() { Ok(contents) } else { Err(Refused::Damaged) }
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn length(&mut self, length: usize) {
        // Longer ones are cut before they come here (`limit`).
        self.0.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.0.extend(text.as_bytes());
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }

    fn curve(&mut self, curve: &Curve) {
        self.length(curve.logarithms().len());
        curve.logarithms().iter().for_each(|&(bytes, each)| self.numbers([bytes, each]));
    }

    fn profile(&mut self, profile: &Profile) {
        let mut own = profile.clone();
        own.numbers().into_iter().for_each(|(_, number)| self.numbers([*number]));
        // 2^64 - 1 bytes are none.
        self.0.extend(profile.memory.unwrap_or(u64::MAX).to_le_bytes());
        own.curves().into_iter().for_each(|(_, curve)| self.curve(curve));
        self.0.push(u8::from(profile.measured));
    }

    fn arm(&mut self, arm: &StoredArm) {
        self.text(&arm.name);
        self.text(&arm.fingerprint);
        self.0.extend(arm.basis.to_le_bytes());
        self.0.extend(arm.used.to_le_bytes());
        self.numbers([arm.spread, arm.noise, arm.doubt]);
        self.0.push(u8::from(arm.profile.is_some()));
        if let Some(profile) = &arm.profile {
            self.profile(profile);
        }
        self.cells(&arm.cells);
    }

    fn cells(&mut self, cells: &[LearnedCell]) {
        self.length(cells.len());
        for LearnedCell { arm, class, bucket, cell } in cells {
            self.0.extend([*arm as u8, class_number(*class), *bucket]);
            self.numbers([cell.count, cell.mean, cell.variance]);
        }
    }

    fn choices(&mut self, choices: &[LearnedChoice]) {
        self.length(choices.len());
        for LearnedChoice { residency, locked, bucket, arm } in choices {
            self.0.extend([*arm as u8, *bucket, u8::from(*locked)]);
            self.0.extend(residency.0.to_le_bytes());
        }
    }
}

/// What is not read yet. Every reading is `None` where there is too little.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes::<1>().map(|[byte]| byte)
    }

    fn whole(&mut self) -> Option<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn number(&mut self) -> Option<f64> {
        self.bytes().map(f64::from_le_bytes)
    }

    /// The length of a list whose members take so many bytes at least: never more than there can be.
    fn length(&mut self, each: usize) -> Option<usize> {
        let length = usize::try_from(u32::from_le_bytes(self.bytes()?)).ok()?;
        (length <= self.0.len() / each).then_some(length)
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.length(1)?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    fn contents(&mut self) -> Option<Contents> {
        let saves = self.whole()?;
        let count = self.length(1)?;
        let arms: Vec<StoredArm> = (0..count).map(|_| self.arm(count)).collect::<Option<_>>()?;
        let kernel = |reader: &mut Self| {
            let key = u128::from_le_bytes(reader.bytes()?);
            let (used, cells) = (reader.whole()?, reader.cells(count)?);
            Some(StoredKernel { key, used, cells, choices: reader.choices(count)? })
        };
        let kernels = (0..self.length(KERNEL_BYTES)?).map(|_| kernel(self)).collect::<Option<_>>()?;
        Some(Contents { saves, arms, kernels })
    }

    fn arm(&mut self, arms: usize) -> Option<StoredArm> {
        let (name, fingerprint) = (self.text()?.to_string(), self.text()?.to_string());
        let basis = u128::from_le_bytes(self.bytes()?);
        let used = self.whole()?;
        let (spread, noise, doubt) = (self.number()?, self.number()?, self.number()?);
        let profile = if self.byte()? == 1 { Some(self.profile()?) } else { None };
        Some(StoredArm { name, fingerprint, basis, used, spread, noise, doubt, profile, cells: self.cells(arms)? })
    }

    fn curve(&mut self) -> Option<Curve> {
        let length = self.length(16).filter(|length| *length <= CURVE_POINTS_MAX)?;
        let points = (0..length).map(|_| Some((self.number()?, self.number()?))).collect::<Option<_>>()?;
        Curve::of_logarithms(points)
    }

    fn profile(&mut self) -> Option<Profile> {
        let mut profile = Profile::guess(DeviceKind::Cpu, 1);
        let mut is_sound = true;
        for (_, number) in profile.numbers() {
            *number = self.number()?;
            is_sound &= (0.0..1e15).contains(number);
        }
        profile.memory = Some(self.whole()?).filter(|bytes| *bytes != u64::MAX);
        for (_, curve) in profile.curves() {
            *curve = self.curve()?;
        }
        profile.measured = self.byte()? == 1;
        is_sound.then_some(profile)
    }

    fn cells(&mut self, arms: usize) -> Option<Vec<LearnedCell>> {
        let mut cells = Vec::new();
        for _ in 0..self.length(CELL_BYTES)? {
            let [arm, class, bucket] = self.bytes()?;
            let [count, mean, variance] = [self.number()?, self.number()?, self.number()?];
            let cell = Cell { count, mean, variance, other: mean, ..Cell::default() };
            let cell = LearnedCell { arm: usize::from(arm), class: class_of(class)?, bucket, cell };
            cells.extend(Some(cell).filter(|cell| cell.is_sound(arms)));
        }
        Some(cells)
    }

    fn choices(&mut self, arms: usize) -> Option<Vec<LearnedChoice>> {
        let mut choices = Vec::new();
        for _ in 0..self.length(CHOICE_BYTES)? {
            let [arm, bucket, locked] = self.bytes()?;
            let residency = Residency(u32::from_le_bytes(self.bytes()?));
            let choice = LearnedChoice { residency, locked: locked == 1, bucket, arm: usize::from(arm) };
            choices.extend(Some(choice).filter(|choice| choice.is_sound(arms)));
        }
        Some(choices)
    }
}

fn class_number(class: Class) -> u8 {
    match class {
        Class::There => 0,
        Class::Partly => 1,
        Class::Pageable => 2,
        Class::Locked => 3,
    }
}

fn class_of(number: u8) -> Option<Class> {
    [Class::There, Class::Partly, Class::Pageable, Class::Locked]
        .into_iter()
        .find(|class| class_number(*class) == number)
}
