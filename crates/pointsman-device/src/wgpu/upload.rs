//! Copies from the host through reused staging buffers, in pieces of their size, which several threads fill. While one
//! piece is filled, the earlier ones are in flight. If all staging buffers wait for long work, the interface's own
//! staging takes the rest, so that the caller does not wait for that work.

use super::buffers::COPY_BYTES;
use super::gpu::Gpu;
use super::scratch::STAGING_BYTES_MAX;
use crate::sync::Mutex;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use wgpu::BufferUsages;

/// The number of kept staging buffers.
const STAGING_COUNT: usize = 8;
/// The size of a piece in bytes.
const PIECE_BYTES: usize = STAGING_BYTES_MAX as usize;
/// Smaller copies go through the interface's own staging.
const LARGE_BYTES: usize = 1 << 20;
/// The minimum number of bytes per thread when filling staging memory.
const BYTES_PER_THREAD: usize = 1 << 20;
/// How long to wait for a staging buffer in flight: many times what a copy of a piece takes.
const STAGING_TIMEOUT: Duration = Duration::from_millis(5);
/// The maximum size of a copy through the interface's own staging, which is bounded.
const QUEUE_WRITE_BYTES_MAX: usize = 64 << 20;

/// Staging buffers in flight, oldest first; a buffer is free once it is mapped again.
#[derive(Default)]
pub(super) struct UploadStaging(Mutex<VecDeque<InFlightUpload>>);

struct InFlightUpload {
    staging: wgpu::Buffer,
    submission: wgpu::SubmissionIndex,
    mapped: Arc<OnceLock<bool>>,
}

impl UploadStaging {
    /// Takes a mapped staging buffer; `None` if all of them will be in flight for long.
    fn take(&self, gpu: &Gpu) -> DeviceResult<Option<wgpu::Buffer>> {
        let mut sent = self.0.lock();
        let Some(first) = sent.front() else { return create_staging(gpu).map(Some) };
        if first.mapped.get().is_none() {
            if sent.len() < STAGING_COUNT {
                return create_staging(gpu).map(Some);
            }
            match gpu.wait(&first.submission, STAGING_TIMEOUT) {
                Err(error) if error.kind == DeviceErrorKind::Timeout => return Ok(None),
                waited => waited?,
            }
        }
        let is_mapped = first.mapped.get() == Some(&true);
        let first = sent.pop_front().map(|first| first.staging).filter(|_| is_mapped);
        first.map_or_else(|| create_staging(gpu), Ok).map(Some)
    }

    /// Fills a staging buffer and queues its copy.
    fn send(&self, gpu: &Gpu, staging: wgpu::Buffer, buffer: &wgpu::Buffer, at: u64, bytes: &[u8]) -> DeviceResult<()> {
        let unmapped = |error: wgpu::MapRangeError| DeviceError::new(DeviceErrorKind::Internal, error.to_string());
        let starts = (0..bytes.len()).step_by(BYTES_PER_THREAD);
        let views = starts.map(|start| {
            let end = bytes.len().min(start + BYTES_PER_THREAD);
            staging.get_mapped_range_mut(start as u64..end as u64).map_err(unmapped)
        });
        let views: Vec<wgpu::BufferViewMut> = views.collect::<DeviceResult<_>>()?;
        let parts = Mutex::new(views.into_iter().zip(bytes.chunks(BYTES_PER_THREAD)));
        let work = || {
            loop {
                let Some((mut view, bytes)) = parts.lock().next() else { return };
                view.copy_from_slice(bytes);
            }
        };
        gpu.on_threads(bytes.len() / BYTES_PER_THREAD, &work);
        staging.unmap();
        let mut encoder = gpu.encoder();
        encoder.copy_buffer_to_buffer(&staging, 0, buffer, at, bytes.len() as u64);
        let submission = gpu.submit(encoder)?;
        let mapped: Arc<OnceLock<bool>> = Arc::default();
        let result_cell = Arc::clone(&mapped);
        staging.map_async(wgpu::MapMode::Write, .., move |result| {
            result_cell.get_or_init(|| result.is_ok());
        });
        self.0.lock().push_back(InFlightUpload { staging, submission, mapped });
        Ok(())
    }
}

/// Creates a staging buffer.
fn create_staging(gpu: &Gpu) -> DeviceResult<wgpu::Buffer> {
    let usage = BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC;
    let described = wgpu::BufferDescriptor { label: None, size: PIECE_BYTES as u64, usage, mapped_at_creation: true };
    gpu.scoped("staging", || gpu.device.create_buffer(&described))
}

/// Queues a copy of bytes into a buffer, after everything submitted.
pub(super) fn write(
    gpu: &Gpu,
    upload_staging: &UploadStaging,
    buffer: &wgpu::Buffer,
    offset: u64,
    bytes: &[u8],
) -> DeviceResult<()> {
    check_and_log(gpu, offset, bytes)?;
    let mut done = 0;
    if bytes.len() >= LARGE_BYTES {
        let whole = bytes.len() / COPY_BYTES as usize * COPY_BYTES as usize;
        for piece in bytes[..whole].chunks(PIECE_BYTES) {
            let Some(staging) = upload_staging.take(gpu)? else { break };
            upload_staging.send(gpu, staging, buffer, offset + done as u64, piece)?;
            done += piece.len();
        }
    }
    write_through_queue(gpu, buffer, offset + done as u64, &bytes[done..])
}

/// Queues a copy of a few bytes into a buffer, after everything submitted.
pub(super) fn write_small(gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> DeviceResult<()> {
    check_and_log(gpu, offset, bytes)?;
    write_through_queue(gpu, buffer, offset, bytes)
}

fn check_and_log(gpu: &Gpu, offset: u64, bytes: &[u8]) -> DeviceResult<()> {
    if !offset.is_multiple_of(COPY_BYTES) {
        return Err(DeviceError::invalid(format!("a copy to byte {offset}, which is no multiple of {COPY_BYTES}")));
    }
    gpu.log_command(format!("copy in {} bytes", bytes.len()));
    gpu.count_staged();
    Ok(())
}

/// Queues a copy through the interface's own staging, which grows as needed.
fn write_through_queue(gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> DeviceResult<()> {
    let mut at = offset;
    for piece in bytes.chunks(QUEUE_WRITE_BYTES_MAX) {
        let whole = piece.len() / COPY_BYTES as usize * COPY_BYTES as usize;
        let (body, tail) = piece.split_at(whole);
        gpu.queue_work("a copy in", || {
            if !body.is_empty() {
                gpu.queue.write_buffer(buffer, at, body);
            }
            if !tail.is_empty() {
                // The rest of the word is zeroed padding.
                let mut word = [0; COPY_BYTES as usize];
                word[..tail.len()].copy_from_slice(tail);
                gpu.queue.write_buffer(buffer, at + whole as u64, &word);
            }
            gpu.queue.submit([]);
        })?;
        at += piece.len() as u64;
    }
    Ok(())
}
