//! A session in a child that `fork` made: dropping it does no harm, and its queries end with an error.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use pointsman::{ErrorKind, Session, SessionOptions};
use pointsman_device::sim::{SimDevice, SimOptions};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// Held by each test: a child must not be forked while another test's thread holds a lock of the process.
static ALONE: Mutex<()> = Mutex::new(());

/// A child that takes longer hangs.
const CHILD_SECONDS: libc::c_uint = 20;

/// Runs a closure in a forked child, and returns the child's status: 0 if the closure returned.
fn in_child(closure: impl FnOnce()) -> libc::c_int {
    // SAFETY: the child runs the closure and ends without returning to the test harness.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "the system cannot fork");
    if child == 0 {
        // SAFETY: the signal ends a child that hangs.
        unsafe { libc::alarm(CHILD_SECONDS) };
        let ended = catch_unwind(AssertUnwindSafe(closure));
        // SAFETY: ends the child without running the destructors of its copy of the harness.
        unsafe { libc::_exit(i32::from(ended.is_err())) };
    }
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    status
}

/// A session whose threads all run: workers of the CPU, asynchronous queries, and a device.
fn busy_session(rows: &[i64]) -> (Arc<SimDevice>, Session) {
    let device = Arc::new(SimDevice::new(SimOptions::default()));
    let session = SessionOptions::new().threads(4).add_device(device.clone()).open().unwrap();
    for device in ["cpu", "sim"] {
        assert_eq!(session.from(rows).map(|x| x + 1).require(device).count().unwrap(), rows.len() as u64);
    }
    (device, session)
}

#[test]
fn session_inherited_through_fork_is_dropped_without_harm_and_answers_with_an_error() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let rows: Vec<i64> = (0..2_000_000).collect();
    let (device, session) = busy_session(&rows);
    let prepared = Arc::new(session.prepare(|x: pointsman::I64| x * 2).unwrap().require("sim"));
    prepared.run(&[1]).unwrap();
    device.block_compilations();
    let promise = session.from(rows.clone()).map(|x| (x - 7) * x).require("sim").run_async();
    device.wait_for_blocked_compilations(1);
    let mut held = Some((session.clone(), prepared.clone(), promise));
    let status = in_child(|| {
        let errors = [
            session.from(&rows).map(|x| x + 1).run().map(drop).unwrap_err(),
            session.from(&[1i64]).map(|x| x + 3).require("cpu").run().map(drop).unwrap_err(),
            prepared.run(&[1]).map(drop).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
            assert!(error.message().contains("fork"), "{error}");
        }
        drop(held.take());
        let loads = device.loads();
        drop((session.clone(), prepared.clone()));
        assert_eq!(device.loads(), loads);
        // The child works with a session of its own.
        let own = SessionOptions::new().threads(2).open().unwrap();
        assert_eq!(own.from(&rows).require("cpu").count().unwrap(), rows.len() as u64);
    });
    assert_eq!(status, 0, "the child panicked or hung");
    device.unblock_compilations();
    assert!(held.is_some());
    assert_eq!(prepared.run(&[4]).unwrap()[..], [8], "the parent's session is as it was");
}

#[test]
fn last_handle_of_a_session_is_dropped_in_the_child() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (device, session) = busy_session(&[1, 2, 3]);
    let mut session = Some(session);
    assert_eq!(in_child(|| drop(session.take())), 0, "the child panicked or hung");
    assert_eq!(device.buffers(), 0);
    drop(session);
}
