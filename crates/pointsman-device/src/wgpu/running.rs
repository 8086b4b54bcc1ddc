//! [`LoadedProgram`] and [`RunningLaunch`]: the two kinds of programs and of their launches. A kernel is generated from its
//! body and sink; a library call has kernels of its own.

#[cfg(feature = "calls")]
use super::call::{CallLaunch, WgpuCall};
use super::code_cache::CodeCache;
use super::command_batch::Context;
use super::dispatch_tuner::DispatchTuner;
use super::encode::Limits;
use super::gpu::Gpu;
use super::outcome::WgpuLaunch;
use super::program::WgpuProgram;
use crate::launch::Outcome;
use crate::{DeviceResult, ProgramImage};
use pointsman_ir::kernel::Kernel;
use pointsman_ir::render::wgsl::Target;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::sync::Mutex;

/// The maximum number of compiled programs that are not loaded yet.
const COMPILED_PROGRAMS_MAX: usize = 16;

/// A program of either kind.
#[derive(Clone)]
pub(super) enum LoadedProgram {
    /// A kernel.
    Kernel(Arc<WgpuProgram>),
    /// A library call.
    #[cfg(feature = "calls")]
    Call(Arc<WgpuCall>),
}

impl LoadedProgram {
    /// Renders and compiles a kernel that the device supports.
    pub(super) fn new(
        gpu: &Gpu,
        kernel: Kernel,
        target: Target,
        limits: Limits,
        code_cache: CodeCache,
    ) -> DeviceResult<LoadedProgram> {
        #[cfg(feature = "calls")]
        if matches!(kernel.sink, pointsman_ir::kernel::Sink::Call { .. }) {
            let program = WgpuCall::new(gpu, kernel, target, limits, code_cache)?;
            return Ok(LoadedProgram::Call(Arc::new(program)));
        }
        let _ = limits;
        Ok(LoadedProgram::Kernel(Arc::new(WgpuProgram::new(gpu, kernel, target, code_cache)?)))
    }

    /// The driver's pipeline cache.
    pub(super) fn code_cache(&self) -> &CodeCache {
        match self {
            LoadedProgram::Kernel(program) => &program.code_cache,
            #[cfg(feature = "calls")]
            LoadedProgram::Call(program) => &program.code_cache,
        }
    }

    /// How it runs, for people.
    pub(super) fn description(&self) -> String {
        let kept = if self.code_cache().is_restored { ", from kept code" } else { "" };
        let pace = |tuner: &DispatchTuner, of: &str| {
            tuner.rows_per_ms().map(|pace| format!(", {pace:.0} {of} a millisecond")).unwrap_or_default()
        };
        match self {
            LoadedProgram::Kernel(program) => format!("WGSL{kept}{}", pace(&program.dispatch_tuner, "rows")),
            #[cfg(feature = "calls")]
            LoadedProgram::Call(program) => {
                let pace = pace(&program.dispatch_tuner, "operations");
                format!("{} in WGSL{kept}{pace}", program.call.name())
            }
        }
    }
}

/// Programs that were compiled and not loaded yet, oldest first: loading them does not compile them again.
#[derive(Default)]
pub(super) struct CompiledPrograms(Mutex<VecDeque<(ProgramImage, LoadedProgram)>>);

impl CompiledPrograms {
    /// Keeps the program of an image until the image is loaded or newer programs replace it.
    pub(super) fn keep(&self, image: &ProgramImage, program: LoadedProgram) {
        let mut compiled = self.0.lock();
        if compiled.len() == COMPILED_PROGRAMS_MAX {
            compiled.pop_front();
        }
        compiled.push_back((image.clone(), program));
    }

    /// Takes the program of an image, if it is kept.
    pub(super) fn take(&self, image: &ProgramImage) -> Option<LoadedProgram> {
        let mut compiled = self.0.lock();
        let place = compiled.iter().position(|(own, _)| own == image)?;
        compiled.remove(place).map(|(_, program)| program)
    }
}

/// A launch of either kind.
pub(super) enum RunningLaunch {
    /// Of a kernel.
    Kernel(Box<WgpuLaunch>),
    /// Of a library call.
    #[cfg(feature = "calls")]
    Call(Box<CallLaunch>),
}

impl RunningLaunch {
    /// Submits the launch, or its first pieces.
    pub(super) fn submit_first(&mut self, context: Context<'_>) -> DeviceResult<()> {
        match self {
            RunningLaunch::Kernel(launch) => launch.submission.submit_first(context),
            #[cfg(feature = "calls")]
            RunningLaunch::Call(launch) => launch.submit_first(context),
        }
    }

    /// Waits for the launch and finishes its result.
    pub(super) fn finish(&mut self, context: Context<'_>, timeout: Duration) -> DeviceResult<Outcome> {
        match self {
            RunningLaunch::Kernel(launch) => launch.finish(context, timeout),
            #[cfg(feature = "calls")]
            RunningLaunch::Call(launch) => launch.finish(context, timeout),
        }
    }

    /// The flag that stops further submissions.
    pub(super) fn is_forgotten(&self) -> Arc<AtomicBool> {
        match self {
            RunningLaunch::Kernel(launch) => launch.submission.is_forgotten(),
            #[cfg(feature = "calls")]
            RunningLaunch::Call(launch) => launch.is_forgotten(),
        }
    }

    /// Whether the host must still write outputs or submit more.
    pub(super) fn is_incomplete(&self) -> bool {
        match self {
            RunningLaunch::Kernel(launch) => launch.needs_host() || launch.submission.reading().is_none(),
            #[cfg(feature = "calls")]
            RunningLaunch::Call(launch) => !launch.is_submitted(),
        }
    }

    /// Whether the device still runs a piece that was submitted.
    pub(super) fn is_under_way(&self, gpu: &Gpu) -> bool {
        match self {
            RunningLaunch::Kernel(launch) => launch.submission.is_under_way(gpu),
            #[cfg(feature = "calls")]
            RunningLaunch::Call(launch) => launch.is_under_way(gpu),
        }
    }
}
