//! [`SpillFile`]: a file that is written sequentially, read at any offset, and removed when it is dropped.

use super::SpillOptions;
use super::fault;
use crate::error::{Error, Result};
use crate::private_dir::{PrivateDir, is_unique_name, unique_name};
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The extension of spill files.
const EXTENSION: &str = "spill";

/// A file, or its replacement in tests.
pub(crate) trait Medium: Read + Write + Seek + Send {}

impl<T: Read + Write + Seek + Send> Medium for T {}

/// Creates a file in a directory.
pub(crate) type Create = fn(&Arc<PrivateDir>, &str) -> io::Result<Box<dyn Medium>>;

/// Creates a file that only its owner can access, locked while it is open.
pub(super) fn create(directory: &Arc<PrivateDir>, name: &str) -> io::Result<Box<dyn Medium>> {
    let file = directory.create_file(name)?;
    // On a file system without locks `remove_orphans` gets no lock either, and orphaned files stay.
    let _ = file.lock();
    Ok(Box::new(file))
}

/// A file of spilled columns.
pub(super) struct SpillFile {
    medium: Box<dyn Medium>,
    directory: Arc<PrivateDir>,
    name: String,
    /// The number of written bytes.
    pub(super) bytes: u64,
    bytes_max: u64,
    /// The bytes of all files of the session.
    used: Arc<AtomicU64>,
}

impl SpillFile {
    /// Creates an empty file in a directory.
    pub(super) fn open(
        directory: &Arc<PrivateDir>,
        options: &SpillOptions,
        used: &Arc<AtomicU64>,
    ) -> Result<SpillFile> {
        let name = unique_name(EXTENSION);
        let medium = (options.create)(directory, &name).map_err(|error| {
            let path = directory.path().join(&name);
            fault::disk(&format!("a file for spilled columns, {}, could not be created", path.display()), &error)
        })?;
        // The open handle keeps the content, so a killed process leaves nothing. On systems that keep the name of an
        // open file, it is removed when the file is dropped.
        let _ = directory.remove(&name);
        let (directory, bytes_max, used) = (directory.clone(), options.bytes_max, used.clone());
        Ok(SpillFile { medium, directory, name, bytes: 0, bytes_max, used })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.directory.path().join(&self.name)
    }

    /// Appends bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let more = bytes.len() as u64;
        let used = self.used.fetch_add(more, Ordering::Relaxed);
        // Counted before the write, so that dropping the file also subtracts the bytes of a failed write.
        let offset = self.bytes;
        self.bytes += more;
        if used.saturating_add(more) > self.bytes_max {
            return Err(fault::limit(self.bytes_max, used, bytes.len()));
        }
        let written = self.medium.write_all(bytes);
        written.map_err(|error| self.fault("written to", bytes.len(), offset, &error))
    }

    /// Fills `bytes` from this offset on.
    pub(super) fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let sought = self.medium.seek(SeekFrom::Start(offset));
        let read = sought.and_then(|_| self.medium.read_exact(bytes));
        read.map_err(|error| self.fault("read from", bytes.len(), offset, &error))
    }

    /// The error of bytes that could not be written or read.
    fn fault(&self, done: &str, bytes: usize, offset: u64, error: &io::Error) -> Error {
        let path = self.path();
        let what =
            format!("{bytes} bytes of spilled columns, at offset {offset}, could not be {done} {}", path.display());
        fault::disk(&what, error)
    }
}

impl Drop for SpillFile {
    fn drop(&mut self) {
        let _ = self.directory.remove(&self.name);
        self.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Whether a directory contains spill files. It may belong to another user: nothing in it is opened.
pub(super) fn has_any(directory: &Path) -> bool {
    let mut entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.any(|entry| is_unique_name(&entry.file_name().to_string_lossy(), EXTENSION))
}

/// Removes spill files that no process has locked: their process was killed.
pub(super) fn remove_orphans(directory: &PrivateDir) {
    for name in directory.names().into_iter().flatten().filter(|name| is_unique_name(name, EXTENSION)) {
        if directory.open_file(&name).is_ok_and(|file| file.try_lock().is_ok()) {
            // The next session tries again to remove a file that cannot be removed now.
            let _ = directory.remove(&name);
        }
    }
}
