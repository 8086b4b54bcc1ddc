//! [`Contents`]: what a store's file holds. New runs replace the stored ones of their cell, and what was used least recently
//! is dropped first.
//!
//! A file is a sequence of little-endian words of 8 bytes:
//! ```text
//! magic · version · machine (2) · saves · devices · checksum (2)
//! device: identity (2) · last save · whether it has a profile · numbers and curves of the profile · kernels
//! kernel: key (2) · last save · uses of its last owned columns · cells
//! cell:   class, half-octave and runs in one word · rows · nanoseconds · spread
//! ```
//! Lists begin with their length. The checksum covers everything before it.

use crate::select::estimator::Arm;
use crate::select::estimator::features::Class;
use crate::select::estimator::learned::{Learned, LearnedCell, LearnedKernel};
use crate::select::estimator::profile::{Curve, Profile};
use pointsman_device::DeviceKind;
use std::collections::BTreeMap;
use twox_hash::XxHash3_128;

const MAGIC: u64 = u64::from_le_bytes(*b"PTSMLERN");
/// The version of this layout; files of other versions are refused.
const VERSION: u64 = 7;
/// Words of a cell, and of a kernel without its cells.
pub(super) const CELL_WORDS: usize = 4;
pub(super) const KERNEL_WORDS: usize = 5;
/// The most devices of a store.
pub(super) const DEVICES_MAX: usize = 16;
/// The input placements, by their numbers in a file.
const CLASSES: [Class; 4] = [Class::Resident, Class::Partial, Class::Pageable, Class::Locked];

/// The devices of this process by name, each with a hash of its name and fingerprint.
pub(super) type DeviceIds = BTreeMap<String, u128>;

/// The contents of a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Contents {
    /// How often it was written.
    pub(super) saves: u64,
    /// By their ids.
    pub(super) devices: BTreeMap<u128, StoredDevice>,
}

/// A device.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StoredDevice {
    /// The last save of a process that had the device.
    pub(super) used: u64,
    /// Its profile, if it was measured.
    pub(super) profile: Option<Profile>,
    /// The kernels that ran there, by their keys.
    pub(super) kernels: BTreeMap<u128, StoredKernel>,
}

/// The runs of a kernel on a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StoredKernel {
    /// The last save that added runs.
    pub(super) used: u64,
    /// How often its last owned columns were read.
    pub(super) uses: u64,
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

impl Contents {
    /// Adds what a selector learned since it was last stored.
    pub(super) fn add(&mut self, learned: &Learned, ids: &DeviceIds) {
        self.saves += 1;
        for (arm, Arm { name, profile, .. }) in learned.arms.iter().enumerate() {
            let Some(id) = ids.get(name) else { continue };
            let device = self.devices.entry(*id).or_default();
            device.used = self.saves;
            if profile.measured {
                device.profile = Some(profile.clone());
            }
            for kernel in &learned.kernels {
                for new in kernel.cells.iter().filter(|cell| cell.arm == arm && cell.is_unsaved) {
                    let own = device.kernels.entry(kernel.key).or_default();
                    (own.used, own.uses) = (self.saves, kernel.uses);
                    own.cells.retain(|old| (old.class, old.bucket) != (new.class, new.bucket));
                    own.cells.push(LearnedCell { arm: 0, is_unsaved: false, ..*new });
                }
            }
        }
    }

    /// Drops devices and kernels that were not used for longest, until few devices and at most `words_max` words of
    /// kernels are left.
    pub(super) fn limit(&mut self, words_max: usize) {
        while self.devices.len() > DEVICES_MAX {
            let oldest = self.devices.iter().min_by_key(|(_, device)| device.used).map(|(id, _)| *id);
            oldest.iter().for_each(|id| _ = self.devices.remove(id));
        }
        let kernels = self.devices.iter().flat_map(|(id, device)| {
            let words = |kernel: &StoredKernel| KERNEL_WORDS + CELL_WORDS * kernel.cells.len();
            device.kernels.iter().map(move |(key, kernel)| (kernel.used, *id, *key, words(kernel)))
        });
        let mut kernels: Vec<(u64, u128, u128, usize)> = kernels.collect();
        kernels.sort_unstable_by(|a, b| b.cmp(a));
        let mut sum = 0;
        for (_, id, key, words) in kernels {
            sum += words;
            if let Some(device) = self.devices.get_mut(&id).filter(|_| sum > words_max) {
                device.kernels.remove(&key);
            }
        }
    }

    /// What is stored about these devices. `None`: nothing.
    pub(super) fn for_devices(&self, ids: &DeviceIds) -> Option<Learned> {
        let (mut arms, mut kernels) = (Vec::new(), BTreeMap::<u128, LearnedKernel>::new());
        for (name, device) in ids.iter().filter_map(|(name, id)| Some((name, self.devices.get(id)?))) {
            for (key, kernel) in &device.kernels {
                let cells = kernel.cells.iter().map(|cell| LearnedCell { arm: arms.len(), ..*cell });
                let own = kernels.entry(*key).or_insert(LearnedKernel { key: *key, uses: 0, cells: Vec::new() });
                own.uses = own.uses.max(kernel.uses);
                own.cells.extend(cells);
            }
            arms.push(Arm::new(name, device.profile.clone().unwrap_or_else(|| Profile::guess(DeviceKind::Cpu, 1))));
        }
        (!arms.is_empty()).then_some(Learned { arms, kernels: kernels.into_values().collect() })
    }

    /// The bytes of a machine's file.
    pub(super) fn encode(&self, machine: u128) -> Vec<u8> {
        let mut words = vec![MAGIC, VERSION];
        words.extend(halves(machine));
        words.extend([self.saves, self.devices.len() as u64]);
        for (id, device) in &self.devices {
            words.extend(halves(*id));
            words.extend([device.used, u64::from(device.profile.is_some())]);
            device.profile.iter().for_each(|profile| push_profile(&mut words, profile));
            words.push(device.kernels.len() as u64);
            for (key, kernel) in &device.kernels {
                words.extend(halves(*key));
                words.extend([kernel.used, kernel.uses, kernel.cells.len() as u64]);
                for cell in &kernel.cells {
                    let runs = u8::try_from(cell.runs).unwrap_or(u8::MAX);
                    let place = u64::from_le_bytes([cell.class as u8, cell.bucket, runs, 0, 0, 0, 0, 0]);
                    words.extend([place, cell.rows, cell.nanoseconds.to_bits(), cell.spread.to_bits()]);
                }
            }
        }
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        let checksum = XxHash3_128::oneshot(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// The contents of an undamaged file of this machine. Impossible cells are left out.
    pub(super) fn decode(bytes: &[u8], machine: u128) -> Result<Contents, FileRefusal> {
        let (content, checksum) = bytes.split_last_chunk::<16>().ok_or(FileRefusal::Damaged)?;
        let (words, rest) = content.as_chunks::<8>();
        let mut words = Words(words.iter());
        if u128::from_le_bytes(*checksum) != XxHash3_128::oneshot(content) || words.integer() != Some(MAGIC) {
            return Err(FileRefusal::Damaged);
        }
        if words.integer() != Some(VERSION) || words.hash() != Some(machine) {
            return Err(FileRefusal::Foreign);
        }
        let contents = words.contents().ok_or(FileRefusal::Damaged)?;
        if words.0.len() + rest.len() == 0 { Ok(contents) } else { Err(FileRefusal::Damaged) }
    }
}

fn halves(hash: u128) -> [u64; 2] {
    [hash as u64, (hash >> 64) as u64]
}

fn push_profile(words: &mut Vec<u64>, profile: &Profile) {
    let mut own = profile.clone();
    words.extend(own.numbers().iter().map(|(_, number)| number.to_bits()));
    for (_, curve) in own.curves() {
        words.push(curve.logarithms().len() as u64);
        words.extend(curve.logarithms().iter().flat_map(|&(bytes, each)| [bytes.to_bits(), each.to_bits()]));
    }
}

/// The words that are left to read. Every method returns `None` if there are too few.
struct Words<'a>(std::slice::Iter<'a, [u8; 8]>);

impl Words<'_> {
    fn integer(&mut self) -> Option<u64> {
        self.0.next().map(|word| u64::from_le_bytes(*word))
    }

    fn number(&mut self) -> Option<f64> {
        self.integer().map(f64::from_bits)
    }

    fn hash(&mut self) -> Option<u128> {
        Some(u128::from(self.integer()?) | u128::from(self.integer()?) << 64)
    }

    fn list<T, L: FromIterator<T>>(&mut self, member: impl Fn(&mut Self) -> Option<T>) -> Option<L> {
        (0..self.integer()?).map(|_| member(self)).collect()
    }

    fn contents(&mut self) -> Option<Contents> {
        Some(Contents { saves: self.integer()?, devices: self.list(|words| Some((words.hash()?, words.device()?)))? })
    }

    fn device(&mut self) -> Option<StoredDevice> {
        let (used, has_profile) = (self.integer()?, self.integer()? == 1);
        let profile = if has_profile { Some(self.profile()?) } else { None };
        let kernels = self.list(|words| Some((words.hash()?, words.kernel()?)))?;
        Some(StoredDevice { used, profile, kernels })
    }

    fn kernel(&mut self) -> Option<StoredKernel> {
        let (used, uses) = (self.integer()?, self.integer()?);
        let mut cells: Vec<LearnedCell> = self.list(Words::cell)?;
        cells.retain(|cell| cell.is_sound(1));
        Some(StoredKernel { used, uses, cells })
    }

    fn profile(&mut self) -> Option<Profile> {
        let mut profile = Profile { measured: true, ..Profile::guess(DeviceKind::Cpu, 1) };
        for (_, number) in profile.numbers() {
            *number = self.number().filter(|number| (0.0..1e15).contains(number))?;
        }
        for (_, curve) in profile.curves() {
            *curve = Curve::of_logarithms(self.list(|words| Some((words.number()?, words.number()?)))?)?;
        }
        Some(profile)
    }

    fn cell(&mut self) -> Option<LearnedCell> {
        let [class, bucket, runs, ..] = self.integer()?.to_le_bytes();
        let (rows, nanoseconds, spread) = (self.integer()?, self.number()?, self.number()?);
        let (class, runs) = (*CLASSES.get(usize::from(class))?, u32::from(runs));
        Some(LearnedCell { arm: 0, class, bucket, rows, nanoseconds, spread, runs, is_unsaved: false })
    }
}
