//! The device's buffers by handle, and copies between them and the host. Sizes are rounded up to whole vectors, so that
//! kernels may touch whole words of a column's end.

use super::gpu::{Gpu, lock};
use super::scratch::Stagings;
use super::unified;
use crate::{BufferId, BufferRange, DeviceError, DeviceErrorKind, DeviceResult, HostBuffer};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wgpu::BufferUsages;

/// Buffers have whole vectors of this many bytes.
pub(super) const VECTOR_BYTES: u64 = 16;
/// Copies are multiples of this many bytes.
const COPY_BYTES: u64 = wgpu::COPY_BUFFER_ALIGNMENT;
/// A copy is made of pieces of at most so many bytes: staging is bounded by it.
const PIECE_BYTES: u64 = 64 << 20;

/// The buffers by handle.
#[derive(Default)]
pub(super) struct Buffers {
    /// Each with the bytes that were asked for.
    held: Mutex<BTreeMap<BufferId, (wgpu::Buffer, u64)>>,
    used: AtomicU64,
    peak: AtomicU64,
}

impl Buffers {
    /// The bytes that buffers take.
    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The most that they ever took.
    pub(super) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// Takes a buffer under this handle.
    pub(super) fn allocate(&self, gpu: &Gpu, id: BufferId, bytes: u64) -> DeviceResult<()> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffer = create(gpu, bytes, usage | unified::usage(gpu))?;
        let used = self.used.fetch_add(buffer.size(), Ordering::Relaxed) + buffer.size();
        self.peak.fetch_max(used, Ordering::Relaxed);
        lock(&self.held).insert(id, (buffer, bytes));
        Ok(())
    }

    /// Forgets a handle; the memory goes once queued work no longer needs it.
    pub(super) fn free(&self, id: BufferId) -> Option<wgpu::Buffer> {
        let (buffer, _) = lock(&self.held).remove(&id)?;
        self.used.fetch_sub(buffer.size(), Ordering::Relaxed);
        Some(buffer)
    }

    /// The buffer behind a range that lies in it.
    pub(super) fn get(&self, range: BufferRange) -> DeviceResult<wgpu::Buffer> {
        let buffer = lock(&self.held).get(&range.buffer).cloned();
        let missing = || DeviceError::invalid(format!("there is no buffer {}", range.buffer.0));
        let (buffer, bytes) = buffer.ok_or_else(missing)?;
        let end = range.offset.checked_add(range.bytes);
        if end.is_none_or(|end| end > bytes) {
            let message = format!("{} bytes from {} of a buffer of {bytes}", range.bytes, range.offset);
            return Err(DeviceError::invalid(message));
        }
        Ok(buffer)
    }
}

/// A buffer of at least so many bytes.
pub(super) fn create(gpu: &Gpu, bytes: u64, usage: BufferUsages) -> DeviceResult<wgpu::Buffer> {
    let most = gpu.device.limits().max_buffer_size;
    let size = bytes.max(1).checked_next_multiple_of(VECTOR_BYTES).filter(|&size| size <= most);
    let too_large = || {
        let message = format!("a buffer of {bytes} bytes, where the device has buffers of at most {most}");
        DeviceError::new(DeviceErrorKind::OutOfMemory, message)
    };
    let size = size.ok_or_else(too_large)?;
    let described = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    gpu.scoped(&format!("a buffer of {size} bytes"), || gpu.device.create_buffer(&described))
}

/// Queues a copy of bytes into a buffer, behind everything submitted.
pub(super) fn write(gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> DeviceResult<()> {
    if !offset.is_multiple_of(COPY_BYTES) {
        return Err(DeviceError::invalid(format!("a copy to byte {offset}, which is no multiple of {COPY_BYTES}")));
    }
    gpu.note(format!("copy in {} bytes", bytes.len()));
    gpu.count_staged();
    let mut at = offset;
    for piece in bytes.chunks(PIECE_BYTES as usize) {
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

/// Queues a copy between two buffers.
pub(super) fn copy(
    gpu: &Gpu,
    (source, from): (&wgpu::Buffer, BufferRange),
    (target, to): (&wgpu::Buffer, BufferRange),
) -> DeviceResult<()> {
    let whole = |bytes: u64| bytes.is_multiple_of(COPY_BYTES);
    if from.bytes != to.bytes || source == target || !(whole(from.offset) && whole(to.offset) && whole(to.bytes)) {
        return Err(DeviceError::invalid(format!("a copy of {from:?} into {to:?}")));
    }
    gpu.note(format!("copy across {} bytes", to.bytes));
    let mut encoder = gpu.encoder();
    encoder.copy_buffer_to_buffer(source, from.offset, target, to.offset, to.bytes);
    gpu.submit(encoder).map(drop)
}

/// A copy to the host under way: staging that is mapped once the copy is done.
pub(super) struct Reading {
    pieces: Vec<wgpu::Buffer>,
    /// Bytes before the first that was asked for.
    skipped: usize,
    bytes: usize,
    submission: wgpu::SubmissionIndex,
    failed: Arc<Mutex<Option<String>>>,
    /// Goes with the reading.
    _home: Home,
}

/// Where staging goes when nobody reads it any more.
#[derive(Default)]
struct Home {
    stagings: Option<Stagings>,
    pieces: Vec<wgpu::Buffer>,
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Some(stagings) = &self.stagings {
            self.pieces.drain(..).for_each(|piece| stagings.give(piece));
        }
    }
}

/// Queues a copy of a part of a buffer to the host.
pub(super) fn read(gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64, bytes: u64) -> DeviceResult<Reading> {
    let start = offset / COPY_BYTES * COPY_BYTES;
    let end = (offset + bytes).next_multiple_of(COPY_BYTES);
    gpu.note(format!("copy out {bytes} bytes"));
    gpu.count_staged();
    let mut encoder = gpu.encoder();
    let mut pieces = Vec::new();
    let mut at = start;
    while at < end {
        let size = (end - at).min(PIECE_BYTES);
        let staging = create(gpu, size, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        encoder.copy_buffer_to_buffer(buffer, at, &staging, 0, size);
        pieces.push(staging);
        at += size;
    }
    let submission = gpu.submit(encoder)?;
    Ok(Reading::mapped(pieces, (offset - start) as usize, bytes as usize, submission))
}

impl Reading {
    /// Staging that is filled by a submission, to be mapped behind it.
    pub(super) fn mapped(
        pieces: Vec<wgpu::Buffer>,
        skipped: usize,
        bytes: usize,
        submission: wgpu::SubmissionIndex,
    ) -> Reading {
        let failed: Arc<Mutex<Option<String>>> = Arc::default();
        for piece in &pieces {
            let failed = Arc::clone(&failed);
            piece.map_async(wgpu::MapMode::Read, .., move |mapped| {
                if let Err(error) = mapped {
                    lock(&failed).get_or_insert_with(|| error.to_string());
                }
            });
        }
        Reading { pieces, skipped, bytes, submission, failed, _home: Home::default() }
    }

    /// The same, whose staging is used again.
    pub(super) fn given_back_to(self, home: &Stagings) -> Reading {
        Reading { _home: Home { stagings: Some(home.clone()), pieces: self.pieces.clone() }, ..self }
    }

    /// Whether the copy is not done.
    pub(super) fn is_under_way(&self, gpu: &Gpu) -> bool {
        gpu.wait(&self.submission, Duration::ZERO).is_err_and(|error| error.kind == DeviceErrorKind::Timeout)
    }

    /// Waits for the copy and fills memory of at least the bytes asked for.
    pub(super) fn finish(&self, gpu: &Gpu, patience: Duration, into: &mut [u8]) -> DeviceResult<()> {
        gpu.wait(&self.submission, patience)?;
        if let Some(error) = &*lock(&self.failed) {
            return Err(DeviceError::new(DeviceErrorKind::Internal, gpu.told(&format!("a copy out: {error}"))));
        }
        let (mut skipped, mut at) = (self.skipped, 0);
        for piece in &self.pieces {
            let unmapped = |error: wgpu::MapRangeError| DeviceError::new(DeviceErrorKind::Internal, error.to_string());
            let mapped = piece.slice(..).get_mapped_range().map_err(unmapped)?;
            let size = (mapped.len() - skipped).min(self.bytes - at);
            into[at..at + size].copy_from_slice(&mapped[skipped..skipped + size]);
            at += size;
            skipped = 0;
        }
        Ok(())
    }

    /// The same, as words.
    pub(super) fn finish_words(&self, gpu: &Gpu, patience: Duration) -> DeviceResult<Vec<u32>> {
        let mut bytes = HostBuffer::zeroed(self.bytes);
        self.finish(gpu, patience, &mut bytes)?;
        Ok(bytemuck::cast_slice(&bytes).to_vec())
    }
}
