//! [`Benchmark`]: a device with the stream, memory and kernels that measuring it takes. All of them are released when
//! they are dropped, also after a failure.

use super::BYTES_MIN;
use super::kernels::{CalibrationKernel, VALUE_BYTES};
use super::sampler::Sampler;
use crate::devices::transfer::HeldBuffer;
use crate::error::{Error, ErrorKind, Result};
use crate::programs::program::Program;
use crate::resilience::clock::Clock;
use crate::select::estimator::SinkKind;
use pointsman_device::host::BoolLayout;
use pointsman_device::{
    ColumnInput, ColumnOutput, Device, DeviceError, DeviceErrorKind, DeviceResult, EventStatus, Form, HostBuffer,
    HostChunk, Launch, LaunchStatus, Priority, StreamId,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a launch or a copy may take.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);
/// The part of the time budget after which no further kernel is compiled.
const COMPILE_PART_MAX: f64 = 0.75;
/// The most bytes that are written in one slice: on the host each new page is a fault.
const FILL_BYTES: usize = 2 << 20;

/// A kernel that is loaded on a device.
pub(super) struct LoadedKernel {
    program: Program,
    pub(super) source: CalibrationKernel,
    /// How long compiling and loading took.
    pub(super) compile: Duration,
}

impl LoadedKernel {
    /// Compiles and loads a kernel; `None` if the device refuses it.
    fn load(device: &Arc<dyn Device>, source: CalibrationKernel, clock: &dyn Clock) -> Result<Option<LoadedKernel>> {
        let start = clock.now();
        let image = device.supports(&source.kernel).and_then(|()| device.compile(&source.kernel));
        let program = match image.and_then(|image| Program::load(device, &image)) {
            Err(error) if matches!(error.kind, DeviceErrorKind::Unsupported | DeviceErrorKind::Compile) => {
                return Ok(None);
            }
            loaded => loaded?,
        };
        Ok(Some(LoadedKernel { program, source, compile: clock.now().saturating_sub(start) }))
    }
}

/// Compiles kernels, sum and copy first: one in each slice, or all at once if compiling takes long and a caller waits for
/// it. Returns the kernels that the device accepts, or none if it refuses sum or copy, or has no time to compile them.
pub(super) fn load_kernels(
    device: &Arc<dyn Device>,
    sampler: &Sampler<'_>,
    kernels: impl Iterator<Item = CalibrationKernel>,
) -> Result<Vec<LoadedKernel>> {
    let (pacer, clock, mut loaded) = (sampler.pacer, sampler.pacer.clock, Vec::new());
    if pacer.is_immediate() && device.info().capabilities.images_worth_storing {
        let panicked = |_| Err(Error::internal("a compilation panicked"));
        loaded = std::thread::scope(|scope| {
            let load = |kernel| scope.spawn(move || LoadedKernel::load(device, kernel, clock));
            let threads: Vec<_> = kernels.map(load).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect::<Result<_>>()
        })?;
    } else {
        for kernel in kernels.take_while(|_| !sampler.has_used(COMPILE_PART_MAX)) {
            loaded.push(pacer.slice(|| LoadedKernel::load(device, kernel, clock))?);
        }
    }
    let has_needed = loaded.iter().take(2).flatten().count() == 2;
    Ok(loaded.into_iter().flatten().filter(|_| has_needed).collect())
}

/// An input column, and an output column of half its size whose bitmap follows its values.
pub(super) enum ScratchColumns {
    Host { input: HostBuffer, output: HostBuffer },
    Device { input: HeldBuffer, output: HeldBuffer },
}

impl ScratchColumns {
    fn new(device: &Arc<dyn Device>, bytes: usize) -> DeviceResult<ScratchColumns> {
        let output_bytes = bytes / 2 + (bytes / 2 / VALUE_BYTES).div_ceil(8).next_multiple_of(64);
        if device.info().capabilities.host_memory {
            let (input, output) = (HostBuffer::try_zeroed(bytes)?, HostBuffer::try_zeroed(output_bytes)?);
            return Ok(ScratchColumns::Host { input, output });
        }
        let (input, output) = (HeldBuffer::new(device, bytes)?, HeldBuffer::new(device, output_bytes)?);
        Ok(ScratchColumns::Device { input, output })
    }
}

/// A device under measurement, with a stream and with columns that exceed its caches.
pub(super) struct Benchmark<'b> {
    pub(super) device: &'b Arc<dyn Device>,
    pub(super) stream: StreamId,
    /// Sum, copy, other sinks, and classes of operations.
    pub(super) kernels: &'b [LoadedKernel],
    pub(super) sampler: &'b Sampler<'b>,
    pub(super) columns: ScratchColumns,
    /// The bytes of the input column.
    pub(super) bytes: usize,
    /// The numbers that the input repeats.
    pub(super) numbers: Vec<u8>,
    /// The time of a launch that reduces one row, once it is measured.
    pub(super) reduce_launch: f64,
}

impl Drop for Benchmark<'_> {
    fn drop(&mut self) {
        self.device.close_stream(self.stream);
    }
}

impl<'b> Benchmark<'b> {
    /// Opens a device with columns of `bytes_max`, or of the largest half, quarter … of it that there is memory for.
    pub(super) fn open(
        device: &'b Arc<dyn Device>,
        kernels: &'b [LoadedKernel],
        sampler: &'b Sampler<'b>,
    ) -> Result<Benchmark<'b>> {
        let mut bytes = sampler.limits.bytes_max;
        let columns = loop {
            match ScratchColumns::new(device, bytes).map_err(Error::from) {
                Err(error) if error.kind() == ErrorKind::OutOfMemory && bytes > BYTES_MIN => bytes /= 2,
                columns => break columns?,
            }
        };
        let (stream, numbers, reduce_launch) = (device.open_stream(Priority::Normal)?, numbers(), 0.0);
        let mut benchmark = Benchmark { device, stream, kernels, sampler, columns, bytes, numbers, reduce_launch };
        benchmark.fill()?;
        Ok(benchmark)
    }

    /// Writes numbers to the input, and to the output on the host, in slices: memory that was never written may be one
    /// page of zeros, many times.
    fn fill(&mut self) -> Result<()> {
        for start in (0..self.bytes).step_by(FILL_BYTES) {
            let part = start..self.bytes.min(start + FILL_BYTES);
            let numbers = &self.numbers[..part.len()];
            self.sampler.pacer.slice(|| match &mut self.columns {
                ScratchColumns::Host { input, output } => {
                    input[part].copy_from_slice(numbers);
                    output.iter_mut().skip(start).zip(numbers).for_each(|(to, from)| *to = *from);
                    Ok(())
                }
                ScratchColumns::Device { input, .. } => {
                    Ok(self.device.upload(self.stream, numbers, input.range(part))?)
                }
            })?;
        }
        Ok(())
    }

    /// Runs a kernel and returns when the device is done. A kernel that reads a column reads it from this byte on.
    pub(super) fn run(&mut self, kernel: &LoadedKernel, start: usize, rows: usize) -> Result<()> {
        let CalibrationKernel { sink, class, params, .. } = &kernel.source;
        let input_rows = if class.is_none() { rows } else { 0 };
        let read = start..start + input_rows * VALUE_BYTES;
        let written = if *sink == SinkKind::Reduce { 0..VALUE_BYTES } else { read.clone() };
        let bitmap = (*sink == SinkKind::ScanWithNulls).then(|| self.bytes / 2..self.bytes / 2 + rows.div_ceil(8));
        let (chunks, columns, mut outputs);
        match &mut self.columns {
            ScratchColumns::Host { input, output } => {
                let (values, bitmaps) = output.split_at_mut(self.bytes / 2);
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
        let device = self.device;
        let outcome = match device.launch(self.stream, kernel.program.id, &mut launch)? {
            LaunchStatus::Running(id) => device.finish(id, TIMEOUT).inspect_err(|_| device.forget_launch(id))?,
            LaunchStatus::Done(outcome) if device.info().capabilities.host_memory => outcome,
            // A launch whose outcome is certain returns as soon as it is queued.
            LaunchStatus::Done(outcome) => synchronize(&**device, self.stream).map(|()| outcome)?,
        };
        let fault = outcome.fault.map(|fault| Error::internal(format!("a calibration kernel failed with {fault:?}")));
        fault.map_or(Ok(()), Err)
    }
}

/// Waits until the stream is done.
fn synchronize(device: &dyn Device, stream: StreamId) -> DeviceResult<()> {
    let (event, start) = (device.record(stream)?, Instant::now());
    let status = loop {
        match device.event_status(event) {
            Ok(EventStatus::Pending) if start.elapsed() < TIMEOUT => std::thread::yield_now(),
            status => break status,
        }
    };
    device.forget_event(event);
    match status? {
        EventStatus::Reached => Ok(()),
        EventStatus::Pending => {
            Err(DeviceError::new(DeviceErrorKind::Timeout, format!("a launch took over {TIMEOUT:?}")))
        }
    }
}

/// Pseudo-random numbers between 1 and 2, as the bytes of `f32`.
fn numbers() -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits(0x3f80_0000 | state >> 9).to_le_bytes()
    };
    (0..FILL_BYTES / VALUE_BYTES).flat_map(|_| next()).collect()
}
