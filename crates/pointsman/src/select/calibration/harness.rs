//! [`Harness`]: a device with the stream, memory and kernels that measuring it takes. All of them are released when
//! they are dropped, also after a failure.

use super::kernels::{CalibrationKernel, VALUE_BYTES};
use super::pacing::Pacer;
use super::sampler::Sampler;
use crate::error::{Error, ErrorKind, Result};
use crate::resilience::clock::Clock;
use crate::select::estimator::SinkKind;
use pointsman_device::host::BoolLayout;
use pointsman_device::{
    BufferId, BufferRange, ColumnInput, ColumnOutput, Device, DeviceError, DeviceErrorKind, DeviceResult, EventStatus,
    Form, HostBuffer, HostChunk, Launch, LaunchStatus, Priority, ProgramId, StreamId,
};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a launch or a copy may take.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);
/// The part of the time budget after which no further kernel is compiled.
const COMPILE_PART_MAX: f64 = 0.75;
/// The smallest input column.
const BYTES_MIN: usize = 64 << 10;
/// The most bytes that are written in one slice: on the host each new page is a fault.
const FILL_BYTES: usize = 2 << 20;

/// A kernel that is loaded on a device.
pub(super) struct LoadedKernel {
    device: Arc<dyn Device>,
    id: ProgramId,
    pub(super) source: CalibrationKernel,
    /// How long compiling and loading took.
    pub(super) compile: Duration,
}

impl Drop for LoadedKernel {
    fn drop(&mut self) {
        self.device.unload(self.id);
    }
}

impl LoadedKernel {
    /// Compiles and loads a kernel; `None` if the device refuses it.
    fn load(device: &Arc<dyn Device>, source: CalibrationKernel, clock: &dyn Clock) -> Result<Option<LoadedKernel>> {
        let start = clock.now();
        let image = device.supports(&source.kernel).and_then(|()| device.compile(&source.kernel));
        let id = match image.and_then(|image| device.load(&image)) {
            Err(error) if matches!(error.kind, DeviceErrorKind::Unsupported | DeviceErrorKind::Compile) => {
                return Ok(None);
            }
            loaded => loaded?,
        };
        let compile = clock.now().saturating_sub(start);
        Ok(Some(LoadedKernel { device: device.clone(), id, source, compile }))
    }
}

/// The kernels that a device accepted.
pub(super) struct LoadedKernels {
    pub(super) sum: LoadedKernel,
    pub(super) copy: LoadedKernel,
    /// Other sinks, and classes of operations.
    pub(super) others: Vec<LoadedKernel>,
}

impl LoadedKernels {
    /// Compiles kernels, sum and copy first: one in each slice, or all at once if compiling takes long and a caller
    /// waits for it. `None` if the device refuses one of the first two, or there is no time for them.
    pub(super) fn load(
        device: &Arc<dyn Device>,
        sampler: &Sampler<'_>,
        kernels: impl Iterator<Item = CalibrationKernel>,
    ) -> Result<Option<LoadedKernels>> {
        let (pacer, clock, mut loaded) = (sampler.pacer, sampler.pacer.clock(), Vec::new());
        if pacer.is_immediate() && device.info().capabilities.images_worth_storing {
            let panicked = |_| Err(Error::internal("a compilation panicked"));
            loaded = std::thread::scope(|scope| {
                let load = |kernel| scope.spawn(move || LoadedKernel::load(device, kernel, clock));
                let threads: Vec<_> = kernels.map(load).collect();
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect::<Result<_>>()
            })?;
        } else {
            for kernel in kernels.take_while(|_| !sampler.has_used(COMPILE_PART_MAX)) {
                loaded.push(pacer.slice(|| LoadedKernel::load(device, kernel, clock))?.value);
            }
        }
        let mut loaded = loaded.into_iter();
        let (Some(Some(sum)), Some(Some(copy))) = (loaded.next(), loaded.next()) else { return Ok(None) };
        Ok(Some(LoadedKernels { sum, copy, others: loaded.flatten().collect() }))
    }
}

/// Memory of a device.
pub(super) struct ScratchBuffer {
    device: Arc<dyn Device>,
    id: BufferId,
}

impl Drop for ScratchBuffer {
    fn drop(&mut self) {
        self.device.free(self.id);
    }
}

impl ScratchBuffer {
    pub(super) fn new(device: &Arc<dyn Device>, bytes: usize) -> DeviceResult<ScratchBuffer> {
        Ok(ScratchBuffer { device: device.clone(), id: device.allocate(bytes)? })
    }

    pub(super) fn range(&self, at: Range<usize>) -> BufferRange {
        BufferRange { buffer: self.id, offset: at.start as u64, bytes: at.len() as u64 }
    }
}

/// An input column, an output column of half its size, and the bitmap of the output.
struct ColumnBuffers<B> {
    input: B,
    output: B,
    validity: B,
}

impl<B> ColumnBuffers<B> {
    fn new(bytes: usize, allocate: impl Fn(usize) -> DeviceResult<B>) -> DeviceResult<ColumnBuffers<B>> {
        let validity_bytes = (bytes / 2 / VALUE_BYTES).div_ceil(8).next_multiple_of(64);
        let (input, output, validity) = (allocate(bytes)?, allocate(bytes / 2)?, allocate(validity_bytes)?);
        Ok(ColumnBuffers { input, output, validity })
    }
}

enum ScratchColumns {
    Host(ColumnBuffers<HostBuffer>),
    Device(ColumnBuffers<ScratchBuffer>),
}

/// A device under measurement, with a stream and with columns that exceed its caches.
pub(super) struct Harness {
    pub(super) device: Arc<dyn Device>,
    pub(super) stream: StreamId,
    columns: ScratchColumns,
    /// The bytes of the input column.
    pub(super) bytes: usize,
    /// The bytes of the input that were written: memory that was never written may be one page of zeros, many times.
    filled: usize,
    /// The numbers that the input repeats.
    pub(super) numbers: Vec<u8>,
}

impl Drop for Harness {
    fn drop(&mut self) {
        self.device.close_stream(self.stream);
    }
}

impl Harness {
    /// Opens a device with columns of `bytes`, or of the largest half, quarter … of it that there is memory for.
    pub(super) fn open(device: &Arc<dyn Device>, mut bytes: usize) -> Result<Harness> {
        let allocate = |bytes| match device.info().capabilities.host_memory {
            true => ColumnBuffers::new(bytes, HostBuffer::try_zeroed).map(ScratchColumns::Host),
            false => ColumnBuffers::new(bytes, |bytes| ScratchBuffer::new(device, bytes)).map(ScratchColumns::Device),
        };
        let columns = loop {
            match allocate(bytes).map_err(Error::from) {
                Err(error) if error.kind() == ErrorKind::OutOfMemory && bytes > BYTES_MIN => bytes /= 2,
                columns => break columns?,
            }
        };
        let stream = device.open_stream(Priority::Normal)?;
        Ok(Harness { device: device.clone(), stream, columns, bytes, filled: 0, numbers: numbers() })
    }

    /// Writes numbers to the first bytes of the input, and of the output on the host, in slices.
    pub(super) fn fill(&mut self, pacer: &Pacer<'_>, bytes: usize) -> Result<()> {
        while self.filled < bytes.min(self.bytes) {
            let part = self.filled..self.bytes.min(self.filled + FILL_BYTES);
            let numbers = &self.numbers[..part.len()];
            pacer.slice(|| match &mut self.columns {
                ScratchColumns::Host(ColumnBuffers { input, output, .. }) => {
                    input[part.clone()].copy_from_slice(numbers);
                    // No run should meet a page of the output that was never written either.
                    output.iter_mut().skip(part.start).zip(numbers).for_each(|(to, from)| *to = *from);
                    Ok(())
                }
                ScratchColumns::Device(ColumnBuffers { input, .. }) => {
                    Ok(self.device.upload(self.stream, numbers, input.range(part.clone()))?)
                }
            })?;
            self.filled = part.end;
        }
        Ok(())
    }

    /// Runs a kernel and returns when the device is done. A kernel that reads a column reads it from this byte on.
    pub(super) fn run(&mut self, kernel: &LoadedKernel, start: usize, rows: usize) -> Result<()> {
        let (sink, inputs) = (SinkKind::of(&kernel.source.kernel), usize::from(kernel.source.class.is_none()));
        let read = start..start + inputs * rows * VALUE_BYTES;
        let written = if sink == Some(SinkKind::Reduce) { 0..VALUE_BYTES } else { read.clone() };
        let bitmap = (sink == Some(SinkKind::ScanWithNulls)).then(|| 0..rows.div_ceil(8));
        let (device, stream) = (&self.device, self.stream);
        match &mut self.columns {
            ScratchColumns::Host(ColumnBuffers { input, output, validity }) => {
                let (values, validity) = (&mut output[written], bitmap.map(|bitmap| &mut validity[bitmap]));
                let output = ColumnOutput::Host { values, bools: BoolLayout::Bits, validity };
                let chunks = [chunk(&input[read])];
                launch(device, stream, kernel, rows, &[ColumnInput::Host(&chunks)][..inputs], output)
            }
            ScratchColumns::Device(ColumnBuffers { input, output, validity }) => {
                let (values, validity) = (output.range(written), bitmap.map(|bitmap| validity.range(bitmap)));
                let output = ColumnOutput::Device { values, validity };
                launch(device, stream, kernel, rows, &[column(input.range(read))][..inputs], output)
            }
        }
    }
}

fn launch(
    device: &Arc<dyn Device>,
    stream: StreamId,
    kernel: &LoadedKernel,
    rows: usize,
    columns: &[ColumnInput<'_>],
    output: ColumnOutput<'_>,
) -> Result<()> {
    let (params, form, outputs) = (&kernel.source.params[..], Form::Whole, &mut [output]);
    let mut launch = Launch { first_row: 0, rows, form, columns, params, lists: &[], tables: &[], outputs };
    let outcome = match device.launch(stream, kernel.id, &mut launch)? {
        LaunchStatus::Running(id) => device.finish(id, TIMEOUT).inspect_err(|_| device.forget_launch(id))?,
        LaunchStatus::Done(outcome) if device.info().capabilities.host_memory => outcome,
        // A launch whose outcome is certain returns as soon as it is queued.
        LaunchStatus::Done(outcome) => synchronize(&**device, stream).map(|()| outcome)?,
    };
    let fault = outcome.fault.map(|fault| Error::internal(format!("a calibration kernel failed with {fault:?}")));
    fault.map_or(Ok(()), Err)
}

/// Waits until the stream is done.
fn synchronize(device: &dyn Device, stream: StreamId) -> DeviceResult<()> {
    let (event, start) = (device.record(stream)?, Instant::now());
    let reached = loop {
        match device.event_status(event) {
            Ok(EventStatus::Reached) => break Ok(()),
            Ok(EventStatus::Pending) if start.elapsed() < TIMEOUT => std::thread::yield_now(),
            Ok(EventStatus::Pending) => {
                break Err(DeviceError::new(DeviceErrorKind::Timeout, format!("a launch took over {TIMEOUT:?}")));
            }
            Err(error) => break Err(error),
        }
    };
    device.forget_event(event);
    reached
}

fn chunk(values: &[u8]) -> HostChunk<'_> {
    HostChunk { values, bools: BoolLayout::Bits, bit_offset: 0, validity: None, rows: values.len() / VALUE_BYTES }
}

fn column(values: BufferRange) -> ColumnInput<'static> {
    ColumnInput::Device { values, validity: None, rows: values.bytes as usize / VALUE_BYTES }
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
