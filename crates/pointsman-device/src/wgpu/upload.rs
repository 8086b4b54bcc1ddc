//! Copies from the host: through staging that is used again and again, in pieces of its size, which several threads fill.
//! While one is filled, those before it are on their way. Where all of it waits behind long work, the interface's own
//! staging takes the rest, so that nobody waits for that work.

use super::buffers::COPY_BYTES;
use super::gpu::{Gpu, lock};
use super::scratch::STAGING_BYTES_MAX;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use wgpu::BufferUsages;

/// How much staging is kept.
const STAGING_COUNT: usize = 8;
/// The bytes of a piece.
const PIECE_BYTES: usize = STAGING_BYTES_MAX as usize;
/// Fewer bytes go through the interface's own staging.
const LARGE_BYTES: usize = 1 << 20;
/// Filling staging is worth a thread for so many bytes.
const BYTES_A_THREAD: usize = 1 << 20;
/// How long staging that is on its way is waited for: many times what a copy of a piece takes.
const STAGING_TIMEOUT: Duration = Duration::from_millis(5);
/// A copy through the interface's own staging is made of pieces of at most so many bytes: that is bounded by it.
const QUEUE_WRITE_BYTES_MAX: usize = 64 << 20;

/// Staging that was sent, the one that was sent first before the others; free once it is mapped again.
#[derive(Default)]
pub(super) struct UploadStaging(Mutex<VecDeque<InFlightUpload>>);

struct InFlightUpload {
    staging: wgpu::Buffer,
    submission: wgpu::SubmissionIndex,
    mapped: Arc<OnceLock<bool>>,
}

impl UploadStaging {
    /// Staging that is mapped; `None` where all of it is on its way and will be for long.
    fn take(&self, gpu: &Gpu) -> DeviceResult<Option<wgpu::Buffer>> {
        let mut sent = lock(&self.0);
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

    /// Fills staging and queues its copy.
    fn send(
        &self,
        gpu: &Gpu,
        staging: wgpu::Buffer,
        (buffer, at): (&wgpu::Buffer, u64),
        bytes: &[u8],
    ) -> DeviceResult<()> {
        let unmapped = |error: wgpu::MapRangeError| DeviceError::new(DeviceErrorKind::Internal, error.to_string());
        let starts = (0..bytes.len()).step_by(BYTES_A_THREAD);
        let views = starts.map(|start| {
            let end = bytes.len().min(start + BYTES_A_THREAD);
            staging.get_mapped_range_mut(start as u64..end as u64).map_err(unmapped)
        });
        let views: Vec<wgpu::BufferViewMut> = views.collect::<DeviceResult<_>>()?;
        let parts = Mutex::new(views.into_iter().zip(bytes.chunks(BYTES_A_THREAD)));
        let work = || {
            loop {
                let Some((mut view, bytes)) = lock(&parts).next() else { return };
                view.copy_from_slice(bytes);
            }
        };
        gpu.on_threads(bytes.len() / BYTES_A_THREAD, &work);
        staging.unmap();
        let mut encoder = gpu.encoder();
        encoder.copy_buffer_to_buffer(&staging, 0, buffer, at, bytes.len() as u64);
        let submission = gpu.submit(encoder)?;
        let mapped: Arc<OnceLock<bool>> = Arc::default();
        let told = Arc::clone(&mapped);
        staging.map_async(wgpu::MapMode::Write, .., move |result| {
            told.get_or_init(|| result.is_ok());
        });
        lock(&self.0).push_back(InFlightUpload { staging, submission, mapped });
        Ok(())
    }
}

/// New staging.
fn create_staging(gpu: &Gpu) -> DeviceResult<wgpu::Buffer> {
    let usage = BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC;
    let described = wgpu::BufferDescriptor { label: None, size: PIECE_BYTES as u64, usage, mapped_at_creation: true };
    gpu.scoped("staging", || gpu.device.create_buffer(&described))
}

/// Queues a copy of bytes into a buffer, behind everything submitted.
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
            upload_staging.send(gpu, staging, (buffer, offset + done as u64), piece)?;
            done += piece.len();
        }
    }
    write_through_queue(gpu, buffer, offset + done as u64, &bytes[done..])
}

/// The same of a few bytes.
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

/// Queues a copy through the interface's own staging, of which there is as much as it takes.
fn write_through_queue(gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> DeviceResult<()> {
    let mut at = offset;
    for piece in bytes.chunks(QUEUE_WRITE_BYTES_MAX) {
        let whole = piece.len() / COPY_BYTES as usize * COPY_BYTES as usize;
        let (body, tail) = piece.split_at(whole);
        gpu.scoped("a copy in", || {
            if !body.is_empty() {
                gpu.queue.write_buffer(buffer, at, body);
            }
            if !tail.is_empty() {
                // The rest of the word is padding, which is zero.
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
