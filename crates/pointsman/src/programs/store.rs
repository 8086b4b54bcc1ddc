//! [`ProgramStore`] keeps program images in a private directory. A read returns an intact image of the requested key,
//! or none.
//!
//! An entry is written to a temporary file and renamed, so readers see all of it or none. There are no locks: two
//! writers of one key write the same bytes, and the last rename wins. Damaged entries are removed. An entry that
//! another user could have written is refused, whatever its checksum says. A query never fails because of an error
//! here.

use super::entry;
use crate::private_dir::{EntryRefusal, PrivateDir, unique_name};
use pointsman_device::{BUILD, Device, ProgramImage};
use pointsman_ir::VERSION;
use pointsman_ir::kernel::Kernel;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::SystemTime;
use twox_hash::XxHash3_128;

/// The extension of entry files.
const EXTENSION: &str = "program";
/// The extension of temporary files: entries that are being written.
const TEMPORARY: &str = "program-tmp";

/// The key of a stored program: everything that its image depends on.
pub(super) struct Key {
    /// The whole key. Each entry contains it, so that a hash collision of two file names never loads a wrong program.
    pub(super) text: String,
    /// The file name of the entry: a hash of `text`.
    pub(super) name: String,
}

impl Key {
    pub(super) fn new(kernel: &Kernel, device: &dyn Device) -> Key {
        let (info, target, kernel) = (device.info(), device.fingerprint(), kernel.print());
        Key::from_text(format!(
            "build {BUILD}, language {VERSION}\ndevice {:?} {:?}\ntarget {target:?}\n{kernel}",
            info.kind, info.model
        ))
    }

    pub(super) fn from_text(text: String) -> Key {
        let name = format!("{:032x}.{EXTENSION}", XxHash3_128::oneshot(text.as_bytes()));
        Key { text, name }
    }
}

/// Creates a file for writing; tests replace it with one that fails.
type Create = fn(&PrivateDir, &str) -> io::Result<Box<dyn Write>>;
/// Reads an open file; tests replace it with one that fails.
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
    /// There is no entry of this key, or it cannot be read now.
    Absent,
    /// The entry is damaged or has another format.
    Damaged,
    /// Another user could have written the entry. Holds the message to show.
    Refused(String),
}

impl ProgramStore {
    /// Opens a private directory, creating it if necessary. The error is a message to show.
    pub(super) fn open(directory: &Path, bytes_max: u64) -> Result<ProgramStore, String> {
        let directory = PrivateDir::open(directory)?;
        Ok(ProgramStore { directory, bytes_max, create: create_file, read_file })
    }

    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Whether there is an entry of a key, which may still turn out to be damaged.
    pub(super) fn has(&self, key: &Key) -> bool {
        self.directory.open_file(&key.name).is_ok()
    }

    /// Reads the entry of a key, and marks it as recently used. Removes an entry that is damaged or too large.
    pub(super) fn read(&self, key: &Key) -> Stored {
        let file = match self.directory.open_file(&key.name) {
            Ok(file) => file,
            Err(EntryRefusal::Absent | EntryRefusal::Failed(_)) => return Stored::Absent,
            Err(EntryRefusal::Untrusted(why)) => return Stored::Refused(why),
        };
        // A failing disk does not mean that the entry is damaged.
        let Ok(metadata) = file.metadata() else { return Stored::Absent };
        let stored = if metadata.len() <= self.bytes_max {
            let Ok(bytes) = (self.read_file)(file) else { return Stored::Absent };
            entry::decode(&bytes, &key.text)
        } else {
            Stored::Damaged
        };
        if stored == Stored::Damaged {
            self.remove(key);
        }
        stored
    }

    /// Removes the entry of a key.
    pub(super) fn remove(&self, key: &Key) {
        // An entry that cannot be removed is rejected again at the next read.
        let _ = self.directory.remove(&key.name);
    }

    /// Stores an image, then evicts the least recently used entries until all fit into `bytes_max`.
    pub(super) fn write(&self, key: &Key, image: &ProgramImage) -> io::Result<()> {
        let bytes = entry::encode(&key.text, image);
        if bytes.len() as u64 > self.bytes_max {
            let text = format!("the entry has {} bytes, but the store may hold only {}", bytes.len(), self.bytes_max);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        let temporary = unique_name(TEMPORARY);
        // If creation fails, a file of this name may belong to another process: it stays.
        let file = (self.create)(&self.directory, &temporary)?;
        self.directory.fill_and_rename(file, &bytes, &temporary, &key.name)?;
        self.evict(&key.name);
        Ok(())
    }

    /// Removes the least recently used entries until all fit into `bytes_max`. Never removes the entry `keep`, a file
    /// that is neither an entry nor a temporary file, or one that cannot be read.
    fn evict(&self, keep: &str) {
        let is_ours = |name: &String| {
            Path::new(name).extension().is_some_and(|extension| extension == EXTENSION || extension == TEMPORARY)
        };
        // Leaves out files that another process has removed, and files that another user could have written.
        let entry = |name: String| {
            let metadata = self.directory.open_file(&name).ok()?.metadata().ok()?;
            Some((metadata.modified().ok()?, name, metadata.len()))
        };
        let names = self.directory.names();
        let names = names.inspect_err(|error| {
            tracing::warn!(target: "pointsman", "stored programs cannot be listed, so none is removed: {error}");
        });
        let names = names.into_iter().flatten();
        let mut entries: Vec<(SystemTime, String, u64)> = names.filter(is_ours).filter_map(entry).collect();
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
    }
}

/// Reads a file and updates its modification time, which orders eviction.
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
