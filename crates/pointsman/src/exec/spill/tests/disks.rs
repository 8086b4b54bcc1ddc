//! Files with injected faults: one of their calls fails, writes partially, or loses or changes bytes.

use crate::exec::spill::file::Medium;
use crate::private_dir::PrivateDir;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

/// The fault that is injected at one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Injection {
    /// Creating, writing or reading fails with this error.
    Fails(io::ErrorKind),
    /// A write accepts half of the bytes, and later writes accept none.
    WritesHalf,
    /// A write reports success but loses its second half.
    LosesHalf,
    /// A write changes bits of the byte at this position, counted around the end.
    FlipsBits { at: usize, mask: u8 },
}

pub(crate) const INJECTIONS: [Injection; 6] = [
    Injection::Fails(io::ErrorKind::StorageFull),
    Injection::Fails(io::ErrorKind::PermissionDenied),
    Injection::Fails(io::ErrorKind::TimedOut),
    Injection::WritesHalf,
    Injection::LosesHalf,
    Injection::FlipsBits { at: 20_000, mask: 0x10 },
];

impl Injection {
    /// Returns parts of the expected error message.
    pub(crate) fn message_parts(self) -> [&'static str; 2] {
        match self {
            Injection::Fails(io::ErrorKind::StorageFull) | Injection::WritesHalf => {
                ["bytes of spilled", "free some space"]
            }
            Injection::Fails(io::ErrorKind::PermissionDenied) => ["spilled columns", "a directory of your own"],
            Injection::Fails(_) => ["spilled columns", "what is wrong with the disk"],
            Injection::LosesHalf | Injection::FlipsBits { .. } => ["spilled columns", "run the query again"],
        }
    }

    /// Whether calls that write nothing can fail in this way, too.
    fn needs_no_space(self) -> bool {
        matches!(self, Injection::Fails(kind) if kind != io::ErrorKind::StorageFull)
    }
}

thread_local! {
    /// The number of calls before the fault.
    static CALLS_LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    static INJECTION: Cell<Injection> = const { Cell::new(Injection::WritesHalf) };
    static FIRED: Cell<bool> = const { Cell::new(false) };
}

/// A file with an injected fault.
pub(crate) struct FaultyFile {
    file: File,
    /// Whether a write accepted only half of its bytes.
    is_stuck: bool,
}

impl FaultyFile {
    /// Injects a fault into this thread's files after `call` calls. Calls to which the fault does not apply do not
    /// count.
    pub(crate) fn inject_at(call: u64, injection: Injection) {
        CALLS_LEFT.set(call);
        INJECTION.set(injection);
        FIRED.set(false);
    }

    /// Whether the fault has been injected.
    pub(crate) fn fired() -> bool {
        FIRED.get()
    }

    pub(crate) fn create(directory: &Arc<PrivateDir>, name: &str) -> io::Result<Box<dyn Medium>> {
        let file = directory.create_file(name)?;
        match FaultyFile::next_call(Injection::needs_no_space) {
            // The file is created and removed again, as by a system that fails to open it.
            Some(Injection::Fails(kind)) => {
                directory.remove(name)?;
                Err(kind.into())
            }
            Some(_) | None => Ok(Box::new(FaultyFile { file, is_stuck: false })),
        }
    }

    /// Counts a call; returns the fault if it is injected at this call.
    fn next_call(applies: impl Fn(Injection) -> bool) -> Option<Injection> {
        if !applies(INJECTION.get()) {
            return None;
        }
        let left = CALLS_LEFT.get();
        CALLS_LEFT.set(left.wrapping_sub(1));
        (left == 0).then(|| {
            FIRED.set(true);
            INJECTION.get()
        })
    }
}

impl Write for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_stuck {
            return Ok(0);
        }
        match FaultyFile::next_call(|_| true) {
            Some(Injection::Fails(kind)) => Err(kind.into()),
            Some(Injection::WritesHalf) => {
                self.is_stuck = true;
                self.file.write(&bytes[..bytes.len() / 2])
            }
            Some(Injection::LosesHalf) => {
                let kept = bytes.len() / 2;
                self.file.write_all(&bytes[..kept])?;
                // Later writes keep their offsets.
                self.file.seek(SeekFrom::Current((bytes.len() - kept) as i64))?;
                Ok(bytes.len())
            }
            Some(Injection::FlipsBits { at, mask }) => {
                let mut other = bytes.to_vec();
                other[at % bytes.len()] ^= mask;
                self.file.write(&other)
            }
            None => self.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Read for FaultyFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match FaultyFile::next_call(Injection::needs_no_space) {
            Some(Injection::Fails(kind)) => Err(kind.into()),
            Some(_) | None => self.file.read(bytes),
        }
    }
}

impl Seek for FaultyFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
