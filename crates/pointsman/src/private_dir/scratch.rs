//! [`Scratch`]: a directory for one test.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// The path of a directory that does not exist yet, and is removed when this is dropped.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Scratch(std::env::temp_dir().join(format!("pointsman-scratch-{}-{number}", std::process::id())))
    }

    /// The names of its entries, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the directory is there");
        let names = entries.map(|entry| entry.expect("it can be read").file_name().into_string().expect("ASCII"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
