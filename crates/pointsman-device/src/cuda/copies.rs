//! Copies between host buffers and the card, through pinned chunks.
//!
//! The operating system may move the pages of a host buffer, so the card cannot read them: we copy to pinned chunks
//! while the card copies from earlier ones. One thread copies at a quarter of the link's bandwidth, so large copies use
//! several threads. A copy in has read its source when it returns. A small copy out is queued and read when it is
//! finished; a large one has been read when it returns, so that pinned memory stays bounded. Page-locked memory needs
//! no chunks.

use super::context::Context;
use super::page_locked::PageLockedMemory;
use super::pinned::{CHUNK_TIMEOUT, Chunk, CopySource, PinnedPool};
use super::stream::Stream;
use crate::download::{InlineVec, scatter};
use crate::streaming_copy;
use crate::sync::Mutex;
use crate::thread_pool::ThreadPool;
use crate::{DeviceError, DeviceErrorKind, DeviceResult, HostBuffer};
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The size and the number of the chunks for small copies.
const SMALL_BYTES: usize = 64 << 10;
const SMALL_CHUNKS: usize = 64;
/// The size and the number of the chunks for medium copies: small enough that several threads have some.
const MIDDLE_BYTES: usize = 512 << 10;
const MIDDLE_CHUNKS: usize = 32;
/// The size and the number of the chunks for large copies: large enough that driver calls do not matter.
const LARGE_BYTES: usize = 2 << 20;
const LARGE_CHUNKS: usize = 32;
/// Copies of at least this many bytes are large.
const LARGE_COPY_BYTES: usize = 32 << 20;
/// The largest copy to the host that is queued as a whole.
pub(super) const QUEUED_BYTES: usize = 4 << 20;
/// The minimum number of bytes per thread, and the maximum number of threads of a copy.
const THREAD_BYTES: usize = 1 << 20;
const THREADS_MAX: usize = 8;
/// Copies in and out run at the same time, each with its threads.
const COPIES_AT_ONCE: usize = 2;
/// Chunks that one thread has in flight at once.
const CHUNKS_IN_FLIGHT: usize = 2;

/// The resources of copies.
pub(super) struct CopyEngine {
    small: PinnedPool,
    middle: PinnedPool,
    large: PinnedPool,
    pub(super) locked: PageLockedMemory,
    threads: usize,
    /// Started with the first copy that is worth it.
    thread_pool: OnceLock<ThreadPool>,
}

/// A copy to the host that was queued.
pub(super) struct CopyOut {
    destination: HostBuffer,
    /// The destination of the next chunk's bytes.
    done: usize,
    parts: VecDeque<(Chunk, usize)>,
    bytes: usize,
}

impl CopyEngine {
    /// Creates the resources of a card.
    pub(super) fn new(context: &Arc<Context>) -> CopyEngine {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        CopyEngine {
            small: PinnedPool::new(context, SMALL_BYTES, SMALL_CHUNKS),
            middle: PinnedPool::new(context, MIDDLE_BYTES, MIDDLE_CHUNKS),
            large: PinnedPool::new(context, LARGE_BYTES, LARGE_CHUNKS),
            locked: PageLockedMemory::new(context),
            threads: cores.min(THREADS_MAX),
            thread_pool: OnceLock::new(),
        }
    }

    /// Runs `work` on as many threads as a copy of `bytes` bytes is worth, including this one; returns the first error.
    fn on_threads(&self, bytes: usize, work: impl Fn() -> DeviceResult<()> + Sync) -> DeviceResult<()> {
        match thread_count(bytes, self.threads) {
            0 | 1 => work(),
            threads => {
                let helpers = COPIES_AT_ONCE * (self.threads - 1);
                self.thread_pool.get_or_init(|| ThreadPool::new(helpers, "pointsman-copy")).try_run(threads - 1, work)
            }
        }
    }

    fn staging(&self, bytes: usize) -> &PinnedPool {
        match bytes {
            0..=SMALL_BYTES => &self.small,
            LARGE_COPY_BYTES.. => &self.large,
            _ => &self.middle,
        }
    }

    /// Queues a copy to an address, followed by `zeros` zero bytes (fewer than a vector has), for which there is room.
    pub(super) fn copy_in(&self, stream: &Stream, from: &[u8], to: u64, zeros: usize) -> DeviceResult<()> {
        if from.is_empty() || self.locked.copy_in(stream, from, to, zeros, CHUNK_TIMEOUT)? {
            return Ok(());
        }
        let staging = self.staging(from.len() + zeros);
        // The last piece has room for the zeros.
        let piece_bytes = staging.chunk_bytes() - zeros.min(64).next_multiple_of(64);
        let pieces = Mutex::new(from.chunks(piece_bytes).enumerate());
        self.on_threads(from.len(), || {
            loop {
                let Some((number, piece)) = pieces.lock().next() else { return Ok(()) };
                let start = number * piece_bytes;
                let zeros = if start + piece.len() == from.len() { zeros } else { 0 };
                let mut chunk = staging.take()?;
                let (front, behind) = chunk.bytes_mut()[..piece.len() + zeros].split_at_mut(piece.len());
                front.copy_from_slice(piece);
                behind.fill(0);
                let sent = chunk.send(piece.len() + zeros, to + start as u64, stream);
                staging.give(chunk);
                sent?;
            }
        })
    }

    /// Queues a copy of the sources, one after the other, into a host buffer that has room for them.
    pub(super) fn copy_out(
        &self,
        stream: &Stream,
        sources: &[CopySource],
        destination: HostBuffer,
    ) -> DeviceResult<CopyOut> {
        let bytes = sources.iter().map(|source| source.bytes).sum();
        let mut copy = CopyOut { destination, done: 0, parts: VecDeque::new(), bytes };
        if bytes > QUEUED_BYTES {
            for source in sources {
                let destination = &mut copy.destination[copy.done..copy.done + source.bytes];
                self.read(stream, source.address, destination, CHUNK_TIMEOUT)?;
                copy.done += source.bytes;
            }
            return Ok(copy);
        }
        let staging = self.staging(bytes);
        for group in groups(sources, staging.chunk_bytes()) {
            let fetched = staging.take().and_then(|mut chunk| {
                let fetched = chunk.fetch_all(&group, stream);
                copy.parts.push_back((chunk, group.iter().map(|source| source.bytes).sum()));
                fetched
            });
            if let Err(error) = fetched {
                self.abandon(copy);
                return Err(error);
            }
        }
        Ok(copy)
    }

    /// Copies from addresses, ordered after the stream's work, and waits. Small parts share chunks, in flight while the
    /// larger parts are read.
    pub(super) fn read_all(
        &self,
        stream: &Stream,
        parts: &mut [(u64, &mut [u8])],
        timeout: Duration,
    ) -> DeviceResult<()> {
        let start = Instant::now();
        let is_small = |bytes: usize| bytes <= SMALL_BYTES;
        let small = parts.iter().filter(|(_, destination)| is_small(destination.len()));
        let sources: InlineVec<CopySource> =
            small.map(|(address, destination)| CopySource { address: *address, bytes: destination.len() }).collect();
        let bytes = sources.iter().map(|source| source.bytes).sum();
        let shares_chunks = sources.len() > 1 && bytes <= QUEUED_BYTES;
        let sources = if shares_chunks { &sources[..] } else { &[] };
        let staging = HostBuffer::try_zeroed(if shares_chunks { bytes } else { 0 })?;
        let mut copy = self.copy_out(stream, sources, staging)?;
        let left = || timeout.saturating_sub(start.elapsed());
        let alone = parts.iter_mut().filter(|(_, destination)| !(shares_chunks && is_small(destination.len())));
        let mut read =
            { alone }.try_for_each(|(address, destination)| self.read(stream, *address, destination, left()));
        read = read.and_then(|()| if self.finish(&mut copy, left())? { Ok(()) } else { Err(timed_out(timeout)) });
        if read.is_err() {
            self.abandon(copy);
            return read;
        }
        let shared = parts.iter_mut().filter(|(_, destination)| shares_chunks && is_small(destination.len()));
        scatter(&copy.destination, shared.map(|(_, destination)| &mut **destination));
        Ok(())
    }

    /// Waits for a queued copy; false after a timeout, when the copy is still in flight.
    pub(super) fn finish(&self, copy: &mut CopyOut, timeout: Duration) -> DeviceResult<bool> {
        let start = Instant::now();
        while let Some((mut chunk, bytes)) = copy.parts.pop_front() {
            match chunk.wait(timeout.saturating_sub(start.elapsed())) {
                Ok(()) => {
                    copy.destination[copy.done..copy.done + bytes].copy_from_slice(&chunk.bytes()[..bytes]);
                    copy.done += bytes;
                    self.staging(copy.bytes).give(chunk);
                }
                Err(error) => {
                    copy.parts.push_front((chunk, bytes));
                    return if error.kind == DeviceErrorKind::Timeout { Ok(false) } else { Err(error) };
                }
            }
        }
        Ok(true)
    }

    /// Abandons a queued copy: its chunks come back when the card is done with them.
    pub(super) fn abandon(&self, copy: CopyOut) {
        copy.parts.into_iter().for_each(|(chunk, _)| self.staging(copy.bytes).give(chunk));
    }

    /// Copies from an address, ordered after the stream's work, and waits up to `timeout` for each chunk.
    pub(super) fn read(
        &self,
        stream: &Stream,
        from: u64,
        destination: &mut [u8],
        timeout: Duration,
    ) -> DeviceResult<()> {
        if self.locked.copy_out(stream, from, destination, timeout)? {
            return Ok(());
        }
        let bytes = destination.len();
        let (staging, is_large) = (self.staging(bytes), bytes >= LARGE_COPY_BYTES);
        let pieces = Mutex::new(destination.chunks_mut(staging.chunk_bytes()).enumerate());
        self.on_threads(bytes, || {
            let mut in_flight: VecDeque<(Chunk, &mut [u8])> = VecDeque::new();
            let result = loop {
                let next = if in_flight.len() < CHUNKS_IN_FLIGHT { pieces.lock().next() } else { None };
                let step = match next {
                    Some((number, piece)) => staging.take().and_then(|mut chunk| {
                        let fetched = chunk.fetch(piece.len(), from + (number * staging.chunk_bytes()) as u64, stream);
                        in_flight.push_back((chunk, piece));
                        fetched
                    }),
                    None => match in_flight.pop_front() {
                        Some((chunk, piece)) => copy_when_ready(staging, chunk, piece, timeout, is_large),
                        None => break Ok(()),
                    },
                };
                if step.is_err() {
                    break step;
                }
            };
            in_flight.into_iter().for_each(|(chunk, _)| staging.give(chunk));
            result
        })
    }
}

impl CopyOut {
    /// The host buffer of a finished copy.
    pub(super) fn into_buffer(self) -> HostBuffer {
        self.destination
    }
}

/// Waits for a chunk and copies it to its destination.
fn copy_when_ready(
    staging: &PinnedPool,
    mut chunk: Chunk,
    piece: &mut [u8],
    timeout: Duration,
    is_large: bool,
) -> DeviceResult<()> {
    let waited = chunk.wait(timeout);
    if waited.is_ok() {
        // A large copy does not stay in the caches, so its destination need not be read before it is written.
        streaming_copy::copy(&chunk.bytes()[..piece.len()], piece, is_large);
    }
    staging.give(chunk);
    waited
}

/// The error of a copy that timed out.
pub(super) fn timed_out(timeout: Duration) -> DeviceError {
    DeviceError::new(DeviceErrorKind::Timeout, format!("a copy timed out after {timeout:?}"))
}

/// Splits the sources into groups that fill one chunk each, in order; empty sources are left out.
fn groups(sources: &[CopySource], chunk_bytes: usize) -> Vec<InlineVec<CopySource>> {
    let mut groups: Vec<InlineVec<CopySource>> = Vec::new();
    let mut room = 0;
    for source in sources {
        let CopySource { mut address, mut bytes } = *source;
        while bytes > 0 {
            if room == 0 {
                groups.push(InlineVec::new());
                room = chunk_bytes;
            }
            let part = CopySource { address, bytes: bytes.min(room) };
            groups.last_mut().expect("a group was begun").push(part);
            (address, bytes, room) = (address + part.bytes as u64, bytes - part.bytes, room - part.bytes);
        }
    }
    groups
}

/// The number of threads that a copy of `bytes` bytes is worth.
fn thread_count(bytes: usize, threads_max: usize) -> usize {
    (bytes / THREAD_BYTES).clamp(1, threads_max.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_fill_chunks_in_order() {
        let source = |address, bytes| CopySource { address, bytes };
        let check = |sources: &[CopySource], expected: &[&[CopySource]]| {
            let got = groups(sources, 100);
            assert_eq!(got.iter().map(|group| &group[..]).collect::<Vec<_>>(), expected);
        };
        check(&[], &[]);
        check(&[source(7, 0), source(8, 0)], &[]);
        check(&[source(1000, 8), source(7, 0), source(2000, 1)], &[&[source(1000, 8), source(2000, 1)]]);
        check(
            &[source(0, 60), source(500, 40), source(900, 1)],
            &[&[source(0, 60), source(500, 40)], &[source(900, 1)]],
        );
        let cut: [&[CopySource]; 3] =
            [&[source(0, 60), source(500, 40)], &[source(540, 100)], &[source(640, 10), source(9, 3)]];
        check(&[source(0, 60), source(500, 150), source(9, 3)], &cut);
    }

    #[test]
    fn thread_count_grows_with_the_copy() {
        for (bytes, threads) in [(0, 1), (SMALL_BYTES, 1), (THREAD_BYTES, 1), (2 << 20, 2), (9 << 20, 8), (5 << 30, 8)]
        {
            assert_eq!(thread_count(bytes, 8), threads, "{bytes}");
        }
        assert_eq!(thread_count(1 << 30, 0), 1);
    }
}
