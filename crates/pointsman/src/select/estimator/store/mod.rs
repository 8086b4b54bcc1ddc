//! [`Store`]: what a machine's selectors learned, in a file that they share, for the next process.
//!
//! A file holds statistics, never bare winners: profiles that were measured, and for each kernel, device and size the
//! samples' number, mean and variance. Who was chosen is beside them, and counts only between two that are close. Who saves takes a lock, reads the file, adds what is new of its own (`merge.rs`),
//! writes beside it and renames: readers see all of it or none, and nobody's samples are lost. A file that is damaged or
//! of another machine is set aside and told once; nothing here panics or fails a query.

mod file;
mod machine;
mod merge;
mod spot;

#[cfg(test)]
mod tests;

pub(crate) use file::basis;
pub use machine::{Machine, fingerprint_of};
pub(crate) use spot::is_still_true;
pub use spot::{SpotPoint, SpotQuantity, spot_check};

use super::Selector;
use super::learned::Learned;
use crate::cache_dir;
use crate::error::{Error, ErrorKind, Result};
use crate::programs::StoreOptions;
use file::{Contents, Refused};
use merge::{Devices, Seen};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most bytes of a store.
const BYTES_MAX: usize = 16 << 20;
/// Of so many builds of this library a machine's stores are kept.
const BUILDS_MAX: usize = 4;

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
    directory: PathBuf,
    machine: Machine,
    devices: Devices,
    seen: Seen,
    bytes_max: usize,
}

impl Store {
    /// The store of a machine in a directory that belongs to this user alone; the directory is made if it is not there.
    pub fn open(directory: impl Into<PathBuf>, machine: Machine) -> Result<Store> {
        let directory = directory.into();
        cache_dir::create_private_dir(&directory).map_err(|text| Error::new(ErrorKind::Io, text))?;
        let (devices, seen) = (Devices::new(), Seen::new());
        Ok(Store { directory, machine, devices, seen, bytes_max: BYTES_MAX })
    }

    /// The same in the directory that the environment names (`POINTSMAN_CACHE_DIR`), or else `pointsman` in the user's
    /// cache directory; an error with `POINTSMAN_CACHE=off`.
    pub fn usual(machine: Machine) -> Result<Store> {
        let directory = StoreOptions::default().directory(|name| std::env::var_os(name));
        Store::open(directory.map_err(|text| Error::new(ErrorKind::Io, format!("nothing is stored: {text}")))?, machine)
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(self.machine.file_name())
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

    /// Adds the new samples (`fresh`) to those stored; all of them together.
    pub fn save(&mut self, learned: &Learned) -> Result<Learned> {
        let lock = self.lock().map_err(|error| self.failed("cannot be locked", &error))?;
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

    /// Waits until no other process saves; others wait until the file is dropped.
    fn lock(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // One for all builds, so that none is left behind by those that are gone.
        let file = options.open(self.directory.join(format!("{}lock", self.machine.prefix())))?;
        file.lock()?;
        Ok(file)
    }

    /// What is in the file; `None` if there is none, or none of use, which is set aside then.
    fn read(&self) -> io::Result<Option<Contents>> {
        let path = self.path();
        // Asked before it is opened: opening what is no file may wait for ever.
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        // What does not belong to any kernel takes some bytes too.
        let decoded = if metadata.is_file() && metadata.len() <= 2 * BYTES_MAX as u64 {
            file::decode(&fs::read(&path)?, &self.machine.text())
        } else {
            Err(Refused::Damaged)
        };
        Ok(decoded.map_err(|refused| set_aside(&path, refused)).ok())
    }

    fn write(&self, contents: &Contents) -> io::Result<()> {
        let (path, bytes) = (self.path(), file::encode(&self.machine.text(), contents));
        // Who holds the lock writes it alone; one that is there was left by a process that was killed.
        let unfinished = path.with_extension("learned-tmp");
        let _ = fs::remove_file(&unfinished);
        let mut file = cache_dir::create_private_file(&unfinished)?;
        let written = file.write_all(&bytes);
        // Closed first: not every system renames what is open.
        drop(file);
        let written = written.and_then(|()| fs::rename(&unfinished, &path));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    /// Before a file is made: removes those of builds that were not used for longest.
    fn forget_old_builds(&self) {
        let prefix = self.machine.prefix();
        let is_ours = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(&prefix) && path.extension().is_some_and(|one| one == machine::EXTENSION)
        };
        let files = fs::read_dir(&self.directory).into_iter().flatten().flatten().map(|file| file.path());
        let modified = |path: &PathBuf| fs::metadata(path).and_then(|metadata| metadata.modified());
        let mut files: Vec<(SystemTime, PathBuf)> =
            files.filter(is_ours).filter_map(|path| Some((modified(&path).ok()?, path))).collect();
        files.sort();
        for (_, path) in files.iter().rev().skip(BUILDS_MAX - 1) {
            // One that cannot be removed takes room, no more.
            let _ = fs::remove_file(path);
        }
    }
}

/// Puts a file out of the way, and says so once.
fn set_aside(path: &Path, refused: Refused) {
    let (extension, what) = match refused {
        Refused::Damaged => ("damaged", "is damaged"),
        Refused::Foreign => ("foreign", "belongs to another machine, build or version"),
    };
    let aside = path.with_extension(extension);
    let (shown, aside_shown) = (path.display(), aside.display());
    match fs::rename(path, &aside) {
        Ok(()) => {
            tracing::warn!(target: "pointsman", "what was learned in {shown} {what}: it is now {aside_shown}, and learning starts anew");
        }
        Err(error) => {
            tracing::warn!(target: "pointsman", "what was learned in {shown} {what} and is not used; it cannot be set aside: {error}");
        }
    }
}
