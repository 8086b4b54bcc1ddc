//! [`SingleFlight`]: at most one compilation of a program at a time.
//!
//! The first caller compiles; later callers wait and get the same result, errors included. A program that the compiler
//! refused is not compiled again for [`REFUSAL_TIME`]. The error of a background compilation, which no caller waited
//! for, is reported once, to the next caller that asks for the program.

use super::ProgramKey;
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
/// The most refusals, and the most unreported errors, that are remembered.
const REFUSALS_MAX: usize = 1024;

/// The compilations in progress, and the errors of past ones.
#[derive(Default)]
pub(super) struct SingleFlight(Mutex<State>);

#[derive(Default)]
struct State {
    in_progress: HashMap<ProgramKey, Arc<Compilation>>,
    refused: HashMap<ProgramKey, Refusal>,
    /// Errors of background compilations that no caller has received yet.
    unreported: HashMap<ProgramKey, DeviceError>,
}

struct Refusal {
    error: DeviceError,
    until: Duration,
}

/// A compilation in progress.
pub(super) struct Compilation {
    /// When it began, by the session's clock.
    pub(super) started: Duration,
    state: Mutex<CompilationState>,
}

struct CompilationState {
    result: Option<DeviceResult<Arc<Program>>>,
    /// The waiting callers; those that gave up have dropped their parker. `None` once there is a result.
    waiters: Option<Vec<Weak<Parker>>>,
    /// The callers that wait only for a stored program; `None` once it is known whether there is one.
    stored_waiters: Option<Vec<Weak<Parker>>>,
    /// Whether no stored program was found.
    is_compiling: bool,
    /// Whether the program came from the store.
    came_from_store: bool,
}

impl Compilation {
    fn new(started: Duration) -> Compilation {
        let state = CompilationState {
            result: None,
            waiters: Some(Vec::new()),
            stored_waiters: Some(Vec::new()),
            is_compiling: false,
            came_from_store: false,
        };
        Compilation { started, state: Mutex::new(state) }
    }

    /// Waits for the result; `None` if the compilation is still in progress when `limit` is reached. Without a limit
    /// there is always a result.
    pub(super) fn wait(&self, limit: Option<&WaitLimit<'_>>) -> Option<DeviceResult<Arc<Program>>> {
        self.wait_among(limit, |state| &mut state.waiters);
        self.state.lock().result.clone()
    }

    /// Waits until it is known whether the program is stored, and for its result if it is; `None` if the program has to
    /// be compiled, or if `limit` is reached before.
    pub(super) fn wait_for_stored(&self, limit: Option<&WaitLimit<'_>>) -> Option<DeviceResult<Arc<Program>>> {
        self.wait_among(limit, |state| &mut state.stored_waiters);
        let state = self.state.lock();
        // What was compiled meanwhile is for the next call, so that the outcome does not depend on the compiler's speed.
        if state.is_compiling { None } else { state.result.clone() }
    }

    /// Waits within `limit` among these waiters, unless there is a result, or nothing stored to wait for.
    fn wait_among(
        &self,
        limit: Option<&WaitLimit<'_>>,
        waiters: fn(&mut CompilationState) -> &mut Option<Vec<Weak<Parker>>>,
    ) {
        let parker = Arc::new(Parker::new());
        {
            let mut state = self.state.lock();
            let Some(waiters) = waiters(&mut state) else { return };
            waiters.retain(|waiter| waiter.strong_count() > 0);
            waiters.push(Arc::downgrade(&parker));
        }
        match limit {
            Some(limit) => limit.wait(&parker),
            None => parker.wait(&SystemClock::start(), None),
        };
    }

    fn is_done(&self) -> bool {
        self.state.lock().result.is_some()
    }

    /// Whether the program came from the store.
    pub(super) fn came_from_store(&self) -> bool {
        self.state.lock().came_from_store
    }

    /// Sets the result, unless there is one, and wakes all waiters.
    fn publish(&self, result: DeviceResult<Arc<Program>>) {
        let (waiters, stored_waiters) = {
            let mut state = self.state.lock();
            state.result.get_or_insert(result);
            (state.waiters.take(), state.stored_waiters.take())
        };
        wake(waiters);
        wake(stored_waiters);
    }
}

fn wake(waiters: Option<Vec<Weak<Parker>>>) {
    for waiter in waiters.iter().flatten().filter_map(Weak::upgrade) {
        waiter.signal(Signal::Wake);
    }
}

/// What a caller that needs a program has to do.
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

/// The obligation to publish the result of a compilation. Dropping it publishes an error, so that no caller waits
/// forever.
pub(super) struct CompileGuard {
    single_flight: Arc<SingleFlight>,
    pub(super) key: Box<ProgramKey>,
    compilation: Arc<Compilation>,
    is_background: bool,
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
        if let Some(error) = state.unreported.remove(key) {
            return CompileRole::Failed(error);
        }
        if let Some(refusal) = state.refused.get(key).filter(|refusal| now < refusal.until) {
            return CompileRole::Failed(refusal.error.clone());
        }
        state.refused.remove(key);
        let compilation = Arc::new(Compilation::new(now));
        state.in_progress.insert(key.clone(), compilation.clone());
        CompileRole::Lead(CompileGuard {
            single_flight: self.clone(),
            key: Box::new(key.clone()),
            compilation,
            is_background: false,
        })
    }

    /// If a program was refused, the moment from which it is compiled again.
    pub(super) fn refused_until(&self, key: &ProgramKey) -> Option<Duration> {
        self.0.lock().refused.get(key).map(|refusal| refusal.until)
    }

    /// The number of compilations that began at least `timeout` ago.
    pub(super) fn overdue(&self, now: Duration, timeout: Duration) -> usize {
        let state = self.0.lock();
        state.in_progress.values().filter(|one| now >= one.started.saturating_add(timeout)).count()
    }

    /// Whether a compilation for this device began at least `timeout` ago.
    pub(super) fn is_overdue(&self, device: &str, now: Duration, timeout: Duration) -> bool {
        let state = self.0.lock();
        let mut of_device = state.in_progress.iter().filter(|((_, name), _)| name == device);
        of_device.any(|(_, one)| now >= one.started.saturating_add(timeout))
    }

    /// A waiting caller received the error of this program, so the next caller need not.
    pub(super) fn mark_reported(&self, key: &ProgramKey) {
        self.0.lock().unreported.remove(key);
    }

    fn record_refusal(&self, key: &ProgramKey, error: DeviceError, now: Duration) {
        let mut state = self.0.lock();
        state.refused.retain(|_, refusal| now < refusal.until);
        if state.refused.len() >= REFUSALS_MAX {
            let first = state.refused.iter().min_by_key(|(_, refusal)| refusal.until).map(|(key, _)| key.clone());
            first.map(|first| state.refused.remove(&first));
        }
        state.refused.insert(key.clone(), Refusal { error, until: now.saturating_add(REFUSAL_TIME) });
    }
}

impl CompileGuard {
    /// The compilation that this guard has to end.
    pub(super) fn compilation(&self) -> Arc<Compilation> {
        self.compilation.clone()
    }

    /// Records that the program was stored.
    pub(super) fn mark_stored(&self) {
        self.compilation.state.lock().came_from_store = true;
    }

    /// Records that the program is not stored: those that wait only for a stored one need not wait any longer.
    pub(super) fn begin_compiling(&self) {
        let waiters = {
            let mut state = self.compilation.state.lock();
            state.is_compiling = true;
            state.stored_waiters.take()
        };
        wake(waiters);
    }

    /// Marks the compilation as a background one: its error is kept for the next caller.
    pub(super) fn in_background(mut self) -> CompileGuard {
        self.is_background = true;
        self
    }

    /// Ends the compilation with a program.
    pub(super) fn publish(self, program: Arc<Program>) {
        self.end(Ok(program));
    }

    /// Ends the compilation with an error. If compiling again soon would fail again, the error is remembered from
    /// `now`.
    pub(super) fn fail(self, error: DeviceError, now: Duration) {
        if is_refusal(error.kind) {
            self.single_flight.record_refusal(&self.key, error.clone(), now);
        }
        self.end(Err(error));
    }

    /// Ends a compilation that did not begin, because no thread was free for it. Callers that joined it try again.
    pub(super) fn give_up(self) {
        let text = "all threads that compile are busy";
        self.end(Err(DeviceError::new(DeviceErrorKind::Transient, text)));
    }

    /// Ends a compilation that panicked. A caller receives the error once; the call after it compiles again.
    pub(super) fn end_panicked(self, text: &str) {
        let text = format!("the compilation panicked: {text}");
        self.end(Err(DeviceError::new(DeviceErrorKind::Internal, text)));
    }

    fn end(&self, result: DeviceResult<Arc<Program>>) {
        let mut state = self.single_flight.0.lock();
        state.in_progress.remove(&self.key);
        if let Err(error) = &result
            && self.is_background
            && !state.refused.contains_key(&*self.key)
            && state.unreported.len() < REFUSALS_MAX
        {
            state.unreported.insert(ProgramKey::clone(&self.key), error.clone());
        }
        drop(state);
        self.compilation.publish(result);
    }
}

impl Drop for CompileGuard {
    fn drop(&mut self) {
        if !self.compilation.is_done() {
            self.end(Err(DeviceError::new(DeviceErrorKind::Internal, "a compilation ended before it was done")));
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
