//! The buffers of the CPU device: host memory behind handles, with checked ranges.
//!
//! A launch works on copies of the ranges that it names ([`StagedRanges`]), so it never holds a lock while it computes.
//! Callers that care about speed pass host memory directly, which is read and written in place.

use super::input::LaunchInputs;
use crate::host::HostBuffer;
use crate::host_pool::HostPool;
use crate::launch::{BufferRange, ColumnInput, ColumnOutput};
use crate::sync::RwLock;
use crate::{BufferId, DeviceError, DeviceResult};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The limit of the pool if the size of the system's memory is unknown.
const POOL_BYTES_DEFAULT: usize = 16 << 30;

/// A buffer and its requested size: its memory may be larger. The memory goes back to its pool when the last user is
/// done.
#[derive(Debug)]
struct CpuBuffer {
    memory: RwLock<HostBuffer>,
    bytes: usize,
    pool: Arc<HostPool>,
}

impl Drop for CpuBuffer {
    fn drop(&mut self) {
        let memory = self.memory.get_mut();
        self.pool.give(std::mem::take(memory));
    }
}

/// The buffers of a device by handle.
#[derive(Debug, Default)]
pub(super) struct CpuBuffers {
    table: RwLock<BTreeMap<BufferId, Arc<CpuBuffer>>>,
}

impl CpuBuffers {
    /// Allocates a buffer from the pool and stores it under a handle.
    pub(super) fn insert(&self, id: BufferId, pool: &Arc<HostPool>, bytes: usize) -> DeviceResult<()> {
        let buffer = CpuBuffer { memory: RwLock::new(pool.take(bytes)?), bytes, pool: pool.clone() };
        self.table.write().insert(id, Arc::new(buffer));
        Ok(())
    }

    /// Removes a handle.
    pub(super) fn remove(&self, id: BufferId) {
        self.table.write().remove(&id);
    }

    /// The buffer of a range, with the checked start and end of the range.
    fn find(&self, range: BufferRange) -> DeviceResult<(Arc<CpuBuffer>, usize, usize)> {
        let table = self.table.read();
        let buffer = table.get(&range.buffer);
        let buffer = buffer.ok_or_else(|| DeviceError::invalid(format!("there is no buffer {}", range.buffer.0)))?;
        let (start, end) = bounds(range, buffer.bytes)?;
        Ok((buffer.clone(), start, end))
    }

    /// Copies staging into a range.
    pub(super) fn write(&self, from: &[u8], to: BufferRange) -> DeviceResult<()> {
        let (buffer, start, end) = self.find(to)?;
        if from.len() < end - start {
            return Err(DeviceError::invalid(format!("{} bytes of staging for {}", from.len(), end - start)));
        }
        let mut memory = buffer.memory.write();
        memory[start..end].copy_from_slice(&from[..end - start]);
        Ok(())
    }

    /// Copies a range into staging.
    pub(super) fn read(&self, from: BufferRange, destination: &mut [u8]) -> DeviceResult<()> {
        let (buffer, start, end) = self.find(from)?;
        if destination.len() < end - start {
            return Err(DeviceError::invalid(format!("{} bytes of staging for {}", destination.len(), end - start)));
        }
        let memory = buffer.memory.read();
        destination[..end - start].copy_from_slice(&memory[start..end]);
        Ok(())
    }

    /// Copies the ranges that a launch reads.
    pub(super) fn inputs(&self, launch: LaunchInputs<'_>) -> DeviceResult<StagedRanges> {
        let mut staged = StagedRanges::default();
        let tables = launch.tables.iter().flat_map(|table| table.columns);
        for column in launch.columns.iter().chain(launch.lists).chain(tables) {
            if let ColumnInput::Device { values, validity, .. } = column {
                staged.add(self, *values)?;
                validity.map_or(Ok(()), |range| staged.add(self, range))?;
            }
        }
        Ok(staged)
    }

    /// Allocates memory for the ranges that a launch writes.
    pub(super) fn outputs(&self, outputs: &[ColumnOutput<'_>]) -> DeviceResult<StagedRanges> {
        let mut staged = StagedRanges::default();
        for output in outputs {
            if let ColumnOutput::Device { values, validity } = output {
                for range in std::iter::once(values).chain(validity) {
                    let (_, start, end) = self.find(*range)?;
                    staged.ranges.push((*range, HostBuffer::zeroed(end - start)));
                }
            }
        }
        Ok(staged)
    }

    /// Copies the results of a launch to their buffers.
    pub(super) fn commit(&self, staged: &StagedRanges) -> DeviceResult<()> {
        staged.ranges.iter().try_for_each(|(range, bytes)| self.write(bytes, *range))
    }
}

/// The start and end of a range in a buffer of `bytes` bytes.
fn bounds(range: BufferRange, bytes: usize) -> DeviceResult<(usize, usize)> {
    let end = range.offset.checked_add(range.bytes).filter(|&end| end <= bytes as u64);
    match end {
        Some(end) => Ok((range.offset as usize, end as usize)),
        None => Err(DeviceError::invalid(format!(
            "{} bytes from byte {} do not lie in a buffer of {bytes}",
            range.bytes, range.offset
        ))),
    }
}

/// Ranges of device buffers with the bytes that a launch reads or writes there.
#[derive(Debug, Default)]
pub(super) struct StagedRanges {
    ranges: Vec<(BufferRange, HostBuffer)>,
}

impl StagedRanges {
    /// The ranges of a launch that names no device buffers.
    pub(super) const NONE: StagedRanges = StagedRanges { ranges: Vec::new() };

    fn add(&mut self, buffers: &CpuBuffers, range: BufferRange) -> DeviceResult<()> {
        if !self.ranges.iter().any(|(known, _)| *known == range) {
            let (_, start, end) = buffers.find(range)?;
            let mut copy = HostBuffer::zeroed(end - start);
            buffers.read(range, &mut copy)?;
            self.ranges.push((range, copy));
        }
        Ok(())
    }

    /// The bytes of a range.
    pub(super) fn read(&self, range: BufferRange) -> DeviceResult<&[u8]> {
        let found = self.ranges.iter().find(|(known, _)| *known == range);
        found.map(|(_, bytes)| &bytes[..]).ok_or_else(|| DeviceError::invalid("a range that the launch does not name"))
    }

    /// The memory of each range, in the order of the outputs.
    pub(super) fn room(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.ranges.iter_mut().map(|(_, bytes)| &mut bytes[..])
    }
}

/// The size of the system's memory, or a default if it is unknown.
pub(super) fn system_bytes() -> usize {
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<usize>().ok());
    kilobytes.and_then(|kilobytes| kilobytes.checked_mul(1024)).unwrap_or(POOL_BYTES_DEFAULT)
}
