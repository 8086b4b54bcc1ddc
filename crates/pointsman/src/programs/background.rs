//! Compilation behind the caller's back: a program that is at hand is given, one that is not is compiled by another
//! thread, and the caller goes on without it.

use super::single_flight::{CompileGuard, CompileRole};
use super::{ProgramSource, Programs, since};
use crate::programs::program::Program;
use pointsman_device::clock::Moment;
use pointsman_device::{Device, DeviceResult};
use pointsman_ir::kernel::Kernel;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most compilations behind callers' backs at once. Callers beyond it compile for themselves. The option's
/// documentation names the number.
const BACKGROUND_MAX: usize = 4;

/// What is there of a program.
pub(crate) enum BackgroundProgram {
    /// It is loaded.
    Ready(Arc<Program>, ProgramSource),
    /// It is being compiled.
    Compiling,
}

impl Programs {
    /// The program of a kernel on a device if it is loaded or stored; else it is being compiled from now on. What an
    /// earlier compilation failed at is told once.
    pub(crate) fn attempt(
        self: &Arc<Self>,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
    ) -> DeviceResult<BackgroundProgram> {
        let start = Moment::now();
        let lead = match self.board(kernel, device) {
            CompileRole::Loaded(program) => return Ok(BackgroundProgram::Ready(program, ProgramSource::Memory)),
            CompileRole::Refused(error) => return Err(error),
            CompileRole::Join(_) => return Ok(BackgroundProgram::Compiling),
            CompileRole::CompileGuard(lead) => lead,
        };
        let (lead, program) = self.stored(lead, kernel, device)?;
        if let Some(program) = program {
            return Ok(BackgroundProgram::Ready(self.land(lead, program), ProgramSource::Disk(since(start))));
        }
        let Some(place) = BackgroundSlot::take(self) else {
            let program = self.compile(lead, kernel, device)?;
            return Ok(BackgroundProgram::Ready(program, ProgramSource::Compiled(since(start))));
        };
        self.compile_behind(lead.in_background(), place, kernel, device);
        Ok(BackgroundProgram::Compiling)
    }

    /// Compiles in another thread. An error is kept for those who ask next; so it is if the thread panics or does not
    /// start, since the lead lands when it is dropped.
    fn compile_behind(&self, lead: CompileGuard, place: BackgroundSlot, kernel: &Kernel, device: &Arc<dyn Device>) {
        let (kernel, device) = (kernel.clone(), device.clone());
        let compile = move || drop(place.0.compile(lead, &kernel, &device));
        let _ = self.crew.start("pointsman-compile", compile);
    }
}

/// One of the few places for compilations in the background.
struct BackgroundSlot(Arc<Programs>);

impl BackgroundSlot {
    fn take(programs: &Arc<Programs>) -> Option<BackgroundSlot> {
        let more = |taken: usize| (taken < BACKGROUND_MAX).then_some(taken + 1);
        let taken: &AtomicUsize = &programs.background;
        let is_free = taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok();
        is_free.then(|| BackgroundSlot(programs.clone()))
    }
}

impl Drop for BackgroundSlot {
    fn drop(&mut self) {
        self.0.background.fetch_sub(1, Ordering::AcqRel);
    }
}
