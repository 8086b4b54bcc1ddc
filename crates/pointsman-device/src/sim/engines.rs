//! The engines of a simulated device: one for copies in, one for launches, one for copies out. They work concurrently,
//! each on one task after the other, in the order of the calls. Optionally, copies in of different streams do not wait
//! for each other.

use super::NEVER;
use super::work::Work;
use crate::sync::Mutex;
use std::sync::Arc;
use std::time::Duration;

/// A host that simulated devices share: the copies of all its devices run one after the other, in both directions, as
/// if one thread of the host did them. Clones are the same host.
#[derive(Clone, Debug, Default)]
pub struct SimHost(Arc<Mutex<Duration>>);

impl SimHost {
    /// Creates an idle host.
    pub fn new() -> SimHost {
        SimHost::default()
    }

    /// Occupies the host for `takes`, not before `start`; returns the end.
    fn occupy(&self, start: Duration, takes: Duration) -> Duration {
        let mut free = self.0.lock();
        *free = start.max(*free).saturating_add(takes);
        *free
    }
}

/// The power draw of a simulated device, in watts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimWatts {
    /// Drawn all the time.
    pub idle: f64,
    /// Drawn in addition by every copy and launch in flight.
    pub work: f64,
}

impl SimWatts {
    /// The joules used in `time`, with this much work in it.
    pub(super) fn joules(self, time: Duration, work: Duration) -> f64 {
        self.idle * time.as_secs_f64() + self.work * work.as_secs_f64()
    }
}

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    /// Copies to the device.
    CopyIn,
    /// Kernels.
    Run,
    /// Copies to the host.
    CopyOut,
}

/// The end times of the engines' work.
#[derive(Debug, Default)]
pub(super) struct Engines {
    ends: [Duration; 3],
    /// The total duration of all work so far.
    given: Duration,
    /// Whether copies in occupy no engine.
    copies_in_at_once: bool,
    /// The host that all copies occupy.
    host: Option<SimHost>,
}

impl Engines {
    pub(super) fn new(copies_in_at_once: bool, host: Option<SimHost>) -> Engines {
        Engines { copies_in_at_once, host, ..Engines::default() }
    }

    /// Gives an engine work that may start at `start`; returns its end. Work that never ends does not occupy the
    /// engine.
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

    /// The total duration of all work so far: work draws power as soon as it is queued.
    pub(super) fn given(&self) -> Duration {
        self.given
    }
}

impl Work {
    /// The engine that does the work.
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
    fn copies_of_one_host_are_serialised_and_launches_are_not() {
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
