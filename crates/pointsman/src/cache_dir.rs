//! Private directories and files: the user's cache directory, creating directories and files that only their owner can
//! access, and refusing directories that other users could write to.

use std::collections::hash_map::RandomState;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::BuildHasher;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the platform's per-user cache directory. `named` reads a path from the environment.
pub(crate) fn user_cache_dir(named: &impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if cfg!(windows) {
        return named("LOCALAPPDATA");
    }
    let home = || named("HOME").filter(|home| home.is_absolute());
    if cfg!(target_vendor = "apple") {
        return Some(home()?.join("Library/Caches"));
    }
    // The XDG base directory specification says to ignore relative paths.
    named("XDG_CACHE_HOME").filter(|cache| cache.is_absolute()).or_else(|| Some(home()?.join(".cache")))
}

/// Creates a directory with owner-only permissions unless it exists, and checks that it belongs to this user and that
/// no other user can write to it. The error is a sentence for the user.
pub(crate) fn create_private_dir(directory: &Path) -> Result<(), String> {
    let describe = |error: io::Error| format!("{}: {error}", directory.display());
    owner_only(DirBuilder::new().recursive(true)).create(directory).map_err(describe)?;
    check_owner(directory)
}

/// Creates a file that only its owner can read and write; an error if the file exists.
pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns a file name that no other session chooses. The process id alone is not enough: sessions of this process
/// share it, and processes in other containers may have the same one.
pub(crate) fn unique_name(extension: &str) -> String {
    let process = std::process::id();
    format!("{process}-{:016x}.{extension}", RandomState::new().hash_one(process))
}

/// Whether a file name has the form of [`unique_name`] with this extension.
pub(crate) fn is_unique_name(name: &str, extension: &str) -> bool {
    let Some((process, rest)) = name.split_once('-') else { return false };
    let Some((number, ending)) = rest.split_once('.') else { return false };
    let is_number = number.len() == 16 && number.bytes().all(|byte| byte.is_ascii_hexdigit());
    ending == extension && is_number && !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit())
}

fn owner_only(builder: &mut DirBuilder) -> &mut DirBuilder {
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
    builder
}

/// Checks that no other user can place files in the directory: this process would use them with its own rights.
#[cfg(unix)]
fn check_owner(directory: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let (describe, shown) = (|error: io::Error| format!("{}: {error}", directory.display()), directory.display());
    let metadata = fs::metadata(directory).map_err(describe)?;
    if metadata.mode() & 0o022 != 0 {
        return Err(format!("{shown} may be written by others: `chmod go-w` it, or name another directory"));
    }
    // A probe file belongs to the user of this process, so its owner must be the directory's owner.
    let probe = directory.join(unique_name("probe"));
    drop(create_private_file(&probe).map_err(describe)?);
    let owner = fs::metadata(&probe).map(|file| file.uid());
    let _ = fs::remove_file(&probe);
    if owner.map_err(describe)? != metadata.uid() {
        return Err(format!("{shown} belongs to another user: name a directory of your own"));
    }
    Ok(())
}

/// On other systems the default permissions of a user profile keep its directories private.
#[cfg(not(unix))]
fn check_owner(_: &Path) -> Result<(), String> {
    Ok(())
}
