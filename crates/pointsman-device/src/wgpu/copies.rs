//! Copies of buffer ranges to the host: several ranges share one submission and one wait.

use super::download::StagedDownload;
use super::scratch::BufferPart;
use super::unified_memory::MappedRead;
use super::{UsedBuffers, WgpuDevice, unified_memory};
use crate::download::staging_fits;
use crate::{BufferRange, DeviceError, DeviceResult, Download, StreamId};
use std::time::Duration;

/// Checks a range that `bytes` bytes are copied to or from.
pub(super) fn check(range: BufferRange, bytes: usize) -> DeviceResult<()> {
    if range.bytes != bytes as u64 || !range.offset.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT) {
        return Err(DeviceError::invalid(format!("a copy of {bytes} bytes for {range:?}")));
    }
    Ok(())
}

impl WgpuDevice {
    /// The buffers of ranges, with the parts that are meant.
    fn parts(&self, ranges: impl Iterator<Item = BufferRange>) -> DeviceResult<Vec<BufferPart>> {
        ranges
            .map(|range| Ok(BufferPart { buffer: self.buffers.get(range)?, offset: range.offset, bytes: range.bytes }))
            .collect()
    }

    /// Completes the launches that write to these buffers.
    fn settle_parts(&self, parts: &[BufferPart]) -> DeviceResult<()> {
        self.settle_for(&UsedBuffers::reading(parts.iter().map(|part| part.buffer.clone()).collect()))
    }

    /// Queues a copy of all ranges, one after the other, into staging memory.
    pub(super) fn queue_copy(
        &self,
        stream: StreamId,
        from: &[BufferRange],
        destination: &[u8],
    ) -> DeviceResult<StagedDownload> {
        self.check_stream(stream)?;
        let parts = self.parts(from.iter().copied())?;
        staging_fits(destination, from)?;
        let _order = self.order.acquire()?;
        self.settle_parts(&parts)?;
        StagedDownload::queued(&self.gpu, &self.scratch.staging_pool, parts)
    }

    /// Copies ranges to their destinations and waits.
    pub(super) fn read_all(&self, stream: StreamId, parts: &mut [Download<'_>], timeout: Duration) -> DeviceResult<()> {
        self.check_stream(stream)?;
        let buffers = self.parts(parts.iter().map(|part| part.from))?;
        parts.iter().try_for_each(|part| check(part.from, part.destination.len()))?;
        let order = self.order.acquire()?;
        self.settle_parts(&buffers)?;
        if self.gpu.is_unified() {
            // A mapped buffer must not be part of a submission, so launches that read it are completed too.
            for part in &buffers {
                self.settle_for(&UsedBuffers::writing(&part.buffer))?;
            }
            let ways = buffers
                .into_iter()
                .zip(parts)
                .map(|(from, part)| MappedRead { from, destination: &mut *part.destination });
            return unified_memory::read_all(&self.gpu, &mut ways.collect::<Vec<_>>(), timeout);
        }
        let mut copy = StagedDownload::pipelined(&self.gpu, &self.scratch.staging_pool, buffers)?;
        drop(order);
        let mut places: Vec<&mut [u8]> = parts.iter_mut().map(|part| &mut *part.destination).collect();
        copy.finish(&self.gpu, timeout, &mut places)
    }
}
