//! Calls by our own kernels (`call_kernels`): for cards without NVIDIA's libraries, and for convolutions by sums.

use super::CallShared;
use super::slices::Slices;
use crate::call_kernels::{self, CallMemory, CallPlan, CallStep, CallTarget, Language, RUNNER_WORDS, WORDS, Window};
use crate::cuda::memory::Block;
use crate::cuda::module::{CudaFunction, CudaModule};
use crate::cuda::nvrtc;
use crate::cuda::stream::{CudaEvent, Stream, Timing};
use crate::{DeviceError, DeviceResult};
use cudarc::driver::sys;
use pointsman_ir::kernel::Call;
use pointsman_ir::types::DType;
use std::ffi::CString;
use std::sync::Arc;
use std::time::Duration;

/// What kernels for a card may use.
const TARGET: CallTarget = CallTarget {
    language: Language::Cuda,
    workgroup_bytes: 48 << 10,
    window_bytes: u64::MAX,
    scratch_bytes: 1 << 30,
    group_operations: 1e9,
    iterations: u32::MAX,
};
/// The timeout of the copy of a plan's constants.
const CONSTANTS_TIMEOUT: Duration = Duration::from_secs(60);

fn plan(call: &Call, dtype: DType) -> DeviceResult<CallPlan> {
    CallPlan::new(call, dtype, &TARGET).map_err(|reason| DeviceError::unsupported(reason.0))
}

/// Whether there are kernels for a call.
pub(super) fn supports(call: &Call, dtype: DType) -> DeviceResult<()> {
    plan(call, dtype).map(drop)
}

/// Compiles the kernels of a call.
pub(super) fn compile(call: &Call, dtype: DType, architecture: &str) -> DeviceResult<Vec<u8>> {
    nvrtc::compile(plan(call, dtype)?.text(), architecture)
}

/// The loaded kernels of a call.
pub(super) struct OwnProgram {
    plan: CallPlan,
    module: CudaModule,
    entries: Vec<CudaFunction>,
    constants: Block,
}

impl OwnProgram {
    /// Loads compiled kernels and uploads their constants.
    pub(super) fn load(shared: &CallShared<'_>, call: &Call, dtype: DType, code: &[u8]) -> DeviceResult<OwnProgram> {
        let plan = plan(call, dtype)?;
        let constant_bytes = plan.constants();
        let driver = shared.context.wait_for_kernels()?;
        let module = CudaModule::load(shared.context, &driver, shared.memory, code)?;
        let function = |name: &String| {
            let name = CString::new(name.as_str()).map_err(|_| DeviceError::invalid("a name with a zero byte"))?;
            module.function(shared.context, &name)
        };
        let entries = plan.entries().iter().map(function).collect::<DeviceResult<Vec<_>>>()?;
        let constants = shared.memory.scratch(constant_bytes.len().max(1) as u64)?;
        let program = OwnProgram { plan, module, entries, constants };
        // Large copies use threads of their own, which call the driver too.
        drop(driver);
        program.upload(shared, &constant_bytes)?;
        Ok(program)
    }

    /// Uploads the constants. Launches on any stream may read them afterwards. If that fails half-way, copies may be queued
    /// already: the constants are freed once the stream has passed them.
    fn upload(&self, shared: &CallShared<'_>, bytes: &[u8]) -> DeviceResult<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let stream = shared.side_stream;
        let wait = || {
            let copied = CudaEvent::new(shared.context, Timing::Untimed)?;
            copied.record(stream)?;
            copied.wait(CONSTANTS_TIMEOUT)
        };
        self.constants.used_by(stream);
        let queued = shared.copies.copy_in(stream, bytes, self.constants.address(), 0);
        self.constants.used_by(stream);
        queued.and_then(|()| wait())
    }

    /// The memory that a launch over this many chunks takes, by block.
    pub(super) fn scratch_bytes(&self, chunks: u64) -> Vec<u64> {
        self.plan.scratch_bytes(chunks)
    }

    /// Queues the call over this many chunks: the rows, the captured table and the result at these addresses.
    pub(super) fn run(
        &self,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        chunks: u64,
        [input, table, output]: [u64; 3],
    ) -> DeviceResult<()> {
        let blocks = self.scratch_bytes(chunks).into_iter().map(|bytes| shared.memory.scratch(bytes.max(1)));
        let scratch = blocks.collect::<DeviceResult<Vec<Block>>>()?;
        let mark_used = || {
            scratch.iter().chain([&self.constants]).for_each(|block| block.used_by(stream));
            self.module.used_by(stream);
        };
        mark_used();
        let address = |window: Window| match window.memory {
            CallMemory::Input => input + window.start,
            CallMemory::Table => table + window.start,
            CallMemory::Output => output + window.start,
            CallMemory::Constants => self.constants.address() + window.start,
            CallMemory::Scratch(number) => scratch[number].address() + window.start,
            CallMemory::Unused => 0,
        };
        let mut slices = Slices::new(shared, stream);
        let queued = (0..self.plan.step_count(chunks)).try_for_each(|number| {
            let step = self.plan.step(chunks, number);
            let addresses = [step.read[0], step.read[1], step.written].map(address);
            self.run_step(shared, stream, &step, addresses, &mut slices)
        });
        mark_used();
        queued
    }

    /// Queues a step, in launches of bounded work.
    fn run_step(
        &self,
        shared: &CallShared<'_>,
        stream: &Stream,
        step: &CallStep,
        addresses: [u64; 3],
        slices: &mut Slices<'_>,
    ) -> DeviceResult<()> {
        let at_once = (slices.operations() / step.group_operations.max(1.0)).clamp(1.0, f64::from(step.groups)) as u32;
        for first in (0..step.groups).step_by(at_once as usize) {
            let groups = at_once.min(step.groups - first);
            let mut words = [0u32; WORDS];
            words[..3].copy_from_slice(&[first, groups, groups]);
            words[RUNNER_WORDS..].copy_from_slice(&step.words);
            self.launch(shared, stream, self.entries[step.entry], groups, (words, addresses))?;
            slices.queued(step.group_operations * f64::from(groups))?;
        }
        Ok(())
    }

    fn launch(
        &self,
        shared: &CallShared<'_>,
        stream: &Stream,
        function: CudaFunction,
        groups: u32,
        (mut words, mut addresses): ([u32; WORDS], [u64; 3]),
    ) -> DeviceResult<()> {
        let [left, right, output] = addresses.each_mut().map(|address| std::ptr::from_mut(address).cast());
        let mut parameters: [*mut std::ffi::c_void; 4] = [words.as_mut_ptr().cast(), left, right, output];
        let (parameters, none) = (parameters.as_mut_ptr(), std::ptr::null_mut());
        let _driver = shared.context.queue()?;
        let (raw, lanes) = (stream.raw(), call_kernels::LANES);
        // SAFETY: the function takes these words and addresses; the windows of the plan lie in the memory of the call, by
        // the sizes that `Launch::check` compared with its rows, and the memory outlives the work queued on the stream.
        let code = unsafe { sys::cuLaunchKernel(function.raw(), groups, 1, 1, lanes, 1, 1, 0, raw, parameters, none) };
        stream.note_work();
        shared.context.check(code, "launching a kernel of a call")
    }
}
