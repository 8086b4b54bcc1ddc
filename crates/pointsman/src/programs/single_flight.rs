//! [`SingleFlight`]: at most one compilation of a program at a time.
//!
//! The first caller compiles; later callers wait and get the same result, errors included. A program that the compiler
//! refused is not compiled again for [`REFUSAL_TIME`]. The error of a background compilation, for which no caller
//! waited, is reported once, to the next caller that needs the program.

use super::{ProgramKey, ProgramSource};
use crate::programs::program::Program;
use crate::resilience::clock::SystemClock;
use crate::resilience::gate::WaitLimit;
use crate::resilience::parker::{Parker, Signal};
use crate::sync::Mutex;
use pointsman_device::{DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// How long a refused program is not compiled again.
pub(super) const REFUSAL_TIME: Duration = Duration::from_secs(60);
/// The maximum number of errors that are remembered.
const ERRORS_MAX: usize = 1024;

/// The compilations in progress, and the errors of past ones.
#[derive(Default)]
pub(super) struct SingleFlight(Mutex<SingleFlightState>);

#[derive(Default)]
struct SingleFlightState {
    in_progress: HashMap<ProgramKey, Arc<Compilation>>,
    errors: HashMap<ProgramKey, PastError>,
}

/// The error of a compilation that is over.
struct PastError {
    error: DeviceError,
    /// Until when the program is not compiled again; `None` for the error of a background compilation.
    until: Option<Duration>,
}

/// A compilation in progress.
pub(super) struct Compilation {
    pub(super) key: ProgramKey,
    /// When it began, by the session's clock.
    pub(super) started: Duration,
    state: Mutex<CompilationState>,
}

#[derive(Default)]
struct CompilationState {
    result: Option<DeviceResult<Arc<Program>>>,
    /// Whether no stored program was found.
    is_compiling: bool,
    /// The waiting callers; those that gave up have dropped their parker.
    waiters: Vec<Weak<Parker>>,
}

impl Compilation {
    /// Waits for the result; `None` if `limit` is reached before. Without a limit there is always a result.
    pub(super) fn wait(&self, limit: Option<&WaitLimit<'_>>) -> Option<DeviceResult<Arc<Program>>> {
        self.wait_until(limit, |_| false);
        self.state.lock().result.clone()
    }

    /// Waits until it is known whether the program is stored, and for its result if it is; `None` if the program has to
    /// be compiled, or if `limit` is reached before.
    pub(super) fn wait_for_stored(&self, limit: Option<&WaitLimit<'_>>) -> Option<DeviceResult<Arc<Program>>> {
        self.wait_until(limit, |state| state.is_compiling);
        let state = self.state.lock();
        // What was compiled meanwhile is for the next call, so that the outcome does not depend on the compiler's
        // speed.
        if state.is_compiling { None } else { state.result.clone() }
    }

    /// Waits within `limit` until there is a result, or nothing left to wait for.
    fn wait_until(&self, limit: Option<&WaitLimit<'_>>, is_over: fn(&CompilationState) -> bool) {
        let mut is_woken = true;
        while is_woken {
            let parker = Arc::new(Parker::new());
            {
                let mut state = self.state.lock();
                if state.result.is_some() || is_over(&state) {
                    return;
                }
                state.waiters.retain(|waiter| waiter.strong_count() > 0);
                state.waiters.push(Arc::downgrade(&parker));
            }
            is_woken = match limit {
                Some(limit) => limit.wait(&parker).is_ok(),
                None => parker.wait(&SystemClock::start(), None) == Signal::Wake,
            };
        }
    }

    /// Records that the program is not stored: those that wait only for a stored one need not wait any longer.
    pub(super) fn begin_compiling(&self) {
        self.update(|state| state.is_compiling = true);
    }

    /// The origin of the program, if it was available after this time.
    pub(super) fn source(&self, took: Duration) -> ProgramSource {
        if self.state.lock().is_compiling { ProgramSource::Compiled(took) } else { ProgramSource::Disk(took) }
    }

    /// Changes the state and wakes all waiters, which look at it again.
    fn update(&self, change: impl FnOnce(&mut CompilationState)) {
        let waiters = {
            let mut state = self.state.lock();
            change(&mut state);
            std::mem::take(&mut state.waiters)
        };
        for waiter in waiters.iter().filter_map(Weak::upgrade) {
            waiter.signal(Signal::Wake);
        }
    }
}

/// The role of a caller that needs a program.
pub(super) enum CompileRole {
    /// Use this program: it is loaded.
    Loaded(Arc<Program>),
    /// Return this error: the compiler refused the program recently, or a background compilation failed.
    Failed(DeviceError),
    /// Wait for another caller's compilation.
    Join(Arc<Compilation>),
    /// Compile the program and publish the result.
    Lead(CompileGuard),
}

/// The obligation to publish the result of a compilation. Dropping it publishes an error, so no caller waits forever.
pub(super) struct CompileGuard {
    single_flight: Arc<SingleFlight>,
    pub(super) compilation: Arc<Compilation>,
    /// Whether the error is kept for the next caller, because none waits for it.
    pub(super) is_background: bool,
}

impl SingleFlight {
    /// Decides what the caller has to do for a program. `loaded` looks the program up among the loaded ones.
    pub(super) fn join_or_lead(
        self: &Arc<Self>,
        key: &ProgramKey,
        now: Duration,
        loaded: impl FnOnce() -> Option<Arc<Program>>,
    ) -> CompileRole {
        let mut state = self.0.lock();
        if let Some(compilation) = state.in_progress.get(key) {
            return CompileRole::Join(compilation.clone());
        }
        // A program is added to the loaded ones before its compilation ends, so it is always found in one of both.
        if let Some(program) = loaded() {
            return CompileRole::Loaded(program);
        }
        if let Some(refused) = state.errors.get(key).filter(|past| past.until.is_some_and(|until| now < until)) {
            return CompileRole::Failed(refused.error.clone());
        }
        if let Some(PastError { error, until: None }) = state.errors.remove(key) {
            return CompileRole::Failed(error);
        }
        let compilation = Arc::new(Compilation { key: key.clone(), started: now, state: Mutex::default() });
        state.in_progress.insert(key.clone(), compilation.clone());
        CompileRole::Lead(CompileGuard { single_flight: self.clone(), compilation, is_background: false })
    }

    /// If a program was refused, the moment from which it is compiled again.
    pub(super) fn refused_until(&self, key: &ProgramKey) -> Option<Duration> {
        self.0.lock().errors.get(key)?.until
    }

    /// The number of compilations, for one device or for all, that began at least `timeout` ago.
    pub(super) fn overdue(&self, device: Option<&str>, now: Duration, timeout: Duration) -> usize {
        let is_overdue = |((_, name), one): &(&ProgramKey, &Arc<Compilation>)| {
            device.is_none_or(|device| name == device) && now >= one.started.saturating_add(timeout)
        };
        self.0.lock().in_progress.iter().filter(is_overdue).count()
    }

    /// A waiting caller received the error of this program, so the next caller need not.
    pub(super) fn mark_reported(&self, key: &ProgramKey) {
        let mut state = self.0.lock();
        if state.errors.get(key).is_some_and(|past| past.until.is_none()) {
            state.errors.remove(key);
        }
    }
}

impl SingleFlightState {
    /// Remembers an error. If there are too many, forgets the refusal that ends first; without one, the new error.
    fn remember(&mut self, key: &ProgramKey, error: PastError) {
        if self.errors.len() >= ERRORS_MAX {
            let refusals = self.errors.iter().filter(|(_, past)| past.until.is_some());
            let first = refusals.min_by_key(|(_, past)| past.until).map(|(key, _)| key.clone());
            let Some(first) = first else { return };
            self.errors.remove(&first);
        }
        self.errors.insert(key.clone(), error);
    }
}

impl CompileGuard {
    /// Ends the compilation. If it failed and would fail again soon, the error is remembered from `now`.
    pub(super) fn publish(self, result: DeviceResult<Arc<Program>>, now: Duration) {
        let is_refused = result.as_ref().is_err_and(|error| is_refusal(error.kind));
        self.end(result, is_refused.then(|| now.saturating_add(REFUSAL_TIME)));
    }

    /// Ends a compilation that did not begin, because no thread was free for it. Callers that joined it try again.
    pub(super) fn give_up(self) {
        self.end_with(DeviceErrorKind::Transient, "all threads that compile are busy");
    }

    /// Ends a compilation that panicked. A caller receives the error once; the call after it compiles again.
    pub(super) fn end_panicked(self, text: &str) {
        self.end_with(DeviceErrorKind::Internal, &format!("the compilation panicked: {text}"));
    }

    fn end_with(&self, kind: DeviceErrorKind, text: &str) {
        self.end(Err(DeviceError::new(kind, text)), None);
    }

    fn end(&self, result: DeviceResult<Arc<Program>>, refused_until: Option<Duration>) {
        let mut state = self.single_flight.0.lock();
        state.in_progress.remove(&self.compilation.key);
        if let Err(error) = &result
            && (refused_until.is_some() || self.is_background)
        {
            state.remember(&self.compilation.key, PastError { error: error.clone(), until: refused_until });
        }
        drop(state);
        self.compilation.update(|state| state.result = Some(result));
    }
}

impl Drop for CompileGuard {
    fn drop(&mut self) {
        if self.compilation.state.lock().result.is_none() {
            self.end_with(DeviceErrorKind::Internal, "a compilation ended before it was done");
        }
    }
}

/// Whether compiling again soon would fail with the same error.
fn is_refusal(kind: DeviceErrorKind) -> bool {
    match kind {
        DeviceErrorKind::Compile | DeviceErrorKind::Unsupported | DeviceErrorKind::Internal => true,
        DeviceErrorKind::OutOfMemory
        | DeviceErrorKind::Transient
        | DeviceErrorKind::Lost
        | DeviceErrorKind::Timeout
        | DeviceErrorKind::Expired
        | DeviceErrorKind::Stopped
        | DeviceErrorKind::InvalidArgument => false,
    }
}
