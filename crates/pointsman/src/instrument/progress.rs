//! [`Progress`]: how much of a query is done, reported to the callback of `on_progress`.
//!
//! Progress is reported when a stage begins, after each batch, and when a stage ends; within a launch on the CPU at
//! most once for each hundredth of its rows. Calls of the callback never overlap, and progress never decreases, except
//! when the query starts again (on another device, or in another attempt on the same one).

use crate::error::{Error, Result};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::time_limit::TimeLimit;
use crate::sync::Mutex;
use pointsman_device::{DeviceError, DeviceErrorKind, ProgressObserver};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum number of reports within one launch.
const REPORTS_PER_LAUNCH_MAX: usize = 100;

/// The progress of a run, as [`Query::on_progress`](crate::Query::on_progress) reports it.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// # fn main() -> pointsman::Result<()> {
/// let s = pointsman::Session::open()?;
/// let seen = Arc::new(Mutex::new(0.0));
/// let last = seen.clone();
/// let query = s.from(&[1.0f32, 2.0]).map(|x| x * 2.0);
/// query.on_progress(move |progress| *last.lock().unwrap() = progress.fraction()).run()?;
/// assert_eq!(*seen.lock().unwrap(), 1.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The stage that runs, counted from 0.
    pub stage: usize,
    /// The number of stages.
    pub stages: usize,
    /// Rows of this stage that are done.
    pub rows_done: usize,
    /// All rows of this stage.
    pub rows: usize,
    /// Batches that are done, of all stages.
    pub batches: usize,
    /// Bytes that were copied to and from the device so far.
    pub bytes_moved: u64,
}

impl Progress {
    /// The part of the work that is done, 0 to 1. All stages count the same, whatever their rows cost.
    pub fn fraction(&self) -> f64 {
        let stage = if self.rows == 0 { 1.0 } else { self.rows_done as f64 / self.rows as f64 };
        ((self.stage as f64 + stage) / self.stages.max(1) as f64).min(1.0)
    }
}

/// The user's progress callback.
#[derive(Clone)]
pub(crate) struct Callback(Arc<dyn Fn(&Progress) + Send + Sync>);

impl Callback {
    pub(crate) fn new(f: impl Fn(&Progress) + Send + Sync + 'static) -> Callback {
        Callback(Arc::new(f))
    }
}

impl fmt::Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Callback")
    }
}

/// Reports the progress of one run.
pub(crate) struct Reporter<'a> {
    callback: &'a Callback,
    /// Finished rows of the current stage, reported or not.
    done: AtomicUsize,
    reported: Mutex<ReportedProgress>,
}

struct ReportedProgress {
    progress: Progress,
    /// Finished rows since the stage last started; rows that were reported before a restart are not reported again.
    rows: usize,
    /// Whether the callback panicked; then it is not called again.
    is_broken: bool,
}

impl<'a> Reporter<'a> {
    /// Creates a reporter for a run of `stages` stages.
    pub(crate) fn new(callback: &'a Callback, stages: usize) -> Reporter<'a> {
        let progress = Progress { stages, ..Progress::default() };
        Reporter {
            callback,
            done: AtomicUsize::new(0),
            reported: Mutex::new(ReportedProgress { progress, rows: 0, is_broken: false }),
        }
    }

    /// Reports that a stage of `rows` rows begins.
    pub(crate) fn begin_stage(&self, stage: usize, rows: usize) {
        self.done.store(0, Ordering::Relaxed);
        self.restart_stage();
        self.update(|progress, _| (progress.stage, progress.rows, progress.rows_done) = (stage, rows, 0));
    }

    /// The work of the stages before the next one, without those that have failed since.
    pub(crate) fn set_totals(&self, batches: usize, bytes_moved: u64) {
        let mut reported = self.reported.lock();
        (reported.progress.batches, reported.progress.bytes_moved) = (batches, bytes_moved);
    }

    /// The current stage starts again.
    pub(crate) fn restart_stage(&self) {
        self.reported.lock().rows = 0;
    }

    /// Reports that a batch has ended.
    pub(crate) fn end_batch(&self, rows: usize, bytes_moved: u64) {
        self.update(|progress, done| {
            *done += rows;
            progress.rows_done = progress.rows_done.max(*done);
            progress.batches += 1;
            progress.bytes_moved += bytes_moved;
        });
    }

    /// Reports that the current stage has ended; `batches` and `bytes_moved` are totals of the query.
    pub(crate) fn end_stage(&self, batches: usize, bytes_moved: u64) {
        self.update(|progress, _| {
            (progress.rows_done, progress.batches, progress.bytes_moved) = (progress.rows, batches, bytes_moved)
        });
    }

    /// Adds finished rows and reports them if they are enough; the last rows are left to [`Reporter::end_stage`].
    fn add_rows(&self, rows: usize) {
        let done = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
        // If another thread is reporting, this one continues its work instead of waiting.
        let Some(mut reported) = self.reported.try_lock() else { return };
        let Progress { rows_done, rows, .. } = reported.progress;
        if done < rows && done - rows_done.min(done) >= (rows / REPORTS_PER_LAUNCH_MAX).max(1) {
            reported.progress.rows_done = done;
            self.call(&mut reported);
        }
    }

    fn update(&self, change: impl FnOnce(&mut Progress, &mut usize)) {
        let mut reported = self.reported.lock();
        let before = reported.progress;
        let ReportedProgress { progress, rows, .. } = &mut *reported;
        change(progress, rows);
        // A batch that ends its stage is reported once.
        if reported.progress != before || before.rows == 0 {
            self.call(&mut reported);
        }
    }

    fn call(&self, reported: &mut ReportedProgress) {
        if !reported.is_broken && catch_unwind(AssertUnwindSafe(|| (self.callback.0)(&reported.progress))).is_err() {
            reported.is_broken = true;
            tracing::warn!(target: "pointsman", "the progress callback panicked and is not called any more");
        }
    }
}

/// Observes a launch: stops it when the query is cancelled or out of time, and reports its progress.
pub(crate) struct LaunchObserver<'a> {
    pub(crate) time: TimeLimit<'a>,
    pub(crate) token: Option<&'a CancellationToken>,
    pub(crate) reporter: Option<&'a Reporter<'a>>,
}

impl LaunchObserver<'_> {
    /// Returns an error if the query was cancelled, or if its time on this device is over.
    pub(crate) fn check_limits(&self) -> Result<()> {
        if self.token.is_some_and(CancellationToken::is_cancelled) {
            return Err(Error::cancelled());
        }
        if self.time.is_over() {
            let message = "the time for the query on this device was over between two launches";
            return Err(DeviceError::new(DeviceErrorKind::Timeout, message).into());
        }
        Ok(())
    }
}

impl ProgressObserver for LaunchObserver<'_> {
    fn should_continue(&self) -> bool {
        !self.token.is_some_and(CancellationToken::is_cancelled) && !self.time.is_over()
    }

    fn rows_done(&self, rows: usize) {
        if let Some(reporter) = self.reporter {
            reporter.add_rows(rows);
        }
    }
}
