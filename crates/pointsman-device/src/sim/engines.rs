//! What does the work of a simulated device: one engine for copies in, one for launches, one for copies out. They work at
//! the same time, each on one thing after the other, in the order of the calls. Where the options say so, copies in of
//! different streams do not wait for each other.

use super::NEVER;
use super::work::Work;
use std::time::Duration;

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    /// Bytes to the device.
    CopyIn,
    /// Kernels.
    Run,
    /// Bytes to the host.
    CopyOut,
}

/// When each engine has done what it was given.
#[derive(Debug, Default)]
pub(super) struct Engines {
    ends: [Duration; 3],
    /// Whether copies in keep no engine.
    copies_in_at_once: bool,
}

impl Engines {
    pub(super) fn new(copies_in_at_once: bool) -> Engines {
        Engines { copies_in_at_once, ..Engines::default() }
    }

    /// Gives an engine work that may start then and takes so long; its end. What never ends keeps no engine.
    pub(super) fn occupy(&mut self, engine: Engine, start: Duration, takes: Duration) -> Duration {
        if self.copies_in_at_once && engine == Engine::CopyIn {
            return start.saturating_add(takes);
        }
        let free = &mut self.ends[engine as usize];
        let end = start.max(*free).saturating_add(takes);
        if end != NEVER {
            *free = end;
        }
        end
    }
}

impl Work {
    /// What does it.
    pub(super) fn engine(&self) -> Engine {
        match self {
            Work::CopyIn { .. } => Engine::CopyIn,
            Work::CopyOut { .. } => Engine::CopyOut,
            Work::Launch(_) => Engine::Run,
        }
    }
}
