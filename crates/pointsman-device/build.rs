//! Identifies this build by a hash of the sources that decide what a program image holds (the IR, the renderers, the
//! devices), so that no build loads the images of another. Reads files and writes nothing.

// A build script talks to Cargo by printing.
#![allow(clippy::print_stdout)]

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let mut hasher = DefaultHasher::new();
    // In a checkout the IR crate lies beside this one. A published crate names its version instead.
    for folder in ["src", "../pointsman-ir/src"].map(Path::new).into_iter().filter(|folder| folder.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        for file in files(folder)? {
            file.to_string_lossy().hash(&mut hasher);
            std::fs::read(&file)?.hash(&mut hasher);
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=POINTSMAN_SOURCES={:016x}", hasher.finish());
    Ok(())
}

/// The files of a directory and its subdirectories, in order.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    entries.sort();
    let mut found = Vec::new();
    for entry in entries {
        if entry.is_dir() { found.extend(files(&entry)?) } else { found.push(entry) }
    }
    Ok(found)
}
