//! [`PrivateDir`]: a directory that only this user can write to, and the user's cache directory. It opens only files
//! that no other user could have written.

#[cfg(unix)]
use pointsman_device::directory::effective_user;
use pointsman_device::directory::{FileAccess, OpenDirectory};
use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Metadata};
use std::hash::BuildHasher;
use std::io::{self, Write};
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

/// A directory that only this user can write to, held open. Every entry is reached relative to it.
#[derive(Debug)]
pub(crate) struct PrivateDir {
    directory: OpenDirectory,
    path: PathBuf,
}

/// Why an entry of a private directory is not read.
#[derive(Debug)]
pub(crate) enum EntryRefusal {
    /// There is no entry of this name.
    Absent,
    /// The system failed to open the entry.
    Failed(io::Error),
    /// Another user could have written the entry; a sentence for the user.
    Untrusted(String),
}

impl PrivateDir {
    /// Opens a directory, creating it for its owner alone if necessary. Checks that it belongs to this user, that no
    /// other user can write to it, and that no other user can replace it or a directory above it. The error is a
    /// sentence for the user.
    pub(crate) fn open(path: &Path) -> Result<PrivateDir, String> {
        let describe = |error: io::Error| format!("{}: {error}", path.display());
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(path).map_err(describe)?;
        // Resolve links first, so that `check_parents` sees the real ancestors.
        let target = path.canonicalize().map_err(describe)?;
        check_parents(&target)?;
        let directory = OpenDirectory::open(&target).map_err(describe)?;
        check_private(&directory.metadata().map_err(describe)?)
            .map_err(|why| format!("{} {why}, or name another directory", path.display()))?;
        Ok(PrivateDir { directory, path: path.to_path_buf() })
    }

    /// The path that the directory was opened by.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens an entry to read it, if it is a file that only this user can write to.
    pub(crate) fn open_file(&self, name: &str) -> Result<File, EntryRefusal> {
        self.open_checked(name, FileAccess::Read)
    }

    /// Opens the file that processes lock, creating it if necessary.
    pub(crate) fn open_lock(&self, name: &str) -> Result<File, EntryRefusal> {
        self.open_checked(name, FileAccess::CreateOrOpen)
    }

    fn open_checked(&self, name: &str, access: FileAccess) -> Result<File, EntryRefusal> {
        let untrusted = |why: &str| EntryRefusal::Untrusted(format!("{} {why}", self.path.join(name).display()));
        let file = match self.directory.open_file(OsStr::new(name), access) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(EntryRefusal::Absent),
            // Only for the message: a link may be gone when it is asked about.
            Err(error) if fs::symlink_metadata(self.path.join(name)).is_ok_and(|metadata| metadata.is_symlink()) => {
                return Err(untrusted(&format!("is a link and is not followed ({error}): remove it")));
            }
            Err(error) => return Err(EntryRefusal::Failed(error)),
        };
        let metadata = file.metadata().map_err(EntryRefusal::Failed)?;
        if !metadata.is_file() {
            return Err(untrusted("is not a regular file: remove it"));
        }
        check_private(&metadata).map_err(|why| untrusted(&format!("{why}, or remove it")))?;
        Ok(file)
    }

    /// Creates a file that only its owner can read and write; an error if an entry of this name exists.
    pub(crate) fn create_file(&self, name: &str) -> io::Result<File> {
        self.directory.open_file(OsStr::new(name), FileAccess::CreateNew)
    }

    /// Writes a new file, and renames it from `temporary` to `name`: readers see all of it or none.
    pub(crate) fn fill_and_rename(
        &self,
        mut file: impl Write,
        bytes: &[u8],
        temporary: &str,
        name: &str,
    ) -> io::Result<()> {
        let written = file.write_all(bytes).and_then(|()| file.flush());
        // Closed before the rename: some systems cannot rename an open file.
        drop(file);
        let written = written.and_then(|()| self.rename(temporary, name));
        if written.is_err() {
            // A partial file does no harm but takes space.
            let _ = self.remove(temporary);
        }
        written
    }

    /// Renames an entry; replaces the entry that has the new name.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.directory.rename(OsStr::new(from), OsStr::new(to))
    }

    /// Removes an entry that is not a directory.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        self.directory.remove(OsStr::new(name))
    }

    /// The names of all entries that are text, in no order.
    pub(crate) fn names(&self) -> io::Result<impl Iterator<Item = String>> {
        Ok(self.directory.names()?.into_iter().filter_map(|name| name.into_string().ok()))
    }
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

/// Checks that an open file or directory belongs to this user and that no other user can write to it: this process
/// would use what others write there with its own rights. The error is the end of a sentence with a remedy.
#[cfg(unix)]
fn check_private(metadata: &Metadata) -> Result<(), &'static str> {
    use std::os::unix::fs::MetadataExt;
    if Some(metadata.uid()) != effective_user() {
        return Err("belongs to another user: `chown` it");
    }
    if metadata.mode() & 0o022 != 0 {
        return Err("may be written by others: `chmod go-w` it");
    }
    Ok(())
}

/// Checks that no other user can replace the directory of this canonical path. Each directory is checked after those
/// above it, so that no other user can exchange it between its check and its use.
#[cfg(unix)]
fn check_parents(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    const ROOT: u32 = 0;
    const STICKY: u32 = 0o1000;
    let parents: Vec<&Path> = path.ancestors().skip(1).collect();
    for parent in parents.into_iter().rev() {
        let shown = parent.display();
        let metadata = fs::symlink_metadata(parent).map_err(|error| format!("{shown}: {error}"))?;
        if !metadata.is_dir() {
            return Err(format!("{shown} is not a directory any more: try again"));
        }
        if metadata.uid() != ROOT && Some(metadata.uid()) != effective_user() {
            return Err(format!(
                "{shown} belongs to another user, who could replace {}: name another directory",
                path.display()
            ));
        }
        // In a sticky directory, as for temporary files, only their owners can rename and remove entries.
        if metadata.mode() & 0o022 != 0 && metadata.mode() & STICKY == 0 {
            return Err(format!(
                "{shown} may be written by others, who could replace {}: `chmod go-w` it, or name another directory",
                path.display()
            ));
        }
    }
    Ok(())
}

/// On other systems the default permissions of a user profile keep its directories private.
#[cfg(not(unix))]
fn check_private(_: &Metadata) -> Result<(), &'static str> {
    Ok(())
}

#[cfg(not(unix))]
fn check_parents(_: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
pub(crate) mod scratch;
#[cfg(all(test, unix))]
mod tests;
