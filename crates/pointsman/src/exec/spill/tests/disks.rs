//! Disks in trouble: at one of their calls they refuse, take a part, lose or change bytes.

use crate::cache_dir;
use crate::exec::spill::file::Medium;
use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A directory that goes with the test.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Scratch(std::env::temp_dir().join(format!("pointsman-spill-{}-{number}", std::process::id())))
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.clone()
    }

    /// What lies there now.
    pub(crate) fn names(&self) -> Vec<String> {
        let files = fs::read_dir(&self.0).into_iter().flatten();
        let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What happens at one call of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It cannot make, write or read for this reason.
    Refuses(io::ErrorKind),
    /// It takes half of what is written, and then nothing.
    Half,
    /// It says that it took everything, but the end is lost.
    Loses,
    /// It writes another bit.
    Flips,
}

pub(crate) const TROUBLES: [Trouble; 6] = [
    Trouble::Refuses(io::ErrorKind::StorageFull),
    Trouble::Refuses(io::ErrorKind::PermissionDenied),
    Trouble::Refuses(io::ErrorKind::TimedOut),
    Trouble::Half,
    Trouble::Loses,
    Trouble::Flips,
];

impl Trouble {
    /// What the error says.
    pub(crate) fn words(self) -> impl Iterator<Item = &'static str> {
        let words: [&str; 2] = match self {
            Trouble::Refuses(io::ErrorKind::StorageFull) | Trouble::Half => ["bytes of spilled", "free some space"],
            Trouble::Refuses(io::ErrorKind::PermissionDenied) => ["spilled columns", "a directory of your own"],
            Trouble::Refuses(_) => ["spilled columns", "what is wrong with the disk"],
            Trouble::Loses | Trouble::Flips => ["spilled columns", "run the query again"],
        };
        words.into_iter()
    }
}

thread_local! {
    /// Calls until the trouble.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    static TROUBLE: Cell<Trouble> = const { Cell::new(Trouble::Half) };
    static FIRED: Cell<bool> = const { Cell::new(false) };
}

/// A file on a disk in trouble.
pub(crate) struct Disk {
    file: File,
    /// It took half of what was written.
    is_stuck: bool,
}

impl Disk {
    /// The trouble of this thread's disk comes behind so many calls. Calls that cannot have it are not counted.
    pub(crate) fn fail_at(call: u64, trouble: Trouble) {
        LEFT.set(call);
        TROUBLE.set(trouble);
        FIRED.set(false);
    }

    /// Whether it came.
    pub(crate) fn fired() -> bool {
        FIRED.get()
    }

    pub(crate) fn create(path: &Path) -> io::Result<Box<dyn Medium>> {
        let file = cache_dir::create_private_file(path)?;
        match Disk::now(|trouble| matches!(trouble, Trouble::Refuses(kind) if kind != io::ErrorKind::StorageFull)) {
            // The file is made, as by a system that then fails to open it; whoever asked for it never has it.
            Some(Trouble::Refuses(kind)) => {
                fs::remove_file(path)?;
                Err(kind.into())
            }
            Some(_) | None => Ok(Box::new(Disk { file, is_stuck: false })),
        }
    }

    /// The trouble, if a call that can have it has it now.
    fn now(can: impl Fn(Trouble) -> bool) -> Option<Trouble> {
        if !can(TROUBLE.get()) {
            return None;
        }
        let left = LEFT.get();
        LEFT.set(left.wrapping_sub(1));
        (left == 0).then(|| {
            FIRED.set(true);
            TROUBLE.get()
        })
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_stuck {
            return Ok(0);
        }
        match Disk::now(|_| true) {
            Some(Trouble::Refuses(kind)) => Err(kind.into()),
            Some(Trouble::Half) => {
                self.is_stuck = true;
                self.file.write(&bytes[..bytes.len() / 2])
            }
            Some(Trouble::Loses) => {
                let kept = bytes.len() / 2;
                self.file.write_all(&bytes[..kept])?;
                // What comes behind lies where it should.
                self.file.seek(SeekFrom::Current((bytes.len() - kept) as i64))?;
                Ok(bytes.len())
            }
            Some(Trouble::Flips) => {
                let mut other = bytes.to_vec();
                other[bytes.len() / 3] ^= 0x10;
                self.file.write(&other)
            }
            None => self.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Read for Disk {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match Disk::now(|trouble| matches!(trouble, Trouble::Refuses(kind) if kind != io::ErrorKind::StorageFull)) {
            Some(Trouble::Refuses(kind)) => Err(kind.into()),
            Some(_) | None => self.file.read(bytes),
        }
    }
}

impl Seek for Disk {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A file whose name is there only once something is written, so that it cannot be removed before.
pub(crate) fn late(path: &Path) -> io::Result<Box<dyn Medium>> {
    Ok(Box::new(Late { path: path.to_path_buf(), file: None }))
}

struct Late {
    path: PathBuf,
    file: Option<File>,
}

impl Write for Late {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.file.is_none() {
            self.file = Some(cache_dir::create_private_file(&self.path)?);
        }
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Late {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.read(bytes))
    }
}

impl Seek for Late {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.as_mut().map_or(Ok(0), |file| file.seek(to))
    }
}
