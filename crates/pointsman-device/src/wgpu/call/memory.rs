//! [`DeviceMemory`]: a buffer of the device that belongs to one owner, such as the scratch memory of a launch.

use crate::wgpu::buffers::BufferTable;
use crate::wgpu::gpu::Gpu;
use crate::wgpu::scratch::{BufferPart, Scratch};
use crate::{BufferId, BufferRange, DeviceResult};
use std::sync::Arc;

/// A buffer that is freed when its owner is dropped. Freed memory may be reused at once: work that was queued for it runs
/// before any work that is queued later.
pub(super) struct DeviceMemory {
    buffers: Arc<BufferTable>,
    scratch: Arc<Scratch>,
    id: BufferId,
    bytes: u64,
    pub(super) buffer: wgpu::Buffer,
}

impl DeviceMemory {
    /// Allocates memory under a new handle.
    pub(super) fn new(
        gpu: &Gpu,
        buffers: &Arc<BufferTable>,
        scratch: &Arc<Scratch>,
        id: BufferId,
        bytes: u64,
    ) -> DeviceResult<DeviceMemory> {
        buffers.allocate(gpu, id, bytes)?;
        let (buffers, scratch) = (Arc::clone(buffers), Arc::clone(scratch));
        let buffer = buffers.get(BufferRange { buffer: id, offset: 0, bytes })?;
        Ok(DeviceMemory { buffers, scratch, id, bytes, buffer })
    }

    /// The whole memory, for launches.
    pub(super) fn range(&self) -> BufferRange {
        BufferRange { buffer: self.id, offset: 0, bytes: self.bytes }
    }

    /// The whole memory, for bindings.
    pub(super) fn part(&self) -> BufferPart {
        BufferPart { buffer: self.buffer.clone(), offset: 0, bytes: self.bytes }
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffers.free(self.id) {
            self.scratch.forget(&buffer);
        }
    }
}
