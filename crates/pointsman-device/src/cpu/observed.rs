//! A launch with a progress observer, which is called between two morsels and, if a morsel takes long, inside it.

use crate::ProgressObserver;
use crate::sync::Mutex;
use pointsman_ir::kernel::LEAF_ROWS;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum number of rows of a morsel of an observed launch, except for launches of very many morsels. It takes a
/// fraction of a millisecond, or a few milliseconds if rows loop long.
pub(super) const OBSERVED_MORSEL_ROWS: usize = 16 * LEAF_ROWS;

/// The observer of a launch, and whether it stopped the launch.
pub(super) struct ObservedLaunch<'a> {
    observer: &'a dyn ProgressObserver,
    is_stopped: AtomicBool,
    /// The panic of an observer that machine code called.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl<'a> ObservedLaunch<'a> {
    /// Wraps an observer that has not stopped the launch yet.
    pub(super) fn new(observer: &'a dyn ProgressObserver) -> ObservedLaunch<'a> {
        ObservedLaunch { observer, is_stopped: AtomicBool::new(false), panic: Mutex::new(None) }
    }

    /// Whether the launch should continue; once false, it stays false.
    pub(super) fn should_continue(&self) -> bool {
        let should_continue = !self.is_stopped() && self.observer.should_continue();
        if !should_continue {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        should_continue
    }

    /// Asks the observer whether the launch should continue, and never unwinds: a panic of the observer stops the
    /// launch and is kept for [`ObservedLaunch::resume_panic`].
    pub(super) fn should_continue_caught(&self) -> bool {
        catch_unwind(AssertUnwindSafe(|| self.should_continue())).unwrap_or_else(|panic| {
            *self.panic.lock() = Some(panic);
            self.is_stopped.store(true, Ordering::Relaxed);
            false
        })
    }

    /// Continues a panic that [`ObservedLaunch::should_continue_caught`] caught.
    pub(super) fn resume_panic(&self) {
        let panic = self.panic.lock().take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Whether the observer stopped the launch.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Reports that a morsel is done.
    pub(super) fn rows_done(&self, rows: usize) {
        self.observer.rows_done(rows);
    }
}
