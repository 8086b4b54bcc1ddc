//! [`SpillError`]: a disk fault, with a sentence that names the bytes, the file and a remedy.

use crate::error::{Error, ErrorKind};
use std::io;
use std::path::Path;

/// The kind of a disk fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// There is no directory to spill to.
    NoDirectory,
    /// The session's limit is reached.
    Limit,
    /// The disk, or the user's quota, is full.
    Full,
    /// The disk accepted only a part of a write.
    Short,
    /// The system denied access.
    Denied,
    /// The data read are not the data written.
    Corrupt,
    /// Any other error.
    Other,
}

impl Fault {
    /// Classifies a system error.
    fn of(error: &io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => Fault::Full,
            io::ErrorKind::WriteZero => Fault::Short,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Fault::Denied,
            io::ErrorKind::UnexpectedEof => Fault::Corrupt,
            // `io::ErrorKind` is not ours and grows with every version of the standard library.
            _ => Fault::Other,
        }
    }

    const fn remedy(self) -> &'static str {
        match self {
            Fault::NoDirectory => {
                "name a directory with `SessionOptions::spill_directory`, or give the session more memory"
            }
            Fault::Limit => "raise `SessionOptions::spill_bytes`, or give the session more memory",
            Fault::Full | Fault::Short => {
                "free some space, or name another directory with `SessionOptions::spill_directory`"
            }
            Fault::Denied => "name a directory of your own with `SessionOptions::spill_directory`",
            Fault::Corrupt => "run the query again; if it happens again, the disk or the memory is damaged",
            Fault::Other => {
                "see what is wrong with the disk, or name another directory with `SessionOptions::spill_directory`"
            }
        }
    }
}

/// A fault and its description.
#[derive(Debug)]
pub(super) struct SpillError {
    pub(super) fault: Fault,
    pub(super) what: String,
}

impl SpillError {
    /// A file could not be created.
    pub(super) fn create(path: &Path, error: &io::Error) -> SpillError {
        let what = format!("a file for spilled columns, {}, could not be created: {error}", path.display());
        SpillError { fault: Fault::of(error), what }
    }

    /// Bytes could not be written at an offset.
    pub(super) fn write(path: &Path, bytes: usize, offset: u64, error: &io::Error) -> SpillError {
        let path = path.display();
        let what =
            format!("{bytes} bytes of spilled columns, at offset {offset}, could not be written to {path}: {error}");
        SpillError { fault: Fault::of(error), what }
    }

    /// Bytes could not be read at an offset.
    pub(super) fn read(path: &Path, bytes: usize, offset: u64, error: &io::Error) -> SpillError {
        let path = path.display();
        let what =
            format!("{bytes} bytes of spilled columns, at offset {offset}, could not be read from {path}: {error}");
        SpillError { fault: Fault::of(error), what }
    }

    /// A block is not as it was written.
    pub(super) fn corrupt(path: &Path, number: usize, bytes: usize) -> SpillError {
        let path = path.display();
        let what = format!("block {number} of spilled columns, {bytes} bytes in {path}, is not what was written");
        SpillError { fault: Fault::Corrupt, what }
    }

    /// A write would exceed the session's limit.
    pub(super) fn limit(bytes_max: u64, used: u64, bytes: usize) -> SpillError {
        let what = format!("{bytes} bytes more than the {used} spilled now are beyond the limit of {bytes_max}");
        SpillError { fault: Fault::Limit, what }
    }
}

impl From<SpillError> for Error {
    fn from(spilled: SpillError) -> Error {
        let kind = match spilled.fault {
            Fault::NoDirectory | Fault::Limit => ErrorKind::OutOfMemory,
            Fault::Full | Fault::Short | Fault::Denied | Fault::Corrupt | Fault::Other => ErrorKind::Io,
        };
        Error::new(kind, format!("{}; {}", spilled.what, spilled.fault.remedy()))
    }
}
