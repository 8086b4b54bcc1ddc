//! One compilation at a time for each program: the first caller leads, others wait for what comes of it, errors included.
//! A refused program is not tried again for a while. What a compilation behind callers' backs failed at is told to the
//! next one who asks.

use super::ProgramKey;
use crate::programs::program::Program;
use crate::resilience::clock::SystemClock;
use crate::resilience::gate::WaitLimit;
use crate::resilience::parker::{Parker, Signal};
use pointsman_device::{DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// How long a refused program is not tried again.
pub(super) const REFUSED_FOR: Duration = Duration::from_secs(60);
/// The most refusals, and the most untold errors, that are remembered.
const REFUSALS_MAX: usize = 1024;

/// What is under way, and what was refused.
#[derive(Default)]
pub(super) struct SingleFlight(Mutex<State>);

#[derive(Default)]
struct State {
    under_way: HashMap<ProgramKey, Arc<Compilation>>,
    refused: HashMap<ProgramKey, Refusal>,
    /// Errors behind callers' backs that nobody was told yet.
    untold: HashMap<ProgramKey, DeviceError>,
}

struct Refusal {
    error: DeviceError,
    until: Duration,
}

/// A compilation under way.
#[derive(Default)]
pub(super) struct Compilation(Mutex<CompilationState>);

#[derive(Default)]
struct CompilationState {
    result: Option<DeviceResult<Arc<Program>>>,
    /// Those who wait, but for those who gave up.
    bells: Vec<Weak<Parker>>,
}

impl Compilation {
    /// Waits for what comes of it; `None` if it was still under way when the caller's bounds were reached. Without
    /// bounds there is always something.
    pub(super) fn wait(&self, bounds: Option<&WaitLimit<'_>>) -> Option<DeviceResult<Arc<Program>>> {
        let bell = Arc::new(Parker::new());
        {
            let mut landing = lock(&self.0);
            if landing.result.is_some() {
                return landing.result.clone();
            }
            landing.bells.retain(|bell| bell.strong_count() > 0);
            landing.bells.push(Arc::downgrade(&bell));
        }
        match bounds {
            Some(bounds) => bounds.wait(&bell),
            None => bell.wait(&SystemClock::start(), None),
        };
        lock(&self.0).result.clone()
    }

    /// Whether it is over.
    fn has_landed(&self) -> bool {
        lock(&self.0).result.is_some()
    }

    /// Ends it, for all who wait.
    fn land(&self, result: DeviceResult<Arc<Program>>) {
        let bells = {
            let mut landing = lock(&self.0);
            landing.result.get_or_insert(result);
            std::mem::take(&mut landing.bells)
        };
        for bell in bells.iter().filter_map(Weak::upgrade) {
            bell.tell(Signal::Turn);
        }
    }
}

/// What a caller is to do.
pub(super) enum CompileRole {
    /// Use this one: it was loaded meanwhile.
    Loaded(Arc<Program>),
    /// Nothing: it was refused not long ago, or this is what became of it behind callers' backs.
    Refused(DeviceError),
    /// Wait for another caller's compilation.
    Join(Arc<Compilation>),
    /// Compile it, and land.
    CompileGuard(CompileGuard),
}

/// The duty to land. Dropped without, it lands with an error, so that nobody waits for ever.
pub(super) struct CompileGuard {
    flights: Arc<SingleFlight>,
    pub(super) key: Box<ProgramKey>,
    flight: Arc<Compilation>,
    is_background: bool,
}

impl SingleFlight {
    /// What to do about a program. `loaded` looks among the loaded ones.
    pub(super) fn board(
        self: &Arc<Self>,
        key: &ProgramKey,
        now: Duration,
        loaded: impl FnOnce() -> Option<Arc<Program>>,
    ) -> CompileRole {
        let mut state = lock(&self.0);
        if let Some(flight) = state.under_way.get(key) {
            return CompileRole::Join(flight.clone());
        }
        // A program is among the loaded ones before its flight lands, so it is in one of both places.
        if let Some(program) = loaded() {
            return CompileRole::Loaded(program);
        }
        if let Some(error) = state.untold.remove(key) {
            return CompileRole::Refused(error);
        }
        if let Some(refusal) = state.refused.get(key).filter(|refusal| now < refusal.until) {
            return CompileRole::Refused(refusal.error.clone());
        }
        state.refused.remove(key);
        let flight = Arc::new(Compilation::default());
        state.under_way.insert(key.clone(), flight.clone());
        CompileRole::CompileGuard(CompileGuard {
            flights: self.clone(),
            key: Box::new(key.clone()),
            flight,
            is_background: false,
        })
    }

    /// Until when a program is not tried again, if it was refused.
    pub(super) fn refused_until(&self, key: &ProgramKey) -> Option<Duration> {
        lock(&self.0).refused.get(key).map(|refusal| refusal.until)
    }

    /// Someone who waited was told what a program failed at.
    pub(super) fn told(&self, key: &ProgramKey) {
        lock(&self.0).untold.remove(key);
    }

    /// Remembers a refusal.
    fn refuse(&self, key: &ProgramKey, error: DeviceError, now: Duration) {
        let mut state = lock(&self.0);
        state.refused.retain(|_, refusal| now < refusal.until);
        if state.refused.len() >= REFUSALS_MAX {
            let first = state.refused.iter().min_by_key(|(_, refusal)| refusal.until).map(|(key, _)| key.clone());
            first.map(|first| state.refused.remove(&first));
        }
        state.refused.insert(key.clone(), Refusal { error, until: now.saturating_add(REFUSED_FOR) });
    }
}

impl CompileGuard {
    /// The caller does not wait for it: an error is kept for the next one who asks.
    pub(super) fn in_background(mut self) -> CompileGuard {
        self.is_background = true;
        self
    }

    /// Ends the flight with a program.
    pub(super) fn land(self, program: Arc<Program>) {
        self.end(Ok(program));
    }

    /// Ends the flight with an error, which is remembered from `now` on if trying again soon would be in vain.
    pub(super) fn refuse(self, error: DeviceError, now: Duration) {
        if is_refusal(error.kind) {
            self.flights.refuse(&self.key, error.clone(), now);
        }
        self.end(Err(error));
    }

    fn end(&self, result: DeviceResult<Arc<Program>>) {
        let mut state = lock(&self.flights.0);
        state.under_way.remove(&self.key);
        if let Err(error) = &result
            && self.is_background
            && !state.refused.contains_key(&*self.key)
            && state.untold.len() < REFUSALS_MAX
        {
            state.untold.insert(ProgramKey::clone(&self.key), error.clone());
        }
        drop(state);
        self.flight.land(result);
    }
}

impl Drop for CompileGuard {
    fn drop(&mut self) {
        if !self.flight.has_landed() {
            self.end(Err(DeviceError::new(DeviceErrorKind::Internal, "a compilation ended before it was done")));
        }
    }
}

/// Whether trying again soon would fail again.
fn is_refusal(kind: DeviceErrorKind) -> bool {
    match kind {
        DeviceErrorKind::Compile | DeviceErrorKind::Unsupported | DeviceErrorKind::Internal => true,
        DeviceErrorKind::OutOfMemory
        | DeviceErrorKind::Transient
        | DeviceErrorKind::Lost
        | DeviceErrorKind::Timeout
        | DeviceErrorKind::Stopped
        | DeviceErrorKind::InvalidArgument => false,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
