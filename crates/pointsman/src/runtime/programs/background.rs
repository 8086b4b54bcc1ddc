//! Compilation behind the caller's back: a program that is at hand is given, one that is not is compiled by another
//! thread, and the caller goes on without it.

use super::flight::Boarding;
use super::{ProgramSource, Programs, since};
use crate::runtime::executor::Program;
use pointsman_device::clock::Moment;
use pointsman_device::{Device, DeviceResult};
use pointsman_ir::kernel::Kernel;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The most compilations behind callers' backs at once. Callers beyond it compile for themselves.
const BACKGROUND_MAX: usize = 4;

/// What is there of a program.
pub(crate) enum Attempt {
    /// It is loaded.
    Ready(Arc<Program>, ProgramSource),
    /// It is being compiled.
    Compiling,
}

impl Programs {
    /// The program of a kernel on a device if it is loaded or stored; else it is being compiled from now on.
    pub(crate) fn attempt(
        self: &Arc<Self>,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
        now: Duration,
    ) -> DeviceResult<Attempt> {
        let start = Moment::now();
        match self.board(kernel, device, now) {
            Boarding::Loaded(program) => Ok(Attempt::Ready(program, ProgramSource::Memory)),
            Boarding::Refused(error) => Err(error),
            Boarding::Join(_) => Ok(Attempt::Compiling),
            Boarding::Lead(lead) => {
                if let Some(program) = self.stored(kernel, device) {
                    return Ok(Attempt::Ready(self.land(lead, program), ProgramSource::Disk(since(start))));
                }
                let Some(place) = Place::take(self) else {
                    let program = self.compile(lead, kernel, device, now)?;
                    return Ok(Attempt::Ready(program, ProgramSource::Compiled(since(start))));
                };
                let (kernel, device) = (kernel.clone(), device.clone());
                // A compilation that fails is told to those who ask next; so is one whose thread does not start, since
                // the lead lands when it is dropped.
                let compile = move || drop(place.0.compile(lead, &kernel, &device, now));
                let _ = std::thread::Builder::new().name("pointsman-compile".to_string()).spawn(compile);
                Ok(Attempt::Compiling)
            }
        }
    }
}

/// One of the few places for compilations in the background.
struct Place(Arc<Programs>);

impl Place {
    fn take(programs: &Arc<Programs>) -> Option<Place> {
        let more = |taken: usize| (taken < BACKGROUND_MAX).then_some(taken + 1);
        let taken: &AtomicUsize = &programs.background;
        let is_free = taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok();
        is_free.then(|| Place(programs.clone()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.background.fetch_sub(1, Ordering::AcqRel);
    }
}
