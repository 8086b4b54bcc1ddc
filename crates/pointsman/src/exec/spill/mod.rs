//! Columns on the disk: rows that the host's memory does not hold are written in blocks with checksums, and read back.
//!
//! A spilled table is one file in a private directory. Its name is removed as soon as it is open, so a killed process leaves
//! nothing; on systems that keep the name until the file is closed, a lock says that its process is alive, and the next
//! session removes files without one. All blocks of a table but the last have the same number of whole leaves, so that
//! batches of whole leaves are whole blocks.
//!
//! Errors say what went wrong, how many bytes, where, and what to do; the file is gone then.

mod block;
mod fault;
mod file;
mod table;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use file::Create;
pub(crate) use table::{BlockLayout, SpillWriter, SpilledBlock, SpilledTable};

use crate::cache_dir;
use crate::error::{Error, Result as OrError};
use fault::{Fault, Spilled};
use file::SpillFile;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The most bytes that spilled columns take, unless a session says otherwise.
pub(crate) const SPILL_BYTES_MAX: u64 = 32 << 30;

/// A session's options for spilled columns.
#[derive(Clone, Debug)]
pub(crate) struct SpillOptions {
    /// The directory; `None` takes it from the environment.
    pub(crate) directory: Option<PathBuf>,
    /// The most bytes that all spilled columns of the session take at once; 0 turns spilling off.
    pub(crate) bytes_max: u64,
    /// Creates files; tests replace it by one that fails.
    pub(crate) create: file::Create,
}

impl Default for SpillOptions {
    fn default() -> SpillOptions {
        SpillOptions { directory: None, bytes_max: SPILL_BYTES_MAX, create: file::create }
    }
}

impl SpillOptions {
    /// The directory, or the reason why there is none. `variable` reads the environment.
    fn directory(&self, variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, String> {
        if self.bytes_max == 0 {
            return Err("the session's `Options::spill_bytes_max` is 0".to_string());
        }
        let named = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let directory = self.directory.clone().or_else(|| named("POINTSMAN_SPILL_DIR"));
        // Not the system's directory for temporary files: it is often in memory, which is what ran out.
        let usual = || cache_dir::user_cache(&named).map(|cache| cache.join("pointsman").join("spill"));
        directory.or_else(usual).ok_or_else(|| "no directory for it: set POINTSMAN_SPILL_DIR".to_string())
    }
}

/// Where a session spills.
pub(crate) struct Spill {
    options: SpillOptions,
    /// Opened when something is first spilled.
    directory: OnceLock<Result<PathBuf, String>>,
    /// Bytes on the disk now.
    used: Arc<AtomicU64>,
}

impl Spill {
    /// Spills nothing yet, and removes the files that a killed process left.
    pub(crate) fn new(options: SpillOptions) -> Spill {
        let spill = Spill { options, directory: OnceLock::new(), used: Arc::default() };
        let place = spill.options.directory(|name| std::env::var_os(name));
        // A session that does not spill creates no directory.
        if place.is_ok_and(|place| file::has_any(&place)) {
            let _ = spill.directory();
        }
        spill
    }

    /// Bytes on the disk now.
    pub(crate) fn used_bytes(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The directory: private, and without left files.
    fn directory(&self) -> Result<&PathBuf, &String> {
        let opened = self.directory.get_or_init(|| {
            let place = self.options.directory(|name| std::env::var_os(name))?;
            cache_dir::open_directory(&place)?;
            file::sweep(&place);
            Ok(place)
        });
        opened.as_ref()
    }

    /// A new file.
    fn file(&self) -> OrError<SpillFile> {
        let directory = self.directory().map_err(|why| no_place(why))?;
        Ok(SpillFile::open(directory, &self.options, &self.used)?)
    }
}

/// Nothing can be spilled at all.
fn no_place(why: &str) -> Error {
    let what = format!("columns that memory does not hold cannot be spilled to the disk: {why}");
    Spilled { fault: Fault::NoPlace, what }.into()
}
