//! Copies between the host and buffers of a device whose memory is the host's: the buffer itself is mapped, so that bytes
//! are copied once and nothing is staged. Mapping waits for the work that uses the buffer; the caller keeps other work
//! from being queued until it is unmapped.

use super::gpu::{Gpu, lock};
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wgpu::{BufferUsages, MapMode};

/// Mapped ranges start at multiples of this many bytes.
const START_BYTES: u64 = wgpu::MAP_ALIGNMENT;
/// Mapped ranges have whole words of this many bytes.
const WORD_BYTES: u64 = wgpu::COPY_BUFFER_ALIGNMENT;

/// What buffers of the device are used for besides kernels and copies.
pub(super) fn usage(gpu: &Gpu) -> BufferUsages {
    if gpu.is_unified() { BufferUsages::MAP_READ | BufferUsages::MAP_WRITE } else { BufferUsages::empty() }
}

/// Copies bytes into a buffer, behind the work that uses it; the rest of the last word is padding, which is zero.
pub(super) fn write(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    offset: u64,
    bytes: &[u8],
    patience: Duration,
) -> DeviceResult<()> {
    if bytes.is_empty() {
        return gpu.alive();
    }
    gpu.note(format!("write {} bytes", bytes.len()));
    let padding = (offset + bytes.len() as u64).next_multiple_of(WORD_BYTES) - (offset + bytes.len() as u64);
    let mapping = Mapping::start(gpu, buffer, MapMode::Write, offset..offset + bytes.len() as u64)?;
    let written = gpu.wait_for_all(patience).and_then(|()| {
        let mut view = buffer.get_mapped_range_mut(mapping.landed(gpu)?).map_err(unmapped)?;
        let end = mapping.skipped + bytes.len();
        view.slice(mapping.skipped..end).copy_from_slice(bytes);
        view.slice(end..end + padding as usize).fill(0);
        Ok(())
    });
    mapping.end(gpu).and(written)
}

/// Copies parts of buffers to the host, behind the work that uses them: all are mapped, and waited for once.
pub(super) fn read_all(
    gpu: &Gpu,
    parts: &mut [(wgpu::Buffer, u64, &mut [u8])],
    patience: Duration,
) -> DeviceResult<()> {
    let (mut now, mut later): (Vec<(Mapping, &mut [u8])>, Vec<_>) = (Vec::new(), Vec::new());
    let mut started = gpu.alive();
    for (buffer, offset, into) in parts.iter_mut().filter(|(.., into)| !into.is_empty()) {
        // A buffer is mapped once at a time.
        if now.iter().any(|(mapping, _)| mapping.buffer == *buffer) {
            later.push((buffer.clone(), *offset, &mut **into));
            continue;
        }
        gpu.note(format!("read {} bytes", into.len()));
        match Mapping::start(gpu, buffer, MapMode::Read, *offset..*offset + into.len() as u64) {
            Ok(mapping) => now.push((mapping, into)),
            Err(error) => started = started.and(Err(error)),
        }
    }
    let is_waited_for = !now.is_empty();
    let waited = started.and_then(|()| if is_waited_for { gpu.wait_for_all(patience) } else { Ok(()) });
    let read = waited.and_then(|()| now.iter_mut().try_for_each(|(mapping, into)| mapping.read(gpu, into)));
    let ended = now.into_iter().map(|(mapping, _)| mapping.end(gpu)).fold(Ok(()), DeviceResult::and);
    ended.and(read)?;
    if later.is_empty() { Ok(()) } else { read_all(gpu, &mut later, patience) }
}

fn unmapped(error: wgpu::MapRangeError) -> DeviceError {
    DeviceError::new(DeviceErrorKind::Internal, error.to_string())
}

/// A buffer on its way to be mapped.
struct Mapping {
    buffer: wgpu::Buffer,
    /// What is mapped: the bytes around those that were asked for.
    range: Range<u64>,
    /// How many bytes lie before those.
    skipped: usize,
    told: Arc<Mutex<Option<Result<(), wgpu::BufferAsyncError>>>>,
}

impl Mapping {
    /// Asks for some bytes of a buffer.
    fn start(gpu: &Gpu, buffer: &wgpu::Buffer, mode: MapMode, bytes: Range<u64>) -> DeviceResult<Mapping> {
        let range = bytes.start / START_BYTES * START_BYTES..bytes.end.next_multiple_of(WORD_BYTES);
        let (skipped, told) = ((bytes.start - range.start) as usize, Arc::default());
        let mapping = Mapping { buffer: buffer.clone(), range, skipped, told };
        let (kept, range) = (Arc::clone(&mapping.told), mapping.range.clone());
        gpu.scoped("a mapping", || buffer.map_async(mode, range, move |result| *lock(&kept) = Some(result)))?;
        Ok(mapping)
    }

    /// What is mapped, once everything submitted was waited for.
    fn landed(&self, gpu: &Gpu) -> DeviceResult<Range<u64>> {
        let failed = |what: &str| Err(DeviceError::new(DeviceErrorKind::Internal, gpu.told(what)));
        match lock(&self.told).take() {
            Some(Ok(())) => Ok(self.range.clone()),
            Some(Err(error)) => failed(&format!("a mapping: {error}")),
            None => failed("a mapping that is not told of"),
        }
    }

    /// Copies what was asked for, once everything submitted was waited for.
    fn read(&self, gpu: &Gpu, into: &mut [u8]) -> DeviceResult<()> {
        let view = self.buffer.get_mapped_range(self.landed(gpu)?).map_err(unmapped)?;
        into.copy_from_slice(&view[self.skipped..self.skipped + into.len()]);
        Ok(())
    }

    /// Ends it; what is not mapped yet is given up.
    fn end(self, gpu: &Gpu) -> DeviceResult<()> {
        gpu.scoped("the end of a mapping", || self.buffer.unmap())
    }
}
