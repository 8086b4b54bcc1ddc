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
    gpu.note(format!("write {} bytes", bytes.len()));
    let padding = (offset + bytes.len() as u64).next_multiple_of(WORD_BYTES) - (offset + bytes.len() as u64);
    mapped(gpu, buffer, MapMode::Write, offset..offset + bytes.len() as u64, patience, |range, skipped| {
        let mut view = buffer.get_mapped_range_mut(range).map_err(unmapped)?;
        let end = skipped + bytes.len();
        view.slice(skipped..end).copy_from_slice(bytes);
        view.slice(end..end + padding as usize).fill(0);
        Ok(())
    })
}

/// Copies a part of a buffer to the host, behind the work that uses it.
pub(super) fn read(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    offset: u64,
    into: &mut [u8],
    patience: Duration,
) -> DeviceResult<()> {
    gpu.note(format!("read {} bytes", into.len()));
    mapped(gpu, buffer, MapMode::Read, offset..offset + into.len() as u64, patience, |range, skipped| {
        let view = buffer.get_mapped_range(range).map_err(unmapped)?;
        into.copy_from_slice(&view[skipped..skipped + into.len()]);
        Ok(())
    })
}

fn unmapped(error: wgpu::MapRangeError) -> DeviceError {
    DeviceError::new(DeviceErrorKind::Internal, error.to_string())
}

/// Maps the bytes around a range, and does what `copy` says with what is mapped and how many bytes lie before the range.
fn mapped(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    mode: MapMode,
    bytes: Range<u64>,
    patience: Duration,
    copy: impl FnOnce(Range<u64>, usize) -> DeviceResult<()>,
) -> DeviceResult<()> {
    if bytes.is_empty() {
        return gpu.alive();
    }
    let range = bytes.start / START_BYTES * START_BYTES..bytes.end.next_multiple_of(WORD_BYTES);
    let told: Arc<Mutex<Option<Result<(), wgpu::BufferAsyncError>>>> = Arc::default();
    let kept = Arc::clone(&told);
    gpu.scoped("a mapping", || buffer.map_async(mode, range.clone(), move |result| *lock(&kept) = Some(result)))?;
    let copied = gpu.wait_for_all(patience).and_then(|()| match lock(&told).take() {
        Some(Ok(())) => copy(range.clone(), (bytes.start - range.start) as usize),
        Some(Err(error)) => Err(DeviceError::new(DeviceErrorKind::Internal, gpu.told(&format!("a mapping: {error}")))),
        None => Err(DeviceError::new(DeviceErrorKind::Internal, gpu.told("a mapping that is not told of"))),
    });
    // What is not mapped yet is given up.
    gpu.scoped("the end of a mapping", || buffer.unmap())?;
    copied
}
