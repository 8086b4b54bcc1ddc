//! [`Benchmark`]: a device with the stream, memory and kernels that measuring it takes. All of them are released when
//! they are dropped, also after a failure.

use super::kernels::{KernelWork, PARAMS, VALUE_BYTES, calibration_kernels};
use super::sampler::Sampler;
use crate::devices::transfer::HeldBuffer;
use crate::error::{Error, Result};
use crate::programs::program::Program;
use pointsman_device::host::BoolLayout;
use pointsman_device::{
    ColumnInput, ColumnOutput, DeviceErrorKind, Form, HostBuffer, HostChunk, Launch, LaunchStatus, Priority, StreamId,
};
use pointsman_ir::kernel::Kernel;
use std::ops::Range;
use std::time::Duration;

/// How long a launch or a copy may take.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);
/// A copy of this size takes only the time before its first byte.
pub(super) const TINY_BYTES: usize = 16;
/// The smallest column.
pub(super) const BYTES_MIN: usize = 64 << 10;
/// The maximum number of bytes that are written in one slice: on the host each new page is a fault.
const FILL_BYTES: usize = 2 << 20;

/// A kernel that is loaded on a device.
pub(super) struct LoadedKernel {
    pub(super) program: Program,
    pub(super) kernel: Kernel,
    pub(super) work: KernelWork,
    /// How long compiling and loading took.
    pub(super) compile: Duration,
}

/// Compiles the first `count` kernels, one in each slice. Returns the kernels that the device accepts, or an error if
/// it refuses sum or copy.
fn load_kernels(sampler: &Sampler<'_>, count: usize) -> Result<Vec<LoadedKernel>> {
    let mut loaded = Vec::new();
    for (work, kernel) in calibration_kernels().take(count) {
        let kernel = sampler.slice(|| load_kernel(sampler, work, kernel));
        match (kernel, work) {
            (Err(error), KernelWork::Compute(_) | KernelWork::Table(_)) if is_refusal(&error) => {}
            (kernel, _) => loaded.push(kernel?),
        }
    }
    Ok(loaded)
}

/// Compiles and loads a kernel.
pub(super) fn load_kernel(sampler: &Sampler<'_>, work: KernelWork, kernel: Kernel) -> Result<LoadedKernel> {
    let (device, start) = (sampler.device, sampler.now());
    let image = device.supports(&kernel).and_then(|()| device.compile(&kernel));
    let program = image.and_then(|image| Program::load(device, &image))?;
    Ok(LoadedKernel { program, kernel, work, compile: sampler.now().saturating_sub(start) })
}

/// Whether a device cannot run a kernel or a step.
pub(super) fn is_refusal(error: &Error) -> bool {
    matches!(error.device_kind(), Some(DeviceErrorKind::Unsupported | DeviceErrorKind::Compile))
}

/// An input column, and an output column of half its size.
pub(super) enum ScratchColumns {
    Host { input: HostBuffer, output: HostBuffer },
    Device { input: HeldBuffer, output: HeldBuffer },
}

/// Runs `measure` with the first `count` kernels on the sampler's device.
pub(super) fn with_benchmark<T>(
    sampler: &Sampler<'_>,
    count: usize,
    measure: impl FnOnce(Benchmark<'_>) -> Result<T>,
) -> Result<T> {
    let (kernels, kept_bytes) = (load_kernels(sampler, count)?, sampler.device.memory().kept);
    let measured = Benchmark::open(sampler, &kernels).and_then(measure);
    // Memory that the device kept before stays; no more is kept.
    sampler.device.trim(kept_bytes);
    measured
}

/// A device under measurement, with a stream and with columns that exceed its caches.
pub(super) struct Benchmark<'b> {
    pub(super) sampler: &'b Sampler<'b>,
    pub(super) stream: StreamId,
    /// Sum, copy, classes of operations, and work on tables.
    pub(super) kernels: &'b [LoadedKernel],
    pub(super) columns: ScratchColumns,
    /// The number of the first row of the next run over a table.
    pub(super) next_row: u64,
}

impl Drop for Benchmark<'_> {
    fn drop(&mut self) {
        self.sampler.device.close_stream(self.stream);
    }
}

impl<'b> Benchmark<'b> {
    /// Opens a device with columns of the sampler's largest working set.
    fn open(sampler: &'b Sampler<'b>, kernels: &'b [LoadedKernel]) -> Result<Benchmark<'b>> {
        let (device, bytes) = (sampler.device, sampler.bytes_max);
        let columns = if device.info().capabilities.host_memory {
            ScratchColumns::Host { input: filled(sampler, bytes)?, output: filled(sampler, bytes / 2)? }
        } else {
            let (input, output) = (HeldBuffer::new(device, bytes)?, HeldBuffer::new(device, bytes / 2)?);
            ScratchColumns::Device { input, output }
        };
        let stream = device.open_stream(Priority::Normal)?;
        let benchmark = Benchmark { sampler, stream, kernels, columns, next_row: 0 };
        if let ScratchColumns::Device { input, .. } = &benchmark.columns {
            let numbers = filled(sampler, FILL_BYTES.min(bytes))?;
            for start in (0..bytes).step_by(numbers.len()) {
                let part = input.range(start..start + numbers.len());
                sampler.slice(|| Ok(device.upload(stream, &numbers, part)?))?;
            }
        }
        Ok(benchmark)
    }

    /// Runs a kernel and returns when the device is done. `part`: the bytes of the column that it reads; one that reads
    /// none has as many rows.
    pub(super) fn run(&mut self, kernel: &LoadedKernel, part: Range<usize>) -> Result<()> {
        let (work, rows) = (kernel.work, part.len() / VALUE_BYTES);
        let params: &[_] = if matches!(work, KernelWork::Compute(_)) { &PARAMS } else { &[] };
        let written = if work == KernelWork::Copy { part.clone() } else { 0..VALUE_BYTES };
        let (chunks, columns, mut outputs);
        match &mut self.columns {
            ScratchColumns::Host { input, output } => {
                let bools = BoolLayout::Bits;
                chunks = [HostChunk { values: &input[part], bools, bit_offset: 0, validity: None, rows }];
                columns = [ColumnInput::Host(&chunks)];
                outputs = [ColumnOutput::Host { values: &mut output[written], bools, validity: None }];
            }
            ScratchColumns::Device { input, output } => {
                columns = [ColumnInput::Device { values: input.range(part), validity: None, rows }];
                outputs = [ColumnOutput::Device { values: output.range(written), validity: None }];
            }
        }
        let columns = if params.is_empty() { &columns[..] } else { &[] };
        let (form, outputs) = (Form::Whole, &mut outputs);
        let mut launch =
            Launch { first_row: 0, rows, first_match: 0, form, columns, params, lists: &[], tables: &[], outputs };
        let status = self.sampler.device.launch(self.stream, kernel.program.id, &mut launch)?;
        self.finish(status)
    }

    /// Returns when a launch is done.
    pub(super) fn finish(&self, status: LaunchStatus) -> Result<()> {
        let device = self.sampler.device;
        let outcome = match status {
            LaunchStatus::Running(id) => device.finish(id, TIMEOUT).inspect_err(|_| device.forget_launch(id))?,
            LaunchStatus::Done(outcome) => {
                if let ScratchColumns::Device { output, .. } = &self.columns {
                    // A launch whose outcome is certain returns as soon as it is queued; a copy after it ends later.
                    device.download(self.stream, output.range(0..TINY_BYTES), &mut [0; TINY_BYTES], TIMEOUT)?;
                }
                outcome
            }
        };
        let fault = outcome.fault.map(|fault| Error::internal(format!("a calibration kernel failed with {fault:?}")));
        fault.map_or(Ok(()), Err)
    }
}

/// Host memory with `f32` numbers between 1 and 2, written in slices: memory that was never written may be one page of
/// zeros, many times.
pub(super) fn filled(sampler: &Sampler<'_>, bytes: usize) -> Result<HostBuffer> {
    let number = |row: usize| f32::from_bits(0x3f80_0000 | (row as u32).wrapping_mul(0x9e37_79b1) >> 9);
    let mut memory = HostBuffer::try_zeroed(bytes)?;
    for part in memory.chunks_mut(FILL_BYTES) {
        sampler.slice(|| {
            let values = part.chunks_exact_mut(VALUE_BYTES).enumerate();
            values.for_each(|(row, value)| value.copy_from_slice(&number(row).to_le_bytes()));
            Ok(())
        })?;
    }
    Ok(memory)
}
