//! Copies between the host and buffers of a device whose memory is the host's: the buffer itself is mapped, so that bytes
//! are copied once and nothing is staged. Mapping waits for the work that uses the buffer; the caller keeps other work
//! from being queued until it is unmapped.

use super::gpu::Gpu;
use super::told::Told;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::ops::Range;
use std::time::{Duration, Instant};
use wgpu::{BufferUsages, MapMode};

/// Mapped ranges start at multiples of this many bytes.
const START_BYTES: u64 = wgpu::MAP_ALIGNMENT;
/// Mapped ranges have whole words of this many bytes.
const WORD_BYTES: u64 = wgpu::COPY_BUFFER_ALIGNMENT;
/// How long the end of a mapping waits for another thread that is making it: a call of the driver.
const END_PATIENCE: Duration = Duration::from_secs(1);

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
    let since = Instant::now();
    let written = gpu.wait_for_all(patience).and_then(|()| {
        let mut view = buffer.get_mapped_range_mut(mapping.landed((since, patience))?).map_err(unmapped)?;
        let start = (offset - mapping.range.start) as usize;
        let end = start + bytes.len();
        view.slice(start..end).copy_from_slice(bytes);
        view.slice(end..end + padding as usize).fill(0);
        Ok(())
    });
    written.and(mapping.end())
}

/// Copies parts of buffers to the host, behind the work that uses them: each buffer is mapped once, and all are waited for
/// once.
pub(super) fn read_all(
    gpu: &Gpu,
    parts: &mut [(wgpu::Buffer, u64, &mut [u8])],
    patience: Duration,
) -> DeviceResult<()> {
    let mut wanted: Vec<(&wgpu::Buffer, Range<u64>)> = Vec::with_capacity(parts.len());
    for (buffer, offset, into) in parts.iter().filter(|(.., into)| !into.is_empty()) {
        let end = offset + into.len() as u64;
        match wanted.iter_mut().find(|(known, _)| known == &buffer) {
            Some((_, bytes)) => *bytes = bytes.start.min(*offset)..bytes.end.max(end),
            None => wanted.push((buffer, *offset..end)),
        }
    }
    gpu.note(format!("read {:?} bytes", parts.iter().map(|(.., into)| into.len()).collect::<Vec<_>>()));
    let (mut mappings, mut started) = (Vec::with_capacity(wanted.len()), gpu.alive());
    for (buffer, bytes) in wanted {
        match Mapping::start(gpu, buffer, MapMode::Read, bytes) {
            Ok(mapping) => mappings.push(mapping),
            Err(error) => started = started.and(Err(error)),
        }
    }
    let since = Instant::now();
    let waited = started.and_then(|()| if mappings.is_empty() { Ok(()) } else { gpu.wait_for_all(patience) });
    let read = waited.and_then(|()| {
        mappings.iter().try_for_each(|mapping| {
            let own = parts.iter_mut().filter(|(buffer, _, into)| *buffer == mapping.buffer && !into.is_empty());
            mapping.read((since, patience), own.map(|(_, offset, into)| (*offset, &mut **into)))
        })
    });
    let ended = mappings.into_iter().map(Mapping::end).fold(Ok(()), DeviceResult::and);
    read.and(ended)
}

fn unmapped(error: wgpu::MapRangeError) -> DeviceError {
    DeviceError::new(DeviceErrorKind::Internal, error.to_string())
}

/// A buffer on its way to be mapped. It is unmapped with this, whatever happened.
struct Mapping<'a> {
    gpu: &'a Gpu,
    buffer: wgpu::Buffer,
    /// What is mapped: the bytes around those that were asked for.
    range: Range<u64>,
    told: Told,
    is_ended: bool,
}

impl<'a> Mapping<'a> {
    /// Asks for some bytes of a buffer.
    fn start(gpu: &'a Gpu, buffer: &wgpu::Buffer, mode: MapMode, bytes: Range<u64>) -> DeviceResult<Mapping<'a>> {
        gpu.alive()?;
        let range = bytes.start / START_BYTES * START_BYTES..bytes.end.next_multiple_of(WORD_BYTES);
        let mapping = Mapping { gpu, buffer: buffer.clone(), range, told: Told::default(), is_ended: false };
        let ((), failed) = gpu.caught(|| buffer.map_async(mode, mapping.range.clone(), mapping.told.teller()));
        gpu.checked("a mapping", failed)?;
        Ok(mapping)
    }

    /// What is mapped, once everything submitted was waited for, with so much patience since then.
    fn landed(&self, patience: (Instant, Duration)) -> DeviceResult<Range<u64>> {
        self.told.wait(patience, || self.gpu.poll())?;
        Ok(self.range.clone())
    }

    /// Copies parts, each from where it starts in the buffer, once everything submitted was waited for.
    fn read<'b>(
        &self,
        patience: (Instant, Duration),
        parts: impl Iterator<Item = (u64, &'b mut [u8])>,
    ) -> DeviceResult<()> {
        let view = self.buffer.get_mapped_range(self.landed(patience)?).map_err(unmapped)?;
        for (offset, into) in parts {
            let start = (offset - self.range.start) as usize;
            into.copy_from_slice(&view[start..start + into.len()]);
        }
        Ok(())
    }

    /// Ends it; what is not mapped yet is given up.
    fn end(mut self) -> DeviceResult<()> {
        let failed = self.unmap();
        self.gpu.checked("the end of a mapping", failed)
    }

    fn unmap(&mut self) -> Option<wgpu::Error> {
        self.is_ended = true;
        let ((), failed) = self.gpu.caught(|| self.buffer.unmap());
        // While another thread's poll is mapping it, it can neither be given up nor unmapped.
        if failed.is_some() && self.told.wait((Instant::now(), END_PATIENCE), || Ok(())).is_ok() {
            return self.gpu.caught(|| self.buffer.unmap()).1;
        }
        failed
    }
}

impl Drop for Mapping<'_> {
    fn drop(&mut self) {
        if !self.is_ended {
            self.unmap();
        }
    }
}
