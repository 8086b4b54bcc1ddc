//! Compilation on other threads: a driver may take long to compile or load a program, or never return, and a caller
//! with a deadline must not wait for it.
//!
//! For a caller that waits, a helper thread compiles, and the caller waits within its limit. A caller that does not
//! wait gets a loaded or stored program, or continues without one.

use super::single_flight::{Compilation, CompileGuard, CompileRole};
use super::{CompileMode, ProgramSource, Programs, since};
use crate::programs::program::Program;
use crate::resilience::gate::WaitLimit;
use crate::text::panic_text;
use pointsman_device::clock::FastInstant;
use pointsman_device::{Device, DeviceError, DeviceErrorKind, DeviceKind, DeviceResult};
use pointsman_ir::kernel::Kernel;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A background compilation starts only while fewer than this many helper threads run; other callers wait for their
/// compilations. The documentation of `SessionOptions::compile_in_background` names this number.
const BACKGROUND_MAX: usize = 4;

/// The maximum number of threads that compile at once, for callers that wait and for those that do not.
pub(super) const HELPERS_MAX: usize = 16;

impl Programs {
    /// Loads or compiles a program as the leader. A caller that waits gets the program, or `None` if it is not there
    /// when `limit` is reached; a driver that does not return within the session's timeout is an error. A caller that
    /// may return gets a stored program; otherwise a helper thread compiles it, and the next caller receives its error,
    /// once. If too many helper threads run, it waits.
    pub(super) fn compile(
        self: &Arc<Self>,
        guard: CompileGuard,
        device: &Arc<dyn Device>,
        mode: CompileMode,
        limit: Option<&WaitLimit<'_>>,
        start: FastInstant,
    ) -> DeviceResult<Option<(Arc<Program>, ProgramSource)>> {
        if mode == CompileMode::MayReturn
            && let Some(slot) = HelperSlot::try_acquire(self, BACKGROUND_MAX)
        {
            let compilation = self.compile_on_helper(guard, slot, device);
            let stored = compilation.wait_for_stored(limit).transpose();
            let stored = stored.inspect_err(|_| self.single_flight.mark_reported(&compilation.key))?;
            return Ok(stored.map(|program| (program, ProgramSource::Disk(since(start)))));
        }
        // A caller without a limit, or on the CPU, compiles on its own thread.
        let is_helped = limit.is_some() && may_block(&**device);
        let slot = if is_helped { HelperSlot::try_acquire(self, HELPERS_MAX) } else { None };
        let Some(slot) = slot else {
            // All helper threads are busy: a caller with a deadline tries another device.
            if is_helped && limit.is_some_and(|limit| limit.until.is_some()) {
                guard.give_up();
                return Ok(None);
            }
            let compilation = guard.compilation.clone();
            let program = self.finish(guard, device, self.load_or_compile(&compilation, device))?;
            return Ok(Some((program, compilation.source(since(start)))));
        };
        let compilation = self.compile_on_helper(guard, slot, device);
        let waited = self.wait_for_driver(&compilation, device, limit)?;
        Ok(waited.map(|program| (program, compilation.source(since(start)))))
    }

    /// Starts to compile a kernel in the background, unless it is loaded, being compiled, or refused. Never waits.
    /// False if all helper threads are busy: the caller must ask again.
    pub(crate) fn start(self: &Arc<Self>, kernel: &Kernel, device: &Arc<dyn Device>) -> bool {
        let CompileRole::Lead(guard) = self.join_or_lead(kernel, device) else { return true };
        match HelperSlot::try_acquire(self, BACKGROUND_MAX) {
            Some(slot) => drop(self.compile_on_helper(guard, slot, device)),
            None => {
                guard.give_up();
                return false;
            }
        }
        true
    }

    /// Whether threads compile programs now.
    pub(crate) fn is_compiling(&self) -> bool {
        self.helpers.load(Ordering::Relaxed) > 0
    }

    /// Waits within `limit` for a compilation of any thread; `None` if it is not done by then. A driver that does not
    /// return within the session's timeout is an error.
    pub(super) fn wait_for_driver(
        &self,
        compilation: &Compilation,
        device: &Arc<dyn Device>,
        limit: Option<&WaitLimit<'_>>,
    ) -> DeviceResult<Option<Arc<Program>>> {
        let overdue = compilation.started.saturating_add(self.limits.compile_timeout);
        let bounded = limit
            .filter(|_| may_block(&**device))
            .map(|limit| WaitLimit { until: Some(limit.until.map_or(overdue, |until| until.min(overdue))), ..*limit });
        let waited = compilation.wait(bounded.as_ref().or(limit)).transpose();
        match waited.inspect_err(|_| self.single_flight.mark_reported(&compilation.key))? {
            Some(program) => Ok(Some(program)),
            None => self.check_driver(&**device).map(|()| None),
        }
    }

    /// An error if the driver of a device has not returned from a compilation within the session's timeout: it holds
    /// locks that every later call may wait for.
    pub(crate) fn check_driver(&self, device: &dyn Device) -> DeviceResult<()> {
        let timeout = self.limits.compile_timeout;
        let overdue = || self.single_flight.overdue(Some(&device.info().name), self.clock.now(), timeout);
        if !may_block(device) || overdue() == 0 {
            return Ok(());
        }
        let text = format!("the driver did not return within {timeout:.1?} from compiling a kernel");
        Err(DeviceError::new(DeviceErrorKind::Timeout, text))
    }

    /// Loads or compiles on another thread. If that thread panics or cannot start, the compilation ends with an error,
    /// which is kept for the next caller if none waits for it.
    fn compile_on_helper(
        &self,
        mut guard: CompileGuard,
        slot: HelperSlot,
        device: &Arc<dyn Device>,
    ) -> Arc<Compilation> {
        guard.is_background = true;
        let (device, compilation) = (device.clone(), guard.compilation.clone());
        let work = move || {
            let programs = &slot.0;
            let _inside = pointsman_device::exit::in_driver();
            match catch_unwind(AssertUnwindSafe(|| programs.load_or_compile(&guard.compilation, &device))) {
                Ok(produced) => drop(programs.finish(guard, &device, produced)),
                Err(panic) => guard.end_panicked(&panic_text(&*panic)),
            }
        };
        // Without a thread, the dropped guard ends the compilation.
        let _ = self.threads.start("pointsman-compile", work);
        compilation
    }
}

/// Whether calls of a device may take long or never return. The CPU compiles without a driver.
fn may_block(device: &dyn Device) -> bool {
    device.info().kind != DeviceKind::Cpu
}

/// A thread that compiles; the slot is released when it is dropped.
struct HelperSlot(Arc<Programs>);

impl HelperSlot {
    /// Takes a slot if fewer than `max` are taken.
    fn try_acquire(programs: &Arc<Programs>, max: usize) -> Option<HelperSlot> {
        let one_more = |used: usize| (used < max).then_some(used + 1);
        let used: &AtomicUsize = &programs.helpers;
        let is_free = used.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).is_ok();
        is_free.then(|| HelperSlot(programs.clone()))
    }
}

impl Drop for HelperSlot {
    fn drop(&mut self) {
        self.0.helpers.fetch_sub(1, Ordering::AcqRel);
    }
}
