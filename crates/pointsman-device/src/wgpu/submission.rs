//! [`Submission`]: submits the commands of a launch.
//!
//! A launch of one range is submitted at once. A launch of several ranges is submitted in pieces, a few ahead of the
//! device, by the thread that waits for it. A dispatch cannot be stopped, so a forgotten launch runs only the pieces
//! that were submitted. A driver that runs commands inside the call blocks the caller for one piece at a time.

use super::command_batch::{CommandBatch, Context};
use super::dispatch_tuner::TimeSource;
use super::download::PendingRead;
use super::encode::{Encoding, Range, Step};
use super::gpu::Gpu;
use super::launch_timestamps::elapsed;
use super::pieces::PiecesInFlight;
use super::program::WgpuProgram;
use super::scratch::BufferPart;
use crate::driver_lock::DriverGuard;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long `launch` submits pieces before it returns.
pub(super) const LAUNCH_TIME: Duration = Duration::from_millis(5);

/// The first piece of a timed launch.
struct FirstPiece {
    /// Its timestamps, if the device has them.
    times: PendingRead,
    rows: u64,
    submitted: Instant,
}

/// A launch whose commands are being submitted, or that runs.
pub(super) struct Submission {
    encoding: Encoding,
    batch: CommandBatch,
    /// Steps that are not submitted yet.
    steps: VecDeque<Step>,
    pieces: PiecesInFlight,
    /// The positions of the ranges' rows, which are being read back.
    positions: Option<PendingRead>,
    first_piece: Option<FirstPiece>,
    /// The parts of buffers that make up the outcome.
    outcome_parts: Vec<BufferPart>,
    /// The outcome, once everything is submitted.
    reading: Option<PendingRead>,
    /// Set when the launch is forgotten: nothing more is submitted.
    is_forgotten: Arc<AtomicBool>,
    /// Why a step could not be submitted. Its commands are lost, so the launch cannot continue.
    failure: Option<DeviceError>,
}

impl Submission {
    /// Encodes the start of a launch; nothing is submitted yet.
    pub(super) fn new(
        context: Context<'_>,
        encoding: Encoding,
        outcome_parts: Vec<BufferPart>,
    ) -> DeviceResult<Submission> {
        let mut batch = encoding.batch(context)?;
        encoding.prepare(&mut batch);
        if encoding.timed {
            context.scratch.times.start(batch.encoder());
        }
        Ok(Submission {
            steps: encoding.steps(),
            batch,
            pieces: PiecesInFlight::new(),
            positions: None,
            first_piece: None,
            outcome_parts,
            reading: None,
            is_forgotten: Arc::default(),
            failure: None,
            encoding,
        })
    }

    /// Submits the launch, or its first pieces.
    pub(super) fn submit_first(&mut self, context: Context<'_>) -> DeviceResult<()> {
        let start = Instant::now();
        while self.can_submit() && (self.pieces.is_empty() || start.elapsed() <= LAUNCH_TIME) {
            self.submit_next(context)?;
        }
        self.encoding.pipelines.is_warm.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Whether the next step need not wait for the device.
    fn can_submit(&self) -> bool {
        self.reading.is_none() && self.positions.is_none() && self.pieces.has_room()
    }

    /// Submits the next step, after other threads' calls that queue work.
    fn submit_next(&mut self, context: Context<'_>) -> DeviceResult<()> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        // Before anything is encoded, so that an error here leaves the launch unchanged.
        let held = context.gpu.lock_queue()?;
        // Another query may already own the memory of a forgotten launch. The queue's lock orders this check and that
        // query's commands: if they are queued, the flag is visible here.
        if self.is_forgotten.load(Ordering::Relaxed) {
            return Err(DeviceError::new(DeviceErrorKind::Timeout, "the launch was forgotten"));
        }
        let submitted = self.submit_step(context, &held);
        submitted.inspect_err(|error| self.failure = Some(error.clone()))
    }

    /// Encodes the next step and submits it if the launch is submitted in pieces. After the last step, submits the rest
    /// together with the reads of the outcome.
    fn submit_step(&mut self, context: Context<'_>, held: &DriverGuard<'_>) -> DeviceResult<()> {
        let (encoding, batch) = (&self.encoding, &mut self.batch);
        match self.steps.pop_front() {
            Some(Step::Range { entry, number, window }) => encoding.range(context, batch, entry, number, window)?,
            Some(Step::Join(tree)) => encoding.join(context, batch, tree)?,
            Some(Step::WriteAtPositions(tree)) => {
                self.positions = Some(batch.submit_reading(context, held, &encoding.position_parts(tree)?)?);
                return Ok(());
            }
            None => {
                let parts = std::mem::take(&mut self.outcome_parts);
                if encoding.timed && !encoding.is_split() {
                    context.scratch.times.end(batch.encoder());
                }
                self.reading = Some(batch.submit_reading(context, held, &parts)?);
                return Ok(());
            }
        }
        if self.encoding.is_split() { self.submit_piece(context, held) } else { Ok(()) }
    }

    fn submit_piece(&mut self, context: Context<'_>, held: &DriverGuard<'_>) -> DeviceResult<()> {
        let submitted = Instant::now();
        let submission = if self.encoding.timed && self.first_piece.is_none() {
            context.scratch.times.end(self.batch.encoder());
            let parts: Vec<BufferPart> = context.scratch.times.resolved().into_iter().collect();
            let times = self.batch.submit_reading(context, held, &parts)?;
            let submission = times.submission();
            self.first_piece = Some(FirstPiece { times, rows: self.encoding.ranges[0].rows.into(), submitted });
            submission
        } else {
            self.batch.submit(context, held)?
        };
        self.pieces.push(submission, submitted);
        Ok(())
    }

    /// Submits the remaining steps and waits for the device between them. If the next step need not wait, it is
    /// submitted even if `timeout` is zero.
    pub(super) fn submit_all(
        &mut self,
        context: Context<'_>,
        program: &WgpuProgram,
        timeout: Duration,
    ) -> DeviceResult<()> {
        let start = Instant::now();
        while self.reading.is_none() {
            let left = timeout.saturating_sub(start.elapsed());
            if let Some(positions) = &self.positions {
                let words = positions.finish_words(context.gpu, left)?;
                self.steps = self.encoding.writes_at(&self.encoding.positions(&words));
                self.positions = None;
                self.pieces.clear();
            }
            while self.pieces.must_wait() {
                self.wait_for_oldest(context.gpu, program, timeout.saturating_sub(start.elapsed()))?;
            }
            self.submit_next(context)?;
            if self.reading.is_none() && start.elapsed() >= timeout {
                return Err(context.gpu.timed_out());
            }
        }
        Ok(())
    }

    /// Waits for the oldest piece.
    fn wait_for_oldest(&mut self, gpu: &Gpu, program: &WgpuProgram, timeout: Duration) -> DeviceResult<()> {
        self.pieces.wait_for_oldest(gpu, timeout)?;
        self.record_first_piece(gpu, program)
    }

    /// Records the time of the first piece, once it has ended.
    pub(super) fn record_first_piece(&mut self, gpu: &Gpu, program: &WgpuProgram) -> DeviceResult<()> {
        let Some(first) = self.first_piece.take() else { return Ok(()) };
        // It is not timed again.
        self.encoding.timed = false;
        let words = first.times.finish_words(gpu, Duration::ZERO)?;
        let (took, clock) = match words.is_empty() {
            true => (first.submitted.elapsed(), TimeSource::Host),
            false => (elapsed(gpu, &words), TimeSource::Device),
        };
        program.dispatch_tuner.record(first.rows, took, clock);
        Ok(())
    }

    /// The flag that stops further submissions.
    pub(super) fn is_forgotten(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_forgotten)
    }

    /// The reads of the outcome, once everything is submitted.
    pub(super) fn reading(&self) -> Option<&PendingRead> {
        self.reading.as_ref()
    }

    /// The ranges of rows.
    pub(super) fn ranges(&self) -> &[Range] {
        &self.encoding.ranges
    }

    /// Whether the device still runs a piece that was submitted.
    pub(super) fn is_under_way(&self, gpu: &Gpu) -> bool {
        let last = match (&self.reading, &self.positions) {
            (Some(reading), _) => Some(reading.submission()),
            (None, Some(positions)) => Some(positions.submission()),
            (None, None) => self.pieces.last(),
        };
        last.is_some_and(|last| gpu.is_running(&last))
    }
}
