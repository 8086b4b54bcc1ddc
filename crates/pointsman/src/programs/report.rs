//! [`ProgramSource`]: the origin of a stage's program. [`ProgramCacheReport`]: the counters of a whole session.

use super::Programs;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The origin of a stage's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramSource {
    /// It was loaded.
    Memory,
    /// Its image was read from the disk and loaded, in this time.
    Disk(Duration),
    /// It was compiled and loaded, in this time.
    Compiled(Duration),
    /// Another query was compiling it, and this one waited for so long.
    Waited(Duration),
}

impl ProgramSource {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            ProgramSource::Memory => "memory",
            ProgramSource::Disk(_) => "disk",
            ProgramSource::Compiled(_) => "compiled",
            ProgramSource::Waited(_) => "waited",
        }
    }

    /// How long it took; nothing if it was loaded.
    pub const fn took(self) -> Duration {
        match self {
            ProgramSource::Memory => Duration::ZERO,
            ProgramSource::Disk(took) | ProgramSource::Compiled(took) | ProgramSource::Waited(took) => took,
        }
    }
}

impl fmt::Display for ProgramSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramSource::Memory => f.write_str("loaded"),
            ProgramSource::Disk(took) => write!(f, "from disk in {took:.1?}"),
            ProgramSource::Compiled(took) => write!(f, "compiled in {took:.1?}"),
            ProgramSource::Waited(took) => write!(f, "waited {took:.1?} for another's compilation"),
        }
    }
}

/// The counters of a session's program cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramCacheReport {
    /// The directory of stored programs; `None` if there is none.
    pub directory: Option<PathBuf>,
    /// Why programs are not stored; `None` if they are.
    pub off: Option<String>,
    /// The number of compilations, including failed ones.
    pub compiled: u64,
    /// The number of programs read from the disk.
    pub from_disk: u64,
    /// How often a query waited for a compilation by another query.
    pub waited: u64,
    /// The number of stored programs that were damaged or refused by their device, and removed.
    pub damaged: u64,
    /// The number of stored programs that were not read because another user could have written them. They are compiled
    /// again.
    pub refused: u64,
    /// Why the last refused program was not read.
    pub last_refusal: Option<String>,
    /// The number of programs that could not be stored. Programs are stored in the background, so the number may lag.
    pub lost: u64,
    /// Why the last lost program could not be stored.
    pub last_loss: Option<String>,
}

impl Programs {
    /// Returns the counters; opens the store if it is not open yet.
    pub(crate) fn report(&self) -> ProgramCacheReport {
        self.store();
        self.current_report()
    }

    /// Returns the counters without opening the store; `directory` is `None` while it is not open.
    pub(crate) fn current_report(&self) -> ProgramCacheReport {
        let store = self.store.get();
        ProgramCacheReport {
            directory: store.and_then(|store| Some(store.as_ref().ok()?.directory().to_path_buf())),
            off: store.and_then(|store| store.as_ref().err().cloned()),
            ..self.counters.lock().clone()
        }
    }

    /// Counts a stored program that was not read; warns about the first one.
    pub(super) fn record_refusal(&self, why: String) {
        let mut counters = self.counters.lock();
        counters.refused += 1;
        if counters.last_refusal.is_none() {
            tracing::warn!(target: "pointsman", "a stored program is not used: {why}");
        }
        counters.last_refusal = Some(why);
    }

    /// Counts a program that could not be stored.
    pub(super) fn record_loss(&self, why: String) {
        let mut counters = self.counters.lock();
        counters.lost += 1;
        counters.last_loss = Some(why);
    }
}
