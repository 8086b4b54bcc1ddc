//! A gate before the compiler: while it is shut, compilations wait behind it, and whoever shut it can see them.
//!
//! So a test has a compilation as slow as it likes, and never waits for the clock on the wall.

use super::SimDevice;
use std::sync::{Condvar, Mutex, PoisonError};

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
    /// Compilations that came by, shut or open.
    passed: u64,
    loads: u64,
}

impl CompileGate {
    /// Goes through; waits while the gate is shut.
    pub(super) fn pass(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting += 1;
        state.passed += 1;
        self.changed.notify_all();
        while state.is_shut {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
    }

    /// Counts an image that was loaded.
    pub(super) fn loaded(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).loads += 1;
    }
}

impl SimDevice {
    /// Makes compilations wait from now on.
    pub fn block_compilations(&self) {
        self.gate.state.lock().unwrap_or_else(PoisonError::into_inner).is_shut = true;
    }

    /// Lets all compilations go on.
    pub fn unblock_compilations(&self) {
        self.gate.state.lock().unwrap_or_else(PoisonError::into_inner).is_shut = false;
        self.gate.changed.notify_all();
    }

    /// Waits until so many compilations stand before the shut gate.
    pub fn wait_for_blocked_compilations(&self, count: usize) {
        let state = self.gate.state.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.gate.changed.wait_while(state, |state| state.waiting < count));
    }

    /// How many compilations were asked for.
    pub fn compilations(&self) -> u64 {
        self.gate.state.lock().unwrap_or_else(PoisonError::into_inner).passed
    }

    /// How many images were loaded.
    pub fn loads(&self) -> u64 {
        self.gate.state.lock().unwrap_or_else(PoisonError::into_inner).loads
    }
}
