//! [`Benchmark`]: a device with the stream, memory and kernels that measuring it takes. All of them are released when
//! they are dropped, also after a failure.

use super::kernels::{CalibrationKernel, VALUE_BYTES};
use super::sampler::Sampler;
use crate::devices::transfer::HeldBuffer;
use crate::error::{Error, Result};
use crate::programs::program::Program;
use crate::select::estimator::SinkKind;
use pointsman_device::host::BoolLayout;
use pointsman_device::{
    ColumnInput, ColumnOutput, DeviceErrorKind, Form, HostBuffer, HostChunk, Launch, LaunchStatus, Priority, StreamId,
};
use std::ops::Range;
use std::time::Duration;

/// How long a launch or a copy may take.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);
/// The first kernels, sum and copy, are needed; a device may refuse the others.
const NEEDED_KERNELS: usize = 2;
/// A copy of this size takes only the time before its first byte.
pub(super) const TINY_BYTES: usize = 16;
/// The smallest column.
pub(super) const BYTES_MIN: usize = 64 << 10;
/// The most bytes that are written in one slice: on the host each new page is a fault.
const FILL_BYTES: usize = 2 << 20;

/// A kernel that is loaded on a device.
pub(super) struct LoadedKernel {
    program: Program,
    pub(super) source: CalibrationKernel,
    /// How long compiling and loading took.
    pub(super) compile: Duration,
}

/// Compiles the first `count` kernels, one in each slice. Returns the kernels that the device accepts, or an error if it
/// refuses sum or copy.
pub(super) fn load_kernels(sampler: &Sampler<'_>, count: usize) -> Result<Vec<LoadedKernel>> {
    let (device, mut loaded) = (sampler.device, Vec::new());
    for source in CalibrationKernel::all().take(count) {
        let kernel = sampler.slice(|| {
            let start = sampler.now();
            let image = device.supports(&source.kernel).and_then(|()| device.compile(&source.kernel));
            let program = image.and_then(|image| Program::load(device, &image))?;
            Ok(LoadedKernel { program, source, compile: sampler.now().saturating_sub(start) })
        });
        let is_refusal = |kind| matches!(kind, DeviceErrorKind::Unsupported | DeviceErrorKind::Compile);
        match kernel {
            Err(error) if loaded.len() >= NEEDED_KERNELS && error.device_kind().is_some_and(is_refusal) => {}
            kernel => loaded.push(kernel?),
        }
    }
    Ok(loaded)
}

/// An input column, and an output column of half its size whose bitmap follows its values.
pub(super) enum ScratchColumns {
    Host { input: HostBuffer, output: HostBuffer },
    Device { input: HeldBuffer, output: HeldBuffer },
}

/// A device under measurement, with a stream and with columns that exceed its caches.
pub(super) struct Benchmark<'b> {
    pub(super) sampler: &'b Sampler<'b>,
    pub(super) stream: StreamId,
    /// Sum, copy, other sinks, and classes of operations.
    pub(super) kernels: &'b [LoadedKernel],
    pub(super) columns: ScratchColumns,
}

impl Drop for Benchmark<'_> {
    fn drop(&mut self) {
        self.sampler.device.close_stream(self.stream);
    }
}

impl<'b> Benchmark<'b> {
    /// Opens a device with columns of the sampler's largest working set.
    pub(super) fn open(sampler: &'b Sampler<'b>, kernels: &'b [LoadedKernel]) -> Result<Benchmark<'b>> {
        let (device, bytes) = (sampler.device, sampler.bytes_max);
        let output_bytes = bytes / 2 + bytes / 2 / VALUE_BYTES / 8;
        let columns = if device.info().capabilities.host_memory {
            let (input, output) = (HostBuffer::try_zeroed(bytes)?, HostBuffer::try_zeroed(output_bytes)?);
            ScratchColumns::Host { input, output }
        } else {
            let (input, output) = (HeldBuffer::new(device, bytes)?, HeldBuffer::new(device, output_bytes)?);
            ScratchColumns::Device { input, output }
        };
        let stream = device.open_stream(Priority::Normal)?;
        let mut benchmark = Benchmark { sampler, stream, kernels, columns };
        match &mut benchmark.columns {
            ScratchColumns::Host { input, output } => {
                fill_host(sampler, input)?;
                fill_host(sampler, output)?;
            }
            ScratchColumns::Device { input, .. } => {
                let mut numbers = vec![0; FILL_BYTES.min(bytes)];
                fill_host(sampler, &mut numbers)?;
                for start in (0..bytes).step_by(numbers.len()) {
                    let part = input.range(start..start + numbers.len());
                    sampler.slice(|| Ok(device.upload(stream, &numbers, part)?))?;
                }
            }
        }
        Ok(benchmark)
    }

    /// Runs a kernel and returns when the device is done. `part`: the bytes of the column that it reads; one that reads none
    /// has as many rows.
    pub(super) fn run(&mut self, kernel: &LoadedKernel, part: Range<usize>) -> Result<()> {
        let CalibrationKernel { sink, class, params, .. } = &kernel.source;
        let (rows, bytes_max) = (part.len() / VALUE_BYTES, self.sampler.bytes_max);
        let (read, input_rows) = if class.is_none() { (part, rows) } else { (0..0, 0) };
        let written = if *sink == SinkKind::Reduce { 0..VALUE_BYTES } else { read.clone() };
        let bitmap = (*sink == SinkKind::ScanWithNulls).then(|| bytes_max / 2..bytes_max / 2 + rows.div_ceil(8));
        let (chunks, columns, mut outputs);
        match &mut self.columns {
            ScratchColumns::Host { input, output } => {
                let (values, bitmaps) = output.split_at_mut(bytes_max / 2);
                let (values, validity) = (&mut values[written], bitmap.map(|at| &mut bitmaps[..at.len()]));
                let bools = BoolLayout::Bits;
                chunks = [HostChunk { values: &input[read], bools, bit_offset: 0, validity: None, rows: input_rows }];
                columns = [ColumnInput::Host(&chunks)];
                outputs = [ColumnOutput::Host { values, bools, validity }];
            }
            ScratchColumns::Device { input, output } => {
                columns = [ColumnInput::Device { values: input.range(read), validity: None, rows: input_rows }];
                let (values, validity) = (output.range(written), bitmap.map(|at| output.range(at)));
                outputs = [ColumnOutput::Device { values, validity }];
            }
        }
        let columns = &columns[..usize::from(class.is_none())];
        let (form, outputs) = (Form::Whole, &mut outputs);
        let mut launch = Launch { first_row: 0, rows, form, columns, params, lists: &[], tables: &[], outputs };
        let device = self.sampler.device;
        let outcome = match device.launch(self.stream, kernel.program.id, &mut launch)? {
            LaunchStatus::Running(id) => device.finish(id, TIMEOUT).inspect_err(|_| device.forget_launch(id))?,
            LaunchStatus::Done(outcome) => {
                if let ScratchColumns::Device { output, .. } = &self.columns {
                    // A launch whose outcome is certain returns as soon as it is queued; a copy behind it ends later.
                    device.download(self.stream, output.range(0..TINY_BYTES), &mut [0; TINY_BYTES], TIMEOUT)?;
                }
                outcome
            }
        };
        let fault = outcome.fault.map(|fault| Error::internal(format!("a calibration kernel failed with {fault:?}")));
        fault.map_or(Ok(()), Err)
    }
}

/// Fills host memory with `f32` numbers between 1 and 2, in slices: memory that was never written may be one page of zeros,
/// many times.
pub(super) fn fill_host(sampler: &Sampler<'_>, memory: &mut [u8]) -> Result<()> {
    let number = |row: usize| f32::from_bits(0x3f80_0000 | (row as u32).wrapping_mul(0x9e37_79b1) >> 9);
    memory.chunks_mut(FILL_BYTES).try_for_each(|part| {
        sampler.slice(|| {
            let values = part.chunks_exact_mut(VALUE_BYTES).enumerate();
            values.for_each(|(row, value)| value.copy_from_slice(&number(row).to_le_bytes()));
            Ok(())
        })
    })
}
