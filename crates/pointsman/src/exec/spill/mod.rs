//! Spilling: columns that do not fit into host memory are written to disk in blocks with checksums, and read back. A
//! failure is an error that names the cause, the bytes, the file and a remedy; a changed byte is never returned.
//! Nothing is left on disk after a query, whether it succeeds, fails or is killed.
//!
//! A spilled table is one file in a private directory. The file is unlinked as soon as it is open, so a killed process
//! leaves nothing; on systems that keep the name until the file is closed, a lock marks the file as in use, and the
//! next session removes unlocked files. All blocks but the last have the same number of rows, a multiple of a leaf, so
//! that batches of whole leaves are whole blocks.
//!
//! | file | contains |
//! | --- | --- |
//! | `table` | writing and reading a table block by block |
//! | `file` | a spill file, and the removal of orphaned ones |
//! | `fault` | disk errors and their remedies |

mod fault;
mod file;
mod table;

#[cfg(test)]
mod tests;

pub(crate) use file::Create;
pub(crate) use table::{BlockLayout, SpillWriter, SpilledBlock, SpilledTable};

use crate::error::Result as OrError;
use crate::private_dir::{PrivateDir, user_cache_dir};
use file::SpillFile;
use pointsman_device::environment::SPILL_DIR;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The default limit of spilled bytes per session.
pub(crate) const SPILL_BYTES_MAX: u64 = 32 << 30;

/// The session's settings for spilling.
#[derive(Clone, Debug)]
pub(crate) struct SpillOptions {
    /// The directory; `None` takes it from the environment.
    pub(crate) directory: Option<PathBuf>,
    /// The maximum number of bytes on disk at once; 0 turns spilling off.
    pub(crate) bytes_max: u64,
    /// Creates files; tests inject failing ones.
    pub(crate) create: file::Create,
}

impl Default for SpillOptions {
    fn default() -> SpillOptions {
        SpillOptions { directory: None, bytes_max: SPILL_BYTES_MAX, create: file::create }
    }
}

impl SpillOptions {
    /// Returns the directory, or a sentence that says why there is none. `variable` reads the environment.
    fn directory(&self, variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, String> {
        if self.bytes_max == 0 {
            return Err("the session's `SessionOptions::spill_bytes` is 0".to_string());
        }
        let named = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let directory = self.directory.clone().or_else(|| SPILL_DIR.path(&variable));
        // Not the system's directory for temporary files, which is often in memory, and memory is scarce.
        let default = || user_cache_dir(&named).map(|cache| cache.join("pointsman").join("spill"));
        directory.or_else(default).ok_or_else(|| "no directory for it: set POINTSMAN_SPILL_DIR".to_string())
    }
}

/// The spill directory of a session.
pub(crate) struct Spill {
    options: SpillOptions,
    /// Opened when a column is first spilled.
    directory: OnceLock<Result<Arc<PrivateDir>, String>>,
    /// Bytes on disk now.
    used: Arc<AtomicU64>,
}

impl Spill {
    /// Creates a spill directory handle and removes the files of killed processes.
    pub(crate) fn new(options: SpillOptions) -> Spill {
        let spill = Spill { options, directory: OnceLock::new(), used: Arc::default() };
        let directory = spill.options.directory(|name| std::env::var_os(name));
        // A session that does not spill creates no directory.
        if directory.is_ok_and(|directory| file::has_any(&directory)) {
            let _ = spill.directory();
        }
        spill
    }

    /// Returns the bytes on disk now.
    pub(crate) fn used_bytes(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns the directory; creates it and removes orphaned files on the first call.
    fn directory(&self) -> Result<&Arc<PrivateDir>, &String> {
        let opened = self.directory.get_or_init(|| {
            let directory = self.options.directory(|name| std::env::var_os(name))?;
            let directory = PrivateDir::open(&directory)?;
            file::remove_orphans(&directory);
            Ok(Arc::new(directory))
        });
        opened.as_ref()
    }

    /// Creates an empty spill file.
    fn create_file(&self) -> OrError<SpillFile> {
        let directory = self.directory().map_err(|why| fault::no_directory(why))?;
        SpillFile::open(directory, &self.options, &self.used)
    }
}
