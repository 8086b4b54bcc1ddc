//! [`Store`]: what the selectors of a machine have learned, in a file that processes share.
//!
//! A file holds statistics, never bare winners: measured profiles, and for each kernel, device, input placement and size the
//! median time of the last runs. A save takes a lock, reads the file, replaces the cells that have new runs
//! (`contents.rs`), writes a new file and renames it: readers see all of it or none. A file that is damaged or belongs to
//! another machine is set aside with a warning; a file that another user could have written is not read. Nothing here
//! panics, fails a query, or waits longer than [`LOCK_WAIT_MAX`] for another process.

mod contents;
mod machine;

#[cfg(test)]
mod tests;

use machine::EXTENSION;
pub use machine::{Machine, fingerprint_of};

use super::Selector;
use super::learned::Learned;
use crate::error::{Error, ErrorKind, Result};
use crate::private_dir::{EntryRefusal, PrivateDir};
use crate::programs::StoreOptions;
use crate::resilience::clock::{Clock, SystemClock};
use contents::{Contents, DeviceIds, FileRefusal};
use std::fs::{File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::{Duration, SystemTime};
use twox_hash::XxHash3_128;

/// The most words of a store's kernels: 16 MiB.
const WORDS_MAX: usize = 2 << 20;
/// The most bytes of a file: devices take some beside the kernels.
const BYTES_MAX: u64 = 32 << 20;
/// The number of builds of this library whose stores are kept.
const BUILDS_MAX: usize = 4;
/// The longest wait for another process that saves. A save takes a few milliseconds; a process that holds the lock for
/// longer is stopped or hangs, and the waiting thread may belong to a session that ends.
const LOCK_WAIT_MAX: Duration = Duration::from_millis(250);
/// The time between two tries of the lock.
const LOCK_TRY_INTERVAL: Duration = Duration::from_millis(5);

/// What the selectors of a machine have learned, in a file that processes share.
///
/// ```
/// use pointsman::selector::{Arm, Machine, Profile, Selector, SelectorOptions, Store};
/// use pointsman::DeviceKind;
///
/// # fn main() -> pointsman::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("pointsman-store-example-{}", std::process::id()));
/// let selector = Selector::new(vec![Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 8))], SelectorOptions::default())?;
/// let mut store = Store::open(&directory, Machine::new("some processor, 8 threads", "1.0"))?;
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
    machine: Machine,
    devices: DeviceIds,
    words_max: usize,
    /// Measures waits for the lock.
    clock: Arc<dyn Clock>,
    /// The warning about a refused file.
    refusal_warning: Once,
}

impl Store {
    /// The store of a machine in a directory that belongs to this user alone; the directory is made if it is not there.
    pub fn open(directory: impl Into<PathBuf>, machine: Machine) -> Result<Store> {
        let directory = PrivateDir::open(&directory.into()).map_err(|text| Error::new(ErrorKind::Io, text))?;
        Ok(Store {
            directory,
            machine,
            devices: DeviceIds::new(),
            words_max: WORDS_MAX,
            clock: Arc::new(SystemClock::start()),
            refusal_warning: Once::new(),
        })
    }

    /// Measures waits for other processes by this clock.
    pub(crate) fn with_clock(self, clock: Arc<dyn Clock>) -> Store {
        Store { clock, ..self }
    }

    /// The store of a machine in the directory that the environment names (`POINTSMAN_CACHE_DIR`), or `pointsman` in the
    /// user's cache directory; an error with `POINTSMAN_CACHE=off`.
    pub fn usual(machine: Machine) -> Result<Store> {
        let directory = StoreOptions::default().directory(|name| std::env::var_os(name));
        Store::open(directory.map_err(|text| Error::new(ErrorKind::Io, format!("nothing is stored: {text}")))?, machine)
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join(self.machine.file_name(EXTENSION))
    }

    /// Adds a device of this process, with its fingerprint ([`fingerprint_of`]). What was stored about another device of this
    /// name is not used, and nothing is stored about devices that were not added.
    pub fn add_device(&mut self, name: &str, fingerprint: &str) {
        let id = XxHash3_128::oneshot(format!("{name}\n{fingerprint}").as_bytes());
        self.devices.insert(name.to_string(), id);
    }

    /// Gives a selector what is stored about its devices; returns whether there was anything.
    pub fn restore(&self, selector: &Selector) -> bool {
        // Without a lock, as in a read-only directory, a file is still whole: it is replaced by renaming.
        let _lock = self.lock().ok();
        let learned = self.read().ok().flatten().and_then(|contents| contents.for_devices(&self.devices));
        learned.iter().for_each(|learned| selector.adopt(learned));
        learned.is_some()
    }

    /// Adds to the store what a selector learned since the last time. If that fails, nothing is lost: the next call tries
    /// again. An error if another process holds the lock for longer than a save takes.
    pub fn keep(&self, selector: &Selector) -> Result<()> {
        let learned = selector.take_unsaved();
        self.save(&learned).inspect_err(|_| selector.give_back(&learned))
    }

    fn save(&self, learned: &Learned) -> Result<()> {
        let _lock = self.lock()?;
        let read = self.read().map_err(|error| self.failed("cannot be read", &error))?;
        if read.is_none() {
            self.remove_old_builds();
        }
        let mut contents = read.unwrap_or_default();
        contents.add(learned, &self.devices);
        contents.limit(self.words_max);
        self.write(&contents).map_err(|error| self.failed("cannot be written", &error))
    }

    fn failed(&self, what: &str, error: &io::Error) -> Error {
        Error::new(ErrorKind::Io, format!("what was learned {what} ({}): {error}", self.path().display()))
    }

    /// Takes the lock, which is held until the file is dropped. Waits a short time for another process.
    fn lock(&self) -> Result<File> {
        // One lock for all builds, so that old builds leave none behind.
        let name = format!("{}lock", self.machine.prefix());
        let cannot = |error: io::Error| self.failed("cannot be locked", &error);
        let file = self.directory.open_lock(&name).map_err(|refusal| match refusal {
            EntryRefusal::Absent => cannot(io::ErrorKind::NotFound.into()),
            EntryRefusal::Failed(error) => cannot(error),
            EntryRefusal::Untrusted(why) => cannot(io::Error::new(io::ErrorKind::PermissionDenied, why)),
        })?;
        let until = self.clock.now().saturating_add(LOCK_WAIT_MAX);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(cannot(error)),
                Err(TryLockError::WouldBlock) if self.clock.now() >= until => {
                    let path = self.directory.path().join(&name);
                    let why = format!("another process holds the lock of {}", path.display());
                    return Err(Error::new(ErrorKind::Io, format!("{why}; what this session learned was not written")));
                }
                Err(TryLockError::WouldBlock) => self.clock.sleep(LOCK_TRY_INTERVAL),
            }
        }
    }

    /// The contents of the file; `None` if there is none, or none that can be used, which is set aside.
    fn read(&self) -> io::Result<Option<Contents>> {
        let file = match self.directory.open_file(&self.machine.file_name(EXTENSION)) {
            Ok(file) => file,
            Err(EntryRefusal::Absent) => return Ok(None),
            Err(EntryRefusal::Failed(error)) => return Err(error),
            Err(EntryRefusal::Untrusted(why)) => {
                // The next save replaces it.
                let warn = || tracing::warn!(target: "pointsman", "what was learned is not used: {why}");
                self.refusal_warning.call_once(warn);
                return Ok(None);
            }
        };
        // A file that is cut off here fails its checksum.
        let mut bytes = Vec::new();
        file.take(BYTES_MAX).read_to_end(&mut bytes)?;
        Ok(Contents::decode(&bytes, self.machine.id()).map_err(|refusal| self.set_aside(refusal)).ok())
    }

    fn write(&self, contents: &Contents) -> io::Result<()> {
        // The lock is held, so an unfinished file was left by a process that was killed.
        let unfinished = self.machine.file_name("learned-tmp");
        let _ = self.directory.remove(&unfinished);
        let file = self.directory.create_file(&unfinished)?;
        let bytes = contents.encode(self.machine.id());
        self.directory.fill_and_rename(file, &bytes, &unfinished, &self.machine.file_name(EXTENSION))
    }

    /// Removes the files of builds that were not used for longest.
    fn remove_old_builds(&self) {
        let prefix = self.machine.prefix();
        let is_ours = |name: &String| {
            name.starts_with(&prefix) && Path::new(name).extension().is_some_and(|one| one == EXTENSION)
        };
        let modified = |name: &String| self.directory.open_file(name).ok()?.metadata().ok()?.modified().ok();
        let names = self.directory.names().into_iter().flatten().filter(is_ours);
        let mut files: Vec<(SystemTime, String)> = names.filter_map(|name| Some((modified(&name)?, name))).collect();
        files.sort();
        for (_, name) in files.iter().rev().skip(BUILDS_MAX - 1) {
            // A file that cannot be removed only takes room.
            let _ = self.directory.remove(name);
        }
    }

    /// Renames the file, with a warning.
    fn set_aside(&self, refusal: FileRefusal) {
        let (extension, what) = match refusal {
            FileRefusal::Damaged => ("damaged", "is damaged"),
            FileRefusal::Foreign => ("foreign", "belongs to another machine, build or version"),
        };
        let (path, aside) = (self.path(), self.machine.file_name(extension));
        let end = match self.directory.rename(&self.machine.file_name(EXTENSION), &aside) {
            Ok(()) => format!(": it is now {}, and learning starts anew", self.directory.path().join(aside).display()),
            Err(error) => format!(" and is not used; it cannot be set aside: {error}"),
        };
        tracing::warn!(target: "pointsman", "what was learned in {} {what}{end}", path.display());
    }
}
