//! The errors of spilling: each names the bytes, the file and a remedy.

use crate::error::{Error, ErrorKind};
use std::io;
use std::path::Path;

/// The remedy for data that are not the data written.
const RUN_AGAIN: &str = "run the query again; if it happens again, the disk or the memory is damaged";

/// A system error; `what` names the operation that failed.
pub(super) fn disk(what: &str, error: &io::Error) -> Error {
    let remedy = match error.kind() {
        // A disk that accepts only a part of a write is full, too.
        io::ErrorKind::StorageFull
        | io::ErrorKind::QuotaExceeded
        | io::ErrorKind::FileTooLarge
        | io::ErrorKind::WriteZero => {
            "free some space, or name another directory with `SessionOptions::spill_directory`"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "name a directory of your own with `SessionOptions::spill_directory`"
        }
        io::ErrorKind::UnexpectedEof => RUN_AGAIN,
        // `io::ErrorKind` is not ours and grows with every version of the standard library.
        _ => "see what is wrong with the disk, or name another directory with `SessionOptions::spill_directory`",
    };
    Error::new(ErrorKind::Io, format!("{what}: {error}; {remedy}"))
}

/// A block is not as it was written.
pub(super) fn corrupt(path: &Path, number: usize, bytes: usize) -> Error {
    let path = path.display();
    let what = format!("block {number} of spilled columns, {bytes} bytes in {path}, is not what was written");
    Error::new(ErrorKind::Io, format!("{what}; {RUN_AGAIN}"))
}

/// A write would exceed the session's limit.
pub(super) fn limit(bytes_max: u64, used: u64, bytes: usize) -> Error {
    let what = format!("{bytes} bytes more than the {used} spilled now are beyond the limit of {bytes_max}");
    let remedy = "raise `SessionOptions::spill_bytes`, or give the session more memory";
    Error::new(ErrorKind::OutOfMemory, format!("{what}; {remedy}"))
}

/// There is no directory to spill to.
pub(super) fn no_directory(why: &str) -> Error {
    let what = format!("columns that memory does not hold cannot be spilled to the disk: {why}");
    let remedy = "name a directory with `SessionOptions::spill_directory`, or give the session more memory";
    Error::new(ErrorKind::OutOfMemory, format!("{what}; {remedy}"))
}
