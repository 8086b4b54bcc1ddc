//! What goes wrong on the disk, by type: the fault, and a sentence that names bytes, place and remedy.

use crate::error::{Error, ErrorKind};
use std::io;
use std::path::Path;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// There is no directory for it.
    NoPlace,
    /// The session's limit is reached.
    Limit,
    /// The disk is full, or this user's part of it.
    Full,
    /// The disk took only a part of what was written.
    Short,
    /// The system does not allow it.
    Denied,
    /// What is read is not what was written.
    Corrupt,
    /// Anything else that a disk does.
    Other,
}

impl Fault {
    /// The fault of a write or a read that the system refused.
    fn of(error: &io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => Fault::Full,
            io::ErrorKind::WriteZero => Fault::Short,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Fault::Denied,
            io::ErrorKind::UnexpectedEof => Fault::Corrupt,
            // The system's kinds are not the project's, and there are more with every version.
            _ => Fault::Other,
        }
    }

    const fn remedy(self) -> &'static str {
        match self {
            Fault::NoPlace => {
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

/// A fault, and what happened.
#[derive(Debug)]
pub(super) struct Spilled {
    pub(super) fault: Fault,
    pub(super) what: String,
}

impl Spilled {
    /// Of a file that could not be made.
    pub(super) fn making(path: &Path, error: &io::Error) -> Spilled {
        let what = format!("a file for spilled columns, {}, could not be made: {error}", path.display());
        Spilled { fault: Fault::of(error), what }
    }

    /// Of bytes that could not be written behind so many others.
    pub(super) fn writing(path: &Path, bytes: usize, behind: u64, error: &io::Error) -> Spilled {
        let path = path.display();
        let what =
            format!("{bytes} bytes of spilled columns, behind {behind}, could not be written to {path}: {error}");
        Spilled { fault: Fault::of(error), what }
    }

    /// Of bytes that could not be read from there on.
    pub(super) fn reading(path: &Path, bytes: usize, from: u64, error: &io::Error) -> Spilled {
        let path = path.display();
        let what = format!("{bytes} bytes of spilled columns, from {from} on, could not be read from {path}: {error}");
        Spilled { fault: Fault::of(error), what }
    }

    /// Of a block that is not what was written.
    pub(super) fn corrupt(path: &Path, number: usize, bytes: usize) -> Spilled {
        let path = path.display();
        let what = format!("block {number} of spilled columns, {bytes} bytes in {path}, is not what was written");
        Spilled { fault: Fault::Corrupt, what }
    }

    /// Of bytes that are more than the session may spill.
    pub(super) fn beyond(limit: u64, used: u64, bytes: usize) -> Spilled {
        let what = format!("{bytes} bytes more than the {used} spilled now are beyond the limit of {limit}");
        Spilled { fault: Fault::Limit, what }
    }
}

impl From<Spilled> for Error {
    fn from(spilled: Spilled) -> Error {
        let kind = match spilled.fault {
            Fault::NoPlace | Fault::Limit => ErrorKind::OutOfMemory,
            Fault::Full | Fault::Short | Fault::Denied | Fault::Corrupt | Fault::Other => ErrorKind::Io,
        };
        Error::new(kind, format!("{}; {}", spilled.what, spilled.fault.remedy()))
    }
}
