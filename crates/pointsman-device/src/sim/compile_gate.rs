//! A gate in front of the compiler: while it is closed, compilations wait, and the test that closed it can count them.
//!
//! So a test can make a compilation as slow as it likes, without waiting for real time.

use super::SimDevice;
use crate::sync::{Condvar, Mutex};

/// The gate of a device.
#[derive(Debug, Default)]
pub(super) struct CompileGate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    is_shut: bool,
    waiting: usize,
    /// The number of compilations requested.
    passed: u64,
    loads: u64,
}

impl CompileGate {
    /// Passes the gate; waits while it is closed.
    pub(super) fn pass(&self) {
        let mut state = self.state.lock();
        state.waiting += 1;
        state.passed += 1;
        self.changed.notify_all();
        while state.is_shut {
            state = self.changed.wait(state);
        }
        state.waiting -= 1;
    }

    /// Counts a loaded image.
    pub(super) fn loaded(&self) {
        self.state.lock().loads += 1;
    }
}

impl SimDevice {
    /// Makes compilations wait from now on.
    pub fn block_compilations(&self) {
        self.gate.state.lock().is_shut = true;
    }

    /// Lets all compilations continue.
    pub fn unblock_compilations(&self) {
        self.gate.state.lock().is_shut = false;
        self.gate.changed.notify_all();
    }

    /// Waits until `count` compilations wait at the closed gate.
    pub fn wait_for_blocked_compilations(&self, count: usize) {
        let state = self.gate.state.lock();
        drop(self.gate.changed.wait_while(state, |state| state.waiting < count));
    }

    /// The number of compilations requested.
    pub fn compilations(&self) -> u64 {
        self.gate.state.lock().passed
    }

    /// The number of images loaded.
    pub fn loads(&self) -> u64 {
        self.gate.state.lock().loads
    }
}
