//! Queries whose intermediate results do not fit into the session's memory give the same answers by spilling to disk,
//! and leave nothing there.
#![allow(clippy::unwrap_used)]

mod answers;
mod boundaries;
#[cfg(feature = "calls")]
mod calls;
mod processes;

use pointsman::{Answer, Receipt, Result, Session, SessionOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The rows of a leaf.
const LEAF_ROWS: usize = 4096;

/// A directory that is removed when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Scratch(std::env::temp_dir().join(format!("pointsman-spilling-{}-{number}", std::process::id())))
    }

    fn options(&self) -> SessionOptions {
        SessionOptions::new().spill_directory(self.0.clone())
    }

    /// Opens a session with this much memory.
    fn session(&self, memory: usize) -> Session {
        self.options().threads(2).memory_bytes(memory).open().unwrap()
    }

    fn is_empty(&self) -> bool {
        fs::read_dir(&self.0).into_iter().flatten().next().is_none()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the bytes of the files in a directory that a process has open, including unlinked ones, but not the directory
/// itself; `None` if the system does not provide that.
fn open_bytes(process: &str, directory: &Path) -> Option<u64> {
    let files = fs::read_dir(format!("/proc/{process}/fd")).ok()?.flatten();
    let ours = files.filter(|file| fs::read_link(file.path()).is_ok_and(|target| target.starts_with(directory)));
    let files = ours.filter_map(|file| fs::metadata(file.path()).ok()).filter(fs::Metadata::is_file);
    Some(files.map(|metadata| metadata.len()).sum())
}

/// Checks that no memory is held and no file is on disk, linked or unlinked.
fn assert_no_leftovers(session: &Session, scratch: &Scratch, what: &str) {
    assert_eq!((session.memory().host.outstanding_bytes, session.spilled_bytes()), (0, 0), "{what}");
    assert!(scratch.is_empty(), "{what}: files");
    assert_eq!(open_bytes("self", &scratch.0).unwrap_or(0), 0, "{what}: open files");
}

/// Returns a result as text that shows every bit, and the receipt.
fn debug_text<T: std::fmt::Debug>(answer: Result<Answer<T>>) -> Result<(String, Receipt)> {
    let (value, receipt) = answer?.into_parts();
    Ok((format!("{value:?}"), receipt))
}

fn integers(rows: usize) -> Vec<i64> {
    (0..rows as i64).map(|row| (row * 7919) % 2003 - 1000).collect()
}

fn floats(rows: usize) -> Vec<f64> {
    (0..rows).map(|row| (row * 7919 % 1013) as f64 / 7.0 - 70.0).collect()
}
