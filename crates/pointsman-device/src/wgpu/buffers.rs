//! The device's buffers by handle, and copies between them. Sizes are rounded up to whole vectors, so that kernels may
//! touch the whole last word of a column.

use super::gpu::Gpu;
use super::unified_memory;
use crate::sync::Mutex;
use crate::{BufferId, BufferRange, DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use wgpu::BufferUsages;

/// The granularity of buffer sizes: whole vectors of this many bytes.
pub(super) const VECTOR_BYTES: u64 = 16;
/// The granularity of copies in bytes.
pub(super) const COPY_BYTES: u64 = wgpu::COPY_BUFFER_ALIGNMENT;

/// Large buffers are reused after they are freed, because freeing and allocating them takes the driver as long as a run
/// over them. These are the minimum size of a large buffer, and the limits of the kept buffers in number and bytes.
const LARGE_BYTES: u64 = 64 << 20;
const KEPT_BUFFERS: usize = 8;
const KEPT_BYTES_MAX: u64 = 2 << 30;
/// A reused buffer has at most this many times the requested bytes.
const KEPT_TIMES_MAX: f64 = 1.25;

/// The buffers by handle.
#[derive(Default)]
pub(super) struct BufferTable {
    /// Each buffer with its requested size.
    held: Mutex<BTreeMap<BufferId, (wgpu::Buffer, u64)>>,
    /// Freed large buffers, least recently used first. There is one queue, so work that was queued for them runs before
    /// any work that is queued now.
    kept: Mutex<VecDeque<wgpu::Buffer>>,
    used: AtomicU64,
    peak: AtomicU64,
}

impl BufferTable {
    /// The bytes that buffers take.
    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The maximum of `used` so far.
    pub(super) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// The bytes of freed large buffers.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.kept.lock().iter().map(wgpu::Buffer::size).sum()
    }

    /// Releases freed large buffers, least recently used first, until at most `bytes_max` bytes remain.
    pub(super) fn trim(&self, gpu: &Gpu, bytes_max: u64) {
        if trim(&mut self.kept.lock(), KEPT_BUFFERS, bytes_max) > 0 {
            // The memory of dropped buffers is freed when the device is polled; the next call reports a lost device.
            let _ = gpu.poll();
        }
    }

    /// Allocates a buffer under this handle.
    pub(super) fn allocate(&self, gpu: &Gpu, id: BufferId, bytes: u64) -> DeviceResult<()> {
        let buffer = match self.take_kept(bytes) {
            Some(buffer) => buffer,
            None => self.create_or_evict(gpu, bytes)?,
        };
        let used = self.used.fetch_add(buffer.size(), Ordering::Relaxed) + buffer.size();
        self.peak.fetch_max(used, Ordering::Relaxed);
        self.held.lock().insert(id, (buffer, bytes));
        Ok(())
    }

    /// Takes a freed buffer of about `bytes` bytes.
    fn take_kept(&self, bytes: u64) -> Option<wgpu::Buffer> {
        if bytes < LARGE_BYTES {
            return None;
        }
        let mut kept = self.kept.lock();
        let fits = |buffer: &wgpu::Buffer| {
            buffer.size() >= bytes
                && buffer.size() as f64 <= bytes.next_multiple_of(VECTOR_BYTES) as f64 * KEPT_TIMES_MAX
        };
        let place = kept.iter().position(fits)?;
        kept.remove(place)
    }

    /// Creates a buffer. If there is no memory, freed buffers are released first.
    fn create_or_evict(&self, gpu: &Gpu, bytes: u64) -> DeviceResult<wgpu::Buffer> {
        let usage =
            BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST | unified_memory::usage(gpu);
        let made = create(gpu, bytes, usage);
        let is_full = made.as_ref().is_err_and(|error| error.kind == DeviceErrorKind::OutOfMemory);
        if !is_full || self.kept.lock().is_empty() {
            return made;
        }
        self.kept.lock().clear();
        // The memory of dropped buffers is freed when the device is polled.
        gpu.poll()?;
        create(gpu, bytes, usage)
    }

    /// Removes a handle. The memory is freed once queued work no longer needs it, unless the buffer is kept.
    pub(super) fn free(&self, id: BufferId) -> Option<wgpu::Buffer> {
        let (buffer, _) = self.held.lock().remove(&id)?;
        self.used.fetch_sub(buffer.size(), Ordering::Relaxed);
        if (LARGE_BYTES..=KEPT_BYTES_MAX).contains(&buffer.size()) {
            let mut kept = self.kept.lock();
            kept.push_back(buffer.clone());
            trim(&mut kept, KEPT_BUFFERS, KEPT_BYTES_MAX);
        }
        Some(buffer)
    }

    /// The buffer of a range that lies in it.
    pub(super) fn get(&self, range: BufferRange) -> DeviceResult<wgpu::Buffer> {
        let buffer = self.held.lock().get(&range.buffer).cloned();
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

/// Drops the least recently used buffers until the limits hold; returns how many were dropped.
fn trim(kept: &mut VecDeque<wgpu::Buffer>, count_max: usize, bytes_max: u64) -> usize {
    let count = kept.len();
    while kept.len() > count_max || kept.iter().map(wgpu::Buffer::size).sum::<u64>() > bytes_max {
        kept.pop_front();
    }
    count - kept.len()
}

/// Creates a buffer of at least `bytes` bytes.
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

/// Queues a copy between two buffers.
pub(super) fn copy(
    gpu: &Gpu,
    source: &wgpu::Buffer,
    from: BufferRange,
    target: &wgpu::Buffer,
    to: BufferRange,
) -> DeviceResult<()> {
    let whole = |bytes: u64| bytes.is_multiple_of(COPY_BYTES);
    if from.bytes != to.bytes || source == target || !(whole(from.offset) && whole(to.offset) && whole(to.bytes)) {
        return Err(DeviceError::invalid(format!("a copy of {from:?} into {to:?}")));
    }
    gpu.log_command(format!("copy across {} bytes", to.bytes));
    let mut encoder = gpu.encoder();
    encoder.copy_buffer_to_buffer(source, from.offset, target, to.offset, to.bytes);
    gpu.submit(encoder).map(drop)
}
