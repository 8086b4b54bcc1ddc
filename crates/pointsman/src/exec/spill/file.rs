//! [`SpillFile`]: bytes on the disk, written one behind the other and read anywhere, gone when they are dropped.

use super::SpillOptions;
use super::fault::Spilled;
use crate::cache_dir;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What stands behind the dot in the names of these files.
const EXTENSION: &str = "spill";

/// What holds the bytes.
pub(crate) trait Medium: Read + Write + Seek + Send {}

impl<T: Read + Write + Seek + Send> Medium for T {}

/// Makes a new file.
pub(crate) type Create = fn(&Path) -> io::Result<Box<dyn Medium>>;

/// A new file that its owner alone reads, locked while it is open.
pub(super) fn create(path: &Path) -> io::Result<Box<dyn Medium>> {
    let file = cache_dir::create_private_file(path)?;
    // Where there are no locks, nobody can take one either, and files that are left stay.
    let _ = file.lock();
    Ok(Box::new(file))
}

/// A file of spilled columns.
pub(super) struct SpillFile {
    medium: Box<dyn Medium>,
    path: PathBuf,
    /// How many bytes were written.
    bytes: u64,
    bytes_max: u64,
    /// Those of all the session's files.
    used: Arc<AtomicU64>,
}

impl SpillFile {
    /// An empty file in a directory.
    pub(super) fn open(directory: &Path, options: &SpillOptions, used: &Arc<AtomicU64>) -> Result<SpillFile, Spilled> {
        let path = directory.join(cache_dir::unique_name(EXTENSION));
        let medium = (options.create)(&path).map_err(|error| Spilled::making(&path, &error))?;
        // Whoever has it open keeps it, and nobody else needs it: so nothing is left of a process that is killed. Where
        // the system keeps the name, it is removed when the file is dropped.
        let _ = fs::remove_file(&path);
        Ok(SpillFile { medium, path, bytes: 0, bytes_max: options.bytes_max, used: used.clone() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// How many bytes were written.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes behind all that was written.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Spilled> {
        let more = bytes.len() as u64;
        let used = self.used.fetch_add(more, Ordering::Relaxed);
        // Counted first, so that what was begun is given back by whoever drops the file.
        let behind = self.bytes;
        self.bytes += more;
        if used.saturating_add(more) > self.bytes_max {
            return Err(Spilled::beyond(self.bytes_max, used, bytes.len()));
        }
        let written = self.medium.write_all(bytes);
        written.map_err(|error| Spilled::writing(&self.path, bytes.len(), behind, &error))
    }

    /// Reads from there on.
    pub(super) fn read(&mut self, from: u64, bytes: &mut [u8]) -> Result<(), Spilled> {
        let sought = self.medium.seek(SeekFrom::Start(from));
        let read = sought.and_then(|_| self.medium.read_exact(bytes));
        read.map_err(|error| Spilled::reading(&self.path, bytes.len(), from, &error))
    }
}

impl Drop for SpillFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        self.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Whether a directory has files of spilled columns.
pub(super) fn has_any(directory: &Path) -> bool {
    files(directory).next().is_some()
}

/// Removes files that nobody holds: their process was killed.
pub(super) fn sweep(directory: &Path) {
    for path in files(directory) {
        // Opening what is no file may wait for ever.
        let is_file = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
        if is_file && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            // One that cannot be removed is tried again by the next session.
            let _ = fs::remove_file(&path);
        }
    }
}

/// Files whose names we make: others' files may lie beside them.
fn files(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| cache_dir::is_unique_name(&entry.file_name().to_string_lossy(), EXTENSION));
    ours.map(|entry| entry.path())
}
