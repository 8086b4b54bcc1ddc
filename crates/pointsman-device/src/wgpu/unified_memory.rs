//! Copies between the host and buffers of a device whose memory is host memory: the buffer itself is mapped, so bytes
//! are copied once and nothing is staged. Mapping waits for the work that uses the buffer; the caller must ensure that
//! no other work on the buffer is queued until it is unmapped.

use super::gpu::Gpu;
use super::scratch::BufferPart;
use crate::sync::Mutex;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wgpu::{BufferUsages, MapMode};

/// The alignment of mapped ranges in bytes.
const START_BYTES: u64 = wgpu::MAP_ALIGNMENT;
/// The granularity of mapped ranges in bytes.
const WORD_BYTES: u64 = wgpu::COPY_BUFFER_ALIGNMENT;

/// The buffer usages that mapping needs.
pub(super) fn usage(gpu: &Gpu) -> BufferUsages {
    if gpu.is_unified() { BufferUsages::MAP_READ | BufferUsages::MAP_WRITE } else { BufferUsages::empty() }
}

/// Copies bytes into a buffer, after the work that uses it; the rest of the last word is zeroed padding.
pub(super) fn write(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    offset: u64,
    bytes: &[u8],
    timeout: Duration,
) -> DeviceResult<()> {
    if bytes.is_empty() {
        return gpu.alive();
    }
    gpu.log_command(format!("write {} bytes", bytes.len()));
    let padding = (offset + bytes.len() as u64).next_multiple_of(WORD_BYTES) - (offset + bytes.len() as u64);
    let mapping = Mapping::start(gpu, buffer, MapMode::Write, offset..offset + bytes.len() as u64)?;
    let waited = gpu.wait_for_all(timeout).and_then(|()| mapping.wait(gpu, timeout));
    let written = waited.and_then(|()| {
        let mut view = buffer.get_mapped_range_mut(mapping.mapped_range(gpu)?).map_err(unmapped)?;
        let start = (offset - mapping.range.start) as usize;
        let end = start + bytes.len();
        view.slice(start..end).copy_from_slice(bytes);
        view.slice(end..end + padding as usize).fill(0);
        Ok(())
    });
    mapping.end(gpu).and(written)
}

/// A part of a buffer and its destination in host memory.
pub(super) struct MappedRead<'a> {
    pub(super) from: BufferPart,
    pub(super) destination: &'a mut [u8],
}

/// Copies parts of buffers to the host, after the work that uses them: each buffer is mapped once, and there is one
/// wait for all.
pub(super) fn read_all(gpu: &Gpu, parts: &mut [MappedRead<'_>], timeout: Duration) -> DeviceResult<()> {
    let mut wanted: Vec<(&wgpu::Buffer, Range<u64>)> = Vec::with_capacity(parts.len());
    for MappedRead { from, destination } in parts.iter().filter(|part| !part.destination.is_empty()) {
        let (buffer, offset) = (&from.buffer, from.offset);
        let end = offset + destination.len() as u64;
        match wanted.iter_mut().find(|(known, _)| known == &buffer) {
            Some((_, bytes)) => *bytes = bytes.start.min(offset)..bytes.end.max(end),
            None => wanted.push((buffer, offset..end)),
        }
    }
    gpu.log_command(format!("read {:?} bytes", parts.iter().map(|part| part.destination.len()).collect::<Vec<_>>()));
    let (mut mappings, mut started) = (Vec::with_capacity(wanted.len()), gpu.alive());
    for (buffer, bytes) in wanted {
        match Mapping::start(gpu, buffer, MapMode::Read, bytes) {
            Ok(mapping) => mappings.push(mapping),
            Err(error) => started = started.and(Err(error)),
        }
    }
    let waited = started.and_then(|()| if mappings.is_empty() { Ok(()) } else { gpu.wait_for_all(timeout) });
    let waited = waited.and_then(|()| mappings.iter().try_for_each(|mapping| mapping.wait(gpu, timeout)));
    let read = waited.and_then(|()| {
        mappings.iter().try_for_each(|mapping| {
            let own =
                parts.iter_mut().filter(|part| part.from.buffer == mapping.buffer && !part.destination.is_empty());
            mapping.read(gpu, own)
        })
    });
    let ended = mappings.into_iter().map(|mapping| mapping.end(gpu)).fold(Ok(()), DeviceResult::and);
    ended.and(read)
}

fn unmapped(error: wgpu::MapRangeError) -> DeviceError {
    DeviceError::new(DeviceErrorKind::Internal, error.to_string())
}

/// A buffer that is being mapped.
struct Mapping {
    buffer: wgpu::Buffer,
    /// The mapped range, which contains the requested bytes.
    range: Range<u64>,
    result: Arc<Mutex<Option<Result<(), wgpu::BufferAsyncError>>>>,
}

impl Mapping {
    /// Requests the mapping of some bytes of a buffer.
    fn start(gpu: &Gpu, buffer: &wgpu::Buffer, mode: MapMode, bytes: Range<u64>) -> DeviceResult<Mapping> {
        let range = bytes.start / START_BYTES * START_BYTES..bytes.end.next_multiple_of(WORD_BYTES);
        let mapping = Mapping { buffer: buffer.clone(), range, result: Arc::default() };
        let (kept, range) = (Arc::clone(&mapping.result), mapping.range.clone());
        // Not while another thread submits commands that may use the buffer: they count only once they are submitted.
        gpu.queue_work("a mapping", || buffer.map_async(mode, range, move |result| *kept.lock() = Some(result)))?;
        Ok(mapping)
    }

    /// Waits until the mapping has ended. Another thread that polls may have taken the callback, and then calls it a
    /// little after this thread's own wait for the device.
    fn wait(&self, gpu: &Gpu, timeout: Duration) -> DeviceResult<()> {
        let start = Instant::now();
        while self.result.lock().is_none() && start.elapsed() < timeout {
            gpu.poll()?;
            std::thread::yield_now();
        }
        Ok(())
    }

    /// The mapped range, once the mapping was waited for.
    fn mapped_range(&self, gpu: &Gpu) -> DeviceResult<Range<u64>> {
        let failed = |what: &str| Err(DeviceError::new(DeviceErrorKind::Internal, gpu.with_history(what)));
        match self.result.lock().take() {
            Some(Ok(())) => Ok(self.range.clone()),
            Some(Err(error)) => failed(&format!("a mapping: {error}")),
            None => failed("the mapping has not completed"),
        }
    }

    /// Copies parts, each from its offset in the buffer, once everything submitted was waited for.
    fn read<'a, 'b: 'a>(&self, gpu: &Gpu, parts: impl Iterator<Item = &'a mut MappedRead<'b>>) -> DeviceResult<()> {
        let view = self.buffer.get_mapped_range(self.mapped_range(gpu)?).map_err(unmapped)?;
        for MappedRead { from, destination } in parts {
            let start = (from.offset - self.range.start) as usize;
            destination.copy_from_slice(&view[start..start + destination.len()]);
        }
        Ok(())
    }

    /// Unmaps the buffer; a mapping that is not done yet is cancelled.
    fn end(self, gpu: &Gpu) -> DeviceResult<()> {
        gpu.scoped("the end of a mapping", || self.buffer.unmap())
    }
}
