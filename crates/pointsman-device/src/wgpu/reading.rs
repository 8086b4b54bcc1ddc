//! Copies to the host: through staging that is used again and again, in pieces of its size. While one is read, the next ones
//! are on their way.

use super::buffers::COPY_BYTES;
use super::gpu::{Gpu, lock};
use super::scratch::{STAGING_BYTES_MAX, Stagings};
use crate::{DeviceError, DeviceErrorKind, DeviceResult, HostBuffer};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How many pieces of a copy are under way at once.
const FLIGHTS: usize = 3;
/// The bytes of a piece: what lies before them in their word has room too.
const PIECE_BYTES: usize = (STAGING_BYTES_MAX - COPY_BYTES * 2) as usize;
/// Reading staging is worth a thread for so many bytes.
const BYTES_A_THREAD: usize = 1 << 20;

/// A copy to the host under way: staging that is mapped once the copy is done.
pub(super) struct Reading {
    staging: Option<wgpu::Buffer>,
    /// Bytes of the staging before the first that was asked for, and behind it.
    range: Range<u64>,
    submission: wgpu::SubmissionIndex,
    failed: Arc<Mutex<Option<String>>>,
    home: Stagings,
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(staging) = self.staging.take() {
            self.home.give(staging);
        }
    }
}

/// Queues a copy of a part of a buffer to the host, of at most [`PIECE_BYTES`].
pub(super) fn queue(
    gpu: &Gpu,
    home: &Stagings,
    buffer: &wgpu::Buffer,
    (offset, bytes): (u64, u64),
) -> DeviceResult<Reading> {
    let start = offset / COPY_BYTES * COPY_BYTES;
    let size = (offset + bytes).next_multiple_of(COPY_BYTES) - start;
    let staging = home.take(gpu, size)?;
    let mut encoder = gpu.encoder();
    encoder.copy_buffer_to_buffer(buffer, start, &staging, 0, size);
    let submission = gpu.submit(encoder)?;
    Ok(Reading::mapped(Some(staging), offset - start..offset - start + bytes, submission, home))
}

impl Reading {
    /// Staging that is filled by a submission, to be mapped behind it; nothing to read where there is none.
    pub(super) fn mapped(
        staging: Option<wgpu::Buffer>,
        range: Range<u64>,
        submission: wgpu::SubmissionIndex,
        home: &Stagings,
    ) -> Reading {
        let failed: Arc<Mutex<Option<String>>> = Arc::default();
        if let Some(staging) = &staging {
            let failed = Arc::clone(&failed);
            staging.map_async(wgpu::MapMode::Read, ..range.end.next_multiple_of(8), move |mapped| {
                if let Err(error) = mapped {
                    lock(&failed).get_or_insert_with(|| error.to_string());
                }
            });
        }
        Reading { staging, range, submission, failed, home: home.clone() }
    }

    /// Whether the copy is not done.
    pub(super) fn is_under_way(&self, gpu: &Gpu) -> bool {
        gpu.wait(&self.submission, Duration::ZERO).is_err_and(|error| error.kind == DeviceErrorKind::Timeout)
    }

    /// Waits for the copy and fills memory of the bytes asked for.
    pub(super) fn finish(&self, gpu: &Gpu, patience: Duration, into: &mut [u8]) -> DeviceResult<()> {
        gpu.wait(&self.submission, patience)?;
        if let Some(error) = &*lock(&self.failed) {
            return Err(DeviceError::new(DeviceErrorKind::Internal, gpu.told(&format!("a copy out: {error}"))));
        }
        let Some(staging) = &self.staging else { return Ok(()) };
        let unmapped = |error: wgpu::MapRangeError| DeviceError::new(DeviceErrorKind::Internal, error.to_string());
        let mapped = staging.slice(..self.range.end.next_multiple_of(8)).get_mapped_range().map_err(unmapped)?;
        let bytes = &mapped[self.range.start as usize..self.range.end as usize];
        let pieces = Mutex::new(into.chunks_mut(BYTES_A_THREAD).zip(bytes.chunks(BYTES_A_THREAD)));
        let work = || {
            loop {
                let Some((into, bytes)) = lock(&pieces).next() else { return };
                into[..bytes.len()].copy_from_slice(bytes);
            }
        };
        gpu.on_threads(bytes.len() / BYTES_A_THREAD, &work);
        Ok(())
    }

    /// The same, as words.
    pub(super) fn finish_words(&self, gpu: &Gpu, patience: Duration) -> DeviceResult<Vec<u32>> {
        let mut bytes = HostBuffer::zeroed((self.range.end - self.range.start) as usize);
        self.finish(gpu, patience, &mut bytes)?;
        Ok(bytemuck::cast_slice(&bytes).to_vec())
    }
}

/// A copy of any size to the host.
pub(super) struct Copy {
    buffer: wgpu::Buffer,
    offset: u64,
    home: Stagings,
    /// The bytes that are not under way yet.
    rest: Range<usize>,
    /// How many pieces are under way at once.
    flights: usize,
    flying: VecDeque<(Reading, Range<usize>)>,
}

impl Copy {
    /// Queues a copy of a part of a buffer. What is queued behind it may write to the buffer.
    pub(super) fn whole(gpu: &Gpu, home: &Stagings, buffer: &wgpu::Buffer, part: (u64, u64)) -> DeviceResult<Copy> {
        Copy::start(gpu, home, buffer, part, usize::MAX)
    }

    /// Queues its first pieces. The buffer stays as it is until the copy is done.
    pub(super) fn in_turns(gpu: &Gpu, home: &Stagings, buffer: &wgpu::Buffer, part: (u64, u64)) -> DeviceResult<Copy> {
        Copy::start(gpu, home, buffer, part, FLIGHTS)
    }

    fn start(
        gpu: &Gpu,
        home: &Stagings,
        buffer: &wgpu::Buffer,
        (offset, bytes): (u64, u64),
        flights: usize,
    ) -> DeviceResult<Copy> {
        gpu.note(format!("copy out {bytes} bytes"));
        gpu.count_staged();
        let (buffer, home, flying) = (buffer.clone(), home.clone(), VecDeque::new());
        let mut copy = Copy { buffer, offset, home, rest: 0..bytes as usize, flights, flying };
        copy.send(gpu)?;
        Ok(copy)
    }

    /// Queues pieces, as far as they may be under way at once.
    fn send(&mut self, gpu: &Gpu) -> DeviceResult<()> {
        while self.flying.len() < self.flights && !self.rest.is_empty() {
            let piece = self.rest.start..self.rest.end.min(self.rest.start + PIECE_BYTES);
            let part = (self.offset + piece.start as u64, piece.len() as u64);
            self.flying.push_back((queue(gpu, &self.home, &self.buffer, part)?, piece.clone()));
            self.rest.start = piece.end;
        }
        Ok(())
    }

    /// Waits for it and fills memory of at least the bytes asked for, with so much patience for each piece. After a timeout
    /// it may be waited for again.
    pub(super) fn finish(&mut self, gpu: &Gpu, patience: Duration, into: &mut [u8]) -> DeviceResult<()> {
        while let Some((reading, piece)) = self.flying.pop_front() {
            if let Err(error) = reading.finish(gpu, patience, &mut into[piece.clone()]) {
                self.flying.push_front((reading, piece));
                return Err(error);
            }
            drop(reading);
            self.send(gpu)?;
        }
        Ok(())
    }
}
