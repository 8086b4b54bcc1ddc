//! A directory as a file descriptor: every entry is reached relative to it.

use super::FileAccess;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The open descriptor of a directory.
#[derive(Debug)]
pub(super) struct Directory(File);

impl Directory {
    pub(super) fn open(path: &Path) -> io::Result<Directory> {
        let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
        OpenOptions::new().read(true).custom_flags(flags).open(path).map(Directory)
    }

    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    pub(super) fn open_file(&self, name: &OsStr, access: FileAccess) -> io::Result<File> {
        let flags = match access {
            // Without `O_NONBLOCK`, opening a pipe waits for its writer. Regular files ignore it.
            FileAccess::Read => libc::O_RDONLY | libc::O_NONBLOCK,
            FileAccess::CreateNew => libc::O_RDWR | libc::O_CREAT | libc::O_EXCL,
            FileAccess::CreateOrOpen => libc::O_RDWR | libc::O_CREAT | libc::O_NONBLOCK,
        };
        self.open_at(name, flags)
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (from, to, directory) = (c_string(from)?, c_string(to)?, self.0.as_raw_fd());
        // SAFETY: both names are strings that end with a zero byte, and `self` keeps the descriptor open.
        checked(unsafe { libc::renameat(directory, from.as_ptr(), directory, to.as_ptr()) }).map(drop)
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        let name = c_string(name)?;
        // SAFETY: the name is a string that ends with a zero byte, and `self` keeps the descriptor open.
        checked(unsafe { libc::unlinkat(self.0.as_raw_fd(), name.as_ptr(), 0) }).map(drop)
    }

    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        // Opened again, because reading a directory moves the position of its descriptor.
        let listing = self.open_at(OsStr::new("."), libc::O_RDONLY | libc::O_DIRECTORY)?;
        let mut entries = Entries::new(listing)?;
        let mut names = Vec::new();
        while let Some(name) = entries.next() {
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn open_at(&self, name: &OsStr, flags: libc::c_int) -> io::Result<File> {
        const OWNER_ONLY: libc::c_uint = 0o600;
        let (name, flags) = (c_string(name)?, flags | libc::O_NOFOLLOW | libc::O_CLOEXEC);
        // SAFETY: the name is a string that ends with a zero byte, and `self` keeps the descriptor open.
        let file = checked(unsafe { libc::openat(self.0.as_raw_fd(), name.as_ptr(), flags, OWNER_ONLY) })?;
        // SAFETY: `openat` returned this descriptor just now, so nothing else owns it.
        Ok(unsafe { File::from_raw_fd(file) })
    }
}

/// The stream of a directory's entries.
struct Entries(*mut libc::DIR);

impl Entries {
    fn new(directory: File) -> io::Result<Entries> {
        let descriptor = directory.into_raw_fd();
        // SAFETY: the descriptor is open, and only the stream uses it from now on.
        let stream = unsafe { libc::fdopendir(descriptor) };
        if stream.is_null() {
            let error = io::Error::last_os_error();
            // SAFETY: the stream did not take the descriptor over, so it is still this function's.
            drop(unsafe { File::from_raw_fd(descriptor) });
            return Err(error);
        }
        Ok(Entries(stream))
    }

    /// The name of the next entry. An error ends the list like its last entry: callers clean up, and do so again later.
    fn next(&mut self) -> Option<OsString> {
        // SAFETY: the stream is open until `self` is dropped, and `&mut self` keeps other threads away from it.
        let entry = unsafe { libc::readdir(self.0) };
        if entry.is_null() {
            return None;
        }
        // SAFETY: `readdir` returned a valid entry, which the stream keeps until the next call.
        let name = unsafe { &raw const (*entry).d_name };
        // SAFETY: the name of an entry ends with a zero byte.
        let name = unsafe { CStr::from_ptr(name.cast()) };
        Some(OsString::from_vec(name.to_bytes().to_vec()))
    }
}

impl Drop for Entries {
    fn drop(&mut self) {
        // SAFETY: the stream is open, and nothing uses it after this.
        unsafe { libc::closedir(self.0) };
    }
}

pub(super) fn effective_user() -> Option<u32> {
    // SAFETY: the call has no preconditions.
    Some(unsafe { libc::geteuid() })
}

fn c_string(name: &OsStr) -> io::Result<CString> {
    CString::new(name.as_bytes()).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
}

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
