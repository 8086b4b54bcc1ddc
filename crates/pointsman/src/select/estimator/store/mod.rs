//! [`Store`]: what the selectors of a machine have learned, in a file that processes share.
//!
//! A file holds statistics, never bare winners: measured profiles, and for each kernel, device, input placement and
//! size the median time of the last runs, a line each (`lines.rs`). The lines that were written last come first. A save
//! takes a lock, puts its lines before those of the file, which lose lines that are replaced and the oldest beyond
//! [`BYTES_MAX`], and renames the new file: readers see all of it or none. A file that is damaged, belongs to another
//! machine or could have been written by another user is not used, with one warning, and the next save replaces it.
//! Nothing here panics, fails a query, or waits longer than [`LOCK_WAIT_MAX`] for another process.

mod lines;

#[cfg(test)]
mod tests;

use super::Selector;
use crate::error::{Error, ErrorKind, Result};
use crate::private_dir::{EntryRefusal, PrivateDir};
use crate::resilience::clock::{Clock, SystemClock};
use crate::sync::Mutex;
use lines::{DeviceIds, Lines};
use pointsman_device::{BUILD, Device, DeviceInfo};
use pointsman_ir::VERSION;
use std::fs::{File, TryLockError};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Once};
use std::time::Duration;
use twox_hash::XxHash3_128;

/// The maximum number of bytes of a file's lines: some 40,000 cells. Every save reads and writes all of them, in some
/// 50 milliseconds.
const BYTES_MAX: usize = 4 << 20;
/// The maximum number of lines of a save: if saves fail, their lines wait for the next one, and must not fill the
/// memory.
const UNWRITTEN_MAX: usize = 1 << 16;
/// The longest wait for another process that saves. A save takes a few milliseconds; a process that holds the lock for
/// longer is stopped or hangs, and the waiting thread may belong to a session that ends.
const LOCK_WAIT_MAX: Duration = Duration::from_millis(250);
/// The time between two tries of the lock.
const LOCK_TRY_INTERVAL: Duration = Duration::from_millis(5);
/// Files with the CPU quota of this process, for cgroups version 2 and version 1.
const QUOTA_FILES: [&str; 2] = ["/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us"];

/// What the selectors of a machine have learned, in a file that processes share.
///
/// ```
/// use pointsman::selector::{Arm, Profile, Selector, SelectorOptions, Store};
/// use pointsman::DeviceKind;
///
/// # fn main() -> pointsman::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("pointsman-store-example-{}", std::process::id()));
/// let profile = Profile { measured: true, ..Profile::guess(DeviceKind::Cpu, 8) };
/// let selector = Selector::new(vec![Arm::new("cpu", profile)], SelectorOptions::default())?;
/// let mut store = Store::open(&directory, "some processor, 8 threads")?;
/// store.add_device("cpu", "some processor");
/// assert!(!store.restore(&selector), "there is none yet");
/// store.keep(&selector)?;
/// assert!(store.restore(&selector));
/// # std::fs::remove_dir_all(directory).ok();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Store {
    directory: PrivateDir,
    /// The hash of the description of this machine: the name of its files, and part of their checksum.
    hardware: u128,
    devices: DeviceIds,
    /// Lines that could not be written yet.
    unwritten: Mutex<Lines>,
    bytes_max: usize,
    /// Measures waits for the lock.
    clock: Arc<dyn Clock>,
    /// The warning about a file that is not used.
    refusal_warning: Once,
}

impl Store {
    /// The store of a machine in a directory that belongs to this user alone; the directory is made if it is not there.
    /// `hardware` describes the machine ([`hardware_of`]): what was learned on another one is not used.
    pub fn open(directory: impl Into<PathBuf>, hardware: &str) -> Result<Store> {
        let directory = PrivateDir::open(&directory.into()).map_err(|text| Error::new(ErrorKind::Io, text))?;
        Ok(Store {
            directory,
            hardware: XxHash3_128::oneshot(hardware.as_bytes()),
            devices: DeviceIds::new(),
            unwritten: Mutex::default(),
            bytes_max: BYTES_MAX,
            clock: Arc::new(SystemClock::start()),
            refusal_warning: Once::new(),
        })
    }

    /// Measures waits for other processes by this clock.
    pub(crate) fn with_clock(self, clock: Arc<dyn Clock>) -> Store {
        Store { clock, ..self }
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join(self.file_name("learned"))
    }

    fn file_name(&self, extension: &str) -> String {
        format!("selector-{:032x}.{extension}", self.hardware)
    }

    /// The first line of a file with these lines: a checksum that fails for other lines and for other hardware.
    fn header(&self, lines: &str) -> String {
        format!("pointsman-learned {:032x}", XxHash3_128::oneshot_with_seed(self.hardware as u64, lines.as_bytes()))
    }

    /// Adds a device of this process, with its fingerprint ([`fingerprint_of`]). What was stored about another device
    /// of this name is not used, and nothing is stored about devices that were not added.
    pub fn add_device(&mut self, name: &str, fingerprint: &str) {
        let id = XxHash3_128::oneshot(format!("{name}\n{fingerprint}").as_bytes());
        self.devices.insert(name.to_string(), format!("{id:032x}"));
    }

    /// Gives a selector what is stored about its devices; returns whether there was anything.
    pub fn restore(&self, selector: &Selector) -> bool {
        let learned = lines::read(&self.read().unwrap_or_default(), &self.devices);
        learned.iter().for_each(|learned| selector.adopt(learned));
        learned.is_some()
    }

    /// Adds to the store what a selector learned since the last time. If that fails, nothing is lost: the next call
    /// tries again. An error if another process holds the lock for longer than a save takes.
    pub fn keep(&self, selector: &Selector) -> Result<()> {
        let mut unwritten = self.unwritten.lock();
        unwritten.append(&mut lines::write(&selector.take_unsaved(), &self.devices));
        while unwritten.len() > UNWRITTEN_MAX {
            unwritten.pop_first();
        }
        self.save(&unwritten).map(|()| unwritten.clear()).map_err(|error| {
            let text = format!("what was learned cannot be written to {}: {error}", self.path().display());
            Error::new(ErrorKind::Io, text)
        })
    }

    /// Puts lines before those of the file.
    fn save(&self, new: &Lines) -> io::Result<()> {
        let _lock = self.lock()?;
        let old = self.read()?;
        let is_kept = |line: &&str| line.split_once(" = ").is_some_and(|(key, _)| !new.contains_key(key));
        let new_lines = new.iter().map(|(key, value)| format!("{key} = {value}\n"));
        let mut lines = String::new();
        for line in new_lines.chain(old.lines().filter(is_kept).map(|line| format!("{line}\n"))) {
            if lines.len() + line.len() > self.bytes_max {
                break;
            }
            lines.push_str(&line);
        }
        // The lock is held, so an unfinished file was left by a process that was killed.
        let (name, unfinished) = (self.file_name("learned"), self.file_name("learned-tmp"));
        let _ = self.directory.remove(&unfinished);
        let file = self.directory.create_file(&unfinished)?;
        let text = format!("{}\n{lines}", self.header(&lines));
        self.directory.fill_and_rename(file, text.as_bytes(), &unfinished, &name)
    }

    /// Takes the lock, which is held until the file is dropped. Waits a short time for another process.
    fn lock(&self) -> io::Result<File> {
        let file = self.directory.open_lock(&self.file_name("lock")).map_err(|refusal| match refusal {
            EntryRefusal::Absent => io::ErrorKind::NotFound.into(),
            EntryRefusal::Failed(error) => error,
            EntryRefusal::Untrusted(why) => io::Error::new(io::ErrorKind::PermissionDenied, why),
        })?;
        let until = self.clock.now().saturating_add(LOCK_WAIT_MAX);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if self.clock.now() < until => self.clock.sleep(LOCK_TRY_INTERVAL),
                Err(TryLockError::WouldBlock) => return Err(io::Error::other("another process holds its lock")),
            }
        }
    }

    /// The lines of the file; none if it is not there, or is not used. It needs no lock: a file is replaced by
    /// renaming.
    fn read(&self) -> io::Result<String> {
        let file = match self.directory.open_file(&self.file_name("learned")) {
            Ok(file) => file,
            Err(EntryRefusal::Absent) => return Ok(String::new()),
            Err(EntryRefusal::Failed(error)) => return Err(error),
            Err(EntryRefusal::Untrusted(why)) => return Ok(self.refuse(&why)),
        };
        // A far longer file is none of ours: it is cut off, and its checksum fails.
        let mut bytes = Vec::new();
        file.take(2 * BYTES_MAX as u64).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let parts = text.split_once('\n').filter(|(header, lines)| *header == self.header(lines));
        let why = || format!("{} is damaged or belongs to another machine", self.path().display());
        Ok(parts.map_or_else(|| self.refuse(&why()), |(_, lines)| lines.to_string()))
    }

    /// Warns that the file is not used, once. Returns the lines that are used: none.
    fn refuse(&self, why: &str) -> String {
        let warn =
            || tracing::warn!(target: "pointsman", "what was learned is not used, and learning starts anew: {why}");
        self.refusal_warning.call_once(warn);
        String::new()
    }
}

/// Describes the machine that this process runs on; its CPU is a device.
pub fn hardware_of(cpu: &DeviceInfo) -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let quota = QUOTA_FILES.iter().find_map(|file| std::fs::read_to_string(file).ok());
    format!("{}, {threads} threads, quota {}", cpu.model, quota.as_deref().map_or("none", str::trim))
}

/// Describes everything about a device that affects its times in this build: its hardware, its driver, its units.
pub fn fingerprint_of(device: &dyn Device) -> String {
    let info = device.info();
    let hardware = format!("{:?} {}, {} units, {}", info.kind, info.model, info.units, device.fingerprint());
    format!("{hardware}, build {BUILD}, language {VERSION}")
}
