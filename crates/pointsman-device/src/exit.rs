//! [`in_driver`]: what happens to threads that are inside a driver when the process exits.
//!
//! A process that exits runs the destructors of its libraries while its other threads keep running. A thread that
//! compiles in a driver then crashes, and the process ends with a signal instead of its status. So while such threads
//! exist, the process ends at once, with its status, without the destructors. Handlers of exit run in the reverse order
//! of their registration, and drivers load libraries when they compile, so threads register the handler again. (glibc
//! alone tells a handler the status; elsewhere nothing is done.)

use std::sync::atomic::{AtomicUsize, Ordering};

/// The threads that are inside a driver now.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread as inside a driver until it is dropped.
pub struct InDriver(());

/// Counts this thread as inside a driver until the returned guard is dropped. For threads that may still run when the
/// process exits.
pub fn in_driver() -> InDriver {
    THREADS.fetch_add(1, Ordering::SeqCst);
    register();
    InDriver(())
}

impl Drop for InDriver {
    fn drop(&mut self) {
        THREADS.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn register() {
    use std::ffi::{c_int, c_void};

    /// How often the handler is registered: more often than drivers load libraries.
    const TIMES: usize = 64;
    static REGISTERED: AtomicUsize = AtomicUsize::new(0);

    unsafe extern "C" {
        fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }

    extern "C" fn end_at_once(status: c_int, _: *mut c_void) {
        if THREADS.load(Ordering::SeqCst) > 0 {
            // SAFETY: a null pointer stands for all streams of C; Rust's were flushed before handlers run.
            unsafe { libc::fflush(std::ptr::null_mut()) };
            // SAFETY: ends the process.
            unsafe { libc::_exit(status) };
        }
    }

    if REGISTERED.fetch_add(1, Ordering::Relaxed) < TIMES {
        // SAFETY: the handler is a function of this program, and ignores its argument.
        let failed = unsafe { on_exit(end_at_once, std::ptr::null_mut()) };
        // Without memory for the handler, the process ends as it would without it.
        let _ = failed;
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn register() {}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, ExitStatus};

    /// Tells a child process of the tests what to do.
    const VARIABLE: &str = "POINTSMAN_TEST_EXIT";

    extern "C" fn destructor() {
        std::process::abort();
    }

    /// The process that the other test starts: exits while a thread is inside a driver, or after it has left it.
    #[test]
    #[ignore = "ends its process"]
    fn child() {
        let Ok(what) = std::env::var(VARIABLE) else { return };
        // SAFETY: registers a function of this program.
        assert_eq!(unsafe { libc::atexit(destructor) }, 0);
        let inside = in_driver();
        if what == "left" {
            drop(inside);
        }
        std::process::exit(7);
    }

    #[test]
    fn a_process_exits_without_destructors_while_a_thread_is_inside_a_driver() {
        let exit = |what: &str| -> ExitStatus {
            let program = std::env::current_exe().expect("a path");
            let mut child = Command::new(program);
            child.args(["--exact", "exit::tests::child", "--ignored"]).env(VARIABLE, what);
            child.output().expect("a process").status
        };
        assert_eq!(exit("left").signal(), Some(libc::SIGABRT), "the destructor runs");
        assert_eq!(exit("inside").code(), Some(7), "the destructor does not run");
    }
}
