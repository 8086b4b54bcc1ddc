//! [`Process`]: the process that opened a resource. A child that `fork` made has a copy of its parent's memory, but
//! none of its other threads: locks that those threads held stay locked forever, and drivers do not work.
//!
//! `pthread_atfork` counts forks, so [`Process::is_same`] costs one load. A child of a direct `clone` system call is
//! noticed only by [`Process::is_current`], which compares process ids.

use std::sync::atomic::{AtomicU32, Ordering};

/// The number of forks that lead from the process that registered the handler to this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// The process that opened a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    forks: u32,
    id: u32,
}

impl Process {
    /// This process.
    pub fn current() -> Process {
        count_forks();
        Process { forks: FORKS.load(Ordering::Relaxed), id: std::process::id() }
    }

    /// Whether this is still the same process, not a child that `fork` made of it. Costs one load.
    #[inline]
    pub fn is_same(self) -> bool {
        self.forks == FORKS.load(Ordering::Relaxed)
    }

    /// Whether the calling process is this one, by the count of forks and by its id. Costs a system call.
    pub fn is_current(self) -> bool {
        self.is_same() && self.id == std::process::id()
    }
}

/// Counts the forks of this process from now on.
#[cfg(unix)]
fn count_forks() {
    static REGISTERED: std::sync::Once = std::sync::Once::new();
    extern "C" fn in_child() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    REGISTERED.call_once(|| {
        // If there is no memory for the handler, only `is_current` notices a child.
        // SAFETY: the handler does nothing but an atomic addition, which is allowed in a child of any process.
        let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

/// Other systems do not fork.
#[cfg(not(unix))]
fn count_forks() {}
