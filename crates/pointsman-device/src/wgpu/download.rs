//! Copies to the host through reused staging buffers, in pieces of their size. Small parts share one. While one piece
//! is read, the next ones are in flight.

use super::buffers::COPY_BYTES;
use super::gpu::Gpu;
use super::scratch::{BufferPart, STAGING_BYTES_MAX, StagingPool};
use crate::sync::Mutex;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// The number of pieces of a copy that are in flight at once.
const BATCHES_IN_FLIGHT: usize = 3;
/// The size of a piece: leaves room for the bytes before it in its word.
const PIECE_BYTES: usize = (STAGING_BYTES_MAX - COPY_BYTES * 2) as usize;
/// The minimum number of bytes per thread when reading staging memory.
const BYTES_PER_THREAD: usize = 1 << 20;
/// The largest part that shares staging with others.
const SHARED_BYTES_MAX: usize = BYTES_PER_THREAD;

/// A copy to the host in flight: staging memory that is mapped once the copy is done.
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

/// Queues a copy of whole words of buffers, together at most as many as a staging buffer holds, to the host, one after
/// the other.
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
    /// Maps staging memory that a submission fills; without staging there is nothing to read.
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

    /// Waits for the copy and passes its bytes to `see`.
    fn read(&self, gpu: &Gpu, timeout: Duration, see: impl FnOnce(&[u8])) -> DeviceResult<()> {
        gpu.wait(&self.submission, timeout)?;
        if let Some(error) = &*self.failed.lock() {
            return Err(DeviceError::new(DeviceErrorKind::Internal, gpu.with_history(&format!("a copy out: {error}"))));
        }
        let Some(staging) = &self.staging else { return Ok(()) };
        let unmapped = |error: wgpu::MapRangeError| DeviceError::new(DeviceErrorKind::Internal, error.to_string());
        let mapped = staging.slice(..self.bytes.next_multiple_of(8)).get_mapped_range().map_err(unmapped)?;
        see(&mapped[..self.bytes as usize]);
        Ok(())
    }

    /// Waits for the copy and returns its bytes as words.
    pub(super) fn finish_words(&self, gpu: &Gpu, timeout: Duration) -> DeviceResult<Vec<u32>> {
        let mut words = vec![0; self.bytes as usize / 4];
        self.read(gpu, timeout, |bytes| bytemuck::cast_slice_mut(&mut words).copy_from_slice(bytes))?;
        Ok(words)
    }
}

/// Bytes of one of a copy's parts, and their offset in the staging memory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Segment {
    part: usize,
    bytes: Range<usize>,
    at: usize,
}

/// The segments that share a staging buffer: of different parts, in order.
type StagingBatch = Vec<Segment>;

/// A copy of any size to the host, of parts of buffers.
pub(super) struct StagedDownload {
    parts: Vec<BufferPart>,
    pool: StagingPool,
    /// Pieces that are not in flight yet.
    rest: VecDeque<StagingBatch>,
    /// The maximum number of pieces in flight at once.
    batches: usize,
    in_flight: VecDeque<(PendingRead, StagingBatch)>,
}

impl StagedDownload {
    /// Queues the whole copy. Work that is queued later may write to the buffers.
    pub(super) fn queued(gpu: &Gpu, pool: &StagingPool, parts: Vec<BufferPart>) -> DeviceResult<StagedDownload> {
        StagedDownload::start(gpu, pool, parts, usize::MAX)
    }

    /// Queues the first pieces. The buffers must stay unchanged until the copy is done.
    pub(super) fn pipelined(gpu: &Gpu, pool: &StagingPool, parts: Vec<BufferPart>) -> DeviceResult<StagedDownload> {
        StagedDownload::start(gpu, pool, parts, BATCHES_IN_FLIGHT)
    }

    fn start(gpu: &Gpu, pool: &StagingPool, parts: Vec<BufferPart>, batches: usize) -> DeviceResult<StagedDownload> {
        let asked: Vec<(u64, u64)> = parts.iter().map(|part| (part.offset, part.bytes)).collect();
        gpu.log_command(format!("copy out {:?} bytes", asked.iter().map(|(_, bytes)| bytes).collect::<Vec<_>>()));
        gpu.count_staged();
        let (pool, rest, in_flight) = (pool.clone(), plan(&asked).into(), VecDeque::new());
        let mut copy = StagedDownload { parts, pool, rest, batches, in_flight };
        copy.send(gpu)?;
        Ok(copy)
    }

    /// Queues pieces up to the limit.
    fn send(&mut self, gpu: &Gpu) -> DeviceResult<()> {
        while self.in_flight.len() < self.batches {
            let Some(batch) = self.rest.front() else { break };
            let words: Vec<_> = batch.iter().map(|one| self.words(one)).collect();
            let reading = queue(gpu, &self.pool, &words)?;
            // Not before it is queued: after a timeout the copy may be waited for again.
            self.in_flight.extend(self.rest.pop_front().map(|batch| (reading, batch)));
        }
        Ok(())
    }

    /// The whole words of a segment.
    fn words(&self, segment: &Segment) -> BufferPart {
        let BufferPart { buffer, offset, .. } = &self.parts[segment.part];
        let (offset, bytes) = words(*offset, &segment.bytes);
        BufferPart { buffer: buffer.clone(), offset, bytes }
    }

    /// Waits for the copy, up to `timeout` for each piece, and fills the memory of each part. After a timeout it may be
    /// waited for again.
    pub(super) fn finish(&mut self, gpu: &Gpu, timeout: Duration, destination: &mut [&mut [u8]]) -> DeviceResult<()> {
        // Pieces that an earlier call could not queue in time.
        self.send(gpu)?;
        while let Some((reading, batch)) = self.in_flight.pop_front() {
            if let Err(error) = reading.read(gpu, timeout, |bytes| copy_segments(gpu, &batch, bytes, destination)) {
                self.in_flight.push_front((reading, batch));
                return Err(error);
            }
            drop(reading);
            self.send(gpu)?;
        }
        Ok(())
    }
}

impl StagedDownload {
    /// Waits for the copy and fills memory in which the parts lie one after the other.
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

/// Copies segments from staging memory to their destinations, on several threads if that is worth it.
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

/// The offset and the size of the whole words around some bytes of a part.
fn words(offset: u64, bytes: &Range<usize>) -> (u64, u64) {
    let (start, end) = (offset + bytes.start as u64, offset + bytes.end as u64);
    let start = start / COPY_BYTES * COPY_BYTES;
    (start, end.next_multiple_of(COPY_BYTES) - start)
}

/// Distributes parts, given by offset and size, over staging buffers: small ones share a buffer as far as there is
/// room; each piece of a large one has its own.
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
