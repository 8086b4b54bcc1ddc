//! [`Store`]: what a machine's selectors learned, in a file that they share, for the next process.
//!
//! A file holds statistics, never bare winners: profiles that were measured, and for each kernel, device and size the
//! samples' number, mean and variance. Who was chosen is beside them, and counts only between two that are close. Who
//! saves takes a lock, reads the file, adds what is new of its own (`merge.rs`), writes beside it and renames: readers
//! see all of it or none, and nobody's samples are lost. A file that is damaged or of another machine is set aside and
//! told once; one that another user could have written is not read. Nothing here panics, fails a query, or waits longer
//! than [`LOCK_WAIT_MAX`] for another process.

mod file;
mod machine;
mod merge;
mod spot;

#[cfg(test)]
mod tests;

pub(crate) use file::basis;
pub use machine::{Machine, fingerprint_of};
pub(crate) use spot::{SPOT_RATIO_MAX, spot_ratio};
pub use spot::{SpotPoint, SpotQuantity, spot_check};

use super::Selector;
use super::learned::Learned;
use crate::error::{Error, ErrorKind, Result};
use crate::private_dir::{EntryRefusal, PrivateDir};
use crate::programs::StoreOptions;
use crate::resilience::clock::{Clock, SystemClock};
use file::{Contents, Refused};
use merge::{Devices, Seen};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// The most bytes of a store.
const BYTES_MAX: usize = 16 << 20;
/// Of so many builds of this library a machine's stores are kept.
const BUILDS_MAX: usize = 4;
/// The longest wait for another process that saves. It takes a few milliseconds; one that holds the lock for longer is
/// stopped or hangs, and whoever waits may be a session that ends.
const LOCK_WAIT_MAX: Duration = Duration::from_millis(250);
/// How often the lock is tried meanwhile.
const LOCK_TRY_INTERVAL: Duration = Duration::from_millis(5);

/// What was learned on a machine, in a file that processes share.
///
/// ```
/// use pointsman::selector::{Arm, Machine, Profile, Selector, SelectorOptions, Store};
/// use pointsman::DeviceKind;
///
/// # fn main() -> pointsman::Result<()> {
/// # let directory = std::env::temp_dir().join(format!("pointsman-store-example-{}", std::process::id()));
/// let selector = Selector::new(vec![Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 8))], SelectorOptions::default())?;
/// let mut store = Store::open(&directory, Machine::new("some processor, 8 threads", "1.0"))?;
/// store.know_device("cpu", "some processor");
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
    devices: Devices,
    seen: Seen,
    bytes_max: usize,
    /// Measures waits for the lock.
    clock: Arc<dyn Clock>,
    /// Whether a refused file was told.
    has_refused: AtomicBool,
}

impl Store {
    /// The store of a machine in a directory that belongs to this user alone; the directory is made if it is not there.
    pub fn open(directory: impl Into<PathBuf>, machine: Machine) -> Result<Store> {
        let directory = PrivateDir::open(&directory.into()).map_err(|text| Error::new(ErrorKind::Io, text))?;
        let (devices, seen, clock) = (Devices::new(), Seen::new(), Arc::new(SystemClock::start()));
        Ok(Store {
            directory,
            machine,
            devices,
            seen,
            bytes_max: BYTES_MAX,
            clock,
            has_refused: AtomicBool::new(false),
        })
    }

    /// Measures waits for other processes by this clock.
    pub(crate) fn with_clock(self, clock: Arc<dyn Clock>) -> Store {
        Store { clock, ..self }
    }

    /// The same in the directory that the environment names (`POINTSMAN_CACHE_DIR`), or else `pointsman` in the user's
    /// cache directory; an error with `POINTSMAN_CACHE=off`.
    pub fn usual(machine: Machine) -> Result<Store> {
        let directory = StoreOptions::default().directory(|name| std::env::var_os(name));
        Store::open(directory.map_err(|text| Error::new(ErrorKind::Io, format!("nothing is stored: {text}")))?, machine)
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join(self.machine.file_name())
    }

    /// Tells what a device is ([`fingerprint_of`]). What was learned of one that was another by this name is not used, and
    /// of devices that nobody told nothing is stored.
    pub fn know_device(&mut self, name: &str, fingerprint: &str) {
        self.devices.insert(name.to_string(), fingerprint.to_string());
    }

    /// Has a selector take over what is stored; whether there was anything.
    pub fn restore(&mut self, selector: &Selector) -> bool {
        let found = self.load(&selector.learned());
        found.iter().for_each(|learned| selector.adopt(learned));
        found.is_some()
    }

    /// Stores what a selector learned since the last time, and has it take over what others did. If that fails, nothing is
    /// lost: it counts as new again.
    pub fn keep(&mut self, selector: &Selector) -> Result<()> {
        let fresh = selector.take_fresh();
        match self.save(&fresh) {
            Ok(merged) => {
                selector.adopt(&merged);
                Ok(())
            }
            Err(error) => {
                selector.give_back(&fresh);
                Err(error)
            }
        }
    }

    /// What is stored of the devices here, to be adopted; `None` if there is nothing. Cells that belong to a guessed profile
    /// are of use only if `here` has the same guess.
    pub fn load(&mut self, here: &Learned) -> Option<Learned> {
        // Where nothing can be locked, as in a directory that may only be read, a file is still all or none.
        let _lock = self.lock().ok();
        let contents = self.read().ok()??;
        self.seen = contents.seen(&self.devices);
        Some(contents.for_use(here, &self.devices))
    }

    /// Adds the new samples (`fresh`) to those stored; all of them together. An error if another process holds the lock
    /// for longer than a save takes.
    pub fn save(&mut self, learned: &Learned) -> Result<Learned> {
        let lock = self.lock()?;
        let read = self.read().map_err(|error| self.failed("cannot be read", &error))?;
        if read.is_none() {
            self.forget_old_builds();
        }
        let mut contents = read.unwrap_or_default();
        contents.add(learned, &self.devices, &self.seen);
        contents.limit(self.bytes_max);
        self.write(&contents).map_err(|error| self.failed("cannot be written", &error))?;
        drop(lock);
        self.seen = contents.seen(&self.devices);
        Ok(contents.for_use(learned, &self.devices))
    }

    fn failed(&self, what: &str, error: &io::Error) -> Error {
        Error::new(ErrorKind::Io, format!("what was learned {what} ({}): {error}", self.path().display()))
    }

    /// Waits a short time until no other process saves; others wait until the file is dropped.
    fn lock(&self) -> Result<File> {
        // One for all builds, so that none is left behind by those that are gone.
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
                    let text = format!(
                        "another process holds the lock of {}; what this session learned was not written",
                        path.display()
                    );
                    return Err(Error::new(ErrorKind::Io, text));
                }
                Err(TryLockError::WouldBlock) => self.clock.sleep(LOCK_TRY_INTERVAL),
            }
        }
    }

    /// What is in the file; `None` if there is none, or none of use, which is set aside then.
    fn read(&self) -> io::Result<Option<Contents>> {
        let mut file = match self.directory.open_file(&self.machine.file_name()) {
            Ok(file) => file,
            Err(EntryRefusal::Absent) => return Ok(None),
            Err(EntryRefusal::Failed(error)) => return Err(error),
            Err(EntryRefusal::Untrusted(why)) => {
                // The next save replaces it.
                if !self.has_refused.swap(true, Ordering::Relaxed) {
                    tracing::warn!(target: "pointsman", "what was learned is not used: {why}");
                }
                return Ok(None);
            }
        };
        // What does not belong to any kernel takes some bytes too.
        let decoded = if file.metadata()?.len() <= 2 * BYTES_MAX as u64 {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            file::decode(&bytes, &self.machine.text())
        } else {
            Err(Refused::Damaged)
        };
        Ok(decoded.map_err(|refused| self.set_aside(refused)).ok())
    }

    fn write(&self, contents: &Contents) -> io::Result<()> {
        let (name, bytes) = (self.machine.file_name(), file::encode(&self.machine.text(), contents));
        // Who holds the lock writes it alone; one that is there was left by a process that was killed.
        let unfinished = self.name_with("learned-tmp");
        let _ = self.directory.remove(&unfinished);
        let mut file = self.directory.create_file(&unfinished)?;
        let written = file.write_all(&bytes);
        // Closed first: not every system renames what is open.
        drop(file);
        let written = written.and_then(|()| self.directory.rename(&unfinished, &name));
        if written.is_err() {
            let _ = self.directory.remove(&unfinished);
        }
        written
    }

    /// The name of the file with another extension.
    fn name_with(&self, extension: &str) -> String {
        let name = self.machine.file_name();
        let stem = name.strip_suffix(machine::EXTENSION).unwrap_or(&name);
        format!("{stem}{extension}")
    }

    /// Before a file is made: removes those of builds that were not used for longest.
    fn forget_old_builds(&self) {
        let prefix = self.machine.prefix();
        let is_ours = |name: &String| {
            name.starts_with(&prefix) && Path::new(name).extension().is_some_and(|one| one == machine::EXTENSION)
        };
        let modified = |name: &String| self.directory.open_file(name).ok()?.metadata().ok()?.modified().ok();
        let names = self.directory.names().into_iter().flatten().filter(is_ours);
        let mut files: Vec<(SystemTime, String)> = names.filter_map(|name| Some((modified(&name)?, name))).collect();
        files.sort();
        for (_, name) in files.iter().rev().skip(BUILDS_MAX - 1) {
            // One that cannot be removed takes room, no more.
            let _ = self.directory.remove(name);
        }
    }

    /// Puts the file out of the way, and says so once.
    fn set_aside(&self, refused: Refused) {
        let (extension, what) = match refused {
            Refused::Damaged => ("damaged", "is damaged"),
            Refused::Foreign => ("foreign", "belongs to another machine, build or version"),
        };
        let aside = self.name_with(extension);
        let (shown, aside_shown) = (self.path(), self.directory.path().join(&aside));
        let (shown, aside_shown) = (shown.display(), aside_shown.display());
        match self.directory.rename(&self.machine.file_name(), &aside) {
            Ok(()) => {
                tracing::warn!(target: "pointsman", "what was learned in {shown} {what}: it is now {aside_shown}, and learning starts anew");
            }
            Err(error) => {
                tracing::warn!(target: "pointsman", "what was learned in {shown} {what} and is not used; it cannot be set aside: {error}");
            }
        }
    }
}
