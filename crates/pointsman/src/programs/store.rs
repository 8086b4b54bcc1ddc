//! [`Store`]: a private directory of program images. In go keys and images; out come intact images of the requested
//! key.
//!
//! An entry is written to a temporary file and renamed, so readers see all of it or none. There are no locks: two
//! writers of one key write the same bytes, and the last rename wins. Damaged entries are removed. An entry that another
//! user could have written is refused, whatever its checksum says. No error here fails a query.

use super::entry::{self, EntryError};
use super::key::{EXTENSION, Key};
use crate::private_dir::{EntryRefusal, PrivateDir, unique_name};
use pointsman_device::ProgramImage;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::SystemTime;

/// The extension of temporary files: entries that are being written.
const TEMPORARY: &str = "program-tmp";

/// Creates a file for writing; tests inject failing ones.
type Create = fn(&PrivateDir, &str) -> io::Result<Box<dyn Write>>;
/// Reads an open file; tests inject failing reads.
type ReadFile = fn(File) -> io::Result<Vec<u8>>;

/// A directory of entries.
pub(super) struct ProgramStore {
    directory: PrivateDir,
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
    /// Another user could have written the entry; a sentence for the user.
    Refused(String),
}

impl ProgramStore {
    /// Opens a private directory, creating it if necessary. The error is a sentence for the user.
    pub(super) fn open(directory: &Path, bytes_max: u64) -> Result<ProgramStore, String> {
        let directory = PrivateDir::open(directory)?;
        Ok(ProgramStore { directory, bytes_max, create: create_file, read_file })
    }

    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Reads the entry of a key, which counts as a use of it.
    pub(super) fn read(&self, key: &Key) -> Stored {
        let file = match self.directory.open_file(&key.name) {
            Ok(file) => file,
            Err(EntryRefusal::Absent | EntryRefusal::Failed(_)) => return Stored::Absent,
            Err(EntryRefusal::Untrusted(why)) => return Stored::Refused(why),
        };
        let decoded = if file.metadata().is_ok_and(|metadata| metadata.len() <= self.bytes_max) {
            // A failing disk does not mean that the entry is damaged.
            let Ok(bytes) = (self.read_file)(file) else { return Stored::Absent };
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
        let _ = self.directory.remove(&key.name);
    }

    /// Stores an image, then evicts the least recently used entries until all fit into `bytes_max`.
    pub(super) fn write(&self, key: &Key, image: &ProgramImage) -> io::Result<()> {
        let bytes = entry::encode(&key.text, image);
        if bytes.len() as u64 > self.bytes_max {
            let text = format!("{} bytes are more than all entries may take, {}", bytes.len(), self.bytes_max);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        let temporary = unique_name(TEMPORARY);
        // If creation fails, the file may belong to another process and must stay.
        let mut file = (self.create)(&self.directory, &temporary)?;
        let written = file.write_all(&bytes).and_then(|()| file.flush());
        // Closed before the rename: some systems cannot rename an open file.
        drop(file);
        let written = written.and_then(|()| self.directory.rename(&temporary, &key.name));
        if written.is_err() {
            // A partial file does no harm but takes space.
            let _ = self.directory.remove(&temporary);
        }
        written.and_then(|()| self.evict(&key.name))
    }

    /// Removes the least recently used entries until the rest fits into `bytes_max`, but never the entry named `keep`
    /// and no file with another extension.
    fn evict(&self, keep: &str) -> io::Result<()> {
        let mut entries: Vec<(SystemTime, String, u64)> = Vec::new();
        for name in self.directory.names()? {
            let is_ours = Path::new(&name).extension().is_some_and(|own| own == EXTENSION || own == TEMPORARY);
            // A missing file was removed by another process meanwhile; one that is refused is not ours to remove.
            if is_ours && let Ok(metadata) = self.directory.open_file(&name).map(|file| file.metadata()) {
                let metadata = metadata?;
                entries.push((metadata.modified()?, name, metadata.len()));
            }
        }
        entries.sort();
        let mut total: u64 = entries.iter().map(|(.., bytes)| bytes).sum();
        for (_, name, bytes) in entries {
            if total <= self.bytes_max {
                break;
            }
            if name != keep && self.directory.remove(&name).is_ok() {
                total -= bytes;
            }
        }
        Ok(())
    }
}

/// Reads a file and sets its modification time, by which eviction finds the least recently used entries.
fn read_file(mut file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // If the system refuses, the entry is evicted earlier than it should be, which does no harm.
    let _ = file.set_modified(SystemTime::now());
    Ok(bytes)
}

fn create_file(directory: &PrivateDir, name: &str) -> io::Result<Box<dyn Write>> {
    Ok(Box::new(directory.create_file(name)?))
}
