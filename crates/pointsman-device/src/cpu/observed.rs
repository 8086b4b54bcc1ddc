//! A launch that someone looks on at: between two morsels it is asked whether to go on, and told of rows that are done.

use crate::ProgressObserver;
use pointsman_ir::kernel::LEAF_ROWS;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most rows of a morsel while someone looks on, but for launches of more than so many morsels: a fraction of a
/// millisecond of work, a few milliseconds where a row loops long.
pub(super) const OBSERVED_MORSEL_ROWS: usize = 16 * LEAF_ROWS;

/// Who looks on, and whether they ended the launch.
pub(super) struct ObservedLaunch<'a> {
    observer: &'a dyn ProgressObserver,
    is_stopped: AtomicBool,
}

impl<'a> ObservedLaunch<'a> {
    /// A launch that goes on so far.
    pub(super) fn new(observer: &'a dyn ProgressObserver) -> ObservedLaunch<'a> {
        ObservedLaunch { observer, is_stopped: AtomicBool::new(false) }
    }

    /// Whether another morsel should be begun; once it should not, none is.
    pub(super) fn should_continue(&self) -> bool {
        let should_continue = !self.is_stopped() && self.observer.should_continue();
        if !should_continue {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        should_continue
    }

    /// Whether it was ended early.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// A morsel is done.
    pub(super) fn rows_done(&self, rows: usize) {
        self.observer.rows_done(rows);
    }
}
