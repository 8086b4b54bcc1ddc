//! How far a query is: [`Progress`], told to whoever asked for it with `on_progress`.
//!
//! It is told when a stage begins, behind each batch, and when a stage is done; within a launch on the CPU at most once
//! for each hundredth of its rows. Calls come one at a time, and what they tell never goes back but when the query begins
//! anew (on another device, or once more on this one).

use crate::error::{Error, Result};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::time_limit::TimeLimit;
use pointsman_device::{DeviceError, DeviceErrorKind, Onlooker};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How often progress is told within one launch, at most.
const STEPS_MAX: usize = 100;

/// How far a query is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The stage that runs, counted from 0.
    pub stage: usize,
    /// How many stages there are.
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
    /// How much is done, 0 to 1: stages count alike, and rows within a stage.
    pub fn fraction(&self) -> f64 {
        let stage = if self.rows == 0 { 1.0 } else { self.rows_done as f64 / self.rows as f64 };
        ((self.stage as f64 + stage) / self.stages.max(1) as f64).min(1.0)
    }
}

/// What is called with the progress of a query.
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

/// Tells the progress of one run.
pub(crate) struct Reporter<'a> {
    callback: &'a Callback,
    /// Rows of the stage under way that are done, told or not.
    done: AtomicUsize,
    told: Mutex<ReportedProgress>,
}

struct ReportedProgress {
    progress: Progress,
    /// Rows of the stage that are done since it was last begun; those that were told before are not told again.
    rows: usize,
    /// Whether the callback panicked: then it is left alone.
    is_broken: bool,
}

impl<'a> Reporter<'a> {
    /// Of a run of so many stages, of which none has begun.
    pub(crate) fn new(callback: &'a Callback, stages: usize) -> Reporter<'a> {
        let progress = Progress { stages, ..Progress::default() };
        Reporter {
            callback,
            done: AtomicUsize::new(0),
            told: Mutex::new(ReportedProgress { progress, rows: 0, is_broken: false }),
        }
    }

    /// A stage of so many rows begins.
    pub(crate) fn begin(&self, stage: usize, rows: usize) {
        self.done.store(0, Ordering::Relaxed);
        self.begin_again();
        self.tell(|progress, _| (progress.stage, progress.rows, progress.rows_done) = (stage, rows, 0));
    }

    /// The stage under way begins anew.
    pub(crate) fn begin_again(&self) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).rows = 0;
    }

    /// A batch of so many rows is done, for which so many bytes were copied.
    pub(crate) fn did_batch(&self, rows: usize, bytes_moved: u64) {
        self.tell(|progress, done| {
            *done += rows;
            progress.rows_done = progress.rows_done.max(*done);
            progress.batches += 1;
            progress.bytes_moved += bytes_moved;
        });
    }

    /// The stage under way is done, after so many batches and bytes.
    pub(crate) fn end(&self, batches: usize, bytes_moved: u64) {
        self.tell(|progress, _| {
            (progress.rows_done, progress.batches, progress.bytes_moved) = (progress.rows, batches, bytes_moved)
        });
    }

    /// So many more rows are done. ReportedProgress if that is enough; the last of them are left to [`Reporter::end`].
    fn did(&self, rows: usize) {
        let done = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
        // Another thread tells now: this one has better things to do than to wait for it.
        let Ok(mut told) = self.told.try_lock() else { return };
        let Progress { rows_done, rows, .. } = told.progress;
        if done < rows && done - rows_done.min(done) >= (rows / STEPS_MAX).max(1) {
            told.progress.rows_done = done;
            self.call(&mut told);
        }
    }

    fn tell(&self, change: impl FnOnce(&mut Progress, &mut usize)) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let before = told.progress;
        let ReportedProgress { progress, rows, .. } = &mut *told;
        change(progress, rows);
        // A batch that ends its stage is told once.
        if told.progress != before || before.rows == 0 {
            self.call(&mut told);
        }
    }

    fn call(&self, told: &mut ReportedProgress) {
        if !told.is_broken && catch_unwind(AssertUnwindSafe(|| (self.callback.0)(&told.progress))).is_err() {
            told.is_broken = true;
            tracing::warn!(target: "pointsman", "the progress callback panicked and is not called any more");
        }
    }
}

/// Looks on at a launch: whether the query should go on, and how far it is.
pub(crate) struct LaunchObserver<'a> {
    pub(crate) time: TimeLimit<'a>,
    pub(crate) token: Option<&'a CancellationToken>,
    pub(crate) reporter: Option<&'a Reporter<'a>>,
}

impl LaunchObserver<'_> {
    /// An error if the query was cancelled, or if its time on this device is over.
    pub(crate) fn may_go_on(&self) -> Result<()> {
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

impl Onlooker for LaunchObserver<'_> {
    fn goes_on(&self) -> bool {
        !self.token.is_some_and(CancellationToken::is_cancelled) && !self.time.is_over()
    }

    fn did(&self, rows: usize) {
        if let Some(reporter) = self.reporter {
            reporter.did(rows);
        }
    }
}
