//! [`PiecesInFlight`]: the pieces of a launch that were submitted and not seen to end. A few are submitted ahead of the
//! device: one that runs and one after it, or more if pieces are short.

use super::dispatch_tuner::DISPATCH_MS;
use super::gpu::Gpu;
use crate::DeviceResult;
use crate::call_limit;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The minimum and maximum number of pieces in flight: one that runs and one after it; enough to keep the device busy
/// if pieces are short.
const PIECES_MIN: usize = 2;
const PIECES_MAX: usize = 64;

/// A piece of a launch that was submitted.
struct Piece {
    submission: wgpu::SubmissionIndex,
    submitted: Instant,
}

/// The pieces of a launch that were submitted and not seen to end, oldest first.
pub(super) struct PiecesInFlight {
    pieces: VecDeque<Piece>,
    count_max: usize,
    /// When the last piece was seen to end.
    last_end: Instant,
}

impl PiecesInFlight {
    pub(super) fn new() -> PiecesInFlight {
        PiecesInFlight { pieces: VecDeque::new(), count_max: PIECES_MIN, last_end: Instant::now() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether the next piece need not wait for the device.
    pub(super) fn has_room(&self) -> bool {
        self.pieces.len() < self.count_max
    }

    /// Whether there are so many pieces in flight that the next one waits. A driver may block in a submission until
    /// earlier pieces have ended; a caller with a limit waits for long pieces here, where it can give up.
    pub(super) fn must_wait(&self) -> bool {
        let ahead = if call_limit::is_set() && self.count_max == PIECES_MIN { 1 } else { self.count_max };
        self.pieces.len() >= ahead
    }

    /// Adds a piece that was submitted at this time.
    pub(super) fn push(&mut self, submission: wgpu::SubmissionIndex, submitted: Instant) {
        self.pieces.push_back(Piece { submission, submitted });
    }

    /// Forgets all pieces, which have ended.
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// The last piece.
    pub(super) fn last(&self) -> Option<wgpu::SubmissionIndex> {
        self.pieces.back().map(|piece| piece.submission.clone())
    }

    /// Waits for the oldest piece and returns how long it took. Its time decides how many pieces are submitted ahead.
    pub(super) fn wait_for_oldest(&mut self, gpu: &Gpu, timeout: Duration) -> DeviceResult<Duration> {
        let Some(piece) = self.pieces.front() else { return Ok(Duration::ZERO) };
        gpu.wait(&piece.submission, timeout)?;
        let took = piece.submitted.max(self.last_end).elapsed();
        self.count_max = ((DISPATCH_MS / 1e3 / took.as_secs_f64()) as usize).clamp(PIECES_MIN, PIECES_MAX);
        self.last_end = Instant::now();
        self.pieces.pop_front();
        Ok(took)
    }
}
