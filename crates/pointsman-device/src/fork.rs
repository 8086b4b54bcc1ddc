//! [`Process`]: which process opened something. A child that `fork` made has copies of its parent's memory, but not the
//! threads that work on it, and locks that other threads held stay locked for ever; drivers do not survive either.
//!
//! `pthread_atfork` counts forks, so a check costs one load. A child of the bare system call `clone` is recognised only
//! where the process id is compared.

use std::sync::atomic::{AtomicU32, Ordering};

/// The number of forks between the first process and this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// The process that opened something.
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

    /// Whether this is still the same process. Costs one load.
    #[inline]
    pub fn is_same(self) -> bool {
        self.forks == FORKS.load(Ordering::Relaxed)
    }

    /// Whether this is still the same process, by its id as well. Costs a system call.
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
        // SAFETY: the handler does nothing but an atomic addition, which is allowed in a child of any process.
        let failed = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        // Without memory for the handler, the process id alone tells a child.
        let _ = failed;
    });
}

/// Other systems do not fork.
#[cfg(not(unix))]
fn count_forks() {}
