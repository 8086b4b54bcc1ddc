//! The device's buffers by handle, and copies between them. Sizes are rounded up to whole vectors, so that
//! kernels may touch whole words of a column's end.

use super::gpu::{Gpu, lock};
use super::unified_memory;
use crate::{BufferId, BufferRange, DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use wgpu::BufferUsages;

/// Buffers have whole vectors of this many bytes.
pub(super) const VECTOR_BYTES: u64 = 16;
/// Copies are multiples of this many bytes.
pub(super) const COPY_BYTES: u64 = wgpu::COPY_BUFFER_ALIGNMENT;

/// Large buffers that were freed are used again: giving them back to the driver and asking for them takes as long as a run
/// over them. So many bytes and more are large; so many are kept, of so many bytes in all.
const LARGE_BYTES: u64 = 64 << 20;
const KEPT_BUFFERS: usize = 8;
const KEPT_BYTES_MAX: u64 = 2 << 30;
/// A buffer that is used again has at most so many times the bytes that are asked for.
const KEPT_TIMES_MAX: f64 = 1.25;

/// The buffers by handle.
#[derive(Default)]
pub(super) struct BufferTable {
    /// Each with the bytes that were asked for.
    held: Mutex<BTreeMap<BufferId, (wgpu::Buffer, u64)>>,
    /// Large ones that nobody has, the longest unused first. There is one queue, so what was queued for them is done before
    /// anything that is queued now.
    kept: Mutex<VecDeque<wgpu::Buffer>>,
    used: AtomicU64,
    peak: AtomicU64,
}

impl BufferTable {
    /// The bytes that buffers take.
    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The most that they ever took.
    pub(super) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// The bytes of large buffers that nobody has.
    pub(super) fn kept_bytes(&self) -> u64 {
        lock(&self.kept).iter().map(wgpu::Buffer::size).sum()
    }

    /// Lets go of them, the longest unused first, until they have at most so many bytes.
    pub(super) fn trim(&self, gpu: &Gpu, bytes_max: u64) {
        if trim(&mut lock(&self.kept), KEPT_BUFFERS, bytes_max) > 0 {
            // Memory of dropped buffers is free once the device looked after its queue; a loss is told by what comes next.
            let _ = gpu.poll();
        }
    }

    /// Takes a buffer under this handle.
    pub(super) fn allocate(&self, gpu: &Gpu, id: BufferId, bytes: u64) -> DeviceResult<()> {
        let buffer = match self.take_kept(bytes) {
            Some(buffer) => buffer,
            None => self.create_or_evict(gpu, bytes)?,
        };
        let used = self.used.fetch_add(buffer.size(), Ordering::Relaxed) + buffer.size();
        self.peak.fetch_max(used, Ordering::Relaxed);
        lock(&self.held).insert(id, (buffer, bytes));
        Ok(())
    }

    /// A kept buffer of about so many bytes.
    fn take_kept(&self, bytes: u64) -> Option<wgpu::Buffer> {
        if bytes < LARGE_BYTES {
            return None;
        }
        let mut kept = lock(&self.kept);
        let fits = |buffer: &wgpu::Buffer| {
            buffer.size() >= bytes
                && buffer.size() as f64 <= bytes.next_multiple_of(VECTOR_BYTES) as f64 * KEPT_TIMES_MAX
        };
        let place = kept.iter().position(fits)?;
        kept.remove(place)
    }

    /// A new buffer. Where there is no memory for it, what is kept goes first.
    fn create_or_evict(&self, gpu: &Gpu, bytes: u64) -> DeviceResult<wgpu::Buffer> {
        let usage =
            BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST | unified_memory::usage(gpu);
        let made = create(gpu, bytes, usage);
        let is_full = made.as_ref().is_err_and(|error| error.kind == DeviceErrorKind::OutOfMemory);
        if !is_full || lock(&self.kept).is_empty() {
            return made;
        }
        lock(&self.kept).clear();
        // Memory of dropped buffers is free once the device looked after its queue.
        gpu.poll()?;
        create(gpu, bytes, usage)
    }

    /// Forgets a handle; the memory goes once queued work no longer needs it, unless it is kept.
    pub(super) fn free(&self, id: BufferId) -> Option<wgpu::Buffer> {
        let (buffer, _) = lock(&self.held).remove(&id)?;
        self.used.fetch_sub(buffer.size(), Ordering::Relaxed);
        if (LARGE_BYTES..=KEPT_BYTES_MAX).contains(&buffer.size()) {
            let mut kept = lock(&self.kept);
            kept.push_back(buffer.clone());
            trim(&mut kept, KEPT_BUFFERS, KEPT_BYTES_MAX);
        }
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

/// Drops the longest unused buffers until there are at most so many, of so many bytes; how many were dropped.
fn trim(kept: &mut VecDeque<wgpu::Buffer>, count_max: usize, bytes_max: u64) -> usize {
    let count = kept.len();
    while kept.len() > count_max || kept.iter().map(wgpu::Buffer::size).sum::<u64>() > bytes_max {
        kept.pop_front();
    }
    count - kept.len()
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
    gpu.log_command(format!("copy across {} bytes", to.bytes));
    let mut encoder = gpu.encoder();
    encoder.copy_buffer_to_buffer(source, from.offset, target, to.offset, to.bytes);
    gpu.submit(encoder).map(drop)
}
