//! Directories that belong to this user alone: where the system has one, how one is made, and why one is refused.

use std::collections::hash_map::RandomState;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::BuildHasher;
use std::io;
use std::path::{Path, PathBuf};

/// The directory where this system's programs keep what they can make again. `named` reads a path from the environment.
pub(crate) fn user_cache(named: &impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if cfg!(windows) {
        return named("LOCALAPPDATA");
    }
    let home = || named("HOME").filter(|home| home.is_absolute());
    if cfg!(target_vendor = "apple") {
        return Some(home()?.join("Library/Caches"));
    }
    // The specification says that paths which are not absolute are to be ignored.
    named("XDG_CACHE_HOME").filter(|cache| cache.is_absolute()).or_else(|| Some(home()?.join(".cache")))
}

/// Makes a directory for its owner alone if it is not there; a sentence that says what is wrong where others may write
/// to it, or where it belongs to another user.
pub(crate) fn open_directory(directory: &Path) -> Result<(), String> {
    let told = |error: io::Error| format!("{}: {error}", directory.display());
    owned(DirBuilder::new().recursive(true)).create(directory).map_err(told)?;
    check_owner(directory)
}

/// A new file that its owner alone reads and writes.
pub(crate) fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A name that nobody else chooses: neither sessions of this process nor processes in other containers, which may have
/// the same number.
pub(crate) fn fresh_name(extension: &str) -> String {
    let process = std::process::id();
    format!("{process}-{:016x}.{extension}", RandomState::new().hash_one(process))
}

/// Whether a file's name is one that [`fresh_name`] makes, with this extension.
pub(crate) fn is_fresh_name(name: &str, extension: &str) -> bool {
    let Some((process, rest)) = name.split_once('-') else { return false };
    let Some((number, ending)) = rest.split_once('.') else { return false };
    let is_number = number.len() == 16 && number.bytes().all(|byte| byte.is_ascii_hexdigit());
    ending == extension && is_number && !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit())
}

fn owned(builder: &mut DirBuilder) -> &mut DirBuilder {
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
    builder
}

/// Whether nobody else can put anything there: it would be used with this user's rights.
#[cfg(unix)]
fn check_owner(directory: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let (told, shown) = (|error: io::Error| format!("{}: {error}", directory.display()), directory.display());
    let metadata = fs::metadata(directory).map_err(told)?;
    if metadata.mode() & 0o022 != 0 {
        return Err(format!("{shown} may be written by others: `chmod go-w` it, or name another directory"));
    }
    // A file that is made here belongs to this process's user, whoever that is.
    let probe = directory.join(fresh_name("probe"));
    drop(new_file(&probe).map_err(told)?);
    let owner = fs::metadata(&probe).map(|file| file.uid());
    let _ = fs::remove_file(&probe);
    if owner.map_err(told)? != metadata.uid() {
        return Err(format!("{shown} belongs to another user: name a directory of your own"));
    }
    Ok(())
}

/// A profile's directories are private by the system's own rules.
#[cfg(not(unix))]
fn check_owner(_: &Path) -> Result<(), String> {
    Ok(())
}
