//! The shared context of a relational launch: the device, the observer, and a way to process rows on all threads.

use super::columns::{ColumnPart, PoolColumn};
use crate::cpu::CpuShared;
use crate::cpu::observed::ObservedLaunch;
use crate::host_pool::HostPool;
use crate::sync::Mutex;
use crate::{DeviceError, DeviceErrorKind, DeviceResult, ProgressObserver};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The number of rows that a thread works on before it asks whether the launch should continue.
const TASK_ROWS: usize = 4096;

/// The number of rows between two questions in loops that take a few nanoseconds a row.
pub(super) const POLL_ROWS: usize = 1 << 14;

/// A launch in progress.
#[derive(Clone, Copy)]
pub(super) struct RunContext<'a> {
    /// The device.
    pub(super) shared: &'a CpuShared,
    /// The observer of the launch.
    pub(super) observed: Option<&'a ObservedLaunch<'a>>,
}

/// An observer for the parts of a launch: it may stop them, and their rows are not counted.
pub(in crate::cpu) struct PartObserver<'a>(pub(in crate::cpu) &'a ObservedLaunch<'a>);

impl ProgressObserver for PartObserver<'_> {
    fn should_continue(&self) -> bool {
        self.0.should_continue()
    }

    fn rows_done(&self, _rows: usize) {}
}

impl RunContext<'_> {
    /// The pool of the launch's memory.
    pub(super) fn pool(&self) -> &Arc<HostPool> {
        &self.shared.pool
    }

    /// An error if the launch should not continue.
    pub(super) fn poll(&self) -> DeviceResult<()> {
        match self.observed.is_none_or(ObservedLaunch::should_continue) {
            true => Ok(()),
            false => Err(DeviceError::new(DeviceErrorKind::Stopped, "the observer stopped the launch")),
        }
    }

    /// Calls [`RunContext::poll`] before every [`POLL_ROWS`]th row of a loop.
    #[inline(always)]
    pub(super) fn poll_at(&self, row: usize) -> DeviceResult<()> {
        if row.is_multiple_of(POLL_ROWS) { self.poll() } else { Ok(()) }
    }

    /// Reports that the launch consumed `rows` more rows.
    pub(super) fn rows_done(&self, rows: usize) {
        if let Some(observed) = self.observed.filter(|_| rows > 0) {
            observed.rows_done(rows);
        }
    }

    /// Calls `f` for each task, on several threads. If several tasks fail, one of their errors is returned.
    pub(super) fn tasks(&self, tasks: usize, f: impl Fn(usize) -> DeviceResult<()> + Sync) -> DeviceResult<()> {
        self.tasks_with(tasks, || (), |(), task| f(task), |()| ())
    }

    /// As [`RunContext::tasks`], with a state per participating thread, which `done` consumes at the end.
    pub(super) fn tasks_with<S>(
        &self,
        tasks: usize,
        start: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, usize) -> DeviceResult<()> + Sync,
        done: impl Fn(S) + Sync,
    ) -> DeviceResult<()> {
        let (next, failed, error) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(None));
        let job = || {
            let mut state = start();
            while !failed.load(Ordering::Relaxed) {
                let task = next.fetch_add(1, Ordering::Relaxed);
                if task >= tasks {
                    break;
                }
                if let Err(found) = self.poll().and_then(|()| f(&mut state, task)) {
                    failed.store(true, Ordering::Relaxed);
                    error.lock().get_or_insert(found);
                }
            }
            done(state);
        };
        match self.shared.thread_pool() {
            Some(threads) if tasks > 1 => threads.run(tasks.min(self.shared.threads) - 1, &job),
            Some(_) | None => job(),
        }
        error.into_inner().map_or(Ok(()), Err)
    }

    /// The number of rows of a task, a multiple of 64.
    pub(super) fn task_rows(&self) -> usize {
        self.shared.options.morsel_rows.unwrap_or(TASK_ROWS).clamp(64, TASK_ROWS).next_multiple_of(64)
    }

    /// The ranges of rows that tasks work on.
    pub(super) fn ranges(&self, rows: usize) -> Vec<Range<usize>> {
        let step = self.task_rows();
        (0..rows).step_by(step).map(|start| start..rows.min(start + step)).collect()
    }

    /// Fills `rows` rows of a column in tasks: `f` gets the range and its part of the column.
    pub(super) fn fill_column(
        &self,
        column: &mut PoolColumn,
        rows: usize,
        f: impl Fn(Range<usize>, &mut ColumnPart<'_>) -> DeviceResult<()> + Sync,
    ) -> DeviceResult<()> {
        let ranges = self.ranges(rows);
        let parts: Vec<_> = column.parts_mut(rows, self.task_rows()).into_iter().map(Mutex::new).collect();
        self.tasks(parts.len(), |task| f(ranges[task].clone(), &mut parts[task].lock()))
    }

    /// Fills a slice in tasks: `f` gets the range and its part, which has `width` elements a row.
    pub(super) fn fill<T: Send>(
        &self,
        rows: usize,
        width: usize,
        out: &mut [T],
        f: impl Fn(Range<usize>, &mut [T]) -> DeviceResult<()> + Sync,
    ) -> DeviceResult<()> {
        let ranges = self.ranges(rows);
        let step = self.task_rows().max(1) * width;
        let parts: Vec<Mutex<&mut [T]>> = out[..rows * width].chunks_mut(step.max(1)).map(Mutex::new).collect();
        self.tasks(parts.len(), |task| f(ranges[task].clone(), &mut parts[task].lock()))
    }
}
