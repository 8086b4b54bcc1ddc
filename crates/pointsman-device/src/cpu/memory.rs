//! The CPU device's own buffers: host memory behind handles. In go handles and ranges, checked; out come bytes.
//!
//! A launch works on copies of the ranges it names ([`StagedRanges`]), so it never holds a lock while it computes. Whoever cares
//! for speed names the host's memory directly: that is read and written in place.

use super::input::LaunchInputs;
use crate::host::HostBuffer;
use crate::host_pool::HostPool;
use crate::launch::{BufferRange, ColumnInput, ColumnOutput};
use crate::{BufferId, DeviceError, DeviceResult};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The pool's limit where the system does not tell how much memory there is.
const POOL_BYTES_DEFAULT: usize = 16 << 30;

/// A buffer and what was asked for: its memory may be larger. It goes back to its pool when its last user is done.
#[derive(Debug)]
struct CpuBuffer {
    memory: RwLock<HostBuffer>,
    bytes: usize,
    pool: Arc<HostPool>,
}

impl Drop for CpuBuffer {
    fn drop(&mut self) {
        let memory = self.memory.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.pool.give(std::mem::take(memory));
    }
}

/// All buffers of a device.
#[derive(Debug, Default)]
pub(super) struct CpuBuffers {
    table: RwLock<BTreeMap<BufferId, Arc<CpuBuffer>>>,
}

impl CpuBuffers {
    /// Takes memory from the pool and keeps it under a handle.
    pub(super) fn insert(&self, id: BufferId, pool: &Arc<HostPool>, bytes: usize) -> DeviceResult<()> {
        let buffer = CpuBuffer { memory: RwLock::new(pool.take(bytes)?), bytes, pool: pool.clone() };
        self.table.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::new(buffer));
        Ok(())
    }

    /// Forgets a handle.
    pub(super) fn remove(&self, id: BufferId) {
        self.table.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }

    /// The buffer behind a range, which lies in it.
    fn find(&self, range: BufferRange) -> DeviceResult<(Arc<CpuBuffer>, usize, usize)> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
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
        let mut memory = buffer.memory.write().unwrap_or_else(PoisonError::into_inner);
        memory[start..end].copy_from_slice(&from[..end - start]);
        Ok(())
    }

    /// Copies a range into staging.
    pub(super) fn read(&self, from: BufferRange, into: &mut [u8]) -> DeviceResult<()> {
        let (buffer, start, end) = self.find(from)?;
        if into.len() < end - start {
            return Err(DeviceError::invalid(format!("{} bytes of staging for {}", into.len(), end - start)));
        }
        let memory = buffer.memory.read().unwrap_or_else(PoisonError::into_inner);
        into[..end - start].copy_from_slice(&memory[start..end]);
        Ok(())
    }

    /// Copies of the ranges that a launch reads.
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

    /// Room for the ranges that a launch writes.
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

    /// Copies what a launch wrote to where it goes.
    pub(super) fn commit(&self, staged: &StagedRanges) -> DeviceResult<()> {
        staged.ranges.iter().try_for_each(|(range, bytes)| self.write(bytes, *range))
    }
}

/// A range as positions in a buffer of this many bytes.
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

/// Ranges of the device's buffers with the bytes that a launch reads or writes there.
#[derive(Debug, Default)]
pub(super) struct StagedRanges {
    ranges: Vec<(BufferRange, HostBuffer)>,
}

impl StagedRanges {
    /// Of a launch that names none.
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

    /// The room for each range, in the order of the outputs.
    pub(super) fn room(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.ranges.iter_mut().map(|(_, bytes)| &mut bytes[..])
    }
}

/// The system's memory, where it tells.
pub(super) fn system_bytes() -> usize {
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<usize>().ok());
    kilobytes.and_then(|kilobytes| kilobytes.checked_mul(1024)).unwrap_or(POOL_BYTES_DEFAULT)
}
