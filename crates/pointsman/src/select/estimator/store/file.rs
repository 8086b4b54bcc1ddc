//! A store as bytes: in go devices and kernels with their measured times; out comes the same, or nothing.
//!
//! ```text
//! magic (8) · version (4) · machine · saves (8) · devices · kernels · checksum (16)
//! device: name · fingerprint · used (8) · profile or none
//! kernel: key (16) · used (8) · cells
//! cell:   device, class, half-octave, runs (1 each) · rows (8) · nanoseconds, spread (8 each)
//! ```
//! Numbers are little-endian; texts and lists begin with their length (4). The checksum covers everything before it.

use crate::select::estimator::features::Class;
use crate::select::estimator::learned::LearnedCell;
use crate::select::estimator::profile::{CURVE_POINTS_MAX, Curve, Profile};
use pointsman_device::DeviceKind;
use twox_hash::XxHash3_128;

const MAGIC: &[u8; 8] = b"PTSMLERN";
/// The version of this layout; files of other versions are refused.
const VERSION: u32 = 5;
/// Bytes of a cell, and of a kernel without its cells.
pub(super) const CELL_BYTES: usize = 28;
pub(super) const KERNEL_BYTES: usize = 28;
/// The most devices of a store.
pub(super) const DEVICES_MAX: usize = 16;

/// The contents of a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Contents {
    /// How often it was written.
    pub(super) saves: u64,
    pub(super) devices: Vec<StoredDevice>,
    pub(super) kernels: Vec<StoredKernel>,
}

/// A device.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StoredDevice {
    pub(super) name: String,
    pub(super) fingerprint: String,
    /// The last save of a process that had the device.
    pub(super) used: u64,
    /// Its profile, if it was measured.
    pub(super) profile: Option<Profile>,
}

/// A kernel. The devices of its cells are positions in [`Contents::devices`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StoredKernel {
    pub(super) key: u128,
    /// The last save that added runs.
    pub(super) used: u64,
    pub(super) cells: Vec<LearnedCell>,
}

/// Why a file is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileRefusal {
    /// It is not what was written.
    Damaged,
    /// It belongs to another machine, build or version.
    Foreign,
}

/// A store's bytes.
pub(super) fn encode(machine: &str, contents: &Contents) -> Vec<u8> {
    let mut writer = Writer(MAGIC.to_vec());
    writer.0.extend(VERSION.to_le_bytes());
    writer.text(machine);
    writer.0.extend(contents.saves.to_le_bytes());
    writer.length(contents.devices.len());
    contents.devices.iter().for_each(|device| writer.device(device));
    writer.length(contents.kernels.len());
    for kernel in &contents.kernels {
        writer.0.extend(kernel.key.to_le_bytes());
        writer.0.extend(kernel.used.to_le_bytes());
        writer.length(kernel.cells.len());
        kernel.cells.iter().for_each(|cell| writer.cell(cell));
    }
    let checksum = XxHash3_128::oneshot(&writer.0);
    writer.0.extend(checksum.to_le_bytes());
    writer.0
}

/// The contents of an undamaged store of this machine. Impossible numbers are left out.
pub(super) fn decode(bytes: &[u8], machine: &str) -> Result<Contents, FileRefusal> {
    let (content, stored) = bytes.split_last_chunk::<16>().ok_or(FileRefusal::Damaged)?;
    if u128::from_le_bytes(*stored) != XxHash3_128::oneshot(content) {
        return Err(FileRefusal::Damaged);
    }
    let content = content.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<4>());
    let (version, content) = content.ok_or(FileRefusal::Damaged)?;
    if u32::from_le_bytes(*version) != VERSION {
        return Err(FileRefusal::Foreign);
    }
    let mut reader = Reader(content);
    if reader.text().ok_or(FileRefusal::Damaged)? != machine {
        return Err(FileRefusal::Foreign);
    }
    let contents = reader.contents().ok_or(FileRefusal::Damaged)?;
    if reader.0.is_empty() { Ok(contents) } else { Err(FileRefusal::Damaged) }
}

struct Writer(Vec<u8>);

impl Writer {
    fn length(&mut self, length: usize) {
        // `Contents::limit` has shortened longer lists.
        self.0.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.0.extend(text.as_bytes());
    }

    fn number(&mut self, number: f64) {
        self.0.extend(number.to_le_bytes());
    }

    fn device(&mut self, device: &StoredDevice) {
        self.text(&device.name);
        self.text(&device.fingerprint);
        self.0.extend(device.used.to_le_bytes());
        self.0.push(u8::from(device.profile.is_some()));
        if let Some(profile) = &device.profile {
            self.profile(profile);
        }
    }

    fn profile(&mut self, profile: &Profile) {
        let mut own = profile.clone();
        own.numbers().into_iter().for_each(|(_, number)| self.number(*number));
        for (_, curve) in own.curves() {
            self.length(curve.logarithms().len());
            for &(bytes, each) in curve.logarithms() {
                self.number(bytes);
                self.number(each);
            }
        }
    }

    fn cell(&mut self, cell: &LearnedCell) {
        let runs = u8::try_from(cell.runs).unwrap_or(u8::MAX);
        self.0.extend([cell.arm as u8, class_number(cell.class), cell.bucket, runs]);
        self.0.extend(cell.rows.to_le_bytes());
        self.number(cell.nanoseconds);
        self.number(cell.spread);
    }
}

/// The bytes that are left to read. Every method returns `None` if there are too few.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn integer(&mut self) -> Option<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn number(&mut self) -> Option<f64> {
        self.bytes().map(f64::from_le_bytes)
    }

    /// The length of a list whose members take at least `each` bytes: never more than the bytes that are left.
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
        let saves = self.integer()?;
        let count = self.length(1)?;
        let devices: Vec<StoredDevice> = (0..count).map(|_| self.device()).collect::<Option<_>>()?;
        let kernel = |reader: &mut Self| {
            let key = u128::from_le_bytes(reader.bytes()?);
            let used = reader.integer()?;
            let cells = (0..reader.length(CELL_BYTES)?).map(|_| reader.cell()).collect::<Option<Vec<_>>>()?;
            let cells = cells.into_iter().filter(|cell| cell.is_sound(count)).collect();
            Some(StoredKernel { key, used, cells })
        };
        let kernels = (0..self.length(KERNEL_BYTES)?).map(|_| kernel(self)).collect::<Option<_>>()?;
        Some(Contents { saves, devices, kernels })
    }

    fn device(&mut self) -> Option<StoredDevice> {
        let (name, fingerprint) = (self.text()?.to_string(), self.text()?.to_string());
        let used = self.integer()?;
        let [is_measured] = self.bytes()?;
        let profile = if is_measured == 1 { Some(self.profile()?) } else { None };
        Some(StoredDevice { name, fingerprint, used, profile })
    }

    fn profile(&mut self) -> Option<Profile> {
        let mut profile = Profile { measured: true, ..Profile::guess(DeviceKind::Cpu, 1) };
        let mut is_sound = true;
        for (_, number) in profile.numbers() {
            *number = self.number()?;
            is_sound &= (0.0..1e15).contains(number);
        }
        for (_, curve) in profile.curves() {
            let length = self.length(16).filter(|length| *length <= CURVE_POINTS_MAX)?;
            let points = (0..length).map(|_| Some((self.number()?, self.number()?))).collect::<Option<_>>()?;
            *curve = Curve::of_logarithms(points)?;
        }
        is_sound.then_some(profile)
    }

    fn cell(&mut self) -> Option<LearnedCell> {
        let [arm, class, bucket, runs] = self.bytes()?;
        let (rows, nanoseconds, spread) = (self.integer()?, self.number()?, self.number()?);
        let (arm, class, runs) = (usize::from(arm), class_of(class)?, u32::from(runs));
        Some(LearnedCell { arm, class, bucket, rows, nanoseconds, spread, runs, is_unsaved: false })
    }
}

const CLASSES: [Class; 4] = [Class::Resident, Class::Partial, Class::Pageable, Class::Locked];

fn class_number(class: Class) -> u8 {
    CLASSES.iter().position(|own| *own == class).unwrap_or_default() as u8
}

fn class_of(number: u8) -> Option<Class> {
    CLASSES.get(usize::from(number)).copied()
}
