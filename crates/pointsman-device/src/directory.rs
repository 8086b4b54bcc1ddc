//! [`OpenDirectory`]: a directory that is held open. It opens entries by name, and reads the metadata of open files. No
//! entry is reached through a symbolic link, and a directory that is renamed or replaced under its path stays the same
//! directory here.
//!
//! On systems without `openat` an entry is reached through the directory's path.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;

#[cfg(not(unix))]
mod by_path;
#[cfg(not(unix))]
use by_path as system;

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// How a file of a directory is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// The file exists; it is read, and its times may be set.
    Read,
    /// The file does not exist yet. Only its owner can read and write it.
    CreateNew,
    /// The file is created for its owner alone if it does not exist. Nothing in it is changed.
    CreateOrOpen,
}

/// A directory that is held open.
#[derive(Debug)]
pub struct OpenDirectory(system::Directory);

impl OpenDirectory {
    /// Opens a directory; an error if the last part of the path is a symbolic link.
    pub fn open(path: &Path) -> io::Result<OpenDirectory> {
        system::Directory::open(path).map(OpenDirectory)
    }

    /// The metadata of the open directory itself.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// Opens the file of this name. Never follows a symbolic link, and never waits for the other end of a pipe.
    pub fn open_file(&self, name: &OsStr, access: FileAccess) -> io::Result<File> {
        check_name(name)?;
        self.0.open_file(name, access)
    }

    /// Renames an entry; replaces the entry that has the new name.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        check_name(from)?;
        check_name(to)?;
        self.0.rename(from, to)
    }

    /// Removes an entry that is not a directory.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        check_name(name)?;
        self.0.remove(name)
    }

    /// The names of all entries, in no order.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        self.0.names()
    }
}

/// A name is one part of a path, so that it cannot lead out of the directory.
fn check_name(name: &OsStr) -> io::Result<()> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(std::path::Component::Normal(part)), None) if part == name => Ok(()),
        (_, _) => Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of an entry")),
    }
}

/// The user that this process acts as: new files belong to it. `None` where files have no such owner.
pub fn effective_user() -> Option<u32> {
    system::effective_user()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;
    use std::io::{Read, Write};
    use std::path::PathBuf;

    /// A directory that is removed when the test ends.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(test: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("pointsman-directory-{}-{test}", std::process::id()));
            fs::create_dir(&path).unwrap();
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn files_are_created_read_renamed_listed_and_removed() {
        let scratch = Scratch::new("files");
        let directory = OpenDirectory::open(&scratch.0).unwrap();
        let (one, other) = (OsStr::new("one"), OsStr::new("other"));
        directory.open_file(one, FileAccess::CreateNew).unwrap().write_all(b"text").unwrap();
        let again = directory.open_file(one, FileAccess::CreateNew).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        directory.rename(one, other).unwrap();
        let mut text = String::new();
        directory.open_file(other, FileAccess::CreateOrOpen).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), directory.names().unwrap()), ("text", vec![other.to_os_string()]));
        assert_eq!(directory.open_file(one, FileAccess::Read).unwrap_err().kind(), io::ErrorKind::NotFound);
        directory.remove(other).unwrap();
        assert_eq!(directory.names().unwrap(), Vec::<OsString>::new());
    }

    #[test]
    fn names_that_lead_out_of_the_directory_are_refused() {
        let scratch = Scratch::new("names");
        let directory = OpenDirectory::open(&scratch.0).unwrap();
        for name in ["", ".", "..", "a/b", "/a", "../a", "a/"] {
            let error = directory.open_file(OsStr::new(name), FileAccess::CreateOrOpen).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{name:?}");
            assert!(
                directory.remove(OsStr::new(name)).is_err()
                    && directory.rename(OsStr::new(name), name.as_ref()).is_err()
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_a_replaced_directory_stays_the_same() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
        let scratch = Scratch::new("links");
        let (own, foreign) = (scratch.0.join("own"), scratch.0.join("foreign"));
        fs::create_dir(&own).unwrap();
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("entry"), "planted").unwrap();
        let directory = OpenDirectory::open(&own).unwrap();
        symlink(foreign.join("entry"), own.join("entry")).unwrap();
        assert!(directory.open_file(OsStr::new("entry"), FileAccess::Read).is_err());
        assert!(directory.open_file(OsStr::new("entry"), FileAccess::CreateOrOpen).is_err());
        symlink(&foreign, scratch.0.join("link")).unwrap();
        assert!(OpenDirectory::open(&scratch.0.join("link")).is_err());
        fs::rename(&own, scratch.0.join("moved")).unwrap();
        symlink(&foreign, &own).unwrap();
        let file = directory.open_file(OsStr::new("new"), FileAccess::CreateNew).unwrap();
        assert!(scratch.0.join("moved/new").exists() && !foreign.join("new").exists());
        let metadata = file.metadata().unwrap();
        assert_eq!((metadata.permissions().mode() & 0o777, Some(metadata.uid())), (0o600, effective_user()));
    }
}
