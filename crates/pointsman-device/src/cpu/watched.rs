//! A launch that someone looks on at: between two morsels it is asked whether to go on, and told of rows that are done.

use crate::Onlooker;
use pointsman_ir::kernel::LEAF_ROWS;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most rows of a morsel while someone looks on, but for launches of more than so many morsels: a fraction of a
/// millisecond of work, a few milliseconds where a row loops long.
pub(super) const WATCHED_ROWS: usize = 16 * LEAF_ROWS;

/// Who looks on, and whether they ended the launch.
pub(super) struct Watched<'a> {
    onlooker: &'a dyn Onlooker,
    is_stopped: AtomicBool,
}

impl<'a> Watched<'a> {
    /// A launch that goes on so far.
    pub(super) fn new(onlooker: &'a dyn Onlooker) -> Watched<'a> {
        Watched { onlooker, is_stopped: AtomicBool::new(false) }
    }

    /// Whether another morsel should be begun; once it should not, none is.
    pub(super) fn goes_on(&self) -> bool {
        let goes_on = !self.is_stopped() && self.onlooker.goes_on();
        if !goes_on {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        goes_on
    }

    /// Whether it was ended early.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// A morsel is done.
    pub(super) fn did(&self, rows: usize) {
        self.onlooker.did(rows);
    }
}
