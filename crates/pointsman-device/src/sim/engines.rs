//! What does the work of a simulated device: one engine for copies in, one for launches, one for copies out. They work at
//! the same time, each on one thing after the other, in the order of the calls. Where the options say so, copies in of
//! different streams do not wait for each other.

use super::NEVER;
use super::work::Work;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What simulated devices have in common: copies of all those that name the same one go one behind the other, in both
/// directions, as where one thread of the host does them. Clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct SimHost(Arc<Mutex<Duration>>);

impl SimHost {
    /// One that has nothing to do.
    pub fn new() -> SimHost {
        SimHost::default()
    }

    /// Is busy from when it is free, not before `start`, for so long; when that is over.
    fn occupy(&self, start: Duration, takes: Duration) -> Duration {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *free = start.max(*free).saturating_add(takes);
        *free
    }
}

/// What a simulated device draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimWatts {
    /// All the time.
    pub idle: f64,
    /// Beside that, while a copy or a launch is under way: each of them, if there are several.
    pub work: f64,
}

impl SimWatts {
    /// The joules of so much time, and of so much work in it.
    pub(super) fn joules(self, time: Duration, work: Duration) -> f64 {
        self.idle * time.as_secs_f64() + self.work * work.as_secs_f64()
    }
}

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
    /// What all work takes that they were given so far.
    given: Duration,
    /// Whether copies in keep no engine.
    copies_in_at_once: bool,
    /// What all copies wait for.
    host: Option<SimHost>,
}

impl Engines {
    pub(super) fn new(copies_in_at_once: bool, host: Option<SimHost>) -> Engines {
        Engines { copies_in_at_once, host, ..Engines::default() }
    }

    /// Gives an engine work that may start then and takes so long; its end. What never ends keeps no engine.
    pub(super) fn occupy(&mut self, engine: Engine, start: Duration, takes: Duration) -> Duration {
        if takes != NEVER {
            self.given = self.given.saturating_add(takes);
        }
        if self.copies_in_at_once && engine == Engine::CopyIn {
            return start.saturating_add(takes);
        }
        let free = &mut self.ends[engine as usize];
        let start = start.max(*free);
        let end = match (&self.host, engine) {
            (Some(host), Engine::CopyIn | Engine::CopyOut) => host.occupy(start, takes),
            (Some(_), Engine::Run) | (None, _) => start.saturating_add(takes),
        };
        if end != NEVER {
            *free = end;
        }
        end
    }

    /// What all work takes that they were given so far: it draws what it draws as soon as it is queued.
    pub(super) fn given(&self) -> Duration {
        self.given
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_through_one_host_wait_for_each_other_and_launches_do_not() {
        let (host, second) = (SimHost::new(), Duration::from_secs(1));
        let [mut one, mut other] = [(); 2].map(|()| Engines::new(false, Some(host.clone())));
        assert_eq!(one.occupy(Engine::CopyIn, Duration::ZERO, second), second);
        assert_eq!(other.occupy(Engine::CopyOut, Duration::ZERO, second), 2 * second);
        assert_eq!(other.occupy(Engine::Run, Duration::ZERO, second), second);
        assert_eq!(one.occupy(Engine::CopyOut, Duration::ZERO, second), 3 * second);
        let mut alone = Engines::new(false, None);
        assert_eq!(alone.occupy(Engine::CopyIn, Duration::ZERO, second), second);
    }
}
