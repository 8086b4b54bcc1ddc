//! [`Store`]: a private directory of program images. In go keys and images; out come intact images of the requested
//! key.
//!
//! An entry is written to a temporary file and renamed, so readers see all of it or none. There are no locks: two
//! writers of one key write the same bytes, and the last rename wins. Damaged entries are removed. No error here fails
//! a query.

use super::entry::{self, EntryError};
use super::key::{EXTENSION, Key};
use crate::cache_dir;
use pointsman_device::ProgramImage;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The extension of temporary files: entries that are being written.
const TEMPORARY: &str = "program-tmp";

/// Creates a file for writing; tests inject failing ones.
type Create = fn(&Path) -> io::Result<Box<dyn Write>>;
/// Reads a file; tests inject failing reads.
type ReadFile = fn(&Path) -> io::Result<Vec<u8>>;

/// A directory of entries.
pub(super) struct ProgramStore {
    directory: PathBuf,
    bytes_max: u64,
    pub(super) create: Create,
    pub(super) read_file: ReadFile,
}

/// The result of reading an entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// The store has an intact entry of this key.
    Found(ProgramImage),
    /// The store has no entry, or cannot read it now.
    Absent,
    /// The entry was damaged and has been removed.
    Damaged,
}

impl ProgramStore {
    /// Opens a private directory, creating it if necessary. The error is a sentence for the user.
    pub(super) fn open(directory: PathBuf, bytes_max: u64) -> Result<ProgramStore, String> {
        cache_dir::create_private_dir(&directory)?;
        Ok(ProgramStore { directory, bytes_max, create: create_file, read_file })
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Reads the entry of a key, which counts as a use of it.
    pub(super) fn read(&self, key: &Key) -> Stored {
        let path = self.directory.join(&key.name);
        // Checked before opening: opening a special file, such as a pipe, may block forever.
        let Ok(metadata) = fs::symlink_metadata(&path) else { return Stored::Absent };
        let decoded = if metadata.is_file() && metadata.len() <= self.bytes_max {
            // A failing disk does not mean that the entry is damaged.
            let Ok(bytes) = (self.read_file)(&path) else { return Stored::Absent };
            entry::decode(&bytes, &key.text)
        } else {
            Err(EntryError::Damaged)
        };
        match decoded {
            Ok(image) => Stored::Found(image),
            Err(EntryError::OtherKey) => Stored::Absent,
            Err(EntryError::Damaged) => {
                self.remove(key);
                Stored::Damaged
            }
        }
    }

    /// Removes the entry of a key.
    pub(super) fn remove(&self, key: &Key) {
        // An entry that cannot be removed is refused again the next time.
        let _ = fs::remove_file(self.directory.join(&key.name));
    }

    /// Stores an image, then evicts the least recently used entries until all fit into `bytes_max`.
    pub(super) fn write(&self, key: &Key, image: &ProgramImage) -> io::Result<()> {
        let bytes = entry::encode(&key.text, image);
        if bytes.len() as u64 > self.bytes_max {
            let text = format!("{} bytes are more than all entries may take, {}", bytes.len(), self.bytes_max);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        let temporary = self.directory.join(cache_dir::unique_name(TEMPORARY));
        // If creation fails, the file may belong to another process and must stay.
        let mut file = (self.create)(&temporary)?;
        let written = file.write_all(&bytes).and_then(|()| file.flush());
        // Closed before the rename: some systems cannot rename an open file.
        drop(file);
        let written = written.and_then(|()| fs::rename(&temporary, self.directory.join(&key.name)));
        if written.is_err() {
            // A partial file does no harm but takes space.
            let _ = fs::remove_file(&temporary);
        }
        written.and_then(|()| self.evict(&key.name))
    }

    /// Removes the least recently used entries until the rest fits into `bytes_max`, but never the entry named `keep`
    /// and no file with another extension.
    fn evict(&self, keep: &str) -> io::Result<()> {
        let mut entries: Vec<(SystemTime, PathBuf, u64)> = Vec::new();
        for file in fs::read_dir(&self.directory)? {
            let path = file?.path();
            let is_ours = path.extension().is_some_and(|own| own == EXTENSION || own == TEMPORARY);
            // A missing file was removed by another process meanwhile.
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

/// Reads a file and sets its modification time, by which eviction finds the least recently used entries.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // If the system refuses, the entry is evicted earlier than it should be, which does no harm.
    let _ = file.set_modified(SystemTime::now());
    Ok(bytes)
}

fn create_file(path: &Path) -> io::Result<Box<dyn Write>> {
    Ok(Box::new(cache_dir::create_private_file(path)?))
}
