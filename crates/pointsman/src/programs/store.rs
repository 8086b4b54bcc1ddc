//! Entries in a private directory: in go keys and images, out come images that are whole and of the key asked for.
//!
//! An entry is written beside its place and renamed, so readers see all of it or none. Nobody locks: two writers of one
//! key write the same, and the last one stays. What is damaged is removed. Nothing here fails a query.

use super::entry::{self, Refused};
use super::key::{EXTENSION, Key};
use crate::cache_dir;
use pointsman_device::ProgramImage;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What stands behind the dot in the names of entries that are being written.
const UNFINISHED: &str = "program-tmp";

/// Opens a new file for writing; tests put in one that fails.
type Create = fn(&Path) -> io::Result<Box<dyn Write>>;
/// Reads a file; tests put in one that fails.
type Contents = fn(&Path) -> io::Result<Vec<u8>>;

/// A directory of entries.
pub(super) struct Store {
    directory: PathBuf,
    bytes_max: u64,
    pub(super) create: Create,
    pub(super) contents: Contents,
}

/// What reading gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// A whole entry of this key.
    Here(ProgramImage),
    /// There is none, or none that can be read now.
    Absent,
    /// There was one, but damaged or foreign; it is removed.
    Damaged,
}

impl Store {
    /// A directory that belongs to this user alone, made if it is not there; or a sentence that says what is wrong.
    pub(super) fn open(directory: PathBuf, bytes_max: u64) -> Result<Store, String> {
        cache_dir::open_directory(&directory)?;
        Ok(Store { directory, bytes_max, create: create_file, contents })
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The entry of a key. ProgramCounters as a use of it.
    pub(super) fn read(&self, key: &Key) -> Stored {
        let path = self.directory.join(&key.name);
        // Asked before it is opened: opening what is no file may wait for ever.
        let Ok(metadata) = fs::symlink_metadata(&path) else { return Stored::Absent };
        let decoded = if metadata.is_file() && metadata.len() <= self.bytes_max {
            // A disk that fails says nothing about the entry.
            let Ok(bytes) = (self.contents)(&path) else { return Stored::Absent };
            entry::decode(&bytes, &key.text)
        } else {
            Err(Refused::Damaged)
        };
        match decoded {
            Ok(image) => Stored::Here(image),
            Err(Refused::OtherKey) => Stored::Absent,
            Err(Refused::Damaged) => {
                self.remove(key);
                Stored::Damaged
            }
        }
    }

    /// Removes the entry of a key.
    pub(super) fn remove(&self, key: &Key) {
        // One that cannot be removed is refused again the next time.
        let _ = fs::remove_file(self.directory.join(&key.name));
    }

    /// Stores an image, and removes entries that were not used for longest until all fit.
    pub(super) fn write(&self, key: &Key, image: &ProgramImage) -> io::Result<()> {
        let bytes = entry::encode(&key.text, image);
        if bytes.len() as u64 > self.bytes_max {
            let text = format!("{} bytes are more than all entries may take, {}", bytes.len(), self.bytes_max);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        let unfinished = self.directory.join(cache_dir::fresh_name(UNFINISHED));
        // A file that cannot be made is not ours, and stays.
        let mut file = (self.create)(&unfinished)?;
        let written = file.write_all(&bytes).and_then(|()| file.flush());
        // Closed first: not every system renames what is open.
        drop(file);
        let written = written.and_then(|()| fs::rename(&unfinished, self.directory.join(&key.name)));
        if written.is_err() {
            // What was begun is in the way of nobody, but takes room.
            let _ = fs::remove_file(&unfinished);
        }
        written.and_then(|()| self.make_room(&key.name))
    }

    /// Removes what was not used for longest until the rest fits; never the entry of this name. Files that are not ours
    /// stay.
    fn make_room(&self, keep: &str) -> io::Result<()> {
        let mut entries: Vec<(SystemTime, PathBuf, u64)> = Vec::new();
        for file in fs::read_dir(&self.directory)? {
            let path = file?.path();
            let is_ours = path.extension().is_some_and(|one| one == EXTENSION || one == UNFINISHED);
            // One that is gone by now was removed by another process.
            if is_ours && let Ok(metadata) = fs::symlink_metadata(&path) {
                entries.push((metadata.modified()?, path, metadata.len()));
            }
        }
        entries.sort();
        let mut total: u64 = entries.iter().map(|(.., bytes)| bytes).sum();
        for (_, path, bytes) in entries {
            if total <= self.bytes_max {
                break;
            }
            if !path.ends_with(keep) && fs::remove_file(&path).is_ok() {
                total -= bytes;
            }
        }
        Ok(())
    }
}

/// The bytes of a file, which was used now.
fn contents(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // Where that is not allowed, the entry only looks less used than it is.
    let _ = file.set_modified(SystemTime::now());
    Ok(bytes)
}

fn create_file(path: &Path) -> io::Result<Box<dyn Write>> {
    Ok(Box::new(cache_dir::new_file(path)?))
}
