//! Copies to the host through reused staging buffers. Large parts are cut into pieces of the size of a buffer; small
//! parts share one. While one buffer is read, copies into the next ones are in flight.

use super::buffers::COPY_BYTES;
use super::gpu::Gpu;
use super::scratch::{BufferPart, STAGING_BYTES_MAX, StagingPool};
use crate::sync::Mutex;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of staging buffers of a copy in flight.
const BATCHES_IN_FLIGHT: usize = 3;
/// The size of a piece, in bytes: a staging buffer without the words that the piece fills partly.
const PIECE_BYTES: usize = (STAGING_BYTES_MAX - COPY_BYTES * 2) as usize;
/// The minimum number of bytes per thread when pending staging memory.
const BYTES_PER_THREAD: usize = 1 << 20;
/// The maximum size of a part that shares a staging buffer with others, in bytes.
const SHARED_BYTES_MAX: usize = BYTES_PER_THREAD;

/// A copy to the host in flight, and the staging memory that is mapped once it is done.
pub(super) struct PendingRead {
    staging: Option<wgpu::Buffer>,
    /// The number of requested bytes in the staging memory.
    bytes: u64,
    submission: wgpu::SubmissionIndex,
    failed: Arc<Mutex<Option<String>>>,
    pool: StagingPool,
}

impl Drop for PendingRead {
    fn drop(&mut self) {
        if let Some(staging) = self.staging.take() {
            self.pool.give(staging);
        }
    }
}

/// Queues a copy of ranges of whole words to the host, one after the other in a staging buffer, which holds all of
/// them.
pub(super) fn queue(gpu: &Gpu, pool: &StagingPool, words: &[BufferPart]) -> DeviceResult<PendingRead> {
    let size = words.iter().map(|part| part.bytes).sum();
    let staging = pool.take(gpu, size)?;
    let mut encoder = gpu.encoder();
    let mut at = 0;
    for BufferPart { buffer, offset, bytes } in words {
        encoder.copy_buffer_to_buffer(buffer, *offset, &staging, at, *bytes);
        at += bytes;
    }
    let submission = gpu.submit(encoder)?;
    Ok(PendingRead::mapped(Some(staging), size, submission, pool))
}

impl PendingRead {
    /// Maps staging memory that a submission fills. Without staging memory there is nothing to read.
    pub(super) fn mapped(
        staging: Option<wgpu::Buffer>,
        bytes: u64,
        submission: wgpu::SubmissionIndex,
        pool: &StagingPool,
    ) -> PendingRead {
        let failed: Arc<Mutex<Option<String>>> = Arc::default();
        if let Some(staging) = &staging {
            let failed = Arc::clone(&failed);
            staging.map_async(wgpu::MapMode::Read, ..bytes.next_multiple_of(8), move |mapped| {
                if let Err(error) = mapped {
                    failed.lock().get_or_insert_with(|| error.to_string());
                }
            });
        }
        PendingRead { staging, bytes, submission, failed, pool: pool.clone() }
    }

    /// The submission that the copy is part of.
    pub(super) fn submission(&self) -> wgpu::SubmissionIndex {
        self.submission.clone()
    }

    /// Waits for the copy and passes its bytes to `consume`.
    fn read(&self, gpu: &Gpu, timeout: Duration, consume: impl FnOnce(&[u8])) -> DeviceResult<()> {
        gpu.wait(&self.submission, timeout)?;
        if let Some(error) = &*self.failed.lock() {
            return Err(DeviceError::new(DeviceErrorKind::Internal, gpu.with_history(&format!("a copy out: {error}"))));
        }
        let Some(staging) = &self.staging else { return Ok(()) };
        let unmapped = |error: wgpu::MapRangeError| DeviceError::new(DeviceErrorKind::Internal, error.to_string());
        let mapped = staging.slice(..self.bytes.next_multiple_of(8)).get_mapped_range().map_err(unmapped)?;
        consume(&mapped[..self.bytes as usize]);
        Ok(())
    }

    /// Waits for the copy and returns its bytes as words.
    pub(super) fn finish_words(&self, gpu: &Gpu, timeout: Duration) -> DeviceResult<Vec<u32>> {
        let mut words = vec![0; self.bytes as usize / 4];
        self.read(gpu, timeout, |bytes| bytemuck::cast_slice_mut(&mut words).copy_from_slice(bytes))?;
        Ok(words)
    }
}

/// A range of bytes of one part of a copy, and its offset in the staging memory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Segment {
    part: usize,
    bytes: Range<usize>,
    at: usize,
}

/// The segments in one staging buffer, of different parts, in order.
type StagingBatch = Vec<Segment>;

/// A copy of ranges of buffers, of any size, to the host.
pub(super) struct StagedDownload {
    parts: Vec<BufferPart>,
    pool: StagingPool,
    /// Staging batches that are not queued yet.
    rest: VecDeque<StagingBatch>,
    /// The maximum number of staging batches in flight.
    in_flight_max: usize,
    in_flight: VecDeque<(PendingRead, StagingBatch)>,
}

impl StagedDownload {
    /// Queues the whole copy. Work that is queued later may write to the buffers.
    pub(super) fn queued(gpu: &Gpu, pool: &StagingPool, parts: Vec<BufferPart>) -> DeviceResult<StagedDownload> {
        StagedDownload::start(gpu, pool, parts, usize::MAX)
    }

    /// Queues the first staging batches. The buffers must not change until the copy is done.
    pub(super) fn pipelined(gpu: &Gpu, pool: &StagingPool, parts: Vec<BufferPart>) -> DeviceResult<StagedDownload> {
        StagedDownload::start(gpu, pool, parts, BATCHES_IN_FLIGHT)
    }

    fn start(
        gpu: &Gpu,
        pool: &StagingPool,
        parts: Vec<BufferPart>,
        in_flight_max: usize,
    ) -> DeviceResult<StagedDownload> {
        let ranges: Vec<(u64, u64)> = parts.iter().map(|part| (part.offset, part.bytes)).collect();
        gpu.log_command(format!("copy out {:?} bytes", ranges.iter().map(|(_, bytes)| bytes).collect::<Vec<_>>()));
        gpu.count_staged();
        let (pool, rest, in_flight) = (pool.clone(), plan(&ranges).into(), VecDeque::new());
        let mut copy = StagedDownload { parts, pool, rest, in_flight_max, in_flight };
        copy.queue_batches(gpu)?;
        Ok(copy)
    }

    /// Queues staging batches up to the limit.
    fn queue_batches(&mut self, gpu: &Gpu) -> DeviceResult<()> {
        while self.in_flight.len() < self.in_flight_max {
            let Some(batch) = self.rest.front() else { break };
            let words: Vec<_> = batch.iter().map(|one| self.words(one)).collect();
            let pending = queue(gpu, &self.pool, &words)?;
            // Only after it is queued: after a timeout, the caller may wait again.
            self.in_flight.extend(self.rest.pop_front().map(|batch| (pending, batch)));
        }
        Ok(())
    }

    /// The whole words that contain a segment.
    fn words(&self, segment: &Segment) -> BufferPart {
        let BufferPart { buffer, offset, .. } = &self.parts[segment.part];
        let (offset, bytes) = words(*offset, &segment.bytes);
        BufferPart { buffer: buffer.clone(), offset, bytes }
    }

    /// Waits for the copy, up to `timeout` per staging batch, and fills the memory of each part. After a timeout, the
    /// caller may call this again.
    pub(super) fn finish(&mut self, gpu: &Gpu, timeout: Duration, destination: &mut [&mut [u8]]) -> DeviceResult<()> {
        // Staging batches that an earlier call could not queue in time.
        self.queue_batches(gpu)?;
        while let Some((pending, batch)) = self.in_flight.pop_front() {
            if let Err(error) = pending.read(gpu, timeout, |bytes| copy_segments(gpu, &batch, bytes, destination)) {
                self.in_flight.push_front((pending, batch));
                return Err(error);
            }
            drop(pending);
            self.queue_batches(gpu)?;
        }
        Ok(())
    }
}

impl StagedDownload {
    /// Waits for the copy and fills contiguous memory with the parts, one after the other.
    pub(super) fn fill(&mut self, gpu: &Gpu, timeout: Duration, mut destination: &mut [u8]) -> DeviceResult<()> {
        let mut places = Vec::with_capacity(self.parts.len());
        for BufferPart { bytes, .. } in &self.parts {
            let (place, rest) = std::mem::take(&mut destination).split_at_mut(*bytes as usize);
            places.push(place);
            destination = rest;
        }
        self.finish(gpu, timeout, &mut places)
    }
}

/// Copies segments from staging memory to their destinations, on several threads if they are large enough.
fn copy_segments(gpu: &Gpu, batch: &[Segment], staging: &[u8], destination: &mut [&mut [u8]]) {
    let mut segments = batch.iter().peekable();
    let mut pieces = Vec::with_capacity(batch.len());
    for (number, place) in destination.iter_mut().enumerate() {
        if let Some(segment) = segments.next_if(|segment| segment.part == number) {
            let bytes = &staging[segment.at..segment.at + segment.bytes.len()];
            let place = &mut place[segment.bytes.clone()];
            pieces.extend(place.chunks_mut(BYTES_PER_THREAD).zip(bytes.chunks(BYTES_PER_THREAD)));
        }
    }
    let pieces = Mutex::new(pieces.into_iter());
    let work = || {
        loop {
            let Some((place, bytes)) = pieces.lock().next() else { return };
            place.copy_from_slice(bytes);
        }
    };
    gpu.on_threads(staging.len() / BYTES_PER_THREAD, &work);
}

/// The offset and the size of the whole words that contain a range of bytes of a part.
fn words(offset: u64, bytes: &Range<usize>) -> (u64, u64) {
    let (start, end) = (offset + bytes.start as u64, offset + bytes.end as u64);
    let start = start / COPY_BYTES * COPY_BYTES;
    (start, end.next_multiple_of(COPY_BYTES) - start)
}

/// Distributes parts, given by offset and size, over staging buffers: small parts share a buffer until it is full; each
/// piece of a large part has its own.
fn plan(parts: &[(u64, u64)]) -> Vec<StagingBatch> {
    let (mut batches, mut shared, mut room): (Vec<StagingBatch>, StagingBatch, u64) =
        (Vec::new(), StagingBatch::new(), STAGING_BYTES_MAX);
    for (part, &(offset, bytes)) in parts.iter().enumerate() {
        let lead = (offset % COPY_BYTES) as usize;
        let bytes = 0..bytes as usize;
        if bytes.len() > SHARED_BYTES_MAX {
            let pieces = bytes.clone().step_by(PIECE_BYTES).map(|start| start..bytes.end.min(start + PIECE_BYTES));
            batches.extend(pieces.map(|bytes| vec![Segment { part, bytes, at: lead }]));
        } else if !bytes.is_empty() {
            let (_, size) = words(offset, &bytes);
            if size > room {
                batches.push(std::mem::take(&mut shared));
                room = STAGING_BYTES_MAX;
            }
            shared.push(Segment { part, bytes, at: (STAGING_BYTES_MAX - room) as usize + lead });
            room -= size;
        }
    }
    if !shared.is_empty() {
        batches.push(shared);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each batch as the parts it has, with their first byte, length and offset.
    fn planned(parts: &[(u64, u64)]) -> Vec<Vec<(usize, usize, usize, usize)>> {
        let summary = |one: &Segment| (one.part, one.bytes.start, one.bytes.len(), one.at);
        plan(parts).iter().map(|batch| batch.iter().map(summary).collect()).collect()
    }

    #[test]
    fn small_parts_share_staging_and_large_parts_are_split() {
        assert!(planned(&[]).is_empty() && planned(&[(0, 0), (8, 0)]).is_empty());
        assert_eq!(planned(&[(0, 8), (0, 1), (4, 0), (8, 6)]), [[(0, 0, 8, 0), (1, 0, 1, 8), (3, 0, 6, 12)]]);
        assert_eq!(planned(&[(3, 2), (6, 1)]), [[(0, 0, 2, 3), (1, 0, 1, 10)]], "the words around them are copied");
        let large = PIECE_BYTES as u64 + 5;
        let both = vec![vec![(1, 0, PIECE_BYTES, 0)], vec![(1, PIECE_BYTES, 5, 0)], vec![(0, 0, 4, 0), (2, 0, 4, 4)]];
        assert_eq!(planned(&[(0, 4), (4, large), (0, 4)]), both);
        let most = SHARED_BYTES_MAX as u64;
        let many = planned(&[(0, most); 9]);
        assert_eq!(many.iter().map(Vec::len).collect::<Vec<_>>(), [8, 1], "staging is full");
        assert_eq!(many[1], [(8, 0, SHARED_BYTES_MAX, 0)]);
    }
}
