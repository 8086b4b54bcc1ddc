//! A directory as a path, on systems whose user profiles are private by default.

use super::FileAccess;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The path of a directory.
#[derive(Debug)]
pub(super) struct Directory(PathBuf);

impl Directory {
    pub(super) fn open(path: &Path) -> io::Result<Directory> {
        if fs::symlink_metadata(path)?.is_dir() {
            Ok(Directory(path.to_path_buf()))
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        fs::symlink_metadata(&self.0)
    }

    pub(super) fn open_file(&self, name: &OsStr, access: FileAccess) -> io::Result<File> {
        let (path, mut options) = (self.0.join(name), OpenOptions::new());
        match access {
            FileAccess::Read => options.read(true),
            FileAccess::CreateNew => options.read(true).write(true).create_new(true),
            FileAccess::CreateOrOpen => options.read(true).write(true).create(true).truncate(false),
        };
        // Opening a special file may wait forever.
        if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        options.open(path)
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name())).collect()
    }
}

pub(super) fn effective_user() -> Option<u32> {
    None
}
