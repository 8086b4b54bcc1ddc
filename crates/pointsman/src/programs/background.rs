//! Background compilation: a caller gets a program that is loaded or stored; otherwise another thread compiles it and
//! the caller continues without it.

use super::single_flight::{CompileGuard, CompileRole};
use super::{ProgramSource, Programs, since};
use crate::programs::program::Program;
use pointsman_device::clock::FastInstant;
use pointsman_device::{Device, DeviceResult};
use pointsman_ir::kernel::Kernel;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most background compilations at once; callers beyond it compile on their own thread. The documentation of the
/// builder's option names this number.
const BACKGROUND_MAX: usize = 4;

/// The state of a program that is compiled in the background.
pub(crate) enum BackgroundProgram {
    /// The program is loaded.
    Ready(Arc<Program>, ProgramSource),
    /// Another thread is compiling the program.
    Compiling,
}

impl Programs {
    /// Returns the program of a kernel on a device if it is loaded or stored; otherwise starts its compilation in the
    /// background. The error of an earlier background compilation is returned once.
    pub(crate) fn get_or_start(
        self: &Arc<Self>,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
    ) -> DeviceResult<BackgroundProgram> {
        let start = FastInstant::now();
        let guard = match self.join_or_lead(kernel, device) {
            CompileRole::Loaded(program) => return Ok(BackgroundProgram::Ready(program, ProgramSource::Memory)),
            CompileRole::Refused(error) => return Err(error),
            CompileRole::Join(_) => return Ok(BackgroundProgram::Compiling),
            CompileRole::Lead(guard) => guard,
        };
        let (guard, program) = self.try_load_stored(guard, kernel, device)?;
        if let Some(program) = program {
            return Ok(BackgroundProgram::Ready(self.publish(guard, program), ProgramSource::Disk(since(start))));
        }
        let Some(slot) = BackgroundSlot::try_acquire(self) else {
            let program = self.compile(guard, kernel, device)?;
            return Ok(BackgroundProgram::Ready(program, ProgramSource::Compiled(since(start))));
        };
        self.compile_in_background(guard.in_background(), slot, kernel, device);
        Ok(BackgroundProgram::Compiling)
    }

    /// Compiles on another thread. If that thread panics or cannot start, the dropped guard publishes an error, which
    /// is kept for the next caller like any other error of the compilation.
    fn compile_in_background(
        &self,
        guard: CompileGuard,
        slot: BackgroundSlot,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
    ) {
        let (kernel, device) = (kernel.clone(), device.clone());
        let compile = move || drop(slot.0.compile(guard, &kernel, &device));
        let _ = self.threads.start("pointsman-compile", compile);
    }
}

/// One of the [`BACKGROUND_MAX`] slots for background compilations; released when it is dropped.
struct BackgroundSlot(Arc<Programs>);

impl BackgroundSlot {
    fn try_acquire(programs: &Arc<Programs>) -> Option<BackgroundSlot> {
        let one_more = |used: usize| (used < BACKGROUND_MAX).then_some(used + 1);
        let used: &AtomicUsize = &programs.background;
        let is_free = used.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).is_ok();
        is_free.then(|| BackgroundSlot(programs.clone()))
    }
}

impl Drop for BackgroundSlot {
    fn drop(&mut self) {
        self.0.background.fetch_sub(1, Ordering::AcqRel);
    }
}
